#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Have llvm-mca price the blocks of tests/blocks/table.tsv anew, for a maintainer.

  blocks.py [TABLE]      needs llvm-mc-16 and llvm-mca-16 in PATH; rewrites the cycles of each core

llvm-mca has no stack engine: push, pop, call and ret would form a chain through RSP that no core has.
They are rewritten to the memory accesses they make (stack()).  A block is iterated; what llvm-mca
cannot price stays `-`.
"""
import json
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIMES = 60
CHUNK = 150
# Profile: llvm-mca's name for the core, and what its description needs corrected.
CORES = {"sandybridge": ["sandybridge"], "haswell": ["haswell"], "broadwell": ["broadwell"],
         "skylake": ["skylake", "-dispatch=4"], "icelake": ["icelake-server", "-dispatch=5"],
         "goldencove": ["alderlake"], "zen": ["znver1"], "zen2": ["znver2"], "zen3": ["znver3"]}


def disassembled(blocks):
    """Lines of assembly of each block; INT 0x99 stands between them."""
    text = "\n".join(" ".join("0x" + b[i:i + 2] for i in range(0, len(b), 2)) + "\n0xcd 0x99" for b in blocks)
    out = subprocess.run(["llvm-mc-16", "--disassemble", "-triple=x86_64", "-mcpu=skylake"], input=text,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    all_lines, lines = [], []
    for line in (re.sub(r"\s*#.*", "", x.strip()) for x in out.split("\n")):
        if line.startswith("int\t$153"):
            all_lines.append(lines)
            lines = []
        elif line and not line.startswith("."):
            lines.append(line)
    return all_lines


def stack(line):
    """The same with its memory access, without its arithmetic on RSP."""
    name, _, arg = line.partition("\t")
    if name in ("pushq", "push"):
        if arg[0] in "%$":
            return ["movq\t%s, -8(%%rsp)" % arg]
        return ["movq\t%s, %%r11" % arg, "movq\t%r11, -8(%rsp)"]
    if name in ("popq", "pop") and arg[0] == "%":
        return ["movq\t(%%rsp), %s" % arg]
    if name in ("callq", "call"):
        return ["movq\t$0, -8(%rsp)", ("jmpq\t" if arg.startswith("*") else "jmp\t") + arg]
    if name in ("retq", "ret"):
        return ["jmpq\t*(%rsp)"]
    return [line]


def asked(core, some):
    text = "".join("# LLVM-MCA-BEGIN\n%s\n# LLVM-MCA-END\n" % "\n".join(lines) for lines in some)
    name, *more = CORES[core]
    out = subprocess.run(["llvm-mca-16", "-mtriple=x86_64", "-mcpu=" + name, "-iterations=%d" % TIMES, "-json",
                          "-all-views=0", "-summary-view", *more], input=text,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    try:
        return [r["SummaryView"]["TotalCycles"] / TIMES for r in json.loads(out)["CodeRegions"]]
    except (ValueError, KeyError):
        return None


def cycles(core, blocks):
    """Of each block; None where llvm-mca has no answer."""
    out = []
    for i in range(0, len(blocks), CHUNK):
        part = blocks[i:i + CHUNK]
        got = asked(core, part)
        if not got or len(got) != len(part):
            got = [(asked(core, [b]) or [None])[0] for b in part]
        out += got
    return out


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else TOP + "/tests/blocks/table.tsv"
    comment, rows = [], []
    for line in open(name):
        if line.startswith("#"):
            comment.append(line)
        elif not line.startswith("program\t"):
            rows.append(line.rstrip("\n").split("\t")[:4])
    unique = sorted({r[3] for r in rows})
    lines = [[s for x in b for s in stack(x)] for b in disassembled(unique)]
    if len(lines) != len(unique):
        sys.exit("llvm-mc-16: %d blocks of %d" % (len(lines), len(unique)))
    price = {}
    for core in CORES:
        print(core, file=sys.stderr)
        for block, c in zip(unique, cycles(core, lines)):
            price[core, block] = "-" if c is None else "%.2f" % c
    with open(name, "w") as f:
        f.writelines(comment)
        f.write("\t".join(["program", "runs", "insns", "code", *CORES]) + "\n")
        for r in rows:
            f.write("\t".join(r + [price[c, r[3]] for c in CORES]) + "\n")


main()
