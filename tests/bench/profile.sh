# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced with $V, $T and the operands: $profile is the one named, or one measured now.  Status 77: it cannot be measured.
profile=$1
if [ -z "$profile" ]; then
	profile=$T/this.ini
	for try in 1 2 3; do
		"$V" calibrate -o "$profile" 2>"$T/err" && break
	done
	[ -e "$profile" ] || { cat "$T/err"; exit 77; }
fi
