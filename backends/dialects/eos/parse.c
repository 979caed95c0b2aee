/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/dialects/eos/eos.h"
#include "backends/contract/needs.h"
#include "backends/parse/cells.h"
#include "backends/parse/lldp.h"
#include "backends/parse/optics.h"
#include "backends/parse/number_positions_json.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ECN marks print "-" until counting is configured on the queue. */
#define ECN_CURE                                                                                   \
	"configure on the port's tx-queue: random-detect ecn count; some chips also want: "        \
	"hardware counter feature ecn out"
#define PFC_CURE                                                                                   \
	"configure on the ports: priority-flow-control on, priority-flow-control priority N "      \
	"no-drop"

void eos_each_port(const struct target *t, const struct json_value *interfaces, struct obs *o,
	void (*each)(const struct target *, struct obs *, uint32_t, const struct json_value *))
{
	for (json_value_members(v, interfaces)) {
		const char *name = json_value_name(v);
		uint32_t port;

		if (!eos_is_front_panel(name) || !json_value_is(v, DV_OBJECT)) {
			positions_idle(t->slots, v);
			continue;
		}
		port = obs_port(o, name);
		if (port != OBS_NO_PORT)
			each(t, o, port, v);
	}
}

void eos_invalid_lossless(const struct target *t, struct obs *o, uint32_t port, counter_id id,
	enum validity v, const char *cure)
{
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (t->lossless >> p & 1)
			obs_invalid(o, port, id, p, v, cure);
}

void eos_report(
	struct obs *o, const enum need_id *needs, size_t n, enum validity v, const char *cure)
{
	size_t first = o->items.n;

	needs_report(o, needs, n);
	for (size_t i = 0; i < n; i++) {
		bool is_said = false;

		for (size_t k = first; k < o->items.n; k++)
			is_said |=
				o->items.at[k].kind == OBS_CAPABILITY &&
				str_eq(obs_text(o, o->items.at[k].text), need_info[needs[i]].name);
		if (!is_said)
			need_say(o, needs[i], v, cure);
	}
}

/* ---- show version ---- */

/*
 * Difference between the switch's clock and ours, for answers with relative times only. It is
 * learnt with each poll, so the fact is written only if it changed.
 */
static void learn_clock(const struct target *t, int64_t device_us, struct obs *o)
{
	double skew = (double)(device_us - o->received_us) / 1e6, known;
	char text[32];

	if (!o->received_us ||
		(str_to_double(facts_get(t->facts, "clock"), &known) && fabs(known - skew) < 2))
		return;
	str_printf(text, sizeof(text), "%d", (int)lround(skew));
	obs_fact(o, "clock", text);
}

static void add_boot(struct obs *o, double boot)
{
	char text[32];

	str_printf(text, sizeof(text), "%.0f", boot);
	obs_word(o, OBS_NO_PORT, ATTR_BOOT_ID, 0, text);
}

/* The switch's clock; its answers have no other time. */
static int64_t clock_us(double boot, double uptime)
{
	return (int64_t)((boot + uptime) * 1e6);
}

static bool is_boot(double boot)
{
	return boot > 0 && boot <= 1e11;
}

static bool is_uptime(double uptime)
{
	return uptime >= 0 && uptime < 1e10;
}

enum { WORD_UPTIME, WORD_BOOT };

/* Does not learn the clock: a fully decoded answer does so within a minute. */
static bool add_version(const struct position_word words[POSITION_WORDS], struct obs *o)
{
	double uptime, boot;

	if (!words[WORD_UPTIME].n || !words[WORD_BOOT].n ||
		!scan_real(words[WORD_UPTIME].at, words[WORD_UPTIME].n, &uptime) ||
		!scan_real(words[WORD_BOOT].at, words[WORD_BOOT].n, &boot) || !is_boot(boot) ||
		!is_uptime(uptime))
		return false;
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, uptime);
	add_boot(o, boot);
	o->device_us = clock_us(boot, uptime);
	return true;
}

static void note_version(
	struct number_positions *s, const struct json_value *uptime, const struct json_value *boot)
{
	struct position_word up = positions_text(s, uptime), at = positions_text(s, boot);

	if (!up.at || !at.at || json_value_text(uptime) || json_value_text(boot))
		return;
	positions_word(s, up.at, up.n, WORD_UPTIME, true);
	positions_word(s, at.at, at.n, WORD_BOOT, false);
	positions_tell(s, add_version);
}

