#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `check`: the built-in vectors hold, changed ones do not, broken ones are refused, and somebody
# else's decision core is tried, compared, shrunk for, and survived.
. tests/tap.sh
I=$B/tests/impl/first-int0xcc.so
tab=$(printf '\t')
rows() { grep -v '^#' "$T/builtin.tsv" | grep -e "^id$tab" -e "$1"; }
tries() { "$V" check "$@" >"$T/out" 2>"$T/err" </dev/null; echo $?; }

"$V" check --emit=tsv >"$T/builtin.tsv"
is "built-in vectors hold" "$(tries)" 0
is "TAP 13" "$(head -n 1 "$T/out")" "TAP version 13"
n=$(($(grep -vc '^#' "$T/builtin.tsv") - 1))
is "a test a row" "$(sed -n 2p "$T/out") $(grep -c '^ok' "$T/out")" "1..$n $n"
is "only pages of compiled code are left out" \
	"$(grep SKIP "$T/out" | grep -v ' E0 native ')" ""
is "more than 250 rows are tried" "$([ "$(grep '^ok' "$T/out" | grep -vc SKIP)" -gt 250 ] && echo yes)" yes
is "what is emitted holds too" "$(tries "$T/builtin.tsv")" 0
cp "$T/out" "$T/all"
is "standard input" "$("$V" check - <"$T/builtin.tsv" 2>&1 | cmp - "$T/all" && echo same)" same
is "-o" "$("$V" check -o "$T/o" && cmp "$T/o" "$T/all" && echo same)" same
is "JSON" "$("$V" check --emit=json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["schema"], len(d["vectors"]), d["vectors"][0]["era"])' 2>&1)" "vsysemu.vectors/1 $n E0"

# Each column that says what happens, changed in one row, is noticed.
change() { # NAME ROW COLUMN NEW
	rows "^$2$tab" | awk -F"$tab" -v OFS="$tab" -v c="$3" -v new="$4" \
		'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i } NR > 1 { $k = new } 1' >"$T/v.tsv"
	is "$1: status" "$(tries "$T/v.tsv")" 1
	like "$1: reason" "$(grep -A1 '^not ok 1' "$T/out" | tail -n 1)" "^# .*$3"
}
change "outcome" V042 outcome SKIPPED
change "number" V042 nr 2
change "result" V042 rax in
change "return address" V042 rip_after 0xffffffffff600400
change "stack" V042 rsp_delta 0
change "error code of the hardware" V042 pf_err_hw 0x14
change "signal" V064 signal SIGBUS
change "code" V064 si_code MAPERR
change "address" V074 si_addr 0x10000
change "trap number" V074 sc_trapno 13
change "a stale trap number" V064 sc_trapno 14
change "error code" V074 sc_err 7
change "cr2" V074 sc_cr2 stale
change "message" V064 log MIS
change "no message" V064 log -
change "ordinary line" V064 log 'STK + segfault line'

# What a case cannot say is left out with the reason.
odd() { # NAME ROW COLUMN NEW
	rows "^$2$tab" | awk -F"$tab" -v OFS="$tab" -v c="$3" -v new="$4" \
		'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i } NR > 1 { $k = new } 1' >"$T/v.tsv"
	is "$1: status" "$(tries "$T/v.tsv")" 0
	like "$1: reason" "$(sed -n 3p "$T/out")" "^ok 1 .* # SKIP $3 .*cannot be expressed"
}
odd "unknown argument" V042 args 't=a full moon'
odd "unknown stack" V042 stack 'upside down'
odd "unknown filter" V042 seccomp 'CONFUSE 3'
odd "unknown entry" V042 entry 'by boat'
odd "unknown result" V042 rax 'seconds'
odd "unknown message" V064 log 'STK + poem'
odd "remark in the era" V042 era 'E2-E9 on Tuesdays'

