/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/snapshot_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config/config_hash.h"
#include "app/session/ledger_file.h"
#include "app/options/options.h"
#include "app/config/user_identity.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/private_file.h"
#include "base/str.h"

#define SUFFIX    ".rts"
#define PAGE_MAX  ((size_t)1 << 20)
#define PAGE_PATH (1024 + 8)

struct snapshot_job {
	struct snapshot_job_opts opts;
	char *from, *ledger_path, *inventory;
	char user[32], mode[16], reason[200], incident[64], host[NAME_MAX_LEN];
	char path[1024];
	int page_fd; /* of the page beside it; -1: closed */
	uv_async_t flushed;
	uv_work_t work;
	runbook_log trail;
	struct err err;
	bool ok;
};

static bool make_directories(const char *dir, struct err *err)
{
	char path[1024];

	if (!*dir)
		return err_set(err, ERR_CONFIG, "snapshots", "no directory is named");
	if (!str_copy(path, sizeof(path), dir))
		return err_set(err, ERR_LIMIT, dir, "the path is too long");
	for (char *at = path + 1;; at++) {
		char was = *at;

		if (was != '/' && was != '\0')
			continue;
		*at = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST) {
			err_system(err, ERR_IO, path,
				"the directory for snapshots cannot be created", errno);
			return err_cure(err, "--snapshots names one that you may write to");
		}
		*at = was;
		if (!was)
			return true;
	}
}

static void page_name(const struct snapshot_job *j, char *dst, size_t size)
{
	(void)str_printf(dst, size, "%.*s.txt", (int)(strlen(j->path) - strlen(SUFFIX)), j->path);
}

/* A second snapshot within one second gets a number, also where another console makes it. */
static bool choose_path(struct snapshot_job *j, struct err *err)
{
	char name[64], stem[64], page[PAGE_PATH];

	bundle_name(j->opts.wall_us, name, sizeof(name));
	(void)str_copyn(stem, sizeof(stem), name, strcspn(name, "."));
	for (unsigned i = 1; i < 100; i++) {
		bool fits =
			i == 1 ? str_printf(j->path, sizeof(j->path), "%s/%s", j->opts.dir, name)
			       : str_printf(j->path, sizeof(j->path), "%s/%s-%u.rts", j->opts.dir,
					 stem, i);

		if (!fits)
			return err_set(err, ERR_LIMIT, j->opts.dir, "the path is too long");
		if (access(j->path, F_OK) == 0)
			continue;
		/* The page holds the name from now on: another snapshot of this second goes on. */
		page_name(j, page, sizeof(page));
		j->page_fd = open(page, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			private_file_mode(page));
		if (j->page_fd >= 0)
			return true;
		if (errno != EEXIST)
			return err_system(err, ERR_IO, page, "cannot be written", errno);
	}
	return err_set(err, ERR_IO, j->path, "exists, as do 98 others of this second");
}

/* Writes the page to paste into the ticket, beside the file to attach. */
static bool write_page(struct snapshot_job *j, const struct buf *page, struct err *err)
{
	bool ok = fd_write_all(j->page_fd, page->data ? page->data : "", page->len);
	int why = errno;
	char path[PAGE_PATH];

	page_name(j, path, sizeof(path));
	if (close(j->page_fd) != 0 && ok) {
		ok = false;
		why = errno;
	}
	j->page_fd = -1;
	/* A partial page could be mistaken for a complete one. */
	if (!ok)
		(void)unlink(path);
	return ok ||
	       err_set(err, ERR_IO, path, "the page could not be written (%s is complete): %s",
		       j->path, strerror(why));
}

/* Gives the name back that a snapshot which failed had taken. */
static void drop_page(struct snapshot_job *j)
{
	char path[PAGE_PATH];

	if (j->page_fd < 0)
		return;
	page_name(j, path, sizeof(path));
	(void)close(j->page_fd);
	(void)unlink(path);
	j->page_fd = -1;
}

static void on_work(uv_work_t *w)
{
	struct snapshot_job *j = w->data;
	size_t lines = 0;
	char config[65];
	struct buf page;
	char *ledger = j->ledger_path
			       ? ledger_window(j->ledger_path, j->opts.wall_us - SNAPSHOT_LAST_US,
					 j->opts.wall_us, &lines)
			       : NULL;
	struct bundle_opts o = {.from = j->from,
		.at_us = j->opts.at_us,
		.last_us = SNAPSHOT_LAST_US,
		.to = j->path,
		.redact = j->opts.redact,
		.trail = &j->trail,
		.about = {.tool = "railtop " RAILTOP_VERSION,
			.user = j->user,
			.host = j->host,
			.mode = j->mode,
			.config_sha256 = config,
			.reason = j->reason,
			.incident = j->incident,
			.ledger = ledger ? ledger : "",
			.ledger_lines = lines,
			.screen = j->opts.screen ? j->opts.screen : "",
			.screen_ansi = j->opts.screen_ansi ? j->opts.screen_ansi : ""}};

	config_hash(j->inventory, config);
	buf_init(&page, PAGE_MAX);
	o.text = &page;
	j->ok = bundle_write(&o, &j->err) && write_page(j, &page, &j->err);
	drop_page(j);
	buf_free(&page);
	free(ledger);
}

static void on_closed(uv_handle_t *h)
{
	struct snapshot_job *j = h->data;

	free(j->opts.screen);
	free(j->opts.screen_ansi);
	free(j->from);
	free(j->ledger_path);
	free(j->inventory);
	vec_free(&j->trail);
	free(j);
}

static void on_done(uv_work_t *w, int status)
{
	struct snapshot_job *j = w->data;

	(void)status;
	j->opts.done(j->opts.ctx, j->ok ? j->path : NULL, j->ok ? NULL : &j->err);
	uv_close((uv_handle_t *)&j->flushed, on_closed);
}

static void on_flushed(uv_async_t *a)
{
	struct snapshot_job *j = a->data;

	(void)uv_queue_work(j->opts.loop, &j->work, on_work, on_done);
}

/* Called in the writer's thread. After a write error the snapshot shows a gap. */
static void flush_done(void *ctx, const struct err *e)
{
	(void)e;
	(void)uv_async_send(&((struct snapshot_job *)ctx)->flushed);
}

struct snapshot_job *snapshot_job_start(const struct snapshot_job_opts *o, struct err *err)
{
	struct snapshot_job *j = mem_calloc(1, sizeof(*j));

	j->opts = *o;
	if (!make_directories(o->dir, err) || !choose_path(j, err)) {
		free(j);
		return NULL;
	}
	j->from = mem_strdup(o->from);
	j->ledger_path = o->ledger_path ? mem_strdup(o->ledger_path) : NULL;
	j->inventory = o->inventory ? mem_strdup(o->inventory) : NULL;
	for (size_t i = 0; o->trail && i < o->trail->n; i++)
		vec_push(&j->trail, o->trail->at[i]);
	(void)str_copy(j->user, sizeof(j->user), o->user ? o->user : "");
	(void)str_copy(j->mode, sizeof(j->mode), o->mode ? o->mode : "");
	(void)str_copy(j->reason, sizeof(j->reason), o->reason ? o->reason : "");
	(void)str_copy(j->incident, sizeof(j->incident), o->incident ? o->incident : "");
	user_identity(NULL, 0, j->host, sizeof(j->host));
	j->work.data = j->flushed.data = j;
	uv_async_init(o->loop, &j->flushed, on_flushed);
	if (o->recording)
		recording_flush(o->recording, flush_done, j);
	else
		(void)uv_async_send(&j->flushed);
	return j;
}
