/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_DEV_EOS_H
#define EMULATOR_DEV_EOS_H

#include <jansson.h>

#include "emulator/device/personality_internal.h"

/* An Arista switch: eAPI (JSON-RPC over HTTPS) and the same commands in a CLI. */

#define EOS_ARGS 6

/* What a command's placeholders took. */
struct eos_args {
	char word[EOS_ARGS][32];
	unsigned n;
};

/*
 * Word by word. In the pattern '%' takes an interface name, '#' a number, '*' any word. Words may
 * be cut short when abbreviate, as in an interactive session.
 */
bool eos_match(const char *pattern, const char *line, bool abbreviate, struct eos_args *a);
/* How many leading words of the line fit the pattern. */
unsigned eos_match_words(const char *pattern, const char *line);

/* One show command; wanted: what its first placeholder took, NULL when it has none. */
struct eos_command {
	const char *words;                                            /* a pattern */
	json_t *(*json)(const struct machine *m, const char *wanted); /* the caller owns it */
	void (*text)(const struct machine *m, const char *wanted, struct buf *out);
	bool privileged;
};
extern const struct eos_command eos_commands[]; /* ends with NULL words */

/* The commands of one request, or of one login: they share a mode. */
struct eos_session {
	const struct machine *m;
	const char *user;
	bool enabled, abbreviate;
	enum { EOS_EXEC, EOS_CONFIG, EOS_INTERFACE, EOS_QUEUE, EOS_BGP } mode;
	struct sim_port *port; /* of EOS_INTERFACE and EOS_QUEUE */
	char session[32];      /* "configure session NAME": what is said waits for its commit; "" */
};

/* Commands that change something or the mode. EOS_DENIED: only after "enable". */
enum eos_result { EOS_UNKNOWN, EOS_DONE, EOS_DENIED };
enum eos_result eos_change(struct eos_session *s, const char *line);
/* The same number for the words of those commands as eos_match_words(), the best of all. */
unsigned eos_change_words(const struct eos_session *s, const char *line);

/* What a switch remembers besides its configuration: logins and what was cleared. */
struct eos_notes;
void eos_notes_free(struct eos_notes *n); /* NULL is fine */
/* Writes a Set-Cookie header. */
void eos_login(struct personality_ctx *ctx, const struct sim_device *d, char cookie[256]);
/* Whether a Cookie header belongs to a login that is still open. */
bool eos_logged_in(
	const struct personality_ctx *ctx, const struct sim_device *d, const char *cookie);
void eos_logout(struct personality_ctx *ctx, const struct sim_device *d, const char *cookie);
/* "clear priority-flow-control counters watchdog": they count from here on. */
void eos_clear_watchdog(struct personality_ctx *ctx, const struct sim_device *d);
/* Storms and recoveries of a queue since the last clear. */
void eos_storms(const struct personality_ctx *ctx, const struct sim_port *p, unsigned prio,
	uint64_t *stuck, uint64_t *recovered);

/* Whether a port has watchdog timers or an action of its own; the others have the switch's. */
void eos_own_timers(struct personality_ctx *ctx, const struct sim_port *p, bool own);
void eos_own_action(struct personality_ctx *ctx, const struct sim_port *p, bool own);
bool eos_has_own_timers(const struct personality_ctx *ctx, const struct sim_port *p);
bool eos_has_own_action(const struct personality_ctx *ctx, const struct sim_port *p);
/* A port that has what is set for the whole switch. */
const struct sim_port *eos_default_timers(const struct machine *m);
const struct sim_port *eos_default_action(const struct machine *m);

/* dev_eos_session.c: configuration sessions, edits that wait for their commit. */
struct eos_sessions;
void eos_sessions_free(struct eos_sessions *all); /* NULL is fine */
struct eos_sessions **eos_sessions_of(struct personality_ctx *ctx);
/* "configure session NAME [abort|commit]", "commit", "abort"; false: no such, or too many. */
bool eos_session_enter(struct eos_session *s, const char *name);
bool eos_session_end(struct eos_session *s, const char *name, bool commit);
void eos_session_record(struct eos_session *s, const char *line);
json_t *eos_sessions_show(const struct machine *m, const char *wanted);

/* A port by its name or a short form of it (Et3/1); NULL: none. */
struct sim_port *eos_port(const struct machine *m, const char *name);
bool eos_is_wanted(const struct sim_port *p, const char *wanted);
/* Device time of a moment of the fabric as EOS prints it: a float epoch. */
double eos_seconds(const struct machine *m, int64_t us);
double eos_now(const struct machine *m);
/* "Nov 21 14:46:01" */
void eos_date(const struct machine *m, int64_t us, char dst[32]);
/* {title: {port: make(port)}}; ports for which make returns NULL are left out. */
json_t *eos_per_port(const struct machine *m, const char *wanted, const char *title,
	json_t *(*make)(const struct machine *m, const struct sim_port *p));
json_t *eos_u64(uint64_t v);

/* dev_eos_ports.c */
json_t *eos_interfaces(const struct machine *m, const char *wanted);
json_t *eos_status(const struct machine *m, const char *wanted);
void eos_status_text(const struct machine *m, const char *wanted, struct buf *out);
json_t *eos_errors(const struct machine *m, const char *wanted);
json_t *eos_discards(const struct machine *m, const char *wanted);
json_t *eos_rates(const struct machine *m, const char *wanted);
json_t *eos_queues(const struct machine *m, const char *wanted);
/* dev_eos_optics.c */
json_t *eos_phy(const struct machine *m, const char *wanted);
json_t *eos_optics(const struct machine *m, const char *wanted);
json_t *eos_transceiver(const struct machine *m, const char *wanted);
/* dev_eos_qos.c */
json_t *eos_pfc(const struct machine *m, const char *wanted);
void eos_pfc_text(const struct machine *m, const char *wanted, struct buf *out);
json_t *eos_pfc_detail(const struct machine *m, const char *wanted);
void eos_pfc_status_text(const struct machine *m, const char *wanted, struct buf *out);
json_t *eos_ecn(const struct machine *m, const char *wanted);
void eos_ecn_text(const struct machine *m, const char *wanted, struct buf *out);
json_t *eos_watchdog(const struct machine *m, const char *wanted);
void eos_watchdog_text(const struct machine *m, const char *wanted, struct buf *out);
void eos_trust_text(const struct machine *m, const char *wanted, struct buf *out);
void eos_maps_text(const struct machine *m, const char *wanted, struct buf *out);
/* dev_eos_bgp.c */
json_t *eos_bgp_summary(const struct machine *m, const char *wanted);
void eos_bgp_summary_text(const struct machine *m, const char *wanted, struct buf *out);
/* dev_eos_log.c: wanted is a number of lines, or with the word after it a time. */
void eos_log_text(const struct machine *m, const char *wanted, struct buf *out);
void eos_log_lines_text(const struct machine *m, const char *wanted, struct buf *out);
void eos_log_minutes_text(const struct machine *m, const char *wanted, struct buf *out);
void eos_log_hours_text(const struct machine *m, const char *wanted, struct buf *out);
/* dev_eos_running.c */
void eos_running_text(const struct machine *m, const char *wanted, struct buf *out);
void eos_running_interface_text(const struct machine *m, const char *wanted, struct buf *out);
void eos_running_section_text(const struct machine *m, const char *wanted, struct buf *out);

#endif
