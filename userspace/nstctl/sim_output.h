/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sim_output.h - what a simulated run is told as: JSON, a table, the head of
 * its recording; for sim and replay
 */
#ifndef NST_SIM_OUTPUT_H
#define NST_SIM_OUTPUT_H

#include <json-c/json.h>

#include "sim.h"

/** nst_sim_output_json() - an object; of the caller */
struct json_object *nst_sim_output_json(const struct nst_sim_options *sim,
					const char *profile_path,
					const struct nst_sim_result *r);

/** nst_sim_output_put() - on standard output; the object goes */
void nst_sim_output_put(struct json_object *obj);

/** nst_sim_output_table() - for people, on standard output */
void nst_sim_output_table(const struct nst_sim_options *sim,
			  const struct nst_sim_result *r);

/**
 * nst_sim_output_describe() - description lines of a recording
 * @name: of the sensor in it; @source: the command
 * Return: 0, or as nst_rec_writer_meta().
 */
int nst_sim_output_describe(struct nst_rec_writer *writer,
			    const struct nst_sim_options *sim,
			    const char *name, const char *source);

#endif /* NST_SIM_OUTPUT_H */
