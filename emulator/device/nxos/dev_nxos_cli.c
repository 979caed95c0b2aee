/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* The parser of the CLI: abbreviated words, one table of show commands. */

#define TEXT_CAP (16u << 20)

const struct nxos_command nxos_commands[] = {
	{"show version", nxos_version, nxos_version_text},
	{"show hostname", nxos_hostname, nxos_hostname_text},
	{"show switchname", nxos_hostname, nxos_hostname_text},
	{"show clock", nxos_clock, nxos_clock_text},
	{"show system uptime", nxos_uptime, nxos_uptime_text},
	{"show inventory", nxos_inventory, nxos_inventory_text},
	{"show interface", nxos_interface, nxos_interface_text},
	{"show interface brief", nxos_brief, nxos_brief_text},
	{"show interface status", nxos_interface_status, nxos_interface_status_text},
	{"show interface counters", nxos_counters, nxos_counters_text},
	{"show interface counters errors", nxos_errors, nxos_errors_text},
	{"show interface transceiver", nxos_transceiver, nxos_transceiver_text},
	{"show interface transceiver details", nxos_transceiver, nxos_transceiver_text},
	{"show interface priority-flow-control", nxos_pfc, nxos_pfc_text},
	{"show interface priority-flow-control detail", nxos_pfc, nxos_pfc_detail_text},
	{"show interface %", nxos_interface, nxos_interface_text},
	{"show interface % brief", nxos_brief, nxos_brief_text},
	{"show interface % status", nxos_interface_status, nxos_interface_status_text},
	{"show interface % counters", nxos_counters, nxos_counters_text},
	{"show interface % counters errors", nxos_errors, nxos_errors_text},
	{"show interface % transceiver", nxos_transceiver, nxos_transceiver_text},
	{"show interface % transceiver details", nxos_transceiver, nxos_transceiver_text},
	{"show interface % priority-flow-control", nxos_pfc, nxos_pfc_text},
	{"show interface % priority-flow-control detail", nxos_pfc, nxos_pfc_detail_text},
	{"show queuing interface", nxos_queuing, nxos_queuing_text},
	{"show queuing interface %", nxos_queuing, nxos_queuing_text},
	{"show queuing pfc-queue", nxos_watchdog, nxos_watchdog_text},
	{"show queuing pfc-queue detail", nxos_watchdog, nxos_watchdog_text},
	{"show queuing pfc-queue interface %", nxos_watchdog, nxos_watchdog_text},
	{"show queuing pfc-queue interface % detail", nxos_watchdog, nxos_watchdog_text},
	{"show hardware internal buffer info pkt-stats", nxos_buffers, nxos_buffers_text},
	{"show lldp neighbors", nxos_lldp, nxos_lldp_text},
	{"show lldp neighbors detail", nxos_lldp_detail, nxos_lldp_detail_text},
	{"show lldp neighbors interface %", nxos_lldp, nxos_lldp_text},
	{"show lldp neighbors interface % detail", nxos_lldp_detail, nxos_lldp_detail_text},
	{"show bgp all summary vrf all", nxos_bgp_summary, nxos_bgp_summary_text},
	{"show bgp vrf all all summary", nxos_bgp_summary, nxos_bgp_summary_text},
	{"show ip bgp summary", nxos_bgp_summary, nxos_bgp_summary_text},
	{"show ip bgp summary vrf all", nxos_bgp_summary, nxos_bgp_summary_text},
	{"show bgp sessions", nxos_bgp_sessions, nxos_bgp_sessions_text},
	{"show bgp sessions vrf all", nxos_bgp_sessions, nxos_bgp_sessions_text},
	{"show logging logfile", NULL, nxos_logging_text},
	{"show logging last #", NULL, nxos_logging_text},
	{"show port-channel summary", nxos_port_channels, nxos_port_channels_text},
	{"show vpc", nxos_vpc, nxos_vpc_text},
	{"show port-channel load-balance", NULL, nxos_load_balance_text},
	{"show ip load-sharing", NULL, nxos_load_sharing_text},
	{"show policy-map system type network-qos", NULL, nxos_network_qos_text},
	{"show policy-map type queuing", NULL, nxos_queuing_policy_text},
	{"show policy-map type qos", NULL, nxos_qos_policy_text},
	{"show class-map type qos", NULL, nxos_qos_classes_text},
	{"show running-config", NULL, nxos_running_text},
	{"show running-config interface %", NULL, nxos_running_text},
	{"show running-config bgp", NULL, nxos_running_bgp_text},
	{NULL, NULL, NULL},
};

