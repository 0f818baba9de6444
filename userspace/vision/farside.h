/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * farside.h - frames of the far worker, by way of the far device
 *
 * Where a far device is named, the far worker reads frames as that device
 * has them: by dma-buf without a copy, else copied, both counted and told to
 * nstd. What is read is the same either way.
 */
#ifndef NST_FARSIDE_H
#define NST_FARSIDE_H

#include <stdio.h>

#include "camera.h"
#include "client.h"
#include "import.h"

struct nst_farside {
	bool wanted;			/* a device is named */
	bool open;
	char selector[64];		/* as of farnode.h */
	struct nst_import im;
	uint64_t imports, copies;	/* of cameras that went, too */
	unsigned long told_ms;
	uint64_t told;			/* frames that nstd knows of */
	bool said;			/* that frames are copied */
};

/** nst_farside_init() - @selector "" for none: frames stay where they are */
void nst_farside_init(struct nst_farside *f, const char *selector);

/**
 * nst_farside_open() - once the camera has its buffers
 * A device that is not there, or does not import, is said; frames are
 * copied then.
 * Return: 0 or -ENOMEM.
 */
int nst_farside_open(struct nst_farside *f, const struct nst_camera *cam,
		     const char *name);

/** nst_farside_begin() - pixels of a frame for the far worker */
const unsigned char *nst_farside_begin(struct nst_farside *f,
				       const struct nst_camera_frame *frame,
				       const char *name);
void nst_farside_end(struct nst_farside *f,
		     const struct nst_camera_frame *frame);

/** nst_farside_tell() - once a second, when there is something new; 0, errno */
int nst_farside_tell(struct nst_farside *f, const char *name,
		     struct nst_client *client, unsigned long now_ms);

/** nst_farside_put() - members of a JSON line, nothing where none is wanted */
void nst_farside_put(const struct nst_farside *f, FILE *out);

/** nst_farside_close() - the camera goes; the counters stay */
void nst_farside_close(struct nst_farside *f);

#endif /* NST_FARSIDE_H */
