#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/trap-path.md is what its source and the program give, prices aside (make lesson).
. tests/tap.sh
V=./vsysemu B=$B tools/lesson.sh <docs/trap-path.md.in >"$T/lesson" 2>"$T/err"
is "the lesson is made" "$? $(cat "$T/err")" "0 "
words() { sed 's/0x[0-9a-f]*//g; s/\<[0-9a-f]*[0-9][0-9a-f]*\>//g; s/[0-9][0-9.]*//g; s/#//g; s/  */ /g' "$1"; }
words "$T/lesson" >"$T/new"
words docs/trap-path.md >"$T/old"
is "the lesson is up to date, prices aside" "$(diff "$T/old" "$T/new" | head -n 10)" ""
is "no box is empty" "$(awk '/^```$/ { if (open && n < 2) print NR; open = !open; n = 0; next } open { n++ }' "$T/lesson")" ""
for g in $(grep -o 't0[0-9]-[a-z-]*' docs/trap-path.md | sort -u); do
	is "$g is built" "$([ -x "$B/guest/$g" ] && echo yes)" yes
done
# The answers, against what the eras are known for.
order() { "$V" -q "$@" "$B/guest/t11-order" 2>&1 | tr '\n' ' '; }
is "answer 3: stubs" "$(order --kernel=3.1)" "returned -14 the time is written "
for k in 3.3 3.16 4.17 5.3; do is "answer 3: $k" "$(order --kernel=$k --mode=emulate)" "signal 11, code 1, si_addr 0x10 the time is written "; done
for k in 3.1-rc1 6.18 7.1; do is "answer 3: $k" "$(order --kernel=$k)" "signal 11, code 128, si_addr 0x0 the time is written "; done
is "every answer is there" "$(grep -c '^\*\*[0-9]*\.\*\*' docs/trap-path.md)" "$(sed -n '/^## 6/,/^## 7/p' docs/trap-path.md | grep -c '^[0-9]*\. ')"
done_testing
