/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECT_SONIC_H
#define BACKENDS_DIALECT_SONIC_H

#include <stddef.h>

#include "backends/backend.h"
#include "backends/parse_json.h"

/*
 * Lua scripts for Redis EVAL on the switch: see backends/dialect_sonic_lua.c for the rules they
 * keep. ARGV[1] of the fast one is the comma list of lossless priorities.
 */
extern const char sonic_fast_lua[];   /* counters and link state of all ports */
extern const char sonic_optics_lua[]; /* transceiver readings */
extern const char sonic_config_lua[]; /* identity, watchdog and QoS settings, modules, LLDP */

/* Decoders of the three replies; doc is the parsed reply. False with err when it is none. */
bool sonic_parse_fast(const struct target *t, const json_t *doc, struct obs *o, struct err *err);
bool sonic_parse_optics(const struct target *t, const json_t *doc, struct obs *o, struct err *err);
bool sonic_parse_config(const struct target *t, const json_t *doc, struct obs *o, struct err *err);

/* Index of a name in one of the reply's field lists (pf, qf, ...), -1 when it is not there. */
int sonic_field(const json_t *fields, const char *name);
/* The value of that field in a row; NULL when either is absent. */
const json_t *sonic_value(const json_t *fields, const json_t *row, const char *name);
/* Front-panel ports only: "Ethernet12", not the recycle ports "Ethernet-IB0", not "eth0". */
bool sonic_is_front_panel(const char *port);

#endif
