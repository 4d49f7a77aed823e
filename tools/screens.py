# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of every page in a folder: light, dark, narrow (400 pixels), and as printed.

Usage: screens.py DIR.  Says which pages are wider than the window or complain, and ends with status 1 then.
"""
import pathlib
import shutil
import subprocess
import sys

import webdriver


def main():
    folder = pathlib.Path(sys.argv[1])
    lacking = webdriver.missing()
    if lacking:
        print("screens.py: pages in %s; no pictures: %s" % (folder, lacking))
        return 0
    bad = 0
    with webdriver.Browser() as b:
        for page in sorted(folder.glob("*.html")):
            stem = str(page.with_suffix(""))
            b.open(page)
            for name, width, dark in (("light", 1200, False), ("dark", 1200, True), ("narrow", 400, False)):
                b.theme(dark)
                b.size(width)
                b.picture("%s-%s.png" % (stem, name))
                wide = b.run("return document.documentElement.scrollWidth")
                if wide > width:
                    bad += 1
                    print("%s: %d pixels wide in a window of %d" % (page.name, wide, width))
            b.theme(False)
            b.pdf(stem + ".pdf")
            for line in b.complaints():
                bad += 1
                print("%s: %s" % (page.name, line))
            if shutil.which("pdftoppm"):
                subprocess.run(["pdftoppm", "-r", "60", "-png", "-l", "2", stem + ".pdf", stem + "-print"], check=True)
    print("pictures of %d pages in %s" % (len(list(folder.glob("*.html"))), folder))
    return 1 if bad else 0


sys.exit(main())
