/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/nxos/nxos.h"
#include "backends/parse/cells.h"
#include "backends/parse/schedule.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/pools.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Decodes priority flow control, queues, buffers, and the PFC watchdog. */

#define ECN_CURE                                                                                   \
	"in the queue's class of policy-map type queuing: random-detect minimum-threshold ... ecn"
#define WD_CURE "configure on the switch: priority-flow-control watch-dog-interval on"

/* ---- show interface priority-flow-control ---- */

static bool hex_mask(const struct json_value *v, unsigned *mask)
{
	const char *text = json_value_text(v);
	char digits[32];
	uint64_t n;

	/* A native number has the digits of the hexadecimal one. */
	if (!text) {
		if (!json_value_u64(v, &n) ||
			!str_printf(digits, sizeof(digits), "%llu", (unsigned long long)n))
			return false;
		text = digits;
	}
	text += strspn(text, " (");
	if (!strspn(text, "0123456789abcdefABCDEF"))
		return false;
	*mask = (unsigned)(strtoull(text, NULL, 16) & 0xff);
	return true;
}

static void pfc_row(void *ctx, const struct json_value *row)
{
	struct nxos_job *j = ctx;
	uint32_t port = nxos_port(j, json_value_get(row, "if_name_str"));
	const char *admin = json_value_text_or(json_value_get(row, "admin"), "");
	const char *oper = json_value_text_or(json_value_get(row, "oper"), "");
	/* A port without a link has no operational mode; then the configured one counts. */
	bool is_on = strcasecmp(oper, "On") == 0 || strcasecmp(admin, "On") == 0;
	unsigned mask = 0;

	/* If PFC is off the priorities may be omitted; then the old mask must be cleared. */
	if (port == OBS_NO_PORT || (is_on && !hex_mask(json_value_get(row, "vl-bmap"), &mask)) ||
		(!*oper && !*admin))
		return;
	obs_number(j->o, port, ATTR_PFC_ENABLED, 0, mask);
}

void nxos_pfc(struct nxos_job *j, const struct json_value *body)
{
	nxos_each_module(body, "pfc_interface", pfc_row, j);
	if (j->o->ports.n)
		need_say(j->o, NEED_PFC_CONFIG, VALID_OK, "");
}

/* ---- show queuing interface ---- */

struct queue {
	struct cells *cells;
	unsigned priority;
	uint64_t depth;
	bool has_depth;
};

/* Unicast, unicast out of the flow-controlled band, multicast: one queue each, or one for all. */
static bool sum_queues(const struct json_value *row, uint64_t *sum)
{
	static const char *const keys[] = {
		"eq-uc-stat-value", "eq-oobfc-uc-stat-value", "eq-mc-stat-value"};
	bool any = false;
	uint64_t n;

	*sum = 0;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (json_value_u64(json_value_get(row, keys[i]), &n)) {
			*sum += n;
			any = true;
		}
	return any;
}

/*
 * Chips combine drops differently; "WD & Tail Drop" includes those of the watchdog and is the last
 * resort.
 */
static const struct {
	const char *type, *units;
	enum counter_id id;
	uint8_t rank;
} stats[] = {
	{"Tx", "Pkts", CTR_QUEUE_TX_PACKETS, 1},
	{"Tx", "Byts", CTR_QUEUE_TX_BYTES, 1},
	{"ECN", "Pkts", CTR_ECN_MARKED_PACKETS, 1},
	{"Tail Drop", "Pkts", CTR_QUEUE_DROPS, 3},
	{"WRED/AFD & Tail Drop", "Pkts", CTR_QUEUE_DROPS, 2},
	{"Dropped", "Pkts", CTR_QUEUE_DROPS, 2},
	{"WD & Tail Drop", "Pkts", CTR_QUEUE_DROPS, 1},
	{"WRED/AFD Drop", "Pkts", CTR_WRED_DROPS, 1},
	{"WRED Drop", "Pkts", CTR_WRED_DROPS, 1},
};

/* Some releases have the unit in the type: "Tx Pkts". */
static bool is_stat(const struct json_value *row, const char *type, const char *units)
{
	const char *have = json_value_text_or(json_value_get(row, "eq-stat-type"), "");
	const char *in = json_value_text_or(json_value_get(row, "eq-stat-units"), "");
	size_t n = strlen(type);

	if (strncmp(have, type, n) != 0)
		return false;
	return have[n] ? have[n] == ' ' && str_eq(have + n + 1, units) : str_eq(in, units);
}

