/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "backends/contract/known_fields.h"
#include "backends/contract/needs.h"
#include "backends/parse/cells.h"
#include "backends/parse/number.h"
#include "backends/parse/number_positions.h"
#include "base/digits.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/* The poll groups of FLEX_COUNTER_TABLE behind the fields, and the command that enables each. */
enum poll_group {
	G_PORT,
	G_QUEUE,
	G_QUEUE_WM,
	G_PG_WM,
	G_PG_DROP,
	G_ECN,
	G_GROUPS,
	G_WATCHDOG = G_GROUPS, /* the PFC watchdog's own, which is not in the table */
};
static const struct {
	const char *key, *cure;
	enum refresh_group group;
	uint32_t refresh_ms; /* orchagent's default, for a table without POLL_INTERVAL */
} groups[G_GROUPS] = {
	[G_PORT] = {"PORT", "sudo counterpoll port enable", GROUP_PORT, 1000},
	[G_QUEUE] = {"QUEUE", "sudo counterpoll queue enable", GROUP_QUEUE, 10000},
	[G_QUEUE_WM] = {"QUEUE_WATERMARK", "sudo counterpoll watermark enable", GROUP_WATERMARK,
		60000},
	[G_PG_WM] = {"PG_WATERMARK", "sudo counterpoll watermark enable", GROUP_WATERMARK, 60000},
	[G_PG_DROP] = {"PG_DROP", "sudo counterpoll pg-drop enable", GROUP_PGDROP, 10000},
	[G_ECN] = {"WRED_ECN_QUEUE", "sudo counterpoll wredqueue enable", GROUP_QUEUE, 10000},
};

#define REFRESH_MOST_MS 3600000U

#define HISTORY_CURE  "sudo pfcwd pfc_stat_history enable PORT"
#define WATCHDOG_CURE "sudo config pfcwd start --action drop PORT 200 --restoration-time 200"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct field {
	const char *name; /* without its list's prefix */
	enum counter_id id;
	enum poll_group group; /* of a queue's field */
};

/* Names and counters of fields.def. Fields of the same counter add up. */
static const struct field port_fields[] = {
#define PORT(field, counter)       {field, CTR_##counter, G_PORT},
#define PORT_FAULT(field, counter) {field, CTR_##counter, G_PORT},
#include "backends/dialects/sonic/fields.def"
};

static const struct field pfc_fields[] = {
#define PFC(field, counter) {field, CTR_##counter, G_PORT},
#include "backends/dialects/sonic/fields.def"
};

static const struct field pfc_time_fields[] = {
#define PFC_TIME(field, counter) {field, CTR_##counter, G_PORT},
#include "backends/dialects/sonic/fields.def"
};

static const struct field ratio_fields[] = {
#define RATIO(field, counter) {field, CTR_##counter, G_PORT},
#include "backends/dialects/sonic/fields.def"
};

static const struct field queue_fields[] = {
#define QUEUE(group, field, counter) {"SAI_QUEUE_STAT_" field, CTR_##counter, G_##group},
#include "backends/dialects/sonic/fields.def"
};

static const struct field watchdog_fields[] = {
#define WATCHDOG(field, counter) {"PFC_WD_" field, CTR_##counter, G_WATCHDOG},
#include "backends/dialects/sonic/fields.def"
};

/*
 * A counter of the chip takes precedence over the history that the watchdog estimates from polls.
 */
enum { RANK_ESTIMATED = 1, RANK_COUNTED };

static const enum need_id needs[] = {
	NEED_PORT_COUNTERS,
	NEED_PFC,
	NEED_PAUSE_RX,
	NEED_PAUSE_TX,
	NEED_QUEUES,
	NEED_QUEUE_DROPS,
	NEED_ECN_MARKS,
	NEED_QUEUE_WATERMARKS,
	NEED_HEADROOM,
	NEED_PG_DROPS,
	NEED_WATCHDOG,
	NEED_FEC,
	NEED_FEC_BINS,
	NEED_PRE_FEC_BER,
	NEED_LINK_FLAPS,
};

