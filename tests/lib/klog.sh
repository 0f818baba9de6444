#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# klog.sh [-b BASELINE] LOG...: print what a kernel log complains of after the
# guest script began; exit status 1 when there is anything.
#
# Complaints before that line are the kernel's own, from booting where it is
# run. Those that are known are recorded, one a line, without times and
# addresses, in the file BASELINE (tests/lib/baseline/); another one counts.
# Without -b they do not count, and without that line the whole log does.
#
# A test that provokes a complaint on purpose brackets it with lines
# "nst-test: expect REGEX" and "nst-test: expected" in /dev/kmsg.

baseline=
if [ "${1:-}" = -b ]; then
	baseline=$2
	shift 2
fi

awk -v baseline="$baseline" '
function plain(s) {
	sub(/^\[ *[0-9.]*\](\[[ A-Z0-9]*\])? */, "", s)
	gsub(/0x[0-9a-f]+|[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+/, "ADDRESS", s)
	gsub(/ (CPU|PID): *[0-9]+/, "", s)
	gsub(/[0-9]+/, "N", s)
	return s
}
BEGIN {
	while (baseline && (getline s < baseline) > 0)
		if (s !~ /^#/)
			known[s] = 1
}
FNR == 1 { ours = 0; seen[FILENAME] = 0 }
{ line[FILENAME, ++n[FILENAME]] = $0 }
/nst-test: guest script begins/ { start[FILENAME] = FNR }
END {
	bad = "BUG:|WARNING:|Oops|Call Trace|general protection|KASAN|UBSAN"
	bad = bad "|[Kk]ernel panic|INFO: task .* blocked|INFO: lockdep"
	bad = bad "|rcu:.*stall|possible (circular|recursive|irq)"
	bad = bad "|inconsistent lock|suspicious RCU|held lock freed"
	bad = bad "|bad unlock balance|ODEBUG:|refcount_t:|sysfs: cannot create"
	bad = bad "|kobject: .*(not initialized|initialized)|unreferenced object"
	bad = bad "|Unable to handle kernel|scheduling while atomic"
	bad = bad "|sleeping function called|nst[a-z_-]*:? .*failed to unload"
	for (f in n) {
		for (i = 1; baseline && i < start[f]; i++) {
			s = line[f, i]
			if (s ~ bad && !(plain(s) in known)) {
				found = 1
				print "  while booting: " plain(s)
			}
		}
		expect = ""; more = 0
		for (i = start[f] + 0; i <= n[f]; i++) {
			s = line[f, i]
			if (match(s, /nst-test: expect .*/)) {
				expect = substr(s, RSTART + 17)
				continue
			}
			if (s ~ /nst-test: expected/) { expect = ""; continue }
			if (s ~ bad && s !~ /nst-test:/ &&
			    !(expect != "" && s ~ expect)) {
				found = 1
				more = 12	# context of the first lines
			}
			if (more > 0) { print "  " s; more-- }
		}
	}
	exit found
}' "$@"
