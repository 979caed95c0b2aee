/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fabric/query/name_suggestions.h"
#include "fabric/ref.h"

#define TEXT_LEN (2 * NAME_MAX_LEN + 32)
/* Jobs that an error lists. */
#define JOBS_LISTED 6
/* Digits of a communicator's hash that name it. Logs print 14 or 16 of them, people copy fewer. */
#define HASH_LEAST 6

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

/* "pretrain, eval and 3 more": the jobs that run now. False: there are none. */
static bool list_jobs(const struct nccl *n, char *dst, size_t size)
{
	size_t listed = 0, more = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < n->jobs.n; i++) {
		const struct job *j = n->jobs.at[i];
		size_t len = strlen(dst);

		if (job_is_free(j) || j->gone)
			continue;
		if (listed < JOBS_LISTED && len + strlen(j->name) + 24 < size)
			listed += str_printf(
				dst + len, size - len, "%s%s", listed ? ", " : "", j->name);
		else
			more++;
	}
	if (more)
		(void)str_printf(dst + strlen(dst), size - strlen(dst), " and %zu more", more);
	return listed > 0;
}

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
	if (list_jobs(m->nccl, names, sizeof(names)))
		return err_cure(err, "jobs: %s", names);
	return err_cure(err, "no source has reported a job yet: see jobs: in the inventory");
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

/* "0x9bd8b4" and "9BD8B4" are the same hash. */
static const char *hash_digits(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? text + 2 : text;
}

/* The job of the communicator whose hash begins so. JOB_NONE: none, or two jobs have one. */
static uint32_t job_by_hash(const struct nccl *n, const char *text)
{
	const char *digits = hash_digits(text);
	size_t len = strlen(digits);
	uint32_t found = JOB_NONE;

	if (len < HASH_LEAST || strspn(digits, "0123456789abcdefABCDEF") != len)
		return JOB_NONE;
	for (size_t i = 0; i < n->comms.n; i++) {
		const struct comm *c = n->comms.at[i];

		if (c->job == JOB_NONE || c->job == found ||
			strncasecmp(hash_digits(c->id), digits, len) != 0)
			continue;
		if (found != JOB_NONE)
			return JOB_NONE;
		found = c->job;
	}
	return found;
}

/* The job that has a rank of this process. JOB_NONE: none, or two jobs on different hosts. */
static uint32_t job_by_pid(const struct nccl *n, const char *text)
{
	uint32_t found = JOB_NONE;
	uint64_t pid;

	if (!str_to_u64(text, &pid) || !pid || pid > INT32_MAX)
		return JOB_NONE;
	for (size_t i = 0; i < n->comms.n; i++) {
		const struct comm *c = n->comms.at[i];

		for (int32_t k = 0; c->job != JOB_NONE && c->job != found && k < c->nranks; k++) {
			if (c->rank[k].pid != (int32_t)pid)
				continue;
			if (found != JOB_NONE)
				return JOB_NONE;
			found = c->job;
		}
	}
	return found;
}

/* A job by its name, the hash of one of its communicators, or a process of it. */
static bool find_job(const struct nccl *n, const char *text, uint32_t *job)
{
	if (nccl_job(n, text, job))
		return true;
	*job = job_by_hash(n, text);
	if (*job == JOB_NONE)
		*job = job_by_pid(n, text);
	return *job != JOB_NONE;
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
		if (find_job(m->nccl, word, &job))
			j = m->nccl->jobs.at[job];
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

bool ref_parse_bare_job(const struct model *m, const char *text, struct ref *out)
{
	const char *slash = strrchr(text, '/');
	char word[TEXT_LEN];
	uint64_t number;
	uint32_t job;

	/* A number alone may be a rail, a rank or a process: it needs its word before it. */
	if (str_to_u64(text, &number))
		return false;
	if (find_job(m->nccl, text, &job)) {
		*out = (struct ref){.kind = REF_JOB, .job = job};
		return true;
	}
	return slash && str_to_u64(slash + 1, &number) && str_copy(word, sizeof(word), text) &&
	       parse_rank(m, word, out, NULL);
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
	if (!find_job(m->nccl, word, &job))
		return no_job(m, word, err);
	*out = (struct ref){.kind = REF_JOB, .job = job};
	return true;
}
