# SPDX-License-Identifier: GPL-2.0-only
#
# dm-ssdup/core/ in user space, for the Makefiles that include this. They set
#	TOP		the top folder of the sources
#	O		the folder for objects
#	ALL_CFLAGS	how everything is compiled
# The object of $(TOP)/a/b.c is $(O)/a/b.o.
#
# rbtree.c and include/linux/rbtree*.h here are copies from tools/ of Linux 6.12, unchanged.

LIB_SRC := $(addprefix $(TOP)/tools/lib/,shim.c rbtree.c)
CORE_SRC := $(wildcard $(TOP)/dm-ssdup/core/*.c) $(LIB_SRC)

# The kernel's warnings check the core; user space adds those that fit it.
CORE_CFLAGS := -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
	-fno-strict-aliasing -I$(TOP)/tools/lib/include -I$(TOP)
KERNEL_CFLAGS := -Wno-sign-compare

# objects FOLDER SOURCE... - the objects of these sources below that folder
objects = $(patsubst $(TOP)/%.c,$(1)/%.o,$(2))

$(O)/dm-ssdup/%.o $(O)/tools/lib/%.o: ALL_CFLAGS += $(KERNEL_CFLAGS)

$(O)/%.o: $(TOP)/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# What an earlier build has found out.
-include $(shell find $(O) -name '*.d' 2>/dev/null)
