#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# shell.sh: the VM of `make run` to sit in. With a terminal it is a shell there,
# until `exit` or Ctrl-A X; else standard input is the script that it runs.
#
#	CMD		a command to run instead
#	DEMO_SCALE	device seconds per second (8)
#	DEMO_SEED	of scene and noise (1)
#	NST_RUN		directory that receives results (run)
#
# What was seen since nstd started is in run/ afterwards, as after `make run`;
# what the guest puts to $NST_OUT in run/vm/. Exit status: that of the last
# command.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1

run=${NST_RUN:-$top/run}
vm=$run/vm
rm -rf "$run"
mkdir -p "$vm"

export NST_VM_APPEND="${NST_VM_APPEND-tsc=reliable}"
set -- -o "$vm" -e "DEMO_SCALE=${DEMO_SCALE:-8}" -e "DEMO_SEED=${DEMO_SEED:-1}"
if [ -n "${CMD:-}" ]; then
	echo "$CMD" > "$vm/script"
elif ! [ -t 0 ]; then
	cat > "$vm/script"
fi
rc=0
if [ -f "$vm/script" ]; then
	tests/qemu/vm.sh -t "${NST_SHELL_LIMIT:-1800}" "$@" \
		tests/demo/shell_guest.sh /run/nst-test/script || rc=$?
else
	echo "The VM starts, in about 20 s; Ctrl-A X ends it at any time."
	tests/qemu/vm.sh -i -t 0 "$@" tests/demo/shell_guest.sh || rc=$?
fi

if [ -s "$vm/vision.jsonl" ]; then
	mv "$vm/vision.jsonl" "$vm/demo.rec" "$run/" 2> /dev/null
	mv "$vm"/*.pgm "$run/" 2> /dev/null
	build/nst-vision --draw "$run" &&
		build/nstctl plot "$run/demo.rec" --sensor cam0 --title cam0 \
			--width 1100 --height 620 --output "$run/cam0.svg" &&
		build/nst-vision --report "$run" > "$run/report.txt" &&
		echo "report.html, report.txt and demo.rec are in $run"
	rm -f "$run"/*.pgm
fi
exit "$rc"
