/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/dialect_linux.h"
#include "backends/needs.h"
#include "backends/parse_number.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define ETHTOOL_CURE "install the package ethtool on the host"

static void offer(struct host_port *p, const struct host_name *n, unsigned sub, const char *value)
{
	uint64_t v;

	if (!n || !parse_u64(value, strlen(value), &v) || v > UINT64_MAX / n->scale)
		return;
	cells_offer(&p->cells, n->id, sub, v * n->scale, n->rank);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "4: ACTIVE" */
static const char *state_word(const char *value)
{
	const char *colon = strstr(value, ": ");

	return colon ? colon + 2 : value;
}

static void ib_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT], *rest, *value;
	size_t at = 0;

	while (line_next(s, &at, line)) {
		struct host_port *p = host_ib_line(h, line, &rest, &value);

		if (!p)
			continue;
		if (str_eq(rest, "state"))
			p->is_active = str_eq(state_word(value), "ACTIVE");
		else if (str_eq(rest, "phys_state"))
			str_copy(p->phys, sizeof(p->phys), state_word(value));
		else if (str_eq(rest, "gid_attrs/ndevs/0"))
			str_copy(p->netdev, sizeof(p->netdev), value);
		else
			offer(p, host_ib_name(last_part(rest)), 0, value);
	}
}

static void net_line(struct host *h, struct host_port *p, const char *rest, const char *value)
{
	uint64_t n;
	size_t len = strlen(value);

	if (str_eq(rest, "operstate")) {
		/* "unknown" and "dormant" say nothing about the cable. */
		p->has_oper = str_eq(value, "up") || str_eq(value, "down") ||
			      str_eq(value, "lowerlayerdown") || str_eq(value, "notpresent");
		p->is_up = str_eq(value, "up");
	} else if (str_eq(rest, "flags")) {
		/* Bit 0 is IFF_UP, printed in hex. */
		if (len > 2 && isxdigit((unsigned char)value[len - 1]))
			obs_word(h->o, p->port, ATTR_ADMIN, 0,
				strchr("13579bdfBDF", value[len - 1]) ? "up" : "down");
	} else if (str_eq(rest, "speed")) {
		/* -1 or an error while the link is down. */
		if (str_to_u64(value, &n) && n && n < UINT32_MAX)
			obs_number(h->o, p->port, ATTR_SPEED_MBPS, 0, (double)n);
	} else if (str_eq(rest, "mtu")) {
		if (str_to_u64(value, &n))
			obs_number(h->o, p->port, ATTR_MTU, 0, (double)n);
	} else {
		offer(p, host_ib_name(last_part(rest)), 0, value);
	}
}

static void net_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT], *rest, *value;
	size_t at = 0;

	while (line_next(s, &at, line)) {
		struct host_port *p = host_net_line(h, line, &rest, &value);

		if (p)
			net_line(h, p, rest, value);
	}
}

/* "     rx_prio3_pause: 12": names may hold ": " themselves, so the last one separates. */
static void stats_section(struct host *h, const struct section *s)
{
	struct host_port *p = host_by_netdev(h, s->arg);
	char line[LINE_TEXT];
	size_t at = 0;

	while (p && line_next(s, &at, line)) {
		char *name = line + strspn(line, " \t"), *colon = strrchr(line, ':');
		const struct host_name *known;
		unsigned priority;
		uint64_t v;

		if (!colon || colon <= name)
			continue;
		*colon = '\0';
		if (!parse_u64(colon + 1, strlen(colon + 1), &v))
			continue;
		p->has_stats = true;
		known = host_ethtool_name(name, &priority);
		offer(p, known, priority, colon + 1);
	}
}

static void fec_encoding(struct host *h, const struct host_port *p, const char *words)
{
	char word[16];
	size_t n = strcspn(words, " \t,");

	str_copyn(word, sizeof(word), words, n < sizeof(word) ? n : sizeof(word) - 1);
	for (char *c = word; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (*word)
		obs_word(h->o, p->port, ATTR_FEC, 0, str_eq(word, "off") ? "none" : word);
}

/* Text, because `--json` of several releases is not JSON (per-lane lists) or lies (booleans). */
static void fec_section(struct host *h, const struct section *s)
{
	static const struct host_name names[] = {
		{"corrected_blocks", CTR_FEC_CORRECTED_CODEWORDS, 9, 1},
		{"uncorrectable_blocks", CTR_FEC_UNCORRECTABLE_CODEWORDS, 9, 1},
		{"corrected_bits", CTR_FEC_CORRECTED_BITS, 9, 1},
	};
	struct host_port *p = host_by_netdev(h, s->arg);
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line)) {
		char *name = line + strspn(line, " \t"), *colon = strchr(line, ':');

		if (strstr(line, "not found"))
			h->no_ethtool = true;
		if (!p || !colon)
			continue;
		*colon++ = '\0';
		colon += strspn(colon, " \t");
		if (str_starts(name, "Active FEC encoding"))
			fec_encoding(h, p, colon);
		/* ethtool 6.19 and later append "[ per_lane: ... ]". */
		colon[strspn(colon, "0123456789")] = '\0';
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			if (str_eq(names[i].name, name))
				offer(p, &names[i], 0, colon);
	}
}

static void emit_state(struct host *h, const struct host_port *p)
{
	bool is_up = p->has_oper ? p->is_up : p->is_active;

	obs_word(h->o, p->port, ATTR_OPER, 0, is_up ? "up" : "down");
	if (*p->phys)
		obs_word(h->o, p->port, ATTR_DOWN_REASON, 0,
			is_up || str_eq(p->phys, "LinkUp") ? "" : p->phys);
	if (*p->netdev)
		obs_word(h->o, p->port, ATTR_NETDEV, 0, p->netdev);
}

