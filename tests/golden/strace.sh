#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The lines of --strace: structures, flags, commands and signals as strace shows them; and, where strace is installed and
# may trace, the same lines as it prints for the same program on the real kernel.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
G=$B/guest
timeout 60 "$V" -q --strace "$G/syscalls" >/dev/null 2>"$T/emu" </dev/null
is "status" $? 5
has() { like "$1" "$(cat "$T/emu")" "$2"; }
has "execve of the program itself" '^\[sys\]  execve\(".*/syscalls", \[".*/syscalls"\], [0-9]+ vars\) = 0$'
has "open flags, stat of a device" 'fstatat\(3, "", \{st_mode=S_IFCHR\|0666, st_rdev=makedev\(0x1, 0x3\), \.\.\.\}, AT_EMPTY_PATH\) = 0'
has "an escaped string" 'write\(3, "a\\tb\\n\\"\\\\\\1\\0012\\377", 10\)|write\(3, "a\\tb\\n\\"\\\\\\0012?\\0012\\377", 9|write\(3, "a\\tb\\n\\"\\\\\\1\\0012\\377'
has "fcntl: flags" 'fcntl\(3, F_SETFL, O_WRONLY\|O_APPEND\|O_NONBLOCK\)|fcntl\(3, F_SETFL, O_RDONLY\|O_APPEND\|O_NONBLOCK\) = 0'
has "fcntl: no third argument" 'fcntl\(3, F_GETFD\) = 0x1 \(flags FD_CLOEXEC\)'
has "mkdir: mode, errno and its text" 'mkdir\("/nonexistent/dir", 0751\) = -1 ENOENT \(No such file or directory\)'
has "mmap: protection and flags" 'mmap\(NULL, 8192, PROT_READ\|PROT_WRITE, MAP_PRIVATE\|MAP_ANONYMOUS\|MAP_NORESERVE, -1, 0\) = 0x'
has "sockaddr_in" 'connect\([0-9]+, \{sa_family=AF_INET, sin_port=htons\(1\), sin_addr=inet_addr\("127\.0\.0\.1"\)\}, 16\)'
has "sockaddr_un" '\{sa_family=AF_UNIX, sun_path="/nonexistent/socket"\}'
has "setsockopt" 'setsockopt\([0-9]+, SOL_TCP, TCP_NODELAY, \[1\], 4\) = 0'
has "sendmsg" 'sendmsg\([0-9]+, \{msg_name=NULL, msg_namelen=0, msg_iov=\[\{iov_base="ab", iov_len=2\}, \{iov_base="c\\n", iov_len=2\}\], msg_iovlen=2, msg_controllen=0, msg_flags=0\}, MSG_NOSIGNAL\) = 4'
has "epoll" 'epoll_wait\([0-9]+, \[\{events=EPOLLIN, data=\{u32=7, u64=7\}\}\], 1, 0\) = 1'
has "poll: what is ready" 'poll\(\[\{fd=[0-9]+, events=POLLIN\|POLLPRI\}\], 1, 0\) = 1 \(\[\{fd=[0-9]+, revents=POLLIN\}\]\)'
has "a time-out" 'poll\(NULL, 0, 1\) = 0 \(Timeout\)'
has "timerfd" 'timerfd_settime\([0-9]+, 0, \{it_interval=\{tv_sec=0, tv_nsec=0\}, it_value=\{tv_sec=1, tv_nsec=5\}\}, NULL\) = 0'
has "sigaction" 'rt_sigaction\(SIGUSR1, \{sa_handler=0x[0-9a-f]+, sa_mask=\[HUP\], sa_flags=SA_RESTORER\|SA_RESTART, sa_restorer=0x[0-9a-f]+\}, NULL, 8\) = 0'
has "a signal" '--- SIGUSR1 \{si_signo=SIGUSR1, si_code=SI_USER, si_pid=1000, si_uid=[0-9]+\} ---'
has "sigreturn" 'rt_sigreturn\(\{mask=\[\]\}\) = 0'
has "rlimit" 'prlimit64\(0, RLIMIT_CORE, \{rlim_cur=64\*1024, rlim_max=RLIM64_INFINITY\}, NULL\)'
has "prctl" 'prctl\(PR_SET_NAME, "renamed"\) = 0'
has "clone" 'clone\(child_stack=NULL, flags=CLONE_CHILD_CLEARTID\|CLONE_CHILD_SETTID\|SIGCHLD, child_tidptr=0x[0-9a-f]+\) = 1001'
is "clone: one line a call" "$(grep -c 'clone(' "$T/emu")" 2
has "a fatal signal, in its process" '^\[pid  1001\] \[sig\]  --- SIGSEGV \{si_signo=SIGSEGV, si_code=SI_TKILL, si_pid=1001, si_uid=[0-9]+\} ---'
has "its end" '^\[pid  1001\] .*\+\+\+ killed by SIGSEGV \+\+\+'
has "wait: the signal" 'wait4\(-1, \[\{WIFSIGNALED\(s\) && WTERMSIG\(s\) == SIGSEGV\}\], 0, NULL\) = 1001'
has "wait: the status" 'wait4\(-1, \[\{WIFEXITED\(s\) && WEXITSTATUS\(s\) == 3\}\], 0, NULL\) = 1002'
has "the end" '^ +\+\+\+ exited with 5 \+\+\+'
timeout 60 "$V" -q --strace /bin/sh -c '/nonexistent; exec /bin/true' >/dev/null 2>"$T/emu" </dev/null
has "execve that fails" 'execve\("/nonexistent", \["/nonexistent"\], 0x[0-9a-f]+\) = -1 ENOENT'
has "execve that succeeds" 'execve\("/bin/true", \["/bin/true"\], 0x[0-9a-f]+\) = 0'
is "execve: one line a call" "$(grep -c 'execve(' "$T/emu")" 3
timeout 60 "$V" -q --strace "$G/follow" >/dev/null 2>"$T/emu" </dev/null
is "lines of a thread bear its id" "$(grep -c '^\[pid  1002\] \[vsys\] gettimeofday' "$T/emu")" 3
has "most signals: those that are not" 'rt_sigprocmask\(SIG_BLOCK, ~\[\], \[\], 8\) = 0'
has "clone3: its structure" 'clone3\(\{flags=CLONE_VM\|.*, child_tid=0x[0-9a-f]+, parent_tid=0x[0-9a-f]+, exit_signal=0, stack=0x[0-9a-f]+, stack_size=0x[0-9a-f]+, tls=0x[0-9a-f]+\} => \{parent_tid=\[1002\]\}, 88\) = 1002'
timeout 60 "$V" -q --kernel=4.17 --strace "$G/follow" >/dev/null 2>"$T/emu" </dev/null
has "parent_tid and tls" 'parent_tid=\[1002\], tls=0x[0-9a-f]+, child_tidptr=0x[0-9a-f]+\) = 1002'
timeout 60 "$V" -q --mode=none --trace=signal "$G/old-date" >/dev/null 2>"$T/emu" </dev/null
has "a fault" '--- SIGSEGV \{si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=0xffffffffff600400\} ---|--- SIGSEGV \{si_signo=SIGSEGV, si_code=SEGV_ACCERR, si_addr=0xffffffffff600400\} ---'

