/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/codec/entry.h"

#include <string.h>

size_t entry_bytes(const struct entry *e)
{
	const struct obs *o = e->obs;

	return sizeof(*e) + (o ? sizeof(*o) + o->ports.size * sizeof(*o->ports.at) +
						    o->items.size * sizeof(*o->items.at) +
						    o->bgp.size * sizeof(*o->bgp.at) +
						    o->nccl.size * sizeof(*o->nccl.at) +
						    o->strings.size + (o->raw ? o->raw_len : 0) +
						    (o->asked ? strlen(o->asked) + 1 : 0)
			       : 0);
}

void entry_free(struct entry *e)
{
	obs_free(e->obs);
	e->obs = NULL;
}
