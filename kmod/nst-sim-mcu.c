// SPDX-License-Identifier: GPL-2.0-only
/*
 * nst-sim-mcu.c - the management MCU of an emulated stack
 */
#include "nst-sim-bus.h"

#if NST_SIM_HAS_BUS

int nst_sim_mcu_init(struct nst_sim *sim)
{
	return -EOPNOTSUPP;
}

void nst_sim_mcu_free(struct nst_sim *sim)
{
}

void nst_sim_mcu_tick(struct nst_sim *sim, u64 t_us)
{
}

void nst_sim_mcu_frame(struct nst_sim *sim, u64 seq, u64 t_us)
{
}

u8 nst_sim_mcu_address(void)
{
	return 0x36;
}

const struct nst_sim_target nst_sim_mcu_target;

#endif /* NST_SIM_HAS_BUS */
