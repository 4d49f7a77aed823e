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
has "one run: the baseline is last" "$(row native 3.0 runs null)[^}]*\"slowdown\": 1.0, \"slowdown_user\": 1.0 \} \]"
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
is "chosen kernels: rows" "$(sed 1d "$T/report" | tr -d '*' | awk '{ print $1 }' | tr '\n' ' ')" \
	"native@3.1 emulate@3.1 none@3.1 none@6.1-debian xonly@6.1-debian emulate@6.1-debian native@3.0 "
# An unlimited stack has the program start anew: once.
is "an unlimited stack" "$( (ulimit -s unlimited && "$V" compare "$G/old-date" </dev/null 2>&1 >/dev/null) | grep -c baseline)" 1
is "an unlimited stack, each" "$( (ulimit -s unlimited && "$V" compare --each "$G/old-date" </dev/null 2>&1 >/dev/null) | grep -c '@')" 5

compare --each --report=html "$G/old-date" </dev/null
like "html: the row of none" "$(cat "$T/line")" 'none@6.1.*class="breaks">breaks</span> vsyscall-none'

for bad in "--kernels=nope $G/hello" "--kernels= $G/hello" "--report=sarif $G/hello" ""; do
	timeout 20 "$V" compare $bad >"$T/out" 2>"$T/err" </dev/null
	is "wrong use: compare $bad" "$? $(lines "$T/err") $(lines "$T/out")" "125 1 0"
done
timeout 20 "$V" compare --each /no/such/file >"$T/out" 2>"$T/err" </dev/null
is "not found" $? 127
done_testing
