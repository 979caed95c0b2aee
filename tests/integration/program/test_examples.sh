#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of README.md, docs/guide and the man pages, each of them run against an emulated fabric:
# every command line that begins with railtop. Times are shortened, files and directories are those of
# the test, and a command that takes --from reads a snapshot in place of the fabric (FULL=1: the
# fabric). What cannot be run says why.
set -u
cd "$(dirname "$0")/../../.." || exit 1
docs=$PWD
. tests/support/act.sh
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
railtop=$BUILD/railtop
emulate --actions --interval 3s
export HOME="$top/home" XDG_STATE_HOME="$top/state"
unset RAILTOP_FABRIC XDG_CONFIG_HOME
mkdir -p "$HOME/.local/state/railtop" "$XDG_STATE_HOME/railtop" "$top/w"
cd "$top/w" || exit 1
range=$top/r
# Relative paths of an inventory are those of its directory.
"$railtop" record -f "$range/fabric.yaml" -o shift.rts --for 12s >"$top/out" 2>"$top/err" </dev/null
report $? "a recording to play with"
cp shift.rts "$XDG_STATE_HOME/railtop" # where handover looks
# Jobs of NCCL RAS are called by their hash.
job=$("$railtop" jobs --from shift.rts --csv --columns job 2>"$top/err" | sed -n 2p | tr -d '\r')
awk 'BEGIN { for (t = 0; t < 2; t++) printf "{\"t\":%d,\"device\":\"leaf\",\"port\":\"e0\",\"counters\":{\"rx_bytes\":%d},\"state\":{\"oper\":\"up\"}}\n",
	1700000000 + 5 * t, t }' >shift.jsonl
cp shift.jsonl run.jsonl
end() { # id, device, interface
	printf '[{"object_type":"dcim.interface","object_id":%s,"object":{"id":%s,"device":{"id":1,"name":"%s"},"name":"%s"}}]' "$1" "$1" "$2" "$3"
}
printf '{"count":1,"results":[{"id":7,"a_terminations":%s,"b_terminations":%s,"status":{"value":"connected"}}]}\n' \
	"$(end 11 leaf-r0-00 Ethernet0)" "$(end 31 node000 mlx5_0)" >cables.json
printf '{"results":[%s,%s]}\n' '{"id":1,"name":"leaf-r0-00","device_type":{"id":1},"role":{"slug":"leaf"},"platform":{"slug":"sonic"}}' \
	'{"id":2,"name":"node000","device_type":{"id":1},"role":{"slug":"gpu-server"},"platform":null}' >devices.json

# "file:line<tab>command": lines of code blocks, with the lines that a backslash continues.
examples() {
	for file in README.md docs/guide/*.md; do
		awk -v file="$file" '/^```/ { code = !code; next }
			code && /^(build\/)?railtop/ { print file ":" FNR "\t" $0 }' "$file"
	done
	for file in man/*.1 man/*.5; do
		awk -v file="$file" '
			/^\.nf/ || /^\.RS/ { code = 1; next }
			/^\.fi/ || /^\.RE/ { code = 0 }
			!code { next }
			{ gsub(/\\-/, "-"); gsub(/\\\(aq/, "'\''") }
			/^railtop(-emulator)? / || more { line = more ? line " " $0 : file ":" FNR "\t" $0; more = sub(/ *\\e$/, "", line)
				if (!more) print line }' "$file"
	done
}

# The example as the test runs it.
adapted() {
	printf '%s\n' "$1" | sed -E -e 's/ +#.*$//' -e 's#^build/##' \
		-e "s#^railtop-emulator#$BUILD/railtop-emulator#" -e "s#^railtop#$railtop#" \
		-e "/railtop demo/s#--preset 4k#--preset ref256#; /railtop demo/s#--dir [^ ]*#--dir $top/demo#" \
		-e "s#--job pretrain#--job $job#" -e "s#/tmp/(range|fabric)#$range#g" -e "s#tests/scenarios#$docs/tests/scenarios#g" \
		-e "s#-f fabric\.yaml#-f $range/fabric.yaml#" -e '/railtop import/s#-o fabric\.yaml#-o imported.yaml#' \
		-e 's/--for 30s/--for 2s/' -e 's/--rotate-age 8h/--rotate-age 8h --for 2s/' \
		-e 's/@[0-9][0-9:]*/@-4s/' -e 's/@[0-9][0-9:]*/@-1s/' -e 's/@-5m/@-3s/' \
		-e "s#(--seed leaf-r0-00) -o fabric\.yaml#\1 --ssh-config $range/ssh_config --known-hosts $range/known_hosts -o found.yaml#" \
		-e 's/--listen 127\.0\.0\.1:9899/--listen 127.0.0.1:0 --for 2s/'
}

# A snapshot in place of the fabric, for those that take one.
offline() {
	[ -z "${FULL:-}" ] || { cat; return; }
	sed -E -e '/--observations/b' -e "/railtop (check|findings|trace|lint|runbook|snapshot|ports|leaf|export .*--once)( |\$)/s# -f $range/fabric\.yaml# --from shift.rts#" -e 's/(--from shift.rts.*) --for 2s/\1/'
}

run_example() { # where, command
	where=$1 command=$(adapted "$2" | offline)
	case $2 in
	*--test-notify*) n=$((n + 1)); echo "ok $n - $where # SKIP receivers of a person's own: test_notify.sh"; return ;;
	*--otlp*) n=$((n + 1)); echo "ok $n - $where # SKIP a collector of a person's own: tests/app/push"; return ;;
	*HASH* | *' ACT '*) n=$((n + 1)); echo "ok $n - $where # SKIP a plan of a person's own: four eyes are in test_act.sh"; return ;;
	*evening.scenario*) n=$((n + 1)); echo "ok $n - $where # SKIP a scenario of a person's own"; return ;;
	*railtop-emulator\ --preset* | *railtop-emulator\ --topology*) n=$((n + 1)); echo "ok $n - $where # SKIP another emulator: its options are in tests/emulator"; return ;;
	*'railtop init'*) n=$((n + 1)); echo "ok $n - $where # SKIP it asks a person: test_init.sh"; return ;;
	*/var/log/*) n=$((n + 1)); echo "ok $n - $where # SKIP a log of the machine: anchors are in tests/actions/ledger"; return ;;
	*'mixed-hosts'* | *node001:eth3*) n=$((n + 1)); echo "ok $n - $where # SKIP another fabric than that of the test"; return ;;
	esac
	if [ "${command#*| promtool}" != "$command" ] && ! command -v promtool >/dev/null; then
		command=${command%%| promtool*}
	fi
	timeout 60 sh -c "$command" >"$top/out" 2>"$top/err" </dev/null
	code=$?
	# The console and the demo need a terminal; that they say so means that the line was understood.
	if [ $code = 2 ] && grep -q "not a terminal" "$top/err"; then
		code=0
	fi
	# 1: findings, 3: not all heard in two seconds, 4: nothing to reset on a healthy fabric.
	case $code in 0 | 1 | 3 | 4) report 0 "$where: $2" ;; *) echo "# $command: $code"; report 1 "$where: $2" ;; esac
}

(cd "$docs" && examples) >"$top/examples"
while IFS='	' read -r where command; do
	run_example "$where" "$command"
done <"$top/examples"
[ "$(wc -l <"$top/examples")" -ge 40 ]
report $? "examples were found: $(wc -l <"$top/examples")"
echo "1..$n"
exit $failed
