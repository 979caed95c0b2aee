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

/* A gap that a hundred devices share is one line with a count, not a hundred lines. */
static void gaps(const struct model *m, FILE *out)
{
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		for (size_t k = 0; k < d->caps.n; k++) {
			const struct capability *cap = &d->caps.at[k];
			unsigned same = 0;
			bool first = true;

			if (cap->valid == VALID_OK)
				continue;
			for (size_t j = 0; j < m->devices.n; j++) {
				const struct device *other = m->devices.at[j];

				for (size_t l = 0; l < other->caps.n; l++) {
					if (!str_eq(other->caps.at[l].need, cap->need) ||
						other->caps.at[l].valid != cap->valid ||
						!str_eq(other->dialect, d->dialect))
						continue;
					first = first && j >= i;
					same++;
				}
			}
			if (first)
				(void)fprintf(out, "  %-8s %-32s %-12s on %u devices%s%s\n",
					d->dialect, cap->need,
					validity_name((enum validity)cap->valid), same,
					cap->cure[0] ? "; " : "", cap->cure);
		}
	}
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
	gaps(m, out);
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
