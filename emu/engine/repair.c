/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interposition on libunicorn 2.0.1: see repair.h.  The executable must be linked dynamically and with
 * its dynamic symbols exported.  Names and signatures are those of QEMU 5.0.1's accel/tcg as Unicorn
 * builds it for x86-64 (suffix _x86_64).
 */
#include "engine/repair.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/fault.h"

#define LIB(name) name##_x86_64
#define WINDOW_PAGES ((WINDOW_END - WINDOW_START) / PAGE_BYTES)
#define LIB_PAGE_EXEC 4 /* of prot */
#define TLB_FILLS_FIRST 1024u
#define TLB_FILLS_MAX (1u << 24)
#define CHUNK_SHIFT 9 /* pages a bit of the coarse map: 2 MiB */

struct repair repair;

typedef void set_page_fn(void *cpu, uint64_t vaddr, uint64_t paddr, uint32_t attrs, int prot, int mmu,
			 uint64_t size);
typedef void store_fn(void *env, uint64_t addr, uint64_t val, uint32_t oi, uintptr_t ra);

/* The library's own functions, and where code was translated from. */
static struct {
	bool looked;
	void *(*page_collection_lock)(void *, uint64_t, uint64_t);
	void (*page_collection_unlock)(void *);
	void (*invalidate_fast)(void *, void *, uint64_t, int, uintptr_t);
	void (*protect_code)(void *, uint64_t);
	void (*set_dirty)(void *, uint64_t);
	void (*flush_page)(void *, uint64_t), (*flush)(void *);
	set_page_fn *set_page;
	uint64_t fills, flush_at; /* of the address cache */
	int (*cpu_exec)(void *, void *);
	bool (*restore_state)(void *, uintptr_t, bool);
	void (*loop_exit)(void *), (*loop_exit_noexc)(void *);
	store_fn *stw, *stl, *stq;
	void (*stb)(void *, uint64_t, uint8_t, uint32_t, uintptr_t);
	bool (*qht_remove)(void *, const void *, uint32_t);
	uint8_t *fine, *coarse; /* bit a page, bit a chunk */
} lib;

