/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_KNOWN_FIELDS_H
#define BACKENDS_CONTRACT_KNOWN_FIELDS_H

#include <stddef.h>

#include "backends/contract/target.h"
#include "fabric/vocabulary/observation.h"

/*
 * Fields that every release of a dialect has had so far. A new release may rename one. Then its
 * values would be missing without a word, so `railtop check` shows the name on the first day. The
 * capability "known fields" of a device is ok, or unsupported with the names that are gone.
 */
#define KNOWN_FIELDS "known fields"
/* Fact for each request: the names that are gone, or "-" for none. */
#define FACT_KNOWN "sha.known."

struct known_fields {
	const char *request; /* NULL: the end of the list */
	const char *names;   /* JSON names, with blanks between */
};

/*
 * Looks for the names in the answer to a request, once for each connection. Only answers with at
 * least one port count. list may be NULL.
 */
void known_fields_check(const struct known_fields *list, const struct target *t, const char *bytes,
	size_t len, struct obs *o);
/*
 * An answer in JSON that names ports, and of which nothing was read: a schema that no decoder
 * knows. Says so as the capability, and as the error of the batch, which is told while railtop
 * watches. Not for a batch of what moved only.
 */
void known_fields_unread(const struct target *t, const char *bytes, size_t len, struct obs *o);
/* The same for a dialect that finds the names itself. missing: names with blanks between, or "". */
void known_fields_say(
	const struct target *t, const char *request, const char *missing, struct obs *o);

#endif
