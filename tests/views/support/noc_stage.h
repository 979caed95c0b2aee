/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_VIEWS_SUPPORT_NOC_STAGE_H
#define TESTS_VIEWS_SUPPORT_NOC_STAGE_H

#include "diagnosis/engine/engine.h"
#include "tests/support/terminal/vt.h"
#include "tests/views/support/fake_diag.h"
#include "tui/keymap.h"

/*
 * The wall in a real terminal on the small fabric of fixture.h; its clock stands still at second
 * 100. Typed Ctrl-T: a page's time passes. Typed Ctrl-N: a link goes down, which is news. Typed
 * Ctrl-D: no device answers for 95 seconds.
 */
struct noc_stage {
	enum { NOC_HEALTHY, NOC_INCIDENT, NOC_DARK, NOC_EMPTY } scene;
	bool ascii, mono;
	bool ends_unknown; /* no device reports the ends of storms */
	int rows, cols;
};

/* The keys of keymaps/noc.keys. */
struct keymap *noc_stage_keys(void);
/* x must live until the program ends. */
struct vt *noc_stage_start(const struct noc_stage *x);
/* Leaves with q twice. */
void noc_stage_end(struct vt *vt);

#endif
