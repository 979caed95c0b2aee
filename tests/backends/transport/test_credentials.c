/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/transport/credentials.h"
#include "base/str.h"
#include "tests/support/cases.h"

struct fixture {
	struct credentials *credentials;
	char dir[64];
	char path[128];
	char reference[160];
	struct err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->credentials = credentials_new();
	str_copy(f->dir, sizeof(f->dir), "/tmp/railtop-cred-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	str_printf(f->path, sizeof(f->path), "%s/secret", f->dir);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	credentials_free(f->credentials);
	(void)unlink(f->path);
	(void)rmdir(f->dir);
	free(f);
	return 0;
}

static void write_file(struct fixture *f, const char *text, mode_t mode)
{
	FILE *file = fopen(f->path, "w");

	assert_non_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
	assert_int_equal(chmod(f->path, mode), 0);
}

static const struct credential *get(struct fixture *f, const char *kind, const char *rest)
{
	str_printf(f->reference, sizeof(f->reference), "%s%s", kind, rest);
	memset(&f->err, 0, sizeof(f->err));
	return credentials_get(f->credentials, f->reference, "fabric.yaml:7", &f->err);
}

static void refused(struct fixture *f, const char *kind, const char *rest, const char *why)
{
	assert_null(get(f, kind, rest));
	assert_int_equal(f->err.code, ERR_CONFIG);
	assert_string_equal(f->err.origin, "fabric.yaml:7");
	if (!strstr(f->err.text, why))
		fail_msg("\"%s\" does not say \"%s\"", f->err.text, why);
}

CASE_WITH(reads_the_environment, setup, teardown)
{
	struct fixture *f = *state;

	setenv("RAILTOP_TEST_CRED", "noc:pa:ss word", 1);
	assert_string_equal(get(f, "env:", "RAILTOP_TEST_CRED")->userpwd, "noc:pa:ss word");
	refused(f, "env:", "RAILTOP_TEST_UNSET", "variable is not set");
	setenv("RAILTOP_TEST_BAD", "nocolon", 1);
	refused(f, "env:", "RAILTOP_TEST_BAD", "user:password");
	assert_null(strstr(f->err.text, "nocolon")); /* no value in a message */
	setenv("RAILTOP_TEST_BAD", ":nouser", 1);
	refused(f, "env:", "RAILTOP_TEST_BAD", "user:password");
	setenv("RAILTOP_TEST_BAD", "two:lines\nmore", 1);
	refused(f, "env:", "RAILTOP_TEST_BAD", "more than one line");
}

CASE_WITH(reads_a_private_file, setup, teardown)
{
	struct fixture *f = *state;

	write_file(f, "noc:secret\n", 0600);
	assert_string_equal(get(f, "file:", f->path)->userpwd, "noc:secret");
}

CASE_WITH(refuses_a_file_others_can_read, setup, teardown)
{
	struct fixture *f = *state;

	write_file(f, "noc:secret\n", 0640);
	refused(f, "file:", f->path, "others can read");
	assert_non_null(strstr(f->err.cure, "chmod 600"));
	assert_null(strstr(f->err.text, "noc:secret"));
	write_file(f, "noc:secret\n", 0604);
	refused(f, "netrc:", f->path, "others can read");
	refused(f, "file:", "/no/such/file", "No such file");
	refused(f, "file:", f->dir, "");
	/* Without a writer this would wait for ever. */
	assert_int_equal(unlink(f->path), 0);
	assert_int_equal(mkfifo(f->path, 0600), 0);
	refused(f, "file:", f->path, "is not a regular file");
}

CASE_WITH(refuses_an_endless_file, setup, teardown)
{
	struct fixture *f = *state;
	char big[6000];

	memset(big, 'x', sizeof(big) - 1);
	big[1] = ':';
	big[sizeof(big) - 1] = '\0';
	write_file(f, big, 0600);
	refused(f, "file:", f->path, "longer than 4096");
}

CASE_WITH(runs_a_command_once, setup, teardown)
{
	struct fixture *f = *state;
	char command[200];
	const struct credential *c;

	str_printf(
		command, sizeof(command), "echo x >> %s; echo noc:$(wc -l < %s)", f->path, f->path);
	c = get(f, "command:", command);
	assert_non_null(c);
	assert_string_equal(c->userpwd, "noc:1");
	assert_ptr_equal(get(f, "command:", command), c);
	assert_string_equal(c->userpwd, "noc:1");
}

CASE_WITH(refuses_a_command_that_fails, setup, teardown)
{
	struct fixture *f = *state;

	refused(f, "command:", "echo noc:half; exit 3", "status 3");
	refused(f, "command:", "true", "user:password");
	refused(f, "command:", "yes noc:flood", "");
	refused(f, "command:", "kill -9 $$", "killed by signal 9");
	/* What stands after the command's name may be the secret. */
	refused(f, "command:", "kill -9 $$ hunter2", "command:kill ...");
	assert_null(strstr(f->err.text, "hunter2"));
	refused(f, "command:", "echo hunter2", "user:password");
	assert_null(strstr(f->err.text, "hunter2"));
}

CASE_WITH(keeps_a_netrc_for_curl, setup, teardown)
{
	struct fixture *f = *state;
	const struct credential *c;

	write_file(f, "machine spine-000 login noc password x\n", 0600);
	c = get(f, "netrc:", f->path);
	assert_non_null(c);
	assert_null(c->userpwd);
	assert_string_equal(c->netrc, f->path);
}

CASE_WITH(refuses_a_literal_secret_without_repeating_it, setup, teardown)
{
	struct fixture *f = *state;

	refused(f, "", "noc:hunter2", "reference");
	assert_null(strstr(f->err.text, "hunter2"));
	assert_null(strstr(f->err.cure, "hunter2"));
	refused(f, "", "", "reference");
	refused(f, "env:", "", "reference");
	refused(f, "", "hunter2", "reference");
}

CASES_MAIN(NULL, NULL)
