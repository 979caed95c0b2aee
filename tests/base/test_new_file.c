/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/str.h"
#include "tests/support/cases.h"

CASE(directory_of_a_path)
{
	static const char *const all[][2] = {{"a", "."}, {"/a", "/"}, {"/a/b", "/a"},
		{"a/b/c", "a/b"}, {"./a", "."}, {"a/", "a"}, {"", "."}};
	char dir[PATH_MAX];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_true(path_directory(all[i][0], dir, sizeof(dir)));
		assert_string_equal(dir, all[i][1]);
	}
	assert_false(path_directory("/long/name", dir, 4));
}

static void make(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	(void)close(fd);
}

CASE(a_name_is_taken_once)
{
	char dir[] = "/tmp/railtop-new-XXXXXX", from[64], to[64];

	assert_non_null(mkdtemp(dir));
	(void)str_printf(from, sizeof(from), "%s/a.new", dir);
	(void)str_printf(to, sizeof(to), "%s/a", dir);
	make(from);
	assert_true(rename_new(from, to));
	assert_int_equal(access(from, F_OK), -1);
	make(from);
	errno = 0;
	assert_false(rename_new(from, to));
	assert_int_equal(errno, EEXIST);
	assert_int_equal(access(from, F_OK), 0);
	assert_true(sync_directory(dir));
	(void)unlink(from);
	(void)unlink(to);
	assert_int_equal(rmdir(dir), 0);
	assert_false(sync_directory(dir));
	assert_int_equal(errno, ENOENT);
}

CASE(one_of_some_words)
{
	static const char *const words[] = {"red", "green"};

	assert_true(str_is_one_of("green", words, 2));
	assert_false(str_is_one_of("green", words, 1));
	assert_false(str_is_one_of("gree", words, 2));
	assert_false(str_is_one_of(NULL, words, 2));
}

CASES_MAIN(NULL, NULL)
