/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of devices hold passwords now and then, and an assistant may be anywhere. */
#include <stdlib.h>

#include "app/mcp/tools.h"
#include "archive/redact/redact.h"

static void clean_text(struct redact *r, json_t *text)
{
	size_t n;
	char *now = redact_document(r, json_string_value(text), json_string_length(text), &n);

	/* What is no UTF-8 any more must not stay as it was. */
	if (json_string_setn(text, now, n) != 0)
		(void)json_string_set(text, "");
	free(now);
}

/* Results of the tools are not nested deeply. */
static void clean_value(struct redact *r, json_t *v)
{
	const char *key;
	json_t *part;
	size_t i;

	if (json_is_string(v))
		clean_text(r, v);
	json_object_foreach(v, key, part) clean_value(r, part);
	json_array_foreach(v, i, part) clean_value(r, part);
}

void mcp_drop_secrets(void *ctx, json_t *result)
{
	const struct mcp_data *d = ctx;
	struct redact *r = redact_new_secrets(d->collected ? d->collected->model : NULL);

	clean_value(r, result);
	redact_free(r);
}
