#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `make programs`: python3 and perl run their own regression tests; every test must end as it does natively on this
# machine.  Python's come with libpython3.N-testsuite; perl's lie in t of its source: PERL_T=DIR names it,
# otherwise apt-get source is tried.  What is absent is skipped with the reason.  LIMIT = seconds a file (120),
# TOTAL = seconds for all of a language (1800); PYTHON_LEAST and PERL_LEAST = files that must have been compared (40, 100).
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
export V PYTHON PERL LIMIT
LIMIT=${LIMIT:-120}
TOTAL=${TOTAL:-1800}
PYTHON=/usr/bin/python3
PERL=/usr/bin/perl
one=$PWD/tests/programs/one.sh
modules="abc array base64 binascii bisect bool builtin bytes cmath codecs collections configparser contextlib copy csv datetime
deque dict difflib enum fcntl fileio float fnmatch format fractions functools generators glob grammar hashlib heapq hmac
htmlparser int itertools list math mmap opcodes operator pipes poll posix pwd queue random re resource select selectors set
shelve shlex shutil signal sort stat string struct syslog tempfile textwrap timeit tuple wait3 wait4 zlib"

# told FILE LEAST: the lines of one.sh as TAP; at least LEAST files must have been compared
told() {
	while read -r verdict rest; do
		case $verdict in
		same) ok "$rest" ;;
		differs) not_ok "$rest" ;;
		skip) skip "${rest%%:*}" "${rest#*: }" ;;
		esac
	done <"$1"
	n=$(grep -c '^same' "$1")
	[ "$n" -ge "$2" ] && ok "$n files behave as natively" || not_ok "only $n of $2 files behave as natively"
}

if "$PYTHON" -c 'import test.test_abc' 2>/dev/null; then
	for m in $modules; do echo "test_$m"; done | timeout "$TOTAL" xargs -P 2 -n 1 "$one" python >"$T/python"
	told "$T/python" "${PYTHON_LEAST:-40}"
else
	skip python3 "no tests of its own here (libpython3-testsuite)"
fi

# A tree as the tests expect it: t, and beside it lib, which is the installed one's.
perl_tree() {
	t=$PERL_T
	if [ -z "$t" ]; then
		(cd "$T" && apt-get -q source --download-only perl >/dev/null 2>&1 && tar xf perl_*.orig.tar.xz) || return 1
		t=$(ls -d "$T"/perl-*/t)
	fi
	mkdir -p "$T/p/lib" && cp -r "$t" "$T/p/t" || return 1
	"$PERL" -e 'print "$_\n" for grep { -d } @INC' | while read -r d; do cp -rsn "$d/." "$T/p/lib/" 2>/dev/null; done
	ln -sf "$PERL" "$T/p/t/perl"
}
if perl_tree; then
	(cd "$T/p/t" && ls base/*.t cmd/*.t op/*.t) | TREES=$T timeout "$TOTAL" xargs -P 2 -n 1 "$one" perl >"$T/perl"
	told "$T/perl" "${PERL_LEAST:-100}"
else
	skip perl "its source cannot be had (PERL_T=DIR names its folder t)"
fi
done_testing
