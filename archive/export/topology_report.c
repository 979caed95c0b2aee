/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/export/findings_private.h"
#include "archive/export/topology.h"
#include "archive/export/topology_private.h"
#include "base/json_out.h"
#include "base/str.h"

/* ---- text ---- */

static void print_ids(const struct model *m, const device_ids *ids, FILE *out)
{
	char_list names = {0};

	topology_device_names(m, ids, &names);
	topology_print_names(&names, out);
	vec_free(&names);
}

static void print_unit(
	const struct model *m, const struct units *u, const struct unit *unit, FILE *out)
{
	(void)fprintf(out, "unit %s, pod %s: %zu host%s: ", unit->name, u->pods.at[unit->pod].name,
		unit->hosts.n, str_plural(unit->hosts.n));
	print_ids(m, &unit->hosts, out);
	(void)fputs("\n   leaves ", out);
	print_ids(m, &unit->leaves, out);
	(void)fprintf(
		out, "; links: %u by LLDP, %u by the plan alone", unit->by_lldp, unit->by_plan);
	if (unit->strays)
		(void)fprintf(out, "; %u host%s without some of these leaves, or with others",
			unit->strays, str_plural(unit->strays));
	(void)fputc('\n', out);
}

static void print_jobs(const struct model *m, const struct units *u, FILE *out)
{
	for (uint32_t i = 0; i < m->nccl->jobs.n; i++) {
		struct placement p;

		if (placement_find(m, u, i, &p)) {
			(void)fprintf(out,
				"job %s: %zu host%s in %u unit%s, %u pod%s (%u would do)",
				m->nccl->jobs.at[i]->name, p.hosts.n, str_plural(p.hosts.n),
				p.units, str_plural(p.units), p.pods, str_plural(p.pods),
				p.pods_least);
			if (p.ordered)
				(void)fprintf(out,
					"; its ring crosses %u times between units (%u would do), "
					"%u of %u steps leave the rail\n",
					p.crossings, p.crossings_least, p.off_rail, p.rail_pairs);
			else
				(void)fputs("; the order of its ranks is not known\n", out);
		}
		placement_free(&p);
	}
}

bool topology_text(
	const struct model *m, const struct units *u, int64_t now_us, FILE *out, struct err *err)
{
	struct coverage v = model_coverage(m);
	char when[32], seen[80];

	(void)fprintf(out, "%s at %s: %zu unit%s in %zu pod%s; %s\n",
		m->fabric[0] ? m->fabric : "the fabric", model_utc(m, now_us, when, sizeof(when)),
		u->at.n, str_plural(u->at.n), u->pods.n, str_plural(u->pods.n),
		coverage_words(&v, seen, sizeof(seen)));
	for (size_t i = 0; i < u->at.n; i++)
		print_unit(m, u, &u->at.at[i], out);
	if (u->islands.n > 1)
		(void)fprintf(out, "no path between %zu parts is known\n", u->islands.n);
	if (u->unplaced.n) {
		(void)fprintf(out, "no leaf is known of %zu host%s: ", u->unplaced.n,
			str_plural(u->unplaced.n));
		print_ids(m, &u->unplaced, out);
		(void)fputc('\n', out);
	}
	print_jobs(m, u, out);
	return topology_flushed(out, err);
}

bool topology_order(
	const struct model *m, const struct units *u, uint32_t job, FILE *out, struct err *err)
{
	struct placement p;
	device_ids order = {0};

	if (!placement_find(m, u, job, &p)) {
		placement_free(&p);
		err_set(err, ERR_UNSUPPORTED, "topology", "no host of the job is known");
		return err_cure(
			err, "railtop jobs shows its source; railtop check what is missing");
	}
	placement_better(u, &p, &order);
	if (p.ordered)
		(void)fprintf(out,
			"# as it runs: %zu hosts, the ring crosses %u times between units; in this "
			"order %u\n",
			p.hosts.n, p.crossings, p.crossings_least);
	else
		(void)fputs("# the order of its ranks is not known; in this one the ring crosses "
			    "least\n",
			out);
	if (p.unplaced)
		(void)fprintf(out, "# no leaf is known of %u hosts: they are last\n", p.unplaced);
	for (size_t i = 0; i < order.n; i++)
		if (topology_name_ok(m->devices.at[order.at[i]]->name))
			(void)fprintf(out, "%s\n", m->devices.at[order.at[i]]->name);
	vec_free(&order);
	placement_free(&p);
	return topology_flushed(out, err);
}

/* ---- JSON ---- */

static json_t *names_json(const struct model *m, const device_ids *ids)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ids->n; i++)
		json_append(list, json_text(m->devices.at[ids->at[i]]->name));
	return list;
}

static json_t *units_json(const struct model *m, const struct units *u)
{
	json_t *list = json_array();

	for (size_t i = 0; i < u->at.n; i++) {
		const struct unit *unit = &u->at.at[i];
		const struct pod *pod = &u->pods.at[unit->pod];

		json_append(list,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i}", "unit",
				json_text(unit->name), "pod", json_text(pod->name), "island",
				json_text(u->islands.at[pod->island].name), "leaves",
				names_json(m, &unit->leaves), "hosts", names_json(m, &unit->hosts),
				"links_lldp", (int)unit->by_lldp, "links_plan", (int)unit->by_plan,
				"strays", (int)unit->strays));
	}
	return list;
}

/* null where the order of ranks is not known: the number is unknown, not 0. */
static json_t *count_or_null(bool known, unsigned n)
{
	return known ? json_integer(n) : json_null();
}

static json_t *placement_json(
	const struct model *m, const struct units *u, const struct placement *p)
{
	device_ids order = {0};
	json_t *o;

	placement_better(u, p, &order);
	o = json_pack("{s:o, s:b, s:o, s:i, s:i, s:i, s:i}", "job",
		json_text(m->nccl->jobs.at[p->job]->name), "ordered", p->ordered, "hosts",
		names_json(m, &p->hosts), "unplaced", (int)p->unplaced, "units", (int)p->units,
		"pods", (int)p->pods, "pods_least", (int)p->pods_least);
	json_put(o, "crossings", count_or_null(p->ordered, p->crossings));
	json_put(o, "crossings_least", count_or_null(p->ordered, p->crossings_least));
	json_put(o, "pod_crossings", count_or_null(p->ordered, p->pod_crossings));
	json_put(o, "runs", count_or_null(p->ordered, p->runs));
	json_put(o, "rail_pairs", count_or_null(p->ordered, p->rail_pairs));
	json_put(o, "off_rail", count_or_null(p->ordered && p->rail_pairs, p->off_rail));
	json_put(o, "better", names_json(m, &order));
	vec_free(&order);
	return o;
}

bool topology_json(
	const struct model *m, const struct units *u, int64_t now_us, FILE *out, struct err *err)
{
	json_t *jobs = json_array(), *root;

	for (uint32_t i = 0; i < m->nccl->jobs.n; i++) {
		struct placement p;

		if (placement_find(m, u, i, &p))
			json_append(jobs, placement_json(m, u, &p));
		placement_free(&p);
	}
	root = json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", 1, "fabric",
		json_text(m->fabric), "time",
		json_number_or_null((double)model_wall(m, now_us) / 1e6), "coverage",
		coverage_json(m), "units", units_json(m, u), "unplaced",
		names_json(m, &u->unplaced), "jobs", jobs);
	return export_json(root, "topology", out, err);
}
