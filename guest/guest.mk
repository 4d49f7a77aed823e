# SPDX-License-Identifier: GPL-2.0-or-later
# Guests: programs to run.  Each says on top what it proves.  They are built for the bare x86-64
# baseline, static unless their name says otherwise; variants of other C libraries only where the
# compiler is there.
guests:
.PHONY: guests
include guest/conformance/conformance.mk
include guest/vdso/vdso.mk

GUEST_FLAGS := -D_GNU_SOURCE -O2 -mno-red-zone -Wno-unused-command-line-argument -g -std=gnu11 -Wall -Wextra -Werror -fcf-protection=none -fno-pie
GUEST_STATIC := $(GUEST_FLAGS) -static -no-pie
GUEST_DIR := $(B)/guest

GUEST_C := arrivals clock-kinds clock-threads fork-memory signal-fds t03-midpage t04-sled t05-pointers t06-page-reader t07-no-vdso t08-seccomp t09-copied-page t11-order \
	page-rights seccomp-threads signals step-syscall syscall-width syscalls threads vdso-check
GUESTS := $(GUEST_C:%=$(GUEST_DIR)/%)
$(GUESTS): $(GUEST_DIR)/%: guest/%.c guest/vsyscall.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -o $@ $<

$(GUEST_DIR)/t01-old-time: guest/t01-old-time.S
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -nostdlib -o $@ $<
GUESTS += $(GUEST_DIR)/t01-old-time

$(GUEST_DIR)/t02-fsmark: guest/t02-fsmark.c guest/vsyscall.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -o $@ $<
$(GUEST_DIR)/t02-fsmark-vdso: guest/t02-fsmark.c guest/vsyscall.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -DBY_LIBC -o $@ $<
GUESTS += $(GUEST_DIR)/t02-fsmark $(GUEST_DIR)/t02-fsmark-vdso

$(GUEST_DIR)/t10-sites: guest/t10-sites.c guest/t10-sites.S guest/vsyscall.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -o $@ guest/t10-sites.c guest/t10-sites.S
GUESTS += $(GUEST_DIR)/t10-sites

# The date by the stubs of 2010, with every C library that is here.
$(GUEST_DIR)/old-date: guest/old-date.c guest/old-stubs.S
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -o $@ $^
GUESTS += $(GUEST_DIR)/old-date

$(GUEST_DIR)/%-musl: guest/%.c guest/old-stubs.S
	@mkdir -p $(@D)
	$(Q)musl-gcc $(GUEST_STATIC) -o $@ $^
$(GUEST_DIR)/%-diet: guest/%.c guest/old-stubs.S
	@mkdir -p $(@D)
	$(Q)diet $(CC) $(GUEST_STATIC) -o $@ $^
ifneq ($(shell command -v musl-gcc),)
GUESTS += $(GUEST_DIR)/old-date-musl
endif
ifneq ($(shell command -v diet),)
GUESTS += $(GUEST_DIR)/old-date-diet
endif

# The first instruction, without a C library: fixed and movable.
START_FLAGS := $(GUEST_FLAGS) -nostdlib -fno-builtin -fno-stack-protector
$(GUEST_DIR)/start: guest/start.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(START_FLAGS) -static -no-pie -o $@ $<
$(GUEST_DIR)/start-pie: guest/start.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(START_FLAGS) -fPIE -static-pie -o $@ $<
GUESTS += $(GUEST_DIR)/start $(GUEST_DIR)/start-pie

# One program, every way of linking.
HELLO_FLAGS := $(filter-out -fno-pie,$(GUEST_FLAGS))
$(GUEST_DIR)/hello: guest/hello.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(HELLO_FLAGS) -static -no-pie -fno-pie -o $@ $<
$(GUEST_DIR)/hello-static-pie: guest/hello.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(HELLO_FLAGS) -fPIE -static-pie -o $@ $<
$(GUEST_DIR)/hello-dynamic: guest/hello.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(HELLO_FLAGS) -fPIE -pie -o $@ $<
$(GUEST_DIR)/hello-dynamic-fixed: guest/hello.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(HELLO_FLAGS) -no-pie -fno-pie -o $@ $<
$(GUEST_DIR)/hello-musl: guest/hello.c
	@mkdir -p $(@D)
	$(Q)musl-gcc $(HELLO_FLAGS) -static -no-pie -fno-pie -o $@ $<
$(GUEST_DIR)/hello-musl-dynamic: guest/hello.c
	@mkdir -p $(@D)
	$(Q)musl-gcc $(HELLO_FLAGS) -fPIE -pie -o $@ $<
