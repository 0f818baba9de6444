// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* daemon.c - one request to nstd and its reply, see daemon.h */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "daemon.h"
#include "log.h"

#define PACKET_MAX 65536
#define REPLY_MS 5000

int nst_daemon_connect(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = -1;
	int r;

	if (strlen(path) >= sizeof(sun.sun_path))
		return nst_log_err(-ENAMETOOLONG, "socket '%s'", path);
	strcpy(sun.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return nst_log_err(-errno, "socket");
	if (connect(fd, (struct sockaddr *)&sun, sizeof(sun))) {
		if (errno == ENOENT || errno == ECONNREFUSED) {
			nst_log(NST_LOG_ERR, "nstd is not running: nobody "
				"listens at '%s'", path);
			return -ENODEV;
		}
		return nst_log_err(-errno, "nstd at '%s'", path);
	}
	r = fd;
	fd = -1;
	return r;
}

int nst_daemon_receive(int fd, int timeout_ms, struct json_object **ret)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	_cleanup_free_ char *buf = malloc(PACKET_MAX + 1);
	struct json_object *o;
	ssize_t len;
	int r;

	if (!buf)
		return -ENOMEM;
	r = poll(&p, 1, timeout_ms);
	if (r <= 0)
		return r < 0 ? -errno : -ETIMEDOUT;
	len = recv(fd, buf, PACKET_MAX, 0);
	if (len < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	if (len == 0)
		return -EPIPE;
	buf[len] = '\0';
	o = json_tokener_parse(buf);
	if (!json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		return -EPROTO;
	}
	*ret = o;
	return 0;
}

int nst_daemon_request(int fd, struct json_object *req,
		       struct json_object **ret)
{
	_cleanup_(nst_daemon_putp) struct json_object *reply = NULL;
	const char *name = nst_daemon_text(req, "req"), *text;
	struct json_object *ok, *error;
	int r;

	json_object_object_add(req, "id", json_object_new_int(1));
	text = json_object_to_json_string_ext(req, JSON_C_TO_STRING_PLAIN);
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		return nst_log_err(-errno, "nstd");
	r = nst_daemon_receive(fd, REPLY_MS, &reply);
	if (r)
		return nst_log_err(r, "no reply of nstd to '%s'", name);
	error = nst_daemon_get(reply, "error");
	if (error) {
		nst_log(NST_LOG_ERR, "nstd: %s: %s", name,
			nst_daemon_text(error, "what"));
		return -EREMOTEIO;
	}
	ok = nst_daemon_get(reply, "ok");
	if (!ok)
		return nst_log_err(-EPROTO, "nstd");
	*ret = json_object_get(ok);
	return 0;
}

int nst_daemon_call(int fd, const char *req, struct json_object **ret)
{
	_cleanup_(nst_daemon_putp) struct json_object *o =
		json_object_new_object();

	json_object_object_add(o, "req", json_object_new_string(req));
	return nst_daemon_request(fd, o, ret);
}

void nst_daemon_putp(struct json_object **o)
{
	json_object_put(*o);
}

struct json_object *nst_daemon_get(struct json_object *o, const char *key)
{
	struct json_object *member;

	return json_object_is_type(o, json_type_object) &&
	       json_object_object_get_ex(o, key, &member) ? member : NULL;
}

const char *nst_daemon_text(struct json_object *o, const char *key)
{
	struct json_object *member = nst_daemon_get(o, key);

	return json_object_is_type(member, json_type_string)
		? json_object_get_string(member) : "?";
}

int64_t nst_daemon_int(struct json_object *o, const char *key,
		       int64_t missing)
{
	struct json_object *member = nst_daemon_get(o, key);

	return json_object_is_type(member, json_type_int)
		? json_object_get_int64(member) : missing;
}