#define COLUMNS_MAX 256

/* Meaning of each position of a row; looked up once per reply instead of once per port. */
struct columns {
	size_t n;
	struct {
		bool used, seen; /* a counter of ours; a port has it */
		enum counter_id id;
		uint8_t sub;
		uint8_t rank;  /* 0: fields of the same counter add up */
		uint16_t cell; /* cell of the counter at sub */
	} at[COLUMNS_MAX];
};

/* Positions of the texts in a queue's row; -1: absent. */
enum queue_text { Q_STATUS, Q_ACTION, Q_DETECT, Q_RESTORE, Q_HISTORY, Q_RED, Q_TEXTS };
static const char *const queue_texts[Q_TEXTS] = {
	[Q_STATUS] = "PFC_WD_STATUS",
	[Q_ACTION] = "PFC_WD_ACTION",
	[Q_DETECT] = "PFC_WD_DETECTION_TIME",
	[Q_RESTORE] = "PFC_WD_RESTORATION_TIME",
	[Q_HISTORY] = "PFC_STAT_HISTORY",
	[Q_RED] = "BIG_RED_SWITCH_MODE",
};

struct row {
	size_t n;
	const struct json_value *at[COLUMNS_MAX];
};

/*
 * The names of the fields are stored, and each port is decoded when it is complete. Our script
 * sends the ports last. If a port precedes a list of names, the reply is read a second time.
 */
enum want { W_TIME, W_N, W_PF, W_RF, W_QF, W_AF, W_MF, W_HF, W_FC, W_FI, W_CAN, W_PORT, W_COUNT };
static const struct json_want wants[W_COUNT] = {
	[W_TIME] = {"t", true},
	[W_N] = {"n", true},
	[W_PF] = {"pf", true},
	[W_RF] = {"rf", true},
	[W_QF] = {"qf", true},
	[W_AF] = {"af", true},
	[W_MF] = {"mf", true},
	[W_HF] = {"hf", true},
	[W_FC] = {"fc", true},
	[W_FI] = {"fi", true},
	[W_CAN] = {"can", true},
	[W_PORT] = {"ports.*", false},
};

/* Twice the words for the names and one port with eight lossless priorities. */
#define ROOM 6144

struct fast {
	const struct target *target;
	struct obs *o;
	struct json_select doc;
	bool is_ready;  /* the names are known and looked up */
	bool is_second; /* second pass over the reply */
	bool is_late;   /* a port came before the names */
	struct columns port, queue;
	struct sonic_link_columns link;
	struct row row; /* the queue row being read */
	int texts[Q_TEXTS];
	struct cells cells;
	uint32_t number; /* the batch's number of the port being read */
	enum validity absent[G_GROUPS];
	const char *cure[G_GROUPS];
	uint8_t can_estimate; /* priorities of the port with a watchdog that could keep a history */
	uint8_t storms;       /* priorities in a storm */
	uint8_t unwatched;    /* priorities without a watchdog on their queue */
	const struct json_value *chip; /* row of the port's watchdog in the chip; NULL: none */
	bool voq;                      /* a card of a chassis with virtual output queues */
	uint64_t room[ROOM];
};

static const struct json_value *kept_value(const struct fast *f, enum want w)
{
	return json_select_kept(&f->doc, w);
}

static bool field_find(const struct field *f, size_t n, const char *name, enum counter_id *id)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(f[i].name, name)) {
			*id = f[i].id;
			return true;
		}
	return false;
}

/* Whether the field is the first of those of its counter. */
static bool is_first_of(const struct field *f, size_t i)
{
	return !i || f[i].id != f[i - 1].id;
}

