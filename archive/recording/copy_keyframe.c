/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a self-contained keyframe from one keyframe and those whose histories it continues. */
#include "archive/recording/copy_internal.h"
#include "diagnosis/engine/diag_state.h"
#include "fabric/state/state.h"

#define PIECE_BYTES (2U << 20) /* bytes of steps in a piece, before compression */

struct loaded {
	struct rts_copy *c;
	struct model *m;
	struct diag *d;
	runbook_log trail;
	size_t diag_steps; /* without the trail, which follows them */
};

static bool not_loaded(const struct rts_copy *c, struct err *err)
{
	return err_set(err, ERR_PROTOCOL, c->from->path,
		"the state at the beginning of the window cannot be read");
}

static bool visit_step(
	struct loaded *l, struct state *s, enum rts_section section, size_t step, bool all)
{
	switch (section) {
	case SECTION_MODEL:
		return model_state_step(s, l->m, step);
	case SECTION_HISTORY:
		return model_history_step(s, l->m, step, all);
	default:
		if (step < l->diag_steps)
			return diag_state_step(s, l->d, l->m, step);
		runbook_log_state(s, &l->trail);
		return !s->bad;
	}
}

/* Number of history steps in that part; it grows when devices are added. */
static size_t history_steps(const struct rts_copy *c, unsigned part)
{
	const struct rts *r = c->from;

	for (size_t i = 0; i < r->keys.n; i++)
		if ((uint64_t)r->keys.at[i].id == c->key.id - (c->key.parts - 1 - part))
			return (size_t)r->keys.at[i].steps[SECTION_HISTORY];
	return 0;
}

static bool load_section(
	struct loaded *l, enum rts_section section, unsigned part, size_t steps, struct err *err)
{
	struct rts_copy *c = l->c;
	struct buf raw;
	bool ok = true, all = true;

	buf_init(&raw, RTS_BLOB_MAX);
	for (size_t step = 0; ok && step < steps; step++) {
		struct state s;

		buf_reset(&raw);
		ok = rts_keyframe_load(c->from, &c->key, section, part, step, &raw, &all, err);
		if (!ok)
			break;
		state_loads(&s, raw.data ? raw.data : "", raw.len);
		if (c->redact) {
			s.rewrite = redact_text;
			s.rekey = redact_key;
			s.ctx = c->redact;
		}
		/* A free device slot has no histories; a later device may have taken it. */
		ok = (section == SECTION_HISTORY && !raw.len) ||
		     (visit_step(l, &s, section, step, all) && state_ended(&s)) ||
		     not_loaded(c, err);
	}
	buf_free(&raw);
	return ok;
}

static bool load_all(struct loaded *l, struct err *err)
{
	const struct rts_keyframe *k = &l->c->key;

	if (!load_section(l, SECTION_MODEL, 0, k->steps[SECTION_MODEL], err))
		return false;
	if (!model_state_loaded(l->m))
		return not_loaded(l->c, err);
	for (unsigned part = 0; part < k->parts; part++)
		if (!load_section(l, SECTION_HISTORY, part, history_steps(l->c, part), err))
			return false;
	if (!k->steps[SECTION_DIAG])
		return not_loaded(l->c, err);
	l->diag_steps = k->steps[SECTION_DIAG] - 1;
	return load_section(l, SECTION_DIAG, 0, k->steps[SECTION_DIAG], err) &&
	       (diag_state_steps(l->d) == l->diag_steps || not_loaded(l->c, err));
}

static bool put_piece(struct rts_copy *c, struct rts_piece *p, struct buf *raw, struct err *err)
{
	struct buf packed;
	bool ok;

	if (!p->steps)
		return true;
	p->size = (int64_t)raw->len;
	buf_init(&packed, RTS_BLOB_MAX);
	ok = (rts_pack(raw->data, raw->len, RTS_COPY_LEVEL, &packed) ||
		     err_set(err, ERR_LIMIT, c->file.path, "a keyframe is too large")) &&
	     rts_file_piece(&c->file, p, packed.data, packed.len, err);
	buf_free(&packed);
	buf_reset(raw);
	*p = (struct rts_piece){.section = p->section, .first = p->first + p->steps};
	return ok;
}

static bool save_section(struct loaded *l, enum rts_section section, size_t steps, struct err *err)
{
	struct rts_piece p = {.section = section};
	struct buf raw, one;
	bool ok = true;

	buf_init(&raw, RTS_BLOB_MAX);
	buf_init(&one, RTS_BLOB_MAX);
	for (size_t step = 0; ok && step < steps; step++) {
		struct state s;

		buf_reset(&one);
		state_saves(&s, &one);
		ok = visit_step(l, &s, section, step, true) ||
		     err_set(err, ERR_LIMIT, l->c->file.path, "a state is too large");
		if (ok && raw.len && raw.len + one.len > PIECE_BYTES)
			ok = put_piece(l->c, &p, &raw, err);
		state_saves(&s, &raw);
		state_u64(&s, &(uint64_t){one.len});
		state_bytes(&s, one.data ? one.data : "", one.len);
		p.steps++;
		ok = ok &&
		     (!s.bad || err_set(err, ERR_LIMIT, l->c->file.path, "a state is too large"));
	}
	ok = ok && put_piece(l->c, &p, &raw, err);
	buf_free(&one);
	buf_free(&raw);
	return ok;
}

static bool save_all(struct loaded *l, struct err *err)
{
	struct rts_key key = {.t_us = l->c->key.t_us, .stamp = rts_stamp(), .whole = 1};
	size_t steps[SECTION_COUNT] = {[SECTION_MODEL] = model_state_steps(l->m),
		[SECTION_HISTORY] = model_state_steps(l->m),
		[SECTION_DIAG] = l->diag_steps + 1};

	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		key.steps[i] = (int64_t)steps[i];
		if (!save_section(l, (enum rts_section)i, steps[i], err))
			return false;
	}
	return rts_file_key(&l->c->file, &key, err);
}

bool rts_copy_key(struct rts_copy *c, struct err *err)
{
	struct loaded l = {.c = c, .m = model_new(&c->plan), .d = diag_new()};
	bool ok = load_all(&l, err) && save_all(&l, err);

	vec_free(&l.trail);
	diag_free(l.d);
	model_free(l.m);
	return ok;
}
