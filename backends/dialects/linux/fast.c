/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/contract/needs.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define ETHTOOL_CURE "install the package ethtool on the host"

static bool span_u64(struct span s, uint64_t *v)
{
	char text[LINE_TEXT];

	return str_copyn(text, sizeof(text), s.at, s.n) && str_to_u64(text, v);
}

/* "unknown" and "dormant" say nothing about the cable. */
static void set_operstate(struct host_port *p, struct span value)
{
	p->is_up = span_is(value, "up");
	p->has_oper = p->is_up || span_is(value, "down") || span_is(value, "lowerlayerdown") ||
		      span_is(value, "notpresent");
}

static void net_counter(struct host *h, struct host_port *p, struct span rest, struct span value)
{
	const struct host_name *known = host_ib_name(&h->names, rest.at, rest.n);
	struct span last;

	if (known) {
		if (!p->is_nic || !span_starts(rest, "statistics/"))
			host_offer_known(h, p, known, value);
		else
			host_unused(h, value);
		return;
	}
	/* "statistics/rx_errors"; rx_bytes alone would be a NIC's own counter. */
	last = span_last_part(rest);
	if (!span_is(last, "rx_bytes") && !span_is(last, "tx_bytes"))
		host_offer_ib(h, p, last, value);
	else
		host_unused(h, value);
}

static void net_line(struct host *h, struct host_port *p, struct span rest, struct span value)
{
	uint64_t n;

	if (span_is(rest, "operstate")) {
		set_operstate(p, value);
	} else if (span_is(rest, "flags")) {
		/* Bit 0 is IFF_UP, printed in hex. */
		char last = value.n > 2 ? value.at[value.n - 1] : '\0';

		if (isxdigit((unsigned char)last))
			obs_word(h->o, p->port, ATTR_ADMIN, 0,
				strchr("13579bdfBDF", last) ? "up" : "down");
	} else if (span_is(rest, "speed")) {
		/* -1 or an error while the link is down. */
		if (span_u64(value, &n) && n && n < UINT32_MAX)
			p->has_speed = (p->rate_mbps = (double)n) > 0;
	} else if (span_is(rest, "mtu")) {
		if (span_u64(value, &n))
			obs_number(h->o, p->port, ATTR_MTU, 0, (double)n);
	} else if (span_starts(rest, "bonding")) {
		host_bond_line(p, rest, value);
	} else {
		net_counter(h, p, rest, value);
	}
}

static void net_section(struct host *h, const struct section *s)
{
	struct host_way way = {.n = 0};
	struct span line, rest, value;
	size_t at = 0;

	while (line_span(s, &at, &line)) {
		struct host_port *p = host_net_span(h, &way, line, &rest, &value);

		if (p)
			net_line(h, p, rest, value);
	}
}

static void emit_state(struct host *h, const struct host_port *p)
{
	bool is_up = (p->has_oper ? p->is_up : p->is_active) && !p->is_out;
	/* The driver efa calls each of its ports ACTIVE and LinkUp: its netdev knows, if any. */
	bool unknown = p->is_efa && !p->has_oper;
	double mbps = p->has_speed ? p->rate_mbps : 0;

	/* A soft device prints a rate of its own invention; it always has a netdev. */
	if (!p->has_speed && (p->is_nic || !*p->netdev))
		mbps = p->rdma_mbps;

	obs_word(h->o, p->port, ATTR_OPER, 0, unknown ? "unknown" : is_up ? "up" : "down");
	if (mbps > 0 && (is_up || p->has_speed))
		obs_number(h->o, p->port, ATTR_SPEED_MBPS, 0, mbps);
	/* The driver's reason is more precise than the state of the RDMA port. */
	if (*p->phys || *p->reason || is_up)
		obs_word(h->o, p->port, ATTR_DOWN_REASON, 0,
			is_up                   ? ""
			: *p->reason            ? p->reason
			: p->is_out && p->is_up ? "the bond does not use it (mii_status)"
			: p->is_ib && str_eq(p->phys, "LinkUp")
				? "no subnet manager has made it active"
			: str_eq(p->phys, "LinkUp") ? ""
						    : p->phys);
	if (*p->netdev)
		obs_word(h->o, p->port, ATTR_NETDEV, 0, p->netdev);
	if (p->has_layer || p->is_efa)
		obs_word(h->o, p->port, ATTR_LINK_LAYER, 0,
			p->is_efa  ? "efa"
			: p->is_ib ? "infiniband"
				   : "ethernet");
	if (p->is_bond)
		host_bond_describe(h, p);
}

