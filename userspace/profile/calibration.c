// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * calibration.c - calibration files read and written, see calibration.h
 *
 * One table per mapping says which keys there are; reader and writer both
 * walk it, so that what is written is read back. A measured value takes
 * three keys, NAME, NAME_lo and NAME_hi.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"
#include "cleanup.h"
#include "document.h"
#include "words.h"

#define PERMYRIAD 1e4
#define PPM 1e6
#define HINT_LEN 1024
#define FIELDS_MAX 16
/* NAME, NAME_lo, NAME_hi */
#define PARTS 3
#define NAME_MAX_LEN 48

enum field_type {
	FIELD_UINT,	/* unsigned int, exact */
	FIELD_REAL,	/* double, exact */
	FIELD_VALUE,	/* struct nst_calibration_value */
};

#define REQUIRED	(1u << 0)

struct field {
	const char *name;
	enum field_type type;
	unsigned int flags;
	size_t offset;
	double min;
	double max;
};

#define NOISE(name, type, flags, min, max) \
	{ #name, type, flags, offsetof(struct nst_calibration_noise, name), \
	  min, max }
#define GAIN(name, type, flags, min, max) \
	{ #name, type, flags, offsetof(struct nst_calibration_gain, name), \
	  min, max }
#define THERMAL(name, flags, min, max) \
	{ #name, FIELD_VALUE, flags, \
	  offsetof(struct nst_calibration_thermal, name), min, max }

/* Ranges are those of nst_emva_check() and nst_plant_params_check(). */
static const struct field noise_fields[] = {
	NOISE(ref_mc, FIELD_REAL, REQUIRED, NST_TEMP_MIN_MC, NST_TEMP_MAX_MC),
	NOISE(dark_e_per_s, FIELD_VALUE, REQUIRED, 0, 1e9),
	NOISE(doubling_mc, FIELD_VALUE, REQUIRED, 1000, 50000),
	NOISE(full_well_e, FIELD_VALUE, REQUIRED, 1, 1e8),
	NOISE(prnu_permyriad, FIELD_VALUE, REQUIRED, 0, 1e4),
	NOISE(dsnu_permyriad, FIELD_VALUE, REQUIRED, 0, 1e6),
	NOISE(hot_ppm, FIELD_VALUE, 0, 0, 500000),
	NOISE(hot_median_permyriad, FIELD_VALUE, 0, 1e4, 1e8),
	NOISE(hot_sigma_permyriad, FIELD_VALUE, 0, 100, 30000),
	NOISE(bits, FIELD_UINT, REQUIRED, 6, 24),
	NOISE(black_dn, FIELD_UINT, REQUIRED, 0, 16777214),
	NOISE(dark_residual_permyriad, FIELD_VALUE, 0, 0, 1e9),
	NOISE(gain_residual_permyriad, FIELD_VALUE, 0, 0, 1e9),
	{ .name = NULL },
};

static const struct field gain_fields[] = {
	GAIN(iso, FIELD_UINT, REQUIRED, 1, 1000000),
	GAIN(dn_per_e, FIELD_VALUE, REQUIRED, 1e-6, 1e6),
	GAIN(read_noise_e, FIELD_VALUE, 0, 0, 1e6),
	GAIN(read_noise_max_e, FIELD_REAL, 0, 0, 1e6),
	{ .name = NULL },
};

static const struct field thermal_fields[] = {
	THERMAL(r_jp_mk_per_w, REQUIRED, NST_R_MIN_MK_PER_W,
		NST_R_MAX_MK_PER_W),
	THERMAL(r_pa_mk_per_w, REQUIRED, NST_R_MIN_MK_PER_W,
		NST_R_MAX_MK_PER_W),
	THERMAL(tau_j_us, REQUIRED, 1, 1e9),
	THERMAL(tau_p_us, REQUIRED, 1, 1e11),
	THERMAL(ambient_mc, 0, -40000, 85000),
	THERMAL(residual_mc, 0, 0, 1e6),
	{ .name = NULL },
};

static const char *const kind_names[] = { "noise", "thermal" };

/* ------------------------------------------------------------ checks --- */

