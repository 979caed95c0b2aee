/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_RUNBOOKS_H
#define APP_CONFIG_RUNBOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "views/runbook/runbook.h"

/*
 * Runbooks as text (man/railtop-runbook.5). All problems of a file are found in one go, each with
 * file, line, the place in the file, what is wrong, and what is allowed:
 *
 *   link-flap.yaml:12: steps[1].view: "leafs" is not a view (allowed: cluster, rail, leaf, ...)
 */
#define RUNBOOK_FILE_MAX  ((size_t)256 << 10) /* bytes of a file, larger ones are refused */
#define RUNBOOK_STEPS_MAX 64
#define RUNBOOKS_MAX      256 /* files in the user's directory that are read */

/* Receives one problem, in order of lines; print it with err_format(). */
typedef void (*runbook_report)(void *ctx, const struct err *problem);

/* A runbook from memory; name stands for the file in messages. NULL when there was any problem. */
struct runbook *runbook_parse(
	const char *name, const char *text, size_t len, runbook_report report, void *ctx);
/* The same from a file. Whether runbooks exist that it leads to is not looked at. */
struct runbook *runbook_read(const char *path, runbook_report report, void *ctx);

/*
 * Fills out, by name: those of the binary, then those of $XDG_CONFIG_HOME/railtop/runbooks
 * (~/.config/railtop/runbooks), *.yaml, where one of the same name replaces the other. A file with
 * problems is left out, and each problem told to warn (may be NULL). The caller frees out, whatever
 * the result is. False only when a built-in one is broken, which is a bug.
 */
bool runbooks_load(struct runbooks *out, void (*warn)(void *ctx, const char *message), void *ctx,
	struct err *err);

#endif
