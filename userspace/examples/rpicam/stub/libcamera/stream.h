/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* stream.h - see ../core/rpicam_app.hpp: nothing of it is needed */
#pragma once
