#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The numbers of docs/versions.md are those of the code, and every package says the same version.
set -u
: "${BUILD:=build}"
n=0 failed=0
report() { # status, what
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		failed=1
	fi
}

version=$(sed -n 's/^#define RAILTOP_VERSION "\(.*\)"/\1/p' base/version.h)
"$BUILD/railtop" --version | grep -Fq "$version"
report $? "the program has the version of base/version.h"
[ "$(sed -n '1s/^railtop (\(.*\)) .*/\1/p' debian/changelog)" = "$version" ]
report $? "the Debian package"
[ "$(sed -n 's/^Version: *//p' packaging/rpm/railtop.spec)" = "$version" ]
report $? "the RPM package"
grep -Fq "## [$version]" CHANGELOG.md
report $? "the list of changes"

# Each row of the table of JSON documents against the file that it names.
rows=0
while IFS='|' read -r _ name number file _; do
	file=$(echo "$file" | tr -d ' `')
	number=$(echo "$number" | tr -d ' ')
	case $file in *.c | *.h) ;; *) continue ;; esac
	rows=$((rows + 1))
	grep -Eq "SCHEMA +$number\$|\"schema\", ($number|json_integer\\($number\\))|\\\\\"schema\\\\\":$number" "$file"
	report $? "$name has schema $number in $file"
done <<TABLE
$(sed -n '/^## JSON/,/^## Files/p' docs/versions.md | grep '^| ')
TABLE
[ "$rows" -ge 13 ]
report $? "the table has its rows"
# A document that the table lacks.
missing=$(grep -lE '"schema", (1|json_integer\(1\))|SCHEMA +[0-9]+$|\\"schema\\":1' -r app archive actions --include='*.[ch]' |
	grep -v '^archive/snapshot_file/' | while read -r file; do grep -Fq "$file" docs/versions.md || echo "$file"; done)
[ -z "$missing" ] || echo "# docs/versions.md lacks: $missing"
[ -z "$missing" ]
report $? "no document is missing in the table"
grep -Eq "\| $(sed -n 's/^#define RTS_FORMAT //p' archive/recording/rts.h) \(" docs/versions.md
report $? "the format of recordings"
grep -q "^| state of the model within a recording | $(sed -n 's/^#define STATE_VERSION //p' fabric/state/state.c) |" docs/versions.md
report $? "the version of the state"
echo "1..$n"
exit $failed
