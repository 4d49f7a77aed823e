#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fit the prices marked `fitted` in models/cpu/*.ini to the rows marked so in models/published.

`vsysemu reproduce` answers every row, once as the prices stand and once with each of them raised;
what comes out is minimised: the sum of the rows' squared relative errors over ROW, and of the prices'
distances from models/published/priors.tsv, relative, over PRICE.  There are about as many prices as
rows, and a price that no row speaks of should stay where its source put it.  The fit starts at the
priors, so it gives the same prices however often it is run.

  fit.py [-w] [CPU...]   prices, errors before and after, and of rows left out; -w writes the profiles
  fit.py --left-out      a table for docs/models.md of what was left out and how far off it came
  fit.py --check CPU...  status 1 if the profiles are not what the fit gives

Leaving out: the other rows are fitted from prices that start a quarter too high; a row whose
prices nothing else determines is listed as such instead of predicted.
"""
import glob
import json
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROW = 0.004  # spread that is expected of a row
PRICE = 0.3  # and of a price
RAISE = 0.25  # of a price, for its column
STEPS = 3  # shares are not linear in the prices
WRONG_START = 1.25
UNDETERMINED = 0.05  # part of a row's prices that no other row speaks of
TRAP_BOUND = 0.05  # all int 0xcc rows of a machine but one predict the others so well
SAME = 0.01  # --check: of a price


class Row:
    def __init__(self, f):
        self.table, self.name = f["table"], f["row"]
        options = f["options"].split()
        self.fitted = f["fitted"] == "1" and f["guest"] != "-"
        self.cpu = next((o[6:] for o in options if o.startswith("--cpu=")), None)
        # The ways back other than IRET have a price of their own.
        self.trap = f["guest"].split()[1:2] == ["vsyscall"] and "--kernel=3.1-rc1" in options and \
            not any("trap_return" in o for o in options)

    def key(self):
        return self.table, self.name


def table_rows():
    out = []
    for name in sorted(glob.glob(TOP + "/models/published/seed*.tsv")):
        lines = [line.rstrip("\n") for line in open(name) if not line.startswith("#")]
        head = lines[0].split("\t")
        out += [Row(dict(zip(head, line.split("\t")))) for line in lines[1:]]
    return [r for r in out if r.fitted]


def ask(rows, sets):
    """Simulated over published of each row under @sets."""
    words = [TOP + "/vsysemu", "reproduce", "--report=json"]
    words += [w for k, v in sets for w in ("--set", "cpu.%s=%.9g" % (k, v))]
    out = subprocess.run(words + sorted({r.table for r in rows}), stdout=subprocess.PIPE, check=True,
                         timeout=300, env={"PATH": "/usr/bin:/bin"}).stdout
    got = {(r["table"], r["row"]): r["simulated"] / r["published"]
           for r in json.loads(out)["rows"] if r["simulated"] is not None}
    return [got[r.key()] for r in rows]


def priors(cpu):
    """The prices of a profile that are fitted, as they were before."""
    out = []
    for line in open(TOP + "/models/published/priors.tsv"):
        f = line.rstrip("\n").split("\t")
        if f[0] == cpu:
            out.append((f[1], float(f[2])))
    return out


def depth(cpu):
    """How many profiles stand below this one by `base`: those are fitted first."""
    base = re.search(r"(?m)^base *= *(\S+)", open("%s/models/cpu/%s.ini" % (TOP, cpu)).read())
    return 1 + depth(base[1]) if base else 0


def profile(cpu):
    text = open("%s/models/cpu/%s.ini" % (TOP, cpu)).read()
    return dict(re.findall(r"(?m)^(\w+) *= *([0-9.]+) *\| *fitted\b", text))


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


def scaled(keys, x):
    return [(k, v * (1 + d)) for (k, v), d in zip(keys, x)]


def system(table, keys, x):
    """At prices keys * (1 + x): the rows' values, and d value by d x, both over what was published."""
    here = scaled(keys, x)
    now = ask(table, here)
    cols = []
    for k, (key, value) in enumerate(keys):
        up = here[:k] + [(key, here[k][1] + RAISE * value)] + here[k + 1:]
        cols.append([(a - b) / RAISE for a, b in zip(ask(table, up), now)])
    return now, [[c[i] for c in cols] for i in range(len(table))]


def find(table, keys):
    """Prices that fit, values before and after, and the last system."""
    x, before = [0.0] * len(keys), None
    for _ in range(STEPS):
        now, j = system(table, keys, x)
        before = before or now
        new = bounded(j, [1 - v + dot(row, x) for v, row in zip(now, j)], -1)
        moved = max(abs(a - b) for a, b in zip(x, new))
        x = new
        if moved < 1e-3:
            break
    prices = [(k, float("%.5g" % v)) for k, v in scaled(keys, x)]
    return prices, before, ask(table, prices), j


