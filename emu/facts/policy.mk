# SPDX-License-Identifier: GPL-2.0-or-later
# The decision core as a library of its own: libvsysemu-policy (static and shared), the header
# <vsysemu/policy.h> and vsysemu-policy.pc.  Nothing of Unicorn or of any other library goes in.
POLICY_SRC := $(addprefix emu/facts/,policy.c policy_outcome.c policy_seccomp.c policy_page.c policy_log.c policy_profile.c)
POLICY_PIC := $(POLICY_SRC:emu/%.c=$(B)/pic/%.o)
POLICY_SO := libvsysemu-policy.so.1
LIBDIR := $(PREFIX)/lib
INCLUDEDIR := $(PREFIX)/include

all: $(B)/libvsysemu-policy.a $(B)/$(POLICY_SO)

$(B)/pic/%.o: emu/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -Iemu $(CPPFLAGS) $(ALL_CFLAGS) -fPIC -MMD -MP -c -o $@ $<

$(B)/libvsysemu-policy.a: $(POLICY_PIC)
	rm -f $@
	$(Q)$(AR) rcs $@ $^

$(B)/$(POLICY_SO): $(POLICY_PIC) emu/facts/policy.map
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-soname,$(POLICY_SO) -Wl,--version-script,emu/facts/policy.map -Wl,-z,defs \
		-o $@ $(POLICY_PIC)

-include $(POLICY_PIC:.o=.d)

install: install-policy
install-policy: $(B)/libvsysemu-policy.a $(B)/$(POLICY_SO)
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/vsysemu
	install -m 644 emu/facts/policy.h $(DESTDIR)$(INCLUDEDIR)/vsysemu/policy.h
	install -m 644 $(B)/libvsysemu-policy.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $(B)/$(POLICY_SO) $(DESTDIR)$(LIBDIR)/
	ln -sf $(POLICY_SO) $(DESTDIR)$(LIBDIR)/libvsysemu-policy.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' emu/facts/vsysemu-policy.pc.in \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/vsysemu-policy.pc
.PHONY: install-policy