static void look_up(void)
{
	if (lib.looked)
		return;
	lib.looked = true;
#define GET(field, name) *(void **)&lib.field = dlsym(RTLD_NEXT, name)
	GET(page_collection_lock, "page_collection_lock_x86_64");
	GET(page_collection_unlock, "page_collection_unlock_x86_64");
	GET(invalidate_fast, "tb_invalidate_phys_page_fast_x86_64");
	GET(protect_code, "tlb_protect_code_x86_64");
	GET(set_dirty, "tlb_set_dirty_x86_64");
	GET(flush_page, "tlb_flush_page_x86_64");
	GET(flush, "tlb_flush_x86_64");
	GET(set_page, "tlb_set_page_with_attrs_x86_64");
	GET(cpu_exec, "cpu_exec_x86_64");
	GET(restore_state, "cpu_restore_state_x86_64");
	GET(loop_exit, "cpu_loop_exit_x86_64");
	GET(loop_exit_noexc, "cpu_loop_exit_noexc_x86_64");
	GET(qht_remove, "qht_remove");
	GET(stb, "helper_ret_stb_mmu_x86_64");
	GET(stw, "helper_le_stw_mmu_x86_64");
	GET(stl, "helper_le_stl_mmu_x86_64");
	GET(stq, "helper_le_stq_mmu_x86_64");
#undef GET
	lib.fine = mmap(NULL, WINDOW_PAGES / 8 + 1, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	lib.coarse = mmap(NULL, (WINDOW_PAGES >> CHUNK_SHIFT) / 8 + 1, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

bool repair_possible(void)
{
	look_up();
	return lib.page_collection_lock && lib.page_collection_unlock && lib.invalidate_fast &&
	       lib.protect_code && lib.set_dirty && lib.flush_page && lib.cpu_exec && lib.loop_exit_noexc &&
	       lib.fine != MAP_FAILED && lib.coarse != MAP_FAILED;
}

bool repair_can_unwind(void)
{
	look_up();
	return lib.restore_state && lib.loop_exit;
}

void repair_restore(uintptr_t host_pc)
{
	lib.restore_state(repair.cpu, host_pc, true);
}

void repair_loop_exit(void)
{
	lib.loop_exit(repair.cpu);
	abort(); /* it longjmps */
}

/* @ram is the library's offset: the window is its first region, so offset 0 is WINDOW_START. */
static bool has_code(uint64_t ram)
{
	uint64_t p = ram / PAGE_BYTES;

	return p >= WINDOW_PAGES || lib.fine[p >> 3] >> (p & 7) & 1;
}

bool repair_has_code(gaddr a)
{
	return !repair.enabled || a < WINDOW_START || has_code(a - WINDOW_START);
}

void repair_each_code_page(gaddr start, gaddr end, void (*fn)(void *ctx, gaddr start, gaddr end),
			   void *ctx)
{
	uint64_t p, last;

	if (start < WINDOW_START)
		start = WINDOW_START;
	if (end > WINDOW_END)
		end = WINDOW_END;
	if (start >= end)
		return;
	if (!repair.enabled) {
		fn(ctx, start, end);
		return;
	}
	last = (end - 1 - WINDOW_START) / PAGE_BYTES;
	for (p = (start - WINDOW_START) / PAGE_BYTES; p <= last;) {
		uint64_t c = p >> CHUNK_SHIFT;

		if (!(lib.coarse[c >> 3] >> (c & 7) & 1)) {
			p = (c + 1) << CHUNK_SHIFT;
			/* Skip eight empty chunks at a time. */
			while (!(p & ((8u << CHUNK_SHIFT) - 1)) && p <= last &&
			       !lib.coarse[p >> CHUNK_SHIFT >> 3])
				p += 8u << CHUNK_SHIFT;
			continue;
		}
		if (lib.fine[p >> 3] >> (p & 7) & 1) {
			fn(ctx, WINDOW_START + p * PAGE_BYTES, WINDOW_START + (p + 1) * PAGE_BYTES);
			lib.fine[p >> 3] &= (uint8_t)~(1u << (p & 7));
		}
		p++;
	}
}

/* CPUX86State's feature words start with these values after the library's reset, whatever model was
 * chosen; what is or-ed in is executed by the translator all the same. */
static void widen_features(void *cpu)
{
	uint64_t *p = cpu;

	for (size_t i = 0; i < 300000 / 8; i++)
		if (p[i] == 0x07088100u && p[i + 2] == 0x00180108u) {
			p[i] |= 0x078bfbff;
			p[i + 1] |= 1u << 0 | 1u << 1 | 1u << 22 | 1u << 23 | 1u << 30;
			p[i + 2] |= 1u << 0 | 1u << 18 | 1u << 23 | 1u << 24;
			return;
		}
}

int LIB(cpu_exec)(void *uc, void *cpu);
int LIB(cpu_exec)(void *uc, void *cpu)
{
	look_up();
	if (repair.cpu != cpu) {
		repair.cpu = cpu;
		repair.uc = uc;
		widen_features(cpu);
	}
	if (repair.enter)
		repair.enter(repair.ctx);
	return lib.cpu_exec(uc, cpu);
}

/* The hash table of translations (struct TranslationBlock starts with its pc). */
bool qht_remove(void *ht, const void *p, uint32_t hash);
bool qht_remove(void *ht, const void *p, uint32_t hash)
{
	look_up();
	if (repair.gone)
		repair.gone(repair.ctx, *(const uint64_t *)p);
	return lib.qht_remove(ht, p, hash);
}

/* Called by the library after a store into the running block, when its state is restored. */
void LIB(cpu_loop_exit_noexc)(void *cpu);
void LIB(cpu_loop_exit_noexc)(void *cpu)
{
	look_up();
	if (repair.patched_itself)
		repair.patched_itself(repair.ctx);
	lib.loop_exit_noexc(cpu);
}

uint64_t LIB(cpu_get_tsc)(void *env);
uint64_t LIB(cpu_get_tsc)(void *env)
{
	repair.env = env;
	return repair.tsc ? repair.tsc(repair.tsc_ctx) : __builtin_ia32_rdtsc();
}

void *LIB(page_collection_lock)(void *uc, uint64_t start, uint64_t end);
void *LIB(page_collection_lock)(void *uc, uint64_t start, uint64_t end)
{
	if (repair.enabled && !has_code(start) && !has_code(end))
		return NULL;
	look_up();
	return lib.page_collection_lock(uc, start, end);
}

void LIB(page_collection_unlock)(void *set);
void LIB(page_collection_unlock)(void *set)
{
	if (set)
		lib.page_collection_unlock(set);
}

/* Libraries 2.1 keep the hash table's functions to themselves: tell of every block that the store can
 * reach, a block being shorter than a page. */
static void tell_range(uint64_t start, int len)
{
	gaddr end = start + WINDOW_START + (uint64_t)len;

	for (gaddr a = start + WINDOW_START - PAGE_BYTES; repair.gone && a < end; a++)
		repair.gone(repair.ctx, a);
}

void LIB(tb_invalidate_phys_page_fast)(void *uc, void *pages, uint64_t start, int len, uintptr_t ra);
void LIB(tb_invalidate_phys_page_fast)(void *uc, void *pages, uint64_t start, int len, uintptr_t ra)
{
	repair.slow_stores++;
	if (repair.enabled && !has_code(start)) {
		if (repair.cpu && start < WINDOW_END - WINDOW_START)
			lib.set_dirty(repair.cpu, start + WINDOW_START);
		return;
	}
	repair.code_stores++;
	if (!lib.qht_remove)
		tell_range(start, len);
	if (pages) {
		lib.invalidate_fast(uc, pages, start, len, ra);
	} else {
		void *set = lib.page_collection_lock(uc, start, start + (uint64_t)len);

		lib.invalidate_fast(uc, set, start, len, ra);
		lib.page_collection_unlock(set);
	}
}

void LIB(tlb_protect_code)(void *uc, uint64_t ram);
void LIB(tlb_protect_code)(void *uc, uint64_t ram)
{
	uint64_t p = ram / PAGE_BYTES;

	look_up();
	if (!repair.enabled) {
		lib.protect_code(uc, ram);
		return;
	}
	if (p >= WINDOW_PAGES)
		return;
	lib.fine[p >> 3] |= (uint8_t)(1u << (p & 7));
	lib.coarse[p >> CHUNK_SHIFT >> 3] |= (uint8_t)(1u << (p >> CHUNK_SHIFT & 7));
	if (repair.cpu)
		lib.flush_page(repair.cpu, ram + WINDOW_START);
}

/*
 * A store across two pages is made byte by byte in the library: when the second page faults, the first has
 * been written, which no processor does.  So the second page is tried first, by storing what is there.
 */
static void try_next_page(void *env, uint64_t addr, unsigned size, uint32_t oi, uintptr_t ra)
{
	uint64_t next = (addr & ~(uint64_t)(PAGE_BYTES - 1)) + PAGE_BYTES;
	uint8_t v = 0;

	if (addr < WINDOW_START || addr >= WINDOW_END || next >= addr + size)
		return;
	fault_copy(&v, (const void *)(uintptr_t)next, 1);
	/* oi: size in bits 4..; a byte store of the same mode. */
	lib.stb(env, next, v, oi & 15u, ra);
}

#define STORE(name, type, bytes) \
	void LIB(helper_le_##name##_mmu)(void *env, uint64_t addr, type val, uint32_t oi, uintptr_t ra); \
	void LIB(helper_le_##name##_mmu)(void *env, uint64_t addr, type val, uint32_t oi, uintptr_t ra) \
	{ \
		look_up(); \
		if (__builtin_expect((addr & (PAGE_BYTES - 1)) > PAGE_BYTES - (bytes), 0)) \
			try_next_page(env, addr, bytes, oi, ra); \
		lib.name(env, addr, val, oi, ra); \
	}
STORE(stw, uint16_t, 2)
STORE(stl, uint32_t, 4)
STORE(stq, uint64_t, 8)

/*
 * The library's cache of address translations starts with 256 pages and grows only when it is flushed,
 * which never happens here: flush it when it keeps missing, until it is as large as is useful.
 */
void LIB(tlb_set_page_with_attrs)(void *cpu, uint64_t vaddr, uint64_t paddr, uint32_t attrs, int prot, int mmu,
				  uint64_t size);
void LIB(tlb_set_page_with_attrs)(void *cpu, uint64_t vaddr, uint64_t paddr, uint32_t attrs, int prot, int mmu,
				  uint64_t size)
{
	look_up();
	if (repair.enabled && ++lib.fills >= lib.flush_at && lib.flush_at < TLB_FILLS_MAX) {
		lib.flush_at = lib.fills + (lib.flush_at ? 2 * lib.flush_at : TLB_FILLS_FIRST);
		lib.flush(cpu);
	}
	/* A fetch fills the cache for loads as well, which are then not checked again. */
	if ((repair.page_unreadable && (vaddr & PAGE_MASK) == VSYSCALL_PAGE) || (vaddr & PAGE_MASK) == VSYSCALL_PAGE_END)
		prot &= LIB_PAGE_EXEC;
	lib.set_page(cpu, vaddr, paddr, attrs, prot, mmu, size);
}
