/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/incremental/cache_both.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/support/incremental/delta_make.h"

void again_both_begin(struct answer_cache_both *b)
{
	memset(b, 0, sizeof(*b));
	b->shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	b->again = answer_cache_new(b->shelf);
	b->twin = answer_cache_new(b->shelf);
	b->told = answer_cache_new(b->shelf);
}

void again_both_end(struct answer_cache_both *b)
{
	answer_cache_free(b->again);
	answer_cache_free(b->twin);
	answer_cache_free(b->told);
	text_delta_free(&b->delta);
	delta_scratch_free(&b->scratch);
	free(b->text);
	if (answer_shelf_bytes(b->shelf))
		abort();
	answer_shelf_free(b->shelf);
	obs_free(b->last);
}

static bool differ(struct answer_cache_both *b, const char *what, size_t i)
{
	(void)str_printf(b->why, sizeof(b->why), "%s %zu", what, i);
	return false;
}

static bool same_value(const struct obs *a, const struct obs_item *x, const struct obs *b,
	const struct obs_item *y)
{
	if (x->kind != y->kind)
		return false;
	return obs_has_text2(x) ? str_eq(obs_text(a, x->text2), obs_text(b, y->text2))
				: memcmp(&x->u64, &y->u64, sizeof(x->u64)) == 0;
}

static bool same_item(const struct obs *a, const struct obs_item *x, const struct obs *b,
	const struct obs_item *y)
{
	return same_value(a, x, b, y) && x->code == y->code && x->sub == y->sub &&
	       x->cell == y->cell && x->port == y->port &&
	       str_eq(obs_text(a, x->text), obs_text(b, y->text));
}

static bool same_head(struct answer_cache_both *b, const struct obs *x, const struct obs *y)
{
	if (x->device_us != y->device_us || x->ports.n != y->ports.n || x->result != y->result ||
		x->err.code != y->err.code || x->again != y->again || x->bgp.n != y->bgp.n ||
		!str_eq(x->request, y->request) ||
		memcmp(x->refresh_ms, y->refresh_ms, sizeof(x->refresh_ms)) != 0 ||
		memcmp(x->narrow, y->narrow, sizeof(x->narrow)) != 0)
		return differ(b, "the heads of batches with items:", x->items.n);
	for (size_t i = 0; i < x->ports.n; i++)
		if (!str_eq(x->ports.at[i].name, y->ports.at[i].name) ||
			x->ports.at[i].sample_us != y->ports.at[i].sample_us)
			return differ(b, "port", i);
	return true;
}

static bool same_one(struct answer_cache_both *b, const struct obs *x, const struct obs *y)
{
	if (!same_head(b, x, y))
		return false;
	if (x->items.n != y->items.n)
		return differ(b, "number of items", x->items.n);
	for (size_t i = 0; i < x->items.n; i++)
		if (!same_item(x, &x->items.at[i], y, &y->items.at[i]))
			return differ(b, "item of the lesson", i);
	return true;
}

/* Of several questions each has its batch. */
static bool same_batch(struct answer_cache_both *b, const struct obs *x, const struct obs *y)
{
	for (; x && y; x = x->more, y = y->more)
		if (!same_one(b, x, y))
			return false;
	return x == y || differ(b, "more or fewer batches", 0);
}

/* Two items about the same thing, with any values. */
static bool same_subject(const struct obs_item *a, const struct obs_item *b)
{
	if (a->kind > OBS_VALID || b->kind > OBS_VALID)
		return a->kind == b->kind && a->code == b->code && a->sub == b->sub &&
		       a->port == b->port && a->kind != OBS_CAPABILITY && a->kind != OBS_FACT;
	return a->port == b->port && a->cell == b->cell;
}

/* Words of a port are as they were, but for its state. */
static bool may_rest(const struct obs_item *it)
{
	if (it->kind <= OBS_VALID)
		return true;
	return (it->kind == OBS_WORD || it->kind == OBS_NUMBER) && it->port != OBS_NO_PORT &&
	       it->code != ATTR_OPER && it->code != ATTR_LAST_CHANGE;
}

/* The last batch, overlaid with the sparse one, must give all values of the present one. */
static bool same_one_overlaid(struct answer_cache_both *b, const struct obs *last,
	const struct obs *sparse, const struct obs *now)
{
	size_t named = 0;

	if (!same_head(b, sparse, now))
		return false;
	if (last->items.n != now->items.n)
		return differ(b, "items now", now->items.n);
	for (size_t i = 0; i < now->items.n; i++) {
		const struct obs_item *is = &now->items.at[i], *was = &last->items.at[i];
		bool is_next = named < sparse->items.n &&
			       same_item(now, is, sparse, &sparse->items.at[named]);

		if (!same_subject(is, was) && !same_item(now, is, last, was))
			return differ(b, "another subject in item", i);
		if (!is_next && (!may_rest(is) || !same_item(now, is, last, was)))
			return differ(b, "not told in its place: item", i);
		named += is_next;
	}
	return sparse->items.n == named || differ(b, "items more or less:", sparse->items.n);
}

static bool same_overlaid(struct answer_cache_both *b, const struct obs *last,
	const struct obs *sparse, const struct obs *now)
{
	for (; last && sparse && now; last = last->more, sparse = sparse->more, now = now->more) {
		if (!sparse->unchanged_rest)
			return differ(b, "a batch is whole", 0);
		if (!same_one_overlaid(b, last, sparse, now))
			return false;
	}
	return last || sparse || now ? differ(b, "more or fewer batches", 1) : true;
}

