// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the version of a module that does not come with the kernel. DKMS gives that of the
 * package.
 */
#include <linux/module.h>

MODULE_VERSION(SSDUP_MODULE_VERSION);
