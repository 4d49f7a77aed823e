#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Environment twins: they work, the command line wins whatever they hold, and an error names the variable.
. tests/tap.sh
G=$B/guest/hello
is "a twin works" "$(VSYSEMU_REPORT=json "$V" -o - "$G" 2>/dev/null | grep -c '"schema": "vsysemu.report/1"')" 1
for t in MODE=foo TRAP=foo REPORT=foo COLOR=foo SEED=x KERNEL=9.9 TIMEOUT=-1 EPOCH=never MAX_INSNS=0; do
	name=VSYSEMU_${t%%=*}
	err=$(env "VSYSEMU_$t" "$V" -q "$G" 2>&1 >/dev/null)
	case $err in
	"vsysemu: $name "*|"vsysemu: $name:"*) ok "$name is named" ;;
	*) not_ok "$name is named"; echo "# $err" ;;
	esac
done
for t in MODE=foo:--mode=none TRAP=foo:--trap=page-fault SEED=x:--seed=3 KERNEL=9.9:--kernel=6.1 \
	COLOR=foo:--color=never TIMEOUT=-1:--timeout=20; do
	env "VSYSEMU_${t%%:*}" "$V" -q "${t#*:}" "$G" >/dev/null 2>"$T/err"
	is "${t#*:} wins over ${t%%:*}" "$(cat "$T/err")" ""
done
env VSYSEMU_SET=cpu.nothing=1 "$V" -q "$G" >/dev/null 2>"$T/err"
is "status" $? 125
is "the guest sees no twin" "$(VSYSEMU_SEED=1 "$V" -q -- env | grep -c VSYSEMU_)" 0
done_testing
