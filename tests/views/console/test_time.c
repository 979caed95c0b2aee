/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cases.h"
#include "tests/views/support/stage.h"

static const struct stage past = {.with_past = true, .no_gate = true};
static const struct stage books = {.with_runbooks = true, .no_gate = true};
static const struct stage both = {.with_past = true, .with_runbooks = true, .no_gate = true};

static const struct {
	int rows, cols;
} sizes[] = {{24, 80}, {50, 200}};

static void shows(struct vt *vt, const char *text)
{
	char *screen = vt_screen(vt);

	if (!strstr(screen, text))
		fail_msg("no \"%s\" in\n%s", text, screen);
	free(screen);
}

static void hides(struct vt *vt, const char *text)
{
	char *screen = vt_screen(vt);

	if (strstr(screen, text))
		fail_msg("\"%s\" in\n%s", text, screen);
	free(screen);
}

/* At both sizes: keys, then the screen as it is kept. */
static void golden(const struct stage *x, const char *keys, const char *name)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct vt *vt = stage_start(x, sizes[i].rows, sizes[i].cols);

		stage_type(vt, keys);
		stage_golden(vt, name);
		stage_end(vt);
	}
}

CASE(the_past_of_the_console)
{
	golden(&past, "[[", "scrub-back");
	golden(&past, "3:at 22:45:00\r", "scrub-at");
	golden(&past, "{:play 8\r", "scrub-gap");
	golden(&past, "{:play 16\r", "scrub-seeking");
}

CASE(what_changed)
{
	golden(&past, ":diff -5m\r", "diff");
	golden(&past, ":diff nothing\r", "diff-none");
}

/* The end of a long path gives way to the verdict, and says that it was cut. */
CASE(the_verdict_stays_beside_a_long_path)
{
	struct vt *vt = stage_start(&past, 24, 80);

	stage_type(vt, "[:diff -5m\r");
	shows(vt, "REPLAY");
	shows(vt, "1 culprit");
	stage_end(vt);
}

CASE(a_runbook)
{
	golden(&books, "7b", "pane-begun");
	golden(&books, "7bn", "pane-next");
	golden(&books, "7bn3", "pane-links");
	golden(&books, "7bnn", "pane-ask");
	golden(&books, "7bnno", "pane-ask-key");
	golden(&books, "7bnNsecond of this week\r:view runbook\r", "runbook");
	golden(&books, "7bnnnf", "pane-end");
	golden(&books, "7bnnnfn:view runbook\r", "runbook-other");
	golden(&books, "7bn:runbook-end\r:view runbook\r", "runbook-trail");
	golden(&books, "b", "runbook-which");
}

CASE(steps_open_their_views)
{
	struct vt *vt = stage_start(&books, 24, 80);

	stage_type(vt, "7bno");
	shows(vt, "events");
	shows(vt, "/kind~link");
	stage_type(vt, ":view runbook\rg\r");
	shows(vt, "links");
	hides(vt, "/kind~link");
	stage_end(vt);
}

CASE(escape_and_live)
{
	struct vt *vt = stage_start(&past, 24, 80);

	stage_type(vt, "[");
	shows(vt, "REPLAY");
	shows(vt, "live data still collected");
	stage_type(vt, "\033");
	hides(vt, "REPLAY");
	stage_type(vt, "[7a");
	shows(vt, "no finding can be acknowledged: this is 23:14:5");
	stage_type(vt, "\033");
	stage_type(vt, "]");
	shows(vt, "this is now");
	stage_type(vt, "Sstorm on rail 3\r");
	shows(vt, "snapshot for \"storm on rail 3\"");
	stage_end(vt);
}

CASE(what_a_runbook_is_about_may_not_be_there)
{
	struct vt *vt = stage_start(&both, 24, 80);

	stage_type(vt, ":runbook link-flap leaf-r5-00:Ethernet0\r");
	shows(vt, "link-flap 1/3");
	stage_type(vt, "[");
	shows(vt, "does not exist at this moment");
	stage_type(vt, "n");
	shows(vt, "does not exist at the moment");
	stage_type(vt, "[");
	hides(vt, "does not exist");
	stage_type(vt, "n");
	shows(vt, "link-flap 2/3");
	stage_end(vt);
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245U + 12345U;
	return *seed >> 16 & 0x7fff;
}

/* Any keys in any order, between moments with more and with less in them. */
CASE(random_scrubs)
{
	static const char *const moves[] = {"[", "]", "{", "}", "[", "]", "[", "\r", "\r", "j", "j",
		"G", "g", "h", "l", "1", "2", "3", "4", "5", "6", "7", "8", "9", "t", "\t", "<",
		">", "s", " ", "b", "n", "p", "N", "x\r", "o", "B", "c", "\r", "?", "\033", "a",
		":goto rail 5\r", ":goto leaf-r6-00\r", ":goto leaf-r7-00:Ethernet0\r",
		":goto leaf-r7-00:Ethernet0:3\r", ":goto rank 11\r", ":goto job pretrain\r",
		":goto node001\r", ":view lint\r", ":view wiring\r", ":view runbook\r",
		":view audit\r", ":diff x\r", "/r1\r", "/\r", ":play 4\r", "S\r", ":trace rank 3\r",
		":at 22:45:00\r", ":at live\r", ":sort -state\r",
		":runbook link-flap leaf-r4-00:Ethernet0\r"};
	static const struct {
		int rows, cols, keys;
	} screens[] = {{24, 80, 400}, {50, 200, 400}, {12, 40, 150}, {6, 24, 100}};
	unsigned seed = 7;

	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		struct vt *vt = stage_start(&both, screens[i].rows, screens[i].cols);

		for (int n = 0; n < screens[i].keys; n++)
			stage_type(
				vt, moves[next_random(&seed) % (sizeof(moves) / sizeof(moves[0]))]);
		/* Closes all open overlays, back to now. */
		stage_type(vt, "\033\033\033\033\033:at live\r");
		hides(vt, "REPLAY");
		stage_end(vt);
	}
}

CASES_MAIN(NULL, NULL)
