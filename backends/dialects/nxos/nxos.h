/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_NXOS_NXOS_H
#define BACKENDS_DIALECTS_NXOS_NXOS_H

#include "backends/contract/backend.h"
#include "backends/contract/needs.h"
#include "backends/parse/json_select.h"

/*
 * Cisco NX-OS on Nexus 9000: managed objects (DME) and NX-API over HTTPS, "| json native" over SSH.
 * Each NX-API command writes a line into the switch's log, a DME query does not. So HTTPS uses DME
 * for everything that it has.
 */

/* Facts of the dialect (see backends/contract/facts.h). */
#define NXOS_FACT_NATIVE  "nxos.native"  /* "no": the CLI has only "| json" */
#define NXOS_FACT_QUEUES  "nxos.queues"  /* "dme": it has the queues' counters */
#define NXOS_FACT_INDISC  "nxos.indisc"  /* "errors": that command has the ingress discards */
#define NXOS_FACT_MOD     "nxos.mod"     /* last refresh of the queues, us */
#define NXOS_FACT_PERIOD  "nxos.period"  /* refresh period of the queues, ms */
#define NXOS_FACT_GAPS    "nxos.gaps"    /* number of observed refreshes */
#define NXOS_FACT_COS     "nxos.cos"     /* PFC priority of qos-group 0-7: "---3----" */
#define NXOS_FACT_WD_STOP "nxos.wd.stop" /* watchdog: multiplier until a queue is shut */
#define NXOS_FACT_WD_BACK "nxos.wd.back" /* multiplier until it is opened again */

#define NXOS_COMMANDS_MAX 6u

/* Classes and queues from the texts of one answer; see pfc.c. */
struct nxos_qos;

/* State of decoding one answer. */
struct nxos_job {
	const struct target *t;
	struct obs *o;
	struct nxos_qos *qos; /* allocated when a text has QoS settings */
	int64_t refreshed_us; /* refresh time of the answer's first queue; 0: none */
};

/*
 * Commands that are sent together, and their decoders. A "=" before a command: it has text output
 * only. A decoder looks for its own table and does nothing without it.
 */
struct nxos_group {
	const char *name;
	unsigned ssh, https; /* tiers, bit sets of 1u << POLL_* */
	bool alone;          /* HTTPS: a request of its own beside the tier's batch */
	const char *commands[NXOS_COMMANDS_MAX];
	need_set needs; /* unmet without the group */
	enum validity without;
	const char *cure;
	void (*json)(struct nxos_job *j, const struct json_value *body);
	void (*text)(struct nxos_job *j, const char *text, size_t len);
	void (*end)(struct nxos_job *j); /* after all commands of the group */
};
extern const struct nxos_group nxos_groups[];
extern const size_t nxos_group_count;

/* A class of managed objects: the name of each row contains its port. */
struct nxos_class {
	const char *name; /* name of the request */
	unsigned tiers;
	const char *path;
	need_set needs;
	void (*row)(struct nxos_job *j, uint32_t port, const struct json_value *attributes,
		const struct json_value *mo);
	void (*end)(struct nxos_job *j, size_t rows); /* may be NULL */
	/*
	 * Attributes that row() reads; the others are idle
	 * (backends/parse/number_positions_json.h). NULL: no slots.
	 */
	bool (*reads)(const char *attribute);
};
extern const struct nxos_class nxos_classes[];
extern const size_t nxos_class_count;

bool nxos_parse_dme(const struct nxos_class *c, struct nxos_job *j, const char *bytes, size_t len,
	struct err *err);

/* backend_ops.reads() of NX-OS: reads.c. */
bool nxos_reads(const struct request *r);

/* True: a command that has text output only: "=show ...". */
bool nxos_is_text(const char *command);
/*
 * Decodes the answer to an array of JSON-RPC. The id of each element numbers its command in the
 * group only, or in all groups if only is NULL (nxos_plan() numbers them).
 */
bool nxos_parse_rpc(struct nxos_job *j, const struct nxos_group *only, const char *bytes,
	size_t len, struct err *err);
/* Decodes the answer to a group's commands in one line of the CLI. */
bool nxos_parse_cli(struct nxos_job *j, const struct nxos_group *g, const char *bytes, size_t len,
	struct err *err);

/* ---- decoders of the groups ---- */

