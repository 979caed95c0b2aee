#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every fuzz target over its corpus, without a fuzzer: what once broke stays mended.
set -u
: "${BUILD:=build}"
n=0
failed=0
for program in $(find "$BUILD/tests/fuzz" -name 'fuzz_*' ! -name '*.*' | sort); do
	name=$(basename "$program")
	n=$((n + 1))
	if [ ! -d "tests/fuzz/corpus/${name#fuzz_}" ]; then
		echo "ok $n - $name # SKIP it has no corpus"
	elif out=$("$BUILD/tests/fuzz/$name" "tests/fuzz/corpus/${name#fuzz_}" 2>&1); then
		echo "ok $n - $name: $out"
	else
		echo "not ok $n - $name"
		echo "$out" | sed 's/^/# /'
		failed=1
	fi
done
echo "1..$n"
exit $failed
