// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* server.c - the socket: clients, packets, who may do what; see server.h */
#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "log.h"
#include "manager.h"
#include "reply.h"
#include "server.h"

#define GROUP_READ "nst"
#define GROUP_ADMIN "nst-admin"

/* Frames in one packet to a subscriber: each is below 500 bytes. */
#define FRAMES_PER_PACKET 100
#define SLOW_SAID_MS 10000

void nst_server_init(struct nst_server *s)
{
	s->fd = -1;
	s->path[0] = '\0';
	for (int i = 0; i < NST_SERVER_CLIENTS; i++)
		s->client[i].fd = -1;
}

/* Names of groups are looked up once: that reads files and allocates. */
static void find_groups(struct nst_server *s, gid_t *ret_read_gid,
			bool *ret_has_read)
{
	const struct group *g = getgrnam(GROUP_ADMIN);

	s->has_admin_gid = g;
	if (g)
		s->admin_gid = g->gr_gid;
	g = getgrnam(GROUP_READ);
	*ret_has_read = g;
	if (g)
		*ret_read_gid = g->gr_gid;
}

static int bind_socket(int fd, const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	struct stat st;
	mode_t mask;
	int r;

	strcpy(sun.sun_path, path);
	/*
	 * We hold the lock, so a socket that is there is nobody's any more.
	 * Any other file is a mistake in the command line, and stays.
	 */
	if (!lstat(path, &st) && S_ISSOCK(st.st_mode))
		unlink(path);
	mask = umask(0177);
	r = bind(fd, (struct sockaddr *)&sun, sizeof(sun)) ? -errno : 0;
	umask(mask);
	return r;
}

int nst_server_listen(struct nst_server *s, const char *path)
{
	gid_t read_gid = 0;
	bool has_read;
	int r;

	if (strlen(path) >= sizeof(s->path))
		return nst_log_err(-ENAMETOOLONG, "socket '%s'", path);
	find_groups(s, &read_gid, &has_read);
	s->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
		       0);
	if (s->fd < 0)
		return nst_log_err(-errno, "socket");
	r = bind_socket(s->fd, path);
	if (!r) {
		strcpy(s->path, path);
		if (has_read && !chown(path, (uid_t)-1, read_gid))
			r = chmod(path, 0660) ? -errno : 0;
	}
	if (!r && listen(s->fd, 16))
		r = -errno;
	if (r) {
		close(s->fd);
		s->fd = -1;
		return nst_log_err(r, "socket '%s'", path);
	}
	return 0;
}

/* -------------------------------------------------------------- clients */

static bool in_group(int fd, gid_t primary, gid_t wanted)
{
	gid_t groups[256];
	socklen_t len = sizeof(groups);

	if (primary == wanted)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len))
		return false;
	for (size_t i = 0; i < len / sizeof(groups[0]); i++)
		if (groups[i] == wanted)
			return true;
	return false;
}

static int identify(const struct nst_server *s, struct nst_client *c, int fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return -errno;
	c->uid = cred.uid;
	c->pid = cred.pid;
	c->admin = cred.uid == 0 || cred.uid == geteuid() ||
		   (s->has_admin_gid && in_group(fd, cred.gid, s->admin_gid));
	return 0;
}