class Left:
    """A row that was left out: what the others say of it."""

    def __init__(self, row, others, error, alone):
        self.row, self.others, self.error, self.alone = row, others, error, alone

    def text(self):
        label = "  %-18s %-44s" % (self.row.table, self.row.name)
        if self.alone:
            return "%s only this row speaks of %.0f %% of its prices" % (label, 100 * self.alone)
        return "%s %+7.2f %%" % (label, 100 * self.error)


def left_out(table, now, j, out, others):
    """Predict rows @out of the table from the others."""
    keep = [i for i in range(len(table)) if i not in out]
    start = [WRONG_START - 1] * len(j[0])
    wrong = [now[i] + dot(j[i], start) for i in range(len(table))]
    x = bounded([j[i] for i in keep], [1 - wrong[i] for i in keep], -WRONG_START)
    for i in out:
        seen = smallest([j[k] for k in keep], [dot(j[k], j[i]) for k in keep])
        lost = dot([a - b for a, b in zip(j[i], seen)], [a - b for a, b in zip(j[i], seen)]) / (dot(j[i], j[i]) or 1)
        alone = lost ** 0.5 if lost ** 0.5 > UNDETERMINED else 0
        yield Left(table[i], others, wrong[i] + dot(j[i], x) - 1, alone)


def all_left_out(table, now, j):
    one = [left for i in range(len(table)) for left in left_out(table, now, j, [i], None)]
    trap = [i for i, r in enumerate(table) if r.trap]
    for i in trap if len(trap) > 1 else []:
        one += left_out(table, now, j, [k for k in trap if k != i], table[i])
    return one


def show(cpu, table, keys, prices, before, after, left):
    print("\n== %s: %d rows, %d prices" % (cpu, len(table), len(keys)))
    for (k, v), (_, w) in zip(keys, prices):
        print("  %-28s %10.4g -> %10.4g" % (k, v, w))
    print("errors at the priors and fitted:")
    for r, b, a in zip(table, before, after):
        print("  %-18s %-44s %+7.2f %% -> %+7.2f %%" % (r.table, r.name, 100 * (b - 1), 100 * (a - 1)))
    print("each row left out:")
    last = None
    for x in left:
        if x.others != last:
            print("all int 0xcc rows left out but \"%s\":" % x.others.name)
        last = x.others
        print(x.text())
    trap = [abs(x.error) for x in left if x.others and not x.alone]
    if trap:
        print("leaving out all int 0xcc rows but one: worst %.1f %% (bound %.0f %%)" % (100 * max(trap), 100 * TRAP_BOUND))


def markdown(cpu, left):
    """Lines of the table for docs/models.md."""
    def line(what, some):
        told, alone = [x for x in some if not x.alone], [x for x in some if x.alone]
        errors = "none" if not told else "%.1f %%, worst %.1f %% (%s)" % (
            100 * sum(abs(x.error) for x in told) / len(told), 100 * max(abs(x.error) for x in told),
            max(told, key=lambda x: abs(x.error)).row.name)
        print("| %s: %s | %d | %s | %s |" % (cpu, what, len(told), errors, "; ".join(x.row.name for x in alone) or "-"))
    line("one row, by turns", [x for x in left if not x.others])
    if any(x.others for x in left):
        line("all int 0xcc rows but one, by turns", [x for x in left if x.others])


def write(cpu, prices):
    name = "%s/models/cpu/%s.ini" % (TOP, cpu)
    text = open(name).read()
    for key, value in prices:
        text = re.sub(r"(?m)^(%s *= *)[0-9.]+( *\| *fitted\b)" % key,
                      lambda m, v=value: "%s%.5g%s" % (m[1], v, m[2]), text)
    open(name, "w").write(text)


def differs(cpu, prices):
    """Prices of the profile that are not what the fit gives."""
    have = profile(cpu)
    return ["%s: %s is %s, the fit gives %.5g" % (cpu, k, have.get(k), v) for k, v in prices
            if k not in have or abs(float(have[k]) - v) > SAME * max(v, 1)]


def main():
    how = [a for a in sys.argv[1:] if a.startswith("-")]
    cpus = [a for a in sys.argv[1:] if not a.startswith("-")]
    if how not in ([], ["-w"], ["--left-out"], ["--check"]):
        sys.exit(__doc__)
    table, bad = table_rows(), []
    if "--left-out" in how:
        print("| left out | rows predicted | mean error | rows that alone speak of a price |\n|---|---|---|---|")
    for cpu in sorted({r.cpu for r in table}, key=lambda c: (depth(c), c)):
        if cpus and cpu not in cpus:
            continue
        mine, keys = [r for r in table if r.cpu == cpu], priors(cpu)
        prices, before, after, j = find(mine, keys)
        left = all_left_out(mine, after, j)
        bad += ["%s: %.1f %% is beyond the bound" % (x.text(), 100 * x.error) for x in left
                if x.others and not x.alone and abs(x.error) > TRAP_BOUND]
        if "--left-out" in how:
            markdown(cpu, left)
        elif "--check" in how:
            bad += differs(cpu, prices)
        else:
            show(cpu, mine, keys, prices, before, after, left)
        if "-w" in how:
            write(cpu, prices)
    sys.exit("\n".join(bad) or 0)


main()
