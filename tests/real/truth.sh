#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The conformance guest in vsysemu against real kernels: against the one under us, line by line, if it
# is one that we have a profile for; and against every column of tests/truth.  What may differ is
# listed with its reason in tests/truth/exceptions.tsv (told in docs/differences.md), nothing else.
. tests/tap.sh
guest=$B/guest/conformance
table=tests/truth/given.tsv

# excepted COLUMN ID: true if the list has it
excepted() {
	awk -F'\t' -v c="$1" -v id="$2" '!/^#/ && NF >= 3 { col = $1; gsub(/\./, "[.]", col); gsub(/\*/, ".*", col)
		if (c ~ "^" col "$" && id == $2) found = 1 } END { exit !found }' tests/truth/exceptions.tsv
}

# column NAME FILE OPTION...: every row of that column
column() {
	name=$1 file=$2
	shift 2
	timeout 250 "$V" check --truth="$file" "$@" >"$T/tap" 2>"$T/err" </dev/null
	if ! grep -q '^1\.\.' "$T/tap"; then
		not_ok "$name"
		sed 's/^/# /' "$T/err" | head -n 5
		return
	fi
	bad=0 known=0
	sed -n 's/^not ok [0-9]* - //p' "$T/tap" >"$T/bad"
	while IFS= read -r id; do
		if excepted "$name" "$id"; then
			known=$((known + 1))
		else
			bad=$((bad + 1))
			grep -F -A3 -e " - $id" "$T/tap" | grep -A3 '^not ok' | head -n 4 | sed 's/^/# /' >>"$T/why"
		fi
	done <"$T/bad"
	held=$(grep '^ok ' "$T/tap" | grep -vc '# SKIP')
	skipped=$(grep -c '^ok .*# SKIP' "$T/tap")
	if [ $bad -eq 0 ] && [ "$held" -gt 0 ]; then
		ok "$name: $held rows hold, $known listed exceptions, $skipped skipped"
	else
		not_ok "$name: $bad of $((held + bad + known)) rows differ"
		head -n 60 "$T/why"
	fi
	rm -f "$T/why"
}

# Natively and emulated, the same binary, equal lines.
native() {
	if ! grep -q -- '--xp .*\[vsyscall\]' /proc/self/maps; then
		skip "native lines" "this kernel has no execute-only vsyscall page"
		return
	fi
	case $(uname -r) in
	6.1[89].*) ;;
	*) skip "native lines" "no profile was measured for kernel $(uname -r)"; return ;;
	esac
	timeout 120 "$guest" -k >"$T/native" 2>/dev/null </dev/null
	timeout 250 "$V" -q --kernel=6.18 --mode=xonly -- "$guest" -k >"$T/emulated" 2>"$T/err" </dev/null
	is "as many lines natively and emulated" "$(wc -l <"$T/emulated")" "$(wc -l <"$T/native")"
	diff "$T/native" "$T/emulated" >"$T/diff"
	sed -n 's/^< \([^\t]*\)\t.*/\1/p' "$T/diff" >"$T/ids"
	: >"$T/left"
	while IFS= read -r id; do
		excepted native "$id" || grep -F -e "$id	" "$T/diff" >>"$T/left"
	done <"$T/ids"
	if [ -s "$T/native" ] && ! [ -s "$T/left" ]; then
		ok "equal lines natively and emulated ($(wc -l <"$T/native"), $(wc -l <"$T/ids") listed exceptions)"
	else
		not_ok "equal lines natively and emulated"
		head -n 40 "$T/left" | sed 's/^/# /'
	fi
}

native
column host-6.18-xonly $table --column=host-6.18-xonly --kernel=6.18 --mode=xonly
column host tests/truth/host.tsv --kernel=6.18 --mode=xonly
for mode in emulate xonly none; do
	column 6.1-$mode $table --column=6.1-$mode --kernel=6.1 --mode=$mode
done
for mode in native emulate none; do
	column 4.10.7-$mode $table --column=4.10.7-$mode --kernel=4.10 --mode=$mode
	column 3.16.6-$mode $table --column=3.16.6-$mode --kernel=3.16 --mode=$mode
done
column 2.6.38-native $table --column=2.6.38-native --kernel=2.6.38 --mode=native
column 2.6.38-vsyscall64-0 $table --column=2.6.38-vsyscall64-0 --kernel=2.6.38 --mode=native --set kernel.vsyscall64=0

# The comparison must be able to fail.
printf 'entry:0x400\tret rax=0x5 chg=none rspd=0 mem=0x100-0x108\n' >"$T/wrong.tsv"
"$V" check --truth="$T/wrong.tsv" --kernel=6.1 --mode=xonly >"$T/tap" 2>&1
is "a wrong answer is told" "$? $(grep -c '^not ok 1 - entry:0x400' "$T/tap")" "1 1"
printf 'nosuch:0x400\tret rax=0x5\n' >"$T/unknown.tsv"
"$V" check --truth="$T/unknown.tsv" --kernel=6.1 --mode=xonly >"$T/tap" 2>&1
is "an unknown probe is skipped" "$? $(grep -c '^ok 1 .*# SKIP unknown probe' "$T/tap")" "0 1"
"$V" check --truth="$T/none.tsv" >"$T/tap" 2>&1
is "a table that is not there is trouble" "$?" "2"
done_testing
