#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `models`: every profile is listed and printed in full, with what its file says.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
"$V" models >"$T/list"
is "the list: status" $? 0
"$V" models --report=json >"$T/list.json"
is "the list as JSON: status" $? 0
like "its schema" "$(cat "$T/list.json")" '"schema": "vsysemu.models/1"'
for f in models/cpu/*.ini models/kernel/*.ini; do
	n=$(basename "$f" .ini)
	like "$n is in the list, described" "$(grep "^  $n  *" "$T/list")" ' [A-Za-z].* '
	grep -q "\"name\": \"$n\"" "$T/list.json" || not_ok "$n is in the JSON"
	"$V" models "$n" >"$T/one" 2>"$T/err"
	is "$n in full: status" "$? $(cat "$T/err")" "0 "
	# Every line of the file is there: the key, its value, its provenance and source.
	sed -n 's/^\([a-z][a-z0-9_]*\) = \(.*\)/\1|\2/p' "$f" | grep -v '^base|' | while IFS='|' read -r k v p s; do
		k=${k% } v=${v% } p=${p# } p=${p% } s=${s# }
		line=$(grep -A1 "^$k  *" "$T/one" | tr '\n' ' ')
		case $line in *"$p"*"$s"*) ;; *) echo "$k: $line" ;; esac
		echo "$v" | grep -Eq '^[0-9]+\.?[0-9]*$' || continue
		want=$(awk -v v="$v" 'BEGIN { printf "%.10g", v }')
		case $line in *" $want "*) ;; *) echo "$k: $line, not $want" ;; esac
	done >"$T/miss"
	is "$n in full: all that its file says" "$(head -n 5 "$T/miss")" ""
	"$V" models --report=json "$n" >"$T/one.json"
	is "$n as JSON has as many keys as the text" "$(grep -c '"key":' "$T/one.json")" \
		"$(sed -n 's/^Values: //p' "$T/one" | tr ',' '\n' | awk '{ n += $1 } END { print n }')"
done
like "a stage's price, its unit and source" "$("$V" models sandybridge | grep '^iret_cycles')" \
	'^iret_cycles +[0-9.]+ +cycles +fitted .*SNB'
like "a path's stages" "$("$V" models 3.1-rc1 | grep '^path_int0xcc_exit')" 'trap_restore iret'
like "--set shows" "$("$V" models --set cpu.iret_cycles=300 sandybridge | grep '^iret_cycles')" '^iret_cycles +300 '
like "a file is a profile too" "$("$V" models models/kernel/3.0.ini)" '^Kernel profile .*Linux 3.0'
like "an unknown name" "$("$V" models nosuch 2>&1; echo "$?")" 'nosuch'
"$V" models nosuch >"$T/out" 2>"$T/err"
is "its status, and one line" "$? $(wc -l <"$T/err") $(wc -l <"$T/out")" "125 1 0"
"$V" models a b >"$T/out" 2>"$T/err"
is "two names: status, and one line" "$? $(wc -l <"$T/err")" "125 1"
"$V" models --report=none -o "$T/none" >"$T/out"
is "--report=none prints nothing" "$(cat "$T/out")" ""
done_testing
