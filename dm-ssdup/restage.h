/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: writes of the stage that the SSD refuses, see log/staging.h.
 */
#ifndef SSDUP_RESTAGE_H
#define SSDUP_RESTAGE_H

#include "log/staging.h"

/**
 * ssdup_restage() - write again what the SSD has refused of a buffer
 * @nr: of the write
 *
 * At its place first, and if that fails at another one. A write that fails may be a bad place, and
 * the SSD may be away for a while: see core/retry.h.
 *
 * Context: process, sleeps; committer->lock is held. Return: 0; -EAGAIN when the ring of metadata
 * pages is full, or a segment has yet to be forgotten; -EIO: its SSD takes no writes any more.
 */
int ssdup_restage(struct ssdup_log *log, struct stage_buffer *b, u32 nr);

#endif
