/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls of every kind of argument, for the trace: structures in and out, flags, commands, strings with odd
 * bytes, failures, signals, a child that dies.  Nothing depends on the machine but descriptors and addresses.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Results do not matter, their lines do. */
#define DO(call) ((void)!(call))

static void handler(int signo)
{
	(void)signo;
}

static void files(void)
{
	char text[64];
	struct stat st;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	DO(fstat(fd, &st));
	DO(write(fd, "a\tb\n\"\\\001\0012\377", 10));
	DO(read(fd, text, 5));
	DO(lseek(fd, 0, SEEK_END));
	DO(fcntl(fd, F_GETFL));
	DO(fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK));
	DO(fcntl(fd, F_GETFD));
	DO(fcntl(fd, F_SETFD, 0));
	DO(dup3(fd, 40, O_CLOEXEC));
	DO(ioctl(fd, FIONREAD, text));
	DO(syscall(SYS_newfstatat, AT_FDCWD, "/", &st, AT_SYMLINK_NOFOLLOW));
	DO(open("/nonexistent/new", O_WRONLY | O_CREAT | O_EXCL, 0640));
	DO(access("/", R_OK | X_OK));
	DO(mkdir("/nonexistent/dir", 0751));
	DO(umask(027));
	DO(umask(022));
	close(fd);
}

static void memory(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	DO(mprotect(p, 4096, PROT_NONE));
	DO(madvise(p, 8192, MADV_DONTNEED));
	DO(mprotect((void *)16, 4096, PROT_READ));
	munmap(p, 8192);
}

static void sockets(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(1), .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/nonexistent/socket" };
	struct iovec iov[2] = { { "ab", 2 }, { "c\n", 2 } };
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = 2 };
	socklen_t n = sizeof(in);
	int one = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), pair[2];
	char text[16];

	DO(setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	DO(setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)));
	DO(bind(s, (struct sockaddr *)&un, sizeof(un)));
	DO(connect(s, (struct sockaddr *)&in, sizeof(in)));
	DO(getsockname(-1, (struct sockaddr *)&in, &n));
	DO(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair));
	DO(sendmsg(pair[0], &m, MSG_NOSIGNAL));
	DO(recvfrom(pair[1], text, sizeof(text), MSG_DONTWAIT, NULL, NULL));
	DO(writev(pair[0], iov, 2));
	DO(sendto(pair[0], "hi", 2, 0, (struct sockaddr *)&un, sizeof(un)));
	close(s);
}

static void waits(void)
{
	struct itimerval it = { { 0, 0 }, { 0, 0 } };
	struct itimerspec its = { { 0, 0 }, { 1, 5 } };
	struct timespec ts = { 0, 1000 };
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data = { .u64 = 7 } };
	int p[2], ep = epoll_create1(EPOLL_CLOEXEC);

	DO(pipe2(p, O_CLOEXEC | O_NONBLOCK));
	DO(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	DO(epoll_wait(ep, &ev, 1, 0));
	DO(write(p[1], "x", 1));
	DO(epoll_wait(ep, &ev, 1, 0));
	DO(poll(&(struct pollfd){ .fd = p[0], .events = POLLIN | POLLPRI }, 1, 0));
	DO(poll(NULL, 0, 1));
	DO(setitimer(ITIMER_VIRTUAL, &it, NULL));
	DO(timerfd_settime(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), 0, &its, NULL));
	DO(eventfd(3, EFD_SEMAPHORE));
	DO(nanosleep(&ts, NULL));
}

static void processes(void)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct rlimit r = { 65536, RLIM_INFINITY };
	sigset_t set;
	int status;

	sigaddset(&a.sa_mask, SIGHUP);
	DO(sigaction(SIGUSR1, &a, NULL));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	DO(sigprocmask(SIG_BLOCK, &set, NULL));
	DO(kill(getpid(), SIGUSR1));
	DO(sigprocmask(SIG_UNBLOCK, &set, NULL));
	DO(setrlimit(RLIMIT_CORE, &r));
	DO(prctl(PR_SET_NAME, "renamed"));
	DO(prctl(PR_GET_DUMPABLE));
	if (!fork()) {
		raise(SIGSEGV);
		_exit(1);
	}
	DO(wait4(-1, &status, 0, NULL));
	if (!fork())
		_exit(3);
	DO(wait4(-1, &status, WNOHANG | WUNTRACED, NULL) ? 0 : wait4(-1, &status, 0, NULL));
	DO(wait4(-1, &status, 0, NULL));
}

int main(void)
{
	files();
	memory();
	sockets();
	waits();
	processes();
	return 5;
}
