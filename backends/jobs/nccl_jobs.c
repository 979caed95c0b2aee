/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/plan/plan.h"

/* Decodes a manually kept file of jobs: "pretrain: node[000-031]" per line. */

#define HOSTS_MAX    65536
#define LINE_MAX_LEN 65536

struct file {
	struct obs *o;
	struct err *err;
	unsigned line;
	uint32_t job;
	char text[LINE_MAX_LEN];
};

static void add_host(void *ctx, const char *host)
{
	struct file *f = ctx;
	struct obs_nccl *r = nccl_add(f->o, NCCL_JOB, SOURCE_FILE);

	if (!r)
		return;
	r->job = f->job;
	r->host = obs_string(f->o, host);
}

static bool refuse_line(struct file *f, const char *what)
{
	err_set(f->err, ERR_CONFIG, f->o->device, "line %u: %s", f->line, what);
	return err_cure(f->err, "write JOB: HOSTS, as in pretrain: node[000-031]");
}

static void trim_end(char *s)
{
	size_t n = strlen(s);

	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		s[--n] = '\0';
}

static bool read_line(void *ctx, const char *bytes, size_t n)
{
	struct file *f = ctx;
	const char *comment = memchr(bytes, '#', n);
	char *hosts, *name = f->text;
	struct err e = {0};

	f->line++;
	if (comment)
		n = (size_t)(comment - bytes);
	if (!str_copyn(f->text, sizeof(f->text), bytes, n))
		return refuse_line(f, "it is too long");
	while (*name == ' ' || *name == '\t')
		name++;
	if (!*name)
		return true;
	hosts = strchr(name, ':');
	if (!hosts)
		return refuse_line(f, "no colon behind the name of a job");
	*hosts++ = '\0';
	while (*hosts == ' ' || *hosts == '\t')
		hosts++;
	trim_end(name);
	trim_end(hosts);
	f->job = obs_string(f->o, name);
	if (!f->job || !*hosts)
		return refuse_line(f, "a name and hosts are needed");
	if (!hostlist_expand(hosts, HOSTS_MAX, add_host, f, &e))
		return refuse_line(f, e.text);
	return true;
}

bool nccl_jobs_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct err ignored = {0};
	struct file *f = mem_calloc(1, sizeof(*f));
	bool ok;

	f->o = out;
	f->err = err ? err : &ignored;
	ok = nccl_lines(bytes, len, read_line, f);
	free(f);
	if (ok && out->err.code == ERR_NONE)
		(void)nccl_add(out, NCCL_DONE, SOURCE_FILE);
	return ok;
}
