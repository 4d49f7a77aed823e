#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every level of the engine counts, prices and prints the same, to the instruction, with the branch predictor's windows
# and without.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
# report LEVEL COMMAND...
report() {
	level=$1
	shift
	timeout 100 "$V" -q --engine-level="$level" --seed=1 $opts --report=json --output="$T/report.$level" \
		-- "$@" >"$T/out.$level" 2>"$T/err.$level" </dev/null
	echo "status $?" >>"$T/out.$level"
}
# alike NAME COMMAND...
alike() {
	name=$1
	shift
	report 0 "$@"
	bad=
	grep -q '"instructions": [1-9]' "$T/report.0" || bad="no report "
	for l in 1 2 3 4; do
		report $l "$@"
		for f in out err report; do cmp -s "$T/$f.0" "$T/$f.$l" || bad="$bad$f at level $l "; done
	done
	is "$name" "$bad" ""
}
G=$B/guest
opts=--cpu=goldencove
for g in hello-dynamic clock-calls signals step-syscall page-rights fork-memory syscalls t03-midpage t04-sled t05-pointers t06-page-reader; do
	alike "$g" "$G/$g"
done
for k in integer calls sse malloc strings repeats syscalls pipes; do alike "$k" "$G/bench/speed" $k 1; done
alike "the page, with work between" "$G/bench/mix" vsyscall 5000 compute 70
for k in integer memory calls strings; do alike "$k, several windows" "$G/bench/speed" $k 4; done
alike "perl" perl -e '$h{$_ % 1000} += $_ for 1 .. 100000'
opts=--set=cpu.branch_miss_cycles=0
for k in integer calls strings repeats; do alike "$k, no windows" "$G/bench/speed" $k 1; done
opts="--cpus=4" alike "threads on four CPUs" "$G/clock-threads"
opts="--max-insns=123457"
alike "stopped in iterations of REP" "$G/bench/speed" repeats 1
alike "stopped in a loop" "$G/bench/speed" integer 1
done_testing
