#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program as its users see it: what it prints, what it exits with, what makes it stop.
set -u
: "${BUILD:=build}"
emulator=$BUILD/railtop-emulator
if [ ! -x "$emulator" ]; then
	echo "1..1"
	echo "ok 1 - program # SKIP $emulator is not built"
	exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
failed=0

report() { # status, name
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}

refuses() { # name, what stderr must hold, options...
	name=$1 want=$2
	shift 2
	"$emulator" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	code=$?
	[ $code = 2 ] && [ ! -s "$dir/out" ] && grep -qF -e "$want" "$dir/err"
	report $? "$name"
}

refuses "no preset" "ref256, 4k" --dir "$dir/a"
refuses "unknown preset" '"big"' --preset big --dir "$dir/a"
refuses "no directory" "--dir" --preset ref256
refuses "bad address" "loopback" --preset ref256 --dir "$dir/a" --listen 10.0.0.1
refuses "bad fault lists the classes" "link-flap, link-down" --preset ref256 --dir "$dir/a" --fault x:y
refuses "bad speed" "--speed" --preset ref256 --dir "$dir/a" --speed 0
refuses "bad interval" "--interval" --preset ref256 --dir "$dir/a" --interval '1s}'
refuses "bad observe interval" "--observe-interval" --preset ref256 --dir "$dir/a" --observe-interval soon
refuses "unknown platform" "sonic-broadcom" --preset ref256 --dir "$dir/a" --platforms leaf=abacus
refuses "unknown tier" "superspine=" --preset ref256 --dir "$dir/a" --platforms core=eos
refuses "unknown network" "storage" --preset ref256 --dir "$dir/a" --with moon
refuses "bad job" '"nonsense"' --preset ref256 --dir "$dir/a" --job nonsense
refuses "preset and topology" "exclude" --preset ref256 --topology x --dir "$dir/a"
refuses "no topology file" "$dir/none.yaml" --topology "$dir/none.yaml" --dir "$dir/a"
refuses "observations cannot be written" "$dir/no/where" --preset ref256 --dir "$dir/a" --observations "$dir/no/where"
refuses "ctl without a directory" "inject SPEC" ctl
refuses "ctl without a request" "inject SPEC" ctl "$dir"
refuses "ctl where nobody listens" "--dir $dir" ctl "$dir" status
refuses "stray argument" '"stray"' --preset ref256 --dir "$dir/a" stray
printf '# a comment\n\nslow:node000,delay=1s\nslow:node999\n' >"$dir/scenario"
printf 'job name=a,kind=ring,hosts=0-3\n1s link-down:leaf-r0-00:swp1,for=2s\n' >"$dir/good"
refuses "scenario names file and line" "$dir/scenario:4" --preset ref256 --dir "$dir/a" --scenario "$dir/scenario"

"$emulator" --help >"$dir/out"
[ $? = 0 ] && grep -q 'pfc-storm:HOST:NIC' "$dir/out"
report $? "help lists the faults"

# What the manual page says, without its roff: what it and the program say must be the same.
page=man/railtop-emulator.1
sed 's/\\-/-/g' "$page" >"$dir/page"
grep -o '^  --[a-z-]*' "$dir/out" | sort -u >"$dir/options"
sed -n '/^\.SH OPTIONS/,/^\.SH PLATFORMS/p' "$dir/page" | grep '^\.BI* \|^\.BR ' |
	grep -o -e '--[a-z-]*' | sed 's/^/  /' | sort -u >"$dir/documented"
[ -s "$dir/options" ] && diff "$dir/options" "$dir/documented" >"$dir/err"
report $? "the manual page has exactly the options of --help"
sed -n '/^# an evening/,/^\.fi/p' "$dir/page" | grep -v '^\.fi' >"$dir/evening"
"$emulator" --preset ref256 --dir "$dir/i" --scenario "$dir/evening" --fault incast --fault polarisation:leaf --fault miswire --for 300ms >"$dir/out" 2>"$dir/err" &&
	[ "$(grep -c . "$dir/evening")" = 7 ]
