/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: the state of a model of two devices and a link, then its histories, as a recording holds
 * them. Any bytes that load give a model that takes observations, and its saved state can be loaded
 * again.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "fabric/state/state.h"
#include "fabric/vocabulary/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW_US INT64_C(1760000000000000)

static void device(struct plan *plan, const char *name, enum tier tier)
{
	struct plan_device *d = vec_add(&plan->devices);

	(void)str_copy(d->name, sizeof(d->name), name);
	d->tier = tier;
	d->rail = -1;
}

static struct model *small(void)
{
	struct plan plan;
	struct plan_link *l;
	struct model *m;

	plan_init(&plan);
	device(&plan, "node0", TIER_HOST);
	device(&plan, "leaf0", TIER_LEAF);
	l = vec_add(&plan.links);
	*l = (struct plan_link){.a = 0, .b = 1, .a_port = "mlx5_0", .b_port = "Ethernet0"};
	m = model_new(&plan);
	plan_free(&plan);
	return m;
}

/* As a screen and a comparison do. */
static void read_histories(const struct model *m)
{
	struct history_column columns[40];
	struct history h;

	for (size_t i = 0; i < m->ports.n; i++)
		for (unsigned id = 0; id < COUNTER_COUNT; id++) {
			const struct port *p = m->ports.at[i];

			if (!port_history(p, (enum counter_id)id, 0, &h))
				continue;
			if (h.used > HISTORY_LEN || h.next >= HISTORY_LEN)
				abort();
			(void)history_columns(p, (enum counter_id)id, 0, NOW_US, 90000000, columns,
				sizeof(columns) / sizeof(columns[0]));
			(void)history_kept(m, p, NOW_US);
		}
}

/* A saved history can be loaded again. */
static void histories_again(struct model *m, struct model *again)
{
	struct buf b;
	struct state s;

	buf_init(&b, (size_t)64 << 20);
	state_saves(&s, &b);
	for (size_t i = 1; i <= m->devices.n; i++)
		if (!model_history_step(&s, m, i, true))
			abort();
	state_loads(&s, b.data, b.len);
	for (size_t i = 1; i <= again->devices.n; i++)
		if (!model_history_step(&s, again, i, true))
			abort();
	buf_free(&b);
}

static bool load(struct model *m, struct state *s)
{
	for (size_t i = 0; i < model_state_steps(m); i++)
		if (!model_state_step(s, m, i))
			return false;
	return model_state_loaded(m);
}

static void apply(struct model *m, const char *name, int64_t now_us)
{
	struct obs *o = obs_new(name, "fast");
	uint32_t port = obs_port(o, "Ethernet0");
	struct obs_nccl *r = obs_nccl(o, NCCL_RANK, SOURCE_RAS);

	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		if (counter_info[id].kind == KIND_COUNT)
			obs_count(o, port, (enum counter_id)id, 0, (uint64_t)now_us);
	obs_word(o, port, ATTR_ALIAS, 0, "etp0");
	obs_lldp(o, port, "node0", "mlx5_0");
	obs_log(o, port, 3, true, NOW_US, "a line");
	r->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
	r->rank = 0;
	r->nranks = 2;
	r->pid = 7;
	(void)obs_nccl(o, NCCL_DONE, SOURCE_RAS);
	o->received_us = now_us;
	model_apply(m, o, now_us);
	obs_free(o);
	(void)model_age(m, now_us);
	model_links(m);
}

static void save_and_load(struct model *m)
{
	struct model *again = small();
	struct buf b;
	struct state s;

	buf_init(&b, (size_t)64 << 20);
	state_saves(&s, &b);
	for (size_t i = 0; i < model_state_steps(m); i++)
		if (!model_state_step(&s, m, i))
			abort();
	state_loads(&s, b.data, b.len);
	if (!load(again, &s) || !state_ended(&s))
		abort();
	histories_again(m, again);
	model_free(again);
	buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model *m = small();
	struct state s;

	state_loads(&s, data, size);
	if (load(m, &s)) {
		for (size_t i = 1; i <= m->devices.n && model_history_step(&s, m, i, true);)
			i++;
		read_histories(m);
		apply(m, "leaf0", NOW_US);
		read_histories(m);
		save_and_load(m);
		apply(m, "node0", NOW_US + 5000000);
		apply(m, "leaf0", NOW_US + 5000000);
	}
	model_free(m);
	return 0;
}
