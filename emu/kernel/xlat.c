/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of flags and constants: see xlat.h. */
#include "kernel/xlat.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/stat.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef CLONE_DETACHED
#define CLONE_DETACHED 0x00400000
#endif
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

#define X(n) { (uint64_t)(n), #n }

const struct xlat xlat_open[] = {
	X(O_WRONLY), X(O_RDWR), X(O_CREAT), X(O_EXCL), X(O_NOCTTY), X(O_TRUNC), X(O_APPEND),
	X(O_NONBLOCK), X(O_DIRECTORY), X(O_NOFOLLOW), X(O_CLOEXEC), X(O_TMPFILE), X(O_SYNC),
	X(O_DSYNC), X(O_DIRECT), X(O_NOATIME), X(O_PATH), X(O_ASYNC),
	{ 0100000, "O_LARGEFILE" }, /* the C library's is 0 here */
	{ 0, NULL },
};

const struct xlat xlat_prot[] = {
	X(PROT_READ), X(PROT_WRITE), X(PROT_EXEC), X(PROT_GROWSDOWN), X(PROT_GROWSUP),
	{ 0, NULL },
};

const struct xlat xlat_map[] = {
	X(MAP_SHARED_VALIDATE), X(MAP_SHARED), X(MAP_PRIVATE), X(MAP_FIXED), X(MAP_ANONYMOUS), X(MAP_32BIT),
	X(MAP_NORESERVE), X(MAP_POPULATE), X(MAP_NONBLOCK), X(MAP_GROWSDOWN), X(MAP_DENYWRITE), X(MAP_LOCKED),
	X(MAP_STACK), X(MAP_HUGETLB), X(MAP_FIXED_NOREPLACE),
	{ 0, NULL },
};

const struct xlat xlat_at[] = {
	X(AT_SYMLINK_NOFOLLOW), X(AT_REMOVEDIR), X(AT_SYMLINK_FOLLOW), X(AT_NO_AUTOMOUNT),
	X(AT_EMPTY_PATH),
	{ 0, NULL },
};

const struct xlat xlat_clone[] = {
	X(CLONE_VM), X(CLONE_FS), X(CLONE_FILES), X(CLONE_SIGHAND), X(CLONE_PTRACE), X(CLONE_VFORK),
	X(CLONE_PARENT), X(CLONE_THREAD), X(CLONE_NEWNS), X(CLONE_SYSVSEM), X(CLONE_SETTLS),
	X(CLONE_PARENT_SETTID), X(CLONE_CHILD_CLEARTID), X(CLONE_DETACHED), X(CLONE_UNTRACED),
	X(CLONE_CHILD_SETTID),
	{ 0, NULL },
};

const struct xlat xlat_madvise[] = {
	X(MADV_NORMAL), X(MADV_RANDOM), X(MADV_SEQUENTIAL), X(MADV_WILLNEED), X(MADV_DONTNEED),
	X(MADV_FREE), X(MADV_REMOVE), X(MADV_DONTFORK), X(MADV_DOFORK), X(MADV_HUGEPAGE),
	X(MADV_NOHUGEPAGE), X(MADV_DONTDUMP), X(MADV_DODUMP),
	{ 0, NULL },
};

const struct xlat xlat_whence[] = {
	X(SEEK_SET), X(SEEK_CUR), X(SEEK_END), X(SEEK_DATA), X(SEEK_HOLE),
	{ 0, NULL },
};

const struct xlat xlat_access[] = {
	X(R_OK), X(W_OK), X(X_OK),
	{ 0, NULL },
};

const struct xlat xlat_clockid[] = {
	X(CLOCK_REALTIME), X(CLOCK_MONOTONIC), X(CLOCK_PROCESS_CPUTIME_ID), X(CLOCK_THREAD_CPUTIME_ID),
	X(CLOCK_MONOTONIC_RAW), X(CLOCK_REALTIME_COARSE), X(CLOCK_MONOTONIC_COARSE), X(CLOCK_BOOTTIME),
	X(CLOCK_REALTIME_ALARM), X(CLOCK_BOOTTIME_ALARM), X(CLOCK_TAI),
	{ 0, NULL },
};

const struct xlat xlat_arch_prctl[] = {
	X(ARCH_SET_GS), X(ARCH_SET_FS), X(ARCH_GET_FS), X(ARCH_GET_GS),
	{ 0, NULL },
};