/* What is wrong with the whole; NULL for nothing. */
static const char *noise_wrong(const struct nst_calibration *c)
{
	const struct nst_calibration_noise *n = &c->noise;
	int hot = n->hot_ppm.known + n->hot_median_permyriad.known +
		  n->hot_sigma_permyriad.known;
	struct nst_emva emva;

	if (hot && hot != 3)
		return "hot_ppm, hot_median_permyriad and hot_sigma_permyriad come together";
	if (n->black_dn >= (1u << n->bits) - 1)
		return "black_dn is beyond the range of bits";
	for (unsigned int i = 1; i < n->gains; i++) {
		const struct nst_calibration_gain *g = &n->gain[i];

		if (g->iso <= g[-1].iso)
			return "iso must rise from entry to entry of gains";
		if (g->dn_per_e.value < g[-1].dn_per_e.value)
			return "dn_per_e must not fall from entry to entry of gains";
	}
	if (nst_calibration_emva(c, &emva))
		return "these numbers are no sensor";
	return NULL;
}

static const char *thermal_wrong(const struct nst_calibration *c)
{
	struct nst_plant_params params = { 0 };

	if (nst_calibration_plant(c, &params))
		return "these constants are no stack: tau_p_us must be well above tau_j_us, and the heat capacities within range";
	return NULL;
}

static bool is_date(const char *text)
{
	static const char like[] = "dddd-dd-ddTdd:dd:ddZ";

	for (size_t i = 0; i < sizeof(like); i++) {
		if (like[i] == 'd' ? text[i] < '0' || text[i] > '9' :
				     text[i] != like[i])
			return false;
	}
	return true;
}

static const char *text_wrong(const char *text)
{
	if (strlen(text) >= NST_CALIBRATION_NAME_LEN)
		return "is too long";
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return "holds a control character";
	}
	return NULL;
}

/* ------------------------------------------------------------ reader --- */

struct reader {
	struct nst_doc doc;
	struct nst_calibration c;
};

#define complain(rd, ...) nst_doc_complain(&(rd)->doc, __VA_ARGS__)

static bool is_mapping(struct reader *rd, const yaml_node_t *node,
		       const char *name)
{
	if (node->type == YAML_MAPPING_NODE)
		return true;
	complain(rd, node, "%s must be a mapping, this is %s", name,
		 nst_doc_kind(node));
	return false;
}

static const yaml_node_t *value_of(struct reader *rd, const yaml_node_t *map,
				   const char *name)
{
	const yaml_node_pair_t *pair;

	for (pair = map->data.mapping.pairs.start;
	     pair < map->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = nst_doc_node(&rd->doc, pair->key);

		if (key->type == YAML_SCALAR_NODE &&
		    !strcmp((const char *)key->data.scalar.value, name))
			return nst_doc_node(&rd->doc, pair->value);
	}
	return NULL;
}

static void part_name(const struct field *f, int part, char *buf)
{
	static const char *const suffix[PARTS] = { "", "_lo", "_hi" };

	snprintf(buf, NAME_MAX_LEN, "%s%s", f->name, suffix[part]);
}

/* Every key is one of @fields or of @more, and is there once. */
static void check_keys(struct reader *rd, const yaml_node_t *map,
		       const char *scope, const struct field *fields,
		       const char *const *more)
{
	char names[FIELDS_MAX * PARTS][NAME_MAX_LEN];
	const char *words[FIELDS_MAX * PARTS + 8];
	const yaml_node_pair_t *pair;
	size_t n = 0;

	for (; more && *more; more++)
		words[n++] = *more;
	for (const struct field *f = fields; f && f->name; f++) {
		for (int part = 0;
		     part < (f->type == FIELD_VALUE ? PARTS : 1); part++) {
			part_name(f, part, names[n]);
			words[n] = names[n];
			n++;
		}
	}
	for (pair = map->data.mapping.pairs.start;
	     pair < map->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = nst_doc_node(&rd->doc, pair->key);
		const char *text = nst_doc_text(&rd->doc, key, "a key",
						"a word");
		char hint[HINT_LEN];
		size_t i = 0;

		if (!text)
			continue;
		while (i < n && strcmp(words[i], text))
			i++;
		if (i == n) {
			nst_words_hint(hint, sizeof(hint), "valid keys", text,
				       words, n);
			complain(rd, key, "unknown key '%s' in %s; %s", text,
				 scope, hint);
		} else if (value_of(rd, map, text) !=
			   nst_doc_node(&rd->doc, pair->value)) {
			complain(rd, key, "key '%s' again", text);
		}
	}
}

