#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How good the models are: every published row within its bound or explained, what docs/models.md says of it,
# and that the profiles are what the fit gives.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
VSYSEMU=$V
export VSYSEMU
tools/accuracy.sh >"$T/now" 2>"$T/err"
is "fitted rows within 3 %, others within 10 %, or explained" "$? $(cat "$T/err")" "0 "
diff docs/parts/accuracy.md "$T/now" >"$T/diff"
is "docs/parts/accuracy.md is up to date (make accuracy)" "$(cat "$T/diff")" ""

# The bounds bite: a row moved beyond its own, one explained for nothing.
"$V" reproduce --report=json sandybridge before >"$T/json"
sed '/"row": "vdso time"/,/"error"/s/\("simulated": \)[0-9.]*/\11.81/' "$T/json" >"$T/moved"
tools/accuracy.sh "$T/moved" >"$T/out" 2>"$T/err"
is "a fitted row 3.4 % off is told" "$? $(grep -c 'sandybridge, vdso time: 3.4 % is beyond' "$T/err")" "1 1"
sed '/"row": "vsyscall time, low end"/,/"error"/s/\("simulated": \)[0-9.]*/\14.02/' "$T/json" >"$T/moved"
tools/accuracy.sh "$T/moved" >"$T/out" 2>"$T/err"
is "an explanation without need is told" "$? $(grep -c 'low end: 0.5 % is within the bound but in' "$T/err")" "1 1"

if ! python3 -c 'import json, re, subprocess' 2>/dev/null; then
	skip "the fit" "no python3"
	done_testing
	exit 0
fi
# All of them take minutes.
if [ -n "$SOAK" ]; then
	tools/fit.py --check >"$T/out" 2>&1
	is "the profiles are what the fit gives" "$? $(cat "$T/out")" "0 "
	tools/fit.py --left-out >"$T/now" 2>&1
	is "docs/parts/left-out.md is up to date (make accuracy)" "$(diff docs/parts/left-out.md "$T/now")" ""
else
	tools/fit.py --check skylake audit-2015 >"$T/out" 2>&1
	is "the profiles of two machines are what the fit gives" "$? $(cat "$T/out")" "0 "
	tools/fit.py --left-out nehalem >"$T/now" 2>&1
	is "rows left out of Nehalem are what docs/parts/left-out.md says" "$(grep -vxFc -f docs/parts/left-out.md "$T/now")" 0
fi
# Four int 0xcc rows at least are predicted from one, and none is off by more than 5 %.
is "one int 0xcc row predicts the machine's others within 5 %" "$(awk -F'|' '/int 0xcc/ {
	n += $3; split($4, w, "worst "); if (w[2] + 0 > 5 || $4 !~ /worst/) print } END { print (n >= 8) }' docs/parts/left-out.md)" 1
done_testing
