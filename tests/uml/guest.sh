#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh: what run.sh runs in the user-mode kernel

echo "KTAP version 1"
echo "1..2"
bad=0
part()
{
	{ "$2" 2>&1; echo $? > /tmp/rc; } | sed -u 's/^/  /'
	if [ "$(cat /tmp/rc)" = 0 ]; then
		echo "ok $1 - $3"
	else
		echo "not ok $1 - $3"
		bad=1
	fi
}
part 1 tests/uml/kunit.sh kunit
part 2 tests/lib/selftests.sh selftests
exit $bad
