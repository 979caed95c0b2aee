/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/sim_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/topology_file.h"
#include "tests/support/plan_make.h"

/* Rails as the console takes them from the inventory: of the leaf, else of the port. */
static int rail_of(const struct sim_run *r, const struct sim_device *d, const struct sim_port *p)
{
	const struct sim_device *far = sim_device_of(r->sim, p->plan_peer);

	if (d->rail >= 0)
		return d->rail;
	return far->rail >= 0 ? far->rail : p->rail;
}

/* Devices by number as the sim has them: the plan has the same order. */
static unsigned index_of(const struct sim_run *r, const struct sim_device *d)
{
	return (unsigned)(d - sim_device(r->sim, 0));
}

static void port_name(const struct sim_port *p, char *dst, size_t size)
{
	if (p->tier == TIER_HOST)
		(void)str_printf(dst, size, "mlx5_%u", p->port);
	else
		(void)str_copy(dst, size, p->name);
}

static void plan_ports(struct sim_run *r, const struct sim_device *d)
{
	char a[NAME_MAX_LEN], b[NAME_MAX_LEN];

	for (unsigned i = 0; i < d->nports; i++) {
		const struct sim_port *p = &d->ports[i], *q = p->plan_peer;

		/* Each cable once, from below. */
		if (!q || q->tier <= p->tier)
			continue;
		port_name(p, a, sizeof(a));
		port_name(q, b, sizeof(b));
		plan_make_link(&r->plan, index_of(r, d), a, index_of(r, sim_device_of(r->sim, q)),
			b, rail_of(r, d, p));
		r->plan.links.at[r->plan.links.n - 1].speed_mbps = p->plan_mbps;
	}
}

static void make_plan(struct sim_run *r)
{
	struct sim_device *d;

	plan_init(&r->plan);
	(void)str_copy(r->plan.fabric, sizeof(r->plan.fabric), "bench");
	r->plan.lossless.priorities = 1U << SIM_PRIO_ROCE;
	r->plan.lossless.cnp_dscp = 48;
	for (size_t i = 0; (d = sim_device(r->sim, i)); i++) {
		plan_make_device(&r->plan, d->name, d->tier, d->rail)->interval_us = r->interval_us;
		if (d->rail >= (int)r->plan.rails)
			r->plan.rails = (unsigned)d->rail + 1;
	}
	for (size_t i = 0; (d = sim_device(r->sim, i)); i++)
		plan_ports(r, d);
}

static bool open_writer(struct sim_run *r, struct err *err)
{
	r->writer = observations_new(&(struct observations_opts){.sim = r->sim,
					     .file = r->file,
					     .path = "lines",
					     .start_us = SIM_START,
					     .speed = 1,
					     .interval_us = CLOCK_SEC},
		err);
	return r->writer != NULL;
}

bool sim_run_open(struct sim_run *r, const char *preset, uint64_t seed, const char *scenario,
	const struct sweep *sweep, struct err *err)
{
	struct sim_opts o = {.seed = seed, .start_us = SIM_START, .speed = 1};
	struct topology *topology = topology_named(preset, NULL, err);

	if (!topology)
		return false;
	o.topology = topology;
	*r = (struct sim_run){.topology = topology,
		.sim = sim_new(&o),
		.interval_us = 5 * CLOCK_SEC * sweep->coarse,
		.now_us = SIM_START,
		.sweep = sweep};
	if (scenario && !sim_scenario(r->sim, scenario, err)) {
		sim_free(r->sim);
		topology_free(r->topology);
		return false;
	}
	make_plan(r);
	r->file = open_memstream(&r->text, &r->size);
	return open_writer(r, err);
}

void sim_run_close(struct sim_run *r)
{
	(void)observations_close(r->writer, NULL);
	(void)fclose(r->file);
	free(r->text);
	plan_free(&r->plan);
	sim_free(r->sim);
	topology_free(r->topology);
	*r = (struct sim_run){0};
}

static void feed(struct sim_run *r, struct bed *bed)
{
	char *line = r->text, *end;

	while (line < r->text + r->size &&
		(end = memchr(line, '\n', (size_t)(r->text + r->size - line)))) {
		bed_line(bed, line, (size_t)(end - line));
		line = end + 1;
	}
}

/* Within a minute or so of the run, when its faults are on. */
static void clear_counters(struct sim_run *r, unsigned poll)
{
	struct sim_device *d;

	for (size_t i = 0; r->sweep->reset && (d = sim_device(r->sim, i)); i++)
		if (poll == 6 + (unsigned)(chance(d->name, 0, 5) * 4))
			sim_clear_counters(r->sim, d, NULL);
}

void sim_run_poll(struct sim_run *r, struct bed *bed)
{
	/* All devices of a poll come late or early together: the sim has one time. */
	double off = r->sweep->jitter * (2 * chance("poll", bed->poll, 4) - 1);

	r->now_us += r->interval_us;
	clear_counters(r, bed->poll);
	(void)fflush(r->file);
	rewind(r->file);
	observations_take(r->writer, r->now_us + (int64_t)(off * (double)r->interval_us));
	(void)fflush(r->file);
	r->size = (size_t)ftell(r->file);
	feed(r, bed);
	bed_poll(bed, r->now_us + (int64_t)(off * (double)r->interval_us));
}

json_t *sim_run_truth(const struct sim_run *r)
{
	char *text = sim_truth(r->sim);
	json_t *doc = json_loads(text, 0, NULL);

	free(text);
	return doc;
}
