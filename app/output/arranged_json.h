/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_ARRANGED_JSON_H
#define APP_OUTPUT_ARRANGED_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "views/console/console.h"
#include "views/view.h"

/*
 * Keeps the operator's arrangement of columns in each view for the next session. The file is
 * $XDG_STATE_HOME/railtop/views.json, else ~/.local/state/... Columns are stored by their ids:
 *
 *	{"links": {"sort": "-flaps", "hidden": ["ber"]}}
 *
 * Views and columns of another version are ignored but kept. An unreadable file is reported once
 * and left alone until the operator changes an arrangement.
 */
struct arranged;

struct arranged_opts {
	const char *path; /* NULL: the default path */
	bool read_only;   /* arranged_set() does nothing: the NOC wall */
	/* Gets messages for people, each once: the file is broken, or cannot be written. May be
	 * NULL. */
	void (*warn)(void *ctx, const char *message);
	void *ctx;
};

/* Reads the file at once (at most 256 KB). Never NULL: without a file the defaults apply. */
struct arranged *arranged_open(const struct arranged_opts *o);
void arranged_close(struct arranged *a); /* NULL is allowed */
/*
 * The arrangement of a view: sort as console_arrange() takes it ("": the view's default), and a bit
 * for each hidden column. False: none stored.
 */
bool arranged_get(const struct arranged *a, const struct view_ops *v, char *sort, size_t size,
	uint64_t *hidden);
/*
 * Stores an arrangement. Unless it is unchanged, reads the changes of other consoles and then
 * writes the file at once. The write goes to a new file of a few KB, mode 0600, which replaces the
 * old one. False: it could not be written, which was reported.
 */
bool arranged_set(struct arranged *a, const struct view_ops *v, const char *sort, uint64_t hidden);

/*
 * Saved filters stand beside the views:
 *
 *	{"saved filters": {"hot": {"view": "links", "place": "", "filter": "flaps>0", "sort": ""}}}
 *
 * arranged_filter() gives the i-th one, sanitised; false: there is none. arranged_save_filter()
 * writes the file as arranged_set() does.
 */
bool arranged_filter(const struct arranged *a, size_t i, struct saved_filter *out);
bool arranged_save_filter(struct arranged *a, const struct saved_filter *s, bool dropped);

#endif
