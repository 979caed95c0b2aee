/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_SONIC_REDIS_H
#define TESTS_SUPPORT_SONIC_REDIS_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * A SONiC switch as a logged-in user sees it: a real Redis with its databases, and a folder for
 * PATH with sonic-db-cli, sudo, rvtysh, vtysh and tail in front of it. sonic-db-cli behaves like
 * the original: no argument may begin with '-' but its own options, errors go to standard error and
 * end with status 1. sudo permits the commands of sonic_redis_grant(). Files in dir: "asked" has a
 * line "redis COUNTERS_DB EVALSHA" for each question. "bgp.json" is the output of vtysh (without
 * it, BGP's container is not there). Others are "syslog", "asic.conf" and "version.yml".
 */
enum { APPL_DB = 0, COUNTERS_DB = 2, CONFIG_DB = 4, STATE_DB = 6 };
#define SONIC_ASICS 2

struct sonic_redis {
	char dir[64];
	char path[4096];         /* "PATH=..." that begins with dir */
	pid_t pid;               /* the switch's own Redis */
	pid_t asic[SONIC_ASICS]; /* those of its ASICs, 0: none */
};

/* False when there is no Redis on this machine. */
bool sonic_redis_start(struct sonic_redis *r);
void sonic_redis_start_asic(struct sonic_redis *r, unsigned asic);
void sonic_redis_stop(struct sonic_redis *r);

/*
 * Loads {key: {field: value}} or {key: {"type": "hash", "value": {...}}}; the last one
 * {table: {key: {field: value}}}. asic -1: the switch's own. Fails the test when it cannot.
 */
void sonic_redis_load(const struct sonic_redis *r, int asic, int db, const char *file);
void sonic_redis_load_hashes(const struct sonic_redis *r, int asic, int db, const json_t *dump);
void sonic_redis_load_tables(const struct sonic_redis *r, int asic, int db, const json_t *tables);
/* One command of redis-cli, split at blanks; returns its output, which the caller frees. */
char *sonic_redis_cli(const struct sonic_redis *r, int asic, const char *command);

/* Lets sudo run commands that begin with these words. */
void sonic_redis_grant(const struct sonic_redis *r, const char *words);
/* Writes a program of the switch, or another file in dir. */
void sonic_redis_file(
	const struct sonic_redis *r, const char *name, const char *text, unsigned mode);

#endif
