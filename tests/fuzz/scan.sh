#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `scan` of damaged programs, libraries, archives and images: no crash, no hang, each file told exactly once.
# SOAK=1: 10,000 files, under ASan and UBSan.
. tests/tap.sh
command -v python3 >/dev/null || { skip "damaged files" "no python3"; done_testing; }
rounds=${ROUNDS:-300} seed=${SEED:-1}
if [ -n "$SOAK" ]; then
	rounds=10000
	make -s san >"$T/san.log" 2>&1 || { not_ok "builds with ASan"; tail -n 5 "$T/san.log"; done_testing; }
	V=$PWD/build-san/vsysemu
fi
mkdir "$T/good" "$T/bad"
cc -c -o "$T/good/stubs.o" guest/old-stubs.S
sed 's/\.globl\told_errno/.hidden\told_errno/' guest/old-stubs.S >"$T/library.S"
cc -g -shared -fPIC -o "$T/good/lib.so" "$T/library.S"
cc -w -O1 -DWITH_RESOLVER -o "$T/good/forms" tests/golden/scan/forms.c
ar rc "$T/good/lib.a" "$T/good/stubs.o" "$T/good/forms"
tar cf "$T/good/tree.tar" -C "$T/good" lib.so stubs.o
mkdir "$T/image"
cp "$T/good/tree.tar" "$T/image/layer.tar"
echo '[{"Layers":["layer.tar"]}]' >"$T/image/manifest.json"
tar cf "$T/good/image.tar" -C "$T/image" .
gzip -kc "$T/good/image.tar" >"$T/good/image.tgz"
cat >"$T/damage.py" <<'X'
import os, random, sys
good, bad, first, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
names = sorted(os.listdir(good))
files = {n: open(os.path.join(good, n), "rb").read() for n in names}
edges = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 2**63, 2**64 - 1, 2**64 - 4096]
for i in range(first, first + count):
    r = random.Random(f"{seed}.{i}")
    n = names[i % len(names)]
    b = bytearray(files[n])
    # The tables at the ends of a file are where lengths and offsets are.
    for _ in range(r.choice([1, 1, 2, 4, 16])):
        where = r.choice([lambda: r.randrange(min(len(b), 1024)), lambda: r.randrange(len(b)),
                          lambda: len(b) - 1 - r.randrange(min(len(b), 4096))])()
        how = r.randrange(4)
        if how == 0:
            b[where] ^= 1 << r.randrange(8)
        elif how == 1:
            b[where] = r.randrange(256)
        else:
            w = r.choice([2, 4, 8])
            at = min(where & ~(w - 1), len(b) - w)
            v = r.choice(edges) if how == 2 else r.randrange(len(b) * 2)
            b[at:at + w] = (v % 2**(8 * w)).to_bytes(w, "little")
    if r.randrange(8) == 0:
        del b[r.randrange(1, len(b)):]
    open(os.path.join(bad, f"{i}-{n}"), "wb").write(b)
X
# told JSON: programs and libraries of the batch that do not have exactly one line
cat >"$T/told.py" <<'X'
import collections, json, os, sys
seen = collections.Counter(json.loads(l)["path"] for l in open(sys.argv[2], encoding="utf-8", errors="replace"))
for n in sorted(os.listdir(sys.argv[1])):
    p = os.path.join(sys.argv[1], n)
    lines = seen[p] if not n.endswith(("tar", "tgz")) else 1
    if lines != 1:
        print(n, lines, end="; ")
X
i=0 crashed= untold=
while [ $i -lt $rounds ]; do
	rm -f "$T/bad"/*
	python3 "$T/damage.py" "$T/good" "$T/bad" $i 100 "$seed"
	find "$T/bad" -type f -print0 >"$T/list"
	timeout 120 "$V" scan --report=json --files0-from="$T/list" >"$T/json" 2>"$T/err" </dev/null
	rc=$?
	if [ $rc -gt 2 ] || grep -q 'Sanitizer\|runtime error' "$T/err"; then
		crashed="$crashed batch $i status $rc: $(grep -m1 'ERROR\|runtime error' "$T/err")"
		[ -n "$KEEP" ] && cp -r "$T/bad" "$KEEP/$i"
	fi
	untold="$untold$(python3 "$T/told.py" "$T/bad" "$T/json")"
	i=$((i + 100))
done
is "$rounds damaged files: no crash, no hang (seed $seed)" "$crashed" ""
is "$rounds damaged files: each program and library told once" "$untold" ""
done_testing
