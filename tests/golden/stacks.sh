#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Call sites with the stacks of their callers, in programs of all kinds, with and without debug information.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
CC=${CC:-cc}
G=guest/stacks.c

# stacks NAME: "count callers" of the site, most calls first, from the JSON report of $T/NAME.
stacks() {
	p=$1
	shift
	timeout 60 "$V" -q --report=json -o "$T/json" "$T/$p" "$@" >"$T/out" 2>"$T/err" </dev/null || cat "$T/err" >&2
	jq -r '.call_sites[] | .symbol as $s | .stacks[] | "\(.count) " + ([.frames[].symbol // "?"] | join("<"))' "$T/json"
}
expect() { # NAME
	like "$1: plain frames" "$(cat "$T/s")" '^40 site<plain<main<'
	like "$1: a frame pointer" "$(cat "$T/s")" '^20 site<framed<main<'
	like "$1: a signal handler" "$(cat "$T/s")" '^1 site<handler<__restore_rt<.*<main<'
	like "$1: a call-back of the C library" "$(cat "$T/s")" '^1 site<compare<.*qsort.*<main<'
	like "$1: a child" "$(cat "$T/s")" '^5 site<child<main<'
}
build() { # NAME FLAGS...
	n=$1
	shift
	# shellcheck disable=SC2086
	$CC -g -w "$@" -o "$T/$n" $G -ldl 2>"$T/err" || cat "$T/err" >&2
}
build static -O2 -static
build pie -O2
build nopie -O0 -no-pie
build pointers -O2 -fno-omit-frame-pointer -static
build optimized -O3
build library -O2 -shared -fPIC -DLIBRARY
for n in static pie nopie pointers optimized; do
	stacks $n >"$T/s"
	expect $n
done

# Each call has its stack, and all are there.
is "the counts of stacks add up" "$(jq '[.call_sites[].stacks[].count] | add' "$T/json")" \
	"$(jq '.counts.vsyscalls' "$T/json")"
is "and the cycles" "$(jq '([.call_sites[].stacks[].cycles] | add) as $s | ([.calls[] | select(.path == "vsyscall") | .cycles] | add) - $s | . >= 0 and . < 16' "$T/json")" true
"$V" -q --report=json -o "$T/again" "$T/optimized" </dev/null >/dev/null 2>&1
is "the same in each run" "$(jq -S .call_sites "$T/again" | cksum)" "$(jq -S .call_sites "$T/json" | cksum)"
line=$(grep -n 'site(n) + 1;' $G | cut -d: -f1)
stacks pie >"$T/s"
is "lines of callers" "$(jq '[.call_sites[].stacks[].frames[] | select(.symbol == "plain") | .line] | unique | .[]' "$T/json")" "$line"
like "the text form" "$("$V" "$T/pie" 2>&1 </dev/null)" "by +40 +[0-9]+ +< plain \(stacks\.c:$line\) < main"

# A library that is gone when the report is written; children that are another program.
stacks pie "$T/library" >"$T/s"
like "a closed library" "$(cat "$T/s")" '^3 library_calls<library<main<'
is "its file" "$(jq -r '.call_sites[] | select(.symbol == "library_calls") | .object' "$T/json")" "$(realpath "$T/library")"
timeout 60 "$V" -q --report=json -o "$T/json" -- /bin/sh -c "$T/pie; $T/nopie; exit 0" </dev/null >/dev/null 2>&1
is "programs that replaced others" "$(jq -r '[.call_sites[].symbol] | unique | .[]' "$T/json")" site
is "each its own" "$(jq -r '[.call_sites[].object] | unique | length' "$T/json")" 2

# Stripped: names from the dynamic symbols, lines from elsewhere.
cp "$T/pie" "$T/bare"
strip -s "$T/bare"
stacks bare >"$T/s"
is "stripped: all calls are there" "$(awk '{ n += $1 } END { print n }' "$T/s")" "$(jq '.counts.vsyscalls' "$T/json")"
is "stripped: no line is made up" "$(jq '[.call_sites[].line] | add' "$T/json")" 0
cp "$T/pie" "$T/split"
objcopy --only-keep-debug "$T/split" "$T/split.debug"
strip -s "$T/split"
(cd "$T" && objcopy --add-gnu-debuglink=split.debug split)
stacks split >"$T/s"
expect "separate debug information"
mkdir "$T/.debug" && mv "$T/split.debug" "$T/.debug/"
stacks split >"$T/s"
like "in .debug" "$(cat "$T/s")" '^40 site<plain<main<'
printf x >>"$T/.debug/split.debug"
stacks split >"$T/s"
is "not one of another build" "$(grep -c plain "$T/s")" 0

# Code without tables: the stubs of old libraries.
for p in old-date old-date-musl old-date-diet; do
	timeout 60 "$V" -q --report=json -o "$T/json" "$B/guest/$p" >/dev/null 2>&1 </dev/null
	like "$p: who called the stub" "$(jq -r '.call_sites[].stacks[] | [.frames[].symbol // "?"] | join("<")' "$T/json")" '^time<main<'
done

# Why it died.
"$V" --mode=none "$T/pie" >/dev/null 2>"$T/err" </dev/null
is "death: status" $? 139
like "death: what it means" "$(cat "$T/err")" '^meaning +it called the vsyscall page'
like "death: callers" "$(cat "$T/err")" '^callers +plain \(stacks.c:[0-9]+\) < main \(stacks.c:[0-9]+\) < '
printf 'int f(int *p) { return *p; }\nint main(int c, char **v) { return f((int *)(long)c) + 1; }\n' >"$T/seg.c"
$CC -g -O1 -fno-inline -o "$T/seg" "$T/seg.c"
"$V" "$T/seg" 2>"$T/err"
like "another death: not the page's" "$(cat "$T/err")" '^meaning +not the vsyscall page: f\+0'
like "another death: callers" "$(cat "$T/err")" '^callers +f \(seg.c:1\) < main \(seg.c:2\) < '
done_testing
