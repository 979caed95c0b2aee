/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SONIC_REDIS_H
#define EMULATOR_SONIC_REDIS_H

#include "emulator/device/personality_internal.h"

/*
 * The Redis of one SONiC switch: keys and values are computed from the simulation at each request.
 * All values are strings. Values that the hardware or the configuration does not count are absent,
 * not zero. Object ids change with every boot, as on a switch. Writes to rows of CONFIG_DB with a
 * daemon behind them change the device (sonic_write.c); other writes are refused.
 */
struct redis {
	struct personality_ctx *ctx;
	struct sim_device *d;
	unsigned db;
	unsigned oid_base;
};

enum { APPL_DB = 0, COUNTERS_DB = 2, CONFIG_DB = 4, STATE_DB = 6 };

struct redis_arg {
	const char *p;
	size_t n;
};

/* Receives a reply piece by piece; the elements come between array and end. */
struct redis_sink {
	void *arg;
	void (*nil)(void *arg);
	void (*str)(void *arg, const char *p, size_t n);
	void (*integer)(void *arg, int64_t v);
	void (*status)(void *arg, const char *text);
	void (*error)(void *arg, const char *text);
	void (*array)(void *arg);
	void (*end)(void *arg);
};

void redis_open(struct redis *r, struct personality_ctx *ctx, struct sim_device *d, unsigned db);
/* false if there is no database with this name. */
bool redis_db_by_name(const char *name, unsigned *db);
/* Runs one data command (not EVAL); sends exactly one reply to the sink. */
void redis_command(
	struct redis *r, size_t argc, const struct redis_arg *argv, const struct redis_sink *sink);

/* ---- internal interface of the virtual database ---- */

struct redis_value {
	char text[256];
	size_t len;
};

struct redis_table;

/* The object of a key: a port, and a part of it. */
struct redis_row {
	const struct redis_table *table;
	struct sim_port *port;
	unsigned index; /* queue, priority group, or the table's own numbering */
};

typedef void (*redis_field_fn)(void *arg, const char *name, size_t n, const struct redis_value *v);
typedef void (*redis_key_fn)(void *arg, const char *key);

struct redis_table {
	unsigned db;
	const char *prefix;
	/* Parses the key after the prefix; row->table is set. false: there is no such key. */
	bool (*open)(const struct redis *r, const char *rest, size_t n, struct redis_row *row);
	/* Calls each for all keys. */
	void (*keys)(
		const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg);
	void (*each)(
		const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg);
	/* NULL: the result of each is searched. */
	bool (*get)(const struct redis *r, const struct redis_row *row, const char *field, size_t n,
		struct redis_value *v);
	const void *arg; /* the table's own: a list of names, a set of fields */
};

extern const struct redis_table redis_counter_tables[], redis_state_tables[], redis_config_tables[],
	redis_qos_tables[], redis_map_tables[], redis_optics_tables[], redis_rate_tables[],
	redis_bundle_tables[]; /* end with a NULL prefix */

/* The table and row of a key in database r->db; NULL: there is none. */
const struct redis_table *redis_find(
	const struct redis *r, const char *key, size_t n, struct redis_row *row);
/* One field, for the programs of the switch; false: absent. */
bool redis_field(const struct redis *r, const char *key, const char *field, struct redis_value *v);

/* sonic_write.c: HSET, HMSET, HDEL, DEL and PUBLISH; sends exactly one reply to the sink. */
void redis_write(
	struct redis *r, size_t argc, const struct redis_arg *argv, const struct redis_sink *sink);

/* ---- sonic_rows.c: values and the usual kinds of keys ---- */

void redis_u64(struct redis_value *v, uint64_t n);
void redis_text(struct redis_value *v, const char *text);
void redis_textf(struct redis_value *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void redis_give(redis_field_fn each, void *arg, const char *name, const struct redis_value *v);
void redis_give_text(redis_field_fn each, void *arg, const char *name, const char *text);
void redis_give_u64(redis_field_fn each, void *arg, const char *name, uint64_t n);
/* "Fri Jul 18 19:59:28 2025" of a device time in microseconds */
void redis_give_time(redis_field_fn each, void *arg, const char *name, int64_t us);
/* "3,4" from a mask of priorities; gives nothing if the mask is empty. */
void redis_give_mask(redis_field_fn each, void *arg, const char *name, unsigned mask);
/* The inverse. Skips all but the digits 0-7. */
unsigned redis_mask(const char *text, size_t n);

/* "Ethernet12" to its port; NULL if there is none. *n: length of the name in bytes. */
struct sim_port *redis_port(const struct redis *r, const char *name, size_t *n);
/* PREFIX<port> */
bool redis_open_port(const struct redis *r, const char *rest, size_t n, struct redis_row *row);
void redis_keys_ports(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg);
/* PREFIX<port>|<0-7> */
bool redis_open_queue(const struct redis *r, const char *rest, size_t n, struct redis_row *row);
void redis_keys_queues(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg);
/* PREFIX alone */
bool redis_open_single(const struct redis *r, const char *rest, size_t n, struct redis_row *row);
void redis_keys_single(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg);
/* PREFIX<name>: the names are table->arg, a NULL-terminated array; row->index counts them. */
bool redis_open_named(const struct redis *r, const char *rest, size_t n, struct redis_row *row);
void redis_keys_named(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg);
/* PREFIX<address of a BGP neighbour>: row->port is our end. */
bool redis_open_neighbor(const struct redis *r, const char *rest, size_t n, struct redis_row *row);
void redis_keys_neighbors(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg);
#define REDIS_PORTS     redis_open_port, redis_keys_ports
#define REDIS_QUEUES    redis_open_queue, redis_keys_queues
#define REDIS_SINGLE    redis_open_single, redis_keys_single
#define REDIS_NAMED     redis_open_named, redis_keys_named
#define REDIS_NEIGHBORS redis_open_neighbor, redis_keys_neighbors

enum redis_object { OID_PORT = 0x1, OID_QUEUE = 0x15, OID_POOL = 0x18, OID_PG = 0x1a };
/* The number after "oid:0x" of the index-th such object of a port; pools belong to no port. */
uint64_t redis_oid(const struct redis *r, enum redis_object type, unsigned port, unsigned index);
/* sonic_oids.c: PREFIX0x<number>; table->arg begins with an enum redis_object. */
bool redis_open_oid(const struct redis *r, const char *rest, size_t n, struct redis_row *row);
void redis_keys_oids(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg);
#define REDIS_OIDS redis_open_oid, redis_keys_oids
extern const char *const sonic_pools[]; /* names by index, NULL-terminated */
/* Size of a pool or of its shared headroom, 0: it has none. */
uint64_t sonic_pool_bytes(unsigned pool, bool headroom);
#define SONIC_LANES  4u  /* ASIC lanes of a port */
#define SONIC_QUEUES 16u /* of a port: 8 unicast, 8 multicast */

#endif
