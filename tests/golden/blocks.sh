#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Block prices of every core against llvm-mca's cycles for the hot blocks of real programs.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
P=$B/tests/blocks/price
"$P" tests/blocks/table.tsv >"$T/now" 2>"$T/err"
is "the table is priced" "$? $(cat "$T/err")" "0 "
is "docs/parts/blocks.md is up to date (make blocks)" "$(diff docs/parts/blocks.md "$T/now")" ""
# Mean errors of a block and of a program, in percent: a price that gets worse shows.
while read -r core block program; do
	is "$core: a block within $block %, a program within $program %" "$(awk -F'|' -v c=" $core " -v b="$block" -v p="$program" '
		$2 == c { print ($3 + 0 <= b && $4 + 0 <= p) }' "$T/now")" 1
done <<END
sandybridge 17 14
haswell 19 18
broadwell 19 18
skylake 19 18
icelake 25 23
goldencove 26 21
zen 29 17
zen2 32 16
zen3 30 28
END
printf 'program\truns\tinsns\tcode\tsandybridge\nx\t1\t1\t9x\t1\n' >"$T/bad"
"$P" "$T/bad" >"$T/out" 2>"$T/err"
is "a broken row: status, one line" "$? $(cat "$T/err")" "1 $T/bad:2: not a row of the table"
done_testing
