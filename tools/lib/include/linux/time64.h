/* SPDX-License-Identifier: GPL-2.0-only */
#include "tools/lib/shim.h"
