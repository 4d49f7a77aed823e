#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `calibrate`: a profile of this machine that is a profile like any other.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
"$V" calibrate x >"$T/out" 2>"$T/err"
is "an operand: status, one line" "$? $(wc -l <"$T/err") $(wc -c <"$T/out")" "125 1 0"
"$V" calibrate -o "$T/no/such" >"$T/out" 2>"$T/err"
is "a place that cannot be written: status, one line" "$? $(wc -l <"$T/err")" "125 1"
for try in 1 2 3; do # a neighbour may be noisy: then it refuses, which is right but proves nothing
	"$V" calibrate -o "$T/this.ini" >"$T/out" 2>"$T/err"
	rc=$?
	[ $rc -eq 0 ] && break
done
if [ $rc -ne 0 ]; then
	like "refused because of noise" "$(cat "$T/err")" 'noisy|could not be measured'
	is "and wrote nothing" "$([ -e "$T/this.ini" ] && echo there)" ""
	done_testing
	exit
fi
is "status, nothing printed" "$rc $(cat "$T/out" "$T/err")" "0 "
"$V" models "$T/this.ini" >"$T/models"
is "models takes it" "$?" 0
for k in core_hz tsc_hz rdtsc_cycles call_cycles timekeeping_cycles syscall_cycles sysret_cycles l1_cycles; do
	like "$k is measured" "$(grep "^$k  *" "$T/models")" '^[a-z0-9_]+ +[0-9.]+ +[A-Za-z]* +measured'
done
# Latencies that no processor of the last twenty years has otherwise.
lat() { sed -n "s/^class_$1 = \([0-9.]*\) .*/\1/p" "$T/this.ini"; }
for row in "alu 0.9 1.3" "shift 0.9 2.2" "imul 2.7 4.6" "fpadd 1.8 4.6" "fpmul 2.7 5.6" "vint 0.9 2.3" "div32 5 40" "fpdiv 9 40"; do
	# shellcheck disable=SC2086
	set -- $row
	is "$1: a latency that there is" "$(awk -v v="$(lat "$1")" -v a="$2" -v b="$3" 'BEGIN { print (v >= a && v <= b ? "yes" : v) }')" yes
done
# What a guest measures under the profile is what the same program measures here, roughly; a busy machine tells
# nothing of that.
busy() { awk -v n="$(nproc)" '{ exit !($1 > n * 0.75) }' /proc/loadavg; }
value() { sed -n 's/.*= \([0-9.]*\) nsec.*/\1/p'; }
for p in "vdso CLOCK_MONOTONIC" "syscall dummy" "syscall CLOCK_MONOTONIC"; do
	n=$(for i in $(seq 60); do "$B/guest/bench/timing" $p 1; done | value | sort -n | head -n 1)
	e=$("$V" -q --cpu="$T/this.ini" "$B/guest/bench/timing" $p 2 | value)
	if busy; then
		skip "$p: within a factor of 1.6 of this machine" "the machine is busy: load $(cut -d ' ' -f 1 /proc/loadavg)"
		continue
	fi
	is "$p: within a factor of 1.6 of this machine" "$(awk -v n="$n" -v e="$e" 'BEGIN {
		print (e < n * 1.6 && n < e * 1.6 ? "yes" : e " against " n) }')" yes
done
# What the page costs a program beside the vDSO, natively and predicted.
for try in 1 2 3; do
	tests/bench/ratio.sh "$T/this.ini" >"$T/out" 2>"$T/err"
	rc=$?
	[ $rc -eq 0 ] && break
done
if [ $rc -ne 0 ] && busy; then
	skip "the ratio of vsyscall to vDSO" "the machine is busy: load $(cut -d ' ' -f 1 /proc/loadavg)"
elif [ $rc -eq 77 ]; then
	skip "the ratio of vsyscall to vDSO" "$(grep -v '^[ w]' "$T/out" | tail -n 1)"
else
	is "the ratio of vsyscall to vDSO is within 10 % of this machine's" "$rc $(grep -c %  "$T/out") $(cat "$T/err")" "0 4 "
fi
# The trap's stages add up to what was measured: none counts twice.
total=$("$V" explain --kernel=6.18 --mode=xonly --cpu="$T/this.ini" gettimeofday | sed -n 's/^emulated;.*: \([0-9.]*\) cycles.*/\1/p')
loop=$(sed -n 's/^; vsyscall  *\([0-9.]*\) .*/\1/p' "$T/this.ini") empty=$(sed -n 's/^; empty  *\([0-9.]*\) .*/\1/p' "$T/this.ini")
is "explain's total is the measured call" "$(awk -v t="$total" -v l="$loop" -v e="$empty" 'BEGIN {
	d = t - (l - e); print (d < 5 && d > -5 ? "yes" : t " against " l - e) }')" yes
done_testing
