/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/change.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"

static const char *const verb_names[VERB_COUNT] = {
	[VERB_WD_STOP] = "wd-stop",
	[VERB_WD_START] = "wd-start",
	[VERB_WD_RECOVER] = "wd-recover",
	[VERB_PORT_DOWN] = "port-down",
	[VERB_PORT_UP] = "port-up",
	[VERB_BGP_DOWN] = "bgp-down",
	[VERB_BGP_UP] = "bgp-up",
	[VERB_LOCATE_ON] = "locate-on",
	[VERB_LOCATE_OFF] = "locate-off",
	[VERB_COUNTERS_ON] = "counters-on",
	[VERB_COUNTERS_OFF] = "counters-off",
	[VERB_PERFTEST_SERVE] = "perftest-serve",
	[VERB_PERFTEST_RUN] = "perftest-run",
};

const char *verb_name(enum verb v)
{
	return (unsigned)v < VERB_COUNT ? verb_names[v] : "unknown";
}

bool verb_by_name(const char *s, enum verb *out)
{
	for (int v = 0; v < VERB_COUNT; v++) {
		if (!str_eq(verb_names[v], s))
			continue;
		*out = (enum verb)v;
		return true;
	}
	return false;
}

const char *perftest_program(enum perftest_tool t)
{
	return t == PERFTEST_LATENCY ? "ib_read_lat" : "ib_write_bw";
}

const char *perftest_unit(enum perftest_tool t)
{
	return t == PERFTEST_LATENCY ? "us" : "Gb/s";
}

bool wd_setting_eq(const struct wd_setting *a, const struct wd_setting *b)
{
	return str_eq(a->action, b->action) && a->detect_ms == b->detect_ms &&
	       a->restore_ms == b->restore_ms && a->history == b->history;
}

void condition_init(struct condition *c)
{
	memset(c, 0, sizeof(*c));
	c->wd = c->pfc = c->beacon = c->bgp_shut = c->counters = c->pending = -1;
	c->root = c->session = c->wd_global = c->perftest = -1;
	for (int p = 0; p < PRIORITIES; p++)
		c->wd_storms[p] = c->rx_pause[p] = UINT64_MAX;
}

/* ---- characters allowed in a command line ---- */

static bool has_only_chars(const char *s, const char *others)
{
	for (; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
			    (*s >= '0' && *s <= '9') || strchr(others, *s)))
			return false;
	return true;
}

static bool word_ok(const char *s, const char *others)
{
	return s[0] && s[0] != '-' && has_only_chars(s, others);
}

static bool refuse_word(struct err *err, const char *what, const char *word)
{
	return err_set(err, ERR_REFUSED, "", "%s \"%s\" is not allowed in a command", what, word);
}

/* SONiC's own limits: detection 100 to 5000 ms, restoration 100 to 60000 ms. */
static bool timers_ok(const struct wd_setting *w)
{
	return (!w->detect_ms || (w->detect_ms >= 100 && w->detect_ms <= 5000)) &&
	       (!w->restore_ms || (w->restore_ms >= 100 && w->restore_ms <= 60000)) &&
	       has_only_chars(w->action, "-");
}

bool order_check(const struct order *o, struct err *err)
{
	bool bgp = o->verb == VERB_BGP_DOWN || o->verb == VERB_BGP_UP;
	bool counters = o->verb == VERB_COUNTERS_ON || o->verb == VERB_COUNTERS_OFF;

	if (!counters && !word_ok(o->port, "/._:-"))
		return refuse_word(err, "port", o->port);
	if (counters && !word_ok(o->group, "_-"))
		return refuse_word(err, "counter group", o->group);
	if (bgp && !word_ok(o->peer, "/._:%-"))
		return refuse_word(err, "BGP neighbour", o->peer);
	if (o->verb == VERB_PERFTEST_RUN && !word_ok(o->peer, "._:-"))
		return refuse_word(err, "address", o->peer);
	if (o->priority < -1 || o->priority >= PRIORITIES)
		return err_set(
			err, ERR_REFUSED, o->port, "priority %d does not exist", o->priority);
	if (o->verb == VERB_WD_START && !timers_ok(&o->wd))
		return err_set(err, ERR_REFUSED, o->port,
			"watchdog timers of %u and %u ms are out of range (100-5000, 100-60000)",
			o->wd.detect_ms, o->wd.restore_ms);
	return true;
}

