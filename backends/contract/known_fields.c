/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/known_fields.h"

#include <ctype.h>
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

/* Length of a port's name in quotes at the quote: "Ethernet1/1", "Eth1/1", "swp1s0"; 0: another
 * word. */
static size_t port_at(const char *at, const char *end)
{
	static const char *const kinds[] = {"Ethernet", "ethernet", "Eth", "eth", "swp"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i]) + 1, word;

		if ((size_t)(end - at) <= n || memcmp(at + 1, kinds[i], n - 1) != 0 ||
			!isdigit((unsigned char)at[n]))
			continue;
		word = strspn(at + n, "0123456789/s");
		/* "eth0" is the port of the management. */
		if (kinds[i][n - 2] == 'h' && !memchr(at + n, '/', word))
			continue;
		if (at[n + word] == '"')
			return n + word - 1;
	}
	return 0;
}

/* The first port that the answer names, with its length; NULL: none, or no JSON. */
static const char *find_port(const char *bytes, size_t len, size_t *n)
{
	size_t blank = 0;

	while (blank < len && isspace((unsigned char)bytes[blank]))
		blank++;
	if (blank == len || !strchr("{[", bytes[blank]))
		return NULL;
	for (const char *at = bytes; (at = memchr(at, '"', (size_t)(bytes + len - at))); at++)
		if ((*n = port_at(at, bytes + len)))
			return at + 1;
	return NULL;
}

static bool tells_nothing(const struct obs *o)
{
	for (; o; o = o->more) {
		if (o->ports.n || o->bgp.n || o->nccl.n || o->unchanged_rest || o->again)
			return false;
		for (size_t i = 0; i < o->items.n; i++) {
			const struct obs_item *it = &o->items.at[i];

			if (it->kind != OBS_FACT && it->kind != OBS_CAPABILITY &&
				(it->kind != OBS_WORD || *obs_text(o, it->text)))
				return false;
		}
	}
	return true;
}

void known_fields_unread(const struct target *t, const char *bytes, size_t len, struct obs *o)
{
	size_t n = 0;
	const char *port;

	/* A switch may have no neighbour at all. */
	if (!tells_nothing(o) || (str_eq(o->request, "lldp") && memmem(bytes, len, "eighbor", 7)))
		return;
	port = find_port(bytes, len, &n);
	if (!port)
		return;
	known_fields_say(t, o->request, "all that railtop reads", o);
	if (o->err.code == ERR_NONE)
		err_set(&o->err, ERR_PROTOCOL, t->device,
			"%s: it names ports (%.*s), and nothing of it is understood: renamed in "
			"this release? See railtop check, and report the release",
			o->request, (int)n, port);
}
