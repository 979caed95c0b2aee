/* SPDX-License-Identifier: Apache-2.0 */
/* The words of other programs for roles, systems and speeds. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/import/import.h"
#include "base/str.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define WORD_MAX    48

/* ---- roles ---- */

static const struct role {
	const char *word;
	enum import_kind kind;
	int tier;
} roles[] = {
	{"oob", IMPORT_OTHER, -1},
	{"mgmt", IMPORT_OTHER, -1},
	{"management", IMPORT_OTHER, -1},
	{"console", IMPORT_OTHER, -1},
	{"pdu", IMPORT_OTHER, -1},
	{"patch", IMPORT_OTHER, -1},
	{"firewall", IMPORT_OTHER, -1},
	{"localhost", IMPORT_OTHER, -1},
	{"superspine", IMPORT_SWITCH, TIER_SUPERSPINE},
	{"core", IMPORT_SWITCH, TIER_SUPERSPINE},
	{"spine", IMPORT_SWITCH, TIER_SPINE},
	{"leaf", IMPORT_SWITCH, TIER_LEAF},
	{"leave", IMPORT_SWITCH, TIER_LEAF}, /* "leaves" */
	{"tor", IMPORT_SWITCH, TIER_LEAF},
	{"switch", IMPORT_SWITCH, -1},
	{"switche", IMPORT_SWITCH, -1},
	{"border", IMPORT_SWITCH, -1},
	{"router", IMPORT_SWITCH, -1},
	{"rtr", IMPORT_SWITCH, -1},
	{"host", IMPORT_HOST, -1},
	{"server", IMPORT_HOST, -1},
	{"srv", IMPORT_HOST, -1},
	{"compute", IMPORT_HOST, -1},
	{"gpu", IMPORT_HOST, -1},
	{"dgx", IMPORT_HOST, -1},
	{"hgx", IMPORT_HOST, -1},
	{"worker", IMPORT_HOST, -1},
	{"node", IMPORT_HOST, -1},
	{"client", IMPORT_HOST, -1},
};

/* The letters of the next word, "leaf" of "Leaf-01", without the ending of a plural. */
static size_t next_word(const char **at, char word[WORD_MAX])
{
	size_t n = 0;

	while (**at && !isalpha((unsigned char)**at))
		(*at)++;
	for (; isalpha((unsigned char)**at); (*at)++)
		if (n + 1 < WORD_MAX)
			word[n++] = (char)tolower((unsigned char)**at);
	if (n > 3 && word[n - 1] == 's')
		n--;
	word[n] = '\0';
	return n;
}

/* A word of its own, or one at an end: "gpuleaf". */
static bool word_is(const char *word, size_t n, const char *role)
{
	size_t m = strlen(role);

	return str_eq(word, role) || (m > 3 && n > m && str_eq(word + n - m, role));
}

/* Roles outside of the fabric come first, then switches: "oob-switch", "gpu-leaf". */
enum import_kind import_kind_of(const char *word, int *tier)
{
	enum import_kind found = IMPORT_OPEN;
	char part[WORD_MAX];
	size_t n;

	*tier = -1;
	while ((n = next_word(&word, part))) {
		for (size_t i = 0; i < COUNT_OF(roles); i++) {
			const struct role *r = &roles[i];

			if (!word_is(part, n, r->word))
				continue;
			if (r->kind == IMPORT_OTHER)
				return IMPORT_OTHER;
			if (r->kind == IMPORT_SWITCH || found == IMPORT_OPEN)
				found = r->kind;
			/* "super-spine" is two words. */
			if (r->tier > *tier)
				*tier = r->tier;
			break;
		}
		if (str_eq(part, "super"))
			*tier = TIER_SUPERSPINE;
	}
	if (found != IMPORT_SWITCH)
		*tier = -1;
	return found;
}

bool import_role(struct import *im, size_t at, const char *word, const char *why)
{
	enum import_kind kind;
	int tier;

	if (at == SIZE_MAX)
		return false;
	kind = import_kind_of(word, &tier);
	if (kind == IMPORT_OPEN)
		return false;
	im->said.at[at].kind = kind;
	im->said.at[at].tier = tier;
	im->said.at[at].why = why;
	return true;
}

/* ---- systems ---- */

/* The first word that is in the name decides. dialect "": railtop does not read it. */
static const struct system {
	const char *word, *dialect;
} systems[] = {
	{"sonic", "sonic"},
	{"cumulus", "cumulus"},
	{"cvx", "cumulus"},
	{"nvue", "cumulus"},
	{"srlinux", ""},
	{"srl", ""},
	{"sr-linux", ""},
	{"sros", ""},
	{"junos", ""},
	{"juniper", ""},
	{"crpd", ""},
	{"vjunos", ""},
	{"onyx", ""},
	{"mlnxos", ""},
	{"iosxr", ""},
	{"ios-xr", ""},
	{"iosxe", ""},
	{"ios-xe", ""},
	{"ios", ""},
	{"xrd", ""},
	{"nxos", "nxos"},
	{"nx-os", "nxos"},
	{"n9kv", "nxos"},
	{"nexus", "nxos"},
	{"eos", "eos"},
	{"ceos", "eos"},
	{"veos", "eos"},
	{"arista", "eos"},
	{"ubuntu", "linux"},
	{"debian", "linux"},
	{"rhel", "linux"},
	{"redhat", "linux"},
	{"rocky", "linux"},
	{"almalinux", "linux"},
	{"centos", "linux"},
	{"sles", "linux"},
	{"dgx", "linux"},
	{"frr", "linux"},
	{"linux", "linux"},
};

/* True if the word stands alone: "eos" in "arista.eos.eos", not in "videos". */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strcasestr(at, word)); at++)
		if ((at == text || !isalnum((unsigned char)at[-1])) &&
			!isalpha((unsigned char)at[n]))
			return true;
	return false;
}

const char *import_dialect_of(const char *system)
{
	for (size_t i = 0; i < COUNT_OF(systems); i++)
		if (has_word(system, systems[i].word))
			return systems[i].dialect;
	return NULL;
}

void import_system(struct import *im, size_t at, const char *system)
{
	const char *dialect;

	if (at == SIZE_MAX || !*system)
		return;
	dialect = import_dialect_of(system);
	(void)str_sanitise(
		im->said.at[at].system, sizeof(im->said.at[at].system), system, strlen(system));
	im->said.at[at].is_foreign = dialect && !*dialect;
	if (dialect)
		(void)str_copy(im->d.devices.at[at].dialect, sizeof(im->d.devices.at[at].dialect),
			dialect);
}

/* ---- speeds ---- */

unsigned import_speed(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long n = digits && digits < 9 ? strtoul(text, NULL, 10) : 0;
	const char *unit = text + digits;

	if (!n)
		return 0;
	while (*unit == ' ')
		unit++;
	if (tolower((unsigned char)*unit) == 'g')
		n *= 1000;
	else if (*unit)
		return 0;
	return n >= 1000 && n <= 10000000 ? (unsigned)n : 0;
}