static const yaml_node_t *required(struct reader *rd, const yaml_node_t *map,
				   const char *scope, const char *name)
{
	const yaml_node_t *node = value_of(rd, map, name);

	if (!node)
		complain(rd, map, "missing key '%s' in %s", name, scope);
	return node;
}

static void read_value(struct reader *rd, const yaml_node_t *map,
		       const struct field *f, const yaml_node_t *node,
		       struct nst_calibration_value *v)
{
	double *to[PARTS] = { &v->value, &v->lo, &v->hi };
	const yaml_node_t *ends[PARTS];
	char name[NAME_MAX_LEN];

	v->known = node &&
		   nst_doc_real(&rd->doc, node, f->name, f->min, f->max,
				&v->value);
	for (int i = 1; i < PARTS; i++) {
		part_name(f, i, name);
		ends[i] = value_of(rd, map, name);
		/* An interval may reach beyond what a value may be. */
		if (ends[i] && !nst_doc_real(&rd->doc, ends[i], name, -1e15,
					     1e15, to[i]))
			return;
	}
	if (!ends[1] && !ends[2])
		return;
	if (!node || !ends[1] || !ends[2])
		complain(rd, ends[1] ? ends[1] : ends[2],
			 "'%s' needs '%s', '%s_lo' and '%s_hi' together",
			 f->name, f->name, f->name, f->name);
	else if (v->known && (v->lo > v->value || v->hi < v->value))
		complain(rd, node, "'%s' is %g, outside of its own interval %g to %g",
			 f->name, v->value, v->lo, v->hi);
	else
		v->interval = true;
}

static void read_fields(struct reader *rd, const yaml_node_t *map,
			const char *scope, const struct field *fields,
			void *base)
{
	for (const struct field *f = fields; f->name; f++) {
		void *to = (char *)base + f->offset;
		const yaml_node_t *node;
		long long number;
		double real;

		node = f->flags & REQUIRED ?
			       required(rd, map, scope, f->name) :
			       value_of(rd, map, f->name);
		if (f->type == FIELD_VALUE) {
			read_value(rd, map, f, node, to);
		} else if (!node) {
			continue;
		} else if (f->type == FIELD_REAL) {
			if (nst_doc_real(&rd->doc, node, f->name, f->min,
					 f->max, &real))
				*(double *)to = real;
		} else if (nst_doc_int(&rd->doc, node, f->name, f->min,
				       f->max, &number)) {
			*(unsigned int *)to = (unsigned int)number;
		}
	}
}

static void read_gain(struct reader *rd, const yaml_node_t *node,
		      struct nst_calibration_gain *g)
{
	const yaml_node_t *noise, *max;

	if (!is_mapping(rd, node, "an entry of gains"))
		return;
	check_keys(rd, node, "gains", gain_fields, NULL);
	read_fields(rd, node, "gains", gain_fields, g);
	noise = value_of(rd, node, "read_noise_e");
	max = value_of(rd, node, "read_noise_max_e");
	if (!noise == !max)
		complain(rd, noise ? max : node,
			 "one of read_noise_e and read_noise_max_e is needed, and only one");
}

