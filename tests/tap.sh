# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by shell tests: a little TAP.  V = the program, B = build directory, T = a scratch folder.
V=${VSYSEMU:-$PWD/vsysemu}
B=${B:-build}
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
tap_n=0 tap_bad=0
ok() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $*"; }
not_ok() { tap_n=$((tap_n + 1)); tap_bad=1; echo "not ok $tap_n - $*"; }
skip() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1 # SKIP $2"; }
# is NAME GOT WANT
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; printf '%s\n' "got:  $2" "want: $3" | sed 's/^/# /' | head -n 20; fi; }
# like NAME GOT REGEX
like() { if printf '%s\n' "$2" | grep -Eq -- "$3"; then ok "$1"; else not_ok "$1"; printf '%s\n' "got: $2" "want match: $3" | sed 's/^/# /' | head -n 20; fi; }
# same NAME COMMAND...: the same stdout and status natively and under vsysemu -q
same() {
	name=$1
	shift
	"$@" >"$T/n.out" 2>"$T/n.err" </dev/null
	n=$?
	timeout 120 "$V" -q ${EMUOPT:-} -- "$@" >"$T/e.out" 2>"$T/e.err" </dev/null
	e=$?
	if [ $n -eq $e ] && cmp -s "$T/n.out" "$T/e.out" && cmp -s "$T/n.err" "$T/e.err"; then
		ok "$name"
	else
		not_ok "$name"
		echo "# status native $n, emulated $e"
		diff "$T/n.out" "$T/e.out" | head -n 5 | sed 's/^/# /'
		diff "$T/n.err" "$T/e.err" | head -n 5 | sed 's/^/# /'
	fi
}
done_testing() { echo "1..$tap_n"; exit $tap_bad; }
