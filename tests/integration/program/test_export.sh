#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `railtop export` as Prometheus, a careless client and a hostile one meet it, on an emulated fabric
# behind real SSH and HTTPS. What the exposition says is in tests/archive/openmetrics/test_metrics.c.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/act.sh
export_pid=
hung_pid=
prometheus_pid=
trap 'for p in $hung_pid $prometheus_pid $export_pid $pid; do kill "$p" 2>/dev/null; done; wait; rm -rf "$top"' EXIT

emulate

serve() { # options... ; its address in $at, its messages in $top/log
	: >"$top/log"
	"$railtop" export -f "$top/r/fabric.yaml" "$@" >"$top/said" 2>"$top/log" </dev/null &
	export_pid=$!
	at=
	tries=0
	while [ -z "$at" ] && [ $tries -lt 600 ] && kill -0 $export_pid 2>/dev/null; do
		tries=$((tries + 1))
		at=$(sed -n 's,^railtop: metrics at \(.*\)/metrics$,\1,p' "$top/log")
		[ -n "$at" ] || sleep 0.1
	done
	[ -n "$at" ]
}
end() { # its exit status in $code
	kill -TERM $export_pid
	wait $export_pid
	code=$?
	export_pid=
}
get() { # path, curl's options... ; the status in $status, the body in $top/out
	path=$1
	shift
	status=$(curl -s -m 60 -o "$top/out" -w '%{http_code}' "$@" "$at$path" 2>"$top/err")
}
# Until every device has answered; then all that it says is there.
get_all() { # curl's options...
	tries=0
	while [ $tries -lt 120 ]; do
		tries=$((tries + 1))
		get /metrics "$@"
		[ "$(grep -c '^railtop_device_up{.*} 1$' "$top/out")" = 44 ] &&
			grep -q '^railtop_port_rx_power_dbm{device="spine' "$top/out" && return 0
		sleep 0.5
	done
	return 1
}

# A Prometheus of its own with the examples, but every three seconds; its address in $prometheus. False:
# it did not scrape, or a rule failed.
scrape_it() {
	serve --listen 127.0.0.1:0 || return 1
	mkdir "$top/p"
	sed -e "s/127.0.0.1:9899/${at#http://}/" -e 's/_interval: 15s.*/_interval: 3s/' \
		-e 's/scrape_timeout: .*/scrape_timeout: 3s/' examples/prometheus/scrape.yml >"$top/p/prometheus.yml"
	cp examples/prometheus/railtop.rules.yml "$top/p"
	# It cannot say which port it chose: one that is free now, another one where it was taken since.
	tries=0
	prometheus_pid=
	while [ $tries -lt 300 ]; do
		tries=$((tries + 1))
		if [ -z "$prometheus_pid" ] || ! kill -0 "$prometheus_pid" 2>/dev/null; then
			port=$((slot_port + tries % 100))
			prometheus --config.file="$top/p/prometheus.yml" --storage.tsdb.path="$top/p/data" \
				--web.listen-address=127.0.0.1:$port --log.level=warn >"$top/err" 2>&1 &
			prometheus_pid=$!
		fi
		sleep 0.5
		curl -s -m 5 "http://127.0.0.1:$port/api/v1/rules" >"$top/out" || continue
		# Nothing is unknown any more, and there are as many as the file has.
		[ "$(grep -o '"health":"[a-z]*"' "$top/out" | sort | uniq -c | tr -s ' ')" = ' 31 "health":"ok"' ] &&
			asks 'count(leaf:railtop_port_rx_bytes:rate1m)' 8 && break
	done
	[ $tries -lt 300 ] && ! grep -q 'level=\(warn\|error\).*component="\(scrape\|rule\)' "$top/err"
}
asks() { # query, the number that it must give, within a minute
	i=0
	while [ $i -lt 120 ]; do
		i=$((i + 1))
		curl -s -m 5 -G --data-urlencode "query=$1" "http://127.0.0.1:$port/api/v1/query" >"$top/answer"
		grep -q "\"value\":\[[0-9.]*,\"$2\"\]" "$top/answer" && return 0
		sleep 0.5
	done
	return 1
}

# ---- what is refused before anything is polled ----
refused() { # words of the message, name, options...
	words=$1
	name=$2
	shift 2
	timeout 60 "$railtop" export -f "$top/r/fabric.yaml" "$@" >"$top/out" 2>"$top/err" </dev/null
	[ $? = 2 ] && grep -q -- "$words" "$top/err"
	report $? "$name"
}
head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$top/token"
chmod 640 "$top/token"
token=$(cat "$top/token")
(umask 022 && echo 0123456789abcdef0123 >"$top/open")
chmod 644 "$top/open"
(umask 077 && echo short >"$top/short" && echo 'two words of a token' >"$top/words" && : >"$top/empty")
refused '--insecure' "other machines without TLS and without a token: refused, with a cure" --listen 0.0.0.0:0
refused '--insecure' "likewise every address" --listen :0
refused 'chmod 600' "a token that everybody may read" --token-file "$top/open"
refused 'shorter than 16' "a token that is guessed" --token-file "$top/short"
refused 'one word' "a token that cannot be sent" --token-file "$top/words"
refused 'empty' "no token" --token-file "$top/empty"
refused 'No such file' "no file" --token-file "$top/none"
refused 'ADDRESS:PORT' "no port" --listen 127.0.0.1
refused 'ADDRESS:PORT' "no such port" --listen 127.0.0.1:65536
refused 'give a number' "a name" --listen localhost.invalid:0
refused '--tls-cert and --tls-key' "a certificate without its key" --tls-cert "$top/token"
refused 'PEM' "a certificate that is none" --tls-cert "$top/token" --tls-key "$top/token"