bool eos_parse_version(const struct target *t, const struct json_value *body, struct obs *o)
{
	double boot, uptime;
	bool is_known =
		json_value_word(o, OBS_NO_PORT, ATTR_MODEL, 0, json_value_get(body, "modelName"));

	is_known |= json_value_word(
		o, OBS_NO_PORT, ATTR_OS_VERSION, 0, json_value_get(body, "version"));
	json_value_word(o, OBS_NO_PORT, ATTR_SERIAL, 0, json_value_get(body, "serialNumber"));
	if (!is_known)
		return false;
	need_say(o, NEED_IDENTITY, VALID_OK, "");
	/* Each family of chips has commands of its own, for people: show platform ... mmu. */
	need_say(
		o, NEED_POOLS, VALID_UNSUPPORTED, "EOS has no command for it that all chips share");
	if (json_value_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, json_value_get(body, "uptime")))
		need_say(o, NEED_UPTIME, VALID_OK, "");
	else
		need_say(o, NEED_UPTIME, VALID_UNSUPPORTED, "");
	if (json_value_real(json_value_get(body, "bootupTimestamp"), &boot) != NUMBER_OK ||
		!is_boot(boot))
		return true;
	add_boot(o, boot);
	if (json_value_real(json_value_get(body, "uptime"), &uptime) != NUMBER_OK ||
		!is_uptime(uptime))
		return true;
	o->device_us = clock_us(boot, uptime);
	learn_clock(t, o->device_us, o);
	note_version(
		t->slots, json_value_get(body, "uptime"), json_value_get(body, "bootupTimestamp"));
	return true;
}

bool eos_parse_hostname(const struct target *t, const struct json_value *body, struct obs *o)
{
	(void)t;
	return json_value_word(o, OBS_NO_PORT, ATTR_HOSTNAME, 0, json_value_get(body, "hostname"));
}

/* ---- show interfaces ---- */

static const struct {
	const char *path;
	enum counter_id id;
} interface_counters[] = {
	{"inOctets", CTR_RX_BYTES},
	{"outOctets", CTR_TX_BYTES},
	{"totalInErrors", CTR_RX_ERRORS},
	{"totalOutErrors", CTR_TX_ERRORS},
	{"inDiscards", CTR_RX_DISCARDS},
	{"outDiscards", CTR_TX_DISCARDS},
	{"inputErrorsDetail.fcsErrors", CTR_RX_FCS_ERRORS},
	{"inputErrorsDetail.symbolErrors", CTR_RX_SYMBOL_ERRORS},
	{"inputErrorsDetail.rxPause", CTR_RX_PAUSE_FRAMES},
	{"outputErrorsDetail.txPause", CTR_TX_PAUSE_FRAMES},
};

static const char *const rx_packets[3] = {"inUcastPkts", "inMulticastPkts", "inBroadcastPkts"};
static const char *const tx_packets[3] = {"outUcastPkts", "outMulticastPkts", "outBroadcastPkts"};

static void add_packets(const struct target *t, struct obs *o, uint32_t port, enum counter_id id,
	const struct json_value *c, const char *const names[3])
{
	uint64_t sum = 0, v;
	bool any = false;

	for (int i = 0; i < 3; i++) {
		const struct json_value *count = json_value_get(c, names[i]);

		if (!json_value_u64(count, &v))
			continue;
		positions_value(t->slots, count, port, id, 0);
		sum += v;
		any = true;
	}
	if (any)
		obs_count(o, port, id, 0, sum);
	else
		obs_invalid(o, port, id, 0, VALID_UNSUPPORTED, "");
}

/* The first one yields two items, and the second is a time. */
static const char *const not_idle[] = {"linkStatusChanges", "counterRefreshTime"};

static bool is_read(const char *path)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(interface_counters); i++)
		found |= str_eq(interface_counters[i].path, path);
	for (size_t i = 0; i < ARRAY_LEN(rx_packets); i++)
		found |= str_eq(rx_packets[i], path) || str_eq(tx_packets[i], path);
	for (size_t i = 0; i < ARRAY_LEN(not_idle); i++)
		found |= str_eq(not_idle[i], path);
	return found;
}

