# SPDX-License-Identifier: GPL-2.0-only
#
# dm-ssdup, out of the kernel tree.  KDIR is the folder of kernel headers to
# build against: those of the running kernel unless it is named. A build installs
# nothing: it says what is missing.

RELEASE := $(shell uname -r)
KDIR ?= $(or $(patsubst %/Makefile,%,$(wildcard /lib/modules/$(RELEASE)/build/Makefile)),$(error $(NO_HEADERS)))

define NO_HEADERS
no headers of the running kernel, $(RELEASE). On Debian, as root:
    apt-get install linux-headers-$(RELEASE)
For another kernel, name the folder of its headers:
    make KDIR=<headers>
Those of Debian's 6.12, fetched into a cache and not installed:
    make KDIR=$$(scripts/lab/kdir 6.12)
endef

DEPMOD ?= depmod

all: modules ## build the module (the default)

modules: ## the same; with KDIR=<headers>, against those
	$(MAKE) -C $(KDIR) M=$(CURDIR)/dm-ssdup modules

install: modules ## install the module below /lib/modules and run depmod
	$(MAKE) -C $(KDIR) M=$(CURDIR)/dm-ssdup modules_install
	$(DEPMOD) $(if $(INSTALL_MOD_PATH),-b $(INSTALL_MOD_PATH)) \
		$$(cat $(KDIR)/include/config/kernel.release)

tools: ## the administrator's tool: tools/ssdup/ssdup
	@CC='$(CC)' scripts/lab/need tool_build
	$(MAKE) -C tools/ssdup

install-tools: tools ## install it with its manual pages below $(DESTDIR)$(PREFIX)
	$(MAKE) -C tools/ssdup install

deb: ## Debian packages of the module (DKMS) and the tool, in build/deb; VERSION=
	scripts/packaging/deb $(if $(VERSION),--version $(VERSION))

demo: ## bursts under every policy on modelled disks, in a virtual machine
	scripts/demo/run

# ONLY names groups of workloads, FULL=1 asks for the long form
bench: ## the same and its peers, measured; ONLY=<group> FULL=1
	scripts/bench/run $(if $(FULL),--full) $(or $(ONLY),all)

test: ## everything below, and the integration tests in virtual machines
	scripts/lab/setup tools
	scripts/test

test-system: ## the packages in a machine of Debian 12: install, boot, upgrade, pull disks
	scripts/test-system

soak: ## the long forms of the tests, for hours: see scripts/soak --help
	scripts/soak

kcsan: ## the test of races in a kernel that looks for data races (builds that kernel)
	scripts/soak kcsan

lint: ## warnings, sparse, checkpatch, shellcheck
	scripts/lab/setup tools
	scripts/lint

kunit: ## the unit tests in a debug kernel (KASAN, lockdep)
	scripts/lab/setup tools
	scripts/test --kunit

host-test: ## the unit tests in user space, under ASan and UBSan
	scripts/lab/setup tools
	scripts/test --host

mutants: ## deliberate bugs, one at a time, and whether the tests notice
	scripts/lab/setup tools
	scripts/mutants/run

intree: ## a copy of the target in a kernel tree: does it build there?
	scripts/lab/setup tools
	scripts/lab/intree

newest: ## the newest kernel that Debian has: build, small set of tests; LINE="sid 7.2"
	scripts/newest $(if $(LINE),"$(LINE)")

arm64: ## arm64, emulated, with pages of 4, 16 and 64 KiB: the same; PAGES="4k 64k"
	scripts/arm64 $(PAGES)

clean: ## remove what was built in the checkout
	$(MAKE) -C tools/ssdup clean
	for dir in dm-ssdup tools/disks kunit; do \
		find $$dir \( -name '*.o' -o -name '*.ko' -o -name '*.mod' \
			-o -name '*.mod.c' -o -name '.*.cmd' -o -name '.*.d' \
			-o -name Module.symvers -o -name modules.order \) \
			-type f -delete 2>/dev/null || true; \
	done

help: ## this text
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/\1\t\2/p' Makefile | expand -t 15

.PHONY: all modules install tools install-tools deb demo bench test test-system soak kcsan lint kunit host-test mutants intree newest arm64 clean help
