#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# klog.sh LOG...: print what a kernel log complains of after the guest script
# began; exit status 1 when there is anything.
#
# Complaints before that line are the kernel's own, from booting where it is
# run (the baseline). Without that line the whole log counts.
#
# A test that provokes a complaint on purpose brackets it with lines
# "nst-test: expect REGEX" and "nst-test: expected" in /dev/kmsg.

awk '
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
