#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# For `make names-check`: a function is called by its module and what it does (port_rate), or by verb
# and noun (read_port). At most 3 % of a folder's functions are one bare word, and none has the name of
# a function of libc. Tests are cmocka's (setup, teardown) and are looked at for libc's names only.
#   tools/names-check.sh            share of each folder, and each name of libc
#   tools/names-check.sh -l FOLDER  also each bare word
set -u
cd "$(dirname "$0")/.."
list=
[ "${1:-}" = -l ] && { list=1; shift; }
code=0
for part in ${*:-base fabric backends actions diagnosis archive tui views app emulator tests}; do
	git ls-files "$part/*.c" "$part/*.h" | xargs awk -v part="$part" -v list="$list" '
	BEGIN {
		n = split("abort abs accept access alarm bind chdir chmod clock close connect count " \
			"dup exec exit fork free getpid index isatty kill link listen log lseek malloc " \
			"mkdir nice open pause perror pipe poll printf puts raise rand read reboot recv " \
			"remove rename rewind select send shutdown signal sleep socket splice stat sync " \
			"system time times truncate umask unlink usleep wait warn write y0 y1 j0 j1 err " \
			"errx warnx basename dirname tee tell", names, " ")
		for (i = 1; i <= n; i++) libc[names[i]] = 1
		delete libc["count"]; delete libc["tell"]
		# These stand in for libc.
		split("tests/bench/bench_parse.c tests/bench/fast/fast_clock.c tests/actions/manager/test_manager_kill.c tests/integration/chaos/preload/fail_alloc.c", w, " ")
		for (i in w) stand_in[w[i]] = 1
	}
	FNR == 1 { signature = "" }
	/^[ \t]*$/ || /^[}#\/]/ || /^ \*/ { signature = ""; next }
	/^\{/ {
		name = signature
		sub(/^ *CASE(_WITH)?\(/, "", name) # of tests/support/cases.h
		sub(/[(,)].*/, "", name)
		sub(/.*[^A-Za-z0-9_]/, "", name)
		if (signature ~ /\(/ && name != "" && name != "main" && signature !~ /(^|[^A-Za-z_])(struct|enum|union)[^(]*=/) {
			total++
			if (name in libc && !(FILENAME in stand_in)) { print FILENAME ":" FNR ": " name "() has the name of a function of libc" > "/dev/stderr"; bad = 1 }
			if (name !~ /_/) { bare++; if (list) print FILENAME ":" FNR ": " name }
		}
		signature = ""; next
	}
	/^[A-Za-z]/ || signature != "" { signature = signature " " $0 }
	/;[ \t]*$/ { signature = "" }
	END {
		share = total ? 100 * bare / total : 0
		printf "%-12s %5d functions, %4d of one bare word (%.1f %%)\n", part, total, bare, share
		exit bad || (share > 3 && part != "tests")
	}' || code=1
done
[ $code = 0 ] && echo "names: ok"
exit $code
