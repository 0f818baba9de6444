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
# Mounted, not linked: where the host has this very kernel, what it has there
# would have to be removed first, file by file.
mkdir -p "/lib/modules/$rel"
mount --bind "$NST_MODROOT/lib/modules/$rel" "/lib/modules/$rel" || exit 125
PATH=$NST_TOP/tests/lib/guest:$NST_BUILD:$PATH
cd "$NST_TOP" || exit 125

# The line from which on the kernel log is ours (klog.sh).
echo "nst-test: guest script begins" > /dev/kmsg
. "$NST_OUT/cmd"
