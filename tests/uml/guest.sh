#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh: what run.sh runs in the user-mode kernel

echo "KTAP version 1"
echo "1..3"
bad=0
# part NUMBER NAME COMMAND...
part()
{
	_n=$1
	_name=$2
	shift 2
	{ "$@" 2>&1; echo $? > /tmp/rc; } | sed -u 's/^/  /'
	if [ "$(cat /tmp/rc)" = 0 ]; then
		echo "ok $_n - $_name"
	else
		echo "not ok $_n - $_name"
		bad=1
	fi
}
part 1 kunit tests/uml/kunit.sh
part 2 selftests tests/lib/selftests.sh
export NST_AGAIN=0
export NST_TEST_LIMIT="${NST_SOAK_LIMIT:-3000}"
part 3 soak tests/lib/selftests.sh tests/soak/*.sh
exit $bad
