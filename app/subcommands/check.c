/* SPDX-License-Identifier: Apache-2.0 */
#include "app/subcommands/check_private.h"
#include "app/headless/headless.h"
#include "app/notify/notify.h"
#include "base/hostlist_compress.h"
#include "base/sandbox/sandbox.h"
#include "app/session/session.h"
#include "base/clock.h"
#include "base/str.h"
#include "views/panels/need_groups.h"

#define NAMES_WIDTH 60 /* limit of a list of devices on a line */

/* "; cannot report 3, switched off 1" */
static void put_caps(const struct device *d, FILE *out)
{
	struct need_count n = device_needs(d);

	if (n.unsupported || n.off)
		(void)fprintf(out, "; cannot report %u, switched off %u of %zu", n.unsupported,
			n.off, d->caps.n);
}

/* The first device with the same error, if it is another one. One dead engine or bastion is told
 * once. */
static const struct device *told_at(const struct model *m, const struct device *d)
{
	for (size_t i = 0; i < m->devices.n && m->devices.at[i] != d; i++)
		if (str_eq(m->devices.at[i]->err->text, d->err->text))
			return m->devices.at[i];
	return NULL;
}

static void device_line(const struct model *m, const struct device *d, FILE *out)
{
	const struct device *first = d->err->code == ERR_NONE ? NULL : told_at(m, d);
	char took[16] = "-";

	if (d->took_us > 0)
		(void)str_printf(took, sizeof(took), "%lldms", (long long)(d->took_us / 1000));
	(void)fprintf(out, "%-16s %-10s %-8s %-6s %-22s %-14s %7s  %s%s%s %s", d->name,
		tier_name(d->tier), d->dialect, d->engine ? "engine" : d->transport, d->address,
		dev_state_words(d->state), took, d->provider, d->provider[0] ? " " : "", d->model,
		d->os_version);
	put_caps(d, out);
	if (first)
		(void)fprintf(out, "(as %s)", first->name);
	(void)fputc('\n', out);
	if (d->err->code == ERR_NONE || first)
		return;
	(void)fprintf(out, "    %s: %s\n", err_code_name(d->err->code), d->err->text);
	if (d->err->cure[0])
		(void)fprintf(out, "    cure: %s\n", d->err->cure);
}

/* A capability that devices of one dialect lack, and those devices. */
struct gap {
	const char *dialect;
	const struct capability *cap; /* of the first device */
	VEC(const char *) devices;
};
typedef VEC(struct gap) gap_vec;

static bool same_gap(const struct gap *g, const struct device *d, const struct capability *cap)
{
	return g->cap->valid == cap->valid && str_eq(g->cap->need, cap->need) &&
	       str_eq(g->cap->cure, cap->cure) && str_eq(g->dialect, d->dialect);
}

static void add_gap(gap_vec *gaps, const struct device *d, const struct capability *cap)
{
	struct gap *g = NULL;

	for (size_t i = 0; i < gaps->n && !g; i++)
		if (same_gap(&gaps->at[i], d, cap))
			g = &gaps->at[i];
	if (!g) {
		g = vec_add(gaps);
		g->dialect = d->dialect;
		g->cap = cap;
	}
	vec_push(&g->devices, d->name);
}

static size_t devices_of(const struct model *m, const char *dialect)
{
	size_t n = 0;

	for (size_t i = 0; i < m->devices.n; i++)
		n += str_eq(m->devices.at[i]->dialect, dialect);
	return n;
}

/* "leaf-r0-[00-03]", or the beginning and the length of a long list. */
static void put_names(const struct gap *g, FILE *out)
{
	struct buf names;

	buf_init(&names, (size_t)16 << 20);
	hostlist_compress(g->devices.at, g->devices.n, &names);
	if (names.len <= NAMES_WIDTH)
		(void)fprintf(out, "%s", names.data);
	else
		(void)fprintf(out, "%zu devices: %.*s...", g->devices.n, NAMES_WIDTH, names.data);
	buf_free(&names);
}

