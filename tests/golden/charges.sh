#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What `explain` adds up for an arrival is what a run charges for it, to a sixteenth of a cycle: every kernel, mode,
# processor and entry; failing variants; with seccomp.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
command -v jq >/dev/null || { skip "charges" "no jq"; done_testing; exit 0; }
N=16

# charged OPTIONS -- HOW OFFSET: sixteenths of the page's events for N arrivals, less those of none.
# Sixteenths of a cycle.
# The program's own system calls ask a filter as well.
sum='([.charges[] | select(.event == "seccomp")][0] // { count: 0, user_cycles16: 0, system_cycles16: 0 }) as $f |
	([.charges[] | select(.event | test("^(vsyscall|exception|signal$)")) | .user_cycles16 + .system_cycles16] | add // 0) +
	if $f.count > 0 then ($f.user_cycles16 + $f.system_cycles16) / $f.count * ($f.count - .counts.syscalls) else 0 end'
charged() {
	how=$1 offset=$2
	shift 2
	for n in 0 $N; do
		timeout 20 "$V" -q "$@" --report=json -o "$T/$n" "$B/guest/arrivals" $n "$offset" "$how" >"$T/out" 2>&1 </dev/null
	done
	echo $(($(jq "$sum" "$T/$N") - $(jq "$sum" "$T/0")))
}
explained() { "$V" explain --report=json "$@" 2>"$T/err" </dev/null | jq ".cycles * 16 * $N | round"; }
same() { # NAME HOW OFFSET "OPTIONS" "EXPLAIN OPTIONS"
	# shellcheck disable=SC2086
	a=$(charged "$2" "$3" $4) b=$(explained $4 $5)
	if [ "$a" = "$b" ] && [ "$a" -gt 0 ]; then
		good=$((good + 1))
	else
		not_ok "$1, $4: run $a, explain $b"
	fi
}

policies=$("$V" models | awk '/^Kernel profiles/ { k = 1; next } k && /^  [0-9]/ {
	for (i = 3; $i ~ /^(native|emulate|xonly|none)$/; i++) print $i "@" $1 }')
is "there are policies" "$(($(echo "$policies" | wc -l) > 30))" 1
# All of them take half a minute.
[ -n "$SOAK" ] || policies=$(echo "$policies" | grep -E '@(3\.0|3\.1|3\.1-rc1|4\.4|6\.1|7\.1)$')
for p in $policies; do
	o="--kernel=${p#*@} --mode=${p%@*}"
	good=0
	for e in "0 gettimeofday" "0x400 time" "0x800 getcpu"; do
		same "call" call "${e% *}" "$o" "${e#* }"
	done
	case $p in
	native@[23].[60]*) ;; # the middle of real code
	native*) ;;
	*) same "wrong offset" call 0x7 "$o" "--rip=0xffffffffff600007"
		same "no stack" stack 0x400 "$o" "--stack=bad time" ;;
	esac
	case $p in xonly*) same "load" load 0x400 "$o" "--error-code=4 time" ;; esac
	same "store" store 0x400 "$o" "--error-code=$(case $p in xonly*|none@[4567]*) echo 6 ;; *) echo 7 ;; esac) time"
	is "$p: variants that agree" "$good" "$(case $p in xonly*) echo 7 ;; native*) echo 4 ;; *) echo 6 ;; esac)"
done
for c in $("$V" models --report=json | jq -r '.cpu[].name'); do
	good=0
	for o in "--kernel=6.1 --mode=emulate" "--kernel=7.1 --trap=gp" "--kernel=3.1-rc1" "--kernel=3.1 --mode=native"; do
		same "$c" call 0 "$o --cpu=$c" gettimeofday
		same "$c, mitigations off, hpet" call 0 "$o --cpu=$c --mitigations=off --clocksource=hpet --accounting=precise" gettimeofday
	done
	is "cpu $c: all agree" $good 8
done
good=0
for k in "--kernel=3.5 --mode=emulate" "--kernel=4.4 --mode=emulate" "--kernel=6.1 --mode=xonly" "--kernel=7.1 --trap=gp"; do
	log=log
	case $k in *=[34]*) log=allow ;; esac # not known yet: it kills
	for a in allow $log errno=5 trap trace; do
		same "seccomp $a" call 0x400 "$k --seccomp=time:$a" time
	done
	same "seccomp, bad stack: not asked" stack 0x400 "$k --seccomp=time:errno=5" "--stack=bad time"
	same "seccomp, wrong offset: not asked" call 0xc00 "$k --seccomp=time:errno=5" "--rip=0xffffffffff600c00"
done
is "seccomp: all agree" $good 28
# A death: one arrival.
N=1
good=0
for o in "--kernel=6.1 --mode=xonly --seccomp=*:kill" "--kernel=4.17 --mode=emulate --seccomp=time:kill-thread"; do
	timeout 20 "$V" -q --report=json -o "$T/1" ${o%--seccomp*} --seccomp=time:${o##*:} "$B/guest/t01-old-time" </dev/null >/dev/null 2>&1
	[ "$(jq "$sum" "$T/1")" = "$(explained ${o%--seccomp*} --seccomp=time:${o##*:} time)" ] && good=$((good + 1))
done
timeout 20 "$V" -q --report=json -o "$T/1" --mode=none "$B/guest/t01-old-time" </dev/null >/dev/null 2>&1
[ "$(jq "$sum" "$T/1")" = "$(explained --mode=none time)" ] && good=$((good + 1))
is "deaths: all agree" $good 3
done_testing