static void refuse(struct nst_server *s, int fd)
{
	struct nst_out o;

	nst_out_init(&o, s->tx, sizeof(s->tx));
	nst_reply_error(&o, "null", -EUSERS, "too many clients");
	(void)send(fd, o.buf, o.len, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
	if (!s->said_full)
		nst_log(NST_LOG_WARNING, "more than %d clients: new ones are "
			"refused", NST_SERVER_CLIENTS);
	s->said_full = true;
}

struct nst_client *nst_server_accept(struct nst_server *s)
{
	struct nst_client *c = NULL;
	int fd;

	fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return NULL;
	for (int i = 0; i < NST_SERVER_CLIENTS && !c; i++)
		if (s->client[i].fd < 0 && !s->client[i].gone)
			c = &s->client[i];
	if (!c) {
		refuse(s, fd);
		return NULL;
	}
	s->said_full = false;
	memset(c, 0, sizeof(*c));
	c->fd = -1;
	if (identify(s, c, fd)) {
		close(fd);
		return NULL;
	}
	c->fd = fd;
	c->serial = ++s->next_serial;
	return c;
}

void nst_server_close_client(struct nst_client *c)
{
	if (c->fd < 0)
		return;
	close(c->fd);
	c->fd = -1;
	c->gone = true;
	c->waits = 0;
	c->subscribed = false;
	c->events = false;
}

/* One that connects again and again must not fill the log. */
static void say_slow(struct nst_server *s, const struct nst_client *c,
		     u64 now_ms)
{
	unsigned int unsaid;

	if (nst_seldom_may(&s->slow, SLOW_SAID_MS, now_ms, &unsaid))
		nst_log(NST_LOG_INFO, "client %d does not take its replies, "
			"closed (%u others since the last line)", (int)c->pid,
			unsaid);
}

static int send_packet(const struct nst_client *c, const struct nst_out *o,
		       int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = o->buf, .iov_len = o->len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg = &control.align;

	if (c->fd < 0)
		return -ENOTCONN;
	if (fd >= 0) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	return sendmsg(c->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0
		? -errno : 0;
}

int nst_server_offer(struct nst_client *c, const struct nst_out *o)
{
	int r = send_packet(c, o, -1);

	if (r && r != -EAGAIN)
		nst_server_close_client(c);
	return r;
}

int nst_server_send(struct nst_server *s, struct nst_client *c,
		    const struct nst_out *o, int fd, u64 now_ms)
{
	int r = send_packet(c, o, fd);

	/* A client that does not read is not waited for. */
	if (!r || r == -ENOTCONN)
		return r;
	if (r == -EAGAIN)
		say_slow(s, c, now_ms);
	nst_server_close_client(c);
	return r;
}

struct nst_client *nst_server_find(struct nst_server *s, u64 serial)
{
	for (int i = 0; i < NST_SERVER_CLIENTS; i++)
		if (s->client[i].fd >= 0 && s->client[i].serial == serial)
			return &s->client[i];
	return NULL;
}

/* -------------------------------------------------------------- packets */

/* Room for more than is taken, so that what is too many can be closed. */
#define FDS_MAX 8

/* The one that came; -1 for none; -EINVAL for more, all of them closed. */
static int take_fd(struct msghdr *msg)
{
	struct cmsghdr *cmsg;
	int fds[FDS_MAX], first = -1;
	bool bad = msg->msg_flags & MSG_CTRUNC;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		size_t count;

		if (cmsg->cmsg_level != SOL_SOCKET ||
		    cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		if (count > FDS_MAX)
			count = FDS_MAX;
		memcpy(fds, CMSG_DATA(cmsg), count * sizeof(int));
		for (size_t i = 0; i < count; i++) {
			if (first < 0) {
				first = fds[i];
				continue;
			}
			close(fds[i]);
			bad = true;
		}
	}
	if (!bad)
		return first;
	if (first >= 0)
		close(first);
	return -EINVAL;
}

/* @ret_fd: as take_fd(). Return: length, 0 for nothing to read, -errno. */
static ssize_t receive(struct nst_server *s, const struct nst_client *c,
		       int *ret_fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int) * FDS_MAX)];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = s->rx, .iov_len = NST_PACKET_LEN };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	ssize_t len;

	len = recvmsg(c->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (len < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	*ret_fd = take_fd(&msg);
	/* An empty packet and the end look the same: both end it. */
	if (len == 0) {
		if (*ret_fd >= 0)
			close(*ret_fd);
		return -EPIPE;
	}
	return msg.msg_flags & MSG_TRUNC ? NST_PACKET_LEN + 1 : len;
}

/* Return: true when the reply is in @o. */
static bool answer(struct nst_manager *m, struct nst_client *c, size_t len,
		   int fd, u64 now_ms, struct nst_out *o, int *ret_fd)
{
	struct nst_server *s = &m->server;
	struct nst_request req = { .id = "null" };
	char what[128];
	bool now;

	if (len > NST_PACKET_LEN)
		nst_reply_error(o, "null", -EMSGSIZE,
				"a packet has at most 65536 bytes");
	else if (nst_request_parse(&req, s->rx, len, what, sizeof(what)))
		nst_reply_error(o, req.id, -EINVAL, what);
	else if (fd < -1)
		nst_reply_error(o, req.id, -EINVAL, "a packet carries at most "
				"one file descriptor");
	else
		goto carry_out;
	if (fd >= 0)
		close(fd);
	return true;

carry_out:
	now = nst_reply(m, c, &req, fd, now_ms, o, ret_fd);
	if (o->full) {
		nst_out_init(o, s->tx, sizeof(s->tx));
		nst_reply_error(o, req.id, -EMSGSIZE,
				"the reply does not fit into a packet");
	}
	return now;
}

void nst_server_ready(struct nst_manager *m, struct nst_client *c, u64 now_ms)
{
	struct nst_server *s = &m->server;
	int fd = -1, reply_fd = -1;
	struct nst_out o;
	ssize_t len;

	len = receive(s, c, &fd);
	if (len == 0)
		return;
	if (len < 0) {
		nst_server_close_client(c);
		return;
	}
	nst_out_init(&o, s->tx, sizeof(s->tx));
	if (!answer(m, c, (size_t)len, fd, now_ms, &o, &reply_fd))
		return;
	(void)nst_server_send(s, c, &o, reply_fd, now_ms);
}

/* ---------------------------------------------------------------- waits */

static void answer_wait(struct nst_manager *m, struct nst_client *c,
			struct nst_wait *w, u64 now_ms)
{
	const struct nst_sensor *s = &m->sensor[w->slot];
	const struct nst_verdict *v = NULL;
	struct nst_out o;
	int err = -ENOENT;

	if (s->used)
		v = nst_gov_verdict(&s->gov, w->seq, &err);
	if (!v && err == -EAGAIN && now_ms < w->until_ms)
		return;
	nst_out_init(&o, m->server.tx, sizeof(m->server.tx));
	if (v)
		nst_reply_frame(&o, w->id, v);
	else
		nst_reply_frame_missing(&o, w->id, err);
	w->used = false;
	c->waits--;
	(void)nst_server_send(&m->server, c, &o, -1, now_ms);
}

void nst_server_answer_waits(struct nst_manager *m, u64 now_ms)
{
	for (int i = 0; i < NST_SERVER_CLIENTS; i++) {
		struct nst_client *c = &m->server.client[i];

		for (int j = 0; c->waits && j < NST_SERVER_WAITS; j++)
			if (c->wait[j].used)
				answer_wait(m, c, &c->wait[j], now_ms);
	}
}

/* ---------------------------------------------------------- subscribers */

void nst_server_attach(struct nst_server *s, unsigned int slot,
		       const struct nst_governor *g)
{
	for (int i = 0; i < NST_SERVER_CLIENTS; i++)
		nst_cursor_init(&s->client[i].cursor[slot], g);
}

/* Frames into one packet; what was taken is put back when it cannot go. */
static unsigned int gather(struct nst_manager *m, struct nst_cursor *cursor,
			   struct nst_out *o)
{
	unsigned int count = 0;
	u64 lost = 0;

	nst_out_printf(o, "{\"event\":\"frames\",\"frames\":[");
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		const struct nst_sensor *s = &m->sensor[i];
		const struct nst_verdict *v;

		if (!s->used)
			continue;
		while (count < FRAMES_PER_PACKET &&
		       (v = nst_cursor_next(&cursor[i], &s->gov))) {
			nst_out_printf(o, "%s", count ? "," : "");
			nst_reply_record(o, s->name, &s->gov, v);
			count++;
		}
		lost += cursor[i].lost;
	}
	nst_out_printf(o, "],\"lost\":%llu}", (unsigned long long)lost);
	return count;
}

