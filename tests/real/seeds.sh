#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Schedules by seed: every seed comes to what this machine's kernel comes to, on one CPU and on four; the
# same seed is the same run to the instruction, and another one is not.  SOAK=1 tries fifty.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
release=$(uname -r)
major=${release%%.*} minor=${release#*.}
minor=${minor%%[!0-9]*}
[ $((major * 1000 + minor)) -ge 6009 ] && K=6.18 || K=6.1
last=${SOAK:+50}
last=${last:-3}

# The report's count, and the guest's output to $T/e.out.
insns() {
	timeout 60 "$V" --kernel=$K --seed="$1" --report=json -o "$T/r.json" "$2" >"$T/e.out" 2>/dev/null
	tr -d ' \n' <"$T/r.json" | sed 's/.*"counts":{"instructions":\([0-9]*\).*/\1/'
}

for g in tasks/stress tasks/stress-dynamic tasks/futex tasks/blocking tasks/robust threads; do
	"$B/guest/$g" >"$T/want" 2>&1
	want=$?
	bad=
	for cpus in 1 4; do
		seed=1
		while [ $seed -le $last ]; do
			timeout 60 "$V" -q --kernel=$K --cpus=$cpus --seed=$seed "$B/guest/$g" >"$T/got" 2>&1
			got=$?
			[ $got -eq $want ] && cmp -s "$T/got" "$T/want" || bad="$bad $cpus:$seed($got)"
			seed=$((seed + 1))
		done
	done
	is "$g: seeds 1 to $last on 1 and 4 CPUs come to the same (CPUs:seed(status) that do not)" "$bad" ""
done

g=$B/guest/tasks/stress
one=$(insns 7 "$g")
like "a run is counted" "$one" '^[1-9][0-9]{5,}$'
is "the same seed is the same run" "$(insns 7 "$g")" "$one"
if [ "$(insns 8 "$g")" != "$one" ]; then ok "another seed is another run"; else not_ok "another seed is another run"; fi
done_testing
