/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * captures.h - frames on demand: tickets of clients
 *
 * A client triggers, the kernel gates until a frame is cold enough or the
 * deadline has passed, and the client gets an event per frame. A ticket ends
 * with its last frame, with its client, and with its device; its client
 * learns of every end but its own.
 */
#ifndef NST_CAPTURES_H
#define NST_CAPTURES_H

#include "backend.h"

#define NST_CAPTURES_MAX 32
#define NST_CAPTURES_PER_CLIENT 4

struct nst_manager;
struct nst_client;
struct nst_sensor;

/**
 * struct nst_capture - an open ticket
 * @owner: serial of the client, 0 for a free place
 * @id: what the client knows it by, @dev_id the device
 * @opening: of the sensor when it was taken: another one has other tickets
 * @until_us: by the device's clock; an answer that was lost is missed then
 */
struct nst_capture {
	u64 owner;
	u64 id;
	u64 opening;
	u64 until_us;
	u32 dev_id;
	unsigned int slot;
};

struct nst_captures {
	u64 next_id;
	struct nst_capture capture[NST_CAPTURES_MAX];
};

/**
 * nst_captures_add() - hand a ticket to the device
 * Return: 0 with @ret_id; -EDQUOT too many of this client; -EBUSY too many of
 * the device; -ENODEV without a device; other errno of the device.
 */
int nst_captures_add(struct nst_manager *m, const struct nst_client *c,
		     struct nst_sensor *s,
		     const struct nst_dev_capture *ticket, u64 *ret_id);

/** nst_captures_pump() - answers of devices to clients, after every tick */
void nst_captures_pump(struct nst_manager *m, u64 now_ms);

/** nst_captures_drop() - tickets of clients that are gone are given up */
void nst_captures_drop(struct nst_manager *m);

#endif /* NST_CAPTURES_H */
