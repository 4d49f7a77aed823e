#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# User time of programs that are not memory bound, as a profile of this machine (`calibrate`) predicts it and as
# it is here, the least of five runs.  Natively the C library is told to leave AVX alone, as it does in vsysemu.
# Status 1: the mean error is above 20 %; 77: it cannot be measured here.  Usage: tests/bench/user-time.sh [PROFILE]
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} V=${VSYSEMU:-$PWD/vsysemu}
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
S=$B/guest/bench/speed
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM,-BMI1,-BMI2,-LZCNT,-MOVBE
export GLIBC_TUNABLES
OPENSSL_ia32cap=0:0
export OPENSSL_ia32cap
. tests/bench/profile.sh
seq 200000 | sort -R --random-source="$S" >"$T/lines"
head -c 780000 "$S" >"$T/bytes"
cat "$T/bytes" "$T/bytes" "$T/bytes" "$T/bytes" "$T/bytes" "$T/bytes" "$T/bytes" "$T/bytes" >"$T/more"
bzip2 -c "$T/bytes" >"$T/packed" 2>/dev/null
echo "scale=400; 4 * a(1); halt" >"$T/pi"
# one NAME PROGRAM...
one() {
	name=$1
	shift
	command -v "$1" >/dev/null || return
	n=$("$B/guest/bench/spent" 5 "$@") || return
	"$V" --cpu="$profile" --kernel=6.18 --report=json -o "$T/json" -- "$@" >/dev/null 2>&1 || return
	number() { sed -n 's/^ *"'$1'": *\([0-9]*\).*/\1/p' "$T/json" | head -n 1; }
	[ "$n" -gt 0 ] && echo "$name $n $(number user_ns) $(number instructions)"
}
{
	for k in integer calls sse malloc strings; do one speed-$k "$S" $k 100; done
	one gzip gzip -c "$T/bytes" "$T/bytes" "$T/bytes"
	one bunzip2 bzip2 -dc "$T/packed" "$T/packed" "$T/packed" "$T/packed"
	one xz xz -1 -c "$T/bytes" "$T/bytes"
	one sort sort "$T/lines"
	one md5sum md5sum "$T/more" "$T/more" "$T/more" "$T/more" "$T/more" "$T/more" "$T/more" "$T/more"
	one sha256sum sha256sum "$T/more" "$T/more" "$T/more" "$T/more"
	one cksum cksum "$T/more" "$T/more" "$T/more" "$T/more" "$T/more" "$T/more" "$T/more" "$T/more" "$T/more" "$T/more"
	one factor factor 1000000000100000000002379 1000000000100000000002379 1000000000100000000002379
	one bash bash -c 'for ((i = 0; i < 150000; i++)); do x=$((x + i)); done'
	one dash dash -c 'i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done'
	one perl perl -e '$h{$_ % 1000} += $_ for 1 .. 1500000'
	one awk awk '{ for (i = 0; i < 10; i++) n[($1 + i) % 97] += $1 } END { for (i in n) print n[i] }' "$T/lines"
	one python python3 -c 'print(sum(i * i % 7 for i in range(1500000)))'
	one bc bc -l -q "$T/pi"
	one sed sed -n 's/\([0-9]\)\([0-9]\)/\2\1/gp' "$T/lines"
	one od od -x "$T/bytes"
} | awk '{ e = $3 / $2 - 1; a = e < 0 ? -e : e; sum += a; n++; good += a <= .2
	printf "user time: %-14s %9.1f ms here, %9.1f ms predicted, %5.2f ns/insn here %+6.1f %%\n", $1, $2 / 1e6, $3 / 1e6, $2 / $4, 100 * e }
	END { if (!n) exit 77
	printf "user time: mean error %.1f %% of %d programs, %d within 20 %%\n", 100 * sum / n, n, good; exit n < 15 || sum / n > .2 }'
