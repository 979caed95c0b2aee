/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_INVENTORY_YAML_H
#define APP_CONFIG_INVENTORY_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "fabric/plan/plan.h"

/*
 * fabric.yaml (man/railtop-fabric.5) to a plan. All problems of its keys and values are found in
 * one go, then, when there are none, all of names and wiring; each with file, line, the place in
 * the file, what is wrong, and what is allowed:
 *
 *   fabric.yaml:12: switches[0].dialect: "sonik" is not a dialect (allowed: sonic, eos, ...)
 */

#define INVENTORY_PROBLEMS_MAX 20                 /* problems that are reported of one file */
#define INVENTORY_FILE_MAX     ((size_t)16 << 20) /* bytes of a file, larger ones are refused */
#define INVENTORY_DEVICES_MAX  65536              /* devices of a fabric */

/* Receives one problem, in order of lines; print it with err_format(). code is ERR_CONFIG, or
 * ERR_IO where a file could not be read. */
typedef void (*inventory_report)(void *ctx, const struct err *problem);

/*
 * Reads a file and fills *plan, which the caller frees with plan_free() whatever the result is.
 * False when there was any problem. report may be NULL. "~" is the home directory; relative paths
 * in the file start at the file's own directory. Reads no other file but the wiring table that it
 * names; looks up no name and no secret.
 */
bool inventory_check(const char *path, struct plan *plan, inventory_report report, void *ctx);

/*
 * The same for a command: a single problem goes to *err; of several each is formatted for warn (may
 * be NULL) and *err counts them, or is the first of them where there is no warn.
 */
bool inventory_load(const char *path, struct plan *plan,
	void (*warn)(void *ctx, const char *message), void *ctx, struct err *err);

/* The same from memory: name stands for the file in messages, dir is where relative paths start. */
bool inventory_parse(const char *name, const char *dir, const char *text, size_t len,
	struct plan *plan, inventory_report report, void *ctx);

#endif
