# SPDX-License-Identifier: GPL-2.0-or-later
# The vDSO images, one a generation and place of its data pages (emu/facts/vdsogen.c has the same
# table: VDSO_IMAGES).  They become $(B)/gen/vdso_images.h, arrays of bytes inside the program.
VDSO_CC ?= gcc
VDSO_DIR := $(B)/guest/vdso
VDSO_FLAGS := -std=gnu11 -O2 -fPIC -ffreestanding -fvisibility=hidden -fno-stack-protector -mno-sse \
	-mno-mmx -mno-red-zone -mno-80387 -fasynchronous-unwind-tables -fomit-frame-pointer -fno-common \
	-fno-jump-tables -fno-builtin -fno-strict-aliasing -Wall -Wextra -Werror -Wno-unknown-warning-option -Wno-attribute-alias
VDSO_HIGH := -DBASE=0xffffffffff700000
# -D flags of each image: what the code does, and where the pages are (page numbers, first byte).
VDSO_IMAGES := a b c d d-3.8 e-3.15 e-3.16 e-4.5 e-4.7 e-4.12 f g h h-6.13 i
VDSO_SRC_g := gen_bases
VDSO_DEF_g := -DBASE=0 -DTIMENS=1 -DSTORE=0 -DCYCLES=0 -DTSC_FENCE=0 -DHAS_TIME -DHAS_GETRES \
	-DDATA_PAGE=-4 -DRECORD=128 -DPVCLOCK_PAGE=-3 -DTIMENS_PAGE=-1
VDSO_SRC_f := gen_bases
VDSO_DEF_f := -DBASE=0 -DTIMENS=0 -DSTORE=0 -DCYCLES=0 -DTSC_FENCE=0 -DHAS_TIME -DHAS_GETRES \
	-DDATA_PAGE=-3 -DRECORD=128 -DPVCLOCK_PAGE=-2
VDSO_SRC_h := gen_bases
VDSO_DEF_h := -DBASE=0 -DTIMENS=1 -DSTORE=0 -DCYCLES=1 -DHAS_GETRANDOM -DTSC_FENCE=0 -DHAS_TIME -DHAS_GETRES \
	-DDATA_PAGE=-4 -DRECORD=128 -DPVCLOCK_PAGE=-3 -DTIMENS_PAGE=-1
VDSO_SRC_h-6.13 := gen_bases
VDSO_DEF_h-6.13 := -DBASE=0 -DTIMENS=1 -DSTORE=0 -DCYCLES=1 -DHAS_GETRANDOM -DTSC_FENCE=0 -DHAS_TIME -DHAS_GETRES \
	-DDATA_PAGE=-4 -DRECORD=128 -DPVCLOCK_PAGE=-2 -DTIMENS_PAGE=-3

