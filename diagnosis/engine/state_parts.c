/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/state_parts.h"

#include <string.h>

#include "diagnosis/engine/engine.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/job.h"

/* Bounds of lists with limits of their own, see finding.c and the detectors. */
#define MEMBERS_MOST  1000000
#define EVIDENCE_MOST 4096
#define REFUTED_MOST  256
#define PROOF_MOST    256
#define RAILS_MOST    65536

STATE_SIZE(struct ref, 48);
STATE_SIZE(struct evidence, 272);
STATE_SIZE(struct refuted, 152);
STATE_SIZE(struct victim, 56);
STATE_SIZE(struct finding, 752);
STATE_SIZE(struct proof, 219);
STATE_SIZE(struct verdict_report, 280);

/* ---- places ---- */

enum ref_field {
	HAS_RAIL = 1U << 0,
	HAS_DEVICE = 1U << 1,
	HAS_PORT = 1U << 2,
	HAS_PRIORITY = 1U << 3,
	HAS_CELL = 1U << 4,
	HAS_SEQ = 1U << 5,
	HAS_TIER = 1U << 6,
	HAS_JOB = 1U << 7,
	HAS_COMM = 1U << 8,
	HAS_RANK = 1U << 9,
	HAS_ALL = (1U << 10) - 1
};

static uint32_t fields_of(const struct ref *r)
{
	return (r->rail ? HAS_RAIL : 0) | (r->device ? HAS_DEVICE : 0) | (r->port ? HAS_PORT : 0) |
	       (r->priority ? HAS_PRIORITY : 0) | (r->cell ? HAS_CELL : 0) |
	       (r->seq ? HAS_SEQ : 0) | (r->tier ? HAS_TIER : 0) | (r->job ? HAS_JOB : 0) |
	       (r->comm ? HAS_COMM : 0) | (r->rank ? HAS_RANK : 0);
}

/* Readers use the field of a kind without a check of bounds, so its object must exist. */
static bool is_there(const struct ref *r, const struct model *m)
{
	switch (r->kind) {
	case REF_DEVICE:
	case REF_BGP:
		return r->device < m->devices.n;
	case REF_PORT:
	case REF_PRIORITY:
	case REF_LINK:
	case REF_COUNTER:
		return r->port < m->ports.n;
	case REF_JOB:
		return r->job < m->nccl->jobs.n;
	case REF_COMM:
	case REF_RANK:
		return r->comm < m->nccl->comms.n;
	default:
		return true;
	}
}

static void number_below(struct state *s, uint32_t has, uint32_t *v, size_t limit)
{
	if (has)
		state_below(s, v, (uint32_t)limit);
}

void state_ref(struct state *s, struct ref *r, const struct model *m)
{
	uint32_t kind = r->kind, has = fields_of(r), priority = r->priority, cell = r->cell,
		 tier = r->tier;

	state_below(s, &kind, REF_SAVED);
	state_below(s, &has, HAS_ALL + 1);
	if (has & HAS_RAIL)
		state_i32(s, &r->rail);
	number_below(s, has & HAS_DEVICE, &r->device, m->devices.n);
	number_below(s, has & HAS_PORT, &r->port, m->ports.n);
	number_below(s, has & HAS_PRIORITY, &priority, PRIORITIES);
	number_below(s, has & HAS_CELL, &cell, UINT16_MAX + 1U);
	if (has & HAS_SEQ)
		state_key(s, &r->seq);
	number_below(s, has & HAS_TIER, &tier, TIER_COUNT);
	number_below(s, has & HAS_JOB, &r->job, m->nccl->jobs.n);
	number_below(s, has & HAS_COMM, &r->comm, m->nccl->comms.n);
	if (has & HAS_RANK)
		state_i32(s, &r->rank);
	if (!s->loading)
		return;
	r->kind = (enum ref_kind)kind;
	r->priority = (uint8_t)priority;
	r->cell = (uint16_t)cell;
	r->tier = (uint8_t)tier;
	if (is_there(r, m) && r->rail >= -1 && r->rail < RAILS_MOST && r->rank >= -1 &&
		r->rank < COMM_RANKS && (r->kind != REF_COUNTER || r->cell < CELL_COUNT))
		return;
	s->bad = true;
	*r = (struct ref){.kind = REF_NONE};
}

/* ---- findings ---- */

void state_evidence(struct state *s, struct evidence *e, const struct model *m)
{
	state_ref(s, &e->at, m);
	state_text(s, e->what, sizeof(e->what));
	state_f64(s, &e->value);
	state_text(s, e->unit, sizeof(e->unit));
	state_text(s, e->text, sizeof(e->text));
	state_text(s, e->threshold, sizeof(e->threshold));
	state_text(s, e->source, sizeof(e->source));
	state_wall(s, &e->t_us);
	state_bool(s, &e->against);
}

