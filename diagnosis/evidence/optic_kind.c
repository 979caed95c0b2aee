/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/evidence/optic_kind.h"

#include <string.h>

#include "base/str.h"

static const char *const names[OPTIC_KINDS] = {"unknown", "copper", "multimode",
	"single mode, one wavelength a fibre", "single mode, several wavelengths in a fibre"};

const char *optic_kind_name(enum optic_kind k)
{
	return names[k];
}

/* Words that say it without a number. CR: copper of any number of lanes. */
static const struct {
	const char *word;
	enum optic_kind kind, lanes; /* lanes: with a number above 1 behind it */
} words[] = {
	{"CWDM4", OPTIC_WDM, OPTIC_WDM},
	{"PSM4", OPTIC_PARALLEL, OPTIC_PARALLEL},
	{"XDR", OPTIC_PARALLEL, OPTIC_PARALLEL},
	{"DR", OPTIC_PARALLEL, OPTIC_PARALLEL},
	{"FR", OPTIC_PARALLEL, OPTIC_WDM},
	{"LR", OPTIC_PARALLEL, OPTIC_WDM},
	{"ER", OPTIC_PARALLEL, OPTIC_WDM},
	{"SR", OPTIC_MULTIMODE, OPTIC_MULTIMODE},
	{"VR", OPTIC_MULTIMODE, OPTIC_MULTIMODE},
	{"CR", OPTIC_COPPER, OPTIC_COPPER},
};
#define WORDS (sizeof(words) / sizeof(words[0]))

static bool begins_word(const char *media, const char *at)
{
	return at == media || strchr("-_ /(0123456789xX", at[-1]);
}

/* "FR4", "DR4-2", "SR", "FR4P": the length of the word; 0: it goes on as another one. */
static size_t word_length(const char *at, size_t n)
{
	size_t digits = strspn(at + n, "0123456789"), end = n + digits;

	if (at[end] == '+' || at[end] == 'P')
		end++;
	return !at[end] || strchr("-_ /)+,.", at[end]) ? end : 0;
}

enum optic_kind optic_kind_of(const char *media, char *application, unsigned long size)
{
	if (size)
		application[0] = '\0';
	if (strstr(media, "AOC") || strstr(media, "AEC") || strstr(media, "ctive "))
		return OPTIC_UNKNOWN;
	for (const char *at = media; *at; at++) {
		for (size_t i = 0; i < WORDS && begins_word(media, at); i++) {
			size_t n = strlen(words[i].word), all;

			if (!str_starts(at, words[i].word))
				continue;
			all = word_length(at, n);
			if (!all)
				continue;
			if (size)
				(void)str_copyn(application, size, at, all);
			return strspn(at + n, "0123456789") && !str_starts(at + n, "1")
				       ? words[i].lanes
				       : words[i].kind;
		}
	}
	return OPTIC_UNKNOWN;
}
