/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One probe: fixed memory, registers full of patterns, a child that goes through one stub of
 * stubs.S with handlers for whatever comes, and what was seen afterwards.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "conformance.h"

/* Shared with stubs.S. */
uint64_t probe_in[16], probe_out[16], probe_flags, probe_target, probe_rsp, probe_retaddr;
uint64_t probe_saved_rsp, probe_out_rsp, probe_out_flags, probe_after, probe_cs, probe_ss, probe_tmp;
uint32_t probe_returned;

extern char probe_recover[];
extern void t_stack(void);
extern void t_blocked(long nr);

static struct {
	const struct probe *probe;
	struct result r;
	volatile unsigned char selector; /* of syscall user dispatch: 0 allow, 1 block */
	unsigned char fill;
	unsigned char altstack[65536];
} now;

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static void map(uint64_t at, size_t bytes, int prot)
{
	void *p = mmap((void *)at, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (p != (void *)at)
		fail("mmap");
}

void probe_setup(void)
{

	map(MEM_RW, 0x2000, PROT_READ | PROT_WRITE);
	map(MEM_RO, 0x1000, PROT_READ);
	map(MEM_NONE, 0x1000, PROT_NONE);
	map(MEM_STACK, 0x2000, PROT_READ | PROT_WRITE);
	map(MEM_STACK_RO, 0x1000, PROT_READ | PROT_WRITE);
	probe_after = (uint64_t)l_after;
	memcpy((void *)(MEM_STACK_RO + 0x100), &probe_after, 8);
	mprotect((void *)MEM_STACK_RO, 0x1000, PROT_READ);
	__asm__("mov %%cs, %0" : "=r"(probe_cs));
	__asm__("mov %%ss, %0" : "=r"(probe_ss));
}

static bool word(const char *name, size_t len, const char *w)
{
	return strlen(w) == len && !memcmp(name, w, len);
}

/* A number after a word: "end-16", "minus8". */
static bool counted(const char *name, size_t len, const char *w, uint64_t *n)
{
	size_t m = strlen(w);
	char digits[24], *end;

	if (len <= m || len - m >= sizeof(digits) || memcmp(name, w, m))
		return false;
	memcpy(digits, name + m, len - m);
	digits[len - m] = 0;
	*n = strtoull(digits, &end, 0);
	return !*end;
}

bool probe_value(const char *name, size_t len, uint64_t *v)
{
	static const struct {
		const char *name;
		uint64_t value;
	} names[] = {
		{ "null", 0 }, { "zero", 0 }, { "rw", MEM_RW + 0x100 }, { "low16", 0x10 },
		{ "ro", MEM_RO + 0x10 }, { "protnone", MEM_NONE }, { "unmapped", MEM_UNMAPPED },
		{ "taskmax", 0x7ffffffff000ull }, { "2e47", 1ull << 47 }, { "2e63", 1ull << 63 },
		{ "kernel", 0xffffffff81000000ull }, { "vsys", PAGE_VSYS },
		{ "noexec", MEM_RW + 0x100 }, { "rw-noexec", MEM_RW + 0x800 },
	};
	uint64_t n;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (word(name, len, names[i].name))
			return *v = names[i].value, true;
	if (counted(name, len, "rw+", &n))
		return *v = MEM_RW + 0x100 + n, true;
	if (counted(name, len, "end-", &n))
		return *v = MEM_RW_END - n, true;
	if (counted(name, len, "taskmax-", &n))
		return *v = 0x7ffffffff000ull - n, true;
	if (counted(name, len, "2e47-", &n))
		return *v = (1ull << 47) - n, true;
	if (counted(name, len, "minus", &n))
		return *v = -n, true;
	return len > 2 && name[0] == '0' && name[1] == 'x' && counted(name, len, "", v);
}

static void add_trap(const siginfo_t *si, const greg_t *g)
{
	char rip[48], line[128], addr[32];

	probe_symbol((uint64_t)g[REG_RIP], now.r.tf, rip, sizeof(rip));
	if ((greg_t)si->si_addr == g[REG_RIP])
		snprintf(addr, sizeof(addr), "a=rip");
	else
		snprintf(addr, sizeof(addr), "a0x%llx", (unsigned long long)si->si_addr);
	snprintf(line, sizeof(line), "%s%s/c%d/t%d/tf%d/%s", now.r.trap_list[0] ? "," : "", rip,
		 si->si_code, (int)g[REG_TRAPNO], g[REG_EFL] & 0x100 ? 1 : 0, addr);
	text_append(now.r.trap_list, 91, line);
}

static void sight(struct sighting *s, const siginfo_t *si, const greg_t *g)
{
	s->signo = si->si_signo;
	s->code = si->si_code;
	s->addr = (uint64_t)si->si_addr;
	s->trapno = (uint64_t)g[REG_TRAPNO];
	s->err = (uint64_t)g[REG_ERR];
	s->cr2 = (uint64_t)g[REG_CR2];
	s->rip = (uint64_t)g[REG_RIP];
	s->rax = (uint64_t)g[REG_RAX];
}

/* The way into a vsyscall through a signal handler's return. */
static void reenter(greg_t *g)
{
	static const int order[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, -1, REG_RBP, REG_RSI,
				       REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12,
				       REG_R13, REG_R14, REG_R15 };
	int i;

	for (i = 0; i < 16; i++)
		if (order[i] >= 0)
			g[order[i]] = (greg_t)probe_in[i];
	g[REG_RSP] = (greg_t)probe_tmp;
	g[REG_EFL] = (greg_t)probe_flags;
	g[REG_RIP] = (greg_t)probe_target;
}

static void leave(greg_t *g)
{
	g[REG_RIP] = (greg_t)probe_recover;
	g[REG_RSP] = (greg_t)probe_saved_rsp;
	g[REG_EFL] &= ~0x500;
	/* A signal out of 32-bit code must come back to 64-bit code. */
	g[REG_CSGSFS] = (g[REG_CSGSFS] & ~0xffffll) | (greg_t)probe_cs;
}

static void on_signal(int signo, siginfo_t *si, void *uc)
{
	greg_t *g = ((ucontext_t *)uc)->uc_mcontext.gregs;

	now.selector = 0;
	if (signo == SIGUSR1) {
		reenter(g);
		return;
	}
	now.r.signals++;
	if (signo == SIGTRAP) {
		now.r.traps++;
		add_trap(si, g);
		if (now.r.signals < 300)
			return;
		now.r.kind = KIND_OVERFLOW;
		leave(g);
		return;
	}
	if (now.probe->resume && !now.r.resumed) {
		now.r.resumed = true;
		sight(&now.r.first, si, g);
		if (signo == SIGSYS && si->si_code == 1)
			g[REG_RAX] = 0x7777;
		return;
	}
	sight(&now.r.last, si, g);
	now.r.kind = KIND_SIG;
	leave(g);
}

static void catch_signals(enum prepare how)
{
	static const int caught[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGSYS, SIGFPE, SIGUSR1 };
	struct sigaction sa = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	stack_t ss = { .ss_sp = now.altstack, .ss_size = sizeof(now.altstack) };
	sigset_t set;
	size_t i;

	sigaltstack(&ss, NULL);
	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++) {
		sa.sa_sigaction = on_signal;
		if (caught[i] == SIGSEGV && how == PREPARE_IGNORE)
			sa.sa_handler = SIG_IGN;
		if (caught[i] == SIGSEGV && how == PREPARE_DEFAULT)
			sa.sa_handler = SIG_DFL;
		sigaction(caught[i], &sa, NULL);
	}
	if (how == PREPARE_BLOCK) {
		sigemptyset(&set);
		sigaddset(&set, SIGSEGV);
		sigprocmask(SIG_BLOCK, &set, NULL);
	}
}

