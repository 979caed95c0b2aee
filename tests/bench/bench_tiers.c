/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of each tier of polling and of each of its requests. It is CPU time of this process,
 * over the product's SSH transport, of hosts and switches that the responder answers for. Beside it
 * stands the share of a core on the 4,000-GPU fabric, at the default periods: the fast tier every 5
 * s.
 *
 *   bench_tiers [DEVICES [WAY]]   devices of each kind, 40 by default; WAY: full or filtered
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/plan/sizing.h"
#include "tests/bench/load/responder.h"
#include "tests/bench/load/sweep.h"
#include "tests/support/figures.h"

#define SWEEPS 5

static const struct {
	const char *name;
	enum poll_tier tier;
	double period_s;
} tiers[] = {
	{"fast", POLL_FAST, 5},
	{"medium", POLL_MEDIUM, POLL_MEDIUM_US / 1e6},
	{"slow", POLL_SLOW, POLL_SLOW_US / 1e6},
};
#define TIERS (sizeof(tiers) / sizeof(tiers[0]))

static const char *const kinds[] = RESPONDER_NAMES;

/* Of the sweeps of one tier, added up. */
struct account {
	struct sweep_result all; /* asked and decoded */
	double transport_s;      /* asked only */
	unsigned devices, sweeps;
};

static unsigned devices_of(enum responder_kind kind)
{
	const struct sizing *z = sizing_preset("4k");
	unsigned n = 0;

	for (int t = 0; t < TIER_COUNT; t++)
		if ((t == TIER_HOST) == (kind == RESPONDER_HOST))
			n += sizing_devices(z, (enum tier)t);
	return n;
}

/* The place of a request in the table; answers come in any order. */
static struct sweep_request *of_name(struct account *a, const char *name)
{
	size_t i = 0;

	while (i + 1 < SWEEP_REQUESTS && a->all.requests[i].name[0] &&
		!str_eq(a->all.requests[i].name, name))
		i++;
	(void)str_copy(a->all.requests[i].name, sizeof(a->all.requests[i].name), name);
	return &a->all.requests[i];
}

static void add(struct account *a, const struct sweep_result *r)
{
	a->all.cpu_s += r->cpu_s;
	a->all.plan_s += r->plan_s;
	for (size_t i = 0; i < SWEEP_REQUESTS && r->requests[i].name[0]; i++) {
		struct sweep_request *q = of_name(a, r->requests[i].name);

		q->answers += r->requests[i].answers;
		q->bytes += r->requests[i].bytes;
		q->parse_s += r->requests[i].parse_s;
	}
}

static void tell(struct figures *f, enum responder_kind kind, size_t t, const struct account *a)
{
	double polls = (double)a->devices * a->sweeps, ms = a->all.cpu_s * 1e3 / polls;
	char name[96];

	(void)str_printf(name, sizeof(name), "%s, %s: a poll, decoded", kinds[kind], tiers[t].name);
	figure(f, name, ms, "ms", 0);
	figure(f, "  of a core at 4k", ms / 10 / tiers[t].period_s * devices_of(kind), "%", 0);
	figure(f, "  transport, planning included", a->transport_s * 1e3 / polls, "ms", 0);
	figure(f, "  planning", a->all.plan_s * 1e3 / polls, "ms", 0);
	for (size_t i = 0; i < SWEEP_REQUESTS && a->all.requests[i].name[0]; i++) {
		const struct sweep_request *q = &a->all.requests[i];

		(void)str_printf(name, sizeof(name), "  parse \"%s\" of %.1f kB", q->name,
			(double)q->bytes / 1e3 / q->answers);
		figure(f, name, q->parse_s * 1e3 / q->answers, "ms", 0);
	}
}

static bool is_good(const struct sweep_result *r, const char *what)
{
	if (r->failed)
		(void)fprintf(stderr, "tiers: %s: %u failed: %s\n", what, r->failed, r->complaint);
	return r->failed == 0;
}

static enum poll_way way; /* a word on the command line */

static bool measure(
	struct figures *f, const struct responder *from, enum responder_kind kind, unsigned n)
{
	struct account accounts[TIERS] = {0};
	struct sweep_result r;
	struct sweeper *s;
	struct plan plan;
	bool ok;

	plan_init(&plan);
	responder_plan(from, kind, n, &plan);
	for (size_t i = 0; i < plan.devices.n; i++)
		plan.devices.at[i].poll = way;
	s = sweeper_new(&plan, false);
	sweeper_connect(s, &r);
	ok = is_good(&r, "connect");
	sweeper_detect(s, &r);
	ok = is_good(&r, "detect") && ok;
	/* From the second round on, the requests use the facts learnt from the first answers. */
	for (size_t t = 0; t < TIERS && ok; t++)
		sweeper_ask(s, tiers[t].tier, SWEEP_PARSE, &r);
	for (unsigned i = 0; i < SWEEPS && ok; i++)
		for (size_t t = 0; t < TIERS && ok; t++) {
			sweeper_ask(s, tiers[t].tier, SWEEP_TRANSPORT, &r);
			accounts[t].transport_s += r.cpu_s;
			sweeper_ask(s, tiers[t].tier, SWEEP_PARSE, &r);
			ok = is_good(&r, tiers[t].name);
			add(&accounts[t], &r);
			accounts[t].devices = n;
			accounts[t].sweeps++;
		}
	for (size_t t = 0; t < TIERS && ok; t++)
		tell(f, kind, t, &accounts[t]);
	sweeper_free(s);
	plan_free(&plan);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 40;
	struct responder from;
	struct figures *f;
	bool ok = true;

	if (argc > 2 && str_eq(argv[2], poll_way_name(POLL_WAY_FILTERED)))
		way = POLL_WAY_FILTERED;
	if (!n || n > 10000 || (argc > 2 && !str_eq(argv[2], poll_way_name(way)))) {
		(void)fprintf(stderr, "usage: bench_tiers [DEVICES [full|filtered]]\n");
		return 2;
	}
	if (!responder_start(&from, &(struct responder_opts){0}))
		return 1;
	f = figures_new("tiers");
	for (int k = 0; k < RESPONDER_KINDS; k++)
		ok = measure(f, &from, (enum responder_kind)k, (unsigned)n) && ok;
	responder_stop(&from);
	return figures_end(f) && ok ? 0 : 1;
}
