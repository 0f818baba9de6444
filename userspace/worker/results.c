// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* results.c - lines of JSON: see results.h */
#include <errno.h>
#include <string.h>

#include "log.h"
#include "results.h"

struct nst_work *nst_results_add(struct nst_results *r,
				 const struct nst_work *work)
{
	unsigned int i = work->seq % NST_RESULTS;

	r->ring[i].work = *work;
	r->ring[i].counted = false;
	r->kept++;
	return &r->ring[i].work;
}

struct nst_work *nst_results_find(struct nst_results *r, uint64_t seq)
{
	struct nst_work *found = NULL;

	for (unsigned int i = 0; i < NST_RESULTS; i++) {
		struct nst_work *w = &r->ring[i].work;

		if (!w->seq || w->seq < seq || r->ring[i].counted)
			continue;
		if (!found || w->seq < found->seq)
			found = w;
	}
	return found;
}

/* Reasons are nstd's own texts, and it has escaped them for us to see. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= ' ' && *text != '"' && *text != '\\')
			putc(*text, out);
}

static void put_detections(FILE *out, const struct vpu_result *v)
{
	fprintf(out, ",\"detections\":[");
	for (uint32_t i = 0; i < v->detections; i++) {
		const struct vpu_detection *d = &v->detection[i];

		fprintf(out, "%s{\"id\":%u,\"x\":%d,\"y\":%d,\"w\":%d,"
			"\"h\":%d,\"age\":%u,\"seen\":%s}", i ? "," : "",
			d->id, d->x, d->y, d->w, d->h, d->age,
			d->seen ? "true" : "false");
	}
	fprintf(out, "]");
}

void nst_results_publish(struct nst_results *r, const struct nst_work *work,
			 int deliver, const char *reason)
{
	const struct vpu_result *v = &work->result;
	FILE *out = r->out;

	r->ring[work->seq % NST_RESULTS].counted = true;
	r->kept--;
	r->published++;
	if (!out)
		return;
	fprintf(out, "{\"seq\":%llu,\"home\":\"%s\",\"checksum\":%u,"
		"\"flags\":%u,\"masked_permyriad\":%u,\"noise_q8\":%u",
		(unsigned long long)work->seq, r->home, work->checksum,
		v->flags, v->masked_permyriad, v->noise_q8);
	put_detections(out, v);
	if (deliver >= 0) {
		fprintf(out, ",\"deliver\":%s,\"reason\":\"",
			deliver ? "true" : "false");
		put_text(out, reason);
		putc('"', out);
	}
	fprintf(out, "}\n");
	if (!fflush(out) || r->failed)
		return;
	r->failed = true;
	nst_log_err(-errno, "results cannot be written any more");
}

void nst_results_forget(struct nst_results *r)
{
	memset(r->ring, 0, sizeof(r->ring));
	r->kept = 0;
}
