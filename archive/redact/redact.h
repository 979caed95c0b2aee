/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_REDACT_REDACT_H
#define ARCHIVE_REDACT_REDACT_H

#include "archive/codec/entry.h"
#include "base/err.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * Takes names out of what is passed on, and says the same of the same: each original becomes one
 * replacement wherever it stands, also within a sentence. Devices become "leaf-0007" by tier, the
 * fabric "fabric", addresses of IPv4, IPv6 and Ethernet others of the blocks for documentation,
 * serial numbers, users, jobs and other host names words of their kind. What looks like a secret
 * (password, community, key, token and what follows) is dropped. Port names, counters, models and
 * versions stay: they are what the vendor needs.
 */
struct redact;
struct redact *redact_new(const struct plan *plan);
void redact_free(struct redact *r);
/* A word that stands for somebody: learnt, so that it is found in sentences too. */
void redact_learn(struct redact *r, const char *kind, const char *original);
/* All that stands for somebody in an entry, in a model: first everything is learnt, then replaced.
 */
void redact_learn_entry(struct redact *r, const struct entry *e);
void redact_learn_model(struct redact *r, const struct model *m);
/* In place; what does not fit is cut. For struct state.rewrite as well. */
void redact_text(void *redact, char *text, size_t size);
/* For struct state.rekey, and keys of findings: those that were made of names that are replaced. */
uint64_t redact_key(void *redact, uint64_t key);
/* A document of any length. The caller's. */
char *redact_document(struct redact *r, const char *text, size_t n, size_t *out_n);
void redact_entry(
	struct redact *r, struct entry *e); /* its batch is replaced by one without names */
void redact_plan(struct redact *r, struct plan *p);
/* What was replaced, by kind and count, without the originals, as JSON. */
char *redact_summary(const struct redact *r);

#endif
