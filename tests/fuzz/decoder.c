/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: what tests/tools/asked.h reads, a request and the answer of a device that lies. The
 * Makefile builds this once for each line of backends/backends.def, with DIALECT its name.
 */
#include "tests/fuzz/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tools/asked.h"

/* A refusal without a word, or an item that points nowhere, is a bug as well as a crash. */
static void check(const struct obs *o, bool ok, const struct err *err)
{
	if (!ok && (!*err->text || err->code == ERR_NONE))
		abort();
	for (; o; o = o->more) {
		for (size_t i = 0; i < o->items.n; i++)
			if (o->items.at[i].port != OBS_NO_PORT && o->items.at[i].port >= o->ports.n)
				abort();
		for (size_t i = 0; i < o->strings.n; i++)
			if (o->strings.at[i] == '\x1b')
				abort();
	}
}

static void decode(const struct backend_ops *ops, const struct asked *a)
{
	struct obs *o = obs_new(a->target.device, a->request);
	struct err err = {0};
	char *exact = malloc(a->len + 1); /* reading past it is seen */

	if (!exact)
		abort();
	if (a->len)
		memcpy(exact, a->answer, a->len);
	exact[a->len] = '\0';
	o->received_us = INT64_C(1763750000000000);
	check(o, ops->parse(&a->target, a->request, exact, a->len, o, &err), &err);
	obs_free(o);
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct asked a;

	if (asked_read(&a, (const char *)data, size))
		decode(backend_by_name(DIALECT), &a);
	asked_free(&a);
	return 0;
}
