/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_READS_H
#define BACKENDS_CONTRACT_READS_H

#include <stddef.h>

#include "backends/contract/backend.h"

/*
 * The read allow-list. What a transport may send without a permission (transport.h) is what some
 * list here states, word by word; everything else stays, whoever made it. A list is written down
 * apart from the tables that plan() works from, in backends/dialects/NAME/reads.c, so that a new
 * question has to be stated twice and can be reviewed in one place.
 * tests/backends/contract/test_reads.c asks every dialect for all that it plans and looks whether
 * the list agrees.
 *
 * To let another question pass (that of look(), say) add one line to commands, gets, cli, scripts
 * or heads of that file; the test asks look() for all its orders as well. In these patterns
 *   *    stands for one argument: letters, digits and "._/:,@%+=-", at most 128 of them, neither
 *        beginning with '-' nor having ".." in it: no blank, quote, line end or shell character;
 *   **   stands for any number of such arguments with blanks around them, or for none;
 *   \*   is the character itself; everything else too.
 * A pattern never begins with '*'. Lists of strings end with NULL.
 */

/* Whether text, the whole of it, is what the pattern says. */
bool reads_match(const char *pattern, const char *text);
/* Whether one of the patterns matches; NULL: none. */
bool reads_match_any(const char *const *patterns, const char *text);

/* What `sh -s` reads. */
struct read_script {
	const char *text; /* word by word, but for each "{}" where there are fills */
	/* What all of its "{}" may stand for, literally; NULL: as it is. */
	const char *const *fills;
};

struct read_list {
	const char *const *commands; /* SSH: patterns of whole command lines that get no input */
	const char *const *follows;  /* likewise, of what requests_follow() was given */
	/*
	 * SSH: what `sh -s` may be given, after any number of lines that match one of heads. text
	 * NULL ends the list.
	 */
	const struct read_script *scripts;
	const char *const *heads;
	/* HTTPS: patterns of paths, query included, for GET without a body. */
	const char *const *gets;
	/* What no pattern can say; each may be NULL. */
	bool (*command)(const char *command);  /* SSH: a command line without input */
	bool (*script)(const char *input);     /* SSH: `sh -s` with this input */
	bool (*post)(const struct request *r); /* HTTPS: POST with a body */
};

/*
 * Whether r is on the list. Whatever else r may hold counts as well: a field that the kind of
 * request does not use must be empty, and request.change must not be set.
 */
bool reads_listed(const struct read_list *l, const struct request *r);

/*
 * Whether a transport may send r without a permission: it is on the dialect's list, or on that of
 * a source of jobs. ops or its reads NULL: no. False with err (ERR_REFUSED) naming the device and
 * the request.
 */
bool reads_allow(const struct backend_ops *ops, const struct request *r, const char *device,
	struct err *err);

/*
 * Whether r is a command line over SSH, perhaps with input, and nothing besides: no connection, no
 * change, no field of HTTPS. What the command line is remains to be looked at.
 */
bool reads_plain(const struct request *r);

/* ---- for what a pattern cannot say: stepping through a text ---- */

/* Goes past the literal; false, and *at stays, where something else stands. */
bool reads_skip(const char **at, const char *literal);
/* Goes past what the pattern matches up to and without the next stop character, or the end. */
bool reads_skip_until(const char **at, char stop, const char *pattern);
/* Past lines that match one of the heads. */
void reads_skip_heads(const char **at, const char *const *heads);
/* Whether text is the script. */
bool reads_script_is(const struct read_script *s, const char *text);

/*
 * Whether every command of a JSON-RPC body passes; text: the whole body. Anything that is not known
 * (another key, another method, the same key twice) does not.
 *   eAPI:   one runCmds; "enable" passes where a command behind it is one of privileged
 *   NX-API: an array of "cli" and "cli_ascii"
 */
bool reads_eapi_body(const char *text, const char *const *commands, const char *const *privileged);
bool reads_nxapi_body(const char *text, const char *const *commands);

#endif
