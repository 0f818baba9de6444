/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * recording.h - --record FILE: every verdict of every sensor
 *
 * Written from the timer, not from the tick. A file that cannot be written
 * any more ends the recording with a message; governing goes on.
 */
#ifndef NST_RECORDING_H
#define NST_RECORDING_H

#include "cursor.h"
#include "sensor.h"

struct nst_recording {
	FILE *file;			/* NULL when there is none */
	struct nst_rec_writer *writer;
	char path[256];
	u64 lost;
	struct nst_cursor cursor[NST_PROFILE_SENSORS_MAX];
	char buffer[65536];
};

/** nst_recording_open() - 0, or the message is out and errno returned */
int nst_recording_open(struct nst_recording *r, const char *path,
		       const struct nst_sensor *sensors);

/** nst_recording_pump() - what is new since the last call */
void nst_recording_pump(struct nst_recording *r,
			const struct nst_sensor *sensors);

/** nst_recording_attach() - a sensor begins in a slot */
void nst_recording_attach(struct nst_recording *r,
			  const struct nst_sensor *s);

/** nst_recording_close() - complete and closed; accepts none */
void nst_recording_close(struct nst_recording *r,
			 const struct nst_sensor *sensors);

/** nst_recording_meta() - the description line of a sensor */
void nst_recording_meta(const struct nst_sensor *s, char *buf, size_t size);

#endif /* NST_RECORDING_H */
