/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/serve/ctl.h"

/* Carries out the requests. */

static void put_error(struct buf *out, const struct err *err)
{
	char line[1024];

	(void)buf_addf(out, "error: %s\n", err_format(err, line, sizeof(line)));
}

static void put_ok(struct buf *out)
{
	(void)buf_adds(out, "ok\n");
}

static void answer_inject(const struct ctl_opts *o, const char *spec, struct buf *out)
{
	struct err err = {0};
	unsigned id = 0;

	server_poll(o->server); /* at= counts from now */
	if (!sim_inject(o->sim, spec, &id, &err)) {
		put_error(out, &err);
		return;
	}
	server_poll(o->server);
	(void)buf_addf(out, "fault %u\n", id);
	put_ok(out);
}

static void answer_heal(const struct ctl_opts *o, const char *what, struct buf *out)
{
	struct err err = {0};
	unsigned healed = 0;

	server_poll(o->server);
	if (!sim_heal(o->sim, what, &healed, &err)) {
		put_error(out, &err);
		return;
	}
	server_poll(o->server);
	(void)buf_addf(out, "healed %u\n", healed);
	put_ok(out);
}

static void put_lines(struct buf *out, const struct buf *text)
{
	if (!text->data)
		return;
	(void)buf_add(out, text->data, text->len);
	if (text->len && text->data[text->len - 1] != '\n')
		(void)buf_adds(out, "\n");
}

static void put_faults(const struct ctl_opts *o, struct buf *out)
{
	struct buf table;

	buf_init(&table, 1U << 20);
	sim_fault_status(o->sim, &table);
	put_lines(out, &table);
	buf_free(&table);
}

static void answer_list(const struct ctl_opts *o, const char *rest, struct buf *out)
{
	(void)rest;
	server_poll(o->server);
	put_faults(o, out);
	put_ok(out);
}

static void put_jobs(const struct ctl_opts *o, struct buf *out)
{
	for (size_t i = 0; i < sim_job_count(o->sim); i++) {
		struct sim_job_view v;

		sim_job(o->sim, i, &v);
		(void)buf_addf(out,
			"job %s: %u ranks, step %llu, %s for %.1f s%s, communicator 0x%llx\n",
			v.name, v.nranks, (unsigned long long)v.step, v.phase,
			(double)(sim_now(o->sim) - v.phase_since_us) / 1e6,
			v.stalled ? ", stalled" : "", (unsigned long long)v.comm);
	}
}

static void answer_jobs(const struct ctl_opts *o, const char *rest, struct buf *out)
{
	(void)rest;
	server_poll(o->server);
	put_jobs(o, out);
	put_ok(out);
}

static void answer_status(const struct ctl_opts *o, const char *rest, struct buf *out)
{
	struct server_stats st;
	char now[32];

	(void)rest;
	server_poll(o->server);
	st = server_stats(o->server);
	(void)buf_addf(out,
		"preset: %s\ndevices: %zu\ntime: %s\nspeed: %g\ngeneration: %llu\n"
		"connections: %zu\nanswers: %llu\n",
		o->preset, sim_device_count(o->sim),
		clock_format_utc(sim_now(o->sim), now, sizeof(now)), o->speed,
		(unsigned long long)sim_generation(o->sim), st.connections,
		(unsigned long long)st.answers);
	put_jobs(o, out);
	put_faults(o, out);
	put_ok(out);
}

static void answer_stop(const struct ctl_opts *o, const char *rest, struct buf *out)
{
	(void)rest;
	put_ok(out);
	o->stop(o->arg);
}

static const struct verb {
	const char *name;
	const char *operand; /* description of the operand; NULL: it takes none */
	void (*fn)(const struct ctl_opts *o, const char *rest, struct buf *out);
} verbs[] = {
	{"inject", "a fault such as link-down:leaf-r0-00:Ethernet0,for=30s", answer_inject},
	{"heal", "an id, a class, a device, or all", answer_heal},
	{"list", NULL, answer_list},
	{"status", NULL, answer_status},
	{"jobs", NULL, answer_jobs},
	{"stop", NULL, answer_stop},
};

void ctl_answer(const struct ctl_opts *o, const char *line, struct buf *out)
{
	size_t n = strcspn(line, " \r");
	const char *rest = line + n + strspn(line + n, " \r");

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		const struct verb *v = &verbs[i];

		if (strlen(v->name) != n || strncmp(line, v->name, n) != 0)
			continue;
		if (!!v->operand == !!*rest)
			v->fn(o, rest, out);
		else
			(void)buf_addf(out, "error: %s needs %s\n", v->name,
				v->operand ? v->operand : "nothing after it");
		return;
	}
	(void)buf_adds(out, "error: unknown request (inject SPEC, heal WHAT, list, status, jobs, "
			    "stop)\n");
}
