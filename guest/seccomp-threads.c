/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves who dies of a filter's answer: RET_KILL_THREAD in a thread ends that thread alone, by a system call
 * as by a call of the page, and the process goes on.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int got[2];

static void install(unsigned nr)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { sizeof(f) / sizeof(f[0]), f };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		perror("filter");
}

static void *by_call(void *arg)
{
	(void)arg;
	install(SYS_getppid);
	got[0] = 1;
	syscall(SYS_getppid);
	got[0] = 2;
	return NULL;
}

static void *by_page(void *arg)
{
	long (*when)(long *) = (long (*)(long *))0xffffffffff600400;

	(void)arg;
	install(SYS_time);
	got[1] = 1;
	when(NULL);
	got[1] = 2;
	return NULL;
}

int main(void)
{
	static void *(*const body[])(void *) = { by_call, by_page };

	for (int i = 0; i < 2; i++) {
		pthread_t t;

		pthread_create(&t, NULL, body[i], NULL);
		for (int wait = 0; wait < 50 && !got[i]; wait++)
			usleep(10000);
		usleep(50000);
		printf("thread %d: %s\n", i, got[i] == 1 ? "died alone" : got[i] == 2 ? "went on" : "did not start");
		fflush(stdout);
	}
	return 0;
}
