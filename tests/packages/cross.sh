#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages for arm64, built by a cross compiler in a Debian with the libraries of both, and run by
# qemu-user-static where this machine has it. Part of `make thorough`.
. "$(dirname "$0")/lib.sh"
make_base bookworm || stop_here "arm64" "the mirror of Debian is not reachable from here"
room=$top/room
make_room bookworm "$room"
copy_source "$room/src/railtop"
inside "$room" sh -c 'dpkg --add-architecture arm64 && apt-get update -q && cd /src/railtop &&
	apt-get install -y -q --no-install-recommends crossbuild-essential-arm64 && apt-get build-dep -y -q --no-install-recommends -a arm64 -P cross,nocheck ./' >"$out" 2>&1
code=$?
report $code "arm64: all that the packages are built from can be installed"
[ $code = 0 ] || finish
$nice unshare --net sh -c '. "$1" && inside "$2" sh -c "cd /src/railtop && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -a arm64 --build-profiles=cross,nocheck -us -uc -b"' \
	sh "$rooms" "$room" >"$top/log" 2>&1
code=$?
tail -n 25 "$top/log" >"$out"
report $code "arm64: the packages are built, without a network"
[ $code = 0 ] || finish
grep -E '\.[ch]:[0-9:]+ (warning|error):' "$top/log" >"$out"
[ ! -s "$out" ]
report $? "arm64: no warning of its compiler"
ls "$room"/src/railtop_*_arm64.deb "$room"/src/railtop-emulator_*_arm64.deb >"$out" 2>&1
report $? "arm64: both packages"
mkdir "$top/root" && for deb in "$room"/src/railtop_*_arm64.deb "$room"/src/railtop-emulator_*_arm64.deb; do dpkg-deb -x "$deb" "$top/root"; done
file=$top/root/usr/bin/railtop
readelf -hW "$file" | grep -q AArch64 && readelf -nW "$file" | grep -q 'BTI' && readelf -dW "$file" | grep -q NOW
report $? "arm64: a program of it, with its protection of branches"
[ -s "$top/root/usr/share/bash-completion/completions/railtop" ] && [ -s "$top/root/usr/share/fish/vendor_completions.d/railtop.fish" ]
report $? "arm64: the completions, which the program writes itself"
if need qemu-user-static; then
	# The loader and the libraries of arm64 are in the room.
	cp "$(command -v qemu-aarch64-static)" "$room/usr/bin/" && cp "$file" "$top/root/usr/bin/railtop-emulator" "$room/usr/local/bin/"
	inside "$room" sh -c 'apt-get install -y -q --no-install-recommends $(dpkg-deb -f /src/railtop_*_arm64.deb Depends | tr "," "\n" |
		sed -n "s/^ *\([a-z0-9.+-]*\).*/\1:arm64/p" | grep -v -e systemd -e init-system)' >"$out" 2>&1
	inside "$room" qemu-aarch64-static /usr/local/bin/railtop --version >"$out" 2>&1 && grep -q '^railtop [0-9]' "$out"
	report $? "arm64: railtop --version"
	inside "$room" qemu-aarch64-static /usr/local/bin/railtop help check >"$out" 2>&1
	report $? "arm64: railtop help check"
else
	skip "arm64: railtop --version" "qemu-user-static cannot be installed here"
fi
finish
