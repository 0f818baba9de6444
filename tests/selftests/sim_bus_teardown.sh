# SPDX-License-Identifier: GPL-2.0-only
#
# A stack on a bus goes at any time: in the middle of transfers, with the
# adapter's device file open, with the real providers bound and reading, by
# configfs, by unbind of any of its devices, and again.

. "${NST_SELFTESTS:-$(dirname "$0")}/sim_bus.inc"

begin_bus
rounds=${NST_ROUNDS:-5}
plan 14

HAMMERS=
hammer()
{
	for _ in 1 2 3; do
		sim_i2c "$BUS" "$1" hammer > "hammer.$_" 2>&1 &
		HAMMERS="$HAMMERS $!"
	done
	for _ in 1 2 3; do
		waits "hammer.$_" 'begun*' 10
	done
	sleep 0.1
}

# ended WANT: every one of them, by that errno
ended()
{
	# shellcheck disable=SC2086 # a list of words
	wait $HAMMERS
	HAMMERS=
	for _h in 1 2 3; do
		case $(cat "hammer.$_h") in
		*"then $1") ;;
		*)
			note "a transfer ended by: $(cat "hammer.$_h")"
			return 1
			;;
		esac
	done
}

board go attach=cci bus_hz=100000 || exit 1
put "$SIM/owner_active" 1
hammer 0x1a
check "live=0 during transfers" put "$CONFIG/go/live" 0
check "transfers end with ENODEV" ended ENODEV
check "and may come back" put "$CONFIG/go/live" 1
BUS=$(wire adapter)

# A file that stays open keeps the adapter, nobody waits for it.
exec 3<> "/dev/i2c-$BUS"
t=$(date +%s)
check "live=0 with the adapter's file open" put "$CONFIG/go/live" 0
check "does not wait" at_most $(($(date +%s) - t)) 60
check "comes back with another adapter" put "$CONFIG/go/live" 1
check "that works" eval 'BUS=$(wire adapter); put "$SIM/owner_active" 1 &&
	same "04 77" "$(reg 0x1a 0016 2)"'
exec 3>&-

hammer 0x1a
pdev=$(basename /sys/bus/platform/drivers/nst-sim/nst-sim.*)
check "unbind of the stack during transfers" \
	put /sys/bus/platform/drivers/nst-sim/unbind "$pdev"
check "transfers end with ENODEV" ended ENODEV
check "bind makes it anew" put /sys/bus/platform/drivers/nst-sim/bind "$pdev"
unstack go

# --- with the providers bound ----------------------------------------------

modprobe -qa nst-cci nst-mcu
again()
{
	i=0
	while [ $i -lt "$rounds" ]; do
		board "r$i" "$@" frame_period_us=5000 || return 1
		[ "$1" != attach=cci ] || put "$SIM/owner_active" 1
		sim_i2c "$BUS" 0x1a hammer > /dev/null &
		_p=$!
		sleep 0.2
		put "$CONFIG/r$i/live" 0 || return 1
		wait $_p
		rmdir "$CONFIG/r$i" || return 1
		i=$((i + 1))
	done
}
check "$rounds times with a companion bound" again attach=cci
check "$rounds times with an MCU bound" again attach=mcu

flap()
{
	board flap attach=cci frame_period_us=5000 owner_autosuspend_ms=0 ||
		return 1
	i=0
	while [ $i -lt $((rounds * 2)) ]; do
		put "$SIM/owner_active" 1
		fault owner_gone 1 || return 1
		sleep 0.02
		fault owner_gone 0 || return 1
		put "$SIM/owner_active" 0
		sleep 0.02
		i=$((i + 1))
	done
	fault owner_gone 1
	put "$CONFIG/flap/live" 0
}
check "the owner comes and goes under a companion" flap
rmdir "$CONFIG/flap"
check "the modules go" nst_unload
finish
