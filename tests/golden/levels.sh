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
# alike NAME COMMAND...: the same at every level, at the latest in the $tries-th pair of runs: what a level does
# differently it does each time.
tries=3
alike() {
	name=$1
	shift
	report 0 "$@"
	bad=
	grep -q '"instructions": [1-9]' "$T/report.0" || bad="no report "
	for l in 1 2 3 4; do
		try=1
		report $l "$@"
		while differs $l && [ $try -lt $tries ]; do
			try=$((try + 1))
			report 0 "$@"
			report $l "$@"
		done
		bad="$bad$which"
	done
	is "$name" "$bad" ""
}
# differs LEVEL: into $which, what is not as at level 0.
differs() {
	which=
	for f in out err report; do cmp -s "$T/$f.0" "$T/$f.$1" || which="$which$f at level $1 "; done
	[ -n "$which" ]
}
G=$B/guest
opts=--cpu=goldencove
# Processes that stop, wake or wait for each other: which of them is first is up to the host.
tries=8
for g in signals fork-memory syscalls; do alike "$g" "$G/$g"; done
alike pipes "$G/bench/speed" pipes 1
tries=3
for g in hello-dynamic clock-calls step-syscall page-rights t03-midpage t04-sled t05-pointers t06-page-reader; do
	alike "$g" "$G/$g"
done
for k in integer calls sse malloc strings repeats syscalls; do alike "$k" "$G/bench/speed" $k 1; done
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
