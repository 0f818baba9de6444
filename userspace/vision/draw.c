// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* draw.c - PGM and boxes to PNG: see draw.h */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cleanup.h"
#include "draw.h"
#include "log.h"
#include "picture.h"

#define SIDE_MAX 4096

static void json_putp(struct json_object **o)
{
	if (*o)
		json_object_put(*o);
}

static const char *text_of(struct json_object *line, const char *key)
{
	struct json_object *m;

	return json_object_object_get_ex(line, key, &m) ?
		json_object_get_string(m) : "";
}

static int boxes_of(struct json_object *line, const char *key,
		    struct nst_box *box, bool *matched, unsigned int *ret_count)
{
	struct json_object *list;
	size_t n;

	*ret_count = 0;
	if (!json_object_object_get_ex(line, key, &list) ||
	    !json_object_is_type(list, json_type_array))
		return -EPROTO;
	n = json_object_array_length(list);
	if (n > NST_SCORE_BOXES_MAX)
		return -EPROTO;
	for (size_t i = 0; i < n; i++) {
		struct json_object *b = json_object_array_get_idx(list, i);
		int v[5];

		if (!json_object_is_type(b, json_type_array) ||
		    json_object_array_length(b) != 5)
			return -EPROTO;
		for (size_t k = 0; k < 5; k++) {
			struct json_object *e = json_object_array_get_idx(b, k);

			v[k] = json_object_get_int(e);
		}
		box[i] = (struct nst_box){ v[0], v[1], v[2], v[3] };
		matched[i] = v[4];
	}
	*ret_count = (unsigned int)n;
	return 0;
}

/* Binary PGM as nst_output_shot() writes it, or an error. */
static int read_pgm(const char *path, unsigned char **ret, int *ret_width,
		    int *ret_height)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ unsigned char *pixels = NULL;
	int w, h, max;
	size_t len;

	if (!f)
		return -errno;
	if (fscanf(f, "P5 %d %d %d", &w, &h, &max) != 3 || max != 255 ||
	    w < 1 || h < 1 || w > SIDE_MAX || h > SIDE_MAX)
		return -EPROTO;
	if (fgetc(f) == EOF)
		return -EPROTO;
	len = (size_t)w * (size_t)h;
	pixels = malloc(len);
	if (!pixels)
		return -ENOMEM;
	if (fread(pixels, 1, len, f) != len)
		return -EPROTO;
	*ret = NST_TAKE(pixels);
	*ret_width = w;
	*ret_height = h;
	return 0;
}

static int draw(const char *dir, struct json_object *line)
{
	_cleanup_free_ unsigned char *pixels = NULL;
	struct nst_box truth[NST_SCORE_BOXES_MAX], found[NST_SCORE_BOXES_MAX];
	bool ignored[NST_SCORE_BOXES_MAX], matched[NST_SCORE_BOXES_MAX];
	struct nst_picture p = { .truth = truth, .found = found,
				 .found_matched = matched };
	struct json_object *temp;
	char path[512], caption[160];
	const char *file = text_of(line, "file");
	size_t stem = strlen(file);
	unsigned int hits = 0;
	int r;

	if (stem < 5 || strcmp(file + stem - 4, ".pgm") || strchr(file, '/'))
		return -EPROTO;
	r = boxes_of(line, "truth", truth, ignored, &p.truth_count);
	if (!r)
		r = boxes_of(line, "found", found, matched, &p.found_count);
	if (r)
		return r;
	if (!json_object_object_get_ex(line, "exposure_mc", &temp))
		return -EPROTO;
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	r = read_pgm(path, &pixels, &p.width, &p.height);
	if (r)
		return r;
	for (unsigned int i = 0; i < p.found_count; i++)
		hits += matched[i];
	snprintf(caption, sizeof(caption),
		 "%s, %s: exposed at %.1f \302\260C, %u of %u objects found, "
		 "%u false", text_of(line, "sensor"), text_of(line, "phase"),
		 json_object_get_int(temp) / 1000.0, hits, p.truth_count,
		 p.found_count - hits);
	p.pixels = pixels;
	p.stride = p.width;
	p.caption = caption;
	strcpy(path + strlen(path) - 4, ".png");
	return nst_picture_write(&p, path);
}

int nst_draw_all(const char *dir)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	char path[512];
	int err = 0;

	snprintf(path, sizeof(path), "%s/vision.jsonl", dir);
	f = fopen(path, "re");
	if (!f)
		return nst_log_err(-errno, "%s", path);
	while (getline(&text, &size, f) > 0) {
		_cleanup_(json_putp) struct json_object *line =
			json_tokener_parse(text);
		int r;

		if (!line || strcmp(text_of(line, "kind"), "picture"))
			continue;
		r = draw(dir, line);
		if (r)
			nst_log_err(r, "%s/%s", dir, text_of(line, "file"));
		if (r && !err)
			err = r;
	}
	return err;
}
