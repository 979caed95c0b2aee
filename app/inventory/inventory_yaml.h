/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_INVENTORY_INVENTORY_YAML_H
#define APP_INVENTORY_INVENTORY_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "fabric/plan/plan.h"

/*
 * Reads fabric.yaml (man/railtop-fabric.5) and makes a plan. All problems of its keys and values
 * are reported in one run; if there are none, all those of names and wiring. Each message has the
 * file, the line, the place in the file, the error and the allowed values:
 *
 *  fabric.yaml:12: switches[0].dialect: "sonik" is not a dialect (allowed: sonic, eos, ...)
 */

#define INVENTORY_PROBLEMS_MAX 20                 /* problems reported per file */
#define INVENTORY_FILE_MAX     ((size_t)16 << 20) /* limit of a file in bytes */
#define INVENTORY_DEVICES_MAX  65536              /* limit of devices in a fabric */

/* Receives one problem, in order of lines; print it with err_format(). Its code is ERR_CONFIG, or
 * ERR_IO for an unreadable file. */
typedef void (*inventory_report)(void *ctx, const struct err *problem);

/*
 * Reads a file and fills *plan, which the caller frees with plan_free() in any case. False when
 * there was a problem. report may be NULL. "~" is the home directory; relative paths in the file
 * start at the file's directory. Reads no other files except those of include: and the wiring
 * tables. Looks up no host names and no secrets.
 */
bool inventory_check(const char *path, struct plan *plan, inventory_report report, void *ctx);

/*
 * The same for a command. A single problem goes to *err. Of several, each is formatted for warn and
 * *err has their number; without warn (NULL) *err is the first.
 */
bool inventory_load(const char *path, struct plan *plan,
	void (*warn)(void *ctx, const char *message), void *ctx, struct err *err);

/* The same from memory. name: the file in messages; dir: the base of relative paths. */
bool inventory_parse(const char *name, const char *dir, const char *text, size_t len,
	struct plan *plan, inventory_report report, void *ctx);

#endif
