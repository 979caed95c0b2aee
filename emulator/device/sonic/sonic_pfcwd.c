/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"
#include "emulator/device/sonic/sonic_notes.h"

/*
 * pfcwd and `config pfcwd`, with the pitfalls of sonic-utilities' pfcwd/main.py. stop without ports
 * stops all of them (and `config pfcwd stop` accepts none). start skips ports without pfc_enable
 * and only warns. It doubles the detection time if no restoration time is given.
 */

static const char *const actions[] = {
	[SIM_WD_DROP] = "drop", [SIM_WD_FORWARD] = "forward", [SIM_WD_ALERT] = "alert"};

/* ---- show ---- */

static void queue_key(const struct redis *r, const struct sim_port *p, unsigned prio, char dst[64])
{
	(void)str_printf(dst, 64, "COUNTERS:oid:0x%llx",
		(unsigned long long)redis_oid(r, OID_QUEUE, p->port, prio));
}

static const char *stat_value(
	const struct redis *r, const char *key, const char *field, struct redis_value *v)
{
	return redis_field(r, key, field, v) ? v->text : "0";
}

static void put_pair(
	struct sonic_table *t, const struct redis *r, const char *key, const char *a, const char *b)
{
	struct redis_value x, y;
	char first[80], second[80];

	(void)str_printf(first, sizeof(first), "PFC_WD_QUEUE_STATS_%s", a);
	(void)str_printf(second, sizeof(second), "PFC_WD_QUEUE_STATS_%s", b);
	sonic_cell(t, "%s/%s", stat_value(r, key, first, &x), stat_value(r, key, second, &y));
}

static void stats_row(
	struct sonic_table *t, const struct redis *r, const struct sim_port *p, unsigned prio)
{
	struct redis_value v;
	char key[64];

	queue_key(r, p, prio, key);
	sonic_cell(t, "%s:%u", p->name, prio);
	sonic_cell(t, "%s", redis_field(r, key, "PFC_WD_STATUS", &v) ? v.text : "N/A");
	put_pair(t, r, key, "DEADLOCK_DETECTED", "DEADLOCK_RESTORED");
	put_pair(t, r, key, "TX_PACKETS", "TX_DROPPED_PACKETS");
	put_pair(t, r, key, "RX_PACKETS", "RX_DROPPED_PACKETS");
	put_pair(t, r, key, "TX_PACKETS_LAST", "TX_DROPPED_PACKETS_LAST");
	put_pair(t, r, key, "RX_PACKETS_LAST", "RX_DROPPED_PACKETS_LAST");
}

static int show_stats(struct machine *m, const struct shell_call *c, int first)
{
	static const char *const titles[] = {"QUEUE", "STATUS", "STORM DETECTED/RESTORED",
		"TX OK/DROP", "RX OK/DROP", "TX LAST OK/DROP", "RX LAST OK/DROP", NULL};
	bool empty = false, check = false, storm = false;
	const char *only = NULL;
	struct sonic_table t;
	struct redis r;

	for (; first < c->argc; first++) {
		empty = empty || str_eq(c->argv[first], "-e") || str_eq(c->argv[first], "--empty");
		check = check || str_eq(c->argv[first], "--check-storm");
		only = c->argv[first][0] != '-' ? c->argv[first] : only;
	}
	redis_open(&r, m->ctx, m->d, COUNTERS_DB);
	sonic_table_init(&t, titles, "r");
	for (unsigned i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		for (unsigned k = 0; k < 8; k++) {
			bool watched = p->config.wd_mask >> k & 1;

			if (only && !str_starts(only, p->name))
				continue;
			storm = storm || (watched && p->q[k].wd_stormed);
			if (p->q[k].wd_detected || (watched && (empty || p->q[k].wd_stormed)))
				stats_row(&t, &r, p, k);
		}
	}
	sonic_table_print(&t, c->out);
	return check && storm;
}

