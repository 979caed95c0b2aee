/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/packets/fresh_run.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/bench/packets/faults.h"

#define DRAWS_MOST 40

static const struct fault_kind *draw_kind(struct dice *d)
{
	int sum = 0, at;
	size_t i = 0;

	for (size_t k = 0; k < fault_kind_count; k++)
		sum += fault_kinds[k].weight;
	at = dice_int(d, 0, sum - 1);
	while (at >= fault_kinds[i].weight)
		at -= fault_kinds[i++].weight;
	return &fault_kinds[i];
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

/* NULL: another kind or shape is wanted, or there is no room for what was drawn. */
static const struct fault_kind *draw_scene(
	struct scene *s, uint64_t seed, uint32_t draw, const char *only)
{
	const struct fault_kind *k;
	enum shape_kind shape = SHAPE_COUNT;

	*s = (struct scene){.dice = dice_of(seed, draw), .fits = true};
	k = draw_kind(&s->dice);
	if (k->shapes)
		shape = draw_shape(&s->dice, k->shapes);
	if (only && !str_eq(only, k->name) && !(k->shapes && str_eq(only, shape_name(shape))))
		return NULL;
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
	return s->fits ? k : NULL;
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
	unsigned misfits = 0;
	bool done = false;

	*run = (struct fresh_run){.seed = seed};
	for (uint32_t draw = 0; !done && run->draws < DRAWS_MOST && misfits < 4000; draw++) {
		struct scene s;
		const struct fault_kind *k = draw_scene(&s, seed, draw, only);

		if (!k) {
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
