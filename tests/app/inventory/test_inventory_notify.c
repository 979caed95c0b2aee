/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tests/app/support/inventory_expect.h"
#include "tests/support/cases.h"

/* The section notify: of an inventory. */

#define HEAD "fabric: t\nswitches: [{names: leaf-1, dialect: sonic, tier: leaf}]\n"

/* One receiver, in line 3. */
static void refused(const char *receiver, const char *want)
{
	char text[1024], line[1024];

	(void)snprintf(text, sizeof(text), HEAD "notify: {to: [{%s}]}\n", receiver);
	(void)snprintf(line, sizeof(line), "f.yaml:3: notify.to[0]%s\n", want);
	inventory_says(text, line);
}

CASE(every_setting_is_read)
{
	struct plan plan;
	const struct plan_notify *n = &plan.notify;

	inventory_expect(HEAD
		"notify:\n"
		"  console: true\n"
		"  wait: 5s\n"
		"  hold: 2m\n"
		"  resend: 30s\n"
		"  per_hour: 7\n"
		"  link: https://wall.example/?at={place}\n"
		"  runbook_url: https://wiki.example/{runbook}\n"
		"  acknowledgements: /srv/railtop/acknowledged\n"
		"  to:\n"
		"    - {kind: alertmanager, url: \"http://127.0.0.1:9093\", severity: warning, "
		"labels: {pod: pod1}}\n"
		"    - {kind: pagerduty, name: night, routing_key: \"file:pd.key\", proxy: "
		"\"http://proxy:3128\"}\n"
		"    - {kind: slack, webhook: \"env:SLACK\"}\n"
		"    - {kind: webhook, url: \"https://hook/x\", token: \"file:token\", tls_ca: "
		"ca.pem}\n"
		"    - {kind: syslog, address: \"tcp:[2001:db8::1]:6514\", facility: local3}\n"
		"    - {kind: syslog, name: local, address: \"unix:/run/log\"}\n"
		"    - {kind: syslog, name: far, address: \"udp:loghost\"}\n"
		"    - {kind: syslog, name: sealed, address: \"tls:loghost\", tls_ca: "
		"/etc/ca.pem}\n"
		"    - {kind: command, argv: [/usr/local/bin/page, --from, \"rail top\"]}\n",
		"", &plan);
	assert_true(n->console);
	assert_int_equal(n->wait_us, 5 * CLOCK_SEC);
	assert_int_equal(n->hold_us, 120 * CLOCK_SEC);
	assert_int_equal(n->resend_us, 30 * CLOCK_SEC);
	assert_int_equal(n->per_hour, 7);
	assert_string_equal(n->link, "https://wall.example/?at={place}");
	assert_string_equal(n->runbook_url, "https://wiki.example/{runbook}");
	assert_string_equal(n->acknowledgements, "/srv/railtop/acknowledged");
	assert_int_equal(n->to.n, 9);
	assert_string_equal(n->to.at[0].name, "alertmanager");
	assert_int_equal(n->to.at[0].severity, SEV_WARN);
	assert_string_equal(n->to.at[0].labels.at[0].value, "pod1");
	assert_string_equal(n->to.at[1].name, "night");
	assert_string_equal(n->to.at[1].secret, "file:/etc/railtop/pd.key");
	assert_int_equal(n->to.at[1].severity, SEV_CRIT);
	assert_string_equal(n->to.at[2].secret, "env:SLACK");
	assert_string_equal(n->to.at[3].token, "file:/etc/railtop/token");
	assert_int_equal(n->to.at[4].way, SYSLOG_TCP);
	assert_string_equal(n->to.at[4].address, "2001:db8::1");
	assert_int_equal(n->to.at[4].port, 6514);
	assert_int_equal(n->to.at[4].facility, 19);
	assert_int_equal(n->to.at[5].way, SYSLOG_UNIX);
	assert_string_equal(n->to.at[5].address, "/run/log");
	assert_string_equal(n->to.at[6].address, "loghost");
	assert_int_equal(n->to.at[6].port, 514);
	assert_int_equal(n->to.at[7].way, SYSLOG_TLS);
	assert_int_equal(n->to.at[7].port, 6514);
	assert_string_equal(n->to.at[7].tls_ca, "/etc/ca.pem");
	assert_int_equal(n->to.at[8].argv.n, 3);
	assert_string_equal(n->to.at[8].argv.at[2], "rail top");
	plan_free(&plan);
}

