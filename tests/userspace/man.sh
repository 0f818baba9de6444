#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# man.sh - the man pages against the programs: every option that --help
# names stands in the page and the other way round, every command has a
# section, and the example profile of nst.yaml(5) is valid.

bin=${NST_BUILD:-build}
top=${NST_TOP:-.}
pages=$top/userspace/man
count=0
bad=0

report()
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		bad=1
	fi
}

# long options of a text, one per line
options()
{
	sed 's/\\-/-/g' | grep -oE -- '--[a-z][a-z-]*' | grep -v '^--help$' |
		sort -u
}

# same_options NAME PAGE_TEXT HELP_TEXT
same_options()
{
	printf '%s\n' "$2" | options > "$tmp/page"
	printf '%s\n' "$3" | options > "$tmp/help"
	if diff "$tmp/page" "$tmp/help" > "$tmp/diff"; then
		report 0 "options of $1"
	else
		sed 's/^/# /' "$tmp/diff"
		report 1 "options of $1"
	fi
}

# section PAGE HEADING: its text up to the next heading, bodies of .B kept
section()
{
	awk -v want="$2" '/^\.S[SH]/ { on = ($0 == want) } on' "$1"
}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

echo "TAP version 14"

same_options nst-worker \
	"$(section "$pages/nst-worker.1" ".SH OPTIONS")" \
	"$("$bin/nst-worker" --help)"
same_options nst-vision \
	"$(section "$pages/nst-vision.1" ".SH SYNOPSIS"
	section "$pages/nst-vision.1" ".SH OPTIONS")" \
	"$("$bin/nst-vision" --help)"
same_options nstd "$(section "$pages/nstd.8" ".SH OPTIONS")" \
	"$("$bin/nstd" --help)"

for command in $("$bin/nstctl" help | awk '/^commands:/ { on = 1; next }
		/^$/ { on = 0 } on { print $1 }'); do
	[ "$command" != help ] || continue
	text=$(section "$pages/nstctl.1" ".SS $command")
	[ -n "$text" ]
	report $? "nstctl $command has a section"
	same_options "nstctl $command" "$text" \
		"$("$bin/nstctl" "$command" --help)"
done

# named SECTION-NAME TEXT NAME...: every name stands in the text
named()
{
	_what=$1
	_text=$2
	shift 2
	_missing=
	for _name; do
		printf '%s' "$_text" | sed 's/\\-/-/g' |
			grep -qF -e "$_name" || _missing="$_missing $_name"
	done
	[ -z "$_missing" ] || echo "# missing:$_missing"
	[ $# -gt 0 ] && [ -z "$_missing" ]
	report $? "$_what"
}

# shellcheck disable=SC2046 # a list of names
named "requests of nstd" "$(section "$pages/nstd.8" ".SH SOCKET")" \
	$(sed -n 's/^	{ "\([a-z.-]*\)", .*/\1/p' \
		"$top/userspace/nstd/reply.c")
# shellcheck disable=SC2046 # a list of names
named "calls of libnst" "$(section "$pages/libnst.3" ".SH SYNOPSIS")" \
	$(sed -n 's/^	\(nst_[a-z_]*\);$/\1/p' \
		"$top/userspace/lib/libnst.map")

# Of the text between --policy and the next option alone, each name whole.
# shellcheck disable=SC2046 # a list of names
named "policies of nstctl sim" "$(section "$pages/nstctl.1" ".SS sim" |
		awk '/^\.BI / { on = /policy/ } on' | sed 's/\\-/-/g' |
		sed -n 's/^\.BR* \([a-z-]*\).*/<\1>/p')" \
	$("$bin/nstctl" sim --profile "$top/policies/profiles/reference.yaml" \
		--policy ? 2>&1 | sed -n 's/.*valid: //p' | tr -d ',' |
		sed 's/[a-z-][a-z-]*/<&>/g')

awk '/^version: 1/ { on = 1 } /^\.fi/ { on = 0 } on' \
	"$pages/nst.yaml.5" > "$tmp/example.yaml"
"$bin/nstctl" check "$tmp/example.yaml" > /dev/null
report $? "example of nst.yaml(5) is valid"

echo "1..$count"
exit $bad
