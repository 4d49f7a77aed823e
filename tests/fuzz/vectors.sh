#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files of vectors, cut and mutated: `check` ends with 0, 1 or 2, and what it cannot read is one line.
. tests/tap.sh
rounds=60
[ -n "$SOAK" ] && rounds=5000
"$V" check --emit=tsv >"$T/all.tsv"
bad=0 refused=0 wordy=0 i=0
while [ $i -lt $rounds ]; do
	i=$((i + 1))
	awk -F'\t' -v OFS='\t' -v seed=$i 'BEGIN { srand(seed); kind = int(rand() * 6) }
		{ row[NR] = $0 }
		function cell(k, a, n) { n = split(row[k], a, "\t"); return a[1 + int(rand() * n)] }
		END {
			for (m = 0; m < 1 + rand() * 4; m++) {
				k = 1 + int(rand() * NR); n = split(row[k], c, "\t"); j = 1 + int(rand() * n)
				if (kind == 0) c[j] = cell(1 + int(rand() * NR))
				else if (kind == 1) c[j] = substr(c[j], 1, int(rand() * length(c[j])))
				else if (kind == 2) c[j] = c[j] c[j] c[j]
				else if (kind == 3) c[j] = sprintf("%s%c%s", substr(c[j], 1, 2), 1 + int(rand() * 255), substr(c[j], 3))
				else if (kind == 4) gsub(/[0-9]/, "9999999999999999999", c[j])
				else { c[j] = ""; for (x = 0; x < 3000; x++) c[j] = c[j] "E(" }
				s = c[1]; for (x = 2; x <= n; x++) s = s "\t" c[x]
				row[k] = s
			}
			for (k = 1; k <= NR; k++) print row[k]
		}' "$T/all.tsv" >"$T/v.tsv"
	[ $((i % 5)) -eq 0 ] && head -c $((i * 977 % 30000)) "$T/v.tsv" >"$T/cut" && mv "$T/cut" "$T/v.tsv"
	timeout 20 "$V" check "$T/v.tsv" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	[ $rc -le 2 ] || { bad=$((bad + 1)); echo "# round $i: status $rc"; }
	[ $rc -ne 2 ] || refused=$((refused + 1))
	[ $rc -ne 2 ] || [ "$(wc -l <"$T/err")" -eq 1 ] || wordy=$((wordy + 1))
done
is "no crash, no hang" $bad 0
is "one line for each that is refused" $wordy 0
is "some were refused and some were not" "$([ $refused -gt 0 ] && [ $refused -lt $rounds ] && echo yes)" yes
done_testing