struct bpf_insn {
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};
struct bpf_prog {
	unsigned short len;
	struct bpf_insn *insn;
};

/* @action for 96, 201 and 309 (or errno 77/88 by the instruction pointer), else allow. */
static void install_filter(const struct probe *p)
{
	uint32_t allow = 0x7fff0000u, errno_ret = 0x00050000u;
	struct bpf_insn plain[] = {
		{ 0x20, 0, 0, 0 }, /* load nr */
		{ 0x15, 3, 0, SYS_gettimeofday }, { 0x15, 2, 0, SYS_time },
		{ 0x15, 1, 0, SYS_getcpu }, { 0x06, 0, 0, allow }, { 0x06, 0, 0, p->action },
	};
	struct bpf_insn by_ip[] = {
		{ 0x20, 0, 0, 0 }, { 0x15, 3, 0, SYS_gettimeofday }, { 0x15, 2, 0, SYS_time },
		{ 0x15, 1, 0, SYS_getcpu }, { 0x06, 0, 0, allow }, { 0x20, 0, 0, 8 },
		{ 0x15, 0, 3, (uint32_t)p->target }, { 0x20, 0, 0, 12 },
		{ 0x15, 0, 1, (uint32_t)(p->target >> 32) }, { 0x06, 0, 0, errno_ret | 77 },
		{ 0x06, 0, 0, errno_ret | 88 },
	};
	struct bpf_prog prog = { 6, plain };

	if (p->ip_match) {
		prog.len = 11;
		prog.insn = by_ip;
	}
	prctl(38 /* PR_SET_NO_NEW_PRIVS */, 1, 0, 0, 0);
	prctl(22 /* PR_SET_SECCOMP */, 2, &prog, 0, 0);
}

