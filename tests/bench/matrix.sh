#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# matrix.sh: every policy in every situation, in the simulator, beside the
# optimum: the reference matrix in steady light, and traces in which light,
# weather or captures change. Prints the tables and what ours reach of what they
# are to reach; exit status 1 when that is less. Rows stay in build/bench/matrix.
#
# The traces: steps of light, a ramp of the weather and bursts of captures
# (tests/bench/traces), a recorded day at twelve times its pace, and two hours
# of broken cloud as it is seen inside, where a hundredth of the light comes in.

set -eu
cd "$(dirname "$0")/../.."
nstctl=${NST_BUILD:-build}/nstctl
out=${NST_BUILD:-build}/bench/matrix
jobs=$(nproc)
light=tests/data/light
WANTED_S=60

mkdir -p "$out"
rm -f "$out"/*

# In shards, as on several machines.
# sweep NAME OPTION...
sweep()
{
	_name=$1
	shift
	_pids=
	for _i in $(seq "$jobs"); do
		"$nstctl" sweep "$@" --shard "$_i/$jobs" \
			--output "$out/$_name-$_i.csv" &
		_pids="$_pids $!"
	done
	for _pid in $_pids; do
		wait "$_pid"
	done
	"$nstctl" sweep --merge "$out/$_name"-*.csv --output "$out/$_name.csv"
	rm "$out/$_name"-*.csv
}

awk -F, 'BEGIN { print "t_s,lux" }
	/^[0-9]/ && $2 >= 0 { printf "%d,%s\n", 5 * n++, $2 }' \
	"$light/outdoor-day.csv" > "$out/day.csv"
awk -F, 'BEGIN { print "t_s,lux" }
	/^[0-9]/ { printf "%d,%.1f\n", 60 * n++, $3 * 115 / 100 }' \
	"$light/broken-cloud.csv" > "$out/cloud.csv"
traces=tests/bench/traces
lights=$traces/steps.csv,$out/day.csv,$out/cloud.csv,$traces/ramp.csv
lights=$lights,$traces/bursts.csv

sweep steady
sweep changing --near-mw 2500 --ambient-mc 26400 --light "$lights" --snr 26
# user and system time of all that ran here, seconds
times > "$out/times"
used=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) {
		split($i, t, /[ms]/); s += 60 * t[1] + t[2] }
	print s }' "$out/times")

echo "## Steady light: $(date -u +%Y-%m-%d)"
echo
"$nstctl" sweep --merge "$out/steady.csv" --table
echo "## Light, weather and captures that change, 2.5 W, 26 dB"
echo
"$nstctl" sweep --merge "$out/changing.csv" --table \
	--by light,mode,switch_cost

# --- what is to be reached ---
# Distance from the optimum in hundredths of a percent, and nothing delivered
# too hot that need not have been.
awk -F, -v used="$used" -v jobs="$jobs" -v wanted="$WANTED_S" '
FNR <= 3 { next }
FNR == 4 { for (i = 1; i <= NF; i++) col[$i] = i; next }
{
	policy = $col["policy"]
	mode = $col["mode"]
	if (policy == "gate-for-ever" || policy !~ /^(predictive|auto|phase)/)
		next
	avoidable[policy] += $col["violations_avoidable"]
	hot[policy] += $col["violations"]
	if ($col["limit"] != "binds")
		next
	exact = $col["sensor"] == "exact"
	weak = $col["near_mw"] < 2000
	if (FILENAME ~ /changing/)
		group = "traces," 200
	else if (exact)
		group = "steady light and exact sensor," 100
	else
		group = "steady light and " (weak ? "below" : "from") \
			" 2 W with " $col["sensor"] " sensor," \
			(weak ? 300 : 100)
	n = split("distance_permyriad energy_distance_permyriad", what, " ")
	# energy a frame is an objective of stop only, and after frames
	for (i = 1; i <= (mode == "stop" ? n : 1); i++) {
		key = policy ", " group "," \
		      (i == 1 ? "distance" : "energy a frame")
		cells[key]++
		d = $col[what[i]]
		split(group, g, ",")
		if (d == "" || d + 0 > g[2] + 0)
			over[key]++
		if (d == "")
			d = 1e9
		if (!(key in worst) || d + 0 > worst[key])
			worst[key] = d + 0
	}
}
END {
	sorted = "sort -k2"
	for (key in cells) {
		split(key, k, ",")
		line = sprintf("%s %s:%s,%s at most %.2f %%: worst %.2f %%, ",
			over[key] ? "NOT" : "ok ", k[1], k[2], k[4],
			k[3] / 100, worst[key] / 100)
		print line "over it " over[key] + 0 " of " cells[key] \
			" cells" | sorted
		bad += (over[key] > 0)
	}
	close(sorted)
	for (policy in hot) {
		printf "%s %s: %d violations, %d of them avoidable\n",
		       avoidable[policy] ? "NOT" : "ok ", policy,
		       hot[policy], avoidable[policy]
		bad += (avoidable[policy] > 0)
	}
	slow = (used / 2 > wanted)
	printf "%s %.0f s of processor time, %.0f s on 2 cores; wanted: %d s\n",
		slow ? "NOT" : "ok ", used, used / 2, wanted
	exit (bad || slow)
}' "$out/steady.csv" "$out/changing.csv"