const struct xlat xlat_prctl[] = {
	X(PR_SET_PDEATHSIG), X(PR_GET_PDEATHSIG), X(PR_GET_DUMPABLE), X(PR_SET_DUMPABLE),
	X(PR_SET_NAME), X(PR_GET_NAME), X(PR_GET_SECCOMP), X(PR_SET_SECCOMP), X(PR_CAPBSET_READ),
	X(PR_GET_TSC), X(PR_SET_TSC), X(PR_SET_TIMERSLACK), X(PR_GET_TIMERSLACK), X(PR_SET_MM),
	X(PR_SET_CHILD_SUBREAPER), X(PR_SET_NO_NEW_PRIVS), X(PR_GET_NO_NEW_PRIVS),
	X(PR_SET_THP_DISABLE), X(PR_SET_SYSCALL_USER_DISPATCH), X(PR_SET_VMA),
	{ 0, NULL },
};

const struct xlat xlat_fcntl[] = {
	X(F_DUPFD), X(F_GETFD), X(F_SETFD), X(F_GETFL), X(F_SETFL), X(F_GETLK), X(F_SETLK),
	X(F_SETLKW), X(F_SETOWN), X(F_GETOWN), X(F_SETSIG), X(F_GETSIG), X(F_SETLEASE), X(F_GETLEASE),
	X(F_NOTIFY), X(F_DUPFD_CLOEXEC), X(F_SETPIPE_SZ), X(F_GETPIPE_SZ), X(F_ADD_SEALS),
	X(F_GET_SEALS), X(F_OFD_GETLK), X(F_OFD_SETLK), X(F_OFD_SETLKW),
	{ 0, NULL },
};

const struct xlat xlat_futex[] = {
	X(FUTEX_WAIT), X(FUTEX_WAKE), X(FUTEX_REQUEUE), X(FUTEX_CMP_REQUEUE), X(FUTEX_WAKE_OP),
	X(FUTEX_LOCK_PI), X(FUTEX_UNLOCK_PI), X(FUTEX_WAIT_BITSET), X(FUTEX_WAKE_BITSET),
	X(FUTEX_WAIT_PRIVATE), X(FUTEX_WAKE_PRIVATE), X(FUTEX_REQUEUE_PRIVATE),
	X(FUTEX_CMP_REQUEUE_PRIVATE), X(FUTEX_WAKE_OP_PRIVATE), X(FUTEX_WAIT_BITSET_PRIVATE),
	X(FUTEX_WAKE_BITSET_PRIVATE),
	{ FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, "FUTEX_WAIT_BITSET|FUTEX_CLOCK_REALTIME" },
	{ FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, "FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME" },
	{ 0, NULL },
};

const struct xlat xlat_sighow[] = {
	X(SIG_BLOCK), X(SIG_UNBLOCK), X(SIG_SETMASK),
	{ 0, NULL },
};

const struct xlat xlat_rlimit[] = {
	X(RLIMIT_CPU), X(RLIMIT_FSIZE), X(RLIMIT_DATA), X(RLIMIT_STACK), X(RLIMIT_CORE), X(RLIMIT_RSS),
	X(RLIMIT_NPROC), X(RLIMIT_NOFILE), X(RLIMIT_MEMLOCK), X(RLIMIT_AS), X(RLIMIT_LOCKS),
	X(RLIMIT_SIGPENDING), X(RLIMIT_MSGQUEUE), X(RLIMIT_NICE), X(RLIMIT_RTPRIO), X(RLIMIT_RTTIME),
	{ 0, NULL },
};

const struct xlat xlat_socket_family[] = {
	X(AF_UNSPEC), X(AF_UNIX), X(AF_INET), X(AF_INET6), X(AF_NETLINK), X(AF_PACKET),
	{ 0, NULL },
};

const struct xlat xlat_socket_type[] = {
	X(SOCK_STREAM), X(SOCK_DGRAM), X(SOCK_RAW), X(SOCK_SEQPACKET), X(SOCK_CLOEXEC),
	X(SOCK_NONBLOCK),
	{ 0, NULL },
};

const struct xlat xlat_wait[] = {
	X(WNOHANG), X(WSTOPPED), X(WCONTINUED), X(WEXITED), X(WNOWAIT),
	{ 0, NULL },
};

const struct xlat xlat_epoll_op[] = {
	X(EPOLL_CTL_ADD), X(EPOLL_CTL_DEL), X(EPOLL_CTL_MOD),
	{ 0, NULL },
};

