/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fabric/model/feed.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

int64_t feed_time(double s)
{
	return FEED_T0 + (int64_t)(s * 1e6);
}

struct model *feed_new(void)
{
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "fed");
	plan.rails = 2;
	plan.lossless.priorities = 1 << 3;
	(void)plan_make_device(&plan, "node000", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf-r0-00", TIER_LEAF, 0);
	(void)plan_make_device(&plan, "leaf-r1-00", TIER_LEAF, 1);
	(void)plan_make_device(&plan, "spine-000", TIER_SPINE, -1);
	plan_make_link(&plan, 0, "mlx5_0", 1, "Ethernet0", 0);
	plan_make_link(&plan, 0, "mlx5_1", 2, "Ethernet0", 1);
	plan_make_link(&plan, 1, "Ethernet12", 3, "Ethernet1/1", 0);
	plan_make_link(&plan, 2, "Ethernet12", 3, "Ethernet2/1", 1);
	m = model_new(&plan);
	plan_free(&plan);
	return m;
}

int feed_setup(void **state)
{
	*state = feed_new();
	return 0;
}

int feed_teardown(void **state)
{
	model_free(*state);
	return 0;
}

struct obs *feed_batch_of(const char *device, const char *request)
{
	return obs_new(device, request);
}

struct obs *feed_batch(void)
{
	return feed_batch_of("leaf-r0-00", "fast");
}

void feed(struct model *m, struct obs *o, double t)
{
	o->received_us = feed_time(t);
	model_apply(m, o, o->received_us);
	obs_free(o);
}

void feed_count(struct model *m, double t, const char *port, counter_id id, uint64_t value)
{
	struct obs *o = feed_batch();

	obs_count(o, obs_port(o, port), id, 0, value);
	feed(m, o, t);
}

struct port *feed_port(const struct model *m, const char *device, const char *port)
{
	struct device *d = model_device(m, device);
	struct port *p = d ? model_port(m, d, port) : NULL;

	if (!p)
		fail_msg("there is no %s:%s", device, port);
	return p;
}

const struct cell *feed_cell(const struct model *m, const char *port, counter_id id, unsigned sub)
{
	const struct cell *c = port_cell(feed_port(m, "leaf-r0-00", port), id, sub);

	if (!c)
		fail_msg("%s has no %s", port, counter_info[id].name);
	return c;
}

double feed_rate(const struct model *m, const char *port, counter_id id)
{
	return port_rate(feed_port(m, "leaf-r0-00", port), id, 0);
}

unsigned feed_events(const struct model *m, enum event_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; model_event(m, i); i++)
		n += model_event(m, i)->kind == kind;
	return n;
}

const struct event *feed_event(const struct model *m, enum event_kind kind)
{
	for (size_t i = 0; model_event(m, i); i++)
		if (model_event(m, i)->kind == kind)
			return model_event(m, i);
	fail_msg("no event %s", event_info[kind].name);
	return NULL;
}
