#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Make the lesson from its source on standard input: a line `@explain ARGS` becomes what `vsysemu explain
# ARGS` prints, `@steps ARGS` only its numbered lines, `@figure ARGS` a bar a step, `@run ARGS` what a run
# prints on both outputs, `@@` nothing.  Usage: V=./vsysemu B=build tools/lesson.sh <docs/trap-path.md.in
V=${V:-./vsysemu}
B=${B:-build}
figure() {
	"$V" explain "$@" | awk '
		/^ *[0-9]+ [a-z]+ +[0-9.]+ +[0-9.]+  / { cycles[n] = $3; part[n] = $2; t = $0
			sub(/^ *[0-9]+ [a-z]+ +[0-9.]+ +[0-9.]+  /, "", t); sub(/  << .*/, "", t); title[n++] = t; sum += $3 }
		END { for (i = 0; i < n; i++) { bar = ""; for (k = 0; k < cycles[i] / 25; k++) bar = bar "#"
				printf "%-8s %8.2f  %s%s%s\n", part[i], cycles[i], bar, bar == "" ? "" : "  ", title[i] }
			printf "%-8s %8.2f  (a # is 25 cycles)\n", "sum", sum }'
}
while IFS= read -r line; do
	set -f
	# shellcheck disable=SC2086
	set -- $line
	word=$1
	[ $# -gt 0 ] && shift
	case $word in
	@@) ;;
	@explain | @steps | @figure | @run)
		echo '```'
		case $word in
		@run) echo "$ vsysemu $*" ;;
		*) echo "$ vsysemu explain $*" ;;
		esac
		case $word in
		@explain) "$V" explain "$@" ;;
		@steps) "$V" explain "$@" | grep -E '^ *[0-9]+ [a-z]+ +[0-9.]+ +[0-9.]+  |^[a-zA-Z].*: [0-9.]+ cycles' ;;
		@figure) figure "$@" ;;
		@run)
			(cd "$B/guest" && "$OLDPWD/$V" "$@" 2>&1)
			echo "(exit status $?)"
			;;
		esac
		echo '```'
		;;
	*) printf '%s\n' "$line" ;;
	esac
done
