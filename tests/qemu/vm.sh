#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vm.sh [-i] [-k LINE] [-t SECONDS] [-o DIR] [-e NAME=VALUE]... SCRIPT [ARGUMENT...]
#
# Boot Debian's stock kernel in a VM and run SCRIPT in it as root, with the
# host's tree as it is: same paths, same programs, writable in memory only.
#
#	-k	6.1 (default, or $KVER) or 6.12
#	-t	seconds after which the VM is ended (default 600, 0 for never)
#	-i	for somebody to sit at: the script has this terminal, and Ctrl-A X
#		ends the VM at once
#	-o	directory for results: the guest has it as $NST_OUT, and it
#		receives `console` and `dmesg`. Default: one that is removed
#	-e	export a variable to the script
#
# The script has: $NST_TOP (this tree), $NST_BUILD (build/), $NST_OUT, proc,
# sys, debugfs, configfs and tracefs in their places, and in its PATH
# build/ and tests/lib/guest/: `nst_load [PARAMETER=...]` loads nst and nst-sim,
# `nst_unload` removes them; modprobe finds every module of the kernel. Its
# output appears here as it is written; kernel messages do not, they are in
# `console` and `dmesg`.
#
# Exit status: the script's; 124 when time ran out; 125 when the VM died or
# could not start; 123 when the script succeeded and the kernel complained
# (klog.sh), which is then printed.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib/kernels.sh"

line=${KVER:-6.1}
limit=600
out=
envs=
seat=
quote()
{
	printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}
while getopts ik:t:o:e: o; do
	case $o in
	i) seat=1 ;;
	k) line=$OPTARG ;;
	t) limit=$OPTARG ;;
	o) out=$OPTARG ;;
	e) envs="$envs
export ${OPTARG%%=*}=$(quote "${OPTARG#*=}")" ;;
	*) sed -n '4,19s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || { echo "vm.sh: which script?" >&2; exit 2; }
if [ -n "$seat" ] && ! [ -t 0 ]; then
	echo "vm.sh: -i needs a terminal" >&2
	exit 2
fi

kdir=$(nst_kernel_dir "$line")
rel=$(nst_kernel_release "$line")
build=$top/build
# Where the 9p export shows the tree: resolved, as links need not be.
script=$(readlink -f "$1") || { echo "vm.sh: no script '$1'" >&2; exit 2; }
shift

qemu=
tty=
keep=$out
cleanup()
{
	trap '' INT TERM HUP
	[ -z "$qemu" ] || kill "$qemu" 2> /dev/null || true
	[ -z "$qemu" ] || wait "$qemu" 2> /dev/null || true
	[ -z "$tty" ] || stty "$tty" <&9
	rm -rf "$tmp"
}
tmp=$(mktemp -d)
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
[ -n "$out" ] || out=$tmp/out
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out/status" "$out/dmesg" "$out/console" "$out/tainted"

# lib/modules of the kernel with ours laid into it
modroot=$build/root-$rel
"$top/tests/lib/modroot.sh" "$kdir" "$rel" "$modroot" "$build/kmod-$rel"

cp "$top/tests/lib/guest.sh" "$out/guest.sh"
{
	echo "export NST_TOP=$(quote "$(readlink -f "$top")")"
	echo "export NST_BUILD=$(quote "$(readlink -f "$top")/build")"
	echo "export NST_MODROOT=$(quote "$(readlink -f "$modroot")")"
	echo "export NST_GUEST=vm NST_CACHE=$(quote "$NST_CACHE")"
	echo "$envs"
} > "$out/env"
{
	printf exec
	for a in "$script" "$@"; do
		printf ' %s' "$(quote "$a")"
	done
	echo
} > "$out/cmd"

# --- initramfs: busybox and the modules that reach the host's tree ----------

