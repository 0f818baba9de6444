// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* fidelity.c - what the frames of a stream are worth: see fidelity.h */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "fidelity.h"
#include "log.h"
#include "number.h"
#include "uapi/nst-sim.h"

#define TELL_MS 500
/* Bits of what NST_SIM_BLACK_DN counts in. */
#define SIM_BITS 10

/* -------------------------------------------------------------- lifetime */

static struct nst_view_format format_of(const struct nst_camera *cam)
{
	return (struct nst_view_format){
		.width = cam->width,
		.height = cam->height,
		.stride = cam->stride,
		.bytes = nst_camera_bytes(cam),
		.bits = cam->bits,
	};
}

static double black_of(const struct nst_camera *cam,
		       const struct nst_fidelity_config *config)
{
	if (config->black_dn >= 0)
		return config->black_dn;
	return nst_camera_is_sim(cam)
		? ldexp(NST_SIM_BLACK_DN, (int)cam->bits - SIM_BITS) : 0;
}

int nst_fidelity_open(struct nst_fidelity *f, const char *name,
		      const struct nst_camera *cam,
		      const struct nst_fidelity_config *config)
{
	struct nst_measure_config c = {
		.format = format_of(cam),
		.dark_rows = nst_camera_dark_rows(cam),
		.patch = config->patch,
		.black_dn = black_of(cam, config),
	};
	int r;

	*f = (struct nst_fidelity){
		.said = NST_MEASURED, .demand_cdb = NST_CLIENT_NONE_CDB,
	};
	nst_fidelity_tally_reset(&f->second);
	nst_fidelity_tally_reset(&f->phase);
	if (config->off)
		return 0;
	if (c.black_dn >= nst_view_max(&c.format))
		return nst_log_err(-EINVAL, "%s: --black has to be below the "
				   "white of %u bits, %u", name, cam->bits,
				   nst_view_max(&c.format));
	r = nst_measure_init(&f->measure, &c);
	if (r == -EINVAL && !config->patch.w) {
		/* Too small to have a patch at all. */
		nst_log(NST_LOG_NOTICE, "%s: frames of %ux%u are not measured, "
			"a patch takes %ux%u pixels", name, cam->width,
			cam->height, NST_MEASURE_SIDE, NST_MEASURE_SIDE);
		return 0;
	}
	if (r == -EINVAL)
		return nst_log_err(r, "%s: --patch has to be at least %ux%u "
				   "and inside of the %ux%u frame", name,
				   NST_MEASURE_SIDE, NST_MEASURE_SIDE,
				   cam->width, cam->height);
	f->on = !r;
	return r;
}

void nst_fidelity_close(struct nst_fidelity *f)
{
	if (f->on)
		nst_measure_deinit(&f->measure);
	f->on = false;
}

void nst_fidelity_reset(struct nst_fidelity *f)
{
	if (!f->on)
		return;
	nst_measure_reset(&f->measure);
	nst_measure_get(&f->measure, &f->flat, &f->dark);
	f->skip = NST_CAMERA_BUFFERS;
}

void nst_fidelity_ask(struct nst_fidelity *f, int demand_cdb)
{
	f->demand_cdb = demand_cdb;
}

/* ---------------------------------------------------------------- frames */

static int cdb(double db)
{
	return (int)floor(db * 100);
}

void nst_fidelity_tally_reset(struct nst_fidelity_tally *t)
{
	*t = (struct nst_fidelity_tally){
		.low_cdb = INT_MAX, .demand_cdb = NST_CLIENT_NONE_CDB,
	};
}

static void count(struct nst_fidelity_tally *t,
		  const struct nst_measure_figure *flat, int demand_cdb)
{
	t->figures++;
	t->sum_cdb += cdb(flat->snr_db);
	if (cdb(flat->low_db) < t->low_cdb)
		t->low_cdb = cdb(flat->low_db);
	if (demand_cdb == NST_CLIENT_NONE_CDB)
		return;
	t->asked++;
	t->below += cdb(flat->low_db) < demand_cdb;
	if (demand_cdb > t->demand_cdb)
		t->demand_cdb = demand_cdb;
}

/* Why there is no number is said when it changes, but for the start. */
static void say(struct nst_fidelity *f, const char *name)
{
	enum nst_measure_state state = f->flat.state;

	if (state == f->said || state == NST_MEASURE_SETTLING)
		return;
	f->said = state;
	if (state == NST_MEASURED)
		nst_log(NST_LOG_NOTICE, "%s: fidelity is measured again", name);
	else if (state == NST_MEASURE_NO_PATCH)
		nst_log(NST_LOG_NOTICE, "%s: no flat patch of %ux%u with light "
			"on it: fidelity is not measured", name,
			NST_MEASURE_SIDE, NST_MEASURE_SIDE);
	else
		nst_log(NST_LOG_NOTICE, "%s: fidelity is not measured: the "
			"patch is %s", name, nst_measure_state_text(state));
}

