# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of `railtop act`: a directory that goes with the test, TAP lines, an emulated
# fabric behind real SSH and HTTPS that ends with it.
: "${BUILD:=build}"
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

emulate() { # first address, options... ; the fabric is in $top/r
	first=$1
	shift
	mkfifo "$top/ready"
	"$BUILD/railtop-emulator" --preset ref256 --dir "$top/r" --listen "$first" --die-with-parent \
		--for 600s "$@" </dev/null >"$top/ready" 2>"$top/emulator.err" &
	pid=$!
	read -r _ <"$top/ready"
}
