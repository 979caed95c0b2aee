/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_READS_H
#define BACKENDS_CONTRACT_READS_H

#include <stddef.h>

#include "backends/contract/backend.h"

/*
 * The read allow-list. Without a permission (transport.h) a transport sends only requests that are
 * listed here, word by word, whichever code created them. A list is separate from the tables of
 * plan(), in backends/dialects/NAME/reads.c. So a new question has to be written twice and can be
 * reviewed in one place. tests/backends/contract/test_reads.c compares the list with all requests
 * planned by every dialect.
 *
 * To allow another question (of look(), say) add one line to commands, gets, cli, scripts or heads
 * of that file; the test also calls look() with all its orders. In these patterns
 *   *    matches one argument: letters, digits and "._/:,@%+=-", at most 128 of them, neither
 *        beginning with '-' nor having ".." in it: no blank, quote, line end or shell character;
 *   **   matches any number of such arguments with blanks around them, or none;
 *   \*   is the character itself, as all others are.
 * A pattern never begins with '*'. Lists of strings end with NULL.
 */

/* True: the pattern matches the whole text. */
bool reads_match(const char *pattern, const char *text);
/* True: one of the patterns matches; NULL: none. */
bool reads_match_any(const char *const *patterns, const char *text);

/* A script as input of `sh -s`. */
struct read_script {
	const char *text; /* compared word by word, except "{}" if there are fills */
	/* The literal texts that may replace all of its "{}"; NULL: no replacement. */
	const char *const *fills;
};

struct read_list {
	const char *const *commands; /* SSH: patterns of whole command lines without input */
	const char *const *follows;  /* likewise, of commands passed to requests_follow() */
	/*
	 * SSH: scripts for `sh -s`, after any number of lines that match one of heads. text NULL
	 * ends the list.
	 */
	const struct read_script *scripts;
	const char *const *heads;
	/* HTTPS: patterns of paths, query included, for GET without a body. */
	const char *const *gets;
	/* Checks beyond patterns; each may be NULL. */
	bool (*command)(const char *command);  /* SSH: a command line without input */
	bool (*script)(const char *input);     /* SSH: `sh -s` with this input */
	bool (*post)(const struct request *r); /* HTTPS: POST with a body */
};

/*
 * True: r is on the list. All of r is checked: fields unused by its kind must be empty, and
 * request.change must not be set.
 */
bool reads_listed(const struct read_list *l, const struct request *r);

/*
 * True: a transport may send r without a permission, because it is on the list of the dialect or of
 * a job source. False if ops or its reads is NULL. False sets err (ERR_REFUSED) with the device and
 * the request.
 */
bool reads_allow(const struct backend_ops *ops, const struct request *r, const char *device,
	struct err *err);

/*
 * True: r is a command line over SSH, perhaps with input: no connection, no change, no field of
 * HTTPS. The command line itself is not checked.
 */
bool reads_plain(const struct request *r);

/* ---- helpers for checks beyond patterns ---- */

/* Advances *at past the literal; false: another text is there, and *at is unchanged. */
bool reads_skip(const char **at, const char *literal);
/* Advances *at over text that matches the pattern, up to the next stop character or the end. */
bool reads_skip_until(const char **at, char stop, const char *pattern);
/* Advances *at past lines that match one of the heads. */
void reads_skip_heads(const char **at, const char *const *heads);
/* True: text is the script. */
bool reads_script_is(const struct read_script *s, const char *text);

/*
 * True: every command of a JSON-RPC body is listed; text: the whole body. False for anything
 * unknown: another key, another method, the same key twice.
 *   eAPI:   one runCmds; "enable" is allowed before a command in privileged
 *   NX-API: an array of "cli" and "cli_ascii"
 */
bool reads_eapi_body(const char *text, const char *const *commands, const char *const *privileged);
bool reads_nxapi_body(const char *text, const char *const *commands);

#endif
