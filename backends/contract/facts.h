/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_FACTS_H
#define BACKENDS_CONTRACT_FACTS_H

#include "base/vec.h"
#include "fabric/vocabulary/observation.h"

/*
 * What a dialect learnt about a device and wants to be told again: "asics" -> "asic0 asic1",
 * "sha.fast" -> "5f...". parse() says them with obs_fact(), the collector keeps them while the
 * device is connected, plan() and parse() read them from the target. So dialects keep no state.
 */
struct fact {
	char *name; /* and behind its end: */
	const char *text;
};
struct facts {
	VEC(struct fact) at;
	unsigned edits;      /* times that anything changed */
	unsigned read_edits; /* of these, that was not about asking only */
};
/* So begin keys that decide how a device is asked, and never how an answer is read. */
#define FACT_ASK "sha."
/* Bytes of a key and of a value, each with its end. */
#define FACT_KEY_SIZE   32
#define FACT_VALUE_SIZE 256
#define FACTS_MAX       64 /* more are ignored */

/*
 * The collector's own words: "unanswered.NAME" is "1" when the answer to the request NAME did not
 * come in time or was too large, and the device stayed connected. The dialect may ask it more
 * rarely, or otherwise, and forgets the fact when it is answered.
 */
#define FACT_UNANSWERED "unanswered."

/* "" when it is not known (or facts is NULL). */
const char *facts_get(const struct facts *f, const char *key);
/* An empty value forgets the key. Longer keys and values than a fact holds are ignored. */
void facts_set(struct facts *f, const char *key, const char *value);
/* Takes over every fact of the batch. */
void facts_learn(struct facts *f, const struct obs *o);
/* Whether an answer, all of its batches, says what is not known yet. */
bool facts_news(const struct facts *f, const struct obs *o);
void facts_free(struct facts *f); /* and empties it */

#endif
