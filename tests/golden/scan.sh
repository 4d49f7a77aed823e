#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `scan` over files built here: each form in which code reaches the page is found with its entry and
# function; trees, archives and container images; what does not use the page is called clean.
. tests/tap.sh
F=tests/golden/scan/forms.c
scan() { "$V" scan "$@" >"$T/out" 2>"$T/err"; echo $?; }
# found NAME KIND ENTRY FUNCTION: one line of the text report has it
found() { like "$1" "$(cat "$T/out")" "^ +0x[0-9a-f]+ +$2 +$3 +$4\+0x"; }

# Old C library stubs, in every form of linking.
for how in "-static" "-static -s" "-static-pie" "" "-s" "-no-pie"; do
	cc -w -O2 $how -o "$T/old" guest/old-date.c guest/old-stubs.S 2>/dev/null || { skip "old stubs $how" "does not link"; continue; }
	is "old stubs [$how]: calls" "$(scan "$T/old")" 1
	like "old stubs [$how]: verdict" "$(head -n 1 "$T/out")" ": calls"
	for e in gettimeofday time getcpu; do
		n=$e
		[ $e = getcpu ] && n=sched_getcpu
		case $how in
		*-s) like "old stubs [$how]: $e" "$(cat "$T/out")" " call +$e" ;;
		*) found "old stubs [$how]: $e" call $e $n ;;
		esac
	done
done
for libc in musl-gcc "diet cc"; do
	command -v ${libc%% *} >/dev/null || { skip "old stubs with $libc" "not installed"; continue; }
	$libc -w -O2 -static -o "$T/old" guest/old-date.c guest/old-stubs.S
	is "old stubs with $libc: calls" "$(scan "$T/old")" 1
	found "old stubs with $libc" call time time
	[ "$libc" = "diet cc" ] && like "old stubs with $libc: its name" "$(head -n 1 "$T/out")" "\[dietlibc"
done
cc -c -o "$T/stubs.o" guest/old-stubs.S
is "an object file" "$(scan "$T/stubs.o")" 1
found "an object file: function" call time time
sed 's/\.globl\told_errno/.hidden\told_errno/' guest/old-stubs.S >"$T/library.S"
cc -shared -fPIC -o "$T/libold.so.1" -Wl,-soname,libold.so.1 "$T/library.S"
is "a library" "$(scan "$T/libold.so.1")" 1
found "a library: function" call getcpu sched_getcpu
ar rc "$T/libold.a" "$T/stubs.o"
is "a static library" "$(scan "$T/libold.a")" 1
like "a static library: member" "$(cat "$T/out")" 'call +time +time\+0x[0-9a-f]+ +\(stubs.o\)'
cp "$T/stubs.o" "$T/a-member-with-a-rather-long-name.o"
ar rc "$T/libold.a" "$T/a-member-with-a-rather-long-name.o"
is "a long member name" "$(scan "$T/libold.a")" 1
like "a long member name: told" "$(cat "$T/out")" '\(a-member-with-a-rather-long-name.o\)'

# Each form at each level of optimisation.
for cc in gcc clang; do
	command -v $cc >/dev/null || { skip "forms by $cc" "not installed"; continue; }
	for o in -O0 -O1 -O2 -O3 -Os; do
		for pic in "-no-pie -fno-pie" "-pie -fPIE" "-shared -fPIC" "-c"; do
			w="$cc $o $pic"
			$cc -w $o $pic -DWITH_RESOLVER -o "$T/forms" $F || { not_ok "$w: compiles"; continue; }
			is "$w: calls" "$(scan "$T/forms")" 1
			found "$w: constant" call time form_constant
			found "$w: gettimeofday" call gettimeofday form_gettimeofday
			found "$w: getcpu" call getcpu form_getcpu
			found "$w: macro" call '[a-z]+' form_macro
			found "$w: chosen at run time" fallback-call time form_chosen
			found "$w: read" read '[a-z]+' form_read
			found "$w: compared" compare '[a-z]+' form_compare
			case $pic in
			-c) continue ;; # data is not relocated yet
			esac
			found "$w: resolver" 'resolver|fallback-call|call' gettimeofday form_resolver
			found "$w: table" call '[a-z]+' form_table
			found "$w: base in a variable" 'fallback-call' '[a-z]+' form_volatile
			like "$w: pointer" "$(cat "$T/out")" '(fallback-call|word|stored-pointer) +time'
			is "$w: not the number alone" "$(grep -c form_nothing "$T/out")" 0
			strip -o "$T/stripped" "$T/forms"
			is "$w: stripped" "$(scan "$T/stripped")" 1
			like "$w: stripped: calls" "$(cat "$T/out")" '  call +getcpu'
			like "$w: stripped: may call" "$(cat "$T/out")" '  fallback-call +time'
		done
	done
