/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "emulator/device/sonic/sonic_redis.h"

/* COUNTERS_DB: object ids, and the maps from names to them and back. */

const char *const sonic_pools[] = {
	"egress_lossless_pool", "egress_lossy_pool", "ingress_lossless_pool", NULL};
#define POOLS 3u

uint64_t sonic_pool_bytes(unsigned pool, bool headroom)
{
	if (headroom)
		return pool == 2 ? 19955712 : 0;
	return pool ? 136209408 : 160563200;
}

static unsigned per_port(enum redis_object type)
{
	return type == OID_QUEUE ? SONIC_QUEUES : type == OID_PG ? 8 : type == OID_POOL ? POOLS : 1;
}

static unsigned ports_of(const struct redis *r, enum redis_object type)
{
	return type == OID_POOL ? 1 : r->d->nports;
}

uint64_t redis_oid(const struct redis *r, enum redis_object type, unsigned port, unsigned index)
{
	return (uint64_t)type << 48 | (r->oid_base + port * per_port(type) + index);
}

bool redis_open_oid(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	enum redis_object type = *(const enum redis_object *)row->table->arg;
	uint64_t v = 0, number;

	if (n < 3 || n > 18 || rest[0] != '0' || rest[1] != 'x')
		return false;
	for (size_t i = 2; i < n; i++) {
		int c = (unsigned char)rest[i];

		if (!isxdigit(c) || isupper(c))
			return false;
		v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	if (v >> 48 != (uint64_t)type || (v & UINT64_C(0xffffffffffff)) < r->oid_base)
		return false;
	number = (v & UINT64_C(0xffffffffffff)) - r->oid_base;
	if (number / per_port(type) >= ports_of(r, type))
		return false;
	row->port = &r->d->ports[number / per_port(type)];
	row->index = (unsigned)(number % per_port(type));
	return true;
}

void redis_keys_oids(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	enum redis_object type = *(const enum redis_object *)t->arg;
	char key[64];

	for (unsigned p = 0; p < ports_of(r, type); p++) {
		for (unsigned i = 0; i < per_port(type); i++) {
			(void)snprintf(key, sizeof(key), "%s0x%llx", t->prefix,
				(unsigned long long)redis_oid(r, type, p, i));
			each(arg, key);
		}
	}
}

static void oid_value(const struct redis *r, enum redis_object type, unsigned port, unsigned index,
	struct redis_value *v)
{
	redis_textf(v, "oid:0x%llx", (unsigned long long)redis_oid(r, type, port, index));
}

/* ---- name to oid ---- */

static void map_each(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	enum redis_object type = *(const enum redis_object *)row->table->arg;
	struct redis_value v;
	char name[48];

	for (unsigned p = 0; p < ports_of(r, type); p++) {
		for (unsigned i = 0; i < per_port(type); i++) {
			if (type == OID_POOL)
				(void)snprintf(name, sizeof(name), "%s", sonic_pools[i]);
			else if (type == OID_PORT)
				(void)snprintf(name, sizeof(name), "%s", r->d->ports[p].name);
			else
				(void)snprintf(name, sizeof(name), "%s:%u", r->d->ports[p].name, i);
			oid_value(r, type, p, i, &v);
			redis_give(each, arg, name, &v);
		}
	}
}

/* ":12" to 12; limit if the text is anything else. */
static unsigned index_of(const char *text, size_t n, unsigned limit)
{
	unsigned v = 0;

	if (n < 2 || n > 3 || text[0] != ':')
		return limit;
	for (size_t i = 1; i < n; i++) {
		if (!isdigit((unsigned char)text[i]))
			return limit;
		v = v * 10 + (unsigned)(text[i] - '0');
	}
	return v;
}

static bool map_get(const struct redis *r, const struct redis_row *row, const char *name, size_t n,
	struct redis_value *v)
{
	enum redis_object type = *(const enum redis_object *)row->table->arg;
	size_t used = n;
	const struct sim_port *p = redis_port(r, name, &used);
	unsigned index = 0;

	if (!p)
		return false;
	if (type != OID_PORT)
		index = index_of(name + used, n - used, per_port(type));
	if (type == OID_PORT ? used != n : index >= per_port(type))
		return false;
	oid_value(r, type, p->port, index, v);
	return true;
}

/* ---- oid back to name, type, index or port ---- */

static void give_reverse(
	const struct redis *r, enum redis_object type, char what, redis_field_fn each, void *arg)
{
	struct redis_value v;
	char oid[32];

	for (unsigned p = 0; p < r->d->nports; p++) {
		for (unsigned i = 0; i < per_port(type); i++) {
			(void)snprintf(oid, sizeof(oid), "oid:0x%llx",
				(unsigned long long)redis_oid(r, type, p, i));
			if (what == 't')
				redis_text(&v, i < 8 ? "SAI_QUEUE_TYPE_UNICAST"
						     : "SAI_QUEUE_TYPE_MULTICAST");
			else if (what == 'i')
				redis_u64(&v, i);
			else
				oid_value(r, OID_PORT, p, 0, &v);
			redis_give(each, arg, oid, &v);
		}
	}
}

#define REVERSE(map, type, what)                                                                   \
	static void map(const struct redis *r, const struct redis_row *row, redis_field_fn each,   \
		void *arg)                                                                         \
	{                                                                                          \
		(void)row;                                                                         \
		give_reverse(r, type, what, each, arg);                                            \
	}
REVERSE(queue_types, OID_QUEUE, 't')
REVERSE(queue_indexes, OID_QUEUE, 'i')
REVERSE(queue_ports, OID_QUEUE, 'p')
REVERSE(pg_indexes, OID_PG, 'i')
REVERSE(pg_ports, OID_PG, 'p')

static const enum redis_object port_type = OID_PORT, queue_type = OID_QUEUE, pg_type = OID_PG,
			       pool_type = OID_POOL;

const struct redis_table redis_map_tables[] = {
	{COUNTERS_DB, "COUNTERS_PORT_NAME_MAP", REDIS_SINGLE, map_each, map_get, &port_type},
	{COUNTERS_DB, "COUNTERS_QUEUE_NAME_MAP", REDIS_SINGLE, map_each, map_get, &queue_type},
	{COUNTERS_DB, "COUNTERS_PG_NAME_MAP", REDIS_SINGLE, map_each, map_get, &pg_type},
	{COUNTERS_DB, "COUNTERS_BUFFER_POOL_NAME_MAP", REDIS_SINGLE, map_each, NULL, &pool_type},
	{COUNTERS_DB, "COUNTERS_QUEUE_TYPE_MAP", REDIS_SINGLE, queue_types, NULL, NULL},
	{COUNTERS_DB, "COUNTERS_QUEUE_INDEX_MAP", REDIS_SINGLE, queue_indexes, NULL, NULL},
	{COUNTERS_DB, "COUNTERS_QUEUE_PORT_MAP", REDIS_SINGLE, queue_ports, NULL, NULL},
	{COUNTERS_DB, "COUNTERS_PG_INDEX_MAP", REDIS_SINGLE, pg_indexes, NULL, NULL},
	{COUNTERS_DB, "COUNTERS_PG_PORT_MAP", REDIS_SINGLE, pg_ports, NULL, NULL},
	{0, NULL, NULL, NULL, NULL, NULL, NULL},
};
