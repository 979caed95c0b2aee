/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process/locale_take.h"

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/process/program_path.h"
#include "base/str.h"

#define PLAIN_UTF8 "C.UTF-8"

/* The name by the rule of setlocale(3): the first that is not empty. */
static const char *wanted_characters(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return "C";
}

/* "en_US.UTF-8", "de_DE.utf8@euro". */
static bool is_utf8(const char *locale)
{
	const char *dot = strchr(locale, '.');

	return dot &&
	       (strncasecmp(dot + 1, "UTF-8", 5) == 0 || strncasecmp(dot + 1, "utf8", 4) == 0);
}

/* Below the program's own lib/. */
static void take_own(void)
{
	char folder[PATH_MAX];
	char *slash;

	if (getenv("LOCPATH") || !program_path(folder, sizeof(folder) - sizeof("../lib/locale")))
		return;
	slash = strrchr(folder, '/');
	if (!slash || !str_copy(slash + 1, sizeof("../lib/locale"), "../lib/locale"))
		return;
	(void)setenv("LOCPATH", folder, 1);
	(void)setlocale(LC_CTYPE, PLAIN_UTF8);
	(void)unsetenv("LOCPATH");
}

void locale_take(void)
{
	if (!setlocale(LC_ALL, "") && is_utf8(wanted_characters()) &&
		!setlocale(LC_CTYPE, PLAIN_UTF8))
		take_own();
	/* Numbers are printed and parsed with a decimal point in every locale. */
	(void)setlocale(LC_NUMERIC, "C");
}
