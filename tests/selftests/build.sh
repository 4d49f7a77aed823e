#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's own selftests of what we emulate, built from Debian's linux-source-6.1 into $B/selftests.
# Nothing of them is kept in this tree.  Status 0 also when the package is not there.  "vdso": those of the
# vDSO and of time name spaces alone.
B=${B:-build}
tar=/usr/src/linux-source-6.1.tar.xz
out=$B/selftests
top=linux-source-6.1
if ! [ -r $tar ]; then
	echo "selftests: install linux-source-6.1 to have the kernel's selftests"
	exit 0
fi
mkdir -p "$out" || exit 1
if ! [ -d "$out/$top/tools/testing/selftests/timens" ]; then
	echo "selftests: unpacking"
	tar -xf $tar -C "$out" --wildcards "$top/tools/testing/selftests/x86/*" \
		"$top/tools/testing/selftests/vDSO/*" "$top/tools/testing/selftests/timens/*" "$top/tools/testing/selftests/sigaltstack/*" \
		"$top/tools/testing/selftests/kselftest*.h" "$top/arch/x86/include/asm/desc_defs.h" || exit 1
fi
src=$out/$top/tools/testing/selftests
cc=${CC:-cc}
bad=0
# build NAME DIR SOURCES... -- FLAGS...
build() {
	name=$1 dir=$2
	shift 2
	files=
	while [ "$1" != -- ]; do
		files="$files $src/$dir/$1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	$cc -O2 -std=gnu99 -w -I"$src/$dir" $files -o "$out/$name" "$@" 2>"$out/$name.err" || {
		echo "selftests: $name: $(head -n 1 "$out/$name.err")"
		bad=1
	}
}
build vdso_test_gettimeofday vDSO parse_vdso.c vdso_test_gettimeofday.c --
build vdso_test_getcpu vDSO parse_vdso.c vdso_test_getcpu.c --
build vdso_test_abi vDSO parse_vdso.c vdso_test_abi.c --
build vdso_test_clock_getres vDSO vdso_test_clock_getres.c --
build vdso_test_correctness vDSO vdso_test_correctness.c -- -ldl
build vdso_standalone_test_x86 vDSO vdso_standalone_test_x86.c parse_vdso.c -- -O0 -nostdlib \
	-fno-asynchronous-unwind-tables -fno-stack-protector
for t in gettime_perf timens clock_nanosleep timer timerfd procfs exec futex; do
	build timens_$t timens $t.c -- -lrt -ldl -pthread
done
[ "$1" = vdso ] && exit $bad
for t in sigreturn syscall_arg_fault single_step_syscall sigaltstack sysret_rip syscall_numbering \
	syscall_nt sigtrap_loop test_mremap_vdso fsgsbase; do
	build $t x86 $t.c -- -no-pie -pthread -lrt -ldl
done
build test_vsyscall x86 test_vsyscall.c -- -no-pie -ldl
build test_vsyscall_static x86 test_vsyscall.c -- -no-pie -static -ldl
build check_initial_reg_state x86 check_initial_reg_state.c -- -no-pie -static -Wl,-ereal_start
build sas sigaltstack sas.c --
exit $bad
