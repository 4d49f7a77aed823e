#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Random argument lists: an answer every time, never a crash or a hang.
# One case again: tests/fuzz/arguments.sh NUMBER
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
cc -O2 -Wall -Wextra -o "$T/fuzz" tests/fuzz/fuzz.c || exit 1
V=$(readlink -f "$V")
mkdir "$T/cwd"
cp "$B/guest/t01-old-time" "$T/guest"
# Words may name files to write: that happens in a scratch folder.
cd "$T/cwd" || exit 1
if [ -n "$1" ]; then
	"$T/fuzz" args "$V" "$T" "$1" 1 "$T/guest"
	cat "$T/log"
	exit
fi
count=300
[ -n "$SOAK" ] && count=5000
if "$T/fuzz" args "$V" "$T" 1 $count "$T/guest" >"$T/out"; then
	ok "$count random argument lists"
else
	not_ok "$count random argument lists"
	tail -n 20 "$T/out" | sed 's/^/# /'
fi
cd / || exit 1
done_testing
