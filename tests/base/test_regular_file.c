/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/private_file.h"
#include "base/regular_file.h"
#include "base/str.h"
#include "tests/support/cases.h"

struct place {
	char dir[64], path[96];
};

static void open_place(struct place *p)
{
	(void)str_copy(p->dir, sizeof(p->dir), "/tmp/railtop-file-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	(void)str_printf(p->path, sizeof(p->path), "%s/x", p->dir);
}

static void close_place(struct place *p)
{
	(void)unlink(p->path);
	assert_int_equal(rmdir(p->dir), 0);
}

/* Without a writer each of these would wait for ever: the test's own deadline would end it. */
CASE(a_fifo_and_a_device_are_refused_at_once)
{
	struct place p;

	open_place(&p);
	assert_int_equal(mkfifo(p.path, 0600), 0);
	assert_int_equal(regular_file_open(p.path), -1);
	assert_string_equal(regular_file_why(), "is not a regular file");
	assert_null(regular_file_stream(p.path));
	assert_int_equal(regular_file_open("/dev/null"), -1);
	assert_string_equal(regular_file_why(), "is not a regular file");
	assert_int_equal(regular_file_open(p.dir), -1);
	assert_string_equal(regular_file_why(), "is a directory");
	assert_int_equal(regular_file_open("/nowhere/x"), -1);
	assert_string_equal(regular_file_why(), strerror(ENOENT));
	close_place(&p);
}

/* "railtop -f <(make-inventory)" */
CASE(a_pipe_of_a_shell_is_read)
{
	int ends[2], fd;
	char name[32], c = '\0';

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	(void)close(ends[1]);
	(void)str_printf(name, sizeof(name), "/dev/fd/%d", ends[0]);
	fd = regular_file_open(name);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, &c, 1), 1);
	assert_int_equal(c, 'x');
	(void)close(fd);
	(void)close(ends[0]);
}

CASE(a_private_file_is_read_back)
{
	struct place p;
	char text[8] = "";
	struct stat st;
	FILE *f;

	open_place(&p);
	assert_int_equal(private_file_mode(p.path), 0600);
	assert_int_equal(private_file_mode("x"), 0600);
	f = private_file_open(p.path, "w");
	assert_non_null(f);
	assert_true(fputs("ab", f) >= 0);
	assert_int_equal(fclose(f), 0);
	f = private_file_open(p.path, "a");
	assert_non_null(f);
	assert_true(fputs("c", f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(stat(p.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	f = regular_file_stream(p.path);
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	assert_string_equal(text, "abc");
	assert_int_equal(fclose(f), 0);
	close_place(&p);
}

CASES_MAIN(NULL, NULL)