done
is "call sites of many kinds" "$(scan "$B/guest/t10-sites")" 1
for s in site_call_reg site_call_mem tail site_push_ret; do
	found "of t10-sites: $s" '(fallback-)?call' '[a-z]+' $s
done
is "a reader: status" "$(scan "$B/guest/t06-page-reader")" 0
found "a reader" read gettimeofday load
like "a reader: what it needs" "$(tail -n 1 "$T/out")" 'vsyscall=emulate'

# What does not use it.
printf 'int main(void) { return 0x600000; }' >"$T/no.c"
cc -o "$T/no" "$T/no.c"
is "clean: status" "$(scan "$T/no")" 0
like "clean: told" "$(cat "$T/out")" 'no: clean'
printf 'const unsigned long x[] = { 0xffffffffff600000, 1, 2 }; int main(int c, char **v) { return x[c] == 5; }' >"$T/data.c"
cc -O2 -o "$T/data" "$T/data.c"
is "an address nobody goes to" "$(scan "$T/data")" 0
for f in /bin/sh /bin/ls /bin/bash /usr/bin/python3 /lib/x86_64-linux-gnu/libc.so.6; do
	[ -e $f ] && is "clean: $f" "$(scan $f)" 0
done
# What cannot be a program that calls it: told why, and no trouble.
patched() { cp "$T/libold.so.1" "$T/$1"; printf "$3" | dd of="$T/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }
patched arm 18 '\267'
is "another processor: status" "$(scan "$T/arm")" 0
like "another processor: told" "$(cat "$T/out")" 'arm: clean \(for another processor\)'
patched i386 4 '\001'
printf '\003' | dd of="$T/i386" bs=1 seek=18 conv=notrunc 2>/dev/null
is "32-bit: status" "$(scan "$T/i386")" 0
like "32-bit: told" "$(cat "$T/out")" 'i386: clean \(32-bit'
patched core 16 '\004'
is "a core file: refused" "$(scan "$T/core"; cat "$T/out")" "2
$T/core: unreadable (a core file, not a program)"
if ld -e 0 -Ttext=0xffffffff81000000 -Tdata=0xffffffff82000000 -Tbss=0xffffffff83000000 -o "$T/vmlinux" --unresolved-symbols=ignore-all "$T/stubs.o" 2>/dev/null; then
	is "a kernel image" "$(scan "$T/vmlinux")" 0
	like "a kernel image: told" "$(cat "$T/out")" 'kernel code'
else
	not_ok "a kernel image links"
fi
objcopy --add-section .gnu.linkonce.this_module="$T/no.c" "$T/stubs.o" "$T/x.ko"
is "a kernel module" "$(scan "$T/x.ko")" 0
# Constants near the page, numbers in tables and in debug sections.
cat >"$T/near.c" <<'X'
static const unsigned long near[] = { 0xffffffffff5ff000, 0xffffffffff601000, 0xffffffffff700000, 0xffffffffff600000, 0xff600400 };
struct known { const char *name; unsigned long at; };
const struct known list[] = { { "gettimeofday", 0xffffffffff600000 }, { "time", 0xffffffffff600400 }, { "getcpu", 0xffffffffff600800 } };
int inside(unsigned long a) { return a >= 0xffffffffff600000 && a < 0xffffffffff601000; }
unsigned long next(int i) { return near[i & 3] * 0x9e3779b97f4a7c15; }
void beside(void) { ((void (*)(void))0xffffffffff601000)(); ((void (*)(void))0xffffffffff5ffff0)(); }
const char *name(unsigned long a) { for (int i = 0; i < 3; i++) if (list[i].at == a) return list[i].name; return 0; }
int main(int c, char **v) { if (c > 9) beside(); return inside((unsigned long)v) + (int)next(c) + !name((unsigned long)c); }
X
for cc in gcc clang; do
	command -v $cc >/dev/null || { skip "near the page by $cc" "not installed"; continue; }
	for o in "-O0 -g3" "-O1 -pie" "-O2 -static" "-O3 -shared -fPIC" "-Os -c"; do
		$cc -w $o -o "$T/near" "$T/near.c" || { not_ok "near the page: $cc $o compiles"; continue; }
		is "near the page: $cc $o" "$(scan "$T/near"; grep -Ec ' (call|fallback-call|stored-pointer|resolver|read) ' "$T/out")" "0
0"
	done
done

# A tree.
D=$T/tree
mkdir -p "$D/bin" "$D/lib"
cp "$T/libold.so.1" "$D/lib"
cp "$T/libold.so.1" "$D/lib/libold.so"
printf '#include <time.h>\nint main(void) { return time(0) == 0; }' >"$T/user.c"
cc -o "$D/bin/user" "$T/user.c" -Wl,--no-as-needed -L"$D/lib" -lold
# Two libraries of one name: the search path says which is loaded.
E=$T/twice
mkdir -p "$E/opt/a/lib" "$E/opt/a/bin" "$E/usr/lib" "$E/usr/bin" "$E/aaa"
cp "$T/libold.so.1" "$E/opt/a/lib/libold.so.1"
cc -shared -fPIC -Wl,-soname,libold.so.1 -o "$E/usr/lib/libold.so.1" "$T/no.c"
cp "$E/usr/lib/libold.so.1" "$E/aaa/libold.so.1"
for o in 'opt/a/bin -Wl,-rpath,$ORIGIN/../lib' 'usr/bin -Wl,-rpath,/opt/a/lib' 'aaa -Wl,--disable-new-dtags,-rpath,/x:${ORIGIN}/../opt/./a/lib'; do
	cc -o "$E/${o%% *}/user" "$T/user.c" -Wl,--no-as-needed "${o#* }" -L"$D/lib" -lold
	scan "$E" >/dev/null
	like "search path: ${o#* }" "$(grep -A1 "${o%% *}/user: clean" "$T/out" | tail -n 1)" 'by its library .*/opt/a/lib/libold.so.1'
	rm "$E/${o%% *}/user"
done
cc -o "$E/usr/bin/user" "$T/user.c" -Wl,--no-as-needed -L"$D/lib" -lold
scan "$E" >/dev/null
is "search path: the trusted directory" "$(grep -A1 "usr/bin/user: clean" "$T/out" | grep -c 'by its library')" 0
rm "$D/lib/libold.so"
cp "$T/no" "$D/bin/no"
echo text >"$D/bin/script"
is "a tree: status" "$(scan "$D")" 1
like "a tree: the library" "$(cat "$T/out")" 'lib/libold.so.1: calls'
like "a tree: blamed on it" "$(grep -A1 'bin/user: clean' "$T/out" | tail -n 1)" 'by its library .*/lib/libold.so.1'
like "a tree: sum" "$(tail -n 1 "$T/out")" '^3 files: 1 call, 0 may call, 0 read, 2 clean, 0 unreadable'
is "a tree: order does not depend on jobs" "$(scan --jobs=1 "$D"; cat "$T/out")" "$(scan --jobs=4 "$D"; cat "$T/out")"
find "$D" -type f -print0 >"$T/list"
is "--files0-from" "$(scan --files0-from="$T/list")" 1
mkfifo "$D/pipe"
ln -s nowhere "$D/dangling"
ln -s .. "$D/loop"
is "a pipe and loops do not stop it" "$(timeout 20 "$V" scan "$D" >"$T/out" 2>&1; echo $?)" 1
rm "$D/pipe" "$D/dangling" "$D/loop"

# The other forms.
if command -v jq >/dev/null; then
	"$V" scan --report=json "$D" >"$T/json"
	is "JSON: a line a file" "$(jq -r '.schema' "$T/json" | sort | uniq -c | tr -s ' ')" " 3 vsysemu.scan/1"
	is "JSON: findings" "$(jq -r 'select(.verdict == "calls") | .findings[] | .kind + " " + .entry + " " + .symbol' "$T/json" | sort | tr '\n' ';')" \
		"call getcpu sched_getcpu;call gettimeofday gettimeofday;call time time;"
	is "JSON: addresses" "$(jq -r '.findings[].address' "$T/json" | grep -vc '^0x[0-9a-f]*$')" 0
	is "JSON: what it needs" "$(jq -r '[.path, .needs] | join(" ")' "$T/json" | sed 's|.*/||' | sort | tr '\n' ';')" "libold.so.1 xonly;no none;user xonly;"
	"$V" scan --report=sarif "$D" >"$T/sarif"
	is "SARIF" "$(jq -r '.version + " " + (.runs | length | tostring) + " " + .runs[0].tool.driver.name' "$T/sarif")" "2.1.0 1 vsysemu"
	is "SARIF: results" "$(jq -r '.runs[0].results[] | .locations[0].physicalLocation.artifactLocation.uri' "$T/sarif" | grep -c libold)" 3
	is "SARIF: every rule is described" "$(jq '[.runs[0].results[].ruleId] - [.runs[0].tool.driver.rules[].id] | length' "$T/sarif")" 0
else
	skip "JSON and SARIF" "no jq"
fi
if command -v python3 >/dev/null; then
	"$V" scan --report=csv "$D" >"$T/csv"
	is "CSV" "$(python3 -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
print(len({len(r) for r in rows}), sorted({r["path"].split("/")[-1] + " " + r["verdict"] for r in rows}))' "$T/csv")" \
		"1 ['libold.so.1 calls', 'no clean', 'user clean']"
	"$V" scan --report=html "$D" >"$T/html"
	is "HTML is well formed and alone" "$(python3 -c '
import sys
from html.parser import HTMLParser
class P(HTMLParser):
    void = {"meta", "br", "link", "img", "hr", "input", "col"}
    stack, far = [], []
    def handle_starttag(self, t, a):
        if t not in self.void: self.stack.append(t)
        self.far += [v for k, v in a if k in ("src", "href") and v and "//" in v]
    def handle_endtag(self, t):
        if not self.stack or self.stack.pop() != t: print("unbalanced", t)
p = P(); p.feed(open(sys.argv[1]).read()); print(len(p.stack), len(p.far), "libold" in open(sys.argv[1]).read())' "$T/html")" "0 0 True"
fi

# Archives and images.
(cd "$D" && tar cf "$T/tree.tar" .)
gzip -k "$T/tree.tar"
xz -k "$T/tree.tar" 2>/dev/null
for a in tar tar.gz tar.xz; do
	[ -e "$T/tree.$a" ] || continue
	is "$a: status" "$(scan "$T/tree.$a")" 1
	like "$a: member" "$(cat "$T/out")" "tree.$a!(\./)?lib/libold.so.1: calls"
	like "$a: blame" "$(cat "$T/out")" 'by its library .*libold.so.1'
done
image() { # LAYER... : directories, bottom first; makes $T/image.tar as docker save does
	rm -rf "$T/img"
	mkdir -p "$T/img"
	layers=
	for l; do
		mkdir -p "$T/img/${l##*/}"
		tar cf "$T/img/${l##*/}/layer.tar" -C "$l" .
		layers="$layers${layers:+,}\"${l##*/}/layer.tar\""
	done
	printf '[{"Config":"config.json","RepoTags":["x:1"],"Layers":[%s]}]' "$layers" >"$T/img/manifest.json"
	echo '{}' >"$T/img/config.json"
	tar cf "$T/image.tar" -C "$T/img" .
}
mkdir -p "$T/bottom/lib" "$T/bottom/opt" "$T/gone/lib" "$T/over/lib" "$T/opaque/opt"
cp "$T/libold.so.1" "$T/bottom/lib"
cp "$T/stubs.o" "$T/bottom/opt"
: >"$T/gone/lib/.wh.libold.so.1"
cp "$T/no" "$T/over/lib/libold.so.1"
: >"$T/opaque/opt/.wh..wh..opq"
image "$T/bottom"
is "image: status" "$(scan "$T/image.tar")" 1
like "image: names layer and file" "$(cat "$T/out")" 'libold.so.1: calls .*\[layer .*bottom'
image "$T/bottom" "$T/gone"
is "image: whiteout" "$(scan "$T/image.tar"; grep -c 'libold.so.1: calls' "$T/out")" "1
0"
image "$T/bottom" "$T/gone" "$T/opaque"
is "image: opaque folder" "$(scan "$T/image.tar")" 0
image "$T/bottom" "$T/over" "$T/opaque"
is "image: replaced by a clean file" "$(scan "$T/image.tar")" 0
image "$T/gone" "$T/opaque" "$T/bottom"
is "image: a whiteout below hides nothing" "$(scan "$T/image.tar"; grep -c ': calls' "$T/out")" "1
2"
gzip -kf "$T/image.tar"
is "image, compressed" "$(scan "$T/image.tar.gz"; grep -c ': calls' "$T/out")" "1
2"
# The same as an OCI layout, its layers compressed; a hard link outlives its other name.
oci() { # LAYER...: directories, bottom first; makes $T/oci.tar
	rm -rf "$T/oci" && mkdir -p "$T/oci/blobs/sha256"
	layers=
	for l; do
		tar cf "$T/l.tar" -C "$l" .
		"$pack" -qc "$T/l.tar" >"$T/l.packed"
		blob "$T/l.packed"
		layers="$layers${layers:+,}{\"digest\":\"sha256:$d\"}"
	done
	printf '{"schemaVersion":2,"layers":[%s]}' "$layers" >"$T/m.json"
	blob "$T/m.json"
	printf '{"schemaVersion":2,"manifests":[{"digest":"sha256:%s"}]}' "$d" >"$T/oci/index.json"
	tar cf "$T/oci.tar" -C "$T/oci" .
}
blob() { d=$(sha256sum "$1" | cut -c1-64); cp "$1" "$T/oci/blobs/sha256/$d"; }
ln "$T/bottom/lib/libold.so.1" "$T/bottom/lib/zz-link.so"
for pack in gzip xz zstd; do
	command -v $pack >/dev/null || { skip "OCI layout, $pack" "not installed"; continue; }
	oci "$T/bottom" "$T/opaque"
	is "OCI layout, $pack" "$(scan "$T/oci.tar"; grep -c ': calls' "$T/out")" "1
1"
	like "OCI layout, $pack: layer and file" "$(cat "$T/out")" 'oci.tar!lib/.*: calls .*\[layer blobs/sha256/[0-9a-f]{64}\]'
	oci "$T/bottom" "$T/gone" "$T/opaque"
	is "OCI layout, $pack: a link outlives the name" "$(scan "$T/oci.tar"; grep -c 'zz-link.so: calls' "$T/out"; grep -c 'libold.so.1: calls' "$T/out")" "1
1
0"
done

printf 'long f(long (*v)(long *), long *t) { return (v ? v : (long (*)(long *))0xffffffffff600400)(t); }' >"$T/fallback.c"
cc -O2 -c -o "$T/fallback.o" "$T/fallback.c"
# Names with everything that the forms must quote.
mkdir -p "$T/odd"
nl='
'
for n in 'a,b' 'say "hi"' "two${nl}lines" '<i>&amp;' "$(printf 'latin\351')" '=1+1'; do cp "$T/stubs.o" "$T/odd/$n.o"; done
for r in csv json sarif; do "$V" scan --report=$r "$T/odd" >"$T/odd.$r"; done
is "odd names: CSV, JSON and SARIF read back" "$(python3 - "$T" <<'X'
import csv, json, os, sys, urllib.parse
T = sys.argv[1]
want = {os.path.join(os.fsencode(T), b"odd", n) for n in os.listdir(os.fsencode(T) + b"/odd")}
rows = list(csv.DictReader(open(T + "/odd.csv", newline="", errors="surrogateescape")))
print({os.fsencode(r["path"]) for r in rows} == want, all(None not in r and None not in r.values() for r in rows))
lines = [json.loads(l) for l in open(T + "/odd.json", encoding="utf-8")]
print({l["path"] for l in lines} == {w.decode(errors="replace") for w in want}, {urllib.parse.unquote_to_bytes(l["uri"]) for l in lines} == want)
s = json.load(open(T + "/odd.sarif", encoding="utf-8"))
print({urllib.parse.unquote_to_bytes(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
       for r in s["runs"][0]["results"]} == want)
X
)" "True True
True True
True"
"$V" scan "$T/odd" >"$T/odd.txt"
is "odd names: a line a file" "$(grep -c ': calls$' "$T/odd.txt"; grep -c 'two\\nlines.o: calls' "$T/odd.txt")" "6
1"
# What becomes of each file: by mode, and by kernel as it boots.
is "fates" "$("$V" scan --report=json "$T/stubs.o" "$B/guest/t06-page-reader" "$T/no" "$T/fallback.o" | jq -r '[(.path | sub(".*/"; "")), (.modes | to_entries[] | .key + "=" + .value),
	(.kernels | to_entries[] | select(.value != "runs") | .key + "=" + .value)] | join(" ")' | sort)" \
	"fallback.o none=breaks-without-vdso xonly=runs emulate=runs native=runs 6.1-debian=breaks-without-vdso
