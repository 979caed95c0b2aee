/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_TICKET_PRIVATE_H
#define ARCHIVE_EXPORT_TICKET_PRIVATE_H

#include <jansson.h>

#include "archive/export/ticket.h"

/* Private to archive/export/ticket*.c. */

#define TICKET_PLACE 192 /* limit of a locator in bytes */

/* A link named by a root finding, most suspect first. */
struct suspect {
	const struct finding *finding;
	const struct port *end[2]; /* end[1] NULL: the other end is unknown */
};
#define TICKET_SUSPECTS 16
/* Fills at most max; returns the total number. */
size_t ticket_suspects(const struct ticket *t, struct suspect *out, size_t max);

/* Root findings in order. Fills at most max; returns the total number. */
size_t ticket_roots(const struct ticket *t, const struct finding **out, size_t max);
/*
 * What ended in the window, or in the last TICKET_ENDED_US where no entries are kept: roots that
 * are not open again, culprits first, the newest first. Fills at most max; returns the total
 * number.
 */
#define TICKET_ENDED_US (INT64_C(900) * 1000000)
struct ended {
	const struct finding *finding;
	int64_t closed_us; /* session time */
};
size_t ticket_ended(const struct ticket *t, struct ended *out, size_t max);
/* The most informative evidence, at most max. First evidence beyond a threshold, then other
 * evidence for the finding, then evidence against it. Returns the number of entries in out. */
size_t ticket_evidence(const struct finding *f, const struct evidence **out, size_t max);
/* True when the job sources are known: then a finding without blocked GPUs blocks none. */
bool ticket_gpus_known(const struct ticket *t, const struct finding *f);
/* "GPUs blocked 24, slowed 8"; "-" for unknown numbers. */
void ticket_gpus(const struct ticket *t, const struct finding *f, char *dst, size_t size);
const char *ticket_place(
	const struct model *m, struct ref at, char *dst); /* dst: TICKET_PLACE bytes */
/* "31 %, threshold > 1 %" */
void ticket_value(const struct evidence *e, char *dst, size_t size);

/* Two lines about one end of a link: state, speed and errors; then module, power and neighbours. */
void ticket_end_state(const struct ticket *t, const struct port *p, char *dst, size_t size);
void ticket_end_module(const struct ticket *t, const struct port *p, char *dst, size_t size);
/* The other end of a link whose device is not in the inventory, as LLDP names it. Returns dst. */
#define TICKET_UNSEEN (2 * NAME_MAX_LEN + 48)
const char *ticket_unseen_end(const struct port *p, char *dst);

/* Devices without current data. Fills at most max; returns the total number. */
size_t ticket_dark(const struct ticket *t, const struct device **out, size_t max);
void ticket_poll_health(const struct ticket *t, char *dst, size_t size);
void ticket_verdict(const struct ticket *t, char *dst, size_t size);
void ticket_coverage(const struct ticket *t, char *dst, size_t size);
/* "user@host"; "-" for an unknown part */
void ticket_operator(const struct ticket *t, char *dst, size_t size);

/* The ledger lines as objects; an unreadable line is a string. A new reference. */
json_t *ticket_ledger(const struct ticket *t);
/* "02:13:30Z sent pfcwd-recover leaf-r3-00:Ethernet12 by ann: done" */
void ticket_action(const json_t *line, char *dst, size_t size);
void ticket_step(const struct ticket *t, const struct runbook_log_entry *e, char *dst, size_t size);

const char *ticket_or(const char *s, const char *otherwise); /* otherwise, if s is NULL or "" */

#endif
