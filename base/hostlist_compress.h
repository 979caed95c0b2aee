/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_HOSTLIST_COMPRESS_H
#define BASE_HOSTLIST_COMPRESS_H

#include <stddef.h>

#include "base/buf.h"

/*
 * Writes names in the bracket form that hostlist_expand() reads: node[000-031],spine-1. Adjacent
 * names share a bracket if their last number increases by one. So expanding gives the same names in
 * the same order.
 */
void hostlist_compress(const char *const *names, size_t n, struct buf *out);

#endif
