#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The decision core as others get it: installed, found with pkg-config, compiled against as C and C++,
# linked statically and dynamically, and free of every library but the C library.
. tests/tap.sh
D=$T/root
make -s install-policy O="$B" DESTDIR="$D" PREFIX=/usr/local >"$T/log" 2>&1
is "make install-policy" "$?" 0
export PKG_CONFIG_SYSROOT_DIR="$D" PKG_CONFIG_LIBDIR="$D/usr/local/lib/pkgconfig"
like "pkg-config" "$(pkg-config --cflags --libs vsysemu-policy 2>&1)" "-I$D/usr/local/include .*-lvsysemu-policy"
cat >"$T/ask.c" <<'X'
#include <stdio.h>
#include <vsysemu/policy.h>
static bool read_stack(void *ctx, void *dst, uint64_t addr, size_t n)
{
	uint64_t caller = 0x401234;
	(void)ctx; (void)addr;
	__builtin_memcpy(dst, &caller, n);
	return true;
}
int main(void)
{
	struct vsysemu_profile p;
	struct vsysemu_frame f = {};
	struct vsysemu_guest g = {};
	struct vsysemu_verdict v;
	struct vsysemu_body b = {};
	if (!vsysemu_profile_release(&p, 6, 18))
		return 1;
	f.vector = VSYSEMU_VEC_PF;
	f.error_code = VSYSEMU_PF_U | VSYSEMU_PF_I;
	f.addr = f.rip = VSYSEMU_PAGE + 0x400;
	f.cs = VSYSEMU_CS_USER;
	f.gpr[VSYSEMU_RSP] = 0x7ffd0000;
	g.read = read_stack;
	vsysemu_policy_decide(&p, VSYSEMU_XONLY, &f, &g, &v);
	if (v.kind != VSYSEMU_CALL)
		return 1;
	b.result = 77;
	vsysemu_policy_finish(&p, VSYSEMU_XONLY, &f, &b, &v);
	printf("%d %d rax=%d rip=0x%llx rsp=0x%llx\n", v.call_nr, v.kind == VSYSEMU_RETURN, (int)v.rax,
	       (unsigned long long)v.rip, (unsigned long long)v.rsp);
	return 0;
}
X
want='201 1 rax=77 rip=0x401234 rsp=0x7ffd0008'
flags=$(pkg-config --cflags vsysemu-policy) libs=$(pkg-config --libs vsysemu-policy)
cc -Wall -Wextra -Werror $flags -o "$T/shared" "$T/ask.c" $libs 2>"$T/err"
is "compiles as C" "$? $(cat "$T/err")" "0 "
is "runs with the shared library" "$(LD_LIBRARY_PATH=$D/usr/local/lib "$T/shared" 2>&1)" "$want"
like "by its soname" "$(LD_LIBRARY_PATH=$D/usr/local/lib ldd "$T/shared")" 'libvsysemu-policy.so.1 => '
is "needs no other library" \
	"$(LD_LIBRARY_PATH=$D/usr/local/lib ldd "$T/shared" | grep -v -e vdso -e libc.so -e ld-linux -e libvsysemu-policy)" ""
cc $flags -static -o "$T/static" "$T/ask.c" $libs 2>"$T/err"
is "links statically" "$? $(cat "$T/err")" "0 "
is "runs statically" "$("$T/static" 2>&1)" "$want"
if command -v c++ >/dev/null; then
	c++ -x c++ -Wall -Werror $flags -o "$T/cxx" "$T/ask.c" $libs 2>"$T/err"
	is "compiles as C++" "$? $(cat "$T/err")" "0 "
else
	skip "compiles as C++" "no C++ compiler"
fi
cc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$D/usr/local/include/vsysemu/policy.h" 2>"$T/err"
is "the header stands alone, in C99" "$? $(cat "$T/err")" "0 "
is "exports only its own names" "$(nm -D --defined-only "$D/usr/local/lib/libvsysemu-policy.so.1" | awk '{print $3}' | grep -vi '^vsysemu_')" ""
is "asks for nothing but memcpy, memset, snprintf and the like" \
	"$(nm -u "$D/usr/local/lib/libvsysemu-policy.a" | awk '/ U /{print $2}' | grep -v -e '^vsysemu_' -e '^policy_' | sort -u |
	grep -v -e '^mem' -e '^str' -e '^v\?snprintf' -e '^__stack_chk' -e '^__sn\?v\?s\?n\?printf_chk' -e '^_GLOBAL_OFFSET_TABLE_')" ""
done_testing