static void state_refuted(struct state *s, struct refuted *r, const struct model *m)
{
	STATE_ENUM(s, r->id, FIND_COUNT);
	state_ref(s, &r->at, m);
	state_text(s, r->why, sizeof(r->why));
}

static void state_victim(struct state *s, struct victim *v, const struct model *m)
{
	state_ref(s, &v->at, m);
	state_f32(s, &v->percent);
}

static void state_lists(struct state *s, struct finding *f, const struct model *m)
{
	STATE_LIST(s, &f->members, MEMBERS_MOST, r, state_ref(s, r, m));
	STATE_LIST(s, &f->victims, FINDING_VICTIMS, v, state_victim(s, v, m));
	state_u32(s, &f->nvictims);
	STATE_LIST(s, &f->evidence, EVIDENCE_MOST, e, state_evidence(s, e, m));
	STATE_LIST(s, &f->refuted, REFUTED_MOST, r, state_refuted(s, r, m));
}

/* The engine's own fields of a finding. */
static void state_engines(struct state *s, struct finding *f)
{
	state_bool(s, &f->open);
	state_u32(s, &f->seen_bits);
	state_u8(s, &f->quiet);
	state_u32(s, &f->sample);
	state_bool(s, &f->claimed);
	state_wall(s, &f->silent_us);
	state_wall(s, &f->acked_us);
	/* Only compared: it may be the end of time. */
	state_i64(s, &f->ack_until_us);
	state_text(s, f->ack_note, sizeof(f->ack_note));
	state_text(s, f->ack_user, sizeof(f->ack_user));
}

void state_finding(struct state *s, struct finding *f, const struct model *m)
{
	state_key(s, &f->key);
	STATE_ENUM(s, f->id, FIND_COUNT);
	state_ref(s, &f->at, m);
	state_ref(s, &f->peer, m);
	STATE_ENUM(s, f->severity, SEV_COUNT);
	STATE_ENUM(s, f->role, ROLE_INFO + 1);
	for (unsigned i = 0; i < SIGNAL_COUNT; i++)
		state_f32(s, &f->signal[i]);
	state_f32(s, &f->confidence);
	state_f32(s, &f->rank);
	state_f32(s, &f->blame_gbps);
	state_key(s, &f->root);
	state_wall(s, &f->onset_us);
	state_wall(s, &f->first_seen_us);
	state_wall(s, &f->last_seen_us);
	state_text(s, f->title, sizeof(f->title));
	state_text(s, f->command, sizeof(f->command));
	state_u32(s, &f->gpus_blocked);
	state_u32(s, &f->gpus_slow);
	state_lists(s, f, m);
	state_bool(s, &f->recurs);
	state_engines(s, f);
}

/* ---- the verdict ---- */

static void state_proof(struct state *s, struct proof *p)
{
	state_text(s, p->text, sizeof(p->text));
	state_text(s, p->cure, sizeof(p->cure));
	state_u8(s, &p->line);
	if (p->line > LINE_DEVICES)
		s->bad = true;
	state_bool(s, &p->ok);
	state_bool(s, &p->checked);
}

void state_verdict(struct state *s, struct verdict_report *v, const struct model *m)
{
	STATE_ENUM(s, v->verdict, VERDICT_COUNT);
	STATE_ENUM(s, v->state, FABRIC_STATES);
	state_bool(s, &v->critical);
	state_bool(s, &v->trouble);
	state_bool(s, &v->fabric_clean);
	state_f64(s, &v->confidence);
	state_wall(s, &v->since_us);
	state_u32(s, &v->criticals);
	state_u32(s, &v->warnings);
	state_u32(s, &v->risks);
	state_u32(s, &v->paused);
	state_u32(s, &v->paused_of);
	state_u32(s, &v->stalled);
	state_text(s, v->hint, sizeof(v->hint));
	state_key(s, &v->culprit);
	state_wall(s, &v->ended_us);
	STATE_LIST(s, &v->evidence, EVIDENCE_MOST, e, state_evidence(s, e, m));
	STATE_LIST(s, &v->proof, PROOF_MOST, p, state_proof(s, p));
}

/* ---- detectors ---- */

bool state_memory(struct state *s, void **memory, size_t size)
{
	bool there = *memory != NULL;

	state_bool(s, &there);
	if (s->loading && there)
		*memory = mem_calloc(1, size);
	return there;
}
