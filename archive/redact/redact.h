/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_REDACT_REDACT_H
#define ARCHIVE_REDACT_REDACT_H

#include "archive/codec/entry.h"
#include "base/err.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * Replaces names in data that is passed on. Each original has one replacement wherever it stands,
 * also within a sentence. Devices become "leaf-0007" by tier, the fabric becomes "fabric". IPv4,
 * IPv6 and Ethernet addresses become others of the blocks for documentation. Serial numbers, users,
 * jobs and other host names become words of their kind. A likely secret is dropped, here and
 * wherever it stands again: the value after a password, community, key or token, also in a
 * sentence; the secret of a command line; what has the form of a token, a fingerprint or noise.
 * Accounts are found by the words around them as well. Port names, counters, models and versions
 * stay, because the vendor needs them.
 */
struct redact;
struct redact *redact_new(const struct plan *plan);
/*
 * Drops secrets only: names and addresses stay, also a device's or job's name of m (may be NULL)
 * that has the form of a secret. For what is passed on and must still name the fabric's parts.
 */
struct redact *redact_new_secrets(const struct model *m);
void redact_free(struct redact *r);
/* Learns a name of the kind, so that it is replaced in sentences too. */
void redact_learn(struct redact *r, const char *kind, const char *original);
/* Learn all names of an entry or a model. Learn everything before replacing anything. */
void redact_learn_entry(struct redact *r, const struct entry *e);
void redact_learn_model(struct redact *r, const struct model *m);
/* Replaces names in place; a longer result is cut. Also for struct state.rewrite. */
void redact_text(void *redact, char *text, size_t size);
/* The new value of a key computed from replaced names; other keys stay. Also for state.rekey. */
uint64_t redact_key(void *redact, uint64_t key);
/* Redacts a document of any length. The caller frees the result. */
char *redact_document(struct redact *r, const char *text, size_t n, size_t *out_n);
void redact_entry(
	struct redact *r, struct entry *e); /* also redacts its batch, and drops raw text */
void redact_plan(struct redact *r, struct plan *p);
/* Counts of replacements by kind, without the originals, as JSON. The caller frees it. */
char *redact_summary(const struct redact *r);

#endif
