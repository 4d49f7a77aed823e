#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Build fs_mark 3.3 for the fsmark table of `reproduce`: static with the stubs of an old C library, and dynamic.
# Its source: $FSMARK (a directory with fs_mark.c), else Debian's source package fsmark, fetched by apt-get with
# lists of its own, so that the system's stay as they are.  Runs it, before and after the change, and writes the
# table for docs/models.md.  Says why and ends with 0 where the source cannot be had.
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
out=$B/guest/bench
src=${FSMARK:-}
work=$B/fsmark
skip() { echo "fs_mark: skipped: $1"; exit 0; }
if [ -z "$src" ] && [ ! -f "$work/src/fs_mark.c" ]; then
	command -v apt-get >/dev/null || skip "no apt-get to fetch its source; FSMARK=DIR names one"
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/src" || exit 1
	work=$(cd "$work" && pwd)
	release=$(. /etc/os-release && echo "$VERSION_CODENAME")
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$key" ] || skip "no $key to check its source with; FSMARK=DIR names one"
	echo "deb-src [signed-by=$key] http://deb.debian.org/debian $release main" >"$work/sources.list"
	apt() {
		timeout 120 apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
			-o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" "$@"
	}
	(cd "$work" && apt update && apt source --download-only fsmark) >"$work/log" 2>&1 ||
		skip "its source cannot be fetched ($(tail -n 1 "$work/log")); FSMARK=DIR names one"
	tar xzf "$work"/fsmark_3.3.orig.tar.gz -C "$work/src" --strip-components=1 || skip "its source cannot be unpacked"
fi
src=${src:-$work/src}
[ -f "$src/fs_mark.c" ] || skip "no fs_mark.c in $src"
flags="-O2 -std=gnu89 -w -D_FILE_OFFSET_BITS=64 -fcf-protection=none"
mkdir -p "$out"
${CC:-gcc} $flags -fno-pie -no-pie -static -o "$out/fs_mark" "$src/fs_mark.c" "$src/lib_timing.c" guest/old-stubs.S &&
	${CC:-gcc} $flags -o "$out/fs_mark-dynamic" "$src/fs_mark.c" "$src/lib_timing.c" ||
	skip "it does not compile here"
./vsysemu reproduce --report=json fsmark >"$B/fsmark.json" || exit 1
jq -r '"| row | published | simulated | error |", "|---|---|---|---|", (.rows[] |
	"| \(.row) | \(.published) \(.unit) | \(.simulated * 10 | round / 10) | \(.error * 100 | round) % |")' \
	"$B/fsmark.json" >"$B/fsmark.md" && cp "$B/fsmark.md" docs/parts/fsmark.md && cat docs/parts/fsmark.md
echo "fs_mark: $out/fs_mark (static, old stubs) and $out/fs_mark-dynamic"