# One kernel, one mode.
is "one kernel" "$(tries --kernel=6.18 --mode=xonly)" 0
like "rows of others are left out" "$(grep ' V016 ' "$T/out")" 'SKIP no kernel'
like "rows of its own are not" "$(grep ' V047 ' "$T/out" | grep -v SKIP)" '^ok'
is "unknown kernel" "$(tries --kernel=9.9)" 2

# Broken files: where, what, which rule.
refuse() { # NAME REGEX [ARGS]; the file is $T/bad.tsv
	name=$1 re=$2
	shift 2
	is "$name: status" "$(tries "$@" "$T/bad.tsv")" 2
	like "$name: line" "$(cat "$T/err")" "^vsysemu: .*$re"
	is "$name: one line" "$(wc -l <"$T/err")" 1
}
: >"$T/bad.tsv"
refuse "empty file" 'bad.tsv:1: column id: no header'
echo "id${tab}era" >"$T/bad.tsv"
refuse "short header" 'bad.tsv:1: column mode: missing'
echo "id${tab}eta" >"$T/bad.tsv"
refuse "unknown column" 'bad.tsv:1: column 2: "eta" is no column'
rows '^V042' | sed 's/EMULATED/EMULATE/' >"$T/bad.tsv"
refuse "unknown outcome" 'bad.tsv:2: column outcome: "EMULATE" is none of'
rows '^V042' | sed 's/E2-E9/E2-F9/' >"$T/bad.tsv"
refuse "unknown era" 'bad.tsv:2: column era: "E2-F9"'
rows '^V042' | sed "s/${tab}emulate/${tab}emulat/" >"$T/bad.tsv"
refuse "unknown mode" 'bad.tsv:2: column mode: "emulat"'
rows '^V064' | sed 's/SI_KERNEL/SI_COLONEL/' >"$T/bad.tsv"
refuse "unknown code" 'bad.tsv:2: column si_code'
rows '^V064' | sed 's/SIGSEGV/SIGSEVG/' >"$T/bad.tsv"
refuse "unknown signal" 'bad.tsv:2: column signal'
rows '^V042' | sed "s/+8/eight/" >"$T/bad.tsv"
refuse "no number" 'bad.tsv:2: column rsp_delta: "eight"'
rows '^V042' | sed "s/${tab}+8//" >"$T/bad.tsv"
refuse "a cell too few" 'bad.tsv:2: column 24: a row has 25 cells'
rows '^V042' | sed "/^V/s/\$/${tab}x/" >"$T/bad.tsv"
refuse "a cell too many" 'bad.tsv:2: .*25 cells'
rows '^V042' | sed "s/${tab}+8/${tab}/" >"$T/bad.tsv"
refuse "an empty cell" 'bad.tsv:2: column rsp_delta: .*empty'
printf 'id\0\n' >"$T/bad.tsv"
refuse "a NUL" 'bad.tsv:1: .*NUL'
head -c 3000 /dev/urandom >"$T/bad.tsv"
refuse "noise" 'bad.tsv:'
is "no such file" "$(tries "$T/none.tsv")" 2
is "a directory" "$(tries "$T")" 2

# Other implementations.
is "the library passes" "$(tries --impl="$B/libvsysemu-policy.so.1")" 0
is "the library gives the same lines" "$(cmp "$T/out" "$T/all" && echo same)" same
is "the first int 0xcc is caught" "$(tries --impl="$I")" 1
for v in V016 V017 V019; do
	like "by $v" "$(grep " $v " "$T/out")" '^not ok'
