#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every capture is accounted for: coverage/*.txt says which test decodes it, or why none does.
# A line is GLOB <tab> TEST-PROGRAM, or GLOB <tab> not-asked: REASON. '*' matches any text, also '/';
# "[ab]" one of the characters.
set -u
here=$(cd "$(dirname "$0")" && pwd)
captures=${RAILTOP_SHARED:-../shared}/captures
if [ ! -d "$captures" ]; then
	echo "ok 1 - coverage # SKIP there are no captures in $captures"
	echo 1..1
	exit 0
fi
files=$(mktemp) && lines=$(mktemp) || exit 1
trap 'rm -f "$files" "$lines"' EXIT
(cd "$captures" && find . -type f | sed 's|^\./||' | grep -vE '(^|/)(INDEX\.md|MANIFEST\.tsv)$' | sort) > "$files"
grep -hvE '^(#|[[:space:]]*$)' "$here"/coverage/*.txt > "$lines"

LC_ALL=C awk -F '\t' -v here="$here" '
function regex(glob,   r, i, c, end) {
	r = "^"
	for (i = 1; i <= length(glob); i++) {
		c = substr(glob, i, 1)
		if (c == "*") r = r ".*"
		else if (c == "[" && (end = index(substr(glob, i), "]"))) {
			r = r substr(glob, i, end)
			i += end - 1
		}
		else if (c == "?") r = r "[^/]"
		else if (c ~ /[a-zA-Z0-9_\/-]/) r = r c
		else r = r "[" c "]"
	}
	return r "$"
}
NR == FNR {
	if (NF != 2) { print "# not GLOB <tab> TEST: " $0; wrong++; next }
	n++; re[n] = regex($1); glob[n] = $1; by[n] = $2
	if ($2 !~ /^not-asked: ./) {
		c = here "/" $2 ".c"; s = here "/" $2
		if ((getline line < c) < 0 && (getline line < s) < 0) {
			print "# there is no test " $2 " (for " $1 ")"; wrong++
		}
		close(c); close(s)
	}
	next
}
{
	found = 0
	for (i = 1; i <= n && !found; i++) if ($0 ~ re[i]) found = i
	if (!found) { print "# nobody reads " $0; missing++; next }
	used[found]++
	if (by[found] ~ /^not-asked/) notasked++; else decoded++
}
END {
	for (i = 1; i <= n; i++)
		if (!used[i] && glob[i] !~ /(INDEX[.]md|MANIFEST[.]tsv)$/)
			print "# matches no file that is not matched before: " glob[i]
	printf "# captures: %d decoded, %d not asked for, %d unaccounted\n", decoded, notasked, missing
	print (missing || wrong ? "not ok" : "ok") " 1 - every capture is accounted for"
	print "1..1"
	exit missing || wrong
}' "$lines" "$files"