/* Rarely changing values such as lastStatusChangeTimestamp are not reported as slots. */
static void note_interface(struct number_positions *s, uint32_t port, const struct json_value *v,
	const struct json_value *refreshed)
{
	struct position_word at = positions_text(s, refreshed);

	if (!s)
		return;
	if (at.at && !json_value_text(refreshed))
		positions_time(s, at.at, at.n, port);
	positions_unread(s, json_value_get(v, "interfaceCounters"), '.', is_read);
	for (json_value_members(e, v))
		if (str_eq(json_value_name(e), "interfaceStatistics"))
			positions_idle(s, e);
}

static void interface_counts(const struct target *t, struct obs *o, uint32_t port,
	const struct json_value *c, bool is_up)
{
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(interface_counters); i++) {
		const struct json_value *v = json_value_path(c, interface_counters[i].path);

		if (json_value_count(o, port, interface_counters[i].id, 0, v))
			positions_value(t->slots, v, port, interface_counters[i].id, 0);
		else
			obs_invalid(o, port, interface_counters[i].id, 0, VALID_UNSUPPORTED, "");
	}
	add_packets(t, o, port, CTR_RX_PACKETS, c, rx_packets);
	add_packets(t, o, port, CTR_TX_PACKETS, c, tx_packets);
	if (!json_value_u64(json_value_get(c, "linkStatusChanges"), &n))
		return;
	obs_count(o, port, CTR_CARRIER_CHANGES, 0, n);
	obs_count(o, port, CTR_LINK_DOWN_EVENTS, 0, downs_of_transitions(n, is_up));
}

static bool interface_state(struct obs *o, uint32_t port, const struct json_value *v)
{
	const char *status = json_value_text(json_value_get(v, "interfaceStatus"));
	const char *line = json_value_text(json_value_get(v, "lineProtocolStatus"));
	bool is_up = str_eq(line, "up") && (!status || str_eq(status, "connected"));

	if (line)
		obs_word(o, port, ATTR_OPER, 0, is_up ? "up" : "down");
	if (!status)
		return is_up;
	obs_word(o, port, ATTR_ADMIN, 0, str_eq(status, "disabled") ? "down" : "up");
	/* Another command gives the cause of an errdisabled port; this one only shows its end. */
	if (is_up || !str_eq(status, "errdisabled"))
		obs_word(o, port, ATTR_DOWN_REASON, 0, "");
	return is_up;
}

static int64_t refreshed_us(double seconds)
{
	return seconds > 0 && seconds < 1e11 ? (int64_t)(seconds * 1e6) : 0;
}

static int64_t read_refreshed(const char *at, size_t n)
{
	double seconds;

	return scan_real(at, n, &seconds) ? refreshed_us(seconds) : 0;
}

static void parse_interface(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *c = json_value_get(v, "interfaceCounters");
	double n;
	bool is_up = interface_state(o, port, v);

	/* A virtual or empty port reports 0. */
	if (json_value_real(json_value_get(v, "bandwidth"), &n) == NUMBER_OK && n > 0)
		obs_number(o, port, ATTR_SPEED_MBPS, 0, n / 1e6);
	json_value_number(o, port, ATTR_MTU, 0, json_value_get(v, "mtu"));
	json_value_word(o, port, ATTR_DESCRIPTION, 0, json_value_get(v, "description"));
	json_value_word(o, port, ATTR_MAC, 0, json_value_get(v, "physicalAddress"));
	if (json_value_real(json_value_get(v, "lastStatusChangeTimestamp"), &n) == NUMBER_OK &&
		n > 0)
		obs_number(o, port, ATTR_LAST_CHANGE, 0, n);
	/* Refreshed by the switch's agent every few seconds, not on request. */
	if (json_value_real(json_value_get(c, "counterRefreshTime"), &n) == NUMBER_OK &&
		refreshed_us(n))
		o->ports.at[port].sample_us = refreshed_us(n);
	if (json_value_is(c, DV_OBJECT))
		interface_counts(t, o, port, c, is_up);
	note_interface(t->slots, port, v, json_value_get(c, "counterRefreshTime"));
}

