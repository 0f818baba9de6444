// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * load.c - from a YAML file to struct nst_profile
 *
 * libyaml builds the document tree, in which every node keeps its place in
 * the file; the table of keys.c says what the tree may hold. One pass per
 * mapping finds keys that are unknown, doubled, missing, of a wrong type or
 * out of range; then what needs two keys at once is checked. Reading goes
 * on after an error, so that one call reports all of them, and the caller
 * gets the profile only when there was none.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "document.h"
#include "files.h"
#include "keys.h"
#include "words.h"

#define HINT_LEN 1024
#define WORDS_MAX 64

struct load {
	struct nst_doc doc;
	bool program;	/* the text is a program's, not a file's */
	struct nst_profile *profile;
	/* Keys of the list item in hand, by index into nst_keys. */
	const yaml_node_t *where[NST_KEYS_MAX];
};

#define complain(load, ...) nst_doc_complain(&(load)->doc, __VA_ARGS__)

static const yaml_node_t *node_get(struct load *load, int index)
{
	return nst_doc_node(&load->doc, index);
}

static const char *scalar_text(struct load *load, const yaml_node_t *node,
			       const char *name, const char *wanted)
{
	return nst_doc_text(&load->doc, node, name, wanted);
}

/* ------------------------------------------------------------ values --- */

static void load_int(struct load *load, const struct nst_key *key,
		     const yaml_node_t *node, void *base)
{
	long long value;

	if (nst_doc_int(&load->doc, node, key->name, key->min, key->max,
			&value))
		nst_key_set_int(key, base, value);
}

static void load_milli(struct load *load, const struct nst_key *key,
		       const yaml_node_t *node, void *base)
{
	long long milli;

	if (nst_doc_milli(&load->doc, node, key->name, key->min, key->max,
			  &milli))
		nst_key_set_int(key, base, milli);
}

static void load_real(struct load *load, const struct nst_key *key,
		      const yaml_node_t *node, void *base)
{
	double value;

	if (nst_doc_real(&load->doc, node, key->name, key->min, key->max,
			 &value))
		memcpy((char *)base + key->offset, &value, sizeof(value));
}

static void load_bool(struct load *load, const struct nst_key *key,
		      const yaml_node_t *node, void *base)
{
	const char *text = nst_doc_plain(&load->doc, node, key->name,
					 "true or false");
	bool value;

	if (!text)
		return;
	value = !strcmp(text, "true");
	if (!value && strcmp(text, "false")) {
		complain(load, node, "'%s' must be true or false, not '%s'",
			 key->name, text);
		return;
	}
	memcpy((char *)base + key->offset, &value, sizeof(value));
}

static void load_text(struct load *load, const struct nst_key *key,
		      const yaml_node_t *node, void *base)
{
	const char *text = scalar_text(load, node, key->name, "a text");
	const char *wrong;

	if (!text)
		return;
	if ((double)strlen(text) > key->max) {
		complain(load, node, "'%s' is longer than %.0f characters",
			 key->name, key->max);
		return;
	}
	for (const char *c = text; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f) {
			complain(load, node,
				 "'%s' holds a control character", key->name);
			return;
		}
	}
	wrong = key->check ? key->check(text) : NULL;
	if (wrong) {
		complain(load, node, "'%s': '%s' cannot be used; %s",
			 key->name, text, wrong);
		return;
	}
	strcpy((char *)base + key->offset, text);
}

