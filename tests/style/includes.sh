#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# includes.sh: which folder may include what. Includes point one way only: from
# the hosts to the pure core, never back and never sideways.
#
# A rule is a folder pattern and the headers its files may name: own (a header
# of the same folder), d/ (a header of folder d of the tree), <x/*> (a system
# header by pattern). The first rule that matches a file holds. Prints
# file:line of each offence; exit status 1 when there is any.

set -eu
cd "$(dirname "$0")/../.."

git ls-files -co --exclude-standard -- '*.c' '*.h' | awk '
function rule(pattern, may) { pat[++rules] = pattern; allow[rules] = may }
BEGIN {
	core = " policies/core/"
	libc = " <*>"

	rule("^policies/core/host\\.h$", "own <linux/*> <stdbool.h>" \
	     " <stddef.h> <stdint.h> <errno.h>")
	rule("^policies/core/", "own")
	rule("^policies/fidelity/", "own <math.h>" core)
	rule("^policies/tests/", "own <kunit/*> <linux/*>" core)
	rule("^firmware/vpu/", "own <stdint.h> <stddef.h> <stdbool.h>" core)
	# Numbers of the wire: for the firmware, the driver and programs.
	rule("^firmware/abi/", "own" core)
	# The application runs in the MCU, in a test program and in nst-sim:
	# no library and no clock of its own.
	rule("^firmware/app/", "own firmware/abi/" core)
	rule("^firmware/hal/", "own <stdint.h> <stddef.h> <stdbool.h>" core)
	rule("^firmware/host/", "own firmware/abi/ firmware/app/" \
	     " firmware/hal/" core libc)
	rule("^firmware/", "own <stdint.h> <stddef.h> <stdbool.h>" core \
	     " firmware/abi/ firmware/app/ firmware/hal/")
	rule("^kmod/uapi/", "own <linux/*>")
	rule("^kmod/tests/", "own <kunit/*> <linux/*> <asm/*> <media/*>" \
	     " kmod/ kmod/uapi/ firmware/abi/ firmware/vpu/ firmware/app/" \
	     core)
	rule("^kmod/nst-sim", "own <linux/*> <asm/*> <media/*> <trace/*>" \
	     " kmod/uapi/ firmware/abi/ firmware/vpu/ firmware/app/" core)
	rule("^kmod/", "own <linux/*> <asm/*> <media/*> <trace/*> kmod/uapi/" \
	     " firmware/abi/" core)
	rule("^userspace/util/", "own" libc)
	# What programs include: nothing of ours behind it.
	rule("^userspace/include/", "own <std*.h>")
	# What others copy: libnst and nothing else of ours.
	rule("^userspace/examples/", "own <*>")
	rule("^userspace/lib/", "own userspace/include/nst/" libc)
	rule("^userspace/backends/", "own kmod/uapi/ userspace/util/" core libc)
	# recordings are the structs at the seams and nothing else
	rule("^userspace/rec/", "own userspace/util/" core libc)
	rule("^userspace/(profile|sim)/", "own userspace/util/" \
	     " userspace/rec/ userspace/profile/ userspace/sim/" \
	     " policies/fidelity/" core libc)
	# noise of frames in memory: whoever has frames may ask
	rule("^userspace/measure/", "own" libc)
	rule("^userspace/worker/", "own userspace/util/ kmod/uapi/" \
	     " userspace/include/nst/ userspace/backends/ firmware/vpu/" \
	     core libc)
	rule("^userspace/vision/", "own userspace/util/ kmod/uapi/" \
	     " userspace/include/nst/" \
	     " userspace/backends/" \
	     " userspace/profile/ userspace/rec/ userspace/measure/" \
	     " firmware/vpu/" core libc)
	rule("^userspace/(nstd|nstctl)/", "own userspace/util/" \
	     " userspace/profile/ userspace/rec/ userspace/sim/" \
	     " userspace/lib/ userspace/backends/ userspace/nstd/" \
	     " userspace/measure/ policies/fidelity/ firmware/vpu/ kmod/uapi/" core libc)
	rule("^tests/", "any" libc)

	# the one library that a file of backends wraps, and who else may not
	foreign = "libv4l2?\\.h|libv4lconvert|linux/videodev2|sensors/|gpiod|" \
		  "xf86drm|libdrm"
}
{ file[++files] = $0; n = split($0, part, "/"); base = part[n]
  where[base] = where[base] " " $0 }

function dirname(f) { sub(/[^\/]*$/, "", f); return f }

# the folder in the tree that a quoted header comes from
function home(f, name,    d, k, list, i, h) {
	d = dirname(f)
	while (name ~ /^\.\.\//) {
		name = substr(name, 4)
		sub(/[^\/]*\/$/, "", d)
	}
	if (exists[d name])
		return dirname(d name)
	k = split(where[base_of(name)], list, " ")
	for (i = 1; i <= k; i++) {
		h = list[i]
		if (h == name || substr(h, length(h) - length(name)) == "/" name)
			return dirname(h)
	}
	return ""
}
function base_of(f) { sub(/.*\//, "", f); return f }
function glob(pattern, s) {
	gsub(/[.+]/, "\\\\&", pattern)
	gsub(/\*/, ".*", pattern)
	return s ~ ("^" pattern "$")
}

function offence(f, l, why) { print f ":" l ": " why; bad = 1 }

function check(f,    r, line, l, name, k, may, i, ok, h) {
	for (r = 1; r <= rules; r++)
		if (f ~ pat[r])
			break
	if (r > rules) {
		print f ": no include rule for this folder" \
		      " (tests/style/includes.sh)"
		bad = 1
		return
	}
	k = split(allow[r], may, " ")
	l = 0
	while ((getline line < f) > 0) {
		l++
		if (line !~ /^[ \t]*#[ \t]*include[ \t]*["<]/)
			continue
		name = line
		sub(/^[^"<]*["<]/, "", name)
		sub(/[">].*/, "", name)
		ok = 0
		if (line ~ /</) {
			for (i = 1; i <= k && !ok; i++)
				ok = may[i] ~ /^</ && glob(may[i], "<" name ">")
			if (f ~ /^userspace\/(nstd|nstctl|profile|sim|rec|util)\// &&
			    name ~ foreign)
				ok = 0
		} else {
			h = home(f, name)
			# The oracle cannot share a mistake with what it judges.
			if (f ~ /^userspace\/sim\/oracle[^\/]*$/ &&
			    name !~ /^oracle[^\/]*$/) {
				offence(f, l, "may include no header but the oracle")
				continue
			}
			if (h == "") {
				offence(f, l, "\"" name "\" is not in the tree")
				continue
			}
			for (i = 1; i <= k && !ok; i++)
				ok = may[i] == "any" || may[i] == h ||
				     (may[i] == "own" && h == dirname(f))
		}
		if (!ok)
			offence(f, l, "may not include " name)
	}
	close(f)
}
END {
	for (i = 1; i <= files; i++)
		exists[file[i]] = 1
	for (i = 1; i <= files; i++)
		check(file[i])
	exit bad
}'
