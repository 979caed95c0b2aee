/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/login_body.h"

#include <string.h>

#include "base/secret.h"
#include "base/str.h"

static char *add_quoted(char *at, const char *s)
{
	*at++ = '"';
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20) {
			str_printf(at, 7, "\\u%04x", (unsigned)(unsigned char)*s);
			at += 6;
			continue;
		}
		if (*s == '"' || *s == '\\')
			*at++ = '\\';
		*at++ = *s;
	}
	*at++ = '"';
	return at;
}

static char *add_text(char *at, const char *s)
{
	while (*s)
		*at++ = *s++;
	return at;
}

char *login_body_json(const char *before, const char *user, const char *between,
	const char *password, const char *after)
{
	/* A byte becomes at most six: \u001f. */
	size_t room = 6 * (strlen(user) + strlen(password)) + strlen(before) + strlen(between) +
		      strlen(after) + 5;
	char *body = secret_new(room), *at = body;

	at = add_quoted(add_text(at, before), user);
	at = add_quoted(add_text(at, between), password);
	at = add_text(at, after);
	*at = '\0';
	return body;
}
