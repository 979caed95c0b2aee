/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_USER_IDENTITY_H
#define APP_CONFIG_USER_IDENTITY_H

#include <stddef.h>

/*
 * The name of the account and of the host. Uses the account, not $USER: notes, recordings and
 * signatures must name the real user. "": unknown. A NULL buffer is not filled.
 */
void user_identity(char *user, size_t user_size, char *host, size_t host_size);

/* Looks the account up now: later the sandbox may have closed the way to its list. */
void user_identity_keep(void);

#endif
