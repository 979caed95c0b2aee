/* SPDX-License-Identifier: Apache-2.0 */
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/locale_take.h"
#include "base/process/program_path.h"
#include "base/str.h"
#include "tests/support/cases.h"

static const char *characters_of(const char *all, const char *lang)
{
	(void)setlocale(LC_ALL, "C");
	(void)unsetenv("LC_CTYPE");
	(void)setenv("LC_ALL", all, 1);
	(void)setenv("LANG", lang, 1);
	locale_take();
	return nl_langinfo(CODESET);
}

CASE(a_locale_that_the_machine_lacks)
{
	/* No machine has it. */
	assert_string_equal(characters_of("xx_YY.UTF-8", ""), "UTF-8");
	assert_string_equal(characters_of("", "xx_YY.utf8@euro"), "UTF-8");
	assert_string_equal(localeconv()->decimal_point, ".");
	assert_null(getenv("LOCPATH"));
}

CASE(no_more_than_was_asked_for)
{
	assert_string_not_equal(characters_of("xx_YY.ISO-8859-1", "C.UTF-8"), "UTF-8");
	assert_string_not_equal(characters_of("C", "en_US.UTF-8"), "UTF-8");
	assert_string_not_equal(characters_of("", ""), "UTF-8");
	assert_string_equal(characters_of("C.UTF-8", "C"), "UTF-8");
}

CASE(the_path_of_the_program)
{
	char path[PATH_MAX], small[4];

	/* The variable is of the archive's launcher: it counts only behind a loader. */
	(void)setenv("RAILTOP_PROGRAM", "/bin/false", 1);
	assert_true(program_path(path, sizeof(path)));
	assert_non_null(strstr(path, "test_locale_take"));
	assert_false(program_path(small, sizeof(small)));
}

CASES_MAIN(NULL, NULL)