/* The same, or "all 128 devices". */
static void put_devices(const struct model *m, const struct gap *g, FILE *out)
{
	if (g->devices.n > 1 && g->devices.n == devices_of(m, g->dialect))
		(void)fprintf(out, "all %zu devices", g->devices.n);
	else
		put_names(g, out);
}

static void put_head(bool *headed, FILE *out)
{
	if (!*headed)
		(void)fprintf(out, "\nmissing capabilities, by dialect:\n");
	*headed = true;
}

/* A gap shared by a hundred devices is printed as one line. Sources of jobs are of no dialect. */
static void print_gaps(const struct model *m, FILE *out)
{
	gap_vec gaps = {0};
	bool headed = false;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		/* Missing commands of a device with the wrong dialect mean nothing. */
		for (size_t k = 0; k < d->caps.n && d->state != DEV_NOT_UNDERSTOOD; k++) {
			if (d->caps.at[k].valid != VALID_OK)
				add_gap(&gaps, d, &d->caps.at[k]);
		}
	}
	for (size_t i = 0; i < gaps.n; i++) {
		struct gap *g = &gaps.at[i];

		put_head(&headed, out);
		(void)fprintf(out, "  %-8s %-32s %-12s on ", g->dialect, g->cap->need,
			validity_name((enum validity)g->cap->valid));
		put_devices(m, g, out);
		(void)fprintf(out, "%s%s\n", g->cap->cure[0] ? "; " : "", g->cap->cure);
		vec_free(&g->devices);
	}
	vec_free(&gaps);
	for (size_t i = 0; i < m->sources.n; i++) {
		const struct capability *c = &m->sources.at[i];

		if (c->valid == VALID_OK)
			continue;
		put_head(&headed, out);
		(void)fprintf(out, "  %-8s %-32s %-12s %s\n", "-", c->need,
			validity_name((enum validity)c->valid), c->cure);
	}
}

/* Devices of one dialect with the same release, and the same version of their tables. */
static void put_release(const struct model *m, size_t first, FILE *out)
{
	const struct device *d = m->devices.at[first];
	struct gap g = {.dialect = d->dialect};

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *o = m->devices.at[i];

		if (!str_eq(o->dialect, d->dialect) || !str_eq(o->os_version, d->os_version) ||
			!str_eq(o->schema, d->schema))
			continue;
		if (i < first) {
			vec_free(&g.devices);
			return;
		}
		vec_push(&g.devices, o->name);
	}
	(void)fprintf(out, "  %-8s %s%s%s on ", d->dialect, d->os_version,
		d->schema[0] ? ", schema " : "", d->schema);
	put_devices(m, &g, out);
	(void)fputc('\n', out);
	vec_free(&g.devices);
}

/* A new release shows here, beside the known fields that it lacks among the capabilities. */
static void print_releases(const struct model *m, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if (!d->os_version[0] && !d->schema[0])
			continue;
		if (!any)
			(void)fprintf(out, "\nreleases met:\n");
		any = true;
		put_release(m, i, out);
	}
}

/* The lines above may be hundreds: repeat the devices without data at the end. */
static void print_missing(const struct model *m, FILE *out)
{
	for (int s = 0; s < DEV_STATE_COUNT; s++) {
		struct gap g = {0};

		if (s == DEV_FRESH || s == DEV_LATE)
			continue;
		for (size_t i = 0; i < m->devices.n; i++)
			if ((int)m->devices.at[i]->state == s)
				vec_push(&g.devices, m->devices.at[i]->name);
		if (g.devices.n) {
			(void)fprintf(out, "  %-14s ", dev_state_words((enum dev_state)s));
			put_names(&g, out);
			(void)fputc('\n', out);
		}
		vec_free(&g.devices);
	}
}

/* Devices whose answers do not fit their dialect. The cause is mostly the same for one dialect, so
 * only the first device's error is printed. */
