# SPDX-License-Identifier: GPL-2.0-or-later
# vsysemu.  `make help` lists the targets; objects go to $(B), `O=DIR` chooses another place.
CC ?= gcc
# `make V=1` shows the commands.
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
O ?= build
B := $(O)
VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=

# What Debian must have; tools/setup.sh installs what is missing.
LIBS := unicorn capstone libelf libdw INIReader jansson libarchive
PKGS := unicorn capstone libelf libdw inih jansson libarchive

WARN := -Wall -Wextra -Wshadow -Wconversion -Werror
CFLAGS ?= -O2 -g
ALL_CPPFLAGS := -D_GNU_SOURCE -Iemu -I$(B)/gen -DVSYSEMU_VERSION='"$(VERSION)"' $(CPPFLAGS)
ALL_CFLAGS := -std=c11 $(CFLAGS) $(WARN) -fno-strict-aliasing -fPIE -fno-common

SRC := $(sort $(wildcard emu/*/*.c))
OBJ := $(SRC:emu/%.c=$(B)/emu/%.o)
# Everything but main(), for the program and the tests.
CORE := $(filter-out $(B)/emu/cli/main.o,$(OBJ))

PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
# libarchive and capstone are loaded when they are needed (emu/cli/archive_lazy.c, emu/facts/insn.c).
PKG_LIBS = $(shell pkg-config --libs $(filter-out libarchive capstone,$(PKGS)) 2>/dev/null) -ldl -lpthread -lm
# The engine replaces some of libunicorn's own symbols (see emu/engine/repair.c), so the
# executable must export its definitions and the library must be linked dynamically.
ALL_LDFLAGS := -pie -rdynamic $(LDFLAGS)

all: vsysemu guests

include guest/guest.mk
include models/models.mk
include emu/facts/policy.mk
include tests/tests.mk
include docs/lesson.mk

vsysemu: $(B)/vsysemu
	@ln -sf $(B)/vsysemu $@ 2>/dev/null; cmp -s $(B)/vsysemu $@ || cp $(B)/vsysemu $@

$(B)/vsysemu: $(OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(B)/emu/%.o: emu/%.c | $(GEN)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJ:.o=.d)

setup-%:
	@tools/setup.sh $*

# The first make installs, the second finds the packages and builds.
demo: setup-demo
	@$(MAKE) --no-print-directory -j2 all
	@tools/demo.sh

test: setup-test
	@$(MAKE) --no-print-directory -j2 check

soak: setup-test
	@SOAK=1 $(MAKE) --no-print-directory -j2 check

bench: setup-bench
	@$(MAKE) --no-print-directory -j2 all
	@B=$(B) tests/bench/run.sh
	@B=$(B) tests/bench/pricing.sh

# Predictions against this machine, which should be quiet.
ratio: all
	@B=$(B) tests/bench/ratio.sh

# Pictures of every page that the program writes; looked at by people.  Needs chromium and chromium-driver.
screens: all
	V=./vsysemu B=$(B) tools/screens.sh $(B)/screens

user-time: all
	@B=$(B) tests/bench/user-time.sh

# Every ELF file of this system through `scan`, what is not clean disassembled.  PATHS= chooses others.
sweep: all
	@B=$(B) tools/sweep.sh $(PATHS)

SAN := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
san:
	@$(MAKE) --no-print-directory -j2 O=build-san CFLAGS="-O1 -g $(SAN)" LDFLAGS="$(SAN)" build-san/vsysemu

# Man page and completions from the option table; they are kept in the tree.
docs:
	@mkdir -p $(B) docs/completion
	$(CC) $(ALL_CPPFLAGS) -std=c11 -o $(B)/gendoc tools/gendoc.c emu/cli/options_doc.c emu/cli/options_table.c
	$(B)/gendoc mdoc <docs/vsysemu.1.in >docs/vsysemu.1
	$(B)/gendoc bash >docs/completion/vsysemu.bash
	$(B)/gendoc zsh >docs/completion/_vsysemu
	$(B)/gendoc fish >docs/completion/vsysemu.fish
	$(CC) $(ALL_CPPFLAGS) -std=c11 -o $(B)/genmodels tools/genmodels.c emu/facts/model_keys.c
	$(B)/genmodels <docs/models.md.in >docs/models.md

# Prices marked `fitted` from the published rows: docs/models.md.  FIT= only shows.
FIT ?= -w
fit: all
	tools/fit.py $(FIT)
	@[ -z "$(FIT)" ] || $(MAKE) --no-print-directory accuracy

# What docs/models.md says of errors: by group, and of rows left out.
accuracy: all
	tools/accuracy.sh >docs/parts/accuracy.md
	tools/fit.py --left-out >docs/parts/left-out.md
	@$(MAKE) --no-print-directory docs

# The fs_mark table of `reproduce`: fetches and builds the program, says why where it cannot.
fsmark: all
	@B=$(B) tools/fsmark.sh

lint:
	clang-format --dry-run --Werror $(SRC) $(wildcard emu/*/*.h) || true
	cppcheck --quiet --std=c11 -Iemu --enable=warning,portability --inline-suppr emu
	clang-tidy --quiet $(SRC) -- -std=c11 $(ALL_CPPFLAGS) $(PKG_CFLAGS)
	tests/house.sh

DATADIR := $(PREFIX)/share/vsysemu
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(DATADIR) $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(B)/vsysemu $(DESTDIR)$(PREFIX)/bin/vsysemu
	cp -r models $(DESTDIR)$(DATADIR)/
	install -D -m 755 $(B)/guest/conformance $(DESTDIR)$(DATADIR)/guest/conformance
	install -d $(DESTDIR)$(DATADIR)/guest/bench
	install -m 755 $(BENCHES) $(DESTDIR)$(DATADIR)/guest/bench
	install -m 644 docs/vsysemu.1 $(DESTDIR)$(PREFIX)/share/man/man1/vsysemu.1
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 644 docs/completion/vsysemu.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/vsysemu
	install -m 644 docs/completion/_vsysemu $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_vsysemu
	install -m 644 docs/completion/vsysemu.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/vsysemu.fish

clean:
	rm -rf $(B) build-san vsysemu

help:
	@echo 'all      the program ./vsysemu and the guests (default)'
	@echo 'demo     install what is missing, build, run real static binaries under two policies'
	@echo 'test     install what is missing, build, run the tests'
	@echo 'soak     the long forms of the tests: fuzz, schedules, properties'
	@echo 'selftests  the kernel'"'"'s own selftests, if linux-source-6.1 is installed'
	@echo 'programs python3 and perl run their own regression tests, as natively'
	@echo 'bench    ratios to native and to qemu-x86_64; speed of scan'
	@echo 'ratio    what the page costs programs beside the vDSO, predicted and on this machine'
	@echo 'screens  pages of every kind and pictures of them in a real browser (light, dark, narrow, print)'
	@echo 'user-time  user time of twenty programs, predicted and on this machine'
	@echo 'fit      prices from published rows, and the errors of rows left out'
	@echo 'accuracy what docs/models.md says of errors'
	@echo 'fsmark   fs_mark 3.3 built and run, beside its published times'
	@echo 'blocks   blocks of real programs priced by every core beside llvm-mca'
	@echo 'sweep    every ELF file of this system (or PATHS=) through scan, what is not clean disassembled'
	@echo 'docs     man page and completions from the option table'
	@echo 'lint     clang-format, clang-tidy, cppcheck, house rules'
	@echo 'san      build with ASan and UBSan into build-san and run the tests'
	@echo 'install  program, models, images, header, library, man page, completions (PREFIX, DESTDIR)'
	@echo 'clean    remove what was built'

.PHONY: all docs demo fit accuracy fsmark test soak bench sweep ratio user-time screens lint san install clean help
.DELETE_ON_ERROR:
