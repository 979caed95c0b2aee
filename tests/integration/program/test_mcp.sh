#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `railtop mcp` as a client's child process: on a recording and live, until the client closes its end.
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
		cut -c1-200 out | sed 's/^/# /'
		sed 's/^/# /' err
		failed=1
	fi
}
line() { # number of the line, what it has
	sed -n "$1p" out | grep -Fq -e "$2"
}

cat >lines.jsonl <<'OBS'
{"t":1732130000,"device":"leaf01","port":"swp1","counters":{"rx_bytes":1000}}
{"t":1732130005,"device":"leaf01","port":"swp1","counters":{"rx_bytes":9000}}
{"t":1732130010,"device":"leaf01","port":"swp1","counters":{"rx_bytes":17000}}
OBS
printf 'fabric: f\nswitches:\n  - {names: leaf01, dialect: cumulus, tier: leaf, address: 127.0.0.1, port: 1}\n' >f.yaml
"$railtop" record -f f.yaml --observations lines.jsonl -o shift.rts >out 2>err

call() { # id, tool, arguments
	printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" "$3"
}
hello() {
	printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}'
}
{
	hello
	echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
	call 2 list_findings '{}'
	call 3 query_rows '{"view":"ports","columns":["port","rx"],"where":"port=swp1","limit":5}'
	call 4 query_rows '{"view":"portz"}'
	call 5 query_rows '{"view":"ports","where":"nothing>1"}'
	call 6 query_rows '{"view":"ports","limit":0}'
	call 7 chart_data '{"place":"leaf01:swp1","counter":"rx_bytes","minutes":1,"points":12}'
	call 8 chart_data '{"place":"leaf01:swp1","counter":"no_such"}'
	call 9 trace '{"place":"leaf01:swp1"}'
	call 10 trace '{"place":"leaf99"}'
	call 11 runbook_checks '{}'
	call 12 runbook_checks '{"name":"link-flap","place":"leaf01:swp1"}'
	call 13 runbook_checks '{"name":"link-flap"}'
	call 14 list_views '{}'
	call 15 list_findings '{"execute":true}'
} >asked
timeout 60 "$railtop" mcp --from shift.rts <asked >out 2>err
report $? "it ends with its input"
[ "$(wc -l <out)" = 16 ] && line 1 '"protocolVersion":"2025-06-18"'
report $? "one line for each request"
for tool in list_findings trace query_rows list_views chart_data runbook_checks; do
	line 2 "\"name\":\"$tool\"" || echo "$tool is not listed" >>err
done
! grep -q 'is not listed' err && ! line 2 '"readOnlyHint":false' && ! sed -n 2p out | grep -Eiq '"name":"[a-z_]*(act|execute|approve|reset|set_)'
report $? "six tools, all of them readers"
line 3 '"verdict"' && line 3 '"coverage"' && line 3 '"isError":false'
report $? "findings with their coverage"
line 4 '\"ref\":\"leaf01:swp1\"' && line 4 '"columns":["port","rx"]'
report $? "rows"
line 5 'did you mean port' && line 6 '"isError":true' && line 7 'a whole number from 1 to 5000'
report $? "mistakes in arguments have their cure"
line 8 '"counter":"rx_bytes"' && line 8 'null' && line 8 '12800' && line 9 'there is no counter'
report $? "chart data"
line 10 '"chain"' && line 11 '"isError":true'
report $? "traces"
line 12 'link-flap' && line 13 '"isError":false' && line 14 'link-flap'
report $? "runbooks"
line 15 '"needs_place"' && line 16 'there is no argument'
report $? "views; an argument that does not exist"

# What a device logs is passed on without the secrets in it.
cat >secret.jsonl <<'OBS'
{"t":1732130000,"device":"leaf01","port":"swp1","counters":{"rx_bytes":1000}}
{"t":1732130005,"device":"leaf01","log":[{"t":1732130004,"text":"login of ann failed, password was Planted-4711"},{"t":1732130004.5,"text":"curl -u noc:Planted-4711 https://noc:Planted-4711@10.0.0.1/"}],"port":"swp1","counters":{"rx_bytes":9000}}
{"t":1732130010,"device":"leaf01","port":"swp1","state":{"description":"psk=Planted-4711 to node01"},"counters":{"rx_bytes":17000}}
OBS
"$railtop" record -f f.yaml --observations secret.jsonl -o secret.rts >out 2>err
{
	hello
	i=0
	for view in events ports devices logs findings; do
		i=$((i + 1))
		call $i query_rows "{\"view\":\"$view\"}"
	done
	call 9 list_findings '{}'
} | timeout 60 "$railtop" mcp --from secret.rts >out 2>err
grep -q 'login of ann failed' out && grep -q '<removed>' out && ! grep -q 'Planted' out
report $? "no secret of a device's log is passed on"

# Live: nothing answers at the address, and the session lives as long as its client.
{
	hello
	call 1 list_findings '{}'
	i=0
	while [ $i -lt 100 ] && [ "$(wc -l <out)" -lt 2 ]; do
		sleep 0.2
		i=$((i + 1))
	done
	call 2 query_rows '{"view":"devices"}'
} | timeout 60 "$railtop" mcp -f f.yaml >out 2>err
report $? "live, it ends with its input"
[ "$(wc -l <out)" = 3 ] && line 2 'unknown' && line 3 'leaf01'
report $? "a fabric that was not seen is unknown"

printf '' | "$railtop" mcp --observations - >out 2>err
[ $? = 2 ] && grep -q 'the messages of the client' err
report $? "standard input is the client's"
timeout 60 "$railtop" mcp --from shift.rts </dev/null >out 2>err && [ ! -s out ]
report $? "a client that says nothing"
{
	head -c 3000000 /dev/zero | tr '\0' 'x'
	echo
	echo '{"jsonrpc":"2.0","id":1,"method":"ping"}'
} | timeout 60 "$railtop" mcp --from shift.rts >out 2>err && [ "$(wc -l <out)" = 2 ] && line 1 -32700 && line 2 '"result":{}'
report $? "a huge line costs one error"
echo "1..$n"
exit $failed
