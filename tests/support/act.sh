# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of `railtop act`: a directory that goes with the test, TAP lines, an emulated
# fabric behind real SSH and HTTPS that ends with it.
: "${BUILD:=build}"
. tests/support/slot.sh
railtop=$BUILD/railtop
top=$(mktemp -d)
pid=
n=0
failed=0
said= # what is printed of $top when a test fails; "out err" when empty
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; wait; rm -rf "$top"' EXIT

report() { # status, name
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		for file in ${said:-out err}; do
			sed 's/^/# /' "$top/$file" 2>/dev/null
		done
		failed=1
	fi
}

emulate() { # options... ; the fabric is in $top/r, its first address is $slot_net.0.1
	mkfifo "$top/ready"
	"${EMULATOR:-$BUILD/railtop-emulator}" --preset ref256 --dir "$top/r" --listen "$slot_net.0.1" --die-with-parent \
		--for 600s "$@" </dev/null >"$top/ready" 2>"$top/emulator.err" &
	pid=$!
	read -r _ <"$top/ready"
}

# Runs a command in a session that another account logged in to: its terminal is that account's, as
# after sudo. Output in $top/out and $top/err, its status in $code.
as_login() { # account, command...
	login=$1
	shift
	{
		echo '#!/bin/sh'
		echo "chown $login \"\$(tty)\" || exit 99"
		printf 'exec'
		for word in "$@"; do printf " '%s'" "$word"; done
		echo " >'$top/out' 2>'$top/err'"
	} >"$top/session"
	chmod 700 "$top/session"
	script -qec "$top/session" /dev/null </dev/null >/dev/null 2>&1
	code=$?
}
