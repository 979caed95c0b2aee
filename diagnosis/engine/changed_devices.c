/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/changed_devices.h"

void changed_devices_add(struct changed_devices *n, uint32_t device, int64_t at_us)
{
	while (n->of.n <= device)
		vec_push(&n->of, 0);
	if (!n->of.at[device]) {
		vec_push(&n->items, (struct changed_device){device, at_us});
		n->of.at[device] = (uint32_t)n->items.n;
	}
	n->items.at[n->of.at[device] - 1].at_us = at_us;
}

bool changed_devices_note_some(
	struct changed_devices *n, struct diag *d, const struct model *m, size_t ports)
{
	size_t looked = 0;

	while (n->noted < n->items.n && looked < ports) {
		const struct changed_device *it = &n->items.at[n->noted++];

		diag_note(d, m, it->device, it->at_us);
		n->of.at[it->device] = 0;
		looked += 1 + m->devices.at[it->device]->ports.n;
	}
	if (n->noted < n->items.n)
		return false;
	n->items.n = n->noted = 0;
	return true;
}

void changed_devices_note(struct changed_devices *n, struct diag *d, const struct model *m)
{
	(void)changed_devices_note_some(n, d, m, SIZE_MAX);
}

void changed_devices_free(struct changed_devices *n)
{
	vec_free(&n->items);
	vec_free(&n->of);
}
