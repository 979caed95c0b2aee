/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_DISCOVER_HOSTLIST_COMPRESS_H
#define APP_DISCOVER_HOSTLIST_COMPRESS_H

#include <stddef.h>

#include "base/buf.h"

/*
 * Writes names in the bracket form that hostlist_expand() reads: node[000-031],spine-1. Names that
 * follow each other in the list and count up by one at their last number share a bracket, so that
 * expanding gives the same names in the same order.
 */
void fold_names(const char *const *names, size_t n, struct buf *out);

#endif
