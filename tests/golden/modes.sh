#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The ten small guests under every policy, against what real kernels answered (tests/golden/guests/).
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
G=tests/golden/guests

# ends NAME STATUS EXPECTED OPTIONS... -- GUEST ARGS...: status and stdout.
ends() {
	name=$1 status=$2 expected=$3
	shift 3
	timeout 60 "$V" -q "$@" >"$T/out" 2>"$T/err" </dev/null
	got=$?
	is "$name: status" "$got" "$status"
	[ -z "$expected" ] && return
	if cmp -s "$G/$expected" "$T/out"; then
		ok "$name: output"
	else
		not_ok "$name: output"
		diff "$G/$expected" "$T/out" | head -n 10 | sed 's/^/# /'
	fi
}
# report OPTIONS... -- GUEST...: its JSON in $T/report, one line.
report() {
	timeout 60 "$V" -q --report=json -o "$T/report" "$@" >"$T/out" 2>"$T/err" </dev/null
	tr -d '\n' <"$T/report" >"$T/line"
}
# has NAME REGEX: the report matches.
has() { like "$1" "$(cat "$T/line")" "$2"; }
count() { sed -n 's/.*"counts": *{[^}]*"'"$1"'": *\([0-9]*\).*/\1/p' "$T/line"; }

for m in "native 4.10" "native 2.6.32" "native 3.0" "emulate 4.10" "emulate 6.1" "emulate 3.1-rc1" "xonly 6.1" \
	"xonly 6.18" "xonly 7.1" "none 6.1" "none 3.16"; do
	mode=${m% *} kernel=${m#* } dead=0
	o="--mode=$mode --kernel=$kernel"
	[ "$mode" = none ] && dead=139
	ends "old time, $m" $dead "" $o "$B/guest/t01-old-time"
	ends "old date, $m" $dead "" $o "$B/guest/old-date"
	if [ $dead = 0 ]; then
		ends "sled, $m" 0 t04-sled.alive $o "$B/guest/t04-sled"
		ends "without vDSO, $m" 0 t07-no-vdso.page $o --vdso=off "$B/guest/t07-no-vdso"
	else
		ends "sled, $m" 139 "" $o "$B/guest/t04-sled"
		ends "without vDSO, $m" 139 "" $o --vdso=off "$B/guest/t07-no-vdso"
	fi
done
ends "with vDSO, none" 0 t07-no-vdso.vdso --mode=none --kernel=6.1 "$B/guest/t07-no-vdso"

# Why it died, and what was said.
report --mode=none --kernel=6.1 "$B/guest/t01-old-time"
has "none: reason" '"reason": *"vsyscall-none"'
has "none: signal" '"signal": *"SIGSEGV"'
has "none: the vsyscall line" '"log": *\[ *"[^"]*vsyscall attempted with vsyscall=none ip:ffffffffff600400'
has "none: then the ordinary line" 'vsyscall=none[^"]*", *"[^"]*segfault at ffffffffff600400 ip ffffffffff600400'
has "none: the caller" '"caller": *{[^}]*"symbol": *"old_time'
report --mode=xonly --kernel=6.1 "$B/guest/t06-page-reader"
has "xonly: the read is noticed" '"log": *\[ *"[^"]*vsyscall read attempt denied'
report --mode=xonly --kernel=6.1 "$B/guest/t03-midpage"
has "xonly: misaligned calls are noticed" 'misaligned vsyscall'

# Counts of a benchmark's loop, and what a call costs.
report --mode=emulate --kernel=6.1 "$B/guest/t02-fsmark" 1000
is "fsmark: vsyscalls" "$(count vsyscalls)" 2000
slow=$(sed -n 's/.*"name": *"gettimeofday", *"path": *"vsyscall", *"count": *2000, *"cycles": *\([0-9]*\).*/\1/p' "$T/line")
report --mode=native --kernel=3.0 "$B/guest/t02-fsmark" 1000
is "fsmark, native: vsyscalls" "$(count vsyscalls)" 2000
fast=$(sed -n 's/.*"name": *"gettimeofday", *"path": *"vsyscall", *"count": *2000, *"cycles": *\([0-9]*\).*/\1/p' "$T/line")
if [ -n "$slow" ] && [ -n "$fast" ] && [ "$slow" -gt $((3 * fast)) ]; then
	ok "fsmark: emulation costs several times as much ($fast, $slow cycles)"
else
	not_ok "fsmark: emulation costs several times as much ($fast, $slow cycles)"
fi
report --mode=emulate --kernel=6.1 "$B/guest/t02-fsmark-vdso" 1000
is "fsmark by vDSO: vsyscalls" "$(count vsyscalls)" 0
is "fsmark by vDSO: vdso" "$(count vdso)" 2000

for m in "emulate 6.1" "xonly 6.1" "emulate 4.10" "xonly 6.18" "xonly 7.1"; do
	ends "midpage, $m" 0 t03-midpage.emulated --mode="${m% *}" --kernel="${m#* }" "$B/guest/t03-midpage"
	ends "sites, $m" 0 t10-sites.emulated --mode="${m% *}" --kernel="${m#* }" "$B/guest/t10-sites"
done
ends "midpage, none" 0 t03-midpage.none --mode=none --kernel=6.1 "$B/guest/t03-midpage"
ends "midpage, native stubs" 0 t03-midpage.native --mode=native --kernel=4.10 "$B/guest/t03-midpage"
ends "sites, none" 0 t10-sites.none --mode=none --kernel=6.1 "$B/guest/t10-sites"
# What RET does with a stack pointer that is not canonical is the processor's matter.
timeout 60 "$V" -q --mode=native --kernel=4.10 "$B/guest/t10-sites" 2>&1 </dev/null |
	grep -v 'not canonical' >"$T/out"
is "sites, native stubs" "$(cat "$T/out")" "$(cat $G/t10-sites.native)"

for m in "emulate 6.18" "xonly 6.18"; do
	ends "pointers, $m" 0 t05-pointers.emulated --mode="${m% *}" --kernel="${m#* }" "$B/guest/t05-pointers"
	ends "seccomp, $m" 0 t08-seccomp.emulated --mode="${m% *}" --kernel="${m#* }" "$B/guest/t08-seccomp"
done
ends "pointers, emulate 4.10" 0 t05-pointers.mapped-error --mode=emulate --kernel=4.10 "$B/guest/t05-pointers"
ends "pointers, native 4.10" 0 t05-pointers.native --mode=native --kernel=4.10 "$B/guest/t05-pointers"
ends "pointers, none" 0 t05-pointers.none --mode=none --kernel=6.1 "$B/guest/t05-pointers"

for m in emulate xonly none; do
	ends "page reader, $m" 0 t06-page-reader.$m --mode=$m --kernel=6.1 "$B/guest/t06-page-reader"
done
ends "page copy, emulate" 0 t09-copied-page.stubs --mode=emulate --kernel=6.1 "$B/guest/t09-copied-page"
ends "page copy, int 0xcc" 0 t09-copied-page.int0xcc --mode=emulate --kernel=3.1-rc1 "$B/guest/t09-copied-page"
ends "page copy, xonly" 0 t09-copied-page.xonly --mode=xonly --kernel=6.18 "$B/guest/t09-copied-page"

ends "steps over system calls, SYSRET" 0 step-syscall.sysret --kernel=4.10 "$B/guest/step-syscall"
ends "steps over system calls, IRET" 0 step-syscall.iret --kernel=6.1 "$B/guest/step-syscall"

skip "int 0xcc in 32-bit code" "the engine runs 64-bit code only"

# The report names each way to the entry.
report --mode=xonly --kernel=6.1 "$B/guest/t10-sites"
for s in site_call_reg site_call_mem site_plt site_tail site_push_ret site_tls site_stepped site_misaligned; do
	has "sites: $s is named" '"call_sites":.*"symbol": *"'$s
done
done_testing
