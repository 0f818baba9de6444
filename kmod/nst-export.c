// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-export.c - what of the pure core other modules of the project call
 *
 * policies/core knows no kernel, so its symbols are exported from here. The
 * emulated stack runs its plant with the same code that the guard models it
 * with, and the application of its management MCU (firmware/app) is made of
 * the core as well.
 */
#include <linux/export.h>
#include <linux/module.h>

#include "exposure.h"
#include "limits.h"
#include "observer.h"
#include "plant.h"
#include "policy.h"
#include "rail.h"
#include "sample.h"

EXPORT_SYMBOL_GPL(nst_plant_reference);
EXPORT_SYMBOL_GPL(nst_plant_ar0330);
EXPORT_SYMBOL_GPL(nst_plant_params_check);
EXPORT_SYMBOL_GPL(nst_plant_init);
EXPORT_SYMBOL_GPL(nst_plant_set_state);
EXPORT_SYMBOL_GPL(nst_plant_set_steady);
EXPORT_SYMBOL_GPL(nst_plant_step);
EXPORT_SYMBOL_GPL(nst_plant_shift);
EXPORT_SYMBOL_GPL(nst_plant_die_mc);
EXPORT_SYMBOL_GPL(nst_plant_package_mc);
EXPORT_SYMBOL_GPL(nst_plant_peek_die_mc);
EXPORT_SYMBOL_GPL(nst_plant_steady_die_mc);
EXPORT_SYMBOL_GPL(nst_plant_jump_mc);
EXPORT_SYMBOL_GPL(nst_exp2_q32);
EXPORT_SYMBOL_GPL(nst_log2_q16);
EXPORT_SYMBOL_GPL(nst_exposure_row_mc);
EXPORT_SYMBOL_GPL(nst_exposure_frame_mc);
EXPORT_SYMBOL_GPL(nst_exposure_map_init);
EXPORT_SYMBOL_GPL(nst_exposure_map_mc);
EXPORT_SYMBOL_GPL(nst_policies);
EXPORT_SYMBOL_GPL(nst_policy_find);
EXPORT_SYMBOL_GPL(nst_gate_name);
EXPORT_SYMBOL_GPL(nst_placement_name);
EXPORT_SYMBOL_GPL(nst_reason_text);
EXPORT_SYMBOL_GPL(nst_sample_errno);
EXPORT_SYMBOL_GPL(nst_sample_from_errno);
EXPORT_SYMBOL_GPL(nst_sample_usable);
EXPORT_SYMBOL_GPL(nst_band_step);
EXPORT_SYMBOL_GPL(nst_rail_observe);
EXPORT_SYMBOL_GPL(nst_thresholds_check);
EXPORT_SYMBOL_GPL(nst_observer_init);
EXPORT_SYMBOL_GPL(nst_observer_advance);
EXPORT_SYMBOL_GPL(nst_observer_sample);
EXPORT_SYMBOL_GPL(nst_observer_die_mc);
