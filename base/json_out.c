/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

static atomic_ulong losses;

json_t *json_text(const char *s)
{
	json_t *text;
	char *clean;
	size_t n;

	if (!s)
		return json_null();
	text = json_string(s);
	if (text)
		return text;
	/* Broken UTF-8 in one text must not lose the document around it. */
	n = strlen(s) + 1;
	clean = mem_alloc(n);
	(void)str_sanitise(clean, n, s, n - 1);
	text = json_string(clean);
	free(clean);
	return text;
}

void json_out_lost(const char *key)
{
	(void)atomic_fetch_add(&losses, 1);
	log_line("json", "%s cannot be written as JSON and is null", key ? key : "a list's value");
}

unsigned long json_out_losses(void)
{
	return atomic_load(&losses);
}

static int append_bytes(const char *bytes, size_t n, void *out)
{
	return buf_add(out, bytes, n) ? 0 : -1;
}

bool json_add(json_t *value, size_t flags, struct buf *out)
{
	bool ok = value && json_dump_callback(value, append_bytes, out, flags) == 0;

	json_decref(value);
	return ok;
}

bool json_into(json_t *root, const char *subject, struct buf *out, struct err *err)
{
	bool ok = json_add(root, JSON_INDENT(1), out) && buf_adds(out, "\n");

	return ok || err_set(err, ERR_LIMIT, subject, "does not fit, or is no text");
}