done
like "its own era holds" "$(grep ' V020 ' "$T/out")" '^ok'
is "only rows of later versions" "$(grep '^not ok' "$T/out" | grep -v ' E1b')" ""
N=50000
[ -n "$SOAK" ] && N=5000000
is "random frames: the library" "$(tries --impl="$B/libvsysemu-policy.so.1" --random=$N --seed=7)" 0
like "random frames: how many" "$(sed -n 2p "$T/out")" "^ok 1 - $N random frames, seed 7"
is "random frames: the first int 0xcc" "$(tries --impl="$I" --random=$N --seed=7)" 1
cp "$T/out" "$T/first"
like "what differs" "$(cat "$T/first")" 'the verdict is a signal, theirs a kernel bug'
tries --impl="$I" --random=$N --seed=7 >/dev/null
is "the same seed, the same frames" "$(cmp "$T/out" "$T/first" && echo same)" same
{ sed -n "s/^# id$tab/id$tab/p" "$T/first" | head -n 1; sed -n "s/^# MIN$tab/MIN$tab/p" "$T/first"; } >"$T/min.tsv"
is "minimal frames are vectors that we pass" "$(tries "$T/min.tsv")" 0
is "all of them" "$(grep -c '^ok' "$T/out") $(grep -c SKIP "$T/out")" "$(grep -c ^MIN "$T/min.tsv") 0"
is "and the other fails" "$(tries --impl="$I" "$T/min.tsv")" 1
like "minimal: slot 3" "$(cat "$T/min.tsv")" "int 0xcc${tab}0x33${tab}-${tab}0xffffffffff600c00${tab}ok${tab}-${tab}off"

is "the rules written a second time pass" "$(tries --impl="$B/tests/impl/second.so")" 0
is "a million random frames: no difference" "$(tries --impl="$B/tests/impl/second.so" --random=1000000 --seed=11)" 0
is "the rules written from their description pass" "$(tries --impl="$B/tests/impl/independent.so")" 0
N=100000
[ -n "$SOAK" ] && N=1000000
is "$N random frames: no difference" "$(tries --impl="$B/tests/impl/independent.so" --random=$N --seed=12)" 0

if command -v cc >/dev/null; then
	made() { # NAME BODY
		printf '%s\n' '#include "facts/policy.h"' "$2" >"$T/$1.c"
		cc -shared -fPIC -Iemu -o "$T/$1.so" "$T/$1.c" || echo "# $1 does not compile"
	}
	sig='void vsysemu_policy_decide(const struct vsysemu_profile *p, enum vsysemu_mode m, const struct vsysemu_frame *f, const struct vsysemu_guest *g, struct vsysemu_verdict *v)'
	made crash "$sig { *(volatile int *)0 = p && m && f && g && v; }"
	made leave "#include <unistd.h>
$sig { _exit(0); }"
	made noise "#include <string.h>
$sig { memset(v, 0x5a, sizeof(*v)); }"
	made nothing 'int x;'
	made idle "$sig { (void)p; }"
	for i in crash leave; do
		is "$i: status" "$(tries --impl="$T/$i.so")" 2
		like "$i: says where" "$(cat "$T/err")" "^vsysemu: --impl: .*$i.so: .*, at vector V002"
		like "$i: TAP ends" "$(tail -n 1 "$T/out")" '^Bail out!'
		is "$i: random" "$(tries --impl="$T/$i.so" --random=10)" 2
	done
	is "noise fails" "$(tries --impl="$T/noise.so")" 1
	is "noise differs" "$(tries --impl="$T/noise.so" --random=100)" 1
	is "nothing done fails" "$(tries --impl="$T/idle.so")" 1
	is "nothing exported" "$(tries --impl="$T/nothing.so")" 2
	like "nothing exported: says so" "$(cat "$T/err")" 'exports no vsysemu_policy_decide'
fi
is "no shared object" "$(tries --impl="$T/builtin.tsv")" 2
is "no such object" "$(tries --impl="$T/none.so")" 2
is "random alone" "$(tries --random=5)" 2
is "random of what" "$(tries --impl="$I" --random=many)" 2
is "emit of an implementation" "$(tries --impl="$I" --emit=tsv)" 2
is "truth and vectors" "$(tries --truth="$T/x" "$T/builtin.tsv")" 2
is "a full disk" "$("$V" check >/dev/full 2>/dev/null; echo $?)" 2
done_testing
