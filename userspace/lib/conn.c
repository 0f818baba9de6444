// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* conn.c - a connection: packets out, replies and events in; see conn.h */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "conn.h"

#define TIMEOUT_MS 2000
#define ERRNO_MAX 134
#define SPACE " \t\r\n"

int libnst_fail(struct nst_conn *conn, int err, const char *what)
{
	snprintf(conn->error, sizeof(conn->error), "%s", what);
	return err;
}

static int fail_errno(struct nst_conn *conn, int err, const char *what)
{
	snprintf(conn->error, sizeof(conn->error), "%s: %s", what,
		 strerror(-err));
	return err;
}

/* ------------------------------------------------------------- packets */

static int send_packet(struct nst_conn *conn, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = conn->tx, .iov_len = conn->out.len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg = &control.align;
	ssize_t n;

	if (fd >= 0) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	do {
		n = sendmsg(conn->fd, &msg, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* @ret_fd: came with it, or -1 */
static ssize_t receive_packet(struct nst_conn *conn, int *ret_fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = conn->rx, .iov_len = LIBNST_PACKET };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *cmsg;
	ssize_t n;

	*ret_fd = -1;
	do {
		n = recvmsg(conn->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg && cmsg->cmsg_level == SOL_SOCKET &&
	    cmsg->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(cmsg), sizeof(*ret_fd));
	if (n == 0)
		return -EPIPE;
	return n;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int wait_readable(struct nst_conn *conn, int64_t until_ms)
{
	struct pollfd p = { .fd = conn->fd, .events = POLLIN };
	int64_t left;
	int r;

	do {
		left = until_ms - now_ms();
		r = poll(&p, 1, left > 0 ? (int)left : 0);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r ? 0 : -ETIMEDOUT;
}

/* --------------------------------------------------------------- calls */

struct libnst_out *libnst_begin(struct nst_conn *conn, const char *req)
{
	struct libnst_out *o = &conn->out;

	conn->error[0] = '\0';
	*o = (struct libnst_out){ .buf = conn->tx, .size = sizeof(conn->tx) };
	libnst_put(o, "{\"req\":\"");
	libnst_put(o, req);
	libnst_put(o, "\"");
	conn->next_id++;
	libnst_put_int(o, "id", (int64_t)conn->next_id);
	return o;
}

/* The names are the protocol's: numbers differ between architectures. */
static int errno_of(struct libnst_value name)
{
	for (int e = 1; e < ERRNO_MAX; e++) {
		const char *known = strerrorname_np(e);

		if (known && libnst_is(name, known))
			return -e;
	}
	return -EPROTO;
}

/* Is it the reply to the last request? Then its end is here. */
static bool take_reply(struct nst_conn *conn, struct libnst_value packet,
		       struct libnst_value *ret, int *ret_err)
{
	struct libnst_value k, v, error = { 0 };
	struct libnst_walk w;
	bool ours = false, good = false;

	if (!libnst_walk_begin(&w, packet, '{'))
		return false;
	while (libnst_walk_next(&w, &k, &v) > 0) {
		if (k.len == 2 && !memcmp(k.text, "id", 2)) {
			ours = libnst_int(v, 0) == (int64_t)conn->next_id;
		} else if (k.len == 2 && !memcmp(k.text, "ok", 2)) {
			good = true;
			*ret = v;
		} else if (k.len == 5 && !memcmp(k.text, "error", 5)) {
			error = v;
		}
	}
	/* Nobody else speaks before it knows who is asked: "too many". */
	if (!ours && !(error.text && conn->next_id == 1))
		return false;
	*ret_err = good ? 0 : -EPROTO;
	if (good)
		return true;
	snprintf(conn->error, sizeof(conn->error), "a reply that is none");
	if (error.text) {
		*ret_err = errno_of(libnst_get(error, "errno"));
		libnst_text(libnst_get(error, "what"), conn->error,
			    sizeof(conn->error));
	}
	if (!conn->error[0])
		(void)fail_errno(conn, *ret_err, "nstd");
	return true;
}

static int wait_reply(struct nst_conn *conn, struct libnst_value *ret)
{
	int64_t until_ms = now_ms() + conn->timeout_ms;

	for (;;) {
		struct libnst_value packet = { .text = conn->rx };
		ssize_t n;
		int r, fd;

		r = wait_readable(conn, until_ms);
		if (r)
			return fail_errno(conn, r, "no reply of nstd");
		n = receive_packet(conn, &fd);
		if (n == -EAGAIN)
			continue;
		if (n < 0)
			return fail_errno(conn, (int)n, "nstd has ended");
		packet.len = (size_t)n;
		conn->rx[n] = '\0';
		if (!take_reply(conn, packet, ret, &r)) {
			libnst_event_put(conn, packet, fd);
			continue;
		}
		if (fd >= 0)
			close(fd);
		return r;
	}
}

int libnst_send(struct nst_conn *conn, int fd, struct libnst_value *ret)
{
	struct libnst_value ignored;
	int r;

	libnst_put(&conn->out, "}");
	if (conn->out.full)
		return libnst_fail(conn, -EMSGSIZE, "the request is too long");
	r = send_packet(conn, fd);
	if (r)
		return fail_errno(conn, r == -ECONNRESET ? -EPIPE : r,
				  "nstd does not take the request");
	return wait_reply(conn, ret ? ret : &ignored);
}

/* The members of @request, behind an id of ours. */
static int put_request(struct nst_conn *conn, const char *request)
{
	struct libnst_out *o = &conn->out;
	size_t len = strlen(request);

	while (len && strchr(SPACE, request[len - 1]))
		len--;
	if (len < 2 || request[0] != '{' || request[len - 1] != '}')
		return libnst_fail(conn, -EINVAL, "a request is a JSON object");
	conn->error[0] = '\0';
	*o = (struct libnst_out){ .buf = conn->tx, .size = sizeof(conn->tx) };
	conn->next_id++;
	libnst_put(o, "{");
	libnst_put_int(o, "id", (int64_t)conn->next_id);
	conn->tx[1] = ' ';	/* the comma before a member that follows */
	if (request[1 + strspn(request + 1, SPACE)] != '}')
		libnst_put(o, ",");
	if (len - 2 >= o->size - o->len)
		return libnst_fail(conn, -EMSGSIZE, "the request is too long");
	memcpy(conn->tx + o->len, request + 1, len - 2);
	o->len += len - 2;
	return 0;
}

LIBNST_API int nst_call(struct nst_conn *conn, const char *request, int fd,
			char *buf, size_t size)
{
	struct libnst_value v = { 0 };
	int r;

	r = put_request(conn, request + strspn(request, SPACE));
	if (!r)
		r = libnst_send(conn, fd, &v);
	if (r)
		return r;
	if (v.len >= size)
		return libnst_fail(conn, -EMSGSIZE, "the reply is longer than "
				   "the buffer");
	memcpy(buf, v.text, v.len);
	buf[v.len] = '\0';
	return (int)v.len;
}

/* ---------------------------------------------------------- connection */

static int open_socket(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd, r;

	if (!path)
		path = getenv("NST_SOCKET");
	if (!path || !*path)
		path = NST_SOCKET_DEFAULT;
	if (strlen(path) >= sizeof(sun.sun_path))
		return -ENAMETOOLONG;
	strcpy(sun.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&sun, sizeof(sun)))
		return fd;
	r = -errno;
	close(fd);
	return r;
}

LIBNST_API int nst_connect(struct nst_conn **ret, const char *path)
{
	struct nst_conn *conn;
	struct libnst_value ok = { 0 };
	int r;

	conn = calloc(1, sizeof(*conn));
	if (!conn)
		return -ENOMEM;
	conn->timeout_ms = TIMEOUT_MS;
	conn->fd = open_socket(path);
	if (conn->fd < 0) {
		r = conn->fd;
		free(conn);
		return r;
	}
	libnst_begin(conn, "hello");
	r = libnst_send(conn, -1, &ok);
	if (!r && !libnst_is(libnst_get(ok, "name"), "nstd"))
		r = -EPROTO;
	if (r) {
		nst_close(conn);
		return r;
	}
	conn->admin = libnst_bool(libnst_get(ok, "admin"), false);
	*ret = conn;
	return 0;
}

LIBNST_API void nst_close(struct nst_conn *conn)
{
	if (!conn)
		return;
	for (unsigned int i = 0; i < conn->count; i++) {
		int fd = conn->event[(conn->first + i) % LIBNST_EVENTS].fd;

		if (fd >= 0)
			close(fd);
	}
	close(conn->fd);
	free(conn);
}

LIBNST_API int nst_fd(const struct nst_conn *conn)
{
	return conn->fd;
}

LIBNST_API const char *nst_error(const struct nst_conn *conn)
{
	return conn->error;
}

LIBNST_API void nst_set_timeout(struct nst_conn *conn, int timeout_ms)
{
	conn->timeout_ms = timeout_ms > 0 ? timeout_ms : 0;
}

LIBNST_API bool nst_is_admin(const struct nst_conn *conn)
{
	return conn->admin;
}

/* -------------------------------------------------------------- events */

LIBNST_API int nst_next_event(struct nst_conn *conn, struct nst_event *ret)
{
	/* A packet may hold several events, or none that is one. */
	while (!conn->count) {
		struct libnst_value packet = { .text = conn->rx };
		ssize_t n;
		int fd;

		n = receive_packet(conn, &fd);
		if (n == -EAGAIN)
			return 0;
		if (n < 0)
			return fail_errno(conn, (int)n, "nstd has ended");
		packet.len = (size_t)n;
		conn->rx[n] = '\0';
		libnst_event_put(conn, packet, fd);
	}
	*ret = conn->event[conn->first];
	conn->first = (conn->first + 1) % LIBNST_EVENTS;
	conn->count--;
	return 1;
}
