// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_nstd_request.c - the reader of requests against json-c
 *
 * Whatever the reader accepts json-c has to accept, with the same members
 * and values; what it refuses and json-c accepts has to be one of the things
 * the reader says it does not do (nested values, a key twice, ...).
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "nstd/out.h"
#include "nstd/request.h"
#include "ktap.h"
#include "units.h"

#define LEN_MAX 512

/* Parses a copy at the end of a heap block, so that ASan sees an overrun. */
static int parse(const char *text, size_t len, struct nst_request *req,
		 char **ret_buf, char *what, size_t what_size)
{
	char *buf = malloc(len + 1);
	int r;

	memcpy(buf, text, len);
	buf[len] = 'x';
	r = nst_request_parse(req, buf, len, what, what_size);
	*ret_buf = buf;
	return r;
}

static void good(void)
{
	static const char text[] =
		" {\"id\": 12 , \"req\":\"frame.get\",\"seq\":18446744073709551615,"
		"\"a\":-9223372036854775808,\"b\":true,\"c\":null,\"d\":1.5e3,"
		"\"e\":\"\\u00e9\\ud83d\\ude00\\n\\\"\\\\\", \"f\":false,"
		"\"g\":9223372036854775807 }\n";
	struct nst_request req;
	char what[128], *buf;
	const struct nst_member *m;

	EXPECT(!parse(text, sizeof(text) - 1, &req, &buf, what, sizeof(what)),
	       "%s", what);
	EXPECT(!strcmp(req.id, "12"), "%s", req.id);
	m = nst_request_find(&req, "req");
	EXPECT(m && m->type == NST_MEMBER_STRING &&
	       !strcmp(m->text, "frame.get"), " ");
	m = nst_request_find(&req, "seq");
	EXPECT(m && m->type == NST_MEMBER_REAL, "does not fit int64");
	m = nst_request_find(&req, "a");
	EXPECT(m && m->type == NST_MEMBER_INT && m->number == INT64_MIN, " ");
	m = nst_request_find(&req, "g");
	EXPECT(m && m->type == NST_MEMBER_INT && m->number == INT64_MAX, " ");
	m = nst_request_find(&req, "b");
	EXPECT(m && m->type == NST_MEMBER_BOOL && m->truth, " ");
	m = nst_request_find(&req, "f");
	EXPECT(m && m->type == NST_MEMBER_BOOL && !m->truth, " ");
	m = nst_request_find(&req, "c");
	EXPECT(m && m->type == NST_MEMBER_NULL, " ");
	m = nst_request_find(&req, "d");
	EXPECT(m && m->type == NST_MEMBER_REAL, " ");
	m = nst_request_find(&req, "e");
	EXPECT(m && !strcmp(m->text, "\xc3\xa9\xf0\x9f\x98\x80\n\"\\"), " ");
	EXPECT(!nst_request_find(&req, "z"), " ");
	free(buf);
}

static void ids(void)
{
	static const struct {
		const char *text;
		const char *id;
		int res;
	} cases[] = {
		{ "{\"req\":\"x\"}", "null", 0 },
		{ "{\"id\":\"a\\\"b\"}", "\"a\\\"b\"", 0 },
		{ "{\"id\":-1.5}", "-1.5", 0 },
		{ "{\"id\":null}", "null", 0 },
		{ "{\"id\":true}", "null", -EINVAL },
		{ "{\"id\":{}}", "null", -EINVAL },
		{ "{\"id\":\"0123456789012345678901234567890123456789\"}",
		  "null", -EINVAL },
		/* the id of a request that breaks later goes into the reply */
		{ "{\"id\":7,\"req\":[]}", "7", -EINVAL },
		{ "{\"id\":7", "7", -EINVAL },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(cases); i++) {
		struct nst_request req;
		char what[128], *buf;
		int r = parse(cases[i].text, strlen(cases[i].text), &req,
			      &buf, what, sizeof(what));

		EXPECT(r == cases[i].res, "case %u gave %d", i, r);
		EXPECT(!strcmp(req.id, cases[i].id), "case %u: %s", i, req.id);
		free(buf);
	}
}