static void absent(const struct host *h, const struct host_port *p, enum counter_id id,
	uint8_t mask, enum validity v, const char *cure)
{
	cells_absent(&p->cells, h->o, p->port, id, mask, v, cure);
}

/* mlx5 lists a priority's pause counters only while PFC is on for it. */
static void absent_pause(
	const struct host *h, const struct host_port *p, enum validity v, const char *cure)
{
	static const enum counter_id pause[] = {CTR_PFC_RX_FRAMES, CTR_PFC_TX_FRAMES,
		CTR_PFC_RX_DURATION_US, CTR_PFC_TX_DURATION_US};
	char how[160];

	if (v == VALID_UNSUPPORTED && cells_has(&p->cells, CTR_RX_BYTES, 0)) {
		v = VALID_DISABLED;
		str_printf(how, sizeof(how),
			"turn PFC on for the priority: dcb pfc set dev %s prio-pfc PRIO:on",
			p->netdev);
		cure = how;
	}
	for (size_t i = 0; i < ARRAY_LEN(pause); i++)
		absent(h, p, pause[i], h->target->lossless, v, cure);
}

static void emit_absent(const struct host *h, const struct host_port *p)
{
	static const enum counter_id from_ethtool[] = {CTR_RX_DISCARDS, CTR_TX_DISCARDS,
		CTR_RX_FCS_ERRORS, CTR_RX_SYMBOL_ERRORS, CTR_RX_PAUSE_FRAMES, CTR_TX_PAUSE_FRAMES,
		CTR_FEC_CORRECTED_CODEWORDS, CTR_FEC_UNCORRECTABLE_CODEWORDS,
		CTR_FEC_CORRECTED_BITS};
	static const enum counter_id from_ethtool_prio[] = {
		CTR_QUEUE_TX_PACKETS, CTR_QUEUE_TX_BYTES, CTR_RX_PRIO_DISCARDS};
	static const enum counter_id from_rdma[] = {CTR_RX_BYTES, CTR_TX_BYTES, CTR_RX_PACKETS,
		CTR_TX_PACKETS, CTR_RX_ERRORS, CTR_TX_ERRORS, CTR_CNP_SENT, CTR_CNP_HANDLED,
		CTR_CNP_IGNORED, CTR_ECN_MARKED_ROCE_PACKETS, CTR_OUT_OF_SEQUENCE,
		CTR_PACKET_SEQ_ERR, CTR_IMPLIED_NAK_SEQ_ERR, CTR_LOCAL_ACK_TIMEOUT_ERR,
		CTR_RNR_NAK_RETRY_ERR, CTR_ROCE_ADP_RETRANS, CTR_ROCE_SLOW_RESTART,
		CTR_RX_OUT_OF_BUFFER, CTR_LINK_DOWN_EVENTS, CTR_CARRIER_CHANGES,
		CTR_FEC_SYMBOL_ERRORS};
	enum validity v = h->no_ethtool ? VALID_DISABLED : VALID_UNSUPPORTED;
	const char *cure = h->no_ethtool ? ETHTOOL_CURE : "";

	for (size_t i = 0; i < ARRAY_LEN(from_ethtool); i++)
		absent(h, p, from_ethtool[i], 1, v, cure);
	for (size_t i = 0; i < ARRAY_LEN(from_ethtool_prio); i++)
		absent(h, p, from_ethtool_prio[i], h->target->lossless, v, cure);
	for (size_t i = 0; i < ARRAY_LEN(from_rdma); i++)
		absent(h, p, from_rdma[i], 1, VALID_UNSUPPORTED, "");
	obs_invalid(h->o, p->port, CTR_PRE_FEC_BER, 0, VALID_UNSUPPORTED, "");
	absent_pause(h, p, p->has_stats || h->no_ethtool ? v : VALID_UNSUPPORTED, cure);
}

static void emit(struct host *h)
{
	static const enum need_id needs[] = {
		NEED_PORT_COUNTERS,
		NEED_PFC,
		NEED_PAUSE_RX,
		NEED_PAUSE_TX,
		NEED_CNP,
		NEED_RETRANSMISSIONS,
		NEED_FEC,
		NEED_LINK_FLAPS,
	};

	for (size_t i = 0; i < h->ports.n; i++) {
		struct host_port *p = h->ports.at[i];

		emit_state(h, p);
		cells_emit(&p->cells, h->o, p->port);
		emit_absent(h, p);
	}
	needs_report(h->o, needs, ARRAY_LEN(needs));
	if (!h->ports.n)
		need_say(h->o, NEED_RDMA, VALID_UNSUPPORTED,
			"no RDMA device on the host: load the NIC's RDMA driver (mlx5_ib, bnxt_re, "
			"...)");
}

bool linux_parse_fast(struct host *h, const char *bytes, size_t len, struct err *err)
{
	struct section s;
	size_t at = 0;

	(void)err;
	while (section_next(bytes, len, &at, &s)) {
		if (host_common_section(h, &s))
			continue;
		if (str_eq(s.name, "ib"))
			ib_section(h, &s);
		else if (str_eq(s.name, "net"))
			net_section(h, &s);
		else if (str_eq(s.name, "stats"))
			stats_section(h, &s);
		else if (str_eq(s.name, "fec"))
			fec_section(h, &s);
	}
	if (!h->begun)
		return false;
	emit(h);
	/* NICs are read one after the other: the middle is at most half the run away from each. */
	if (h->begin_us && h->end_us >= h->begin_us)
		h->o->device_us = h->begin_us + (h->end_us - h->begin_us) / 2;
	/* Drivers read the NIC when they are asked: a counter that stood still is a rate of 0. */
	for (size_t i = 0; i < h->o->ports.n; i++)
		h->o->ports.at[i].sample_us = h->o->device_us;
	return true;
}
