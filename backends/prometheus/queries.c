/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/prometheus/queries.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"

#define PORTS_EXPECTED 64 /* ports per device; the number of a leaf switch */
#define JOIN_FIRST     (600 * CLOCK_SEC)
#define JOIN_MOST      (86400 * CLOCK_SEC)
#define FIRST_LEAST    (130 * CLOCK_SEC)
#define RULES_MOST     24 /* metrics per query: with more an error is harder to locate */

/* A rule, or the part of its series that an ask covers. */
struct asked {
	const struct prometheus_rule *rule;
	enum prometheus_part part;
	int64_t every_us;
};

static size_t series_of(const struct asked *x, uint8_t lossless, size_t devices)
{
	const struct prometheus_rule *r = x->rule;
	size_t subs = !r->sub_label                    ? 1
		      : r->tells == PROMETHEUS_COUNTER ? counter_dim_size(r->counter)
						       : PRIORITIES;

	if (!r->port.label)
		return devices;
	if (x->part == PART_LOSSLESS)
		subs = (size_t)__builtin_popcount(lossless);
	else if (x->part == PART_OTHERS)
		subs -= (size_t)__builtin_popcount(lossless);
	return devices * PORTS_EXPECTED * subs;
}

/*
 * True: at most one series per port, so that it need not wait for the second round of a large
 * fabric.
 */
static bool is_small(const struct asked *x)
{
	return x->every_us && x->part == PART_ALL && x->rule->tells != PROMETHEUS_COUNTER;
}

static bool asked_alike(
	const struct prometheus_ask *a, const struct prometheus_rule *of, const struct asked *x)
{
	const struct prometheus_rule *r = x->rule;

	return a->part == x->part && a->every_us == x->every_us && of->group == r->group &&
	       str_eq(of->where, r->where) && of->cursor == r->cursor && a->small == is_small(x) &&
	       str_eq(of->device.label, r->device.label) &&
	       str_eq(of->device.match, r->device.match) &&
	       (x->part == PART_ALL || str_eq(of->sub_label, r->sub_label));
}

static bool is_wanted(const struct prometheus_rule *r, enum prometheus_which which)
{
	if (which == WHICH_NUMBERS)
		return r->tells == PROMETHEUS_COUNTER || r->tells == PROMETHEUS_ATTR;
	return r->cursor == (which == WHICH_CURSOR);
}

static struct prometheus_ask *ask_new(const struct asked *x, size_t from, size_t to)
{
	struct prometheus_ask *a = mem_calloc(1, sizeof(*a));

	a->from = from;
	a->to = to;
	a->part = x->part;
	a->cursor = x->rule->cursor;
	a->small = is_small(x);
	a->every_us = x->every_us;
	return a;
}

static struct prometheus_ask *ask_for(struct prometheus_shard *s, const struct prometheus_map *map,
	const struct asked *x, size_t n, size_t most)
{
	struct prometheus_ask *a;

	for (size_t k = 0; k < s->asks.n; k++) {
		a = s->asks.at[k];
		if (a->rules.n < RULES_MOST && a->series + n <= most &&
			asked_alike(a, map->rules.at[a->rules.at[0]], x))
			return a;
	}
	a = ask_new(x, s->from, s->to);
	vec_push(&s->asks, a);
	return a;
}

void prometheus_shard_plan(struct prometheus_shard *s, const struct series_index *b,
	const struct prometheus_map *map, enum prometheus_which which, size_t from, size_t to,
	size_t series)
{
	uint8_t lossless = series_index_lossless(b);

	s->from = from;
	s->to = to;
	for (size_t i = 0; i < map->rules.n; i++) {
		const struct prometheus_rule *r = map->rules.at[i];
		struct asked parts[2] = {
			{r, PART_ALL, r->every_us}, {r, PART_OTHERS, r->others_us}};
		bool split = r->others_us && which == WHICH_ALWAYS;

		if (!is_wanted(r, which))
			continue;
		if (split && r->sub_label)
			parts[0].part = PART_LOSSLESS;
		else if (split && !(lossless >> r->sub & 1))
			parts[0].every_us = r->others_us;
		for (unsigned k = 0; k < (split && r->sub_label ? 2U : 1U); k++) {
			size_t n = series_of(&parts[k], lossless, to - from);
			struct prometheus_ask *a = ask_for(s, map, &parts[k], n, series);

			a->series += n;
			vec_push(&a->rules, (uint16_t)i);
		}
	}
}

