#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# compare: one table over policies, from one run or one run each; status 1 if a policy breaks the program.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
G=$B/guest

# compare ARGUMENTS...: status, guest's output in $T/out, the report in $T/report and on one line in $T/line.
compare() {
	timeout 120 "$V" compare -o "$T/report" "$@" >"$T/out" 2>"$T/err"
	status=$?
	tr -d '\n' <"$T/report" | tr -s ' ' >"$T/line"
}
has() { like "$1" "$(cat "$T/line")" "$2"; }
row() { printf '"mode": "%s", "kernel": "%s", "outcome": "%s", "why": %s,' "$1" "$2" "$3" "$4"; }
lines() { wc -l <"$1" | tr -d ' '; }

compare --report=json "$G/old-date" </dev/null
is "one run: none breaks it" $status 1
is "one run: output once" "$(lines "$T/out")" 1
has "one run: schema" '"schema": "vsysemu.compare/1", "runs": 1,'
has "one run: xonly" "$(row xonly 6.1 runs null) \"status\": 0"
has "one run: none is projected" "$(row none 6.1 breaks '"vsyscall-none"') \"status\": null"
has "one run: the baseline is last" "$(row native 3.0 runs null)[^}]*\"slowdown\": 1.0, \"slowdown_user\": 1.0, \"vsyscall_ns\": [0-9]*, \"slowdown_rest\": 1.0 \} \]"
has "one run: calls" '"calls": \[ \{ "name": "gettimeofday", "path": "vsyscall", "count": 1,'
has "one run: projections are told" '"warnings": \[ "the program read a clock'

compare --report=json "$G/t07-no-vdso" </dev/null
is "nothing breaks what uses the vDSO" $status 0

compare --each --report=json "$G/old-date" </dev/null
is "each: none breaks it" $status 1
is "each: output of the first run alone" "$(lines "$T/out")" 1
has "each: four runs" '"runs": 4,'
has "each: none died in its own run" "$(row none 6.1 breaks '"vsyscall-none"') \"status\": 139"
has "each: the baseline ran" "$(row native 3.0 runs null) \"status\": 0[^}]*\"slowdown\": 1.0,"
has "each: calls are those of the first run" '"name": "time", "path": "vsyscall", "count": 2,'
is "each: log lines of the first run alone" "$(grep -c kernel: "$T/err")" 0
base=$(sed -n 's/.*"mode": "native"[^}]*"user_ns": \([0-9]*\), "system_ns": \([0-9]*\).*/\1 + \2/p' "$T/line")
mine=$(sed -n 's/.*"mode": "xonly"[^}]*"user_ns": \([0-9]*\), "system_ns": \([0-9]*\), "slowdown": \([0-9.]*\).*/\1 + \2 \3/p' "$T/line")
# Six digits of the quotient.
is "each: slowdown against the baseline's own run" "${mine##* }" \
	"$(awk "BEGIN { printf \"%.6g\", (${mine% *}) / ($base) }")"

echo text >"$T/in"
compare --each --report=json /bin/cat <"$T/in"
is "each: input goes to the output once" "$(cat "$T/out")" text
compare --each --report=json /bin/sh -c 'read word; exit ${#word}' <"$T/in"
is "each: a file of input is read anew" "$(grep -c '"status": 4' "$T/report")" 4

compare --kernels=all --report=csv "$G/t01-old-time" </dev/null
is "all kernels: status" $status 1
is "all kernels: every profile" "$(tail -n +2 "$T/report" | cut -d, -f2 | sort -u | lines /dev/stdin)" \
	"$(ls models/kernel/*.ini | wc -l | tr -d ' ')"
is "all kernels: only none breaks it" "$(tail -n +2 "$T/report" | cut -d, -f1,3 | sort -u | tr '\n' ' ')" \
	"emulate,runs native,runs none,breaks xonly,runs "
is "all kernels: each policy once" "$(cut -d, -f1,2 "$T/report" | sort | uniq -d)" ""

compare --kernels=3.1,6.1-debian --report=text "$G/t01-old-time" </dev/null
is "chosen kernels: rows" "$(sed 1d "$T/report" | grep -v ^note | tr -d '*' | awk '{ print $1 }' | tr '\n' ' ')" \
	"native@3.1 emulate@3.1 none@3.1 none@6.1-debian xonly@6.1-debian emulate@6.1-debian native@3.0 "
