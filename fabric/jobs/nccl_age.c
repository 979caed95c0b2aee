/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "fabric/jobs/nccl_internal.h"

/*
 * Ages jobs and communicators. They come and go for weeks, and few sources report an end: RAS
 * stops answering, files stop growing. A communicator that RAS no longer reports is soon gone. One
 * from a file may have been reported once, at the start of the job, and lives much longer. A job
 * that a scheduler calls running is not gone. Gone ones are kept for a while, then freed; sooner
 * if room is needed.
 */

#define AGE_EVERY_US  (10 * CLOCK_SEC)
#define FILE_QUIET_US (INT64_C(7) * 86400 * CLOCK_SEC)
#define KEPT_US       (3600 * CLOCK_SEC)

#define STUCK_LEAST_US 10000000
#define STUCK_START_US 60000000 /* before its first advance: it may be starting up */
#define STUCK_RHYTHM   3.0      /* times its own rhythm */
#define STUCK_LONGEST  1.5      /* times its longest recent pause */

static bool job_is_scheduled(const struct nccl *n, const struct comm *c)
{
	const struct job *j = c->job == JOB_NONE ? NULL : n->jobs.at[c->job];

	return j && !j->gone && nccl_scheduler((enum nccl_source)j->source);
}

bool comm_is_silent(const struct nccl *n, const struct comm *c, int64_t now_us)
{
	return now_us - c->seen_us > COMM_SILENT_US && !job_is_scheduled(n, c);
}

int64_t comm_patience(const struct comm *c)
{
	int64_t by_rhythm = (int64_t)(STUCK_RHYTHM * (double)c->rhythm_us);
	int64_t by_longest = (int64_t)(STUCK_LONGEST * (double)c->longest_us);
	int64_t t = c->rhythm_us ? STUCK_LEAST_US : STUCK_START_US;

	t = by_rhythm > t ? by_rhythm : t;
	return by_longest > t ? by_longest : t;
}

bool job_advances(const struct nccl *n, const struct job *j, int64_t now_us)
{
	for (size_t i = 0; !j->gone && i < j->comms.n; i++) {
		const struct comm *c = n->comms.at[j->comms.at[i]];

		if (!c->gone && c->grew_us && !comm_is_silent(n, c, now_us) &&
			now_us - c->grew_us <= comm_patience(c))
			return true;
	}
	return false;
}

/* The least useful communicator: gone ones first, then the longest unreported; JOB_NONE. */
static uint32_t least_missed(
	const struct nccl *n, const struct comm *keep, bool with_ranks, int64_t now_us)
{
	uint32_t best = JOB_NONE;

	for (size_t i = 0; i < n->comms.n; i++) {
		const struct comm *c = n->comms.at[i],
				  *b = best == JOB_NONE ? NULL : n->comms.at[best];

		if (c == keep || c->touched || !c->key[0] || (with_ranks && !c->nranks) ||
			!(c->gone || comm_is_silent(n, c, now_us)))
			continue;
		if (!b || c->gone > b->gone || (c->gone == b->gone && c->seen_us < b->seen_us))
			best = (uint32_t)i;
	}
	return best;
}

static void forget_comm(struct nccl *n, uint32_t comm)
{
	nccl_trouble_drop_comm(n, comm);
	job_drop_comm(n, comm);
	comm_release(n, n->comms.at[comm]);
}

bool nccl_free_slot(struct nccl_batch *b)
{
	uint32_t comm = JOB_NONE;

	/* Searched once a batch: a hostile batch asks for each of its records. */
	if (!b->no_slot)
		comm = least_missed(b->n, NULL, false, b->now);
	b->no_slot = comm == JOB_NONE;
	if (!b->no_slot)
		forget_comm(b->n, comm);
	return !b->no_slot;
}

bool nccl_free_ranks(struct nccl_batch *b, const struct comm *keep, size_t ranks)
{
	while (b->n->nranks + ranks > RANKS_MAX && !b->no_ranks) {
		uint32_t comm = least_missed(b->n, keep, true, b->now);

		b->no_ranks = comm == JOB_NONE;
		if (!b->no_ranks)
			forget_comm(b->n, comm);
	}
	return b->n->nranks + ranks <= RANKS_MAX;
}

static bool comm_is_over(const struct nccl *n, const struct comm *c, int64_t now_us)
{
	return comm_is_silent(n, c, now_us) &&
	       (c->source == SOURCE_RAS || now_us - c->seen_us > FILE_QUIET_US);
}

static bool job_is_over(const struct nccl *n, const struct job *j, int64_t now_us)
{
	if (now_us - j->seen_us <= COMM_SILENT_US || nccl_scheduler((enum nccl_source)j->source))
		return false;
	for (size_t i = 0; i < j->comms.n; i++)
		if (!n->comms.at[j->comms.at[i]]->gone)
			return false;
	return j->comms.n || now_us - j->seen_us > FILE_QUIET_US;
}

bool nccl_age(struct nccl *n, int64_t now_us)
{
	struct nccl_index *x = n->index;
	bool changed = false;

	/* The clock was set back: start over. */
	if (now_us >= x->aged_us && now_us - x->aged_us < AGE_EVERY_US)
		return false;
	x->aged_us = now_us;
	changed = nccl_trouble_age(n, now_us);
	for (uint32_t i = 0; i < n->comms.n; i++) {
		struct comm *c = n->comms.at[i];

		if (!c->key[0])
			continue;
		if (!c->gone && comm_is_over(n, c, now_us))
			c->gone = changed = true;
		if (c->gone && now_us - c->seen_us > KEPT_US) {
			forget_comm(n, i);
			changed = true;
		}
	}
	for (uint32_t i = 0; i < n->jobs.n; i++) {
		struct job *j = n->jobs.at[i];

		if (job_is_free(j))
			continue;
		if (!j->gone && job_is_over(n, j, now_us))
			j->gone = changed = true;
		if (j->gone && now_us - j->seen_us > KEPT_US) {
			job_empty(n, i);
			changed = true;
		}
	}
	if (changed)
		n->generation++;
	return changed;
}
