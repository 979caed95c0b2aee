/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_EMULATOR_SUPPORT_NXOS_BED_H
#define TESTS_EMULATOR_SUPPORT_NXOS_BED_H

#include "tests/emulator/support/rig.h"

/* ref256 with Nexus switches as leaves and spines, after a minute of traffic. */
#define LEAF "leaf-r0-00"
#define PORT "Ethernet1/5"

int nxos_bed_open(void **state); /* cmocka's group setup and teardown */
int nxos_bed_close(void **state);
struct rig *nxos_rig(void **state);
struct sim_port *nxos_port(struct rig *r); /* PORT of LEAF */
/* The first port of LEAF to a spine, with a session that came up 2 days and 3661 s ago. */
struct sim_port *nxos_uplink(struct rig *r);

/* The text at "a>b>0>c", as rig_at(); fails where there is none. */
const char *text_at(json_t *o, const char *path);
uint64_t digits_at(json_t *o, const char *path); /* of a string */
uint64_t number_at(json_t *o, const char *path);

/* A request to LEAF's object store; token NULL: no cookie. The reply is the caller's. */
json_t *nxos_rest(struct rig *r, const char *method, const char *path, const char *query,
	const char *body, const char *token, unsigned status);
void nxos_login(struct rig *r, char token[64]);

#endif
