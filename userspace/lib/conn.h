/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * conn.h - a connection: packets out, replies and events in
 */
#ifndef LIBNST_CONN_H
#define LIBNST_CONN_H

#include "json.h"
#include "nst/libnst.h"

#define LIBNST_PACKET 65536
#define LIBNST_EVENTS 256

/* What the shared library shows; the rest is hidden. */
#define LIBNST_API __attribute__((visibility("default")))

struct nst_conn {
	int fd;
	int timeout_ms;
	bool admin;
	uint64_t next_id;
	char error[256];
	/* Events that came and were not taken: a ring. */
	struct nst_event event[LIBNST_EVENTS];
	unsigned int first;
	unsigned int count;
	uint64_t lost;
	struct libnst_out out;
	char tx[8192];
	char rx[LIBNST_PACKET + 1];
};

/** libnst_begin() - a request; members are put into the result */
struct libnst_out *libnst_begin(struct nst_conn *conn, const char *req);

/**
 * libnst_send() - end it, send it, wait for the reply
 * @fd: goes with it, or -1
 * @ret: the object of a good reply, until the next call; may be NULL
 * Return: 0, or the errno of the reply or of the socket.
 */
int libnst_send(struct nst_conn *conn, int fd, struct libnst_value *ret);

/** libnst_fail() - note a failure; returns @err */
int libnst_fail(struct nst_conn *conn, int err, const char *what);

/** libnst_event_put() - events of a packet into the ring; @fd is taken over */
void libnst_event_put(struct nst_conn *conn, struct libnst_value packet,
		      int fd);

/** libnst_frame_fill() - side data of a frame from an object */
int libnst_frame_fill(struct libnst_value object, struct nst_frame *ret);

#endif /* LIBNST_CONN_H */
