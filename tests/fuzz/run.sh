#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every libFuzzer program for a while. What it learns goes below BUILD, the corpus in the
# repository stays as it is; what makes it fail is kept in BUILD/found and named. For `make fuzz`.
#   FUZZ_SECONDS=600 ONLY=query make fuzz
set -u
cd "$(dirname "$0")/../.."
: "${BUILD:=build/fuzz}" "${FUZZ_SECONDS:=20}"
failed=0
for source in tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	what=${name#fuzz_}
	case $what in *"${ONLY:-}"*) ;; *) continue ;; esac
	learnt=$BUILD/learnt/$what
	mkdir -p "$learnt" "$BUILD/found" "tests/fuzz/corpus/$what"
	log=$BUILD/$name.log
	if "$BUILD/tests/fuzz/$name" -max_total_time="$FUZZ_SECONDS" -max_len=65536 -timeout=10 \
		-rss_limit_mb=2048 -artifact_prefix="$BUILD/found/$what-" -print_final_stats=1 \
		"$learnt" "tests/fuzz/corpus/$what" >"$log" 2>&1; then
		printf 'ok    %-20s %s runs\n' "$name" \
			"$(awk '/number_of_executed_units/ { print $2 }' "$log")"
	else
		printf 'FAIL  %s\n' "$name"
		grep -E '^(==|SUMMARY|artifact_prefix|.*runtime error)' "$log" | sed 's/^/      /'
		tail -n 30 "$log" | sed 's/^/      /'
		failed=1
	fi
done
exit $failed
