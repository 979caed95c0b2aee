/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "base/str.h"
#include "fabric/model.h"
#include "fabric/ref.h"

struct nccl *nccl_new(void)
{
	return mem_calloc(1, sizeof(struct nccl));
}

void nccl_free(struct nccl *n)
{
	free(n);
}

void model_nccl_apply(struct model *m, const struct obs *o, int64_t now_us)
{
	(void)m;
	(void)o;
	(void)now_us;
}

const struct comm *job_world(const struct nccl *n, const struct job *j, uint32_t *index)
{
	(void)n, (void)j, (void)index;
	return NULL;
}

const struct job *nccl_job(const struct nccl *n, const char *name, uint32_t *index)
{
	(void)n, (void)name, (void)index;
	return NULL;
}

const struct op *comm_op(const struct comm *c, unsigned i)
{
	return i < NCCL_OPS && i < c->next_op ? &c->ops[(c->next_op - 1 - i) % NCCL_OPS] : NULL;
}

int64_t comm_launched(const struct comm *c, unsigned func)
{
	int64_t most = -1;

	for (int32_t i = 0; func < NCCL_FUNCS && i < c->nranks; i++)
		if (c->rank[i].count[func].launched > most)
			most = c->rank[i].count[func].launched;
	return most;
}

const struct gpu *nccl_gpu(const struct nccl *n, uint32_t host, int32_t index)
{
	(void)n, (void)host, (void)index;
	return NULL;
}

uint32_t model_host_by_text(const struct model *m, const char *text)
{
	const struct device *d = model_device(m, text);

	return d ? d->id : JOB_NONE;
}

uint32_t model_job_of(const struct model *m, uint32_t device)
{
	(void)m, (void)device;
	return JOB_NONE;
}

bool ref_format_job(const struct model *m, struct ref r, char *dst, size_t size)
{
	(void)m;
	return str_printf(dst, size, "%s %d", r.kind == REF_RANK ? "rank" : "job", (int)r.rank);
}

bool ref_parse_job(
	const struct model *m, const char *text, bool *is_job, struct ref *out, struct err *err)
{
	(void)m, (void)text, (void)out, (void)err;
	*is_job = false;
	return false;
}
