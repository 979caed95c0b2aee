/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fabric/query/name_suggestions.h"
#include "fabric/ref.h"

#define TEXT_LEN (2 * NAME_MAX_LEN + 32)

/* ---- to text ---- */

bool ref_format_job(const struct model *m, struct ref r, char *dst, size_t size)
{
	const struct nccl *n = m->nccl;
	const struct comm *c = ref_comm(m, r);
	const struct job *j = ref_job(m, r);
	uint32_t world = JOB_NONE;

	if (r.kind == REF_JOB)
		return j && str_printf(dst, size, "job %s", j->name);
	if (!c)
		return false;
	if (j)
		(void)job_world(n, j, &world);
	if (r.kind == REF_COMM)
		return str_printf(dst, size, "comm %s/%s", j ? j->name : "", c->id);
	if (world == r.comm)
		return str_printf(dst, size, "rank %s/%d", j->name, (int)r.rank);
	return str_printf(dst, size, "rank %s/%s/%d", j ? j->name : "", c->id, (int)r.rank);
}

/* ---- from text ---- */

static bool no_job(const struct model *m, const char *name, struct err *err)
{
	char names[TEXT_LEN];
	struct name_suggestions near;

	name_suggestions_init(&near, name);
	for (size_t i = 0; i < m->nccl->jobs.n; i++)
		name_suggestions_offer(&near, m->nccl->jobs.at[i]->name);
	(void)err_set(err, ERR_USAGE, m->fabric, "there is no job \"%s\"", name);
	if (name_suggestions_format(&near, names, sizeof(names)))
		return err_cure(err, "did you mean %s?", names);
	if (!m->nccl->jobs.n)
		return err_cure(
			err, "no source has reported a job yet: see jobs: in the inventory");
	return false;
}

static uint32_t comm_by_id(const struct nccl *n, const char *job, const char *id)
{
	for (size_t i = 0; i < n->comms.n; i++) {
		const struct comm *c = n->comms.at[i];

		if (strcasecmp(c->id, id) != 0)
			continue;
		if (c->job == JOB_NONE ? !*job : strcmp(n->jobs.at[c->job]->name, job) == 0)
			return (uint32_t)i;
	}
	return JOB_NONE;
}

/* The largest communicator of all jobs that are not gone. */
static uint32_t largest_comm(const struct nccl *n)
{
	uint32_t best = JOB_NONE;

	for (size_t i = 0; i < n->comms.n; i++) {
		const struct comm *c = n->comms.at[i],
				  *b = best == JOB_NONE ? NULL : n->comms.at[best];

		if (c->job != JOB_NONE && (!b || (b->gone && !c->gone) ||
						  (b->gone == c->gone && c->nranks > b->nranks)))
			best = (uint32_t)i;
	}
	return best;
}

/* "19", "pretrain/19", "pretrain/0x9bd8b4c5a3b1e8f7/19". Modifies word. */
static bool parse_rank(const struct model *m, char *word, struct ref *out, struct err *err)
{
	char *slash = strrchr(word, '/'), *id;
	const struct job *j = NULL;
	uint32_t comm = JOB_NONE, job;
	uint64_t rank;

	if (!str_to_u64(slash ? slash + 1 : word, &rank))
		return err_set(err, ERR_USAGE, m->fabric, "\"%s\" is not the number of a rank",
			slash ? slash + 1 : word);
	if (slash) {
		*slash = '\0';
		j = nccl_job(m->nccl, word, &job);
		id = strrchr(word, '/');
		if (!j && id) {
			*id = '\0';
			comm = comm_by_id(m->nccl, word, id + 1);
		}
		if (j)
			(void)job_world(m->nccl, j, &comm);
		if (!j && comm == JOB_NONE)
			return no_job(m, word, err);
	} else {
		comm = largest_comm(m->nccl);
	}
	if (comm == JOB_NONE)
		return err_set(err, ERR_USAGE, m->fabric, "no ranks are known%s%s",
			j ? " of job " : "", j ? j->name : "");
	if (rank >= (uint64_t)m->nccl->comms.at[comm]->nranks)
		return err_set(err, ERR_USAGE, m->fabric, "there is no rank %llu: they are 0 to %d",
			(unsigned long long)rank, (int)m->nccl->comms.at[comm]->nranks - 1);
	*out = (struct ref){.kind = REF_RANK, .comm = comm, .rank = (int32_t)rank};
	return true;
}

static bool parse_comm(const struct model *m, char *word, struct ref *out, struct err *err)
{
	char *slash = strrchr(word, '/');
	uint32_t comm;

	if (slash)
		*slash = '\0';
	comm = comm_by_id(m->nccl, slash ? word : "", slash ? slash + 1 : word);
	if (comm == JOB_NONE)
		return err_set(err, ERR_USAGE, m->fabric, "there is no communicator \"%s\"",
			slash ? slash + 1 : word);
	*out = (struct ref){.kind = REF_COMM, .comm = comm};
	return true;
}

bool ref_parse_job(
	const struct model *m, const char *text, bool *is_job, struct ref *out, struct err *err)
{
	static const char *const kinds[] = {"job ", "rank ", "comm "};
	char word[TEXT_LEN];
	uint32_t job;
	size_t kind = 0, n;

	*is_job = false;
	while (kind < 3 && strncasecmp(text, kinds[kind], strlen(kinds[kind])) != 0)
		kind++;
	if (kind == 3)
		return false;
	*is_job = true;
	text += strlen(kinds[kind]);
	text += strspn(text, " ");
	for (n = strlen(text); n && text[n - 1] == ' ';)
		n--;
	if (!str_copyn(word, sizeof(word), text, n))
		return err_set(err, ERR_USAGE, m->fabric,
			"the name has %zu characters, more than any known name", n);
	if (kind == 1)
		return parse_rank(m, word, out, err);
	if (kind == 2)
		return parse_comm(m, word, out, err);
	if (!nccl_job(m->nccl, word, &job))
		return no_job(m, word, err);
	*out = (struct ref){.kind = REF_JOB, .job = job};
	return true;
}
