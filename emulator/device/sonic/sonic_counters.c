/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/sonic/sonic_notes.h"
#include "emulator/device/sonic/sonic_redis.h"

/*
 * COUNTERS_DB: the values that syncd's poll groups and the watchdog write. They depend on the ASIC.
 * Spectrum counts the time that a priority was paused, if the watchdog runs. Broadcom counts
 * transitions, and reads the pause status of a queue.
 */

#define AT(member)  offsetof(struct sim_port, member)
#define QAT(member) offsetof(struct sim_queue, member)

/* Source of a field's value. */
enum how {
	H_MEMBER = 1, /* uint64_t of the port or queue at offset arg */
	H_ZERO,
	H_PG_DROPS,
	H_PFC_RX, /* arg: priority */
	H_PFC_TX,
	H_PFC_US,
	H_ON2OFF,
	H_EST_TRANSITIONS,
	H_EST_US,
	H_EST_STAMP,
	H_FEC_BIN, /* arg: symbols */
	H_DROPPED_BYTES,
	H_ECN, /* offset arg; updated while the group WRED_ECN_QUEUE runs */
	H_ECN_BYTES,
	H_WD_STATUS,
	H_WD_ACTION,
	H_WD_DETECT,
	H_WD_RESTORE,
	H_WD_DEPTH,
	H_WD_COUNT, /* offset arg; stays after the watchdog was stopped */
	H_WD_ZERO,
	H_WD_LAST,
	H_WD_BIG_RED,
	H_WD_HISTORY,
	H_PAUSE_STATUS,
	H_POOL,
};

struct field {
	const char *name;
	enum how how;
	unsigned arg;
	enum sonic_group group; /* the group that writes it: 0, the ports' own, by default */
};

