/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/diagnosis/csv.h"
#include "tests/bench/diagnosis/score_place.h"

#define BUCKET_SECONDS 5.0

struct window {
	const json_t *fault;
	double from, to;
};

struct incident {
	const struct guess *guess;
	double from, to;
	unsigned polls;
};

void said_free(said_vec *v)
{
	for (size_t i = 0; i < v->n; i++) {
		for (size_t k = 0; k < v->at[i].guesses.n; k++)
			json_decref(v->at[i].guesses.at[k].entity);
		for (size_t k = 0; k < v->at[i].victims.n; k++)
			json_decref(v->at[i].victims.at[k]);
		vec_free(&v->at[i].guesses);
		vec_free(&v->at[i].victims);
	}
	vec_free(v);
}

void score_free(struct score *s)
{
	vec_free(&s->polls);
	vec_free(&s->stable);
}

void score_merge(struct score *s, const struct score *other)
{
	s->faults += other->faults;
	s->detected += other->detected;
	s->top1 += other->top1;
	s->top3 += other->top3;
	s->right_class += other->right_class;
	s->py_detected += other->py_detected;
	s->py_top1 += other->py_top1;
	s->py_class += other->py_class;
	s->incidents += other->incidents;
	s->right_incidents += other->right_incidents;
	s->healthy += other->healthy;
	s->false_incidents += other->false_incidents;
	s->victim_first += other->victim_first;
	for (size_t i = 0; i < other->polls.n; i++)
		vec_push(&s->polls, other->polls.at[i]);
	for (size_t i = 0; i < other->stable.n; i++)
		vec_push(&s->stable, other->stable.at[i]);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double score_part(double *at, size_t n, double p)
{
	size_t i;

	if (!n)
		return (double)NAN;
	qsort(at, n, sizeof(*at), ascending);
	if (p == 0.5)
		return n % 2 ? at[n / 2] : (at[n / 2 - 1] + at[n / 2]) / 2;
	i = (size_t)(p * (double)n);
	return at[n > 1 && i ? i - 1 : 0];
}

double score_stable_s(struct score *s, double p)
{
	return score_part(s->stable.at, s->stable.n, p) * BUCKET_SECONDS;
}

static double field(const json_t *o, const char *key, double otherwise)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : otherwise;
}

static const char *class_of(const json_t *fault)
{
	const char *s = json_string_value(json_object_get(fault, "class"));

	return s ? s : "";
}

static struct window window_of(const json_t *fault)
{
	return (struct window){fault,
		field(fault, "visible_start_us", field(fault, "fault_start_us", 0)),
		field(fault, "fault_end_us", 0)};
}

static bool same(const struct guess *a, const struct guess *b)
{
	return a && b && strcmp(a->class, b->class) == 0 && json_equal(a->entity, b->entity);
}

static const struct guess *first_of(const struct said *s)
{
	return s->guesses.n ? &s->guesses.at[0] : NULL;
}

/* ---- incidents ---- */

static void judge_incident(struct score *s, const struct incident *in, const json_t *faults,
	double bucket, const json_t *topology)
{
	const json_t *f;
	size_t i;

	if (in->polls < 2)
		return;
	s->incidents++;
	json_array_foreach(faults, i, f)
	{
		struct window w = window_of(f);

		if (place_is_right(f, in->guess->entity, topology) && in->to >= w.from &&
			in->from <= w.to + 4 * bucket) {
			s->right_incidents++;
			return;
		}
	}
}

static bool lists(const struct said *s, const struct guess *g)
{
	for (size_t i = 0; i < s->guesses.n; i++)
		if (same(&s->guesses.at[i], g))
			return true;
	return false;
}

/* Since when the verdict of poll i has been listed, also behind others. */
static double listed_since(const said_vec *said, size_t i, const struct guess *g)
{
	while (i > 0 && lists(&said->at[i - 1], g))
		i--;
	return (double)said->at[i].t_us;
}

static unsigned find_incidents(struct score *s, const said_vec *said, const json_t *faults,
	double bucket, const json_t *topology)
{
	struct incident in = {0};
	unsigned before = s->incidents;

	for (size_t i = 0; i <= said->n; i++) {
		const struct guess *g = i < said->n ? first_of(&said->at[i]) : NULL;

		if (in.guess && same(g, in.guess)) {
			in.to = (double)said->at[i].t_us;
			in.polls++;
			continue;
		}
		if (in.guess)
			judge_incident(s, &in, faults, bucket, topology);
		in = (struct incident){0};
		if (g)
			in = (struct incident){
				g, listed_since(said, i, g), (double)said->at[i].t_us, 1};
	}
	return s->incidents - before;
}

/* ---- one fault ---- */

/* The faults of a run, one of which is judged. */
struct trial {
	const json_t *faults, *topology;
	double bucket;
	struct window w;
	double from, to;
};

/* How often each verdict was the one that counts; the most frequent is the usual one. */
struct usual {
	const struct guess *guess;
	VEC(const struct guess *) all;
};

struct case_tally {
	unsigned right, first_right, right3, class3, victims;
	double first, stable; /* time; NAN */
	struct usual usual, usual_first;
};

static bool victim_first(const struct said *s, const struct guess *first)
{
	for (size_t i = 0; first && i < s->victims.n; i++)
		if (json_equal(s->victims.at[i], first->entity))
			return true;
	return false;
}

/* Whether the verdict is right for another fault that is on, or shows for a while after. */
static bool is_others(const struct trial *t, const struct guess *g, double now)
{
	const json_t *f;
	size_t i;

	if (place_is_right(t->w.fault, g->entity, t->topology))
		return false;
	json_array_foreach(t->faults, i, f)
	{
		struct window w = window_of(f);

		if (f != t->w.fault && now >= w.from && now <= w.to + 4 * t->bucket &&
			place_is_right(f, g->entity, t->topology))
			return true;
	}
	return false;
}

