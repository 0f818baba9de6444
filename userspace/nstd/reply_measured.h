/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * reply_measured.h - what applications told of a sensor, as JSON
 */
#ifndef NST_REPLY_MEASURED_H
#define NST_REPLY_MEASURED_H

#include "out.h"
#include "sensor.h"

/**
 * nst_reply_measured() - members "reported" and "tasks" of a sensor
 * Of each task that asks for an SNR: the demand, what was measured, its
 * lower bound, the margin and whether it is met; or why there is no number.
 */
void nst_reply_measured(const struct nst_sensor *s, u64 now_ms,
			struct nst_out *o);

#endif /* NST_REPLY_MEASURED_H */
