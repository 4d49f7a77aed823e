#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `explain`: the path of each generation in its order, variants that fail at the right check, a sum that
# is what a run charges, and the three forms with the same numbers.
. tests/tap.sh
ask() { "$V" explain "$@" >"$T/out" 2>"$T/err" </dev/null; echo $?; }
titles() { sed -n 's/^ *[0-9][0-9]* \([a-z]*\)  *[0-9.]*  *[0-9.]*  \(.*\)$/\1: \2/p' "$T/out"; }
last() { titles | grep 'ends here' | sed 's/  << .*//'; }

# The order of the checks is the era's.
is "int 0xcc" "$(ask --trap=int0xcc)" 0
is "int 0xcc: order" "$(titles | grep -e ^check -e ^seccomp -e ^body | cut -c 1-29 | tr '\n' '|')" \
	"check: Is it the vsyscall emu|check: Is CS the 64-bit user |check: Is rip - 2 an entry?|check: Can the return address|seccomp: Is seccomp on?|body: The call itself|"
is "page fault, 3.5" "$(ask --mode=emulate --kernel=3.5)" 0
is "3.5: seccomp before the pointers" "$(titles | grep -n -e 'What does seccomp' -e 'pointers' | sed 's/^[0-9]*://' | cut -d: -f1 | tr '\n' ' ')" "seccomp check "
is "page fault, 3.7" "$(ask --mode=emulate --kernel=3.7)" 0
is "3.7: the pointers before seccomp" "$(titles | grep -n -e 'What does seccomp' -e 'pointers' | sed 's/^[0-9]*://' | cut -d: -f1 | tr '\n' ' ')" "check seccomp "
is "LASS" "$(ask --mode=xonly --kernel=7.1 --trap=gp)" 0
like "LASS: #GP" "$(titles)" '^trap: .*#GP'
like "LASS: no page walk" "$(grep -c 'Page walk' "$T/out")" '^0$'
is "native 3.0" "$(ask --mode=native)" 0
is "native 3.0: no trap" "$(titles | grep -c -e ^trap -e ^check)" 0
is "native 3.1" "$(ask --mode=native --kernel=3.1 time)" 0
like "native 3.1: the stub" "$(cat "$T/out")" '48 c7 c0 c9 00 00 00 .*mov rax, 0xc9'
like "disassembly of the caller" "$(cat "$T/out")" '48 c7 c0 00 04 60 ff .*mov rax, -0x9ffc00'
is "emulate" "$(ask --mode=emulate)" 0
like "error code of emulate" "$(cat "$T/out")" 'Error code 0x15: P=1 .* W=0 .* U=1 .* I=1'
like "indices of the walk" "$(cat "$T/out")" 'level 4 index 511, level 3 index 511, level 2 index 507, level 1 index 0'
is "xonly" "$(ask --mode=xonly)" 0
like "error code of xonly" "$(cat "$T/out")" 'Error code 0x14: P=0'

# What fails, fails where it should.
fails() { # NAME CHECK OUTCOME ARGS...
	name=$1 check=$2 outcome=$3
	shift 3
	is "$name" "$(ask "$@")" 0
	like "$name: ends at" "$(last)" "$check"
	like "$name: outcome" "$(tail -n 1 "$T/out")" "^$outcome"
}
fails "none" 'vsyscall=none' 'SIGSEGV at 0xffffffffff600000' --mode=none
like "none: its line" "$(cat "$T/out")" 'kernel log: <6>prog\[1\] vsyscall attempted with vsyscall=none ip:ffffffffff600000'
fails "wrong offset" 'address an entry' 'SIGSEGV at 0xffffffffff600c00' --mode=xonly --rip=0xffffffffff600c00
fails "bad stack" 'return address be read' 'SIGSEGV at 0xffffffffff600400' --mode=xonly --stack=bad time
fails "a read" 'fetch, a read or a write' 'SIGSEGV at' --mode=xonly --error-code=4
fails "a write" 'fetch, a read or a write' 'SIGSEGV at' --mode=emulate --error-code=7
fails "32-bit caller of int 0xcc" 'CS is the|Is CS' 'SIGSEGV' --kernel=3.1-rc1 --cs=0x23
is "32-bit caller of the first int 0xcc" "$(ask --kernel=3.1-rc1-first --cs=0x23)" 0
like "32-bit caller of the first: emulated" "$(tail -n 1 "$T/out")" '^emulated'
fails "int 0xcc elsewhere" 'rip - 2 an entry' 'SIGSEGV at 0x400100' --kernel=3.1-rc1 --rip=0x400100
fails "strict seccomp" 'seccomp' 'killed by SIGKILL' --mode=xonly --seccomp=strict
fails "a filter that kills" 'seccomp' 'killed by SIGSYS' --mode=xonly --seccomp='*:kill'
fails "a filter that traps" 'seccomp' 'SIGSYS at 0x401232' --mode=xonly --seccomp=gettimeofday:trap
fails "a filter that traps, 3.5" 'seccomp' 'SIGSYS at 0xffffffffff600000' --mode=emulate --kernel=3.5 --seccomp=gettimeofday:trap
fails "a filter that answers" 'seccomp' "seccomp took the call's place" --mode=xonly --seccomp=gettimeofday:errno=5
like "a filter that answers: rax" "$(cat "$T/out")" 'rax = -5, rip = 0x401232'
is "a filter about another call" "$(ask --mode=xonly --seccomp=time:kill)" 0
like "a filter about another call: goes on" "$(tail -n 1 "$T/out")" '^emulated'
is "native, fill byte" "$(ask --mode=native --kernel=3.1 --rip=0xffffffffff600c00)" 0
like "native, fill byte: outcome" "$(tail -n 1 "$T/out")" '^SIGTRAP at 0xffffffffff600c01'
is "native, killed by seccomp" "$(ask --mode=native --kernel=3.1 --seccomp=strict)" 0
like "native, killed by seccomp: outcome" "$(tail -n 1 "$T/out")" '^killed by SIGKILL'

