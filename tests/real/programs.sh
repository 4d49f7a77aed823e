#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Real programs, static and dynamic, do the same natively and emulated: stdout, stderr and status are
# compared byte for byte.  Time comes from virtual clocks, so what prints it is compared with itself.
. tests/tap.sh

have() {
	command -v "$1" >/dev/null 2>&1 && return 0
	skip "$2" "no $1"
	return 1
}

# Each run starts in a folder of the same content.
seq 1 3000 | awk '{ print ($1 * 7919) % 3001, $1 }' >"$T/numbers"
mkdir "$T/tree" "$T/tree/a" "$T/tree/b"
echo one >"$T/tree/a/1"
echo two >"$T/tree/b/2"
ln -s a/1 "$T/tree/link"
# Older than the guest's clock and the host's: ls shows the same form of date.
TZ=UTC find "$T" -depth -exec touch -h -d 2001-02-03T04:05:06 '{}' +

busybox_applets() {
	have busybox "busybox" || return
	same "busybox echo" busybox echo hello world
	same "busybox false" busybox false
	same "busybox ls -l" busybox ls -lR "$T/tree"
	same "busybox cat" busybox cat "$T/numbers"
	same "busybox cat of nothing" busybox cat /nonexistent
	same "busybox sort" busybox sort -n "$T/numbers"
	same "busybox awk" busybox awk '{ s += $1 } END { print s, NR }' "$T/numbers"
	same "busybox sed" busybox sed -n 's/^1\(.*\)$/<\1>/p' "$T/numbers"
	same "busybox grep" busybox grep -c 99 "$T/numbers"
	same "busybox md5sum" busybox md5sum "$T/numbers"
	same "busybox sha256sum" busybox sha256sum "$T/numbers"
	same "busybox find" busybox find "$T/tree" -type f -name '[12]'
	same "busybox tar" sh -c "busybox tar cf - -C $T tree | busybox tar tf -"
	same "busybox gzip" sh -c "busybox gzip -c $T/numbers | busybox gunzip | busybox cksum"
	same "busybox od" busybox od -c "$T/tree/a/1"
	same "busybox stat" busybox stat -c '%s %F %h' "$T/tree/a/1" "$T/tree" "$T/tree/link"
	same "busybox readlink" busybox readlink -f "$T/tree/link"
	same "busybox env" env -i A=1 B=2 busybox env
	same "busybox sleep" busybox sleep 0.01
	same "busybox xargs" sh -c "busybox seq 1 20 | busybox xargs -n 3 busybox echo"
	same "busybox diff" busybox diff "$T/tree/a/1" "$T/tree/b/2"
	same "busybox dd" sh -c "busybox dd if=$T/numbers bs=100 count=3 skip=2 2>/dev/null"
	same "busybox timeout" sh -c 'busybox timeout 1 busybox sleep 30; echo $?' 2>/dev/null
	same "busybox sh" busybox sh -c 'f() { echo "$1$1"; }; for i in a b; do f $i; done; exit 3'
	same "busybox sh: job and wait" busybox sh -c '(exit 5) & wait $!; echo $?'
	same "busybox sh: trap" busybox sh -c 'trap "echo got" USR1; kill -USR1 $$; echo after'
	same "busybox sh: killed" sh -c "busybox sh -c 'kill -TERM \$\$'; echo \$?" 2>/dev/null
}

shells() {
	have bash-static "bash-static" || return
	same "bash: arithmetic and arrays" bash-static -c 'a=(1 2 3); echo $((a[0]+a[2]*7)) ${#a[@]}'
	same "bash: pipeline" bash-static -c 'seq 1 100 | while read -r i; do ((s+=i)); echo $s; done | tail -n 1'
	same "bash: pipestatus" bash-static -c 'true | false | (exit 4); echo ${PIPESTATUS[@]}'
	same "bash: substitution" bash-static -c 'x=$(echo $(echo deep)); echo "[$x]"'
	same "bash: process substitution" bash-static -c 'cat <(echo a) <(echo b)'
	same "bash: here document" bash-static -c 'cat <<X
line $((1+1))
X'
	same "bash: background jobs" bash-static -c 'for i in 1 2 3; do (exit $i) & p[i]=$!; done; for i in 1 2 3; do wait ${p[i]}; echo $?; done'
	same "bash: trap EXIT" bash-static -c 'trap "echo bye" EXIT; exit 7'
	same "bash: signal of a child" bash-static -c 'exec 2>/dev/null; (kill -KILL $BASHPID); echo $?'
	same "bash: read with a time-out" bash-static -c 'sleep 1 | read -t 0.01 x; echo $?'
	same "bash: not found" bash-static -c nonexistent-command
	same "bash: redirections" bash-static -c "echo x >$T/o; echo y >>$T/o; cat <$T/o; exec 5<$T/o; read -u 5 z; echo \$z; rm $T/o"
	same "dash" dash -c 'echo $((3*4)); cat /nonexistent; echo $?'
}

