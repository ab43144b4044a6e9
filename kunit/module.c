// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

MODULE_DESCRIPTION("unit tests of dm-ssdup");
MODULE_LICENSE("GPL");
