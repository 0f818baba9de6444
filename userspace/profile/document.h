/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * document.h - one YAML file as a tree, with messages that say where
 *
 * What profiles and calibration files share: the file is read and parsed,
 * values are taken strictly, and everything that is wrong is kept and told
 * at the end in the order of the file, one line each:
 * "path:line:column: text".
 */
#ifndef NST_DOCUMENT_H
#define NST_DOCUMENT_H

#include <stdbool.h>
#include <stdio.h>
#include <yaml.h>

struct nst_doc_message;

/**
 * struct nst_doc - an open file; errors counts the messages so far
 * @what: "a profile", in messages about the whole
 * @root: NULL when there is nothing to read, which has been complained about
 */
struct nst_doc {
	const char *path;
	const char *what;
	unsigned int errors;
	bool out_of_memory;
	bool parsed;
	struct nst_doc_message *messages;
	yaml_document_t yaml;
	const yaml_node_t *root;
};

/**
 * nst_doc_open() - read and parse
 * Return: 0, with messages where the text is no YAML of one document; errno
 * of opening, -EISDIR, -EFBIG, -ENOMEM: then there is nothing to close.
 */
int nst_doc_open(struct nst_doc *doc, const char *path, const char *what);

/** nst_doc_open_text() - the same for a text; @path is its name in messages */
int nst_doc_open_text(struct nst_doc *doc, const char *path, const char *what,
		      const char *text, size_t len);

/**
 * nst_doc_close() - tell the messages on @err, which may be NULL
 * Return: 0; -EINVAL when there were any; -ENOMEM.
 */
int nst_doc_close(struct nst_doc *doc, FILE *err);

void nst_doc_complain(struct nst_doc *doc, const yaml_node_t *node,
		      const char *format, ...)
	__attribute__((format(printf, 3, 4)));

const yaml_node_t *nst_doc_node(struct nst_doc *doc, int index);

/** nst_doc_kind() - "a list", "a mapping", "a value" */
const char *nst_doc_kind(const yaml_node_t *node);

/**
 * nst_doc_text() - text of a scalar
 * @wanted: what @name should be, for the message
 * Return: NULL after a message.
 */
const char *nst_doc_text(struct nst_doc *doc, const yaml_node_t *node,
			 const char *name, const char *wanted);

/** nst_doc_plain() - the same for what is not a text: without quotes */
const char *nst_doc_plain(struct nst_doc *doc, const yaml_node_t *node,
			  const char *name, const char *wanted);

/* Numbers from min to max; false after a message that names the range. */
bool nst_doc_int(struct nst_doc *doc, const yaml_node_t *node,
		 const char *name, double min, double max, long long *ret);
bool nst_doc_milli(struct nst_doc *doc, const yaml_node_t *node,
		   const char *name, double min, double max, long long *ret);
bool nst_doc_real(struct nst_doc *doc, const yaml_node_t *node,
		  const char *name, double min, double max, double *ret);

/** nst_doc_put_text() - quoted where YAML needs it */
void nst_doc_put_text(const char *text, FILE *out);

/** nst_doc_put_real() - shortest decimal that reads back to the same double */
void nst_doc_put_real(double value, FILE *out);

#endif /* NST_DOCUMENT_H */
