// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* seldom.c - lines that must not fill the log, see seldom.h */
#include "seldom.h"

bool nst_seldom_may(struct nst_seldom *s, u32 gap_ms, u64 now_ms,
		    unsigned int *ret_unsaid)
{
	if (s->said_ms && now_ms - s->said_ms < gap_ms) {
		s->unsaid++;
		return false;
	}
	*ret_unsaid = s->unsaid;
	s->unsaid = 0;
	s->said_ms = now_ms ? now_ms : 1;
	return true;
}
