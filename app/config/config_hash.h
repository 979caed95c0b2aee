/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_CONFIG_HASH_H
#define APP_CONFIG_CONFIG_HASH_H

/* SHA-256 of the inventory's text as 64 hex digits, for the ticket; "" without one, or when it
 * cannot be read. */
void config_hash(const char *path, char hex[65]);

#endif
