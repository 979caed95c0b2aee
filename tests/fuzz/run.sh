#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs libFuzzer programs for a while, two at a time. What they learn goes below BUILD, the corpus in
# the repository stays as it is; captures, where there are any, are seeds as well. What makes one
# fail is kept in BUILD/found and named. For `make fuzz`.
#   FUZZ_SECONDS=600 FUZZ="query sonic" make fuzz
set -u
cd "$(dirname "$0")/../.."
: "${BUILD:=build/fuzz}" "${FUZZ_SECONDS:=20}" "${FUZZ:=}"
export BUILD FUZZ_SECONDS
[ -n "$FUZZ" ] || FUZZ=$(find "$BUILD/tests/fuzz" -name 'fuzz_*' ! -name '*.*' | sed 's/.*fuzz_//' | sort)

one() {
	what=$1
	name=fuzz_$what
	learnt=$BUILD/learnt/$what seeds=$BUILD/seeds/$what
	mkdir -p "$learnt" "$seeds" "$BUILD/found" "tests/fuzz/corpus/$what"
	log=$BUILD/$name.log
	if "$BUILD/tests/fuzz/$name" -max_total_time="$FUZZ_SECONDS" -max_len=65536 -timeout=10 \
		-rss_limit_mb=2048 -artifact_prefix="$BUILD/found/$what-" -print_final_stats=1 \
		"$learnt" "tests/fuzz/corpus/$what" "$seeds" >"$log" 2>&1; then
		printf 'ok    %-20s %s runs, %s seeds\n' "$name" \
			"$(awk '/number_of_executed_units/ { print $2 }' "$log")" \
			"$(find "tests/fuzz/corpus/$what" "$seeds" -type f | wc -l)"
		return 0
	fi
	printf 'FAIL  %s\n' "$name"
	grep -E '^(==|SUMMARY|artifact_prefix|.*runtime error)' "$log" | sed 's/^/      /'
	tail -n 30 "$log" | sed 's/^/      /'
	return 1
}

if [ "${1:-}" = one ]; then
	one "$2"
	exit
fi
rm -rf "$BUILD/seeds"
tests/captures/seeds/make.sh "$BUILD/seeds" || [ $? = 77 ] || exit 1
# shellcheck disable=SC2086
printf '%s\n' $FUZZ | xargs -P 2 -n 1 "$0" one
