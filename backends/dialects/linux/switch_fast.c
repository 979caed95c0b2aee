/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/switch.h"
#include "backends/parse/json_select.h"
#include "backends/contract/needs.h"
#include "backends/parse/number.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define TOOL_CURE    "install the package ethtool on the switch"

/* ---- counters of the switch chip, with the names of the driver mlxsw_spectrum ---- */

/*
 * Not used: a_pause_mac_ctrl_frames_*. The chip counts them for PFC as well, so every lossless port
 * would seem to use 802.3x pause. '#' is a priority or traffic class.
 */
static const struct host_name chip_names[] = {
	{"a_octets_received_ok", CTR_RX_BYTES, 9, 1, 0},
	{"a_octets_transmitted_ok", CTR_TX_BYTES, 9, 1, 0},
	{"a_frames_received_ok", CTR_RX_PACKETS, 9, 1, 0},
	{"a_frames_transmitted_ok", CTR_TX_PACKETS, 9, 1, 0},
	{"a_frame_check_sequence_errors", CTR_RX_FCS_ERRORS, 9, 1, 0},
	{"a_symbol_error_during_carrier", CTR_RX_SYMBOL_ERRORS, 9, 1, 0},
	{"if_in_discards", CTR_RX_DISCARDS, 9, 1, 0},
	{"if_out_discards", CTR_TX_DISCARDS, 9, 1, 0},
	{"if_out_errors", CTR_TX_ERRORS, 9, 1, 0},
	{"rx_pause_prio_#", CTR_PFC_RX_FRAMES, 9, 1, 0},
	{"tx_pause_prio_#", CTR_PFC_TX_FRAMES, 9, 1, 0},
	{"rx_pause_duration_prio_#", CTR_PFC_RX_DURATION_US, 9, 1, 0},
	{"tx_pause_duration_prio_#", CTR_PFC_TX_DURATION_US, 9, 1, 0},
	{"tx_frames_prio_#", CTR_QUEUE_TX_PACKETS, 9, 1, 0},
	{"tx_octets_prio_#", CTR_QUEUE_TX_BYTES, 9, 1, 0},
	{"tc_no_buffer_discard_uc_tc_#", CTR_QUEUE_DROPS, 9, 1, 0},
	{"tc_wred_discard_tc_#", CTR_WRED_DROPS, 9, 1, 0},
	{"tc_ecn_marked_tc_#", CTR_ECN_MARKED_PACKETS, 9, 1, 0},
};
#define DEPTH_PREFIX "tc_transmit_queue_tc_"

static const struct host_name *chip_name(const char *name, unsigned *sub)
{
	size_t n = strlen(name);
	char digit = n > 2 && name[n - 2] == '_' ? name[n - 1] : '\0';

	*sub = digit >= '0' && digit <= '7' ? (unsigned)(digit - '0') : 0;
	for (size_t i = 0; i < ARRAY_LEN(chip_names); i++) {
		const char *rule = chip_names[i].name;
		size_t k = strlen(rule);

		if (rule[k - 1] != '#' && str_eq(rule, name))
			return &chip_names[i];
		if (rule[k - 1] == '#' && k == n && digit >= '0' && digit <= '7' &&
			strncmp(rule, name, k - 1) == 0)
			return &chip_names[i];
	}
	return NULL;
}

static void stat_line(struct sw *s, struct host_port *p, struct sw_port *more, char *line)
{
	char *name = line + strspn(line, " \t"), *colon = strrchr(line, ':');
	const struct host_name *known;
	unsigned sub;
	uint64_t v;

	if (!colon || colon <= name || !parse_u64(colon + 1, strlen(colon + 1), &v))
		return;
	*colon = '\0';
	p->has_stats = true;
	known = chip_name(name, &sub);
	more->has_chip |= known != NULL;
	if (str_starts(name, DEPTH_PREFIX) && strlen(name) == strlen(DEPTH_PREFIX) + 1)
		obs_gauge(s->h.o, p->port, CTR_QUEUE_DEPTH_BYTES, sub, (double)v);
	if (!known)
		known = host_ethtool_name(&s->h.names, name, strlen(name), &sub);
	if (known && v <= UINT64_MAX / known->scale)
		cells_offer(&p->cells, known->id, sub, v * known->scale, known->rank);
}

