/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_RECORDING_COPY_INTERNAL_H
#define ARCHIVE_RECORDING_COPY_INTERNAL_H

#include "archive/recording/copy.h"
#include "archive/recording/rts_internal.h"

/* Shared by archive/recording/copy*.c only. */

struct rts_copy {
	struct rts *from;
	struct rts_file file;
	struct plan plan; /* of the copy, redacted */
	struct redact *redact;
	bool has_key;
	struct rts_keyframe key; /* keyframe of the source at the beginning of the window */
};

/* Writes the keyframe with whole histories and replaced names (copy_keyframe.c). */
bool rts_copy_key(struct rts_copy *c, struct err *err);
/* The entries until to_us: a first pass learns names, a second replaces them (copy_entries.c). */
bool rts_copy_learn(struct rts_copy *c, int64_t to_us, struct err *err);
bool rts_copy_entries(struct rts_copy *c, int64_t to_us, struct err *err);

#define RTS_COPY_LEVEL 3 /* zstd level, as in a recording */

#endif