static void entry_row(void *ctx, const struct json_value *row)
{
	struct queue *q = ctx;
	uint64_t n;

	if (!sum_queues(row, &n))
		return;
	for (size_t i = 0; i < ARRAY_LEN(stats); i++)
		if (is_stat(row, stats[i].type, stats[i].units))
			cells_offer(q->cells, stats[i].id, q->priority, n, stats[i].rank);
	if (is_stat(row, "Q Depth", "Byts")) {
		q->depth = n;
		q->has_depth = true;
	}
}

struct queuing {
	struct nxos_job *j;
	struct cells cells;
	uint32_t port;
	uint8_t groups; /* numbers in the port's list */
	bool any_queue, any_pfc, any_scheduler;
	enum scheduled {
		NOT_SCHEDULED,
		SCHEDULED_STRICT,
		SCHEDULED_WEIGHTED
	} schedulers[PRIORITIES];
	char weights[PRIORITIES][16];
};

/* Reads "3", 3 or "3 [Active]". */
static bool read_leading(const struct json_value *v, unsigned limit, unsigned *out)
{
	const char *text = json_value_text(v);
	uint64_t n;

	if (text ? !parse_leading_u64(text, strlen(text), &n) : !json_value_u64(v, &n))
		return false;
	*out = (unsigned)n;
	return n < limit;
}

static void note_group(void *ctx, const struct json_value *row)
{
	struct queuing *q = ctx;
	unsigned group;

	if (read_leading(json_value_get(row, "eq-qosgrp"), PRIORITIES, &group))
		q->groups |= (uint8_t)(1u << group);
}

/*
 * Switches with four queues have the groups 0 to 3, and number their control and SPAN queues 5 and
 * 6. Switches with eight queues list the groups 4 and 7 as well.
 */
static bool is_control_or_span(const struct queuing *q, unsigned group)
{
	return (group == 5 || group == 6) && !(q->groups & (1u << 4 | 1u << 7));
}

static void group_row(void *ctx, const struct json_value *row)
{
	struct queuing *q = ctx;
	struct queue one = {.cells = &q->cells};
	unsigned group;

	/* There are also unnumbered groups: "CONTROL QOS GROUP", "SPAN QOS GROUP". */
	if (!read_leading(json_value_get(row, "eq-qosgrp"), PRIORITIES, &group) ||
		is_control_or_span(q, group))
		return;
	one.priority = nxos_priority(q->j->t, group);
	nxos_each(row, "qosgrp_egress_stats_entry", entry_row, &one);
	q->any_queue = true;
	if (one.has_depth)
		obs_gauge(q->j->o, q->port, CTR_QUEUE_DEPTH_BYTES, one.priority, (double)one.depth);
}

static void cos_row(void *ctx, const struct json_value *row)
{
	struct queuing *q = ctx;
	unsigned cos;
	uint64_t n;

	if (!read_leading(json_value_get(row, "cos"), PRIORITIES, &cos))
		return;
	q->any_pfc = true;
	if (json_value_u64(json_value_get(row, "rx-pause-count"), &n))
		cells_offer(&q->cells, CTR_PFC_RX_FRAMES, cos, n, 1);
	if (json_value_u64(json_value_get(row, "tx-pause-count"), &n))
		cells_offer(&q->cells, CTR_PFC_TX_FRAMES, cos, n, 1);
}

/* The settings of a queue: "bandwidth" in per cent, "priority" is its level where it is strict. */
static void setting_row(void *ctx, const struct json_value *row)
{
	struct queuing *q = ctx;
	char weight[16], level[16];
	unsigned group;

	if (!read_leading(json_value_get(row, "qosgrp"), PRIORITIES, &group) ||
		is_control_or_span(q, group))
		return;
	nxos_number_text(json_value_get(row, "bandwidth"), weight, sizeof(weight));
	nxos_number_text(json_value_get(row, "priority"), level, sizeof(level));
	if (*level && !str_eq(level, "-"))
		q->schedulers[group] = SCHEDULED_STRICT;
	else if (*weight && !str_eq(weight, "-") && str_copy(q->weights[group], 16, weight))
		q->schedulers[group] = SCHEDULED_WEIGHTED;
}

