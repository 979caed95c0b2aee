/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/cells.h"

#include <string.h>

#include "base/str.h"

void cells_reset(struct cells *c)
{
	memset(c->rank, 0, sizeof(c->rank));
}

void cells_add(struct cells *c, counter_id id, unsigned sub, uint64_t v)
{
	uint16_t cell = counter_cell(id, sub);

	c->value[cell] = c->rank[cell] ? c->value[cell] + v : v;
	c->rank[cell] = 1;
}

void cells_offer(struct cells *c, counter_id id, unsigned sub, uint64_t v, uint8_t rank)
{
	uint16_t cell = counter_cell(id, sub);

	if (rank <= c->rank[cell])
		return;
	c->value[cell] = v;
	c->rank[cell] = rank;
}

bool cells_has(const struct cells *c, counter_id id, unsigned sub)
{
	return c->rank[counter_cell(id, sub)] != 0;
}

void cells_emit(const struct cells *c, struct obs *o, uint32_t port)
{
	obs_cells(o, port, c->value, c->rank);
}

void cells_absent(const struct cells *c, struct obs *o, uint32_t port, counter_id id, uint8_t mask,
	enum validity v, const char *cure)
{
	const uint8_t *rank = c->rank + counter_info[id].first_cell;
	unsigned n = counter_dim_size(id);

	for (unsigned sub = 0; sub < n && mask >> sub; sub++)
		if ((mask >> sub & 1) && !rank[sub])
			obs_invalid(o, port, id, sub, v, cure);
}

uint64_t downs_of_transitions(uint64_t transitions, bool is_up)
{
	return transitions / 2 + (!is_up && transitions % 2);
}
