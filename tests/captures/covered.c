/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/captures/covered.h"

#include <stdlib.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

const char *capture_path(const char *file, char *dst, size_t size)
{
	const char *shared = getenv("RAILTOP_SHARED");
	char given[512], *whole;

	str_printf(given, sizeof(given), "%s/captures/%s", shared ? shared : "../shared", file);
	/* Absolute: the programs that a test starts change their directory. */
	whole = realpath(given, NULL);
	if (!whole)
		skip();
	str_copy(dst, size, whole);
	free(whole);
	return dst;
}

char *capture_read(const char *file, size_t *len)
{
	char path[512];
	char *bytes = read_file(capture_path(file, path, sizeof(path)), len);

	assert_non_null(bytes);
	return bytes;
}

void covered(struct covered *table, size_t n, const char *need, enum evidence by)
{
	for (size_t i = 0; i < n; i++) {
		if (!str_eq(table[i].need, need))
			continue;
		table[i].by = by > table[i].by ? by : table[i].by;
		return;
	}
	fail_msg("no need \"%s\" in the table", need);
}

void covered_print(const char *dialect, const struct covered *table, size_t n)
{
	static const char *const words[] = {"none", "test-authored", "real"};

	for (size_t i = 0; i < n; i++)
		print_message("# covered %s %s: %s\n", dialect, table[i].need, words[table[i].by]);
}
