#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No source of time goes backwards or contradicts another: a million random reads, sleeps and ticks (SOAK: a
# hundred million) over every kernel, mode and clock source; natively the same program checks its own rules, and
# a falsified reading of each source is found out.
. tests/tap.sh
guest=$B/guest/clocks
all=1000000
[ -n "$SOAK" ] && all=100000000
if $guest 20000 real >"$T/native"; then ok "natively: $(cat "$T/native")"; else not_ok "natively" "$(cat "$T/native")"; fi

"$V" -q --report=json -o "$T/json" -- "$B/guest/hello" >/dev/null
hz=$(sed -n 's/.*"tsc_hz": *\([0-9]*\).*/\1/p' "$T/json")
modes() { "$V" models "$1" | sed -n 's/^modes  *\([a-z ]*[a-z]\)  .*/\1/p' | sed 's/  .*//'; }
sources="tsc hpet acpi_pm kvm-clock xen none"
runs=0
for f in models/kernel/*.ini; do
	k=${f##*/}
	runs=$((runs + 6 * $(modes "${k%.ini}" | wc -w)))
done
each=$((all / runs + 1)) seed=0
for f in models/kernel/*.ini; do
	k=${f##*/} k=${k%.ini}
	for c in $sources; do
		for m in $(modes "$k"); do
			seed=$((seed + 1))
			like "$k, $m, $c" "$("$V" -q --kernel="$k" --mode="$m" --clocksource=$c -- "$guest" $each tsc="$hz" seed=$seed 2>&1)" \
				"^$each operations, 4[0-9] of 47 sources: one story"
		done
	done
done
like "the runs are a million at least" "$((each * runs))" "^$((all / 1000000))[0-9]{6}$"
for o in --accounting=precise --timens=1000,2000 --timens=-5,-7 --cpus=2 --cpu=nehalem --cpu=goldencove; do
	like "$o" "$("$V" -q $o -- "$guest" 20000 seed=9 2>&1)" ": one story"
done
like "--vdso=off" "$("$V" -q --vdso=off -- "$guest" 20000 2>&1)" "30 of 47 sources: one story"

# Nor does one thread see an earlier time than another has seen, on any number of processors.
threads=$B/guest/clock-threads
like "threads, natively" "$($threads 4 20000)" "^4 threads, 20000 readings each, 0 wrong"
for k in 2.6.32 4.4 6.18; do
	for c in tsc hpet kvm-clock none; do
		for n in 2 4; do
			like "threads, $k, $c, $n processors" \
				"$("$V" -q --kernel=$k --clocksource=$c --cpus=$n --seed=$n -- "$threads" 4 4000 $n 2>&1)" \
				"^4 threads, 4000 readings each, 0 wrong"
		done
	done
done
like "threads in a time name space" "$("$V" -q --kernel=6.1 --timens=5,6 --cpus=2 -- "$threads" 3 5000 2>&1)" ", 0 wrong"
"$V" -q --cpus=2 -- "$threads" 3 5000 1 lie >"$T/out" 2>&1
is "a lie of a thread is found" "$? $(grep -c 'after another thread had read' "$T/out")" "1 1"

# Which clocks there are, and what each can do.
case $(uname -r) in
6.18.*|7.*) EMUOPT=--kernel=6.18 same "what each clock can do" "$B/guest/clock-kinds" ;;
*) skip "what each clock can do" "another kernel than 6.18" ;;
esac
like "a timer on a thread's clock" "$("$V" -q --cpus=2 -- "$B/guest/clock-kinds")" "^a timer on a thread's clock: told it"

# It can fail: half of the readings of one source are wrong.
$guest 1 lie=list >"$T/names"
while read -r name; do
	like "a lie of $name is found" "$("$V" -q -- "$guest" 15000 tsc="$hz" seed=5 "lie=$name" </dev/null 2>&1)" \
		"^operation [0-9]+ of seed 5: "
done <"$T/names"
done_testing
