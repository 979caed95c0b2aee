/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/packets/fresh_run.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/bench/packets/faults.h"

#define DRAWS_MOST   40
#define MISFITS_MOST 400

#define DECK_MOST 256

/*
 * Seeds that follow one another draw from one shuffled deck, in which each kind lies as often as
 * its weight says. So some dozens of seeds have nearly all kinds.
 */
static const struct fault_kind *draw_kind(uint64_t seed)
{
	const struct fault_kind *deck[DECK_MOST];
	struct dice d;
	size_t n = 0;

	for (size_t k = 0; k < fault_kind_count; k++)
		for (int i = 0; i < fault_kinds[k].weight && n < DECK_MOST; i++)
			deck[n++] = &fault_kinds[k];
	d = dice_of(seed / n, 77);
	for (size_t i = n - 1; i > 0; i--) {
		size_t k = (size_t)dice_int(&d, 0, (int)i);
		const struct fault_kind *x = deck[k];

		deck[k] = deck[i];
		deck[i] = x;
	}
	return deck[seed % n];
}

static const struct fault_kind *find_kind(const char *name)
{
	for (size_t i = 0; name && i < fault_kind_count; i++)
		if (str_eq(fault_kinds[i].name, name))
			return &fault_kinds[i];
	return NULL;
}

static enum shape_kind draw_shape(struct dice *d, unsigned allowed)
{
	int kind;

	do {
		kind = dice_int(d, 0, SHAPE_COUNT - 1);
	} while (!(allowed & 1U << kind));
	return (enum shape_kind)kind;
}

static void draw_window(struct scene *s)
{
	double bucket = s->net.bucket_us;

	s->from_us = bucket * dice_real(&s->dice, 8, 14);
	s->to_us = s->from_us + bucket * dice_real(&s->dice, 10, 18);
}

/* False: another shape is wanted, or there is no room for what was drawn. */
static bool draw_scene(struct scene *s, const struct fault_kind *k, uint64_t seed, uint32_t draw,
	const char *shape_only)
{
	enum shape_kind shape = SHAPE_COUNT;

	*s = (struct scene){.dice = dice_of(seed, draw), .fits = true};
	if (k->shapes)
		shape = draw_shape(&s->dice, k->shapes);
	if (shape_only && (!k->shapes || !str_eq(shape_only, shape_name(shape))))
		return false;
	if (k->shapes) {
		shape_draw(&s->shape, shape, &s->dice);
		shape_build(&s->shape, &s->net, &s->dice);
		draw_window(s);
	}
	if (!k->own_load)
		scene_load(s, (enum load)dice_int(&s->dice, 0, LOAD_COUNT - 1),
			dice_real(&s->dice, 0.5, 0.8));
	k->make(s);
	if (s->fits && !k->own_ways)
		scene_settle(s);
	return s->fits;
}

static void describe(const struct scene *s, const struct fault_kind *k, struct fresh_run *r)
{
	r->nics = 0;
	for (size_t i = 0; i < s->net.nodes.n; i++)
		r->nics += s->net.nodes.at[i].nic;
	(void)str_copy(r->kind, sizeof(r->kind), k->name);
	(void)str_copy(r->shape, sizeof(r->shape), k->shapes ? shape_name(s->shape.kind) : "ring");
	(void)str_copy(r->workload, sizeof(r->workload), s->workload);
	r->place[0] = '\0';
	for (size_t i = 0; i < s->culprits; i++) {
		size_t len = strlen(r->place);

		(void)str_printf(r->place + len, sizeof(r->place) - len, "%s%s @ %s",
			i ? " and " : "", s->culprit[i].class, s->culprit[i].place);
	}
}

static bool write_label(const struct scene *s, const struct fresh_run *r, const char *dir)
{
	FILE *f = pk_create(dir, "label.json");

	if (!f)
		return false;
	(void)fprintf(f,
		"{\"scenario\":\"%s\",\"seed\":%llu,\"shape\":\"%s\",\"workload\":\"%s\","
		"\"duration_us\":%.0f,\"bucket_us\":%.0f,\"faults\":[",
		r->kind, (unsigned long long)r->seed, r->shape, r->workload, s->net.duration_us,
		s->net.bucket_us);
	for (size_t i = 0; i < s->culprits; i++) {
		const struct culprit *c = &s->culprit[i];

		(void)fprintf(f, "%s\n{\"class\":\"%s\",\"root\":%s,\"fault_start_us\":%.1f,",
			i ? "," : "", c->class, c->root, c->start_us);
		if (c->visible_us > c->start_us)
			(void)fprintf(f, "\"visible_start_us\":%.1f,", c->visible_us);
		(void)fprintf(f, "\"fault_end_us\":%.1f}",
			c->visible_us > 0 ? s->to_us : s->net.duration_us);
	}
	if (!s->culprits)
		(void)fputs("\n{\"class\":\"none\",\"root\":null,\"fault_start_us\":0,"
			    "\"fault_end_us\":0}",
			f);
	(void)fputs("\n]}\n", f);
	return fclose(f) == 0;
}

bool fresh_write(uint64_t seed, const char *dir, const char *only, struct fresh_run *run)
{
	const struct fault_kind *wanted = find_kind(only), *k = wanted ? wanted : draw_kind(seed);
	unsigned misfits = 0;
	bool done = false;

	*run = (struct fresh_run){.seed = seed};
	for (uint32_t draw = 0; !done && run->draws < DRAWS_MOST && misfits < MISFITS_MOST;
		draw++) {
		struct scene s;

		if (!draw_scene(&s, k, seed, draw, wanted ? NULL : only)) {
			misfits++;
			scene_free(&s);
			continue;
		}
		run->draws++;
		describe(&s, k, run);
		done = scene_run(&s, dir) && scene_shows(&s) && write_label(&s, run, dir);
		scene_free(&s);
	}
	return done;
}
