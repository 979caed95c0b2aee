/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_POLL_DECODE_H
#define BACKENDS_INCREMENTAL_POLL_DECODE_H

#include <stdatomic.h>

#include "backends/incremental/answer_cache.h"
#include "backends/contract/backend.h"

/*
 * Decodes the periodic answers of one device, by parse() or by its incremental equivalent
 * (backends/incremental/answer_cache.h). Batches are numbered. A full batch comes now and then, and
 * after a lost one. An answer to several questions makes a batch for each; each is numbered in the
 * sequence of its own question.
 */
/*
 * Interval between full batches: that of settings, and at least this many polls. A full batch costs
 * the reader, the model and the recording about five times as much as a batch of changes. It
 * repairs no known error, because lost batches are counted and followed by a full one at once.
 */
#define DECODE_WHOLE_US    INT64_C(300000000)
#define DECODE_WHOLE_POLLS 60
/* After a silence this long, and of more than one poll, the next batch is full. */
#define DECODE_BROKEN_US INT64_C(30000000)

struct decode_request {
	char name[32];              /* as in the list of requests */
	struct answer_cache *again; /* NULL: there is no shelf */
	size_t items, strings;      /* in the last answer read by parse() */
	uint32_t number;            /* of the last batch, of any request */
	size_t by;                  /* index of that request */
	bool overtaken;             /* another request has reported the same since */
	unsigned edits;             /* facts.read_edits of the last read */
	unsigned lost;              /* decode.lost at the last read */
	uint64_t attrs; /* port attributes that it reported, see answer_cache_others() */
	int64_t whole_us, last_us;
};
struct decode {
	struct answer_shelf *shelf; /* NULL: always parse() */
	int64_t every_us;           /* poll interval when not in focus; 0: often */
	/* Counts batches of any device lost in transit; NULL: none are. */
	const atomic_uint *lost;
	uint64_t attrs; /* port attributes in answers that are decoded elsewhere */
	/* Of the next answer to decode; NULL: its text is not kept. */
	const struct text_before *before;
	VEC(struct decode_request) requests;
};

/* Like parse() of the dialect, into the empty batch o. now_us is monotonic. */
bool decode_answer(struct decode *d, const struct backend_ops *ops, const struct target *t,
	const char *request, const char *bytes, size_t len, int64_t now_us, struct obs *o,
	struct err *err);
/* Notes the attributes of an answer that was decoded elsewhere. */
void decode_saw(struct decode *d, const struct obs *o);
/* The connection is lost: the next batches are full. */
void decode_forget(struct decode *d);
void decode_free(struct decode *d);

#endif