no none=runs xonly=runs emulate=runs native=runs
stubs.o none=breaks xonly=runs emulate=runs native=runs 6.1-debian=breaks
t06-page-reader none=breaks xonly=breaks emulate=runs native=runs 5.3=breaks 6.1=breaks 6.1-debian=breaks 6.18=breaks 7.1=breaks"
like "fates: text" "$("$V" scan "$T/stubs.o")" '^    none: breaks; xonly, emulate, native: runs; as booted by default breaks on 6.1-debian$'
is "sums: those of all files on the last line" "$("$V" scan --report=json "$T/stubs.o" "$B/guest/t06-page-reader" "$T/no" "$T/fallback.o" | tail -n 1 | jq -c .so_far)" \
	'{"files":4,"clean":1,"reads":1,"may-call":1,"calls":1,"unreadable":0,"breaks":{"none":2,"xonly":1,"emulate":0,"native":0},"breaks_without_vdso":{"none":1,"xonly":0,"emulate":0,"native":0}}'

# SARIF 2.1.0 against the standard's schema.
S=tests/golden/scan/sarif-2.1.0.json
if python3 -c 'import jsonschema' 2>/dev/null; then
	"$V" scan --report=sarif "$T/no" >"$T/clean.sarif"
	"$V" scan --report=sarif "$T/image.tar" "$T/libold.a" "$B/guest/t06-page-reader" "$T/none" >"$T/mixed.sarif"
	for f in odd mixed clean; do
		is "SARIF validates: $f" "$(python3 - $S "$T/$f.sarif" <<'X'
