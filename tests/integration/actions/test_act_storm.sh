#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A watchdog is not restarted into a storm: on an emulated fabric a NIC sends PFC without end, stops,
# and leaves a queue behind that is stuck.
set -u
. "$(dirname "$0")/../../support/act.sh"

port=Ethernet0
emulate --command-log "$top/log" --fault pfc-storm:node000:mlx5_0,watchdog=yes
{
	sed "/^actions:/,\$d; /^jobs:/d; /^hosts:/d; /node\[/d; /spine-/d; s/interval: 1s/interval: 2s/
		s/leaf-r\[0-7\]-00/leaf-r0-00/; s/$slot_net.0.\[1-8\]/$slot_net.0.1/" "$top/r/fabric.yaml"
	echo "actions: {ledger: actions.jsonl, per_hour: 100, switch_interval: 1s, port_interval: 1s}"
} >"$top/r/one.yaml"

act() { # time to collect
	timeout 120 "$railtop" act pfcwd-reset leaf-r0-00:$port -f "$top/r/one.yaml" --for "$1" --watch 0 \
		--execute --reason stuck-since-the-morning --incident INC-4711 >"$top/out" 2>"$top/err"
	code=$?
}
says() {
	grep -qF -- "$1" "$top/out" "$top/err"
}
fault() { # inject or heal, what
	timeout 20 "$BUILD/railtop-emulator" ctl "$top/r" "$1" "$2" >"$top/out" 2>"$top/err"
}

act 8s
[ $code = 4 ] && says "refused by storm-active" && says "railtop trace --at leaf-r0-00:$port"
report $? "while the storm goes on the watchdog is left alone"
act 16s
[ $code = 4 ] && says "refused by storm-active"
report $? "however long it is watched"
fault inject "watchdog-stuck:leaf-r0-00:$port" && fault heal pfc-storm:node000:mlx5_0
report $? "the storm ends, and the queue stays stuck"
act 5s
# The switch's counters are refreshed now and then: the first may still be from within the storm.
if [ $code = 4 ] && says "refused by storm-active" && says "PFC frames/s on priority 3"; then
	act 5s
fi
[ $code = 4 ] && says "refused by storm-active" && says "10 s are needed"
report $? "a port has to be quiet for a while first"
! grep -q '"wrote":true' "$top/log"
report $? "until then nothing was written to the switch"
act 18s
[ $code = 0 ] && says "done: watchdog on $port operational"
report $? "then it is restarted"
[ "$(grep -c '"wrote":true' "$top/log")" = 2 ]
report $? "by a stop and a start"
timeout 30 "$railtop" ledger verify -f "$top/r/one.yaml" >"$top/out" 2>"$top/err" &&
	says "1 actions, 0 without an end"
report $? "and the ledger is whole"
act 5s
[ $code = 4 ] && says "nothing"
report $? "a watchdog that is at work is not restarted"
echo "1..$n"
exit $failed