report $? "the scenario of the manual page is accepted"
for platform in sonic-spectrum sonic-broadcom eos cumulus nxos frr; do
	"$emulator" --preset ref256 --dir "$dir/j" --platforms "leaf=$platform,spine=eos" --for 10ms >/dev/null 2>"$dir/err" &&
		grep -q "^$platform " "$dir/page"
	report $? "the manual page knows platform $platform"
done
for file in fabric.yaml wiring.csv id_ed25519 known_hosts ca.pem ctl.sock truth.json eapi.password nvue.password nxapi.password; do
	sed -n '/^\.SH FILES/,/^\.SS/p' "$dir/page" | grep -qF "$file" || echo "$file" >>"$dir/missing"
done
[ ! -s "$dir/missing" ]
report $? "the manual page has every file of the directory"
for key in $(sed -n 's/^  *"\([a-z_]*\)": .*/\1/p' "$dir/i/truth.json" | sort -u); do
	sed -n '/^\.SS Keys of truth/,/^\.SH LIMITS/p' "$dir/page" | grep -qw "$key" || echo "$key" >>"$dir/unknown"
done
[ -s "$dir/i/truth.json" ] && [ ! -s "$dir/unknown" ]
report $? "the manual page has every key of truth.json"

"$emulator" --preset ref256 --dir "$dir/b" --for 10ms >"$dir/out" 2>&1
[ $? = 0 ] && [ "$(cat "$dir/out")" = "ready $dir/b/fabric.yaml" ]
report $? "prints ready, exits 0 after --for"

: | "$emulator" --preset ref256 --dir "$dir/c" --stdin-watch >"$dir/out" 2>&1
report $? "stops when standard input closes"

"$emulator" --preset ref256 --dir "$dir/e" --platforms leaf=cumulus,spine=nxos --scenario "$dir/good" --for 10ms >"$dir/out" 2>&1 &&
	grep -q 'dialect: cumulus' "$dir/e/fabric.yaml" && grep -q 'dialect: nxos' "$dir/e/fabric.yaml"
report $? "other platforms, a scenario with a job"

"$emulator" --preset ref256 --dir "$dir/f" --with storage --for 10ms >"$dir/out" 2>&1 &&
	"$emulator" --topology "$dir/f/fabric.yaml" --dir "$dir/g" --for 10ms >"$dir/out" 2>&1 &&
	grep -q stor-leaf "$dir/g/fabric.yaml"
report $? "its own inventory is a topology"

"$emulator" --preset ref256 --dir "$dir/h" --observations - --for 10ms >"$dir/out" 2>"$dir/err"
[ $? = 0 ] && ! grep -qv '^{"t":' "$dir/out" && [ -s "$dir/out" ] && grep -q "^ready $dir/h" "$dir/err"
report $? "observations on standard output, and nothing else"

mkfifo "$dir/ready"
"$emulator" --preset ref256 --dir "$dir/d" >"$dir/ready" 2>"$dir/err" &
pid=$!
read -r line <"$dir/ready"
cp "$dir/d/id_ed25519" "$dir/key"
"$emulator" --preset ref256 --dir "$dir/d" --for 1s >"$dir/out" 2>"$dir/err2" </dev/null
[ $? = 2 ] && grep -q "another emulator" "$dir/err2" && cmp -s "$dir/key" "$dir/d/id_ed25519"
report $? "a second one in the same directory is refused and changes nothing"
"$emulator" ctl "$dir/d" inject link-down:leaf-r0-00:Ethernet0 >"$dir/out" 2>"$dir/err" &&
	"$emulator" ctl "$dir/d" list | grep -q link-down && "$emulator" ctl "$dir/d" heal all >"$dir/out" &&
	"$emulator" ctl "$dir/d" status | grep -q '^devices: 44'
report $? "ctl breaks and mends it"
"$emulator" ctl "$dir/d" inject nonsense:x >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && grep -q nonsense "$dir/err"
report $? "ctl tells what it refuses"
kill -TERM $pid
wait $pid
[ $? = 0 ] && [ "$line" = "ready $dir/d/fabric.yaml" ]
report $? "stops on SIGTERM with 0"

echo "1..$n"
exit $failed