/* The path is kept as an absolute one: a dump reads back from anywhere. */
static void load_file(struct load *load, const struct nst_key *key,
		      const yaml_node_t *node, void *base)
{
	const char *text = scalar_text(load, node, key->name, "a file");
	_cleanup_free_ char *wrong = NULL;
	char path[NST_PROFILE_FILE_LEN];
	char *line, *save = NULL;
	size_t size = 0;
	FILE *err;
	int r;

	if (!text)
		return;
	for (const char *c = text; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f) {
			complain(load, node,
				 "'%s' holds a control character", key->name);
			return;
		}
	}
	if (!*text) {
		complain(load, node, "'%s' is empty", key->name);
		return;
	}
	err = open_memstream(&wrong, &size);
	if (!err) {
		load->doc.out_of_memory = true;
		return;
	}
	r = nst_key_file_find(key, text,
			      load->program ? NULL : load->doc.path, path,
			      err);
	if (!r) {
		r = nst_key_file_read(key, base, path, err);
		if (r && !ftell(err))
			fprintf(err, "'%s': %s: %s", key->name, path,
				strerror(-r));
	}
	fclose(err);
	if (!r) {
		strcpy((char *)base + key->offset, path);
		return;
	}
	for (line = strtok_r(wrong, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		complain(load, node, "%s", line);
}

static void load_choice(struct load *load, const struct nst_key *key,
			const yaml_node_t *node, void *base)
{
	const char *text = scalar_text(load, node, key->name, "a word");
	const char *words[WORDS_MAX];
	char hint[HINT_LEN];
	size_t n;

	if (!text)
		return;
	n = nst_key_choice_names(key, load->profile, words, WORDS_MAX);
	for (size_t i = 0; i < n; i++) {
		if (words[i][0] && !strcmp(words[i], text)) {
			key->choices->set(base, (unsigned int)i);
			return;
		}
	}
	nst_words_hint(hint, sizeof(hint), "valid", text, words, n);
	complain(load, node, "'%s' is unknown as '%s'; %s", text, key->name,
		 hint);
}

/* ---------------------------------------------------------- mappings --- */

static void load_map(struct load *load, const char *scope,
		     const yaml_node_t *node, void *base);
static void load_list(struct load *load, const struct nst_key *key,
		      const yaml_node_t *node);

static void load_value(struct load *load, const struct nst_key *key,
		       const yaml_node_t *node, void *base)
{
	unsigned int before = load->doc.errors;
	char scope[64];

	switch (key->type) {
	case NST_KEY_INT:
	case NST_KEY_SHORT:
		load_int(load, key, node, base);
		break;
	case NST_KEY_MILLI:
		load_milli(load, key, node, base);
		break;
	case NST_KEY_REAL:
		load_real(load, key, node, base);
		break;
	case NST_KEY_BOOL:
		load_bool(load, key, node, base);
		break;
	case NST_KEY_TEXT:
		load_text(load, key, node, base);
		break;
	case NST_KEY_CHOICE:
		load_choice(load, key, node, base);
		break;
	case NST_KEY_FILE:
		load_file(load, key, node, base);
		break;
	case NST_KEY_MAP:
		snprintf(scope, sizeof(scope), "%s.%s", key->scope, key->name);
		load_map(load, scope, node, base);
		break;
	case NST_KEY_LIST:
		load_list(load, key, node);
		break;
	}
	if (key->flag_offset != NST_KEY_NONE && load->doc.errors == before) {
		bool given = true;

		memcpy((char *)base + key->flag_offset, &given, sizeof(given));
	}
}

static void unknown_key(struct load *load, const yaml_node_t *node,
			const char *scope, const char *text)
{
	const char *words[NST_KEYS_MAX];
	size_t n = nst_key_names(scope, words, NST_KEYS_MAX);
	char hint[HINT_LEN];

	nst_words_hint(hint, sizeof(hint), "valid keys", text, words, n);
	if (*scope)
		complain(load, node, "unknown key '%s' in %s; %s", text, scope,
			 hint);
	else
		complain(load, node, "unknown key '%s'; %s", text, hint);
}

static void missing_keys(struct load *load, const char *scope,
			 const yaml_node_t *node)
{
	const char *words[WORDS_MAX];
	bool preset = false;

	for (int i = 0; nst_keys[i].name; i++) {
		if (!strcmp(nst_keys[i].scope, scope) && load->where[i] &&
		    nst_keys[i].flags & NST_KEY_PRESET)
			preset = true;
	}
	for (int i = 0; nst_keys[i].name; i++) {
		const struct nst_key *key = &nst_keys[i];
		char hint[HINT_LEN] = "";
		size_t n;

		if (strcmp(key->scope, scope) || load->where[i] || preset ||
		    !(key->flags & NST_KEY_REQUIRED))
			continue;
		if (key->type == NST_KEY_CHOICE) {
			n = nst_key_choice_names(key, load->profile, words,
						 WORDS_MAX);
			nst_words_hint(hint, sizeof(hint), "; valid", "",
				       words, n);
		}
		complain(load, node, "missing key '%s'%s%s: %s%s", key->name,
			 *scope ? " in " : "", scope, key->meaning, hint);
	}
}

/* Presets, then files, then what may correct both. */
static int rank(const struct nst_key *key)
{
	if (key->flags & NST_KEY_FIRST)
		return 0;
	return key->type == NST_KEY_FILE ? 1 : 2;
}

static void load_map(struct load *load, const char *scope,
		     const yaml_node_t *node, void *base)
{
	const yaml_node_pair_t *pair, *top;

	if (node->type != YAML_MAPPING_NODE) {
		const char *words[NST_KEYS_MAX];
		size_t n = nst_key_names(scope, words, NST_KEYS_MAX);
		char hint[HINT_LEN];

		nst_words_hint(hint, sizeof(hint), "its keys", "", words, n);
		complain(load, node, "%s%s must be a mapping, this is %s; %s",
			 *scope && !strchr(scope, '.') ? "an entry of " : "",
			 *scope ? scope : "a profile", nst_doc_kind(node), hint);
		return;
	}
	top = node->data.mapping.pairs.top;

	/* Which keys are there; then values, presets before the rest. */
	for (pair = node->data.mapping.pairs.start; pair < top; pair++) {
		const yaml_node_t *name = node_get(load, pair->key);
		const char *text = scalar_text(load, name, "a key", "a word");
		int i;

		if (!text)
			continue;
		i = nst_key_find(scope, text);
		if (i < 0)
			unknown_key(load, name, scope, text);
		else if (load->where[i])
			complain(load, name,
				 "key '%s' again; the first is in line %zu",
				 text, load->where[i]->start_mark.line + 1);
		else
			load->where[i] = name;
	}
	for (int turn = 0; turn <= 2; turn++) {
		for (pair = node->data.mapping.pairs.start; pair < top;
		     pair++) {
			const yaml_node_t *name = node_get(load, pair->key);
			int i;

			if (name->type != YAML_SCALAR_NODE)
				continue;
			i = nst_key_find(scope,
					 (char *)name->data.scalar.value);
			if (i < 0 || load->where[i] != name ||
			    rank(&nst_keys[i]) != turn)
				continue;
			load_value(load, &nst_keys[i],
				   node_get(load, pair->value), base);
		}
	}
	missing_keys(load, scope, node);
}

/* ------------------------------------- what needs more than one key --- */

static const yaml_node_t *at(const struct load *load, const char *scope,
			     const char *name, const yaml_node_t *other)
{
	int i = nst_key_find(scope, name);

	return i >= 0 && load->where[i] ? load->where[i] : other;
}

/* Keys of the one model do not go with the other. */
static void check_noise(struct load *load, const yaml_node_t *node,
			struct nst_profile_sensor *s)
{
	bool emva = s->noise == NST_NOISE_EMVA;
	unsigned int other = emva ? NST_KEY_PAPER : NST_KEY_EMVA;

	for (int i = 0; nst_keys[i].name; i++) {
		if (load->where[i] && nst_keys[i].flags & other)
			complain(load, load->where[i],
				 "'%s' is for the noise model '%s', and that of sensor '%s' is '%s'",
				 nst_keys[i].name, emva ? "paper" : "emva",
				 s->name, emva ? "emva" : "paper");
	}
	if (!emva) {
		memset(&s->emva, 0, sizeof(s->emva));
		return;
	}
	if (!*s->noise_preset == !*s->noise_file)
		complain(load, at(load, "sensors", "noise", node),
			 "the noise model 'emva' needs the constants of a sensor: one of 'calibration' and 'preset'");
	else
		s->doubling_mc = (unsigned int)lround(s->emva.doubling_mc);
}

static void check_owner(struct load *load, const char *scope,
			const struct nst_profile_sensor *s,
			const struct nst_profile_owner *owner)
{
	const yaml_node_t *node = at(load, scope, "calibration", NULL);
	bool card = !strncmp(s->camera, "card:", 5);
	const char *theirs, *ours;

	if (!node || !*owner->name)
		return;
	if (nst_profile_owner_is(owner, card ? s->camera + 5 : "", s->device,
				 s->name, &theirs, &ours))
		return;
	/* A node's number says nothing about which sensor is behind it. */
	complain(load, node,
		 "this calibration is of '%s', and this sensor is '%s'%s",
		 theirs, ours,
		 ours == s->device && (*ours == '/' || !strncmp(ours, "nst", 3)) ?
			 "; a device has to be given by its name, as in /sys/class/nst/nst0/name" :
			 "");
}

/* One device has one capacity. */
static void check_capacity(struct load *load, const yaml_node_t *node,
			   const struct nst_profile_sensor *s)
{
	const struct nst_profile *p = load->profile;

	for (unsigned int i = 0; i < p->sensor_count; i++) {
		const struct nst_profile_sensor *o = &p->sensors[i];

		if (strcmp(o->far_device, s->far_device) ||
		    o->far_capacity_permyriad == s->far_capacity_permyriad)
			continue;
		/* Nothing said of the host is no other saying. */
		if (!s->far_device[0] && (!o->far_capacity_permyriad ||
					  !s->far_capacity_permyriad))
			continue;
		complain(load, at(load, "sensors.far", "capacity_permyriad",
				  at(load, "sensors.far", "device", node)),
			 "'capacity_permyriad' is %u, and sensor '%s' has %u for the same far device",
			 s->far_capacity_permyriad, o->name,
			 o->far_capacity_permyriad);
		return;
	}
}

static void check_ceiling(struct load *load, const yaml_node_t *node,
			  const struct nst_profile_sensor *s)
{
	const yaml_node_t *ambient = at(load, "sensors", "ambient_mc", NULL);
	const yaml_node_t *max = at(load, "sensors", "max_temp_mc", NULL);

	if (s->ambient_mc < s->max_temp_mc - s->accuracy_mc)
		return;
	/* A ceiling within a kelvin of freezing is one in degrees. */
	if (max && s->max_temp_mc > 0 && s->max_temp_mc <= 150)
		complain(load, max,
			 "'max_temp_mc' is %d millidegrees Celsius: did you mean %d?",
			 s->max_temp_mc, s->max_temp_mc * 1000);
	else
		complain(load, ambient ? ambient : max ? max : node,
			 "'ambient_mc' (%d%s) must be below 'max_temp_mc' less 'accuracy_mc' (%d)",
			 s->ambient_mc, ambient ? "" : ", as none is given",
			 s->max_temp_mc - s->accuracy_mc);
}

static void check_sensor(struct load *load, const yaml_node_t *node,
			 struct nst_profile_sensor *s)
{
	const struct nst_profile_light *light;

	if (s->near_mw <= s->capture_mw)
		complain(load, at(load, "sensors.power", "near_mw", node),
			 "'near_mw' (%u) must be more than 'capture_mw' (%u): the running VPU is the difference",
			 s->near_mw, s->capture_mw);
	if (nst_plant_params_check(&s->plant))
		complain(load, at(load, "sensors", "thermal", node),
			 "these thermal constants are no stack: c_p_uj_per_k (%u) must be more than 20 times c_j_uj_per_k (%u), and the leakage must settle",
			 s->plant.c_p_uj_per_k, s->plant.c_j_uj_per_k);
	check_ceiling(load, node, s);
	if (s->strobe_line[0] && !s->gate_line[0])
		complain(load, at(load, "sensors.gpio", "strobe_line", node),
			 "'strobe_line' goes with a 'gate_line': it tells what the gate is closed for");
	check_capacity(load, node, s);
	check_noise(load, node, s);
	check_owner(load, "sensors.noise", s, &s->noise_owner);
	check_owner(load, "sensors.thermal", s, &s->thermal_owner);

	light = nst_profile_light_find(s->light.name);
	if (!light || light->lux_milli != s->light.lux_milli ||
	    light->exposure_us != s->light.exposure_us ||
	    light->iso != s->light.iso)
		strcpy(s->light.name, "custom");
}

static void check_kind(struct load *load, const struct nst_profile_task *t)
{
	unsigned int other = t->kind == NST_TASK_VISION ? NST_KEY_IMAGING :
							  NST_KEY_VISION;

	for (int i = 0; nst_keys[i].name; i++) {
		if (load->where[i] && nst_keys[i].flags & other)
			complain(load, load->where[i],
				 "'%s' is for %s tasks, and '%s' is %s task",
				 nst_keys[i].name,
				 other == NST_KEY_VISION ? "vision" : "imaging",
				 t->name,
				 other == NST_KEY_VISION ? "an imaging" :
							   "a vision");
	}
}

static void check_fidelity(struct load *load, const yaml_node_t *node,
			   const struct nst_profile_task *t)
{
	char text[HINT_LEN];
	const char *key;

	if (!nst_profile_task_check(load->profile, t, &key, text,
				    sizeof(text)))
		return;
	complain(load, at(load, "tasks.fidelity", key,
			  at(load, "tasks", "fidelity", node)), "%s", text);
}

/* The tasks of a sensor are far together, or not at all. */
static void check_far_load(struct load *load, const yaml_node_t *node,
			   const struct nst_profile_task *t)
{
	const struct nst_profile *p = load->profile;
	const struct nst_profile_sensor *s = &p->sensors[t->sensor];
	unsigned long long sum = t->far_load_permyriad;

	if (!s->far_capacity_permyriad || t->policy->drops)
		return;
	for (unsigned int i = 0; i < p->task_count; i++) {
		const struct nst_profile_task *o = &p->tasks[i];

		if (o != t && o->kind == NST_TASK_VISION &&
		    o->sensor == t->sensor)
			sum += o->far_load_permyriad;
	}
	if (sum > s->far_capacity_permyriad)
		complain(load, at(load, "tasks", "far_load_permyriad", node),
			 "with 'far_load_permyriad' %u the vision tasks of sensor '%s' are %llu to its far device, which takes %u: they could never be there",
			 t->far_load_permyriad, s->name, sum,
			 s->far_capacity_permyriad);
}

static void check_task(struct load *load, const yaml_node_t *node,
		       const struct nst_profile_task *t)
{
	const struct nst_profile *p = load->profile;

	check_kind(load, t);
	check_fidelity(load, node, t);
	if (t->kind != NST_TASK_VISION)
		return;
	if (!t->policy) {
		const char *words[WORDS_MAX];
		char hint[HINT_LEN];
		int key = nst_key_find("tasks", "policy");
		size_t n = nst_key_choice_names(&nst_keys[key], p, words,
						WORDS_MAX);

		nst_words_hint(hint, sizeof(hint), "valid", "", words, n);
		complain(load, node, "a vision task needs a 'policy'; %s",
			 hint);
		return;
	}
	check_far_load(load, node, t);
	for (unsigned int i = 0; i < p->task_count; i++) {
		const struct nst_profile_task *o = &p->tasks[i];

		if (o->kind == NST_TASK_VISION && o->sensor == t->sensor &&
		    o->policy && o->policy != t->policy)
			complain(load, at(load, "tasks", "policy", node),
				 "policy '%s' on sensor '%s', where task '%s' has '%s': one sensor has one policy",
				 t->policy->name, p->sensors[t->sensor].name,
				 o->name, o->policy->name);
	}
}

/* ------------------------------------------------------------- lists --- */

static bool name_taken(const struct load *load, const char *name,
		       bool is_sensor)
{
	const struct nst_profile *p = load->profile;

	if (is_sensor) {
		for (unsigned int i = 0; i < p->sensor_count; i++) {
			if (!strcmp(p->sensors[i].name, name))
				return true;
		}
	} else {
		for (unsigned int i = 0; i < p->task_count; i++) {
			if (!strcmp(p->tasks[i].name, name))
				return true;
		}
	}
	return false;
}

static void load_item(struct load *load, const struct nst_key *key,
		      const yaml_node_t *node)
{
	bool is_sensor = !strcmp(key->name, "sensors");
	struct nst_profile *p = load->profile;
	unsigned int before = load->doc.errors;
	const char *name;

	/* The item's keys only; those of the top level are kept. */
	for (int i = 0; nst_keys[i].name; i++) {
		if (*nst_keys[i].scope)
			load->where[i] = NULL;
	}

	if (is_sensor) {
		struct nst_profile_sensor *s = &p->sensors[p->sensor_count];

		nst_profile_sensor_defaults(s);
		load_map(load, "sensors", node, s);
		if (load->doc.errors == before)
			check_sensor(load, node, s);
		name = s->name;
	} else {
		struct nst_profile_task *t = &p->tasks[p->task_count];

		nst_profile_task_defaults(t);
		load_map(load, "tasks", node, t);
		if (load->doc.errors == before)
			check_task(load, node, t);
		name = t->name;
	}
	if (*name && name_taken(load, name, is_sensor))
		complain(load, at(load, key->name, "name", node),
			 "name '%s' is used twice in %s", name, key->name);
	if (is_sensor)
		p->sensor_count++;
	else
		p->task_count++;
}

static void load_list(struct load *load, const struct nst_key *key,
		      const yaml_node_t *node)
{
	const yaml_node_item_t *item;
	double count = 0;

	if (node->type != YAML_SEQUENCE_NODE) {
		complain(load, node,
			 "'%s' must be a list ('- name: ...'), this is %s",
			 key->name, nst_doc_kind(node));
		return;
	}
	for (item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		if (++count > key->max) {
			complain(load, node_get(load, *item),
				 "'%s' has more than %.0f entries", key->name,
				 key->max);
			return;
		}
		load_item(load, key, node_get(load, *item));
	}
	if (count < key->min)
		complain(load, node, "'%s' needs at least one entry",
			 key->name);
}

/* -------------------------------------------------------------- file --- */

int nst_profile_load(struct nst_profile *ret, const char *path, FILE *err)
{
	_cleanup_free_ struct nst_profile *profile = NULL;
	_cleanup_free_ struct load *load = NULL;
	int r;

	profile = calloc(1, sizeof(*profile));
	load = calloc(1, sizeof(*load));
	if (!profile || !load)
		return -ENOMEM;
	load->profile = profile;
	r = nst_doc_open(&load->doc, path, "a profile");
	if (r)
		return r;
	if (load->doc.root)
		load_map(load, "", load->doc.root, profile);
	r = nst_doc_close(&load->doc, err);
	if (r)
		return r;
	*ret = *profile;
	return 0;
}

/* The first line without the place, which means nothing to who asks. */
static void first_message(const char *text, char *ret_what, size_t size)
{
	for (int colons = 0; colons < 3 && strchr(text, ':'); colons++)
		text = strchr(text, ':') + 1;
	text += *text == ' ';
	snprintf(ret_what, size, "%.*s", (int)strcspn(text, "\n"), text);
}

int nst_profile_add_task(struct nst_profile *profile, const char *text,
			 size_t len, char *ret_what, size_t what_size)
{
	_cleanup_fclose_ FILE *err = NULL;
	_cleanup_free_ struct load *load = calloc(1, sizeof(*load));
	unsigned int count = profile->task_count;
	char messages[4096] = "";
	int r;

	if (count >= NST_PROFILE_TASKS_MAX) {
		snprintf(ret_what, what_size, "there are %d tasks, more of "
			 "them there cannot be", NST_PROFILE_TASKS_MAX);
		return -ENOSPC;
	}
	snprintf(ret_what, what_size, "out of memory");
	err = fmemopen(messages, sizeof(messages) - 1, "w");
	if (!load || !err)
		return -ENOMEM;
	setvbuf(err, NULL, _IONBF, 0);
	load->profile = profile;
	load->program = true;
	r = nst_doc_open_text(&load->doc, "task", "a task", text, len);
	if (r)
		return r;
	if (load->doc.root)
		load_item(load, &nst_keys[nst_key_find("", "tasks")],
			  load->doc.root);
	r = nst_doc_close(&load->doc, err);
	if (!r)
		return 0;
	profile->task_count = count;
	if (r == -EINVAL)
		first_message(messages, ret_what, what_size);
	return r;
}
