/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_RUNBOOKS_H
#define APP_CONFIG_RUNBOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "views/runbook/runbook.h"

/*
 * Reads runbooks (man/railtop-runbook.5). All problems of a file are reported in one run. Each
 * message has the file, the line, the place in the file, the error and the allowed values:
 *
 *  link-flap.yaml:12: steps[1].view: "leafs" is not a view (allowed: cluster, rail, leaf, ...)
 */
#define RUNBOOK_FILE_MAX  ((size_t)256 << 10) /* limit of a file in bytes */
#define RUNBOOK_STEPS_MAX 64
#define RUNBOOKS_MAX      256 /* limit of files in the user's directory */

/* Receives one problem, in order of lines; print it with err_format(). */
typedef void (*runbook_report)(void *ctx, const struct err *problem);

/* Parses a runbook from memory. name: the file in messages. The caller frees it with
 * runbook_free(). NULL when there was a problem. */
struct runbook *runbook_parse(
	const char *name, const char *text, size_t len, runbook_report report, void *ctx);
/* The same from a file. Does not check that the runbooks it leads to exist. */
struct runbook *runbook_read(const char *path, runbook_report report, void *ctx);

/*
 * Fills out, sorted by name: first the built-in runbooks, then *.yaml of
 * $XDG_CONFIG_HOME/railtop/runbooks (~/.config/railtop/runbooks). The latter replace built-in ones
 * of the same name. A file with problems is left out, and each problem is passed to warn, which may
 * be NULL. The caller frees out in any case. False only when a built-in runbook is broken, which is
 * a bug.
 */
bool runbooks_load(struct runbooks *out, void (*warn)(void *ctx, const char *message), void *ctx,
	struct err *err);

#endif