/* The rows begin with the highest group; a port without the table keeps what is known of it. */
static void settings_of(struct queuing *q, const struct json_value *row)
{
	struct schedule s = {.text = ""};

	memset(q->schedulers, 0, sizeof(q->schedulers));
	nxos_each(row, "qosgrp_cfg", setting_row, q);
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (q->schedulers[i] == SCHEDULED_STRICT)
			schedule_strict(&s, i);
		else if (q->schedulers[i] == SCHEDULED_WEIGHTED)
			schedule_weighted(&s, i, "DWRR", q->weights[i]);
	q->any_scheduler |= schedule_emit(&s, q->j->o, q->port);
}

static void queuing_row(void *ctx, const struct json_value *row)
{
	struct queuing *q = ctx;
	struct obs *o = q->j->o;
	uint8_t mask = q->j->t->lossless;

	q->port = nxos_port(q->j, json_value_get(row, "if_name_str"));
	if (q->port == OBS_NO_PORT)
		return;
	cells_reset(&q->cells);
	q->any_queue = q->any_pfc = false;
	q->groups = 0;
	nxos_each(row, "qosgrp_egress_stats", note_group, q);
	nxos_each(row, "qosgrp_egress_stats", group_row, q);
	nxos_each(row, "pfc_stats", cos_row, q);
	settings_of(q, row);
	cells_emit(&q->cells, o, q->port);
	if (q->any_queue) {
		cells_absent(&q->cells, o, q->port, CTR_ECN_MARKED_PACKETS, mask, VALID_DISABLED,
			ECN_CURE);
		cells_absent(&q->cells, o, q->port, CTR_QUEUE_DROPS, mask, VALID_UNSUPPORTED, "");
		cells_absent(&q->cells, o, q->port, CTR_WRED_DROPS, mask, VALID_UNSUPPORTED, "");
	}
	if (q->any_pfc) {
		cells_absent(&q->cells, o, q->port, CTR_PFC_RX_FRAMES, mask, VALID_UNSUPPORTED, "");
		cells_absent(&q->cells, o, q->port, CTR_PFC_TX_FRAMES, mask, VALID_UNSUPPORTED, "");
	}
}

void nxos_queuing(struct nxos_job *j, const struct json_value *body)
{
	static const enum need_id needs[] = {
		NEED_PFC, NEED_QUEUES, NEED_QUEUE_DROPS, NEED_ECN_MARKS};
	struct queuing q = {.j = j};

	nxos_each_module(body, "queuing_interface", queuing_row, &q);
	/* The same counters are 32 bits wide in CISCO-PFC-EXT-MIB (cpfcIfRequests: Counter32). */
	j->o->narrow[CTR_PFC_RX_FRAMES] = j->o->narrow[CTR_PFC_TX_FRAMES] = true;
	needs_report(j->o, needs, ARRAY_LEN(needs));
	if (j->o->ports.n)
		need_say(j->o, NEED_SCHEDULERS, q.any_scheduler ? VALID_OK : VALID_UNSUPPORTED,
			q.any_scheduler ? "" : "show queuing interface has no settings here");
}

/* ---- show hardware internal buffer info pkt-stats ---- */

struct buffers {
	char text[POOLS_TEXT];
	const struct json_value *module;
};

/* The shared cells of an instance of the chip, for lossy and for lossless traffic. */
static void add_buffer(
	struct buffers *b, const struct json_value *row, const char *kind, const char *name)
{
	char key[64], title[40], instance[16], module[16];
	double used, rest, most;
	struct pool p;

	str_printf(key, sizeof(key), "total_instant_usage_%s", kind);
	if (json_value_real(json_value_get(row, key), &used) != NUMBER_OK)
		return;
	str_printf(key, sizeof(key), "rem_instant_usage_%s", kind);
	if (json_value_real(json_value_get(row, key), &rest) != NUMBER_OK || !(used + rest > 0))
		return;
	nxos_number_text(json_value_get(row, "instance"), instance, sizeof(instance));
	nxos_number_text(json_value_get(b->module, "module_number"), module, sizeof(module));
	str_printf(title, sizeof(title), "%s%s%s%s%s", name, *module ? "-" : "", module,
		*instance ? "-" : "", instance);
	p = pool_named(title);
	p.now = used / (used + rest);
	str_printf(key, sizeof(key), "max_cell_usage_%s", kind);
	if (json_value_real(json_value_get(row, key), &most) == NUMBER_OK)
		p.peak = most / (used + rest);
	(void)pools_add(b->text, sizeof(b->text), &p);
}

