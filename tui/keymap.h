/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Keys to command lines. A keymap file has lines
 *     bind CONTEXT KEY COMMAND [ARGUMENTS]     # note
 *     unbind CONTEXT KEY
 * CONTEXT is "global" or a view's name. KEY is a character, Up, Down, PgUp, Enter, Esc, Tab, Space,
 * Backspace, F1..F12, Ctrl-x (or ^X), Alt-x, or a sequence of two ("ZZ"). A view's binding wins
 * over a global one. Files are read in order: a later file overrides; the same key bound twice in
 * one file and context is a conflict and is reported with both lines.
 */
struct keymap;

struct binding {
	char context[24];
	int key[2];       /* key[1] is 0 for a single key */
	char command[96]; /* command line: name and arguments */
	char note[80];    /* comment of the line, or "" */
	char source[96];  /* "default.keys:12" */
};

struct keymap *keymap_new(void);
void keymap_free(struct keymap *k);

/*
 * Reads text; name is for messages. known() tests whether a command exists, context() whether a
 * context exists. Passes every problem to report() (file:line: text) and still uses the rest of the
 * file. Returns the number of problems.
 */
size_t keymap_read(struct keymap *k, const char *name, const char *text,
	bool (*known)(void *ctx, const char *command), bool (*context)(void *ctx, const char *name),
	void (*report)(void *ctx, const char *message), void *ctx);

/*
 * Removes the bindings of commands that present() does not know: a removed binding of a view no
 * longer hides the global one. For commands that a key file may name and this process does not
 * have.
 */
void keymap_prune(struct keymap *k, bool (*present)(void *ctx, const char *command), void *ctx);

/*
 * Looks a key up; prefix is the pending first key of a sequence or 0. Returns NULL when nothing is
 * bound; *more is set when the key starts a sequence.
 */
const struct binding *keymap_find(
	const struct keymap *k, const char *context, int prefix, int key, bool *more);
/*
 * Lists the bindings that are active in a context (its own, then global ones not overridden), for
 * help.
 */
size_t keymap_list(
	const struct keymap *k, const char *context, const struct binding **out, size_t max);
/* First key bound to the command in the context or globally, as text ("?", "Ctrl-L"); "" if none.
 */
const char *keymap_key_for(
	const struct keymap *k, const char *context, const char *command, char *dst, size_t size);

/* "Ctrl-L" <-> key number. */
bool key_parse(const char *text, int *key);
const char *key_name(int key, char *dst, size_t size);

#endif