bool eos_parse_interfaces(const struct target *t, const struct json_value *body, struct obs *o)
{
	static const enum need_id needs[] = {
		NEED_PORT_COUNTERS,
		NEED_LINK_FLAPS,
	};

	if (!json_value_is(json_value_get(body, "interfaces"), DV_OBJECT))
		return false;
	positions_times(t->slots, read_refreshed);
	eos_each_port(t, json_value_get(body, "interfaces"), o, parse_interface);
	obs_port_list(o);
	eos_learn_ports(t, o);
	need_say(o, NEED_PORT_STATE, VALID_OK, "");
	eos_report(o, needs, ARRAY_LEN(needs), VALID_UNSUPPORTED, "");
	return true;
}

static void note_port(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	(void)t, (void)o, (void)port, (void)v;
}

bool eos_parse_ports(const struct target *t, const struct json_value *body, struct obs *o)
{
	if (!json_value_is(json_value_get(body, "interfaceStatuses"), DV_OBJECT))
		return false;
	eos_each_port(t, json_value_get(body, "interfaceStatuses"), o, note_port);
	eos_learn_ports(t, o);
	return true;
}

/* ---- PFC frames per priority ---- */

static void offer_frames(const struct target *t, uint32_t port, struct cells *cells,
	enum counter_id id, unsigned p, const struct json_value *v)
{
	uint64_t n;

	if (!json_value_u64(v, &n))
		return;
	if (!cells_has(cells, id, p))
		positions_value(t->slots, v, port, id, p);
	cells_offer(cells, id, p, n, 1);
}

static void parse_pfc_port(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	struct cells cells;
	unsigned p;

	cells_reset(&cells);
	for (json_value_members(c, json_value_get(v, "priorities"))) {
		if (!parse_index(json_value_name(c), "", PRIORITIES, &p))
			continue;
		offer_frames(t, port, &cells, CTR_PFC_RX_FRAMES, p, json_value_get(c, "rxFrames"));
		offer_frames(t, port, &cells, CTR_PFC_TX_FRAMES, p, json_value_get(c, "txFrames"));
	}
	cells_emit(&cells, o, port);
	cells_absent(&cells, o, port, CTR_PFC_RX_FRAMES, t->lossless, VALID_UNSUPPORTED, "");
	cells_absent(&cells, o, port, CTR_PFC_TX_FRAMES, t->lossless, VALID_UNSUPPORTED, "");
	eos_invalid_lossless(t, o, port, CTR_PFC_RX_DURATION_US, VALID_UNSUPPORTED, "");
	eos_invalid_lossless(t, o, port, CTR_PFC_TX_DURATION_US, VALID_UNSUPPORTED, "");
}

/*
 * No public capture of this answer is known; the format comes from programs that use it. The
 * command without "detail", in its only form, has just the totals of a port.
 */
bool eos_parse_pfc(const struct target *t, const struct json_value *body, struct obs *o)
{
	static const enum need_id needs[] = {NEED_PFC};

	if (!json_value_is(json_value_get(body, "interfaces"), DV_OBJECT))
		return false;
	eos_each_port(t, json_value_get(body, "interfaces"), o, parse_pfc_port);
	eos_report(o, needs, ARRAY_LEN(needs), VALID_DISABLED, PFC_CURE);
	need_say(o, NEED_PAUSE_RX, VALID_UNSUPPORTED, "");
	need_say(o, NEED_PAUSE_TX, VALID_UNSUPPORTED, "");
	return true;
}

/* ---- ECN marks ---- */

static void parse_ecn_port(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	unsigned p;

	for (json_value_members(c, json_value_get(v, "queueCounters"))) {
		if (!parse_index(json_value_name(c), "", PRIORITIES, &p))
			continue;
		/* Other queues need not mark, so no cure is reported for them. */
		if (json_value_count(o, port, CTR_ECN_MARKED_PACKETS, p, c))
			positions_value(t->slots, c, port, CTR_ECN_MARKED_PACKETS, p);
		else
			obs_invalid(o, port, CTR_ECN_MARKED_PACKETS, p, VALID_DISABLED,
				t->lossless >> p & 1 ? ECN_CURE : "");
	}
}

bool eos_parse_ecn(const struct target *t, const struct json_value *body, struct obs *o)
{
	static const enum need_id needs[] = {NEED_ECN_MARKS};

	if (!json_value_is(json_value_get(body, "intfQueueCounters"), DV_OBJECT))
		return false;
	eos_each_port(t, json_value_get(body, "intfQueueCounters"), o, parse_ecn_port);
	eos_report(o, needs, ARRAY_LEN(needs), VALID_DISABLED, ECN_CURE);
	return true;
}

