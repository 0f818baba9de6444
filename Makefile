# SPDX-License-Identifier: GPL-2.0-only
#
# What people type; `make help` lists it. Everything that is built goes to
# build/, everything a run leaves goes to run/, kernels and what else survives
# `make clean` to a cache outside the tree (tests/lib/kernels.sh).

# --- settings ---------------------------------------------------------------

comma := ,
NPROC := $(shell nproc)
space := $(subst ,, )

KVER ?= 6.1
DURATION ?= 60
SAN ?=
# Warnings are errors with the compiler this is developed with; WERROR= lets
# another one have its opinion.
WERROR ?= 1
PREFIX ?= /usr/local
DESTDIR ?=

BUILD := build$(if $(SAN),/san)

CC ?= cc
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes $(if $(WERROR),-Werror)
SANFLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined \
	-fno-sanitize-recover=undefined -fno-omit-frame-pointer -DNST_SAN)

# For "..." only: <limits.h> of the system is not ours.
INCLUDES := $(addprefix -iquote ,policies/core policies/fidelity kmod \
	kmod/uapi userspace/util userspace/profile userspace/rec \
	userspace/sim userspace/backends userspace/measure firmware/vpu \
	userspace userspace/include)

# Not ours to warn about: -isystem.
PKG_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags \
	yaml-0.1 json-c cairo libv4l2 2> /dev/null) \
	$(shell pkg-config --cflags libdrm 2> /dev/null))

ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(INCLUDES) $(PKG_CFLAGS) $(WARN) \
	$(CFLAGS) \
	$(SANFLAGS) $(CFLAGS_$(notdir $(@D)))

# Of libnst; what is not in libnst.map is nobody's business.
CFLAGS_lib = -fPIC -fvisibility=hidden

# Loops over pixels: the difference between 30 frames a second and 20.
CFLAGS_vpu = -O3

