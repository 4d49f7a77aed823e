#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `explain --follow`: the N-th call of a real run, wherever it is made; its price is the run's; nothing of the run is
# left behind.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
command -v jq >/dev/null || { skip "follow" "no jq"; done_testing; }
G=$B/guest
ask() { timeout 60 "$V" explain "$@" >"$T/out" 2>"$T/err" </dev/null; }

# The order of guest/follow.c, in every way of linking.  A static program has the library inside.
for p in follow follow-pie follow-dynamic; do
	lib=$p
	[ $p = follow-dynamic ] && lib=libfollow.so
	n=0
	for want in "1001 1001 main $p" "1001 1001 main $p" "1000 1002 in_thread $p" "1000 1002 in_thread $p" "1000 1002 in_thread $p" \
		"1000 1000 library_time $lib" "1000 1000 main $p" "1000 1000 main $p" "1000 1000 main $p"; do
		n=$((n + 1))
		ask --mode=xonly --report=json --nth=$n --follow "$G/$p"
		is "$p: call $n" "$(jq -r '.seen | "\(.pid) \(.tid) \(.returns_to | sub("\\+0x[0-9a-f]+ in .*/"; " "))"' "$T/out")" "$want"
		# Its own instructions, with the true address of the page in them or in a register.
		like "$p: call $n, code" "$(jq -r '.steps[0].text | join("|")' "$T/out")" '\|  *[0-9a-f]+:  [^|]*call r[a-z0-9]+ *\|The call pushes'
	done
	ask --nth=10 --follow "$G/$p"
	like "$p: no tenth call" "$(cat "$T/err")" 'made 9 vsyscalls \(exit status 0\), --nth=10 is not among them'
done
ask --mode=none --follow "$G/follow"
like "a child that dies" "$(tail -n 1 "$T/out")" '^SIGSEGV at 0xffffffffff600400'
ask --mode=none --nth=2 --follow "$G/follow"
like "the parent goes on, and dies in its thread" "$(cat "$T/err" "$T/out")" 'process 1000, thread 1002'
ask --nth=2 --follow "$G/follow" again
like "arguments reach the program" "$(cat "$T/err")" 'made 1 vsyscalls'
ask -E WORD=here --follow /bin/sh -- -c "[ \"\$WORD\" = here ] && $G/old-date; exit 5"
like "a program of a script; its environment" "$(cat "$T/out")" 'It returns to time\+0x[0-9a-f]* in .*/old-date'
ask --timeout=1 --nth=5 --follow /bin/sh -- -c "$G/old-date; sleep 100000 & while :; do :; done"
like "time is up" "$(cat "$T/err")" 'made 3 vsyscalls'
ask --cwd "$G" --follow ./old-date
is "--cwd" "$(cat "$T/err")" ""
ask --follow "$G/no-such"
is "no such program: status" "$(timeout 20 "$V" explain --follow "$G/no-such" >/dev/null 2>&1; echo $?)" 125
like "no such program" "$(cat "$T/err")" '^vsysemu: --follow: .*no-such.*no such file'
ask --seccomp=nonsense --follow "$G/old-date"
like "a bad filter" "$(cat "$T/err")" '^vsysemu: .*--seccomp.*nonsense'

# The arrival's price is that of its steps, less what a filter and a signal cost; all kinds of arrivals.
good=0 all=0
for o in "--mode=emulate" "--mode=xonly" "--mode=native" "--mode=native --kernel=3.1" "--trap=int0xcc" "--kernel=7.1 --trap=gp" \
	"--mode=emulate --kernel=3.5" "--mode=none" "--mode=emulate --seccomp=time:errno=3" "--mode=xonly --cpu=skylake --audit --clocksource=hpet"; do
	for p in "conformance 20" "t05-pointers 15" "t03-midpage 2" "t08-seccomp 4" "t04-sled 2" "t10-sites 9" "page-rights 2"; do
		ask $o --report=json --nth=${p#* } --follow "$G/${p% *}"
		[ -s "$T/out" ] || continue
		all=$((all + 1))
		if [ "$(jq '([.steps[].stages[] | select(.stage != "work_signal" and .stage != "seccomp") | .cycles] | add) == .seen.arrival_cycles' "$T/out")" = true ]; then
			good=$((good + 1))
		else
			not_ok "price: $o $p"
			jq -c '[.seen, .cycles, .outcome]' "$T/out" | sed 's/^/# /'
		fi
	done
done
is "price: $all arrivals, all agree" "$((good == all && all > 45))" 1
# A filter of the program's own.
ask --mode=xonly --nth=3 --follow "$G/t08-seccomp"
like "the program's own filter" "$(tail -n 1 "$T/out")" "^seccomp took the call's place"
left=$(ps -eo args | grep -F "$G/" | grep -c "[e]xplain")
is "nothing is left behind" "$left" 0
done_testing
