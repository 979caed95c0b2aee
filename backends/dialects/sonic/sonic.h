/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_SONIC_SONIC_H
#define BACKENDS_DIALECTS_SONIC_SONIC_H

#include <stddef.h>

#include "backends/contract/backend.h"
#include "backends/parse/cells.h"
#include "backends/parse/number_positions.h"
#include "backends/parse/json_select.h"

/*
 * Lua scripts for Redis EVAL on the switch: see backends/dialects/sonic/lua.c for their rules.
 * ARGV[1] of the fast and of the config script is the comma-separated list of lossless priorities.
 * ARGV[2] is the index of the call's first port: a call reads so many ports at most. So none holds
 * the switch's Redis for longer than 20 ms (tests/cases/switches/test_sonic_cost.c,
 * docs/guide/scale.md).
 */
#define SONIC_PIECE_FAST   "16"
#define SONIC_PIECE_OPTICS "32"
#define SONIC_PIECE_CONFIG "8"
#define SONIC_PIECE_FAR    "600" /* queues to ports of other cards */
#define SONIC_FACT_BUNDLES "bundles"
#define SONIC_PIECES_MOST  128           /* of a request: more ports are not read */
extern const char sonic_fast_lua[];      /* counters and link state of all ports */
extern const char sonic_optics_lua[];    /* transceiver readings, LLDP neighbours */
extern const char sonic_config_lua[];    /* identity, watchdog and QoS settings, hash */
extern const char sonic_condition_lua[]; /* one port, for a change; ARGV: port, counter group */
extern const char sonic_modules_lua[];   /* identity and limits of the transceivers */
/*
 * Stations that ports have heard: the kernel's ARP and ND entries, and what the chip has learnt.
 * The latter is in STATE_DB: one line "MAC PORT;MAC PORT".
 */
#define SONIC_STATIONS                                                                             \
	"ip -j neigh show 2>/dev/null; sonic-db-cli STATE_DB EVAL \"local o={} "                   \
	"for _,k in ipairs(redis.call('KEYS','FDB_TABLE|*')) do "                                  \
	"local p=redis.call('HGET',k,'port') if p then o[#o+1]=k:sub(-17)..' '..p end end "        \
	"return table.concat(o,';')\" 0 2>&1"
bool sonic_parse_stations(const struct target *t, const char *bytes, size_t len, struct obs *o);

/*
 * Facts about a switch (see backends/contract/facts.h):
 *   sha.fast, sha.optics, ...  SHA1 of the scripts, as SCRIPT LOAD printed it
 *   sha.ports  number of ports of the switch, or the largest number of an ASIC's
 *   asics      "asic0 asic1": the namespaces of a switch with more than one ASIC
 *   asics.sudo "no": the user may not query them
 *   log        how to read the log: "sudo", "sudo-whole" (only the exact command that
 *              SONiC grants to everybody), "plain", "no"
 *   vtysh      "sudo": rvtysh as root is granted; "plain"
 *   zone       of the switch's clock: "+0000"
 *   bundles    "yes": port-channels are configured
 */

/*
 * Decodes the counter reply of a switch or an ASIC as a stream. Returns false with err if it is
 * invalid or truncated. Then o holds nothing of it, unless only the names of the counters are
 * missing. *ports: see sonic_note_ports().
 */
bool sonic_read_fast(const struct target *t, const char *bytes, size_t len, struct obs *o,
	uint64_t *ports, struct err *err);
/* Raises *most to the number of ports that a reply reports ("n"). */
void sonic_note_ports(const struct json_value *n, uint64_t *most);
/*
 * Decoders of the other replies; doc is one parsed reply. They return false with err if it is
 * invalid.
 */
/* Port-channels and their members, in the reply to "optics". */
void sonic_parse_lags(const struct json_value *doc, struct obs *o);
void sonic_parse_pools(const struct json_value *doc, struct obs *o);
/* Losses at virtual output queues that lead to ports of other cards. */
void sonic_parse_far(const struct target *t, const struct json_value *doc, struct obs *o);
bool sonic_parse_optics(
	const struct target *t, const struct json_value *doc, struct obs *o, struct err *err);
bool sonic_parse_config(
	const struct target *t, const struct json_value *doc, struct obs *o, struct err *err);
bool sonic_parse_modules(
	const struct target *t, const struct json_value *doc, struct obs *o, struct err *err);
