#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The archive of `make tarball`: built twice with the same result, and run in an empty root with nothing
# but it: no shell, no library, no locale, no description of a terminal. Part of `make thorough`.
#   TARBALL=FILE tests/packages/tarball.sh      only the run of that archive
. "$(dirname "$0")/lib.sh"
need tmux || stop_here "tarball" "tmux cannot be installed here"
archive=${TARBALL:-}

if [ -z "$archive" ]; then
	for place in one another-place; do
		copy_source "$top/$place/railtop"
		(cd "$top/$place/railtop" && env -u LDFLAGS $nice make --no-print-directory -j2 WERROR=1 tarball) >"$out" 2>&1
		code=$?
		[ $code = 0 ] || break
	done
	report $code "make tarball, without a warning"
	[ $code = 0 ] || finish
	archive=$(ls "$top"/one/railtop/build-tarball/railtop-*.tar.gz)
	cmp "$archive" "$top"/another-place/railtop/build-tarball/railtop-*.tar.gz >"$out" 2>&1
	report $? "the same archive again, built in another folder"
fi
tar -t -v -z -f "$archive" >"$out" && ! grep -v -E '^[-dl][rwx-]{9} (0/0|root/root) ' "$out" | grep -q . &&
	[ "$(sed 's,.* \(railtop-[^/]*\)/.*,\1,' "$out" | sort -u | wc -l)" = 1 ]
report $? "one folder, of root, in the archive"

root=$top/empty
mkdir -p "$root/tmp" "$root/root" && tar -x -z -C "$root" -f "$archive" && mv "$root"/railtop-* "$root/rt"
# A link to it is how one puts it on the path.
ln -s /rt/bin/railtop "$root/railtop"
for program in "$root"/rt/bin/*; do
	! readelf -lW "$program" | grep -q INTERP || echo "$program is not static"
done >"$out"
for program in "$root"/rt/libexec/* "$root"/rt/lib/*.so*; do
	for library in $(readelf -dW "$program" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		[ -e "$root/rt/lib/$library" ] || echo "$program needs $library"
	done
	# Its path would be one of this machine.
	readelf -dW "$program" 2>/dev/null | grep -E 'RPATH|RUNPATH'
done >>"$out"
[ ! -s "$out" ]
report $? "the launcher is static, and each library that another one needs is there"
grep -rlF "$top" "$root/rt" >"$out"
[ ! -s "$out" ]
report $? "no path of this machine is in it"
for library in "$root"/rt/lib/lib*.so*; do
	ls "$root"/rt/lib/railtop-licences/* >/dev/null 2>&1 || echo "no licences"
done >"$out"
[ ! -s "$out" ] && [ -s "$root/rt/lib/railtop-licences/libc6" ]
report $? "with the licences"

in_it() { inside_alone "$root" "$@"; }
in_it /rt/bin/railtop --version >"$out" 2>&1 && grep -q '^railtop [0-9]' "$out"
report $? "railtop --version, in a root with nothing else"
in_it /railtop --version >"$out" 2>&1
report $? "by a link to it"
mkdir -p "$root/odd:x" && cp -r "$root"/rt/. "$root/odd:x"
in_it "/odd:x/bin/railtop" --version >"$out" 2>&1
[ $? = 5 ] && grep -q "move the archive" "$out"
report $? "refused in a folder whose name the loader would take for two"
rm -rf "$root/odd:x"
in_it /rt/bin/railtop-emulator --version >"$out" 2>&1
report $? "railtop-emulator --version"
# Each program by itself: there is no shell. The network is one of the test.
cat >"$top/range.sh" <<EOF
rooms=$rooms
. "\$rooms"
ip link set lo up
: >"$top/ready"
inside "$root" /rt/bin/railtop-emulator --preset two-leaf-rail --dir /tmp/e --observations /tmp/run.jsonl --for 300s >"$top/ready" 2>&1 &
range=\$!
i=0
until grep -q ready "$top/ready" || [ \$i = 300 ]; do sleep 0.2; i=\$((i + 1)); done
inside "$root" /rt/bin/railtop check -f /tmp/e/fabric.yaml >"$top/check" 2>&1
echo "check \$?" >"$top/codes"
inside "$root" /rt/bin/railtop doctor -f /tmp/e/fabric.yaml >"$top/doctor" 2>&1
inside "$root" /rt/bin/railtop record -f /tmp/e/fabric.yaml --for 12s -o /tmp/shift.rts >"$top/record" 2>&1
echo "record \$?" >>"$top/codes"
kill \$range
EOF
unshare --net sh "$top/range.sh"
cp "$top/check" "$out"
grep -qx "check 0" "$top/codes" && [ "$(grep -c ' fresh ' "$out")" = 36 ]
report $? "railtop check reaches an emulated fabric of 36 devices"
cp "$top/doctor" "$out"
grep -q '^ok  *TERM ' "$out" && grep -q '^ok  *locale  *UTF-8' "$out"
report $? "the terminal is known and draws lines"
cp "$top/record" "$out"
grep -qx "record 0" "$top/codes" && [ -s "$root/tmp/shift.rts" ]
report $? "railtop record"
console_shows 60 "two-leaf-rail" "$root" /rt/bin/railtop open /tmp/shift.rts
report $? "railtop open shows the recording"
console_shows 240 "data fresh 44" "$root" /rt/bin/railtop demo
report $? "railtop demo shows its 44 devices"
# A locale that the machine lacks, as SSH brings it.
grep -q '›' "$out"
report $? "with lines"
finish
