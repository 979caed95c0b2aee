/* SPDX-License-Identifier: Apache-2.0 */
/* The wall's screens, letter by letter, and the effect of keys on them. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/noc_stage.h"
#include "tests/views/support/stage.h"

static void no_secret(struct vt *vt)
{
	assert_false(vt_has(vt, "secret"));
	assert_false(vt_has(vt, "INC-"));
	assert_false(vt_has(vt, "/tmp"));
}

/* All pages of a scene, one after the other. */
static void pages(const struct noc_stage *x, const char *name)
{
	static const char *const page[] = {"overview", "rails", "findings", "day", "jobs"};
	struct vt *vt = noc_stage_start(x);

	for (size_t i = 0; i < sizeof(page) / sizeof(page[0]); i++) {
		char file[64];

		(void)str_printf(file, sizeof(file), "noc/%s-%s", name, page[i]);
		stage_golden(vt, file);
		no_secret(vt);
		vt_key(vt, "Right");
		vt_settle(vt);
	}
	noc_stage_end(vt);
}

static void overview(const struct noc_stage *x, const char *name)
{
	struct vt *vt = noc_stage_start(x);

	stage_golden(vt, name);
	no_secret(vt);
	noc_stage_end(vt);
}

CASE(a_healthy_fabric)
{
	pages(&(struct noc_stage){.scene = NOC_HEALTHY, .rows = 24, .cols = 80}, "healthy");
	overview(&(struct noc_stage){.scene = NOC_HEALTHY, .rows = 50, .cols = 200},
		"noc/healthy-overview");
}

CASE(an_incident)
{
	pages(&(struct noc_stage){.scene = NOC_INCIDENT, .rows = 24, .cols = 80}, "incident");
	pages(&(struct noc_stage){.scene = NOC_INCIDENT, .rows = 50, .cols = 200}, "incident");
}

CASE(a_blind_wall)
{
	overview(&(struct noc_stage){.scene = NOC_DARK, .rows = 24, .cols = 80}, "noc/blind");
	overview(&(struct noc_stage){.scene = NOC_DARK, .rows = 50, .cols = 200}, "noc/blind");
	overview(&(struct noc_stage){.scene = NOC_EMPTY, .rows = 24, .cols = 80}, "noc/empty");
}

/* The same words without a colour; golden screens have no colours anyway. */
CASE(without_colour_and_in_ascii)
{
	struct noc_stage x = {.scene = NOC_INCIDENT, .mono = true, .rows = 24, .cols = 80};
	struct vt *vt;
	char *shown;

	vt = noc_stage_start(&x);
	stage_golden(vt, "noc/incident-overview");
	for (int y = 0; y < 24; y++)
		for (int i = 0; i < 80; i++)
			assert_true(vt_attr_at(vt, y, i).fg == -1 && vt_attr_at(vt, y, i).bg == -1);
	noc_stage_end(vt);
	x.ascii = true;
	vt = noc_stage_start(&x);
	stage_golden(vt, "noc/incident-ascii");
	shown = vt_screen(vt);
	for (const char *c = shown; *c; c++)
		assert_true((unsigned char)*c < 0x7f);
	free(shown);
	noc_stage_end(vt);
}

/* Where storms are only counted as they begin, none is said to have ended: nor that none has. */
CASE(storms_whose_end_nobody_tells)
{
	struct noc_stage x = {.scene = NOC_INCIDENT, .ends_unknown = true, .rows = 24, .cols = 80};
	struct vt *vt = noc_stage_start(&x);

	assert_true(vt_has(vt, "3 detected  (since"));
	assert_false(vt_has(vt, "restored"));
	noc_stage_end(vt);
}

/* Green needs data from just now. */
CASE(old_data_turns_it_blind)
{
	struct noc_stage x = {.scene = NOC_HEALTHY, .rows = 24, .cols = 80};
	struct vt *vt = noc_stage_start(&x);

	vt_key(vt, "Ctrl-d");
	vt_wait_text(vt, "BLIND", 0);
	vt_key(vt, "Left");
	vt_settle(vt);
	stage_golden(vt, "noc/silent");
	noc_stage_end(vt);
}

CASE(changed_devices_keep_the_first_page)
{
	struct noc_stage x = {.scene = NOC_INCIDENT, .rows = 24, .cols = 80};
	struct vt *vt = noc_stage_start(&x);

	vt_key(vt, "Ctrl-t");
	vt_settle(vt);
	assert_true(vt_has(vt, "rails 2/5"));
	vt_key(vt, "Ctrl-n");
	vt_settle(vt);
	stage_golden(vt, "noc/pinned");
	for (int i = 0; i < 5; i++) {
		vt_key(vt, "Ctrl-t");
		vt_settle(vt);
		assert_true(vt_has(vt, "PINNED"));
	}
	vt_key(vt, "Ctrl-t");
	vt_settle(vt);
	assert_false(vt_has(vt, "PINNED"));
	vt_key(vt, "Ctrl-t");
	vt_settle(vt);
	assert_true(vt_has(vt, "rails 2/5"));
	noc_stage_end(vt);
}

/* Every byte that a keyboard can send, and some that none can. */
CASE(junk_changes_nothing)
{
	struct noc_stage x = {.scene = NOC_INCIDENT, .rows = 24, .cols = 80};
	struct vt *vt = noc_stage_start(&x);
	static const char *const names[] = {"Up", "Down", "Home", "End", "Insert", "Delete",
		"Backspace", "Tab", "Enter", "Esc", "F1", "F5", "F12", "Alt-x", "Alt-q"};
	char *before = vt_screen(vt), *after;

	for (int c = '!'; c < 0x7f; c++) {
		char one[2] = {(char)c, '\0'};

		if (!strchr("npqh", c))
			vt_type(vt, one);
	}
	for (char c = 'a'; c <= 'z'; c++) {
		char key[8];

		/* Ctrl-Z stops a process that does not ask for it to be ignored: the app's. */
		if (strchr("zdtn", c))
			continue;
		(void)str_printf(key, sizeof(key), "Ctrl-%c", c);
		vt_key(vt, key);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		vt_key(vt, names[i]);
		vt_settle(vt);
	}
	vt_type(vt, ":quit!/x\xc3\xa4\xe8\xa1\xa8");
	vt_settle(vt);
	after = vt_screen(vt);
	free(after);
	vt_key(vt, "x");
	vt_settle(vt);
	/* "quit!" has a q in it, which asks for a second one; "x" took that back. */
	after = vt_screen(vt);
	assert_string_equal(before, after);
	free(before);
	free(after);
	noc_stage_end(vt);
}

CASE(any_size_will_do)
{
	static const int sizes[][2] = {{1, 1}, {1, 300}, {2, 2}, {3, 10}, {7, 30}, {12, 40},
		{60, 20}, {24, 80}, {80, 300}};
	struct noc_stage x = {.scene = NOC_INCIDENT, .rows = 24, .cols = 80};
	struct vt *vt = noc_stage_start(&x);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		vt_resize(vt, sizes[i][0], sizes[i][1]);
		for (int page = 0; page < 5; page++) {
			vt_key(vt, "Right");
			vt_settle(vt);
		}
	}
	vt_resize(vt, 24, 80);
	vt_settle(vt);
	stage_golden(vt, "noc/incident-overview");
	noc_stage_end(vt);
}

CASES_MAIN(NULL, NULL)
