/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_ARRANGED_JSON_H
#define APP_OUTPUT_ARRANGED_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "views/view.h"

/*
 * How the operator has arranged the columns of each view, for the next session: a file of the state
 * directory ($XDG_STATE_HOME/railtop/views.json, else ~/.local/state/...), columns by their ids:
 *
 *	{"links": {"sort": "-flaps", "hidden": ["ber"]}}
 *
 * What is not understood - views and columns of another version - is ignored and kept. A file that
 * cannot be read is told once and left alone until the operator changes something.
 */
struct arranged;

struct arranged_opts {
	const char *path; /* NULL: as above */
	bool read_only;   /* arranged_set() changes nothing: the wall */
	/* For people, once each: the file is broken, or cannot be written. May be NULL. */
	void (*warn)(void *ctx, const char *message);
	void *ctx;
};

/* Never NULL: without a file there are the defaults. Reads at once (at most 256 KB). */
struct arranged *arranged_open(const struct arranged_opts *o);
void arranged_close(struct arranged *a); /* NULL is allowed */
/*
 * What is kept of the view: sort as console_arrange() takes it ("": the view's own) and a bit for
 * each hidden column. False: nothing.
 */
bool arranged_get(const struct arranged *a, const struct view_ops *v, char *sort, size_t size,
	uint64_t *hidden);
/*
 * Keeps it, and writes the file at once (a few KB to a new file that then takes the old one's
 * place; mode 0600), after what another console wrote meanwhile was read. Equal to what is kept:
 * nothing is written. False: it could not be written, which was told.
 */
bool arranged_set(struct arranged *a, const struct view_ops *v, const char *sort, uint64_t hidden);

#endif