static void prepare(const struct probe *p)
{
	catch_signals(p->prepare);
	if (p->prepare == PREPARE_FILTER)
		install_filter(p);
	else if (p->prepare == PREPARE_STRICT)
		prctl(22, 1, 0, 0, 0);
	else if (p->prepare == PREPARE_TSC)
		prctl(26 /* PR_SET_TSC */, 2 /* PR_TSC_SIGSEGV */, 0, 0, 0);
	else if (p->prepare == PREPARE_SUD && !prctl(59, 1, 0, 0, &now.selector))
		now.selector = 1;
}

/* The way home on the probe's stack, as much of it as is writable there. */
static void place_return(uint64_t rsp)
{
	size_t i;

	for (i = 0; i < 8; i++)
		if (rsp + i - MEM_STACK < 0x2000)
			((volatile char *)rsp)[i] = ((const char *)&probe_after)[i];
}

static void fill_registers(const struct probe *p)
{
	int i;

	for (i = 0; i < 16; i++)
		probe_in[i] = 0x0101010101010101ull * (uint64_t)(0xb0 + i);
	probe_in[IN_RAX] = p->rax;
	probe_in[IN_RDI] = p->rdi;
	probe_in[IN_RSI] = p->rsi;
	if (p->rbx)
		probe_in[IN_RBX] = p->rbx;
	probe_target = p->target;
	probe_flags = p->flags;
	probe_rsp = p->rsp;
	probe_retaddr = p->retaddr;
}

static void scan_memory(void)
{
	const volatile unsigned char *m = (const void *)MEM_RW;
	unsigned i, j;
	char range[40];

	for (i = 0; i < 0x2000; i = j) {
		for (j = i; j < 0x2000 && m[j] != now.fill; j++)
			;
		if (j > i) {
			snprintf(range, sizeof(range), "%s0x%x-0x%x", now.r.mem[0] ? "," : "", i, j);
			text_append(now.r.mem, sizeof(now.r.mem), range);
			if ((j - i) % 4)
				now.r.odd = true;
		}
		j += j == i;
	}
}

static void perform(const struct probe *p)
{
	now.probe = p;
	memset(&now.r, 0, sizeof(now.r));
	if (p->body) {
		p->body(p->arg, now.r.text, sizeof(now.r.text));
		now.r.kind = KIND_TEXT;
		return;
	}
	memset((void *)MEM_RW, now.fill, 0x2000);
	fill_registers(p);
	if (p->stub == t_stack)
		place_return(p->rsp);
	now.r.tf = p->flags & 0x100;
	probe_returned = 0;
	prepare(p);
	p->stub();
	if (now.selector) /* the next system call is the blocked one */
		t_blocked(SYS_getppid);
	if (probe_returned && now.r.kind == KIND_NOTHING)
		now.r.kind = KIND_RET;
	now.r.in_rsp = p->stub == t_stack ? probe_rsp : probe_saved_rsp;
	now.r.out_rsp = probe_out_rsp;
	memcpy(now.r.in, probe_in, sizeof(probe_in));
	memcpy(now.r.out, probe_out, sizeof(probe_out));
	scan_memory();
}

static void child(const struct probe *p, int fd)
{
	if (p->traced) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(0); /* nothing sent: the row cannot be done here */
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSTOP);
	} else {
		alarm(20);
	}
	if (p->traced && p->body)
		syscall(SYS_getppid);
	perform(p);
	/* Strict mode leaves write and exit. */
	syscall(SYS_write, fd, &now.r, sizeof(now.r));
	for (;;)
		syscall(SYS_exit, 0);
}

static bool run_once(const struct probe *p, tracer *t, void *ctx, struct result *r)
{
	int fd[2], status = 0;
	pid_t pid;
	ssize_t n;

	if (pipe(fd))
		fail("pipe");
	pid = fork();
	if (pid < 0) {
		close(fd[0]);
		close(fd[1]);
		return false;
	}
	if (!pid)
		child(p, fd[1]);
	close(fd[1]);
	if (t)
		status = t(pid, ctx);
	else
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	n = read(fd[0], r, sizeof(*r));
	close(fd[0]);
	if (n != (ssize_t)sizeof(*r))
		memset(r, 0, sizeof(*r));
	r->termsig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return true;
}

bool probe_run(const struct probe *p, tracer *t, void *ctx, bool in_process, struct result *r)
{
	static const unsigned char fills[] = { 0x5a, 0x3c, 0xe7 };
	size_t i;

	/* A written byte that equals the fill would show as a hole: then once more with another. */
	for (i = 0; i < sizeof(fills); i++) {
		now.fill = fills[i];
		if (in_process) {
			if (t || (p->prepare != PREPARE_NONE && p->prepare != PREPARE_TSC))
				return false;
			perform(p);
			*r = now.r;
			r->termsig = 0;
		} else if (!run_once(p, t, ctx, r)) {
			return false;
		}
		if (!r->odd || r->kind == KIND_NOTHING)
			break;
	}
	return true;
}
