/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/inventory/inventory_yaml_schema.h"
#include "base/clock.h"
#include "backends/https/post.h"
#include "base/str.h"

/* Reads notify: of an inventory, the receivers of findings: man/railtop-fabric.5. */

#define COUNT_OF(a)   (sizeof(a) / sizeof((a)[0]))
#define WORDS_MOST    32 /* of a command, with its program */
#define LABELS_MOST   16
#define KINDS_ALLOWED "alertmanager, pagerduty, slack, webhook, syslog, command"

static bool read_span(struct reader *r, const yaml_node_t *n, int64_t least_us, int64_t most_us,
	const char *allowed, int64_t *to)
{
	const char *text;
	int64_t us = 0;

	if (!yaml_text(r, n, "a time", YAML_TEXT_MAX, &text))
		return false;
	if ((!str_eq(text, "0") && !str_to_duration(text, &us)) || us < least_us || us > most_us)
		return yaml_not_a(r, n, text, "time here", allowed);
	*to = us;
	return true;
}

static bool read_delay(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_span(r, n, 0, 3600 * CLOCK_SEC, "0 to 1h: 20s", to);
}

/* Clients of an Alertmanager repeat an alert each 30 s to 3 min. */
static bool read_resend(struct reader *r, const yaml_node_t *n, void *to)
{
	return read_span(r, n, CLOCK_SEC, 1800 * CLOCK_SEC, "1s to 30m: 1m", to);
}

static bool read_per_hour(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_number(r, n, 1, 10000, to);
}

/* ---- URLs ---- */

/* Checked before any message repeats it: a user part and a query often are the secret. */
static bool read_url(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text, *rest;

	if (!yaml_text(r, n, "a URL", YAML_TEXT_MAX, &text))
		return false;
	if (strpbrk(text, "@?#")) {
		(void)problem_add(r->problems, yaml_line(n), r->place,
			"a URL must not contain a user, a query or a secret");
		return problem_cure(r->problems,
			"use webhook: with a reference to the whole URL, or token: and "
			"credentials:");
	}
	rest = yaml_after_scheme(text);
	if (!rest || !strcspn(rest, "/") || strchr(text, ' '))
		return yaml_not_a(
			r, n, text, "URL", "https://HOST:PORT/PATH or http://HOST:PORT/PATH");
	yaml_put(to, text);
	return true;
}

/* A URL with names in braces, which is shown to people. */
static bool read_template(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "a URL", YAML_TEXT_MAX, &text))
		return false;
	if (!yaml_after_scheme(text) || strchr(text, ' '))
		return yaml_not_a(r, n, text, "URL",
			"https://..., in which {place}, {device}, {port}, {key}, {fabric} and "
			"{runbook} are replaced");
	yaml_put(to, text);
	return true;
}

/* ---- one receiver ---- */

static bool read_kind(struct reader *r, const yaml_node_t *n, void *to)
{
	struct plan_receiver *p = to;
	const char *text;

	if (!yaml_text(r, n, "a kind of receiver", YAML_TEXT_MAX, &text))
		return false;
	return receiver_kind_by_name(text, &p->kind) ||
	       yaml_not_a(r, n, text, "kind of receiver", KINDS_ALLOWED);
}

/* It becomes part of a file's name. */
static bool read_name(struct reader *r, const yaml_node_t *n, void *to)
{
	struct plan_receiver *p = to;
	const char *text;

	if (!yaml_text(r, n, "a name", sizeof(p->name) - 1, &text))
		return false;
	if (!inventory_name_ok(text))
		return yaml_not_a(r, n, text, "name", "letters, digits, '.', '_' and '-'");
	return str_copy(p->name, sizeof(p->name), text);
}

static bool read_severity(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "a severity", YAML_TEXT_MAX, &text))
		return false;
	*(enum severity *)to = str_eq(text, "warning") ? SEV_WARN : SEV_CRIT;
	return str_eq(text, "warning") || str_eq(text, "critical") ||
	       yaml_not_a(r, n, text, "severity", "warning, critical");
}

