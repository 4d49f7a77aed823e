# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests/golden/structure.sh asks of one file; prints nothing when all is well, else what is wrong.

structure.py numbers PAGE JSON   every number that the page shows is in the JSON (one object, or one a line)
structure.py page PAGE           elements are closed in order, no id twice, nothing from elsewhere
structure.py csv CSV JSON        RFC 4180, and its cells are what the JSON's policies say
structure.py trace TRACE         Chrome trace events: fields, order, nesting
"""
import csv
import io
import json
import re
import sys
from html.parser import HTMLParser

NUMBER = re.compile(r"0x[0-9a-f]+|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
VOID = {"meta", "br", "link", "img", "hr", "input", "col", "wbr"}
# Attributes that a person reads.
SHOWN = {"title", "aria-label", "alt"}
FAR = {"src", "href", "srcset", "action", "poster", "data", "xlink:href", "background"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.ids, self.wrong = [], [], set(), []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in FAR:
                self.wrong.append("%s %s=%s" % (tag, name, value))
            if name in SHOWN:
                self.text.append(value)
            if name == "id" and value in self.ids:
                self.wrong.append("id %s twice" % value)
            if name == "id":
                self.ids.add(value)
            if name.startswith("on"):
                self.wrong.append("%s has %s" % (tag, name))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("</%s> closes another" % tag)

    def handle_data(self, data):
        if self.open and self.open[-1] in ("style", "script"):
            if re.search(r"url\(|@import|https?:|fetch\(|XMLHttp|import\(", data) and self.open[-1] == "style":
                self.wrong.append("style refers elsewhere")
            return
        self.text.append(data)


def read_page(path):
    p = Page()
    p.feed(open(path, encoding="utf-8").read())
    p.close()
    if p.open:
        p.wrong.append("not closed: " + " ".join(p.open))
    return p


def values(text):
    """Numbers in @text: hexadecimal ones as they stand, others by value."""
    return {n if n.startswith("0x") else float(n) for n in NUMBER.findall(text)}


def leaves(j):
    if isinstance(j, dict):
        for k, v in j.items():
            yield k
            yield from leaves(v)
    elif isinstance(j, list):
        for v in j:
            yield from leaves(v)
    elif j is not None and not isinstance(j, bool):
        yield str(j)


def read_json(path):
    text = open(path, encoding="utf-8").read()
    text = text[text.index("{"):]
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line]


def numbers(page, path):
    objects = read_json(path)
    have = set()
    for o in objects:
        for leaf in leaves(o):
            have |= values(leaf)
    verdicts = [o.get("verdict") for o in objects]
    have |= {float(verdicts.count(v)) for v in ("calls", "may-call", "reads", "clean", "unreadable")} if any(verdicts) else set()
    shown = values(" ".join(read_page(page).text))
    if len(shown) < 3:
        return ["only %d numbers shown" % len(shown)]
    return ["not in the JSON: %s" % n for n in sorted(map(str, shown - have))]


def page(path):
    p = read_page(path)
    if re.search(r"""(?:src|href)\s*=|@import|url\(""", open(path, encoding="utf-8").read()):
        p.wrong.append("refers elsewhere")
    return p.wrong


def csv_file(path, json_path):
    raw = open(path, "rb").read()
    wrong = []
    if not raw.endswith(b"\r\n"):
        wrong.append("the last line does not end in CRLF")
    if re.search(rb"(?<!\r)\n", re.sub(rb'"(?:[^"]|"")*"', b"", raw)):
        wrong.append("a line ends in LF alone")
    rows = list(csv.DictReader(io.StringIO(raw.decode(), newline=""), strict=True))
    policies = read_json(json_path)[0]["policies"]
    if len(rows) != len(policies):
        wrong.append("%d rows, %d policies" % (len(rows), len(policies)))
    for row, p in zip(rows, policies):
        if None in row or None in row.values():
            wrong.append("a row of another length: %s" % row)
        for k, v in row.items():
            want = p[k]
            same = v == "" if want is None else abs(float(v) - want) < 1e-4 * max(1, abs(want)) if isinstance(want, (int, float)) else v == want
            if not same:
                wrong.append("%s@%s %s: %r, JSON %r" % (row["mode"], row["kernel"], k, v, want))
    return wrong


def trace(path):
    t = json.load(open(path))
    wrong, last, ends, named = [], {}, {}, set()
    for e in t["traceEvents"]:
        need = {"name", "ph", "pid", "tid"} if e["ph"] != "M" else {"name", "ph", "pid", "args"}
        need |= {"ts", "dur", "cat"} if e["ph"] == "X" else set()
        if need - e.keys():
            wrong.append("lacks %s: %s" % (need - e.keys(), e))
            continue
        if e["ph"] == "M":
            named.add(e["pid"])
            continue
        if e["ph"] not in "XiBEC":
            wrong.append("kind %s" % e["ph"])
        lane = e["pid"], e["tid"]
        if e["ts"] < 0 or e.get("dur", 0) < 0:
            wrong.append("negative time: %s" % e)
        if e["ts"] < last.get(lane, 0):
            wrong.append("back in time: %s" % e)
        last[lane] = e["ts"]
        stack = ends.setdefault(lane, [])
        end = e["ts"] + e.get("dur", 0)
        while stack and stack[-1] <= e["ts"] + 1e-6:
            stack.pop()
        if stack and end > stack[-1] + 1e-6:
            wrong.append("neither inside nor behind the one before: %s" % e)
        stack.append(end)
    for lane in last:
        if lane[0] not in named:
            wrong.append("process %d has no name" % lane[0])
    if t.get("displayTimeUnit") not in ("ns", "ms"):
        wrong.append("displayTimeUnit %r" % t.get("displayTimeUnit"))
    if not last:
        wrong.append("no event")
    return wrong


checks = {"numbers": numbers, "page": page, "csv": csv_file, "trace": trace}
found = checks[sys.argv[1]](*sys.argv[2:])
print("\n".join(found[:12]), end="")