static void ask_free(struct prometheus_ask *a)
{
	vec_free(&a->rules);
	known_free(&a->known);
	free(a);
}

void prometheus_shard_free(struct prometheus_shard *s)
{
	for (size_t i = 0; i < s->asks.n; i++)
		ask_free(s->asks.at[i]);
	vec_free(&s->asks);
	memset(s, 0, sizeof(*s));
}

bool prometheus_ask_divide(struct prometheus_shard *s, struct prometheus_ask *a)
{
	size_t rules = a->rules.n / 2, devices = (a->to - a->from) / 2;

	if (!rules && !devices)
		return false;
	for (unsigned half = 0; half < 2; half++) {
		struct prometheus_ask *x = mem_calloc(1, sizeof(*x));

		*x = *a;
		memset(&x->rules, 0, sizeof(x->rules));
		x->of = a;
		x->slow = 0;
		/* Both halves start with all series; those of the other half expire. */
		x->known = known_copy(&a->known);
		for (size_t i = 0; i < a->rules.n; i++)
			if (!rules || (i < rules) == !half)
				vec_push(&x->rules, a->rules.at[i]);
		if (!rules && !half)
			x->to = a->from + devices;
		else if (!rules)
			x->from = a->from + devices;
		vec_push(&s->asks, x);
	}
	known_free(&a->known);
	a->divided = true;
	return true;
}

void prometheus_ask_slow(struct prometheus_ask *a, int64_t now_us)
{
	int64_t wait = JOIN_FIRST;

	for (unsigned i = 0; i < a->slow && wait < JOIN_MOST; i++)
		wait *= 2;
	a->slow++;
	a->joined_us = now_us + (wait < JOIN_MOST ? wait : JOIN_MOST);
}

/*
 * Finds the halves of the ask at this place. They follow it in the list. False: one of them is
 * divided itself.
 */
static bool halves_of(const struct prometheus_shard *s, size_t at, struct prometheus_ask *halves[2])
{
	unsigned n = 0;

	for (size_t i = at + 1; i < s->asks.n; i++) {
		struct prometheus_ask *x = s->asks.at[i];

		if (x->of != s->asks.at[at])
			continue;
		if (x->divided || n == 2)
			return false;
		halves[n++] = x;
	}
	return n == 2;
}

static int64_t min_time(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void join_halves(
	struct prometheus_shard *s, struct prometheus_ask *a, struct prometheus_ask *halves[2])
{
	size_t n = 0;

	a->divided = false;
	a->joined_us = 0;
	a->known = known_both(&halves[0]->known, &halves[1]->known);
	/* 0: one half had no answer yet. */
	a->asked_us = min_time(halves[0]->asked_us, halves[1]->asked_us);
	a->due_us = min_time(halves[0]->due_us, halves[1]->due_us);
	a->whole = halves[0]->whole || halves[1]->whole;
	for (size_t i = 0; i < s->asks.n; i++)
		if (s->asks.at[i] != halves[0] && s->asks.at[i] != halves[1])
			s->asks.at[n++] = s->asks.at[i];
	s->asks.n = n;
	ask_free(halves[0]);
	ask_free(halves[1]);
}

void prometheus_shard_join(struct prometheus_shard *s, int64_t now_us)
{
	/* Go backwards: halves follow their parent, and must be joined first. */
	for (size_t i = s->asks.n; i-- > 0;) {
		struct prometheus_ask *a = s->asks.at[i], *halves[2];

		if (a->divided && a->joined_us && a->joined_us <= now_us && halves_of(s, i, halves))
			join_halves(s, a, halves);
	}
}

/* ---- the query text ---- */

int64_t prometheus_first_window(int64_t interval_us, int64_t spacing_us, int64_t late_us)
{
	int64_t all = 2 * interval_us + PROMETHEUS_SLACK_US, since;

	all = all > FIRST_LEAST ? all : FIRST_LEAST;
	if (spacing_us <= 0)
		return all;
	since = 2 * spacing_us + PROMETHEUS_SLACK_US;
	since += late_us > spacing_us ? late_us - spacing_us : 0;
	return since < all ? since : all;
}

/* Adds text escaped for a PromQL string. */
static bool add_quoted(struct buf *b, const char *s, size_t n)
{
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++) {
		if (s[i] == '\\' || s[i] == '"')
			ok = buf_add(b, "\\", 1);
		ok = ok && buf_add(b, s + i, 1);
	}
	return ok;
}

