/* SPDX-License-Identifier: Apache-2.0 */
/* The help of a page: each command once with all of its keys, moving about last. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/cases.h"
#include "tests/views/support/stage.h"

static const struct stage x = {.keymap = "bind findings Q help # own of this page\n"};

static bool stands_once(const char *text, const char *part)
{
	const char *at = strstr(text, part);

	return at && !strstr(at + 1, part);
}

CASE(each_command_once_and_moving_last)
{
	struct vt *vt = stage_start(&x, 150, 100);
	char *text, *back, *down, *own;

	(void)state;
	stage_type(vt, "7?");
	text = vt_screen(vt);
	own = strstr(text, "own of this page");
	back = strstr(text, "Esc Backspace < back");
	down = strstr(text, "j Down ");
	assert_non_null(own);
	assert_non_null(back);
	assert_non_null(down);
	assert_true(own < back && back < down);
	assert_true(stands_once(text, "to where you came from"));
	assert_true(stands_once(text, "one row down"));
	free(text);
	stage_type(vt, "\033");
	stage_end(vt);
}

CASES_MAIN(NULL, NULL)
