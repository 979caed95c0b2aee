#!/bin/sh
# Runs the benches (all, or those named) and shows their figures; each writes build/bench/NAME.json.
set -u
cd "$(dirname "$0")/../.."
: "${BUILD:=build}"
export BUILD
export LC_ALL=C.UTF-8
mkdir -p "$BUILD/bench"
code=0
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
	"$program" || code=1
done
exit $code
