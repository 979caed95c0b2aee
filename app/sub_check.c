/* SPDX-License-Identifier: Apache-2.0 */
#include "app/check.h"
#include "app/headless.h"
#include "base/clock.h"
#include "base/str.h"

static void device_line(const struct device *d, FILE *out)
{
	char took[16] = "-";

	if (d->took_us > 0)
		(void)str_printf(took, sizeof(took), "%lldms", (long long)(d->took_us / 1000));
	(void)fprintf(out, "%-16s %-10s %-8s %-6s %-22s %-13s %7s  %s %s\n", d->name,
		tier_name(d->tier), d->dialect, d->transport, d->address, dev_state_name(d->state),
		took, d->model, d->os_version);
	if (d->err.code == ERR_NONE)
		return;
	(void)fprintf(out, "    %s: %s\n", err_code_name(d->err.code), d->err.text);
	if (d->err.cure[0])
		(void)fprintf(out, "    cure: %s\n", d->err.cure);
}

/* Something that devices of a dialect cannot report, and how many of them. */
struct gap {
	const char *dialect;
	const struct capability *cap; /* of the first of them */
	unsigned devices;
};
typedef VEC(struct gap) gap_vec;

static void count_gap(gap_vec *gaps, const struct device *d, const struct capability *cap)
{
	for (size_t i = 0; i < gaps->n; i++) {
		struct gap *g = &gaps->at[i];

		if (g->cap->valid == cap->valid && str_eq(g->cap->need, cap->need) &&
			str_eq(g->dialect, d->dialect)) {
			g->devices++;
			return;
		}
	}
	vec_push(gaps, (struct gap){d->dialect, cap, 1});
}

/* A gap that a hundred devices share is one line with a count, not a hundred lines. */
static void print_gaps(const struct model *m, FILE *out)
{
	gap_vec gaps = {0};

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		for (size_t k = 0; k < d->caps.n; k++) {
			if (d->caps.at[k].valid != VALID_OK)
				count_gap(&gaps, d, &d->caps.at[k]);
		}
	}
	for (size_t i = 0; i < gaps.n; i++) {
		const struct gap *g = &gaps.at[i];

		(void)fprintf(out, "  %-8s %-32s %-12s on %u devices%s%s\n", g->dialect,
			g->cap->need, validity_name((enum validity)g->cap->valid), g->devices,
			g->cap->cure[0] ? "; " : "", g->cap->cure);
	}
	vec_free(&gaps);
}

bool check_text(const struct model *m, int64_t now_us, FILE *out)
{
	struct coverage v = model_coverage(m);

	(void)now_us;
	for (size_t i = 0; i < m->devices.n; i++)
		device_line(m->devices.at[i], out);
	(void)fprintf(out, "\n%u devices:", v.devices);
	for (int s = 0; s < DEV_STATE_COUNT; s++) {
		if (v.by_state[s])
			(void)fprintf(
				out, " %u %s", v.by_state[s], dev_state_name((enum dev_state)s));
	}
	(void)fprintf(out, "\n\nwhat cannot be seen, by dialect:\n");
	print_gaps(m, out);
	return !ferror(out);
}

static int report(const struct options *o, struct model *m, int64_t now_us)
{
	bool ok = o->json ? check_json(m, now_us, stdout) : check_text(m, now_us, stdout);

	return ok && fflush(stdout) == 0 ? headless_exit_code(m) : EXIT_INTERNAL;
}

int sub_check(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.for_us = o->for_us ? o->for_us : 30 * CLOCK_SEC,
		.until_heard = true,
		.done = report,
	};

	return headless_run(&opts);
}
