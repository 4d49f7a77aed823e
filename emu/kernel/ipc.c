/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System V shared memory, semaphores and message queues: the host's own.  A segment is attached over
 * a mapping that this emulator chose, so that it lies in the window.  Linux ipc/.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/wait.h"
#include "kernel/uaccess.h"

#define SEGMENT_NAME "/SYSV (deleted)"
#define SEMS_MAX 32000u /* SEMMSL */

int64_t sys_shmat(struct kernel *k, const uint64_t a[6])
{
	int prot = a[2] & SHM_RDONLY ? PROT_READ : PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_ANONYMOUS;
	struct shmid_ds ds;
	gaddr want = a[1], at;
	int64_t r;
	uint64_t h[6] = { a[0], IPC_STAT, (uint64_t)(uintptr_t)&ds };

	r = sys_host(SYS_shmctl, h);
	if (r < 0)
		return r;
	if (a[2] & SHM_EXEC)
		prot |= PROT_EXEC;
	if (want & (PAGE_BYTES - 1)) {
		if (!(a[2] & SHM_RND))
			return -EINVAL;
		want = page_down(want);
	}
	if (want)
		flags |= a[2] & SHM_REMAP ? MAP_FIXED : MAP_FIXED_NOREPLACE;
	r = memory_mmap(k->mem, want, page_up(ds.shm_segsz), prot, flags, -1, 0);
	if (r < 0)
		return r == -EEXIST ? -EINVAL : r;
	at = (gaddr)r;
	r = sys_host(SYS_shmat, (uint64_t[6]){ a[0], at, a[2] | SHM_REMAP });
	if (r < 0) {
		memory_munmap(k->mem, at, page_up(ds.shm_segsz));
		return r;
	}
	memory_set_name(k->mem, at, SEGMENT_NAME);
	return (int64_t)at;
}

int64_t sys_shmdt(struct kernel *k, const uint64_t a[6])
{
	const struct vma *v = memory_find(k->mem, a[0]);

	if (!v || v->start != a[0] || !v->name || strcmp(v->name, SEGMENT_NAME) != 0)
		return -EINVAL;
	return memory_munmap(k->mem, v->start, v->end - v->start);
}

/* Calls with a command and a structure of @bytes in args[@at]. */
static int64_t control(struct kernel *k, unsigned nr, const uint64_t a[6], unsigned at, uint64_t bytes)
{
	if (a[at] && !memory_in_window(a[at], bytes))
		return -EFAULT;
	if (a[at])
		memory_written(k->mem, a[at], bytes);
	return sys_host(nr, a);
}

int64_t sys_shmctl(struct kernel *k, const uint64_t a[6])
{
	return control(k, SYS_shmctl, a, 2, sizeof(struct shmid_ds));
}

int64_t sys_msgctl(struct kernel *k, const uint64_t a[6])
{
	return control(k, SYS_msgctl, a, 2, sizeof(struct msqid_ds));
}

int64_t sys_semctl(struct kernel *k, const uint64_t a[6])
{
	switch ((int)a[2] & ~0x100) { /* IPC_64 */
	case GETALL:
	case SETALL:
		return control(k, SYS_semctl, a, 3, SEMS_MAX * 2);
	case IPC_STAT:
	case IPC_SET:
	case IPC_INFO:
	case SEM_INFO:
	case SEM_STAT:
	case SEM_STAT_ANY:
		return control(k, SYS_semctl, a, 3, sizeof(struct semid_ds));
	default: /* a value */
		return sys_host(SYS_semctl, a);
	}
}

int64_t sys_msgsnd(struct kernel *k, const uint64_t a[6])
{
	if (a[2] > INT32_MAX)
		return -EINVAL;
	return memory_in_window(a[1], a[2] + 8) ? sys_host_blocking(k, SYS_msgsnd, a) : -EFAULT;
}

int64_t sys_msgrcv(struct kernel *k, const uint64_t a[6])
{
	if (a[2] > INT32_MAX)
		return -EINVAL;
	if (!memory_in_window(a[1], a[2] + 8))
		return -EFAULT;
	memory_written(k->mem, a[1], a[2] + 8);
	return sys_host_blocking(k, SYS_msgrcv, a);
}

int64_t sys_semtimedop(struct kernel *k, const uint64_t a[6])
{
	uint64_t h[6] = { a[0], a[1], a[2] }, until = UINT64_MAX;
	int64_t ts[2], r;

	if (a[2] > 500) /* SEMOPM */
		return -E2BIG;
	if (!memory_in_window(a[1], a[2] * sizeof(struct sembuf)))
		return -EFAULT;
	if (a[3]) {
		if (user_get(k, ts, a[3], sizeof(ts)))
			return -EFAULT;
		if (ts[0] < 0 || ts[1] < 0 || ts[1] >= (int64_t)NS_PER_S)
			return -EINVAL;
		until = k->clock.now_ns + (uint64_t)(ts[0] > INT32_MAX ? INT32_MAX : ts[0]) * NS_PER_S +
			(uint64_t)ts[1];
	}
	r = wait_host(k, SYS_semop, h, until);
	return r == -ETIMEDOUT ? -EAGAIN : r == -ERESTARTSYS ? -EINTR : r;
}