# ---- once ----
timeout 120 "$railtop" export -f "$top/r/fabric.yaml" --once >"$top/out" 2>"$top/err" </dev/null
[ $? = 0 ] && [ "$(grep -c '^railtop_device_up{.*} 1$' "$top/out")" = 44 ]
report $? "once: every device is there"
if command -v promtool >/dev/null; then
	promtool check metrics <"$top/out" >"$top/err" 2>&1 && [ ! -s "$top/err" ]
	report $? "promtool check metrics has nothing to say"
else
	n=$((n + 1))
	echo "ok $n - promtool check metrics # SKIP no promtool"
fi

# ---- as it is scraped ----
serve --listen 127.0.0.1:0 --token-file "$top/token"
report $? "it says where it listens"
address=${at#http://}
get /metrics
[ "$status" = 401 ] && ! grep -q railtop_ "$top/out"
report $? "without a token: 401"
get /metrics -H "Authorization: Bearer ${token%?}x"
[ "$status" = 401 ]
report $? "with a wrong one: 401"
get /metrics -H "Authorization: Bearer $token$token"
[ "$status" = 401 ]
report $? "with a longer one: 401"
get /-/healthy
[ "$status" = 200 ]
report $? "health needs none"
get_all -H "Authorization: Bearer $token"
report $? "with the token: every device, every port"
! grep -q '^# EOF' "$top/out" && grep -q '^# TYPE railtop_port_rx_bytes_total counter$' "$top/out"
report $? "Prometheus' text format, as a client that names none gets it"
plain=$(wc -c <"$top/out")
get /metrics -H "Authorization: Bearer $token" -H "Accept-Encoding: gzip"
[ "$status" = 200 ] && [ "$(wc -c <"$top/out")" -lt $((plain / 10)) ] && gzip -dc "$top/out" >"$top/unpacked" &&
	grep -q '^railtop_port_rx_bytes_total{' "$top/unpacked" && [ "$(wc -c <"$top/unpacked")" -gt $((plain * 9 / 10)) ]
report $? "compressed where it asks: less than a tenth, and the same"
if command -v promtool >/dev/null; then
	promtool check metrics <"$top/unpacked" >"$top/err" 2>&1 && [ ! -s "$top/err" ]
	report $? "promtool check metrics has nothing to say about it"
else
	n=$((n + 1))
	echo "ok $n - promtool check metrics # SKIP no promtool"
fi
get_all -H "Authorization: Bearer $token" -H 'Accept: application/openmetrics-text;version=1.0.0,*/*;q=0.1' -D "$top/head"
[ "$(tail -n 1 "$top/out")" = '# EOF' ] && grep -q '^# TYPE railtop_port_rx_bytes counter$' "$top/out" &&
	grep -qi '^content-type: application/openmetrics-text; version=1.0.0' "$top/head"
report $? "OpenMetrics for a client that accepts it"
! grep -qF "$token" "$top/out" "$top/log" && ! tr '\0' ' ' <"/proc/$export_pid/cmdline" | grep -qF "$token"
report $? "the token is nowhere to be read"

get '/metrics?collect%5B%5D=railtop_port_rx_bytes_total&collect%5B%5D=railtop_device_up' -H "Authorization: Bearer $token"
[ "$status" = 200 ] && [ "$(grep '^# TYPE' "$top/out" | sort)" = '# TYPE railtop_device_up gauge
# TYPE railtop_port_rx_bytes_total counter' ] && [ "$(grep -c '^railtop_device_up{' "$top/out")" = 44 ]
report $? "collect[]: these families only"
if command -v promtool >/dev/null; then
	promtool check metrics <"$top/out" >"$top/err" 2>&1 && [ ! -s "$top/err" ]
	report $? "likewise promtool"
else
	n=$((n + 1))
	echo "ok $n - promtool check metrics # SKIP no promtool"
fi
get '/metrics?collect%5B%5D=node_cpu' -H "Authorization: Bearer $token"
[ "$status" = 400 ] && grep -q '"node_cpu"' "$top/out" && grep -qx railtop_device_up "$top/out"
report $? "a family that there is not: 400, with all that there are"

get / -H "Authorization: Bearer $token"
[ "$status" = 200 ] && grep -q '/metrics' "$top/out"
report $? "a page for people"
get /metrics/../etc/passwd --path-as-is -H "Authorization: Bearer $token"
[ "$status" = 404 ]
report $? "another path: 404"
get /metrics -I -H "Authorization: Bearer $token"
[ "$status" = 200 ]
report $? "HEAD"
bad=0
for method in POST PUT DELETE PATCH OPTIONS TRACE FROB; do
	get /metrics -X $method -d x=1 -H "Authorization: Bearer $token"
	[ "$status" = 405 ] || { bad=1; echo "# $method: $status"; }
done
report $bad "every other method: 405"
get /metrics -H "X-A: $(head -c 100000 /dev/zero | tr '\0' a)" -H "X-B: $(head -c 100000 /dev/zero | tr '\0' b)"
case $status in 4??) true ;; *) false ;; esac
report $? "a request that is too large: $status"

