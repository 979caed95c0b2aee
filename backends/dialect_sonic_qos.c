/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialect_sonic.h"
#include "backends/needs.h"
#include "base/str.h"

/*
 * QoS settings of CONFIG_DB. Tables name each other: PORT_QOS_MAP a port's maps, QUEUE a queue's
 * WRED profile, BUFFER_PG a priority group's buffer profile.
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

/* The row that a reference names in a table of rows. */
static const struct dv *follow(const struct dv *table, const char *ref)
{
	char name[128];

	plain_name(ref, name, sizeof(name));
	return *name ? dv_get(table, name) : NULL;
}

/* ---- maps ---- */

#define DSCP_MOST (SONIC_MAP_TEXT - 1)

/* Digits by index, '-' where the map says nothing; false when there is no such map. */
static bool read_map(const struct dv *doc, const char *table, const char *ref, unsigned n,
	char text[SONIC_MAP_TEXT])
{
	char name[128], key[192];
	const struct dv *flat, *from = NULL, *value = NULL;
	unsigned i, to;

	plain_name(ref, name, sizeof(name));
	str_printf(key, sizeof(key), "%s|%s", table, name);
	flat = dv_get(dv_get(doc, "maps"), key);
	if (!*name || dv_size(flat) == 0)
		return false;
	memset(text, '-', n);
	text[n] = '\0';
	while (dv_pair(flat, &from, &value))
		if (pj_key_index(dv_text_or(from, ""), "", n, &i) &&
			pj_key_index(dv_text_or(value, ""), "", 10, &to))
			text[i] = (char)('0' + to);
	return true;
}

static const struct {
	const char *field, *table;
	unsigned n;
	enum obs_attr attr;
} maps[SONIC_MAPS] = {
	[SONIC_DSCP_TO_TC] = {"dscp_to_tc_map", "DSCP_TO_TC_MAP", DSCP_MOST, ATTR_DSCP_TO_TC},
	[SONIC_TC_TO_QUEUE] = {"tc_to_queue_map", "TC_TO_QUEUE_MAP", PRIORITIES, ATTR_TC_TO_QUEUE},
	[SONIC_TC_TO_PG] = {"tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", PRIORITIES, ATTR_TC_TO_PG},
	[SONIC_PRIO_TO_QUEUE] = {"pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", PRIORITIES,
		ATTR_PRIO_TO_QUEUE},
};

/* What the port names, else what the row for all ports does: mostly what the port before named. */
static void read_port_map(struct sonic_qos *q, const struct dv *row, enum sonic_map_kind kind)
{
	const struct dv *pf = dv_get(q->doc, "pf");
	const char *ref = sonic_text(pf, row, maps[kind].field);
	struct sonic_map *m = &q->maps[kind];

	if (!*ref)
		ref = sonic_text(pf, dv_get(q->doc, "all"), maps[kind].field);
	if (m->ref && str_eq(m->ref, ref))
		return;
	m->ref = ref;
	m->text[0] = '\0';
	m->any = read_map(q->doc, maps[kind].table, ref, maps[kind].n, m->text);
}

static void parse_maps(struct sonic_qos *q, const struct dv *row, struct obs *o, uint32_t port)
{
	for (int k = 0; k < SONIC_MAPS; k++) {
		read_port_map(q, row, (enum sonic_map_kind)k);
		if (!q->maps[k].any)
			continue;
		obs_word(o, port, maps[k].attr, 0, q->maps[k].text);
		if (k == SONIC_DSCP_TO_TC)
			obs_word(o, port, ATTR_TRUST, 0, "dscp");
	}
}

/* Where a priority goes; a port without maps sends each to the queue of its own number. */
static unsigned mapped(const char *map, unsigned p)
{
	return *map && map[p] >= '0' && map[p] < '0' + PRIORITIES ? (unsigned)(map[p] - '0') : p;
}

