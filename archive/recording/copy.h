/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_RECORDING_COPY_H
#define ARCHIVE_RECORDING_COPY_H

#include "archive/redact/redact.h"
#include "archive/recording/rts.h"

/*
 * Writes a part of a recording to another file, without a thread. It copies entries and keyframes,
 * and parts can be added. All calls block. After a false result the caller deletes the new file.
 */
struct rts_copy;

struct rts_copy_opts {
	const char *path;               /* must not exist */
	const char *tool, *user, *host; /* the user and host that make it; may be NULL */
	struct redact *redact;          /* NULL: no redaction */
	int64_t from_us, to_us;         /* the window that the copy must be able to show */
};
/*
 * Copies the chunks of the window and the keyframe before it. Without redaction the bytes are
 * copied verbatim. With it, each entry and the keyframe are encoded anew with replaced names. A
 * first pass over the entries learns the names. ERR_PROTOCOL: bytes in the window were altered.
 * Takes ownership of from, unless it fails.
 */
struct rts_copy *rts_copy_new(struct rts *from, const struct rts_copy_opts *o, struct err *err);
/* Adds a part or replaces one of the same name. bytes: at most RTS_PART_MAX. */
#define RTS_PART_MAX (UINT64_C(48) << 20)
bool rts_copy_part(struct rts_copy *c, const char *name, const char *type, const void *bytes,
	size_t n, struct err *err);
/*
 * Copies the raw outputs for which wanted() returns true. wanted() gets the device and request
 * under their names in the copy. Calls each with the copied bytes (n: before compression).
 */
bool rts_copy_raws(struct rts_copy *c,
	bool (*wanted)(void *ctx, const char *device, const char *request),
	void (*each)(void *ctx, const char *name, const void *bytes, size_t n), void *ctx,
	struct err *err);
/* Commits: processes that open the file see everything added so far. */
bool rts_copy_commit(struct rts_copy *c, struct err *err);
/* Hashes of all chunks and of all keyframes: 64 hexadecimal digits and NUL. */
void rts_copy_sums(const struct rts_copy *c, char entries[65], char keyframes[65]);
uint64_t rts_copy_chunks(const struct rts_copy *c);
/* Converts the copy to one plain file. No process may read it now. Only rts_copy_free() may
 * follow. */
bool rts_copy_finish(struct rts_copy *c, struct err *err);
void rts_copy_free(struct rts_copy *c); /* NULL is allowed; closes the file as it is */

#endif
