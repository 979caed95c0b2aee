/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_DEV_NXOS_H
#define EMULATOR_DEV_NXOS_H

#include <jansson.h>

#include "emulator/device/personality_internal.h"

/*
 * A Cisco Nexus 9000: NX-API (JSON-RPC and ins_api) and DME objects over HTTPS, and the same
 * commands in a CLI. Formats follow the vendor's published schemas and public captures. Commands
 * that have only text on the device have only text here.
 */

#define NXOS_GROUPS    8u
#define NXOS_TOKEN_SEC 600  /* life of a cookie, device time */
#define NXOS_CELL      416u /* bytes per buffer cell */
#define NXOS_WORDS_MAX 24u
#define NXOS_LINE_MAX  256u

/* ---- one command line ---- */

enum nxos_mode { NXOS_EXEC, NXOS_CONFIG, NXOS_INTERFACE, NXOS_BGP, NXOS_NEIGHBOR };
enum nxos_format { NXOS_TEXT, NXOS_JSON, NXOS_NATIVE }; /* NATIVE: "| json native" */

/* Lives as long as a session: an exec channel, or one request. */
struct nxos_session {
	struct machine m;
	enum nxos_mode mode;
	struct sim_port *port; /* the port of the current mode */
};

/* The options of a show command. */
struct nxos_query {
	const struct machine *m;
	bool native;                 /* numbers stay numbers; rows are always arrays */
	bool detail;                 /* the last word is "detail" */
	unsigned count;              /* "last N"; 0: all */
	const struct sim_port *only; /* NULL: all interfaces */
};

enum nxos_status {
	NXOS_DONE,
	NXOS_INVALID,
	NXOS_INCOMPLETE,
	NXOS_UNSTRUCTURED,
	NXOS_DEAD,
	NXOS_DENIED
};

struct nxos_answer {
	enum nxos_status status;
	json_t *body;    /* NULL: no output */
	struct buf text; /* NXOS_TEXT */
	unsigned caret;  /* NXOS_INVALID: column of the wrong word */
	bool config;     /* it was a configuration command */
};

void nxos_answer_free(struct nxos_answer *a);
/* Runs one command without "| ...". The caller owns the answer. */
void nxos_run(
	struct nxos_session *s, const char *line, enum nxos_format format, struct nxos_answer *a);
/* The same with filters: "| json [native]", "| include X", "| last 20", ... */
void nxos_run_piped(
	struct nxos_session *s, const char *line, enum nxos_format format, struct nxos_answer *a);

/* Copies the n bytes of one command, or "?" if they exceed the CLI's limit. */
void nxos_line_copy(char dst[NXOS_LINE_MAX], const char *line, size_t n);
struct nxos_line {
	char text[NXOS_LINE_MAX]; /* words end with NUL */
	const char *word[NXOS_WORDS_MAX];
	unsigned column[NXOS_WORDS_MAX];
	unsigned n;
};
/* false: too many words. */
bool nxos_split(const char *text, struct nxos_line *l);
/*
 * Matches words against a pattern; words may be abbreviated in the line. "%" matches an interface,
 * "#" a number, "*" any word. *used: number of matching words, also if not all match. Returns true
 * if all match.
 */
struct nxos_words {
	struct sim_port *port;
	unsigned number;
	const char *any;
};
bool nxos_fits(const struct sim_device *d, const char *pattern, const struct nxos_line *l,
	struct nxos_words *w, unsigned *used);

/* dev_nxos_config.c: true if the line is a command that changes the configuration. */
bool nxos_configure(
	struct nxos_session *s, const struct nxos_line *l, struct nxos_answer *a, unsigned *used);

/* ---- show commands ---- */

struct nxos_command {
	const char *words;
	json_t *(*json)(const struct nxos_query *q); /* NULL: the device has only text */
	void (*text)(const struct nxos_query *q, struct buf *out);
};
extern const struct nxos_command nxos_commands[]; /* ends with NULL words */

json_t *nxos_interface(const struct nxos_query *q);
json_t *nxos_brief(const struct nxos_query *q);
json_t *nxos_interface_status(const struct nxos_query *q);
json_t *nxos_counters(const struct nxos_query *q);
json_t *nxos_errors(const struct nxos_query *q);
json_t *nxos_transceiver(const struct nxos_query *q);
json_t *nxos_pfc(const struct nxos_query *q);
json_t *nxos_queuing(const struct nxos_query *q);
json_t *nxos_watchdog(const struct nxos_query *q);
json_t *nxos_buffers(const struct nxos_query *q);
json_t *nxos_port_channels(const struct nxos_query *q);
json_t *nxos_vpc(const struct nxos_query *q);
json_t *nxos_version(const struct nxos_query *q);
json_t *nxos_hostname(const struct nxos_query *q);
json_t *nxos_clock(const struct nxos_query *q);
json_t *nxos_uptime(const struct nxos_query *q);
json_t *nxos_inventory(const struct nxos_query *q);
json_t *nxos_lldp(const struct nxos_query *q);
json_t *nxos_lldp_detail(const struct nxos_query *q);
json_t *nxos_bgp_summary(const struct nxos_query *q);
json_t *nxos_bgp_sessions(const struct nxos_query *q);

