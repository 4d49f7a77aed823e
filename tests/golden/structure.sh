#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The forms of every report against each other: pages are valid HTML and show only numbers that the JSON has; CSV is read
# back by a library; Chrome trace events are what Perfetto reads; folded stacks add up.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
G=$B/guest
command -v python3 >/dev/null || { skip "structure" "no python3"; done_testing; }
check() { python3 tests/golden/structure.py "$@" 2>&1; }
ask() { timeout 200 "$V" "$@" >"$T/out" 2>"$T/err" </dev/null; }

# pages NAME COMMAND... -- LAST...: the page and the JSON of one question; options go between.
pages() {
	name=$1 first=$2
	shift 2
	ask $first --report=html -o "$T/p.html" "$@"
	ask $first --report=json -o "$T/p.json" "$@"
	is "$name: a page" "$(check page "$T/p.html")" ""
	is "$name: its numbers are in the JSON" "$(check numbers "$T/p.html" "$T/p.json")" ""
	if command -v tidy >/dev/null; then
		is "$name: valid HTML" "$(tidy -q -e --gnu-emacs no "$T/p.html" 2>&1 | grep -v 'trimming empty <i>')" ""
	else
		skip "$name: valid HTML" "no tidy"
	fi
}
# A name that means something in HTML and in CSV.
mkdir "$T/a<b>&\"c,d" && cp "$G/old-date" "$T/a<b>&\"c,d/old,\"date"
odd="$T/a<b>&\"c,d/old,\"date"
for o in "--mode=emulate --kernel=6.1" "--mode=none --kernel=6.1" "--kernel=3.1-rc1 --mode=emulate --audit" "--mode=native --clocksource=hpet" "--seccomp=time:errno=5" \
	"--max-insns=30000" "--kernel=7.1 --trap=gp"; do
	pages "run $o" "run -q $o" "$odd"
done
pages "run, a loop" "run -q --mode=xonly" "$G/t02-fsmark" 3000
pages "run, sites" "run -q --mode=xonly" "$G/t10-sites"
pages "run, pointers" "run -q --kernel=3.1" "$G/t05-pointers"
pages "run, vDSO" "run -q" "$G/clock-calls-dynamic"
pages "run, nothing" "run -q" "$G/hello"
pages "run, children" "run -q --mode=none" /bin/sh -c "$G/t01-old-time; $G/t02-fsmark 20; exit 7"
pages "run, threads" "run -q --cpus=2" "$G/threads"
pages "compare" compare "$odd"
pages "compare, each" "compare --each" "$G/t02-fsmark" 50
pages "compare, all" "compare --kernels=all" "$G/t01-old-time"
for o in "--mode=emulate" "--mode=none" "--trap=int0xcc" "--kernel=7.1 --trap=gp" "--mode=native" "--mode=native --kernel=3.1" \
	"--stack=bad" "--seccomp=*:trap" "--rip=0xffffffffff600c00" "--mode=emulate --baseline=xonly@5.3 --cpu=skylake" "--mode=emulate --error-code=7"; do
	pages "explain $o" "explain $o"
done
pages "explain --follow" "explain --mode=xonly --nth=2" --follow "$G/old-date"
pages "scan" scan "$G/t10-sites" "$G/hello" "$G/old-date" "$odd" /no/such/file
pages "reproduce" reproduce sandybridge profile-audit

# csv NAME COMMAND ARGUMENT...
csv() {
	name=$1 first=$2
	shift 2
	ask $first --report=csv -o "$T/c.csv" "$@"
	ask $first --report=json -o "$T/c.json" "$@"
	is "$name: CSV" "$(check csv "$T/c.csv" "$T/c.json")" ""
}
csv "run" "run -q" "$odd"
csv "run, died" "run -q --mode=none" "$odd"
csv "compare" compare "$odd"
csv "compare, each" "compare --each" "$odd"
csv "compare, all" "compare --kernels=all" "$G/t01-old-time"
csv "compare, pointers" "compare --kernels=3.1,6.18" "$G/t05-pointers"
ask scan --report=csv -o "$T/s.csv" "$odd" "$G/hello"
is "scan: CSV" "$(python3 -c '
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline=""), strict=True))
print(len({len(r) for r in rows}), sum(sys.argv[2] in r for r in rows) > 0)' "$T/s.csv" "$odd")" "1 True"

# trace NAME ARGUMENT...
trace() {
	name=$1
	shift
	timeout 60 "$V" -q --report=trace -o "$T/t.json" "$@" >"$T/out" 2>"$T/err" </dev/null
	is "$name: trace events" "$(check trace "$T/t.json")" ""
}
trace "one process" --mode=emulate "$G/old-date"
trace "vDSO" -- "$G/clock-calls-dynamic"
trace "native" --mode=native "$G/t02-fsmark" 100
trace "dies" --mode=none "$G/old-date"
trace "children" --mode=xonly -- /bin/sh -c "$G/old-date | cat; $G/t01-old-time & wait"
trace "threads" --cpus=2 "$G/threads"
trace "odd name" -- "$odd"
done_testing
