/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/known_fields.h"

#include <string.h>

#include "backends/contract/backend.h"
#include "backends/contract/facts.h"
#include "base/buf.h"
#include "base/str.h"

#define NONE "-"

/* Adds "request: names; " if names are gone. */
static void add_gone(char *text, size_t size, const char *request, const char *names)
{
	size_t n = strlen(text);

	if (*names && !str_eq(names, NONE))
		(void)str_printf(
			text + n, size - n, "%s%s lacks %s", n ? "; " : "", request, names);
}

void known_fields_say(
	const struct target *t, const char *request, const char *missing, struct obs *o)
{
	char key[FACT_KEY_SIZE], gone[120] = "", cure[160] = "";
	const char *value = *missing ? missing : NONE;

	if (!str_printf(key, sizeof(key), FACT_KNOWN "%s", request))
		return;
	if (!str_eq(facts_get(t->facts, key), value))
		obs_fact(o, key, value);
	add_gone(gone, sizeof(gone), request, value);
	for (size_t i = 0; t->facts && i < t->facts->at.n; i++) {
		const struct fact *f = &t->facts->at.at[i];

		if (str_starts(f->name, FACT_KNOWN) && !str_eq(f->name, key))
			add_gone(gone, sizeof(gone), f->name + strlen(FACT_KNOWN), f->text);
	}
	if (*gone)
		(void)str_printf(cure, sizeof(cure), "%s: renamed in this release?", gone);
	obs_capability(o, KNOWN_FIELDS, *gone ? VALID_UNSUPPORTED : VALID_OK, cure);
}

/* Whether the name stands in the answer as a JSON name. */
static bool has_name(const char *bytes, size_t len, const char *name, size_t n)
{
	char quoted[80];

	if (!str_printf(quoted, sizeof(quoted), "\"%.*s\"", (int)n, name))
		return true;
	return memmem(bytes, len, quoted, n + 2) != NULL;
}

static void check_one(const struct known_fields *k, const struct target *t, const char *bytes,
	size_t len, struct obs *o)
{
	char missing[120] = "", key[FACT_KEY_SIZE];

	if (!str_printf(key, sizeof(key), FACT_KNOWN "%s", k->request) || *facts_get(t->facts, key))
		return;
	for (const char *at = k->names; *at;) {
		size_t n = strcspn(at, " "), had = strlen(missing);

		if (!has_name(bytes, len, at, n))
			(void)str_printf(missing + had, sizeof(missing) - had, "%s%.*s",
				had ? " " : "", (int)n, at);
		at += n + (at[n] == ' ');
	}
	known_fields_say(t, k->request, missing, o);
}

void known_fields_check(const struct known_fields *list, const struct target *t, const char *bytes,
	size_t len, struct obs *o)
{
	for (struct obs *part = o; part && list; part = part->more)
		for (const struct known_fields *k = list; k->request; k++)
			if (part->ports.n && str_eq(k->request, part->request))
				check_one(k, t, bytes, len, part);
}