void nxos_answer_free(struct nxos_answer *a)
{
	json_decref(a->body);
	buf_free(&a->text);
}

void nxos_line_copy(char dst[NXOS_LINE_MAX], const char *line, size_t n)
{
	if (!str_copyn(dst, NXOS_LINE_MAX, line, n))
		(void)str_copy(dst, NXOS_LINE_MAX, "?");
}

bool nxos_split(const char *text, struct nxos_line *l)
{
	char *at;

	l->n = 0;
	if (!str_copy(l->text, sizeof(l->text), text))
		return false;
	for (at = l->text; *at;) {
		while (*at && isspace((unsigned char)*at))
			*at++ = '\0';
		if (!*at)
			break;
		if (l->n == NXOS_WORDS_MAX)
			return false;
		l->column[l->n] = (unsigned)(at - l->text);
		l->word[l->n++] = at;
		while (*at && !isspace((unsigned char)*at))
			at++;
	}
	return true;
}

static bool is_abbreviation(const char *typed, const char *word, size_t n)
{
	size_t have = strlen(typed);

	return have && have <= n && !strncasecmp(typed, word, have);
}

/* "Ethernet1/4", "e1/4", "ethernet 1/4"; *words: number of words consumed. */
static struct sim_port *interface_at(
	const struct sim_device *d, const struct nxos_line *l, unsigned at, unsigned *words)
{
	const char *typed = l->word[at], *number = typed;

	while (isalpha((unsigned char)*number))
		number++;
	*words = 1;
	if (number == typed || !is_abbreviation("e", typed, 1) ||
		strncasecmp(typed, "Ethernet", (size_t)(number - typed)) != 0)
		return NULL;
	if (!*number && at + 1 < l->n) {
		number = l->word[at + 1];
		*words = 2;
	}
	for (unsigned i = 0; i < d->nports; i++) {
		struct sim_port *p = &d->ports[i];

		if (str_starts(p->name, "Ethernet") &&
			!strcmp(p->name + strlen("Ethernet"), number))
			return p;
	}
	return NULL;
}

static bool number_at(const char *typed, unsigned *out)
{
	uint64_t v;

	if (!str_to_u64(typed, &v) || v > UINT32_MAX)
		return false;
	*out = (unsigned)v;
	return true;
}

static bool word_fits(const struct sim_device *d, const char *want, size_t n,
	const struct nxos_line *l, unsigned at, struct nxos_words *w, unsigned *words)
{
	*words = 1;
	if (n == 1 && *want == '%')
		return (w->port = interface_at(d, l, at, words)) != NULL;
	if (n == 1 && *want == '#')
		return number_at(l->word[at], &w->number);
	if (n == 1 && *want == '*') {
		w->any = l->word[at];
		return true;
	}
	return is_abbreviation(l->word[at], want, n);
}

bool nxos_fits(const struct sim_device *d, const char *pattern, const struct nxos_line *l,
	struct nxos_words *w, unsigned *used)
{
	unsigned at = 0, words;

	memset(w, 0, sizeof(*w));
	*used = 0;
	for (;;) {
		size_t n = strcspn(pattern, " ");

		if (!n || at >= l->n)
			return !n && at == l->n;
		if (!word_fits(d, pattern, n, l, at, w, &words))
			return false;
		at += words;
		*used = at;
		pattern += n + (pattern[n] == ' ');
	}
}

static void run_show(const struct nxos_command *c, const struct nxos_query *q,
	enum nxos_format format, struct nxos_answer *a)
{
	if (format == NXOS_TEXT) {
		c->text(q, &a->text);
		return;
	}
	a->body = c->json ? c->json(q) : NULL;
	a->status = c->json ? NXOS_DONE : NXOS_UNSTRUCTURED;
}

static bool is_detail(const struct nxos_line *l)
{
	return l->n && is_abbreviation(l->word[l->n - 1], "details", 7) &&
	       is_abbreviation("de", l->word[l->n - 1], strlen(l->word[l->n - 1]));
}

void nxos_run(
	struct nxos_session *s, const char *line, enum nxos_format format, struct nxos_answer *a)
{
	const struct nxos_command *c;
	struct nxos_query q = {.m = &s->m, .native = format == NXOS_NATIVE};
	struct nxos_words w;
	struct nxos_line l;
	unsigned used, best = 0;

