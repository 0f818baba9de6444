#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cppcheck.sh: static analysis of what runs in userspace and on the pure core

set -eu
cd "$(dirname "$0")/../.."

mkdir -p build/style/cppcheck
grep -v '^#' tests/style/cppcheck.suppress > build/style/cppcheck.suppress
# Files are judged one by one: unusedFunction and the like are off.
cppcheck --quiet --std=c11 --platform=unix64 --language=c -j "$(nproc)" \
	--enable=warning,performance,portability --inline-suppr \
	--cppcheck-build-dir=build/style/cppcheck --error-exitcode=1 \
	--suppress=missingIncludeSystem \
	--suppressions-list=build/style/cppcheck.suppress \
	--template='{file}:{line}: {severity}: {message} [{id}]' \
	-D_GNU_SOURCE -D__x86_64__ -D__linux__ -D__STDC_HOSTED__=1 \
	-Ipolicies/core -Ipolicies/fidelity -Ikmod -Ikmod/uapi \
	-Iuserspace/util -Iuserspace/profile -Iuserspace/rec -Iuserspace/sim \
	-Iuserspace/backends -Ifirmware/vpu -Ifirmware/abi -Ifirmware/app \
	-Ifirmware/hal -Iuserspace -Iuserspace/include \
	-i userspace/examples/rpicam \
	policies/core policies/fidelity firmware userspace 2>&1
