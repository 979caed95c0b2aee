/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/snapshot_file/bundle.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/snapshot_file/bundle_private.h"
#include "base/clock.h"
#include "base/str.h"

#define LAST_US (INT64_C(900) * 1000000) /* 15 minutes */

void bundle_name(int64_t wall_us, char *dst, size_t size)
{
	char utc[32], name[64] = "incident-";
	size_t n = strlen(name);

	clock_format_utc(wall_us, utc, sizeof(utc));
	for (const char *p = utc; *p && n < sizeof(name) - 1; p++)
		if (*p != '-' && *p != ':')
			name[n++] = *p;
	name[n] = '\0';
	(void)str_printf(dst, size, "%s.rts", name);
}

static void make_id(struct bundle *b)
{
	char name[64];

	bundle_name(b->made_us, name, sizeof(name));
	/* "incident-20261122T021330Z.rts" */
	(void)str_printf(b->id, sizeof(b->id), "%.16s-railtop-%ld", name + strlen("incident-"),
		(long)getpid());
}

static struct replay *replay_of(const char *path, int64_t at_us, struct err *err)
{
	struct rts *r = rts_open(path, err);
	struct replay *p = r ? replay_new(r, err) : NULL;

	if (p && !replay_go_to(p, at_us, err)) {
		replay_free(p);
		p = NULL;
	}
	return p;
}

/* ---- names ---- */

/* The descriptions of the snapshot with names replaced. The caller frees each unless it is NULL. */
static const char *without_names(struct redact *r, const char *s)
{
	size_t n;

	return s ? redact_document(r, s, strlen(s), &n) : NULL;
}

static void redact_about(struct bundle *b)
{
	struct bundle_about *a = &b->about;

	a->user = without_names(b->redact, a->user);
	a->host = without_names(b->redact, a->host);
	a->reason = without_names(b->redact, a->reason);
	a->incident = without_names(b->redact, a->incident);
	a->ledger = without_names(b->redact, a->ledger);
	a->screen = without_names(b->redact, a->screen);
	a->screen_ansi = without_names(b->redact, a->screen_ansi);
}

static void free_about(struct bundle *b)
{
	const struct bundle_about *a = &b->about;
	const char *const all[] = {
		a->user, a->host, a->reason, a->incident, a->ledger, a->screen, a->screen_ansi};

	for (size_t i = 0; b->redact && i < sizeof(all) / sizeof(all[0]); i++)
		free((void *)(uintptr_t)all[i]);
}

/* Learns all names of the model at the beginning and at the end of the window. */
static bool learn_names(struct bundle *b, int64_t from_us, int64_t at_us, struct err *err)
{
	struct replay *p = replay_of(b->o->from, from_us, err);
	bool ok = p != NULL;

	if (!ok)
		return false;
	b->redact = redact_new(replay_plan(p));
	redact_learn_model(b->redact, replay_model(p));
	ok = replay_go_to(p, at_us, err);
	if (ok)
		redact_learn_model(b->redact, replay_model(p));
	replay_free(p);
	redact_learn(b->redact, "user", b->about.user);
	redact_learn(b->redact, "name", b->about.host);
	return ok;
}

/* ---- the file ---- */

/* Finds the window: it ends at the last judgement at or before at_us. */
static bool find_window(
	const struct bundle_opts *o, struct rts *r, int64_t *from_us, int64_t *to_us)
{
	const struct rts_info *info = rts_info(r);

	*to_us = o->at_us < info->to_us ? o->at_us : info->to_us;
	*from_us = *to_us - (o->last_us > 0 ? o->last_us : LAST_US);
	if (*from_us < info->from_us)
		*from_us = info->from_us;
	return info->entries > 0;
}

static bool err_no_entries(const char *path, struct err *err)
{
	err_set(err, ERR_CONFIG, path, "has no entries yet");
	return err_cure(err, "it ended before the first answers: record for longer");
}

static bool copy_entries(struct bundle *b, const char *path, int64_t *from_us, struct err *err)
{
	struct rts *r = rts_open(b->o->from, err);
	struct rts_copy_opts c = {.path = path, .tool = b->about.tool};
	bool ok = r != NULL;

	if (ok && !find_window(b->o, r, &c.from_us, &c.to_us))
		ok = err_no_entries(b->o->from, err);
	if (ok && b->o->redact) {
		ok = learn_names(b, c.from_us, c.to_us, err);
		if (b->redact)
			redact_about(b);
	}
	if (ok) {
		c.user = b->about.user;
		c.host = b->about.host;
		c.redact = b->redact;
		*from_us = c.from_us;
		b->copy = rts_copy_new(r, &c, err);
		/* The copy owns the source file until it is freed. */
		r = b->copy ? NULL : r;
		ok = b->copy && rts_copy_commit(b->copy, err);
	}
	rts_close(r);
	return ok;
}