#define PS(name) "SAI_PORT_STAT_" name
#define PFC(n)                                                                                     \
	{PS("PFC_" #n "_RX_PKTS"), H_PFC_RX, n, SONIC_PORT},                                       \
		{PS("PFC_" #n "_TX_PKTS"), H_PFC_TX, n, SONIC_PORT},                               \
	{                                                                                          \
		PS("PFC_" #n "_RX_PAUSE_DURATION_US"), H_PFC_US, n, SONIC_PORT                     \
	}
#define BIN(n)                                                                                     \
	{                                                                                          \
		PS("IF_IN_FEC_CODEWORD_ERRORS_S" #n), H_FEC_BIN, n, SONIC_PORT                     \
	}
#define PZERO(name)                                                                                \
	{                                                                                          \
		PS(name), H_ZERO, 0, SONIC_PORT                                                    \
	}
#define PM(name, member)                                                                           \
	{                                                                                          \
		PS(name), H_MEMBER, AT(member), SONIC_PORT                                         \
	}

static const struct field port_fields[] = {
	PM("IF_IN_OCTETS", rx_bytes),
	PM("IF_OUT_OCTETS", tx_bytes),
	PM("IF_IN_UCAST_PKTS", rx_packets),
	PM("IF_OUT_UCAST_PKTS", tx_packets),
	PZERO("IF_IN_NON_UCAST_PKTS"),
	PZERO("IF_OUT_NON_UCAST_PKTS"),
	PZERO("IF_IN_MULTICAST_PKTS"),
	PZERO("IF_OUT_MULTICAST_PKTS"),
	PZERO("IF_IN_BROADCAST_PKTS"),
	PZERO("IF_OUT_BROADCAST_PKTS"),
	PM("IF_IN_DISCARDS", rx_discards),
	PM("IF_OUT_DISCARDS", tx_discards),
	PM("IF_IN_ERRORS", rx_errors),
	PM("IF_OUT_ERRORS", tx_errors),
	PZERO("IF_IN_UNKNOWN_PROTOS"),
	PM("DOT3_STATS_FCS_ERRORS", rx_fcs_errors),
	PM("DOT3_STATS_SYMBOL_ERRORS", rx_symbol_errors),
	{PS("IN_DROPPED_PKTS"), H_PG_DROPS, 0, SONIC_PORT_BUFFER_DROP},
	{PS("OUT_DROPPED_PKTS"), H_MEMBER, AT(tx_discards), SONIC_PORT_BUFFER_DROP},
	PZERO("ETHER_STATS_UNDERSIZE_PKTS"),
	PZERO("ETHER_RX_OVERSIZE_PKTS"),
	PZERO("ETHER_TX_OVERSIZE_PKTS"),
	PM("ETHER_STATS_TX_NO_ERRORS", tx_packets),
	PZERO("IP_IN_UCAST_PKTS"),
	PZERO("ETHER_IN_PKTS_64_OCTETS"),
	PZERO("ETHER_IN_PKTS_65_TO_127_OCTETS"),
	PZERO("ETHER_IN_PKTS_128_TO_255_OCTETS"),
	PZERO("ETHER_IN_PKTS_256_TO_511_OCTETS"),
	PZERO("ETHER_IN_PKTS_512_TO_1023_OCTETS"),
	PZERO("ETHER_IN_PKTS_1024_TO_1518_OCTETS"),
	PZERO("ETHER_IN_PKTS_1519_TO_2047_OCTETS"),
	PZERO("ETHER_OUT_PKTS_64_OCTETS"),
	PZERO("ETHER_OUT_PKTS_65_TO_127_OCTETS"),
	PZERO("ETHER_OUT_PKTS_128_TO_255_OCTETS"),
	PZERO("ETHER_OUT_PKTS_256_TO_511_OCTETS"),
	PZERO("ETHER_OUT_PKTS_512_TO_1023_OCTETS"),
	PZERO("ETHER_OUT_PKTS_1024_TO_1518_OCTETS"),
	PZERO("ETHER_OUT_PKTS_1519_TO_2047_OCTETS"),
	PZERO("PAUSE_RX_PKTS"),
	PZERO("PAUSE_TX_PKTS"),
	PFC(0),
	PFC(1),
	PFC(2),
	PFC(3),
	PFC(4),
	PFC(5),
	PFC(6),
	PFC(7),
	PM("IF_IN_FEC_CORRECTABLE_FRAMES", fec_corrected),
	PM("IF_IN_FEC_NOT_CORRECTABLE_FRAMES", fec_uncorrectable),
	PM("IF_IN_FEC_SYMBOL_ERRORS", fec_symbol_errors),
	BIN(0),
	BIN(1),
	BIN(2),
	BIN(3),
	BIN(4),
	BIN(5),
	BIN(6),
	BIN(7),
	BIN(8),
	BIN(9),
	BIN(10),
	BIN(11),
	BIN(12),
	BIN(13),
	BIN(14),
	BIN(15),
	PM("IF_IN_FEC_CORRECTED_BITS", fec_corrected_bits),
};

/* Broadcom's SAI: number of pause ends, and the estimates of pfc_stat_history. */
#define HISTORY(n)                                                                                 \
	{PS("PFC_" #n "_ON2OFF_RX_PKTS"), H_ON2OFF, n, SONIC_PORT},                                \
		{"EST_PORT_STAT_PFC_" #n "_ON2OFF_RX_PKTS", H_EST_TRANSITIONS, n, SONIC_PORT},     \
		{"EST_PORT_STAT_PFC_" #n "_RX_PAUSE_DURATION_US", H_EST_US, n, SONIC_PORT},        \
		{"EST_PORT_STAT_PFC_" #n "_RECENT_PAUSE_TIME_US", H_EST_US, n, SONIC_PORT},        \
	{                                                                                          \
		"EST_PORT_STAT_PFC_" #n "_RECENT_PAUSE_TIMESTAMP", H_EST_STAMP, n, SONIC_PORT      \
	}
static const struct field history_fields[] = {HISTORY(0), HISTORY(1), HISTORY(2), HISTORY(3),
	HISTORY(4), HISTORY(5), HISTORY(6), HISTORY(7)};

#define QS(name) "SAI_QUEUE_STAT_" name
#define WS(name) "PFC_WD_QUEUE_STATS_" name

static const struct field queue_fields[] = {
	{QS("PACKETS"), H_MEMBER, QAT(tx_packets), SONIC_QUEUE},
	{QS("BYTES"), H_MEMBER, QAT(tx_bytes), SONIC_QUEUE},
	{QS("DROPPED_PACKETS"), H_MEMBER, QAT(drops), SONIC_QUEUE},
	{QS("DROPPED_BYTES"), H_DROPPED_BYTES, QAT(drops), SONIC_QUEUE},
	{QS("SHARED_WATERMARK_BYTES"), H_MEMBER, QAT(watermark_bytes), SONIC_QUEUE_WATERMARK},
	{QS("WRED_ECN_MARKED_PACKETS"), H_ECN, QAT(ecn_marked), SONIC_WRED_QUEUE},
	{QS("WRED_ECN_MARKED_BYTES"), H_ECN_BYTES, QAT(ecn_marked), SONIC_WRED_QUEUE},
	{QS("WRED_DROPPED_PACKETS"), H_ECN, QAT(wred_drops), SONIC_WRED_QUEUE},
	{QS("WRED_DROPPED_BYTES"), H_ECN_BYTES, QAT(wred_drops), SONIC_WRED_QUEUE},
	{QS("CURR_OCCUPANCY_BYTES"), H_WD_DEPTH, QAT(depth_bytes), SONIC_PFCWD},
	{"SAI_QUEUE_ATTR_PAUSE_STATUS", H_PAUSE_STATUS, 0, SONIC_PFCWD},
	{"PFC_WD_STATUS", H_WD_STATUS, 0, SONIC_PFCWD},
	{"PFC_WD_ACTION", H_WD_ACTION, 0, SONIC_PFCWD},
	{"PFC_WD_DETECTION_TIME", H_WD_DETECT, 0, SONIC_PFCWD},
	{"PFC_WD_DETECTION_TIME_LEFT", H_WD_DETECT, 0, SONIC_PFCWD},
	{"PFC_WD_RESTORATION_TIME", H_WD_RESTORE, 0, SONIC_PFCWD},
	{"PFC_WD_RESTORATION_TIME_LEFT", H_WD_RESTORE, 0, SONIC_PFCWD},
	{"PFC_STAT_HISTORY", H_WD_HISTORY, 0, SONIC_PFCWD},
	{"BIG_RED_SWITCH_MODE", H_WD_BIG_RED, 0, SONIC_PFCWD},
	{WS("DEADLOCK_DETECTED"), H_WD_COUNT, QAT(wd_detected), SONIC_PFCWD},
	{WS("DEADLOCK_RESTORED"), H_WD_COUNT, QAT(wd_restored), SONIC_PFCWD},
	{WS("TX_PACKETS"), H_WD_ZERO, 0, SONIC_PFCWD},
	{WS("TX_DROPPED_PACKETS"), H_WD_COUNT, QAT(wd_drops), SONIC_PFCWD},
	{WS("RX_PACKETS"), H_WD_ZERO, 0, SONIC_PFCWD},
	{WS("RX_DROPPED_PACKETS"), H_WD_ZERO, 0, SONIC_PFCWD},
	{WS("TX_PACKETS_LAST"), H_WD_ZERO, 0, SONIC_PFCWD},
	{WS("TX_DROPPED_PACKETS_LAST"), H_WD_LAST, 0, SONIC_PFCWD},
	{WS("RX_PACKETS_LAST"), H_WD_ZERO, 0, SONIC_PFCWD},
	{WS("RX_DROPPED_PACKETS_LAST"), H_WD_ZERO, 0, SONIC_PFCWD},
};

#define GS(name) "SAI_INGRESS_PRIORITY_GROUP_STAT_" name

static const struct field pg_fields[] = {
	{GS("DROPPED_PACKETS"), H_MEMBER, QAT(pg_drops), SONIC_PG_DROP},
	{GS("SHARED_WATERMARK_BYTES"), H_MEMBER, QAT(pg_watermark_bytes), SONIC_PG_WATERMARK},
	{GS("XOFF_ROOM_WATERMARK_BYTES"), H_MEMBER, QAT(headroom_watermark_bytes),
		SONIC_PG_WATERMARK},
};

static const struct field queue_marks[] = {
	{QS("SHARED_WATERMARK_BYTES"), H_MEMBER, QAT(watermark_bytes), SONIC_QUEUE_WATERMARK},
};

static const struct field pool_fields[] = {
	{"SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", H_POOL, 0, SONIC_POOL_WATERMARK},
	{"SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES", H_POOL, 1, SONIC_POOL_WATERMARK},
};

/* A queue of the multicast half, which has no traffic. */
static const struct sim_queue idle_queue;

/* A group that is switched off shows the values that it wrote last. */
static const struct sim_queue *queue_of(
	const struct redis *r, const struct redis_row *row, const struct field *f)
{
	return row->index < 8 ? &sonic_counted(r->ctx, r->d, row->port, f->group)->q[row->index]
			      : &idle_queue;
}

static uint64_t member_value(const void *base, size_t offset)
{
	uint64_t n;

	memcpy(&n, (const char *)base + offset, sizeof(n));
	return n;
}

static bool is_watched(const struct sim_port *p, size_t prio)
{
	return prio < 8 && (p->config.wd_mask >> prio & 1);
}

/* ---- ports ---- */

/* The estimate samples the pause status at every poll, so it grows in steps of the interval. */
static bool history_value(const struct redis *r, const struct sim_port *p, const struct field *f,
	struct redis_value *v)
{
	const struct sim_queue *q = &p->q[f->arg];
	uint64_t step = (uint64_t)r->d->config.wd_poll_ms * 1000;
	uint64_t transitions = q->pfc_rx_frames ? 1 + q->pfc_rx_frames / 64 : 0;

	if (f->how == H_ON2OFF) {
		redis_u64(v, transitions);
		return !r->d->platform->pause_us;
	}
	if (!sonic_history(r->ctx, r->d, p))
		return false;
	if (f->how == H_EST_TRANSITIONS)
		redis_u64(v, transitions);
	else if (f->how == H_EST_STAMP)
		redis_u64(v, q->pfc_rx_us >= step ? (uint64_t)p->counters_us : 0);
	else
		redis_u64(v, step ? q->pfc_rx_us - q->pfc_rx_us % step : 0);
	return true;
}

static bool port_value(const struct redis *r, const struct redis_row *row, const struct field *f,
	struct redis_value *v)
{
	const struct sim_port *p = sonic_counted(r->ctx, r->d, row->port, f->group);
	uint64_t n = 0;

	switch (f->how) {
	case H_MEMBER:
		n = member_value(p, f->arg);
		break;
	case H_PG_DROPS:
		for (unsigned i = 0; i < 8; i++)
			n += p->q[i].pg_drops;
		break;
	case H_PFC_RX:
		n = p->q[f->arg].pfc_rx_frames;
		break;
	case H_PFC_TX:
		n = p->q[f->arg].pfc_tx_frames;
		break;
	case H_PFC_US:
		if (!r->d->platform->pause_us || !is_watched(p, f->arg))
			return false;
		n = p->q[f->arg].pfc_rx_us;
		break;
	case H_FEC_BIN:
		if (!r->d->platform->fec_bins)
			return false;
		n = p->fec_bin[f->arg];
		break;
	case H_ZERO:
		break;
	default:
		return history_value(r, p, f, v);
	}
	redis_u64(v, n);
	return true;
}

/* ---- queues and priority groups ---- */

static const char *const actions[] = {
	[SIM_WD_DROP] = "drop", [SIM_WD_FORWARD] = "forward", [SIM_WD_ALERT] = "alert"};

static bool watchdog_value(const struct redis *r, const struct redis_row *row,
	const struct field *f, struct redis_value *v)
{
	const struct sim_queue *q = queue_of(r, row, f);
	const struct sim_port_config *c = &row->port->config;

	switch (f->how) {
	case H_WD_STATUS:
		redis_text(v, q->wd_stormed ? "stormed" : "operational");
		break;
	case H_WD_ACTION:
		redis_text(v, actions[c->wd_action]);
		break;
	case H_WD_DETECT: /* in microseconds; the configuration has milliseconds */
		redis_u64(v, (uint64_t)c->wd_detect_ms * 1000);
		break;
	case H_WD_RESTORE:
		redis_u64(v, (uint64_t)c->wd_restore_ms * 1000);
		break;
	case H_WD_DEPTH:
		redis_u64(v, member_value(q, f->arg));
		break;
	case H_WD_BIG_RED:
		redis_text(v, "enable");
		return r->d->config.wd_big_red;
	case H_WD_HISTORY:
		redis_text(v, "enable");
		return sonic_history(r->ctx, r->d, row->port);
	default:
		redis_text(v, q->wd_stormed ? "true" : "false");
		return !r->d->platform->pause_us;
	}
	return true;
}

/* orchagent's storm counters stay after the watchdog was stopped. */
static bool storm_value(const struct redis *r, const struct redis_row *row, const struct field *f,
	struct redis_value *v)
{
	const struct sim_queue *q = queue_of(r, row, f);
	uint64_t n = 0;

	if (f->how == H_WD_COUNT)
		n = member_value(q, f->arg);
	else if (f->how == H_WD_LAST && q->wd_detected)
		n = q->wd_drops / q->wd_detected;
	redis_u64(v, n);
	return is_watched(row->port, row->index) || q->wd_detected;
}

static uint64_t mean_bytes(const struct sim_queue *q, uint64_t packets)
{
	return q->tx_packets
		       ? (uint64_t)((double)packets * (double)q->tx_bytes / (double)q->tx_packets)
		       : 0;
}

static uint64_t pool_mark(const struct redis *r, unsigned pool, bool headroom)
{
	uint64_t n = 0;

	for (unsigned p = 0; p < r->d->nports; p++) {
		for (unsigned i = 0; i < 8; i++) {
			const struct sim_queue *q =
				&sonic_counted(r->ctx, r->d, &r->d->ports[p], SONIC_POOL_WATERMARK)
					 ->q[i];
			bool lossless = r->d->ports[p].config.pfc_mask >> i & 1;

			if (pool == 2)
				n += headroom ? q->headroom_watermark_bytes : q->pg_watermark_bytes;
			else if (!headroom && (pool == 0) == lossless)
				n += q->watermark_bytes;
		}
	}
	return n < sonic_pool_bytes(pool, headroom) ? n : sonic_pool_bytes(pool, headroom);
}

static bool queue_value(const struct redis *r, const struct redis_row *row, const struct field *f,
	struct redis_value *v)
{
	const struct sim_queue *q = queue_of(r, row, f);

	switch (f->how) {
	case H_MEMBER:
		redis_u64(v, member_value(q, f->arg));
		return true;
	case H_DROPPED_BYTES:
		redis_u64(v, mean_bytes(q, q->drops));
		return true;
	case H_ECN:
		redis_u64(v, member_value(q, f->arg));
		return r->d->config.count_ecn;
	case H_ECN_BYTES:
		redis_u64(v, mean_bytes(q, member_value(q, f->arg)));
		return r->d->config.count_ecn;
	case H_WD_COUNT:
	case H_WD_ZERO:
	case H_WD_LAST:
		return storm_value(r, row, f, v);
	case H_POOL:
		redis_u64(v, pool_mark(r, row->index, f->arg));
		return true;
	default:
		return is_watched(row->port, row->index) && watchdog_value(r, row, f, v);
	}
}

/* ---- tables of fixed fields ---- */

struct field_set {
	enum redis_object type; /* first member: redis_open_oid() reads it */
	const struct field *fields, *more;
	size_t n, more_n;
};

#define SET(type, fields)                                                                          \
	{                                                                                          \
		type, fields, NULL, sizeof(fields) / sizeof((fields)[0]), 0                        \
	}
static const struct field_set port_set = {OID_PORT, port_fields, history_fields,
	sizeof(port_fields) / sizeof(port_fields[0]),
	sizeof(history_fields) / sizeof(history_fields[0])};
static const struct field_set queue_set = SET(OID_QUEUE, queue_fields);
static const struct field_set pg_set = SET(OID_PG, pg_fields);
static const struct field_set pool_set = SET(OID_POOL, pool_fields);
static const struct field_set pg_marks_set = {OID_PG, pg_fields + 1, NULL, 2, 0};
static const struct field_set queue_marks_set = SET(OID_QUEUE, queue_marks);

static bool set_value(const struct redis *r, const struct redis_row *row, const struct field *f,
	struct redis_value *v)
{
	const struct field_set *set = row->table->arg;

	return set->type == OID_PORT ? port_value(r, row, f, v) : queue_value(r, row, f, v);
}

static void fields_each(const struct redis *r, const struct redis_row *row, const struct field *f,
	size_t n, redis_field_fn each, void *arg)
{
	struct redis_value v;

	for (; n--; f++)
		if (set_value(r, row, f, &v))
			redis_give(each, arg, f->name, &v);
}

static void set_each(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct field_set *set = row->table->arg;

	fields_each(r, row, set->fields, set->n, each, arg);
	fields_each(r, row, set->more, set->more_n, each, arg);
}

/* Compares from the end of a name: the names begin alike and differ at the end. */
static const struct field *field_find(
	const struct field *f, size_t fields, const char *name, size_t n)
{
	for (; fields--; f++) {
		size_t len = strlen(f->name);

		if (len == n && f->name[n - 6] == name[n - 6] && !memcmp(f->name, name, n))
			return f;
	}
	return NULL;
}

static bool set_get(const struct redis *r, const struct redis_row *row, const char *name, size_t n,
	struct redis_value *v)
{
	const struct field_set *set = row->table->arg;
	const struct field *f;

	if (n < 6)
		return false;
	f = field_find(set->fields, set->n, name, n);
	if (!f)
		f = field_find(set->more, set->more_n, name, n);
	return f && set_value(r, row, f, v);
}

#define ROWS(prefix, set)                                                                          \
	{                                                                                          \
		COUNTERS_DB, prefix ":oid:", REDIS_OIDS, set_each, set_get, &(set)                 \
	}

const struct redis_table redis_counter_tables[] = {
	ROWS("COUNTERS", port_set),
	ROWS("COUNTERS", queue_set),
	ROWS("COUNTERS", pg_set),
	ROWS("COUNTERS", pool_set),
	ROWS("USER_WATERMARKS", queue_marks_set),
	ROWS("USER_WATERMARKS", pg_marks_set),
	ROWS("USER_WATERMARKS", pool_set),
	ROWS("PERSISTENT_WATERMARKS", queue_marks_set),
	ROWS("PERSISTENT_WATERMARKS", pg_marks_set),
	ROWS("PERSISTENT_WATERMARKS", pool_set),
	ROWS("PERIODIC_WATERMARKS", queue_marks_set),
	ROWS("PERIODIC_WATERMARKS", pg_marks_set),
	ROWS("PERIODIC_WATERMARKS", pool_set),
	{0, NULL, NULL, NULL, NULL, NULL, NULL},
};