static void stats_section(struct sw *s, const struct section *sec)
{
	struct host_port *p = host_by_netdev(&s->h, sec->arg);
	struct sw_port *more = sw_more(s, sec->arg);
	char line[LINE_TEXT];
	size_t at = 0;

	s->no_tool |= memmem(sec->body, sec->len, "ethtool: not found", 18) ||
		      memmem(sec->body, sec->len, "command not found", 17);
	while (p && more && line_next(sec, &at, line))
		stat_line(s, p, more, line);
}

/* ---- counters of the kernel ---- */

/* Reads "swp1/speed:10000". */
static void net_section(struct sw *s, const struct section *sec)
{
	char line[LINE_TEXT], *rest, *value;
	size_t at = 0;
	uint64_t n;

	while (line_next(sec, &at, line)) {
		struct host_port *p = host_net_line(&s->h, line, &rest, &value);

		/* Speed is -1 or missing while the link is down. */
		if (!p || !str_to_u64(value, &n))
			continue;
		if (str_eq(rest, "speed") && n && n < UINT32_MAX)
			obs_number(s->h.o, p->port, ATTR_SPEED_MBPS, 0, (double)n);
		else if (str_eq(rest, "carrier_down_count"))
			cells_offer(&p->cells, CTR_LINK_DOWN_EVENTS, 0, n, 5);
	}
}

/* PFC frames of drivers without them in ethtool: "requests" are sent frames. */
static void dcb_section(struct sw *s, const struct section *sec)
{
	struct host_port *p = host_by_netdev(&s->h, sec->arg);
	struct json_value *doc =
		p ? json_value_parse(sec->body, sec->len, s->h.target->device, NULL) : NULL;
	uint64_t n;

	for (unsigned i = 0; i < PRIORITIES; i++) {
		if (json_value_u64(json_value_at(json_value_get(doc, "requests"), i), &n))
			cells_offer(&p->cells, CTR_PFC_TX_FRAMES, i, n, 5);
		if (json_value_u64(json_value_at(json_value_get(doc, "indications"), i), &n))
			cells_offer(&p->cells, CTR_PFC_RX_FRAMES, i, n, 5);
	}
	free(doc);
}

void sw_fast_section(struct sw *s, const struct section *sec)
{
	if (str_eq(sec->name, "link"))
		sw_link_section(s, sec, true);
	else if (str_eq(sec->name, "net"))
		net_section(s, sec);
	else if (str_eq(sec->name, "qdisc"))
		sw_qdisc_section(s, sec, false);
	else if (str_eq(sec->name, "stats"))
		stats_section(s, sec);
	else if (str_eq(sec->name, "fec"))
		host_fec_section(&s->h, sec);
	else if (str_eq(sec->name, "dcb"))
		dcb_section(s, sec);
}

/* ---- missing counters ---- */

static void add_absent(const struct sw *s, const struct host_port *p, enum counter_id id,
	uint8_t mask, enum validity v, const char *cure)
{
	cells_absent(&p->cells, s->h.o, p->port, id, mask, v, cure);
}

/* A queue discipline could mark or drop on any port; without tc it is unknown. */
static void absent_marks(const struct sw *s, const struct host_port *p, const struct sw_port *more)
{
	enum validity v = s->has_qdisc ? VALID_DISABLED : VALID_UNSUPPORTED;
	char cure[160] = "";
	uint8_t mask = s->h.target->lossless;

	/* It has one queue, and that one has its counter. */
	if (more->marks)
		return;
	if (s->has_qdisc)
		str_printf(cure, sizeof(cure),
			"let RED mark: tc qdisc replace dev %s root red limit 4MB min 500KB "
			"max 1500KB avpkt 1500 burst 700 bandwidth 100gbit ecn",
			p->netdev);
	add_absent(s, p, CTR_ECN_MARKED_PACKETS, mask, v, cure);
	add_absent(s, p, CTR_WRED_DROPS, mask, v, cure);
}

