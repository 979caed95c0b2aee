/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_CONFIG_HASH_H
#define APP_CONFIG_CONFIG_HASH_H

/* SHA-256 of the inventory's text as 64 hex digits, for the ticket. "" when path is NULL or
 * unreadable. */
void config_hash(const char *path, char hex[65]);

#endif
