#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ktap.sh: what ktap.pl counts. All other tests are believed through it, so a
# stream that holds a failure must never come out as a good one.

# shellcheck disable=SC2154 # check.inc sets top, dir and failed
. "${NST_TOP:-$(dirname "$0")/../..}/tests/userspace/check.inc"

# counted WANT [STATUS] < STREAM: "passed failed skipped", and the exit status
counted()
{
	cat > "$dir/stream"
	: > "$dir/tally"
	"$top/tests/lib/ktap.pl" x "$dir/tally" sh -c \
		'cat "$1"; exit "$2"' - "$dir/stream" "${2:-0}" > "$dir/shown"
	_status=$?
	_got=$(cut -d ' ' -f 2-4 "$dir/tally")
	case $1 in
	*" 0 "*) _exit=0 ;;
	*) _exit=1 ;;
	esac
	[ "$_got" = "$1" ] && [ $_status = $_exit ] && return 0
	echo "# want $1 and status $_exit, got $_got and $_status"
	return 1
}

echo "KTAP version 1"
echo "1..12"

check "results are counted" counted "2 1 1" << 'END'
KTAP version 1
1..4
ok 1 a
not ok 2 b
ok 3 c # SKIP no
ok 4 d
END
check "subtests instead of their sum" counted "3 0 0" << 'END'
KTAP version 1
1..2
  KTAP version 1
  1..2
  ok 1 a
  ok 2 b
ok 1 - both
ok 2 alone
END
check "a sum that fails alone is one failure" counted "1 1 0" << 'END'
KTAP version 1
1..1
  KTAP version 1
  1..1
  ok 1 a
not ok 1 - sum
END
check "a plan that is not kept" counted "1 1 0" << 'END'
KTAP version 1
1..2
ok 1 a
END
check "no plan" counted "1 1 0" << 'END'
KTAP version 1
ok 1 a
END
check "nothing at all" counted "0 1 0" << 'END'
END
check "an exit status that no result tells of" counted "1 1 0" 3 << 'END'
KTAP version 1
1..1
ok 1 a
END
check "bail out" counted "0 2 0" << 'END'
KTAP version 1
1..1
Bail out! no machine
END

# The first attempt holds every kind of trouble, and none is left of it.
check "again: the second attempt counts" counted "3 0 0" << 'END'
KTAP version 1
1..2
# first
  KTAP version 1
  1..1
  ok 1 a
ok 1 - first
# second
  KTAP version 1
  1..3
  ok 1 a
  not ok 3 b
  ok 4 c # SKIP no
# again: second failed while timers were 300 ms late
  KTAP version 1
  1..2
  ok 1 a
  ok 2 b
ok 2 - second
END
check "which is shown" grep -q "AGAIN.*300 ms late" "$dir/shown"
check "again: and what fails twice has failed" counted "1 1 0" << 'END'
KTAP version 1
1..1
  KTAP version 1
  1..2
  ok 1 a
  not ok 2 b
# again: late
  KTAP version 1
  1..2
  ok 1 a
  not ok 2 b
not ok 1 - one
END
check "again: a second that does not come" counted "0 1 0" << 'END'
KTAP version 1
1..1
  KTAP version 1
  1..1
  not ok 1 a
# again: late
END
[ $failed = 0 ]
