/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the rooms are made and freed.
 */
#ifndef SSDUP_ROOMS_H
#define SSDUP_ROOMS_H

#include "ssdup.h"

/** ssdup_rooms_alloc() - their handles; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_rooms_alloc(struct ssdup *c);

/**
 * ssdup_rooms_init() - what is in them, by the settings and the superblock
 *
 * Context: the constructor; c->wake and c->stats are there. Return: 0 or -ENOMEM.
 */
int ssdup_rooms_init(struct ssdup *c);

/** ssdup_rooms_free() - also when the others have failed */
void ssdup_rooms_free(struct ssdup *c);

#endif