static int show_config(struct machine *m, const struct shell_call *c, int first)
{
	static const char *const titles[] = {
		"PORT", "ACTION", "DETECTION TIME", "RESTORATION TIME", "HISTORY", NULL};
	struct sonic_table t;

	(void)buf_addf(c->out, "Changed polling interval to %ums\n", m->d->config.wd_poll_ms);
	if (m->d->config.wd_big_red)
		(void)buf_adds(c->out, "BIG_RED_SWITCH status is enable\n");
	sonic_table_init(&t, titles, "r");
	for (unsigned i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!p->config.wd_mask || (first < c->argc && !str_eq(c->argv[first], p->name)))
			continue;
		sonic_cell(&t, "%s", p->name);
		sonic_cell(&t, "%s", actions[p->config.wd_action]);
		sonic_cell(&t, "%u", p->config.wd_detect_ms);
		if (p->config.wd_restore_ms)
			sonic_cell(&t, "%u", p->config.wd_restore_ms);
		else
			sonic_cell(&t, "infinite");
		sonic_cell(&t, "%s", sonic_history(m->ctx, m->d, p) ? "enable" : "disable");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

int sonic_pfcwd_show(struct machine *m, const struct shell_call *c, int first)
{
	const char *word = first < c->argc ? c->argv[first] : NULL;

	if (str_eq(word, "stats"))
		return show_stats(m, c, first + 1);
	if (str_eq(word, "config"))
		return show_config(m, c, first + 1);
	return sonic_no_command(c, "show pfcwd", word);
}

/* ---- start and stop ---- */

struct start {
	enum sim_wd_action action;
	unsigned detect_ms, restore_ms;
	bool history;
};

static bool in_storm(const struct sim_port *p)
{
	for (unsigned i = 0; i < 8; i++)
		if (p->q[i].wd_stormed)
			return true;
	return false;
}

/* Deletes the row and writes it again, like the tool; this resets a storm. */
static void start_port(
	struct machine *m, const struct shell_call *c, struct sim_port *p, const struct start *s)
{
	struct sim_port_config config = p->config;

	if (!config.pfc_mask) {
		(void)buf_addf(c->out, "SKIPPED: PFC is not enabled on port: %s\n", p->name);
		return;
	}
	if (config.wd_mask && in_storm(p)) {
		config.wd_mask = 0;
		sim_configure(m->ctx->sim, p, &config, SONIC_USER);
	}
	config.wd_mask = config.pfc_mask;
	config.wd_action = s->action;
	config.wd_detect_ms = s->detect_ms;
	config.wd_restore_ms = s->restore_ms;
	sim_configure(m->ctx->sim, p, &config, SONIC_USER);
	if (s->history) /* else unchanged */
		sonic_set_history(m->ctx, m->d, p, true);
}

static bool number_in(const struct shell_call *c, const char *usage, const char *what,
	const char *text, unsigned low, unsigned high, unsigned *n)
{
	uint64_t v;

	if (!text)
		(void)sonic_usage(c, usage, "Option '%s' requires an argument.", what);
	else if (!str_to_u64(text, &v))
		(void)sonic_usage(c, usage,
			"Invalid value for '%s': '%s' is not a valid integer range.", what, text);
	else if (v < low || v > high)
		(void)sonic_usage(c, usage,
			"Invalid value for '%s': %s is not in the range %u<=x<=%u.", what, text,
			low, high);
	else
		return *n = (unsigned)v, true;
	return false;
}

static bool action_of(
	const struct shell_call *c, const char *usage, const char *text, enum sim_wd_action *action)
{
	for (size_t i = 0; text && i < 3; i++) {
		if (str_eq(actions[i], text))
			return *action = (enum sim_wd_action)i, true;
	}
	(void)sonic_usage(c, usage,
		"Invalid value for '--action' / '-a': '%s' is not one of 'drop', 'forward', "
		"'alert'.",
		text ? text : "");
	return false;
}

#define WORDS_MAX 160

/* The words without the options; false: an error was printed. */
static bool start_options(const struct shell_call *c, int first, const char *usage, struct start *s,
	const char **words, int *n)
{
	for (*n = 0; first < c->argc; first++) {
		const char *a = c->argv[first], *eq = strchr(a, '=');
		const char *value = eq ? eq + 1 : first + 1 < c->argc ? c->argv[first + 1] : NULL;

		if (str_eq(a, "-a") || str_starts(a, "--action")) {
			if (!action_of(c, usage, value, &s->action))
				return false;
			first += !eq;
		} else if (str_eq(a, "-r") || str_starts(a, "--restoration-time")) {
			if (!number_in(c, usage, "--restoration-time' / '-r", value, 100, 60000,
				    &s->restore_ms))
				return false;
			first += !eq;
		} else if (str_eq(a, "--pfc-stat-history")) {
			s->history = true;
		} else if (a[0] == '-') {
			(void)sonic_usage(c, usage, "No such option: %s", a);
			return false;
		} else if (*n < WORDS_MAX) {
			words[(*n)++] = a;
		}
	}
	return true;
}

static int cmd_start(struct machine *m, const struct shell_call *c, int first, const char *shown)
{
	const char *words[WORDS_MAX];
	struct start s = {.action = SIM_WD_DROP};
	char usage[96];
	bool all;
	int n;

	(void)str_printf(
		usage, sizeof(usage), "%s start [OPTIONS] [PORTS]... DETECTION-TIME", shown);
	if (!start_options(c, first, usage, &s, words, &n))
		return 2;
	if (!n)
		return sonic_usage(c, usage, "Missing argument 'DETECTION-TIME'.");
	if (!number_in(c, usage, "DETECTION-TIME", words[--n], 100, 5000, &s.detect_ms))
		return 2;
	all = n == 0;
	for (int i = 0; i < n; i++) {
		all = all || str_eq(words[i], "all");
		if (!str_eq(words[i], "all") && !str_eq(words[i], "ports") &&
			!str_eq(words[i], "detection-time") && !sonic_port(m, words[i]))
			return sonic_usage(c, usage,
				"Bad command line format. Try 'pfcwd start --help' for usage");
	}
	if (!s.restore_ms) {
		s.restore_ms = 2 * s.detect_ms;
		(void)buf_addf(c->out,
			"restoration time not defined; default to 2 times detection time: %u ms\n",
			s.restore_ms);
	}
	for (unsigned i = 0; all && i < m->d->nports; i++)
		start_port(m, c, &m->d->ports[i], &s);
	for (int i = 0; !all && i < n; i++)
		if (sonic_port(m, words[i]))
			start_port(m, c, sonic_port(m, words[i]), &s);
	return 0;
}

static void stop_port(struct machine *m, struct sim_port *p)
{
	struct sim_port_config config = p->config;

	/* Deleting a missing row needs root as well. */
	if (sim_write(m->ctx->sim, m->d) != SIM_WRITE_TAKES || !config.wd_mask)
		return;
	config.wd_mask = 0;
	sim_configure(m->ctx->sim, p, &config, SONIC_USER);
	sonic_set_history(m->ctx, m->d, p, false);
}

/* Without ports: all of them. Skips unknown ports silently. */
static int cmd_stop(struct machine *m, const struct shell_call *c, int first, const char *shown)
{
	char usage[64];

	bool none = str_eq(shown, "config pfcwd"); /* it passes no ports on */

	(void)str_printf(
		usage, sizeof(usage), "%s stop [OPTIONS]%s", shown, none ? "" : " [PORTS]...");
	for (int i = first; i < c->argc; i++)
		if (c->argv[i][0] == '-')
			return sonic_usage(c, usage, "No such option: %s", c->argv[i]);
	if (none && first < c->argc)
		return sonic_usage(c, usage, "Got unexpected extra argument%s (%s%s)",
			first + 1 < c->argc ? "s" : "", c->argv[first],
			first + 1 < c->argc ? " ..." : "");
	for (unsigned i = 0; first >= c->argc && i < m->d->nports; i++)
		stop_port(m, &m->d->ports[i]);
	for (int i = first; i < c->argc; i++)
		if (sonic_port(m, c->argv[i]))
			stop_port(m, sonic_port(m, c->argv[i]));
	return 0;
}

/* Times grow with the number of ports. Starts only ports with a neighbour in the plan. */
static int start_default(struct machine *m, const struct shell_call *c)
{
	unsigned multiply = m->d->nports ? (m->d->nports - 1) / 32 + 1 : 1;
	struct start s = {SIM_WD_DROP, 200 * multiply, 200 * multiply, false};
	struct sim_device_config config = m->d->config;

	for (unsigned i = 0; i < m->d->nports; i++)
		if (m->d->ports[i].plan_peer)
			start_port(m, c, &m->d->ports[i], &s);
	config.wd_poll_ms = 200 * multiply;
	sim_configure_device(m->ctx->sim, m->d, &config, SONIC_USER);
	return 0;
}

/* ---- the switch's own settings ---- */

static int cmd_interval(struct machine *m, const struct shell_call *c, int first, const char *shown)
{
	struct sim_device_config config = m->d->config;
	const char *smallest = "detection time";
	unsigned least = 3000;
	char usage[64];

	(void)str_printf(usage, sizeof(usage), "%s interval [OPTIONS] POLL_INTERVAL", shown);
	if (first >= c->argc)
		return sonic_usage(c, usage, "Missing argument 'POLL_INTERVAL'.");
	if (!number_in(c, usage, "POLL_INTERVAL", c->argv[first], 100, 3000, &config.wd_poll_ms))
		return 2;
	for (unsigned i = 0; i < m->d->nports; i++) {
		const struct sim_port_config *p = &m->d->ports[i].config;

		if (p->wd_mask && p->wd_detect_ms < least) {
			least = p->wd_detect_ms;
			smallest = "detection time";
		}
		if (p->wd_mask && p->wd_restore_ms && p->wd_restore_ms < least) {
			least = p->wd_restore_ms;
			smallest = "restoration time";
		}
	}
	if (config.wd_poll_ms > least) {
		(void)buf_addf(c->err,
			"unable to use polling interval = %ums, value is bigger than one of the "
			"configured %s values, please choose a smaller polling_interval\n",
			config.wd_poll_ms, smallest);
		return 1;
	}
	sim_configure_device(m->ctx->sim, m->d, &config, SONIC_USER);
	return 0;
}

/* -1: neither */
static int on_off(const struct shell_call *c, int at)
{
	const char *word = at < c->argc ? c->argv[at] : NULL;

	return str_eq(word, "enable") ? 1 : str_eq(word, "disable") ? 0 : -1;
}

static int not_on_off(const struct shell_call *c, const char *usage, const char *what, int at)
{
	if (at >= c->argc)
		return sonic_usage(c, usage,
			"Missing argument '%s'.  Choose from:\n\tenable,\n\tdisable", what);
	return sonic_usage(c, usage,
		"Invalid value for '%s': '%s' is not one of 'enable', 'disable'.", what,
		c->argv[at]);
}

static int big_red(struct machine *m, const struct shell_call *c, int first, const char *shown)
{
	struct sim_device_config config = m->d->config;
	int on = on_off(c, first);
	char usage[96];

	(void)str_printf(usage, sizeof(usage), "%s big_red_switch [OPTIONS] BIG_RED_SWITCH", shown);
	if (on < 0)
		return not_on_off(c, usage, "BIG_RED_SWITCH", first);
	config.wd_big_red = on;
	sim_configure_device(m->ctx->sim, m->d, &config, SONIC_USER);
	return 0;
}

static int stat_history(struct machine *m, const struct shell_call *c, int first, const char *shown)
{
	int on = on_off(c, first);
	char usage[96];

	(void)str_printf(usage, sizeof(usage),
		"%s pfc_stat_history [OPTIONS] PFC_STAT_HISTORY [PORTS]...", shown);
	if (on < 0)
		return not_on_off(c, usage, "PFC_STAT_HISTORY", first);
	for (unsigned i = 0; i < m->d->nports; i++) {
		struct sim_port *p = &m->d->ports[i];
		bool named = first + 1 >= c->argc;

		for (int k = first + 1; k < c->argc; k++)
			named = named || str_eq(c->argv[k], p->name) || str_eq(c->argv[k], "all");
		if (named && p->config.wd_mask)
			sonic_set_history(m->ctx, m->d, p, on);
	}
	return 0;
}

int sonic_pfcwd(struct machine *m, const struct shell_call *c, int first, const char *shown)
{
	static const char *const words[] = {"start", "stop", "start_default", "interval",
		"big_red_switch", "pfc_stat_history", "counter_poll"};
	const char *word = first < c->argc ? c->argv[first] : NULL;
	size_t i;

	if (str_eq(word, "show") && str_eq(shown, "pfcwd"))
		return sonic_pfcwd_show(m, c, first + 1);
	for (i = 0; i < 7 && !str_eq(words[i], word); i++)
		;
	if (i == 7)
		return sonic_no_command(c, shown, word);
	if (!c->root)
		return sonic_root_needed(c);
	switch (i) {
	case 0:
		return cmd_start(m, c, first + 1, shown);
	case 1:
		return cmd_stop(m, c, first + 1, shown);
	case 2:
		return start_default(m, c);
	case 3:
		return cmd_interval(m, c, first + 1, shown);
	case 4:
		return big_red(m, c, first + 1, shown);
	case 5:
		return stat_history(m, c, first + 1, shown);
	default:
		return 0;
	}
}
