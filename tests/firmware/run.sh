#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [BUILD_DIR]: the firmware of the management MCU, print KTAP
#
# The application under ASan and UBSan against every script of this folder; the
# register map and what is made of it; the drivers of the image; the image
# itself: its size, and what it does in QEMU. One result for each, with its own
# nested. Exit status 1 when one failed.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-build}
cd "$top" || exit 1
mkdir -p "$build/firmware" || exit 1
log=$build/firmware/run.log

count=0
failed=0

# result STATUS NAME [COMMENT]
result()
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2${3:+ # $3}"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2${3:+ # $3}"
	fi
}

# try NAME COMMAND...: it has to succeed; what it says is shown when it fails
try()
{
	_name=$1
	shift
	"$@" > "$log" 2>&1
	_rc=$?
	[ $_rc = 0 ] || sed 's/^/# /' "$log"
	result $_rc "$_name"
	return $_rc
}

# nest NAME COMMAND...: a program that prints KTAP
nest()
{
	_name=$1
	shift
	"$@" > "$log" 2>&1
	_rc=$?
	sed 's/^/    /' "$log"
	result $_rc "$_name"
}

fw()
{
	make -s -j"$(nproc)" -f firmware/Makefile BUILD="$build" "$@"
}

echo "KTAP version 1"

if try "application builds as a program" fw SAN=1 host; then
	for f in tests/firmware/*.fw; do
		nest "$(basename "$f" .fw)" timeout 300 \
			"$build/firmware/host-san/nst-firmware" "$f"
	done
fi
for f in tests/firmware/*_test.sh; do
	[ -e "$f" ] || continue
	nest "$(basename "$f" _test.sh)" env FW_BUILD="$build" \
		timeout 300 sh "$f"
done

echo "1..$count"
[ $failed = 0 ]