const struct xlat xlat_getrandom[] = {
	X(GRND_NONBLOCK), X(GRND_RANDOM),
	{ 0, NULL },
};

const struct xlat xlat_itimer[] = {
	X(ITIMER_REAL), X(ITIMER_VIRTUAL), X(ITIMER_PROF),
	{ 0, NULL },
};

const struct xlat xlat_rusage[] = {
	X(RUSAGE_SELF), X(RUSAGE_CHILDREN), X(RUSAGE_THREAD),
	{ 0, NULL },
};

const struct xlat xlat_mremap[] = {
	X(MREMAP_MAYMOVE), X(MREMAP_FIXED), X(MREMAP_DONTUNMAP),
	{ 0, NULL },
};

const struct xlat xlat_msync[] = {
	X(MS_ASYNC), X(MS_INVALIDATE), X(MS_SYNC),
	{ 0, NULL },
};

const struct xlat xlat_ioctl[] = {
	X(TCGETS), X(TCSETS), X(TCSETSW), X(TCSETSF), X(TIOCGWINSZ), X(TIOCSWINSZ), X(TIOCGPGRP),
	X(TIOCSPGRP), X(FIONREAD), X(FIONBIO), X(TIOCGSID), X(TIOCSCTTY), X(TIOCNOTTY), X(FICLONE),
	{ 0, NULL },
};

const struct xlat xlat_memfd[] = {
	X(MFD_CLOEXEC), X(MFD_ALLOW_SEALING), X(MFD_HUGETLB),
	{ 0, NULL },
};

const struct xlat xlat_msg[] = {
	X(MSG_OOB), X(MSG_PEEK), X(MSG_DONTROUTE), X(MSG_CTRUNC), X(MSG_TRUNC), X(MSG_DONTWAIT),
	X(MSG_EOR), X(MSG_WAITALL), X(MSG_NOSIGNAL), X(MSG_MORE), X(MSG_WAITFORONE),
	X(MSG_CMSG_CLOEXEC),
	{ 0, NULL },
};

const struct xlat xlat_poll[] = {
	X(POLLIN), X(POLLPRI), X(POLLOUT), X(POLLERR), X(POLLHUP), X(POLLNVAL), X(POLLRDNORM), X(POLLRDBAND),
	X(POLLWRNORM), X(POLLWRBAND), X(POLLRDHUP),
	{ 0, NULL },
};

const struct xlat xlat_epoll[] = {
	X(EPOLLIN), X(EPOLLPRI), X(EPOLLOUT), X(EPOLLERR), X(EPOLLHUP), X(EPOLLRDNORM), X(EPOLLRDBAND), X(EPOLLWRNORM),
	X(EPOLLWRBAND), X(EPOLLMSG), X(EPOLLRDHUP), X(EPOLLEXCLUSIVE), X(EPOLLWAKEUP), X(EPOLLONESHOT), X(EPOLLET),
	{ 0, NULL },
};

const struct xlat xlat_new_fd[] = {
	X(O_NONBLOCK), X(O_CLOEXEC), X(O_DIRECT),
	{ 0, NULL },
};

const struct xlat xlat_epoll_create[] = {
	X(EPOLL_CLOEXEC),
	{ 0, NULL },
};

const struct xlat xlat_timerfd[] = {
	X(TFD_CLOEXEC), X(TFD_NONBLOCK),
	{ 0, NULL },
};

const struct xlat xlat_inotify[] = {
	X(IN_CLOEXEC), X(IN_NONBLOCK),
	{ 0, NULL },
};

const struct xlat xlat_signalfd[] = {
	X(SFD_CLOEXEC), X(SFD_NONBLOCK),
	{ 0, NULL },
};

const struct xlat xlat_statx[] = {
	X(STATX_BASIC_STATS), X(STATX_TYPE), X(STATX_MODE), X(STATX_NLINK), X(STATX_UID), X(STATX_GID), X(STATX_ATIME),
	X(STATX_MTIME), X(STATX_CTIME), X(STATX_INO), X(STATX_SIZE), X(STATX_BLOCKS), X(STATX_BTIME), X(STATX_MNT_ID),
	{ 0, NULL },
};

const struct xlat xlat_eventfd[] = {
	X(EFD_SEMAPHORE), X(EFD_CLOEXEC), X(EFD_NONBLOCK),
	{ 0, NULL },
};

