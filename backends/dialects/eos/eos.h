/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_EOS_EOS_H
#define BACKENDS_DIALECTS_EOS_EOS_H

#include "backends/contract/backend.h"
#include "backends/contract/needs.h"
#include "backends/parse/json_select.h"

/*
 * Decoders for the answer of one command each, the same for eAPI and for the CLI over SSH. body is
 * the command's object, text its output. They return false if the answer has an unknown form or
 * none of the expected values; then nothing wrong was added to o.
 */
bool eos_parse_version(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_hostname(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_interfaces(const struct target *t, const struct json_value *body, struct obs *o);
/* For "show interfaces status": learns only the list of ports, as facts. */
bool eos_parse_ports(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_pfc(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_ecn(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_queues(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_read_queues(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_parse_watchdog(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_phy(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_optics(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_lag(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_mlag(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_segments(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_lanz(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_lacks_lanz(const struct target *t); /* this release or chip refuses the command */
#define EOS_LANZ_CURE "configure on the switch: queue-monitor length"
bool eos_parse_lldp(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_arp(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_errdisabled(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_parse_bgp(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_read_pfc_status(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_read_ecn_config(const struct target *t, const char *text, size_t len, struct obs *o);
/* For the running configuration, in releases with an unknown ECN table. */
bool eos_read_ecn_running(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_read_maps(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_parse_drops(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_read_schedulers(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_read_trust(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_read_balancing(const struct target *t, const char *text, size_t len, struct obs *o);
bool eos_read_hash(const struct target *t, const char *text, size_t len, struct obs *o);
/* For "show clock": learns the zone of the log, as a fact. */
bool eos_parse_clock(const struct target *t, const struct json_value *body, struct obs *o);
bool eos_read_log(const struct target *t, const char *text, size_t len, struct obs *o);

/* ---- helpers of the decoders ---- */

/*
 * True for front-panel ports like Ethernet1/1; false for Management1, Port-Channel1, Ethernet1.100.
 */
bool eos_is_front_panel(const char *name);
/* Expands "Et3/1", "Ethernet3/1" to the full name; false if it is not a front-panel port. */
bool eos_port_name(const char *word, size_t n, char dst[NAME_MAX_LEN]);

/* Calls each() for the front-panel ports of an object keyed by interface name. */
void eos_each_port(const struct target *t, const struct json_value *interfaces, struct obs *o,
	void (*each)(const struct target *, struct obs *, uint32_t, const struct json_value *));
/* Adds the reason for a missing counter, for each lossless priority. */
void eos_invalid_lossless(const struct target *t, struct obs *o, uint32_t port, counter_id id,
	enum validity v, const char *cure);
/* needs_report(); needs without an item in the batch are reported as v, with the cure. */
void eos_report(
	struct obs *o, const enum need_id *needs, size_t n, enum validity v, const char *cure);

/*
 * The list of the switch's ports. Text answers about the whole system apply to each of them, and
 * after a partial list the other ports must be known. It is stored as facts, in pieces of a fact's
 * size.
 */
void eos_learn_ports(const struct target *t, struct obs *o);
/* Calls each() for every known port. Returns their number, 0: not known. */
size_t eos_known_ports(
	const struct target *t, void *ctx, void (*each)(void *ctx, const char *name));

/*
 * Ports and priorities that the PFC watchdog monitors, from its settings. Its counters list a queue
 * only after the first storm, so a missing queue means 0 storms only if it is monitored.
 */
struct eos_watch {
	uint8_t mask; /* priorities; 0: unknown, or off everywhere */
	bool is_known;
	const char *ports, *not_ports; /* "1/1 2/1": only these, or all but these; "": all */
};
void eos_watch_get(const struct target *t, struct eos_watch *w);
bool eos_watch_covers(const struct eos_watch *w, const char *port);

/* Iterates over the lines of a text; false at the end. The line's end is cut off. */
struct eos_lines {
	const char *at, *end;
};
bool eos_line(struct eos_lines *l, char *dst, size_t size);
/* Returns the next word of a line, or NULL; *at moves behind it. */
const char *eos_word(const char **at, size_t *n);

#endif