static void add_absent(const struct host *h, const struct host_port *p, enum counter_id id,
	uint8_t mask, enum validity v, const char *cure)
{
	cells_absent(&p->cells, h->o, p->port, id, mask, v, cure);
}

/* mlx5 lists a priority's pause counters only while PFC is on for it. */
static void absent_pause(
	const struct host *h, const struct host_port *p, enum validity v, const char *cure)
{
	static const enum counter_id pause[] = {CTR_PFC_RX_FRAMES, CTR_PFC_TX_FRAMES,
		CTR_PFC_RX_DURATION_US, CTR_PFC_TX_DURATION_US, CTR_PFC_RX_TRANSITIONS};
	bool is_mlx5 = p->cells.rank[counter_cell(CTR_RX_BYTES, 0)] == 9;
	uint8_t on = 0;
	char how[160];

	/* Each slave has a setting of its own: see there. */
	if (p->is_bond)
		is_mlx5 = false;
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (cells_has(&p->cells, CTR_PFC_RX_FRAMES, i))
			on |= (uint8_t)(1u << i);
	if (v == VALID_UNSUPPORTED && is_mlx5 && !p->is_ib && !p->is_efa) {
		v = VALID_DISABLED;
		str_printf(how, sizeof(how),
			"enable PFC for the priority: dcb pfc set dev %s prio-pfc PRIO:on",
			p->netdev);
		cure = how;
	}
	for (size_t i = 0; i < ARRAY_LEN(pause); i++) {
		add_absent(h, p, pause[i], h->target->lossless & on, VALID_UNSUPPORTED, "");
		add_absent(h, p, pause[i], (uint8_t)(h->target->lossless & ~on), v, cure);
	}
}

#define FULL_CURE "it stands at its end and counts no more: perfquery -R resets it"

/* Credits in place of pauses, and counters that stand at their end. */
static void absent_infiniband(const struct host *h, const struct host_port *p)
{
	for (unsigned id = 0; id < 64; id++)
		if (p->full >> id & 1)
			add_absent(h, p, (enum counter_id)id, 1, VALID_DISABLED, FULL_CURE);
	if (!(p->full >> CTR_TX_WAIT & 1))
		add_absent(h, p, CTR_TX_WAIT, 1, VALID_UNSUPPORTED, "");
	if (!(p->full >> CTR_LINK_RECOVERIES & 1))
		add_absent(h, p, CTR_LINK_RECOVERIES, 1, VALID_UNSUPPORTED, "");
}

static void emit_absent(const struct host *h, const struct host_port *p)
{
	static const enum counter_id from_ethtool[] = {CTR_RX_DISCARDS, CTR_TX_DISCARDS,
		CTR_RX_FCS_ERRORS, CTR_RX_SYMBOL_ERRORS, CTR_RX_PAUSE_FRAMES, CTR_TX_PAUSE_FRAMES,
		CTR_FEC_CORRECTED_CODEWORDS, CTR_FEC_UNCORRECTABLE_CODEWORDS,
		CTR_FEC_CORRECTED_BITS, CTR_FEC_BIN, CTR_RX_BUFFER_PASSED_THRESHOLD,
		CTR_PAUSE_STORM_WARNINGS, CTR_PAUSE_STORM_ERRORS, CTR_PCI_STALLED_READ_PCT,
		CTR_PCI_STALLED_WRITE_PCT};
	static const enum counter_id from_ethtool_prio[] = {
		CTR_QUEUE_TX_PACKETS, CTR_QUEUE_TX_BYTES, CTR_RX_PRIO_DISCARDS};
	static const enum counter_id from_rdma[] = {CTR_RX_BYTES, CTR_TX_BYTES, CTR_RX_PACKETS,
		CTR_TX_PACKETS, CTR_RX_ERRORS, CTR_TX_ERRORS, CTR_CNP_SENT, CTR_CNP_HANDLED,
		CTR_CNP_IGNORED, CTR_ECN_MARKED_ROCE_PACKETS, CTR_OUT_OF_SEQUENCE,
		CTR_PACKET_SEQ_ERR, CTR_DUPLICATE_REQUEST, CTR_IMPLIED_NAK_SEQ_ERR,
		CTR_LOCAL_ACK_TIMEOUT_ERR, CTR_RNR_NAK_RETRY_ERR, CTR_TRANSPORT_RETRIES_EXCEEDED,
		CTR_RX_ICRC_ERRORS, CTR_ROCE_ADP_RETRANS, CTR_ROCE_SLOW_RESTART,
		CTR_RX_OUT_OF_BUFFER, CTR_LINK_DOWN_EVENTS, CTR_CARRIER_CHANGES,
		CTR_FEC_SYMBOL_ERRORS};
	/* What EFA lacks no tool brings. */
	bool no_tool = h->no_ethtool && !p->is_efa;
	enum validity v = no_tool ? VALID_DISABLED : VALID_UNSUPPORTED;
	const char *cure = no_tool ? ETHTOOL_CURE : "";

	for (size_t i = 0; i < ARRAY_LEN(from_ethtool); i++)
		add_absent(h, p, from_ethtool[i], 1, v, cure);
	for (size_t i = 0; i < ARRAY_LEN(from_ethtool_prio); i++)
		add_absent(h, p, from_ethtool_prio[i], h->target->lossless, v, cure);
	for (size_t i = 0; i < ARRAY_LEN(from_rdma); i++)
		add_absent(h, p, from_rdma[i], 1, VALID_UNSUPPORTED, "");
	obs_invalid(h->o, p->port, CTR_PRE_FEC_BER, 0, VALID_UNSUPPORTED, "");
	absent_pause(h, p, v, cure);
	/* Last: its reasons are more precise. */
	if (p->is_ib)
		absent_infiniband(h, p);
}

