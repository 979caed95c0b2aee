/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_TRANSPORT_CREDENTIALS_H
#define BACKENDS_TRANSPORT_CREDENTIALS_H

#include <stdbool.h>

#include "base/err.h"

/*
 * Secrets by reference: env:NAME, file:PATH, command:CMD, netrc:PATH. Their content is
 * "user:password" (netrc: curl's own format). Values are kept in memory only, are never logged, and
 * are wiped by credentials_free().
 */
struct credential {
	char *userpwd; /* "user:password"; NULL with netrc */
	char *netrc;   /* path; NULL otherwise */
	char *token;   /* from credentials_token() */
};

struct credentials;
struct credentials *credentials_new(void);
void credentials_free(struct credentials *c);

/*
 * Returns the credential of a reference. Each reference is read (or its command run: 10 s, 4 KB)
 * once. NULL with err (ERR_CONFIG) naming origin when it is malformed or unreadable, or when other
 * users can read the file. The value belongs to c.
 */
const struct credential *credentials_get(
	struct credentials *c, const char *reference, const char *origin, struct err *err);

/* Likewise the bearer token of a reference (env:, file:, command:): one word, sent unchanged. */
const char *credentials_token(
	struct credentials *c, const char *reference, const char *origin, struct err *err);

#endif
