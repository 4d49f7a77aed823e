#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/trap-path.md is what its source and the program give, prices aside (make lesson).
. tests/tap.sh
V=./vsysemu B=$B tools/lesson.sh <docs/trap-path.md.in >"$T/lesson" 2>"$T/err"
is "the lesson is made" "$? $(cat "$T/err")" "0 "
words() { sed 's/[0-9][0-9.]*//g; s/#//g; s/  */ /g' "$1"; }
words "$T/lesson" >"$T/new"
words docs/trap-path.md >"$T/old"
is "the lesson is up to date, prices aside" "$(diff "$T/old" "$T/new" | head -n 10)" ""
is "no box is empty" "$(awk '/^```$/ { if (open && n < 2) print NR; open = !open; n = 0; next } open { n++ }' "$T/lesson")" ""
for g in $(grep -o 't0[0-9]-[a-z-]*' docs/trap-path.md | sort -u); do
	is "$g is built" "$([ -x "$B/guest/$g" ] && echo yes)" yes
done
done_testing