	memset(a, 0, sizeof(*a));
	buf_init(&a->text, TEXT_CAP);
	if (s->m.d->commands_fail) {
		a->status = NXOS_DEAD;
		return;
	}
	if (!nxos_split(line, &l)) {
		a->status = NXOS_INVALID;
		return;
	}
	if (!l.n || nxos_configure(s, &l, a, &best))
		return;
	for (c = nxos_commands; c->words; c++) {
		if (nxos_fits(s->m.d, c->words, &l, &w, &used)) {
			q.only = w.port;
			q.count = w.number;
			q.detail = is_detail(&l);
			run_show(c, &q, format, a);
			return;
		}
		best = used > best ? used : best;
	}
	a->status = best < l.n ? NXOS_INVALID : NXOS_INCOMPLETE;
	a->caret = best < l.n ? l.column[best] : 0;
}

/* ---- filters ---- */

static bool line_has(const char *line, size_t n, const char *want)
{
	char *copy = strndup(line, n);
	bool found = copy && strcasestr(copy, want);

	free(copy);
	return found;
}

/* Keeps the lines that contain the word, or those that do not. */
static void keep_lines(struct buf *text, const char *want, bool with)
{
	struct buf out;
	const char *at = text->data ? text->data : "";

	buf_init(&out, TEXT_CAP);
	while (*at) {
		size_t n = strcspn(at, "\n");

		if (line_has(at, n, want) == with) {
			(void)buf_add(&out, at, n);
			(void)buf_adds(&out, "\n");
		}
		at += n + (at[n] == '\n');
	}
	buf_free(text);
	*text = out;
}

/* Keeps the unindented lines that contain the word, each with the indented lines below it. */
static void keep_sections(struct buf *text, const char *want)
{
	struct buf out;
	const char *at = text->data ? text->data : "";
	bool kept = false;

	buf_init(&out, TEXT_CAP);
	while (*at) {
		size_t n = strcspn(at, "\n");

		if (*at != ' ')
			kept = line_has(at, n, want);
		if (kept && n) {
			(void)buf_add(&out, at, n);
			(void)buf_adds(&out, "\n");
		}
		at += n + (at[n] == '\n');
	}
	buf_free(text);
	*text = out;
}

static void keep_last(struct buf *text, unsigned lines)
{
	const char *end = text->data ? text->data + text->len : NULL, *at = end;
	struct buf out;

	if (!end)
		return;
	while (at > text->data && lines) {
		at--;
		while (at > text->data && at[-1] != '\n')
			at--;
		lines--;
	}
	buf_init(&out, TEXT_CAP);
	(void)buf_add(&out, at, (size_t)(end - at));
	buf_free(text);
	*text = out;
}

/* Applies one filter; false: no such filter. */
static bool apply_filter(const char *word, struct nxos_answer *a)
{
	struct nxos_line l;
	unsigned n = 10;

	if (!nxos_split(word, &l) || !l.n)
		return false;
	if (str_eq(l.word[0], "no-more"))
		return true;
	if (is_abbreviation(l.word[0], "include", 7) && l.n > 1)
		keep_lines(&a->text, l.word[1], true);
	else if (is_abbreviation(l.word[0], "exclude", 7) && l.n > 1)
		keep_lines(&a->text, l.word[1], false);
	else if (is_abbreviation(l.word[0], "section", 7) && l.n > 1)
		keep_sections(&a->text, l.word[1]);
	else if (str_eq(l.word[0], "last") && (l.n == 1 || number_at(l.word[1], &n)))
		keep_last(&a->text, n);
	else
		return false;
	return true;
}

static enum nxos_format wanted_format(const char *bar, enum nxos_format format)
{
	struct nxos_line l;

	if (!bar || !nxos_split(bar + 1, &l) || !l.n)
		return format;
	if (!str_eq(l.word[0], "json") && !str_eq(l.word[0], "json-pretty"))
		return format;
	return l.n > 1 && str_eq(l.word[1], "native") ? NXOS_NATIVE : NXOS_JSON;
}

static bool is_json(const char *bar)
{
	return str_starts(bar + 1 + strspn(bar + 1, " "), "json");
}

void nxos_run_piped(
	struct nxos_session *s, const char *line, enum nxos_format format, struct nxos_answer *a)
{
	const char *bar = strchr(line, '|');
	char command[256];

	(void)str_copyn(command, sizeof(command), line, bar ? (size_t)(bar - line) : strlen(line));
	nxos_run(s, command, wanted_format(bar, format), a);
	for (; bar && a->status == NXOS_DONE; bar = strchr(bar + 1, '|')) {
		char word[128];

		(void)str_copyn(word, sizeof(word), bar + 1, strcspn(bar + 1, "|"));
		if (!is_json(bar) && !apply_filter(word, a)) {
			a->status = NXOS_INVALID;
			a->caret = (unsigned)(bar + 2 - line);
		}
	}
}
