/* SPDX-License-Identifier: Apache-2.0 */
#include "views/event_text.h"

#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"

/* Pairs: the row of the beginning shows its end, and the end has no row of its own. */
static const struct {
	enum event_kind begins, ends;
	const char *word;
} pairs[] = {{EV_LINK_DOWN, EV_LINK_UP, "up"}, {EV_STORM_DETECTED, EV_STORM_RESTORED, "ended"},
	{EV_UNREACHABLE, EV_BACK, "answered"}, {EV_UNAUTHORISED, EV_BACK, "answered"},
	{EV_STALE, EV_BACK, "answered"}, {EV_BGP_DOWN, EV_BGP_UP, "up"},
	{EV_PORT_GONE, EV_PORT_NEW, "back"}};
#define PAIRS       (sizeof(pairs) / sizeof(pairs[0]))
#define PAIR_WITHIN ((size_t)512) /* events between the two */

static bool same_place(const struct event *a, const struct event *b)
{
	return a->device == b->device && a->port == b->port && a->priority == b->priority;
}

static bool begins(const struct event *e, enum event_kind end)
{
	for (size_t k = 0; k < PAIRS; k++)
		if (pairs[k].begins == e->kind && pairs[k].ends == end)
			return true;
	return false;
}

/* The event that ended the i-th newest; NULL: none, or another one began before the end. */
static const struct event *end_of(const struct model *m, size_t i, size_t pair)
{
	const struct event *e = model_event(m, i), *other;

	for (size_t k = i; k-- > 0 && i - k <= PAIR_WITHIN;) {
		other = model_event(m, k);
		if (!other || !same_place(e, other))
			continue;
		if (other->kind == pairs[pair].ends)
			return other;
		if (begins(other, pairs[pair].ends))
			return NULL;
	}
	return NULL;
}

/* Whether the i-th newest event ends one whose row says so. */
static bool is_end(const struct model *m, size_t i)
{
	const struct event *e = model_event(m, i), *other;
	bool ends = false;

	for (size_t k = 0; k < PAIRS; k++)
		ends |= pairs[k].ends == e->kind;
	for (size_t k = i + 1; ends && k - i <= PAIR_WITHIN && (other = model_event(m, k)); k++) {
		if (!same_place(e, other))
			continue;
		if (begins(other, e->kind))
			return true;
		if (other->kind == e->kind)
			return false;
	}
	return false;
}

/* ---- what happens again and again ---- */

#define AGAIN_WITHIN (900 * CLOCK_SEC) /* from one beginning to the next */

/* Index of the next older (step 1) or newer (-1) beginning of the same; SIZE_MAX: there is none. */
static size_t same_again(const struct model *m, size_t i, int step)
{
	const struct event *e = model_event(m, i), *other;

	for (size_t k = 1; k <= PAIR_WITHIN && (step > 0 || k <= i); k++) {
		size_t at = step > 0 ? i + k : i - k;

		other = model_event(m, at);
		if (!other)
			return SIZE_MAX;
		if (other->kind == e->kind && same_place(e, other)) {
			int64_t apart = other->wall_us - e->wall_us;

			return (apart < 0 ? -apart : apart) <= AGAIN_WITHIN ? at : SIZE_MAX;
		}
	}
	return SIZE_MAX;
}

/* One port may do it again: events of a whole device may be about its different sessions. */
static bool may_fold(const struct model *m, const struct event *e)
{
	return (e->kind == EV_LINK_DOWN || e->kind == EV_STORM_DETECTED || e->kind == EV_BGP_DOWN ||
		       e->kind == EV_LLDP_LOST) &&
	       model_port_at(m, e->port);
}

/* The events that the i-th newest stands for. */
struct again {
	unsigned times, ended;
	int64_t lasted_us; /* those that ended, together */
	const struct event *first;
	const char *text; /* the newest text that one of them has; "" */
};

/* The time from the i-th newest event to its end; -1: it has none. *word: how it ended. */
static int64_t time_to_end(const struct model *m, size_t i, const char **word)
{
	const struct event *e = model_event(m, i);

	for (size_t k = 0; k < PAIRS; k++) {
		const struct event *end = pairs[k].begins == e->kind ? end_of(m, i, k) : NULL;

		if (!end)
			continue;
		*word = pairs[k].word;
		return end->wall_us > e->wall_us ? end->wall_us - e->wall_us : 0;
	}
	return -1;
}

static void count_one(const struct model *m, size_t i, struct again *a)
{
	const char *word;
	int64_t us = time_to_end(m, i, &word);

	a->times++;
	a->ended += us >= 0;
	a->lasted_us += us >= 0 ? us : 0;
	a->first = model_event(m, i);
	if (!a->text[0])
		a->text = a->first->text;
}

static struct again count_again(const struct view_ctx *ctx, size_t i)
{
	const struct model *m = ctx->model;
	struct again a = {.text = ""};

	count_one(m, i, &a);
	if (!ctx->folded || !may_fold(m, a.first))
		return a;
	for (size_t at = same_again(m, i, 1); at != SIZE_MAX; at = same_again(m, at, 1))
		count_one(m, at, &a);
	return a;
}

bool event_has_row(const struct view_ctx *ctx, size_t i)
{
	const struct model *m = ctx->model;

	if (is_end(m, i))
		return false;
	/* The newest of a row of the same stands for all of them. */
	return !(ctx->folded && may_fold(m, model_event(m, i)) && same_again(m, i, -1) != SIZE_MAX);
}

/* The text of an event without the name of its own port, which has a column. */
static const char *text_of_event(const struct model *m, const struct event *e, const char *text)
{
	const struct port *p = model_port_at(m, e->port);
	size_t n = p ? strlen(p->name) : 0;

	if (!n || !str_starts(text, p->name) || (text[n] != ' ' && text[n] != ':'))
		return text;
	return text + n + strspn(text + n, " :");
}

static const char *span_text(int64_t us, char *dst, size_t size)
{
	if (us < CLOCK_SEC)
		(void)str_copy(dst, size, "under 1s");
	else
		(void)str_age(us, dst, size);
	return dst;
}

void event_detail(const struct view_ctx *ctx, size_t i, char *dst, size_t size)
{
	const struct model *m = ctx->model;
	const struct event *e = model_event(m, i);
	struct again a = count_again(ctx, i);
	const char *text = text_of_event(m, e, a.text), *word = "";
	bool link = e->kind == EV_LINK_DOWN;
	char span[24], when[16];
	int64_t us;
	size_t n = 0;

	dst[0] = '\0';
	if (a.times > 1)
		(void)str_printf(dst, size, "%s%ux", link ? "flapped " : "", a.times);
	n = strlen(dst);
	if (a.times > 1 && a.ended)
		(void)str_printf(dst + n, size - n, ", %s%s each", link ? "down " : "",
			span_text(a.lasted_us / a.ended, span, sizeof(span)));
	n = strlen(dst);
	if (a.times > 1)
		(void)str_printf(dst + n, size - n, ", since %s",
			view_hms(ctx, a.first->wall_us, when, sizeof(when)));
	n = strlen(dst);
	us = time_to_end(m, i, &word);
	if (us >= 0 && a.times == 1)
		(void)str_printf(dst, size, "%s after %s", word, span_text(us, span, sizeof(span)));
	else if (us < 0 && a.times > 1 && link)
		(void)str_printf(dst + n, size - n, ", down now");
	n = strlen(dst);
	if (text[0])
		(void)str_printf(dst + n, size - n, "%s%s", n ? "; " : "", text);
}
