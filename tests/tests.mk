# SPDX-License-Identifier: GPL-2.0-or-later
# Tests.  tests/unit/test_X.c are cmocka programs linked with all of emu/ but main(); every
# executable tests/{golden,real,fuzz}/*.sh prints TAP.  tests/run.sh runs them and sums up.
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/unit/%)

$(B)/tests/unit/%: tests/unit/%.c $(CORE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(PKG_CFLAGS) -Itests/unit $(ALL_LDFLAGS) -MMD -MP -o $@ $< $(CORE) -lcmocka $(PKG_LIBS)

-include $(UNIT:=.d)

unit: $(UNIT)
.PHONY: unit

check: all unit
	B=$(B) tests/run.sh
.PHONY: check
include tests/selftests/selftests.mk
include tests/programs/programs.mk
include tests/impl/impl.mk
include tests/blocks/blocks.mk
