/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_VIEWS_SUPPORT_STAGE_PAST_H
#define TESTS_VIEWS_SUPPORT_STAGE_PAST_H

#include "tests/views/support/stage.h"
#include "views/console/console.h"

/* The part of the stage that has a recording, runbooks and findings. */
struct past;

/* Fills the hooks that are its own and opens the console; the others stay as they are. */
struct past *past_new(const struct stage *x, struct console_opts *opts);
struct console *past_console(const struct past *p);
void past_free(struct past *p); /* after the console; NULL is allowed */

#endif
