/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that a thread that waits in the kernel keeps no other from running, whatever it waits for, and what
 * a signal does to each wait: interrupted, or begun again where SA_RESTART asks for it.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "task.h"

static struct {
	int pipe[2], full[2], pair[2], listener, event, lock[2], record[2], msg, sem;
	char dir[32], fifo[48], file[48], sock[48];
	pid_t child;
} o;

static volatile int begun;
static volatile unsigned long spins;

/* Of a partner: what it did is seen in what it ends. */
static void done(long r)
{
	if (r == -1)
		say("partner", r);
}

/* ---- the waits: each is ended by its partner ---- */

static long w_read(void) { char c; return read(o.pipe[0], &c, 1); }
static void e_read(void) { done(write(o.pipe[1], "x", 1)); }
static long w_readv(void) { char c; struct iovec v = { &c, 1 }; return readv(o.pipe[0], &v, 1); }
static long w_write(void) { static char big[70000]; return write(o.full[1], big, sizeof(big)) > 0; }
static void e_write(void)
{
	static char big[140000];
	struct pollfd p = { o.full[0], POLLIN, 0 };

	while (poll(&p, 1, 20) > 0 && read(o.full[0], big, sizeof(big)) > 0)
		;
}
static long w_recv(void) { char c; return recv(o.pair[0], &c, 1, 0); }
static long w_recvmsg(void)
{
	char c;
	struct iovec v = { &c, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	return recvmsg(o.pair[0], &m, 0);
}
static void e_recv(void) { done(send(o.pair[1], "x", 1, 0)); }
static long w_accept(void) { int fd = accept(o.listener, NULL, NULL); return fd < 0 ? -1 : close(fd); }
static void e_accept(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(a.sun_path, o.sock);
	done(connect(fd, (void *)&a, sizeof(a)));
	close(fd);
}
static long w_open(void) { int fd = open(o.fifo, O_RDONLY); return fd < 0 ? -1 : close(fd); }
static void e_open(void) { int fd = open(o.fifo, O_WRONLY); done(fd); close(fd); }
static long w_flock(void) { long r = flock(o.lock[1], LOCK_EX); flock(o.lock[1], LOCK_UN); return r; }
static void e_flock(void) { flock(o.lock[0], LOCK_UN); }
static long w_fcntl(void)
{
	struct flock f = { .l_type = F_WRLCK };
	long r = fcntl(o.record[1], F_OFD_SETLKW, &f);

	f.l_type = F_UNLCK;
	fcntl(o.record[1], F_OFD_SETLK, &f);
	return r;
}
static void e_fcntl(void) { struct flock f = { .l_type = F_UNLCK }; fcntl(o.record[0], F_OFD_SETLK, &f); }
static long w_poll(void) { struct pollfd p = { o.pipe[0], POLLIN, 0 }; long r = poll(&p, 1, -1); char c; if (r > 0) r = read(o.pipe[0], &c, 1); return r; }
static long w_select(void)
{
	fd_set s;
	char c;
	long r;

	FD_ZERO(&s);
	FD_SET(o.pipe[0], &s);
	r = select(o.pipe[0] + 1, &s, NULL, NULL, NULL);
	if (r > 0)
		r = read(o.pipe[0], &c, 1);
	return r;
}
static long w_epoll(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int fd = epoll_create1(0);
	char c;
	long r;

	epoll_ctl(fd, EPOLL_CTL_ADD, o.pipe[0], &e);
	r = epoll_wait(fd, &e, 1, -1);
	if (r > 0)
		r = read(o.pipe[0], &c, 1);
	close(fd);
	return r;
}
static long w_event(void) { uint64_t v; return read(o.event, &v, 8) == 8 ? (long)v : -1; }
static void e_event(void) { uint64_t v = 5; done(write(o.event, &v, 8)); }
static long w_wait(void) { int status; return waitpid(o.child, &status, 0) < 0 ? -1 : WEXITSTATUS(status); }
static long w_waitid(void) { siginfo_t si; return waitid(P_PID, (id_t)o.child, &si, WEXITED) ? -1 : si.si_status; }
static void e_wait(void) { e_read(); }
static long w_sleep(void) { struct timespec t = { 0, 200 * MS }; return nanosleep(&t, NULL); }
static void e_none(void) {}
static long w_until(void) { struct timespec t = in(CLOCK_MONOTONIC, 200 * MS); errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL); return errno ? -1 : 0; }
static long w_pollsleep(void) { return poll(NULL, 0, 200); }
static long w_sigwait(void)
{
	struct timespec t = { 0, 200 * MS };
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	return sigtimedwait(&s, NULL, &t);
}
static long w_msg(void) { struct { long type; char c; } m; return msgrcv(o.msg, &m, 1, 0, 0); }
static void e_msg(void) { struct { long type; char c; } m = { 1, 'x' }; done(msgsnd(o.msg, &m, 1, 0)); }
static long w_sem(void) { struct sembuf b = { 0, -1, 0 }; return semop(o.sem, &b, 1); }
static void e_sem(void) { struct sembuf b = { 0, 1, 0 }; done(semop(o.sem, &b, 1)); }
static long w_splice(void)
{
	char c;
	long r = splice(o.pipe[0], NULL, o.pair[1], NULL, 1, 0);

	return r < 0 ? r : read(o.pair[0], &c, 1);
}