static void read_gains(struct reader *rd, const yaml_node_t *map)
{
	struct nst_calibration_noise *n = &rd->c.noise;
	const yaml_node_t *node = required(rd, map, "a noise calibration",
					   "gains");
	const yaml_node_item_t *item;

	if (!node)
		return;
	if (node->type != YAML_SEQUENCE_NODE) {
		complain(rd, node, "'gains' must be a list ('- iso: ...'), this is %s",
			 nst_doc_kind(node));
		return;
	}
	for (item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		const yaml_node_t *entry = nst_doc_node(&rd->doc, *item);

		if (n->gains == NST_EMVA_GAINS_MAX) {
			complain(rd, entry, "'gains' has more than %d entries",
				 NST_EMVA_GAINS_MAX);
			return;
		}
		read_gain(rd, entry, &n->gain[n->gains++]);
	}
	if (!n->gains)
		complain(rd, node, "'gains' needs at least one entry");
}

static void read_text(struct reader *rd, const yaml_node_t *node,
		      const char *name, char *to)
{
	const char *text = nst_doc_text(&rd->doc, node, name, "a text");
	const char *wrong;

	if (!text)
		return;
	wrong = *text ? text_wrong(text) : "is empty";
	if (wrong)
		complain(rd, node, "'%s' %s", name, wrong);
	else
		strcpy(to, text);
}

static void read_sensor(struct reader *rd, const yaml_node_t *map)
{
	static const char *const names[] = { "name", "model", "card", NULL };
	char *to[] = { rd->c.name, rd->c.model, rd->c.card };
	const yaml_node_t *node = required(rd, map, "a calibration", "sensor");

	if (!node || !is_mapping(rd, node, "'sensor'"))
		return;
	check_keys(rd, node, "sensor", NULL, names);
	required(rd, node, "sensor", "name");
	for (int i = 0; names[i]; i++) {
		const yaml_node_t *text = value_of(rd, node, names[i]);

		if (text)
			read_text(rd, text, names[i], to[i]);
	}
}

static bool read_head(struct reader *rd, const yaml_node_t *map)
{
	const yaml_node_t *node;
	long long version;
	const char *text;

	node = required(rd, map, "a calibration", "version");
	if (node)
		nst_doc_int(&rd->doc, node, "version", 1, 1, &version);
	read_sensor(rd, map);
	node = required(rd, map, "a calibration", "date");
	text = node ? nst_doc_text(&rd->doc, node, "date", "a text") : NULL;
	if (text && !is_date(text))
		complain(rd, node, "'date' is '%s'; valid: as in 2026-01-31T12:00:00Z",
			 text);
	else if (text)
		strcpy(rd->c.date, text);

	node = required(rd, map, "a calibration", "kind");
	text = node ? nst_doc_text(&rd->doc, node, "kind", "a word") : NULL;
	if (!text)
		return false;
	for (unsigned int i = 0; i < NST_ARRAY_SIZE(kind_names); i++) {
		if (!strcmp(kind_names[i], text)) {
			rd->c.kind = (enum nst_calibration_kind)i;
			return true;
		}
	}
	complain(rd, node, "'%s' is unknown as 'kind'; valid: noise, thermal",
		 text);
	return false;
}

static void read_root(struct reader *rd, const yaml_node_t *map)
{
	static const char *const head[] = { "version", "kind", "sensor",
					    "date", NULL };
	static const char *const noise_head[] = { "version", "kind", "sensor",
						  "date", "gains", NULL };
	const char *wrong;

	if (!is_mapping(rd, map, "a calibration") || !read_head(rd, map))
		return;
	if (rd->c.kind == NST_CALIBRATION_NOISE) {
		check_keys(rd, map, "a noise calibration", noise_fields,
			   noise_head);
		read_fields(rd, map, "a noise calibration", noise_fields,
			    &rd->c.noise);
		read_gains(rd, map);
	} else {
		check_keys(rd, map, "a thermal calibration", thermal_fields,
			   head);
		read_fields(rd, map, "a thermal calibration", thermal_fields,
			    &rd->c.thermal);
	}
	if (rd->doc.errors)
		return;
	wrong = rd->c.kind == NST_CALIBRATION_NOISE ? noise_wrong(&rd->c) :
						      thermal_wrong(&rd->c);
	if (wrong)
		complain(rd, map, "%s", wrong);
}

