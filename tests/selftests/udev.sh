#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# udev.sh - the rules of userspace/udev in a guest of its own udevd: group, mode
# and link of the device node, and what members of nst-admin may write

. "${NST_SELFTESTS:-$(dirname "$0")}/nst_lib.inc"

udevd=
for d in /lib/systemd/systemd-udevd /usr/lib/systemd/systemd-udevd /sbin/udevd; do
	[ ! -x "$d" ] || { udevd=$d; break; }
done
[ "${NST_GUEST:-}" = vm ] || skip_all "for a VM"
[ -n "$udevd" ] && command -v udevadm > /dev/null || skip_all "needs udev"
# the shell of a guest has one of its own, which knows less
setpriv=/usr/bin/setpriv
[ -x $setpriv ] || skip_all "needs setpriv"

mkdir -p /run/udev/rules.d
# ours alone: the machine's own rules are not under test
for d in /etc/udev/rules.d /lib/udev/rules.d /usr/lib/udev/rules.d; do
	[ ! -d "$d" ] || mount -t tmpfs none "$d" 2> /dev/null
done
cp "$TOP/userspace/udev/60-nst.rules" /run/udev/rules.d/
# of the guest alone
grep -q '^nst:' /etc/group || echo 'nst:x:4711:' >> /etc/group
grep -q '^nst-admin:' /etc/group || echo 'nst-admin:x:4712:' >> /etc/group
gid()
{
	sed -n "s/^$1:[^:]*:\([0-9]*\):.*/\1/p" /etc/group
}

# udevadm sees the guest's root for a chroot
export SYSTEMD_IGNORE_CHROOT=1

begin
plan 10
"$udevd" --daemon > udevd.log 2>&1
check "udevd runs" udevadm settle --timeout=20
stack cam.left
udevadm settle --timeout=20

check "group of the node" same nst "$(stat -c %G "$DEV")"
check "mode of the node" same 640 "$(stat -c %a "$DEV")"
check "link by name" same "$DEV" "$(readlink -f /dev/nst/by-name/cam.left)"

# as GROUP COMMAND...: nobody, with that group alone
as()
{
	_g=$(gid "$1")
	shift
	$setpriv --reuid 65534 --regid 65534 --groups "$_g" "$@"
}
check "members of nst read" as nst sh -c "exec 3< $DEV"
refused()
{
	! as "$1" sh -c "$2" 2> refused && grep -qi "permission" refused &&
		return 0
	sed 's/^/# /' refused
	return 1
}
check "and do not write" refused nst "exec 3<> $DEV"
check "nor set a threshold" refused nst \
	"echo 104000 > $NST/policy/high_temp"
check "members of nst-admin do" as nst-admin sh -c \
	"echo 104000 > $NST/policy/high_temp && echo standby > $NST/gate"
check "others do nothing" refused nogroup "exec 3< $DEV"
udevadm control --exit
unstack cam.left
check "the modules go" nst_unload
finish