static void instance_row(void *ctx, const struct json_value *row)
{
	add_buffer(ctx, row, "no_drop_pg", "lossless");
	add_buffer(ctx, row, "drop_pg", "lossy");
}

static void buffer_module(void *ctx, const struct json_value *row)
{
	struct buffers *b = ctx;

	b->module = row;
	nxos_each(row, "instance", instance_row, b);
}

void nxos_buffers(struct nxos_job *j, const struct json_value *body)
{
	struct buffers b = {.text = ""};

	nxos_each(body, "module", buffer_module, &b);
	if (!*b.text)
		nxos_each(body, "instance", instance_row, &b);
	if (*b.text)
		obs_word(j->o, OBS_NO_PORT, ATTR_POOLS, 0, b.text);
	need_say(j->o, NEED_POOLS, *b.text ? VALID_OK : VALID_UNSUPPORTED,
		*b.text ? "" : "this chip lists no shared cells");
}

/* ---- show queuing pfc-queue detail ---- */

enum switched { SWITCH_UNKNOWN, SWITCH_OFF, SWITCH_ON };

struct watchdog {
	struct nxos_job *j;
	double timer_ms;  /* 0: unknown */
	enum switched is; /* of this port */
	bool any, off;    /* on or off at any port */
	bool counts;      /* any port has counters of it */
	double stop;      /* this port's multiplier, 0: unknown */
	uint32_t port;
	uint64_t shut, restored, dropped, in_dropped;
	bool has_shut, has_restored, has_dropped;
};

static void add_drops(struct watchdog *w, const struct json_value *row, const char *key)
{
	uint64_t n;

	if (!json_value_u64(json_value_get(row, key), &n))
		return;
	w->dropped += n;
	w->has_dropped = true;
}

/*
 * One row with all counters, or a named row for each. The aggregates are for all storms, the totals
 * beside them for the last one.
 */
static void count_row(void *ctx, const struct json_value *row)
{
	struct watchdog *w = ctx;

	w->has_shut |= json_value_u64(json_value_get(row, "q-shutdown"), &w->shut);
	w->has_restored |= json_value_u64(json_value_get(row, "q-restored"), &w->restored);
	add_drops(w, row, "q-aggr-pkt-dropped");
	add_drops(w, row, "q-ing-aggr-pkt-dropped");
}

static bool watched_priority(const struct target *t, const struct json_value *row, unsigned *p)
{
	const char *text = json_value_text_or(json_value_get(row, "eq-qosgrp"), ""), *cos;
	uint64_t n;

	if (read_leading(json_value_get(row, "pfc-cos"), PRIORITIES, p))
		return true;
	/* "3 [Active] PFC [YES] PFC-COS [3]". */
	cos = strstr(text, "PFC-COS [");
	if (cos && parse_leading_u64(cos + 9, strlen(cos + 9), &n) && n < PRIORITIES) {
		*p = (unsigned)n;
		return true;
	}
	if (!read_leading(json_value_get(row, "eq-qosgrp"), PRIORITIES, p))
		return false;
	*p = nxos_priority(t, *p);
	return true;
}

static bool is_shut(const struct json_value *row)
{
	return strcasecmp(json_value_text_or(json_value_get(row, "eq-qosgrp-state"), ""),
		       "Shutdown") == 0 ||
	       strstr(json_value_text_or(json_value_get(row, "eq-qosgrp"), ""), "[Shutdown]");
}

static void add_settings(struct watchdog *w, unsigned p)
{
	double back = 0;

	if (w->is != SWITCH_ON || !(w->timer_ms > 0))
		return;
	if (w->stop > 0)
		obs_number(w->j->o, w->port, ATTR_PFCWD_DETECT_MS, p, w->timer_ms * w->stop);
	if (str_to_double(facts_get(w->j->t->facts, NXOS_FACT_WD_BACK), &back) && back > 0)
		obs_number(w->j->o, w->port, ATTR_PFCWD_RESTORE_MS, p, w->timer_ms * back);
}