CASE(what_is_not_stated)
{
	struct plan plan;

	inventory_expect(HEAD, "", &plan);
	assert_int_equal(plan.notify.to.n, 0);
	plan_free(&plan);
	inventory_expect(
		HEAD "notify: {to: {kind: syslog, address: \"udp:loghost\"}}\n", "", &plan);
	assert_int_equal(plan.notify.to.n, 1);
	assert_false(plan.notify.console);
	assert_int_equal(plan.notify.wait_us, NOTIFY_WAIT_US);
	assert_int_equal(plan.notify.per_hour, NOTIFY_PER_HOUR);
	plan_free(&plan);
}

/* No message repeats a value that may be a secret. */
CASE(secrets_are_references)
{
	refused("kind: pagerduty, routing_key: 0123456789abcdef0123456789abcdef",
		".routing_key: this file must not contain a secret (write a reference: env:NAME, "
		"file:PATH, command:COMMAND or netrc:PATH)");
	refused("kind: webhook, url: \"https://hook/x?key=s3cret\"",
		".url: a URL must not contain a user, a query or a secret (use webhook: with a "
		"reference to the whole URL, or token: and credentials:)");
	refused("kind: webhook, url: \"https://u:s3cret@hook/x\"",
		".url: a URL must not contain a user, a query or a secret (use webhook: with a "
		"reference to the whole URL, or token: and credentials:)");
	refused("kind: alertmanager, url: \"http://am.example:9093\", token: \"env:T\"",
		": a secret would cross the network unencrypted (use https://, with tls_ca: where "
		"the CA is the site's own)");
	refused("kind: pagerduty, url: \"http://pd.example/\", routing_key: \"env:T\"",
		": a secret would cross the network unencrypted (use https://, with tls_ca: where "
		"the CA is the site's own)");
}

CASE(what_a_kind_needs)
{
	refused("kind: pagerduty", ": \"routing_key\" is missing (for example routing_key: "
				   "file:/etc/railtop/pagerduty.key)");
	refused("kind: alertmanager",
		": \"url\" is missing (for example url: http://127.0.0.1:9093)");
	refused("kind: slack",
		": \"webhook\" is missing (for example webhook: file:/etc/railtop/slack.url)");
	refused("kind: syslog", ": \"address\" is missing (for example address: udp:loghost:514)");
	refused("kind: command", ": \"argv\" is missing (for example argv: [/usr/local/bin/page])");
	refused("kind: command, argv: [page]",
		".argv[0]: the program is no absolute path (argv: [/usr/local/bin/page, --from, "
		"railtop])");
	refused("kind: telegram",
		".kind: \"telegram\" is not a kind of receiver (allowed: alertmanager, pagerduty, "
		"slack, webhook, syslog, command)");
	refused("kind: syslog, address: \"loghost:514\"",
		".address: \"loghost:514\" is not a address of a log daemon (allowed: "
		"udp:HOST:PORT, tcp:HOST:PORT, tls:HOST:PORT or unix:/PATH)");
	refused("kind: syslog, address: \"tlsx:loghost:514\"",
		".address: \"tlsx:loghost:514\" is not a address of a log daemon (allowed: "
		"udp:HOST:PORT, tcp:HOST:PORT, tls:HOST:PORT or unix:/PATH)");
	refused("kind: syslog, address: \"tcp:loghost\", tls_ca: /etc/ca.pem",
		": a receiver of kind syslog takes no tls_ca (but to tls:HOST:PORT)");
	refused("kind: syslog, address: \"udp:h:0\"",
		".address: \"udp:h:0\" is not a port (allowed: 1 to 65535, as in udp:loghost:514)");
	refused("kind: command, argv: [/bin/true], url: \"https://x/\"",
		": a receiver of kind command takes no url, token, credentials or proxy");
	inventory_says(HEAD "notify: {wait: 5s}\n",
		"f.yaml:3: notify: \"to\" is missing (for example to: [{kind: alertmanager, url: "
		"...}])\n");
	inventory_says(HEAD "notify: {to: [{kind: syslog, address: \"udp:a\"}, {kind: syslog, "
			    "address: \"udp:b\"}]}\n",
		"f.yaml:3: notify.to[1]: another receiver has the name \"syslog\" (give each a "
		"name: of its own)\n");
}

CASES_MAIN(NULL, NULL)