static void emit_absent(const struct sw *s, const struct host_port *p, const struct sw_port *more)
{
	static const enum counter_id chip[] = {CTR_RX_FCS_ERRORS, CTR_RX_SYMBOL_ERRORS,
		CTR_RX_PAUSE_FRAMES, CTR_TX_PAUSE_FRAMES, CTR_FEC_CORRECTED_CODEWORDS,
		CTR_FEC_UNCORRECTABLE_CODEWORDS};
	static const enum counter_id chip_prio[] = {CTR_PFC_RX_FRAMES, CTR_PFC_TX_FRAMES,
		CTR_PFC_RX_DURATION_US, CTR_PFC_TX_DURATION_US, CTR_QUEUE_TX_PACKETS,
		CTR_QUEUE_TX_BYTES, CTR_QUEUE_DROPS};
	bool tool = s->no_tool && !more->is_virtual;
	enum validity v = tool ? VALID_DISABLED : VALID_UNSUPPORTED;
	const char *cure = tool ? TOOL_CURE : "";

	for (size_t i = 0; i < ARRAY_LEN(chip); i++)
		add_absent(s, p, chip[i], 1, v, cure);
	for (size_t i = 0; i < ARRAY_LEN(chip_prio); i++)
		add_absent(s, p, chip_prio[i], s->h.target->lossless, v, cure);
	add_absent(s, p, CTR_LINK_DOWN_EVENTS, 1, VALID_UNSUPPORTED, "");
	add_absent(s, p, CTR_FEC_BIN, 1, VALID_UNSUPPORTED, "");
	absent_marks(s, p, more);
	obs_invalid(s->h.o, p->port, CTR_PRE_FEC_BER, 0, VALID_UNSUPPORTED, "");
}

/* Reports the needs that neither the kernel nor ethtool nor dcb can meet. */
static void report_never(struct obs *o)
{
	static const enum need_id never[] = {NEED_QUEUE_WATERMARKS, NEED_HEADROOM, NEED_PG_DROPS,
		NEED_WATCHDOG, NEED_WATCHDOG_CONFIG, NEED_POOLS, NEED_SCHEDULERS};

	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		need_say(o, never[i], VALID_UNSUPPORTED, "");
}

static void report_no_link(struct sw *s)
{
	err_set(&s->h.o->err, ERR_PROTOCOL, s->h.target->device, "ip could not list the ports: %s",
		*s->refusal ? s->refusal : "no output");
	err_cure(&s->h.o->err, "install iproute2 5.0 or later: try `ip -j -s -d link` there");
	need_say(s->h.o, NEED_PORT_STATE, VALID_DISABLED, "install iproute2 5.0 or later");
	need_say(s->h.o, NEED_PORT_COUNTERS, VALID_DISABLED, "install iproute2 5.0 or later");
}

void sw_fast_finish(struct sw *s)
{
	static const enum need_id needs[] = {NEED_PORT_COUNTERS, NEED_LINK_FLAPS, NEED_FEC,
		NEED_FEC_BINS, NEED_PRE_FEC_BER, NEED_PFC, NEED_PAUSE_RX, NEED_PAUSE_TX,
		NEED_QUEUES, NEED_QUEUE_DROPS, NEED_ECN_MARKS};
	struct obs *o = s->h.o;

	report_never(o);
	if (!s->has_link) {
		report_no_link(s);
		return;
	}
	for (size_t i = 0; i < s->h.ports.n; i++) {
		const struct host_port *p = s->h.ports.at[i];

		/* The kernel's counters of a port with a chip are different counters. */
		if (!s->h.ended && !p->has_stats && !s->more.at[i].is_virtual)
			continue;
		cells_emit(&p->cells, o, p->port);
		if (s->h.ended)
			emit_absent(s, p, &s->more.at[i]);
	}
	needs_report(o, needs, ARRAY_LEN(needs));
	need_say(o, NEED_PORT_STATE, VALID_OK, "");
	need_say(o, NEED_UPTIME, VALID_OK, "");
	/*
	 * Ports are read in sequence, so the middle is at most half the run time away from each
	 * read.
	 */
	if (s->h.begin_us && s->h.end_us >= s->h.begin_us)
		o->device_us = s->h.begin_us + (s->h.end_us - s->h.begin_us) / 2;
	for (size_t i = 0; i < o->ports.n; i++)
		o->ports.at[i].sample_us = o->device_us;
}
