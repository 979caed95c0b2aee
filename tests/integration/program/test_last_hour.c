/* SPDX-License-Identifier: Apache-2.0 */
/* The last hour that a live console keeps is in a directory of its own, which goes with it: at its
 * end, or where it was killed, at the next one's start. Consoles leave each other's alone. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"
#include "tests/support/built.h"

struct place {
	char dir[64], pipe[96];
	int fd; /* where lines for the consoles would go */
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	(void)str_copy(p->dir, sizeof(p->dir), "/tmp/railtop-last-XXXXXX");
	if (!mkdtemp(p->dir))
		return -1;
	(void)str_printf(p->pipe, sizeof(p->pipe), "%s/pipe", p->dir);
	if (mkfifo(p->pipe, 0600) != 0)
		return -1;
	p->fd = open(p->pipe, O_RDWR | O_CLOEXEC);
	*state = p;
	return p->fd >= 0 ? setenv("TMPDIR", p->dir, 1) : -1;
}

static int teardown(void **state)
{
	struct place *p = *state;

	(void)close(p->fd);
	(void)unlink(p->pipe);
	(void)rmdir(p->dir);
	free(p);
	return 0;
}

/* The directories of consoles; the name of one of them that is not `other`. */
static unsigned kept(const struct place *p, const char *other, char *name, size_t size)
{
	DIR *d = opendir(p->dir);
	const struct dirent *e;
	unsigned n = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (!str_starts(e->d_name, "railtop-live-"))
			continue;
		n++;
		if (name && (!other || !str_eq(e->d_name, other)))
			(void)str_copy(name, size, e->d_name);
	}
	(void)closedir(d);
	return n;
}

static bool has_file(const struct place *p, const char *name)
{
	char path[400];

	(void)str_printf(path, sizeof(path), "%s/%s/live.rts", p->dir, name);
	return access(path, F_OK) == 0;
}

static struct vt *console(const struct place *p)
{
	char program[256];
	const char *const argv[] = {
		built_path("railtop", program, sizeof(program)), "--observations", p->pipe, NULL};
	const struct vt_opts opts = {.rows = 24, .cols = 80, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	vt_wait_idle(vt, 0);
	return vt;
}

static void end(struct vt *vt)
{
	vt_key(vt, "Ctrl-c");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
}

CASE_WITH(goes_with_the_console, setup, teardown)
{
	const struct place *p = *state;
	char name[300] = "";
	struct vt *vt = console(p);

	assert_int_equal(kept(p, NULL, name, sizeof(name)), 1);
	assert_true(has_file(p, name));
	end(vt);
	assert_int_equal(kept(p, NULL, NULL, 0), 0);
}

CASE_WITH(a_killed_one_is_removed_by_the_next, setup, teardown)
{
	const struct place *p = *state;
	char first[300] = "", second[300] = "";
	struct vt *vt = console(p);

	assert_int_equal(kept(p, NULL, first, sizeof(first)), 1);
	(void)kill(vt_pid(vt), SIGKILL);
	assert_int_equal(vt_wait_exit(vt), 128 + SIGKILL);
	vt_free(vt);
	assert_int_equal(kept(p, NULL, NULL, 0), 1);
	assert_true(has_file(p, first));
	vt = console(p);
	assert_int_equal(kept(p, NULL, second, sizeof(second)), 1);
	assert_string_not_equal(first, second);
	end(vt);
	assert_int_equal(kept(p, NULL, NULL, 0), 0);
}

CASE_WITH(two_do_not_disturb_one_another, setup, teardown)
{
	const struct place *p = *state;
	char first[300] = "", second[300] = "";
	struct vt *a = console(p), *b;

	assert_int_equal(kept(p, NULL, first, sizeof(first)), 1);
	b = console(p);
	assert_int_equal(kept(p, first, second, sizeof(second)), 2);
	assert_true(has_file(p, first) && has_file(p, second));
	/* The first one leaves, and the second one is killed: each takes or leaves its own only. */
	end(a);
	assert_int_equal(kept(p, NULL, NULL, 0), 1);
	assert_true(has_file(p, second));
	a = console(p);
	assert_int_equal(kept(p, second, first, sizeof(first)), 2);
	(void)kill(vt_pid(b), SIGKILL);
	assert_int_equal(vt_wait_exit(b), 128 + SIGKILL);
	vt_free(b);
	b = console(p);
	assert_int_equal(kept(p, NULL, NULL, 0), 2);
	assert_false(has_file(p, second));
	assert_true(has_file(p, first));
	end(b);
	end(a);
	assert_int_equal(kept(p, NULL, NULL, 0), 0);
}

CASES_MAIN(NULL, NULL)
