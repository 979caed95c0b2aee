/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_NOTIFY_ACKS_H
#define APP_NOTIFY_ACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * Acknowledgements that the processes of a fabric share: consoles write them, and consoles, the
 * wall and `railtop watch` take them. Each account has a file of its own in one folder: notify:
 * acknowledgements: of the inventory, else "acknowledged" in the state directory of the account.
 *
 * An acknowledgement is for one incident. It is taken where the finding was open when it was given,
 * or was open when this process began; never where the finding is more severe than it was then.
 */
#define ACKS_SCHEMA 1

struct ack {
	char fabric[NAME_MAX_LEN];
	char finding[240];          /* as finding_locator() */
	char severity[12];          /* severity_name() of the finding at that time */
	int64_t since_us, until_us; /* wall; until_us 0: it is withdrawn */
	char user[32], note[80];
};

struct acks;

/* Never NULL. */
struct acks *acks_open(const struct plan *plan);
void acks_close(struct acks *a); /* NULL is allowed */
/*
 * Writes an acknowledgement of this process, or its withdrawal, into the account's file. key: of an
 * open finding; until_us: session time, 0: withdrawn. False with err: the folder cannot be written.
 */
bool acks_give(struct acks *a, const struct model *m, const struct diag *d, uint64_t key,
	int64_t now_us, int64_t until_us, const char *user, const char *note, struct err *err);
/*
 * Gives the engine the lines of others: to be called about once a second, it looks no oftener.
 * taken: called for each finding that changed, for the recording; NULL.
 */
typedef void (*acks_taken_fn)(void *ctx, const struct finding *f, bool withdrawn);
void acks_step(struct acks *a, const struct model *m, struct diag *d, int64_t now_us,
	acks_taken_fn taken, void *ctx);

#endif
