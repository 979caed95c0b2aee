/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_EXPORT_COMPRESS_H
#define APP_EXPORT_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Compression of scrapes, in pieces. Prometheus asks for gzip unless `enable_compression: false`
 * stands in its job, and for zstd under its feature flag zstd-scrape. Nothing here is run for a
 * client that asks for neither.
 */
enum content_coding { CODING_IDENTITY, CODING_GZIP, CODING_ZSTD };

/*
 * Chooses by the value of Accept-Encoding (RFC 9110, 12.5.3): the highest weight; among equals
 * zstd, which costs the least, then gzip. NULL, unknown names and weights of 0: CODING_IDENTITY.
 */
enum content_coding coding_choose(const char *accept_encoding);
/* The name for Content-Encoding; NULL: none. */
const char *coding_name(enum content_coding coding);

/* One compressed answer. */
struct compressor;
/* Fills dst with at most size bytes of what is to be compressed; 0 at the end. */
typedef size_t compress_source(void *ctx, char *dst, size_t size);

/* coding is not CODING_IDENTITY. The caller frees it. NULL: no memory. */
struct compressor *compressor_new(enum content_coding coding, compress_source *source, void *ctx);
/*
 * Writes to dst and returns the number of bytes, 0 at the end. A call takes one piece of at most
 * COMPRESS_PIECE bytes from the source, so it takes a millisecond or less. *failed: the library
 * failed, and the answer is not whole.
 */
size_t compressor_read(struct compressor *z, char *dst, size_t size, bool *failed);
void compressor_free(struct compressor *z); /* NULL is allowed */

#define COMPRESS_PIECE ((size_t)64 << 10)

#endif
