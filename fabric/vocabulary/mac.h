/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_MAC_H
#define FABRIC_VOCABULARY_MAC_H

#include <stdbool.h>

#define MAC_TEXT 18

/*
 * Reads an Ethernet address in any vendor's form ("b8ce.f6aa.0001", "B8-CE-F6-AA-00-01",
 * "b8cef6aa0001") and writes "b8:ce:f6:aa:00:01". False, and dst is "", for any other text.
 */
bool mac_read(const char *text, char dst[MAC_TEXT]);
bool mac_is(const char *text);

/*
 * Whether a neighbour's system name names nothing: a MAC or an IP address in place of it, "", or
 * the name of a system that was never given one ("localhost", "sonic").
 */
bool neighbour_is_nameless(const char *name);

#endif
