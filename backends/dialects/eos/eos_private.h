/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_EOS_EOS_PRIVATE_H
#define BACKENDS_DIALECTS_EOS_EOS_PRIVATE_H

#include "backends/dialects/eos/eos.h"
#include "backends/contract/reads.h"

/* The table of requests, shared by the planner and the decoder of answers. */

#define EOS_COMMANDS 3
#define EOS_NEEDS    6
#define EOS_ASKS     16 /* most questions that share a call */

/* One variant of a question: a command with a model, or one with text output. */
struct eos_command {
	const char *line;
	int revision; /* 0: not pinned */
	bool (*decode)(const struct target *t, const struct json_value *body, struct obs *o);
	bool (*read)(const struct target *t, const char *text, size_t len, struct obs *o);
	bool is_privileged; /* eAPI: needs "enable" before it */
};

struct eos_question {
	const char *request;
	unsigned tiers[TRANSPORT_COUNT];           /* by transport: bit set of tiers */
	struct eos_command commands[EOS_COMMANDS]; /* variants, in order of preference */
	unsigned need_count;
	enum need_id needs[EOS_NEEDS]; /* unmet without it */
	const char *cure;              /* command that enables it; NULL: none */
	bool is_vital;                 /* required: a refusal is an error */
	int64_t timeout_us;            /* 0: the default */
};

size_t eos_command_count(const struct eos_question *q);
const struct eos_question *eos_question_at(size_t i); /* NULL: no more */
const struct eos_question *eos_question_find(const char *request);
uint64_t eos_bit(const struct eos_question *q); /* a bit of its own */
bool eos_is_due(const struct eos_question *q, const struct target *t, enum poll_tier tier);

/*
 * The variant that a question uses is a fact while the switch is connected: 0 is the first,
 * eos_command_count() means that the switch has refused them all.
 */
size_t eos_choice(const struct eos_question *q, const struct facts *facts);
void eos_choose(const struct eos_question *q, struct obs *o, size_t n);
/* Returns the variant that plan() sends, and whose answer parse() gets. */
size_t eos_asked(const struct eos_question *q, const struct facts *facts);

/* ---- calls of eAPI ---- */

/* A question with the variant that was sent. */
struct eos_ask {
	const struct eos_question *q;
	size_t choice;
	bool is_answered; /* an earlier part of the answer had a result */
};

/* The questions of one POST, in this order. A single question gives the call its name. */
struct eos_call {
	const char *name; /* name of the request, static; NULL: read from an id */
	struct eos_ask asks[EOS_ASKS];
	size_t n;
};

/* Questions with commands that this switch has answered, a bit each: they may share a call. */
uint64_t eos_known(const struct facts *facts);
void eos_learn_known(const struct target *t, struct obs *o, uint64_t known);
/* True: the question timed out. Then it is sent in a slower tier, alone, until it is answered. */
bool eos_is_late(const struct eos_question *q, const struct target *t);
void eos_was_answered(const struct eos_question *q, const struct target *t, struct obs *o);

void eos_each_call(const struct target *t, enum poll_tier tier,
	void (*each)(const struct eos_call *, struct request_list *), struct request_list *out);
/* Writes "railtop-fast fast.0 pfc.1": the answer repeats this list of questions. */
void eos_call_id(const struct eos_call *call, char *dst, size_t size);
/*
 * Finds the questions by the answer's id, or by the facts if the id is foreign. Returns false if
 * there is no such request.
 */
bool eos_call_of(const struct target *t, const char *request, const struct json_value *id,
	struct eos_call *call);
/* Returns the command before it as JSON with a comma: a mode, or the clock; "": none. */
const char *eos_before(const struct eos_ask *a);
bool eos_call_is_text(const struct eos_call *call);

/* Decode an answer of eAPI, and one of the CLI; see parse() in backends/contract/backend.h. */
bool eos_parse_https(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err);
bool eos_parse_cli(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err);

/* ---- ECN thresholds of a queue ---- */

#define EOS_ECN_CURE                                                                               \
	"configure on the tx-queue: random-detect ecn minimum-threshold N kbytes "                 \
	"maximum-threshold N kbytes"

struct eos_ecn {
	unsigned queue;
	double min, max, probability; /* bytes; per cent, < 0: not printed */
};

/*
 * Reads the text after the queue: "150 kbytes 900 kbytes 5 0", "kbytes 150 900" or
 * "minimum-threshold 150 kbytes ...". The numbers are minimum, maximum, probability and weight, in
 * this order; the unit may stand anywhere. Without a unit they have no meaning, and it returns
 * false.
 */
bool eos_read_thresholds(const char *at, struct eos_ecn *e);
void eos_emit_ecn(const struct eos_ecn *e, struct obs *o, uint32_t port);

/* backend_ops.reads() of EOS: reads.c. */
bool eos_reads(const struct request *r);

#endif
