/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a fabric.yaml. It gives a plan that holds together, or at least one problem. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *ctx, const struct err *problem)
{
	if (problem->code == ERR_NONE || !problem->text[0] || !problem->origin[0])
		abort();
	(*(unsigned *)ctx)++;
}

static void check_plan(const struct plan *p)
{
	for (size_t i = 0; i < p->devices.n; i++) {
		const struct plan_device *d = &p->devices.at[i];

		if (!d->name[0] || !d->dialect || !d->transport || !d->address ||
			d->interval_us <= 0 || (unsigned)d->tier >= TIER_COUNT ||
			d->rail >= (int)p->rails)
			abort();
	}
	for (size_t i = 0; i < p->links.n; i++) {
		const struct plan_link *l = &p->links.at[i];

		if (l->a >= p->devices.n || l->b >= p->devices.n || !l->a_port[0] || !l->b_port[0])
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plan plan;
	unsigned problems = 0;
	/* No directory of this name: a wiring table that the input names is not read. */
	bool ok = inventory_parse(
		"fuzz.yaml", "/nonexistent", (const char *)data, size, &plan, count, &problems);

	if (ok != !problems || problems > INVENTORY_PROBLEMS_MAX)
		abort();
	if (ok)
		check_plan(&plan);
	plan_free(&plan);
	return 0;
}