static void refused(void)
{
	static const char *const cases[][2] = {
		{ "", "a request is a JSON object" },
		{ "[]", "a request is a JSON object" },
		{ "{", "a string is expected" },
		{ "{\"a\"}", "':' is expected" },
		{ "{\"a\":1,}", "a string is expected" },
		{ "{\"a\":1 \"b\":2}", "',' or '}' is expected" },
		{ "{\"a\":1}}", "something follows the object" },
		{ "{\"a\":1,\"a\":2}", "a key twice" },
		{ "{\"a\":{}}", "a nested value" },
		{ "{\"a\":[1]}", "a nested value" },
		{ "{\"a\":tru}", "a value is expected" },
		{ "{\"a\":}", "a digit is expected" },
		{ "{\"a\":-}", "a digit is expected" },
		{ "{\"a\":1.}", "a digit is expected" },
		{ "{\"a\":1e}", "a digit is expected" },
		{ "{\"a\":\"\\x\"}", "an unknown escape" },
		{ "{\"a\":\"\\u12g4\"}", "\\u needs four" },
		{ "{\"a\":\"\\u0000\"}", "a NUL in a string" },
		{ "{\"a\":\"\\ud800\"}", "half of a surrogate pair" },
		{ "{\"a\":\"\\udc00\"}", "half of a surrogate pair" },
		{ "{\"a\":\"\xff\"}", "not UTF-8" },
		{ "{\"a\":\"\xc0\x80\"}", "not UTF-8" },
		{ "{\"a\":\"\xed\xa0\x80\"}", "not UTF-8" },
		{ "{\"a\":\"\n\"}", "a control character" },
		{ "{\"a\":\"b", "a string without an end" },
		{ "{\"a\":\"b\\", "a string without an end" },
		{ "{\"a\":01}", "',' or '}' is expected" },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(cases); i++) {
		struct nst_request req;
		char what[128] = "", *buf;

		EXPECT(parse(cases[i][0], strlen(cases[i][0]), &req, &buf,
			     what, sizeof(what)) == -EINVAL, "case %u", i);
		EXPECT(strstr(what, cases[i][1]), "case %u: %s", i, what);
		free(buf);
	}
}

static void too_many(void)
{
	char text[400] = "{", what[128], *buf;
	struct nst_request req;
	size_t len = 1;

	for (int i = 0; i <= NST_REQUEST_MEMBERS; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s\"k%d\":%d", i ? "," : "", i, i);
	text[len++] = '}';
	EXPECT(parse(text, len, &req, &buf, what, sizeof(what)) == -EINVAL &&
	       strstr(what, "too many members"), "%s", what);
	free(buf);
}

/* ----------------------------------------------------------------- fuzz */

static uint64_t rng_state = 88172645463325252ull;

static uint64_t rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

static struct json_object *oracle(const char *text, size_t len)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *o;

	json_tokener_set_flags(tok, JSON_TOKENER_STRICT |
			       JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text, (int)len);
	if (json_tokener_get_error(tok) != json_tokener_success) {
		json_object_put(o);
		o = NULL;
	}
	json_tokener_free(tok);
	return o;
}

static void compare(const struct nst_request *req, struct json_object *o,
		    const char *text, size_t len)
{
	EXPECT((int)req->count == json_object_object_length(o), "%.*s",
	       (int)len, text);
	for (unsigned int i = 0; i < req->count; i++) {
		const struct nst_member *m = &req->member[i];
		struct json_object *v = NULL;

		EXPECT(json_object_object_get_ex(o, m->key, &v), "%.*s",
		       (int)len, text);
		switch (m->type) {
		case NST_MEMBER_NULL:
			EXPECT(!v, "%.*s", (int)len, text);
			break;
		case NST_MEMBER_BOOL:
			EXPECT(json_object_is_type(v, json_type_boolean) &&
			       json_object_get_boolean(v) == m->truth,
			       "%.*s", (int)len, text);
			break;
		case NST_MEMBER_INT:
			EXPECT(json_object_is_type(v, json_type_int) &&
			       json_object_get_int64(v) == m->number,
			       "%.*s", (int)len, text);
			break;
		case NST_MEMBER_STRING:
			EXPECT(json_object_is_type(v, json_type_string) &&
			       !strcmp(json_object_get_string(v), m->text),
			       "%.*s", (int)len, text);
			break;
		default:
			EXPECT(json_object_is_type(v, json_type_double) ||
			       json_object_is_type(v, json_type_int),
			       "%.*s", (int)len, text);
		}
	}
}

