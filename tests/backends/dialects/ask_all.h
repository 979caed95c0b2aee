/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BACKENDS_DIALECTS_ASK_ALL_H
#define TESTS_BACKENDS_DIALECTS_ASK_ALL_H

#include "backends/contract/backend.h"

/*
 * All that a dialect asks. It depends on what was learnt, so facts are drawn at random (always the
 * same), from those that dialects look at.
 */
struct world {
	const struct backend_ops *ops;
	unsigned asked; /* requests */
	void (*each)(struct world *w, const struct request *r);
	void *ctx;
};

/* Calls each for what is asked so many times, each time of another device with other facts. */
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
