#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every page that the program can write, and pictures of it: light, dark, narrow, and as printed.
# Usage: tools/screens.sh DIR; V = the program, B = build directory.
cd "$(dirname "$0")/.." || exit 1
V=${V:-./vsysemu} B=${B:-build} out=${1:?usage: tools/screens.sh DIR}
mkdir -p "$out" || exit 1
# page NAME ARGUMENTS...: any status but that of trouble will do
page() {
	name=$1 verb=$2
	shift 2
	timeout 300 "$V" "$verb" --report=html -o "$out/$name.html" "$@" >/dev/null 2>"$out/$name.err" </dev/null
	s=$?
	[ $s -ne 125 ] && [ -s "$out/$name.html" ] && { rm -f "$out/$name.err"; return 0; }
	echo "tools/screens.sh: $name: status $s: $(head -n 1 "$out/$name.err")" >&2
	exit 1
}
run() {
	name=$1 opts=$2
	shift 2
	# shellcheck disable=SC2086
	timeout 300 "$V" -q $opts --report=html -o "$out/$name.html" -- "$@" >/dev/null 2>&1 </dev/null
	[ -s "$out/$name.html" ] || { echo "tools/screens.sh: $name: nothing written" >&2; exit 1; }
}
comp() {
	name=$1 opts=$2
	shift 2
	# shellcheck disable=SC2086
	timeout 300 "$V" compare $opts --report=html -o "$out/$name.html" -- "$@" >/dev/null 2>&1 </dev/null
	[ -s "$out/$name.html" ] || { echo "tools/screens.sh: $name: nothing written" >&2; exit 1; }
}
run run "--mode=emulate --kernel=6.1" "$B/guest/t02-fsmark" 3000
run run-vdso "--kernel=6.1" "$B/guest/clock-calls-dynamic"
run run-death "--mode=none --kernel=6.1" "$B/guest/old-date"
run run-sites "--mode=xonly --kernel=6.1" "$B/guest/t10-sites"
run run-children "--mode=none --kernel=6.1" /bin/sh -c "$B/guest/t01-old-time; $B/guest/t02-fsmark 100; exit 3"
run run-nothing "" "$B/guest/hello"
comp compare "" "$B/guest/old-date"
comp compare-all "--kernels=all" "$B/guest/t01-old-time"
comp compare-nothing "--each" "$B/guest/hello"
page explain explain --mode=emulate --kernel=6.1 --baseline=emulate@6.1
page explain-beside explain --mode=emulate --kernel=6.1
page explain-int0xcc explain --trap=int0xcc time
page explain-gp explain --mode=xonly --kernel=7.1 --trap=gp
page explain-native explain --mode=native --kernel=3.0
page explain-refused explain --mode=none --kernel=6.1
page explain-bad-stack explain --mode=xonly --stack=bad
page explain-follow explain --follow="$B/guest/old-date" --nth=2
page scan scan "$B/guest"
page scan-clean scan "$B/guest/hello"
page scan-mixed scan "$B/guest/hello" "$B/guest/t10-sites" /no/such/file Makefile
page reproduce reproduce
if ! command -v python3 >/dev/null; then
	echo "tools/screens.sh: pages in $out; no pictures: no python3"
	exit 0
fi
python3 tools/screens.py "$out"
