/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config/planned_pins.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "fabric/ref.h"

struct planned_pins {
	VEC(struct plan_pin) left;
};

struct planned_pins *planned_pins_new(const struct plan *plan)
{
	struct planned_pins *w;

	if (!plan->pins.n)
		return NULL;
	w = mem_calloc(1, sizeof(*w));
	for (size_t i = 0; i < plan->pins.n; i++)
		vec_push(&w->left, plan->pins.at[i]);
	return w;
}

void planned_pins_free(struct planned_pins *w)
{
	if (!w)
		return;
	vec_free(&w->left);
	free(w);
}

void planned_pins_applied(struct planned_pins *w, struct model *m, const char *device,
	void (*pinned)(void *ctx, const char *locator), void *ctx)
{
	char locator[2 * NAME_MAX_LEN + 2];

	for (size_t i = w ? w->left.n : 0; i-- > 0;) {
		const struct plan_pin *pin = &w->left.at[i];
		const struct device *d;
		struct port *p;
		struct err err;

		if (!str_eq(pin->device, device))
			continue;
		d = model_device(m, device);
		p = d ? model_port(m, d, pin->port) : NULL;
		if (!p)
			continue;
		/* The limit of pins is reached: this one waits until another is removed. */
		if (!p->pinned && !history_pin(m, p, true, &err))
			continue;
		w->left.at[i] = w->left.at[--w->left.n];
		if (ref_format(m, (struct ref){.kind = REF_PORT, .port = p->id}, locator,
			    sizeof(locator)))
			pinned(ctx, locator);
	}
}
