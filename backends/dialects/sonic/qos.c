/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "backends/contract/needs.h"
#include "backends/parse/schedule.h"
#include "base/str.h"

/*
 * Decodes the QoS settings of CONFIG_DB. The tables refer to each other by name: PORT_QOS_MAP to a
 * port's maps, QUEUE to a queue's WRED profile, BUFFER_PG to a priority group's buffer profile.
 */

/* "[WRED_PROFILE|AZURE]" in releases before 2022, "AZURE" in newer ones. */
static void plain_name(const char *ref, char *dst, size_t size)
{
	const char *bar = strchr(ref, '|');

	if (*ref == '[' && bar)
		str_copyn(dst, size, bar + 1, strcspn(bar + 1, "]"));
	else
		str_copy(dst, size, ref);
}

/* Returns the row of a table that a reference names. */
static const struct json_value *find_row(const struct json_value *table, const char *ref)
{
	char name[128];

	plain_name(ref, name, sizeof(name));
	return *name ? json_value_get(table, name) : NULL;
}

/* ---- maps ---- */

#define DSCP_MOST 64
_Static_assert(sizeof(((struct sonic_map *)0)->text) == DSCP_MOST + 1, "a digit for each DSCP");

static const struct {
	const char *field, *table;
	enum obs_attr attr;
	unsigned n;
} kinds[SONIC_MAPS] = {
	[SONIC_DSCP_TO_TC] = {"dscp_to_tc_map", "DSCP_TO_TC_MAP", ATTR_DSCP_TO_TC, DSCP_MOST},
	[SONIC_TC_TO_QUEUE] = {"tc_to_queue_map", "TC_TO_QUEUE_MAP", ATTR_TC_TO_QUEUE, PRIORITIES},
	[SONIC_TC_TO_PG] = {"tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", ATTR_TC_TO_PG, PRIORITIES},
	[SONIC_PRIO_TO_QUEUE] = {"pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE",
		ATTR_PRIO_TO_QUEUE, PRIORITIES},
};

static void read_map(const struct json_value *doc, enum sonic_map_kind kind, struct sonic_map *map)
{
	char name[128], key[192];
	const struct json_value *flat, *from = NULL, *value = NULL;
	unsigned i, to;

	plain_name(map->ref, name, sizeof(name));
	str_printf(key, sizeof(key), "%s|%s", kinds[kind].table, name);
	flat = json_value_get(json_value_get(doc, "maps"), key);
	map->text[0] = '\0';
	if (!*name || json_value_size(flat) == 0)
		return;
	memset(map->text, '-', kinds[kind].n);
	map->text[kinds[kind].n] = '\0';
	while (json_value_pair(flat, &from, &value))
		if (parse_index(json_value_text_or(from, ""), "", kinds[kind].n, &i) &&
			parse_index(json_value_text_or(value, ""), "", 10, &to))
			map->text[i] = (char)('0' + to);
}

struct maps {
	const char *text[SONIC_MAPS]; /* "": none; valid until the next port */
};

/* Returns the port's own map, else that of the row for all ports. */
static const char *port_map(
	struct sonic_qos *qos, const struct json_value *row, enum sonic_map_kind kind)
{
	struct sonic_map *map = &qos->maps[kind];
	const char *ref = json_value_text_or(sonic_at(row, map->column), "");

	if (!*ref)
		ref = map->of_all;
	if (!map->ref || !str_eq(map->ref, ref)) {
		map->ref = ref;
		read_map(qos->doc, kind, map);
	}
	return map->text;
}

static void parse_maps(struct sonic_qos *qos, const struct json_value *row, struct obs *o,
	uint32_t port, struct maps *m)
{
	for (int k = 0; k < SONIC_MAPS; k++) {
		m->text[k] = port_map(qos, row, (enum sonic_map_kind)k);
		if (!*m->text[k])
			continue;
		obs_word(o, port, kinds[k].attr, 0, m->text[k]);
		if (k == SONIC_DSCP_TO_TC)
			obs_word(o, port, ATTR_TRUST, 0, "dscp");
	}
}

