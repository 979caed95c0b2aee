/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_TICKET_PRIVATE_H
#define ARCHIVE_EXPORT_TICKET_PRIVATE_H

#include <jansson.h>

#include "archive/export/ticket.h"

/* Shared by archive/export/ticket*.c only. */

#define TICKET_PLACE 192 /* bytes that a locator takes at most */

/* A link that a root finding is about, most suspect first. */
struct suspect {
	const struct finding *finding;
	const struct port *end[2]; /* end[1] NULL: the other end is not known */
};
#define TICKET_SUSPECTS 16
/* At most max; returns how many there are altogether. */
size_t ticket_suspects(const struct ticket *t, struct suspect *out, size_t max);

/* Root findings in order, at most max; returns how many there are altogether. */
size_t ticket_roots(const struct ticket *t, const struct finding **out, size_t max);
/* Evidence rows that tell most, at most max of them: beyond a threshold first, then the others for
 * the finding, then those against it. Returns how many were put. */
size_t ticket_evidence(const struct finding *f, const struct evidence **out, size_t max);
/* Somebody tells of jobs: a finding that blocks no GPU blocks none. Otherwise nobody knows. */
bool ticket_gpus_known(const struct ticket *t, const struct finding *f);
/* "GPUs blocked 24, slowed 8"; "-" where that is not known. */
void ticket_gpus(const struct ticket *t, const struct finding *f, char *dst, size_t size);
const char *ticket_place(const struct model *m, struct ref at, char *dst); /* TICKET_PLACE */
/* "31 %, threshold > 1 %" */
void ticket_value(const struct evidence *e, char *dst, size_t size);

/* Lines about one end: state, speed and errors; module, power and neighbours. */
void ticket_end_state(const struct ticket *t, const struct port *p, char *dst, size_t size);
void ticket_end_module(const struct ticket *t, const struct port *p, char *dst, size_t size);

/* Devices whose data is not current, at most max; returns how many there are. */
size_t ticket_dark(const struct ticket *t, const struct device **out, size_t max);
void ticket_poll_health(const struct ticket *t, char *dst, size_t size);
void ticket_verdict(const struct ticket *t, char *dst, size_t size);
void ticket_coverage(const struct ticket *t, char *dst, size_t size);
/* "user@host", "-" */
void ticket_operator(const struct ticket *t, char *dst, size_t size);

/* The lines of the ledger as objects; one that cannot be read is a text. New reference. */
json_t *ticket_ledger(const struct ticket *t);
/* "02:13:30Z sent pfcwd-recover leaf-r3-00:Ethernet12 by ann: done" */
void ticket_action(const json_t *line, char *dst, size_t size);
void ticket_step(const struct trail_entry *e, char *dst, size_t size);

const char *ticket_or(const char *s, const char *otherwise); /* for NULL and "" */

#endif
