#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The vDSO of every generation, under every clock source, agrees with the system calls and has the
# functions of its time; natively the same program finds this machine's.
. tests/tap.sh
guest=$B/guest/vdso-check
if $guest >"$T/native"; then ok "natively: $(cat "$T/native")"; else skip "natively" "$(cat "$T/native")"; fi
expect() {
	case $1 in
	2.6.*) echo "time 0, getres 0, getrandom 0: 0 wrong" ;;
	3.*|4.*) echo "time 1, getres 0, getrandom 0: 0 wrong" ;;
	5.3|6.1*) [ "$1" = 6.18 ] && echo "time 1, getres 1, getrandom 1: 0 wrong" || echo "time 1, getres 1, getrandom 0: 0 wrong" ;;
	*) echo "time 1, getres 1, getrandom 1: 0 wrong" ;;
	esac
}
for f in models/kernel/*.ini; do
	k=${f##*/} k=${k%.ini}
	for c in tsc hpet acpi_pm kvm-clock none; do
		is "$k, $c" "$("$V" -q --kernel="$k" --clocksource=$c -- "$guest" 2>&1)" "$(expect "$k")"
	done
done
is "time name space" "$("$V" -q --kernel=6.1 --timens=1000,2000 -- "$guest" 2>&1)" "$(expect 6.1)"
# Without an image the program finds none, and says so by its status.
"$V" -q --vdso=off -- "$guest" >/dev/null 2>&1
is "off" $? 1
done_testing
