#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [FLAVOUR]: build the modules for the user-mode kernel, then KUnit suites,
# self-tests and soaks in it, all in one boot, as one KTAP stream.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
flavour=${1:-kasan}
"$here/modules.sh" "$flavour" >&2
exec "$here/uml.sh" -f "$flavour" -t "${UML_LIMIT:-4500}" \
	-e "NST_ROUNDS=${NST_ROUNDS:-200}" \
	-e "NST_MOVES=${NST_MOVES:-50}" \
	-e "NST_AGAIN=${NST_AGAIN:-0}" \
	-e "NST_SOAK_CYCLES=${NST_SOAK_CYCLES:-10000}" \
	-e "NST_SOAK_BINDS=${NST_SOAK_BINDS:-1000}" "$here/guest.sh"