/* Gauges are printed like the counters, but have no rate. */
static void emit_gauges(struct host *h, struct host_port *p)
{
	static const enum counter_id gauges[] = {
		CTR_PCI_STALLED_READ_PCT, CTR_PCI_STALLED_WRITE_PCT};

	for (size_t i = 0; i < ARRAY_LEN(gauges); i++) {
		uint16_t cell = counter_cell(gauges[i], 0);

		if (p->cells.rank[cell])
			obs_gauge(h->o, p->port, gauges[i], 0, (double)p->cells.value[cell]);
	}
}

/*
 * The port counters of a bonded RDMA device may be those of its first link only. That is half the
 * traffic, and nothing shows it, so they are dropped. The retransmission counters cover the whole
 * device.
 */
static void drop_shared(struct host_port *p)
{
	static const enum counter_id ids[] = {CTR_RX_BYTES, CTR_TX_BYTES, CTR_RX_PACKETS,
		CTR_TX_PACKETS, CTR_RX_ERRORS, CTR_TX_DISCARDS};

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		uint16_t cell = counter_cell(ids[i], 0);

		if (p->cells.rank[cell] == RANK_IB_PORT)
			p->cells.rank[cell] = 0;
	}
}

static void emit_counters(struct host *h, struct host_port *p)
{
	struct cells counts;
	bool is_old = p->is_hung || (!h->ended && !p->is_read);

	if (p->is_bond)
		drop_shared(p);
	counts = p->cells;
	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		/*
		 * A source of lower rank counts at another place. A temporary change to it would
		 * look like a counter reset, and the change back like a burst. So the old value
		 * ages instead.
		 */
		if (counter_info[id].kind != KIND_COUNT ||
			(is_old && host_ethtool_counts((enum counter_id)id)))
			memset(counts.rank + counter_info[id].first_cell, 0,
				counter_dim_size((enum counter_id)id));
	cells_emit(&counts, h->o, p->port);
	if (p->is_hung && !p->is_bond) {
		err_set(&h->o->err, ERR_TIMEOUT, h->target->device,
			"ethtool does not answer for %s (%s): its counters are old", p->netdev,
			p->rdma);
		err_cure(&h->o->err, "check the NIC in the host's kernel log: dmesg | grep %s",
			*p->netdev ? p->netdev : p->rdma);
	}
	if (is_old)
		return;
	emit_gauges(h, p);
	/* An Ethernet NIC is not asked for what RDMA needs. */
	if (!p->is_ethernet)
		emit_absent(h, p);
}

/* One of the retransmission counters is enough; drivers have different ones. */
static bool counts_retransmissions(const struct host *h)
{
	static const enum counter_id any[] = {
		CTR_LOCAL_ACK_TIMEOUT_ERR, CTR_ROCE_ADP_RETRANS, CTR_PACKET_SEQ_ERR};

	for (size_t i = 0; i < h->ports.n; i++)
		for (size_t k = 0; k < ARRAY_LEN(any); k++)
			if (cells_has(&h->ports.at[i]->cells, any[k], 0))
				return true;
	return false;
}

