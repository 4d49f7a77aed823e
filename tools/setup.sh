#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Install the Debian packages that a target needs and that are missing; says so before it does.
# Usage: tools/setup.sh build|demo|test|bench
set -e
build="gcc make pkg-config libunicorn-dev libcapstone-dev libelf-dev libdw-dev libinih-dev libjansson-dev libarchive-dev"
demo="$build busybox-static"
test="$demo libcmocka-dev libc6-dev binutils procps bash-static sqlite3 xz-utils gzip mawk python3-minimal libpython3-stdlib python3-jsonschema musl-tools dietlibc-dev jq util-linux tidy"
bench="$demo qemu-user gawk bc time"
case $1 in
build) want=$build ;;
demo) want=$demo ;;
test) want=$test ;;
bench) want=$bench ;;
*) echo "usage: $0 build|demo|test|bench" >&2; exit 2 ;;
esac
missing=
for p in $want; do
	dpkg-query -W -f='${Status}\n' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null; then
	echo "tools/setup.sh: no apt-get here; please install the equivalent of:$missing" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || { echo "tools/setup.sh: not root and no sudo; please install:$missing" >&2; exit 1; }
	sudo=sudo
fi
echo "installing what is missing:$missing"
run() { $sudo env DEBIAN_FRONTEND=noninteractive apt-get "$@"; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ run -q -y update && run -q -y --no-install-recommends install $missing; } >"$log" 2>&1 ||
	{ tail -n 20 "$log" >&2; echo "tools/setup.sh: could not install:$missing" >&2; exit 1; }
