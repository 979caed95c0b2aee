/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/diagnosis/csv.h"
#include "tests/bench/diagnosis/score_place.h"

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
				g, (double)said->at[i].t_us, (double)said->at[i].t_us, 1};
	}
	return s->incidents - before;
}

/* ---- one fault ---- */

struct case_tally {
	unsigned right, right3, class3, victims;
	double first, stable; /* time; NAN */
	const struct guess *usual;
	unsigned usual_polls;
};

static bool victim_first(const struct said *s)
{
	for (size_t i = 0; s->guesses.n && i < s->victims.n; i++)
		if (json_equal(s->victims.at[i], s->guesses.at[0].entity))
			return true;
	return false;
}

static unsigned polls_of(const said_vec *said, const struct guess *g, double from, double to)
{
	unsigned n = 0;

	for (size_t i = 0; i < said->n; i++)
		if ((double)said->at[i].t_us >= from && (double)said->at[i].t_us <= to &&
			same(first_of(&said->at[i]), g))
			n++;
	return n;
}

static void take_said(struct case_tally *t, const said_vec *said, size_t i, const struct window *w,
	double from, double to, const json_t *topology)
{
	const struct said *s = &said->at[i];
	const struct guess *g = first_of(s);
	bool right = g && place_is_right(w->fault, g->entity, topology);
	bool any = false;
	unsigned n;

	for (size_t k = 0; k < s->guesses.n; k++) {
		bool ok = place_is_right(w->fault, s->guesses.at[k].entity, topology);

		any |= ok && k < 3;
		t->class3 += ok && k < 3 && class_is_right(w->fault, s->guesses.at[k].class);
	}
	t->right3 += any;
	t->right += right;
	t->victims += victim_first(s) && !right;
	if (right && isnan(t->first))
		t->first = (double)s->t_us;
	if (right && isnan(t->stable))
		t->stable = (double)s->t_us;
	if (!right)
		t->stable = (double)NAN;
	if (!g)
		return;
	n = polls_of(said, g, from, to);
	if (n > t->usual_polls) {
		t->usual_polls = n;
		t->usual = g;
	}
}

static void judge_fault(struct score *s, const json_t *fault, const said_vec *said, double bucket,
	const json_t *topology, bool several, unsigned incidents, score_row *row, void *ctx)
{
	struct window w = window_of(fault);
	struct case_tally t = {.first = (double)NAN, .stable = (double)NAN};
	double from = w.from + bucket, to = w.to + 2 * bucket;
	char *place, text[200];
	bool top1, class_ok;

	for (size_t i = 0; i < said->n; i++)
		if ((double)said->at[i].t_us >= from && (double)said->at[i].t_us <= to)
			take_said(&t, said, i, &w, from, to, topology);
	top1 = t.usual && place_is_right(fault, t.usual->entity, topology);
	class_ok = top1 && class_is_right(fault, t.usual->class);
	if (several) {
		top1 = top1 || t.right3 >= 2;
		class_ok = class_ok || t.class3;
	}
	s->faults++;
	s->detected += t.right >= 2;
	s->top1 += top1;
	s->top3 += t.right3 >= 2;
	s->right_class += class_ok;
	s->victim_first += t.victims > 0;
	if (!isnan(t.first))
		vec_push(&s->polls, (t.first - w.from) / bucket);
	if (!isnan(t.stable))
		vec_push(&s->stable, (t.stable - w.from) / bucket);
	place = t.usual ? json_dumps(t.usual->entity, JSON_ENCODE_ANY) : NULL;
	(void)str_printf(
		text, sizeof(text), "%s @ %s", t.usual ? t.usual->class : "-", place ? place : "-");
	free(place);
	row(ctx, class_of(fault), top1, class_ok, (t.first - w.from) / bucket, incidents, text);
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
	json_array_foreach(faults, i, f) judge_fault(
		s, f, said, bucket, topology, json_array_size(faults) > 1, incidents, row, ctx);
	json_decref(faults);
	json_decref(topology);
	json_decref(label);
	return label != NULL;
}
