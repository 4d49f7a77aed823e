#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run every test, each of which prints TAP, and sum up.  Usage: tests/run.sh [PATTERN...]
# Environment: B = build directory (default build), SOAK=1 = long forms, JOBS.
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
export B
VSYSEMU=$PWD/vsysemu
export VSYSEMU
export CMOCKA_MESSAGE_OUTPUT=TAP
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
list=$(ls -d "$B"/tests/unit/test_* tests/house.sh tests/golden/*.sh tests/real/*.sh tests/fuzz/*.sh 2>/dev/null | grep -v '\.d$')
if [ $# -gt 0 ]; then
	pat=$(printf '%s\n' "$@")
	list=$(printf '%s\n' "$list" | grep -F -e "$pat")
fi
passed=0 failed=0 skipped=0
for t in $list; do
	limit=${TEST_TIMEOUT:-300}
	[ -n "$SOAK" ] && limit=7200
	start=$(date +%s)
	timeout -k 5 "$limit" "$t" >"$out/log" 2>"$out/err" </dev/null
	rc=$?
	sed 's/^[[:space:]]*//' "$out/log" >"$out/tap"
	s=$(grep -c '^ok .*# [Ss][Kk][Ii][Pp]' "$out/tap")
	p=$(($(grep -c '^ok ' "$out/tap") - s))
	f=$(grep -c '^not ok ' "$out/tap")
	if [ $rc -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "not ok - $t ended with status $rc (124: time limit of $limit s)"
		tail -n 15 "$out/err"
	fi
	if [ $((p + f + s)) -eq 0 ]; then
		f=1
		echo "not ok - $t ran no test"
	fi
	grep -A12 '^not ok ' "$out/tap" | head -n 60
	[ "$f" -ne 0 ] && head -n 20 "$out/err"
	grep '^ok .*# [Ss][Kk][Ii][Pp]' "$out/tap"
	printf '%-40s %4d passed %3d failed %3d skipped  %3d s\n' "$t" "$p" "$f" "$s" $(($(date +%s) - start))
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
