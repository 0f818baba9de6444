// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* client.c - frame.get over nstd's socket: see client.h */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <json-c/json.h>

#include "client.h"
#include "cleanup.h"

#define REPLY_MAX	65536
/* A daemon that is silent for longer than this hangs. */
#define REPLY_MS	2000

static void json_putp(struct json_object **o)
{
	if (*o)
		json_object_put(*o);
}

#define _cleanup_json_ _cleanup_(json_putp)

int nst_client_connect(struct nst_client *client, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd;

	*client = (struct nst_client){ .fd = -1, .next_id = 1 };
	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		int r = -errno;

		close(fd);
		return r;
	}
	client->fd = fd;
	return 0;
}

void nst_client_close(struct nst_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

static int send_request(struct nst_client *client, const char *text,
			size_t len)
{
	ssize_t n;

	do {
		n = send(client->fd, text, len, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static int receive(struct nst_client *client, char *buf, size_t size,
		   size_t *ret_len)
{
	struct pollfd p = { .fd = client->fd, .events = POLLIN };
	ssize_t n;
	int r;

	do {
		r = poll(&p, 1, REPLY_MS);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	if (r == 0)
		return -ETIMEDOUT;
	n = recv(client->fd, buf, size, 0);
	if (n < 0)
		return -errno;
	if (n == 0)
		return -EPIPE;
	*ret_len = (size_t)n;
	return 0;
}

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *m;

	return o && json_object_object_get_ex(o, key, &m) ? m : NULL;
}

static int errno_from_reply(struct json_object *error)
{
	static const struct {
		const char *name;
		int value;
	} known[] = {
		{ "EAGAIN", -EAGAIN },
		{ "ENOENT", -ENOENT },
		{ "ENODEV", -ENODEV },
		{ "EACCES", -EACCES },
		{ "EINVAL", -EINVAL },
	};
	const char *name = json_object_get_string(member(error, "errno"));

	for (size_t i = 0; name && i < NST_ARRAY_SIZE(known); i++)
		if (!strcmp(name, known[i].name))
			return known[i].value;
	return -EPROTO;
}

static int temp_from_reply(struct json_object *ok, const char *key)
{
	struct json_object *m = member(ok, key);

	return m && json_object_is_type(m, json_type_int) ?
		json_object_get_int(m) : NST_CLIENT_NONE_MC;
}

static int verdict_from_reply(struct json_object *ok,
			      struct nst_client_verdict *ret)
{
	static const char *const names[] = { "near", "far", "paused" };
	const char *placement = json_object_get_string(member(ok, "placement"));
	const char *reason = json_object_get_string(member(ok, "reason"));
	struct json_object *deliver = member(ok, "deliver");

	if (!placement || !deliver)
		return -EPROTO;
	for (size_t i = 0; i < NST_ARRAY_SIZE(names); i++) {
		if (strcmp(placement, names[i]))
			continue;
		ret->placement = (enum nst_client_placement)i;
		ret->deliver = json_object_get_boolean(deliver);
		ret->exposure_temp_mc = temp_from_reply(ok,
							"exposure_temp_mc");
		ret->limit_mc = temp_from_reply(ok, "limit_mc");
		snprintf(ret->reason, sizeof(ret->reason), "%s",
			 reason ? reason : "");
		return 0;
	}
	return -EPROTO;
}

int nst_client_frame(struct nst_client *client, const char *sensor,
		     uint64_t seq, struct nst_client_verdict *ret)
{
	_cleanup_json_ struct json_object *reply = NULL;
	struct nst_client_verdict verdict = { .seq = seq };
	char text[160], buf[REPLY_MAX];
	uint64_t id = client->next_id++;
	size_t len = 0;
	int n, r;

	n = snprintf(text, sizeof(text),
		     "{\"id\":%llu,\"req\":\"frame.get\",\"sensor\":\"%s\","
		     "\"seq\":%llu}", (unsigned long long)id, sensor,
		     (unsigned long long)seq);
	if (n >= (int)sizeof(text))
		return -ENAMETOOLONG;
	r = send_request(client, text, (size_t)n);
	if (!r)
		r = receive(client, buf, sizeof(buf) - 1, &len);
	if (r)
		return r;
	buf[len] = '\0';
	reply = json_tokener_parse(buf);
	if (!reply || json_object_get_int64(member(reply, "id")) != (int64_t)id)
		return -EPROTO;
	if (member(reply, "error"))
		return errno_from_reply(member(reply, "error"));
	r = verdict_from_reply(member(reply, "ok"), &verdict);
	if (!r)
		*ret = verdict;
	return r;
}
