/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "emulator/sim/faults/faults.h"

/* The true state of the fabric, to check a console against. */

#define PORTS_MOST   4000 /* up to this size of a fabric all ports are written */
#define NOTABLE_MOST 512  /* in a larger one: ports that are down, slow or paused */
#define TOUCHED_MOST 64
#define PAUSED       0.01

static json_t *json_seconds(int64_t us)
{
	return us == SIM_NEVER ? json_null() : json_number_or_null((double)us / 1e6);
}

static void put_port(const struct sim *s, json_t *o, const struct sim_port *p)
{
	json_object_set_new(o, "device", json_string(sim_device_of(s, p)->name));
	json_object_set_new(o, "port", json_string(p->name));
}

static json_t *one_end(const struct sim *s, const struct sim_port *p)
{
	json_t *o;

	if (!p)
		return json_null();
	o = json_object();
	put_port(s, o, p);
	return o;
}

static bool is_active(const struct sim *s, const struct fault *f)
{
	return f->began <= s->now && f->ended > s->now;
}

static json_t *json_numbers(const char *text)
{
	json_t *list = json_array();
	char *end;

	for (long n; (n = strtol(text, &end, 10)) > 0; text = end)
		json_array_append_new(list, json_integer(n));
	return list;
}

static int64_t end_of(const struct fault *f)
{
	if (f->ended != SIM_NEVER || f->k.duration == SIM_NEVER)
		return f->ended;
	return f->at + f->k.duration;
}

static void put_entity(const struct sim *s, json_t *o, const struct fault *f)
{
	json_t *list = json_array();

	if (f->port) {
		put_port(s, o, f->port);
		json_object_set_new(o, "peer", one_end(s, f->port->peer));
	} else if (f->device || f->everywhere) {
		json_object_set_new(o, "device", json_string(f->device ? f->device->name : "*"));
	}
	if (f->class->entity == ENTITY_TIER)
		json_object_set_new(o, "tier",
			json_string(f->tier < 0 ? "all" : tier_name((enum tier)f->tier)));
	if (f->with)
		json_object_set_new(o, "with", one_end(s, f->with));
	for (size_t i = 0; i < f->ports.n && i < TOUCHED_MOST; i++)
		json_array_append_new(list, one_end(s, f->ports.at[i]));
	json_object_set_new(o, "touches", list);
	json_object_set_new(o, "touched_ports", json_integer((json_int_t)f->ports.n));
	if (f->sink && f->sink != f->port)
		json_object_set_new(o, "contention", one_end(s, f->sink->peer));
}

/* Victims and innocent ports: current ones, or those at the fault's last end. */
static void put_victims(const struct sim *s, json_t *o, const struct fault *f)
{
	json_t *v = f->on ? truth_victims(s, f) : json_deep_copy(f->victims), *innocent;

	if (!v)
		return;
	innocent = json_incref(json_object_get(v, "innocent"));
	json_object_del(v, "innocent");
	json_object_set_new(o, "victims", v);
	json_object_set_new(o, "innocent", innocent);
}

static json_t *one_fault(const struct sim *s, const struct fault *f)
{
	json_t *o = json_object();

	json_object_set_new(o, "id", json_integer(f->id));
	json_object_set_new(o, "class", json_string(f->class->name));
	json_object_set_new(o, "taxonomy", json_numbers(f->class->taxonomy));
	json_object_set_new(o, "blame", json_boolean(!f->class->healthy));
	json_object_set_new(o, "spec", json_string(f->spec));
	put_entity(s, o, f);
	json_object_set_new(o, "start", json_seconds(f->began == SIM_NEVER ? f->at : f->began));
	json_object_set_new(o, "end", json_seconds(end_of(f)));
	json_object_set_new(o, "active", json_boolean(is_active(s, f)));
	json_object_set_new(o, "on", json_boolean(f->on));
	json_object_set_new(o, "transitions", json_integer((json_int_t)f->transitions));
	put_victims(s, o, f);
	return o;
}

static json_t *one_port(const struct sim *s, const struct sim_port *p)
{
	const struct port_state *st = sim_state(s, p);
	json_t *o = json_object();

	put_port(s, o, p);
	json_object_set_new(o, "up", json_boolean(p->up));
	json_object_set_new(o, "speed_mbps", json_integer(p->speed_mbps));
	json_object_set_new(o, "rx_bytes_ps", json_number_or_null(st->rate[S_RX_BYTES]));
	json_object_set_new(o, "tx_bytes_ps", json_number_or_null(st->rate[S_TX_BYTES]));
	json_object_set_new(o, "rx_paused", json_number_or_null(st->rate[S_Q3_PFC_RX_US] / 1e6));
	json_object_set_new(o, "tx_paused", json_number_or_null(st->rate[S_Q3_PFC_TX_US] / 1e6));
	return o;
}