/* Returns the queue of a priority; without maps it is the queue with the same number. */
static unsigned mapped_queue(const char *map, unsigned p)
{
	return *map && map[p] >= '0' && map[p] < '0' + PRIORITIES ? (unsigned)(map[p] - '0') : p;
}

static unsigned queue_of(const struct maps *m, unsigned p)
{
	const char *own = m->text[SONIC_PRIO_TO_QUEUE];

	return mapped_queue(*own ? own : m->text[SONIC_TC_TO_QUEUE], p);
}

/* ---- references of queues and priority groups ---- */

/* Returns the end of a port name, by which the names of a switch differ. */
static uint64_t tail_of(const char *name, size_t len)
{
	uint64_t tail = 0;
	size_t n = len < sizeof(tail) ? len : sizeof(tail);

	memcpy(&tail, name + len - n, n);
	return tail;
}

/*
 * Adds the references of a row's key to each of its ports. Keys are "Ethernet0|3-4",
 * "Ethernet0,Ethernet4|3" (releases before 2020) or "leaf1|asic0|Ethernet0|3" (chassis).
 */
static void add_refs(struct sonic_refs *refs, const char *key, const struct json_value *to)
{
	const char *last = strrchr(key, '|'), *from = key;
	uint8_t queues = last ? parse_priorities(last + 1) : 0;

	if (!queues || !to)
		return;
	for (const char *at = key; at < last; at++)
		if (*at == '|')
			from = at + 1;
	for (const char *at = from; at < last;) {
		size_t len = strcspn(at, ",|");

		vec_push(refs, (struct sonic_ref){.port = at,
				       .len = len,
				       .tail = tail_of(at, len),
				       .order = refs->n,
				       .queues = queues,
				       .to = to});
		at += len + 1;
	}
}

/* Any order will do that groups the references of a port. */
static int compare_ports(const struct sonic_ref *r, const char *port, size_t len, uint64_t tail)
{
	if (r->tail != tail)
		return r->tail > tail ? 1 : -1;
	if (r->len != len)
		return r->len > len ? 1 : -1;
	return memcmp(r->port, port, len);
}

static int by_port(const void *a, const void *b)
{
	const struct sonic_ref *x = a, *y = b;
	int d = compare_ports(x, y->port, y->len, y->tail);

	return d ? d : (x->order > y->order) - (x->order < y->order);
}

static void index_refs(
	struct sonic_refs *refs, const struct json_value *pairs, const struct json_value *table)
{
	for (json_value_items(entry, pairs))
		add_refs(refs, json_value_text_or(json_value_at(entry, 0), ""),
			find_row(table, json_value_text_or(json_value_at(entry, 1), "")));
	if (refs->n)
		qsort(refs->at, refs->n, sizeof(refs->at[0]), by_port);
}

void sonic_qos_begin(struct sonic_qos *q, const struct json_value *doc)
{
	const struct json_value *pf = json_value_get(doc, "pf"), *all = json_value_get(doc, "all");

	*q = (struct sonic_qos){.doc = doc, .pfc_enable = sonic_column(pf, "pfc_enable")};
	for (int k = 0; k < SONIC_MAPS; k++) {
		q->maps[k].column = sonic_column(pf, kinds[k].field);
		q->maps[k].of_all = json_value_text_or(sonic_at(all, q->maps[k].column), "");
	}
	index_refs(&q->queues, json_value_get(doc, "queues"), json_value_get(doc, "wred"));
	index_refs(&q->groups, json_value_get(doc, "groups"), json_value_get(doc, "buffers"));
	index_refs(&q->schedulers, json_value_get(doc, "scheds"), json_value_get(doc, "sched"));
}

void sonic_qos_end(struct sonic_qos *q)
{
	vec_free(&q->queues);
	vec_free(&q->groups);
	vec_free(&q->schedulers);
}

