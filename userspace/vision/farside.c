// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* farside.c - frames of the far worker, see farside.h */
#include <errno.h>
#include <string.h>

#include "farnode.h"
#include "farside.h"
#include "log.h"

#define TELL_MS 1000

void nst_farside_init(struct nst_farside *f, const char *selector)
{
	*f = (struct nst_farside){ .wanted = selector && *selector };
	if (f->wanted)
		snprintf(f->selector, sizeof(f->selector), "%s", selector);
}

static void say_why(struct nst_farside *f, const char *name)
{
	char why[128];

	if (f->said || !nst_import_why(&f->im, why, sizeof(why)))
		return;
	f->said = true;
	nst_log(NST_LOG_WARNING, "%s: frames are copied for %s: %s", name,
		f->selector, why);
}

int nst_farside_open(struct nst_farside *f, const struct nst_camera *cam,
		     const char *name)
{
	struct nst_farnode node = { 0 };
	int r;

	if (!f->wanted)
		return 0;
	nst_farside_close(f);
	r = nst_farnode_find("", f->selector, &node);
	if (r == -ENOTUNIQ)
		nst_log(NST_LOG_WARNING, "%s: '%s' fits more than one far "
			"device", name, f->selector);
	r = nst_import_open(&f->im, cam->fd, cam->buffers,
			    (size_t)cam->stride * cam->height, node.path);
	if (r)
		return r;
	f->open = true;
	f->said = false;
	say_why(f, name);
	if (!f->said)
		nst_log(NST_LOG_NOTICE, "%s: far frames reach %s (%s) without "
			"a copy", name, node.path, node.driver);
	return 0;
}

const unsigned char *nst_farside_begin(struct nst_farside *f,
				       const struct nst_camera_frame *frame,
				       const char *name)
{
	const unsigned char *pixels;

	if (!f->open)
		return frame->pixels;
	pixels = nst_import_begin(&f->im, frame->index, frame->pixels);
	/* The device may have gone since the frame before. */
	say_why(f, name);
	return pixels ? pixels : frame->pixels;
}

void nst_farside_end(struct nst_farside *f,
		     const struct nst_camera_frame *frame)
{
	if (f->open)
		nst_import_end(&f->im, frame->index);
}

static uint64_t imports(const struct nst_farside *f)
{
	return f->imports + (f->open ? f->im.imports : 0);
}

static uint64_t copies(const struct nst_farside *f)
{
	return f->copies + (f->open ? f->im.copies : 0);
}

int nst_farside_tell(struct nst_farside *f, const char *name,
		     struct nst_client *client, unsigned long now_ms)
{
	uint64_t all = imports(f) + copies(f);

	if (!f->wanted || all == f->told || now_ms - f->told_ms < TELL_MS)
		return 0;
	f->told = all;
	f->told_ms = now_ms;
	return nst_client_far(client, name, imports(f), copies(f));
}

void nst_farside_put(const struct nst_farside *f, FILE *out)
{
	if (f->wanted)
		fprintf(out, ",\"far_imports\":%llu,\"far_copies\":%llu",
			(unsigned long long)imports(f),
			(unsigned long long)copies(f));
}

void nst_farside_close(struct nst_farside *f)
{
	if (!f->open)
		return;
	f->imports += f->im.imports;
	f->copies += f->im.copies;
	f->open = false;
	nst_import_close(&f->im);
}