$(GUEST_DIR)/hello-diet: guest/hello.c
	@mkdir -p $(@D)
	$(Q)diet $(CC) $(HELLO_FLAGS) -static -no-pie -fno-pie -o $@ $< 2>/dev/null
GUESTS += $(addprefix $(GUEST_DIR)/hello,-static-pie -dynamic -dynamic-fixed) $(GUEST_DIR)/hello
ifneq ($(shell command -v musl-gcc),)
GUESTS += $(GUEST_DIR)/hello-musl $(GUEST_DIR)/hello-musl-dynamic
endif
ifneq ($(shell command -v diet),)
GUESTS += $(GUEST_DIR)/hello-diet
endif

# Which C library finds the vDSO.
$(GUEST_DIR)/clock-calls: guest/clock-calls.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -o $@ $<
$(GUEST_DIR)/clock-calls-dynamic: guest/clock-calls.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_FLAGS) -no-pie -o $@ $<
$(GUEST_DIR)/clock-calls-musl: guest/clock-calls.c
	@mkdir -p $(@D)
	$(Q)musl-gcc $(GUEST_STATIC) -o $@ $<
$(GUEST_DIR)/clock-calls-diet: guest/clock-calls.c
	@mkdir -p $(@D)
	$(Q)diet $(CC) $(GUEST_STATIC) -o $@ $< 2>/dev/null
GUESTS += $(GUEST_DIR)/clock-calls $(GUEST_DIR)/clock-calls-dynamic
ifneq ($(shell command -v musl-gcc),)
GUESTS += $(GUEST_DIR)/clock-calls-musl
endif
ifneq ($(shell command -v diet),)
GUESTS += $(GUEST_DIR)/clock-calls-diet
endif

# Calls from a child, a thread, a library, main, and a program that replaced it.
FOLLOW_PIC := $(HELLO_FLAGS) -fPIC
$(GUEST_DIR)/follow: guest/follow.c guest/follow-lib.c guest/vsyscall.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -o $@ guest/follow.c guest/follow-lib.c -pthread
$(GUEST_DIR)/follow-pie: guest/follow.c guest/follow-lib.c guest/vsyscall.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(FOLLOW_PIC) -static-pie -o $@ guest/follow.c guest/follow-lib.c -pthread
$(GUEST_DIR)/libfollow.so: guest/follow-lib.c guest/vsyscall.h guest/guest.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(FOLLOW_PIC) -shared -Wl,-soname,libfollow.so -o $@ $<
$(GUEST_DIR)/follow-dynamic: guest/follow.c $(GUEST_DIR)/libfollow.so
	@mkdir -p $(@D)
	$(Q)$(CC) $(FOLLOW_PIC) -pie -o $@ $^ -pthread -Wl,-rpath,'$$ORIGIN'
GUESTS += $(addprefix $(GUEST_DIR)/follow,-pie -dynamic) $(GUEST_DIR)/follow

# Threads and processes: one source a subject.
TASKS := $(patsubst guest/tasks/%.c,$(GUEST_DIR)/tasks/%,$(wildcard guest/tasks/*.c))
$(TASKS): $(GUEST_DIR)/tasks/%: guest/tasks/%.c guest/tasks/task.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -pthread -o $@ $<
$(GUEST_DIR)/tasks/stress-dynamic: guest/tasks/stress.c guest/tasks/task.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_FLAGS) -no-pie -pthread -o $@ $<
GUESTS += $(TASKS) $(GUEST_DIR)/tasks/stress-dynamic

guests: $(GUESTS)

BENCHES := $(GUEST_DIR)/bench/speed $(GUEST_DIR)/bench/timing $(GUEST_DIR)/bench/gettime $(GUEST_DIR)/bench/mix $(GUEST_DIR)/bench/spent $(GUEST_DIR)/bench/fs_mark-run
$(BENCHES): $(GUEST_DIR)/bench/%: guest/bench/%.c guest/vdso-find.h guest/vsyscall.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -Iguest -o $@ $<
guests: $(BENCHES)
$(GUEST_DIR)/vdso-check $(GUEST_DIR)/clock-threads: guest/vdso-find.h

# Every source of time.
CLOCKS_C := $(wildcard guest/clocks/*.c)
$(GUEST_DIR)/clocks: $(CLOCKS_C) guest/clocks/clocks.h guest/vdso-find.h guest/vsyscall.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(GUEST_STATIC) -mno-red-zone -Iguest -o $@ $(CLOCKS_C)
guests: $(GUEST_DIR)/clocks
