/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_EOS_EOS_H
#define BACKENDS_DIALECTS_EOS_EOS_H

#include "backends/contract/backend.h"
#include "backends/contract/needs.h"
#include "backends/parse/json_select.h"
#include "backends/parse/json.h"

/*
 * Decoders of one command's answer each, the same for eAPI and for the CLI over SSH. body is the
 * command's object, text what it prints. False: the answer has another form than railtop knows, or
 * none of what it is asked for; nothing that was added to o is wrong then.
 */
bool eos_parse_version(const struct target *t, const struct dv *body, struct obs *o);
bool eos_parse_hostname(const struct target *t, const struct dv *body, struct obs *o);
bool eos_parse_interfaces(const struct target *t, const struct dv *body, struct obs *o);
/* Of "show interfaces status": only which ports there are, as facts. */
bool eos_parse_ports(const struct target *t, const struct dv *body, struct obs *o);
bool eos_parse_pfc(const struct target *t, const struct dv *body, struct obs *o);
bool eos_parse_ecn(const struct target *t, const struct dv *body, struct obs *o);
bool eos_parse_queues(const struct target *t, const struct dv *body, struct obs *o);
bool eos_read_queues(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_parse_watchdog(const struct target *t, const struct dv *body, struct obs *o);
bool eos_parse_phy(const struct target *t, const struct dv *body, struct obs *o);
bool eos_parse_optics(const struct target *t, const struct dv *body, struct obs *o);
bool eos_parse_lldp(const struct target *t, const struct dv *body, struct obs *o);
bool eos_parse_errdisabled(const struct target *t, const struct dv *body, struct obs *o);
bool eos_parse_bgp(const struct target *t, const struct dv *body, struct obs *o);
bool eos_read_pfc_status(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_read_ecn_config(const struct target *t, const char *text, size_t len, struct obs *o);
/* Of the running configuration, for releases whose own table of ECN is not understood. */
bool eos_read_ecn_running(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_read_maps(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_read_trust(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_read_hash(const struct target *t, const char *text, size_t len, struct obs *o);
/* Of "show clock": the zone of the log, as a fact. */
bool eos_parse_clock(const struct target *t, const struct dv *body, struct obs *o);
bool eos_read_log(const struct target *t, const char *text, size_t len, struct obs *o);

/* ---- helpers of the decoders ---- */

/* Ethernet1/1 is a port of the fabric; Management1, Port-Channel1, Ethernet1.100 are not. */
bool eos_is_front_panel(const char *name);
/* "Et3/1", "Ethernet3/1" to the whole name; false when it is no port of the fabric. */
bool eos_port_name(const char *word, size_t n, char dst[NAME_MAX_LEN]);

/* Calls each() for the front-panel ports of an object keyed by interface name. */
void eos_each_port(const struct target *t, const struct dv *interfaces, struct obs *o,
	void (*each)(const struct target *, struct obs *, uint32_t, const struct dv *));
/* Says why a counter has no value, for the lossless priorities. */
void eos_invalid_lossless(const struct target *t, struct obs *o, uint32_t port, enum counter_id id,
	enum validity v, const char *cure);
/* needs_report(); what no item of the batch is about is said as v, with the cure. */
void eos_report(
	struct obs *o, const enum need_id *needs, size_t n, enum validity v, const char *cure);

/*
 * Which ports the switch has: text answers of the whole system apply to each, and what lists only
 * some needs to know the others. Learnt as facts in pieces of what a fact holds.
 */
void eos_learn_ports(const struct target *t, struct obs *o);
/* Calls each() for every port that was learnt. Returns their number, 0: not known. */
size_t eos_known_ports(
	const struct target *t, void *ctx, void (*each)(void *ctx, const char *name));

/*
 * Where the PFC watchdog looks, learnt from its settings: its counters list a queue from the first
 * storm on, so that without this nobody knows whether silence means 0.
 */
struct eos_watch {
	uint8_t mask; /* priorities; 0: nothing is known, or it is off everywhere */
	bool is_known;
	const char *ports, *not_ports; /* "1/1 2/1": only these, or all but these; "" : all */
};
void eos_watch_get(const struct target *t, struct eos_watch *w);
bool eos_watch_covers(const struct eos_watch *w, const char *port);

/* A line of text without its end; false when there are no more. */
struct eos_lines {
	const char *at, *end;
};
bool eos_line(struct eos_lines *l, char *dst, size_t size);
/* The next word of a line, or NULL; *at moves behind it. */
const char *eos_word(const char **at, size_t *n);

#endif
