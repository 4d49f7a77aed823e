#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One file of a language's own tests, natively and in vsysemu: "same NAME", "differs NAME: HOW" or "skip NAME: WHY".
# Usage: one.sh python MODULE | perl FILE.  V = vsysemu, PYTHON, PERL, LIMIT = seconds; TREES = folder that has p/t and p/lib.
kind=$1 name=$2
T=$(mktemp -d ${TREES:+-p "$TREES"}) || exit 1
trap 'rm -rf "$T"' EXIT
# What is compared: the verdict on each test and how many there were; not times, names of files and the like.
python_verdicts() {
	sed -n 's/^\([A-Za-z_0-9]* ([A-Za-z_0-9.]*)\) \.\.\. \(ok\|FAIL\|ERROR\|skipped\).*/\1 \2/p;s/^\(Ran [0-9]* tests*\).*/\1/p;/^Tests result/p' "$1" | sort
}
perl_verdicts() {
	grep -E '^ *(ok|not ok|1\.\.)' "$1" | sed 's/0x[0-9a-f]*//g;s/ [0-9]*$//'
}
run() {
	case $kind in
	python) timeout -k 5 "$LIMIT" "$@" "$PYTHON" -m test -v "$name" ;;
	perl) # process ids, which name scratch files, are the same in every emulated run: a tree for each
		rm -rf "$T/p" && cp -al "$TREES/p" "$T/p" && (cd "$T/p/t" && timeout -k 5 "$LIMIT" "$@" "$PERL" "$name") ;;
	esac
}
export TMPDIR="$T"
run env >"$T/n" 2>"$T/n.err" </dev/null
n=$?
[ $n -eq 124 ] && { echo "skip $name: too slow natively"; exit 0; }
grep -q '^ModuleNotFoundError: No module named .test\.' "$T/n" "$T/n.err" && { echo "skip $name: not here"; exit 0; }
run "$V" -q --epoch=now -- >"$T/e" 2>"$T/e.err" </dev/null
e=$?
[ $e -eq 124 ] && { echo "skip $name: more than $LIMIT s"; exit 0; }
[ $e -eq $n ] || { echo "differs $name: status natively $n, emulated $e"; exit 0; }
d=$(for w in n e; do ${kind}_verdicts "$T/$w" >"$T/$w.v"; done; diff "$T/n.v" "$T/e.v" | grep '^[<>]' | head -n 3 | tr '\n' ' ')
[ -z "$d" ] && echo "same $name" || echo "differs $name: $d"
