/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_INCREMENTAL_SCAN_TREE_H
#define TESTS_SUPPORT_INCREMENTAL_SCAN_TREE_H

#include <jansson.h>

#include "base/scan.h"

/* base/scan.h's result for a document, as the tree that jansson would have made of it. */

/*
 * Feeds the document in pieces of at most `piece` bytes, the first of them of `first` bytes (0:
 * like the others). NULL if it was refused, with the reason in s. The caller owns the tree.
 */
json_t *scan_tree(
	struct scan *s, unsigned flags, const char *bytes, size_t len, size_t first, size_t piece);

/*
 * Whether scanner and jansson agree on a document, fed in such pieces: the same verdict and the
 * same tree, members in the same order. Input beyond the scanner's stated bounds counts as
 * agreement, and so does its refusal of a NUL.
 */
bool scan_agrees(const char *bytes, size_t len, size_t first, size_t piece);

#endif
