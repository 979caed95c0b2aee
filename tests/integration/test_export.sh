#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `railtop export` as Prometheus, a careless client and a hostile one meet it, on an emulated fabric
# behind real SSH and HTTPS. What the exposition says is in tests/archive/test_metrics.c.
set -u
. "$(dirname "$0")/../tools/act.sh"
export_pid=
hung_pid=
trap 'for p in $hung_pid $export_pid $pid; do kill "$p" 2>/dev/null; done; wait; rm -rf "$top"' EXIT

emulate 127.49.0.1

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
if command -v promtool >/dev/null; then
	promtool check metrics <"$top/out" >"$top/err" 2>&1 && [ ! -s "$top/err" ]
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
		curl -s -m 120 -o /dev/null -w '%{http_code}\n' -H "Authorization: Bearer $token" "$at/metrics" >"$top/c$i$k" &
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

# ---- over TLS ----
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
	-addext subjectAltName=IP:127.0.0.1 -keyout "$top/key.pem" -out "$top/cert.pem" 2>"$top/err"
chmod 600 "$top/key.pem"
serve --listen 127.0.0.1:0 --tls-cert "$top/cert.pem" --tls-key "$top/key.pem" && get_all --cacert "$top/cert.pem"
report $? "over TLS, with a certificate that the client verifies"
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
