/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ioctl(2): those whose argument's size is known pass through; process ids in them are virtual. */
#include <asm/termbits.h>
#include <errno.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "kernel/fd.h"
#include "kernel/pids.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/uaccess.h"

/* Requests of the old style, whose number does not tell the size: bytes, 0 for a value. */
static const struct { uint32_t request, bytes; } known[] = {
	{ TCGETS, 36 }, { TCSETS, 36 }, { TCSETSW, 36 }, { TCSETSF, 36 }, { TCGETA, 18 }, { TCSETA, 18 },
	{ TCSETAW, 18 }, { TCSETAF, 18 }, { TCSBRK, 0 }, { TCXONC, 0 }, { TCFLSH, 0 }, { TIOCEXCL, 0 },
	{ TIOCNXCL, 0 }, { TIOCSCTTY, 0 }, { TIOCOUTQ, 4 }, { TIOCSTI, 1 }, { TIOCGWINSZ, 8 }, { TIOCSWINSZ, 8 },
	{ TIOCMGET, 4 }, { TIOCMBIS, 4 }, { TIOCMBIC, 4 }, { TIOCMSET, 4 }, { FIONREAD, 4 }, { TIOCNOTTY, 0 },
	{ TIOCGETD, 4 }, { TIOCSETD, 4 }, { FIONBIO, 4 }, { FIOASYNC, 4 }, { FIONCLEX, 0 }, { FIOCLEX, 0 },
	{ FIOQSIZE, 8 }, { TCSBRKP, 0 }, { SIOCATMARK, 4 }, { SIOCGIFCONF, 16 }, { SIOCGIFFLAGS, 40 },
	{ SIOCGIFADDR, 40 }, { SIOCGIFINDEX, 40 }, { SIOCGIFNAME, 40 }, { SIOCGIFMTU, 40 }, { SIOCGIFHWADDR, 40 },
	{ SIOCGIFNETMASK, 40 }, { SIOCGIFBRDADDR, 40 }, { SIOCOUTQ, 4 }, { FIBMAP, 4 }, { FIGETBSZ, 4 },
	{ 0x5331, 0 } /* CDROM: what tells a pipe from a drive */,
};

static int64_t group(struct kernel *k, const uint64_t a[6])
{
	uint64_t h[6] = { a[0], a[1] };
	pid_t host = 0, pid;
	int64_t r;

	h[2] = (uint64_t)(uintptr_t)&host;
	if (a[1] == TIOCSPGRP) {
		if (user_get(k, &pid, a[2], sizeof(pid)))
			return -EFAULT;
		host = pids_host_group(k, pid);
		/* What the descriptor is comes first: nobody's group is refused after it. */
		r = host ? 0 : sys_host(SYS_ioctl, (uint64_t[6]){ a[0], TIOCGPGRP, (uint64_t)(uintptr_t)&pid });
		return host ? sys_host(SYS_ioctl, h) : r ? r : -ESRCH;
	}
	r = sys_host(SYS_ioctl, h);
	if (r)
		return r;
	pid = pids_virtual_group(k, host);
	return user_put(k, a[2], &pid, sizeof(pid));
}

int64_t sys_ioctl(struct kernel *k, const uint64_t a[6])
{
	uint32_t request = (uint32_t)a[1], bytes = _IOC_SIZE(request);

	if (request == TIOCGPGRP || request == TIOCSPGRP || request == TIOCGSID)
		return group(k, (uint64_t[6]){ a[0], request, a[2] });
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].request == request) {
			if (known[i].bytes && !memory_in_window(a[2], known[i].bytes))
				return -EFAULT;
			if (known[i].bytes)
				memory_written(k->mem, a[2], known[i].bytes);
			return sys_host(SYS_ioctl, a);
		}
	if (request == SIOCGIFCONF)
		return -ENOTTY;
	/* Newer numbers tell how much is read or written; pointers inside are not followed by these types. */
	if (_IOC_DIR(request) == _IOC_NONE || !bytes || (_IOC_TYPE(request) != 'T' && _IOC_TYPE(request) != 'f' &&
							 _IOC_TYPE(request) != 'X' && _IOC_TYPE(request) != 'v'))
		return request == FICLONE ? sys_host(SYS_ioctl, a) : -ENOTTY;
	if (!memory_in_window(a[2], bytes))
		return -EFAULT;
	if (_IOC_DIR(request) & _IOC_READ)
		memory_written(k->mem, a[2], bytes);
	return sys_host(SYS_ioctl, a);
}
