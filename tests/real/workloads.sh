#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole jobs, natively and emulated, compared byte for byte with the files that they leave: shell scripts, make
# with gcc, git, compressors, openssl, sqlite3's threads, a Go program (ESBUILD=FILE; npm package esbuild-linux-64
# at 0.3.0), which is run under every mode, too.  Each runs in a folder of the same name and content.
. tests/tap.sh

# job NAME SCRIPT [NEEDED...]: stdout, stderr, status and the tree left must be the same
job() {
	name=$1 script=$2
	shift 2
	for c in "$@"; do
		command -v "$c" >/dev/null 2>&1 || { skip "$name" "no $c"; return; }
	done
	printf '%s\n' "$script" >"$T/script"
	for w in n e; do
		run="bash $T/script"
		[ $w = e ] && run="timeout 250 $V -q --epoch=now -- $run"
		rm -rf "$T/in" && mkdir "$T/in"
		(cd "$T/in" && HOME=$T/in $run </dev/null >"$T/$w.out" 2>"$T/$w.err")
		echo "status $?" >>"$T/$w.out"
		rm -rf "$T/$w.tree" && mv "$T/in" "$T/$w.tree"
	done
	d=$(diff -r "$T/n.tree" "$T/e.tree" 2>&1; diff "$T/n.out" "$T/e.out"; diff "$T/n.err" "$T/e.err")
	if [ -z "$d" ] && grep -qx 'status 0' "$T/e.out"; then
		ok "$name"
	else
		not_ok "$name"
		{ tail -n 1 "$T/e.out"; printf '%s\n' "$d"; } | head -n 15 | sed 's/^/# /'
	fi
}

job "bash: pipes, here-documents, subshells, traps, jobs" '
set -o pipefail
trap "echo term; exit 9" TERM
cat <<X | tr a-z A-Z | tee up | wc -l
one $((1 + 1))
$(echo two | rev)
X
(cd / && pwd; exit 4); echo "sub $?"
false | true; echo "${PIPESTATUS[@]}"
for i in 1 2 3; do (sleep 0.0$i; echo "job $i" >j$i; exit $i) & p[i]=$!; done
for i in 1 2 3; do wait ${p[i]}; echo "end $i: $?"; done
coproc C { while read -r l; do echo "<$l>"; done; }
echo hello >&"${C[1]}"; read -r l <&"${C[0]}"; echo "$l"; eval "exec ${C[1]}>&-"; wait $C_PID
(trap "echo int; exit 3" INT; kill -INT $BASHPID; echo no); echo "trap $?"
bash -c "trap \"echo bye\" EXIT; kill -TERM \$\$; sleep 1"; echo "killed $?"
diff <(seq 3) <(seq 4); mkfifo f; (cat <f >g) & echo through >f; wait; cat g; rm f
(sleep 0.2; kill -USR1 $$) & trap "echo usr1" USR1; wait $!; wait; echo done' bash

job "make -j2 with gcc" '
mkdir src
for i in 1 2 3 4; do
	printf "#include <stdio.h>\n#include <string.h>\nint f%d(int x)\n{\n\tchar b[32];\n\tsnprintf(b, 32, \"%%d\", x * %d);\n\treturn (int)strlen(b) + x;\n}\n" $i $i >src/f$i.c
done
printf "#include <stdio.h>\nint f1(int), f2(int), f3(int), f4(int);\nint main(void)\n{\n\tprintf(\"%%d\\\\n\", f1(1) + f2(20) + f3(300) + f4(4000));\n\treturn 0;\n}\n" >src/main.c
printf "%s\n" "OBJ = f1.o f2.o f3.o f4.o" "prog: main.o lib.a" "	gcc -o \$@ main.o lib.a" "lib.a: \$(OBJ)" "	ar rcsD \$@ \$(OBJ)" \
	"%.o: src/%.c" "	gcc -O2 -g -Wall -c -o \$@ \$<" >Makefile
