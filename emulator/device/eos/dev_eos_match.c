/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "emulator/device/eos/dev_eos.h"

/* Matches command lines against patterns. */

static bool is_number(const char *word, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!isdigit((unsigned char)word[i]) && word[i] != '.')
			return false;
	return n > 0;
}

/* "Ethernet3/1", "Et3/1", "eth3/1" */
static bool is_interface(const char *word, size_t n)
{
	size_t letters = 0;

	while (letters < n && isalpha((unsigned char)word[letters]))
		letters++;
	return letters >= 2 && letters <= 8 && letters < n &&
	       strncasecmp(word, "Ethernet", letters) == 0 && isdigit((unsigned char)word[letters]);
}

static bool word_fits(
	const char *want, size_t want_len, const char *have, size_t have_len, bool abbreviate)
{
	switch (*want) {
	case '%':
		return is_interface(have, have_len);
	case '#':
		return is_number(have, have_len);
	case '*':
		return true;
	default:
		return (have_len == want_len || (abbreviate && have_len < want_len)) &&
		       strncasecmp(want, have, have_len) == 0;
	}
}

bool eos_match(const char *pattern, const char *line, bool abbreviate, struct eos_args *a)
{
	a->n = 0;
	for (;;) {
		size_t want = strcspn(pattern, " "), have;

		line += strspn(line, " ");
		have = strcspn(line, " ");
		if (!want || !have)
			return want == have;
		if (!word_fits(pattern, want, line, have, abbreviate))
			return false;
		if (strchr("%#*", *pattern)) {
			if (a->n == EOS_ARGS ||
				!str_copyn(a->word[a->n], sizeof(a->word[0]), line, have))
				return false;
			a->n++;
		}
		pattern += want + (pattern[want] == ' ');
		line += have;
	}
}

unsigned eos_match_words(const char *pattern, const char *line)
{
	unsigned n = 0;

	for (line += strspn(line, " "); *line && *pattern; n++) {
		size_t want = strcspn(pattern, " "), have = strcspn(line, " ");

		if (!word_fits(pattern, want, line, have, false))
			break;
		line += have + strspn(line + have, " ");
		pattern += want + (pattern[want] == ' ');
	}
	return n;
}

struct sim_port *eos_port(const struct machine *m, const char *name)
{
	const char *number = name + strcspn(name, "0123456789");
	unsigned i;

	if (!is_interface(name, strlen(name)))
		return NULL;
	for (i = 0; i < m->d->nports; i++) {
		const char *mine = m->d->ports[i].name;

		if (strcmp(mine + strcspn(mine, "0123456789"), number) == 0)
			return &m->d->ports[i];
	}
	return NULL;
}

bool eos_is_wanted(const struct sim_port *p, const char *wanted)
{
	return !wanted || strcmp(p->name + strcspn(p->name, "0123456789"),
				  wanted + strcspn(wanted, "0123456789")) == 0;
}
