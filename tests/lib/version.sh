#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# version.sh: print the version of this tree: date and name of its last commit,
# or $NST_VERSION; 0 where there is neither.

cd "$(dirname "$0")/../.." || exit 1
version=${NST_VERSION:-$(git log -1 --date=format:%Y%m%d \
	--format=0.%cd.g%h 2> /dev/null)}
echo "${version:-0}"
