#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# For `make tarball`: packs the program with all libraries that it needs, and their loader. It is not
# linked statically: Debian has no static libraries of Kerberos and p11-kit, which curl and GnuTLS need,
# and a C library that is linked statically asks no name service. The result is the same for the same
# source and packages: no time, owner or path of this machine is in it.
#   tools/tarball.sh BUILD VERSION      writes BUILD/railtop-VERSION-linux-MACHINE.tar.gz
set -eu
cd "$(dirname "$0")/.."
build=$1 version=$2
machine=$(uname -m)
name=railtop-$version
stage=$build/tarball
top=$stage/$name
out=$build/railtop-$version-linux-$machine.tar.gz
: "${CC:=gcc}"

rm -rf "$stage"
mkdir -p "$stage"
# The units name the place that docs/adoption.md has the archive linked to.
make --no-print-directory -o all install BUILD="$build" DESTDIR="$stage/" prefix="$name" >/dev/null
mkdir -p "$top/libexec" "$top/lib/railtop-licences"
for program in railtop railtop-emulator; do
	mv "$top/bin/$program" "$top/libexec/$program"
	strip --strip-unneeded "$top/libexec/$program"
done
for unit in "$top"/lib/systemd/system/*.service; do
	sed -i "s,^ExecStart=[^ ]*/,ExecStart=/opt/railtop/bin/," "$unit"
done

# ---- libraries, each with its licence ----
licence_of() { # file
	package=$(dpkg-query -S "$1" 2>/dev/null | sed -n '1s/:.*//p')
	# Debian's list has the names before /lib became a link to /usr/lib, or those after.
	[ -n "$package" ] || package=$(dpkg-query -S "${1#/usr}" "/usr$1" 2>/dev/null | sed -n '1s/:.*//p')
	[ -z "$package" ] || cp "/usr/share/doc/$package/copyright" "$top/lib/railtop-licences/$package" 2>/dev/null || :
}
list=$stage/libraries
for program in railtop railtop-emulator; do
	ldd "$top/libexec/$program"
done | sed -n -e 's/^.* => \(\/[^ ]*\) .*/\1/p' -e 's/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | sort -u >"$list"
loader=
while read -r file; do
	case ${file##*/} in ld-*) loader=${file##*/} ;; esac
	cp -L "$file" "$top/lib/${file##*/}"
	chmod 755 "$top/lib/${file##*/}"
	licence_of "$file"
done <"$list"
[ -n "$loader" ] || { echo "tarball: no loader among the libraries" >&2; exit 1; }
# The C library loads these by name when a host's name is looked up (nsswitch.conf); since 2.34 it has
# "files" and "dns" itself.
for file in $(dirname "$(grep /libc.so "$list")")/libnss_compat.so.2; do
	[ ! -e "$file" ] || cp -L "$file" "$top/lib/"
done
# The scripts of the emulator's devices load this by name.
for file in /usr/lib/*/lua/5.1/cjson.so; do
	[ ! -e "$file" ] || { mkdir -p "$top/lib/lua/5.1" && cp -L "$file" "$top/lib/lua/5.1/" && licence_of "$file"; }
done

# ---- terminals that a machine may not know ----
for terminal in xterm-256color xterm screen-256color screen tmux-256color tmux linux vt100 vt220 rxvt-unicode-256color; do
	for from in /usr/share/terminfo /lib/terminfo /etc/terminfo; do
		file=$from/$(printf %.1s "$terminal")/$terminal
		[ -e "$file" ] || continue
		mkdir -p "$top/share/terminfo/$(printf %.1s "$terminal")"
		cp -L "$file" "$top/share/terminfo/$(printf %.1s "$terminal")/"
		break
	done
done

# Characters, where the machine lacks the locale that SSH brings.
for file in /usr/lib/locale/C.utf8 /usr/lib/locale/C.UTF-8; do
	[ ! -d "$file" ] || { mkdir -p "$top/lib/locale" && cp -RL "$file" "$top/lib/locale/C.utf8"; break; }
done

# ---- the launchers ----
# shellcheck disable=SC2086
$CC -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -static -s -Wl,--build-id=none \
	"-ffile-prefix-map=$PWD=." -DLOADER="\"$loader\"" -o "$top/bin/railtop" packaging/tarball/launcher.c
cp "$top/bin/railtop" "$top/bin/railtop-emulator"
cp LICENSE README.md SECURITY.md CHANGELOG.md "$top/"
cp packaging/logrotate/railtop "$top/share/railtop/logrotate"
chmod -R u=rwX,go=rX "$top"

tar --create --directory="$stage" --sort=name --owner=0 --group=0 --numeric-owner \
	--mtime="@${SOURCE_DATE_EPOCH:-0}" --format=ustar "$name" | gzip -9n >"$out.new"
mv "$out.new" "$out"
rm -rf "$stage"
echo "$out"
