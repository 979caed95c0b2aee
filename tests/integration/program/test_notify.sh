#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `railtop watch` and its receivers: a real Alertmanager, a real rsyslog, a real nginx in the place of
# PagerDuty, Slack and a webhook, and a program. On an emulated fabric behind real SSH and HTTPS, in
# which a link goes down and comes back, and railtop is killed meanwhile.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/act.sh
watch_pid=
others=
trap 'for p in $watch_pid $others $pid; do kill "$p" 2>/dev/null; done; wait; rm -rf "$top"' EXIT
export HOME="$top/home" XDG_STATE_HOME="$top/state"
mkdir -p "$HOME"
said="watch.err told"
secret=0123456789abcdef0123456789abcdef

# What the webhook was told, for a test that fails.
summarise() {
	sed -n 's/^\/hook .*"event":"\([a-z]*\)","key":"\([^"]*\)".*"summary":"\([^"]*\)".*/\1 \2: \3/p' "$top/posted" >"$top/told"
}
skip() { # name, reason
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
await() { # condition, seconds
	turns=$((${2:-60} * 10))
	while [ $turns -gt 0 ]; do
		eval "$1" && return 0
		turns=$((turns - 1))
		sleep 0.1
	done
	return 1
}

# ---- the receivers ----
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
	-keyout "$top/key.pem" -out "$top/cert.pem" >"$top/out" 2>&1
web_port=$((slot_port + 10))
mkdir -p "$top/web"
cat >"$top/nginx.conf" <<END
daemon off;
worker_processes 1;
pid $top/nginx.pid;
error_log $top/nginx.err;
events {}
http {
	client_body_temp_path $top/web/body;
	proxy_temp_path $top/web/proxy;
	fastcgi_temp_path $top/web/f;
	uwsgi_temp_path $top/web/u;
	scgi_temp_path $top/web/s;
	log_format posted escape=none '\$uri \$http_authorization \$request_body';
	client_body_buffer_size 1m;
	client_body_in_single_buffer on;
	server {
		listen 127.0.0.1:$web_port ssl;
		ssl_certificate $top/cert.pem;
		ssl_certificate_key $top/key.pem;
		access_log $top/posted posted;
		location /v2/enqueue { proxy_pass http://127.0.0.1:$((web_port + 1))/; }
		location / { proxy_pass http://127.0.0.1:$((web_port + 1))/; }
	}
	# nginx reads a body only to pass it on.
	server {
		listen 127.0.0.1:$((web_port + 1));
		access_log off;
		location / { return 202; }
	}
}
END
nginx -c "$top/nginx.conf" -e "$top/nginx.err" 2>"$top/err" &
others=$!

am_port=$((slot_port + 20))
cat >"$top/am.yml" <<END
route: {receiver: none, group_wait: 1s, group_interval: 1s}
receivers: [{name: none}]
END
begin_alertmanager() {
	prometheus-alertmanager --config.file="$top/am.yml" --storage.path="$top/am" --cluster.listen-address= \
		--web.listen-address=127.0.0.1:$am_port >"$top/am.err" 2>&1 &
	am_pid=$!
	others="$others $am_pid"
	await "curl -sf http://127.0.0.1:$am_port/-/ready >/dev/null"
}
alerts() { # the firing ones, a line each
	curl -s "http://127.0.0.1:$am_port/api/v2/alerts?active=true" | tr '{' '\n' | grep -c '"alertname":"RailtopFinding","class":"link.down"'
}

have_am=
command -v prometheus-alertmanager >/dev/null && have_am=1
have_log=
command -v rsyslogd >/dev/null && have_log=1
log_port=$((slot_port + 30))
if [ -n "$have_log" ]; then
	cat >"$top/rsyslog.conf" <<END
global(workDirectory="$top")
module(load="imudp")
module(load="imtcp")
module(load="imuxsock" SysSock.Use="off")
input(type="imudp" address="127.0.0.1" port="$log_port")
input(type="imtcp" address="127.0.0.1" port="$((log_port + 1))")
input(type="imuxsock" Socket="$top/log" UseSpecialParser="off" ParseHostname="on")
template(name="parsed" type="string" string="%inputname% %syslogseverity-text% %app-name% %msgid% %structured-data% %msg%\n")
action(type="omfile" file="$top/logged" template="parsed")
END
	rsyslogd -n -f "$top/rsyslog.conf" -i "$top/rsyslog.pid" >"$top/rsyslog.err" 2>&1 &
	others="$others $!"
	await '[ -S "$top/log" ]' 20
fi

# A log daemon behind TLS: its frames as they come.
mkfifo "$top/open"
openssl s_server -accept "127.0.0.1:$((log_port + 2))" -cert "$top/cert.pem" -key "$top/key.pem" -quiet \
	>"$top/sealed" 2>"$top/sealed.err" <>"$top/open" &
others="$others $!"

# ---- the fabric: a link goes down after 25 s, and comes back after 100 s more ----
emulate --interval 2s --fault link-down:leaf-r3-00:Ethernet12,at=25s,for=100s
printf '%s\n' $secret >"$top/pd.key"
printf 'https://localhost:%s/services/T0/B0/%s\n' $web_port $secret >"$top/slack.url"
printf 'to%s\n' $secret >"$top/token"
chmod 600 "$top/pd.key" "$top/slack.url" "$top/token"
{
	cat "$top/r/fabric.yaml"
	cat <<END
notify:
  wait: 1s
  hold: 1s
  resend: 2s
  runbook_url: https://wiki.example/{runbook}
  to:
    - {kind: pagerduty, url: "https://localhost:$web_port/v2/enqueue", routing_key: "file:$top/pd.key", tls_ca: "$top/cert.pem"}
    - {kind: slack, webhook: "file:$top/slack.url", tls_ca: "$top/cert.pem"}
    - {kind: webhook, url: "https://localhost:$web_port/hook", token: "file:$top/token", tls_ca: "$top/cert.pem"}
    - {kind: command, argv: ["$top/page", "two words; touch $top/shell"]}
    - {kind: syslog, name: tls, address: "tls:localhost:$((log_port + 2))", tls_ca: "$top/cert.pem"}
END
	[ -z "$have_am" ] || echo "    - {kind: alertmanager, url: \"http://127.0.0.1:$am_port\", labels: {pod: pod1}}"
	[ -z "$have_log" ] || cat <<END
    - {kind: syslog, name: udp, address: "udp:127.0.0.1:$log_port"}
    - {kind: syslog, name: tcp, address: "tcp:127.0.0.1:$((log_port + 1))"}
    - {kind: syslog, name: unix, address: "unix:$top/log"}
END
} >"$top/r/notify.yaml"
cat >"$top/page" <<END
#!/bin/sh
{ env; printf 'word=%s\n' "\$@"; cat; } >>"$top/paged"
END
chmod 755 "$top/page"
[ -z "$have_am" ] || begin_alertmanager

# ---- a test message to each ----
RAILTOP_LEAK=$secret "$railtop" watch -f "$top/r/notify.yaml" --test-notify --log "$top/test.log" >"$top/out" 2>"$top/err"
code=$?
lines=$(grep -c ' ok ' "$top/out")
[ $code = 0 ] && [ "$lines" = $((5 + ${have_am:-0} + 3 * ${have_log:-0})) ]
report $? "a test message reaches each receiver ($lines)"
grep -q "/v2/enqueue .*\"routing_key\":\"$secret\".*railtop.test" "$top/posted"
report $? "PagerDuty gets its routing key in the body"
grep -q "/services/T0/B0/$secret .*\[test\]" "$top/posted" && grep -q "/hook Bearer to$secret .*\"event\":\"test\"" "$top/posted"
report $? "Slack and the webhook get theirs"
! grep -q "$secret" "$top/out" "$top/err" "$top/test.log"
report $? "no secret is printed or logged"
grep -q '^word=two words; touch' "$top/paged" && [ ! -e "$top/shell" ] && grep -q '"event":"test"' "$top/paged" &&
	! grep -q RAILTOP_LEAK "$top/paged" && grep -q '^PATH=' "$top/paged"
report $? "the program gets words, the message and a small environment, without a shell"
if [ -n "$have_am" ]; then
	curl -s "http://127.0.0.1:$am_port/api/v2/alerts" >"$top/out"
	grep -q '"alertname":"RailtopTest"' "$top/out"
	report $? "the Alertmanager has an alert that says it is a test"
else
	skip "the Alertmanager" "prometheus-alertmanager is not installed"
fi
if [ -n "$have_log" ]; then
	await '[ "$(grep -c "info railtop railtop.test \[railtop@32473 event=\"test\"" "$top/logged")" = 3 ]' 20
	report $? "rsyslog understands the line over UDP, TCP and a local socket"
else
	skip "rsyslog" "rsyslog is not installed"
fi

await 'grep -q railtop.test "$top/sealed"' 20
# RFC 5425: the length, a space, the message, and nothing between two of them.
frame=$(head -c 4 "$top/sealed" | cut -d" " -f1)
[ "$(head -c $((${#frame} + 1 + frame)) "$top/sealed" | tail -c +$((${#frame} + 2)) | head -c 5)" = "<30>1" ] &&
	[ "$(wc -c <"$top/sealed")" = $((${#frame} + 1 + frame)) ]
report $? "the log behind TLS gets its frame, and no more"
sed "s,tls_ca: \"$top/cert.pem\"},tls_ca: /etc/ssl/certs/ca-certificates.crt},; /kind: [^s]/d" "$top/r/notify.yaml" >"$top/r/distrust.yaml"
"$railtop" watch -f "$top/r/distrust.yaml" --test-notify >"$top/out" 2>"$top/err"
grep -q 'tls .*FAILED .* tls:localhost' "$top/out" && grep -q 'certificate is NOT trusted' "$top/out" &&
	grep -q 'set tls_ca:' "$top/out"
report $? "a certificate that no CA signed is not trusted"

# ---- watching ----
watch() {
	"$railtop" watch -f "$top/r/notify.yaml" --log "$top/watch.log" >"$top/out" 2>>"$top/watch.err" </dev/null &
	watch_pid=$!
}
# On a busy machine there may be other findings.
events() { # event, of the webhook, about the link
	grep -c "^/hook .*\"event\":\"$1\",\"key\":\"[^\"]* link.down " "$top/posted"
}
watch
await '[ "$(events trigger)" -ge 1 ]' 90
report $? "a link that goes down is told"
# The end of the link that is told is either of the two.
grep '^/hook ' "$top/posted" | grep -q '"key":"[^"]* link.down \(leaf-r3-00:Ethernet12\|node003:mlx5_3\)"'
report $? "by its key"
if [ -n "$have_am" ]; then
	await '[ "$(alerts)" = 1 ]' 30
	report $? "the Alertmanager has one alert"
else
	skip "one alert" "prometheus-alertmanager is not installed"
fi
tr '\0' ' ' <"/proc/$watch_pid/cmdline" >"$top/cmdline"
! grep -rq "$secret" "$top/cmdline" "$top/watch.log" "$top/watch.err" "$top/state"
report $? "no secret is on the command line, in the log, or in the state directory"
[ "$(stat -c %a "$top"/state/railtop/notify/*.webhook.json)" = 600 ]
report $? "the book is its owner's"

# ---- killed, and started again while the link is down ----
kill -9 $watch_pid
wait $watch_pid 2>/dev/null
told=$(events trigger)
watch
await 'grep -q "notify alertmanager: \|notify webhook: \|railtop: watching" "$top/watch.err"' 30
sleep 8
summarise
[ "$(events trigger)" = "$told" ] && [ "$(events resolve)" = 0 ]
report $? "after a kill nothing is told twice, and nothing ended"

# ---- a console of another account acknowledges ----
subject=$(sed -n 's/^\/hook .*"event":"trigger","key":"\([^ "]*\) \(link.down [^"]*\)".*/\1|\2/p' "$top/posted" | tail -n 1)
mkdir -p "$top/state/railtop/acknowledged"
now=$(date +%s)
# The file is its account's: another owner would speak in its name.
uid=4242
[ "$(id -u)" = 0 ] || uid=$(id -u)
printf '{"schema": 1, "acknowledged": [{"fabric": "%s", "finding": "%s", "severity": "crit", "since": %s, "until": %s, "user": "ann", "note": "cable ordered"}]}\n' \
	"${subject%%|*}" "${subject#*|}" "$now" $((now + 3600)) >"$top/acknowledged"
[ $uid != 4242 ] || chown 4242 "$top/acknowledged"
mv "$top/acknowledged" "$top/state/railtop/acknowledged/$uid.json"
await '[ "$(events acknowledge)" -ge 1 ]' 30 && grep -q '/v2/enqueue .*"event_action":"acknowledge"' "$top/posted"
report $? "an acknowledgement of a console reaches PagerDuty and the webhook"

# ---- a dead receiver ----
if [ -n "$have_am" ]; then
	kill $am_pid
	await 'grep -q "notify alertmanager: .*railtop tries again" "$top/watch.err"' 60
	report $? "a dead receiver is said"
	sleep 8
	[ "$(grep -c 'notify alertmanager: .*tries again' "$top/watch.err")" = 1 ]
	report $? "once"
	"$railtop" check -f "$top/r/notify.yaml" --for 5s >"$top/out" 2>"$top/err"
	grep -q 'alertmanager .*NOT REACHED' "$top/out" && grep -q 'webhook .*last message' "$top/out"
	report $? "railtop check shows which receiver is dead"
	"$railtop" check -f "$top/r/notify.yaml" --for 5s --json 2>"$top/err" | tr -d '\n' >"$top/out"
	grep -q '"receivers": \[' "$top/out" &&
		grep -q '"name": "webhook", *"kind": "webhook", *"severity": "critical", *"state": "reached", *"last_message": [0-9.]*, *"not_reached_since": null, *"problem": null, *"watched": true' "$top/out" &&
		grep -q '"name": "alertmanager",[^}]*"state": "not_reached",[^}]*"problem": "[^"]' "$top/out"
	report $? "and so does its JSON"
	begin_alertmanager
	await '[ "$(alerts)" = 1 ] && grep -q "notify alertmanager: reached again" "$top/watch.err"' 60
	report $? "when it is back it gets the present state"
else
	skip "a dead receiver" "prometheus-alertmanager is not installed"
fi

# ---- the link is up again: its end is told once its switch was heard for a minute ----
await '[ "$(events resolve)" -ge 1 ]' 200
summarise
report $? "its end is told"
[ "$(events resolve)" = 1 ] && [ "$(events trigger)" = "$told" ]
report $? "once"
if [ -n "$have_am" ]; then
	await '[ "$(alerts)" = 0 ]' 30
	report $? "the Alertmanager has no alert any more"
else
	skip "no alert" "prometheus-alertmanager is not installed"
fi
if [ -n "$have_log" ]; then
	await '[ "$(grep -c "link.down .railtop@32473 event=\"resolve\"" "$top/logged")" = 3 ]' 20
	report $? "and so have the logs"
else
	skip "the logs" "rsyslog is not installed"
fi
kill -TERM $watch_pid
wait $watch_pid
report $? "it ends at once, and well"
watch_pid=
echo "1..$n"
exit $failed
