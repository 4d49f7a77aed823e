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
for k in integer memory calls sse malloc strings syscalls; do
	n=$(best "$S" $k 10)
	q=0
	[ -n "$qemu" ] && q=$(best "$qemu" "$S" $k 10)
	v=$(best "$V" -q "$S" $k 10)
	echo "$k $n $q $v"
done | awk '{ r = $4 / $2; s = $3 ? $4 / $3 : 0
	printf "%-12s %8.3fs %8.3fs %8.3fs %9.2fx %9.2fx\n", $1, $2 / 1e9, $3 / 1e9, $4 / 1e9, r, s
	lr += log(r); if (s) ls += log(s); n++ }
	END { printf "geometric mean %43.2fx %9.2fx\n", exp(lr / n), exp(ls / n) }'
n=$(best "$S" start)
q=0
[ -n "$qemu" ] && q=$(best "$qemu" "$S" start)
v=$(best "$V" -q "$S" start)
echo "$n $q $v" | awk '{ printf "start-up: native %.1f ms, qemu-x86_64 %.1f ms, vsysemu %.1f ms: %.2fx of qemu-x86_64\n", $1/1e6, $2/1e6, $3/1e6, $2 ? $3/$2 : 0 }'
for m in emulate xonly; do
	v=$(best "$V" -q --mode=$m "$S" vsyscalls 25)
	z=$(best "$V" -q --mode=$m "$S" vsyscalls 0)
	echo "an emulated vsyscall ($m): $(((v - z) / 1000000)) ns of host time"
done
