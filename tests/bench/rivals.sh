#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rivals.sh - what else one could have, on the same stack, trace and limit
#
# nstd, the kernel's step_wise, power_allocator and bang_bang on our cooling
# device, Debian's thermald on it, and a script as fancontrol's, in one boot of
# Debian's stock kernel (tests/bench/rivals/guest.sh). All of them gate the VPU, a
# frame that was exposed or is to be processed while it is gated being lost, and
# all of them see the same 90 s of rivals/trace.csv. Stacks are on the step clock:
# what the plant does depends on no wake-up. Those who govern by the wall clock get
# at least a second of it for each of the stack's, so a late machine only gives
# them more looks at less change; how late it was is said.
#
# Ranked by violations (frames delivered above their limit, on the true plant),
# then by frames delivered, then by energy for each of them. Those who can be given
# a temperature to keep are there twice: with the limit, and with 3 K less, as a
# careful user would have it.
#
#	NST_RIVALS_OUT	directory for logs, profiles and recordings; nstctl plot
#			draws one. Default: run/rivals
#	USAGE_S		seconds over which CPU time is counted (60)
#
# Exit status 1 when nstd is not the first, when thermald's log does not show
# writes of its own, and when nstd takes more CPU time or memory than thermald.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib/kernels.sh"
. "$top/tests/lib/thermald.sh"

out=${NST_RIVALS_OUT:-$top/run/rivals}
thermald=$(nst_thermald_dir)
mkdir -p "$out"
"$top/tests/lib/module.sh" 6.12 > /dev/null

# see tests/demo/run.sh
export NST_VM_APPEND="${NST_VM_APPEND-tsc=reliable}"

"$top/tests/qemu/vm.sh" -k 6.12 -t 1500 -o "$out" -e "THERMALD=$thermald" \
	-e "USAGE_S=${USAGE_S:-60}" "$top/tests/bench/rivals/guest.sh" \
	> "$out/result" || {
	cat "$out/result"
	exit 1
}

exec awk '
$1 == "limit" { limit = $2 }
$1 == "name" { who[$2] = $4 == "0" || $4 ~ /^[a-z]/ ? $3 : $3 " -" $4 / 1000 " K"
	       if ($4 ~ /^[a-z]/) { who[$2] = "nstd " $4; ours[$2] = 1 } }
$1 == "stack" { n++; id[n] = $2; frames[n] = $3; good[n] = $4; withheld[n] = $5
		bad[n] = $7; worst[n] = $8; each[n] = $4 ? $9 / $4 / 1000 : 0
		gates[n] = $11 }
$1 == "pace" { late[++paces] = $0 }
$1 == "usage" { used[++u] = $2; cpu[$2] = $4 / $3; rss[$2] = $5; anon[$2] = $6 }
$1 == "late_decisions" || $1 == "frames" { said = said " " $1 " " $2 }
$1 == "writes" { writes[$2] = $3; changes[$2] = $4 }
function before(a, b) {
	if (bad[a] != bad[b]) return bad[a] < bad[b]
	if (good[a] != good[b]) return good[a] > good[b]
	return each[a] < each[b]
}
END {
	for (i = 1; i <= n; i++) {
		at[i] = i
		for (j = i; j > 1 && before(at[j], at[j - 1]); j--) {
			k = at[j]; at[j] = at[j - 1]; at[j - 1] = k
		}
	}
	printf "limit %.1f degC, 90 s at 30 frames a second, ambient 26.4, 36.0, 22.0 degC for 30 s each\n", limit / 1000
	printf "%-26s %10s %9s %8s %9s %12s %7s\n", "", "violations", "delivered", "withheld", "worst K", "mJ per frame", "gates"
	for (i = 1; i <= n; i++) {
		k = at[i]
		note = ""
		if (who[id[k]] ~ /^thermald/) {
			note = " (" writes[id[k]] " writes in its log, " changes[id[k]] " changes of the device)"
			if (!writes[id[k]]) { note = " does not count: no writes in its log"; fail = 1 }
		}
		printf "%-26s %10d %9d %8d %+9.2f %12.2f %7d%s\n", who[id[k]], bad[k], good[k], withheld[k], worst[k] / 1000, each[k], gates[k], note
	}
	if (!n || !ours[id[at[1]]]) { print "nstd is not the first"; fail = 1 }
	for (i = 1; i <= paces; i++) print late[i]
	print ""
	printf "%-26s %14s %10s %10s\n", "at 30 frames a second", "CPU ms a second", "RSS KiB", "anonymous"
	for (i = 1; i <= u; i++)
		printf "%-26s %14.2f %10d %10d\n", used[i], cpu[used[i]], rss[used[i]], anon[used[i]]
	print "nstd while it was counted:" said
	if (!cpu["thermald"] || !rss["thermald"] || !anon["thermald"]) {
		print "thermald was not there to be compared with"
		exit 1
	}
	c = cpu["nstd"] / cpu["thermald"]
	r = rss["nstd"] / rss["thermald"]
	a = anon["nstd"] / anon["thermald"]
	printf "nstd, deciding every frame, over thermald, polling once a second: CPU %.2f times, at most 1; RSS %.2f times, anonymous %.2f times, less than 1\n", c, r, a
	exit fail || c > 1 || r >= 1 || a >= 1
}' "$out/result"
