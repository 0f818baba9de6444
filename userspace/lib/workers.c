// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* workers.c - who processes the frames of a task: see nst/libnst.h */
#include <errno.h>
#include <string.h>

#include "conn.h"

LIBNST_API int nst_worker_register(struct nst_conn *conn, const char *task,
				   bool far, struct nst_worker *ret)
{
	struct libnst_out *o = libnst_begin(conn, "worker.register");
	struct libnst_value ok = { 0 };
	int r;

	libnst_put_text(o, "task", task);
	libnst_put_text(o, "home", far ? "far" : "near");
	r = libnst_send(conn, -1, &ok);
	if (r || !ret)
		return r;
	memset(ret, 0, sizeof(*ret));
	libnst_text(libnst_get(ok, "sensor"), ret->sensor,
		    sizeof(ret->sensor));
	libnst_text(libnst_get(ok, "device"), ret->device,
		    sizeof(ret->device));
	libnst_text(libnst_get(ok, "camera"), ret->camera,
		    sizeof(ret->camera));
	return 0;
}

static struct libnst_out *answer(struct nst_conn *conn, const char *req,
				 uint32_t epoch)
{
	struct libnst_out *o = libnst_begin(conn, req);

	libnst_put_int(o, "epoch", epoch);
	return o;
}

LIBNST_API int nst_worker_ready(struct nst_conn *conn, uint32_t epoch)
{
	answer(conn, "worker.ready", epoch);
	return libnst_send(conn, -1, NULL);
}

LIBNST_API int nst_worker_state(struct nst_conn *conn, uint32_t epoch,
				uint64_t seq, int memfd)
{
	libnst_put_int(answer(conn, "worker.state", epoch), "seq",
		       (int64_t)seq);
	return libnst_send(conn, memfd, NULL);
}

LIBNST_API int nst_worker_copied(struct nst_conn *conn, uint32_t epoch,
				 uint64_t seq)
{
	libnst_put_int(answer(conn, "worker.copied", epoch), "seq",
		       (int64_t)seq);
	return libnst_send(conn, -1, NULL);
}

LIBNST_API int nst_worker_ack(struct nst_conn *conn, uint32_t epoch,
			      uint64_t seq)
{
	libnst_put_int(answer(conn, "worker.ack", epoch), "seq",
		       (int64_t)seq);
	return libnst_send(conn, -1, NULL);
}

LIBNST_API int nst_worker_failed(struct nst_conn *conn, uint32_t epoch,
				 const char *what)
{
	libnst_put_text(answer(conn, "worker.failed", epoch), "what", what);
	return libnst_send(conn, -1, NULL);
}

LIBNST_API int nst_worker_done(struct nst_conn *conn, uint64_t seq,
			       uint32_t checksum, bool *ret_owner)
{
	struct libnst_out *o = libnst_begin(conn, "worker.done");
	struct libnst_value ok = { 0 };
	int r;

	libnst_put_int(o, "seq", (int64_t)seq);
	libnst_put_int(o, "checksum", checksum);
	r = libnst_send(conn, -1, &ok);
	if (!r && ret_owner)
		*ret_owner = libnst_bool(libnst_get(ok, "owner"), false);
	return r;
}

LIBNST_API int nst_worker_leave(struct nst_conn *conn)
{
	libnst_begin(conn, "worker.leave");
	return libnst_send(conn, -1, NULL);
}