tools() {
	same "ls -lA" ls -lAR "$T/tree"
	same "sort" sort -rn "$T/numbers"
	same "sort -u with a small buffer" sort -u -S 16k "$T/numbers"
	same "awk" awk 'BEGIN { while ((getline l < ARGV[1]) > 0) n++; print n; "echo sub" | getline x; print x }' "$T/numbers"
	same "sed" sed -e '1,5d;s/1/X/g;20q' "$T/numbers"
	same "grep -r" grep -rn o "$T/tree"
	same "find -exec" find "$T/tree" -type f -exec wc -c '{}' ';'
	same "tar" sh -c "tar cf - -C $T tree | tar tvf -"
	same "gzip" sh -c "gzip -c $T/numbers | gzip -dc | cksum"
	same "cp and rm" sh -c "cp -r $T/tree $T/copy && ls -R $T/copy && rm -rf $T/copy"
	same "head of yes" sh -c 'yes | head -n 3'
	same "tee" sh -c "echo t | tee $T/tee; cat $T/tee; rm $T/tee"
	same "dd" dd if="$T/numbers" bs=64 count=2 status=none
	same "od" od -An -tx1 "$T/tree/a/1"
	same "env" env -i X=y env
	same "test -e" test -e /nonexistent
	same "timeout" timeout 1 sleep 10
	same "mkfifo" sh -c "mkfifo $T/p; (echo through >$T/p) & cat $T/p; wait; rm $T/p"
	same "comm" sh -c "sort $T/numbers | comm -12 - $T/numbers 2>&1 | tail -n 2"
	same "join, cut, tr, paste" sh -c "cut -d' ' -f1 $T/numbers | tr 0-9 a-j | paste - - - | head -n 4"
	same "factor" factor 123456789 9999991
	same "id" id -u
	same "stat" stat -c '%s %a %U %F' "$T/tree/a/1"
	same "realpath" realpath "$T/tree/link"
	same "a directory" cat "$T/tree"
	same "seq -f" seq -f %.3f 0 0.25 2
}

