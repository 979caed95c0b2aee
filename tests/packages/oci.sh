#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Containerfile, built by buildah on a base of debootstrap in the place of debian:bookworm-slim, as no
# registry is reachable from here. The image's account, entry point and programs; a demo in it. Part of
# `make thorough`.
. "$(dirname "$0")/lib.sh"
need buildah || stop_here "OCI" "buildah cannot be installed here"
make_base bookworm || stop_here "OCI" "the mirror of Debian is not reachable from here"
file=$here/packaging/oci/Containerfile
# Images of this script alone. It needs neither user namespaces nor overlays.
store="--root $top/images --runroot $top/run --storage-driver vfs"
mkdir -p "$top/tmp"
export TMPDIR=$top/tmp BUILDAH_ISOLATION=chroot REGISTRIES_CONFIG_PATH=$top/registries.conf
printf 'unqualified-search-registries = []\nshort-name-mode = "permissive"\n' >"$top/registries.conf"
b() { # subcommand, words...
	sub=$1
	shift
	# shellcheck disable=SC2086
	buildah $store "$sub" "$@"
}

base=$(b from scratch 2>"$out") && b add -q "$base" "$RAILTOP_BASES/bookworm.tar" / >>"$out" 2>&1 &&
	b commit -q --rm "$base" localhost/debian:bookworm-slim >>"$out" 2>&1
report $? "a base without a registry"
copy_source "$top/source"
$nice sh -c 'exec "$@"' sh buildah $store bud --pull-never -q -f "$file" --ignorefile "$top/source/packaging/oci/Containerfile.containerignore" \
	-t railtop "$top/source" >"$top/log" 2>&1
code=$?
tail -n 25 "$top/log" >"$out"
report $code "the Containerfile builds"
[ $code = 0 ] || finish
grep -E '\.[ch]:[0-9:]+ (warning|error):' "$top/log" >"$out"
[ ! -s "$out" ]
report $? "without a warning"

b inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}} {{.OCIv1.Config.Env}}' railtop >"$out" 2>&1
grep -q '^railtop \[/usr/bin/railtop\] \[check\]' "$out" && grep -q 'RAILTOP_FABRIC=/etc/railtop/fabric.yaml' "$out"
report $? "its account, entry point and inventory"
work=$(b from --pull-never railtop 2>"$out")
report $? "a container of it"
b run "$work" -- /usr/bin/railtop --version >"$out" 2>&1 && grep -q '^railtop [0-9]' "$out"
report $? "railtop --version"
b run "$work" -- sh -c 'id -un; touch /usr/bin/x' >"$out" 2>&1
grep -qx railtop "$out" && grep -qi 'permission denied' "$out"
report $? "as an account without rights"
# Its own words where no inventory is mounted.
b run "$work" -- sh -c '/usr/bin/railtop check; echo "code $?"' >"$out" 2>&1
grep -q '/etc/railtop/fabric.yaml' "$out" && grep -qx 'code 2' "$out"
report $? "without an inventory it names the file that it wants"
unshare --net sh -c 'ip link set lo up; exec "$@"' sh buildah $store run "$work" -- sh -c '
	railtop-emulator --preset two-leaf-rail --dir /tmp/e --for 200s >/tmp/ready & i=0
	until grep -q ready /tmp/ready || [ $i = 300 ]; do sleep 0.2; i=$((i + 1)); done
	railtop check -f /tmp/e/fabric.yaml' >"$out" 2>&1
report $? "railtop check reaches an emulated fabric"
root=$(b mount "$work")
find "$root/usr/bin" -newer "$file" -name 'railtop*' | grep -q . && [ ! -e "$root/usr/bin/gcc" ] && [ ! -e "$root/src" ]
report $? "no compiler and no source is in it"
console_shows 240 "data fresh 44" "$root" railtop demo
report $? "railtop demo shows its 44 devices"
b umount "$work" >/dev/null 2>&1
b rm -a >/dev/null 2>&1
finish
