#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads and processes on this machine's kernel and under the newest profile: the same words and status.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
release=$(uname -r)
major=${release%%.*} minor=${release#*.}
minor=${minor%%[!0-9]*}
[ $((major * 1000 + minor)) -ge 6009 ] && EMUOPT=--kernel=6.18 || EMUOPT=--kernel=6.1
for g in blocking bomb clone3 futex jobs proc robust; do
	same "$g" "$B/guest/tasks/$g"
done

if [ -e /proc/self/task/$$/children ] || [ -e /proc/$$/task/$$/children ]; then
	same "children of threads" "$B/guest/tasks/proc" children
else
	skip "children of threads" "this kernel does not tell them"
fi

# What a kernel does not have yet.
is "children came with 3.5" "$(timeout 60 "$V" -q --kernel=3.3 "$B/guest/tasks/proc" children)" "$(
	for i in 1 2 3 4; do
		printf 'children:ENOENT\n|\n'
	done)"
is "LOCK_PI2 came with 5.14, futex_waitv with 5.16" \
	"$(timeout 60 "$V" -q --kernel=5.3 "$B/guest/tasks/futex" | grep -E '^(lock in time, monotonic|flags|until|which):')" \
	'lock in time, monotonic: ENOSYS
flags: ENOSYS
until: ENOSYS
which: ENOSYS'

# One report for a whole tree: its sum is that of its processes.
timeout 120 "$V" --report=json -o "$T/r.json" "$B/guest/tasks/bomb" >/dev/null 2>&1
is "a tree of 121: each process, and the sum of their instructions" "$(python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
p = r["processes"]
print(r["counts"]["processes"], len(p), len({q["pid"] for q in p}),
      sum(q["counts"]["instructions"] for q in p) - r["counts"]["instructions"],
      sum(q["counts"]["syscalls"] for q in p) - r["counts"]["syscalls"],
      sum(1 for q in p if q["outcome"]["kind"] != "exit"))' "$T/r.json")" "121 121 121 0 0 0"

# Go: preemption by signals, collection, channels, timers; with a vDSO and without, under every mode.
if command -v go >/dev/null; then
	HOME=$T GOCACHE=${TMPDIR:-/tmp}/vsysemu-go-$(id -u) GOFLAGS=-mod=mod GO111MODULE=off \
		go build -o "$T/go" guest/go/tasks.go 2>"$T/err" || sed 's/^/# /' "$T/err"
	# On a busy machine its ticks come late natively: not what is compared.
	for try in 1 2 3 4 5 6 7 8; do
		"$T/go" 1 2 3 >"$T/want"
		grep -q '^ticks true true' "$T/want" && break
	done
	for m in native@3.0 native@3.1 emulate@3.1-rc1 emulate@6.1 xonly@6.1 xonly@7.1 none@6.1; do
		for vdso in auto off; do
			timeout 120 "$V" -q --mode=${m%@*} --kernel=${m#*@} --vdso=$vdso --cpus=2 "$T/go" 1 2 3 >"$T/got" 2>"$T/err"
			is "Go under $m, vDSO $vdso" "$? $(cat "$T/got")" "3 $(cat "$T/want")"
		done
	done
else
	skip Go "no go"
fi
done_testing