static bool same_step(const struct runbook_log_entry *a, const struct runbook_log_entry *b)
{
	return a->t_us == b->t_us && a->outcome == b->outcome && str_eq(a->runbook, b->runbook) &&
	       str_eq(a->step, b->step) && str_eq(a->target, b->target) && str_eq(a->note, b->note);
}

static bool has_step(const runbook_log *t, const struct runbook_log_entry *e)
{
	for (size_t i = 0; i < t->n; i++)
		if (same_step(&t->at[i], e))
			return true;
	return false;
}

/*
 * Appends the steps walked on the recording to its own steps. A live console that looks back also
 * has steps later than the moment, and steps that were recorded: both are left out.
 */
static void make_trail(struct bundle *b, const struct replay *p)
{
	const runbook_log *was = replay_trail(p), *walked = b->o->trail;

	for (size_t i = 0; i < was->n; i++)
		vec_push(&b->trail, was->at[i]);
	for (size_t i = 0; walked && i < walked->n; i++) {
		struct entry e = {.kind = ENTRY_TRAIL, .trail = walked->at[i]};

		if (e.trail.t_us > replay_now(p))
			continue;
		if (b->redact)
			redact_entry(b->redact, &e);
		if (!has_step(was, &e.trail))
			vec_push(&b->trail, e.trail);
	}
}

static bool make_documents(
	struct bundle *b, const char *path, int64_t from_us, const char *file, struct err *err)
{
	struct replay *p = replay_of(path, b->o->at_us, err);
	char why[256] = "", name[256] = "";
	bool ok;

	if (!p)
		return false;
	(void)replay_gap(p, why, sizeof(why));
	(void)str_copy(name, sizeof(name), file);
	if (b->redact) {
		redact_text(b->redact, why, sizeof(why));
		redact_text(b->redact, name, sizeof(name));
	}
	make_trail(b, p);
	b->ticket = (struct ticket){.m = replay_model(p),
		.d = replay_diag(p),
		.trail = &b->trail,
		.about = &b->about,
		.now_us = replay_now(p),
		.from_us = from_us,
		.made_us = b->made_us,
		.id = b->id,
		.file = name,
		.sha256 = "",
		.gap = why,
		.redacted = rts_info(replay_file(p))->redacted};
	if (b->o->state)
		*b->o->state = diag_verdict(replay_diag(p))->state;
	ok = bundle_parts(b, err);
	vec_free(&b->trail);
	replay_free(p);
	return ok;
}

static bool write_file(struct bundle *b, struct bundle_file *f, struct err *err)
{
	const char *slash = b->o->to ? strrchr(b->o->to, '/') : NULL;
	const char *file = slash ? slash + 1 : b->o->to ? b->o->to : "";
	int64_t from_us = 0;
	bool ok = copy_entries(b, f->temporary, &from_us, err) &&
		  make_documents(b, f->temporary, from_us, file, err);

	if (ok && b->o->to)
		ok = rts_copy_finish(b->copy, err);
	rts_copy_free(b->copy);
	b->copy = NULL;
	if (ok && b->o->to)
		return bundle_file_publish(f, err);
	bundle_file_drop(f);
	return ok;
}

bool bundle_write(const struct bundle_opts *o, struct err *err)
{
	struct bundle b = {.o = o, .about = o->about, .made_us = clock_wall(&clock_system)};
	struct bundle_file f;
	bool ok;

	if (o->about.id)
		(void)str_copy(b.id, sizeof(b.id), o->about.id);
	else
		make_id(&b);
	/* Redaction works on the way into a file. Without a file to keep it uses a temporary
	 * one. */
	if (o->to || o->redact)
		ok = bundle_file_begin(&f, o->to, err) && write_file(&b, &f, err);
	else
		ok = make_documents(&b, o->from, 0, "", err);
	free_about(&b);
	redact_free(b.redact);
	vec_free(&b.parts);
	free(b.involved);
	vec_free(&b.order);
	return ok;
}