if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
	skip "the same as strace" "no strace that may trace"
	done_testing
fi
# Addresses, process ids and what strace alone sees (our marks, ignored SIGCHLD, interleaving) apart.
ulimit -c 0
norm() {
	sed -E 's/^\[pid +[0-9]+\] *//; s/^[0-9]+ +//; s/^\[(sys|sig)\] *//; s/^ +//; s/ <[0-9.]+ cycles>$//; s/\) += /) = /
		s/0x[0-9a-f]{5,}/ADDR/g; s/\b[0-9]{4,6}(\)|$|, SIG)/PID\1/g; s/si_pid=[0-9]+/si_pid=PID/; s/kill\([0-9]+/kill(PID/; s/ \(SUID_DUMP_USER\)//
		s/ && WCOREDUMP\(s\)//; s/ \(core dumped\)//; s/kill\(PID, [0-9]+/kill(PID, PID/' "$1" |
		grep -vE '^(execve|rseq|getrandom|set_robust_list)|SIGCHLD \{|unfinished|resumed|WNOHANG'
}
timeout 60 strace -f -o "$T/real" "$G/syscalls" >/dev/null 2>&1 </dev/null
timeout 60 "$V" -q --strace "$G/syscalls" >/dev/null 2>"$T/emu" </dev/null
norm "$T/real" | sort >"$T/a"
norm "$T/emu" | sort >"$T/b"
# Every line of strace is a line of ours.
is "the same as strace: $(wc -l <"$T/a") lines" "$(comm -23 "$T/a" "$T/b")" ""
is "there are enough of them" "$(($(wc -l <"$T/a") > 60))" 1
done_testing
