#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Both programs are built with what makes an attack on a memory error hard: seen in the files themselves.
# Of a build with sanitizers the plain build beside it is looked at: sanitizers replace these.
set -u
cd "$(dirname "$0")/../../.." || exit 1
: "${BUILD:=build}"
count=0
failed=0

say() { # passed or not, what
	count=$((count + 1))
	[ "$1" = 0 ] && echo "ok $count - $2" || { echo "not ok $count - $2"; failed=1; }
}

for program in railtop railtop-emulator; do
	file=$BUILD/$program
	if readelf -sW "$file" | grep -Eq '__(asan|tsan)_init'; then
		file=build/$program
		if [ ! -x "$file" ] || readelf -sW "$file" | grep -Eq '__(asan|tsan)_init'; then
			count=$((count + 1))
			echo "ok $count - $program # SKIP only a build with sanitizers is here: make"
			continue
		fi
	fi
	symbols=$(readelf --dyn-syms -W "$file")
	segments=$(readelf -lW "$file")
	dynamic=$(readelf -dW "$file")
	readelf -hW "$file" | grep -q 'Type:.*DYN'
	say $? "$program can be loaded at any address"
	echo "$symbols" | grep -q __stack_chk_fail
	say $? "$program notices an overflow of the stack"
	echo "$symbols" | grep -Eq '__(memcpy|memset|snprintf|vsnprintf|read|strcpy)_chk'
	say $? "$program checks copies against the size of their target"
	echo "$segments" | grep -q GNU_RELRO && echo "$dynamic" | grep -Eq 'BIND_NOW|FLAGS_1.* NOW'
	say $? "$program has its table of functions read-only from the start"
	echo "$segments" | grep 'GNU_STACK' | grep -qv 'RWE'
	say $? "$program has no executable stack"
	echo "$dynamic" | grep -Eq 'RPATH|RUNPATH' && code=1 || code=0
	say $code "$program finds libraries at no place of its own"
	# The file as a whole has no such note on Debian 12: the C library's own start has none.
	case $(uname -m) in
	x86_64) [ "$(objdump -d -j .text "$file" | grep -c endbr64)" -ge 1000 ] ;;
	aarch64) [ "$(objdump -d -j .text "$file" | grep -Ec 'paciasp|bti')" -ge 1000 ] ;;
	*) true ;;
	esac
	say $? "$program marks the targets of its jumps"
done

# ---- what it leaves behind ----
top=$(mktemp -d /tmp/railtop-hard-XXXXXX)
trap 'rm -rf "$top"' EXIT
cat >"$top/fabric.yaml" <<END
fabric: t
switches: [{names: "leaf-1", address: 127.0.0.1, port: 1, dialect: sonic, tier: leaf}]
END
umask 022
"$BUILD/railtop" check -f "$top/fabric.yaml" --for 2s --log "$top/log" >"$top/out" 2>&1
say $(($? != 3)) "a device that cannot be reached is exit code 3"
grep -q 'device: leaf-1: .*connection refused' "$top/log" && grep -q 'ended with code 3' "$top/log"
say $? "the log has the reason"
[ "$(stat -c %a "$top/log")" = 600 ]
say $? "the log is its owner's"

# A fault of a library ends a command of a script with a line. Sanitizers have handlers of their own.
if readelf -sW "$BUILD/railtop" | grep -Eq '__(asan|tsan)_init'; then
	count=$((count + 1))
	echo "ok $count - a fault has a line # SKIP sanitizers have handlers of their own"
else
	"$BUILD/railtop" record -f "$top/fabric.yaml" -o "$top/k.rts" >"$top/out" 2>&1 &
	victim=$!
	turns=400
	while [ ! -s "$top/k.rts" ] && [ $turns -gt 0 ]; do
		turns=$((turns - 1))
		sleep 0.05
	done
	kill -SEGV $victim
	wait $victim 2>/dev/null
	[ $? = 139 ] && grep -q 'railtop: ended by a fault (SIGSEGV)' "$top/out"
	say $? "a fault has a line"
fi

# However few open files this machine has for it: words and no fault, and no device is blamed. From
# which limit on it starts, and from which it asks the device, depends on what it was given open.
bad=
named=0
asked=0
for limit in 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 22 24 28 32 40; do
	rm -f "$top/few"
	prlimit --nofile=$limit "$BUILD/railtop" check -f "$top/fabric.yaml" --for 1s --log "$top/few" >"$top/out" 2>&1
	code=$?
	if { [ $code = 5 ] || [ $code = 2 ]; } && grep -q 'limit of open files' "$top/out"; then
		named=$((named + 1))
	elif [ $code = 3 ] && grep -q 'leaf-1: .*connection refused' "$top/few"; then
		asked=$((asked + 1))
	elif [ $code = 3 ] && grep -q 'leaf-1: .*Too many open files.*ulimit -n' "$top/few"; then
		: # it could begin, and not read what it needs for this device
	elif [ $code = 127 ] && grep -q 'error while loading shared libraries' "$top/out"; then
		: # the loader could not open its libraries
	else
		bad="$bad $limit:$code"
	fi
done
[ -z "$bad" ] && [ $named -ge 3 ] && [ $asked -ge 3 ]
say $? "few open files are named at $named limits, enough at $asked:$bad"

# The limit of a file's size is an error of the write and not the end of the program.
{
	(
		ulimit -f 0
		exec "$BUILD/railtop" record -f "$top/fabric.yaml" -o "$top/r.rts" --for 2s 2>&1
	)
	echo "code=$?"
} | cat >"$top/out"
grep -q 'r.rts' "$top/out" && ! grep -Eq 'code=(0|153)$' "$top/out"
say $? "a file that may not grow is an error that is said"
echo "1..$count"
exit $failed
