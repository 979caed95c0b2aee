/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SONIC_REDIS_H
#define EMULATOR_SONIC_REDIS_H

#include "emulator/device/personality_internal.h"

/*
 * The Redis of one SONiC switch, read-only: keys and values are computed from the simulation when
 * they are asked for. All values are strings; what the hardware or the configuration does not
 * count is absent, not zero. Object ids change with every boot, as they do on a switch.
 */
struct redis {
	const struct personality_ctx *ctx;
	struct sim_device *d;
	unsigned db;
	unsigned oid_base;
};

enum { APPL_DB = 0, COUNTERS_DB = 2, CONFIG_DB = 4, STATE_DB = 6 };

struct redis_arg {
	const char *p;
	size_t n;
};

/* Where a reply goes, piece by piece; between array and end come the elements. */
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

void redis_open(
	struct redis *r, const struct personality_ctx *ctx, struct sim_device *d, unsigned db);
/* false when there is no database of that name. */
bool redis_db_by_name(const char *name, unsigned *db);
/* Runs one data command (not EVAL): exactly one reply reaches the sink. */
void redis_command(
	struct redis *r, size_t argc, const struct redis_arg *argv, const struct redis_sink *sink);

/* ---- between the files of the virtual database ---- */

struct redis_value {
	char text[256];
	size_t len;
};

/* What a key names: a port, and what is in it. */
struct redis_row {
	const struct sim_port *port;
	unsigned index; /* queue, priority group, or whatever the table numbers */
};

typedef void (*redis_field_fn)(void *arg, const char *name, size_t n, const struct redis_value *v);
typedef void (*redis_key_fn)(void *arg, const char *key);

struct redis_table {
	unsigned db;
	const char *prefix;
	/* Parses what follows the prefix; false: there is no such key. */
	bool (*open)(const struct redis *r, const char *rest, size_t n, struct redis_row *row);
	/* Calls each for all keys. */
	void (*keys)(
		const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg);
	void (*each)(
		const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg);
	/* NULL: each is searched. */
	bool (*get)(const struct redis *r, const struct redis_row *row, const char *field, size_t n,
		struct redis_value *v);
};

extern const struct redis_table redis_counter_tables[], redis_state_tables[],
	redis_config_tables[]; /* end with a NULL prefix */

void redis_u64(struct redis_value *v, uint64_t n);
void redis_text(struct redis_value *v, const char *text);
void redis_textf(struct redis_value *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "Ethernet12" to its port; NULL when there is none. *n: how many bytes were the name. */
const struct sim_port *redis_port(const struct redis *r, const char *name, size_t *n);
bool redis_open_port(const struct redis *r, const char *rest, size_t n, struct redis_row *row);
bool redis_open_single(const struct redis *r, const char *rest, size_t n, struct redis_row *row);
void redis_keys_ports(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg);
void redis_keys_single(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg);
#define SONIC_LANES 4u /* Ethernet0, Ethernet4, ... */

#endif
