/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECT_EOS_H
#define BACKENDS_DIALECT_EOS_H

#include "backends/backend.h"
#include "backends/parse_json.h"

/* Decoders of one command's result each; body is that command's object. */
void eos_parse_version(const json_t *body, struct obs *o);
void eos_parse_interfaces(const struct target *t, const json_t *body, struct obs *o);
void eos_parse_pfc(const struct target *t, const json_t *body, struct obs *o);
void eos_parse_ecn(const struct target *t, const json_t *body, struct obs *o);
void eos_parse_queues(const struct target *t, const json_t *body, struct obs *o);
void eos_parse_watchdog(const struct target *t, const json_t *body, struct obs *o);
void eos_parse_phy(const struct target *t, const json_t *body, struct obs *o);
void eos_parse_optics(const struct target *t, const json_t *body, struct obs *o);
void eos_parse_lldp(const struct target *t, const json_t *body, struct obs *o);
void eos_parse_errdisabled(const struct target *t, const json_t *body, struct obs *o);

/* Ethernet1/1 is a port of the fabric; Management1, Port-Channel1, Ethernet1.100 are not. */
bool eos_is_front_panel(const char *name);

#endif
