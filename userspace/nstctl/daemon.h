/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * daemon.h - one request to nstd and its reply
 */
#ifndef NSTCTL_DAEMON_H
#define NSTCTL_DAEMON_H

#include <json-c/json.h>

/**
 * nst_daemon_connect() - Return: an fd, or -ENODEV when no nstd is there,
 * -EACCES, other errno; the message is out.
 */
int nst_daemon_connect(const char *path);

/**
 * nst_daemon_receive() - one packet
 * @timeout_ms: -1 for none
 * Return: 0 with @ret to be put; -ETIMEDOUT; -EINTR after a signal; -EPIPE
 * when nstd has ended; -EPROTO for what is no JSON object.
 */
int nst_daemon_receive(int fd, int timeout_ms, struct json_object **ret);

/**
 * nst_daemon_request() - one request
 * @req: object with "req" and the parameters; gets an "id"
 * Return: as nst_daemon_call().
 */
int nst_daemon_request(int fd, struct json_object *req,
		       struct json_object **ret);

/**
 * nst_daemon_call() - request without parameters
 * Return: 0 with @ret, the "ok" of the reply, to be put; else -errno and the
 * message is out.
 */
int nst_daemon_call(int fd, const char *req, struct json_object **ret);

/** nst_daemon_putp() - for _cleanup_() */
void nst_daemon_putp(struct json_object **o);

/* Members of a reply; what is not there is the default. */
struct json_object *nst_daemon_get(struct json_object *o, const char *key);
const char *nst_daemon_text(struct json_object *o, const char *key);
int64_t nst_daemon_int(struct json_object *o, const char *key,
		       int64_t missing);

#endif /* NSTCTL_DAEMON_H */
