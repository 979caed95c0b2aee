#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The RPM packages, built on this Debian from the archive of the source: the spec is read, built, looked at
# by rpmlint, and has the files of the .deb. fedora.macros stands for what Fedora's rpmbuild has besides.
# The dependencies have Fedora's names, so nothing is installed. Part of `make thorough`.
#   DEBS=FOLDER tests/packages/rpm.sh       the folder with the .deb packages of debian.sh
. "$(dirname "$0")/lib.sh"
need rpm || stop_here "RPM" "rpm cannot be installed here"
have_lint=1
need rpmlint || have_lint=0
version=$(sed -n 's/^#define RAILTOP_VERSION "\(.*\)"$/\1/p' "$here/base/version.h")
spec=$here/packaging/rpm/railtop.spec

grep -qx "Version:  *$version" "$spec" && grep -q "^## $version\|^## \[$version\]" "$here/CHANGELOG.md"
report $? "the spec and the list of changes have the program's version"
if [ $have_lint = 1 ]; then
	rpmlint "$spec" >"$out" 2>&1 && grep -E ': [EW]: ' "$out" | grep -v -e no-buildroot-tag -e 'invalid-url Source0' >"$top/words"
	mv "$top/words" "$out"
	[ ! -s "$out" ]
	report $? "rpmlint has nothing to say of the spec"
else
	skip "rpmlint" "rpmlint cannot be installed here"
fi

# The same macros for both builds, in folders of different names.
build_in() { # folder
	mkdir -p "$1/SOURCES"
	copy_source "$1/source/railtop-$version"
	tar -c -z -C "$1/source" "railtop-$version" -f "$1/SOURCES/railtop-$version.tar.gz"
	$nice env -i PATH="$PATH" HOME="$1" rpmbuild --load="$here/tests/packages/fedora.macros" -D "_topdir $1" --nodeps -bb "$spec"
}
build_in "$top/one" >"$top/log" 2>&1
code=$?
tail -n 25 "$top/log" >"$out"
report $code "rpmbuild builds the packages"
[ $code = 0 ] || finish
grep -E '\.[ch]:[0-9:]+ (warning|error):|^warning:|^RPM build (warnings|errors)' "$top/log" >"$out"
[ ! -s "$out" ]
report $? "without a warning"
main=$(ls "$top"/one/RPMS/*/railtop-"$version"-*.rpm) emulator=$(ls "$top"/one/RPMS/*/railtop-emulator-"$version"-*.rpm)
if [ $have_lint = 1 ]; then
	# Signature, packager and group are of the place that publishes; logrotate is no need, a log is, and
	# it is not for everybody.
	rpmlint "$main" "$emulator" 2>/dev/null | grep -E ': E: ' |
		grep -v -e no-signature -e no-packager-tag -e no-group-tag -e missing-dependency-to-logrotate -e "non-standard-dir-perm /var/log/railtop 750" >"$out"
	[ ! -s "$out" ]
	report $? "rpmlint finds no error in the packages"
fi

# ---- the files of the .deb ----
plain() { # the list of one kind in the words of both
	sed -e 's/^\.//' -e 's/\.gz$//' -e 's,/zsh/vendor-completions/,/zsh/site-functions/,' | grep -v -E '/$|/doc/|/licenses/|/lintian/|\.build-id' | sort
}
rpm_list() { rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$@" 2>/dev/null | sed -n 's/^-[^ ]* //p' | plain; }
debs=${DEBS:-}
if [ -n "$debs" ] && ls "$debs"/railtop_*.deb >/dev/null 2>&1; then
	for name in railtop railtop-emulator; do
		rpm=$main
		[ $name = railtop ] || rpm=$emulator
		dpkg-deb --fsys-tarfile "$debs"/${name}_*.deb | tar -t | plain >"$top/deb.list"
		rpm_list "$rpm" >"$top/rpm.list"
		diff "$top/deb.list" "$top/rpm.list" >"$out" && [ -s "$top/rpm.list" ]
		report $? "$name: the RPM has the files of the .deb"
	done
else
	skip "the files of the .deb" "DEBS names no folder with .deb packages"
fi
rpm -qp --requires "$emulator" 2>/dev/null | grep -q 'lua/5.1/cjson.so'
report $? "the emulator needs its Lua module"
rpm -qp --scripts "$main" 2>/dev/null >"$out"
grep -q 'railtop.conf' "$out" && grep -q 'railtop-watch.service' "$out"
report $? "the scripts make the account and know the services"

# ---- the programs within ----
mkdir "$top/root" && (cd "$top/root" && rpm2cpio "$main" | cpio -id --quiet && rpm2cpio "$emulator" | cpio -id --quiet) >"$out" 2>&1
"$top/root/usr/bin/railtop" --version >"$out" 2>&1 && "$top/root/usr/bin/railtop-emulator" --version >>"$out" 2>&1
report $? "its programs run"
readelf -lW "$top/root/usr/bin/railtop" | grep -q GNU_RELRO && readelf -dW "$top/root/usr/bin/railtop" | grep -q 'BIND_NOW\|NOW' &&
	readelf -hW "$top/root/usr/bin/railtop" | grep -q 'DYN'
report $? "hardened with the flags of rpmbuild and its own"

build_in "$top/another-place" >"$top/log" 2>&1
(cd "$top/one/RPMS" && find . -name '*.rpm' -exec sha256sum {} + | sort) >"$top/a"
(cd "$top/another-place/RPMS" && find . -name '*.rpm' -exec sha256sum {} + | sort) >"$top/b"
diff "$top/a" "$top/b" >"$out" && [ -s "$top/a" ]
report $? "the same packages again, built in another folder"
finish
