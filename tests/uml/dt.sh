#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dt.sh [FLAVOUR]: build the modules for the user-mode kernel, then boot it with
# each device tree of tests/dt that has a script of its name and run that, as one
# KTAP stream

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
flavour=${1:-kasan}
"$top/tests/uml/modules.sh" "$flavour" >&2
set -- "$top"/tests/dt/*.sh
echo "KTAP version 1"
echo "1..$#"
n=0
bad=0
for t; do
	n=$((n + 1))
	name=$(basename "$t" .sh)
	rc=0
	"$top/tests/uml/uml.sh" -f "$flavour" -t "${UML_LIMIT:-600}" \
		-d "${t%.sh}.dts" /bin/sh "$t" > "$top/build/dt-$name" 2>&1 ||
		rc=$?
	sed 's/^/  /' "$top/build/dt-$name"
	if [ $rc = 0 ]; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		bad=1
	fi
done
exit $bad
