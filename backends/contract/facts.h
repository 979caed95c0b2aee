/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_FACTS_H
#define BACKENDS_CONTRACT_FACTS_H

#include "base/vec.h"
#include "fabric/vocabulary/observation.h"

/*
 * Facts that a dialect learnt about a device and needs again: "asics" -> "asic0 asic1", "sha.fast"
 * -> "5f...". parse() reports them with obs_fact(), the collector keeps them while the device is
 * connected, plan() and parse() read them from the target. So dialects keep no state.
 */
struct fact {
	char *name; /* text follows it in the same allocation */
	const char *text;
};
struct facts {
	VEC(struct fact) at;
	unsigned edits;      /* number of changes */
	unsigned read_edits; /* of these, without those to FACT_ASK keys */
};
/* Prefix of keys that affect how a device is polled, but not how an answer is read. */
#define FACT_ASK "sha."
/* Bytes of a key and of a value, terminators included. */
#define FACT_KEY_SIZE   32
#define FACT_VALUE_SIZE 256
#define FACTS_MAX       64 /* more are ignored */

/*
 * Set by the collector: "unanswered.NAME" is "1" when the answer to the request NAME was late or
 * too large while the device stayed connected. The dialect may poll it less often or in another
 * way; it clears the fact when an answer comes.
 */
#define FACT_UNANSWERED "unanswered."

/* Returns the value; "" when it is unknown or facts is NULL. */
const char *facts_get(const struct facts *f, const char *key);
/*
 * Sets a fact; an empty value removes the key. Longer keys and values than a fact holds are
 * ignored.
 */
void facts_set(struct facts *f, const char *key, const char *value);
/* Sets every fact of the batch. */
void facts_learn(struct facts *f, const struct obs *o);
/* True: an answer, with all of its batches, has a fact that is new or different. */
bool facts_news(const struct facts *f, const struct obs *o);
void facts_free(struct facts *f); /* frees its contents and empties it */

#endif
