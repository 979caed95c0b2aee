#!/bin/sh
# The pages of man/ carry parts that come from the code's tables, each between two marker lines:
#   .\" BEGIN GENERATED SYNOPSIS ... .\" END GENERATED: what `railtop docs synopsis` prints
#   tools/docs.sh write BUILD    puts today's parts there
#   tools/docs.sh check BUILD    fails when they differ, or when a document names a file that is not there
set -eu
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
for part in synopsis tables contexts; do
	"$2"/railtop docs $part >"$fresh/$part"
done
for page in man/railtop.1 man/railtop-keymap.5; do
	awk -v parts="$fresh" '
		function put(file,   line, n) {
			while ((getline line < file) > 0) { print line; n++ }
			if (!n) { print file ": no such part" >"/dev/stderr"; exit 1 }
			close(file)
		}
		/^\.\\" END GENERATED/ { skip = 0 }
		!skip { print }
		/^\.\\" BEGIN GENERATED/ { part = tolower($4); sub(":.*", "", part); put(parts "/" part); skip = 1 }
	' $page >"$fresh/page"
	case $1 in
	write) cp "$fresh/page" $page ;;
	check)
		if ! diff -u $page "$fresh/page"; then
			echo "$page is out of date: run make docs" >&2
			exit 1
		fi
		;;
	esac
done
[ "$1" = check ] || exit 0

# What documents say of a test or a source must be there: docs/security.md lives by it.
grep -noE '`(actions|app|archive|backends|base|diagnosis|emulator|examples|fabric|keymaps|man|mappings|runbooks|tests|tools|topologies|tui|views)/[A-Za-z0-9_./-]+`' \
	./*.md docs/*.md docs/guide/*.md tests/cases/*.md >"$fresh/named" || true
tr -d '`' <"$fresh/named" | while IFS=: read -r page line path; do
	case $path in *NAME* | *foo*) continue ;; esac # a pattern of docs/recipes.md
	[ -e "$path" ] || [ -e "$path.c" ] || [ -e "$path.h" ] || [ -e "$path.sh" ] || echo "$page:$line: there is no $path"
done >"$fresh/missing"
# Each row of docs/security.md has a test: a file, a case of it, or "the same" as the row above.
grep -rhoE '^(CASE|CASE_WITH)\([a-z0-9_]+|\b(static )?void [a-z0-9_]+\(void \*\*' tests |
	sed -E 's/.*[( ]([a-z0-9_]+)(\(void \*\*)?$/\1/' | sort -u >"$fresh/cases"
find tests -name 'test_*.[ch]' -o -name 'test_*.sh' | sed 's|.*/||; s|[.].*||' | sort -u >>"$fresh/cases"
awk -F'|' -v cases="$fresh/cases" '
	BEGIN { while ((getline line < cases) > 0) is_case[line] = 1 }
	!/^\|/ { col = 0; next }
	!col {
		for (i = 2; i < NF; i++)
			if ($i ~ /^ *test *$/) col = i
		next
	}
	/^\|[-|]*$/ { next }
	{
		n = split($col, part, "`")
		told = $col ~ /the same/
		for (i = 2; i <= n; i += 2) {
			if (part[i] ~ /^tests\//) told = 1
			else if (part[i] ~ /^[a-z][a-z0-9]*_[a-z0-9_]+$/) {
				told = 1
				if (!is_case[part[i]])
					print FILENAME ":" FNR ": there is no case " part[i]
			}
		}
		if (!told) print FILENAME ":" FNR ": no test is named"
	}' docs/security.md >>"$fresh/missing"
for row in 1 2 3 4 5 6 7 8 9 10 11 12; do
	grep -q "^| H$row |" docs/security.md || echo "docs/security.md: H$row has no row" >>"$fresh/missing"
done
if [ -s "$fresh/missing" ]; then
	cat "$fresh/missing" >&2
	exit 1
fi
echo "docs: ok"
