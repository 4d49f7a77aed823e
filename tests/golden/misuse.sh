#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Wrong use of every verb: one line that names what is wrong and says what is right, the right status, nothing run.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
G=$B/guest
wrong() { # STATUS REGEX ARGUMENTS...
	want=$1 re=$2
	shift 2
	timeout 20 "$V" "$@" >"$T/out" 2>"$T/err" </dev/null
	is "$*" "$? $(wc -l <"$T/err") $(wc -c <"$T/out")" "$want 1 0"
	like "$*: line" "$(cat "$T/err")" "^vsysemu: .*$re"
}
# Options behind operands.
wrong 125 'options come before operands: --trap=int0xcc stands behind time' explain time --trap=int0xcc
wrong 125 'options come before operands: --report=json stands behind 6\.1' models 6.1 --report=json
wrong 125 'options come before operands: --report=json' reproduce hot --report=json
wrong 2 'options come before operands: --report=json' scan "$G/hello" --report=json
wrong 2 'options come before operands: --report=json' check /dev/null --report=json
is "a program's own words are its own" "$("$V" -q /bin/echo x --report=json 2>&1)" "x --report=json"
: >"$T/--report"
is "a file may have an option's name" "$(cd "$T" && "$V" scan -- --report >/dev/null 2>&1; echo $?)" 0
# Told before anything runs.
wrong 125 "--kernels.*'6\.1,,3\.0'" compare --kernels=6.1,,3.0 "$G/hello"
wrong 125 "--kernels.*no kernel profile 'x'" compare --kernels=6.1,x "$G/hello"
wrong 125 '--kernels' compare --kernels= "$G/hello"
wrong 125 '--kernels' compare --kernels=6.1, "$G/hello"
for v in "compare $G/hello" "explain time" "reproduce hot" "calibrate " "models 6.1"; do
	# shellcheck disable=SC2086
	wrong 125 "cannot write '/no/such/file'" ${v%% *} -o /no/such/file ${v#* }
done
is "a kernel named twice is run once" "$("$V" compare --kernels=6.1,6.1 --report=csv -o - -q "$G/hello" 2>/dev/null | grep -c '^xonly,6.1,')" 1
wrong 125 'calibrate writes a profile' calibrate --report=html
wrong 125 '#GP, whose error code is 0' explain --trap=gp --error-code=3
wrong 125 '--rip' explain --rip=-1
wrong 125 'no such file' explain --follow=
wrong 125 'a directory' explain --follow=/
wrong 125 'NAME' models nope
wrong 125 'TABLE' reproduce nope
wrong 2 'column 1' check README.md
wrong 2 'exports no vsysemu_policy_decide' check --impl=/lib/x86_64-linux-gnu/libc.so.6
wrong 2 'files0-from' scan --files0-from=/no/such
wrong 125 'no PROGRAM' compare --each
wrong 125 'no PROGRAM' run --
done_testing
