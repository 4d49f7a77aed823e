#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The vDSO of every generation, under every clock source, agrees with the system calls and has the
# functions of its time; natively the same program finds this machine's.
. tests/tap.sh
guest=$B/guest/vdso-check
if $guest >"$T/native"; then ok "natively: $(cat "$T/native")"; else skip "natively" "$(cat "$T/native")"; fi
expect() {
	case $1 in
	2.6.*) echo "time 0, getres 0, getrandom 0: 0 wrong" ;;
	3.*|4.*) echo "time 1, getres 0, getrandom 0: 0 wrong" ;;
	5.3|6.1*) [ "$1" = 6.18 ] && echo "time 1, getres 1, getrandom 1: 0 wrong" || echo "time 1, getres 1, getrandom 0: 0 wrong" ;;
	*) echo "time 1, getres 1, getrandom 1: 0 wrong" ;;
	esac
}
for f in models/kernel/*.ini; do
	k=${f##*/} k=${k%.ini}
	for c in tsc hpet acpi_pm kvm-clock none; do
		is "$k, $c" "$("$V" -q --kernel="$k" --clocksource=$c -- "$guest" 2>&1)" "$(expect "$k")"
	done
done
is "time name space" "$("$V" -q --kernel=6.1 --timens=1000,2000 -- "$guest" 2>&1)" "$(expect 6.1)"
is "xen's clock" "$("$V" -q --kernel=6.1 --clocksource=xen -- "$guest" 2>&1)" "$(expect 6.1)"

# The data pages are the mappings they really are; those in no use raise SIGBUS.
pages() {
	"$V" -q --kernel="$1" -- cat /proc/self/maps |
		sed -n 's/^\([0-9a-f]*\)-\([0-9a-f]*\) \([^ ]*\) 0* 00:00 0  *\(\[v[vd].*\)/\1 \2 \3 \4/p' |
		while read -r a b c d; do printf '%s %d %s;' "$c" $(((0x$b - 0x$a) / 4096)) "$d"; done
}
like "maps of 2.6.32" "$(pages 2.6.32)" '^r-xp [12] \[vdso\];$'
like "maps of 3.16" "$(pages 3.16)" '^r--p 2 \[vvar\];r-xp [12] \[vdso\];$'
like "maps of 6.1" "$(pages 6.1)" '^r--p 4 \[vvar\];r-xp [12] \[vdso\];$'
like "maps of 6.18" "$(pages 6.18)" '^r--p 4 \[vvar\];r--p 2 \[vvar_vclock\];r-xp 2 \[vdso\];$'

# Every C library finds the functions it looks for.
calls() {
	"$V" -q --kernel="$1" --trace=vdso -- "$B/guest/clock-calls$2" 2>&1 |
		sed -n 's/.*\[vdso\] \([a-z_]*\)(.*/\1/p' | tr '\n' ' '
}
for k in 2.6.32 3.7 3.16 6.1 6.18; do
	[ $k = 2.6.32 ] && last= || last='time '
	is "glibc, $k" "$(calls $k "")" "clock_gettime gettimeofday $last"
	is "glibc dynamic, $k" "$(calls $k -dynamic)" "clock_gettime gettimeofday $last"
	if [ -x "$B/guest/clock-calls-musl" ]; then
		is "musl, $k" "$(calls $k -musl)" "clock_gettime clock_gettime clock_gettime "
	else
		skip "musl, $k" "no musl-gcc"
	fi
	if [ -x "$B/guest/clock-calls-diet" ]; then
		is "dietlibc, $k" "$(calls $k -diet)" "clock_gettime gettimeofday gettimeofday "
	else
		skip "dietlibc, $k" "no diet"
	fi
done

# A given image: ours of another generation, whose version is unknown outside a run; this machine's.
for c in tsc kvm-clock none; do
	if $guest dump >"$T/real" && "$V" -q --vdso="$T/real" -- "$guest" touch 0 >/dev/null 2>&1; then
		is "this machine's, $c" "$("$V" -q --kernel=6.1 --clocksource=$c --vdso="$T/real" -- "$guest" 2>&1)" \
			"$($guest)"
	else
		skip "this machine's, $c" "no vDSO or one of an unknown kernel"
	fi
done
"$V" -q --kernel=5.3 -- "$guest" dump >"$T/ours"
is "dump of 5.3 in 6.18" "$("$V" -q --kernel=6.18 --vdso="$T/ours" -- "$guest" 2>&1)" "$(expect 5.3)"
"$V" -q --kernel=2.6.32 -- "$guest" dump >"$T/old"
"$V" -q --vdso="$T/old" -- "$guest" >/dev/null 2>&1
is "of a kernel with data of its own: none" $? 1
head -c 1000 "$T/ours" >"$T/short"
echo text >"$T/text"
for f in short text nothing; do
	"$V" -q --vdso="$T/$f" -- "$guest" >"$T/out" 2>&1
	is "status with $f" $? 125
	is "one line for $f" "$(wc -l <"$T/out") $(grep -c "^vsysemu: --vdso: $T/$f: " "$T/out")" "1 1"
done
says() {
	"$V" -q "$@" 2>&1
}
refuses() {
	says "$@"
	[ $? -eq 125 ] || echo "but another status"
}
is "no time name space before 5.6" "$(refuses --kernel=4.4 --timens -- "$guest")" \
	"vsysemu: --timens: Linux 4.4.0 has no time namespaces (5.6 brought them)"

# What lies beside the image: the record can be read, pages in no use raise SIGBUS, none can be written.
touches() {
	for page; do says --kernel="$kernel" $source -- "$guest" touch "$page"; done | tr '\n' ';'
}
bus="SIGBUS code 2;"
kernel=6.1 source=
is "6.1: pages" "$(touches -4 -3 -2 -1)" "read;$bus$bus$bus"
source=--clocksource=kvm-clock
is "6.1: pages, kvm-clock" "$(touches -4 -3 -2 -1)" "read;read;$bus$bus"
source=--timens=1,2
is "6.1: pages in a name space" "$(touches -4 -3 -2 -1)" "read;$bus${bus}read;"
kernel=6.18 source=
is "6.18: pages" "$(touches -6 -5 -4 -3 -2 -1)" "read;${bus}read;$bus$bus$bus"
kernel=4.10
is "4.10: pages" "$(touches -2 -1)" "read;$bus"
for p in -4 0; do
	is "6.1: no store to page $p" "$(says --kernel=6.1 -- "$guest" store $p)" "SIGSEGV code 2"
done

# An image taken out of one kernel works in another: its data is laid out as its note says.
for k in 3.16 4.4 4.10 5.3 6.1 6.18; do
	says --kernel=$k -- "$guest" dump >"$T/image"
	is "image of $k as a file" "$(says --kernel=6.1 --vdso="$T/image" -- "$guest")" "$(expect $k)"
done
is "a file that is none" "$(refuses --vdso=Makefile -- "$guest")" \
	"vsysemu: --vdso: Makefile: not a 64-bit little-endian ELF file"
is "no file" "$(refuses --vdso="$T/nowhere" -- "$guest")" "vsysemu: --vdso: $T/nowhere: No such file or directory"
# Without an image the program finds none, and says so by its status.
"$V" -q --vdso=off -- "$guest" >/dev/null 2>&1
is "off" $? 1
done_testing
