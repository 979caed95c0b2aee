/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TUI_DEMO_H
#define TESTS_TUI_DEMO_H

#include "tests/support/terminal/vt.h"
#include "tui/draw.h"

/*
 * A small program around tui/ for the tests: a loop that draws when something is due, takes keys,
 * and after the end plays the shell: it prints "$ " and reads a line, which must be exactly "done".
 * q leaves, in any scene.
 */
struct demo {
	struct term_opts opts;
	void (*draw)(struct demo *d, struct region screen);
	void (*key)(struct demo *d, int key); /* may be NULL */
	void *scene;
	bool idle_always; /* report each sleep, also those with a frame due or not answered */
	bool leave_at_once;
	bool ask_ground; /* ask for the colour of the background */
	/* State for scenes and tests. */
	struct term *term;
	int keys, last_key;
	int frames;
	int keys_told, frames_told; /* in the last idle line */
	bool quit, due;
};

/* Exit statuses of the program. */
enum {
	DEMO_FINE,
	DEMO_NO_TERMINAL = 3,
	DEMO_STRAY_INPUT = 4, /* the shell got something that was not typed */
	DEMO_MODES_LEFT = 5,  /* the terminal's modes have changed */
	DEMO_CRASHED = 6,
	DEMO_LEAKED = 7 /* only looked for with the address sanitiser */
};

/* For vt_spawn_fn(); ctx is a struct demo. */
int demo_run(void *ctx, int idle_fd);
/* A shell's next step: prompt, read a line. True when it is "done". */
bool demo_shell(void);
/* Starts d in a terminal of that size; term and locale may be NULL. */
struct vt *demo_start(struct demo *d, int rows, int cols, const char *term, const char *locale);
/* Types q, then "done" to the shell, and checks that all is as it was before. */
void demo_end(struct vt *vt);

#endif
