/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces keys computed from names: keys of BGP sessions, and of findings about them. */
#include <stdlib.h>

#include "archive/redact/redact_private.h"
#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/finding.h"

void redact_learn_sessions(struct redact *r, const struct device *d)
{
	for (size_t i = 0; i < d->bgp.n; i++)
		vec_push(&r->sessions, (struct redact_session){d->id, d->bgp.at[i]});
}

static int by_key(const void *pa, const void *pb)
{
	const struct redact_number *a = pa, *b = pb;

	return a->was < b->was ? -1 : a->was > b->was;
}

/* Computed at the first lookup: all names are learnt by then. */
static void make_numbers(struct redact *r)
{
	for (size_t i = 0; i < r->sessions.n; i++) {
		struct bgp_session s = r->sessions.at[i].session;
		struct ref at = {.kind = REF_BGP,
				   .device = r->sessions.at[i].device,
				   .seq = bgp_session_key(&s)},
			   now = at;

		redact_text(r, s.vrf, sizeof(s.vrf));
		redact_text(r, s.peer, sizeof(s.peer));
		now.seq = bgp_session_key(&s);
		vec_push(&r->numbers, (struct redact_number){at.seq, now.seq});
		for (int id = 0; id < FIND_COUNT; id++)
			if (finding_info[id].family == FAMILY_ROUTE)
				vec_push(&r->numbers,
					(struct redact_number){finding_key((enum finding_id)id, at),
						finding_key((enum finding_id)id, now)});
	}
	if (r->numbers.n)
		qsort(r->numbers.at, r->numbers.n, sizeof(*r->numbers.at), by_key);
	vec_free(&r->sessions);
}

uint64_t redact_key(void *redact, uint64_t key)
{
	struct redact *r = redact;
	const struct redact_number *found, want = {.was = key};

	if (r->sessions.n)
		make_numbers(r);
	found = r->numbers.n ? bsearch(&want, r->numbers.at, r->numbers.n, sizeof(want), by_key)
			     : NULL;
	return found ? found->now : key;
}