import json, sys, jsonschema
schema, log = (json.load(open(f, encoding="utf-8")) for f in sys.argv[1:])
c = jsonschema.validators.validator_for(schema)
c.check_schema(schema)
for e in c(schema).iter_errors(log): print(list(e.absolute_path), e.message[:200])
bad = json.loads(json.dumps(log))
bad["runs"][0]["tool"]["driver"]["nmae"] = bad["runs"][0]["tool"]["driver"].pop("name")
print(len(log["runs"]), len(list(c(schema).iter_errors(bad))) > 0)
X
)" "1 True"
	done
	is "SARIF: something to validate" "$(grep -c '"ruleId"' "$T/odd.sarif" "$T/mixed.sarif" "$T/clean.sarif" | sed 's/.*://' | tr '\n' ' ')" "18 13 0 "
else
	skip "SARIF validates" "no python3-jsonschema"
fi

# Broken and odd files: one line each, and the scan goes on.
: >"$T/empty"
head -c 100 "$T/libold.so.1" >"$T/short"
{ head -c 40 "$T/libold.so.1"; head -c 4000 /dev/zero | tr '\0' '\377'; } >"$T/headers"
head -c 2000 "$T/libold.a" >"$T/short.a"
head -c $(($(wc -c <"$T/tree.tar.gz") / 2)) "$T/tree.tar.gz" >"$T/short.tar.gz"
head -c 20000 "$T/image.tar" >"$T/short.tar"
for f in short headers short.a; do
	is "broken $f: status" "$(scan "$T/$f" "$T/libold.so.1")" 2
	like "broken $f: told" "$(cat "$T/out")" "$f: unreadable \(.+\)"
	like "broken $f: goes on" "$(cat "$T/out")" 'libold.so.1: calls'
done
for f in short.tar.gz short.tar; do
	is "broken $f: status" "$(scan "$T/$f" "$T/libold.so.1")" 2
	like "broken $f: goes on" "$(cat "$T/out")" 'libold.so.1: calls'
done
is "an empty file" "$(scan "$T/empty")" 0
is "no such file" "$(scan "$T/none")" 2
is "nothing to scan" "$("$V" scan >/dev/null 2>&1; echo $?)" 2
if [ "$(id -u)" -ne 0 ]; then
	chmod 0 "$T/no"
	is "no permission" "$(scan "$T/no")" 2
fi
# Cut at every length and flipped at random: never a crash.
size=$(wc -c <"$T/libold.so.1") bad=0 i=0 rounds=120
[ -n "$SOAK" ] && rounds=5000
while [ $i -lt $rounds ]; do
	head -c $((size * i / rounds)) "$T/libold.so.1" >"$T/cut$((i % 60))"
	i=$((i + 1))
	[ $((i % 60)) -eq 0 ] || continue
	timeout 60 "$V" scan "$T"/cut* >/dev/null 2>"$T/err" </dev/null
	[ $? -le 2 ] || bad=$((bad + 1))
done
is "cut files" $bad 0
done_testing
