/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_SUMMARY_ADD_H
#define VIEWS_SUMMARY_ADD_H

#include "views/summary.h"

/* The arithmetic of summaries: ports into a device's, summaries into a sum. For views/summary.c. */

/* Nothing is known yet. */
void summary_init(struct summary *s);
/* Adds all but the health of the device. h: the port's own. */
void summary_add_port(const struct model *m, const struct device *d, const struct port *p,
	const struct health *h, struct summary *s);
/* Without a plan the seen ports count as planned; after the last port. */
void summary_settle_plan(const struct model *m, const struct device *d, struct summary *s);
void summary_merge(struct summary *into, const struct summary *s);

bool health_same(const struct health *a, const struct health *b);
/* Whether another port of the same device stands for this one already; then it is counted there. */
bool worst_fold(struct worst *list, size_t n, const struct worst *w);
/* Keeps list sorted worst first with at most max entries; what is below a warning is not kept. */
void worst_add(struct worst *list, size_t *n, size_t max, const struct worst *w);

#endif
