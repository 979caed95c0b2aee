# SPDX-License-Identifier: Apache-2.0
# Runs commands in a room (the root of a system). Sourced by lib.sh, and by scripts for a terminal.

# With processes and mounts of its own: none outlives it.
inside() { # room, command...
	unshare --mount --pid --fork --kill-child --propagation private sh -c '
		root=$1; shift
		mkdir -p "$root/proc" "$root/dev" "$root/tmp"
		mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" &&
			mount -t devpts -o ptmxmode=666,newinstance devpts "$root/dev/pts" &&
			mount --bind "$root/dev/pts/ptmx" "$root/dev/ptmx" || exit 99
		chroot=$(command -v chroot)
		exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			TERM=xterm-256color LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$chroot" "$root" "$@"' sh "$@"
}
# The same without a network, but for a loopback of its own.
inside_alone() { # room, command...
	unshare --net sh -c 'ip link set lo up && . "$1" && shift && inside "$@"' sh "$rooms" "$@"
}
