/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_EOS_EOS_PRIVATE_H
#define BACKENDS_DIALECTS_EOS_EOS_PRIVATE_H

#include "backends/dialects/eos/eos.h"
#include "backends/contract/reads.h"

/* What is asked, between the table of it and the reading of answers. */

#define EOS_COMMANDS 3
#define EOS_NEEDS    6
#define EOS_ASKS     16 /* most questions that share a call */

/* One way to ask: a command with a model, or one that is read as text. */
struct eos_command {
	const char *line;
	int revision; /* 0: none is pinned */
	bool (*decode)(const struct target *t, const struct dv *body, struct obs *o);
	bool (*read)(const struct target *t, const char *text, size_t len, struct obs *o);
	bool is_privileged; /* eAPI: "enable" before it */
};

struct eos_question {
	const char *request;
	unsigned tiers[TRANSPORT_COUNT];           /* by transport: bit set of tiers */
	struct eos_command commands[EOS_COMMANDS]; /* the next when the one before is refused */
	unsigned need_count;
	enum need_id needs[EOS_NEEDS]; /* what is lost without it */
	const char *cure;              /* switches it on; NULL: nothing can */
	bool is_vital;                 /* without it nothing is known: a refusal is an error */
	int64_t timeout_us;            /* 0: the default */
};

size_t eos_command_count(const struct eos_question *q);
const struct eos_question *eos_question_at(size_t i); /* NULL: there are no more */
const struct eos_question *eos_question_find(const char *request);
uint64_t eos_bit(const struct eos_question *q); /* one of its own */
bool eos_is_due(const struct eos_question *q, const struct target *t, enum poll_tier tier);

/*
 * Which of its commands a question uses is a fact, while the switch is connected: 0 the first,
 * eos_command_count() when the switch has refused them all.
 */
size_t eos_choice(const struct eos_question *q, const struct facts *facts);
void eos_choose(const struct eos_question *q, struct obs *o, size_t n);
/* The command that plan() asks, and so the one that parse() gets the answer of. */
size_t eos_asked(const struct eos_question *q, const struct facts *facts);

/* ---- calls of eAPI ---- */

/* A question as it was asked: with which of its commands. */
struct eos_ask {
	const struct eos_question *q;
	size_t choice;
	bool is_answered; /* by what was read of it so far */
};

/* What one POST asks, in that order. Alone, a question gives it its name. */
struct eos_call {
	const char *name; /* of the request, static; NULL: read from an id */
	struct eos_ask asks[EOS_ASKS];
	size_t n;
};

/* The questions whose commands this switch answers, a bit each: they may share a call. */
uint64_t eos_known(const struct facts *facts);
void eos_learn_known(const struct target *t, struct obs *o, uint64_t known);
/* It was not answered in time; then it is asked in a slower tier, alone, until it is. */
bool eos_is_late(const struct eos_question *q, const struct target *t);
void eos_was_answered(const struct eos_question *q, const struct target *t, struct obs *o);

void eos_each_call(const struct target *t, enum poll_tier tier,
	void (*each)(const struct eos_call *, struct request_list *), struct request_list *out);
/* "railtop-fast fast.0 pfc.1": says in the answer what was asked. */
void eos_call_id(const struct eos_call *call, char *dst, size_t size);
/* What was asked, by that id, or by the facts where it is another's. False: no such request. */
bool eos_call_of(
	const struct target *t, const char *request, const struct dv *id, struct eos_call *call);
/* The command that goes before, as JSON with its comma: a mode, or the clock; "": none. */
const char *eos_before(const struct eos_ask *a);
bool eos_call_is_text(const struct eos_call *call);

/* Decode an answer of eAPI, and one of the CLI; the contract of parse() in
 * backends/contract/backend.h. */
bool eos_parse_https(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err);
bool eos_parse_cli(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err);

/* ---- ECN thresholds of a queue, wherever they are printed ---- */

#define EOS_ECN_CURE                                                                               \
	"configure on the tx-queue: random-detect ecn minimum-threshold N kbytes "                 \
	"maximum-threshold N kbytes"

struct eos_ecn {
	unsigned queue;
	double min, max, probability; /* bytes; per cent, < 0: not printed */
};

/*
 * What stands behind the queue: "150 kbytes 900 kbytes 5 0", "kbytes 150 900" or "minimum-threshold
 * 150 kbytes ...". Numbers in their order are minimum, maximum, probability, weight, wherever the
 * unit stands; false without a unit, for they say nothing then.
 */
bool eos_read_thresholds(const char *at, struct eos_ecn *e);
void eos_emit_ecn(const struct eos_ecn *e, struct obs *o, uint32_t port);

/* backend_ops.reads() of EOS: reads.c. */
bool eos_reads(const struct request *r);

#endif
