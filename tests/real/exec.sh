#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Loading and execve on real programs: the same output and status as on the real kernel, and one
# clear line for what cannot be run.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
EMUOPT=--kernel=6.1
G=$PWD/$B/guest
cd "$T" || exit 1
script() { printf "$2" >"$T/$1" && chmod +x "$T/$1"; }

for p in /bin/true /bin/false; do same "$p" $p; done
same "dynamic: ls" /bin/ls -d / /usr /nonexistent
busybox=$(command -v busybox)
if [ -n "$busybox" ]; then
	same "static: busybox" "$busybox" uname -m
	same "execve: busybox sh" "$busybox" sh -c '/bin/echo one; /bin/echo two; exit 5'
fi
same "execve: environment" env -i A=1 "B=two words" "$G/hello" x
same "execve: a missing file" env ./nothing
same "execve: a directory" env ./
script noexec 'echo never\n'
chmod -x noexec
same "execve: no permission" env ./noexec
script text 'just text\n'
same "execve: not a program" env ./text

# Scripts.
script plain "#!$G/hello\n"
script onearg "#!  $G/hello  -x -y\t \nrest\n"
script relative "#!./plain\n"
script broken '#!/no/such/interpreter\n'
script empty '#!\n'
script loop '#!./loop\n'
for s in plain onearg relative; do
	same "script: $s" "./$s" 'an argument' ''
	same "execve: script $s" env "./$s" 'an argument' ''
done
for s in broken empty loop; do same "execve: script $s" env "./$s"; done
name=$(printf '%0300d' 0 | tr 0 a)
script long "#!/$name\n"
same "execve: an interpreter's name that is too long" env ./long

# What we say ourselves.
says() { # NAME STATUS REGEX FILE
	out=$("$V" $EMUOPT "$4" 2>&1 </dev/null)
	is "$1: status" $? "$2"
	like "$1: line" "$out" "$3"
	is "$1: one line" "$(printf '%s\n' "$out" | wc -l)" 1
}
says "missing" 127 '^vsysemu: \./nothing: no such file$' ./nothing
says "not in PATH" 127 '^vsysemu: .*nothing-of-that-name' nothing-of-that-name
says "directory" 126 '^vsysemu: .*a directory' "$T"
says "no permission" 126 '^vsysemu: .*no permission' ./noexec
says "text" 126 '^vsysemu: .*neither an ELF file nor a script' ./text
says "broken script" 126 '^vsysemu: \./broken: its interpreter /no/such/interpreter: no such file' ./broken
: >zero && chmod +x zero
says "empty file" 126 '^vsysemu: \./zero: neither an ELF file' ./zero
printf '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\003\000\001\000\000\000' >i386
head -c 100 /dev/zero >>i386 && chmod +x i386
says "32-bit program" 126 '^vsysemu: \./i386: a 32-bit program' ./i386
head -c 3000 "$G/hello" >cut && chmod +x cut
"$V" -q $EMUOPT ./cut >/dev/null 2>&1 </dev/null
got=$?
if [ $got -eq 126 ] || [ $got -gt 128 ]; then ok "a program cut short ends"; else not_ok "a program cut short ends ($got)"; fi

# The system root: the program interpreter comes from there.
if [ -x "$G/hello-musl-dynamic" ]; then
	ld=$(ls /lib/ld-musl-x86_64.so.1 2>/dev/null)
	mkdir -p root/lib
	cp -L "$ld" root/lib/ld-other.so.1
	sed 's|/lib/ld-musl-x86_64.so.1|/lib/ld-other.so.1\x00\x00\x00\x00\x00\x00|' "$G/hello-musl-dynamic" >other
	chmod +x other
	says "interpreter missing" 126 'its program interpreter /lib/ld-other.so.1: no such file.*-L' ./other
	out=$("$V" -q $EMUOPT -L root ./other one 2>&1)
	is "-L: status" $? 2
	like "-L: output" "$out" '^2 arguments, constructed 1'
	mkdir root/bin && cp other root/bin/inside
	out=$("$V" -q $EMUOPT -L root /bin/inside 2>&1)
	is "-L: the program, too" $? 1
else
	skip "-L" "no musl-gcc"
fi
# A tree with links that begin at its own root.
mkdir -p tree/usr/lib tree/etc tree/d/sub
echo inside >tree/etc/who && echo data >tree/d/sub/f
ln -s /d/sub tree/usr/lib/link && ln -s /usr/lib tree/lib2 && ln -s ../etc/who tree/d/rel && ln -s /loop tree/loop && ln -s "$PWD" tree/etc/out
read_in() { is "-L: $1" "$(timeout 60 "$V" -q $EMUOPT -L tree cat "$1" 2>&1)" "$2"; }
read_in /usr/lib/link/f data
read_in /lib2/link/f data
read_in /lib2/link/../sub/./f data
read_in /d/rel inside
read_in /etc/out/tree/etc/who inside
read_in /loop "cat: /loop: No such file or directory"
is "-L: a link is a link" "$(timeout 60 "$V" -q $EMUOPT -L tree readlink /usr/lib/link)" /d/sub
is "-L: and with a slash what it leads to" "$(timeout 60 "$V" -q $EMUOPT -L tree stat -c %F /lib2/link/ /lib2 | tr '\n' ' ')" "directory symbolic link "

cd / || exit 1
done_testing
