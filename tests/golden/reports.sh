#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The forms of a run's report beside text and JSON: folded stacks, Chrome trace events, HTML.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
G=$B/guest

# form FORM ARGUMENTS...: the report in $T/FORM.
form() { f=$1; shift; timeout 60 "$V" -q --report="$f" -o "$T/$f" "$@" >"$T/out" 2>"$T/err" </dev/null; }

# Folded: each line loses less than a cycle, together they are all that was charged.
for o in "--mode=emulate --kernel=6.1" "--mode=native --kernel=3.0" "--mode=none --kernel=6.1" \
	"--mode=emulate --kernel=3.1-rc1 --audit"; do
	for p in "$G/old-date" "$G/t10-sites" "$G/t02-fsmark-vdso 10"; do
		form folded $o $p
		form json $o $p
		all=$(sed -n 's/.*"\(user\|system\)_cycles": \([0-9]*\).*/\2/p' "$T/json" | head -n 2 | awk '{ s += $1 } END { print s }')
		sum=$(awk '{ s += $NF } END { print s }' "$T/folded")
		n=$(wc -l <"$T/folded")
		bad=$(grep -Evc '^[^ ]+(;[^ ;]+)+ [0-9]+$' "$T/folded")
		if [ "$sum" -le "$((all + 1))" ] && [ "$sum" -ge "$((all - n - 40))" ] && [ "$bad" = 0 ]; then
			ok "folded, $o ${p##*/}: $sum of $all cycles"
		else
			not_ok "folded, $o ${p##*/}: $sum of $all cycles in $n lines, $bad malformed"
		fi
	done
done
form folded --mode=emulate --kernel=6.1 "$G/old-date"
like "folded: caller, entry, stage" "$(cat "$T/folded")" '^old-date;_start;.*;main;gettimeofday;vsyscall\.gettimeofday;iret [0-9]+$'
form folded --mode=none --kernel=6.1 "$G/old-date"
like "folded: a refused call" "$(cat "$T/folded")" '^old-date;_start;.*;main;time;vsyscall\.time\.refused;page_fault_gate [0-9]+$'
is "folded: and none carried out" "$(grep -c 'vsyscall.time;' "$T/folded")" 0

# Chrome trace events.
form trace --mode=xonly --kernel=6.1 -- /bin/sh -c "$G/old-date; exit 0"
tr -d '\n' <"$T/trace" | tr -s ' ' >"$T/line"
is "trace: vsyscalls one by one" "$(grep -c '"cat": "vsyscall"' "$T/trace")" 3
like "trace: both processes have names" "$(cat "$T/line")" \
	'"process_name", "ph": "M", "pid": 1000,.*"process_name", "ph": "M", "pid": 1001,'
like "trace: a complete event" "$(cat "$T/line")" \
	'\{ "name": "gettimeofday", "cat": "vsyscall", "ph": "X", "ts": [0-9.]+, "dur": [0-9.]+, "pid": 1001, "tid": 1001, "args": \{ "cycles": [0-9.]+, "caller": "0x[0-9a-f]+" \} \}'
is "trace: in order of time" "$(sed -n 's/.*"ts": \([0-9.]*\).*/\1/p' "$T/trace" | sort -gc 2>&1)" ""
like "trace: what was left off" "$(cat "$T/line")" '"calls_left_off": 0'
form trace --mode=emulate --kernel=6.1 "$G/t02-fsmark" 40000
is "trace: the buffer has an end" "$(grep -c '"ph": "X"' "$T/trace")" 65536
left=$(sed -n 's/.*"calls_left_off": \([0-9]*\).*/\1/p' "$T/trace")
is "trace: and tells what it left off" "$(sed -n 's/.*"calls": \([0-9]*\).*/\1/p' "$T/trace")" "$((left + 65536))"
timeout 20 "$V" --report=sarif "$G/hello" >"$T/out" 2>"$T/err" </dev/null
like "a form that a run lacks" "$(cat "$T/err")" 'a run has the forms text, json, csv, html, folded, trace and none'

# Calls over virtual time, and the page: what it shows is in the JSON as well.
form json --mode=emulate --kernel=6.1 "$G/t02-fsmark" 3000
tr -d '\n' <"$T/json" | tr -s ' ' >"$T/line"
list() { sed -n 's/.*"calls_over_time": {[^}]*"'"$1"'": \[\([^]]*\)\].*/\1/p' "$T/line" | tr ',' '\n'; }
is "over time: all vsyscalls" "$(list vsyscall | awk '{ s += $1 } END { print s }')" 6000
is "over time: no other" "$(list vdso | awk '{ s += $1 } END { print s }')" 0
is "over time: evenly in a loop" "$(list vsyscall | sed '1,2d;$d' | sort -n | sed -n '1p;$p' | tr '\n' ' ' |
	awk '{ print ($2 - $1 <= 2) }')" 1
bucket=$(sed -n 's/.*"bucket_ns": \([0-9]*\).*/\1/p' "$T/line")
elapsed=$(sed -n 's/.*"elapsed_ns": \([0-9]*\).*/\1/p' "$T/line")
is "over time: buckets span the run" "$((bucket * 128 >= elapsed && bucket * 32 <= elapsed))" 1
like "stages of a call are in the JSON" "$(cat "$T/line")" \
	'"event": "vsyscall.gettimeofday", "mode": "native", "kernel": "3.0", "cycles": [0-9.]+, "stages": \[ \{ "stage": '
form html --mode=emulate --kernel=6.1 "$G/t02-fsmark" 3000
like "html: a drawing" "$(cat "$T/html")" '<svg class="time".*<rect class="f0" '
is "html: nothing from elsewhere" "$(grep -Ec '(src|href)=|url\(|@import' "$T/html")" 0
# Every whole number in its text; the shares and positions of drawings are attributes.
sed -e 's/<style>.*<\/style>//' -e 's/<title>[^<]*<\/title>//g' -e 's/<h1>[^<]*//' -e 's/<[^>]*>/ /g' "$T/html" |
	tr -s ' ,\n' '\n' | grep -Ex '[0-9]{2,}' | sort -u >"$T/numbers"
missing=
while read -r n; do
	grep -Eq "[^0-9]$n([^0-9]|\$)" "$T/json" || missing="$missing $n"
done <"$T/numbers"
is "html: its numbers are in the JSON" "$missing" ""
is "html: there are some" "$(($(wc -l <"$T/numbers") > 8))" 1
form html --mode=none --kernel=6.1 -- /bin/sh -c "$G/t01-old-time; exit 0"
like "html: a child's end" "$(cat "$T/html")" '1001: <b class="breaks">killed by SIGSEGV at .*: vsyscall-none'

# Refused before the program has written anything.
is "an unwritable file: the program does not run" "$("$V" -o "$T/no/such" "$G/hello" 2>/dev/null)" ""
is "calls are whole cycles" "$("$V" --report=json -o - -q "$G/old-date" 2>/dev/null | sed -n '/^{/,$p' |
	jq '[.call_stages[] | .cycles, .stages[].cycles | select(. != floor)] | length')" 0
# Stubs answer EFAULT; where the call is emulated that is a signal.
is "refused pointers are projected" "$("$V" --kernel=3.1 --report=json -o - "$G/t05-pointers" 2>/dev/null |
	sed -n '/^{/,$p' | jq -r '.policies[] | select(.mode == "emulate") | .outcome + " " + .why')" "breaks vsyscall-fault"
done_testing
