#!/bin/sh
# Installs the Debian packages of tools/packages for the named purposes, only those that are missing.
set -eu
cd "$(dirname "$0")/.."

missing=
for purpose in "$@"; do
	for package in $(sed -n "s/^$purpose //p" tools/packages); do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
		[ "$status" = installed ] || missing="$missing $package"
	done
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "railtop needs these packages:$missing" >&2
	echo "This is not Debian: install them with your package manager, then run make again." >&2
	exit 2
fi
echo "installing:$missing"
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
# A service that a package starts (redis, sshd) is not wanted here: tests start their own.
guard=/usr/sbin/policy-rc.d
made=
if [ "$(id -u)" = 0 ] && [ ! -e "$guard" ]; then
	printf '#!/bin/sh\nexit 101\n' >"$guard" && chmod 755 "$guard" && made=1
fi
trap '[ -z "$made" ] || rm -f "$guard"' EXIT
# shellcheck disable=SC2086
if ! DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -q --no-install-recommends $missing; then
	$as_root apt-get update -q
	DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -q --no-install-recommends $missing
fi
