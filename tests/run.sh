#!/bin/sh
# Runs the tests of the named folders side by side: every program build/tests/FOLDER/**/test_* and
# every script tests/FOLDER/**/test_*.sh, all of which print TAP. Ends with a line that counts.
#   ONLY=pattern tests/run.sh fabric              only programs whose path contains the pattern
#   JOBS=1 tests/run.sh fabric                    one at a time (default: three a core, as half of them wait)
#   REPEAT=200 ONLY=test_ssh tests/run.sh integration    each 200 times: how a flaky test is found
set -u
cd "$(dirname "$0")/.."
: "${BUILD:=build}" "${JOBS:=$((3 * $(nproc)))}" "${REPEAT:=1}"
results=$(mktemp -d /tmp/railtop-results-XXXXXX)
export BUILD results
trap 'rm -rf "$results"' EXIT
log=${TEST_LOG:-$BUILD/test.log}

list() {
	for folder in "$@"; do
		# Programs are listed by their sources, so that none of an older tree is run.
		find "tests/$folder" -name 'test_*.c' | sed "s#^\(.*\)\.c\$#$BUILD/\1#"
		find "tests/$folder" -name 'test_*.sh'
	done | grep -F -e "${ONLY:-/}" | sort
}

# Those of tests/long come first and in its order, so that no long one runs alone at the end.
in_order() {
	awk -v build="$BUILD/" '
		FILENAME != "-" { rank[$1] = FNR; next }
		{ name = $1; if (index(name, build) == 1) name = substr(name, length(build) + 1)
		  print (name in rank ? rank[name] : 100000 + FNR), $1 }' tests/long - |
		sort -n | cut -d ' ' -f 2
}

list "$@" | in_order | awk -v times="$REPEAT" '
	{ path[NR] = $1 }
	END { for (t = 1; t <= times; t++) for (i = 1; i <= NR; i++) print t "-" i, path[i] }' >"$results/list"
xargs -r -P "$JOBS" -L 1 tests/run_one.sh <"$results/list"
cat "$results"/*.log >"$log" 2>/dev/null

# Says what was skipped and why. A test without a reason of its own lacks the captures that not
# everybody has (cmocka prints its name there).
say_skipped() {
	skipped=$(grep -Eci '^(not )?ok [0-9]+ .*# skip' "$log")
	[ "$skipped" != 0 ] || return 0
	echo "skipped, by reason:"
	captures=$(grep -Ec '^(not )?ok [0-9]+ # SKIP [a-z0-9_]+$' "$log")
	if [ "$captures" != 0 ] && [ ! -d "${RAILTOP_SHARED:-../shared}/captures" ]; then
		printf '%7d captures of real devices are not in %s (tests/captures/README.md)\n' \
			"$captures" "${RAILTOP_SHARED:-../shared}/captures"
	elif [ "$captures" != 0 ]; then
		sed -nE 's/^(not )?ok [0-9]+ # SKIP ([a-z0-9_]+)$/\2/p' "$log" | sort | uniq -c
	fi
	{
		sed -nE '/^(not )?ok [0-9]+ # SKIP [a-z0-9_]+$/d; s/^(not )?ok [0-9]+ .*# [Ss][Kk][Ii][Pp](ped)?:? *(.+)$/\3/p' "$log"
		sed -n 's/^# skipped: //p' "$log"
	} | sort | uniq -c
}

# A program without counts did not end as one does.
sed 's/ .*//' "$results/list" | while read -r n; do
	cat "$results/$n.counts" 2>/dev/null || echo "0 1 0"
done | awk '
	{ passed += $1; failed += $2; skipped += $3 }
	END { printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
	      exit failed || !passed }'
code=$?
say_skipped
exit $code
