/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_POLL_DECODE_H
#define BACKENDS_INCREMENTAL_POLL_DECODE_H

#include <stdatomic.h>

#include "backends/incremental/answer_cache.h"
#include "backends/contract/backend.h"

/*
 * Answers of one device to what it is asked again and again: parse(), or what comes to the same for
 * less (backends/incremental/answer_cache.h). Batches are numbered, and whole now and then, and
 * after one got lost. An answer to several questions has a batch of each, numbered with those that
 * the question alone had.
 */
/*
 * One is whole as often as settings are read, and of so many at least. A whole batch costs its
 * reader, the model and the recording some five times what one of changes does, and corrects
 * nothing that is known of: what gets lost is counted, and answered with a whole one at once.
 */
#define DECODE_WHOLE_US    INT64_C(300000000)
#define DECODE_WHOLE_POLLS 60
/* After such a silence, of more than one poll, the next one is whole. */
#define DECODE_BROKEN_US INT64_C(30000000)

struct decode_request {
	char name[32];         /* as requests have it */
	struct again *again;   /* NULL: there is no shelf */
	size_t items, strings; /* of the last answer that parse() read */
	uint32_t number;       /* of the last batch, whichever request it answered */
	size_t by;             /* that request */
	bool overtaken;        /* what it told last, another one has told since */
	unsigned edits;        /* facts.read_edits that the last one was read with */
	unsigned lost;         /* as decode.lost was then */
	uint64_t attrs;        /* that it told of ports, see again_others() */
	int64_t whole_us, last_us;
};
struct decode {
	struct again_shelf *shelf; /* NULL: parse() only */
	int64_t every_us;          /* the device is asked, while nobody looks at it; 0: often */
	/* Counts batches, of any device, that were dropped on their way; NULL: none are. */
	const atomic_uint *lost;
	uint64_t attrs; /* that answers told of ports which are not decoded here */
	/* Of the answer that is decoded next; NULL: nobody keeps it. */
	const struct text_before *before;
	VEC(struct decode_request) requests;
};

/*
 * Like parse() of the dialect, into a batch that nothing is in yet. now_us is monotonic.
 */
bool decode_answer(struct decode *d, const struct backend_ops *ops, const struct target *t,
	const char *request, const char *bytes, size_t len, int64_t now_us, struct obs *o,
	struct err *err);
/* What an answer says that was not decoded here. */
void decode_saw(struct decode *d, const struct obs *o);
/* The connection is gone: the next batches are whole. */
void decode_forget(struct decode *d);
void decode_free(struct decode *d);

#endif
