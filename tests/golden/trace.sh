#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Filters of --trace, and the table of -c.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
G=$B/guest

# lines WORDS PROGRAM...: the trace's call lines in $T/err.
lines() {
	w=$1
	shift
	timeout 60 "$V" -q --mode=emulate --kernel=6.1 --trace="$w" -- "$@" >"$T/out" 2>"$T/raw" </dev/null
	grep -v '+++' "$T/raw" >"$T/err"
}
n() { grep -c "$@" "$T/err"; }
total() { wc -l <"$T/err" | tr -d ' '; }

lines vsyscall "$G/old-date"
is "vsyscall: all three" "$(n '^\[vsys\]') $(total)" "3 3"
lines call=time "$G/old-date"
is "call=: one name" "$(n 'time(') $(n gettimeofday) $(total)" "2 0 2"
lines call=time,call=gettimeofday "$G/old-date"
is "call= twice: either" "$(total)" 3
lines call=write "$G/old-date"
is "call=: a system call" "$(n '^\[sys\]  write(1') $(total)" "1 1"
lines path=vdso "$G/t02-fsmark-vdso" 5
is "path=vdso" "$(n '^\[vdso\]') $(total)" "10 10"
lines path=vsyscall,path=syscall "$G/t02-fsmark" 5
is "path= twice: either" "$(($(n '^\[vsys\]') == 10 && $(n '^\[sys\]') + 10 == $(total)))" 1
lines path=vdso,call=write "$G/t02-fsmark-vdso" 5
is "filters of two keys must both hold" "$(total)" 0
lines addr=0xffffffffff600000 "$G/old-date"
is "addr=: an entry" "$(n gettimeofday) $(total)" "1 1"
lines addr=ffffffffff600000-ffffffffff600fff "$G/old-date"
is "addr=: a range" "$(total)" 3
lines vsyscall "$G/t02-fsmark" 2
ret=$(sed -n '1s/.*@\(0x[0-9a-f]*\).*/\1/p' "$T/err")
lines "addr=$ret" "$G/t02-fsmark" 2
is "addr=: a return address" "$(n "@$ret ") $(total)" "2 2"
lines sym=main "$G/t02-fsmark" 3
is "sym=: the caller's function" "$(n '^\[vsys\]') $(total)" "6 6"
lines sym=no_such "$G/t02-fsmark" 3
is "sym=: another" "$(total)" 0
lines sym=gettimeofday,vsyscall /bin/sh -c "$G/old-date; exit 0"
is "sym=: after an execve" "$(n 'gettimeofday({') $(total)" "1 1"
lines signal,call=time "$G/t03-midpage"
is "a word beside a filter" "$(($(n SIG) > 0))" 1

for w in foo path=x path=signal call=nope addr=zz addr=2-1 sym= vsyscall, =; do
	timeout 20 "$V" --trace="$w" "$G/hello" >"$T/out" 2>"$T/err" </dev/null
	is "wrong: $w" "$? $(total) $(n -e --trace)" "125 1 1"
done

# table ARGUMENTS...: -c in $T/err.
table() { timeout 60 "$V" -q --mode=emulate --kernel=6.1 "$@" >"$T/out" 2>"$T/err" </dev/null; }
table -c "$G/t02-fsmark" 100
is "-c: head" "$(sed -n 1p "$T/err")" "% time     seconds  usecs/call     calls    errors syscall"
is "-c: calls" "$(awk '/gettimeofday \[vsys\]$/ { print $4 }' "$T/err")" 200
is "-c: total is the sum" "$(sed '/total/d' "$T/err" | awk '$4 + 0 { s += $4 } END { print s }')" \
	"$(awk '/total/ { print $4 }' "$T/err")"
is "-c: no lines" "$(n '^\[')" 0
table -c --trace=path=vsyscall -- /bin/sh -c "$G/old-date; $G/old-date"
is "-c: of all processes, filtered" "$(awk '/total/ { print $4 }' "$T/err")" 6
table -c --trace=call=openat -- /bin/sh -c "exec /bin/cat /no/such 2>/dev/null"
is "-c: errors" "$(awk '/openat$/ { print ($5 >= 1) }' "$T/err")" 1
done_testing
