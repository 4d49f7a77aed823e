#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every ELF file of this system through `scan`: how many of each verdict, and for each file that is said to call, perhaps
# to call or to read the page, the instructions at each place, so that a person can judge it.
# Usage: tools/sweep.sh [PATH...]   (default: where a Debian system has its programs)
cd "$(dirname "$0")/.." || exit 1
V=${B:-build}/vsysemu
[ $# -gt 0 ] || set -- /usr /opt /bin /sbin /lib /lib64
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
command -v jq >/dev/null || { echo "tools/sweep.sh: needs jq" >&2; exit 1; }
"$V" scan --report=json "$@" >"$T/json"
[ $? -le 2 ] || { echo "tools/sweep.sh: scan failed" >&2; exit 1; }
packages=$(dpkg-query -f '.\n' -W 2>/dev/null | wc -l)
echo "$(wc -l <"$T/json") ELF files and archives, $packages packages installed"
jq -r .verdict "$T/json" | sort | uniq -c
jq -r 'select(.verdict == "unreadable" or .verdict == "clean") | .why // empty' "$T/json" | sort | uniq -c | sort -rn
echo "clean, though the address is there (compared, passed on, or data nobody goes to):" \
	"$(jq -r 'select(.verdict == "clean" and (.findings | length) > 0) | .path' "$T/json" | wc -l)"
jq -r 'select(.verdict == "calls" or .verdict == "may-call" or .verdict == "reads") | .verdict as $v | .path as $p | .findings[]
	| [$v, .kind, .entry, .address, .symbol // "-", $p] | @tsv' "$T/json" |
	while IFS="$(printf '\t')" read -r verdict kind entry address symbol path; do
		echo
		echo "$path: $verdict: $kind $entry at $address in $symbol"
		objdump -d --no-show-raw-insn --start-address=$((address - 32)) --stop-address=$((address + 16)) "$path" 2>/dev/null |
			grep '^ .*:' | sed 's/^/    /'
	done