touch -d 2001-01-01 Makefile src/*.c
make -j2 2>&1 | grep -v "future\|skew" | sort && ./prog' make gcc

job "git: init, add, commit, log, merge, gc, clone" '
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE=2001-02-03T04:05:06Z GIT_COMMITTER_DATE=2001-02-03T04:05:06Z
git init -q -b main r && cd r && git config user.email a@b && git config user.name n
for i in 1 2 3; do seq $i $((i * 100)) >f$i; git add f$i; git commit -qm "c $i"; done
git log --stat --format="%H %an %s" | cat
git checkout -q -b side HEAD~1; echo x >>f1; git commit -qam side; git merge -q main -m both
git log --graph --oneline | cat; git gc -q; git fsck; git diff HEAD~2 | head -5; git status --short
git clone -q . ../r2 && cd ../r2 && git log --oneline | wc -l && git grep -c 10 && git blame f1 | tail -2
cd ..; s=$?; rm -rf r r2; exit $s' git

job "tar, xz, zstd -T2, gzip, bzip2" '
seq 1 30000 >n
tar cf t.tar n; tar tf t.tar; tar cJf t n; tar xJOf t | cmp - n
xz -T2 -k -c --block-size=50000 n | xz -dc | cksum; zstd -q -T2 -c n >n.zst; zstd -dc n.zst | cksum
zstd -q -T2 -15 -B1M -c n | cksum; tar --zstd -cf t n; tar --zstd -tf t; rm t t.tar
gzip -9nc n | gzip -dc | cksum; bzip2 -c n | bzip2 -dc | cksum' tar xz zstd gzip bzip2

job "openssl enc and dgst" '
seq 1 20000 >n
for d in md5 sha1 sha256 sha512 sha3-256 blake2b512; do openssl dgst -$d n; done
k=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
for c in aes-128-ctr:32 aes-256-cbc:64 chacha20:64 camellia-128-cbc:32; do
	openssl enc -${c%:*} -K ${k:0:${c#*:}} -iv 000102030405060708090a0b0c0d0e0f -in n | cksum
done
openssl enc -aes-256-cbc -pbkdf2 -k pw -in n -out e && openssl enc -d -aes-256-cbc -pbkdf2 -k pw -in e | cmp - n; echo $?; rm e
openssl ecparam -genkey -name prime256v1 -noout -out k.pem && openssl ec -in k.pem -pubout -out p.pem 2>/dev/null
openssl dgst -sha256 -sign k.pem -out sig n && openssl dgst -sha256 -verify p.pem -signature sig n; rm -f k.pem p.pem sig' openssl

job "sqlite3: a file, a journal, threads" '
export PATH=/usr/bin:/bin
printf "%s\n" "pragma journal_mode=wal;" "pragma threads=2;" "create table t(a integer primary key, b text);" \
	"with recursive c(x) as (select 1 union all select x+1 from c where x<5000) insert into t select x, hex(x*7919%5003) from c;" \
	"create index i on t(b);" "select count(distinct b), sum(a), max(b) from t;" "pragma integrity_check;" | sqlite3 db
python3 - <<X
import sqlite3, threading
def work(n):
    c = sqlite3.connect("db", timeout=60)
    for i in range(20):
        with c: c.execute("insert into t(b) values(?)", ("%d-%d" % (n, i),))
    c.close()
t = [threading.Thread(target=work, args=(n,)) for n in range(4)]
[x.start() for x in t]; [x.join() for x in t]
print(sqlite3.connect("db").execute("select count(*), count(distinct b) from t where b like \"%-%\"").fetchall())
X
rm -f db*' sqlite3 python3

go_program() {
	printf 'function  foo( longname ) {\n  // comment\n  return longname + 1 ;\n}\nconsole.log( foo( 41 ) );\n' >"$T/t.js"
	"$ESBUILD" --minify "$T/t.js" >"$T/min.js"
	for m in native emulate xonly none; do
		for o in auto off; do
			timeout 60 "$V" --mode=$m --vdso=$o --report=json -o "$T/r.json" -- "$ESBUILD" --minify "$T/t.js" >"$T/e.js" 2>/dev/null
			s=$?
			if [ $m$o = noneoff ]; then
				is "Go without vDSO and page dies" $s 139
				like "the report names its function" "$(tr -d ' \n' <"$T/r.json")" '"caller":\{[^}]*"symbol":"runtime\.'
			else
				is "Go: --mode=$m --vdso=$o" "$s $(cat "$T/e.js")" "0 $(cat "$T/min.js")"
				is "its version" "$(timeout 60 "$V" -q --mode=$m --vdso=$o -- "$ESBUILD" --version 2>&1)" "$("$ESBUILD" --version 2>&1)"
			fi
		done
	done
}
if [ -x "${ESBUILD:-/nonexistent}" ]; then
	go_program
else
	skip "a Go program" "ESBUILD does not name esbuild (npm pack esbuild-linux-64@0.3.0)"
fi
done_testing
