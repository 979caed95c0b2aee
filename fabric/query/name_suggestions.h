/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_QUERY_NAME_SUGGESTIONS_H
#define FABRIC_QUERY_NAME_SUGGESTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* "Did you mean" for error messages: the names nearest to one that does not exist. */

#define NEAR_MAX 3

struct name_suggestions {
	const char *wanted;
	const char *name[NEAR_MAX]; /* nearest first; not owned */
	unsigned distance[NEAR_MAX];
	size_t n;
};

/* wanted must stay valid while *out is in use. Names of more than 64 characters have no
 * suggestions. */
void name_suggestions_init(struct name_suggestions *out, const char *wanted);
/*
 * Offers one name (kept by pointer). A name is near if at most a third of the letters differ
 * (insert, delete, replace, swap of two neighbours; case does not count). It is also near if one
 * is the beginning of the other.
 */
void name_suggestions_offer(struct name_suggestions *n, const char *name);
/* Writes "a, b or c" to dst; false, and dst empty, when nothing is near. */
bool name_suggestions_format(const struct name_suggestions *n, char *dst, size_t size);

#endif
