#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `railtop import` as a user has it: a new inventory with its table, the same again, an inventory that was
# edited by hand, a comparison with LLDP of a recording, and what is refused.
set -u
: "${BUILD:=build}"
railtop=$PWD/$BUILD/railtop
case $BUILD in /*) railtop=$BUILD/railtop ;; esac
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top" || exit 2
export HOME="$top"
n=0 failed=0

report() { # status, what
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		sed 's/^/# /' "$top/out" "$top/err" 2>/dev/null
		failed=1
	fi
}
run() { # wanted status, arguments
	want=$1
	shift
	"$railtop" import "$@" >"$top/out" 2>"$top/err"
	got=$?
	[ "$got" = "$want" ] || { echo "status $got, not $want" >>"$top/err"; return 1; }
}

cat >topology.dot <<'DOT'
graph vx {
 "leaf01" [function="leaf" os="cumulus-vx"]
 "leaf01":"swp1" -- "node01":"eth1"
 "leaf01":"swp2" -- "node02":"eth1"
}
DOT
umask 000
run 0 ptm topology.dot -o fabric.yaml && [ -s fabric.yaml ] && [ -s fabric.wiring.csv ]
report $? "an inventory and its table"
[ "$(stat -c %a fabric.yaml fabric.wiring.csv | tr '\n' ' ')" = "600 600 " ]
report $? "they are their owner's, whatever the umask"
umask 077
"$railtop" lint -f fabric.yaml --for 1s >/dev/null 2>"$top/err"
! grep -q 'fabric.yaml:' "$top/err"
report $? "the inventory is valid"

cp fabric.yaml before.yaml
run 0 ptm topology.dot -o fabric.yaml && cmp -s fabric.yaml before.yaml
report $? "the same again changes nothing"

sed 's/node01,eth1/node09,eth1/; s/node01/node09/' fabric.wiring.csv >t && mv t fabric.wiring.csv
sed 's/^fabric: imported/fabric: mine # by hand/; s/node\[01-02\]/node02,node09/' fabric.yaml >t && mv t fabric.yaml
cp fabric.yaml before.yaml
run 1 ptm topology.dot -o fabric.yaml && grep -q 'differs: leaf01:swp1: the table has node09:eth1' out &&
	grep -q 'fabric: mine # by hand' fabric.yaml && grep -q '"node01"' fabric.yaml
report $? "edits stay, a difference is told"

printf 'fabric: f\nhosts:\n  - {names: node01, dialect: linux}\n' >hosts.yaml
run 0 ptm topology.dot -o hosts.yaml && grep -q "^wiring: {file: 'hosts.wiring.csv'}" hosts.yaml &&
	grep -q 'leaf01,swp1,node01,eth1' hosts.wiring.csv && grep -q '^  - {names: node01, dialect: linux}$' hosts.yaml
report $? "an inventory without a table gets one"

sed 's/ os="cumulus-vx"//' topology.dot >plain.dot
run 2 ptm plain.dot -o plain.yaml && grep -q -e '--dialect NAME' err && [ ! -e plain.yaml ]
report $? "a switch of an unknown system is no guess"
run 0 ptm plain.dot -o plain.yaml --dialect sonic && grep -q 'dialect: sonic' plain.yaml
report $? "--dialect says it"
run 0 ptm plain.dot -o hosts.yaml
report $? "a switch that the inventory has needs none"

printf 'fabric: f\ninclude: [hosts.yaml]\n' >all.yaml
run 0 ptm topology.dot -o all.yaml && ! grep -q names: all.yaml && grep -q '3 known before' err
report $? "devices of included files are known"

run 2 dot topology.dot && grep -q 'kinds: netbox, ptm' err
report $? "a wrong kind names the kinds"
run 2 ptm && grep -q 'no file is given' err
report $? "the file is missing"
run 2 ptm missing.dot && run 2 ptm /dev/null
report $? "no file, and one that is none"

# LLDP: a recording of two devices, made from observations.
cat >lldp.jsonl <<'OBS'
{"t":1732130000,"device":"leaf01","port":"swp1","counters":{"rx_bytes":1},"lldp":{"device":"node02","port":"eth1"}}
{"t":1732130005,"device":"leaf01","port":"swp1","counters":{"rx_bytes":2},"lldp":{"device":"node02","port":"eth1"}}
OBS
printf 'fabric: f\nswitches:\n  - {names: leaf01, dialect: cumulus, tier: leaf}\nhosts: [{names: "node[01-02]"}]\n' >live.yaml
"$railtop" record -f live.yaml --observations lldp.jsonl -o shift.rts >out 2>err
run 1 ptm topology.dot --from shift.rts -o /dev/null
grep -q 'leaf01:swp1 - node01:eth1 in the file; LLDP at leaf01:swp1 shows node02:eth1' err &&
	grep -q 'of 2 cables 0 as in the file, 1 differs, 1 not shown' err
report $? "the cables are compared with LLDP"
echo "1..$n"
exit $failed
