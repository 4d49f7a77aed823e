#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Mispredicted branches in a run: charged where there are any, the same each time, whatever stops the engine.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
S=$B/guest/bench/speed
run() { # NAME ARG...: a report
	n=$1
	shift
	"$V" -q --report=json -o "$T/$n" "$@" >"$T/out"
}
run sorted --cpu=goldencove -- sort /dev/null
awk 'BEGIN { srand(7); for (i = 0; i < 20000; i++) printf "%d\n", rand() * 1e9 }' >"$T/words"
run hard --cpu=goldencove -E LC_ALL=C -- sort "$T/words"
run again --cpu=goldencove -E LC_ALL=C -- sort "$T/words"
run off --cpu=goldencove --set cpu.branch_miss_cycles=0 -E LC_ALL=C -- sort "$T/words"
run slow --cpu=goldencove --engine-level=0 -E LC_ALL=C -- sort "$T/words"
run dear --cpu=goldencove --set cpu.branch_miss_cycles=74 -E LC_ALL=C -- sort "$T/words"
is "sorting noise: a fourth of its time at least, half at most" "$(jq '.time.branch_miss_cycles / .time.user_cycles | . > 0.25 and . < 0.6' "$T/hard")" true
is "the same run, the same cycles" "$(jq -c .time "$T/again")" "$(jq -c .time "$T/hard")"
is "the same instructions without" "$(jq .counts.instructions "$T/off")" "$(jq .counts.instructions "$T/hard")"
is "none without a price" "$(jq .time.branch_miss_cycles "$T/off")" 0
is "what is more is the misses" "$(jq -s '.[0].time.user_cycles - .[0].time.branch_miss_cycles - .[1].time.user_cycles | fabs <= 2' "$T/hard" "$T/off")" true
is "the same without the repair of stores" "$(jq -c .time "$T/slow")" "$(jq -c .time "$T/hard")"
is "twice the price, twice the sum" "$(jq -s '.[0].time.branch_miss_cycles / .[1].time.branch_miss_cycles | . > 1.99 and . < 2.01' "$T/dear" "$T/hard")" true
run easy --cpu=goldencove -- "$S" integer 3
is "a loop of arithmetic: less than a hundredth" "$(jq '.time.branch_miss_cycles / .time.user_cycles < 0.01' "$T/easy")" true
run calls --cpu=goldencove -- "$S" calls 3
is "recursion that a stack of returns follows: less than a fifth" "$(jq '.time.branch_miss_cycles / .time.user_cycles < 0.2' "$T/calls")" true
done_testing
