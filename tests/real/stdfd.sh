#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Started without standard input, output or error: the program sees what it sees natively, its status
# comes through, and nothing that we say lands in a file that the program opened in that place.
. tests/tap.sh

# What the shell prints through 9 of what is open, and what it can still say.
prog='for i in 0 1 2 3 4 5 6 7; do [ -e /proc/self/fd/$i ] && echo open $i; done >&9; echo out; echo err >&2; read x; echo "read $? " >&9; exit 3'
# closed NAME REDIRECTIONS [OPTION...]: natively and emulated, with descriptors of one and the same kind
closed() {
	name=$1 how=$2
	shift 2
	for w in n e; do
		run="sh -c '$prog'"
		[ $w = e ] && run="timeout 60 \"$V\" $* -- $run"
		(
			exec 9>"$T/9" </dev/null >"$T/1" 2>"$T/2"
			eval "$run $how"
		)
		echo "status $?" >>"$T/9"
		for f in 9 1 2; do mv "$T/$f" "$T/$w.$f"; done
	done
	sed -i "/^vsysemu /,\$d;/^\$/d" "$T/e.2"
	for f in 9 1 2; do
		is "$name: descriptor $f" "$(cat "$T/e.$f")" "$(cat "$T/n.$f")"
	done
}
for o in -q --report=text --report=json; do
	for how in '0<&-' '1>&-' '2>&-' '0<&- 1>&-' '0<&- 2>&-' '1>&- 2>&-' '0<&- 1>&- 2>&-'; do
		case $o$how in --report=json*2*) ;; --report=json*) continue ;; esac
		closed "$how $o" "$how" $o
	done
done

# The program's first file takes the number: the report and the log must not follow it there.
"$V" --mode=none "$B/guest/hello" 2>&-
is "a death that cannot be told" $? "$("$V" --mode=none "$B/guest/hello" >/dev/null 2>&1; echo $?)"
timeout 60 "$V" --mode=none --strace sh -c "exec 2>$T/f; echo mine >&2" >"$T/o" 2>&-
is "status" $? 0
is "the file is the program's alone" "$(cat "$T/f")" mine
timeout 60 "$V" --strace -o - true >&- 2>"$T/e"
is "a report asked for on a closed output is trouble" $? 125
like "which is told" "$(tail -n 1 "$T/e")" "^vsysemu: cannot write to standard output: "
a=$(timeout 60 "$V" compare true 2>&-; echo $?)
is "compare without standard error" "$a" 0
done_testing
