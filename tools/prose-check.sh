#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# For `make prose-check`: comments and documents are plain English. In each part of the tree at most 3
# of what, who, whoever, whom and whose stand in 1,000 words, and no sentence has more than 30 words.
#   tools/prose-check.sh                  the parts of the tree, and each sentence that is too long
#   tools/prose-check.sh -l FILE...       each place in these files where one of the words stands
set -u
cd "$(dirname "$0")/.."
list=0
[ "${1:-}" = -l ] && { list=1; shift; }

# Prints "FILE:LINE<tab>WORDS OF A COMMENT" for each comment, as one line.
comments() {
	awk '
	function flush() {
		if (text != "") print file ":" at "\t" text
		text = ""
	}
	function add(s) {
		sub(/^[ \t]*\*+[ \t]?/, "", s)
		if (s ~ /^[ \t]*$/) s = "\036" # an empty line ends a paragraph
		text = text " " s
	}
	FNR == 1 { flush(); inside = 0; file = FILENAME }
	{
		line = $0
		while (line != "") {
			if (inside) {
				end = index(line, "*/")
				if (!end) { add(line); line = ""; break }
				add(substr(line, 1, end - 1)); flush(); inside = 0
				line = substr(line, end + 2); continue
			}
			# Strings and characters are no comments, whatever they hold.
			if (match(line, /^([^"\047\/]|\/[^*\/])*"(\\.|[^"\\])*"/) ||
				match(line, /^([^"\047\/]|\/[^*\/])*\047(\\.|[^\047\\])*\047/)) {
				line = substr(line, RLENGTH + 1); continue
			}
			begin = index(line, "/*"); slashes = index(line, "//")
			if (slashes && (!begin || slashes < begin)) {
				at = FNR; add(substr(line, slashes + 2)); flush(); break
			}
			if (!begin) break
			at = FNR; inside = 1; line = substr(line, begin + 2)
		}
	}
	END { flush() }' "$@"
}

# Prints the paragraphs of documents likewise: no code, tables, headings, or lines of commands. Between
# the marks of `make docs` a page has texts of the code: GENERATED=1 prints these and nothing else.
paragraphs() {
	awk -v wanted="${GENERATED:-0}" '
	function flush() { if (text != "") print file ":" at "\t" text; text = "" }
	FNR == 1 { flush(); code = 0; made = 0; file = FILENAME }
	/^\.\\" (BEGIN|END) GENERATED/ { flush(); made = $2 == "BEGIN"; next }
	made != wanted { next }
	/^```/ { flush(); code = !code; next }
	/^\.(nf|fi)$/ { flush(); code = $0 == ".nf"; next }
	/^Columns: / { next }
	code || /^(    |\t|\||#|\.[A-Z\\]|<)/ || /^[ \t]*$/ { flush(); next }
	/^[ \t]*([-*]|[0-9]+\.) / { flush() }
	{ if (text == "") at = FNR; gsub(/`[^`]*`/, "x"); gsub(/\]\([^)]*\)/, "]"); text = text " " $0 }
	END { flush() }' "$@"
}

measure() { # name, list of "PLACE<tab>TEXT"
	awk -F '\t' -v name="$1" -v list="$list" '
	BEGIN { most = 30 }
	{
		n = split(tolower($2), word, /[^a-z\047_0-9]+/)
		for (i = 1; i <= n; i++) if (word[i] ~ /^[a-z\047]+$/) {
			words++
			if (word[i] ~ /^(what|who|whoever|whom|whose)$/) {
				asked++
				if (list) { print $1 ": " word[i] ": " $2; break }
			}
		}
		# A list of items, or a sum, is no sentence: these end one as a full stop does.
		text = $2
		gsub(/[.!?;:]["\047)]*( |$)/, "\036", text)
		n = split(text, sentence, "\036")
		for (i = 1; i <= n; i++) {
			m = split(sentence[i], part, /[ \t]+/); long = 0
			for (k = 1; k <= m; k++) if (part[k] ~ /[A-Za-z]/) long++
			if (long > most) { bad++; print $1 ": a sentence of " long " words (" most " at most): " sentence[i] > "/dev/stderr" }
		}
	}
	END {
		if (!list) printf "%-12s %6d words, %4.1f in 1,000 of what, who, whose; %d sentences too long\n", name, words, words ? 1000 * asked / words : 0, bad
		exit bad || (words > 0 && 1000 * asked / words > 3)
	}' 
}

if [ "$list" = 1 ]; then
	for file in "$@"; do
		case $file in *.md|*.[15]) paragraphs "$file" ;; *) comments "$file" ;; esac
	done | measure "" 2>/dev/null
	exit 0
fi
code=0
for part in base fabric backends actions diagnosis archive tui views app emulator tests tools; do
	git ls-files "$part/*.c" "$part/*.h" "$part/*.def" | grep -v /corpus/ | xargs sh -c 'exit $(($# == 0))' _ || continue
	files=$(git ls-files "$part/*.c" "$part/*.h" "$part/*.def" | grep -v /corpus/)
	# shellcheck disable=SC2086 # names of this tree have no blanks
	comments $files | measure "$part" || code=1
done
# shellcheck disable=SC2046
paragraphs $(git ls-files '*.md' 'man/*' | grep -vE '^tests/(cases|bench/history|captures)/') | measure documents || code=1
GENERATED=1 paragraphs man/railtop.1 | measure "made by docs" || code=1
[ $code = 0 ] && echo "prose: ok"
exit $code
