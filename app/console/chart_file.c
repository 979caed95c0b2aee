/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/chart_file.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

struct chart_file {
	uv_loop_t *loop;
	uv_work_t work;
	char path[1024];
	chart_file_done *done;
	void *ctx;
	struct thin_question asked, next; /* next: while there is work on another question */
	bool working, waits, closed;
	atomic_bool stop;
	struct obs *list;
	struct err err;
};

static bool must_stop(void *ctx)
{
	struct chart_file *f = ctx;

	return atomic_load(&f->stop);
}

static void on_work(uv_work_t *w)
{
	struct chart_file *f = w->data;
	struct rts *r = rts_open(f->path, &f->err);

	f->list = r ? thin_read(r, &f->asked, must_stop, f, NULL, &f->err) : NULL;
	rts_close(r);
}

static void list_free(struct obs *list)
{
	for (struct obs *next; list; list = next) {
		next = list->next;
		obs_free(list);
	}
}

static void begin(struct chart_file *f, const struct thin_question *q);

static void on_done(uv_work_t *w, int status)
{
	struct chart_file *f = w->data;

	(void)status;
	f->working = false;
	if (!f->closed && !f->waits)
		f->done(f->ctx, &f->asked, f->list, &f->err);
	list_free(f->list);
	f->list = NULL;
	if (f->closed) {
		free(f);
		return;
	}
	if (f->waits) {
		struct thin_question q = f->next;

		begin(f, &q);
	}
}

static void begin(struct chart_file *f, const struct thin_question *q)
{
	f->asked = *q;
	f->waits = false;
	f->err = (struct err){0};
	atomic_store(&f->stop, false);
	f->working = uv_queue_work(f->loop, &f->work, on_work, on_done) == 0;
}

struct chart_file *chart_file_new(
	uv_loop_t *loop, const char *path, chart_file_done *done, void *ctx)
{
	struct chart_file *f = mem_calloc(1, sizeof(*f));

	f->loop = loop;
	f->done = done;
	f->ctx = ctx;
	f->work.data = f;
	(void)str_copy(f->path, sizeof(f->path), path);
	return f;
}

void chart_file_close(struct chart_file *f)
{
	if (!f)
		return;
	f->closed = true;
	atomic_store(&f->stop, true);
	if (!f->working)
		free(f);
}

void chart_file_ask(struct chart_file *f, const struct thin_question *q)
{
	if (!f->working) {
		begin(f, q);
		return;
	}
	f->next = *q;
	f->waits = true;
	atomic_store(&f->stop, true);
}
