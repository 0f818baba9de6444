#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sim_noise.sh - sim_noise finds what the camera was made with
#
# Two cameras: the reference, and one whose every figure is another, so that
# nothing can be right by habit.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_lib.inc"

begin_camera
plan 11

# measure NAME WELL DOUBLING DSNU PRNU READ: a camera, and sim_noise on it
measure()
{
	_n=$1
	stack "$1" clock=step max_temp_mc=150000 full_well_e="$2" \
		doubling_mc="$3" dsnu_permyriad="$4" prnu_permyriad="$5" \
		read_noise_me="$6" power_run_mw=100
	put "$NST/policy/engine" none
	video
	# Heat or cool it, air and all, so that it stays there.
	cat > warm <<- END
	#!/bin/sh
	echo "\$1" > $SIM/ambient_mc && echo "hot \$1" > $SIM/fault
	END
	chmod +x warm
	# 959 DN over the full scale at ISO 800
	sim_noise "$VIDEO" "$HWMON/temp1_input" ./warm \
		$((959 * 1000000 * 8 / $2)) "$3" "$4" "$5" "$6" > out 2>&1 ||
		note "sim_noise failed: $(tail -n 1 out)"
	grep '^#' out
	for _f in 1 2 3 4 5; do
		check "$_n: $(sed -n "s/.*ok $_f - //p" out)" \
			grep -q "^ok $_f " out
	done
	unstack "$1"
}

measure reference 7900 7000 1000 100 2700
measure other 15000 5700 1500 150 4000
check "the modules go" nst_unload
finish