void nxos_interface_text(const struct nxos_query *q, struct buf *out);
void nxos_brief_text(const struct nxos_query *q, struct buf *out);
void nxos_interface_status_text(const struct nxos_query *q, struct buf *out);
void nxos_counters_text(const struct nxos_query *q, struct buf *out);
void nxos_errors_text(const struct nxos_query *q, struct buf *out);
void nxos_transceiver_text(const struct nxos_query *q, struct buf *out);
void nxos_pfc_text(const struct nxos_query *q, struct buf *out);
void nxos_pfc_detail_text(const struct nxos_query *q, struct buf *out);
void nxos_queuing_text(const struct nxos_query *q, struct buf *out);
void nxos_buffers_text(const struct nxos_query *q, struct buf *out);
void nxos_port_channels_text(const struct nxos_query *q, struct buf *out);
void nxos_vpc_text(const struct nxos_query *q, struct buf *out);
/* Port-channels of the configuration, with their least members. */
void nxos_running_bundles(const struct sim_device *d, struct buf *out);
void nxos_watchdog_text(const struct nxos_query *q, struct buf *out);
void nxos_network_qos_text(const struct nxos_query *q, struct buf *out);
void nxos_queuing_policy_text(const struct nxos_query *q, struct buf *out);
void nxos_qos_classes_text(const struct nxos_query *q, struct buf *out);
void nxos_qos_policy_text(const struct nxos_query *q, struct buf *out);
void nxos_running_text(const struct nxos_query *q, struct buf *out);
void nxos_running_bgp_text(const struct nxos_query *q, struct buf *out);
void nxos_version_text(const struct nxos_query *q, struct buf *out);
void nxos_hostname_text(const struct nxos_query *q, struct buf *out);
void nxos_clock_text(const struct nxos_query *q, struct buf *out);
void nxos_uptime_text(const struct nxos_query *q, struct buf *out);
void nxos_inventory_text(const struct nxos_query *q, struct buf *out);
void nxos_lldp_text(const struct nxos_query *q, struct buf *out);
void nxos_lldp_detail_text(const struct nxos_query *q, struct buf *out);
void nxos_bgp_summary_text(const struct nxos_query *q, struct buf *out);
void nxos_bgp_sessions_text(const struct nxos_query *q, struct buf *out);
void nxos_logging_text(const struct nxos_query *q, struct buf *out);
void nxos_load_balance_text(const struct nxos_query *q, struct buf *out);
void nxos_load_sharing_text(const struct nxos_query *q, struct buf *out);

/* ---- words and numbers ---- */

/* "Eth1/4"; "eth1/4" for DME. */
void nxos_short_name(const struct sim_port *p, const char *head, char *dst, size_t size);
const char *nxos_speed(const struct sim_port *p, char dst[16]); /* "400G" */
bool nxos_is_wanted(const struct nxos_query *q, const struct sim_port *p);
/* "Link not connected"; NULL if the link is up. */
const char *nxos_down_reason(const struct sim_port *p);
/* "01:02:03", "3d21h", "2week(s) 2day(s)" */
void nxos_ago(int64_t us, char dst[40]);
void nxos_duration(int64_t us, char dst[40]); /* "P2DT16H8M52S" */
/* "2026-11-21T14:46:00.125+00:00" */
void nxos_timestamp(int64_t us, char dst[40]);
/* strftime() in UTC. */
void nxos_when(int64_t us, const char *format, char *dst, size_t size);
/* The neighbour's end of the link, and its AS; false: no session is configured here. */
bool nxos_neighbor(
	const struct machine *m, const struct sim_port *p, char address[16], unsigned *asn);
const char *nxos_bgp_state(const struct sim_port *p);
/* dBm in the CLI's format: "-1.78"; "N/A" for a dark lane. */
void nxos_dbm(double v, char dst[16]);

void nxos_str(json_t *o, const char *key, const char *text);
void nxos_strf(json_t *o, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void nxos_digits(json_t *o, const char *key, uint64_t v); /* a string in every format */
void nxos_int(json_t *o, const char *key, uint64_t v);    /* a number in every format */
/* A string of digits in "| json" and NX-API, a number in "| json native". */
void nxos_num(const struct nxos_query *q, json_t *o, const char *key, uint64_t v);
/*
 * TABLE_name { ROW_name }: a single row is an object unless native; without rows there is no table.
 * Takes ownership of rows.
 */
void nxos_table(const struct nxos_query *q, json_t *o, const char *name, json_t *rows);

/* ---- HTTPS ---- */

void nxos_api(struct nxos_session *s, const struct http_request *q, struct http_reply *reply);
void nxos_dme(struct nxos_session *s, const struct http_request *q, struct http_reply *reply);
/* Makes a cookie value now; checks that this device made a value within its lifetime. */
void nxos_token(const struct machine *m, char dst[64]);
enum nxos_token { NXOS_NO_TOKEN, NXOS_BAD_TOKEN, NXOS_OLD_TOKEN, NXOS_GOOD_TOKEN };
enum nxos_token nxos_token_of(const struct machine *m, const char *cookies, const char *name);
void nxos_send(struct http_reply *reply, unsigned status, json_t *o); /* takes ownership of o */

/* One managed object: attributes are strings. */
struct nxos_mo {
	const char *class;
	char dn[128];
	json_t *attributes; /* NULL until requested */
	const struct sim_port *port;
	unsigned index; /* queue */
};
typedef void (*nxos_mo_fn)(struct nxos_mo *mo, void *arg);
/* Calls each for every object of the device, in the tree's order. */
void nxos_mo_each(const struct machine *m, nxos_mo_fn each, void *arg);
/* Fills mo->attributes. */
void nxos_mo_fill(const struct machine *m, struct nxos_mo *mo);
bool nxos_mo_class(const char *name);

#endif
