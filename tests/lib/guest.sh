# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# guest.sh - what runs first inside a guest, for both harnesses: sets the
# guest script's world up and becomes that script.
#
# NST_OUT holds `env` (variables to export, quoted for the shell), `cmd` (the
# script and its arguments, the same) and `modroot` (where lib/modules is).

export NST_OUT=/run/nst-test
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LC_ALL=C.UTF-8
unset TMPDIR

. "$NST_OUT/env"
mkdir -p /run/nst /run/lock
rel=$(uname -r)
if [ "$(readlink -f "/lib/modules/$rel")" != \
     "$(readlink -f "$NST_MODROOT/lib/modules/$rel")" ]; then
	mkdir -p /lib/modules
	rm -rf "/lib/modules/$rel"
	ln -s "$NST_MODROOT/lib/modules/$rel" "/lib/modules/$rel"
fi
PATH=$NST_TOP/tests/lib/guest:$NST_BUILD:$PATH
cd "$NST_TOP" || exit 125

# The line from which on the kernel log is ours (klog.sh).
echo "nst-test: guest script begins" > /dev/kmsg
. "$NST_OUT/cmd"
