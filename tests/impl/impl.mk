# SPDX-License-Identifier: GPL-2.0-or-later
# The example implementation with a bug: its own int 0xcc, and the library under other names.
IMPL := $(B)/tests/impl/first-int0xcc.so
$(IMPL): tests/impl/first-int0xcc.c $(POLICY_SRC) emu/facts/policy.h emu/facts/policy_impl.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(filter-out -fPIE,$(ALL_CFLAGS)) -fPIC -c -o $(@:.so=.o) $<
	for f in $(POLICY_SRC); do $(CC) $(ALL_CPPFLAGS) $(filter-out -fPIE,$(ALL_CFLAGS)) -fPIC -c \
		-Dvsysemu_policy_decide=library_decide -Dvsysemu_policy_finish=library_finish \
		-o $(@D)/lib_$$(basename $$f .c).o $$f || exit 1; done
	$(CC) -shared -Wl,-Bsymbolic $(LDFLAGS) -o $@ $(@:.so=.o) $(@D)/lib_*.o
# The rules written a second time; nothing of the library is in it.
SECOND := $(B)/tests/impl/second.so
$(SECOND): tests/impl/second.c emu/facts/policy.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(filter-out -fPIE,$(ALL_CFLAGS)) -fPIC -shared $(LDFLAGS) -o $@ $<

unit: $(IMPL) $(SECOND)
check: $(IMPL) $(SECOND)
# The rules written from their description alone, as a check on the core.
INDEPENDENT := $(B)/tests/impl/independent.so
$(INDEPENDENT): tests/impl/independent.c emu/facts/policy.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(filter-out -fPIE,$(ALL_CFLAGS)) -fPIC -shared $(LDFLAGS) -o $@ $<

unit: $(INDEPENDENT)
check: $(INDEPENDENT)
