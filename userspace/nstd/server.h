/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * server.h - the socket: clients, packets, who may do what
 *
 * SOCK_SEQPACKET, one JSON object per packet. A client that does not take
 * its replies is closed rather than waited for. Nothing is allocated: the
 * number of clients is bounded, requests are read in place and replies are
 * printed into one buffer. A packet carries at most one file descriptor; one
 * with more of them is refused and they are closed.
 */
#ifndef NST_SERVER_H
#define NST_SERVER_H

#include <sys/types.h>

#include "cursor.h"
#include "out.h"
#include "request.h"
#include "seldom.h"

#define NST_SERVER_CLIENTS 32
#define NST_SERVER_WAITS 8
#define NST_PACKET_LEN 65536

struct nst_manager;

/* A frame.get that is answered when the verdict is known. */
struct nst_wait {
	bool used;
	unsigned int slot;
	u64 seq;
	u64 until_ms;
	char id[NST_REQUEST_ID_LEN];
};

/**
 * struct nst_client - one connection
 * @serial: never the same for two of them
 * @gone: closed, and what it held is not given up yet: the slot is not free
 */
struct nst_client {
	int fd;			/* -1: closed */
	u64 serial;
	bool gone;
	uid_t uid;
	pid_t pid;
	bool admin;		/* root, group nst-admin, or who runs nstd */
	bool subscribed;	/* to frames */
	bool events;
	u64 events_lost;	/* since the last one it took */
	unsigned int costly;	/* requests that it may still make at once */
	u64 costly_ms;		/* when it got one more the last time */
	unsigned int waits;
	struct nst_wait wait[NST_SERVER_WAITS];
	struct nst_cursor cursor[NST_PROFILE_SENSORS_MAX];
};

struct nst_server {
	int fd;
	char path[108];
	gid_t admin_gid;
	bool has_admin_gid;
	bool said_full;
	u64 next_serial;
	struct nst_seldom slow;	/* "does not take its replies" */
	struct nst_client client[NST_SERVER_CLIENTS];
	char rx[NST_PACKET_LEN + 1];
	char tx[NST_PACKET_LEN];
};

/** nst_server_init() - no socket yet; every client slot is free */
void nst_server_init(struct nst_server *s);

/**
 * nst_server_listen() - make the socket; its lock has to be held
 * Mode 0660 and group nst where that group exists, else 0600.
 * Return: 0 or -errno, the message is out.
 */
int nst_server_listen(struct nst_server *s, const char *path);

/** nst_server_accept() - the client, or NULL */
struct nst_client *nst_server_accept(struct nst_server *s);

/** nst_server_ready() - one packet of a client, answered */
void nst_server_ready(struct nst_manager *m, struct nst_client *c,
		      u64 now_ms);

/** nst_server_answer_waits() - after ticks, and from the timer */
void nst_server_answer_waits(struct nst_manager *m, u64 now_ms);

/** nst_server_pump() - frames to subscribers */
void nst_server_pump(struct nst_manager *m);

/** nst_server_attach() - a sensor begins in a slot */
void nst_server_attach(struct nst_server *s, unsigned int slot,
		       const struct nst_governor *g);

/**
 * nst_server_send() - an event to a client, or a reply that comes later
 * @fd: goes with it, or -1; stays the caller's
 * Never waits: a client whose queue is full is closed.
 * Return: 0 or -errno, when the client is closed.
 */
int nst_server_send(struct nst_server *s, struct nst_client *c,
		    const struct nst_out *o, int fd, u64 now_ms);

/**
 * nst_server_offer() - a packet that may be missed
 * Return: 0; -EAGAIN when the queue of the client is full, which stays; else
 * -errno, and it is closed.
 */
int nst_server_offer(struct nst_client *c, const struct nst_out *o);

/** nst_server_find() - the connected client with that serial, or NULL */
struct nst_client *nst_server_find(struct nst_server *s, u64 serial);

/**
 * nst_server_close_client() - at any time, also while it is served
 * What it held is given up by nst_server_reap(), at the end of the round.
 */
void nst_server_close_client(struct nst_client *c);

/** nst_server_reap() - give up what clients held that are closed */
void nst_server_reap(struct nst_manager *m, u64 now_ms);

/** nst_server_deinit() - clients and socket closed, its name removed */
void nst_server_deinit(struct nst_server *s);

#endif /* NST_SERVER_H */