/* ---- answers ---- */

static bool has_word(const char *bytes, size_t len, const char *word)
{
	const int first[] = {tolower((unsigned char)word[0]), toupper((unsigned char)word[0])};
	size_t n = strlen(word);

	for (size_t i = 0; n && i + n <= len; i++)
		if ((bytes[i] == first[0] || bytes[i] == first[1]) &&
			strncasecmp(bytes + i, word, n) == 0)
			return true;
	return false;
}

bool reply_says(const struct reply *r, const char *word)
{
	return has_word(r->bytes, r->len, word) ||
	       has_word(r->complaint, strlen(r->complaint), word);
}

/* ---- verification ---- */

static enum goal set_goal(bool told, bool met, char *why, size_t size, const char *text)
{
	if (!told)
		(void)str_printf(why, size, "the device does not report: %s", text);
	else if (!met)
		(void)str_copy(why, size, text);
	return !told ? GOAL_UNKNOWN : met ? GOAL_MET : GOAL_NOT_MET;
}

bool perftest_runs(const struct condition *c, const char *port, unsigned tcp_port)
{
	char word[NAME_MAX_LEN + 16];

	(void)str_printf(word, sizeof(word), " %s:%u ", port, tcp_port);
	return strstr(c->perftests, word) != NULL;
}

static bool serves_all(const struct order *o, const struct condition *c)
{
	for (unsigned t = 0; t < PERFTEST_TOOLS; t++)
		if (!perftest_runs(c, o->port, o->tcp_port + t))
			return false;
	return true;
}

static bool any_stormed(const struct condition *c, int priority)
{
	for (int p = 0; p < PRIORITIES; p++)
		if ((priority < 0 || p == priority) && c->wd_state[p] == WD_STORMED)
			return true;
	return false;
}

static bool has_state(const struct condition *c, int priority)
{
	for (int p = 0; p < PRIORITIES; p++)
		if ((priority < 0 || p == priority) && c->wd_state[p] != WD_UNKNOWN)
			return true;
	return false;
}

static enum goal check_started(
	const struct order *o, const struct condition *c, char *why, size_t size)
{
	if (c->wd != 1)
		return set_goal(c->wd >= 0, false, why, size, "the watchdog is not on");
	if (c->wd_global != 1 && !wd_setting_eq(&o->wd, &c->wd_set)) {
		(void)str_printf(why, size,
			"the watchdog has action %s, detection %u ms, restoration %u ms instead of "
			"%s, %u, %u",
			c->wd_set.action, c->wd_set.detect_ms, c->wd_set.restore_ms, o->wd.action,
			o->wd.detect_ms, o->wd.restore_ms);
		return GOAL_NOT_MET;
	}
	return set_goal(true, !any_stormed(c, -1), why, size, "a queue is stormed");
}

enum goal order_goal(const struct order *o, const struct condition *c, char *why, size_t size)
{
	char unused[4];