/* "PFC_3_RX_PKTS": the name contains the priority. */
static bool pfc_column(struct columns *c, size_t i, const char *name, uint8_t rank)
{
	if (!str_starts(name, "PFC_") || name[4] < '0' || name[4] > '7')
		return false;
	c->at[i].sub = (uint8_t)(name[4] - '0');
	name += 5;
	c->at[i].used = field_find(pfc_fields, ARRAY_LEN(pfc_fields), name, &c->at[i].id) ||
			field_find(pfc_time_fields, ARRAY_LEN(pfc_time_fields), name, &c->at[i].id);
	c->at[i].rank = rank;
	return true;
}

static void port_column(struct columns *c, size_t i, const char *name)
{
	static const char counted[] = "SAI_PORT_STAT_", estimated[] = "EST_PORT_STAT_";
	static const char bin[] = "IF_IN_FEC_CODEWORD_ERRORS_S";
	unsigned n;

	if (str_starts(name, estimated)) {
		(void)pfc_column(c, i, name + strlen(estimated), RANK_ESTIMATED);
		return;
	}
	if (!str_starts(name, counted))
		return;
	name += strlen(counted);
	if (pfc_column(c, i, name, RANK_COUNTED))
		return;
	if (parse_index(name, bin, counter_dim_size(CTR_FEC_BIN), &n)) {
		c->at[i].used = true;
		c->at[i].id = CTR_FEC_BIN;
		c->at[i].sub = (uint8_t)n;
		return;
	}
	c->at[i].used = field_find(port_fields, ARRAY_LEN(port_fields), name, &c->at[i].id);
}

/*
 * A chassis with virtual output queues drops before the fabric, at the queues of the card that
 * received the packet. The drop counters of an egress queue stay 0 there, which is no evidence.
 */
static bool is_elsewhere(const struct fast *f, enum counter_id id)
{
	return f->voq && (id == CTR_QUEUE_DROPS || id == CTR_WRED_DROPS);
}

static void find_cells(struct columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].used)
			c->at[i].cell = counter_cell(c->at[i].id, c->at[i].sub);
}

static void port_columns(struct columns *c, const struct json_value *fields)
{
	memset(c, 0, sizeof(*c));
	for (json_value_items(field, fields)) {
		if (c->n == COLUMNS_MAX)
			break;
		port_column(c, c->n++, json_value_text_or(field, ""));
	}
	find_cells(c);
}

static void queue_columns(struct fast *f, const struct json_value *fields)
{
	struct columns *c = &f->queue;

	memset(c, 0, sizeof(*c));
	for (int i = 0; i < Q_TEXTS; i++)
		f->texts[i] = -1;
	for (json_value_items(field, fields)) {
		const char *name = json_value_text_or(field, "");

		if (c->n == COLUMNS_MAX)
			break;
		for (int i = 0; i < Q_TEXTS; i++)
			if (f->texts[i] < 0 && str_eq(queue_texts[i], name))
				f->texts[i] = (int)c->n;
		c->at[c->n].used =
			field_find(queue_fields, ARRAY_LEN(queue_fields), name, &c->at[c->n].id) ||
			field_find(
				watchdog_fields, ARRAY_LEN(watchdog_fields), name, &c->at[c->n].id);
		if (c->at[c->n].used && is_elsewhere(f, c->at[c->n].id))
			c->at[c->n].used = false;
		c->n++;
	}
	find_cells(c);
}

/* The table's poll interval; 0 if it is not a plausible number. */
static uint32_t refresh_of(const char *text, const struct json_value *table, int g)
{
	uint64_t ms;

	if (!text)
		return table ? groups[g].refresh_ms : 0;
	return str_to_u64(text, &ms) && ms <= REFRESH_MOST_MS ? (uint32_t)ms : 0;
}

/*
 * A missing field is disabled if its poll group is off, and unsupported by the chip if the group
 * runs. WRED_ECN_QUEUE is off by default; the other groups are on.
 */