/* Finds the row for each of the port's queues; the last reference of a queue wins. */
static void rows_of(
	const struct sonic_refs *refs, const char *port, const struct json_value *row[PRIORITIES])
{
	size_t from = 0, to = refs->n, len = strlen(port);
	uint64_t tail = tail_of(port, len);

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare_ports(&refs->at[middle], port, len, tail) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < refs->n && compare_ports(&refs->at[from], port, len, tail) == 0; from++)
		for (unsigned q = 0; q < PRIORITIES; q++)
			if (refs->at[from].queues >> q & 1)
				row[q] = refs->at[from].to;
}

/* ---- ECN: the WRED profile of a queue ---- */

/* The colour of packets that are ECN-marked; packets of a network without meters are green. */
static const char *marking_colour(const char *ecn)
{
	if (str_eq(ecn, "ecn_all") || strstr(ecn, "green"))
		return "green";
	if (strstr(ecn, "yellow"))
		return "yellow";
	return strstr(ecn, "red") ? "red" : NULL;
}

/* Reads the numbers of a row once. */
static void read_numbers(struct sonic_profile *p, const struct json_value *fields,
	const char *prefix, const char *const names[SONIC_PROFILE])
{
	char name[48];

	for (size_t i = 0; i < SONIC_PROFILE; i++) {
		str_printf(name, sizeof(name), "%s%s", prefix, names[i]);
		p->has[i] = json_value_real(sonic_value(fields, p->row, name), &p->value[i]) ==
			    NUMBER_OK;
	}
}

static void emit_numbers(const struct sonic_profile *p, const enum obs_attr attrs[SONIC_PROFILE],
	struct obs *o, uint32_t port, unsigned sub)
{
	for (size_t i = 0; i < SONIC_PROFILE; i++)
		if (p->has[i])
			obs_number(o, port, attrs[i], sub, p->value[i]);
}

/* Returns the decoded row. A switch has few rows, which nearly all of its ports share. */
static const struct sonic_profile *profile_of(struct sonic_profiles *known,
	const struct json_value *row, const struct json_value *doc,
	void (*read)(struct sonic_profile *p, const struct json_value *doc))
{
	struct sonic_profile *p;

	for (size_t i = 0; i < SONIC_PROFILES; i++)
		if (known->at[i].row == row)
			return &known->at[i];
	p = &known->at[known->next++ % SONIC_PROFILES];
	*p = (struct sonic_profile){.row = row};
	read(p, doc);
	return p;
}

static void read_curve(struct sonic_profile *p, const struct json_value *doc)
{
	static const char *const names[SONIC_PROFILE] = {
		"min_threshold", "max_threshold", "drop_probability"};
	const struct json_value *rf = json_value_get(doc, "rf");
	const char *colour = marking_colour(sonic_text(rf, p->row, "ecn"));
	char prefix[16];

	p->applies = colour != NULL;
	if (!colour)
		return;
	(void)str_printf(prefix, sizeof(prefix), "%s_", colour);
	read_numbers(p, rf, prefix, names);
}

static void parse_ecn(
	struct sonic_qos *qos, const char *name, const struct maps *m, struct obs *o, uint32_t port)
{
	static const enum obs_attr attrs[SONIC_PROFILE] = {
		ATTR_ECN_MIN_BYTES, ATTR_ECN_MAX_BYTES, ATTR_ECN_PROBABILITY};
	const struct json_value *rows[PRIORITIES] = {0};
	unsigned marking = 0;

	rows_of(&qos->queues, name, rows);
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct json_value *row = rows[queue_of(m, p)];
		const struct sonic_profile *curve =
			row ? profile_of(&qos->curves, row, qos->doc, read_curve) : NULL;

		if (!curve || !curve->applies)
			continue;
		marking |= 1u << p;
		emit_numbers(curve, attrs, o, port, p);
	}
	obs_number(o, port, ATTR_ECN_ENABLED, 0, marking);
}