static const char *const seeds[] = {
	"{\"id\":1,\"req\":\"status\"}",
	"{\"id\":\"x\",\"req\":\"frame.get\",\"sensor\":\"cam0\",\"seq\":1234}",
	"{\"a\":-0.5e+7,\"b\":\"\\u00e9\\ud83d\\ude00\",\"c\":null,\"d\":true}",
	"{ \"k\" : 0 , \"l\" : \"\xc3\xa9\" }",
	"{}",
};

static size_t make_text(char *text)
{
	static const char *const bits[] = {
		"\"", ",", ":", "{", "}", "[", "]", "\\", "\\u", "1", "-",
		"e", ".", "true", "null", "id", "\"id\":", "\xe2\x82\xac",
		"\xf0", "\xff", " ", "\n", "0",
	};
	const char *seed = seeds[rng() % KTAP_COUNT(seeds)];
	size_t len = strlen(seed);

	memcpy(text, seed, len);
	for (uint64_t n = rng() % 4; n; n--) {
		size_t at = len ? rng() % len : 0;
		const char *bit = bits[rng() % KTAP_COUNT(bits)];

		if (rng() % 3 == 0 && len) {
			memmove(text + at, text + at + 1, len - at - 1);
			len--;
		} else if (rng() % 2 && len) {
			text[at] = (char)(rng() % 8 ? *bit : (char)rng());
		} else if (len + strlen(bit) < LEN_MAX) {
			memmove(text + at + strlen(bit), text + at, len - at);
			memcpy(text + at, bit, strlen(bit));
			len += strlen(bit);
		}
	}
	return len;
}

/*
 * What json-c takes and the reader does not, by design: what requests do not
 * have, and where json-c is laxer than RFC 8259 (control characters, half
 * surrogates, overlong UTF-8, "0." and "01").
 */
static bool by_design(const char *what, const char *text, size_t len)
{
	static const char *const designed[] = {
		"nested", "twice", "too many", "NUL", "\"id\"",
		"a request is a JSON object", "a control character",
		"half of a surrogate pair", "a digit is expected",
		"not UTF-8",
	};

	for (unsigned int i = 0; i < KTAP_COUNT(designed); i++)
		if (strstr(what, designed[i]))
			return true;
	for (size_t i = 1; i + 1 < len; i++)
		if (text[i] == '0' && !strchr("0123456789.", text[i - 1]) &&
		    text[i + 1] >= '0' && text[i + 1] <= '9')
			return true;
	return false;
}

static void against_json_c(void)
{
	unsigned int taken = 0, both_refuse = 0;

	for (int i = 0; i < 100000; i++) {
		char text[LEN_MAX + 16], what[128] = "", *buf;
		size_t len = make_text(text);
		struct nst_request req;
		struct json_object *o = oracle(text, len);
		int r = parse(text, len, &req, &buf, what, sizeof(what));

		if (!r) {
			taken++;
			EXPECT(json_object_is_type(o, json_type_object),
			       "json-c refuses: %.*s", (int)len, text);
			if (o)
				compare(&req, o, text, len);
		} else if (!o) {
			both_refuse++;
		} else {
			EXPECT(by_design(what, text, len), "refused (%s): %.*s", what,
			       (int)len, text);
		}
		json_object_put(o);
		free(buf);
	}
	EXPECT(taken > 10000 && both_refuse > 10000, "%u taken, %u refused",
	       taken, both_refuse);
}

/* ---------------------------------------------------------------- output */

static void output(void)
{
	char buf[64];
	struct nst_out o;

	nst_out_init(&o, buf, sizeof(buf));
	nst_out_printf(&o, "{\"k\":");
	nst_out_string(&o, "a\"b\\c\n\x7f");
	nst_out_temp(&o, "t", -500);
	nst_out_temp(&o, "u", NST_TEMP_NONE_MC);
	nst_out_printf(&o, "}");
	EXPECT(!o.full && !strcmp(buf, "{\"k\":\"a\\\"b\\\\c\\u000a\\u007f\","
				       "\"t\":-500}"), "%s", buf);
	nst_out_init(&o, buf, 8);
	nst_out_printf(&o, "1234");
	nst_out_printf(&o, "5678");
	nst_out_printf(&o, "9");
	EXPECT(o.full && !strcmp(buf, "1234") && o.len == 4, "%s", buf);
}

static const struct ktap_test tests[] = {
	{ "good", good },
	{ "ids", ids },
	{ "refused", refused },
	{ "too_many", too_many },
	{ "against_json_c", against_json_c },
	{ "output", output },
};

int main(void)
{
	return ktap_main(tests, KTAP_COUNT(tests));
}
