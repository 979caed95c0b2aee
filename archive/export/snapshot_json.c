/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "archive/export/clock_steps.h"
#include "archive/export/findings_private.h"
#include "archive/export/snapshot.h"
#include "archive/export/snapshot_private.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "fabric/model/nets.h"
#include "fabric/vocabulary/shipped.h"

static json_t *expected_seen(unsigned expected, unsigned seen)
{
	return json_pack("{s:i, s:i}", "expected", (int)expected, "seen", (int)seen);
}

static json_t *networks_json(const struct model *m)
{
	struct net_count c[NET_COUNT + 1];
	json_t *list = json_array();

	model_count_nets(m, c);
	for (unsigned k = 0; k <= NET_COUNT; k++) {
		json_t *o;

		if (!c[k].switches && !c[k].ports)
			continue;
		o = json_pack("{s:s, s:i, s:i}", "network", net_kind_name((enum net_kind)k),
			"ports_down", (int)c[k].down, "links_found", (int)c[k].found);
		json_put(o, "switches", expected_seen(c[k].switches, c[k].switches_seen));
		json_put(o, "hosts", expected_seen(c[k].hosts, c[k].hosts_seen));
		json_put(o, "ports", expected_seen(c[k].ports, c[k].up));
		json_put(o, "links_planned", json_integer(c[k].links));
		json_append(list, o);
	}
	return list;
}

static json_t *census_json(const struct model *m)
{
	struct census c = model_census(m);
	json_t *o = json_object();

	json_put(o, "hosts", expected_seen(c.expected[TIER_HOST], c.seen[TIER_HOST]));
	json_put(o, "leaves", expected_seen(c.expected[TIER_LEAF], c.seen[TIER_LEAF]));
	json_put(o, "spines", expected_seen(c.expected[TIER_SPINE], c.seen[TIER_SPINE]));
	json_put(o, "superspines",
		expected_seen(c.expected[TIER_SUPERSPINE], c.seen[TIER_SUPERSPINE]));
	json_put(o, "ports", expected_seen(c.ports_expected, c.ports_up));
	json_put(o, "links", expected_seen(c.links_expected, c.links_found));
	json_put(o, "networks", networks_json(m));
	return o;
}

static json_t *identity_json(const struct model *m, const struct device *d)
{
	json_t *o = json_object();

	json_put(o, "hostname", json_text_or_null(d->hostname));
	json_put(o, "model", json_text_or_null(d->model));
	json_put(o, "chip", json_text_or_null(shipped_chip(d->dialect, d->model)));
	json_put(o, "serial", json_text_or_null(d->serial));
	json_put(o, "provider", json_text_or_null(d->provider));
	json_put(o, "os_version", json_text_or_null(d->os_version));
	json_put(o, "setup", json_text_or_null(d->setup));
	json_put(o, "firmware", json_text_or_null(d->firmware));
	json_put(o, "poll_path", json_text_or_null(d->poll_path));
	json_put(o, "poll_network", json_string(poll_path_name(device_poll_path(m, d))));
	json_put(o, "boot_id", json_text_or_null(d->boot_id));
	json_put(o, "uptime_s", json_number_or_null(d->uptime_s));
	json_put(o, "clock_skew_s", json_number_or_null((double)device_skew_us(m, d) / 1e6));
	return o;
}

static json_t *capabilities_json(const struct device *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->caps.n; i++) {
		const struct capability *cap = &d->caps.at[i];
		json_t *o = json_pack("{s:o, s:s}", "need", json_text(cap->need), "valid",
			validity_name((enum validity)cap->valid));

		json_put(o, "cure", json_text_or_null(cap->cure));
		json_append(list, o);
	}
	return list;
}

static json_t *routing_json(const struct device *d)
{
	json_t *o = json_object();

	json_put(o, "bgp_as", d->bgp_as ? json_integer((json_int_t)d->bgp_as) : json_null());
	json_put(o, "router_id", json_text_or_null(d->router_id));
	json_put(o, "ecmp_hash", json_text_or_null(d->ecmp_hash));
	json_put(o, "lag_hash", json_text_or_null(d->lag_hash));
	json_put(o, "balancing", json_text_or_null(d->balancing));
	json_put(o, "pair", json_text_or_null(d->pair));
	json_put(o, "buffer_pools", json_text_or_null(d->pools));
	json_put(o, "schema", json_text_or_null(d->schema));
	json_put(o, "hash_algorithm", json_text_or_null(d->hash_algorithm));
	return o;
}

