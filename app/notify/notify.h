/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_NOTIFY_NOTIFY_H
#define APP_NOTIFY_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * Tells the receivers of notify: in the inventory about the findings. Each receiver has a thread
 * with its own book (archive/notice/book.h), so a dead one holds up neither polling nor the others.
 * The thread of the model only makes a set of notices, at most once a second.
 */
struct notify;

struct notify_opts {
	const struct plan *plan; /* its notify: and its name are copied */
	/* A line for the operator, on the caller's thread: a receiver is dead, or is back. */
	void (*say)(void *ctx, bool bad, const char *line);
	void *ctx;
};

/* NULL: the plan has no receivers. */
struct notify *notify_start(const struct notify_opts *opts);
/* To be called about once a second, or after each judgement. now_us: session time. */
void notify_step(struct notify *n, const struct model *m, const struct diag *d, int64_t now_us);
/* Ends the threads. One that hangs in a look-up of a name is left after two seconds. NULL is
 * allowed. */
void notify_stop(struct notify *n);
/* "3 receivers, 1 not reached, 2 messages open": for the status of a service. */
char *notify_words(struct notify *n, char *dst, size_t size);

/* Sends a marked message to each receiver, and prints how each took it. Returns how many failed. */
unsigned notify_test(const struct plan *plan, FILE *out);
/* For `railtop check`: prints how each receiver is. Returns how many are known to be dead. */
unsigned notify_report(const struct plan *plan, FILE *out);

#endif