static unsigned queue_of(const struct sonic_qos *q, unsigned p)
{
	const char *own = q->maps[SONIC_PRIO_TO_QUEUE].text;

	return mapped(*own ? own : q->maps[SONIC_TC_TO_QUEUE].text, p);
}

/* ---- references of queues and priority groups ---- */

/*
 * "Ethernet0|3-4", "Ethernet0,Ethernet4|3" (releases before 2020), "leaf1|asic0|Ethernet0|3"
 * (chassis): each port of the key, and the row that its queues refer to.
 */
static void add_refs(struct sonic_refs *refs, const char *key, const struct dv *to)
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
				       .order = refs->n,
				       .queues = queues,
				       .to = to});
		at += len + 1;
	}
}

static int compare_ports(const struct sonic_ref *r, const char *port, size_t len)
{
	int d = strncmp(r->port, port, r->len < len ? r->len : len);

	return d ? d : (r->len > len) - (r->len < len);
}

static int by_port(const void *a, const void *b)
{
	const struct sonic_ref *x = a, *y = b;
	int d = compare_ports(x, y->port, y->len);

	return d ? d : (x->order > y->order) - (x->order < y->order);
}

static void index_refs(struct sonic_refs *refs, const struct dv *pairs, const struct dv *table)
{
	for (dv_items(entry, pairs))
		add_refs(refs, dv_text_or(dv_at(entry, 0), ""),
			follow(table, dv_text_or(dv_at(entry, 1), "")));
	if (refs->n)
		qsort(refs->at, refs->n, sizeof(refs->at[0]), by_port);
}

void sonic_qos_begin(struct sonic_qos *q, const struct dv *doc)
{
	*q = (struct sonic_qos){.doc = doc};
	index_refs(&q->queues, dv_get(doc, "queues"), dv_get(doc, "wred"));
	index_refs(&q->groups, dv_get(doc, "groups"), dv_get(doc, "buffers"));
}

void sonic_qos_end(struct sonic_qos *q)
{
	vec_free(&q->queues);
	vec_free(&q->groups);
}

/* The row that each of the port's queues refers to; the last reference of a queue wins. */
static void rows_of(
	const struct sonic_refs *refs, const char *port, const struct dv *row[PRIORITIES])
{
	size_t from = 0, to = refs->n, len = strlen(port);

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare_ports(&refs->at[middle], port, len) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < refs->n && compare_ports(&refs->at[from], port, len) == 0; from++)
		for (unsigned q = 0; q < PRIORITIES; q++)
			if (refs->at[from].queues >> q & 1)
				row[q] = refs->at[from].to;
}

/* ---- ECN: the WRED profile of a queue ---- */

/* The colour that marks; packets of a network without meters are green. */
static const char *marking_colour(const char *ecn)
{
	if (str_eq(ecn, "ecn_all") || strstr(ecn, "green"))
		return "green";
	if (strstr(ecn, "yellow"))
		return "yellow";
	return strstr(ecn, "red") ? "red" : NULL;
}

static void parse_curve(const struct dv *rf, const struct dv *row, const char *colour,
	struct obs *o, uint32_t port, unsigned p)
{
	static const struct {
		const char *name;
		enum obs_attr attr;
	} fields[] = {{"min_threshold", ATTR_ECN_MIN_BYTES}, {"max_threshold", ATTR_ECN_MAX_BYTES},
		{"drop_probability", ATTR_ECN_PROBABILITY}};
	char name[48];

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		str_printf(name, sizeof(name), "%s_%s", colour, fields[i].name);
		dv_number(o, port, fields[i].attr, p, sonic_value(rf, row, name));
	}
}

