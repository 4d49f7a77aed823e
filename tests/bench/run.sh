#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Time of programs in vsysemu beside native and qemu-x86_64, in one sitting, best of three of each, start-up
# included.  Prints ratios; asserts none.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
V=$B/vsysemu
S=$B/guest/bench/speed
qemu=$(command -v qemu-x86_64)
# best COMMAND...: seconds of the fastest of three runs
best() {
	for i in 1 2 3; do
		a=$(date +%s%N)
		"$@" >/dev/null 2>&1
		b=$(date +%s%N)
		echo $((b - a))
	done | sort -n | head -n 1
}
printf '%-12s %9s %9s %9s %10s %10s\n' program native qemu vsysemu /native /qemu
for k in integer memory calls sse malloc strings repeats syscalls; do
	n=$(best "$S" $k 10)
	q=0
	[ -n "$qemu" ] && q=$(best "$qemu" "$S" $k 10)
	v=$(best "$V" -q "$S" $k 10)
	echo "$k $n $q $v"
done | awk '{ r = $4 / $2; s = $3 ? $4 / $3 : 0
	printf "%-12s %8.3fs %8.3fs %8.3fs %9.2fx %9.2fx\n", $1, $2 / 1e9, $3 / 1e9, $4 / 1e9, r, s
	lr += log(r); if (s) ls += log(s); n++ }
	END { printf "geometric mean %43.2fx %9.2fx\n", exp(lr / n), exp(ls / n) }'
# line NAME NATIVE QEMU VSYSEMU (ns)
line() { echo "$2 $3 $4" | awk -v n="$1" '{ printf "%s: native %.1f ms, qemu-x86_64 %.1f ms, vsysemu %.1f ms: %.2fx of qemu-x86_64\n", n, $1/1e6, $2/1e6, $3/1e6, $2 ? $3/$2 : 0 }'; }
# three NAME COMMAND...: natively, in qemu-x86_64, in vsysemu
three() {
	name=$1
	shift
	q=0
	[ -n "$qemu" ] && q=$(best "$qemu" "$@")
	line "$name" "$(best "$@")" "$q" "$(best "$V" -q "$@")"
}
three "start-up, static" "$S" start
three "start-up, dynamic" "$B/guest/hello-dynamic"
three "system calls: 400,000 getuid" "$S" syscalls 10
three "system calls: 200,000 write and read of a byte" "$S" pipes 10
for n in 1250 5000 20000; do three "$n mappings" "$S" mappings $n; done
# What a native loop starts in qemu-x86_64 is what its users get: execve there leaves the emulator.
q=0
[ -n "$qemu" ] && q=$(best "$S" spawn 20 "$qemu" "$B/guest/hello")
line "20 fork and execve of a static program" "$(best "$S" spawn 20 "$B/guest/hello")" "$q" \
	"$(best "$V" -q "$S" spawn 20 "$B/guest/hello")"
peak() { sh -c 'command time -f %M "$@" 2>&1 >/dev/null | tail -n 1' sh "$@"; }
echo "peak memory of a hello: qemu-x86_64 $( [ -n "$qemu" ] && peak "$qemu" "$B/guest/hello" ) KB, vsysemu $(peak "$V" -q "$B/guest/hello") KB"
for m in emulate xonly; do
	v=$(best "$V" -q --mode=$m "$S" vsyscalls 25)
	z=$(best "$V" -q --mode=$m "$S" vsyscalls 0)
	echo "an emulated vsyscall ($m): $(((v - z) / 1000000)) ns of host time"
done

# `scan` over ELF files without a hit, from the page cache, beside grep -c over the same bytes.
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
find /usr/bin /usr/lib -xdev -type f -size +64k \( -name '*.so*' -o -perm -u+x \) -print0 2>/dev/null | sort -z |
	xargs -0r "$V" scan --report=csv 2>/dev/null | tr -d '\r' |
	awk -F, 'NR > 1 && $3 == "clean" && !$6 && !/"/ { print $1 }' | sort -u | head -n 1500 |
	tr '\n' '\0' >"$T/list"
bytes=$(xargs -0r stat -Lc %s <"$T/list" | awk '{ s += $1 } END { print s + 0 }')
g=$(best xargs -0 -r -a "$T/list" grep -c 'no such text')
one=$(best "$V" scan -q --jobs=1 --files0-from="$T/list")
all=$(best "$V" scan -q --jobs="$(nproc)" --files0-from="$T/list")
echo "$bytes $g $one $all $(nproc)" | awk '$1 { printf "scan: %.0f MB without a hit: %.0f MB/s on one core, %.2fx the time of grep -c; %.2fx as fast with %d jobs\n", $1 / 1e6, $1 / $3 * 1e3, $3 / $2, $3 / $4, $5 }'
