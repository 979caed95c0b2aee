/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_NOTICE_BODY_PRIVATE_H
#define ARCHIVE_NOTICE_BODY_PRIVATE_H

#include <jansson.h>

#include "archive/notice/body.h"
#include "base/json_out.h"

/* Private to archive/notice/body*.c. */

#define BODY_LINE 700 /* bytes of a summary */

/* "[test] ...", "ended: ...": the notice in one sentence, with the kind of message. */
char *body_line(const struct body_facts *f, char *dst, size_t size);
/* The link of the receiver's notify:, or "". */
char *body_link(const struct body_facts *f, char *dst, size_t size);
char *body_runbook(const struct body_facts *f, char *dst, size_t size);
/* The command that shows the place in the console. "": it has none. */
char *body_console(const struct body_facts *f, char *dst, size_t size);
/* The numbers of the notice. */
json_t *body_counts(const struct notice *n);
/* Appends the document as one line, and drops it. ERR_LIMIT: out is full. */
bool body_write(json_t *root, const struct body_facts *f, struct buf *out, struct err *err);
/* "2026-11-22T02:13:30.000Z" */
char *body_time(int64_t wall_us, char *dst, size_t size);

#endif
