#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages in a Debian of their own: built twice with the same result, without a warning, clean for
# lintian; installed in a bare system without a network; the demo, the completions, the units; purged
# without a trace. Part of `make thorough`.
#   tests/packages/debian.sh SUITE                bookworm, trixie
#   DEBS=FOLDER tests/packages/debian.sh SUITE    the packages there, which were built before
. "$(dirname "$0")/lib.sh"
suite=${1:?the name of a suite}
need tmux || stop_here "Debian $suite" "tmux cannot be installed here"
make_base "$suite" || stop_here "Debian $suite" "the mirror of Debian is not reachable from here"
tar=$RAILTOP_BASES/$suite.tar

# ---- build ----
build=$top/build keep=${PACKAGES_KEEP:-$top/keep}
build_in() { # folder
	$nice unshare --net sh -c '. "$1" && inside "$2" sh -c "cd \"\$1\" && dpkg-buildpackage -us -uc -b" sh "$3"' \
		sh "$rooms" "$build" "/src/$1/railtop" >"$top/build.log" 2>&1
}
sums_of() { (cd "$build/src/$1" && sha256sum ./*.deb); }
build_twice() {
	make_room "$suite" "$build"
	copy_source "$build/src/one/railtop"
	copy_source "$build/src/another-place/railtop"
	inside "$build" sh -c 'apt-get update -q && cd /src/one/railtop && apt-get build-dep -y -q --no-install-recommends ./ &&
		apt-get install -y -q --no-install-recommends lintian' >"$out" 2>&1
	report $? "$suite: all that the packages are built from can be installed"
	build_in one
	code=$?
	tail -n 25 "$top/build.log" >"$out"
	report $code "$suite: the packages are built, without a network"
	grep -E '(warning|error):' "$top/build.log" >"$out"
	[ $code = 0 ] && [ ! -s "$out" ]
	report $? "$suite: no warning of its compiler"
	build_in another-place && sums_of one >"$top/one" && sums_of another-place >"$top/two"
	diff "$top/one" "$top/two" >"$out" 2>&1 && [ "$(wc -l <"$top/one")" = 4 ]
	report $? "$suite: the same packages again, built in another folder"
	inside "$build" sh -c 'cd /src/one && lintian --allow-root --fail-on error,warning *.changes' >"$out" 2>&1 && [ ! -s "$out" ]
	report $? "$suite: lintian has nothing to say"
}
if [ -n "${DEBS:-}" ]; then
	keep=$DEBS
else
	build_twice
	mkdir -p "$keep" && cp "$build"/src/one/*.deb "$keep/" && rm -rf "$build"
fi
ls "$keep"/railtop_*.deb >/dev/null 2>&1 || finish

# ---- a bare system ----
bare=$top/bare
make_room "$suite" "$bare"
mkdir "$bare/root/debs" && cp "$keep"/railtop_*.deb "$keep"/railtop-emulator_*.deb "$bare/root/debs/"
# Files, without what dpkg and apt keep about any package, and caches. The account stays, as Debian has it:
# files of it may be elsewhere.
look_at() {
	(cd "$1" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o \
		-path ./var/log -o -path ./root -o -path ./tmp -o -path ./run -o -path './etc/*-' \) -prune -o -print | sort)
}
# The libraries alone first: they stay, as they are of others.
inside "$bare" sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends /root/debs/*.deb' >"$out" 2>&1
report $? "$suite: installed in a bare system"
inside_alone "$bare" sh -c 'railtop --version && railtop-emulator --version && railtop help check' >"$out" 2>&1
report $? "$suite: the programs run"
console_shows 240 "data fresh 44" "$bare" railtop demo
report $? "$suite: railtop demo shows its 44 devices"
inside_alone "$bare" sh -c 'railtop-emulator --preset two-leaf-rail --dir /tmp/e --for 200s >/tmp/ready & i=0
	until grep -q ready /tmp/ready || [ $i = 300 ]; do sleep 0.2; i=$((i + 1)); done; railtop check -f /tmp/e/fabric.yaml' >"$out" 2>&1
report $? "$suite: railtop check reaches an emulated fabric"
rm -rf "$bare/tmp/e" "$bare/tmp/ready"

# ---- units: with the systemd of this Debian ----
installed_in "$bare" systemd &&
	inside "$bare" systemd-sysusers && inside "$bare" systemd-tmpfiles --create
report $? "$suite: its systemd takes the account and the directories"
for unit in "$bare"/usr/lib/systemd/system/railtop-*.service; do
	name=${unit##*/}
	inside "$bare" systemd-analyze security --offline=true --threshold=20 "/usr/lib/systemd/system/$name" >"$out" 2>&1
	report $? "$suite: $name: exposure of at most 2.0"
	inside "$bare" systemd-analyze verify "/usr/lib/systemd/system/$name" 2>&1 |
		grep -v -e 'man railtop' -e '^$' >"$out"
	[ ! -s "$out" ]
	report $? "$suite: $name: systemd understands it"
done
. "$here/tests/packages/boot.sh"
start_units

# ---- completion, in the shells of this Debian ----
cp "$here/tests/integration/program/test_completion.sh" "$bare/root/"
installed_in "$bare" zsh fish bash-completion &&
	inside_alone "$bare" sh -c 'cd /usr/share/railtop && BUILD=/usr/bin sh /root/test_completion.sh' >"$out" 2>&1 &&
	! grep -q -e '^not ok' -e SKIP "$out"
report $? "$suite: completion in bash, zsh and fish"

# ---- gone ----
bare=$top/gone
make_room "$suite" "$bare"
mkdir "$bare/root/debs" && cp "$top"/bare/root/debs/*.deb "$bare/root/debs/"
rm -rf "$top/bare"
# Its dependencies are there before, and stay.
inside "$bare" sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends systemd $(dpkg-deb -f /root/debs/railtop_*.deb Depends |
	tr "," "\n" | sed "s/|.*//; s/(.*//") $(dpkg-deb -f /root/debs/railtop-emulator_*.deb Depends | tr "," "\n" | sed "s/|.*//; s/(.*//")' >"$out" 2>&1
look_at "$bare" >"$top/before"
inside "$bare" sh -c 'apt-get install -y -q --no-install-recommends /root/debs/*.deb &&
	install -d -o railtop /var/lib/railtop && touch /var/lib/railtop/shift.rts &&
	apt-get purge -y -q railtop railtop-emulator' >>"$out" 2>&1
code=$?
look_at "$bare" >"$top/after"
[ $code = 0 ] && diff "$top/before" "$top/after" >"$out"
report $? "$suite: purge leaves nothing"
inside "$bare" sh -c 'dpkg -l | grep railtop' >"$out" 2>&1
[ ! -s "$out" ]
report $? "$suite: nor does dpkg know of it"
finish
