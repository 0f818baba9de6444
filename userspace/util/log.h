/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * log.h - messages of the programs
 *
 * Only the programs (nstd, nstctl, nst-vision) log; what they are linked
 * from returns errors. One line per message on standard error, with the
 * syslog priority in front ("<3>") when the stream is the journal, else
 * with the program's name.
 */
#ifndef NST_LOG_H
#define NST_LOG_H

enum nst_log_level {
	NST_LOG_ERR = 3,
	NST_LOG_WARNING = 4,
	NST_LOG_NOTICE = 5,
	NST_LOG_INFO = 6,
	NST_LOG_DEBUG = 7,
};

/** nst_log_init() - name for messages and the most verbose level shown */
void nst_log_init(const char *program, enum nst_log_level max_level);

void nst_log(enum nst_log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * nst_log_err() - say what failed and pass the error on
 * @err: negative errno, its text is appended; 0 for none
 * Return: @err, so that it can stand in a return statement.
 */
int nst_log_err(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* NST_LOG_H */
