/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_RECORDING_COPY_INTERNAL_H
#define ARCHIVE_RECORDING_COPY_INTERNAL_H

#include "archive/recording/copy.h"
#include "archive/recording/rts_internal.h"

/* Shared by archive/recording/copy*.c only. */

struct rts_copy {
	struct rts *from;
	struct rts_file file;
	struct plan plan; /* as it is in the copy */
	struct redact *redact;
	bool has_key;
	struct rts_keyframe key; /* of the other file: where the window begins */
};

/* The keyframe as one with whole histories, names replaced (copy_keyframe.c). */
bool rts_copy_key(struct rts_copy *c, struct err *err);
/* Entries until to_us, names replaced (copy_entries.c); learnt before, in a pass of its own. */
bool rts_copy_learn(struct rts_copy *c, int64_t to_us, struct err *err);
bool rts_copy_entries(struct rts_copy *c, int64_t to_us, struct err *err);

#define RTS_COPY_LEVEL 3 /* of zstd, as in a recording */

#endif
