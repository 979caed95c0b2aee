/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BACKENDS_DIALECTS_ASK_ALL_H
#define TESTS_BACKENDS_DIALECTS_ASK_ALL_H

#include "backends/contract/backend.h"

/*
 * All requests of a dialect. They depend on learnt facts, so the facts are drawn at random (always
 * the same sequence) from those that dialects read.
 */
struct world {
	const struct backend_ops *ops;
	unsigned asked; /* requests */
	void (*each)(struct world *w, const struct request *r);
	void *ctx;
};

/* Calls each() for every request of `rounds` devices; each device has other facts. */
void ask_all(struct world *w, unsigned rounds);
/* The same for one device, in every tier. */
void ask_tiers(struct world *w, const struct target *t);
/* each(): fails the test unless the dialect lists r. */
void ask_is_listed(struct world *w, const struct request *r);
/* Prints r as an error. */
void ask_show(const struct request *r);
/* The next number below n. */
unsigned ask_draw(unsigned n);

#endif
