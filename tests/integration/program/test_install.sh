#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What make install puts where, that it is whole, and that make uninstall leaves nothing. The units of
# systemd are judged by systemd-analyze, which needs no running systemd for that.
set -u
: "${BUILD:=build}"
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
n=0 failed=0

report() { # status, what
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		tail -n 20 "$top/out" | sed 's/^/# /'
		failed=1
	fi
}

# A build with sanitizers has other flags: its programs are there already.
make_it() {
	make --no-print-directory -o all BUILD="$BUILD" DESTDIR="$top/root" "$@" >"$top/out" 2>&1
}

make_it install prefix=/usr
report $? "make install"
[ -x "$top/root/usr/bin/railtop" ] && [ -x "$top/root/usr/bin/railtop-emulator" ] &&
	"$top/root/usr/bin/railtop" --version >"$top/out" 2>&1
report $? "the programs run"
for page in man/*.[15]; do
	[ -s "$top/root/usr/share/man/man${page##*.}/${page##*/}" ] || echo "$page"
done >"$top/out"
[ ! -s "$top/out" ]
report $? "every man page"
bash -n "$top/root/usr/share/bash-completion/completions/railtop" >"$top/out" 2>&1 &&
	grep -q compdef "$top/root/usr/share/zsh/site-functions/_railtop" &&
	grep -q 'complete -c railtop' "$top/root/usr/share/fish/vendor_completions.d/railtop.fish"
report $? "completion for three shells"

units=$(find "$top/root/usr/lib/systemd/system" -name '*.service')
if command -v systemd-analyze >/dev/null; then
	for unit in $units; do
		# Its scale has tenths: 20 is 2.0.
		systemd-analyze security --offline=true --threshold=20 "$unit" >"$top/out" 2>&1
		report $? "${unit##*/}: exposure of at most 2.0"
		# The account and the program are not on this machine.
		systemd-analyze verify "$unit" 2>&1 | grep -Ev 'is not executable|man railtop|^$' >"$top/out"
		[ ! -s "$top/out" ]
		report $? "${unit##*/}: systemd understands it"
	done
else
	n=$((n + 1))
	echo "ok $n - units # SKIP the package systemd is not installed"
fi

(cd "$top/root" && find . -type f | sort) >"$top/before"
make_it uninstall prefix=/usr
(cd "$top/root" && find . -type f) >"$top/out"
[ -s "$top/before" ] && [ ! -s "$top/out" ]
report $? "make uninstall leaves no file"

make_it install
report $? "make install at the usual place"
grep -q '^ExecStart=/usr/local/bin/railtop export' "$top/root/usr/local/lib/systemd/system/railtop-export.service"
report $? "the units start the program where it is"

echo "1..$n"
exit $failed