languages() {
	have python3 "python3" && {
		same "python3: sums" python3 -c 'print(sum(i*i for i in range(2000)), 2**200, 0.1+0.2)'
		same "python3: subprocess" python3 -c 'import subprocess as s; print(s.run(["echo","x"],stdout=s.PIPE).stdout, s.call(["false"]))'
		same "python3: exception" python3 -c 'import sys; sys.tracebacklimit=0; {}["k"]'
		same "python3: json, re, hash" python3 -c 'import json,re,hashlib; print(json.dumps({"a":[1,2.5,None]}), re.findall(r"\d+","a1b22"), hashlib.sha1(b"x").hexdigest())'
		same "python3: mmap, pipe, fork" python3 -c '
import os,mmap
m=mmap.mmap(-1,8192); m[0:3]=b"abc"
r,w=os.pipe()
if os.fork()==0:
    m[0:3]=b"xyz"; os.write(w,b"child"); os._exit(9)
print(os.read(r,10), os.waitstatus_to_exitcode(os.wait()[1]), m[0:3])'
		same "python3: select, sockets" python3 -c '
import socket,select
a,b=socket.socketpair()
print(select.select([a],[],[],0.01)); b.send(b"hi"); print(len(select.select([a],[],[],1)[0]), a.recv(5))
p=select.epoll(); p.register(b, select.EPOLLIN); print(p.poll(0.01)); a.send(b"x"); print(p.poll(1)[0][1])
s=socket.socket(); s.bind(("127.0.0.1",0)); s.listen(); c=socket.create_connection(s.getsockname()); d,_=s.accept(); c.sendall(b"tcp"); print(d.recv(9))'
		same "python3: signals" python3 -c '
import signal,os,time
signal.signal(signal.SIGALRM, lambda s,f: print("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()
signal.signal(signal.SIGUSR1, lambda s,f: print("usr1")); os.kill(os.getpid(), signal.SIGUSR1)
t=time.monotonic(); time.sleep(0.02); print(time.monotonic()-t >= 0.02)'
		same "python3: the parent's scheduling" python3 -c '
import os
p=os.getppid()
print(os.sched_getscheduler(p), os.sched_getparam(p).sched_priority, len(os.sched_getaffinity(p)) > 0, os.getpriority(os.PRIO_PROCESS, p))'
		same "python3: locks" python3 -c '
import fcntl,tempfile
f=tempfile.TemporaryFile(); fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX); f.write(b"z"); f.flush(); print(f.tell())'
	}
	have perl "perl" && {
		same "perl" perl -e 'print join(",", map { $_*2 } sort { $b <=> $a } 1..9), "\n"; exit 6'
		same "perl: fork and pipe" perl -e 'pipe R,W; if (!fork) { print W "k\n"; exit 3 } close W; print <R>; wait; print $?>>8, "\n"'
	}
	have sqlite3 "sqlite3" && {
		same "sqlite3: memory" sqlite3 :memory: 'create table t(a,b); insert into t values(1,2),(3,4); select sum(a*b), count(*) from t;'
		same "sqlite3: file" sh -c "rm -f $T/db; sqlite3 $T/db 'create table t(x); insert into t values(5);' && sqlite3 $T/db 'select * from t; pragma journal_mode=wal; insert into t values(6); select count(*) from t;'; rm -f $T/db*"
		same "sqlite3: wrong" sqlite3 :memory: 'select nonsense'
	}
	have xz "xz" && {
		same "xz" sh -c "xz -T1 -c $T/numbers | xz -dc | cksum"
		same "xz of nothing" xz -c /nonexistent
	}
	have bc "bc" && same "bc" sh -c 'echo "scale=20; 4*a(1)" | bc -l'
}

threads() {
	same "threads" "$B/guest/threads"
	have xz "xz -T4" && same "xz -T4" sh -c "xz -T4 --block-size=8000 -kc $T/numbers | xz -dc | cksum"
	have python3 "python3: threads" && same "python3: threads" python3 -c '
import threading, queue, time
q = queue.Queue()
def work(i):
    time.sleep(0.02 * i); q.put(i)
ts = [threading.Thread(target=work, args=(i,)) for i in range(4)]
[t.start() for t in ts]
print([q.get() for _ in ts]); [t.join() for t in ts]'
	a=$(timeout 60 "$V" --report=json "$B/guest/threads" 2>&1 >/dev/null | tr -d ' \n')
	like "threads are counted" "$a" '"threads":12[,}]'
}

# The answers of clocks, ids and random numbers are the same in every run, and not the host's.
repeat() {
	name=$1
	shift
	a=$(timeout 60 "$V" -q -- "$@" 2>&1)
	b=$(timeout 60 "$V" -q -- "$@" 2>&1)
	is "twice the same: $name" "$b" "$a"
}

virtual() {
	repeat date date +%s.%N
	repeat "process ids" sh -c 'echo $$ $PPID; sh -c "echo \$\$" & echo $!; wait'
	repeat "random numbers" od -An -tx1 -N16 /dev/urandom
	repeat "uuid" cat /proc/sys/kernel/random/uuid
	repeat "uptime" cat /proc/uptime
	repeat "mktemp" mktemp -u
	repeat "times" bash -c 'x=0; while ((x++ < 500)); do :; done; times'
	a=$(timeout 60 "$V" -q --epoch=86400 date -u +%Y-%m-%d)
	is "the epoch is the time of day" "$a" 1970-01-02
	a=$(timeout 60 "$V" -q --seed=1 od -An -tx1 -N16 /dev/urandom)
	b=$(timeout 60 "$V" -q --seed=2 od -An -tx1 -N16 /dev/urandom)
	[ "$a" != "$b" ] && ok "the seed feeds /dev/urandom" || not_ok "the seed feeds /dev/urandom"
	s=$(date +%s)
	a=$(timeout 60 "$V" -q sh -c 'a=$(date +%s); sleep 1000; b=$(date +%s); echo $((b-a))')
	e=$(date +%s)
	is "sleep takes virtual time" "$a" 1000
	[ $((e - s)) -lt 20 ] && ok "and no host time" || not_ok "and no host time: $((e - s)) s"
}

# What /proc says is the guest's.
proc() {
	a=$(timeout 60 "$V" -q readlink /proc/self/exe)
	is "/proc/self/exe" "$a" "$(readlink -f "$(command -v readlink)")"
	a=$(timeout 60 "$V" -q cat /proc/self/cmdline | tr '\0' ' ')
	is "/proc/self/cmdline" "$a" "cat /proc/self/cmdline "
	a=$(timeout 60 "$V" -q cat /proc/self/comm)
	is "/proc/self/comm" "$a" cat
	a=$(timeout 60 "$V" -q ls /proc/self/fd | tr '\n' ' ')
	is "/proc/self/fd has nothing of the emulator" "$a" "$(ls /proc/self/fd | tr '\n' ' ')"
	a=$(timeout 60 "$V" -q cat /proc/self/maps)
	like "/proc/self/maps has the page" "$a" '^ffffffffff600000-ffffffffff601000 --xp .*\[vsyscall\]$'
	like "/proc/self/maps has the program" "$a" "r-xp .* $(readlink -f "$(command -v cat)")\$"
	if printf '%s\n' "$a" | grep -q unicorn; then
		not_ok "/proc/self/maps has no emulator"
	else
		ok "/proc/self/maps has no emulator"
	fi
	a=$(timeout 60 "$V" -q sh -c 'cat /proc/$$/stat' | cut -d' ' -f1,2)
	is "/proc/PID/stat" "$a" "1000 (sh)"
}

busybox_applets
shells
tools
languages
threads
virtual
proc
done_testing