void nxos_identity(struct nxos_job *j, const struct json_value *body);
void nxos_brief(struct nxos_job *j, const struct json_value *body);
void nxos_counters(struct nxos_job *j, const struct json_value *body);
void nxos_errors(struct nxos_job *j, const struct json_value *body);
void nxos_interface(struct nxos_job *j, const struct json_value *body);
void nxos_optics(struct nxos_job *j, const struct json_value *body);
void nxos_pfc(struct nxos_job *j, const struct json_value *body);
void nxos_queuing(struct nxos_job *j, const struct json_value *body);
void nxos_buffers(struct nxos_job *j, const struct json_value *body);
void nxos_watchdog(struct nxos_job *j, const struct json_value *body);
void nxos_bgp(struct nxos_job *j, const struct json_value *body);
void nxos_lldp(struct nxos_job *j, const struct json_value *body);
void nxos_lag(struct nxos_job *j, const struct json_value *body);
void nxos_vpc(struct nxos_job *j, const struct json_value *body);
void nxos_segments(struct nxos_job *j, const struct json_value *body);
void nxos_qos_text(struct nxos_job *j, const char *text, size_t len);
void nxos_qos_end(struct nxos_job *j);
void nxos_qos_free(struct nxos_job *j);
void nxos_hash_text(struct nxos_job *j, const char *text, size_t len);
void nxos_balancing_text(struct nxos_job *j, const char *text, size_t len);
void nxos_least_text(struct nxos_job *j, const char *text, size_t len);
void nxos_multipliers_text(struct nxos_job *j, const char *text, size_t len);
void nxos_log_text(struct nxos_job *j, const char *text, size_t len);

/* ---- names, numbers and times ---- */

/*
 * Extracts "Ethernet1/1" from "Ethernet1/1", "Eth1/1", "eth1/1]/phys", "Ethernet1/1 Interface PFC
 * watchdog"; false if it is not a front-panel port (mgmt0, port-channel1, Ethernet1/1.100).
 */
bool nxos_port_name(const char *text, char dst[NAME_MAX_LEN]);
/* The same for a name with nothing after it. */
bool nxos_is_port(const char *name);
/*
 * Returns the port's number in the batch; OBS_NO_PORT: none. v: a string that begins with its name.
 */
uint32_t nxos_port(struct nxos_job *j, const struct json_value *v);

/* Calls each() for the rows of TABLE_name.ROW_name, whether there is one, many or none. */
typedef void nxos_row_fn(void *ctx, const struct json_value *row);
void nxos_each(const struct json_value *parent, const char *name, nxos_row_fn *each, void *ctx);
/* The same if the table may be below TABLE_module. */
void nxos_each_module(
	const struct json_value *body, const char *name, nxos_row_fn *each, void *ctx);

/* Writes 10 or "10" as text, "" for anything else. */
const char *nxos_number_text(const struct json_value *v, char *dst, size_t size);
/* Converts "400G", "1000", "100M", "400 Gb/s", "400G(D)" to Mb/s; 0: none ("auto"). */
double nxos_speed_mbps(const char *text);
/*
 * Converts "P2DT16H8M52S", "6w3d", "2week(s) 2day(s)", "3d21h", "01:02:03" to seconds; NAN:
 * "never".
 */
double nxos_duration_s(const char *text);
/* Converts "2026-11-21T14:46:00.125+00:00" to us since the epoch; 0: invalid. */
int64_t nxos_time_us(const char *text);
/* Returns "rs" for "Rs-fec", "cl91-rs-fec", "none" for "off", "disable-fec"; NULL: unknown. */
const char *nxos_fec(const char *text);
/* Returns the priority of the frames in a qos-group's queue: from PFC, else the same number. */
unsigned nxos_priority(const struct target *t, unsigned group);
/* Adds the reason for a missing counter, for each lossless priority or for the port. */
void nxos_never(struct nxos_job *j, uint32_t port, counter_id id);
/*
 * Marks the counters that no command of NX-OS has, for one port; nxos_lacks_report() reports their
 * needs.
 */
void nxos_lacks(struct nxos_job *j, uint32_t port);
void nxos_lacks_report(struct nxos_job *j);

/* Calls each() for every line of the text, without surrounding blanks, at most 512 bytes of it. */
typedef void nxos_line_fn(void *ctx, const char *line);
void nxos_lines(const char *text, size_t len, nxos_line_fn *each, void *ctx);

#endif
