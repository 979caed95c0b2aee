/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DECODE_H
#define BACKENDS_DECODE_H

#include "backends/again.h"
#include "backends/backend.h"

/*
 * Answers of one device to what it is asked again and again: parse(), or what comes to the same for
 * less (backends/again.h). Batches are numbered, and whole at least once in DECODE_WHOLE_US.
 */
#define DECODE_WHOLE_US  INT64_C(60000000)
#define DECODE_BROKEN_US INT64_C(30000000) /* after such a silence the next one is whole */

struct decode_request {
	const char *name;      /* static, as requests have it */
	struct again *again;   /* NULL: there is no shelf */
	size_t items, strings; /* of the last answer that parse() read */
	uint32_t number;       /* of the last batch */
	unsigned edits;        /* of the facts that the last one was read with */
	int64_t whole_us, last_us;
};
struct decode {
	struct again_shelf *shelf; /* NULL: parse() only */
	VEC(struct decode_request) requests;
};

/*
 * Like parse() of the dialect, into a batch that nothing is in yet. request must be static, now_us
 * monotonic.
 */
bool decode_answer(struct decode *d, const struct backend_ops *ops, const struct target *t,
	const char *request, const char *bytes, size_t len, int64_t now_us, struct obs *o,
	struct err *err);
/* The connection is gone: the next batches are whole. */
void decode_forget(struct decode *d);
void decode_free(struct decode *d);

#endif