# --- what is there ----------------------------------------------------------

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard $(addsuffix /*.c,$(1))))
# a program per file, for tests and helpers
prog = $(patsubst %.c,$(BUILD)/%,$(wildcard $(1)))

# In no library: every commit would link every test again.
VERSION_OBJ := $(BUILD)/obj/userspace/util/version.o
CORE_OBJ := $(filter-out $(VERSION_OBJ),$(call obj,policies/core \
	policies/fidelity userspace/util userspace/profile userspace/rec \
	userspace/sim userspace/measure))
VPU_OBJ := $(call obj,firmware/vpu)
# Of a library that need not be there, one file of a pair is built.
HAVE_DRM := $(shell pkg-config --exists libdrm && echo 1)
# libgpiod 1 or 2, which have the same name
HAVE_GPIOD := $(if $(shell pkg-config --exists libgpiod && echo 1),$(if \
	$(shell pkg-config --exists 'libgpiod >= 2' && echo 1),v2,v1),none)
HAVE_SENSORS := $(wildcard /usr/include/sensors/sensors.h)
BACKEND_NOT := $(if $(HAVE_DRM),render_none,render_drm) \
	$(if $(HAVE_SENSORS),sensors_none,sensors_lib) \
	$(addprefix gpio_,$(filter-out $(HAVE_GPIOD),v1 v2 none))
BACKEND_OBJ := $(filter-out $(addprefix %/,$(addsuffix .o,$(BACKEND_NOT))), \
	$(call obj,userspace/backends))
NSTD_OBJ := $(call obj,userspace/nstd)
NSTCTL_OBJ := $(call obj,userspace/nstctl)
VISION_OBJ := $(call obj,userspace/vision)
WORKER_OBJ := $(call obj,userspace/worker)
LIBNST_OBJ := $(call obj,userspace/lib)

# libnst for programs: the number counts what breaks them
LIBNST_SO := $(BUILD)/libnst.so.0
LIBNST := $(BUILD)/libnst.a

LIBCORE := $(BUILD)/libnstcore.a
LIBVPU := $(BUILD)/libnstvpu.a
LIBBACK := $(BUILD)/libnstbackends.a
# nstd and nst-worker without their main(), for tests
LIBWORKER := $(BUILD)/libnstworker.a
LIBNSTD := $(BUILD)/libnstd.a

PROGRAMS := $(if $(NSTD_OBJ),$(BUILD)/nstd) \
	$(if $(NSTCTL_OBJ),$(BUILD)/nstctl) \
	$(if $(VISION_OBJ),$(BUILD)/nst-vision) $(BUILD)/nst-worker \
	$(LIBNST) $(LIBNST_SO)

TEST_PROGS := $(filter-out $(if $(HAVE_SENSORS),,%/test_sensors), \
	$(call prog,tests/userspace/*.c))
BENCH_PROGS := $(call prog,tests/bench/*.c)
# what a bench runs in its guest
BENCH_GUEST_PROGS := $(call prog,tests/bench/rivals/*.c)
SELFTEST_PROGS := $(call prog,tests/selftests/*.c)
SOAK_PROGS := $(call prog,tests/soak/*.c)
DEMO_PROGS := $(call prog,tests/demo/*.c)

# The same again as 32-bit programs, for a 64-bit kernel to serve: where the C
# library for them has been fetched (tests/lib/cross.sh), and unsanitized.
I386_FLAGS := $(if $(SAN),,$(shell . tests/lib/kernels.sh; \
	. tests/lib/cross.sh; nst_i386_flags))
I386_PROGS := $(if $(I386_FLAGS),$(patsubst %.c,$(BUILD)/i386/%, \
	$(wildcard tests/selftests/nst_*.c)))

# What takes a line, once more with libgpiod 2: this machine's is 1.
GPIOD2_FLAGS := $(if $(SAN),,$(shell . tests/lib/kernels.sh; \
	. tests/lib/cross.sh; nst_gpiod2_flags))
GPIOD2_PROG := $(if $(GPIOD2_FLAGS),$(BUILD)/gpiod2/gpio_line)
GPIOD2_SRC := tests/selftests/gpio_line.c \
	$(addprefix userspace/backends/,gpio.c gpio_v2.c scan.c) \
	$(addprefix userspace/util/,number.c path.c)

# pkg-config is asked once, and only by a goal that links
pkgs = $(shell pkg-config --libs $(1) 2> /dev/null || \
	echo no-such-package:$(subst $(space),$(comma),$(1)))
LIBS_back = $(if $(HAVE_DRM),$(call pkgs,libdrm)) \
	$(if $(HAVE_SENSORS),-lsensors) \
	$(if $(filter none,$(HAVE_GPIOD)),,$(call pkgs,libgpiod))
LIBS_nstd = $(call pkgs,yaml-0.1 json-c) $(LIBS_back) -lm
LIBS_nstctl = $(call pkgs,yaml-0.1 json-c cairo) $(LIBS_back) -lm
LIBS_nst-worker = $(if $(HAVE_DRM),$(call pkgs,libdrm)) -lm
LIBS_nst-vision = $(call pkgs,libv4l2 json-c yaml-0.1 cairo) $(LIBS_back) -lm
LIBS_test = $(call pkgs,yaml-0.1 json-c) $(LIBS_back) -lm

.PHONY: FORCE all userspace test-programs firmware module run shell check check-long \
	check-core check-uml check-vm bench install uninstall dkms-install clean help style deps
.DELETE_ON_ERROR:

all: userspace

# --- userspace --------------------------------------------------------------

userspace: $(PROGRAMS)                  ## build nstd, nstctl, nst-vision, nst-worker and libnst
test-programs: $(TEST_PROGS) $(BENCH_PROGS) $(BENCH_GUEST_PROGS) \
	$(SELFTEST_PROGS) $(SOAK_PROGS) \
	$(DEMO_PROGS) $(I386_PROGS) $(GPIOD2_PROG)

# Flags are part of what an object is made from.
FLAGS_STAMP := $(BUILD)/obj/.flags
FLAGS_NOW := $(CC) $(CFLAGS) $(WARN) $(SANFLAGS) $(INCLUDES)
ifneq ($(FLAGS_NOW),$(file < $(FLAGS_STAMP)))
$(shell mkdir -p $(BUILD)/obj)
$(file > $(FLAGS_STAMP),$(FLAGS_NOW))
endif

VERSION_STAMP := $(BUILD)/obj/.version
$(VERSION_OBJ): $(VERSION_STAMP)
CFLAGS_util = $(if $(filter $(VERSION_OBJ),$@), \
	-DNST_VERSION='"$(file < $(VERSION_STAMP))"')

# Written when it differs. Who installs may be told nothing by git, of a tree
# that is somebody else's: what was built stays what it is.
$(VERSION_STAMP): FORCE
	@mkdir -p $(@D)
	@version=$$(tests/lib/version.sh); \
		[ "$$version" = "$$(cat $@ 2> /dev/null)" ] || \
		{ [ "$$version" = 0 ] && [ -s $@ ]; } || echo "$$version" > $@
FORCE:

$(BUILD)/obj/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	@echo "  CC      $<"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Removed first: an archive keeps members whose source is gone.
$(LIBCORE): $(CORE_OBJ)
$(LIBVPU): $(VPU_OBJ)
$(LIBBACK): $(BACKEND_OBJ)
$(LIBNSTD): $(filter-out %/main.o %/nstd.o,$(NSTD_OBJ))
$(LIBWORKER): $(filter-out %/main.o,$(WORKER_OBJ))
$(LIBNST): $(LIBNST_OBJ)
$(LIBCORE) $(LIBVPU) $(LIBBACK) $(LIBNSTD) $(LIBWORKER) $(LIBNST):
	@mkdir -p $(@D)
	@rm -f $@
	@$(AR) rcs $@ $^

link = echo "  LINK    $@"; $(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ \
	$(filter %.o,$^) $(filter %.a,$^)

$(BUILD)/nstd: $(NSTD_OBJ) $(VERSION_OBJ) $(LIBBACK) $(LIBCORE)
	@$(link) $(LIBS_nstd)
$(BUILD)/nstctl: $(NSTCTL_OBJ) $(VERSION_OBJ) $(LIBBACK) $(LIBCORE) $(LIBVPU)
	@$(link) $(LIBS_nstctl)
$(BUILD)/nst-vision: $(VISION_OBJ) $(VERSION_OBJ) $(LIBBACK) $(LIBVPU) \
		$(LIBCORE) $(LIBNST)
	@$(link) $(LIBS_nst-vision)
$(BUILD)/nst-worker: $(WORKER_OBJ) $(VERSION_OBJ) $(LIBNST) $(LIBBACK) $(LIBVPU) \
		$(LIBCORE)
	@$(link) $(LIBS_nst-worker)

$(LIBNST_SO): $(LIBNST_OBJ) userspace/lib/libnst.map
	@echo "  LINK    $@"
	@$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -shared -o $@ \
		-Wl,-soname,$(notdir $@) \
		-Wl,--version-script,userspace/lib/libnst.map \
		$(filter %.o,$^) -lm
	@ln -sf $(notdir $@) $(BUILD)/libnst.so

# One program a file under tests/, with all the libraries at hand.
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(LIBNSTD) $(LIBWORKER) $(LIBBACK) $(LIBCORE) \
		$(LIBVPU) $(LIBNST)
	@mkdir -p $(@D)
	@$(link) $(LIBS_test)

$(BUILD)/i386/%: %.c $(wildcard kmod/uapi/*.h) $(FLAGS_STAMP)
	@mkdir -p $(@D)
	@echo "  LINK32  $@"
	@$(CC) -std=gnu11 -D_GNU_SOURCE -iquote kmod $(WARN) -O2 $(I386_FLAGS) \
		-o $@ $<

$(BUILD)/gpiod2/gpio_line: $(GPIOD2_SRC) $(wildcard userspace/backends/gpio*.h) \
		$(FLAGS_STAMP)
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	@$(CC) -std=gnu11 -D_GNU_SOURCE $(INCLUDES) $(WARN) $(CFLAGS) -o $@ \
		$(GPIOD2_SRC) $(GPIOD2_FLAGS)

.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2> /dev/null)

# --- firmware ---------------------------------------------------------------

firmware:                               ## build the MCU's application as a program and as an image, print its size
	@$(MAKE) --no-print-directory -s -f firmware/Makefile host image size

# --- kernel modules ---------------------------------------------------------

module:                                 ## build the modules (KVER=6.1|6.12|backports|armhf|release)
	@tests/lib/module.sh $(KVER)

# --- running and testing ----------------------------------------------------

deps:                                   ## install what is missing (root, Debian 12) and fetch test kernels
	@tests/lib/deps.sh

run:                                    ## the demonstration in a VM (DURATION=60), leaves run/report.html
	@tests/lib/deps.sh
	@$(MAKE) --no-print-directory -j$(NPROC) userspace test-programs
	@tests/lib/module.sh $(KVER)
	@DURATION=$(DURATION) KVER=$(KVER) tests/demo/run.sh

shell:                                  ## a VM to sit in: stack, nstd, camera (CMD='...' or standard input to script it)
	@tests/lib/deps.sh < /dev/null
	@$(MAKE) --no-print-directory -j$(NPROC) userspace test-programs < /dev/null
	@tests/lib/module.sh $(KVER) < /dev/null
	@KVER=$(KVER) tests/demo/shell.sh

style:                                  ## checkpatch, sparse, warnings, linters, include rules, SPDX
	@tests/lib/check.sh style

check:                                  ## everything that CI runs; last line is "N passed, N failed"
	@tests/lib/check.sh all

check-core:                             ## pure code, userspace and firmware under ASan and UBSan
	@tests/lib/check.sh core

check-vm:                               ## self-tests on the stock kernel in a VM (KVER=6.1|6.12, NST_ROUNDS=20)
	@tests/lib/check.sh vm

check-uml:                              ## KUnit, self-tests, soak, device trees in user-mode kernels: KASAN, kmemleak
	@tests/lib/check.sh uml

check-long:                             ## check, and kmemleak, kernel configurations, mutants
	@tests/lib/check.sh long

bench:                                  ## print the speed figures
	@tests/lib/deps.sh --bench
	@$(MAKE) --no-print-directory -j$(NPROC) userspace test-programs
	@tests/lib/bench.sh

install: userspace                      ## install programs, man pages, unit, profiles (DESTDIR, PREFIX)
	@DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) BUILD=$(BUILD) \
		tests/lib/install.sh

uninstall: userspace                    ## remove what install put down, not /etc (DESTDIR, PREFIX)
	@DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) BUILD=$(BUILD) \
		tests/lib/install.sh --remove

dkms-install:                           ## hand the modules to DKMS, which builds them for this kernel and the next (root)
	@DESTDIR=$(DESTDIR) tests/lib/dkms.sh install

clean:                                  ## remove build/ and run/, not the cache
	rm -rf build run

help:                                   ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | \
		sort | awk -F'\t' '{ printf "  %-14s %s\n", $$1, $$2 }'
	@echo "Settings: KVER=6.1|6.12, DURATION=seconds, SAN=1, WERROR=, V=1 (show all)," \
		"NST_CACHE=directory"
