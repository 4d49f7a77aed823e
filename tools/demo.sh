#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The main job on real input: busybox-static, then a program with the libc stubs of 2010 under two
# policies.  The second of those dies on purpose.
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
busybox=$(command -v busybox) || { echo "demo: no busybox" >&2; exit 1; }
show() { echo; echo "\$ $*"; "$@"; echo "[exit status $?]"; }
show ./vsysemu --mode=emulate "$busybox" sha256sum README.md
show ./vsysemu --mode=emulate "$B/guest/old-date"
show ./vsysemu --mode=none "$B/guest/old-date"
