/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_SONIC_SONIC_H
#define BACKENDS_DIALECTS_SONIC_SONIC_H

#include <stddef.h>

#include "backends/contract/backend.h"
#include "backends/parse/cells.h"
#include "backends/parse/number_positions.h"
#include "backends/parse/json_select.h"
#include "backends/parse/json.h"

/*
 * Lua scripts for Redis EVAL on the switch: see backends/dialects/sonic/lua.c for the rules they
 * keep. ARGV[1] of the fast and of the config one is the comma list of lossless priorities.
 */
extern const char sonic_fast_lua[];      /* counters and link state of all ports */
extern const char sonic_optics_lua[];    /* transceiver readings, LLDP neighbours */
extern const char sonic_config_lua[];    /* identity, watchdog and QoS settings, hash */
extern const char sonic_condition_lua[]; /* one port, for a change; ARGV: port, counter group */
extern const char sonic_modules_lua[];   /* what the transceivers are, and their limits */

/*
 * Facts about a switch (see backends/contract/facts.h):
 *   sha.fast, sha.optics, ...  of the scripts, as SCRIPT LOAD printed it
 *   asics      "asic0 asic1": the namespaces of a switch with more than one ASIC
 *   asics.sudo "no": the user may not ask them
 *   log        how the log may be read: "sudo", "sudo-whole" (only the exact command that
 *              SONiC grants to everybody), "plain", "no"
 *   vtysh      "sudo": rvtysh as root is granted; "plain"
 *   zone       of the switch's clock: "+0000"
 */

/*
 * Reads the counter reply of a switch or an ASIC as it comes. False with err when it is none, or
 * breaks off; then nothing of it is in o, unless only the names of the counters are missing.
 */
bool sonic_read_fast(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err);
/* Decoders of the other replies; doc is one parsed reply. False with err when it is none. */
bool sonic_parse_optics(
	const struct target *t, const struct dv *doc, struct obs *o, struct err *err);
bool sonic_parse_config(
	const struct target *t, const struct dv *doc, struct obs *o, struct err *err);
bool sonic_parse_modules(
	const struct target *t, const struct dv *doc, struct obs *o, struct err *err);
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
/* Which of them stands where in a port's row: looked up once a reply, af has the names. */
struct sonic_link_columns {
	uint8_t field[64]; /* LINK_FIELDS: none of these */
	size_t n;
};
void sonic_link_columns(struct sonic_link_columns *c, const struct dv *af);
/*
 * Link state of one port out of the fast reply; flaps go to cells. mf: the names of the attributes
 * of its module.
 */
void sonic_parse_link(const struct sonic_link_columns *c, const struct dv *mf,
	const struct dv *entry, struct obs *o, uint32_t port, struct cells *cells);
/* The switch's clock when a script ran: seconds and microseconds; kept, if there is one already. */
void sonic_parse_time(const struct dv *t, struct obs *o);
/* Says in o the times of a fast answer: see slot_tell. */
bool sonic_tell(const struct slot_word words[SLOT_WORDS], struct obs *o);
/* Words of the fast answer for slots_tell(), which sonic_fast_needs() says. */
enum sonic_word { SONIC_SECONDS, SONIC_MICROSECONDS, SONIC_UPTIME, SONIC_IDLE };
/* Says that a reply has no ports; false. */
bool sonic_no_ports(const struct target *t, const char *request, struct err *err);
/* Says the needs of fast once all ASICs have been read. */
void sonic_fast_needs(const struct target *t, struct obs *o);

/*
 * What queues and priority groups of ports refer to in the config reply, by port: the list of all
 * is gone through once an answer, not once a port. Points into doc.
 */
