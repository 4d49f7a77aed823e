/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a signal tells, as strace shows it: see sysformat.h.  Layout: Linux asm-generic/siginfo.h. */
#include <signal.h>
#include <string.h>

#include "kernel/sysformat.h"
#include "kernel/syscall.h"

static const char *const segv[] = { "SEGV_MAPERR", "SEGV_ACCERR", "SEGV_BNDERR", "SEGV_PKUERR" };
static const char *const bus[] = { "BUS_ADRALN", "BUS_ADRERR", "BUS_OBJERR", "BUS_MCEERR_AR", "BUS_MCEERR_AO" };
static const char *const ill[] = { "ILL_ILLOPC", "ILL_ILLOPN", "ILL_ILLADR", "ILL_ILLTRP", "ILL_PRVOPC", "ILL_PRVREG",
				   "ILL_COPROC", "ILL_BADSTK" };
static const char *const fpe[] = { "FPE_INTDIV", "FPE_INTOVF", "FPE_FLTDIV", "FPE_FLTOVF", "FPE_FLTUND", "FPE_FLTRES",
				   "FPE_FLTINV", "FPE_FLTSUB" };
static const char *const trap[] = { "TRAP_BRKPT", "TRAP_TRACE", "TRAP_BRANCH", "TRAP_HWBKPT" };
static const char *const cld[] = { "CLD_EXITED", "CLD_KILLED", "CLD_DUMPED", "CLD_TRAPPED", "CLD_STOPPED", "CLD_CONTINUED" };
static const char *const sys[] = { "SYS_SECCOMP", "SYS_USER_DISPATCH" };
static const char *const senders[] = { "SI_USER", "SI_QUEUE", "SI_TIMER", "SI_MESGQ", "SI_ASYNCIO", "SI_SIGIO", "SI_TKILL" };

static const struct {
	int signo;
	unsigned n;
	const char *const *name; /* of code 1 and on */
} codes[] = {
	{ SIGSEGV, ARRAY_SIZE(segv), segv }, { SIGBUS, ARRAY_SIZE(bus), bus },   { SIGILL, ARRAY_SIZE(ill), ill },
	{ SIGFPE, ARRAY_SIZE(fpe), fpe },    { SIGTRAP, ARRAY_SIZE(trap), trap }, { SIGCHLD, ARRAY_SIZE(cld), cld },
	{ SIGSYS, ARRAY_SIZE(sys), sys },
};

static void code_name(struct buf *b, int signo, int code)
{
	const char *name = NULL;

	if (code <= 0 && code > -(int)ARRAY_SIZE(senders))
		name = senders[-code];
	else if (code == SI_KERNEL)
		name = "SI_KERNEL";
	for (size_t i = 0; code > 0 && i < ARRAY_SIZE(codes); i++)
		if (codes[i].signo == signo && code <= (int)codes[i].n)
			name = codes[i].name[code - 1];
	if (name)
		buf_printf(b, "%s", name);
	else
		buf_printf(b, "%d", code);
}

static void sender(struct buf *b, const siginfo_t *s)
{
	buf_printf(b, ", si_pid=%d, si_uid=%u", s->si_pid, s->si_uid);
}

void format_siginfo(struct buf *b, const uint8_t info[])
{
	const char *name;
	siginfo_t s;

	memcpy(&s, info, sizeof(s));
	buf_printf(b, "{si_signo=");
	format_signal(b, s.si_signo);
	buf_printf(b, ", si_code=");
	code_name(b, s.si_signo, s.si_code);
	if (s.si_code == SI_USER || s.si_code == SI_TKILL) {
		sender(b, &s);
	} else if (s.si_code == SI_TIMER) {
		buf_printf(b, ", si_timerid=%d, si_overrun=%d, si_int=%d", s.si_timerid, s.si_overrun, s.si_int);
	} else if (s.si_code < 0) {
		sender(b, &s);
		buf_printf(b, ", si_int=%d", s.si_int);
	} else if (s.si_signo == SIGCHLD) {
		sender(b, &s);
		buf_printf(b, ", si_status=");
		if (s.si_code == CLD_EXITED)
			buf_printf(b, "%d", s.si_status);
		else
			format_signal(b, s.si_status);
		buf_printf(b, ", si_utime=%ld, si_stime=%ld", (long)s.si_utime, (long)s.si_stime);
	} else if (s.si_signo == SIGSYS) {
		name = s.si_syscall >= 0 && s.si_syscall < SYSCALL_COUNT ? syscall_name((unsigned)s.si_syscall) : NULL;
		buf_printf(b, ", si_call_addr=");
		format_pointer(b, (uint64_t)(uintptr_t)s.si_call_addr);
		if (name)
			buf_printf(b, ", si_syscall=__NR_%s", name);
		else
			buf_printf(b, ", si_syscall=%d", s.si_syscall);
		buf_printf(b, s.si_arch == 0xc000003e ? ", si_arch=AUDIT_ARCH_X86_64" : ", si_arch=%#x", s.si_arch);
	} else if (s.si_signo == SIGSEGV || s.si_signo == SIGBUS || s.si_signo == SIGILL || s.si_signo == SIGFPE ||
		   s.si_signo == SIGTRAP) {
		buf_printf(b, ", si_addr=");
		format_pointer(b, (uint64_t)(uintptr_t)s.si_addr);
	}
	buf_printf(b, "}");
}