static void groups_read(struct fast *f)
{
	const struct json_value *fc = kept_value(f, W_FC), *fi = kept_value(f, W_FI);
	bool cannot_ecn =
		str_eq(json_value_text(json_value_get(kept_value(f, W_CAN), "ecn")), "false");

	for (int g = 0; g < G_GROUPS; g++) {
		const char *status = json_value_text(json_value_get(fc, groups[g].key));
		bool on = status ? str_eq(status, "enable") : !fc && g != G_ECN;

		if (g == G_ECN && cannot_ecn)
			on = true;
		f->absent[g] = on ? VALID_UNSUPPORTED : VALID_DISABLED;
		f->cure[g] = on ? "" : groups[g].cure;
		if (g != G_ECN)
			f->o->refresh_ms[groups[g].group] = refresh_of(
				json_value_text(json_value_get(fi, groups[g].key)), fi, g);
	}
}

static void add_absent(
	struct fast *f, uint32_t port, enum counter_id id, uint8_t mask, enum poll_group g)
{
	cells_absent(&f->cells, f->o, port, id, mask, f->absent[g], f->cure[g]);
}

/*
 * Reports the position of the number that take_field() will take: it adds up, replaces another one,
 * or is ignored.
 */
static void note_slot(const struct fast *f, size_t cell, uint8_t rank, struct position_word text)
{
	struct number_positions *s = f->target->slots;
	uint8_t had = f->cells.rank[cell];

	if (!s)
		return;
	if (rank && rank <= had) {
		positions_unused(s, text.at, text.n);
		return;
	}
	if (rank && had)
		positions_void(s, f->number, (uint16_t)cell);
	positions_add(s, text.at, text.n, f->number, (uint16_t)cell, 1);
}

static void take_field(struct fast *f, const struct columns *c, size_t i, unsigned p, uint64_t v,
	struct position_word text)
{
	struct cells *cells = &f->cells;
	size_t cell = c->at[i].cell + p;

	note_slot(f, cell, c->at[i].rank, text);
	if (!c->at[i].rank) {
		cells->value[cell] = cells->rank[cell] ? cells->value[cell] + v : v;
		cells->rank[cell] = 1;
	} else if (c->at[i].rank > cells->rank[cell]) {
		cells->value[cell] = v;
		cells->rank[cell] = c->at[i].rank;
	}
}

static bool is_separator(char c)
{
	return c == ' ' || c == ',';
}

/* "12,7,- 3": the many counters of a port come as one text, which costs less than a list. */
static void parse_line(struct fast *f, struct columns *c, const struct json_value *line, unsigned p)
{
	const char *from = json_value_text(line), *at = from, *end = at + strlen(at);
	const char *source = json_select_source(&f->doc, line);

	for (size_t i = 0; i < c->n && at < end; i++) {
		uint64_t v;
		size_t n = end - at > 16 ? digits_16(at, &v) : 0;
		bool is_number = n && n < 16 && is_separator(at[n]);

		if (!is_number) {
			n = strcspn(at, " ,");
			is_number = parse_u64(at, n, &v);
		}
		c->at[i].seen |= is_number;
		if (is_number && c->at[i].used)
			take_field(f, c, i, p, v,
				(struct position_word){source ? source + (at - from) : NULL, n});
		else if (is_number && source)
			positions_unused(f->target->slots, source + (at - from), n);
		at += n + is_separator(at[n]);
	}
}

static void row_of(struct row *row, const struct json_value *list)
{
	row->n = 0;
	for (json_value_items(v, list))
		if (row->n < COLUMNS_MAX)
			row->at[row->n++] = v;
}

/* Position of a string in the answer; at is NULL for other values. */
static struct position_word text_of(const struct fast *f, const struct json_value *v)
{
	return (struct position_word){json_select_source(&f->doc, v), json_value_text_len(v)};
}

