/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/archive/support/obs_make.h"
#include "tests/archive/support/rts_rig.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

static void make_plan(struct plan *p)
{
	struct plan_device *d;

	plan_init(p);
	(void)str_copy(p->fabric, sizeof(p->fabric), "rig");
	p->rails = 2;
	p->lossless.priorities = 8;
	p->lossless.dscp_prio[26] = 3;
	(void)plan_make_device(p, "leaf-0", TIER_LEAF, 0);
	(void)plan_make_device(p, "leaf-1", TIER_LEAF, 1);
	d = plan_make_device(p, "node000", TIER_HOST, -1);
	d->user = mem_strdup("s3cret-user");
	d->identity = mem_strdup("id_of_mine");
	d->credentials = mem_strdup("env:TOKEN");
	d->ssh_config = mem_strdup("my_config");
	d->known_hosts = mem_strdup("my_known");
	d->tls_ca = mem_strdup("my_ca");
	p->actions.user = mem_strdup("act-user");
	plan_make_link(p, 2, "eth0", 0, "Ethernet0", 0);
}

void rig_prepare(struct rts_rig *g, const struct rts_writer_opts *opts)
{
	const char *tmp = getenv("TMPDIR");

	memset(g, 0, sizeof(*g));
	(void)str_printf(g->dir, sizeof(g->dir), "%s/rts-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(g->dir));
	(void)str_printf(g->path, sizeof(g->path), "%s/shift.rts", g->dir);
	make_plan(&g->plan);
	if (opts)
		g->opts = *opts;
	g->opts.path = g->path;
	g->opts.plan = &g->plan;
	g->opts.tool = "railtop test";
	g->opts.user = "eva";
	g->opts.host = "noc1";
}

void rig_open(struct rts_rig *g, const struct rts_writer_opts *opts)
{
	struct err err = {0};

	rig_prepare(g, opts);
	g->w = rts_writer_open(&g->opts, &err);
	if (!g->w)
		err_print(&err);
	assert_non_null(g->w);
}

void rig_close_writer(struct rts_rig *g)
{
	struct err err = {0};
	bool good = rts_writer_close(g->w, &err);

	g->w = NULL;
	if (!good)
		err_print(&err);
	assert_true(good);
}

size_t rig_files(const struct rts_rig *g, char names[16][256])
{
	DIR *d = opendir(g->dir);
	struct dirent *e;
	size_t n = 0;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL && n < 16)
		if (e->d_name[0] != '.')
			(void)str_copy(names[n++], 256, e->d_name);
	(void)closedir(d);
	return n;
}

void rig_done(struct rts_rig *g)
{
	char names[16][256], path[600];
	size_t n = rig_files(g, names);

	for (size_t i = 0; i < n; i++) {
		(void)str_printf(path, sizeof(path), "%s/%s", g->dir, names[i]);
		(void)unlink(path);
	}
	assert_int_equal(rmdir(g->dir), 0);
	plan_free(&g->plan);
}

void rig_add(struct rts_rig *g, struct obs *o, int64_t t_us)
{
	struct entry e = {.kind = ENTRY_OBS, .t_us = t_us, .obs = o};

	rts_writer_add(g->w, &e);
}

void rig_poll(struct rts_rig *g, unsigned number)
{
	int64_t t = RIG_T0 + (int64_t)number * 5 * CLOCK_SEC;

	rig_add(g, obs_make_poll("leaf-0", 16, number, t), t);
}

static char step_byte(enum rts_section section, size_t step, unsigned seed, size_t i)
{
	return (char)((unsigned)section * 31 + step * 7 + seed + i * (i >> 3));
}

static size_t step_size(enum rts_section section, size_t step)
{
	/* Empty parts, small ones, and one that is a piece of its own. */
	return step == 4 ? 3000000 : step * 100 * (1 + (size_t)section);
}

void rig_keyframe(struct rts_rig *g, int64_t t_us, bool all, unsigned seed)
{
	char *bytes = mem_alloc(4000000);

	rts_keyframe_begin(g->w, t_us, all);
	for (unsigned s = 0; s < SECTION_COUNT; s++)
		for (size_t step = 0; step < RIG_STEPS; step++) {
			size_t n = step_size((enum rts_section)s, step);

			for (size_t i = 0; i < n; i++)
				bytes[i] = step_byte((enum rts_section)s, step, seed, i);
			while (!rts_keyframe_step(g->w, (enum rts_section)s, bytes, n))
				(void)rig_flush(g);
		}
	rts_keyframe_end(g->w);
	free(bytes);
}

void rig_assert_step(const struct buf *out, enum rts_section section, size_t step, unsigned seed)
{
	assert_int_equal(out->len, step_size(section, step));
	for (size_t i = 0; i < out->len; i++)
		if (out->data[i] != step_byte(section, step, seed, i))
			fail_msg("byte %zu of step %zu differs", i, step);
}

struct flushed {
	sem_t done;
	bool good;
};

static void on_flushed(void *ctx, const struct err *e)
{
	struct flushed *f = ctx;

	f->good = !e;
	(void)sem_post(&f->done);
}

bool rig_flush(struct rts_rig *g)
{
	struct flushed f;

	(void)sem_init(&f.done, 0, 0);
	rts_writer_flush(g->w, on_flushed, &f);
	while (sem_wait(&f.done) != 0)
		;
	(void)sem_destroy(&f.done);
	return f.good;
}

unsigned rig_read(struct rts_cursor *c)
{
	struct entry e;
	struct err err = {0};
	bool gap;
	unsigned n = 0;

	while (rts_next(c, &e, &gap, &err)) {
		entry_free(&e);
		n++;
	}
	return n;
}

char *rig_bytes(const struct rts_rig *g, size_t *n)
{
	FILE *f = fopen(g->path, "rb");
	char *p = mem_alloc(64 << 20);

	assert_non_null(f);
	*n = fread(p, 1, 64 << 20, f);
	(void)fclose(f);
	return p;
}
