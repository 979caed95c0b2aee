/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_NXOS_NXOS_H
#define BACKENDS_DIALECTS_NXOS_NXOS_H

#include "backends/contract/backend.h"
#include "backends/contract/needs.h"
#include "backends/parse/json_select.h"

/*
 * Cisco NX-OS on Nexus 9000: managed objects (DME) and NX-API over HTTPS, "| json native" over SSH.
 * Each NX-API command writes a line into the switch's log, a DME query does not, so that HTTPS asks
 * DME for all that it knows.
 */

/* What the dialect wants to be told again (see backends/contract/facts.h). */
#define NXOS_FACT_NATIVE  "nxos.native"  /* "no": the CLI has only "| json" */
#define NXOS_FACT_QUEUES  "nxos.queues"  /* "dme": it has the queues' counters */
#define NXOS_FACT_INDISC  "nxos.indisc"  /* "errors": that command has discards of arrival */
#define NXOS_FACT_MOD     "nxos.mod"     /* when the queues were refreshed last, us */
#define NXOS_FACT_PERIOD  "nxos.period"  /* and how often they are, ms */
#define NXOS_FACT_GAPS    "nxos.gaps"    /* refreshes that this was learnt of */
#define NXOS_FACT_COS     "nxos.cos"     /* PFC priority of qos-group 0-7: "---3----" */
#define NXOS_FACT_WD_STOP "nxos.wd.stop" /* watchdog: multiplier until a queue is shut */
#define NXOS_FACT_WD_BACK "nxos.wd.back" /* and until it is opened again */

#define NXOS_COMMANDS_MAX 6u

/* What the texts of one answer say about classes and queues; see pfc.c. */
struct nxos_qos;

/* One answer while it is decoded. */
struct nxos_job {
	const struct target *t;
	struct obs *o;
	struct nxos_qos *qos; /* made when a text has something for it */
	int64_t refreshed_us; /* when the switch refreshed the first queue of the answer; 0 */
};

/*
 * Commands that are asked together, and what their answers mean. A "=" before a command: it has
 * text only. Decoders look for their own table and do nothing where there is none.
 */
struct nxos_group {
	const char *name;
	unsigned ssh, https; /* tiers, bit sets of 1u << POLL_* */
	bool alone;          /* HTTPS: a request of its own beside the tier's batch */
	const char *commands[NXOS_COMMANDS_MAX];
	need_set needs; /* lost without it */
	enum validity without;
	const char *cure;
	void (*json)(struct nxos_job *j, const struct dv *body);
	void (*text)(struct nxos_job *j, const char *text, size_t len);
	void (*end)(struct nxos_job *j); /* after all commands of the group */
};
extern const struct nxos_group nxos_groups[];
extern const size_t nxos_group_count;

/* A class of managed objects: each of its rows has its port in its name. */
struct nxos_class {
	const char *name; /* of the request */
	unsigned tiers;
	const char *path;
	need_set needs;
	void (*row)(struct nxos_job *j, uint32_t port, const struct dv *attributes,
		const struct dv *mo);
	void (*end)(struct nxos_job *j, size_t rows); /* may be NULL */
	/* Attributes that row() reads: the others are idle
	 * (backends/parse/number_positions_json.h). NULL: slots are not told. */
	bool (*reads)(const char *attribute);
};
extern const struct nxos_class nxos_classes[];
extern const size_t nxos_class_count;

bool nxos_parse_dme(const struct nxos_class *c, struct nxos_job *j, const char *bytes, size_t len,
	struct err *err);

/* backend_ops.reads() of NX-OS: reads.c. */
bool nxos_reads(const struct request *r);

/* A command that has text only: "=show ...". */
bool nxos_is_text(const char *command);
/*
 * The answer to an array of JSON-RPC. Each element names its command by its id: of the group only,
 * else of all groups (nxos_plan() numbers them).
 */
bool nxos_parse_rpc(struct nxos_job *j, const struct nxos_group *only, const char *bytes,
	size_t len, struct err *err);