/* A queue's row has one priority; a port's row has it in the names. */
static void parse_row(struct fast *f, struct columns *c, const struct json_value *list, unsigned p)
{
	f->row.n = 0; /* so that queue_text() finds no items of an earlier row */
	if (json_value_is(list, DV_STRING)) {
		parse_line(f, c, list, p);
		return;
	}
	row_of(&f->row, list);
	for (size_t i = 0; i < c->n && i < f->row.n; i++) {
		uint64_t v;

		if (!json_value_u64(f->row.at[i], &v))
			continue;
		c->at[i].seen = true;
		if (c->at[i].used)
			take_field(f, c, i, p, v, text_of(f, f->row.at[i]));
	}
}

static void parse_ber(struct fast *f, uint32_t port, const struct json_value *row)
{
	for (size_t i = 0; i < ARRAY_LEN(ratio_fields); i++) {
		const struct field *field = &ratio_fields[i];
		const struct json_value *v = sonic_value(kept_value(f, W_RF), row, field->name);
		double ber;

		if (json_value_real(v, &ber) == NUMBER_OK && ber >= 0 && ber <= 1) {
			struct position_word text = text_of(f, v);

			positions_ratio(f->target->slots, text.at, text.n, port,
				counter_cell(field->id, 0));
			obs_gauge(f->o, port, field->id, 0, ber);
		} else
			obs_invalid(f->o, port, field->id, 0, f->absent[G_PORT], f->cure[G_PORT]);
	}
}

/* Returns a text of the queue's row; NULL: absent. */
static const struct json_value *queue_text(const struct fast *f, enum queue_text which)
{
	int i = f->texts[which];

	return i < 0 || (size_t)i >= f->row.n ? NULL : f->row.at[i];
}

static void parse_watchdog(struct fast *f, uint32_t port, unsigned p, bool in_storm)
{
	const struct sonic_watchdog w = {.status = queue_text(f, Q_STATUS),
		.action = queue_text(f, Q_ACTION),
		.detect = queue_text(f, Q_DETECT),
		.restore = queue_text(f, Q_RESTORE),
		.red = queue_text(f, Q_RED),
		.chip_fields = kept_value(f, W_HF),
		.chip = f->chip,
		.in_storm = in_storm};
	bool runs = sonic_parse_watchdog(&w, f->o, port, p);

	if (str_eq(json_value_text(queue_text(f, Q_HISTORY)), "disable"))
		f->can_estimate |= (uint8_t)(1u << p);
	if (!runs)
		f->unwatched |= (uint8_t)(1u << p);
	for (size_t i = 0; i < ARRAY_LEN(watchdog_fields); i++)
		if (is_first_of(watchdog_fields, i))
			cells_absent(&f->cells, f->o, port, watchdog_fields[i].id,
				(uint8_t)(1u << p), runs ? VALID_UNSUPPORTED : VALID_DISABLED,
				runs ? "" : WATCHDOG_CURE);
}

/* Adds a counter that has only this one source. */
static void add_cell(struct fast *f, enum counter_id id, unsigned p, const struct json_value *v)
{
	struct position_word text;
	uint64_t n;

	if (!json_value_u64(v, &n))
		return;
	text = text_of(f, v);
	note_slot(f, counter_cell(id, p), 0, text);
	cells_add(&f->cells, id, p, n);
}

static void parse_queue(
	struct fast *f, uint32_t port, const char *key, const struct json_value *entry)
{
	unsigned p;

	if (!parse_index(key, "", PRIORITIES, &p))
		return;
	parse_row(f, &f->queue, json_value_at(entry, 0), p);
	add_cell(f, CTR_QUEUE_WATERMARK_BYTES, p, json_value_at(entry, 1));
	parse_watchdog(f, port, p, f->storms >> p & 1);
}

