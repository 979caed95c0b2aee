#!/bin/sh
# man/railtop.1 carries tables that come from the code's tables, between two marker lines.
#   tools/docs.sh write BUILD    puts today's tables there
#   tools/docs.sh check BUILD    fails when they differ
set -eu
cd "$(dirname "$0")/.."
page=man/railtop.1
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
{
	sed '/^\.\\" BEGIN GENERATED/q' $page
	"$2"/railtop docs
	sed -n '/^\.\\" END GENERATED/,$p' $page
} >"$fresh"
case $1 in
write) cp "$fresh" $page ;;
check)
	if ! diff -u $page "$fresh"; then
		echo "$page is out of date: run make docs" >&2
		exit 1
	fi
	echo "docs: ok"
	;;
esac
