/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/views/support/fake_diag.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/engine.h"

/* As verdict_settle() does: the verdict is at least as severe as each open finding. */
static void tell_verdict(struct verdict_report *v, const struct finding *f)
{
	bool part = f->role != ROLE_RISK && f->role != ROLE_INFO;

	if (f->severity < SEV_CRIT && (f->severity != SEV_WARN || !part))
		return;
	v->criticals += f->severity >= SEV_CRIT;
	v->warnings += f->severity < SEV_CRIT;
	v->critical = v->trouble = v->criticals > 0;
	v->state = v->state > FABRIC_SUSPECT ? v->state : FABRIC_SUSPECT;
	v->since_us = FIX_START;
}

struct finding *fake_finding(
	struct diag *d, enum finding_id id, struct ref at, enum finding_role role, uint64_t root)
{
	struct record *r = mem_calloc(1, sizeof(*r));
	struct finding *f = &r->f;

	f->key = finding_key(id, at);
	f->id = id;
	f->at = at;
	f->role = role;
	f->root = root;
	f->severity = finding_info[id].severity;
	f->confidence = 0.97F;
	f->open = true;
	f->onset_us = f->first_seen_us = f->last_seen_us = FIX_START;
	(void)str_copy(f->title, sizeof(f->title), finding_info[id].title);
	HASH_ADD(hh, d->known, f.key, sizeof(f->key), r);
	vec_push(&d->order, f);
	d->generation++;
	tell_verdict(&d->verdict, f);
	return f;
}

void fake_close(struct diag *d, struct finding *f, int64_t closed_us)
{
	struct record *r;
	size_t i = 0;

	HASH_FIND(hh, d->known, &f->key, sizeof(f->key), r);
	while (d->order.at[i] != f)
		i++;
	for (d->order.n--; i < d->order.n; i++)
		d->order.at[i] = d->order.at[i + 1];
	HASH_DEL(d->known, r);
	f->open = false;
	vec_push(&d->closed, *f);
	vec_push(&d->closed_us, closed_us);
	d->nclosed++;
	d->generation++;
	free(r);
}

struct verdict_report *fake_verdict(struct diag *d)
{
	return &d->verdict;
}

struct pause_graph *fake_pauses(struct diag *d)
{
	return d->pauses;
}

uint32_t fake_pause(struct diag *d, uint32_t port, uint32_t toward, int64_t since_us)
{
	struct pause_graph *g = d->pauses;
	uint32_t i = (uint32_t)g->nodes.n;

	vec_push(&g->nodes, (struct pause_node){.port = port,
				    .priority = 3,
				    .end = toward == UINT32_MAX ? PAUSE_NIC : PAUSE_INNER,
				    .held = 0.5F,
				    .lost_bps = 2e11F,
				    .since_us = since_us,
				    .toward = toward == UINT32_MAX ? i : toward});
	if (toward == UINT32_MAX) {
		g->nodes.at[i].blame_bps = 4e11F;
		vec_push(&g->terminals, i);
	}
	g->held++;
	return i;
}
