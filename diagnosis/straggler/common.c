/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/mem.h"
#include "diagnosis/straggler/straggler.h"

#define MOST      0.75 /* share of the lagging ranks that one element must explain */
#define OF_OTHERS 0.5  /* share of the element's ranks that must lag, else it is not the cause */

enum { NIC, HOST, LEAF, RAIL, KINDS };
#define NONE UINT32_MAX

/* The elements on a rank's path, the most specific first. */
static void rank_elements(const struct model *m, const struct rank *r, uint32_t *out)
{
	const struct port *nic = r->nic == JOB_NONE ? NULL : m->ports.at[r->nic];
	const struct port *leaf = nic ? port_peer(m, nic, NULL) : NULL;

	out[NIC] = r->nic;
	out[HOST] = r->host;
	out[LEAF] = leaf ? leaf->device : NONE;
	out[RAIL] = nic && nic->rail >= 0 ? (uint32_t)nic->rail : NONE;
}

static int compare_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The most frequent value, and its count. */
static uint32_t most_frequent(uint32_t *at, size_t n, size_t *times)
{
	uint32_t best = NONE;

	*times = 0;
	qsort(at, n, sizeof(*at), compare_number);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && at[k] == at[i]; k++)
			;
		if (at[i] != NONE && k - i > *times) {
			*times = k - i;
			best = at[i];
		}
	}
	return best;
}

static struct ref element_ref(unsigned kind, uint32_t value)
{
	switch (kind) {
	case NIC:
		return (struct ref){.kind = REF_PORT, .port = value};
	case RAIL:
		return (struct ref){.kind = REF_RAIL, .rail = (int)value};
	default:
		return (struct ref){.kind = REF_DEVICE, .device = value};
	}
}

struct ref straggler_common(
	const struct model *m, uint32_t comm, const int32_t *ranks, size_t n, double *share)
{
	const struct comm *c = m->nccl->comms.at[comm];
	struct ref out = {.kind = REF_NONE};
	uint32_t *at = mem_calloc(n ? n : 1, sizeof(*at)), e[KINDS];

	*share = 0;
	for (unsigned kind = 0; n && kind < KINDS && out.kind == REF_NONE; kind++) {
		size_t times, all = 0;
		uint32_t value;

		for (size_t i = 0; i < n; i++) {
			rank_elements(m, &c->rank[ranks[i]], e);
			at[i] = e[kind];
		}
		value = most_frequent(at, n, &times);
		for (int32_t i = 0; value != NONE && i < c->nranks; i++) {
			rank_elements(m, &c->rank[i], e);
			all += e[kind] == value;
		}
		if (value == NONE || (double)times < MOST * (double)n ||
			(double)times < OF_OTHERS * (double)all)
			continue;
		*share = (double)times / (double)n;
		out = element_ref(kind, value);
	}
	free(at);
	return out;
}
