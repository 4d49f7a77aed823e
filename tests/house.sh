#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The rules of the house that a script can check.  Prints TAP.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
none() { if [ -z "$2" ]; then ok "$1"; else not_ok "$1"; printf '%s\n' "$2" | head -n 20 | sed 's/^/# /'; fi; }

# Includes go down only: base < facts < engine < kernel < run < cli.
up=$(awk '
	BEGIN { split("base facts engine kernel run cli", f, " "); for (i in f) rank[f[i]] = i }
	match($0, /^#include "(base|facts|engine|kernel|run|cli)\//) {
		split(FILENAME, p, "/"); split($0, q, /["\/]/)
		if (rank[q[2]] > rank[p[2]]) print FILENAME ": " $0
	}' emu/*/*.[ch])
none "includes go down only" "$up"

# Each external library is included by one .c file and by no header.
many=
for h in unicorn/unicorn.h capstone/capstone.h libelf.h gelf.h elfutils/libdw.h elfutils/libdwfl.h ini.h jansson.h archive.h; do
	f=$(grep -lE "^#include <$h>" emu/*/*.[ch] 2>/dev/null)
	[ "$(printf '%s\n' "$f" | grep -c .)" -gt 1 ] && many="$many$h: $(echo $f)
"
	printf '%s\n' "$f" | grep -q '\.h$' && many="$many$h in a header: $f
"
done
none "each library is included by one file" "$many"

# One SPDX line a file.
spdx=$(git ls-files | grep -vE '^LICENSE$|^tests/golden/guests/|^tests/globals.txt$|^tests/golden/scan/sarif-2.1.0.json$|\.md$|\.gitignore$|\.editorconfig$|\.clang-(format|tidy)$|\.tsv$|\.png$' |
	while read -r f; do [ "$(head -n 5 "$f" | grep -c 'SPDX-License-Identifier: GPL-2.0-or-later')" -eq 1 ] || echo "$f"; done)
none "every source file has its SPDX line" "$spdx"

# Headers compile alone.
bad=
for h in emu/*/*.h; do
	gcc -std=c11 -D_GNU_SOURCE -Iemu -I"$B/gen" -Wall -fsyntax-only -x c "$h" 2>/dev/null || bad="$bad$h
"
done
none "headers compile alone" "$bad"

# No writable globals but the named exceptions of tests/globals.txt (symbol per line).
if [ -d "$B/emu" ]; then
	# Objects by section: constants that hold addresses (.data.rel.ro) are not writable.
	glob=$(objdump -t "$B"/emu/*/*.o 2>/dev/null |
		awk '/ O / && $(NF - 2) ~ /^\.(t?data|t?bss)/ && $(NF - 2) !~ /rel\.ro/ { print $NF }' |
		grep -vE '^(__|\.L)' | sed 's/\.[0-9]*$//' | sort -u |
		grep -vxF -f tests/globals.txt)
	none "no writable globals" "$glob"
else
	skip "no writable globals" "nothing built"
fi

# The man page and the completions are what the option table says.
gcc -std=c11 -D_GNU_SOURCE -Iemu -o "$T/gendoc" tools/gendoc.c emu/cli/options_doc.c emu/cli/options_table.c 2>"$T/err" ||
	cat "$T/err" >&2
"$T/gendoc" mdoc <docs/vsysemu.1.in >"$T/man"
none "man page is up to date (make docs)" "$(diff "$T/man" docs/vsysemu.1 2>&1)"
for s in bash:vsysemu.bash zsh:_vsysemu fish:vsysemu.fish; do
	"$T/gendoc" "${s%%:*}" >"$T/c"
	none "${s%%:*} completion is up to date (make docs)" "$(diff "$T/c" "docs/completion/${s#*:}" 2>&1)"
done

# Every key of a profile is in docs/models.md, with its unit and meaning.
gcc -std=c11 -D_GNU_SOURCE -Iemu -I"$B/gen" -o "$T/genmodels" tools/genmodels.c emu/facts/model_keys.c 2>"$T/err" ||
	cat "$T/err" >&2
"$T/genmodels" <docs/models.md.in >"$T/models.md"
none "docs/models.md is up to date (make docs)" "$(diff "$T/models.md" docs/models.md 2>&1)"

# Every option is in the help.
if [ -x "$V" ]; then
	help=$("$V" --help; for v in compare scan check explain models reproduce calibrate; do "$V" $v --help; done)
	miss=$(sed -n 's/^\t{ "\([a-z0-9-]*\)", .*OPT_.*/\1/p' emu/cli/options_table.c |
		while read -r o; do printf '%s\n' "$help" | grep -q -- "--$o" || echo "$o"; done)
	none "every option is in the help" "$miss"
fi

# Nothing of one machine or of how the work was done.
leak=$(git grep -nIE '(^|[^A-Za-z0-9_.])/(work|farm|root|tmp/h)/[a-z.]' -- . ':!tests/house.sh')
none "no path of one machine" "$leak"
done_testing