# The sum is what a run charges, to the cycle.
if command -v jq >/dev/null; then
	for p in "--mode=emulate --kernel=3.1-rc1" "--mode=emulate --kernel=6.1" "--mode=xonly --kernel=7.1 --trap=gp" \
		"--mode=native --kernel=3.0" "--mode=native --kernel=3.1" "--mode=xonly --cpu=skylake" "--mode=emulate --mitigations=off" \
		"--mode=emulate --clocksource=hpet" "--mode=native --clocksource=acpi_pm"; do
		"$V" -q $p --report=json -o "$T/run" "$B/guest/old-date" >"$T/o" 2>"$T/err" || cat "$T/err"
		for c in time gettimeofday; do
			n=$(jq '.calls[] | select(.name == "'$c'" and .path == "vsyscall") | .count' "$T/run")
			is "$p: $n of $c charged" "$("$V" explain $p --report=json $c | jq ".cycles * $n | floor")" \
				"$(jq '.calls[] | select(.name == "'$c'" and .path == "vsyscall") | .cycles' "$T/run")"
		done
	done
	"$V" explain --mode=emulate --report=json >"$T/j"
	is "JSON: schema" "$(jq -r '.schema + " " + .call + " " + .model.mode + " " + .beside.model.mode' "$T/j")" "vsysemu.explain/1 gettimeofday emulate native"
	is "JSON: stages add up to steps" "$(jq '[.steps[] | (.stages | map(.cycles) | add // 0) - .cycles] | map(select(. > 0.001 or . < -0.001)) | length' "$T/j")" 0
	is "JSON: steps add up to the sum" "$(jq '(.steps | map(.cycles) | add) - .cycles | fabs < 0.001' "$T/j")" true
	is "JSON: running totals" "$(jq '.steps[-1].total == .cycles' "$T/j")" true
	is "JSON: user and kernel" "$(jq '(.user_cycles + .system_cycles - .cycles) | fabs < 0.001' "$T/j")" true
	is "JSON: every number has a source or is said to be estimated" \
		"$(jq '[.steps[].stages[] | select(.source == null and .provenance != "estimated")] | length' "$T/j")" 0
	is "JSON: every step says where it is written" "$(jq '[.steps[] | select(.truth == null or .truth == "")] | length' "$T/j")" 0
	# Every step of every path cites where it is written, every number its source or that it is estimated, and the
	# three sums are one.
	bad= asked=0
	for k in $("$V" models --report=json | jq -r '.kernel[] | .name as $n | .modes[] | $n + "/" + .'); do
		for o in "gettimeofday" "--stack=bad time" "--seccomp=*:trap getcpu" "--rip=0xffffffffff600c00" "--cs=0x23 time"; do
			asked=$((asked + 1))
			good=$("$V" explain --kernel="${k%/*}" --mode="${k#*/}" --report=json $o 2>"$T/err" | jq '[.steps[].stages[]] as $s |
				([.steps[] | select((.truth // "") == "")] == []) and
				([$s[] | select(.source == null and .provenance != "estimated")] == []) and
				((([$s[].cycles] | add // 0) - .cycles | fabs) < 0.001) and (((.user_cycles + .system_cycles) - .cycles | fabs) < 0.001) and
				.steps[-1].total == .cycles and [.steps[].nr] == [range(1; (.steps | length) + 1)]')
			[ "$good" = true ] || bad="$bad $k $o;"
		done
	done
	is "each of $asked paths: cited and added up" "$bad" ""
	like "there are many" "$asked" '^[12][0-9][0-9]$'
	"$V" explain --mode=emulate --report=html >"$T/h.html"
	sed -n '/id="data">/,/<\/script>/p' "$T/h.html" | sed '1d;$d' >"$T/inside"
	jq -S . "$T/j" >"$T/a"
	jq -S . "$T/inside" >"$T/b"
	is "HTML holds the same JSON" "$(cmp "$T/a" "$T/b" && echo same)" same
	"$V" explain --mode=emulate >"$T/t"
	is "text and JSON: the same steps" "$(sed -n 's/^ *[0-9][0-9]* [a-z]*  *[0-9.]*  *[0-9.]*  //p' "$T/t" | sed 's/  << .*//')" "$(jq -r '.steps[].title' "$T/j")"
fi
if command -v python3 >/dev/null; then
	"$V" explain --mode=xonly --report=html -o "$T/h.html"
	is "HTML is well formed and alone" "$(python3 -c '
import sys
from html.parser import HTMLParser
class P(HTMLParser):
    void = {"meta", "br", "link", "img", "hr", "input", "col"}
    stack, far, bars, lis = [], 0, 0, 0
    def handle_starttag(self, t, a):
        a = dict(a)
        if t not in self.void: self.stack.append(t)
        self.far += any(k in ("src", "href") for k in a)
        self.bars += t == "i" and "data-step" in a
        self.lis += t == "li"
    def handle_endtag(self, t):
        if not self.stack or self.stack.pop() != t: print("unbalanced", t)
p = P(); p.feed(open(sys.argv[1]).read()); print(len(p.stack), p.far, p.bars == p.lis > 15)' "$T/h.html")" "0 0 True"
fi

# A call of a real run.
is "follow" "$(ask --mode=emulate --follow "$B/guest/old-date" --nth 2)" 0
like "follow: the call" "$(cat "$T/out")" 'Call 2 of the run, process 1000, thread 1000: gettimeofday\(\{tv_sec=1700000000, tv_usec=[0-9]*\}, 0x[0-9a-f]*\) = 0 @0x'
like "follow: the program's own code" "$(cat "$T/out")" '48 c7 c0 00 00 60 ff .*mov rax, -0xa00000'
like "follow: its caller" "$(cat "$T/out")" "Back in the program at $(sed -n 's/.*= 0 @\(0x[0-9a-f]*\) .*/\1/p' "$T/out")"
is "follow: the same price" "$(sed -n 's/.*<\(.*\) cycles>/\1/p' "$T/out")" "$(tail -n 1 "$T/out" | sed 's/.*: \([0-9.]*\) cycles, .*/\1/')"
is "follow: a wrong offset" "$(ask --mode=xonly --follow "$B/guest/t03-midpage")" 0
like "follow: a wrong offset: outcome" "$(tail -n 1 "$T/out")" '^SIGSEGV at 0xffffffffff600007'
is "follow: a fault in the body" "$(ask --mode=xonly --follow "$B/guest/t05-pointers" --nth=15)" 0
like "follow: a fault in the body: outcome" "$(cat "$T/out")" 'vsyscall fault \(exploit attempt\?\)'
is "follow: the output of the program stays away" "$(grep -c 2023 "$T/out")" 0

# Wrong use.
wrong() { # NAME REGEX ARGS...
	name=$1 re=$2
	shift 2
	is "$name: status" "$(ask "$@")" 125
	like "$name: line" "$(cat "$T/err")" "^vsysemu: .*$re"
}
wrong "unknown call" 'none of gettimeofday' clock_gettime
wrong "two calls" 'one CALL' time getcpu
wrong "no address" '--rip' --rip=here
wrong "selector too large" '--cs' --cs=0x10000
wrong "no error code" '--error-code' --error-code=x
wrong "stack neither good nor bad" '--stack' --stack=odd
wrong "unknown action" '--seccomp' --seccomp=time:confuse
wrong "no colon" '--seccomp' --seccomp=time
wrong "mode of another kernel" 'native' --mode=native --kernel=6.1
wrong "unknown form" '--report' --report=sarif
wrong "follow: too few calls" 'made 3 vsyscalls' --follow "$B/guest/old-date" --nth 4
wrong "follow: none" 'made 0 vsyscalls' --follow /bin/true
wrong "follow: no program" 'no such file' --follow "$T/none"
wrong "follow: a frame as well" '--follow' --follow "$B/guest/old-date" --rip=0
wrong "nth of what" '--nth' --nth=2
wrong "nth 0" '--nth' --follow "$B/guest/old-date" --nth=0
is "-o" "$(ask --mode=xonly -o "$T/o"; "$V" explain --mode=xonly | cmp - "$T/o" && echo same)" "0
same"
done_testing
