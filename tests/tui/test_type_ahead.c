/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "tests/support/cases.h"
#include "tests/tui/demo.h"

struct seen {
	size_t flushed;
	bool before, after; /* acknowledged, when f was taken and after the flush */
};

static void scene(struct demo *d, struct region s)
{
	const struct seen *x = d->scene;

	draw_textf(s, 0, 0, ROLE_NORMAL, "keys %d flushed %zu %s %s.", d->keys, x->flushed,
		x->before ? "seen" : "unseen", x->after ? "seen" : "unseen");
}

/* f forgets the keys that wait behind it. */
static void take(struct demo *d, int key)
{
	struct seen *x = d->scene;

	if (key != 'f')
		return;
	x->before = term_acknowledged(d->term);
	x->flushed = term_flush_input(d->term);
	x->after = term_acknowledged(d->term);
	d->keys += (int)x->flushed;
}

CASE(what_waits_is_forgotten)
{
	struct seen x = {0};
	struct demo d = {.draw = scene, .key = take, .scene = &x};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_wait_text(vt, "keys 0", 0);
	vt_settle(vt);
	vt_type(vt, "fq\r\xc3\xa4q");
	vt_wait_text(vt, "keys 5 flushed 4 seen seen.", 0);
	vt_type(vt, "a");
	vt_wait_text(vt, "keys 6 flushed 4", 0);
	demo_end(vt);
}

/* The gate's answer among the keys counts: the next frame is not held back for it. */
CASE(answers_among_them_count)
{
	struct seen x = {0};
	struct demo d = {.draw = scene, .key = take, .scene = &x};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);
	static const char bytes[] = "fqq\033[0nqq";

	vt_wait_questions(vt, 1);
	vt_hold_answers(vt, true);
	vt_type(vt, "a");
	vt_wait_questions(vt, 2);
	vt_send(vt, bytes, sizeof(bytes) - 1);
	vt_wait_text(vt, "keys 6 flushed 4 unseen seen.", 0);
	/* One answer too many is held: taken for this frame's, it would make that one stray. */
	vt_wait_questions(vt, 3);
	vt_hold_answers(vt, false);
	demo_end(vt);
}

/* A terminal that was never asked is believed. */
CASE(without_a_gate_all_is_seen)
{
	struct seen x = {0};
	struct demo d = {.draw = scene, .key = take, .scene = &x, .opts = {.no_gate = true}};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_wait_text(vt, "keys 0", 0);
	vt_type(vt, "fqq");
	vt_wait_text(vt, "keys 3 flushed 2 seen seen.", 0);
	demo_end(vt);
}

CASES_MAIN(NULL, NULL)
