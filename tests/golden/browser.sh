#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The pages in a real browser: nothing is wider than a narrow window, every text is readable in both themes, no page
# complains or asks a network for anything, and explain's timeline is stepped with the keyboard.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
command -v python3 >/dev/null || { skip "browser" "no python3"; done_testing; }
lacking=$(python3 -c 'import sys; sys.path.insert(0, "tools"); import webdriver; print(webdriver.missing() or "")')
[ -n "$lacking" ] && { skip "browser" "$lacking"; done_testing; }
V=$V B=$B tools/screens.sh "$T/pages" >"$T/out" 2>"$T/err" || sed 's/^/# /' "$T/out" "$T/err"
python3 tests/golden/browser.py "$T/pages"