/* ---- schedulers ---- */

/* "0:DWRR 20 3:DWRR 60 6:STRICT", by queue. */
static void parse_schedulers(
	const struct sonic_qos *qos, const char *name, struct obs *o, uint32_t port)
{
	const struct json_value *rows[PRIORITIES] = {0}, *sf = json_value_get(qos->doc, "sf");
	struct schedule s = {.text = ""};

	if (!qos->schedulers.n)
		return;
	rows_of(&qos->schedulers, name, rows);
	for (unsigned q = 0; q < PRIORITIES; q++) {
		const char *type = rows[q] ? sonic_text(sf, rows[q], "type") : "";

		/* PRIORITY: the schema of releases before 2020. */
		if (str_eq(type, "STRICT") || str_eq(type, "PRIORITY"))
			schedule_strict(&s, q);
		else if (*type)
			schedule_weighted(&s, q, type, sonic_text(sf, rows[q], "weight"));
	}
	/* A port whose schedulers were removed has none. */
	if (!schedule_emit(&s, o, port))
		obs_word(o, port, ATTR_SCHEDULER, 0, "");
}

/* ---- buffers of priority groups ---- */

/*
 * "xoff" of a lossless profile is the headroom, the room for packets that arrive after XOFF was
 * sent. "xon" is the room that must be free before XON. The XOFF threshold follows from a share of
 * the pool (dynamic_th), which is no number of bytes, or is static_th itself.
 */
static void read_buffer(struct sonic_profile *p, const struct json_value *doc)
{
	static const char *const names[SONIC_PROFILE] = {"xoff", "xon", "static_th"};
	const struct json_value *bf = json_value_get(doc, "bf");

	/* A lossy profile has no XOFF at all. */
	p->applies = *sonic_text(bf, p->row, "xoff") != '\0';
	if (p->applies)
		read_numbers(p, bf, "", names);
}

static void parse_buffers(
	struct sonic_qos *qos, const char *name, const struct maps *m, struct obs *o, uint32_t port)
{
	static const enum obs_attr attrs[SONIC_PROFILE] = {
		ATTR_HEADROOM_BYTES, ATTR_XON_BYTES, ATTR_XOFF_BYTES};
	const struct json_value *rows[PRIORITIES] = {0};

	rows_of(&qos->groups, name, rows);
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct json_value *row = rows[mapped_queue(m->text[SONIC_TC_TO_PG], p)];
		const struct sonic_profile *buffer =
			row ? profile_of(&qos->pools, row, qos->doc, read_buffer) : NULL;

		if (buffer && buffer->applies)
			emit_numbers(buffer, attrs, o, port, p);
	}
}

void sonic_parse_qos(struct sonic_qos *qos, const struct json_value *entry, const char *name,
	struct obs *o, uint32_t port)
{
	const struct json_value *row = json_value_get(entry, "p");
	struct maps m;

	obs_number(o, port, ATTR_PFC_ENABLED, 0,
		parse_priorities(json_value_text_or(sonic_at(row, qos->pfc_enable), "")));
	parse_maps(qos, row, o, port, &m);
	parse_schedulers(qos, name, o, port);
	parse_ecn(qos, name, &m, o, port);
	parse_buffers(qos, name, &m, o, port);
}

/* ---- hash ---- */

/* Converts "SRC_IP,L4_SRC_PORT" to "src-ip l4-src". */
static void hash_fields(const char *list, char *dst, size_t size)
{
	size_t n = 0;

	for (const char *at = list; *at && n + 1 < size;) {
		size_t len = strcspn(at, ", ");
		bool l4 = len > 5 && memmem(at, len, "L4_", 3) &&
			  strncmp(at + len - 5, "_PORT", 5) == 0;
		size_t keep = l4 ? len - 5 : len;

		if (n && keep)
			dst[n++] = ' ';
		for (size_t i = 0; i < keep && n + 1 < size; i++)
			dst[n++] = at[i] == '_' ? '-' : (char)tolower((unsigned char)at[i]);
		at += len;
		at += strspn(at, ", ");
	}
	dst[n] = '\0';
}

