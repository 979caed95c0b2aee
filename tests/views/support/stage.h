/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_VIEWS_SUPPORT_STAGE_H
#define TESTS_VIEWS_SUPPORT_STAGE_H

#include <stdbool.h>

#include "tests/support/terminal/vt.h"

/*
 * The console alone in a real terminal, on the small fabric of fixture.h, with actions. The reason
 * that the test types chooses their outcome: "lost ..." ends unknown, "watch ..." is done and
 * watched, "fail ..." is refused by act_go(), anything else keeps running. A device as a whole is
 * always refused. Each hook that is called is written into the sheet.
 *
 * With a past every second moment is of a smaller fabric without jobs, and each is a model of its
 * own: the one before is freed, as when a recording is read.
 */
struct stage {
	bool read_only;      /* no hooks and no commands of actions */
	bool no_gate;        /* the terminal is not asked whether it has drawn */
	bool with_ledger;    /* the audit view has lines, and a change that none explains */
	const char *problem; /* of the ledger; NULL: none */
	const char *keymap;  /* lines on top of default.keys; NULL: none */
	bool with_past;      /* a recording of the last hour, a judgement each 5 s; see below */
	bool with_runbooks;  /* link-flap and host-check, and findings that they are for */
};
/* x must live until the program ends. */
struct vt *stage_start(const struct stage *x, int rows, int cols);
/* Keys one after the other: "\r" Enter, "\033" Esc, "\t" Tab, "\b" Backspace. */
void stage_type(struct vt *vt, const char *keys);
/* Leaves by closing pages, and checks that the program ended well. */
void stage_end(struct vt *vt);
/* Compares the screen with tests/views/golden/NAME.COLSxROWS.txt; UPDATE_GOLDEN=1 writes it. */
void stage_golden(struct vt *vt, const char *name);

#endif
