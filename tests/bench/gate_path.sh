#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# gate_path.sh - from SET_GATE to the end of the bus write, and what a bare
# regmap write of the same register costs, in the user-mode kernel
#
# An emulated stack with an MCU, its I2C adapter at 100 kHz and without bus time.
# Both sides are measured in turns in one boot, in real time: the ioctl from
# before the system call to the moment the I2C core is through with the write
# (tests/bench/kmod/nst-bench.c), the bare write from before to after
# regmap_write(). A ratio is the median over the turns of the ratio of medians.
# The kernel has KASAN and lockdep, which burden the path more than the bare
# write.
#
# Exit status 1 when a ratio is not what it is to be: 1.1 and 4.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
out=$top/build/bench-kmod
export NST_BENCH_CALLS="${NST_BENCH_CALLS:-400}"

kernel=$("$top/tests/uml/build.sh" kasan)
"$top/tests/uml/modules.sh" kasan
mkdir -p "$out"
for f in tests/bench/kmod/Kbuild tests/bench/kmod/nst-bench.c kmod/compat.h; do
	ln -sf "$top/$f" "$out/"
done
make -s -C "$kernel" M="$out" ARCH=um modules

"$top/tests/uml/uml.sh" -r -f kasan -t 300 \
	-e NST_BENCH_CALLS="$NST_BENCH_CALLS" \
	"$top/tests/bench/kmod/guest.sh" "$out/nst-bench.ko" \
	> "$out/times" || {
	cat "$out/times"
	exit 1
}

awk '
function median(list, n,	i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && list[j - 1] > list[j]; j--) {
			t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
		}
	return list[int((n + 1) / 2)]
}
$2 == "ioctl" { path = $3; whole = $5; next }
$2 == "regmap" {
	n[$1]++
	p[$1, n[$1]] = path; w[$1, n[$1]] = whole; b[$1, n[$1]] = $3
}
$2 == "writes" && $3 < $4 { lost = 1 }
END {
	limit[100000] = 1.1; limit[0] = 4
	for (k = 0; k < 2; k++) {
		hz = k ? 0 : 100000
		for (i = 1; i <= n[hz]; i++) {
			lp[i] = p[hz, i]; lw[i] = w[hz, i]; lb[i] = b[hz, i]
			lr[i] = p[hz, i] / b[hz, i]
		}
		r = median(lr, n[hz])
		printf "%s: SET_GATE to the end of its bus write %.1f us, bare regmap write %.1f us: %.2f times, at most %s (the whole call %.1f us)\n",
			hz ? "bus at 100 kHz" : "no bus time",
			median(lp, n[hz]) / 1000, median(lb, n[hz]) / 1000,
			r, limit[hz], median(lw, n[hz]) / 1000
		if (!n[hz] || r > limit[hz]) bad = 1
	}
	if (lost) print "writes were lost on the way"
	exit bad || lost
}' "$out/times"