static void pump_client(struct nst_manager *m, struct nst_client *c)
{
	struct nst_cursor cursor[NST_PROFILE_SENSORS_MAX];
	struct nst_out o;

	for (;;) {
		memcpy(cursor, c->cursor, sizeof(cursor));
		nst_out_init(&o, m->server.tx, sizeof(m->server.tx));
		if (!gather(m, cursor, &o) || o.full)
			return;
		if (send(c->fd, o.buf, o.len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
			/* A slow reader gets them later, or learns of it. */
			if (errno != EAGAIN)
				nst_server_close_client(c);
			return;
		}
		memcpy(c->cursor, cursor, sizeof(cursor));
	}
}

void nst_server_pump(struct nst_manager *m)
{
	for (int i = 0; i < NST_SERVER_CLIENTS; i++) {
		struct nst_client *c = &m->server.client[i];

		if (c->fd >= 0 && c->subscribed)
			pump_client(m, c);
	}
}

void nst_server_reap(struct nst_manager *m, u64 now_ms)
{
	bool gone = false;

	for (int i = 0; i < NST_SERVER_CLIENTS; i++) {
		gone = gone || m->server.client[i].gone;
		m->server.client[i].gone = false;
	}
	if (!gone)
		return;
	nst_captures_drop(m);
	nst_moves_drop(m, now_ms);
	nst_tasks_drop(m, now_ms);
}

void nst_server_deinit(struct nst_server *s)
{
	for (int i = 0; i < NST_SERVER_CLIENTS; i++)
		nst_server_close_client(&s->client[i]);
	if (s->fd < 0)
		return;
	close(s->fd);
	s->fd = -1;
	unlink(s->path);
}
