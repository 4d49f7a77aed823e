#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `reproduce`: the published tables out of guests that measure themselves.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
"$V" reproduce >"$T/text" 2>"$T/err"
is "text: status" "$? $(cat "$T/err")" "0 "
"$V" reproduce --report=json >"$T/json" 2>"$T/err"
is "JSON: status" "$? $(cat "$T/err")" "0 "
"$V" reproduce --report=html -o "$T/html" >"$T/out" 2>"$T/err"
is "HTML: status, nothing printed" "$? $(cat "$T/err" "$T/out")" "0 "
like "HTML has its plot" "$(grep -c '<circle' "$T/html")" '^[3-9][0-9]$'
like "schema" "$(cat "$T/json")" '"schema": "vsysemu.reproduce/1"'
cat models/published/seed*.tsv | grep -v '^#' | grep -vc '^table	' >"$T/n"
for f in table row published simulated unit error fitted source; do
	is "every row has $f" "$(sed -n '1,/"tables"/p' "$T/json" | grep -c "^      \"$f\":")" "$(cat "$T/n")"
done

# One row a line: table|row|published|simulated|unit|error|fitted
sed -n '1,/"tables"/p' "$T/json" | awk '
	/^      "/ { k = $1; gsub(/[":]/, "", k); v = $0; sub(/^ *"[a-z]*": /, "", v); sub(/,$/, "", v); gsub(/"/, "", v); f[k] = v }
	/^    }/ { print f["table"] "|" f["row"] "|" f["published"] "|" f["simulated"] "|" f["unit"] "|" f["error"] "|" f["fitted"] }' >"$T/rows"
within() { # TABLE ROW PERCENT
	awk -F'|' -v t="$1" -v r="$2" -v p="$3" '$1 == t && $2 == r {
		e = $4 / $3 - 1; if (e < 0) e = -e; print (100 * e <= p ? "yes" : $0) }' "$T/rows" >"$T/w"
	is "$1: $2 within $3 %" "$(cat "$T/w")" yes
}
for c in "syscall gettimeofday" "vdso gettimeofday" "vsyscall gettimeofday" "syscall CLOCK_MONOTONIC" \
	"vdso CLOCK_MONOTONIC" "syscall time" "vdso time" "vsyscall time" "vdso getcpu" "vsyscall getcpu" "syscall dummy"; do
	within sandybridge "$c" 3
done
within before "vsyscall gettimeofday" 3
is "before: time is between the two figures" "$(awk -F'|' '$1 == "before" && $2 ~ /time, (low|high)/ {
	print ($4 >= 4 && $4 <= 5) }' "$T/rows" | sort -u)" 1
for c in "before" "CONFIG_TIME_NS=n" "host" "inside timens"; do within hot "$c" 5; done
within kvm "vdso clock_gettime, kvm-clock" 3
within kvm "syscall clock_gettime, kvm-clock" 3
within kvm "empty system call" 5
within sysret "vsyscall gettimeofday, return by sysret" 3
for cs in hpet acpi_pm; do
	for p in syscall vdso vsyscall; do within nehalem "$cs: $p gettimeofday" 3; done
done
is "the error column is simulated / published - 1" "$(awk -F'|' '$4 != "null" {
	d = $6 - ($4 / $3 - 1); if (d > 1e-4 || d < -1e-4) print }' "$T/rows")" ""
# Where fs_mark is not built (make fsmark) there is no number, whatever was published, and the row says why.
if [ -x "$B/guest/bench/fs_mark" ]; then
	is "fs_mark: every row has a number" "$(awk -F'|' '$1 == "fsmark" && $4 == "null"' "$T/rows")" ""
	within fsmark "user time, rise" 10
	within fsmark "system time, rise" 10
else
	is "no number where nothing ran" "$(awk -F'|' '$1 == "fsmark" { print $4, $6 }' "$T/rows" | sort -u)" "null null"
	is "and why" "$(grep -c 'not built: make fsmark' "$T/text")" "$(awk -F'|' '$1 == "fsmark"' "$T/rows" | grep -c .)"
fi
# A figure is measured, not copied: with another price it moves, the published one does not.
"$V" reproduce --report=json --set cpu.iret_cycles=3323 sandybridge >"$T/set"
is "--set moves what is simulated" "$(awk '/"row": "vsyscall gettimeofday"/ { on = 1 }
	on && /"simulated"/ { v = $2 + 0; print (v > 1000 && v < 1200); on = 0 }' "$T/set")" 1
is "and not what was published" "$(grep -A1 '"row": "vsyscall gettimeofday"' "$T/set" | grep -c 237.44)" 1
is "a table alone" "$("$V" reproduce sysret | grep -c '^  vsyscall')" 1
"$V" reproduce nosuch >"$T/out" 2>"$T/err"
is "an unknown table: status, one line" "$? $(wc -l <"$T/err") $(wc -c <"$T/out")" "125 1 0"
like "which names those there are" "$(cat "$T/err")" 'nosuch.*sandybridge.*profile-audit'
"$V" reproduce --set cpu.nosuch=1 sysret >"$T/out" 2>"$T/err"
is "--set of an unknown key: status, one line" "$? $(wc -l <"$T/err") $(wc -c <"$T/out")" "125 1 0"
"$V" reproduce --cpu=haswell >"$T/out" 2>"$T/err"
is "--cpu is refused" "$? $(wc -l <"$T/err")" "125 1"
is "the same twice" "$("$V" reproduce kvm)" "$("$V" reproduce kvm)"
done_testing
