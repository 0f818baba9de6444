/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * cleanup.h - resources that end with their scope
 *
 * A variable marked with one of these is initialised where it is declared
 * and released when its scope ends; NST_TAKE() hands ownership on. A
 * function uses either these or goto, not both.
 */
#ifndef NST_CLEANUP_H
#define NST_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void nst_freep(void *p)
{
	free(*(void **)p);
}

static inline void nst_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void nst_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define _cleanup_(f)	__attribute__((__cleanup__(f)))
#define _cleanup_free_	_cleanup_(nst_freep)
#define _cleanup_fclose_ _cleanup_(nst_fclosep)
#define _cleanup_close_	_cleanup_(nst_closep)

#define NST_TAKE(p)                         \
	({                                  \
		__auto_type _from = &(p);   \
		__auto_type _took = *_from; \
		*_from = NULL;              \
		_took;                      \
	})

#define NST_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif /* NST_CLEANUP_H */
