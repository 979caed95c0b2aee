/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <string.h>

#include "backends/contract/reads.h"
#include "base/str.h"

/*
 * Checks bodies that contain commands. An ambiguous body is refused, because the device may read it
 * differently.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* True: an object with these keys only. */
static bool has_only(const json_t *o, const char *const *keys, size_t n)
{
	const char *key;
	json_t *v;
	size_t i;

	if (!json_is_object(o))
		return false;
	json_object_foreach((json_t *)o, key, v)
	{
		for (i = 0; i < n && !str_eq(keys[i], key); i++)
			;
		if (i == n)
			return false;
	}
	return true;
}

static const char *text_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* ---- eAPI ---- */

static const char *eapi_command(const json_t *c)
{
	static const char *const keys[] = {"cmd", "revision"};
	const json_t *revision = json_object_get(c, "revision");

	if (!has_only(c, keys, ARRAY_LEN(keys)) || (revision && !json_is_integer(revision)))
		return NULL;
	return text_of(c, "cmd");
}

static bool eapi_commands(
	const json_t *cmds, const char *const *commands, const char *const *privileged)
{
	bool enabled = false, needed = false;
	const char *line;
	const json_t *c;
	size_t i;

	json_array_foreach((json_t *)cmds, i, c)
	{
		line = eapi_command(c);
		if (!line)
			return false;
		if (str_eq(line, "enable")) {
			enabled = true;
			continue;
		}
		needed = needed || (enabled && reads_match_any(privileged, line));
		if (!reads_match_any(commands, line) && !reads_match_any(privileged, line))
			return false;
	}
	return json_array_size(cmds) > 0 && enabled == needed;
}

static bool eapi_call(const json_t *doc, const char *const *commands, const char *const *privileged)
{
	static const char *const keys[] = {"jsonrpc", "method", "id", "params"};
	static const char *const words[] = {"version", "format", "timestamps", "cmds"};
	const json_t *params = json_object_get(doc, "params");

	return has_only(doc, keys, ARRAY_LEN(keys)) && has_only(params, words, ARRAY_LEN(words)) &&
	       str_eq(text_of(doc, "method"), "runCmds") &&
	       eapi_commands(json_object_get(params, "cmds"), commands, privileged);
}

bool reads_eapi_body(const char *text, const char *const *commands, const char *const *privileged)
{
	json_t *doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	bool ok = eapi_call(doc, commands, privileged);

	json_decref(doc);
	return ok;
}

/* ---- NX-API ---- */

static bool nxapi_command(const json_t *one, const char *const *commands)
{
	static const char *const keys[] = {"jsonrpc", "method", "params", "id"};
	static const char *const words[] = {"cmd", "version"};
	const json_t *params = json_object_get(one, "params");
	const char *method = text_of(one, "method"), *line = text_of(params, "cmd");

	return has_only(one, keys, ARRAY_LEN(keys)) && has_only(params, words, ARRAY_LEN(words)) &&
	       (str_eq(method, "cli") || str_eq(method, "cli_ascii")) && line &&
	       reads_match_any(commands, line);
}

bool reads_nxapi_body(const char *text, const char *const *commands)
{
	json_t *doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	bool ok = json_array_size(doc) > 0;
	const json_t *one;
	size_t i;

	json_array_foreach(doc, i, one)
	{
		ok = ok && nxapi_command(one, commands);
	}
	json_decref(doc);
	return ok;
}