/* Of the kernel; the C library has no SA_RESTORER. */
const struct xlat xlat_sigaction[] = {
	{ 0x04000000, "SA_RESTORER" }, X(SA_ONSTACK), X(SA_RESTART), X(SA_NOCLDSTOP), X(SA_NOCLDWAIT), X(SA_NODEFER),
	X(SA_RESETHAND), X(SA_SIGINFO),
	{ 0, NULL },
};

const struct xlat xlat_sockopt[] = {
	X(SO_DEBUG), X(SO_REUSEADDR), X(SO_TYPE), X(SO_ERROR), X(SO_DONTROUTE), X(SO_BROADCAST), X(SO_SNDBUF), X(SO_RCVBUF),
	X(SO_KEEPALIVE), X(SO_OOBINLINE), X(SO_PRIORITY), X(SO_LINGER), X(SO_REUSEPORT), X(SO_PASSCRED), X(SO_PEERCRED),
	X(SO_RCVLOWAT), X(SO_SNDLOWAT), X(SO_RCVTIMEO), X(SO_SNDTIMEO), X(SO_BINDTODEVICE), X(SO_TIMESTAMP),
	X(SO_ACCEPTCONN), X(SO_PROTOCOL), X(SO_DOMAIN), X(SO_SNDBUFFORCE), X(SO_RCVBUFFORCE),
	{ 0, NULL },
};

const struct xlat xlat_tcpopt[] = {
	X(TCP_NODELAY), X(TCP_MAXSEG), X(TCP_CORK), X(TCP_KEEPIDLE), X(TCP_KEEPINTVL), X(TCP_KEEPCNT), X(TCP_SYNCNT),
	X(TCP_LINGER2), X(TCP_DEFER_ACCEPT), X(TCP_INFO), X(TCP_QUICKACK), X(TCP_CONGESTION), X(TCP_USER_TIMEOUT),
	X(TCP_FASTOPEN),
	{ 0, NULL },
};

const struct xlat xlat_protocol[] = {
	X(IPPROTO_IP), X(IPPROTO_ICMP), X(IPPROTO_TCP), X(IPPROTO_UDP), X(IPPROTO_IPV6), X(IPPROTO_RAW),
	{ 0, NULL },
};

const struct xlat xlat_filetype[] = {
	X(S_IFSOCK), X(S_IFLNK), X(S_IFREG), X(S_IFBLK), X(S_IFDIR), X(S_IFCHR), X(S_IFIFO),
	{ 0, NULL },
};

const struct xlat xlat_shut[] = {
	X(SHUT_RD), X(SHUT_WR), X(SHUT_RDWR),
	{ 0, NULL },
};

const struct xlat xlat_flock[] = {
	X(LOCK_SH), X(LOCK_EX), X(LOCK_NB), X(LOCK_UN),
	{ 0, NULL },
};

const struct xlat xlat_seccomp[] = {
	X(SECCOMP_SET_MODE_STRICT), X(SECCOMP_SET_MODE_FILTER), X(SECCOMP_GET_ACTION_AVAIL),
	X(SECCOMP_GET_NOTIF_SIZES),
	{ 0, NULL },
};

const struct xlat xlat_timer[] = {
	X(TIMER_ABSTIME),
	{ 0, NULL },
};

const struct xlat xlat_socket_level[] = {
	X(SOL_SOCKET), X(SOL_IP), X(SOL_TCP), X(SOL_UDP), X(SOL_IPV6),
	{ 0, NULL },
};

void xlat_value(struct buf *b, const struct xlat *x, uint64_t v)
{
	for (; x->name; x++)
		if (x->value == v) {
			buf_printf(b, "%s", x->name);
			return;
		}
	buf_printf(b, v > 9 ? "%#lx" : "%lu", (unsigned long)v);
}

void xlat_flags(struct buf *b, const struct xlat *x, uint64_t v)
{
	const char *sep = "";

	if (!v) {
		/* O_RDONLY and PROT_NONE have names, most zeroes have none. */
		buf_printf(b, "%s", x == xlat_open ? "O_RDONLY" : x == xlat_prot ? "PROT_NONE" : x == xlat_access ? "F_OK" : "0");
		return;
	}
	if (x == xlat_open && !(v & O_ACCMODE)) {
		buf_printf(b, "O_RDONLY");
		sep = "|";
	}
	for (; x->name; x++)
		if (x->value && (v & x->value) == x->value) {
			buf_printf(b, "%s%s", sep, x->name);
			v &= ~x->value;
			sep = "|";
		}
	if (v)
		buf_printf(b, "%s%#lx", sep, (unsigned long)v);
}