static bool read_syslog_port(struct reader *r, const yaml_node_t *n, struct plan_receiver *p,
	const char *text, const char *colon)
{
	uint64_t port;

	if (!str_to_u64(colon + 1, &port) || port < 1 || port > 65535)
		return yaml_not_a(r, n, text, "port", "1 to 65535, as in udp:loghost:514");
	p->port = (unsigned)port;
	return true;
}

/* "udp:HOST[:PORT]", "tcp:[2001:db8::1]:601", "tls:HOST[:PORT]", "unix:/run/log". */
static bool read_address(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct {
		const char *word;
		unsigned port;
	} ways[SYSLOG_WAYS] = {[SYSLOG_UDP] = {"udp", 514}, /* RFC 5426 */
		[SYSLOG_TCP] = {"tcp", 601},                /* RFC 3195 */
		[SYSLOG_TLS] = {"tls", 6514},               /* RFC 5425 */
		[SYSLOG_UNIX] = {"unix", 0}};
	struct plan_receiver *p = to;
	const char *text, *rest, *colon;
	char host[256];
	size_t len;

	if (!yaml_text(r, n, "an address", 255, &text))
		return false;
	rest = strchr(text, ':');
	p->way = SYSLOG_WAYS;
	for (size_t i = 0; i < SYSLOG_WAYS && rest; i++)
		if (strlen(ways[i].word) == (size_t)(rest - text) && str_starts(text, ways[i].word))
			p->way = (enum syslog_way)i;
	if (p->way == SYSLOG_WAYS || !rest[1] || (p->way == SYSLOG_UNIX && rest[1] != '/'))
		return yaml_not_a(r, n, text, "address of a log daemon",
			"udp:HOST:PORT, tcp:HOST:PORT, tls:HOST:PORT or unix:/PATH");
	rest++;
	colon = strrchr(rest, ':');
	if (rest[0] == '[' ? colon && colon[-1] != ']' : colon && strchr(rest, ':') != colon)
		colon = NULL;
	len = p->way != SYSLOG_UNIX && colon ? (size_t)(colon - rest) : strlen(rest);
	p->port = ways[p->way].port;
	if (p->way != SYSLOG_UNIX && colon && !read_syslog_port(r, n, p, text, colon))
		return false;
	if (rest[0] == '[' && len >= 2 && rest[len - 1] == ']')
		(void)str_copyn(host, sizeof(host), rest + 1, len - 2);
	else
		(void)str_copyn(host, sizeof(host), rest, len);
	yaml_put(&p->address, host);
	return true;
}

static bool read_facility(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct {
		const char *name;
		unsigned number;
	} names[] = {{"user", 1}, {"daemon", 3}, {"local0", 16}, {"local1", 17}, {"local2", 18},
		{"local3", 19}, {"local4", 20}, {"local5", 21}, {"local6", 22}, {"local7", 23}};
	const char *text;

	if (!yaml_text(r, n, "a facility", YAML_TEXT_MAX, &text))
		return false;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (!str_eq(names[i].name, text))
			continue;
		*(unsigned *)to = names[i].number;
		return true;
	}
	return yaml_not_a(r, n, text, "facility", "user, daemon, local0 to local7");
}

static bool read_word(struct reader *r, const yaml_node_t *n, void *to)
{
	struct plan_receiver *p = to;
	const char *text;

	if (!yaml_text(r, n, "a word of the command", YAML_TEXT_MAX, &text))
		return false;
	if (p->argv.n >= WORDS_MOST)
		return problem_add(
			r->problems, yaml_line(n), r->place, "has more than %d words", WORDS_MOST);
	if (!p->argv.n && text[0] != '/') {
		(void)problem_add(
			r->problems, yaml_line(n), r->place, "the program is no absolute path");
		return problem_cure(r->problems, "argv: [/usr/local/bin/page, --from, railtop]");
	}
	vec_push(&p->argv, mem_strdup(text));
	return true;
}

static bool read_argv(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_items(r, n, read_word, to);
}

static bool label_ok(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return !*s;
}