static json_t *gpu_json(const struct device *d, unsigned index)
{
	const struct gpu_link *g = &d->gpus[index];
	json_t *o = json_pack("{s:i, s:o, s:b}", "gpu", (int)index, "kind",
		json_text_or_null(g->kind), "gone", g->seen_us && g->seen_us != d->gpus_us);
	json_t *errors = json_object();

	json_put(o, "name", json_text_or_null(g->name));
	json_put(o, "bus", json_text_or_null(g->bus));
	json_put(o, "links", g->links >= 0 ? json_integer(g->links) : json_null());
	json_put(o, "active", g->active >= 0 ? json_integer(g->active) : json_null());
	json_put(o, "inactive", json_text_or_null(g->down));
	json_put(o, "slowest_gbytes_s", json_number_or_null((double)g->gbs));
	for (unsigned e = 0; e < GPU_ERRORS; e++)
		json_put(errors, gpu_error_name((enum gpu_error)e),
			g->errors[e] == UINT64_MAX ? json_null()
						   : json_integer((json_int_t)g->errors[e]));
	json_put(o, "errors", errors);
	json_put(o, "worst_link", g->worst >= 0 ? json_integer(g->worst) : json_null());
	json_put(o, "fabric_state", json_text_or_null(g->state));
	json_put(o, "fabric_status", json_text_or_null(g->status));
	json_put(o, "health", json_text_or_null(g->health));
	json_put(o, "health_reason", json_text_or_null(g->why));
	json_put(o, "clique", json_text_or_null(g->clique));
	json_put(o, "cluster", json_text_or_null(g->cluster));
	return o;
}

/* Null where nothing is known of GPUs. */
static json_t *gpus_json(const struct device *d, int64_t now_us)
{
	json_t *o, *list;

	if (!d->gpus && !d->gpu_domain[0])
		return json_null();
	o = json_object();
	list = json_array();
	for (unsigned i = 0; d->gpus && i < HOST_GPUS_MOST; i++)
		if (d->gpus[i].known)
			json_append(list, gpu_json(d, i));
	json_put(o, "age_s",
		d->gpus_us ? json_number_or_null((double)(now_us - d->gpus_us) / 1e6)
			   : json_null());
	json_put(o, "domain", json_text_or_null(d->gpu_domain));
	json_put(o, "gpus", list);
	return o;
}

static json_t *marks_json(const struct model *m)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < m->nmarks; i++)
		json_append(
			list, json_pack("{s:o, s:o}", "name", json_text(m->marks[i].name), "time",
				      json_number_or_null(
					      (double)model_wall(m, m->marks[i].wall_us) / 1e6)));
	return list;
}

static json_t *poll_json(const struct device *d)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "polls", (json_int_t)d->polls, "failures",
		(json_int_t)d->failures, "took_us", (json_int_t)d->took_us, "bytes",
		(json_int_t)d->bytes);
}

static json_t *device_json(const struct model *m, const struct device *d, int64_t now_us)
{
	json_t *o = json_pack("{s:o, s:s, s:s, s:o, s:s}", "name", json_text(d->name), "tier",
		tier_name(d->tier), "fabric", net_kind_name(d->net), "dialect",
		json_text(d->dialect), "state", dev_state_name(d->state));
	json_t *ports = json_array();

	json_put(o, "rail", d->rail >= 0 ? json_integer(d->rail) : json_null());
	json_put(o, "site", json_text_or_null(d->site));
	json_put(o, "rack", json_text_or_null(d->rack));
	json_put(o, "unit", json_text_or_null(d->unit));
	json_put(o, "age_s",
		d->last_ok_us ? json_number_or_null((double)(now_us - d->last_ok_us) / 1e6)
			      : json_null());
	json_put(o, "source",
		d->last_ok_us ? json_string(d->engine ? "engine" : "direct") : json_null());
	json_put(o, "interval_s", json_number_or_null((double)d->interval_us / 1e6));
	json_put(o, "address", json_text_or_null(d->address));
	json_put(o, "identity", identity_json(m, d));
	json_put(o, "poll", poll_json(d));
	if (d->err->code != ERR_NONE)
		json_put(o, "error",
			json_pack("{s:s, s:o, s:o}", "code", err_code_name(d->err->code), "text",
				json_text(d->err->text), "cure", json_text(d->err->cure)));
	json_put(o, "capabilities", capabilities_json(d));
	json_put(o, "routing", routing_json(d));
	json_put(o, "gpus", gpus_json(d, now_us));
	json_put(o, "bgp", snapshot_bgp(m, d));
	json_put(o, "pfcwd_poll_ms",
		d->pfcwd_poll_ms ? json_integer((json_int_t)d->pfcwd_poll_ms) : json_null());
	for (size_t i = 0; i < d->ports.n; i++)
		json_append(ports, snapshot_port(m, m->ports.at[d->ports.at[i]], now_us));
	json_put(o, "ports", ports);
	return o;
}

static json_t *link_end_json(const struct model *m, uint32_t id)
{
	const struct port *p = m->ports.at[id];

	return json_pack("{s:o, s:o}", "device", json_text(model_dev_of(m, p)->name), "port",
		json_text(p->name));
}