int nst_calibration_load(struct nst_calibration *ret, const char *path,
			 FILE *err)
{
	_cleanup_free_ struct reader *rd = calloc(1, sizeof(*rd));
	int r;

	if (!rd)
		return -ENOMEM;
	r = nst_doc_open(&rd->doc, path, "a calibration");
	if (r)
		return r;
	if (rd->doc.root)
		read_root(rd, rd->doc.root);
	r = nst_doc_close(&rd->doc, err);
	if (r)
		return r;
	*ret = rd->c;
	return 0;
}

/* ------------------------------------------------------------ writer --- */

static void save_real(const char *name, double value, int indent, FILE *out)
{
	fprintf(out, "%*s%s: ", indent, "", name);
	nst_doc_put_real(value, out);
	fputc('\n', out);
}

static void save_fields(const struct field *fields, const void *base,
			int indent, FILE *out)
{
	char name[NAME_MAX_LEN];

	for (const struct field *f = fields; f->name; f++) {
		const void *from = (const char *)base + f->offset;
		const struct nst_calibration_value *v = from;

		if (f->type == FIELD_UINT) {
			fprintf(out, "%*s%s: %u\n", indent, "", f->name,
				*(const unsigned int *)from);
			continue;
		}
		if (f->type == FIELD_REAL) {
			save_real(f->name, *(const double *)from, indent, out);
			continue;
		}
		if (!v->known)
			continue;
		save_real(f->name, v->value, indent, out);
		if (!v->interval)
			continue;
		part_name(f, 1, name);
		save_real(name, v->lo, indent, out);
		part_name(f, 2, name);
		save_real(name, v->hi, indent, out);
	}
}

static void save_gain(const struct nst_calibration_gain *g, FILE *out)
{
	char text[1024] = "";
	FILE *mem = fmemopen(text, sizeof(text), "w");
	const struct field *last = &gain_fields[2];

	if (!mem)
		return;
	for (const struct field *f = gain_fields; f->name; f++) {
		struct field one[2] = { *f, { .name = NULL } };

		/* The bound only where it stands for the value. */
		if (f > last && g->read_noise_e.known)
			continue;
		save_fields(one, g, 4, mem);
	}
	fclose(mem);
	fprintf(out, "  - %s", text + 4);
}

/* Within the ranges of its table. */
static bool fields_valid(const struct field *fields, const void *base)
{
	for (const struct field *f = fields; f->name; f++) {
		const void *from = (const char *)base + f->offset;
		const struct nst_calibration_value *v = from;
		double value = f->type == FIELD_REAL ?
				       *(const double *)from :
			       f->type == FIELD_UINT ?
				       *(const unsigned int *)from :
				       v->value;

		if (f->type == FIELD_VALUE && !v->known) {
			if (f->flags & REQUIRED)
				return false;
			continue;
		}
		if (!(value >= f->min && value <= f->max))
			return false;
		if (f->type == FIELD_VALUE && v->interval &&
		    !(v->lo <= value && v->hi >= value && v->lo >= -1e15 &&
		      v->hi <= 1e15))
			return false;
	}
	return true;
}

static bool calibration_valid(const struct nst_calibration *c)
{
	if (!*c->name || text_wrong(c->name) || text_wrong(c->model) ||
	    text_wrong(c->card) || !is_date(c->date))
		return false;
	if (c->kind == NST_CALIBRATION_THERMAL)
		return fields_valid(thermal_fields, &c->thermal) &&
		       !thermal_wrong(c);
	if (!c->noise.gains || c->noise.gains > NST_EMVA_GAINS_MAX ||
	    !fields_valid(noise_fields, &c->noise))
		return false;
	for (unsigned int i = 0; i < c->noise.gains; i++) {
		if (!fields_valid(gain_fields, &c->noise.gain[i]))
			return false;
	}
	return !noise_wrong(c);
}

