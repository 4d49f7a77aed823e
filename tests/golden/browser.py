# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of tests/golden/browser.sh that need a browser; prints TAP.  Usage: browser.py FOLDER"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import webdriver  # noqa: E402

# The least contrast of any text of the page with what lies behind it (WCAG 2.1), and where.
CONTRAST = """
const lum = c => { const f = c.slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 });
  return .2126 * f[0] + .7152 * f[1] + .0722 * f[2] };
const rgb = s => s.match(/[\\d.]+/g).map(Number);
const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
  if (c.length < 4 || c[3] > 0) return c } return [255, 255, 255] };
let least = 99, where = '';
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let t; (t = walk.nextNode());) {
  const e = t.parentElement;
  if (!t.data.trim() || /SCRIPT|STYLE|TITLE/i.test(e.tagName)) continue;
  const s = getComputedStyle(e);
  const fore = lum(rgb(e.closest('svg') ? s.fill : s.color)), back = lum(behind(e));
  let seen = (Math.max(fore, back) + .05) / (Math.min(fore, back) + .05);
  for (let p = e; p; p = p.parentElement) if (+getComputedStyle(p).opacity < 1) seen = 0;
  if (seen < least) { least = seen; where = e.tagName + ' ' + t.data.trim().slice(0, 40) }
}
return [least, where];
"""
MARKED = "return [...document.querySelectorAll('.now[data-step]')].map(e => e.tagName + e.dataset.step).join(' ')"
# A step that is in the window, at least in part.
IN_VIEW = ("const r = document.querySelector('li.now').getBoundingClientRect();"
           "return r.bottom > 0 && r.top < innerHeight")
number = 0
bad = 0


def test(name, good, *notes):
    global number, bad
    number += 1
    bad += not good
    print("%sok %d - %s" % ("" if good else "not ", number, name))
    if not good:
        for n in notes:
            print("# %s" % (n,))


def page(b, path):
    b.open(path)
    for width in (1200, 400, 320):
        b.size(width)
        wide = b.run("return document.documentElement.scrollWidth")
        test("%s fits into %d pixels" % (path.stem, width), wide <= width, "it takes %d" % wide)
    for dark in (False, True):
        b.theme(dark)
        least, where = b.run(CONTRAST)
        theme = "dark" if dark else "light"
        test("%s: contrast, %s: %.2f" % (path.stem, theme, least), 4.5 <= least < 99, where)
        back = b.run("return getComputedStyle(document.body).backgroundColor")
        test("%s: theme, %s" % (path.stem, theme), (back == "rgb(255, 255, 255)") != dark, back)
    b.theme(False)
    asked = b.run("return performance.getEntriesByType('resource').map(r => r.name)")
    test("%s asks for nothing else" % path.stem, not asked, asked)
    said = b.complaints()
    test("%s does not complain" % path.stem, not said, *said)


def keys(b, folder):
    b.size(1000, 600)
    b.open(folder / "explain-beside.html")
    steps = b.run("return document.querySelectorAll('section.side:first-of-type li').length")

    def marked(keys, want, name):
        b.press(*keys)
        got = b.run(MARKED)
        test("keys: " + name, got == want, "got: " + got, "want: " + want)
    both = "I%d I%d LI%d LI%d"
    marked([], both % (0, 0, 0, 0), "the first step is marked at once")
    marked(["ArrowRight", "ArrowRight", "ArrowLeft"], both % (1, 1, 1, 1), "two on, one back")
    marked(["Home"], both % (0, 0, 0, 0), "Home")
    marked(["ArrowLeft", "ArrowUp"], both % (0, 0, 0, 0), "not before the first")
    marked(["Space", "n", "p", "ArrowDown"], both % (2, 2, 2, 2), "space, n, p, down")
    last = steps - 1
    marked(["End"], "I%d LI%d" % (last, last), "End is the longer side's")
    test("keys: the step is in the window", b.run(IN_VIEW))
    marked(["ArrowRight"], "I%d LI%d" % (last, last), "not behind the last")
    b.run("document.querySelector('li[data-step=\"1\"]').click()")
    marked([], both % (1, 1, 1, 1), "a click goes to a step")


folder = pathlib.Path(sys.argv[1])
with webdriver.Browser() as browser:
    pages = sorted(folder.glob("*.html"))
    test("there are pages", len(pages) > 20, len(pages))
    for path in pages:
        page(browser, path)
    keys(browser, folder)
print("1..%d" % number)
sys.exit(1 if bad else 0)
