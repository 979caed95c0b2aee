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
echo "1..$count"
exit $failed
