#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's selftests (`make selftests` builds them) natively and under every policy.  What each
# must answer is in tests/selftests/expected.tsv: program, policy (* = all not named), status, regular
# expression that the output must match ("-": none), why it is not a plain pass.
. tests/tap.sh
dir=$B/selftests
[ -x "$dir/test_vsyscall_static" ] || {
	skip "kernel selftests" "not built: install linux-source-6.1 and run make selftests"
	done_testing
}

# expect PROGRAM POLICY -> status and regex
expect() {
	awk -F'\t' -v p="$1" -v m="$2" '!/^#/ && $1 == p && ($2 == m || ($2 == "*" && !have)) {
		line = $3 "\t" $4; if ($2 == m) have = 1 } END { print line }' tests/selftests/expected.tsv
}

# judge PROGRAM POLICY STATUS OUTPUT
judge() {
	want=$(expect "$1" "$2")
	status=${want%%	*} regex=${want#*	}
	if [ -z "$want" ]; then
		not_ok "$1 $2: no verdict is expected in expected.tsv (status $3)"
	elif [ "$3" != "$status" ]; then
		not_ok "$1 $2: status $3, expected $status"
		grep -E 'FAIL|not ok|WARN' "$4" | head -n 5 | sed 's/^/# /'
		tail -n 3 "$4" | sed 's/^/# /'
	elif [ "$regex" != - ] && ! grep -Eq -- "$regex" "$4"; then
		not_ok "$1 $2: output without '$regex'"
		tail -n 5 "$4" | sed 's/^/# /'
	else
		ok "$1 $2: status $3"
	fi
}

for p in $(awk -F'\t' '!/^#/ { print $1 }' tests/selftests/expected.tsv | sort -u); do
	case $(uname -r) in
	[6-9].*)
		if grep -q -- '--xp .*\[vsyscall\]' /proc/self/maps; then
			timeout 60 "$dir/$p" >"$T/out" 2>&1 </dev/null
			judge "$p" here $? "$T/out"
		fi ;;
	esac
	for policy in 6.1/emulate 6.1/xonly 6.1/none 4.10/native 3.16/emulate; do
		timeout 120 "$V" -q --kernel="${policy%/*}" --mode="${policy#*/}" -- "$dir/$p" >"$T/out" 2>&1 </dev/null
		judge "$p" "$policy" $? "$T/out"
	done
done
done_testing