/* ---- queue drops: fixed systems by drop precedence, modular ones by virtual output queue ---- */

static const struct {
	const char *field;
	enum counter_id id;
} queue_counters[] = {
	{"droppedPackets", CTR_QUEUE_DROPS},
	{"enqueuedPackets", CTR_QUEUE_TX_PACKETS},
	{"enqueuedBytes", CTR_QUEUE_TX_BYTES},
};

/* Sums of one port's counters. */
struct queues {
	const struct target *t;
	struct cells cells;
	uint32_t port;
};

static bool is_queue_counter(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(queue_counters); i++)
		if (str_eq(queue_counters[i].field, name))
			return true;
	return false;
}

static void add_queue(struct queues *q, unsigned tc, const struct json_value *counts)
{
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(queue_counters); i++) {
		const struct json_value *v = json_value_get(counts, queue_counters[i].field);

		if (!json_value_u64(v, &n))
			continue;
		cells_add(&q->cells, queue_counters[i].id, tc, n);
		positions_value(q->t->slots, v, q->port, queue_counters[i].id, tc);
	}
	if (!q->t->slots)
		return;
	for (json_value_members(v, counts))
		if (!is_queue_counter(json_value_name(v)))
			positions_idle(q->t->slots, v);
}

/* "TC0-5": some chips count classes together. */
static bool parse_range(const char *name, unsigned *from, unsigned *to)
{
	char low[8];
	const char *dash = strchr(name, '-');

	return dash && str_copyn(low, sizeof(low), name, (size_t)(dash - name)) &&
	       parse_index(low, "TC", PRIORITIES, from) &&
	       parse_index(dash + 1, "", PRIORITIES, to) && *from <= *to;
}

/* Adds the drops of all inner objects; false: one of them is no number. */
static bool sum_drops(const struct json_value *v, uint64_t *sum, bool *any)
{
	const struct json_value *own = json_value_get(v, "droppedPackets");
	uint64_t n = 0;

	if (own && !json_value_u64(own, &n))
		return false;
	*sum += n;
	*any |= own != NULL;
	for (json_value_members(inner, v))
		if (json_value_is(inner, DV_OBJECT) && !sum_drops(inner, sum, any))
			return false;
	return true;
}

/* No drops of all are none of each. Of others nobody knows which class lost them. */
static void add_range(struct queues *q, unsigned from, unsigned to, const struct json_value *tc)
{
	uint64_t sum = 0;
	bool any = false;

	if (!json_value_is(tc, DV_OBJECT) || !sum_drops(tc, &sum, &any) || !any || sum)
		return;
	for (unsigned p = from; p <= to; p++)
		cells_add(&q->cells, CTR_QUEUE_DROPS, p, 0);
}

static void add_classes(struct queues *q, const struct json_value *classes)
{
	unsigned p, to;

	for (json_value_members(tc, classes)) {
		if (parse_range(json_value_name(tc), &p, &to))
			add_range(q, p, to, tc);
		if (!parse_index(json_value_name(tc), "TC", PRIORITIES, &p))
			continue;
		for (json_value_members(dp, json_value_get(tc, "dropPrecedences")))
			add_queue(q, p, dp);
		add_queue(q, p, json_value_path(tc, "ingressVoqCounters.countersSum"));
		add_queue(q, p, json_value_path(tc, "egressQueueCounters.countersSum"));
		/* The queues of one side alone have their counters in the class itself. */
		if (!json_value_is(json_value_first(tc, DV_OBJECT), DV_OBJECT))
			add_queue(q, p, tc);
	}
}

static void emit_queues(
	const struct target *t, const struct cells *cells, struct obs *o, uint32_t port)
{
	static const enum counter_id never[] = {CTR_QUEUE_DEPTH_BYTES, CTR_PG_WATERMARK_BYTES,
		CTR_HEADROOM_WATERMARK_BYTES, CTR_PG_DROPS, CTR_WRED_DROPS};

	cells_emit(cells, o, port);
	if (eos_lacks_lanz(t))
		eos_invalid_lossless(t, o, port, CTR_QUEUE_WATERMARK_BYTES, VALID_UNSUPPORTED, "");
	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		eos_invalid_lossless(t, o, port, never[i], VALID_UNSUPPORTED, "");
	for (size_t i = 0; i < ARRAY_LEN(queue_counters); i++)
		cells_absent(
			cells, o, port, queue_counters[i].id, t->lossless, VALID_UNSUPPORTED, "");
}

