// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* recording.c - --record FILE, see recording.h */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "recording.h"

void nst_recording_meta(const struct nst_sensor *s, char *buf, size_t size)
{
	const struct nst_governor *g = &s->gov;
	const struct nst_profile_sensor *ps = &g->profile->sensors[g->sensor];

	snprintf(buf, size, "sensor %s device=%s policy=%s near_mw=%u "
		 "capture_mw=%u far_mw=%u", s->name, s->selector,
		 g->policy->name, ps->near_mw, ps->capture_mw, ps->far_mw);
}

static void give_up(struct nst_recording *r, int err)
{
	nst_log_err(err, "recording '%s' ends here", r->path);
	nst_rec_writer_free(r->writer);
	r->writer = NULL;
	fclose(r->file);
	r->file = NULL;
}

int nst_recording_open(struct nst_recording *r, const char *path,
		       const struct nst_sensor *sensors)
{
	char line[NST_REC_META_LEN];
	int fd, err;

	snprintf(r->path, sizeof(r->path), "%s", path);
	r->lost = 0;
	/* A pipe that nobody reads ends the recording, and blocks no loop. */
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC,
		  0666);
	if (fd < 0)
		return nst_log_err(-errno, "recording '%s'", path);
	r->file = fdopen(fd, "w");
	if (!r->file) {
		err = nst_log_err(-errno, "recording '%s'", path);
		close(fd);
		return err;
	}
	setvbuf(r->file, r->buffer, _IOFBF, sizeof(r->buffer));
	err = nst_rec_writer_new(&r->writer, r->file);
	if (err) {
		nst_log_err(err, "recording '%s'", path);
		fclose(r->file);
		r->file = NULL;
		return err;
	}
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		if (!sensors[i].used)
			continue;
		nst_recording_meta(&sensors[i], line, sizeof(line));
		nst_rec_writer_meta(r->writer, line);
		nst_recording_attach(r, &sensors[i]);
	}
	return 0;
}

void nst_recording_attach(struct nst_recording *r, const struct nst_sensor *s)
{
	nst_cursor_init(&r->cursor[s->slot], &s->gov);
}

void nst_recording_pump(struct nst_recording *r,
			const struct nst_sensor *sensors)
{
	u64 lost = 0;

	if (!r->file)
		return;
	for (unsigned int i = 0; i < NST_PROFILE_SENSORS_MAX; i++) {
		const struct nst_sensor *s = &sensors[i];
		const struct nst_verdict *v;

		if (!s->used)
			continue;
		while ((v = nst_cursor_next(&r->cursor[i], &s->gov))) {
			struct nst_rec_frame f = nst_verdict_to_rec(v,
								    s->name);
			int err = nst_rec_writer_frame(r->writer, &f);

			if (err == -EIO) {
				give_up(r, err);
				return;
			}
			/* A number out of range is one line less. */
			if (err)
				r->cursor[i].lost++;
		}
		lost += r->cursor[i].lost;
	}
	/* A sensor that goes takes its count along. */
	if (lost > r->lost)
		nst_log(NST_LOG_WARNING, "recording '%s' lost %" PRIu64
			" frames", r->path, lost - r->lost);
	r->lost = lost;
	/* Whole lines on the disk, whatever ends us. */
	if (fflush(r->file))
		give_up(r, -errno);
}

void nst_recording_close(struct nst_recording *r,
			 const struct nst_sensor *sensors)
{
	if (!r->file)
		return;
	nst_recording_pump(r, sensors);
	if (!r->file)
		return;
	nst_rec_writer_free(r->writer);
	r->writer = NULL;
	if (fclose(r->file))
		nst_log_err(-errno, "recording '%s'", r->path);
	r->file = NULL;
}
