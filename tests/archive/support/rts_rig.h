/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ARCHIVE_SUPPORT_RTS_RIG_H
#define TESTS_ARCHIVE_SUPPORT_RTS_RIG_H

#include "archive/recording/rts.h"
#include "base/clock.h"

#define RIG_T0    (INT64_C(1763726000) * CLOCK_SEC)
#define RIG_STEPS 9
/* Longer than the header of a database. */
#define RIG_LONG_TEXT                                                                              \
	"What follows is a text, and not a short one: it is longer than what a database begins "   \
	"with, so that who looks at that much of it has to notice.\n"

/* A writer of a small fabric in a directory of its own. */
struct rts_rig {
	char dir[256], path[512];
	struct plan plan;
	struct rts_writer_opts opts;
	struct rts_writer *w;
};
void rig_prepare(struct rts_rig *g, const struct rts_writer_opts *opts); /* opens no writer */
/* opts may be NULL; the path, the plan and the account are filled in. */
void rig_open(struct rts_rig *g, const struct rts_writer_opts *opts);
void rig_close_writer(struct rts_rig *g); /* which must succeed */
void rig_done(struct rts_rig *g);         /* removes the directory and all in it */
void rig_add(struct rts_rig *g, struct obs *o, int64_t t_us);
/* Poll `number` of one device, 5 s after the one before. */
void rig_poll(struct rts_rig *g, unsigned number);
/* A keyframe of made up bytes, RIG_STEPS a section. */
void rig_keyframe(struct rts_rig *g, int64_t t_us, bool all, unsigned seed);
void rig_assert_step(const struct buf *out, enum rts_section section, size_t step, unsigned seed);
/* Waits until everything is committed; false: it failed. */
bool rig_flush(struct rts_rig *g);
/* Entries from the cursor to the end, freed. */
unsigned rig_read(struct rts_cursor *c);
char *rig_bytes(const struct rts_rig *g, size_t *n);            /* of the file; the caller frees */
size_t rig_files(const struct rts_rig *g, char names[16][256]); /* in the directory */

#endif
