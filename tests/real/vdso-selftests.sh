#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's own selftests of the vDSO, built from Debian's linux-source-6.1, under every generation of the
# vDSO and several clock sources; and every C library that is here, and Go, under every generation.
. tests/tap.sh
dir=$B/selftests

# generation KERNEL[/KEY:RELEASE]: a profile, or one with the vDSO of a release that has none
all="2.6.32 3.0 3.1 3.5 3.7 3.7/d:3.10.0 3.16/e:3.15.0 3.16 4.4/e:4.5.0 4.4/e:4.7.0 4.10 4.17 5.3 6.1 6.1/h:6.12.0 6.1/h:6.14.0 6.18"
options() {
	case $1 in
	*/*) set -- "${1%/*}" "${1#*/}"; echo "--kernel=$1 --set kernel.vdso=${2%:*} --set kernel.release=${2#*:}" ;;
	*) echo "--kernel=$1" ;;
	esac
}
# in_generation OPTION... -- PROGRAM: status in $rc, output in $T/out
in_generation() {
	# shellcheck disable=SC2046
	timeout 60 "$V" -q $(options "$g") "$@" >"$T/out" 2>&1 </dev/null
	rc=$?
}
# How many of the 16 cases vdso_test_abi finds a function for.
cases() {
	case $1 in
	2.6.*) echo 8 ;;
	3.*|4.*) echo 9 ;;
	*) echo 16 ;;
	esac
}
# passes NAME WORDS: the program just run ended well and said so
passes() {
	if [ $rc -eq 0 ] && grep -Eq -- "$2" "$T/out" && ! grep -Eq '^\[FAIL\]|^not ok' "$T/out"; then
		ok "$1"
	else
		not_ok "$1: status $rc"
		tail -n 4 "$T/out" | sed 's/^/# /'
	fi
}
selftests() {
	in_generation "$@" -- "$dir/vdso_test_abi"
	passes "vdso_test_abi, $g $*" "pass:$(cases "$g") fail:0"
	in_generation "$@" -- "$dir/vdso_test_gettimeofday"
	passes "vdso_test_gettimeofday, $g $*" "The time is 1700000000"
	in_generation "$@" -- "$dir/vdso_test_getcpu"
	passes "vdso_test_getcpu, $g $*" "Running on CPU 0 node 0"
	in_generation "$@" -- "$dir/vdso_standalone_test_x86"
	passes "vdso_standalone_test_x86, $g $*" "The time is +1700000000"
	in_generation "$@" -- "$dir/vdso_test_correctness"
	passes "vdso_test_correctness, $g $*" "Testing clock_gettime for clock CLOCK_MONOTONIC"
	in_generation "$@" -- "$dir/vdso_test_clock_getres"
	passes "vdso_test_clock_getres, $g $*" "PASS"
}
B=$B "$(dirname "$0")/../selftests/build.sh" vdso >"$T/build" 2>&1
if [ -x "$dir/vdso_test_abi" ]; then
	for g in $all; do
		for source in tsc hpet kvm-clock none; do
			[ -n "$SOAK" ] || [ $source = tsc ] || case $g in 2.6.32|3.7|4.10|6.1|6.18) ;; *) continue ;; esac
			selftests --clocksource=$source
		done
	done
	for g in 6.1 6.1/h:6.12.0 6.1/h:6.14.0 6.18; do selftests --timens=1000,2000; done
else
	skip "the kernel's selftests of the vDSO" "$(tail -n 1 "$T/build")"
fi

# The last three time calls and where they went.  (A static glibc has made system calls before it knew the vDSO.)
last_three() {
	sed -n 's/^\[\(vdso\|sys\)\] *\(gettimeofday\|time\|clock_gettime\)(.*/\1:\2/p' "$T/out" | tail -n 3 | tr '\n' ' '
}
# finds LIBRARY PROGRAM WITH WITHOUT: its calls with and without a vDSO
finds() {
	in_generation --trace=vdso,syscall -- "$2"
	is "$1 finds the vDSO of $g" "$rc $(last_three)" "0 $3"
	in_generation --vdso=off --trace=vdso,syscall -- "$2"
	is "$1 without it, $g" "$rc $(last_three)" "$4"
}
for g in $all; do
	case $g in 2.6.*) seconds=sys:time ;; *) seconds=vdso:time ;; esac
	for form in "" -dynamic; do
		finds "glibc$form" "$B/guest/clock-calls$form" "vdso:clock_gettime vdso:gettimeofday $seconds " \
			"0 sys:clock_gettime sys:gettimeofday sys:time "
	done
	if [ -x "$B/guest/clock-calls-musl" ]; then
		finds musl "$B/guest/clock-calls-musl" "vdso:clock_gettime vdso:clock_gettime vdso:clock_gettime " \
			"0 sys:clock_gettime sys:clock_gettime sys:clock_gettime "
	fi
	if [ -x "$B/guest/clock-calls-diet" ]; then
		# Without a vDSO it searches an image at what happens to be there, and dies of it (also in
		# qemu-x86_64, which has none).
		finds dietlibc "$B/guest/clock-calls-diet" "vdso:clock_gettime vdso:gettimeofday vdso:gettimeofday " "139 "
	fi
done
[ -x "$B/guest/clock-calls-musl" ] || skip musl "no musl-gcc"
[ -x "$B/guest/clock-calls-diet" ] || skip dietlibc "no diet"

# Go looks the functions up itself; without them it reads the clock by system calls.
if command -v go >/dev/null; then
	mkdir "$T/go"
	printf 'package main\nimport ("fmt"; "time")\nfunc main() { a := time.Now(); b := time.Since(a); fmt.Println(b >= 0) }\n' >"$T/go/t.go"
	HOME=$T GOCACHE=${TMPDIR:-/tmp}/vsysemu-go-$(id -u) GO111MODULE=off go build -o "$T/go/t" "$T/go/t.go" 2>"$T/go/err"
fi
if [ -x "$T/go/t" ]; then
	for g in 2.6.32 3.7 4.10 5.3 6.1 6.1/h:6.12.0 6.18; do
		in_generation --trace=vdso,syscall -- "$T/go/t"
		is "Go finds the vDSO of $g" "$rc $(last_three)" "0 vdso:clock_gettime vdso:clock_gettime vdso:clock_gettime "
		in_generation --vdso=off --trace=vdso,vsyscall,syscall -- "$T/go/t"
		like "Go without it, $g" "$rc $(last_three)" '^0 (sys:[a-z_]* )*$'
	done
else
	skip Go "no go"
fi
done_testing
