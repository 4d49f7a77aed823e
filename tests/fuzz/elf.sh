#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files with mutated headers: refused with a line or run to an end, never a crash or a hang.
# One case again: tests/fuzz/elf.sh NUMBER
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
cc -O2 -Wall -Wextra -o "$T/fuzz" tests/fuzz/fuzz.c || exit 1
seeds=
for g in start start-pie hello-musl hello-dynamic old-date-diet; do
	[ -x "$B/guest/$g" ] && seeds="$seeds $B/guest/$g"
done
if [ -n "$1" ]; then
	"$T/fuzz" elf "$V" "$T" "$1" 1 $seeds
	cat "$T/log"
	exit
fi
count=300
[ -n "$SOAK" ] && count=10000
if "$T/fuzz" elf "$V" "$T" 1 $count $seeds >"$T/out"; then
	ok "$count mutated ELF files"
else
	not_ok "$count mutated ELF files"
	tail -n 20 "$T/out" | sed 's/^/# /'
fi
done_testing