initrd=$build/initrd-$rel.img
if [ ! -f "$initrd" ] || [ "$top/tests/qemu/init" -nt "$initrd" ] ||
   [ "$kdir/release" -nt "$initrd" ]; then
	r=$tmp/initrd
	mkdir -p "$r/bin" "$r/proc" "$r/sys" "$r/dev" "$r/modules"
	bb=$(command -v busybox)
	cp "$bb" "$r/bin/busybox"
	cp "$top/tests/qemu/init" "$r/init"
	chmod +x "$r/init"
	modprobe -d "$kdir" -S "$rel" --show-depends -a virtio_pci \
		virtio_console 9pnet_virtio 9p overlay configfs |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
		while read -r m; do
			n=$(basename "$m")
			case $n in
			*.xz) n=${n%.xz}; xz -dc "$m" > "$r/modules/$n" ;;
			*) cp "$m" "$r/modules/$n" ;;
			esac
			echo "$n" >> "$r/modules/list"
		done
	(cd "$r" && find . | cpio --quiet -o -H newc) | gzip -1 > "$tmp/img"
	mv "$tmp/img" "$initrd"
fi

# --- the machine -------------------------------------------------------------

# /dev/kvm alone does not say that a stock kernel runs under it.
accel="tcg,thread=multi"
cpu=max
if grep -Eqw 'vmx|svm' /proc/cpuinfo && [ -r /dev/kvm ] && [ -w /dev/kvm ]; then
	accel=kvm
	cpu=host
fi

set -- qemu-system-x86_64 -M q35 -accel "$accel" -cpu "$cpu" \
	-smp "${NST_VM_CPUS:-2}" -m "${NST_VM_MEM:-1024}" \
	-nodefaults -no-user-config -display none -no-reboot \
	-kernel "$kdir/boot/vmlinuz-$rel" -initrd "$initrd" \
	-append "console=ttyS0 loglevel=5 panic=-1 oops=panic mitigations=off${seat:+ nst_seat=ttyS1}${NST_VM_APPEND:+ $NST_VM_APPEND}" \
	-serial "file:$out/console" \
	-device virtio-serial-pci \
	-chardev "file,id=out,path=$tmp/pipe" \
	-device virtserialport,chardev=out,name=out \
	-fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
	-device virtio-9p-pci,fsdev=host,mount_tag=host \
	-fsdev "local,id=out,path=$out,security_model=none,multidevs=remap" \
	-device virtio-9p-pci,fsdev=out,mount_tag=out

# The terminal is the second serial port, raw: what is typed is for the guest,
# Ctrl-C as well. It is put back as it was, however qemu ends.
exec 9<&0
if [ -n "$seat" ]; then
	tty=$(stty -g)
	set -- "$@" -serial mon:stdio
	echo "export TERM=$(quote "${TERM:-vt100}") NST_TTY=$(
		quote "$(stty size)")" >> "$out/env"
else
	exec 9< /dev/null
fi

# What the script prints comes through a pipe: a character device on standard
# input and output hangs up, and the guest waits for it, when input ends.
# This shell keeps it open till qemu is gone, so that cat sees an end even when
# qemu never started.
mkfifo "$tmp/pipe"
exec 8<> "$tmp/pipe"
cat < "$tmp/pipe" 8>&- &
reader=$!

# The VM must not outlive this script, however that one ends.
if command -v setpriv > /dev/null; then
	set -- setpriv --pdeathsig TERM "$@"
fi
# shellcheck disable=SC2086 # an option or none
timeout ${seat:+--foreground} -k 5 "$limit" "$@" <&9 2> "$out/qemu.err" 8>&- &
qemu=$!
rc=0
wait "$qemu" || rc=$?
qemu=
exec 8>&-
wait "$reader" || true

if [ "$rc" = 124 ] || [ "$rc" = 137 ]; then
	echo "vm: ended after $limit s" >&2
	status=124
elif [ ! -s "$out/status" ]; then
	echo "vm: the VM died; its last words:" >&2
	cat "$out/qemu.err" >&2
	tail -n 40 "$out/console" >&2 || true
	status=125
else
	status=$(cat "$out/status")
fi
log=$out/dmesg
[ -s "$log" ] || log=$out/console
if [ -s "$log" ] && ! complaint=$("$top/tests/lib/klog.sh" \
	-b "$top/tests/lib/baseline/vm-$line" "$log"); then
	echo "vm: the kernel complained:" >&2
	echo "$complaint" | head -n 80 >&2
	[ "$status" != 0 ] || status=123
fi
[ -n "$keep" ] || rm -rf "$out"
exit "$status"
