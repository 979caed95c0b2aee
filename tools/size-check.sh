#!/bin/sh
# Files of at most 800 lines (500 is the aim), functions of at most 120: an idea that outgrows this
# has split in two.
set -u
cd "$(dirname "$0")/.."
bad=0
for file in $(git ls-files '*.c' '*.h'); do
	lines=$(wc -l <"$file")
	[ "$lines" -le 800 ] || { echo "$file: $lines lines (800 at most)" >&2; bad=1; }
	# A function starts with '{' and ends with '}' in the first column (the format guarantees it).
	awk -v file="$file" '
		/^{/ { start = NR }
		/^}/ && start { if (NR - start - 1 > 120) { print file ":" start ": function of " NR - start - 1 " lines (120 at most)"; code = 1 } start = 0 }
		END { exit code }' "$file" >&2 || bad=1
done
[ $bad = 0 ] && echo "sizes: ok"
exit $bad
