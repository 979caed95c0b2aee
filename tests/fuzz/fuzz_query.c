/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a filter. Any text is refused with a position, or matches rows. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "fabric/query/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fields by the first letter of their name: number, text, not a number, unknown, none. */
static bool field(void *ctx, const char *name, struct query_value *out)
{
	(void)ctx;
	*out = (struct query_value){.type = QV_UNKNOWN};
	switch (name[0] % 5) {
	case 0:
		out->type = QV_NUMBER;
		out->number = 34;
		return true;
	case 1:
		out->type = QV_TEXT;
		(void)str_copy(out->text, sizeof(out->text), "Ethernet12 aaaaaaaaaaaaaaaaaaaaaaaa");
		return true;
	case 2:
		out->type = QV_NUMBER;
		out->number = NAN;
		return true;
	case 3:
		return true;
	default:
		return false;
	}
}

static const char *text(void *ctx)
{
	(void)ctx;
	return "cell 0\ncell 1\ncell 2\n";
}

static bool known(void *ctx, const char *name)
{
	(void)ctx;
	return name[0] % 5 != 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct query_source row = {.field = field, .text = text};
	char *s = mem_strndup((const char *)data, size);
	struct err err = {0};
	struct query *q = query_parse(s, &err);

	/* A refusal says why. */
	if (!q && (err.code != ERR_USAGE || !err.text[0]))
		abort();
	if (q) {
		const char *fields[4];
		enum query_answer answer = query_decide(q, &row);

		/* Both are the same language: only certain rows match. */
		if ((answer == QUERY_YES) != query_match(q, &row))
			abort();
		if (query_fields(q, fields, 4) > 4)
			abort();
		(void)query_check(q, known, NULL, "alpha, beta, gamma", &err);
	}
	query_free(q);
	free(s);
	return 0;
}