# An unlimited stack has the program start anew: once.
is "an unlimited stack" "$( (ulimit -s unlimited && "$V" compare "$G/old-date" </dev/null 2>&1 >/dev/null) | grep -c baseline)" 1
is "an unlimited stack, each" "$( (ulimit -s unlimited && "$V" compare --each "$G/old-date" </dev/null 2>&1 >/dev/null) | grep -c '@.*[0-9]$\|baseline\|vsyscall-none')" 4

compare --each --report=html "$G/old-date" </dev/null
like "html: the row of none" "$(cat "$T/line")" 'none@6.1.*class="breaks">breaks</span> vsyscall-none'

# Where it breaks, what the page costs, and what is not its fault.
compare --each --report=json "$G/follow" </dev/null
has "where: none" '"mode": "none"[^}]*"where": "main\+0x[0-9a-f]+ \(.*/follow\)"'
has "where: elsewhere it runs" '"mode": "emulate"[^}]*"where": null'
compare --report=json "$G/follow" </dev/null
has "where: projected, the first call" '"mode": "none"[^}]*"where": "main\+0x[0-9a-f]+ \(.*/follow\)"'
# The page's share is that of the calls; without them both programs are slowed alike.
compare --mode=emulate --report=json "$G/t02-fsmark" 300 </dev/null
page=$(sed -n 's/.*"mode": "emulate"[^}]*"vsyscall_ns": \([0-9]*\).*/\1/p' "$T/line")
cycles=$(sed -n 's/.*"calls": \[ {[^}]*"path": "vsyscall", "count": 600, "cycles": \([0-9]*\).*/\1/p' "$T/line")
is "vsyscall_ns: the calls' cycles at 3.4 GHz" "$page" "$(awk "BEGIN { printf \"%d\", $cycles / 3.4 }")"
is "slowdown_rest: without those calls" "$(jq '.policies[-1] as $b | .policies[] | select(.mode == "emulate") |
	((.user_ns + .system_ns - .vsyscall_ns) / ($b.user_ns + $b.system_ns - $b.vsyscall_ns) - .slowdown_rest | fabs) < 0.001 and
	.slowdown_rest < .slowdown' "$T/report")" true
has "the share is told" '"emulate@6.1 takes [0-9]* ns more than native@3.0; calls of the page: [0-9]* ns more, all else: [0-9]* ns more"'
compare --report=json "$G/clock-calls" </dev/null
has "no call of the page, no time in it" '"mode": "xonly"[^}]*"vsyscall_ns": 0,'
compare --each --report=text /bin/sh -c 'kill -ABRT $$' </dev/null
like "a death that is the program's own" "$(cat "$T/report")" "^note .*not the page's doing: killed by SIGABRT, under every policy"
is "a death that is the program's own: status" "$status" 0
compare --each --report=text /bin/sh -c 'exit 7' </dev/null
like "a bad status" "$(cat "$T/report")" "^note .*not the page's doing: exit status 7, under every policy"
# A program that steers by its kernel ends differently.
compare --each --report=text /bin/sh -c 'case $(uname -r) in 3.0*) exit 4 ;; esac' </dev/null
like "different ends" "$(cat "$T/report")" "not the page's doing: exit status 0 under xonly@6.1, exit status 4 under native@3.0"
for p in "$G/threads" "$G/follow-dynamic" "$G/seccomp-threads"; do
	for k in "" "--each" "--kernels=3.1,6.18"; do
		compare $k --report=json $p </dev/null
		like "${p##*/} $k: a whole table" "$(jq -r '[.policies[] | select(.user_ns > 0)] | length' "$T/report" 2>&1)" '^([4-9]|1[0-9])$'
	done
done

for bad in "--kernels=nope $G/hello" "--kernels= $G/hello" "--report=sarif $G/hello" ""; do
	timeout 20 "$V" compare $bad >"$T/out" 2>"$T/err" </dev/null
	is "wrong use: compare $bad" "$? $(lines "$T/err") $(lines "$T/out")" "125 1 0"
done
timeout 20 "$V" compare --each /no/such/file >"$T/out" 2>"$T/err" </dev/null
is "not found" $? 127
done_testing