static void parse_queue_port(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	struct queues q;

	q.t = t;
	q.port = port;
	cells_reset(&q.cells);
	add_classes(&q, json_value_path(v, "ucastQueues.trafficClasses"));
	add_classes(&q, json_value_path(v, "mcastQueues.trafficClasses"));
	add_classes(&q, json_value_get(v, "trafficClasses"));
	emit_queues(t, &q.cells, o, port);
}

static bool has_count(const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_COUNT)
			return true;
	return false;
}

/* Packets deleted for want of credit are counted by chip: see drops.c. */
static void parse_voq_port(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	parse_queue_port(t, o, port, v);
	obs_invalid(o, port, CTR_CREDIT_WD_DROPS, 0, VALID_UNSUPPORTED,
		"EOS counts them by chip, see events");
}

static bool report_queues(struct obs *o)
{
	static const enum need_id needs[] = {
		NEED_QUEUE_DROPS,
		NEED_QUEUES,
	};
	static const enum need_id never[] = {NEED_HEADROOM, NEED_PG_DROPS};

	if (!has_count(o))
		return false;
	eos_report(o, needs, ARRAY_LEN(needs), VALID_UNSUPPORTED, "");
	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		need_say(o, never[i], VALID_UNSUPPORTED, "");
	return true;
}

bool eos_parse_queues(const struct target *t, const struct json_value *body, struct obs *o)
{
	eos_each_port(
		t, json_value_path(body, "egressQueueCounters.interfaces"), o, parse_queue_port);
	eos_each_port(t, json_value_get(body, "interfaces"), o, parse_queue_port);
	/* A chassis: at the queues of the ports that packets came in at, by the port they go to. */
	eos_each_port(t, json_value_path(body, "ingressVoqCounters.interfaces"), o, parse_voq_port);
	return report_queues(o);
}

/* "UC3", "MC3", "3": a unicast and a multicast queue share the traffic class. */
static bool queue_number(const char *word, size_t n, unsigned *out)
{
	size_t letters = strcspn(word, "0123456789");

	if (letters + 1 != n || letters > 3 || word[letters] - '0' >= PRIORITIES)
		return false;
	*out = (unsigned)(word[letters] - '0');
	return true;
}

/* Reads "Et1/1 UC3 packets bytes dropped-packets dropped-bytes"; false: another line. */
static bool read_queue_line(
	const char *line, char port[NAME_MAX_LEN], unsigned *queue, uint64_t counts[4])
{
	size_t n;
	const char *w = eos_word(&line, &n);

	if (!w || !eos_port_name(w, n, port))
		return false;
	w = eos_word(&line, &n);
	if (!w || !queue_number(w, n, queue))
		return false;
	for (int i = 0; i < 4; i++) {
		w = eos_word(&line, &n);
		if (!w || !parse_u64(w, n, &counts[i]))
			return false;
	}
	return true;
}

/*
 * For systems without a model of it. No public capture of this text is known; the columns come from
 * a program that uses it.
 */
bool eos_read_queues(const struct target *t, const char *text, size_t len, struct obs *o)
{
	struct eos_lines l = {text, text + len};
	char line[256], name[NAME_MAX_LEN], current[NAME_MAX_LEN] = "";
	struct cells cells;
	unsigned queue;
	uint64_t counts[4];

	cells_reset(&cells);
	while (eos_line(&l, line, sizeof(line))) {
		if (!read_queue_line(line, name, &queue, counts))
			continue;
		if (*current && !str_eq(current, name)) {
			emit_queues(t, &cells, o, obs_port(o, current));
			cells_reset(&cells);
		}
		str_copy(current, sizeof(current), name);
		cells_add(&cells, CTR_QUEUE_TX_PACKETS, queue, counts[0]);
		cells_add(&cells, CTR_QUEUE_TX_BYTES, queue, counts[1]);
		cells_add(&cells, CTR_QUEUE_DROPS, queue, counts[2]);
	}
	if (*current)
		emit_queues(t, &cells, o, obs_port(o, current));
	return report_queues(o);
}