static bool read_labels(struct reader *r, const yaml_node_t *n, void *to)
{
	struct plan_receiver *p = to;

	if (n->type != YAML_MAPPING_NODE)
		return yaml_expected(r, n, "a map of labels");
	for (const yaml_node_pair_t *at = n->data.mapping.pairs.start;
		at < n->data.mapping.pairs.top; at++) {
		const char *name, *value;
		struct plan_label *l;

		if (!yaml_text(r, yaml_document_get_node(r->doc, at->key), "a label", 63, &name) ||
			!yaml_text(r, yaml_document_get_node(r->doc, at->value), "a label's value",
				127, &value))
			return false;
		if (!label_ok(name) || p->labels.n >= LABELS_MOST)
			return yaml_not_a(
				r, n, name, "label", "at most 16 names of letters, digits and '_'");
		l = vec_add(&p->labels);
		(void)str_copy(l->name, sizeof(l->name), name);
		(void)str_copy(l->value, sizeof(l->value), value);
	}
	return true;
}

static bool is_missing(struct reader *r, const yaml_node_t *n, const char *key, const char *example)
{
	(void)problem_add(r->problems, yaml_line(n), r->place, "\"%s\" is missing", key);
	return problem_cure(r->problems, "for example %s", example);
}

static bool needs_no(struct reader *r, const yaml_node_t *n, const struct plan_receiver *p,
	const char *keys, bool has)
{
	if (!has)
		return true;
	return problem_add(r->problems, yaml_line(n), r->place, "a receiver of kind %s takes no %s",
		receiver_kind_name(p->kind), keys);
}

static bool check_kind(struct reader *r, const yaml_node_t *n, const struct plan_receiver *p)
{
	bool http = p->kind != RECEIVER_SYSLOG && p->kind != RECEIVER_COMMAND;

	if (p->kind == RECEIVER_ALERTMANAGER && !p->url)
		return is_missing(r, n, "url", "url: http://127.0.0.1:9093");
	if (p->kind == RECEIVER_PAGERDUTY && !p->secret)
		return is_missing(
			r, n, "routing_key", "routing_key: file:/etc/railtop/pagerduty.key");
	if (p->kind == RECEIVER_SLACK && !p->secret)
		return is_missing(r, n, "webhook", "webhook: file:/etc/railtop/slack.url");
	if (p->kind == RECEIVER_WEBHOOK && !p->secret == !p->url)
		return is_missing(r, n, "url or webhook",
			"url: https://HOST/PATH, or webhook: with a reference");
	if (p->kind == RECEIVER_SYSLOG && !p->address)
		return is_missing(r, n, "address", "address: udp:loghost:514");
	if (p->kind == RECEIVER_COMMAND && !p->argv.n)
		return is_missing(r, n, "argv", "argv: [/usr/local/bin/page]");
	return needs_no(r, n, p, "url, token, credentials or proxy",
		       !http && (p->url || p->secret || p->token || p->credentials || p->proxy)) &&
	       needs_no(r, n, p, "tls_ca (but to tls:HOST:PORT)",
		       !http && p->tls_ca &&
			       (p->kind != RECEIVER_SYSLOG || p->way != SYSLOG_TLS)) &&
	       needs_no(r, n, p, "url", p->kind == RECEIVER_SLACK && p->url) &&
	       needs_no(r, n, p, "routing_key or webhook",
		       p->kind == RECEIVER_ALERTMANAGER && p->secret) &&
	       needs_no(r, n, p, "address", p->kind != RECEIVER_SYSLOG && p->address) &&
	       needs_no(r, n, p, "argv", p->kind != RECEIVER_COMMAND && p->argv.n) &&
	       needs_no(r, n, p, "labels", p->kind != RECEIVER_ALERTMANAGER && p->labels.n);
}