/* Storms on queues that are not lossless: no other data is read about these. */
static void parse_other_storms(struct fast *f, uint32_t port, const struct json_value *queues)
{
	char key[] = "0";

	for (unsigned p = 0; f->storms >> p; p++) {
		key[0] = (char)('0' + p);
		if (f->storms >> p & 1 && !json_value_get(queues, key))
			obs_word(f->o, port, ATTR_PFCWD_STATE, p, "stormed");
	}
}

static void parse_group(struct fast *f, const char *key, const struct json_value *entry)
{
	const struct json_value *marks = json_value_at(entry, 0);
	unsigned p;

	if (!parse_index(key, "", PRIORITIES, &p))
		return;
	add_cell(f, CTR_PG_WATERMARK_BYTES, p, json_value_at(marks, 0));
	add_cell(f, CTR_HEADROOM_WATERMARK_BYTES, p, json_value_at(marks, 1));
	add_cell(f, CTR_PG_DROPS, p, json_value_at(entry, 1));
}

/* Virtual output queues to the port: packets dropped, and deleted by the credit watchdog. */
static void parse_voqs(struct fast *f, const struct json_value *list)
{
	for (unsigned p = 0; p < PRIORITIES; p++) {
		add_cell(f, CTR_QUEUE_DROPS, p, json_value_at(json_value_at(list, p), 0));
		add_cell(f, CTR_CREDIT_WD_DROPS, 0, json_value_at(json_value_at(list, p), 1));
	}
}

/*
 * The duration of pauses is measured only while the watchdog runs: by the chip, or by the watchdog
 * itself if that is enabled.
 */
static void absent_history(struct fast *f, uint32_t port, enum counter_id id)
{
	uint8_t lossless = f->target->lossless, off = f->unwatched & lossless;
	uint8_t could = f->can_estimate & lossless & (uint8_t)~off;

	if (f->absent[G_PORT] == VALID_DISABLED)
		off = could = 0;
	cells_absent(&f->cells, f->o, port, id, off, VALID_DISABLED, WATCHDOG_CURE);
	cells_absent(&f->cells, f->o, port, id, could, VALID_DISABLED, HISTORY_CURE);
	add_absent(f, port, id, (uint8_t)(lossless & ~(could | off)), G_PORT);
}

static void absent_queue_field(struct fast *f, uint32_t port, const struct field *field)
{
	uint8_t lossless = f->target->lossless;

	if (is_elsewhere(f, field->id)) {
		cells_absent(&f->cells, f->o, port, field->id, lossless, VALID_UNSUPPORTED, "");
		return;
	}
	if (field->group != G_WATCHDOG) {
		add_absent(f, port, field->id, lossless, field->group);
		return;
	}
	cells_absent(&f->cells, f->o, port, field->id, f->unwatched & lossless, VALID_DISABLED,
		WATCHDOG_CURE);
	cells_absent(&f->cells, f->o, port, field->id, lossless & (uint8_t)~f->unwatched,
		VALID_UNSUPPORTED, "");
}