static bool learn(struct answer_cache_both *b, struct answer_cache *again,
	const struct backend_ops *ops, struct target t, const char *request, const char *bytes,
	size_t len, const struct obs *now)
{
	struct number_positions *slots = answer_cache_lesson(again, bytes, len);
	struct obs *o = obs_new(t.device, request);
	struct err err = {0};
	bool ok, same;

	t.slots = slots;
	ok = ops->parse(&t, request, bytes, len, o, &err);
	same = ok == (now != NULL) || differ(b, "the lesson's outcome", 0);
	if (same && ok)
		same = same_batch(b, o, now);
	ok = ok && slots && answer_cache_learn(again, o);
	b->lessons += ok && again == b->again;
	obs_free(o);
	return same;
}

/* The twin reads like the other; it has not seen the last answer, but only gets `before`. */
static bool twin_reads(struct answer_cache_both *b, struct answer_cache *twin,
	const struct text_before *before, const struct backend_ops *ops, const struct target *t,
	const char *request, const char *bytes, size_t len, const struct obs *sparse,
	const struct obs *now)
{
	struct obs *o = obs_new(t->device, request);
	bool same, fits;

	answer_cache_kept(twin, before);
	fits = answer_cache_read(twin, bytes, len, o);
	if (fits != sparse->unchanged_rest)
		same = differ(b,
			before->changes ? "fits what changed, or not:"
					: "fits the text that is kept, or not:",
			fits);
	else
		same = fits ? same_batch(b, o, sparse)
			    : learn(b, twin, ops, *t, request, bytes, len, now);
	answer_cache_kept(twin, NULL);
	obs_free(o);
	return same;
}

/*
 * Finds the changes through a device's delta. Leaves before as it was if the delta is the whole
 * text.
 */
static void find_changes(
	struct answer_cache_both *b, const char *bytes, size_t len, struct text_before *before)
{
	uint32_t grows = 0;
	struct buf text;
	bool ok;

	buf_init(&text, 2 * len + 1024);
	ok = b->delta.text && delta_make(b->delta.text, b->delta.len, bytes, len, &text, &grows);
	b->mark.len = (uint32_t)len;
	b->mark.base = ok ? b->mark.seq : 0;
	b->mark.seq++;
	if (ok) {
		b->mark.sum = (b->mark.sum + grows) % 1000003;
		if (!text_delta_apply(
			    &b->delta, text.data ? text.data : "", text.len, &b->mark, &b->scratch))
			abort();
		before->bytes = b->scratch.was.at;
		before->len = b->scratch.was.n;
		before->changes = b->scratch.changes.at;
		before->changes_n = b->scratch.changes.n;
		b->by_changes++;
	} else {
		b->mark.tokens = delta_tokens(bytes, len);
		b->mark.sum = 0;
		buf_reset(&text);
		(void)buf_add(&text, bytes, len);
		(void)text_delta_whole(&b->delta, &text, &b->mark);
	}
	buf_free(&text);
}

/* Reads with the twins, whose texts are kept elsewhere. */
static bool twins_read(struct answer_cache_both *b, const struct backend_ops *ops,
	const struct target *t, const char *request, char *bytes, size_t len,
	const struct obs *sparse, const struct obs *now)
{
	struct text_before told;
	bool same;

	b->before.was = b->before.id++;
	b->before.bytes = b->text;
	told = b->before;
	told.tokens = &b->delta;
	find_changes(b, bytes, len, &told);
	same = twin_reads(b, b->twin, &b->before, ops, t, request, bytes, len, sparse, now);
	same = twin_reads(b, b->told, &told, ops, t, request, bytes, len, sparse, now) && same;
	free(b->text);
	b->text = bytes;
	b->before.len = len;
	return same;
}

bool again_both_read(struct answer_cache_both *b, const struct backend_ops *ops,
	const struct target *t, const char *request, const char *bytes, size_t len)
{
	struct obs *now = obs_new(t->device, request), *sparse = obs_new(t->device, request);
	char *exact = mem_alloc(len + 1);
	struct err err = {0};
	struct obs blank;
	bool same;

	/* A reader that goes beyond the answer is seen. */
	memcpy(exact, bytes, len);
	exact[len] = '\0';
	blank = *sparse;
	if (!ops->parse(t, request, exact, len, now, &err)) {
		obs_free(now);
		now = NULL;
	}
	if (answer_cache_read(b->again, exact, len, sparse)) {
		b->fits++;
		same = now ? same_overlaid(b, b->last, sparse, now) : differ(b, "it is none", 0);
	} else {
		b->misses++;
		same = sparse->items.n == blank.items.n && sparse->ports.n == 0 &&
		       sparse->strings.n == blank.strings.n && !sparse->device_us &&
		       !sparse->more && !sparse->unchanged_rest;
		same = same ? learn(b, b->again, ops, *t, request, exact, len, now)
			    : differ(b, "what a miss left behind", sparse->items.n);
	}
	same = twins_read(b, ops, t, request, exact, len, sparse, now) && same;
	obs_free(b->last);
	b->last = now;
	obs_free(sparse);
	return same;
}
