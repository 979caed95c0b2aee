/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ACTIONS_SUPPORT_LEDGER_RIG_H
#define TESTS_ACTIONS_SUPPORT_LEDGER_RIG_H

#include "actions/ledger/ledger.h"

/* A directory of its own with a ledger in it, a clock that stands still, and copies that are kept.
 */
struct rig {
	char dir[64], path[96], head[104];
	struct clock_fake clock;
	struct who who;
	unsigned copies;
	char copy[800]; /* the last one */
};

#define RIG_NOW (INT64_C(1795309323250) * 1000) /* 2026-11-22T01:02:03.250Z */

void rig_open(struct rig *r);
void rig_close(struct rig *r);
/* NULL with err, as ledger_open(). */
struct ledger *rig_ledger(struct rig *r, struct err *err);
/* Must work. */
struct ledger *rig_ledger_ok(struct rig *r);
void rig_append(struct ledger *l, enum ledger_event e, const char *act, json_t *detail);
/* A ledger of n lines, closed again. */
void rig_fill(struct rig *r, unsigned n);
struct ledger_report rig_verify(struct rig *r);

/* The whole file, NUL-terminated; the caller frees. */
char *rig_read(const char *path, size_t *n);
void rig_write(const char *path, const char *bytes, size_t n);
/* Where line n (from 1) starts. */
char *rig_line(char *text, unsigned n);

#endif
