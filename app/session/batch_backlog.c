/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/batch_backlog.h"

#include <string.h>

static size_t batch_bytes(const struct obs *o)
{
	return sizeof(*o) + o->ports.size * sizeof(*o->ports.at) +
	       o->items.size * sizeof(*o->items.at) + o->bgp.size * sizeof(*o->bgp.at) +
	       o->nccl.size * sizeof(*o->nccl.at) + o->strings.size + o->raw_len +
	       (o->asked ? strlen(o->asked) + 1 : 0);
}

struct obs *batch_backlog_take(struct batch_backlog *h)
{
	struct obs *o = h->first;

	if (!o)
		return NULL;
	h->first = o->next;
	if (!h->first)
		h->last = NULL;
	o->next = NULL;
	h->n--;
	h->bytes -= batch_bytes(o);
	return o;
}

size_t batch_backlog_add(struct batch_backlog *h, struct obs *o, size_t max_bytes)
{
	size_t gone = 0;

	o->next = NULL;
	if (h->last)
		h->last->next = o;
	else
		h->first = o;
	h->last = o;
	h->n++;
	h->bytes += batch_bytes(o);
	for (; h->bytes > max_bytes && h->first != h->last; gone++)
		obs_free(batch_backlog_take(h));
	return gone;
}
