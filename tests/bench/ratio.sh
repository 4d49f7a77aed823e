#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How much slower a program gets when it asks for the time by the page instead of the vDSO: as a profile of this
# machine (`calibrate`) predicts it, and as it is here.  CPU time, the two kinds of run in turn, the fastest of
# seven.  Status 1: a ratio is more than 10 % off; 77: it cannot be measured here.  Usage: tests/bench/ratio.sh [PROFILE]
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} V=${VSYSEMU:-$PWD/vsysemu}
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
mix=$B/guest/bench/mix
$mix vsyscall 1 compute 0 >/dev/null 2>&1 || { echo "this machine does not have the page"; exit 77; }
. tests/bench/profile.sh
ns() { sed -n 's/.*, \([0-9.]*\) ns a call/\1/p'; }
# native CALLS KIND STEPS: fastest of each path, and by how much the second fastest is slower
native() {
	for i in 1 2 3 4 5 6 7; do
		for p in vdso vsyscall; do echo "$p $($mix $p "$@" | ns)"; done
	done | sort -k1,1 -k2,2n | awk '{ n[$1]++; if (n[$1] == 1) a[$1] = $2; if (n[$1] == 2) b[$1] = $2 / a[$1] - 1 }
		END { print a["vdso"], a["vsyscall"], (b["vdso"] > b["vsyscall"] ? b["vdso"] : b["vsyscall"]) }'
}
kernel=$(uname -r | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
"$V" models "$kernel" >/dev/null 2>&1 || kernel=6.18
printf '%-24s %21s %21s\n%-24s %9s %9s %5s %9s %9s %5s %7s\n' "" "this machine, ns" "predicted, ns" "work a call" vdso vsyscall ratio \
	vdso vsyscall ratio error
while read -r name calls kind steps; do
	set -- $(native "$calls" "$kind" "$steps")
	for p in vdso vsyscall; do
		set -- "$@" "$("$V" -q --cpu="$profile" --kernel="$kernel" --mode=xonly "$mix" $p $((calls / 20)) "$kind" "$steps" | ns)"
	done
	echo "$name $*"
done <<END |
none 400000 compute 0
0.1_us 200000 compute 70
1_us 40000 compute 700
10_us 10000 compute 7000
END
	awk '{ n = $3 / $2; e = $6 / $5; off = e / n - 1; bad += off > .1 || off < -.1; noisy += $4 > .05
		printf "%-24s %9.1f %9.1f %5.2f %9.1f %9.1f %5.2f %+6.1f %%%s\n", $1, $2, $3, n, $5, $6, e, 100 * off,
			($4 > .05 ? " (noisy)" : "") }
	END { exit noisy ? 77 : bad != 0 }'
