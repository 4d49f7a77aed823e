#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Blocking writes larger than a pipe or a socket takes: all is written, whole, while threads of the same
# process read; a write that an alarm ends; waits that nothing but another thread can end.
. tests/tap.sh
python=$(command -v /usr/bin/python3 || command -v python3) || { skip "pieces" "no python3"; done_testing; }
cat >"$T/pieces.py" <<'X'
import os, threading, socket, hashlib, fcntl, tempfile, time
data = bytes(range(256)) * 8000
def take(read, out):
    h = hashlib.md5(); n = 0
    while True:
        b = read(70000)
        if not b: break
        n += len(b); h.update(b)
    out.append((n, h.hexdigest()))
def both(name, write, read, close):
    out = []; t = threading.Thread(target=take, args=(read, out)); t.start()
    r = write(); close(); t.join(); print(name, r, out)
r, w = os.pipe(); both("write", lambda: os.write(w, data), lambda n: os.read(r, n), lambda: os.close(w))
r, w = os.pipe(); both("writev", lambda: os.writev(w, [b"", data, b"x" * 5000, data]), lambda n: os.read(r, n), lambda: os.close(w))
for family in socket.AF_UNIX, socket.AF_INET:
    for how in "send", "sendmsg", "write":
        if family == socket.AF_UNIX: a, b = socket.socketpair()
        else:
            s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); a = socket.create_connection(s.getsockname()); b, _ = s.accept()
        f = {"send": lambda: a.send(data), "sendmsg": lambda: a.sendmsg([data, b"yz" * 9999, data]), "write": lambda: os.write(a.fileno(), data)}[how]
        both(how, f, b.recv, a.close)
# a lock that the other thread gives up
f = tempfile.NamedTemporaryFile(); g = open(f.name)
fcntl.flock(f, fcntl.LOCK_EX)
def give(): time.sleep(0.05); print("giving"); fcntl.flock(f, fcntl.LOCK_UN)
t = threading.Thread(target=give); t.start(); fcntl.flock(g, fcntl.LOCK_EX); print("got"); t.join()
# a child reads late, while a timer of ours fires for another thread
r, w = os.pipe()
if os.fork() == 0:
    os.close(w); time.sleep(0.02); out = []; take(lambda n: (time.sleep(0.003), os.read(r, n))[1], out); print(out, flush=True); os._exit(0)
os.close(r); print("to a child", os.write(w, data)); os.close(w); os.wait()
X
cat >"$T/alarm.py" <<'X'
import os, signal, sys, threading
signal.signal(signal.SIGALRM, lambda *a: 1 / 0)
r, w = os.pipe()
t = threading.Thread(target=lambda: os.read(r, 1), daemon=True)
signal.setitimer(signal.ITIMER_REAL, 0.3)
t.start()
try:
    print(os.write(w, b"xy" * (4 << 20)), "written before it")
    print(os.write(w, b"xy" * (4 << 20)))
except ZeroDivisionError:
    print("alarm")
sys.stdout.flush()
os._exit(0)
X
cat >"$T/refused.py" <<'X'
import fcntl, os, select, socket, struct, termios
def tried(f, *a):
    try: return f(*a)
    except OSError as e: return e.errno
print(tried(os.pidfd_open, -1), tried(os.pidfd_open, 0), tried(os.pidfd_open, os.getpid(), 1 << 20))
print(tried(os.tcsetpgrp, 999, 1), tried(os.tcsetpgrp, os.open("/dev/null", 0), 123456))
p = select.epoll(); keep = [os.pipe() for i in range(300)]
for r, w in keep: p.register(w, select.EPOLLOUT)
print(len(p.poll(0, 100)), len(p.poll(0, 300)), len(p.poll(0, 5000000)))
X
for t in pieces alarm refused; do same "$t" "$python" "$T/$t.py"; done
done_testing
