#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# For `make thorough`: everything that is checked, at full length. It is run before a large change is
# called done; .ci/run has what fits into 20 minutes. Says how long each part took.
#   PARTS="suite fuzz" make thorough      only these
# What passes as a whole is noted in .ci/analysed: .ci/run has the analyzer look at what changed since.
set -u
cd "$(dirname "$0")/.."
: "${PARTS:=static suite sanitized threads tidy fuzz bench day packages checkers}"
make="make --no-print-directory -j2"
export FULL=1 KEYS=20000 RAILTOP_SHARED="${RAILTOP_SHARED:-$PWD/../shared}"
summary=
failed=0

# All of them, also after one that failed. Those of Debian 12 are what the RPM is compared with.
run_packages() {
	debs=$(mktemp -d) bad=0
	PACKAGES_KEEP=$debs tests/packages/debian.sh bookworm || bad=1
	tests/packages/debian.sh trixie || bad=1
	tests/packages/cross.sh || bad=1
	DEBS=$debs tests/packages/rpm.sh || bad=1
	tests/packages/oci.sh || bad=1
	tests/packages/tarball.sh || bad=1
	rm -rf "$debs"
	return $bad
}

run_part() {
	case $1 in
	static) $make WERROR=1 check && $make WERROR=1 CC=clang syntax ;;
	suite) $make WERROR=1 test ;;
	sanitized) $make WERROR=1 SAN=1 test ;;
	# The threads of the program are those of the collector, the recording and the engine's reader.
	threads) for only in test_collector test_recording test_session test_live; do
			$make TSAN=1 run-tests ONLY="$only" || return 1
		done ;;
	tidy) $make -k all && $make -k tidy ;;
	fuzz) $make fuzz FUZZ_SECONDS=45 ;;
	bench) $make bench-quick ;;
	day) $make all && tests/first_day.sh ;;
	# Each in a Debian of its own; what they need besides, they install.
	packages) run_packages ;;
	checkers) $make all && tests/checkers/imports.sh && tests/checkers/run.sh && tests/checkers/slurm.sh bookworm &&
		tests/checkers/slurm.sh trixie ;;
	*) echo "thorough: no such part: $1" >&2; return 1 ;;
	esac
}

tools/deps.sh build test ci || exit 2
for part in $PARTS; do
	echo "== thorough: $part"
	begun=$(date +%s)
	if run_part "$part"; then word=passed; else word=FAILED failed=1; fi
	summary="$summary$(printf '%-10s %s, %s s' "$part" "$word" $(($(date +%s) - begun)))
"
done
printf '== thorough\n%s' "$summary"
exit $failed
