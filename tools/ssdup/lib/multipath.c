// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: paths of multipath devices, as udev knows them.
 */
#include <libudev.h>
#include <string.h>

#include "dev.h"

bool dev_is_path(dev_t rdev)
{
	struct udev *udev = udev_new();
	struct udev_device *dev = udev ? udev_device_new_from_devnum(udev, 'b', rdev) : NULL;
	const char *is = dev ? udev_device_get_property_value(dev, "DM_MULTIPATH_DEVICE_PATH") :
			       NULL;
	/* 2: multipathd waits for more paths to come. */
	bool path = is && *is && strcmp(is, "0");

	if (dev)
		udev_device_unref(dev);
	if (udev)
		udev_unref(udev);
	return path;
}

int dev_refuse_path(const struct ssdup_ctx *ctx, const struct dev *dev)
{
	if (!dev->rdev || !dev_is_path(dev->rdev))
		return EXIT_OK;
	return fail(ctx, EXIT_REFUSED, dev->path,
		    "a path of a multipath device; give that device, which \"multipath -ll\" shows");
}
