/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_RECORDING_COPY_H
#define ARCHIVE_RECORDING_COPY_H

#include "archive/redact/redact.h"
#include "archive/recording/rts.h"

/*
 * A recording file made of a part of another one, without a thread of its own: entries and
 * keyframes are copied, parts are added. Everything blocks. On false the file is to be dropped.
 */
struct rts_copy;

struct rts_copy_opts {
	const char *path;               /* must not exist */
	const char *tool, *user, *host; /* who makes it; may be NULL */
	struct redact *redact;          /* NULL: everything stays as it is */
	int64_t from_us, to_us;         /* moments that it is to show */
};
/*
 * The chunks of the window and what is needed before them: verbatim, or each entry and the keyframe
 * anew with names replaced. What stands for somebody is learnt from them first. ERR_PROTOCOL: bytes
 * that are to be copied were altered. It takes from over, unless it fails.
 */
struct rts_copy *rts_copy_new(struct rts *from, const struct rts_copy_opts *o, struct err *err);
/* Adds a part, or replaces one of the same name; bytes at most RTS_PART_MAX. */
#define RTS_PART_MAX (UINT64_C(48) << 20)
bool rts_copy_part(struct rts_copy *c, const char *name, const char *type, const void *bytes,
	size_t n, struct err *err);
/*
 * Raw outputs of the other file that wanted() says yes to, given the device and the request as they
 * are called in this one; each for what was done with it (n: before compression).
 */
bool rts_copy_raws(struct rts_copy *c,
	bool (*wanted)(void *ctx, const char *device, const char *request),
	void (*each)(void *ctx, const char *name, const void *bytes, size_t n), void *ctx,
	struct err *err);
/* What was added is in the file for those who open it. */
bool rts_copy_commit(struct rts_copy *c, struct err *err);
/* Of all chunks, of all keyframes: 64 hexadecimal digits and the end. */
void rts_copy_sums(const struct rts_copy *c, char entries[65], char keyframes[65]);
uint64_t rts_copy_chunks(const struct rts_copy *c);
/* Makes one plain file of it, which is all that is left to do but to free it; nobody may read it
 * now. */
bool rts_copy_finish(struct rts_copy *c, struct err *err);
void rts_copy_free(struct rts_copy *c); /* NULL is allowed; closes it as it is */

#endif
