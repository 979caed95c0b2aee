/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

/* Kinds of errors. The kind decides exit codes and freshness; the text is for people. */
enum err_code {
	ERR_NONE,
	ERR_USAGE,        /* the command line */
	ERR_CONFIG,       /* a file the user wrote */
	ERR_IO,           /* the local system: file, memory map, terminal */
	ERR_UNREACHABLE,  /* no connection: refused, no route, name does not resolve */
	ERR_UNAUTHORISED, /* key, password, host key or certificate not accepted */
	ERR_TIMEOUT,      /* connected, but no answer within the deadline */
	ERR_PROTOCOL,     /* an answer of a form that the command does not print */
	ERR_LIMIT,        /* an answer larger than its stated bound */
	ERR_UNSUPPORTED,  /* the device or railtop does not do this */
	ERR_REFUSED,      /* railtop does not do this now: a guard, read-only mode */
	ERR_INTERNAL,
};

/*
 * An error as data. origin: the device or file:line; text: the failure; cure: advice to the user,
 * may be empty. All three are safe to print: err_set() strips control characters.
 */
struct err {
	enum err_code code;
	char origin[128];
	char text[384];
	char cure[320];
};

/* Fills *e (NULL is allowed) and returns false, so that a caller can write `return err_set(...)`.
 */
bool err_set(struct err *e, enum err_code code, const char *origin, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds the cure to an error that err_set() filled; returns false likewise. */
bool err_cure(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Fills *e with an error of the system: what, which may be "", and the text of `error` (an errno).
 * The cure is of the errno. A caller that knows a better one calls err_cure() afterwards.
 */
bool err_system(struct err *e, enum err_code code, const char *origin, const char *what, int error);

/* The JSON and screen name of a code: "unreachable", "timeout", ... */
const char *err_code_name(enum err_code code);

/* Prints "railtop: origin: text (cure)" on standard error. */
void err_print(const struct err *e);

/* Writes "origin: text (cure)" to dst, always terminated; returns dst. */
char *err_format(const struct err *e, char *dst, unsigned long size);

#endif