static void parse_ecn(const struct sonic_qos *qos, const char *name, struct obs *o, uint32_t port)
{
	const struct dv *rf = dv_get(qos->doc, "rf"), *rows[PRIORITIES] = {0};
	unsigned marking = 0;

	rows_of(&qos->queues, name, rows);
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct dv *row = rows[queue_of(qos, p)];
		const char *colour = row ? marking_colour(sonic_text(rf, row, "ecn")) : NULL;

		if (!colour)
			continue;
		marking |= 1u << p;
		parse_curve(rf, row, colour, o, port, p);
	}
	obs_number(o, port, ATTR_ECN_ENABLED, 0, marking);
}

/* ---- buffers of priority groups ---- */

/*
 * "xoff" of a lossless profile is the room for what arrives after XOFF was sent, "xon" what must
 * be free of it again. From where on XOFF is sent follows from a share of the pool (dynamic_th),
 * which is no number of bytes, or is static_th itself.
 */
static void parse_buffers(
	const struct sonic_qos *qos, const char *name, struct obs *o, uint32_t port)
{
	static const struct {
		const char *name;
		enum obs_attr attr;
	} fields[] = {{"xoff", ATTR_HEADROOM_BYTES}, {"xon", ATTR_XON_BYTES},
		{"static_th", ATTR_XOFF_BYTES}};
	const struct dv *bf = dv_get(qos->doc, "bf"), *rows[PRIORITIES] = {0};

	rows_of(&qos->groups, name, rows);
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct dv *row = rows[mapped(qos->maps[SONIC_TC_TO_PG].text, p)];

		/* A lossy profile has no XOFF at all. */
		if (!row || !*sonic_text(bf, row, "xoff"))
			continue;
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			dv_number(o, port, fields[i].attr, p, sonic_value(bf, row, fields[i].name));
	}
}

void sonic_parse_qos(struct sonic_qos *qos, const struct dv *entry, const char *name, struct obs *o,
	uint32_t port)
{
	const struct dv *row = dv_get(entry, "p");

	obs_number(o, port, ATTR_PFC_ENABLED, 0,
		parse_priorities(sonic_text(dv_get(qos->doc, "pf"), row, "pfc_enable")));
	parse_maps(qos, row, o, port);
	parse_ecn(qos, name, o, port);
	parse_buffers(qos, name, o, port);
}

/* ---- hash ---- */

/* "SRC_IP,L4_SRC_PORT" to "src-ip l4-src" */
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

/* Lists stand under a name with '@' in Redis; not all writers keep to that. */
static bool parse_hash_list(
	const struct dv *doc, const char *name, enum obs_attr attr, struct obs *o)
{
	const struct dv *hf = dv_get(doc, "hf"), *row = dv_get(doc, "hash");
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

static void parse_algorithm(const struct dv *doc, struct obs *o)
{
	const struct dv *hf = dv_get(doc, "hf"), *row = dv_get(doc, "hash");
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

static void parse_hash(const struct dv *doc, struct obs *o)
{
	bool can = str_eq(dv_text(dv_path(doc, "can.hash")), "true");
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

/* Whether any port was told the attribute, and not as zero. */
static bool told(const struct obs *o, enum obs_attr attr)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if ((it->kind == OBS_WORD && it->code == attr) ||
			(it->kind == OBS_NUMBER && it->code == attr && it->real != 0))
			return true;
	}
	return false;
}

void sonic_parse_switch_qos(const struct dv *doc, struct obs *o)
{
	static const struct {
		enum need_id need;
		enum obs_attr attr;
	} rests_on[] = {{NEED_PFC_CONFIG, ATTR_PFC_ENABLED}, {NEED_ECN_CONFIG, ATTR_ECN_ENABLED},
		{NEED_QOS_MAPS, ATTR_DSCP_TO_TC}};

	parse_hash(doc, o);
	for (size_t i = 0; i < sizeof(rests_on) / sizeof(rests_on[0]); i++) {
		bool any = told(o, rests_on[i].attr);

		need_say(o, rests_on[i].need, any ? VALID_OK : VALID_DISABLED,
			any ? "" : "no QoS is configured: sudo config qos reload");
	}
}
