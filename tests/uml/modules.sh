#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# modules.sh [FLAVOUR]: build the modules and nst-kunit.ko for the
# user-mode kernel in build/uml-<flavour>/ and build/uml-<flavour>-kunit/

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
flavour=${1:-kasan}
kernel=$("$top/tests/uml/build.sh" "$flavour")
"$top/tests/lib/modules.sh" "$kernel" "$top/build/uml-$flavour" ARCH=um
"$top/tests/lib/modules.sh" "$kernel" "$top/build/uml-$flavour-kunit" kunit \
	ARCH=um
