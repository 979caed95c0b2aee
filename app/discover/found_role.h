/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_DISCOVER_FOUND_ROLE_H
#define APP_DISCOVER_FOUND_ROLE_H

#include "app/discover/discover.h"

/* Private to app/discover. */

/* Takes a fact of backends/dialects/linux/role.c; others are ignored. */
void found_role_fact(struct found *f, const char *key, const char *value);
/* Takes a BGP session of IPv4 or IPv6 that is up. */
void found_role_peer(struct found *f, const struct obs *o, const struct obs_bgp *b);
/* Reads an address or a prefix other than the default route. */
bool found_role_address(const char *text, struct found_net *out);
void found_role_free(struct found_role *r);

/* Appends a device that is not asked yet. The pointer is valid until the next call. */
struct found *discovery_add(struct discovery *d, const char *name);
/* Names and addresses come from neighbours: only well-formed ones are accepted. */
bool found_name_ok(const char *s);
bool found_address_ok(const char *s);

#endif