# ---- careless and hostile clients ----
get_all -H "Authorization: Bearer $token"
many=0
for i in 1 2 3 4 5 6 7 8 9 10; do
	for k in 1 2 3 4 5; do
		curl -s -m 120 --retry 5 -o /dev/null -w '%{http_code}\n' -H "Authorization: Bearer $token" "$at/metrics" >"$top/c$i$k" &
		many="$many $!"
	done
done
# shellcheck disable=SC2086
wait ${many#0 }
[ "$(cat "$top"/c[0-9]* | grep -c '^200$')" = 50 ]
report $? "fifty clients at once: all are answered"

# One that asks and reads nothing, and one that begins a request and never ends it.
mkfifo "$top/hold"
busybox nc "${address%:*}" "${address##*:}" <"$top/hold" | { read -r _; exec sleep 600; } &
hung_pid=$!
exec 7>"$top/hold"
printf 'GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n' "$token" >&7
mkfifo "$top/hold2"
busybox nc "${address%:*}" "${address##*:}" <"$top/hold2" >/dev/null &
hung_pid="$hung_pid $!"
exec 8>"$top/hold2"
printf 'GET /metrics HTTP/1.1\r\nHost: x\r\nX-' >&8
get_all -H "Authorization: Bearer $token"
report $? "clients that stall do not stop another one"
before=$(sed -n 's/^railtop_answers_total //p' "$top/out")
tries=0
while [ $tries -lt 120 ]; do
	tries=$((tries + 1))
	get /metrics -H "Authorization: Bearer $token"
	after=$(sed -n 's/^railtop_answers_total //p' "$top/out")
	[ "${after:-0}" -gt "${before:-0}" ] && break
	sleep 0.5
done
[ "${after:-0}" -gt "${before:-0}" ]
report $? "nor does it stop to collect"
exec 7>&- 8>&-
for p in $hung_pid; do kill "$p" 2>/dev/null; done
hung_pid=
end
[ "$code" = 0 ]
report $? "SIGTERM ends it well"

# ---- a real Prometheus with the examples ----
if command -v prometheus >/dev/null && command -v promtool >/dev/null; then
	promtool check config examples/prometheus/scrape.yml >"$top/out" 2>"$top/err" &&
		promtool check rules examples/prometheus/railtop.rules.yml >"$top/out" 2>"$top/err"
	report $? "promtool takes the examples"
	scrape_it
	report $? "Prometheus scrapes it without a word, and every rule of the examples is evaluated"
	asks 'count(railtop_port_rx_bytes_total)' 1024 && asks 'count(railtop_device_up == 1)' 44
	report $? "it has every port and every device"
	asks 'count(rail:railtop_port_rx_bytes:rate1m)' 8 && asks 'count(leaf:railtop_port_rx_bytes:rate1m)' 8
	report $? "and rates of every rail and leaf"
	kill "$prometheus_pid"
	wait "$prometheus_pid"
	prometheus_pid=
	end
else
	n=$((n + 1))
	echo "ok $n - a real Prometheus # SKIP no prometheus"
fi

# ---- over TLS ----
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
	-addext subjectAltName=IP:127.0.0.1 -keyout "$top/key.pem" -out "$top/cert.pem" 2>"$top/err"
chmod 600 "$top/key.pem"
export SSLKEYLOGFILE="$top/keys.log"
serve --listen 127.0.0.1:0 --tls-cert "$top/cert.pem" --tls-key "$top/key.pem"
unset SSLKEYLOGFILE
get_all --cacert "$top/cert.pem"
report $? "over TLS, with a certificate that the client verifies"
[ ! -e "$top/keys.log" ]
report $? "the keys of its sessions are written nowhere, whatever the environment says"
get /metrics
[ "$status" = 000 ]
report $? "which one that does not know it refuses"
end
chmod 604 "$top/key.pem"
refused 'chmod 600' "a key that everybody may read" --tls-cert "$top/cert.pem" --tls-key "$top/key.pem"

# ---- a fabric that is away ----
kill "$pid"
wait "$pid" 2>/dev/null
pid=
timeout 120 "$railtop" export -f "$top/r/fabric.yaml" --once --for 20s >"$top/out" 2>"$top/err" </dev/null
[ $? = 3 ] && ! grep -q '^railtop_port_rx_bytes_total' "$top/out" &&
	[ "$(grep -c '^railtop_device_state{.*state="unreachable"} 1$' "$top/out")" = 44 ]
report $? "what cannot be reached has no samples, and says so"

echo "1..$n"
exit $failed
