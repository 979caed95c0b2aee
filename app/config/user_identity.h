/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_USER_IDENTITY_H
#define APP_CONFIG_USER_IDENTITY_H

#include <stddef.h>

/*
 * The account, and not $USER: what is noted, recorded and signed is to say who it was. The host as
 * it calls itself. "" where nobody knows; NULL where it is not wanted.
 */
void whoami(char *user, size_t user_size, char *host, size_t host_size);

#endif