/* Redis has lists under a name with '@'; some writers omit it. */
static bool parse_hash_list(
	const struct json_value *doc, const char *name, enum obs_attr attr, struct obs *o)
{
	const struct json_value *hf = json_value_get(doc, "hf"), *row = json_value_get(doc, "hash");
	char list_name[24], fields[384];
	const char *list;

	str_printf(list_name, sizeof(list_name), "%s@", name);
	list = sonic_text(hf, row, list_name);
	if (!*list)
		list = sonic_text(hf, row, name);
	if (!*list)
		return false;
	hash_fields(list, fields, sizeof(fields));
	obs_word(o, OBS_NO_PORT, attr, 0, fields);
	return true;
}

static void lower_copy(char *dst, size_t size, const char *src)
{
	str_copy(dst, size, src);
	for (char *at = dst; *at; at++)
		*at = (char)tolower((unsigned char)*at);
}

static void parse_algorithm(const struct json_value *doc, struct obs *o)
{
	const struct json_value *hf = json_value_get(doc, "hf"), *row = json_value_get(doc, "hash");
	char ecmp[32], lag[32], text[96];

	lower_copy(ecmp, sizeof(ecmp), sonic_text(hf, row, "ecmp_hash_algorithm"));
	lower_copy(lag, sizeof(lag), sonic_text(hf, row, "lag_hash_algorithm"));
	if (*ecmp && *lag && !str_eq(ecmp, lag))
		str_printf(text, sizeof(text), "%s, LAG %s", ecmp, lag);
	else
		str_copy(text, sizeof(text), *ecmp ? ecmp : lag);
	if (*text)
		obs_word(o, OBS_NO_PORT, ATTR_HASH_ALGORITHM, 0, text);
}

static void parse_hash(const struct json_value *doc, struct obs *o)
{
	bool can = str_eq(json_value_text(json_value_path(doc, "can.hash")), "true");
	bool any = parse_hash_list(doc, "ecmp_hash", ATTR_ECMP_HASH, o);

	any |= parse_hash_list(doc, "lag_hash", ATTR_LAG_HASH, o);
	parse_algorithm(doc, o);
	if (any)
		need_say(o, NEED_HASH, VALID_OK, "");
	else if (can)
		need_say(o, NEED_HASH, VALID_DISABLED,
			"sudo config switch-hash global ecmp-hash SRC_IP DST_IP IP_PROTOCOL "
			"L4_SRC_PORT L4_DST_PORT");
	else
		need_say(o, NEED_HASH, VALID_UNSUPPORTED, "");
}

/* ---- needs ---- */

/* True: at least one port has the attribute, and not as zero. */
static bool has_attr(const struct obs *o, enum obs_attr attr)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if ((it->kind == OBS_WORD && it->code == attr) ||
			(it->kind == OBS_NUMBER && it->code == attr && it->real != 0))
			return true;
	}
	return false;
}

void sonic_parse_switch_qos(const struct json_value *doc, struct obs *o)
{
	static const struct {
		enum need_id need;
		enum obs_attr attr;
	} rests_on[] = {{NEED_PFC_CONFIG, ATTR_PFC_ENABLED}, {NEED_ECN_CONFIG, ATTR_ECN_ENABLED},
		{NEED_QOS_MAPS, ATTR_DSCP_TO_TC}};

	parse_hash(doc, o);
	for (size_t i = 0; i < sizeof(rests_on) / sizeof(rests_on[0]); i++) {
		bool any = has_attr(o, rests_on[i].attr);

		need_say(o, rests_on[i].need, any ? VALID_OK : VALID_DISABLED,
			any ? "" : "no QoS is configured: sudo config qos reload");
	}
}