void nst_fidelity_add(struct nst_fidelity *f, const char *name,
		      const struct nst_camera *cam,
		      const struct nst_camera_frame *frame)
{
	const struct nst_view view = {
		.format = format_of(cam),
		.pixels = frame->pixels,
		.size = frame->size,
	};

	if (!f->on)
		return;
	f->news = true;
	if (f->skip) {
		f->skip--;
		return;
	}
	/* What it cannot use becomes a state. */
	(void)nst_measure_add(&f->measure, &view);
	nst_measure_get(&f->measure, &f->flat, &f->dark);
	say(f, name);
	if (f->flat.state != NST_MEASURED)
		return;
	count(&f->second, &f->flat, f->demand_cdb);
	count(&f->phase, &f->flat, f->demand_cdb);
}

/* --------------------------------------------------------------- reports */

static void figure_from(const struct nst_measure_figure *from,
			struct nst_client_figure *to)
{
	to->state = nst_measure_state_text(from->state);
	to->measured = from->state == NST_MEASURED;
	if (!to->measured)
		return;
	to->snr_cdb = cdb(from->snr_db);
	to->low_cdb = cdb(from->low_db);
}

int nst_fidelity_tell(struct nst_fidelity *f, const char *name,
		      struct nst_client *client, uint64_t seq,
		      unsigned long now_ms)
{
	struct nst_client_figure flat = { 0 }, dark = { 0 };
	int r;

	if (!f->on || !f->news || now_ms - f->told_ms < TELL_MS)
		return 0;
	f->news = false;
	f->told_ms = now_ms;
	figure_from(&f->flat, &flat);
	figure_from(&f->dark, &dark);
	r = nst_client_report(client, name, seq, &flat, &dark);
	if (r == -EPIPE || r == -ECONNRESET || r == -ETIMEDOUT)
		return r;
	if (r && r != f->told_err)
		nst_log_err(r, "%s: nstd does not take what was measured",
			    name);
	f->told_err = r;
	return 0;
}

/* ---------------------------------------------------------------- output */

static void put_figure(const struct nst_measure_figure *f, const char *prefix,
		       FILE *out)
{
	fprintf(out, ",\"%smeasured\":\"%s\"", prefix,
		nst_measure_state_text(f->state));
	if (f->state != NST_MEASURED)
		return;
	fprintf(out, ",\"%ssnr_cdb\":%d,\"%ssnr_low_cdb\":%d,"
		"\"%stemporal_mdn\":%ld,\"%sfixed_mdn\":%ld,\"%shot_ppm\":%u,"
		"\"%stiles_out\":%u", prefix, cdb(f->snr_db), prefix,
		cdb(f->low_db), prefix,
		lround(1000 * sqrt(fmax(f->stats.temporal_dn2, 0))), prefix,
		lround(1000 * sqrt(fmax(f->stats.fixed_dn2, 0))), prefix,
		f->stats.hot_ppm, prefix, f->stats.tiles_out);
}

void nst_fidelity_put(const struct nst_fidelity *f, FILE *out)
{
	if (!f->on)
		return;
	put_figure(&f->flat, "", out);
	if (f->measure.have_patch)
		fprintf(out, ",\"patch\":[%u,%u,%u,%u]",
			f->measure.flat->config.rect.x,
			f->measure.flat->config.rect.y,
			f->measure.flat->config.rect.w,
			f->measure.flat->config.rect.h);
	if (f->measure.dark)
		put_figure(&f->dark, "dark_", out);
}

void nst_fidelity_put_tally(const struct nst_fidelity_tally *t, FILE *out)
{
	if (t->figures)
		fprintf(out, ",\"mean_snr_cdb\":%lld,\"lowest_snr_cdb\":%d,"
			"\"snr_frames\":%lu",
			t->sum_cdb / (long long)t->figures, t->low_cdb,
			t->figures);
	if (t->asked)
		fprintf(out, ",\"demand_cdb\":%d,\"snr_asked\":%lu,"
			"\"snr_below\":%lu", t->demand_cdb, t->asked,
			t->below);
}

void nst_fidelity_put_status(const struct nst_fidelity *f, FILE *out)
{
	if (!f->on)
		return;
	if (f->flat.state == NST_MEASURED)
		fprintf(out, " SNR %4.1f>%4.1f dB", f->flat.snr_db,
			f->flat.low_db);
	else
		fprintf(out, " SNR %s", nst_measure_state_text(f->flat.state));
}

/* --------------------------------------------------------------- options */

/* A number up to @end, which is passed over. */
static int take_number(const char **at, char end, uint32_t *ret)
{
	const char *stop = strchr(*at, end);
	char copy[16];
	long long v;
	size_t len = stop ? (size_t)(stop - *at) : 0;

	if (!stop || len >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, *at, len);
	copy[len] = '\0';
	if (nst_number_int(copy, 0, NST_VIEW_SIDE_MAX, &v))
		return -EINVAL;
	*ret = (uint32_t)v;
	*at = end ? stop + 1 : stop;
	return 0;
}

int nst_fidelity_parse_patch(const char *text,
			     struct nst_fidelity_config *ret)
{
	struct nst_rect r;

	if (!strcmp(text, "auto") || !strcmp(text, "off")) {
		ret->off = !strcmp(text, "off");
		ret->patch = (struct nst_rect){ 0 };
		return 0;
	}
	if (take_number(&text, ',', &r.x) || take_number(&text, ',', &r.y) ||
	    take_number(&text, 'x', &r.w) || take_number(&text, '\0', &r.h) ||
	    !r.w || !r.h)
		return -EINVAL;
	ret->off = false;
	ret->patch = r;
	return 0;
}