struct sonic_ref {
	const char *port; /* no NUL behind it */
	size_t len, order;
	uint64_t tail; /* how it ends */
	uint8_t queues;
	const struct dv *to;
};
struct sonic_refs {
	struct sonic_ref *at;
	size_t n, size;
};
/* What a map says, kept: most ports have the same ones. Digits by index, '-': nothing. */
enum sonic_map_kind {
	SONIC_DSCP_TO_TC,
	SONIC_TC_TO_QUEUE,
	SONIC_TC_TO_PG,
	SONIC_PRIO_TO_QUEUE,
	SONIC_MAPS
};
struct sonic_map {
	size_t column;      /* of a port's row, where it names one */
	const char *of_all; /* "", or what the row for all ports names */
	const char *ref;    /* as ports name it, NULL: none was read yet */
	char text[65];      /* "": there is no such map */
};
/* Numbers of a WRED or buffer profile, kept likewise. */
#define SONIC_PROFILE  3
#define SONIC_PROFILES 8
struct sonic_profile {
	const struct dv *row; /* NULL: none */
	bool applies;         /* it marks; it is lossless */
	bool has[SONIC_PROFILE];
	double value[SONIC_PROFILE];
};
struct sonic_profiles {
	struct sonic_profile at[SONIC_PROFILES];
	size_t next; /* whose place the next one takes */
};
struct sonic_qos {
	const struct dv *doc;
	struct sonic_refs queues, groups;
	struct sonic_map maps[SONIC_MAPS]; /* the last that was read of each kind */
	struct sonic_profiles curves, pools;
	size_t pfc_enable; /* column */
};
void sonic_qos_begin(struct sonic_qos *q, const struct dv *doc);
void sonic_qos_end(struct sonic_qos *q);
/* QoS settings of one port out of the config reply. */
void sonic_parse_qos(struct sonic_qos *qos, const struct dv *entry, const char *name, struct obs *o,
	uint32_t port);
/* Hash settings, and the needs that the QoS tables decide. */
void sonic_parse_switch_qos(const struct dv *doc, struct obs *o);

/* Text answers. */
bool sonic_parse_detect(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err);
bool sonic_parse_bgp(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err);
bool sonic_parse_log(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err);
void sonic_plan_detect(struct request_list *out);
void sonic_plan_bgp(const struct target *t, struct request_list *out);
void sonic_plan_log(const struct target *t, struct request_list *out);
#define SONIC_ASIC_MARK "@asic " /* begins the answer of one ASIC: "@asic asic0" */
/* The next line behind at that does; end: none. */
const char *sonic_next_part(const char *at, const char *end);
#define SONIC_ASIC_CURE                                                                            \
	"a switch with several ASICs keeps its counters where only root may look: let the user "   \
	"run sudo sonic-db-cli without a password"

/*
 * A reply of Redis that is no JSON at all: what the shell, sonic-db-cli or Redis said instead, and
 * what helps. Returns false.
 */
bool sonic_explain(const char *bytes, size_t len, const char *device, struct err *err);

/* The value of a field in a row, by one of the reply's lists of names (af, mf, ...); NULL: none. */
const struct dv *sonic_value(const struct dv *fields, const struct dv *row, const char *name);
/* The same in two steps: where the name is in the list (SIZE_MAX: nowhere), then of each row. */
size_t sonic_column(const struct dv *fields, const char *name);
const struct dv *sonic_at(const struct dv *row, size_t column);
/*
 * The same for several names at once, for answers with many rows: where each name is in the list,
 * found once an answer, then the readings of a row. Rows of more than SONIC_CELLS values are looked
 * at up to there; none of railtop's scripts asks for as many fields.
 */
#define SONIC_CELLS 64
void sonic_columns(const struct dv *fields, const char *const *names, size_t n, uint8_t *columns);
/* value[i] is set where has[i] is NUMBER_OK. A row is a list, or one text with bars between. */
void sonic_reals(
	const struct dv *row, const uint8_t *columns, size_t n, enum number *has, double *value);
/* Likewise the texts of a list, "" where one is absent. They lie in the row. */
void sonic_texts(const struct dv *row, const uint8_t *columns, size_t n, const char **text);
/* Text of it, "" when it is absent. */
const char *sonic_text(const struct dv *fields, const struct dv *row, const char *name);
/* Front-panel ports only: "Ethernet12", not the recycle ports "Ethernet-IB0", not "eth0". */
bool sonic_is_front_panel(const char *port);

/* What it runs to learn what the switch is and may be asked. */
extern const char sonic_detect_script[];
/* backend_ops.reads() of SONiC. */
bool sonic_reads(const struct request *r);
/* The name by which Redis knows a script: the SHA1 of its text, in hexadecimal. False: no SHA1. */
#define SONIC_SHA_SIZE 41
bool sonic_script_sha(const char *lua, char dst[SONIC_SHA_SIZE]);

#endif
