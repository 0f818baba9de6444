/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * reply.h - what each request of the socket does
 */
#ifndef NST_REPLY_H
#define NST_REPLY_H

#include "server.h"

/**
 * nst_reply() - carry out one request
 * @fd: came with it, or -1; closed here unless the request keeps it
 * @o: gets the whole reply
 * @ret_fd: to be sent with @o, or -1; not to be closed
 * Return: true when @o is to be sent, false when it is answered later.
 */
bool nst_reply(struct nst_manager *m, struct nst_client *c,
	       const struct nst_request *req, int fd, u64 now_ms,
	       struct nst_out *o, int *ret_fd);

/** nst_reply_error() - {"id":...,"error":{"errno":"EINVAL","what":"..."}} */
void nst_reply_error(struct nst_out *o, const char *id, int err,
		     const char *what);

/** nst_reply_frame() - the answer to frame.get */
void nst_reply_frame(struct nst_out *o, const char *id,
		     const struct nst_verdict *v);

/** nst_reply_frame_missing() - the other one; @err of nst_gov_verdict() */
void nst_reply_frame_missing(struct nst_out *o, const char *id, int err);

/** nst_reply_record() - a frame for subscribers, one object */
void nst_reply_record(struct nst_out *o, const char *sensor,
		      const struct nst_governor *g,
		      const struct nst_verdict *v);

/** nst_reply_status() - the status object of all sensors */
void nst_reply_status(const struct nst_manager *m, struct nst_out *o);

#endif /* NST_REPLY_H */