static bool check_secrets(struct reader *r, const yaml_node_t *n, const struct plan_receiver *p)
{
	bool plain = p->url && strncasecmp(p->url, "http://", 7) == 0 && !post_is_local(p->url);

	if (p->token && p->credentials)
		return problem_add(r->problems, yaml_line(n), r->place,
			"\"credentials\" and \"token\" exclude each other");
	if ((p->token && str_starts(p->token, "netrc:")) ||
		(p->secret && str_starts(p->secret, "netrc:")))
		return problem_add(r->problems, yaml_line(n), r->place,
			"a netrc file has no such secret: write env:NAME, file:PATH or "
			"command:COMMAND");
	if (!plain || (!p->token && !p->credentials && p->kind != RECEIVER_PAGERDUTY))
		return true;
	(void)problem_add(r->problems, yaml_line(n), r->place,
		"a secret would cross the network unencrypted");
	return problem_cure(
		r->problems, "use https://, with tls_ca: where the CA is the site's own");
}

static bool check_receiver(struct reader *r, const yaml_node_t *n, struct plan_receiver *p)
{
	const struct plan_notify *all = &r->inv->notify;

	if (p->kind == RECEIVER_COUNT)
		return is_missing(r, n, "kind", "kind: alertmanager (" KINDS_ALLOWED ")");
	if (!p->name[0])
		(void)str_copy(p->name, sizeof(p->name), receiver_kind_name(p->kind));
	for (size_t i = 0; i + 1 < all->to.n; i++) {
		if (!str_eq(all->to.at[i].name, p->name))
			continue;
		(void)problem_add(r->problems, yaml_line(n), r->place,
			"another receiver has the name \"%s\"", p->name);
		return problem_cure(r->problems, "give each a name: of its own");
	}
	return check_kind(r, n, p) && check_secrets(r, n, p);
}

static bool read_receiver(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"kind", read_kind, 0},
		{"name", read_name, 0},
		{"severity", read_severity, offsetof(struct plan_receiver, severity)},
		{"url", read_url, offsetof(struct plan_receiver, url)},
		{"routing_key", yaml_read_credentials, offsetof(struct plan_receiver, secret)},
		{"webhook", yaml_read_credentials, offsetof(struct plan_receiver, secret)},
		{"token", yaml_read_credentials, offsetof(struct plan_receiver, token)},
		{"credentials", yaml_read_credentials, offsetof(struct plan_receiver, credentials)},
		{"tls_ca", yaml_read_path, offsetof(struct plan_receiver, tls_ca)},
		{"proxy", read_url, offsetof(struct plan_receiver, proxy)},
		{"address", read_address, 0},
		{"facility", read_facility, offsetof(struct plan_receiver, facility)},
		{"argv", read_argv, 0},
		{"labels", read_labels, 0},
	};
	struct plan_notify *all = to;
	struct plan_receiver *p;

	if (all->to.n >= NOTIFY_RECEIVERS)
		return problem_add(r->problems, yaml_line(n), r->place,
			"more than %d receivers are given", NOTIFY_RECEIVERS);
	p = vec_add(&all->to);
	*p = (struct plan_receiver){
		.kind = RECEIVER_COUNT, .severity = SEV_CRIT, .facility = 3 /* daemon */};
	(void)str_printf(p->source, sizeof(p->source), "%.70s:%u", r->inv->file, yaml_line(n));
	return yaml_read_map(r, n, keys, COUNT_OF(keys), p) && check_receiver(r, n, p);
}

static bool read_receivers(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_items(r, n, read_receiver, to);
}

bool yaml_read_notify(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"console", yaml_read_yes, offsetof(struct plan_notify, console)},
		{"wait", read_delay, offsetof(struct plan_notify, wait_us)},
		{"hold", read_delay, offsetof(struct plan_notify, hold_us)},
		{"resend", read_resend, offsetof(struct plan_notify, resend_us)},
		{"per_hour", read_per_hour, offsetof(struct plan_notify, per_hour)},
		{"link", read_template, offsetof(struct plan_notify, link)},
		{"runbook_url", read_template, offsetof(struct plan_notify, runbook_url)},
		{"acknowledgements", yaml_read_path,
			offsetof(struct plan_notify, acknowledgements)},
		{"to", read_receivers, 0},
	};
	const struct plan_notify *all = to;

	if (!yaml_read_map(r, n, keys, COUNT_OF(keys), to))
		return false;
	return all->to.n || is_missing(r, n, "to", "to: [{kind: alertmanager, url: ...}]");
}
