/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * client.h - what nstd says about a frame
 *
 * One request at a time over the daemon's socket, by libnst. A verdict exists
 * once the period after the exposure has begun; asked before, the answer is
 * -EAGAIN and the frame has to wait for it.
 */
#ifndef NST_CLIENT_H
#define NST_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#define NST_CLIENT_NONE_MC 1000000	/* no such temperature */
#define NST_CLIENT_NONE_CDB (-1000000)	/* no such ratio */

enum nst_client_placement {
	NST_CLIENT_NEAR = 0,
	NST_CLIENT_FAR,
	NST_CLIENT_PAUSED,
};

struct nst_conn;

struct nst_client {
	struct nst_conn *conn;	/* NULL: not connected */
};

struct nst_client_verdict {
	uint64_t seq;
	int exposure_temp_mc;	/* NST_CLIENT_NONE_MC when not known */
	int limit_mc;		/* NST_CLIENT_NONE_MC for no limit */
	enum nst_client_placement placement;
	bool deliver;
	char reason[64];
};

/**
 * nst_client_connect() - to the daemon's socket
 * Return: 0; -ENOENT or -ECONNREFUSED when nobody listens; -EACCES.
 */
int nst_client_connect(struct nst_client *client, const char *path);

/** nst_client_close() - also of one that is closed */
void nst_client_close(struct nst_client *client);

/**
 * nst_client_frame() - the verdict of frame @seq of @sensor
 * Return: 0; -EAGAIN not known yet; -ENOENT too old, or no such sensor;
 * -EPROTO an answer that makes no sense; -EPIPE, -ECONNRESET, -ETIMEDOUT:
 * the daemon is gone or hangs.
 */
int nst_client_frame(struct nst_client *client, const char *sensor,
		     uint64_t seq, struct nst_client_verdict *ret);

/**
 * struct nst_client_figure - something that was measured
 * @state: in nstd's words, NULL for "says nothing"
 * @measured: there is a number: @snr_cdb and its lower bound
 */
struct nst_client_figure {
	const char *state;
	bool measured;
	int snr_cdb;
	int low_cdb;
};

/**
 * nst_client_report() - tell what frames up to @seq are worth
 * Return: as nst_client_frame(); -EBUSY when another client measures.
 */
int nst_client_report(struct nst_client *client, const char *sensor,
		      uint64_t seq, const struct nst_client_figure *flat,
		      const struct nst_client_figure *dark);

/**
 * nst_client_demand() - the total SNR that the tasks of @sensor ask for
 * Return: the highest, hundredths of a decibel; NST_CLIENT_NONE_CDB for none,
 * and when nstd does not say.
 */
int nst_client_demand(struct nst_client *client, const char *sensor);

/**
 * nst_client_far() - tell how frames went to the far device
 * @imports, @copies: without and with a copy, since the start
 * Return: as nst_client_frame().
 */
int nst_client_far(struct nst_client *client, const char *sensor,
		   uint64_t imports, uint64_t copies);

#endif /* NST_CLIENT_H */