	if (!why) {
		why = unused;
		size = sizeof(unused);
	}
	why[0] = '\0';
	switch (o->verb) {
	case VERB_WD_STOP:
		return set_goal(c->wd >= 0, c->wd == 0 && !any_stormed(c, -1), why, size,
			"the watchdog is still on");
	case VERB_WD_START:
		return check_started(o, c, why, size);
	case VERB_WD_RECOVER:
		return set_goal(has_state(c, o->priority), !any_stormed(c, o->priority), why, size,
			"the queue is still stormed");
	case VERB_PORT_DOWN:
		/* SONiC stores the admin state before its ASIC applies it: check the link, too. */
		return set_goal(c->admin != OPER_UNKNOWN,
			c->admin == OPER_DOWN && c->oper != OPER_UP, why, size,
			c->admin == OPER_DOWN ? "the port is shut, and its link is still up"
					      : "the port is not shut");
	case VERB_PORT_UP:
		return set_goal(c->admin != OPER_UNKNOWN && c->oper != OPER_UNKNOWN,
			c->admin == OPER_UP && c->oper == OPER_UP, why, size,
			c->admin == OPER_UP ? "the link is not up" : "the port is still shut");
	case VERB_BGP_DOWN:
		return set_goal(c->bgp_shut >= 0, c->bgp_shut == 1 && c->bgp != BGP_ESTABLISHED,
			why, size, "the session is not shut");
	case VERB_BGP_UP:
		return set_goal(c->bgp_shut >= 0, c->bgp_shut == 0 && c->bgp == BGP_ESTABLISHED,
			why, size,
			c->bgp_shut == 0 ? "the session is not established"
					 : "the session is still shut");
	case VERB_LOCATE_ON:
		return set_goal(c->beacon >= 0, c->beacon == 1, why, size, "the light is not on");
	case VERB_LOCATE_OFF:
		return set_goal(c->beacon >= 0, c->beacon == 0, why, size, "the light is not off");
	case VERB_COUNTERS_ON:
		return set_goal(
			c->counters >= 0, c->counters == 1, why, size, "the counters are not on");
	case VERB_COUNTERS_OFF:
		return set_goal(
			c->counters >= 0, c->counters == 0, why, size, "the counters are not off");
	case VERB_PERFTEST_SERVE:
		return set_goal(c->perftest >= 0, serves_all(o, c), why, size,
			"the servers do not run: they ended at once");
	case VERB_PERFTEST_RUN:
		return set_goal(c->perftest >= 0,
			!perftest_runs(c, o->port, o->tcp_port + (unsigned)o->tool), why, size,
			"the test still runs");
	case VERB_COUNT:
		break;
	}
	return GOAL_UNKNOWN;
}

int64_t order_settle_us(const struct order *o)
{
	switch (o->verb) {
	case VERB_PORT_UP: /* 400G ports of SONiC took up to 40 s to train */
	case VERB_BGP_UP:  /* a session waits for its connect timer */
		return 60 * CLOCK_SEC;
	case VERB_WD_START: /* orchagent reads the row, then the first poll reports a state */
	case VERB_WD_STOP:
		return 20 * CLOCK_SEC;
	default:
		return 10 * CLOCK_SEC;
	}
}

/* ---- the site's own commands ---- */

static bool fill_word(const char *word, size_t n, const struct order *o, struct buf *b)
{
	const struct {
		const char *name, *text;
		int64_t number;
	} words[] = {
		{"port", o->port, 0},
		{"peer", o->peer, 0},
		{"action", o->wd.action, 0},
		{"group", o->group, 0},
		{"verb", verb_name(o->verb), 0},
		{"priority", NULL, o->priority},
		{"detect_ms", NULL, o->wd.detect_ms},
		{"restore_ms", NULL, o->wd.restore_ms},
		{"asn", NULL, o->asn},
		{"seconds", NULL, o->seconds},
		{"tcp_port", NULL, o->tcp_port + (unsigned)o->tool},
		{"program", perftest_program(o->tool), 0},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].name) != n || strncmp(words[i].name, word, n) != 0)
			continue;
		return words[i].text ? buf_adds(b, words[i].text)
				     : buf_addf(b, "%lld", (long long)words[i].number);
	}
	return false;
}

bool order_fill(const char *lines, const struct order *o, char **out, struct err *err)
{
	struct buf b;
	size_t n;

	buf_init(&b, 4096);
	for (const char *at = lines; *at; at += n) {
		n = strcspn(at, "{");
		(void)buf_add(&b, at, n);
		if (!at[n])
			break;
		at += n + 1;
		n = strcspn(at, "}");
		if (!at[n] || !fill_word(at, n, o, &b)) {
			buf_free(&b);
			err_set(err, ERR_CONFIG, "actions.commands", "{%.*s} is not a placeholder",
				(int)n, at);
			return err_cure(err,
				"use {port}, {priority}, {action}, {detect_ms}, {restore_ms}, "
				"{peer}, {asn}, {seconds}, {group}, {verb}, {tcp_port}, {program}");
		}
		n++;
	}
	*out = buf_take(&b, NULL);
	return true;
}
