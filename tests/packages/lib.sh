# SPDX-License-Identifier: Apache-2.0
# For the scripts beside it, which source it: rooms (roots of a Debian made by debootstrap), copies of
# the source, and TAP. Needs root. RAILTOP_BASES is where the rooms' bases are kept between runs.
set -u
here=${PACKAGES_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
rooms=$here/tests/packages/rooms.sh
. "$rooms"
: "${RAILTOP_BASES:=/var/cache/railtop-bases}"
# Compilers of other users of the machine come first.
nice="nice -n 19"
top=$(mktemp -d /var/tmp/railtop-packages-XXXXXX)
trap 'rm -rf --one-file-system "$top"' EXIT
trap 'exit 1' INT TERM
out=$top/out
n=0 failed=0

report() { # status, what
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		tail -n 25 "$out" 2>/dev/null | sed 's/^/# /'
		failed=1
	fi
}
skip() { # what, why
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
finish() {
	echo "1..$n"
	exit $failed
}
# All that follows needs it: says why not, and ends.
stop_here() { # what, why
	skip "$1" "$2"
	finish
}
[ "$(id -u)" = 0 ] || stop_here "packages" "only root makes a room"

# Tools of this machine that only these scripts need, and CI does not.
need() { # package...
	for package; do
		dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed && continue
		DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$package" >"$out" 2>&1 || {
			apt-get update -q >>"$out" 2>&1
			DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$package" >>"$out" 2>&1
		} || return 1
	done
}

# The source as git knows it, without what was built. In it nothing depends on the folder's name.
copy_source() { # folder
	mkdir -p "$1"
	(cd "$here" && git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -c -T -) | tar -x -C "$1"
}

# ---- rooms ----

# A bare Debian, as debootstrap makes it. False: the mirror is not reachable.
make_base() { # suite
	[ ! -e "$RAILTOP_BASES/$1.tar" ] || return 0
	need debootstrap || return 1
	mkdir -p "$RAILTOP_BASES"
	$nice debootstrap --variant=minbase "$1" "$top/base-$1" >"$out" 2>&1 || return 1
	rm -f "$top/base-$1"/var/cache/apt/archives/*.deb
	tar -c -C "$top/base-$1" . >"$RAILTOP_BASES/$1.new" && mv "$RAILTOP_BASES/$1.new" "$RAILTOP_BASES/$1.tar"
	rm -rf "$top/base-$1"
}
make_room() { # suite, folder
	mkdir -p "$2" && tar -x -f "$RAILTOP_BASES/$1.tar" -C "$2" || return 1
	cp -L /etc/resolv.conf "$2/etc/resolv.conf" 2>/dev/null
	# A service that a package starts is not wanted there.
	printf '#!/bin/sh\nexit 101\n' >"$2/usr/sbin/policy-rc.d" && chmod 755 "$2/usr/sbin/policy-rc.d"
}
installed_in() { # room, package...
	room=$1
	shift
	inside "$room" sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends "$@"' sh "$@" >"$out" 2>&1
}

# The console on a terminal of a room, until it shows a text. It is left with q. 80 columns, 24 lines.
console_shows() { # seconds, text, room, command...
	socket=$top/tmux deadline=$(($(date +%s) + $1)) text=$2
	shift 2
	cat >"$top/console.sh" <<-EOF
		rooms=$rooms
		. "$rooms"
		inside_alone $*
		echo "ended \$?" >"$top/console.code"
	EOF
	rm -f "$top/console.code"
	tmux -S "$socket" -f /dev/null new-session -d -x 80 -y 24 "sh $top/console.sh" || return 1
	shown=1
	while [ "$(date +%s)" -lt "$deadline" ] && [ ! -e "$top/console.code" ]; do
		tmux -S "$socket" capture-pane -p >"$out" 2>/dev/null
		grep -qF -- "$text" "$out" && { shown=0; break; }
		sleep 0.5
	done
	[ $shown = 0 ] && tmux -S "$socket" send-keys ':q' Enter
	while [ $shown = 0 ] && [ "$(date +%s)" -lt "$deadline" ] && [ ! -e "$top/console.code" ]; do sleep 0.2; done
	tmux -S "$socket" kill-server 2>/dev/null
	[ $shown = 0 ] && grep -qx "ended 0" "$top/console.code"
}
