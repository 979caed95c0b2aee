/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/transport/file_stamp.h"
#include "backends/ssh/config.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/sandbox/outside.h"
#include "base/str.h"

/* Access to the local system: files, commands, the local user. */

/* Files beyond this number (for example one per device) are read for each query. */
#define KEPT_MOST     256
#define RUN_TIME_US   (5 * CLOCK_SEC)
#define RUN_AGAIN_US  (60 * CLOCK_SEC)
#define COMMANDS_MOST 1024

struct kept_file {
	char *path;
	struct file_stamp stamp;
	struct ssh_text *text; /* NULL: error */
	int error;
};

struct kept_command {
	char *command;
	int code;
	int64_t at_us;
};

struct ssh_files {
	VEC(struct kept_file) files;
	VEC(struct ssh_text *) old; /* a resolution in progress may still use them */
	VEC(struct kept_command) commands;
};

/* ---- the local user ---- */

/* Looked up once: the user may come from a directory service. */
static struct {
	pthread_once_t once;
	char user[256], home[1024], machine[256];
} person = {.once = PTHREAD_ONCE_INIT};

static void find_person(void)
{
	struct passwd pw, *found = NULL;
	const char *home = getenv("HOME");
	char space[4096];

	if (getpwuid_r(getuid(), &pw, space, sizeof(space), &found) == 0 && found) {
		(void)str_copy(person.user, sizeof(person.user), pw.pw_name);
		home = pw.pw_dir;
	}
	(void)str_copy(person.home, sizeof(person.home), home ? home : "/");
	if (gethostname(person.machine, sizeof(person.machine) - 1) != 0)
		person.machine[0] = '\0';
}

/* ---- files ---- */

static bool read_some(int fd, struct buf *b, int *error)
{
	char piece[65536];
	ssize_t n = read(fd, piece, sizeof(piece));

	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0)
		*error = errno;
	else if (n > 0 && !buf_add(b, piece, (size_t)n))
		*error = EFBIG;
	return n > 0 && !*error;
}

static struct ssh_text *load_text(const char *path, int *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct ssh_text *t = NULL;
	struct stat st = {0};
	struct buf b;
	size_t len;
	char *bytes;

	*error = 0;
	if (fd < 0 || fstat(fd, &st) != 0)
		*error = errno;
	buf_init(&b, SSH_CONFIG_BYTES);
	while (!*error && read_some(fd, &b, error))
		;
	if (*error == EISDIR) /* a pattern of Include may match a directory: empty, as in ssh */
		*error = 0;
	if (fd >= 0)
		(void)close(fd);
	if (!*error) {
		(void)buf_adds(&b, ""); /* so that buf_take() returns a buffer */
		bytes = buf_take(&b, &len);
		t = ssh_text_new(path, bytes, len);
		t->owner = st.st_uid;
		t->mode = st.st_mode;
	}
	buf_free(&b);
	return t;
}

static struct kept_file *file_at(struct ssh_files *f, const char *path)
{
	struct kept_file *k;

	for (size_t i = 0; i < f->files.n; i++) {
		if (str_eq(f->files.at[i].path, path))
			return &f->files.at[i];
	}
	if (f->files.n >= KEPT_MOST)
		return NULL;
	k = vec_add(&f->files);
	k->path = mem_strdup(path);
	k->stamp.young = true; /* not read yet */
	return k;
}

static const struct ssh_text *read_file(void *ctx, const char *path, int *error)
{
	struct ssh_files *f = ctx;
	struct kept_file *k = file_at(f, path);
	struct file_stamp stamp;

	if (!k) {
		struct ssh_text *t = load_text(path, error);

		if (t)
			vec_push(&f->old, t);
		return t;
	}
	file_stamp(&stamp, path);
	if (!file_stamp_same(&k->stamp, &stamp)) {
		if (k->text)
			vec_push(&f->old, k->text);
		k->text = load_text(path, &k->error);
		k->stamp = stamp;
		/* It exists but could not be read (no descriptor, EIO): try again later. */
		if (k->error && !stamp.error)
			k->stamp.young = true;
	}
	*error = k->error;
	return k->text;
}

static _Thread_local int directory_error;

/* As in ssh, a directory that does not exist or cannot be read contains no files. */
static int on_directory_error(const char *path, int error)
{
	(void)path;
	if (error == ENOENT || error == ENOTDIR || error == EACCES)
		return 0;
	directory_error = error;
	return 1;
}

static int find_files(void *ctx, const char *pattern, struct ssh_words *out)
{
	int rc, error = 0;
	glob_t g = {0};

	(void)ctx;
	directory_error = EIO;
	rc = glob(pattern, GLOB_TILDE, on_directory_error, &g);
	if (rc == GLOB_NOSPACE)
		error = ENOMEM;
	else if (rc && rc != GLOB_NOMATCH)
		error = directory_error;
	for (size_t i = 0; !rc && i < g.gl_pathc; i++)
		vec_push(out, mem_strdup(g.gl_pathv[i]));
	globfree(&g);
	return error;
}

/* ---- commands ---- */

/* In the sandbox it may write where railtop may: it answers a question, and needs no more. */
static int run_now(const char *command)
{
	const char *shell = getenv("SHELL");
	struct outside_command c = {.shell = shell && *shell ? shell : "/bin/sh",
		.text = command,
		.output = -1,
		.most_us = RUN_TIME_US};
	struct outside_running running;
	int status = 0;

	if (!outside_begin(&c, &running) || outside_wait(&running, &status) != OUTSIDE_ENDED)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static struct kept_command *command_at(struct ssh_files *f, const char *command)
{
	struct kept_command *k;

	for (size_t i = 0; i < f->commands.n; i++) {
		if (str_eq(f->commands.at[i].command, command))
			return &f->commands.at[i];
	}
	while (f->commands.n >= COMMANDS_MOST)
		free(f->commands.at[--f->commands.n].command);
	k = vec_add(&f->commands);
	k->command = mem_strdup(command);
	k->at_us = -RUN_AGAIN_US;
	return k;
}

static int run_command(void *ctx, const char *command)
{
	struct kept_command *k = command_at(ctx, command);
	int64_t now = clock_mono(&clock_system);

	if (now - k->at_us >= RUN_AGAIN_US) {
		k->code = run_now(command);
		k->at_us = clock_mono(&clock_system);
	}
	return k->code;
}

/* ---- public functions ---- */

static void forget_old(struct ssh_files *f)
{
	while (f->old.n)
		ssh_text_free(f->old.at[--f->old.n]);
}

struct ssh_files *ssh_files_new(void)
{
	return mem_calloc(1, sizeof(struct ssh_files));
}

void ssh_files_free(struct ssh_files *f)
{
	if (!f)
		return;
	forget_old(f);
	for (size_t i = 0; i < f->files.n; i++) {
		ssh_text_free(f->files.at[i].text);
		free(f->files.at[i].path);
	}
	for (size_t i = 0; i < f->commands.n; i++)
		free(f->commands.at[i].command);
	vec_free(&f->files);
	vec_free(&f->old);
	vec_free(&f->commands);
	free(f);
}

void ssh_files_world(struct ssh_files *f, struct ssh_world *w)
{
	(void)pthread_once(&person.once, find_person);
	forget_old(f);
	*w = (struct ssh_world){.read = read_file,
		.find = find_files,
		.run = run_command,
		.ctx = f,
		.uid = getuid(),
		.user = person.user,
		.home = person.home,
		.machine = person.machine};
}
