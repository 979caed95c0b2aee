/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_DEV_EOS_H
#define EMULATOR_DEV_EOS_H

#include <jansson.h>

#include "emulator/device/personality_internal.h"

/* An Arista switch: eAPI (JSON-RPC over HTTPS) and the same commands in a CLI. */

#define EOS_ARGS 6

/* The words that matched a command's placeholders. */
struct eos_args {
	char word[EOS_ARGS][32];
	unsigned n;
};

/*
 * Matches a line word by word. In the pattern '%' matches an interface name, '#' a number, '*' any
 * word. With abbreviate, words may be cut short, as in an interactive session.
 */
bool eos_match(const char *pattern, const char *line, bool abbreviate, struct eos_args *a);
/* Number of leading words of the line that match the pattern. */
unsigned eos_match_words(const char *pattern, const char *line);

/* One show command. wanted: the word at its first placeholder; NULL if it has none. */
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
	char session[32]; /* "configure session NAME": commands are stored until its commit; "":
			     none */
};

/* Commands that change the configuration or the mode. EOS_DENIED: only after "enable". */
enum eos_result { EOS_UNKNOWN, EOS_DONE, EOS_DENIED };
enum eos_result eos_change(struct eos_session *s, const char *line);
/* Like eos_match_words() for those commands: the maximum over all of them. */
unsigned eos_change_words(const struct eos_session *s, const char *line);

/* State of a switch besides its configuration: logins, and baselines of cleared counters. */
struct eos_notes;
void eos_notes_free(struct eos_notes *n); /* NULL is allowed */
/* Writes a Set-Cookie header. */
void eos_login(struct personality_ctx *ctx, const struct sim_device *d, char cookie[256]);
/* True if a Cookie header belongs to an open login. */
bool eos_logged_in(
	const struct personality_ctx *ctx, const struct sim_device *d, const char *cookie);
void eos_logout(struct personality_ctx *ctx, const struct sim_device *d, const char *cookie);
/* "clear priority-flow-control counters watchdog": these counters restart at 0. */
void eos_clear_watchdog(struct personality_ctx *ctx, const struct sim_device *d);
/* Storms and recoveries of a queue since the last clear. */
void eos_storms(const struct personality_ctx *ctx, const struct sim_port *p, unsigned prio,
	uint64_t *stuck, uint64_t *recovered);

/* True if a port has watchdog timers or an action of its own; the others use the switch's. */
void eos_own_timers(struct personality_ctx *ctx, const struct sim_port *p, bool own);
void eos_own_action(struct personality_ctx *ctx, const struct sim_port *p, bool own);
bool eos_has_own_timers(const struct personality_ctx *ctx, const struct sim_port *p);
bool eos_has_own_action(const struct personality_ctx *ctx, const struct sim_port *p);
/* A port that uses the settings of the whole switch. */
const struct sim_port *eos_default_timers(const struct machine *m);
const struct sim_port *eos_default_action(const struct machine *m);

/* dev_eos_session.c: configuration sessions, which store edits until their commit. */
struct eos_sessions;
void eos_sessions_free(struct eos_sessions *all); /* NULL is allowed */
struct eos_sessions **eos_sessions_of(struct personality_ctx *ctx);
/*
 * "configure session NAME [abort|commit]", "commit", "abort". false: no such session, or too
 * many.
 */
bool eos_session_enter(struct eos_session *s, const char *name);
bool eos_session_end(struct eos_session *s, const char *name, bool commit);
void eos_session_record(struct eos_session *s, const char *line);
json_t *eos_sessions_show(const struct machine *m, const char *wanted);

/* A port by its name or a short form of it (Et3/1); NULL: none. */
struct sim_port *eos_port(const struct machine *m, const char *name);
bool eos_is_wanted(const struct sim_port *p, const char *wanted);
/* Device time of a fabric time in EOS's format: a float epoch. */
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
json_t *eos_port_channel(const struct machine *m, const char *wanted);
json_t *eos_mlag(const struct machine *m, const char *wanted);
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
void eos_schedulers_text(const struct machine *m, const char *wanted, struct buf *out);
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
