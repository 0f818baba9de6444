// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * log.c - messages of the programs, see log.h
 *
 * A message is put together in a buffer on the stack and written with one
 * call: no allocation, and lines of two processes do not mix.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

#define LINE_LEN 1024

static const char *log_program = "nst";
static enum nst_log_level log_max = NST_LOG_INFO;
static int log_journal;

void nst_log_init(const char *program, enum nst_log_level max_level)
{
	log_program = program;
	log_max = max_level;
	log_journal = !!getenv("JOURNAL_STREAM");
}

static void log_line(enum nst_log_level level, int err, const char *format,
		     va_list ap)
{
	char line[LINE_LEN];
	size_t len;
	int n;

	if (log_journal)
		n = snprintf(line, sizeof(line), "<%d>", (int)level);
	else
		n = snprintf(line, sizeof(line), "%s: ", log_program);
	if (n < 0)
		return;
	len = (size_t)n;
	if (len >= sizeof(line))
		len = sizeof(line) - 1;

	n = vsnprintf(line + len, sizeof(line) - len, format, ap);
	if (n < 0)
		return;
	len = strlen(line);
	if (err) {
		snprintf(line + len, sizeof(line) - len, ": %s",
			 strerror(err < 0 ? -err : err));
		len = strlen(line);
	}
	if (len == sizeof(line) - 1)
		len--;
	line[len++] = '\n';
	if (write(STDERR_FILENO, line, len) < 0)
		return; /* nobody listens; there is nowhere to say so */
}

void nst_log(enum nst_log_level level, const char *format, ...)
{
	va_list ap;

	if (level > log_max)
		return;
	va_start(ap, format);
	log_line(level, 0, format, ap);
	va_end(ap);
}

int nst_log_err(int err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	log_line(NST_LOG_ERR, err, format, ap);
	va_end(ap);
	return err;
}
