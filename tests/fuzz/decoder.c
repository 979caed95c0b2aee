/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"
#include "base/str.h"

/* A refusal without a word, or an item that points nowhere, is a bug as well as a crash. */
static void check(const struct obs *o, bool ok, const struct err *err)
{
	if (!ok && (!*err->text || err->code == ERR_NONE))
		abort();
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].port != OBS_NO_PORT && o->items.at[i].port >= o->ports.n)
			abort();
	for (size_t i = 0; i < o->strings.n; i++)
		if (o->strings.at[i] == '\x1b')
			abort();
}

static void decode(const struct backend_ops *ops, const struct target *t, const char *request,
	const uint8_t *bytes, size_t len)
{
	struct obs *o = obs_new(t->device, request);
	struct err err = {0};
	char *exact = malloc(len + 1); /* reading past it is seen */

	if (!exact)
		abort();
	if (len)
		memcpy(exact, bytes, len);
	exact[len] = '\0';
	o->received_us = INT64_C(1763750000000000);
	check(o, ops->parse(t, request, exact, len, o, &err), &err);
	obs_free(o);
	free(exact);
}

/* "https pfc nvue=5.13": transport or "host", request, facts. */
static const char *read_head(char *line, struct target *t, struct facts *facts)
{
	char *save = NULL, *kind = strtok_r(line, " ", &save), *request, *fact, *value;

	if (!kind)
		return NULL;
	t->tier = str_eq(kind, "host") ? TIER_HOST : TIER_LEAF;
	t->transport = str_eq(kind, "https") ? TRANSPORT_HTTPS : TRANSPORT_SSH;
	request = strtok_r(NULL, " ", &save);
	while ((fact = strtok_r(NULL, " ", &save))) {
		value = strchr(fact, '=');
		if (!value)
			continue;
		*value++ = '\0';
		facts_set(facts, fact, value);
	}
	return request;
}

int fuzz_decoder(const char *dialect, const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\n', size < 256 ? size : 256) : NULL;
	struct facts facts = {0};
	struct target t = {.device = "fuzz", .lossless = 1U << 3, .facts = &facts};
	const char *request;
	char line[256];

	if (!end)
		return 0;
	(void)str_copyn(line, sizeof(line), (const char *)data, (size_t)(end - data));
	request = read_head(line, &t, &facts);
	if (request)
		decode(backend_by_name(dialect), &t, request, end + 1,
			size - (size_t)(end + 1 - data));
	facts_free(&facts);
	return 0;
}
