// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* plot_read.c - frames of a recording for a picture, see plot.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

/*
 * A slow sensor, or a governor that takes several frames at a time, leaves
 * frames without a reading of their own: that is no fault until it lasts.
 */
#define QUIET_MAX_S 1.0

static bool is_blind(const struct nst_plot_data *data,
		     const struct nst_rec_frame *rec, double t_s)
{
	size_t i = data->count;

	if (rec->temp_state == NST_SAMPLE_VALID)
		return false;
	if (rec->temp_state != NST_SAMPLE_NOT_READY)
		return true;
	while (i && t_s - data->frames[i - 1].t_s <= QUIET_MAX_S) {
		if (data->frames[--i].temp_mc != NST_TEMP_NONE_MC)
			return false;
	}
	return i > 0 || t_s > QUIET_MAX_S;
}

static int append(struct nst_plot_data *data, size_t *room,
		  const struct nst_rec_frame *rec, double t_s)
{
	bool blind = is_blind(data, rec, t_s);
	struct nst_plot_frame *f;

	if (data->count == *room) {
		size_t more = *room ? *room * 2 : 4096;
		void *p = reallocarray(data->frames, more,
				       sizeof(*data->frames));

		if (!p)
			return -ENOMEM;
		data->frames = p;
		*room = more;
	}
	f = &data->frames[data->count++];
	*f = (struct nst_plot_frame){
		.t_s = t_s,
		.temp_mc = rec->temp_state == NST_SAMPLE_VALID ?
				   rec->temp_mc :
				   NST_TEMP_NONE_MC,
		.exposure_mc = rec->exposure_temp_mc,
		.limit_mc = rec->limit_mc,
		.high_mc = rec->high_mc,
		.low_mc = rec->low_mc,
		.max_mc = rec->max_mc,
		.ambient_mc = rec->ambient_mc,
		.power_mw = rec->power_mw,
		.placement = (u8)rec->placement,
		.delivered = rec->delivered,
		.withheld = !rec->delivered && rec->placement != NST_PAUSED,
		.blind = blind,
	};
	return 0;
}

static bool known(struct nst_plot_data *data, const char *sensor)
{
	for (size_t i = 0; i < data->name_count; i++) {
		if (!strcmp(data->names[i], sensor))
			return true;
	}
	if (data->name_count < NST_PLOT_SENSORS_MAX)
		strcpy(data->names[data->name_count++], sensor);
	return false;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median: gaps and changes of the frame rate do not move it. */
static int usual_period(struct nst_plot_data *data)
{
	double *gaps;
	size_t n = data->count - 1;

	data->period_s = 0.033;
	if (!n)
		return 0;
	gaps = malloc(n * sizeof(*gaps));
	if (!gaps)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		gaps[i] = data->frames[i + 1].t_s - data->frames[i].t_s;
	qsort(gaps, n, sizeof(*gaps), by_value);
	if (gaps[n / 2] > 0)
		data->period_s = gaps[n / 2];
	free(gaps);
	return 0;
}

static int read_all(struct nst_plot_data *data, struct nst_rec_reader *reader,
		    double from_s, double to_s)
{
	struct nst_rec_frame rec;
	bool first = true, found = false;
	size_t room = 0;
	u64 start_us = 0;
	int r;

	while ((r = nst_rec_reader_next(reader, &rec)) > 0) {
		double t_s;

		if (first)
			start_us = rec.t_us;
		first = false;
		known(data, rec.sensor);
		if (!*data->sensor)
			strcpy(data->sensor, rec.sensor);
		if (strcmp(data->sensor, rec.sensor))
			continue;
		found = true;
		t_s = (double)(s64)(rec.t_us - start_us) / 1e6;
		if (t_s < from_s || t_s > to_s)
			continue;
		r = append(data, &room, &rec, t_s);
		if (r)
			return r;
	}
	if (r < 0)
		return r;
	if (!found && *data->sensor)
		return -ENOENT;
	if (!data->count)
		return -ENODATA;
	return usual_period(data);
}

/* "policy=..." of the sensor's description, when it has one. */
static void take_caption(struct nst_plot_data *data,
			 const struct nst_rec_reader *reader)
{
	const char *text, *at;
	char head[NST_REC_SENSOR_LEN + 16];

	snprintf(data->caption, sizeof(data->caption), "%s", data->sensor);
	snprintf(head, sizeof(head), "sensor %s ", data->sensor);
	for (unsigned int i = 0; (text = nst_rec_reader_meta(reader, i)); i++) {
		at = strncmp(text, head, strlen(head)) ?
			     NULL : strstr(text, " policy=");
		if (at)
			snprintf(data->caption, sizeof(data->caption), "%.*s",
				 (int)strcspn(at + 8, " "), at + 8);
	}
}

int nst_plot_read(struct nst_plot_data *ret, FILE *in, const char *name,
		  const char *sensor, double from_s, double to_s, FILE *err)
{
	struct nst_rec_reader *reader;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (sensor) {
		if (strlen(sensor) >= sizeof(ret->sensor))
			return -ENOENT;
		strcpy(ret->sensor, sensor);
	}
	r = nst_rec_reader_new(&reader, in, name, err);
	if (r)
		return r;
	r = read_all(ret, reader, from_s, to_s);
	take_caption(ret, reader);
	nst_rec_reader_free(reader);
	if (r) {
		free(ret->frames);
		ret->frames = NULL;
		ret->count = 0;
	}
	return r;
}

void nst_plot_free(struct nst_plot_data *data)
{
	free(data->frames);
	data->frames = NULL;
	data->count = 0;
}
