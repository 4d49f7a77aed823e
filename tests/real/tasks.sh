#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads and processes on this machine's kernel and under the newest profile: the same words and status.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
release=$(uname -r)
major=${release%%.*} minor=${release#*.}
minor=${minor%%[!0-9]*}
[ $((major * 1000 + minor)) -ge 6009 ] && EMUOPT=--kernel=6.18 || EMUOPT=--kernel=6.1
for g in blocking clone3 futex robust; do
	same "$g" "$B/guest/tasks/$g"
done

# What a kernel does not have yet.
is "LOCK_PI2 came with 5.14, futex_waitv with 5.16" \
	"$(timeout 60 "$V" -q --kernel=5.3 "$B/guest/tasks/futex" | grep -E '^(lock in time, monotonic|flags|until|which):')" \
	'lock in time, monotonic: ENOSYS
flags: ENOSYS
until: ENOSYS
which: ENOSYS'
done_testing