bool host_has_rdma(const struct host *h)
{
	for (size_t i = 0; i < h->ports.n; i++)
		if (!h->ports.at[i]->is_ethernet)
			return true;
	return false;
}

/* An EFA without a netdev beside it. */
static bool has_stateless(const struct host *h)
{
	for (size_t i = 0; i < h->ports.n; i++)
		if (h->ports.at[i]->is_efa && !h->ports.at[i]->has_oper)
			return true;
	return false;
}

static void report_needs(struct host *h)
{
	static const enum need_id needs[] = {NEED_PORT_COUNTERS, NEED_PFC, NEED_PAUSE_RX,
		NEED_PAUSE_TX, NEED_CNP, NEED_RETRANSMISSIONS, NEED_FEC, NEED_FEC_BINS,
		NEED_PRE_FEC_BER, NEED_QUEUES, NEED_LINK_FLAPS};

	need_say(h->o, NEED_IDENTITY, VALID_OK, "");
	need_say(h->o, NEED_UPTIME, VALID_OK, "");
	if (!host_has_rdma(h)) {
		need_say(h->o, NEED_RDMA, VALID_UNSUPPORTED,
			"no RDMA device on the host: load the NIC's RDMA driver (mlx5_ib, bnxt_re, "
			"...)");
		return;
	}
	need_say(h->o, NEED_RDMA, VALID_OK, "");
	if (has_stateless(h))
		need_say(h->o, NEED_PORT_STATE, VALID_UNSUPPORTED,
			"the driver efa calls each port ACTIVE, and these have no network device: "
			"only their traffic tells");
	else
		need_say(h->o, NEED_PORT_STATE, VALID_OK, "");
	needs_report(h->o, needs, ARRAY_LEN(needs));
	if (counts_retransmissions(h))
		need_say(h->o, NEED_RETRANSMISSIONS, VALID_OK, "");
}

/* NICs are read in sequence, so the middle is at most half the run time away from each read. */
static int64_t middle_time(int64_t begin_us, int64_t end_us)
{
	return begin_us + (end_us - begin_us) / 2;
}

/* Drivers read the NIC on request: a counter that did not move has a rate of 0. */
static void sampled_at(struct obs *o, int64_t us)
{
	o->device_us = us;
	for (size_t i = 0; i < o->ports.n; i++)
		o->ports.at[i].sample_us = us;
}

static bool add_times(const struct position_word words[POSITION_WORDS], struct obs *o)
{
	const struct position_word *begin = &words[HOST_BEGIN], *end = &words[HOST_END];
	const struct position_word *uptime = &words[HOST_UPTIME];
	int64_t begin_us = host_clock_us(begin->at, begin->n);
	int64_t end_us = host_clock_us(end->at, end->n);

	if (!begin_us || end_us < begin_us || !host_uptime(o, uptime->at, uptime->n))
		return false;
	sampled_at(o, middle_time(begin_us, end_us));
	return true;
}

bool linux_parse_fast(struct host *h, const char *bytes, size_t len)
{
	static const struct {
		const char *name;
		void (*read)(struct host *h, const struct section *s);
	} sections[] = {{"rstat", host_rdma_statistic}, {"net", net_section},
		{"stats", host_stats_section}, {"fec", host_fec_section},
		{"link", host_link_section}, {"pause", host_pause_section}};
	struct section s;
	size_t at = 0;

	while (section_next(bytes, len, &at, &s)) {
		if (host_common_section(h, &s))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(sections); i++)
			if (str_eq(s.name, sections[i].name))
				sections[i].read(h, &s);
	}
	if (!h->begun)
		return false;
	host_settle(h);
	host_bonds_sum(h);
	for (size_t i = 0; i < h->ports.n; i++) {
		emit_state(h, h->ports.at[i]);
		emit_counters(h, h->ports.at[i]);
	}
	report_needs(h);
	/* Values from before a hang were read at the beginning. */
	if (!h->ended && h->begin_us)
		h->o->device_us = h->begin_us;
	if (h->begin_us && h->end_us >= h->begin_us)
		h->o->device_us = middle_time(h->begin_us, h->end_us);
	sampled_at(h->o, h->o->device_us);
	positions_tell(h->target->slots, add_times);
	return true;
}
