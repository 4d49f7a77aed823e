#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A child that dies of a vsyscall is told, though its parent goes on.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

# run OPTIONS... -- COMMANDS: a shell's children; the report in $T/report, on one line in $T/line.
run() {
	timeout 60 "$V" -q -o "$T/report" "$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
	tr -d '\n' <"$T/report" | tr -s ' ' >"$T/line"
}
has() { like "$1" "$(cat "$T/line")" "$2"; }
S="$B/guest/t01-old-time; exit 3"

run --report=json --mode=none --kernel=6.1 -- /bin/sh -c "$S"
is "none: the parent's status" $status 3
has "none: the run's outcome is the parent's" '"outcome": \{ "kind": "exit", "status": 3, "signal": null, "reason": null'
has "none: the parent among the processes" \
	'"processes": \[ \{ "pid": 1000, "outcome": \{ "kind": "exit", "status": 3, "signal": null, "reason": null'
has "none: the child died of its call" '"pid": 1001, "outcome": \{ "kind": "signal", "status": 139, "signal": "SIGSEGV", "reason": "vsyscall-none", "rip": "0xffffffffff600400"'
has "none: counts of the child" '"pid": 1001.*"counts": \{ "instructions": [0-9]+, "syscalls": [0-9]+, "vsyscalls": 1,'
has "none: the policy breaks the program" '"mode": "none", "kernel": "6.1", "outcome": "breaks", "why": "vsyscall-none"'

run --report=json --mode=xonly --kernel=6.1 -- /bin/sh -c "$S"
has "xonly: the child lives" '"pid": 1001, "outcome": \{ "kind": "exit", "status": 0, "signal": null, "reason": null'
has "xonly: it runs, none would break it" '"mode": "xonly", "kernel": "6.1", "outcome": "runs".*"mode": "none", "kernel": "6.1", "outcome": "breaks"'

run --report=json "$B/guest/t01-old-time"
is "one process is listed once" "$(grep -c '"pid"' "$T/report")" 1

# The child is up when it has written to the pipe.
mkfifo "$T/up"
up="(echo up >$T/up; exec sleep 2) & read x <$T/up"
run --report=json -- /bin/sh -c "$up; kill -9 \$!; wait \$!; exit 4"
has "killed by another process" '"pid": 1001, "outcome": \{ "kind": "signal", "status": 137, "signal": "SIGKILL", "reason": null'
run --report=json -- /bin/sh -c "$up; kill -9 \$!; exit 4"
has "the same, nobody waits" '"pid": 1001, "outcome": \{ "kind": "(signal", "status": 137|running)'
run --report=json -- /bin/sh -c "$up; exit \$!"
has "it outlives the program" '"pid": 1001, "outcome": \{ "kind": "running"'

run --mode=none --kernel=6.1 -- /bin/sh -c "$S"
has "text: the child's end" 'process 1001: killed by SIGSEGV at rip 0xffffffffff600400, vsyscall-none'
run -- /bin/sh -c "(exit 7); exit 0"
has "text: a child's status" 'process 1001: exit status 7'
done_testing
