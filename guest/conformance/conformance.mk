# SPDX-License-Identifier: GPL-2.0-or-later
# The conformance guest.  `gcc -static guest/conformance/*.c guest/conformance/*.S` builds it
# anywhere; here the C library is musl, if there, because glibc refuses to start on a 2.6 kernel, and
# .probe stands where the build behind tests/truth had it, so that even text addresses are equal.
CONFORMANCE_SRC := $(sort $(wildcard guest/conformance/*.c guest/conformance/*.S))
CONFORMANCE_CC := $(shell command -v musl-gcc || echo $(CC))
CONFORMANCE_FLAGS := -O2 -std=c11 -Wall -Wextra -Wshadow -Werror -static -no-pie -fno-pie -fcf-protection=none \
	-Wl,-Ttext-segment=0x20000000 -Wl,--section-start=.probe=0x401900 -Wl,-z,noexecstack

$(B)/guest/conformance: $(CONFORMANCE_SRC) guest/conformance/conformance.h
	@mkdir -p $(@D)
	$(CONFORMANCE_CC) $(CONFORMANCE_FLAGS) -o $@ $(CONFORMANCE_SRC)

guests: $(B)/guest/conformance