static void print_not_understood(const struct model *m, size_t first, FILE *out)
{
	const struct device *d = m->devices.at[first];
	size_t n = 0;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *o = m->devices.at[i];

		if (o->state != DEV_NOT_UNDERSTOOD || !str_eq(o->dialect, d->dialect))
			continue;
		if (i < first)
			return;
		n++;
	}
	(void)fprintf(out, "%zu device%s answer%s, but not as %s%s; %s%s: %s\n", n, str_plural(n),
		n == 1 ? "s" : "", d->dialect[0] ? "dialect " : "any dialect", d->dialect,
		n == 1 ? "" : "first ", d->name, d->err->text);
	if (d->err->cure[0])
		(void)fprintf(out, "  cure: %s\n", d->err->cure);
	else
		(void)fprintf(out, "  cure: check dialect: in the inventory\n");
}

/* Devices that answer, and so count as heard, but report no port counters. */
static void print_blind(const struct model *m, FILE *out)
{
	struct gap g = {0};

	for (size_t i = 0; i < m->devices.n; i++)
		if (device_blind(m->devices.at[i]))
			vec_push(&g.devices, m->devices.at[i]->name);
	if (g.devices.n) {
		(void)fprintf(out, "no port counters from ");
		put_names(&g, out);
		(void)fputc('\n', out);
	}
	vec_free(&g.devices);
}

bool check_text(const struct model *m, int64_t now_us, FILE *out)
{
	struct coverage v = model_coverage(m);

	(void)now_us;
	for (size_t i = 0; i < m->devices.n; i++)
		device_line(m, m->devices.at[i], out);
	(void)fprintf(out, "\n%u device%s:", v.devices, str_plural(v.devices));
	for (int s = 0; s < DEV_STATE_COUNT; s++) {
		if (v.by_state[s])
			(void)fprintf(
				out, " %u %s", v.by_state[s], dev_state_words((enum dev_state)s));
	}
	(void)fputc('\n', out);
	print_missing(m, out);
	for (size_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i]->state == DEV_NOT_UNDERSTOOD)
			print_not_understood(m, i, out);
	print_blind(m, out);
	print_releases(m, out);
	print_gaps(m, out);
	return !ferror(out);
}

/* Answers of devices are decoded in it: a kernel that lacks a part of it is worth a line. */
static void print_sandbox(void)
{
	char missing[SANDBOX_TEXT];

	if (!sandbox_missing(missing, sizeof(missing)))
		return;
	(void)printf(
		"\nthe sandbox of this run is not complete: %s\n"
		"  cure: Linux 6.10 or later, with Landlock in lsm= of the kernel's command line "
		"(SECURITY.md)\n",
		missing);
}

/* The check is about answers of devices; also show the state of the fabric. */
static void print_fabric(const struct collected *c)
{
	char text[VERDICT_SENTENCE];

	verdict_sentence(diag_verdict(c->diag), c->model, c->now_us, text, sizeof(text));
	(void)printf("\nthe fabric: %s\n", text);
}

static int print_report(const struct options *o, const struct collected *c)
{
	const struct model *m = c->model;
	int64_t now_us = c->now_us;
	struct check_engine engine;
	struct err err = {0};
	bool ok;

	check_engine_find(&engine, c->plan, c->session ? session_mapping(c->session) : NULL, m);
	if (o->json) {
		ok = check_json(m, c->diag, &engine, c->plan, now_us, stdout);
	} else {
		ok = check_text(m, now_us, stdout);
		check_engine_text(&engine, now_us, stdout);
		(void)notify_report(c->plan, stdout);
		print_fabric(c);
		print_sandbox();
	}
	check_engine_free(&engine);
	if (headless_close(stdout, "standard output", &err) && ok)
		return headless_judged_code(m, diag_verdict(c->diag)->state);
	err_print(&err);
	return EXIT_INTERNAL;
}

int sub_check(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.for_us = o->for_us ? o->for_us : 30 * CLOCK_SEC,
		.until_heard = true,
		.lists_unreached = !o->json,
		.done = print_report,
	};

	return headless_run(&opts);
}
