#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What pricing the program's instructions costs over counting them alone (a core without a structure, whose
# mispredicted branches are free): CPU time of vsysemu, the two kinds of run in turn, the fastest of five.
# Prints ratios; status 1 when their geometric mean is above 1.15.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} V=${VSYSEMU:-$PWD/vsysemu}
S=$B/guest/bench/speed
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
seq 60000 | sort -R --random-source="$S" >"$T/lines"
head -c 3000000 "$S" >"$T/bytes"
# cpu FILE COMMAND...: CPU seconds, appended to FILE
cpu() {
	f=$1
	shift
	sh -c 'command time -f "%U %S" "$@" 2>&1 >/dev/null | tail -n 1' sh "$@" | awk '{ print $1 + $2 }' >>"$f"
}
one() {
	name=$1
	shift
	rm -f "$T/priced" "$T/counted"
	for i in 1 2 3 4 5; do
		cpu "$T/priced" "$V" -q "$@" 2>&1
		cpu "$T/counted" "$V" -q --set cpu.width=0 --set cpu.branch_miss_cycles=0 "$@" 2>&1
	done
	echo "$name $(sort -n "$T/priced" | head -n 1) $(sort -n "$T/counted" | head -n 1)"
}
{
	for k in integer calls; do one $k "$S" $k 80; done
	for k in memory sse malloc strings; do one $k "$S" $k 20; done
	one gzip gzip -c "$T/bytes"
	one sort sort "$T/lines"
	one bash bash -c 'for ((i = 0; i < 30000; i++)); do x=$((x + i)); done'
	one perl perl -e '$h{$_ % 1000} += $_ for 1 .. 300000'
	one awk awk '{ n[$1 % 97] += $1 } END { for (i in n) print n[i] }' "$T/lines"
	one sha256sum sha256sum "$T/bytes" "$T/bytes" "$T/bytes" "$T/bytes" "$T/bytes" "$T/bytes" "$T/bytes" "$T/bytes"
} | awk '{ r = $2 / $3; l += log(r); n++; if (r > worst) { worst = r; w = $1 }
	printf "pricing over counting: %-10s %6.2f s %6.2f s %6.2fx\n", $1, $2, $3, r }
	END { m = exp(l / n); printf "pricing over counting: geometric mean %.2fx (bound 1.15), worst %.2fx (%s)\n", m, worst, w; exit m > 1.15 }'
