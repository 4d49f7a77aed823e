#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fit the prices marked `fitted` in models/cpu/*.ini to the rows marked so in models/published.

Every row is asked of its own guest in the simulator, once as the profiles stand and once with each
price raised; a run is linear in its prices, so that gives the whole system.  What is minimised is the
sum of the rows' squared relative errors over ROW, and of the prices' relative changes over PRICE:
there are about as many prices as rows, and a price that no row speaks of should stay where its source
put it.  A profile whose prices come from shares of a profile too (take: share) is shown, not
written: the rows that are linear in its prices are too few to outweigh those.

  fit.py [-w]   print errors before and after, and of rows left out; -w writes the profiles.

Leaving out: the other rows are fitted from prices that start a quarter too high; a row whose
prices nothing else determines is listed as such instead of predicted.
"""
import glob
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = os.path.join(TOP, "build/guest/bench")
ROW = 0.004  # spread that is expected of a row
PRICE = 0.3  # and of a price
RAISE = 0.25  # of a price, for its column
WRONG_START = 1.25
UNDETERMINED = 0.05  # part of a row's prices that no other row speaks of


class Row:
    def __init__(self, f):
        self.table, self.name, self.source = f["table"], f["row"], f["source"]
        self.options, self.guest = f["options"].split(), f["guest"].split()
        self.published = float(f["published"])
        if f["take"] == "calls3s":
            self.published = 3e9 / self.published
        self.cpu = next(o[6:] for o in self.options if o.startswith("--cpu="))

    def trap(self):
        return self.guest[1] == "vsyscall" and "--kernel=3.1-rc1" in self.options

    def run(self, sets):
        words = [TOP + "/vsysemu", "-q", *self.options]
        words += [w for k, v in sets for w in ("--set", "cpu.%s=%.9g" % (k, v))]
        out = subprocess.run([*words, "--", os.path.join(BENCH, self.guest[0]), *self.guest[1:]],
                             stdout=subprocess.PIPE, check=True, timeout=60, text=True,
                             env={"PATH": "/usr/bin:/bin"}).stdout
        return float(re.findall(r"= *([0-9.]+) *n", out)[-1])


def rows():
    """The rows that are fitted here, and the CPUs that are fitted to shares as well."""
    out, shared = [], set()
    for name in sorted(glob.glob(TOP + "/models/published/seed*.tsv")):
        lines = [line.rstrip("\n") for line in open(name) if not line.startswith("#")]
        head = lines[0].split("\t")
        for line in lines[1:]:
            f = dict(zip(head, line.split("\t")))
            if f["fitted"] == "1" and f["take"] in ("ns", "calls3s") and f["options"] != "-":
                out.append(Row(f))
            elif f["fitted"] == "1" and f["take"].startswith("share:"):
                shared.update(re.findall(r"--cpu=(\S+)", f["options"]))
    return out, shared


def profile(cpu):
    """The prices of a profile that are fitted."""
    found = re.findall(r"^(\w+_(?:cycles|ns)) *= *([0-9.]+) *\| *fitted\b",
                       open("%s/models/cpu/%s.ini" % (TOP, cpu)).read(), re.M)
    return [(k, float(v)) for k, v in found if float(v) > 0]


def solve(a, b):
    """a x = b by elimination with pivots; a is small, symmetric and positive."""
    n = len(b)
    m = [r[:] + [v] for r, v in zip(a, b)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(m[r][i]))
        m[i], m[p] = m[p], m[i]
        for r in range(i + 1, n):
            q = m[r][i] / m[i][i]
            for c in range(i, n + 1):
                m[r][c] -= q * m[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (m[i][n] - sum(m[i][c] * x[c] for c in range(i + 1, n))) / m[i][i]
    return x


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def smallest(j, r):
    """The x that is small and has j x near r, weighed as said on top."""
    n, ridge = len(j), (ROW / PRICE) ** 2
    gram = [[dot(j[a], j[b]) + (ridge if a == b else 0) for b in range(n)] for a in range(n)]
    y = solve(gram, r)
    return [sum(j[a][k] * y[a] for a in range(n)) for k in range(len(j[0]))]


def bounded(j, r, low):
    """The same, but no price below zero: what would be is held there."""
    held = set()
    while True:
        free = [k for k in range(len(j[0])) if k not in held]
        rest = [v - sum(row[k] * low for k in held) for row, v in zip(j, r)]
        x = dict(zip(free, smallest([[row[k] for k in free] for row in j], rest)))
        x.update((k, low) for k in held)
        bad = [k for k in free if x[k] < low - 1e-12]
        if not bad:
            return [x[k] for k in range(len(j[0]))]
        held.update(bad)


def system(table, keys):
    """Relative: row i is d(value / published) by d(price / its present value)."""
    now = [r.run([]) / r.published for r in table]
    j = [[0.0] * len(keys) for _ in table]
    for k, (key, value) in enumerate(keys):
        for i, r in enumerate(table):
            j[i][k] = (r.run([(key, value * (1 + RAISE))]) / r.published - now[i]) / RAISE
    return now, j


def report(what, table, before, after):
    print("%s:" % what)
    for r, b, a in zip(table, before, after):
        print("  %-14s %-40s %10.5g ns %+7.2f %% -> %+7.2f %%" %
              (r.table, r.name, r.published, 100 * (b - 1), 100 * (a - 1)))


def left_out(table, now, j, out):
    """Predict rows @out of the table from the others."""
    keep = [i for i in range(len(table)) if i not in out]
    start = [WRONG_START - 1] * len(j[0])
    wrong = [now[i] + dot(j[i], start) for i in range(len(table))]
    x = bounded([j[i] for i in keep], [1 - wrong[i] for i in keep], -WRONG_START)
    for i in out:
        seen = smallest([j[k] for k in keep], [dot(j[k], j[i]) for k in keep])
        lost = dot([a - b for a, b in zip(j[i], seen)], [a - b for a, b in zip(j[i], seen)]) / (dot(j[i], j[i]) or 1)
        label = "  %-14s %-40s" % (table[i].table, table[i].name)
        if lost ** 0.5 > UNDETERMINED:
            print("%s only this row speaks of %.0f %% of its prices" % (label, 100 * lost ** 0.5))
        else:
            print("%s %+7.2f %%" % (label, 100 * (wrong[i] + dot(j[i], x) - 1)))


def write(cpu, prices):
    name = "%s/models/cpu/%s.ini" % (TOP, cpu)
    text = open(name).read()
    for key, value in prices:
        text = re.sub(r"(?m)^(%s *= *)[0-9.]+( *\| *fitted\b)" % key,
                      lambda m, v=value: "%s%.5g%s" % (m[1], v, m[2]), text)
    open(name, "w").write(text)


def fit(cpu, table, save):
    keys = profile(cpu)
    if not keys:
        return
    print("\n== %s: %d rows, %d prices" % (cpu, len(table), len(keys)))
    now, j = system(table, keys)
    x = bounded(j, [1 - v for v in now], -1)
    prices = [(k, v * (1 + d)) for (k, v), d in zip(keys, x)]
    for (k, v), (_, w) in zip(keys, prices):
        print("  %-28s %10.4g -> %10.4g" % (k, v, w))
    report("errors before and after", table, now, [r.run(prices) / r.published for r in table])
    print("each row left out:")
    for i in range(len(table)):
        left_out(table, now, j, [i])
    trap = [i for i, r in enumerate(table) if r.trap()]
    for i in trap:
        print("all int 0xcc rows left out but \"%s: %s\":" % (table[i].table, table[i].name))
        left_out(table, now, j, [k for k in trap if k != i])
    if save:
        write(cpu, prices)


def main():
    if sys.argv[1:] not in ([], ["-w"]):
        sys.exit(__doc__)
    table, shared = rows()
    for cpu in sorted({r.cpu for r in table}):
        fit(cpu, [r for r in table if r.cpu == cpu], bool(sys.argv[1:]) and cpu not in shared)


main()