enum link_field {
	LINK_OPER,
	LINK_ADMIN,
	LINK_SPEED,
	LINK_MTU,
	LINK_FEC,
	LINK_ALIAS,
	LINK_DESCRIPTION,
	LINK_FLAPS,
	LINK_UP_TIME,
	LINK_DOWN_TIME,
	LINK_STATE_SPEED,
	LINK_STATE_FEC,
	LINK_FIELDS
};
/* Positions of the link fields in a port's row, looked up once per reply; af has the names. */
struct sonic_link_columns {
	uint8_t field[64]; /* LINK_FIELDS: not a link field */
	size_t n;
};
void sonic_link_columns(struct sonic_link_columns *c, const struct json_value *af);
/*
 * Decodes the link state of one port from the fast reply; flaps go to cells. mf: names of its
 * module's attributes.
 */
void sonic_parse_link(const struct sonic_link_columns *c, const struct json_value *mf,
	const struct json_value *entry, struct obs *o, uint32_t port, struct cells *cells);
/*
 * Adds the time when a script ran, by the switch's clock: seconds and microseconds. An existing
 * time is kept.
 */
void sonic_parse_time(const struct json_value *t, struct obs *o);
/* Adds the times of a fast answer to o: see position_tell. */
bool sonic_tell(const struct position_word words[POSITION_WORDS], struct obs *o);
/* Words of the fast answer for positions_tell(), in the order of sonic_fast_needs(). */
enum sonic_word { SONIC_SECONDS, SONIC_MICROSECONDS, SONIC_UPTIME, SONIC_IDLE };
/* Sets err: a reply has no ports. Returns false. */
bool sonic_no_ports(const struct target *t, const char *request, struct err *err);
/* Reports the unmet needs of fast once all ASICs have been read. */
void sonic_fast_needs(const struct target *t, struct obs *o);

/*
 * References of the ports' queues and priority groups in the config reply, sorted by port. The list
 * is scanned once per answer, not once per port. Points into doc.
 */
struct sonic_ref {
	const char *port; /* not NUL-terminated */
	size_t len, order;
	uint64_t tail; /* end of the name */
	uint8_t queues;
	const struct json_value *to;
};
struct sonic_refs {
	struct sonic_ref *at;
	size_t n, size;
};
/* A decoded map, cached: most ports have the same ones. Digits by index, '-': no entry. */
enum sonic_map_kind {
	SONIC_DSCP_TO_TC,
	SONIC_TC_TO_QUEUE,
	SONIC_TC_TO_PG,
	SONIC_PRIO_TO_QUEUE,
	SONIC_MAPS
};
struct sonic_map {
	size_t column;      /* in a port's row */
	const char *of_all; /* "", or the reference in the row for all ports */
	const char *ref;    /* as ports name it, NULL: none was read yet */
	char text[65];      /* "": there is no such map */
};
/* Numbers of a WRED or buffer profile, cached likewise. */
#define SONIC_PROFILE  3
#define SONIC_PROFILES 8
struct sonic_profile {
	const struct json_value *row; /* NULL: none */
	bool applies;                 /* WRED: it marks; buffer: it is lossless */
	bool has[SONIC_PROFILE];
	double value[SONIC_PROFILE];
};
struct sonic_profiles {
	struct sonic_profile at[SONIC_PROFILES];
	size_t next; /* next entry to be replaced */
};
struct sonic_qos {
	const struct json_value *doc;
	struct sonic_refs queues, groups, schedulers;
	struct sonic_map maps[SONIC_MAPS]; /* the last map of each kind */
	struct sonic_profiles curves, pools;
	size_t pfc_enable; /* column */
};
void sonic_qos_begin(struct sonic_qos *q, const struct json_value *doc);
void sonic_qos_end(struct sonic_qos *q);
/* Decodes the QoS settings of one port from the config reply. */
void sonic_parse_qos(struct sonic_qos *qos, const struct json_value *entry, const char *name,
	struct obs *o, uint32_t port);
/* Decodes hash settings, and the needs that the QoS tables decide. */
void sonic_parse_switch_qos(const struct json_value *doc, struct obs *o);