int nst_calibration_save(const struct nst_calibration *c, FILE *out)
{
	static const char *const names[] = { "name", "model", "card" };
	const char *const texts[] = { c->name, c->model, c->card };

	if (!calibration_valid(c))
		return -EINVAL;
	fprintf(out, "version: 1\nkind: %s\nsensor:\n", kind_names[c->kind]);
	for (size_t i = 0; i < NST_ARRAY_SIZE(names); i++) {
		if (!*texts[i])
			continue;
		fprintf(out, "  %s: ", names[i]);
		nst_doc_put_text(texts[i], out);
		fputc('\n', out);
	}
	fprintf(out, "date: \"%s\"\n", c->date);
	if (c->kind == NST_CALIBRATION_THERMAL) {
		save_fields(thermal_fields, &c->thermal, 0, out);
	} else {
		save_fields(noise_fields, &c->noise, 0, out);
		fprintf(out, "gains:\n");
		for (unsigned int i = 0; i < c->noise.gains; i++)
			save_gain(&c->noise.gain[i], out);
	}
	return ferror(out) ? -EIO : 0;
}

/* --------------------------------------------------------------- use --- */

int nst_calibration_emva(const struct nst_calibration *c,
			 struct nst_emva *ret)
{
	const struct nst_calibration_noise *n = &c->noise;
	struct nst_emva m;

	if (c->kind != NST_CALIBRATION_NOISE)
		return -EINVAL;
	memset(&m, 0, sizeof(m));
	m.dark_e_per_s = n->dark_e_per_s.value;
	m.ref_mc = n->ref_mc;
	m.doubling_mc = n->doubling_mc.value;
	m.full_well_e = n->full_well_e.value;
	m.prnu = n->prnu_permyriad.value / PERMYRIAD;
	m.dsnu = n->dsnu_permyriad.value / PERMYRIAD;
	if (n->hot_ppm.known && n->hot_median_permyriad.known &&
	    n->hot_sigma_permyriad.known) {
		m.hot_share = n->hot_ppm.value / PPM;
		m.hot_median = n->hot_median_permyriad.value / PERMYRIAD;
		m.hot_sigma = n->hot_sigma_permyriad.value / PERMYRIAD;
	}
	m.bits = n->bits;
	m.black_dn = n->black_dn;
	m.gains = n->gains;
	for (unsigned int i = 0; i < n->gains && i < NST_EMVA_GAINS_MAX; i++) {
		const struct nst_calibration_gain *g = &n->gain[i];

		m.gain[i] = (struct nst_emva_gain){
			g->iso, g->dn_per_e.value,
			g->read_noise_e.known ? g->read_noise_e.value :
						g->read_noise_max_e,
		};
	}
	if (nst_emva_check(&m))
		return -ERANGE;
	*ret = m;
	return 0;
}

/* us to uJ/K through mK/W: tau = R*C. */
static bool capacity(double tau_us, double r_mk_per_w, u32 *ret_uj_per_k)
{
	double c = tau_us * 1000.0 / r_mk_per_w;

	if (!(c >= NST_C_MIN_UJ_PER_K && c <= NST_C_MAX_UJ_PER_K))
		return false;
	*ret_uj_per_k = (u32)lround(c);
	return true;
}

int nst_calibration_plant(const struct nst_calibration *c,
			  struct nst_plant_params *ret)
{
	const struct nst_calibration_thermal *t = &c->thermal;
	struct nst_plant_params p = *ret;

	if (c->kind != NST_CALIBRATION_THERMAL)
		return -EINVAL;
	if (!(t->r_jp_mk_per_w.value >= NST_R_MIN_MK_PER_W &&
	      t->r_jp_mk_per_w.value <= NST_R_MAX_MK_PER_W) ||
	    !(t->r_pa_mk_per_w.value >= NST_R_MIN_MK_PER_W &&
	      t->r_pa_mk_per_w.value <= NST_R_MAX_MK_PER_W))
		return -ERANGE;
	p.r_jp_mk_per_w = (u32)lround(t->r_jp_mk_per_w.value);
	p.r_pa_mk_per_w = (u32)lround(t->r_pa_mk_per_w.value);
	if (!capacity(t->tau_j_us.value, t->r_jp_mk_per_w.value,
		      &p.c_j_uj_per_k) ||
	    !capacity(t->tau_p_us.value, t->r_pa_mk_per_w.value,
		      &p.c_p_uj_per_k) ||
	    nst_plant_params_check(&p))
		return -ERANGE;
	*ret = p;
	return 0;
}
