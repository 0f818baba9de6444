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
		{ "ERANGE", -ERANGE },
		{ "EBUSY", -EBUSY },
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

/* Request @text with number @id; the reply is the caller's, also on error. */
static int call(struct nst_client *client, const char *text, size_t len,
		uint64_t id, struct json_object **ret)
{
	char buf[REPLY_MAX];
	size_t got = 0;
	int r;

	r = send_request(client, text, len);
	if (!r)
		r = receive(client, buf, sizeof(buf) - 1, &got);
	if (r)
		return r;
	buf[got] = '\0';
	*ret = json_tokener_parse(buf);
	if (!*ret ||
	    json_object_get_int64(member(*ret, "id")) != (int64_t)id)
		return -EPROTO;
	if (member(*ret, "error"))
		return errno_from_reply(member(*ret, "error"));
	return 0;
}

int nst_client_frame(struct nst_client *client, const char *sensor,
		     uint64_t seq, struct nst_client_verdict *ret)
{
	_cleanup_json_ struct json_object *reply = NULL;
	struct nst_client_verdict verdict = { .seq = seq };
	uint64_t id = client->next_id++;
	char text[160];
	int n, r;

	n = snprintf(text, sizeof(text),
		     "{\"id\":%llu,\"req\":\"frame.get\",\"sensor\":\"%s\","
		     "\"seq\":%llu}", (unsigned long long)id, sensor,
		     (unsigned long long)seq);
	if (n >= (int)sizeof(text))
		return -ENAMETOOLONG;
	r = call(client, text, (size_t)n, id, &reply);
	if (!r)
		r = verdict_from_reply(member(reply, "ok"), &verdict);
	if (!r)
		*ret = verdict;
	return r;
}

static int put_figure(char *text, size_t size, const char *prefix,
		      const struct nst_client_figure *f)
{
	if (!f->state)
		return 0;
	if (!f->measured)
		return snprintf(text, size, ",\"%smeasured\":\"%s\"", prefix,
				f->state);
	return snprintf(text, size, ",\"%ssnr_cdb\":%d,\"%ssnr_low_cdb\":%d",
			prefix, f->snr_cdb, prefix, f->low_cdb);
}

int nst_client_report(struct nst_client *client, const char *sensor,
		      uint64_t seq, const struct nst_client_figure *flat,
		      const struct nst_client_figure *dark)
{
	_cleanup_json_ struct json_object *reply = NULL;
	uint64_t id = client->next_id++;
	char text[400];
	int n;

	n = snprintf(text, 200, "{\"id\":%llu,\"req\":\"frame.report\","
		     "\"sensor\":\"%s\",\"seq\":%llu",
		     (unsigned long long)id, sensor, (unsigned long long)seq);
	if (n >= 200)
		return -ENAMETOOLONG;
	n += put_figure(text + n, sizeof(text) - (size_t)n, "", flat);
	n += put_figure(text + n, sizeof(text) - (size_t)n, "dark_", dark);
	if (n + 2 > (int)sizeof(text))
		return -ENAMETOOLONG;
	text[n++] = '}';
	return call(client, text, (size_t)n, id, &reply);
}

int nst_client_far(struct nst_client *client, const char *sensor,
		   uint64_t imports, uint64_t copies)
{
	_cleanup_json_ struct json_object *reply = NULL;
	uint64_t id = client->next_id++;
	char text[200];
	int n;

	n = snprintf(text, sizeof(text),
		     "{\"id\":%llu,\"req\":\"frame.report\",\"sensor\":\"%s\","
		     "\"imports\":%llu,\"copies\":%llu}",
		     (unsigned long long)id, sensor,
		     (unsigned long long)imports, (unsigned long long)copies);
	if (n >= (int)sizeof(text))
		return -ENAMETOOLONG;
	return call(client, text, (size_t)n, id, &reply);
}