static const struct {
	const char *name;
	long (*wait)(void);
	void (*end)(void);
	int child; /* needs one that reads a byte of the pipe */
} all[] = {
	{ "read", w_read, e_read, 0 }, { "readv", w_readv, e_read, 0 }, { "write", w_write, e_write, 0 },
	{ "recv", w_recv, e_recv, 0 }, { "recvmsg", w_recvmsg, e_recv, 0 }, { "accept", w_accept, e_accept, 0 },
	{ "open of a FIFO", w_open, e_open, 0 }, { "flock", w_flock, e_flock, 0 }, { "F_OFD_SETLKW", w_fcntl, e_fcntl, 0 },
	{ "poll", w_poll, e_read, 0 }, { "select", w_select, e_read, 0 }, { "epoll_wait", w_epoll, e_read, 0 },
	{ "eventfd", w_event, e_event, 0 }, { "waitpid", w_wait, e_wait, 1 }, { "waitid", w_waitid, e_wait, 1 },
	{ "nanosleep", w_sleep, e_none, 0 }, { "clock_nanosleep", w_until, e_none, 0 }, { "poll for time", w_pollsleep, e_none, 0 },
	{ "sigtimedwait", w_sigwait, e_none, 0 }, { "msgrcv", w_msg, e_msg, 0 }, { "semop", w_sem, e_sem, 0 },
	{ "splice", w_splice, e_read, 0 },
};

static void on_usr1(int signo) { (void)signo; }

static pthread_t self;
static int strikes;

/* Meanwhile: count, strike if asked to, and end the wait. */
static void *meanwhile(void *p)
{
	int i = (int)(long)p;

	while (!begun)
		nap(MS);
	nap(30 * MS);
	for (int n = 0; n < 100000; n++)
		spins++;
	for (int n = 0; strikes && n < 3 && begun == 1; n++) {
		pthread_kill(self, SIGUSR1);
		nap(30 * MS);
	}
	all[i].end();
	return NULL;
}

static void prepare(int i)
{
	begun = 0;
	spins = 0;
	flock(o.lock[0], LOCK_EX);
	fcntl(o.record[0], F_OFD_SETLK, &(struct flock){ .l_type = F_WRLCK });
	o.child = 0;
	if (all[i].child) {
		fflush(stdout);
		o.child = fork();
		if (!o.child) {
			char c;

			_exit(read(o.pipe[0], &c, 1) == 1 ? 9 : 8);
		}
	}
}

/* What is left of a wait that was given up. */
static void drain(int i)
{
	char c[4096];
	int status;

	if (all[i].child)
		waitpid(o.child, &status, 0);
	for (int f = 0; f < 3; f++) {
		int fd = f == 0 ? o.pipe[0] : f == 1 ? o.pair[0] : o.full[0];

		fcntl(fd, F_SETFL, O_NONBLOCK);
		while (read(fd, c, sizeof(c)) > 0)
			;
		fcntl(fd, F_SETFL, 0);
	}
	fcntl(o.listener, F_SETFL, O_NONBLOCK);
	close(accept(o.listener, NULL, NULL));
	fcntl(o.listener, F_SETFL, 0);
	msgrcv(o.msg, c, 1, 0, IPC_NOWAIT);
	semop(o.sem, &(struct sembuf){ 0, -1, IPC_NOWAIT }, 1);
	fcntl(o.event, F_SETFL, O_NONBLOCK);
	if (read(o.event, c, 8) < 0)
		errno = 0;
	fcntl(o.event, F_SETFL, 0);
}

static void run(int flags)
{
	struct sigaction sa = { .sa_handler = on_usr1, .sa_flags = flags };

	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < (int)(sizeof(all) / sizeof(all[0])); i++) {
		pthread_t t;
		int fd = -1;
		long r;

		prepare(i);
		pthread_create(&t, NULL, meanwhile, (void *)(long)i);
		begun = 1;
		errno = 0;
		r = all[i].wait();
		begun = 2;
		if (r == -1 && all[i].end == e_open) /* the other side waits, too */
			fd = open(o.fifo, O_RDONLY | O_NONBLOCK);
		if (r == -1 && errno == EINTR)
			printf("%s: EINTR\n", all[i].name);
		else
			say(all[i].name, r);
		pthread_join(t, NULL);
		close(fd);
		if (!spins)
			printf("%s: nobody else ran\n", all[i].name);
		drain(i);
	}
}

int main(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	strcpy(o.dir, "/tmp/blockingXXXXXX");
	if (!mkdtemp(o.dir) || pipe(o.pipe) || pipe(o.full) || socketpair(AF_UNIX, SOCK_STREAM, 0, o.pair))
		return 1;
	snprintf(o.fifo, sizeof(o.fifo), "%s/fifo", o.dir);
	snprintf(o.file, sizeof(o.file), "%s/file", o.dir);
	snprintf(o.sock, sizeof(o.sock), "%s/sock", o.dir);
	strcpy(a.sun_path, o.sock);
	o.listener = socket(AF_UNIX, SOCK_STREAM, 0);
	o.event = eventfd(0, 0);
	o.msg = msgget(IPC_PRIVATE, 0600);
	o.sem = semget(IPC_PRIVATE, 1, 0600);
	for (int i = 0; i < 2; i++) {
		o.lock[i] = open(o.file, O_RDWR | O_CREAT, 0600);
		o.record[i] = open(o.file, O_RDWR);
	}
	if (mkfifo(o.fifo, 0600) || bind(o.listener, (void *)&a, sizeof(a)) || listen(o.listener, 5))
		return 1;
	self = pthread_self();
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("without a signal");
	run(0);
	strikes = 1;
	puts("a handler");
	run(0);
	puts("a handler, SA_RESTART");
	run(SA_RESTART);
	unlink(o.fifo);
	unlink(o.file);
	unlink(o.sock);
	rmdir(o.dir);
	msgctl(o.msg, IPC_RMID, NULL);
	semctl(o.sem, 0, IPC_RMID);
	return 0;
}