VDSO_SRC_a := gen_old
VDSO_DEF_a := $(VDSO_HIGH) -DLAYOUT=1 -DTSC_FENCE=2 -DMODE_PV=0 -DDATA_PAGE=-2 -DHPET_PAGE=-1 -DRECORD=0x800
VDSO_SRC_b := gen_old
VDSO_DEF_b := $(VDSO_HIGH) -DLAYOUT=1 -DTSC_FENCE=1 -DMODE_PV=0 -DHAS_TIME -DDATA_PAGE=-2 -DHPET_PAGE=-1 -DRECORD=128
VDSO_SRC_c := gen_old
VDSO_DEF_c := $(VDSO_HIGH) -DLAYOUT=2 -DTSC_FENCE=1 -DMODE_PV=0 -DHAS_TIME -DDATA_PAGE=-2 -DHPET_PAGE=-1 -DRECORD=128
VDSO_SRC_d := gen_old
VDSO_DEF_d := $(VDSO_HIGH) -DLAYOUT=3 -DTSC_FENCE=1 -DMODE_PV=0 -DHAS_TIME -DDATA_PAGE=-2 -DHPET_PAGE=-1 -DRECORD=128
VDSO_SRC_d-3.8 := gen_old
VDSO_DEF_d-3.8 := $(VDSO_HIGH) -DLAYOUT=3 -DTSC_FENCE=1 -DMODE_PV=3 -DHAS_TIME -DDATA_PAGE=-3 -DHPET_PAGE=-2 -DPVCLOCK_PAGE=-1 -DRECORD=128
VDSO_SRC_e-3.15 := gen_old
VDSO_DEF_e-3.15 := $(VDSO_HIGH) -DLAYOUT=4 -DTSC_FENCE=1 -DMODE_PV=0 -DHAS_TIME -DDATA_PAGE=1 -DHPET_PAGE=2 -DRECORD=128
VDSO_SRC_e-3.16 := gen_old
VDSO_DEF_e-3.16 := -DBASE=0 -DLAYOUT=4 -DTSC_FENCE=1 -DMODE_PV=3 -DHAS_TIME -DPVCLOCK_PAGE=-3 -DDATA_PAGE=-2 -DHPET_PAGE=-1 -DRECORD=128
VDSO_SRC_e-4.5 := gen_old
VDSO_DEF_e-4.5 := -DBASE=0 -DLAYOUT=4 -DTSC_FENCE=1 -DMODE_PV=3 -DHAS_TIME -DDATA_PAGE=-3 -DHPET_PAGE=-2 -DPVCLOCK_PAGE=-1 -DRECORD=128
VDSO_SRC_e-4.7 := gen_old
VDSO_DEF_e-4.7 := -DBASE=0 -DLAYOUT=4 -DTSC_FENCE=1 -DMODE_PV=2 -DHAS_TIME -DDATA_PAGE=-2 -DPVCLOCK_PAGE=-1 -DRECORD=128
VDSO_SRC_e-4.12 := gen_old
VDSO_DEF_e-4.12 := -DBASE=0 -DLAYOUT=4 -DTSC_FENCE=1 -DMODE_PV=2 -DHAS_TIME -DDATA_PAGE=-3 -DPVCLOCK_PAGE=-2 -DRECORD=128
VDSO_SRC_i := gen_bases
VDSO_DEF_i := -DBASE=0 -DSTORE=1 -DTIMENS=1 -DCYCLES=1 -DTSC_FENCE=0 -DHAS_TIME -DHAS_GETRES -DHAS_GETRANDOM \
	-DDATA_PAGE=-6 -DRECORD=0 -DTIMENS_PAGE=-5 -DPVCLOCK_PAGE=-2

VDSO_SO := $(VDSO_IMAGES:%=$(VDSO_DIR)/vdso-%.so)

define VDSO_RULE
$(VDSO_DIR)/vdso-$(1).so: $(VDSO_SRC_$(1):%=guest/vdso/%.c) guest/vdso/vdso.h guest/vdso/note.S \
		guest/vdso/vdso.lds.S guest/vdso/vdso.mk
	@mkdir -p $$(@D)
	$$(Q)$$(VDSO_CC) -E -P -x c -undef -U__x86_64__ $$(VDSO_DEF_$(1)) -DTEXT_ALIGN=$$(or $$(VDSO_ALIGN_$(1)),16) \
		guest/vdso/vdso.lds.S -o $$(@:.so=.lds)
	$$(Q)$$(VDSO_CC) $$(VDSO_FLAGS) -fcf-protection=$$(or $$(VDSO_CET_$(1)),none) $$(VDSO_DEF_$(1)) \
		-nostdlib -nostartfiles -shared -Wl,-soname=linux-vdso.so.1 -Wl,--hash-style=both \
		-Wl,-Bsymbolic -Wl,--eh-frame-hdr -Wl,--build-id=sha1 -Wl,-z,max-page-size=4096 \
		-Wl,-z,noexecstack -Wl,--no-undefined -Wl,-T,$$(@:.so=.lds) -Wl,--no-warn-rwx-segments \
		$(VDSO_SRC_$(1):%=guest/vdso/%.c) guest/vdso/note.S -o $$@.tmp
	$(Q)strip -s $$@.tmp
	$(Q)mv $$@.tmp $$@
endef
$(foreach i,$(VDSO_IMAGES),$(eval $(call VDSO_RULE,$(i))))

$(B)/gen/vdso_images.h: $(VDSO_SO) guest/vdso/embed.sh
	@mkdir -p $(@D)
	$(Q)sh guest/vdso/embed.sh $(VDSO_SO) >$@.tmp
	$(Q)mv $@.tmp $@
GEN += $(B)/gen/vdso_images.h
