#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The table of docs/models.md that says how far off each group of published rows comes out, and the rows that
# are further off than their kind should be.  Usage: tools/accuracy.sh [REPRODUCE.json] >docs/parts/accuracy.md
# Status 1, with a line each on standard error, when a row is beyond its bound and not in
# models/published/exceptions.tsv, or is there and within.
cd "$(dirname "$0")/.." || exit 1
json=$1
if [ -z "$json" ]; then
	json=$(mktemp) || exit 1
	trap 'rm -f "$json"' EXIT
	"${VSYSEMU:-./vsysemu}" reproduce --report=json >"$json" || exit 1
fi
# One row a line: table, row, published, simulated, unit, fitted, note.
sed -n '1,/"tables"/p' "$json" | awk -v OFS='\t' '
	/^      "/ { k = $1; gsub(/[":]/, "", k); v = $0; sub(/^ *"[a-z]*": /, "", v); sub(/,$/, "", v); gsub(/"/, "", v); f[k] = v }
	/^    }/ { print f["table"], f["row"], f["published"], f["simulated"], f["unit"], f["fitted"], f["note"] }' |
awk -F'\t' '
	function percent(v) { return sprintf("%.1f %%", 100 * v) }
	function kind(t, k) { return n[t, k] ? percent(sum[t, k] / n[t, k]) ", worst " percent(worst[t, k]) : "-" }
	FILENAME != "-" { if ($0 !~ /^#/ && $1 != "table") why[$1, $2] = $3; next }
	$1 == "fsmark" { next } # by make fsmark
	!($1 in rows) { order[++tables] = $1 }
	{ rows[$1]++ }
	$4 == "null" { missing[$1] = $7; next }
	{
		e = $4 / $3 - 1; a = e < 0 ? -e : e; k = $6
		done[$1]++; n[$1, k]++; sum[$1, k] += a
		if (a > worst[$1, k]) worst[$1, k] = a
		beyond = a > (k == "true" ? .03 : .10)
		if (beyond != (($1, $2) in why)) {
			print $1 ", " $2 ": " percent(e) (beyond ? " is beyond the bound and not in" : " is within the bound but in") \
				" models/published/exceptions.tsv" >"/dev/stderr"
			bad = 1
		}
		if (beyond) off[++offs] = "| " $1 ": " $2 " | " $3 " " $5 " | " sprintf("%+.1f %%", 100 * e) " | " (k == "true" ? "yes" : "no") " | " why[$1, $2] " |"
	}
	END {
		print "| group | rows | fitted | mean error of the fitted | not fitted | mean error of those | not simulated |"
		print "|---|---|---|---|---|---|---|"
		for (i = 1; i <= tables; i++) {
			t = order[i]; left = rows[t] - done[t]
			print "| " t " | " rows[t] " | " n[t, "true"] + 0 " | " kind(t, "true") " | " n[t, "false"] + 0 " | " kind(t, "false") \
				" | " (left ? left ": " missing[t] : "-") " |"
		}
		print "\nA fitted row should come out within 3 %, another within 10 %. These do not:\n"
		print "| row | published | error | fitted | why |\n|---|---|---|---|---|"
		for (i = 1; i <= offs; i++) print off[i]
		exit bad
	}' models/published/exceptions.tsv -