/* Flags by device id; NULL: all devices. Each link end needs a lookup, so it is an array. */
static bool *picked_of(const struct model *m, const struct snapshot_some *some)
{
	bool *picked = some ? mem_calloc(m->devices.n + 1, sizeof(*picked)) : NULL;

	for (size_t i = 0; some && i < some->n; i++)
		picked[some->devices[i]] = true;
	return picked;
}

static bool is_picked(const bool *picked, uint32_t device)
{
	return !picked || picked[device];
}

static json_t *links_json(const struct model *m, const bool *picked)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->links.n; i++) {
		const struct link *l = &m->links.at[i];
		json_t *o;

		if (!is_picked(picked, m->ports.at[l->a]->device) &&
			!is_picked(picked, m->ports.at[l->b]->device))
			continue;
		o = json_pack("{s:o, s:o, s:s}", "a", link_end_json(m, l->a), "b",
			link_end_json(m, l->b), "state", link_state_name(l->state));

		json_put(o, "rail", l->rail >= 0 ? json_integer(l->rail) : json_null());
		json_append(list, o);
	}
	return list;
}

static json_t *events_json(const struct model *m, const bool *picked)
{
	json_t *list = json_array();
	const struct event *e;

	for (size_t i = 0; (e = model_event(m, i)); i++) {
		json_t *o;

		if (e->device != EVENT_NO_ID && !is_picked(picked, e->device))
			continue;
		o = json_pack("{s:o, s:s, s:s}", "t",
			json_number_or_null((double)model_wall(m, e->wall_us) / 1e6), "event",
			event_info[e->kind].name, "severity",
			severity_name(event_info[e->kind].severity));

		if (e->device != EVENT_NO_ID)
			json_put(o, "device", json_text(m->devices.at[e->device]->name));
		if (e->port != EVENT_NO_ID)
			json_put(o, "port", json_text(m->ports.at[e->port]->name));
		if (e->priority >= 0)
			json_put(o, "priority", json_integer(e->priority));
		json_put(o, "device_time",
			e->device_us ? json_number_or_null((double)e->device_us / 1e6)
				     : json_null());
		json_put(o, "text", json_text(e->text));
		json_append(list, o);
	}
	return list;
}

/* Writes one device at a time: the JSON tree of a 4,000-GPU fabric would take a gigabyte. */
static bool write_devices(const struct model *m, const bool *picked, int64_t now_us, FILE *out)
{
	bool ok = fputs("\"devices\":[", out) >= 0;
	const char *before = "\n";

	for (size_t i = 0; ok && i < m->devices.n; i++) {
		json_t *d;

		if (!is_picked(picked, m->devices.at[i]->id))
			continue;
		d = device_json(m, m->devices.at[i], now_us);
		ok = fputs(before, out) >= 0 && json_dumpf(d, out, JSON_COMPACT) == 0;
		before = ",\n";
		json_decref(d);
	}
	return ok && fputs("],\n", out) >= 0;
}

static bool write_member(FILE *out, const char *name, json_t *value, const char *after)
{
	bool ok = fprintf(out, "\"%s\":", name) > 0 &&
		  json_dumpf(value, out, JSON_COMPACT | JSON_ENCODE_ANY) == 0 &&
		  fputs(after, out) >= 0;

	json_decref(value);
	return ok;
}

bool snapshot_json(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err)
{
	return snapshot_json_some(m, d, NULL, now_us, out, err);
}

bool snapshot_json_some(const struct model *m, const struct diag *d,
	const struct snapshot_some *some, int64_t now_us, FILE *out, struct err *err)
{
	bool *picked = picked_of(m, some);
	bool ok = fputs("{\"schema\":1,\n", out) >= 0 &&
		  write_member(out, "fabric", json_text(m->fabric), ",\n") &&
		  write_member(out, "time",
			  json_number_or_null((double)model_wall(m, now_us) / 1e6), ",\n") &&
		  write_member(out, "clock_steps", clock_steps_json(m, 0, now_us), ",\n") &&
		  write_member(out, "coverage", coverage_json(m), ",\n") &&
		  write_member(out, "census", census_json(m), ",\n") &&
		  write_member(out, "marks", marks_json(m), ",\n") &&
		  write_devices(m, picked, now_us, out) &&
		  write_member(out, "links", links_json(m, picked), ",\n") &&
		  write_member(out, "jobs", jobs_json(m), ",\n") &&
		  write_member(out, "events", events_json(m, picked), ",\n") &&
		  write_member(out, "verdict",
			  d ? verdict_json(m, diag_verdict(d), now_us) : json_null(), ",\n") &&
		  write_member(out, "findings", findings_list(m, d), "}\n");

	free(picked);
	return (ok && fflush(out) == 0) ||
	       err_system(err, ERR_IO, "snapshot", "cannot be written", errno);
}
