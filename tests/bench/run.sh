#!/bin/sh
# Runs the benches (all, or those named) and shows their figures; each writes build/bench/NAME.json.
# QUICK=1: only whether each can measure, with the least of everything, a second or so each; no
# bound is looked at and nothing is written. One that takes a minute is ended and counts as failed.
set -u
cd "$(dirname "$0")/../.."
: "${BUILD:=build}"
export BUILD
export LC_ALL=C.UTF-8
mkdir -p "$BUILD/bench"
code=0
case ${QUICK:-0} in '' | 0) quick= ;; *) quick=1 ;; esac

# What a bench is given where the least of everything is said from outside.
quickly() { # name, program
	case $1 in
	console) set -- env PRESET=ref256 "$2" cluster ;;
	diagnosis) set -- "$2" trace ;;
	fabric) set -- "$2" 1 ref256 ;;
	ingest) set -- "$2" 1 1 3 ;;
	poll) set -- "$2" 2 host ;;
	recording) set -- env HOURS=0.02 "$2" ;;
	runbook | wiring) set -- env PRESET=ref256 "$2" ;;
	*) set -- "$2" ;;
	esac
	timeout 60 "$@"
}

run() { # name, program
	if [ -z "$quick" ]; then
		"$2"
		return
	fi
	began=$(date +%s)
	quickly "$1" "$2" && result=measures || result="CANNOT MEASURE"
	printf '%-12s %s, %d s\n\n' "$1" "$result" $(($(date +%s) - began))
	[ "$result" = measures ]
}

for program in "$BUILD"/tests/bench/bench_*; do
	case $program in *.o | *.d) continue ;; esac
	[ -x "$program" ] || continue
	name=${program##*/bench_}
	case " $* " in
	*" $name "*) ;;
	"  ") # peers needs what only bench-peers installs, and a soak takes its time
		case $name in peers | soak) continue ;; esac ;;
	*) continue ;;
	esac
	run "$name" "$program" || code=1
done
exit $code