/* Reports every expected but missing counter of a port, with the reason. */
static void report_absent(struct fast *f, uint32_t port)
{
	static const struct {
		enum counter_id id;
		enum poll_group g;
	} lossless[] = {
		{CTR_PFC_TX_DURATION_US, G_PORT},
		{CTR_QUEUE_WATERMARK_BYTES, G_QUEUE_WM},
		{CTR_PG_WATERMARK_BYTES, G_PG_WM},
		{CTR_HEADROOM_WATERMARK_BYTES, G_PG_WM},
		{CTR_PG_DROPS, G_PG_DROP},
	};

	for (size_t i = 0; i < ARRAY_LEN(port_fields); i++)
		if (is_first_of(port_fields, i))
			add_absent(f, port, port_fields[i].id, 1, G_PORT);
	add_absent(f, port, CTR_FEC_BIN, 1, G_PORT);
	for (size_t i = 0; i < ARRAY_LEN(pfc_fields); i++)
		if (is_first_of(pfc_fields, i))
			add_absent(f, port, pfc_fields[i].id, 0xff, G_PORT);
	for (size_t i = 0; i < ARRAY_LEN(pfc_time_fields); i++)
		if (is_first_of(pfc_time_fields, i))
			absent_history(f, port, pfc_time_fields[i].id);
	for (size_t i = 0; i < ARRAY_LEN(queue_fields); i++)
		if (is_first_of(queue_fields, i))
			absent_queue_field(f, port, &queue_fields[i]);
	for (size_t i = 0; i < ARRAY_LEN(lossless); i++)
		add_absent(f, port, lossless[i].id, f->target->lossless, lossless[i].g);
	/* Older releases do not count flaps at all. */
	cells_absent(&f->cells, f->o, port, CTR_CARRIER_CHANGES, 1, VALID_UNSUPPORTED, "");
	cells_absent(&f->cells, f->o, port, CTR_LINK_DOWN_EVENTS, 1, VALID_UNSUPPORTED, "");
	cells_absent(&f->cells, f->o, port, CTR_CREDIT_WD_DROPS, f->voq, VALID_UNSUPPORTED, "");
}

static void parse_port(struct fast *f, const char *name, const struct json_value *e)
{
	uint32_t port = obs_port(f->o, name);

	if (port == OBS_NO_PORT)
		return;
	f->number = port;
	cells_reset(&f->cells);
	f->can_estimate = f->unwatched = 0;
	f->storms = sonic_storms(json_value_get(e, "s"));
	f->chip = json_value_get(e, "h");
	sonic_parse_link(&f->link, kept_value(f, W_MF), e, f->o, port, &f->cells);
	parse_row(f, &f->port, json_value_get(e, "c"), 0);
	parse_ber(f, port, json_value_get(e, "r"));
	for (json_value_members(v, json_value_get(e, "q")))
		parse_queue(f, port, json_value_name(v), v);
	parse_other_storms(f, port, json_value_get(e, "q"));
	for (json_value_members(v, json_value_get(e, "g")))
		parse_group(f, json_value_name(v), v);
	parse_voqs(f, json_value_get(e, "v"));
	cells_emit(&f->cells, f->o, port);
	report_absent(f, port);
}

/* ---- the reply ---- */

static bool has_names(const struct fast *f)
{
	for (int w = 0; w < W_PORT; w++)
		if (w != W_N && w != W_HF && !kept_value(f, (enum want)w))
			return false;
	return true;
}

/* Looks the names up, once per reply. */
static void get_ready(struct fast *f)
{
	if (f->is_ready)
		return;
	f->is_ready = true;
	f->voq = str_eq(json_value_text(json_value_get(kept_value(f, W_CAN), "type")), "voq");
	port_columns(&f->port, kept_value(f, W_PF));
	sonic_link_columns(&f->link, kept_value(f, W_AF));
	queue_columns(f, kept_value(f, W_QF));
	groups_read(f);
}

/* Reports the numbers of ports outside of the front panel as unused. */
static void note_unused(const struct fast *f, const struct json_value *v)
{
	struct position_word text = text_of(f, v);
	size_t n;

	for (json_value_members(member, v))
		note_unused(f, member);
	for (json_value_items(item, v))
		note_unused(f, item);
	for (size_t i = 0; text.at && i < text.n; i += n ? n : 1) {
		n = strspn(text.at + i, "0123456789");
		if (n)
			positions_unused(f->target->slots, text.at + i, n);
	}
}

static bool take_piece(void *ctx, size_t want, const char *name, const struct json_value *v)
{
	struct fast *f = ctx;

	if (want != W_PORT)
		return true;
	f->is_late |= !f->is_second && !has_names(f);
	if (f->target->slots && !f->is_late && !sonic_is_data_port(name))
		note_unused(f, v);
	if (f->is_late || !sonic_is_data_port(name) || !json_value_is(v, DV_OBJECT))
		return true;
	get_ready(f);
	parse_port(f, name, v);
	return true;
}