static void watched_row(void *ctx, const struct json_value *row)
{
	struct watchdog *w = ctx;
	struct obs *o = w->j->o;
	unsigned p;

	if (!watched_priority(w->j->t, row, &p))
		return;
	w->shut = w->restored = w->dropped = 0;
	w->has_shut = w->has_restored = w->has_dropped = false;
	nxos_each(row, "qosgrp_stats_entry", count_row, w);
	if (is_shut(row))
		obs_word(o, w->port, ATTR_PFCWD_STATE, p, "stormed");
	else if (w->is != SWITCH_UNKNOWN)
		obs_word(o, w->port, ATTR_PFCWD_STATE, p,
			w->is == SWITCH_ON ? "operational" : "off");
	add_settings(w, p);
	w->counts |= w->has_shut;
	if (w->has_shut)
		obs_count(o, w->port, CTR_PFCWD_STORM_DETECTED, p, w->shut);
	if (w->has_restored)
		obs_count(o, w->port, CTR_PFCWD_STORM_RESTORED, p, w->restored);
	if (w->has_dropped)
		obs_count(o, w->port, CTR_PFCWD_DROPS, p, w->dropped);
	else if (w->has_shut)
		obs_invalid(o, w->port, CTR_PFCWD_DROPS, p, VALID_UNSUPPORTED, "");
}

/*
 * The port's own status, or the one behind its name: "Ethernet1/1 Interface PFC watchdog:
 * [Enabled]". A release that prints it elsewhere leaves it unknown: that is not off.
 */
static enum switched switched_of(const struct json_value *row)
{
	const char *status = json_value_text_or(json_value_get(row, "wd-status"), "");
	const char *name = json_value_text_or(json_value_get(row, "if_name_str"), "");
	const char *bracket = strchr(name, '[');

	if (!*status && bracket)
		status = bracket + 1;
	if (strncasecmp(status, "Enabled", strlen("Enabled")) == 0)
		return SWITCH_ON;
	return strncasecmp(status, "Disabled", strlen("Disabled")) == 0 ? SWITCH_OFF
									: SWITCH_UNKNOWN;
}

static void watchdog_row(void *ctx, const struct json_value *row)
{
	struct watchdog *w = ctx;
	const char *disable = json_value_text_or(json_value_get(row, "disable-action"), "");
	struct obs *o = w->j->o;
	uint64_t own = 0;

	w->port = nxos_port(w->j, json_value_get(row, "if_name_str"));
	if (w->port == OBS_NO_PORT)
		return;
	w->is = switched_of(row);
	w->any |= w->is == SWITCH_ON;
	w->off |= w->is == SWITCH_OFF;
	/* The port's own multiplier; 0: the switch's. */
	w->stop = 0;
	if (json_value_u64(json_value_get(row, "intf-multi"), &own) && own > 0)
		w->stop = (double)own;
	else
		(void)str_to_double(facts_get(w->j->t->facts, NXOS_FACT_WD_STOP), &w->stop);
	nxos_each(row, "qosgrp_stats", watched_row, w);
	for (unsigned p = 0; p < PRIORITIES; p++) {
		if (!(w->j->t->lossless >> p & 1))
			continue;
		/* With the action disabled storms are only counted. */
		if (*disable)
			obs_word(o, w->port, ATTR_PFCWD_ACTION, p,
				strcasecmp(disable, "Yes") == 0 ? "alert" : "drop");
		if (w->is == SWITCH_OFF)
			obs_word(o, w->port, ATTR_PFCWD_STATE, p, "off");
	}
}

static void timer_of(void *ctx, const struct json_value *body)
{
	double *timer = ctx, ms;

	if (json_value_real(json_value_get(body, "glb-wd-timer"), &ms) == NUMBER_OK && ms > 0)
		*timer = ms;
}

void nxos_watchdog(struct nxos_job *j, const struct json_value *body)
{
	struct watchdog w = {.j = j};

	timer_of(&w.timer_ms, body);
	nxos_each(body, "module", timer_of, &w.timer_ms);
	if (w.timer_ms > 0)
		obs_number(j->o, OBS_NO_PORT, ATTR_PFCWD_POLL_MS, 0, w.timer_ms);
	nxos_each_module(body, "queuing_interface", watchdog_row, &w);
	/* Ports whose status is nowhere are neither on nor off. */
	if (!w.any && !w.off && j->o->ports.n) {
		need_say(j->o, NEED_WATCHDOG, w.counts ? VALID_OK : VALID_UNSUPPORTED, "");
		need_say(j->o, NEED_WATCHDOG_CONFIG, VALID_UNSUPPORTED, "");
	}
	if (!w.any && !w.off)
		return;
	need_say(j->o, NEED_WATCHDOG, w.any ? VALID_OK : VALID_DISABLED, w.any ? "" : WD_CURE);
	need_say(j->o, NEED_WATCHDOG_CONFIG, VALID_OK, "");
}
