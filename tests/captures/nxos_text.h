/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CAPTURES_NXOS_TEXT_H
#define TESTS_CAPTURES_NXOS_TEXT_H

#include <stdbool.h>

#include <jansson.h>

/*
 * Captures of the CLI's output for people, rewritten as the body that the same command has as JSON.
 * So a test can compare the decoded JSON with the numbers that a person reads on the same page. The
 * caller owns the body.
 */
json_t *nxos_interface_of(const char *text); /* show interface, of one port */
json_t *nxos_errors_of(const char *text);    /* show interface counters errors */
json_t *nxos_counters_of(const char *text);  /* show interface counters */
json_t *nxos_lldp_of(const char *text);      /* show lldp neighbors detail */
json_t *nxos_pfc_of(const char *text);       /* show interface priority-flow-control */
json_t *nxos_watchdog_of(const char *text);  /* show queuing pfc-queue detail */
json_t *nxos_queuing_of(const char *text);   /* show queuing interface */
json_t *nxos_optics_of(const char *text);    /* show interface transceiver [details] */
json_t *nxos_bgp_of(const char *text);       /* show bgp vrf all all summary */

/* The lines of a text one after the other, without blanks around them; false: no more. */
bool nxos_next_line(const char **text, char line[512]);

#endif