static void fast_begin(struct fast *f, const struct target *t, struct obs *o)
{
	f->target = t;
	f->o = o;
	f->is_ready = f->is_second = f->is_late = f->voq = false;
	json_select_begin(&f->doc, wants, W_COUNT, take_piece, f, f->room, ROOM);
}

/* With several ASICs the clock of the first counts. */
static void note_time(const struct fast *f)
{
	const struct json_value *t = kept_value(f, W_TIME);

	for (unsigned i = 0; i < 2; i++) {
		struct position_word text = text_of(f, json_value_at(t, i));

		if (f->o->device_us)
			positions_unused(f->target->slots, text.at, text.n);
		else
			positions_word(f->target->slots, text.at, text.n, SONIC_SECONDS + i, false);
	}
}

/* Appends the names of a list that every release has, and no port of this answer. */
static void add_gone(
	const struct columns *c, const struct json_value *names, char *dst, size_t size)
{
	size_t i = 0;

	for (json_value_items(name, names)) {
		const char *text = json_value_text_or(name, "");
		size_t n = strlen(dst);

		if (i == c->n)
			return;
		if (c->at[i].used && !c->at[i].seen && sonic_is_core_field(text))
			(void)str_printf(dst + n, size - n, "%s%s", n ? " " : "", text);
		i++;
	}
}

/* Names that are gone while their counters are polled: see backends/contract/known_fields.h. */
static void say_known(struct fast *f)
{
	char gone[120] = "";

	if (!f->o->ports.n || f->absent[G_PORT] == VALID_DISABLED)
		return;
	add_gone(&f->port, kept_value(f, W_PF), gone, sizeof(gone));
	if (f->absent[G_QUEUE] != VALID_DISABLED)
		add_gone(&f->queue, kept_value(f, W_QF), gone, sizeof(gone));
	known_fields_say(f->target, "fast", gone, f->o);
}

static bool fast_end(struct fast *f, struct err *err)
{
	if (!json_select_opened(&f->doc, W_PORT))
		return sonic_no_ports(f->target, "fast", err);
	get_ready(f);
	note_time(f);
	sonic_parse_time(kept_value(f, W_TIME), f->o);
	if (!f->port.n)
		return err_set(err, ERR_PROTOCOL, f->target->device,
			"the counter reply has no field names: \"pf\" is missing");
	say_known(f);
	return true;
}

bool sonic_read_fast(const struct target *t, const char *bytes, size_t len, struct obs *o,
	uint64_t *ports, struct err *err)
{
	struct obs_mark mark = obs_mark(o);
	struct fast f;
	bool ok;

	fast_begin(&f, t, o);
	if (t->slots)
		json_select_trace(&f.doc, bytes, len);
	ok = json_select_read(&f.doc, bytes, len, t->device, err);
	if (ok && f.is_late) {
		f.is_late = false;
		f.is_second = true;
		json_select_again(&f.doc, 1u << W_PORT);
		ok = json_select_read(&f.doc, bytes, len, t->device, err);
	}
	if (ok) {
		sonic_note_ports(kept_value(&f, W_N), ports);
		ok = fast_end(&f, err);
	} else
		obs_rewind(o, &mark);
	json_select_free(&f.doc);
	return ok;
}

/* True: at least one port reported its state, for which there is no counter. */
static bool tells_state(const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_WORD && o->items.at[i].code == ATTR_OPER)
			return true;
	return false;
}

void sonic_fast_needs(const struct target *t, struct obs *o)
{
	positions_tell(t->slots, sonic_tell);
	needs_report(o, needs, ARRAY_LEN(needs));
	if (o->ports.n)
		need_say(o, NEED_PORT_STATE, tells_state(o) ? VALID_OK : VALID_UNSUPPORTED, "");
}
