#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# version.sh: print the version of this tree: date and name of its last commit,
# or $NST_VERSION; 0 where there is neither.

cd "$(dirname "$0")/../.." || exit 1
version=${NST_VERSION:-}
# a repository around an unpacked archive is another one
if [ -z "$version" ] && [ -e .git ]; then
	version=$(git log -1 --date=format:%Y%m%d --format=0.%cd.g%h \
		2> /dev/null)
fi
echo "${version:-0}"
