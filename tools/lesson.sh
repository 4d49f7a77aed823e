#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Make the lesson from its source on standard input: a line `@explain ARGS` becomes what `vsysemu explain
# ARGS` prints, `@steps ARGS` only its numbered lines, `@figure ARGS` a bar a step, `@run ARGS` what a run
# prints on both outputs, `@lines PATTERN ARGS` those lines of it that match, `@vsysemu ARGS` what any verb prints, `@@`
# nothing.  Usage: V=./vsysemu B=build tools/lesson.sh <docs/trap-path.md.in
V=${V:-./vsysemu}
B=${B:-build}
figure() {
	"$V" explain "$@" | awk '
		BEGIN { n = 0 }
		/^ *[0-9]+ [a-z]+ +[0-9.]+ +[0-9.]+  / { cycles[n] = $3; part[n] = $2; t = $0
			sub(/^ *[0-9]+ [a-z]+ +[0-9.]+ +[0-9.]+  /, "", t); sub(/  << .*/, "", t); title[n++] = t; sum += $3 }
		END { for (i = 0; i < n; i++) { bar = ""; for (k = 0; k < cycles[i] / 25; k++) bar = bar "#"
				printf "%-8s %8.2f  %s%s%s\n", part[i], cycles[i], bar, bar == "" ? "" : "  ", title[i] }
			printf "%-8s %8.2f  (a # is 25 cycles)\n", "sum", sum }'
}
# Where it was made is nobody's business.
here=$(cd "$B/guest" && pwd)
while IFS= read -r line; do
	set -f
	# shellcheck disable=SC2086
	set -- $line
	word=$1
	[ $# -gt 0 ] && shift
	case $word in
	@@) ;;
	@explain | @steps | @figure | @run | @lines | @vsysemu)
		echo '```'
		pattern=
		[ "$word" = @lines ] && { pattern=$1; shift; }
		case $word in
		@run | @vsysemu) echo "$ vsysemu $*" ;;
		@lines) echo "$ vsysemu $* | grep '$pattern'" ;;
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
		@lines) (cd "$B/guest" && "$OLDPWD/$V" "$@" 2>&1) | grep -e "$pattern" | sed "s|$here/|./|g" ;;
		@vsysemu) (cd "$B/guest" && "$OLDPWD/$V" "$@" 2>&1) ;;
		esac
		echo '```'
		;;
	*) printf '%s\n' "$line" ;;
	esac
done