static bool is_notable(const struct sim *s, const struct sim_port *p)
{
	return p->plan_peer && (!p->up || p->speed_mbps != p->plan_mbps ||
				       p->peer != p->plan_peer || sim_state(s, p)->hold > PAUSED ||
				       (p->peer && sim_state(s, p->peer)->hold > PAUSED));
}

static json_t *json_ports(const struct sim *s, bool all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->nports; i++) {
		if (!all && json_array_size(list) >= NOTABLE_MOST)
			break;
		if (all || is_notable(s, &s->port[i]))
			json_array_append_new(list, one_port(s, &s->port[i]));
	}
	return list;
}

/* Of the active flows that start at these NICs, the one with the least share of its demand. */
static const struct flow *slowest_flow(const struct sim *s, const bool *nic)
{
	const struct flow *worst = NULL;

	for (size_t i = 0; i < s->nflows; i++) {
		const struct flow *w = &s->flow[i];

		if (!w->active || w->group < 0 || !(w->demand > 0) || !nic[w->src - s->port])
			continue;
		if (!worst || w->rate / w->demand < worst->rate / worst->demand)
			worst = w;
	}
	return worst;
}

static json_t *slowest_edge(const struct sim *s, size_t job, const struct sim_job_view *v)
{
	bool *nic = mem_calloc(s->nports, sizeof(*nic));
	struct sim_rank_view rank;
	const struct flow *w;

	for (unsigned r = 0; r < v->nranks; r += v->gpus_per_host) {
		sim_rank(s, job, r, &rank);
		for (unsigned i = 0; i < rank.host->nports; i++)
			nic[&rank.host->ports[i] - s->port] =
				rank.host->ports[i].net == NET_BACKEND;
	}
	w = slowest_flow(s, nic);
	free(nic);
	if (!w)
		return json_null();
	return json_pack("{s:o,s:o,s:f,s:f}", "from", one_end(s, w->src), "to", one_end(s, w->dst),
		"bytes_ps", w->rate, "wanted_ps", w->demand);
}

static json_t *json_jobs(const struct sim *s)
{
	json_t *list = json_array(), *o;
	struct sim_job_view v;

	for (size_t i = 0; i < sim_job_count(s); i++) {
		sim_job(s, i, &v);
		o = json_pack("{s:s,s:i,s:I,s:s,s:b}", "name", v.name, "ranks", (int)v.nranks,
			"step", (json_int_t)v.step, "phase", v.phase, "stalled", v.stalled);
		json_object_set_new(o, "phase_since", json_seconds(v.phase_since_us));
		json_object_set_new(o, "slowest_edge", slowest_edge(s, i, &v));
		json_array_append_new(list, o);
	}
	return list;
}

static char *make_truth(const struct sim *s, bool all)
{
	json_t *root = json_object(), *faults = json_array();
	char *text;

	json_object_set_new(root, "preset",
		s->o.sizing ? json_string(s->o.sizing->preset) : json_string(s->topology->name));
	json_object_set_new(root, "seed", json_integer((json_int_t)s->o.seed));
	json_object_set_new(root, "speed", json_number_or_null(s->o.speed));
	json_object_set_new(root, "steady", json_boolean(s->o.steady));
	json_object_set_new(root, "started", json_seconds(s->o.start_us));
	json_object_set_new(root, "time", json_seconds(s->now));
	json_object_set_new(root, "rates_since", json_seconds(s->since));
	for (size_t i = 0; i < s->faults.n; i++)
		json_array_append_new(faults, one_fault(s, &s->faults.at[i]));
	json_object_set_new(root, "faults", faults);
	json_object_set_new(root, "jobs", json_jobs(s));
	json_object_set_new(root, "ports_are_all", json_boolean(all));
	json_object_set_new(root, "ports", json_ports(s, all));
	text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	json_decref(root);
	return text;
}

char *sim_truth(const struct sim *s)
{
	return make_truth(s, s->nports <= PORTS_MOST);
}

char *sim_truth_full(const struct sim *s)
{
	return make_truth(s, true);
}
