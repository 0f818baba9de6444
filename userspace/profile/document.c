// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* document.c - one YAML file as a tree, see document.h */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "document.h"
#include "number.h"

#define FILE_MAX (1024 * 1024)

struct nst_doc_message {
	yaml_mark_t mark;
	unsigned int order;
	char *text;
};

/* ---------------------------------------------------------- messages --- */

/* Kept, so that they can be told in the order of the file. */
static void complain_at(struct nst_doc *doc, const yaml_mark_t *mark,
			const char *format, va_list ap)
{
	struct nst_doc_message *more;

	more = reallocarray(doc->messages, doc->errors + 1, sizeof(*more));
	if (more) {
		doc->messages = more;
		more += doc->errors;
		more->mark = *mark;
		more->order = doc->errors;
		if (vasprintf(&more->text, format, ap) < 0)
			more->text = NULL;
	}
	if (!more || !more->text)
		doc->out_of_memory = true;
	else
		doc->errors++;
}

void nst_doc_complain(struct nst_doc *doc, const yaml_node_t *node,
		      const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	complain_at(doc, &node->start_mark, format, ap);
	va_end(ap);
}

static void complain_mark(struct nst_doc *doc, yaml_mark_t mark,
			  const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void complain_mark(struct nst_doc *doc, yaml_mark_t mark,
			  const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	complain_at(doc, &mark, format, ap);
	va_end(ap);
}

static int by_place(const void *a, const void *b)
{
	const struct nst_doc_message *x = a, *y = b;

	if (x->mark.line != y->mark.line)
		return x->mark.line < y->mark.line ? -1 : 1;
	if (x->mark.column != y->mark.column)
		return x->mark.column < y->mark.column ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void tell(struct nst_doc *doc, FILE *err)
{
	if (doc->errors)
		qsort(doc->messages, doc->errors, sizeof(*doc->messages),
		      by_place);
	for (unsigned int i = 0; i < doc->errors; i++) {
		const struct nst_doc_message *m = &doc->messages[i];

		if (err)
			fprintf(err, "%s:%zu:%zu: %s\n", doc->path,
				m->mark.line + 1, m->mark.column + 1, m->text);
		free(m->text);
	}
	free(doc->messages);
	doc->messages = NULL;
}

/* ------------------------------------------------------------- nodes --- */

const yaml_node_t *nst_doc_node(struct nst_doc *doc, int index)
{
	return yaml_document_get_node(&doc->yaml, index);
}

const char *nst_doc_kind(const yaml_node_t *node)
{
	switch (node->type) {
	case YAML_SEQUENCE_NODE:
		return "a list";
	case YAML_MAPPING_NODE:
		return "a mapping";
	case YAML_SCALAR_NODE:
		return "a value";
	default:
		return "nothing";
	}
}

const char *nst_doc_text(struct nst_doc *doc, const yaml_node_t *node,
			 const char *name, const char *wanted)
{
	const char *text;

	if (node->type != YAML_SCALAR_NODE) {
		nst_doc_complain(doc, node, "'%s' must be %s, this is %s", name,
			 wanted, nst_doc_kind(node));
		return NULL;
	}
	if (node->tag && strcmp((const char *)node->tag, YAML_STR_TAG)) {
		nst_doc_complain(doc, node, "'%s': tags are not used here", name);
		return NULL;
	}
	text = (const char *)node->data.scalar.value;
	if (strlen(text) != node->data.scalar.length) {
		nst_doc_complain(doc, node, "'%s' holds a NUL character", name);
		return NULL;
	}
	return text;
}

/* Quotes make a text of it. */
const char *nst_doc_plain(struct nst_doc *doc, const yaml_node_t *node,
			  const char *name, const char *wanted)
{
	const char *text = nst_doc_text(doc, node, name, wanted);

	if (text && node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
		nst_doc_complain(doc, node, "'%s' must be %s, this is a quoted text",
			 name, wanted);
		return NULL;
	}
	return text;
}

/* ----------------------------------------------------------- numbers --- */

bool nst_doc_int(struct nst_doc *doc, const yaml_node_t *node,
		 const char *name, double min, double max, long long *ret)
{
	const char *text = nst_doc_plain(doc, node, name, "an integer");
	int r;

	if (!text)
		return false;
	r = nst_number_int(text, (long long)min, (long long)max, ret);
	if (r == -EINVAL)
		nst_doc_complain(doc, node,
				 "'%s' must be an integer, not '%s'; valid: %.0f to %.0f",
				 name, text, min, max);
	else if (r)
		nst_doc_complain(doc, node,
				 "'%s' is %s, out of range; valid: %.0f to %.0f",
				 name, text, min, max);
	return !r;
}

bool nst_doc_milli(struct nst_doc *doc, const yaml_node_t *node,
		   const char *name, double min, double max, long long *ret)
{
	const char *text = nst_doc_plain(doc, node, name, "a number");
	int r;

	if (!text)
		return false;
	r = nst_number_milli(text, (long long)(min * 1000.0),
			     (long long)(max * 1000.0), ret);
	if (r == -EINVAL)
		nst_doc_complain(doc, node,
				 "'%s' must be a number with at most three decimals, not '%s'; valid: %g to %g",
				 name, text, min, max);
	else if (r)
		nst_doc_complain(doc, node,
				 "'%s' is %s, out of range; valid: %g to %g",
				 name, text, min, max);
	return !r;
}

bool nst_doc_real(struct nst_doc *doc, const yaml_node_t *node,
		  const char *name, double min, double max, double *ret)
{
	const char *text = nst_doc_plain(doc, node, name, "a number");
	int r;

	if (!text)
		return false;
	r = nst_number_real(text, min, max, ret);
	if (r == -EINVAL)
		nst_doc_complain(doc, node,
				 "'%s' must be a number, not '%s'; valid: %g to %g",
				 name, text, min, max);
	else if (r)
		nst_doc_complain(doc, node,
				 "'%s' is %s, out of range; valid: %g to %g",
				 name, text, min, max);
	return !r;
}

/* -------------------------------------------------------------- file --- */

static int read_file(const char *path, char **ret, size_t *ret_len)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	_cleanup_free_ char *text = NULL;
	struct stat st;
	size_t len;

	if (!in || fstat(fileno(in), &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	text = malloc(FILE_MAX + 1);
	if (!text)
		return -ENOMEM;
	errno = 0;
	len = fread(text, 1, FILE_MAX + 1, in);
	if (ferror(in))
		return errno ? -errno : -EIO;
	if (len > FILE_MAX)
		return -EFBIG;
	*ret = NST_TAKE(text);
	*ret_len = len;
	return 0;
}

static yaml_mark_t mark_at(const char *text, size_t len, size_t offset)
{
	yaml_mark_t mark = { 0 };

	for (size_t i = 0; i < offset && i < len; i++) {
		mark.column++;
		if (text[i] == '\n') {
			mark.line++;
			mark.column = 0;
		}
	}
	return mark;
}

/* Is it a tab that the scanner stumbled over? Marks count characters. */
static bool is_tab(const char *text, size_t len, size_t index)
{
	size_t i = 0;

	for (; i < len; i++) {
		bool begins = ((unsigned char)text[i] & 0xc0) != 0x80;

		if (begins && !index--)
			break;
	}
	return i < len && text[i] == '\t';
}

static void second_document(struct nst_doc *doc, yaml_parser_t *parser)
{
	yaml_document_t second;
	const yaml_node_t *root;

	if (!yaml_parser_load(parser, &second)) {
		complain_mark(doc, parser->problem_mark, "%s",
			      parser->problem ? parser->problem :
						"cannot be read as YAML");
		return;
	}
	root = yaml_document_get_root_node(&second);
	if (root)
		nst_doc_complain(doc, root,
				 "%s is one document, this is a second one",
				 doc->what);
	yaml_document_delete(&second);
}

int nst_doc_open_text(struct nst_doc *doc, const char *path, const char *what,
		      const char *text, size_t len)
{
	yaml_mark_t none = { 0 };
	yaml_parser_t parser;

	memset(doc, 0, sizeof(*doc));
	doc->path = path;
	doc->what = what;
	if (!yaml_parser_initialize(&parser))
		return -ENOMEM;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text,
				     len);
	if (!yaml_parser_load(&parser, &doc->yaml)) {
		yaml_mark_t mark = parser.problem_mark;

		/* A reader error (bad UTF-8) has an offset instead. */
		if (parser.error == YAML_READER_ERROR)
			mark = mark_at(text, len, parser.problem_offset);
		if (parser.error == YAML_SCANNER_ERROR &&
		    is_tab(text, len, mark.index))
			complain_mark(doc, mark,
				      "a tab, which YAML does not indent with: use spaces");
		else
			complain_mark(doc, mark, "%s%s%s",
				      parser.context ? parser.context : "",
				      parser.context ? ", " : "",
				      parser.problem ? parser.problem :
						       "cannot be read as YAML");
	} else {
		doc->parsed = true;
		doc->root = yaml_document_get_root_node(&doc->yaml);
		if (doc->root)
			second_document(doc, &parser);
		else
			complain_mark(doc, none,
				      "the file is empty; %s begins with 'version: 1'",
				      what);
	}
	yaml_parser_delete(&parser);
	return 0;
}

int nst_doc_open(struct nst_doc *doc, const char *path, const char *what)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	int r;

	r = read_file(path, &text, &len);
	return r ? r : nst_doc_open_text(doc, path, what, text, len);
}

int nst_doc_close(struct nst_doc *doc, FILE *err)
{
	unsigned int errors = doc->errors;

	if (doc->parsed)
		yaml_document_delete(&doc->yaml);
	tell(doc, err);
	if (doc->out_of_memory)
		return -ENOMEM;
	return errors ? -EINVAL : 0;
}

/* ------------------------------------------------------------ writing --- */

/* Words that other YAML programs take for something else than a text. */
static bool needs_quotes(const char *text)
{
	static const char *const taken[] = { "true", "false", "yes", "no",
					     "on", "off", "y", "n", "null" };
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";

	if (!*text || strchr("0123456789-./", *text) ||
	    text[strspn(text, plain)])
		return *text != '/' || text[strspn(text, plain)];
	for (size_t i = 0; i < NST_ARRAY_SIZE(taken); i++) {
		if (!strcasecmp(text, taken[i]))
			return true;
	}
	return false;
}

void nst_doc_put_text(const char *text, FILE *out)
{
	if (!needs_quotes(text)) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void nst_doc_put_real(double value, FILE *out)
{
	char buf[40];

	for (int digits = 6; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	fputs(buf, out);
}