/* The answer to a group's commands in one line of the CLI. */
bool nxos_parse_cli(struct nxos_job *j, const struct nxos_group *g, const char *bytes, size_t len,
	struct err *err);

/* ---- decoders of the groups ---- */

void nxos_identity(struct nxos_job *j, const struct dv *body);
void nxos_brief(struct nxos_job *j, const struct dv *body);
void nxos_counters(struct nxos_job *j, const struct dv *body);
void nxos_errors(struct nxos_job *j, const struct dv *body);
void nxos_interface(struct nxos_job *j, const struct dv *body);
void nxos_optics(struct nxos_job *j, const struct dv *body);
void nxos_pfc(struct nxos_job *j, const struct dv *body);
void nxos_queuing(struct nxos_job *j, const struct dv *body);
void nxos_watchdog(struct nxos_job *j, const struct dv *body);
void nxos_bgp(struct nxos_job *j, const struct dv *body);
void nxos_lldp(struct nxos_job *j, const struct dv *body);
void nxos_qos_text(struct nxos_job *j, const char *text, size_t len);
void nxos_qos_end(struct nxos_job *j);
void nxos_qos_free(struct nxos_job *j);
void nxos_hash_text(struct nxos_job *j, const char *text, size_t len);
void nxos_multipliers_text(struct nxos_job *j, const char *text, size_t len);
void nxos_log_text(struct nxos_job *j, const char *text, size_t len);

/* ---- words ---- */

/*
 * "Ethernet1/1" of "Ethernet1/1", "Eth1/1", "eth1/1]/phys", "Ethernet1/1 Interface PFC watchdog";
 * false for what is no front-panel port (mgmt0, port-channel1, Ethernet1/1.100).
 */
bool nxos_port_name(const char *text, char dst[NAME_MAX_LEN]);
/* The same for a name that has nothing behind it. */
bool nxos_is_port(const char *name);
/* The port in the batch; OBS_NO_PORT. v: a string that begins with its name. */
uint32_t nxos_port(struct nxos_job *j, const struct dv *v);

/* Calls each() for the rows of TABLE_name.ROW_name, whether these are one, many or none. */
typedef void nxos_row_fn(void *ctx, const struct dv *row);
void nxos_each(const struct dv *parent, const char *name, nxos_row_fn *each, void *ctx);
/* The same where the table may hang below TABLE_module. */
void nxos_each_module(const struct dv *body, const char *name, nxos_row_fn *each, void *ctx);

/* "400G", "1000", "100M", "400 Gb/s", "400G(D)" in Mb/s; 0: none ("auto"). */
double nxos_speed_mbps(const char *text);
/* "P2DT16H8M52S", "6w3d", "2week(s) 2day(s)", "3d21h", "01:02:03" in s; NAN: "never". */
double nxos_duration_s(const char *text);
/* "2026-11-21T14:46:00.125+00:00" in us since the epoch; 0: no such time. */
int64_t nxos_time_us(const char *text);
/* "rs" of "Rs-fec", "cl91-rs-fec", "none" of "off", "disable-fec"; NULL: unknown. */
const char *nxos_fec(const char *text);
/* The priority whose frames a qos-group's queue carries: as PFC has it, else the same number. */
unsigned nxos_priority(const struct target *t, unsigned group);
/* Says why a counter has no value, for each lossless priority, or for the port. */
void nxos_never(struct nxos_job *j, uint32_t port, enum counter_id id);
/* All that no command of NX-OS has, for one port; and the needs that hang on it. */
void nxos_lacks(struct nxos_job *j, uint32_t port);
void nxos_lacks_report(struct nxos_job *j);

/* Calls each() for every line of the text, without blanks around it, at most 512 bytes of it. */
typedef void nxos_line_fn(void *ctx, const char *line);
void nxos_lines(const char *text, size_t len, nxos_line_fn *each, void *ctx);

#endif