/* The first verdict that says anything about this fault or is wrong; NULL: none. */
static const struct guess *counted(const struct trial *t, const struct said *s)
{
	for (size_t i = 0; i < s->guesses.n; i++)
		if (!is_others(t, &s->guesses.at[i], (double)s->t_us))
			return &s->guesses.at[i];
	return NULL;
}

static void take_usual(struct usual *u, const struct guess *g)
{
	if (g)
		vec_push(&u->all, g);
}

/* The earliest of those that were said most often. */
static const struct guess *settle_usual(struct usual *u)
{
	unsigned most = 0;

	for (size_t i = 0; i < u->all.n; i++) {
		unsigned n = 0;

		for (size_t k = 0; k < u->all.n; k++)
			n += same(u->all.at[i], u->all.at[k]);
		if (n > most) {
			most = n;
			u->guess = u->all.at[i];
		}
	}
	vec_free(&u->all);
	return u->guess;
}

static void take_three(struct case_tally *t, const struct trial *x, const struct said *s)
{
	bool any = false;

	for (size_t k = 0; k < s->guesses.n && k < 3; k++) {
		bool ok = place_is_right(x->w.fault, s->guesses.at[k].entity, x->topology);

		any |= ok;
		t->class3 += ok && class_is_right(x->w.fault, s->guesses.at[k].class);
	}
	t->right3 += any;
}

static void take_said(struct case_tally *t, const struct trial *x, const struct said *s)
{
	const struct guess *g = counted(x, s), *first = first_of(s);
	bool right = g && place_is_right(x->w.fault, g->entity, x->topology);

	take_three(t, x, s);
	t->first_right += first && place_is_right(x->w.fault, first->entity, x->topology);
	t->right += right;
	t->victims += !right && victim_first(s, g);
	if (right && isnan(t->first))
		t->first = (double)s->t_us;
	if (right && isnan(t->stable))
		t->stable = (double)s->t_us;
	if (!right)
		t->stable = (double)NAN;
	take_usual(&t->usual, g);
	take_usual(&t->usual_first, first);
}

static bool right_place(const struct trial *x, const struct guess *g)
{
	return g && place_is_right(x->w.fault, g->entity, x->topology);
}

static bool right_class(const struct trial *x, const struct guess *g)
{
	return right_place(x, g) && class_is_right(x->w.fault, g->class);
}

static void count_as_script(
	struct score *s, const struct trial *x, const struct case_tally *t, const struct guess *g)
{
	bool several = json_array_size(x->faults) > 1;

	s->py_detected += t->first_right >= 2;
	s->py_top1 += right_place(x, g) || (several && t->right3 >= 2);
	s->py_class += right_class(x, g) || (several && t->class3);
}

static void judge_fault(struct score *s, const struct trial *x, const said_vec *said,
	unsigned incidents, score_row *row, void *ctx)
{
	struct case_tally t = {.first = (double)NAN, .stable = (double)NAN};
	const struct guess *g;
	char *place, text[200];

	for (size_t i = 0; i < said->n; i++)
		if ((double)said->at[i].t_us >= x->from && (double)said->at[i].t_us <= x->to)
			take_said(&t, x, &said->at[i]);
	count_as_script(s, x, &t, settle_usual(&t.usual_first));
	g = settle_usual(&t.usual);
	s->faults++;
	s->detected += t.right >= 2;
	s->top1 += right_place(x, g);
	s->top3 += t.right3 >= 2;
	s->right_class += right_class(x, g);
	s->victim_first += t.victims > 0;
	if (!isnan(t.first))
		vec_push(&s->polls, (t.first - x->w.from) / x->bucket);
	if (!isnan(t.stable))
		vec_push(&s->stable, (t.stable - x->w.from) / x->bucket);
	place = g ? json_dumps(g->entity, JSON_ENCODE_ANY) : NULL;
	(void)str_printf(text, sizeof(text), "%s @ %s", g ? g->class : "-", place ? place : "-");
	free(place);
	row(ctx, class_of(x->w.fault), right_place(x, g), right_class(x, g),
		(t.first - x->w.from) / x->bucket, incidents, text);
}

static void judge_faults(struct score *s, const struct trial *all, const said_vec *said,
	unsigned incidents, score_row *row, void *ctx)
{
	const json_t *f;
	size_t i;

	json_array_foreach(all->faults, i, f)
	{
		struct trial x = *all;

		x.w = window_of(f);
		x.from = x.w.from + x.bucket;
		x.to = x.w.to + 2 * x.bucket;
		judge_fault(s, &x, said, incidents, row, ctx);
	}
}

bool score_run(struct score *s, const char *dir, const said_vec *said, score_row *row, void *ctx)
{
	json_t *label = read_json(dir, "label.json"), *topology = read_json(dir, "topology.json");
	json_t *faults = json_array(), *f;
	double bucket = field(label, "bucket_us", 1000);
	unsigned incidents;
	size_t i;

	json_array_foreach(json_object_get(label, "faults"), i, f)
	{
		if (strcmp(class_of(f), "none") != 0)
			json_array_append(faults, f);
	}
	incidents = find_incidents(s, said, faults, bucket, topology);
	if (label && !json_array_size(faults)) {
		s->healthy++;
		s->false_incidents += incidents;
		row(ctx, "(healthy)", incidents == 0, incidents == 0, (double)NAN, incidents, "");
	}
	judge_faults(s, &(struct trial){.faults = faults, .topology = topology, .bucket = bucket},
		said, incidents, row, ctx);
	json_decref(faults);
	json_decref(topology);
	json_decref(label);
	return label != NULL;
}
