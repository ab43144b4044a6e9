/* SPDX-License-Identifier: GPL-2.0-only */
/* The system's comes first: other headers of the system need all of it. */
#include_next <linux/types.h>
#include "tools/lib/shim.h"