/* Adds a name as a regular expression that matches only that name. */
static bool add_name(struct buf *b, const char *name, bool more)
{
	bool ok = !more || buf_add(b, "|", 1);

	/* Names have no other special characters: see inventory_name_ok(). */
	for (; *name && ok; name++) {
		if (strchr(".^$*+?()[]{}|", *name))
			ok = buf_adds(b, "\\\\");
		else if (*name == '\\' || *name == '"')
			return false;
		ok = ok && buf_add(b, name, 1);
	}
	return ok;
}

static bool add_devices(struct buf *b, const struct prometheus_ask *a,
	const struct series_index *book, const struct plan *plan)
{
	bool ok = true;

	for (size_t i = a->from; i < a->to && ok; i++) {
		const struct plan_device *d = &plan->devices.at[series_index_device(book, i)];

		ok = add_name(b, d->name, i > a->from);
		if (ok && d->address && !str_eq(d->address, d->name))
			ok = add_name(b, d->address, true);
	}
	return ok;
}

/* Adds a matcher for the devices: their names replace the first group of the rule's expression. */
static bool add_device_matcher(struct buf *b, const struct prometheus_rule *r,
	const struct prometheus_ask *a, const struct series_index *book, const struct plan *plan)
{
	const char *match = r->device.match, *open = match ? strchr(match, '(') : NULL, *end;
	unsigned depth = 1;
	bool ok = buf_addf(b, "%s=~\"", r->device.label);

	if (!open)
		return ok && add_devices(b, a, book, plan) && buf_adds(b, "\"");
	for (end = open + 1; *end && depth; end++)
		depth += *end == '(' ? 1U : *end == ')' ? -1U : 0U;
	return ok && add_quoted(b, match, (size_t)(open + 1 - match)) &&
	       add_devices(b, a, book, plan) && add_quoted(b, end - 1, strlen(end - 1)) &&
	       buf_adds(b, "\"");
}

/* Adds a matcher for priorities. The label ends in the number: "3" or "UC3". */
static bool add_part(struct buf *b, const struct prometheus_rule *r, enum prometheus_part part,
	const struct plan *plan)
{
	uint8_t lossless = lossless_priorities(&plan->lossless);
	bool more = false, ok;

	if (part == PART_ALL)
		return true;
	ok = buf_addf(b, ",%s%s\"(.*[^0-9])?(", r->sub_label, part == PART_LOSSLESS ? "=~" : "!~");
	for (unsigned p = 0; p < PRIORITIES && ok; p++) {
		if (!(lossless >> p & 1))
			continue;
		ok = buf_addf(b, "%s%u", more ? "|" : "", p);
		more = true;
	}
	return ok && buf_adds(b, ")\"");
}

static bool add_metrics(
	struct buf *b, const struct prometheus_ask *a, const struct prometheus_map *map)
{
	bool ok;

	if (a->rules.n == 1)
		return buf_addf(b, "%s{", map->rules.at[a->rules.at[0]]->metric);
	ok = buf_adds(b, "{__name__=~\"");
	for (size_t i = 0; i < a->rules.n && ok; i++)
		ok = buf_addf(b, "%s%s", i ? "|" : "", map->rules.at[a->rules.at[i]]->metric);
	return ok && buf_adds(b, "\",");
}

bool prometheus_ask_query(const struct prometheus_ask *a, const struct series_index *b,
	const struct plan *plan, const struct prometheus_map *map, int64_t window_us,
	struct buf *text)
{
	const struct prometheus_rule *r = map->rules.at[a->rules.at[0]];
	const char *match = plan->engine.match;

	return add_metrics(text, a, map) && add_device_matcher(text, r, a, b, plan) &&
	       add_part(text, r, a->part, plan) && (!r->where || buf_addf(text, ",%s", r->where)) &&
	       (!match || !*match || buf_addf(text, ",%s", match)) &&
	       buf_addf(text, "}[%llds]", (long long)((window_us + CLOCK_SEC - 1) / CLOCK_SEC));
}

bool prometheus_ask_steps(const struct prometheus_ask *a, const struct series_index *b,
	const struct plan *plan, const struct prometheus_map *map, int64_t step_us,
	struct buf *text)
{
	/* It keeps the names of the metrics, and ends with the last sample instead of carrying it
	 * on. */
	return buf_adds(text, "last_over_time(") &&
	       prometheus_ask_query(a, b, plan, map, step_us, text) && buf_adds(text, ")");
}
