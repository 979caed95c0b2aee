/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_DEV_EOS_H
#define EMULATOR_DEV_EOS_H

#include <jansson.h>

#include "emulator/device/personality_internal.h"

/* An Arista switch: eAPI (JSON-RPC over HTTPS) and the same commands in a CLI. */

#define EOS_MAC_TEXT 15 /* "0200.0a00.0103" */

/* One show command; wanted: only this interface, NULL for all. The caller owns the reply. */
struct eos_command {
	const char *words; /* "%" stands for an interface name */
	json_t *(*json)(const struct machine *m, const char *wanted);
	void (*text)(const struct machine *m, struct buf *out);
};
extern const struct eos_command eos_commands[]; /* ends with NULL words */

/* Finds a command as typed, abbreviations excluded; *wanted points into buffer. NULL: unknown. */
const struct eos_command *eos_find(const char *line, char buffer[32], const char **wanted);
/* Which word of an unknown command is wrong: its number from 1, and the word (may be empty). */
unsigned eos_bad_token(const char *line, char token[64]);
/* "Ethernet3/1" */
void eos_name(const struct sim_port *p, char dst[24]);
double eos_seconds(int64_t us); /* the float epoch that EOS prints */

json_t *eos_interfaces(const struct machine *m, const char *wanted);
json_t *eos_status(const struct machine *m, const char *wanted);
json_t *eos_errors(const struct machine *m, const char *wanted);
json_t *eos_discards(const struct machine *m, const char *wanted);
json_t *eos_rates(const struct machine *m, const char *wanted);
json_t *eos_pfc(const struct machine *m, const char *wanted);
json_t *eos_pfc_detail(const struct machine *m, const char *wanted);
json_t *eos_ecn(const struct machine *m, const char *wanted);
json_t *eos_watchdog(const struct machine *m, const char *wanted);
json_t *eos_queues(const struct machine *m, const char *wanted);
json_t *eos_phy(const struct machine *m, const char *wanted);
json_t *eos_optics(const struct machine *m, const char *wanted);
bool eos_is_wanted(const struct sim_port *p, const char *wanted);

#endif
