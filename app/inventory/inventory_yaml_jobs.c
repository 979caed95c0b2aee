/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml_schema.h"
#include "backends/jobs/log_files.h"
#include "backends/jobs/source.h"
#include "base/str.h"

/* Reads jobs: of an inventory, the sources of jobs and ranks: one entry or a list. */

/* A source such as nccl-ras. "file:PATH" is short for {source: file, path: PATH}. */
static bool read_source(struct reader *r, const yaml_node_t *n, void *to)
{
	struct plan_jobs *j = to;
	const char *text;
	yaml_node_t path = *n;

	if (!yaml_text(r, n, "a source of jobs", YAML_TEXT_MAX, &text))
		return false;
	if (str_starts(text, "file:") && text[5]) {
		(void)str_copy(j->source, sizeof(j->source), "file");
		path.data.scalar.value += strlen("file:");
		path.data.scalar.length -= strlen("file:");
		return yaml_read_path(r, &path, &j->path);
	}
	if (job_source_by_name(text))
		return str_copy(j->source, sizeof(j->source), text);
	return yaml_not_a(r, n, text, "source of jobs", job_source_names());
}

static bool read_versions(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;

	if (!yaml_text(r, n, "versions", YAML_TEXT_MAX, &text))
		return false;
	*(bool *)to = str_eq(text, "any");
	if (*(bool *)to || str_eq(text, "safe"))
		return true;
	return yaml_not_a(r, n, text, "set of versions",
		"safe: 2.28.7 and later; any: older versions too, of which 2.26.2 to 2.27.x may "
		"crash");
}

static bool check_path(struct reader *r, const yaml_node_t *n, const struct job_source_ops *ops,
	struct plan_jobs *j)
{
	struct err err = {0};
	char *path;

	if (!j->path)
		return ops->needs_path ? problem_add(r->problems, yaml_line(n), r->place,
						 "source %s needs path:, %s", ops->name,
						 ops->local ? "a file" : "the files on the hosts")
				       : true;
	if (ops->local) {
		path = yaml_expand_path(r, j->path);
		if (path)
			yaml_put(&j->path, path);
		free(path);
		return true;
	}
	if (job_path_check(j->path, &err))
		return true;
	(void)problem_add(r->problems, yaml_line(n), r->place, "path: %s", err.text);
	return problem_cure(r->problems, "%s", err.cure);
}

static bool check_entry(struct reader *r, const yaml_node_t *n, struct plan_jobs *j)
{
	const struct job_source_ops *ops = job_source_by_name(j->source);

	if (!ops)
		return problem_add(r->problems, yaml_line(n), r->place, "\"source\" is missing");
	if (ops->needs_hosts && !j->hosts)
		return problem_add(r->problems, yaml_line(n), r->place,
			"source %s needs hosts: to ask", ops->name);
	if (ops->paths && !j->url)
		return problem_add(r->problems, yaml_line(n), r->place,
			"source %s needs url: of its API, https://...", ops->name);
	if (ops->paths && (j->hosts || j->path))
		return problem_add(r->problems, yaml_line(n), r->place,
			"source %s is reached by url:, without hosts: and path:", ops->name);
	if (!ops->paths && (j->url || j->token || j->tls_ca))
		return problem_add(r->problems, yaml_line(n), r->place,
			"url:, token: and tls_ca: are for the sources kubernetes and ray");
	if (j->any_version && !ops->elect)
		return problem_add(r->problems, yaml_line(n), r->place,
			"versions: is for source nccl-ras only");
	return check_path(r, n, ops, j);
}

static bool read_entry(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"source", read_source, 0},
		{"path", yaml_read_text, offsetof(struct plan_jobs, path)},
		{"hosts", yaml_read_list, offsetof(struct plan_jobs, hosts)},
		{"url", yaml_read_text, offsetof(struct plan_jobs, url)},
		{"token", yaml_read_text, offsetof(struct plan_jobs, token)},
		{"tls_ca", yaml_read_path, offsetof(struct plan_jobs, tls_ca)},
		{"interval", yaml_read_interval, offsetof(struct plan_jobs, interval_us)},
		{"name", yaml_read_text, offsetof(struct plan_jobs, name)},
		{"versions", read_versions, offsetof(struct plan_jobs, any_version)},
	};
	struct inventory *inv = to;
	struct plan_jobs *j = vec_add(&inv->jobs);

	memset(j, 0, sizeof(*j));
	(void)str_printf(j->where, sizeof(j->where), "%.70s:%u", inv->file, yaml_line(n));
	if (!yaml_read_map(r, n, keys, sizeof(keys) / sizeof(keys[0]), j))
		return false;
	return check_entry(r, n, j);
}

bool yaml_read_jobs(struct reader *r, const yaml_node_t *n, void *to)
{
	return yaml_read_items(r, n, read_entry, to);
}