/* The watchdog of one queue, as found in the fast reply. Absent values are NULL. */
struct sonic_watchdog {
	const struct json_value *status, *action, *detect, *restore, *red; /* of the queue's row */
	const struct json_value *chip_fields, *chip; /* names and row of the one in the chip */
	bool in_storm;
};
/* Reports it. Returns true if a watchdog runs on the queue. */
bool sonic_parse_watchdog(const struct sonic_watchdog *w, struct obs *o, uint32_t port, unsigned p);

/* Priorities whose queue is in a storm, from the port's row of storms. */
uint8_t sonic_storms(const struct json_value *list);

/* Decoders of text answers. */
bool sonic_parse_detect(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err);
bool sonic_parse_bgp(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err);
bool sonic_parse_log(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err);
void sonic_plan_detect(struct request_list *out);
void sonic_plan_bgp(const struct target *t, struct request_list *out);
void sonic_plan_segments(const struct target *t, struct request_list *out);
bool sonic_parse_segments(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err);
void sonic_plan_log(const struct target *t, struct request_list *out);
/* Begins a part of an answer: "@asic asic0" of an ASIC, "@asic asic0 16" or "@asic 16" of a piece.
 */
#define SONIC_ASIC_MARK  "@asic "
#define SONIC_FACT_PORTS FACT_ASK "ports"
/* Returns the next line after at that begins so, or end. */
const char *sonic_next_part(const char *at, const char *end);
#define SONIC_ASIC_CURE                                                                            \
	"on a switch with several ASICs only root may read the counters: let the user "            \
	"run sudo sonic-db-cli without a password"

/*
 * Sets err for a reply of Redis that is not JSON at all: the message of the shell, sonic-db-cli or
 * Redis, and the cure. Returns false.
 */
bool sonic_explain(const char *bytes, size_t len, const char *device, struct err *err);

/* Returns a field of a row, by one of the reply's lists of names (af, mf, ...); NULL: absent. */
const struct json_value *sonic_value(
	const struct json_value *fields, const struct json_value *row, const char *name);
/*
 * The same in two steps: the position of the name in the list (SIZE_MAX: absent), then the value in
 * each row.
 */
size_t sonic_column(const struct json_value *fields, const char *name);
const struct json_value *sonic_at(const struct json_value *row, size_t column);
/*
 * The same for several names at once, for answers with many rows: the positions are found once per
 * answer. Of rows with more than SONIC_CELLS values the rest is ignored; no script of railtop has
 * as many fields.
 */
#define SONIC_CELLS 64
void sonic_columns(
	const struct json_value *fields, const char *const *names, size_t n, uint8_t *columns);
/* value[i] is set if has[i] is NUMBER_OK. A row is a list, or one text with bars between. */
void sonic_reals(const struct json_value *row, const uint8_t *columns, size_t n, enum number *has,
	double *value);
/* Likewise the texts of a list, "" for an absent one. They point into the row. */
void sonic_texts(const struct json_value *row, const uint8_t *columns, size_t n, const char **text);
/*
 * True: a field that every release and chip has had, so its absence is news. Optional ones are no
 * core fields, nor are those that a poll group must be enabled for.
 */
bool sonic_is_core_field(const char *name);
/* Returns its text, "" if it is absent. */
const char *sonic_text(
	const struct json_value *fields, const struct json_value *row, const char *name);
/* Begins the action of a watchdog that runs in the chip, not in orchagent: "hw drop". */
#define SONIC_WATCHDOG_CHIP "hw "
/* Front-panel ports only: "Ethernet12", not the recycle ports "Ethernet-IB0", not "eth0". */
bool sonic_is_front_panel(const char *port);
/*
 * These, and the ports between the ASICs of a switch: "Ethernet-BP0". They carry lossless traffic,
 * have queues and a watchdog, and neither module nor neighbour.
 */
bool sonic_is_data_port(const char *port);

/* Prints the way of this poll into the switch: see backends/dialects/poll_path.h. */
extern const char sonic_path_script[];
bool sonic_parse_path(const char *bytes, size_t len, struct obs *o);
/* Script that detects the kind of switch and the user's rights. */
extern const char sonic_detect_script[];
/* backend_ops.reads() of SONiC. */
bool sonic_reads(const struct request *r);
/*
 * Computes the SHA1 of a script's text in hexadecimal, by which Redis knows it. False: SHA1 is not
 * available.
 */
#define SONIC_SHA_SIZE 41
bool sonic_script_sha(const char *lua, char dst[SONIC_SHA_SIZE]);

#endif
