/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/sonic_redis.h"

/* COUNTERS_DB: what syncd's poll groups and the watchdog write. */

enum { OID_PORT = 0x1, OID_QUEUE = 0x15, OID_PG = 0x1a };
#define QUEUES_PER_PORT 16u /* 8 unicast, 8 multicast */
#define PGS_PER_PORT    8u
#define CODEWORDS_PS    73529411u /* 400 Gb/s over 5440 bits */

#define AT(member)  offsetof(struct sim_port, member)
#define QAT(member) offsetof(struct sim_queue, member)

/* How a field comes about. */
enum how {
	H_MEMBER = 1, /* uint64_t of the port or queue at offset arg */
	H_ZERO,
	H_PG_DROPS,
	H_PFC_RX, /* arg: priority */
	H_PFC_TX,
	H_PFC_US,
	H_FEC_BIN, /* arg: symbols */
	H_ECN_BYTES,
	H_WD_STATUS,
	H_WD_TEXT, /* text */
	H_WD_LOSSLESS,
	H_PAUSE_STATUS,
};

struct field {
	const char *name;
	enum how how;
	size_t arg;
	const char *text;
};

#define PS(name) "SAI_PORT_STAT_" name
#define PFC(n)                                                                                     \
	{PS("PFC_" #n "_RX_PKTS"), H_PFC_RX, n, NULL},                                             \
		{PS("PFC_" #n "_TX_PKTS"), H_PFC_TX, n, NULL},                                     \
	{                                                                                          \
		PS("PFC_" #n "_RX_PAUSE_DURATION_US"), H_PFC_US, n, NULL                           \
	}
#define BIN(n)                                                                                     \
	{                                                                                          \
		PS("IF_IN_FEC_CODEWORD_ERRORS_S" #n), H_FEC_BIN, n, NULL                           \
	}
#define PZERO(name)                                                                                \
	{                                                                                          \
		PS(name), H_ZERO, 0, NULL                                                          \
	}
#define PM(name, member)                                                                           \
	{                                                                                          \
		PS(name), H_MEMBER, AT(member), NULL                                               \
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
	{PS("IN_DROPPED_PKTS"), H_PG_DROPS, 0, NULL},
	PM("OUT_DROPPED_PKTS", tx_discards),
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

#define QS(name) "SAI_QUEUE_STAT_" name
#define WS(name) "PFC_WD_QUEUE_STATS_" name

static const struct field queue_fields[] = {
	{QS("PACKETS"), H_MEMBER, QAT(tx_packets), NULL},
	{QS("BYTES"), H_MEMBER, QAT(tx_bytes), NULL},
	{QS("DROPPED_PACKETS"), H_MEMBER, QAT(drops), NULL},
	{QS("DROPPED_BYTES"), H_ZERO, 0, NULL},
	{QS("SHARED_WATERMARK_BYTES"), H_MEMBER, QAT(watermark_bytes), NULL},
	{QS("WRED_ECN_MARKED_PACKETS"), H_MEMBER, QAT(ecn_marked), NULL},
	{QS("WRED_ECN_MARKED_BYTES"), H_ECN_BYTES, 0, NULL},
	{QS("WRED_DROPPED_PACKETS"), H_MEMBER, QAT(wred_drops), NULL},
	{QS("WRED_DROPPED_BYTES"), H_ZERO, 0, NULL},
	{QS("CURR_OCCUPANCY_BYTES"), H_WD_LOSSLESS, QAT(depth_bytes), NULL},
	{"SAI_QUEUE_ATTR_PAUSE_STATUS", H_PAUSE_STATUS, 0, NULL},
	{"PFC_WD_STATUS", H_WD_STATUS, 0, NULL},
	{"PFC_WD_ACTION", H_WD_TEXT, 0, "drop"},
	{"PFC_WD_DETECTION_TIME", H_WD_TEXT, 0, "200000"},
	{"PFC_WD_DETECTION_TIME_LEFT", H_WD_TEXT, 0, "200000"},
	{"PFC_WD_RESTORATION_TIME", H_WD_TEXT, 0, "400000"},
	{WS("DEADLOCK_DETECTED"), H_WD_LOSSLESS, QAT(wd_detected), NULL},
	{WS("DEADLOCK_RESTORED"), H_WD_LOSSLESS, QAT(wd_restored), NULL},
	{WS("TX_DROPPED_PACKETS"), H_WD_LOSSLESS, QAT(wd_drops), NULL},
	{WS("RX_DROPPED_PACKETS"), H_WD_TEXT, 0, "0"},
};

#define GS(name) "SAI_INGRESS_PRIORITY_GROUP_STAT_" name

static const struct field pg_fields[] = {
	{GS("DROPPED_PACKETS"), H_MEMBER, QAT(pg_drops), NULL},
	{GS("SHARED_WATERMARK_BYTES"), H_MEMBER, QAT(pg_watermark_bytes), NULL},
	{GS("XOFF_ROOM_WATERMARK_BYTES"), H_MEMBER, QAT(headroom_watermark_bytes), NULL},
};

static const struct field queue_marks[] = {
	{QS("SHARED_WATERMARK_BYTES"), H_MEMBER, QAT(watermark_bytes), NULL},
};

/* A queue of the multicast half: nothing goes there. */
static const struct sim_queue idle_queue;

static const struct sim_queue *queue_of(const struct redis_row *row)
{
	return row->index < 8 ? &row->port->q[row->index] : &idle_queue;
}

static uint64_t fec_bin(const struct redis *r, const struct sim_port *p, size_t bin)
{
	uint64_t corrected = p->fec_corrected, many = corrected / 64;

	if (bin == 0)
		return (uint64_t)(sim_now(r->ctx->sim) - r->d->boot_us) / 1000 *
		       (CODEWORDS_PS / 1000);
	if (bin == 1)
		return corrected - many;
	return bin == 2 ? many : 0;
}

static bool port_value(const struct redis *r, const struct redis_row *row, const struct field *f,
	struct redis_value *v)
{
	const struct sim_port *p = row->port;
	uint64_t n = 0;
	unsigned i;

	switch (f->how) {
	case H_MEMBER:
		memcpy(&n, (const char *)p + f->arg, sizeof(n));
		break;
	case H_PG_DROPS:
		for (i = 0; i < PGS_PER_PORT; i++)
			n += p->q[i].pg_drops;
		break;
	case H_PFC_RX:
		n = p->q[f->arg].pfc_rx_frames;
		break;
	case H_PFC_TX:
		n = p->q[f->arg].pfc_tx_frames;
		break;
	case H_PFC_US:
		if (!(LOSSLESS_MASK >> f->arg & 1))
			return false;
		n = p->q[f->arg].pfc_rx_us;
		break;
	case H_FEC_BIN:
		n = fec_bin(r, p, f->arg);
		break;
	default:
		break;
	}
	redis_u64(v, n);
	return true;
}

static bool queue_value(const struct redis_row *row, const struct field *f, struct redis_value *v)
{
	const struct sim_queue *q = queue_of(row);
	bool watched = row->index < 8 && (LOSSLESS_MASK >> row->index & 1);
	uint64_t n = 0;

	switch (f->how) {
	case H_WD_LOSSLESS:
		if (!watched)
			return false;
		/* fall through */
	case H_MEMBER:
		memcpy(&n, (const char *)q + f->arg, sizeof(n));
		redis_u64(v, n);
		return true;
	case H_ECN_BYTES:
		redis_u64(v, q->tx_packets ? (uint64_t)((double)q->ecn_marked *
							(double)q->tx_bytes / (double)q->tx_packets)
					   : 0);
		return true;
	case H_WD_STATUS:
		redis_text(v, q->wd_stormed ? "stormed" : "operational");
		return watched;
	case H_PAUSE_STATUS:
		redis_text(v, q->wd_stormed ? "true" : "false");
		return watched;
	case H_WD_TEXT:
		redis_text(v, f->text);
		return watched;
	default:
		redis_u64(v, 0);
		return true;
	}
}

/* ---- tables of fixed fields ---- */

struct field_set {
	const struct field *fields;
	size_t n;
	bool port;
};

static const struct field_set port_set = {
	port_fields, sizeof(port_fields) / sizeof(port_fields[0]), true};
static const struct field_set queue_set = {
	queue_fields, sizeof(queue_fields) / sizeof(queue_fields[0]), false};
static const struct field_set pg_set = {pg_fields, sizeof(pg_fields) / sizeof(pg_fields[0]), false};
static const struct field_set pg_marks_set = {pg_fields + 1, 2, false};
static const struct field_set queue_marks_set = {queue_marks, 1, false};

static bool set_value(const struct redis *r, const struct field_set *set,
	const struct redis_row *row, const struct field *f, struct redis_value *v)
{
	return set->port ? port_value(r, row, f, v) : queue_value(row, f, v);
}

static void set_each(const struct redis *r, const struct field_set *set,
	const struct redis_row *row, redis_field_fn each, void *arg)
{
	struct redis_value v;
	size_t i;

	for (i = 0; i < set->n; i++)
		if (set_value(r, set, row, &set->fields[i], &v))
			each(arg, set->fields[i].name, strlen(set->fields[i].name), &v);
}

/* The tail of a name tells fields apart soonest: they all begin alike. */
static bool name_is(const struct field *f, const char *name, size_t n)
{
	size_t len = strlen(f->name);

	return len == n && f->name[n - 6] == name[n - 6] && !memcmp(f->name, name, n);
}

static bool set_get(const struct redis *r, const struct field_set *set, const struct redis_row *row,
	const char *name, size_t n, struct redis_value *v)
{
	size_t i;

	if (n < 6)
		return false;
	for (i = 0; i < set->n; i++)
		if (name_is(&set->fields[i], name, n))
			return set_value(r, set, row, &set->fields[i], v);
	return false;
}

/* Each of the tables needs its own pair of functions because a table has no argument. */
#define SET_FUNCTIONS(set)                                                                         \
	static void set##_each(const struct redis *r, const struct redis_row *row,                 \
		redis_field_fn each, void *arg)                                                    \
	{                                                                                          \
		set_each(r, &set, row, each, arg);                                                 \
	}                                                                                          \
	static bool set##_get(const struct redis *r, const struct redis_row *row,                  \
		const char *name, size_t n, struct redis_value *v)                                 \
	{                                                                                          \
		return set_get(r, &set, row, name, n, v);                                          \
	}
SET_FUNCTIONS(port_set)
SET_FUNCTIONS(queue_set)
SET_FUNCTIONS(pg_set)
SET_FUNCTIONS(pg_marks_set)
SET_FUNCTIONS(queue_marks_set)

/* ---- object ids ---- */

static uint64_t make_oid(const struct redis *r, unsigned type, unsigned port, unsigned index)
{
	unsigned each = type == OID_QUEUE ? QUEUES_PER_PORT : type == OID_PG ? PGS_PER_PORT : 1;

	return (uint64_t)type << 48 | (r->oid_base + port * each + index);
}

static bool open_oid(
	const struct redis *r, const char *rest, size_t n, unsigned type, struct redis_row *row)
{
	uint64_t v = 0, number;
	unsigned each = type == OID_QUEUE ? QUEUES_PER_PORT : type == OID_PG ? PGS_PER_PORT : 1;
	size_t i;

	if (n < 3 || n > 18 || rest[0] != '0' || rest[1] != 'x')
		return false;
	for (i = 2; i < n; i++) {
		int c = (unsigned char)rest[i];

		if (!isxdigit(c) || isupper(c))
			return false;
		v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	if (v >> 48 != type || (v & UINT64_C(0xffffffffffff)) < r->oid_base)
		return false;
	number = (v & UINT64_C(0xffffffffffff)) - r->oid_base;
	if (number / each >= r->d->nports)
		return false;
	row->port = &r->d->ports[number / each];
	row->index = (unsigned)(number % each);
	return true;
}

#define OPEN_OID(name, type)                                                                       \
	static bool name(const struct redis *r, const char *rest, size_t n, struct redis_row *row) \
	{                                                                                          \
		return open_oid(r, rest, n, type, row);                                            \
	}                                                                                          \
	static void name##_keys(                                                                   \
		const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)  \
	{                                                                                          \
		keys_oids(r, t, type, each, arg);                                                  \
	}

static void keys_oids(const struct redis *r, const struct redis_table *t, unsigned type,
	redis_key_fn each, void *arg)
{
	unsigned per = type == OID_QUEUE ? QUEUES_PER_PORT
		       : type == OID_PG  ? PGS_PER_PORT
					 : 1,
		 p, i;
	char key[64];

	for (p = 0; p < r->d->nports; p++) {
		for (i = 0; i < per; i++) {
			(void)snprintf(key, sizeof(key), "%s0x%llx", t->prefix,
				(unsigned long long)make_oid(r, type, p, i));
			each(arg, key);
		}
	}
}

OPEN_OID(open_port_oid, OID_PORT)
OPEN_OID(open_queue_oid, OID_QUEUE)
OPEN_OID(open_pg_oid, OID_PG)

/* ---- RATES ---- */

static double packets_ps(double bytes_ps, uint64_t bytes, uint64_t packets)
{
	return bytes ? bytes_ps * (double)packets / (double)bytes : 0;
}

static void give(redis_field_fn each, void *arg, const char *name, const struct redis_value *v)
{
	each(arg, name, strlen(name), v);
}

static void give_number(redis_field_fn each, void *arg, const char *name, double x)
{
	struct redis_value v;

	redis_textf(&v, "%.17g", x);
	give(each, arg, name, &v);
}

static void rates_each(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;
	struct redis_value v;

	(void)r;
	redis_u64(&v, p->rx_bytes);
	give(each, arg, PS("IF_IN_OCTETS_last"), &v);
	redis_u64(&v, p->tx_bytes);
	give(each, arg, PS("IF_OUT_OCTETS_last"), &v);
	give_number(each, arg, "FEC_PRE_BER", p->pre_fec_ber);
	give_number(each, arg, "FEC_POST_BER", 0);
	redis_text(&v, "-1");
	give(each, arg, "FEC_MAX_T", &v);
	/* Bytes per second, whatever the name says. */
	give_number(each, arg, "RX_BPS", p->rx_bytes_ps);
	give_number(each, arg, "RX_PPS", packets_ps(p->rx_bytes_ps, p->rx_bytes, p->rx_packets));
	give_number(each, arg, "TX_BPS", p->tx_bytes_ps);
	give_number(each, arg, "TX_PPS", packets_ps(p->tx_bytes_ps, p->tx_bytes, p->tx_packets));
}

/* ---- name maps ---- */

static void give_map(
	const struct redis *r, unsigned type, unsigned per, redis_field_fn each, void *arg)
{
	struct redis_value v;
	char name[32];
	unsigned p, i;

	for (p = 0; p < r->d->nports; p++) {
		for (i = 0; i < per; i++) {
			int n = snprintf(name, sizeof(name),
				type == OID_PORT ? "Ethernet%u" : "Ethernet%u:%u", p * SONIC_LANES,
				i);

			redis_textf(&v, "oid:0x%llx", (unsigned long long)make_oid(r, type, p, i));
			each(arg, name, (size_t)n, &v);
		}
	}
}

static bool map_get(const struct redis *r, unsigned type, unsigned per, const char *name, size_t n,
	struct redis_value *v)
{
	size_t used = n;
	const struct sim_port *p = redis_port(r, name, &used);
	unsigned index = 0;

	if (!p)
		return false;
	if (type == OID_PORT) {
		if (used != n)
			return false;
	} else {
		if (used + 1 >= n || n - used > 3 || name[used] != ':')
			return false;
		for (used++; used < n; used++) {
			if (!isdigit((unsigned char)name[used]))
				return false;
			index = index * 10 + (unsigned)(name[used] - '0');
		}
		if (index >= per)
			return false;
	}
	redis_textf(v, "oid:0x%llx", (unsigned long long)make_oid(r, type, p->port, index));
	return true;
}

#define NAME_MAP(map, type, per)                                                                   \
	static void map##_each(const struct redis *r, const struct redis_row *row,                 \
		redis_field_fn each, void *arg)                                                    \
	{                                                                                          \
		(void)row;                                                                         \
		give_map(r, type, per, each, arg);                                                 \
	}                                                                                          \
	static bool map##_get(const struct redis *r, const struct redis_row *row,                  \
		const char *name, size_t n, struct redis_value *v)                                 \
	{                                                                                          \
		(void)row;                                                                         \
		return map_get(r, type, per, name, n, v);                                          \
	}
NAME_MAP(port_map, OID_PORT, 1)
NAME_MAP(queue_map, OID_QUEUE, QUEUES_PER_PORT)
NAME_MAP(pg_map, OID_PG, PGS_PER_PORT)

/* oid to queue type, index or port */
static void queue_reverse(const struct redis *r, char what, redis_field_fn each, void *arg)
{
	struct redis_value v;
	char oid[32];
	unsigned p, i;

	for (p = 0; p < r->d->nports; p++) {
		for (i = 0; i < QUEUES_PER_PORT; i++) {
			int n = snprintf(oid, sizeof(oid), "oid:0x%llx",
				(unsigned long long)make_oid(r, OID_QUEUE, p, i));

			if (what == 't')
				redis_text(&v, i < 8 ? "SAI_QUEUE_TYPE_UNICAST"
						     : "SAI_QUEUE_TYPE_MULTICAST");
			else if (what == 'i')
				redis_u64(&v, i);
			else
				redis_textf(&v, "oid:0x%llx",
					(unsigned long long)make_oid(r, OID_PORT, p, 0));
			each(arg, oid, (size_t)n, &v);
		}
	}
}

#define REVERSE(map, what)                                                                         \
	static void map(const struct redis *r, const struct redis_row *row, redis_field_fn each,   \
		void *arg)                                                                         \
	{                                                                                          \
		(void)row;                                                                         \
		queue_reverse(r, what, each, arg);                                                 \
	}
REVERSE(queue_types, 't')
REVERSE(queue_indexes, 'i')
REVERSE(queue_ports, 'p')

#define SINGLE    redis_open_single, redis_keys_single
#define OID(kind) open_##kind##_oid, open_##kind##_oid_keys

const struct redis_table redis_counter_tables[] = {
	{COUNTERS_DB, "COUNTERS:oid:", OID(port), port_set_each, port_set_get},
	{COUNTERS_DB, "COUNTERS:oid:", OID(queue), queue_set_each, queue_set_get},
	{COUNTERS_DB, "COUNTERS:oid:", OID(pg), pg_set_each, pg_set_get},
	{COUNTERS_DB, "RATES:oid:", OID(port), rates_each, NULL},
	{COUNTERS_DB, "USER_WATERMARKS:oid:", OID(queue), queue_marks_set_each,
		queue_marks_set_get},
	{COUNTERS_DB, "USER_WATERMARKS:oid:", OID(pg), pg_marks_set_each, pg_marks_set_get},
	{COUNTERS_DB, "PERSISTENT_WATERMARKS:oid:", OID(queue), queue_marks_set_each,
		queue_marks_set_get},
	{COUNTERS_DB, "PERSISTENT_WATERMARKS:oid:", OID(pg), pg_marks_set_each, pg_marks_set_get},
	{COUNTERS_DB, "PERIODIC_WATERMARKS:oid:", OID(queue), queue_marks_set_each,
		queue_marks_set_get},
	{COUNTERS_DB, "PERIODIC_WATERMARKS:oid:", OID(pg), pg_marks_set_each, pg_marks_set_get},
	{COUNTERS_DB, "COUNTERS_PORT_NAME_MAP", SINGLE, port_map_each, port_map_get},
	{COUNTERS_DB, "COUNTERS_QUEUE_NAME_MAP", SINGLE, queue_map_each, queue_map_get},
	{COUNTERS_DB, "COUNTERS_PG_NAME_MAP", SINGLE, pg_map_each, pg_map_get},
	{COUNTERS_DB, "COUNTERS_QUEUE_TYPE_MAP", SINGLE, queue_types, NULL},
	{COUNTERS_DB, "COUNTERS_QUEUE_INDEX_MAP", SINGLE, queue_indexes, NULL},
	{COUNTERS_DB, "COUNTERS_QUEUE_PORT_MAP", SINGLE, queue_ports, NULL},
	{0, NULL, NULL, NULL, NULL, NULL},
};
