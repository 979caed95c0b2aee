/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>

#include "emulator/sim/sim_internal.h"

/* What is really going on, for whoever checks a console against it. */

static json_t *seconds(int64_t us)
{
	return us == SIM_NEVER ? json_null() : json_real((double)us / 1e6);
}

static void put_port(const struct sim *s, json_t *o, const struct sim_port *p)
{
	char name[NAME_MAX_LEN];

	sim_port_name(s, p, name, sizeof(name));
	json_object_set_new(o, "device", json_string(sim_device_of(s, p)->name));
	json_object_set_new(o, "port", json_string(name));
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

static bool active(const struct sim *s, const struct fault *f)
{
	return f->began <= s->now && f->ended > s->now;
}

static json_t *one_fault(const struct sim *s, const struct fault *f)
{
	json_t *o = json_object();

	json_object_set_new(o, "class", json_string(f->class->name));
	json_object_set_new(o, "spec", json_string(f->spec));
	if (f->port) {
		put_port(s, o, f->port);
		json_object_set_new(o, "peer", one_end(s, f->port->peer));
	} else {
		json_object_set_new(o, "device", json_string(f->device->name));
	}
	if (f->with)
		json_object_set_new(o, "with", one_end(s, f->with));
	json_object_set_new(o, "start", seconds(f->began == SIM_NEVER ? f->at : f->began));
	json_object_set_new(o, "end",
		seconds(f->ended != SIM_NEVER      ? f->ended
			: f->duration == SIM_NEVER ? SIM_NEVER
						   : f->at + f->duration));
	json_object_set_new(o, "active", json_boolean(active(s, f)));
	json_object_set_new(o, "transitions", json_integer((json_int_t)f->transitions));
	return o;
}

static json_t *one_port(const struct sim *s, const struct sim_port *p)
{
	const struct port_state *st = sim_state(s, p);
	json_t *o = json_object();

	put_port(s, o, p);
	json_object_set_new(o, "up", json_boolean(p->up));
	json_object_set_new(o, "speed_mbps", json_integer(p->speed_mbps));
	json_object_set_new(o, "rx_bytes_ps", json_real(st->rate[S_RX_BYTES]));
	json_object_set_new(o, "tx_bytes_ps", json_real(st->rate[S_TX_BYTES]));
	json_object_set_new(o, "rx_paused", json_real(st->rate[S_Q3_PFC_RX_US] / 1e6));
	json_object_set_new(o, "tx_paused", json_real(st->rate[S_Q3_PFC_TX_US] / 1e6));
	return o;
}

char *sim_truth(const struct sim *s)
{
	json_t *root = json_object(), *faults = json_array(), *ports = json_array();
	char *text;

	json_object_set_new(root, "preset", json_string(s->o.sizing->preset));
	json_object_set_new(root, "seed", json_integer((json_int_t)s->o.seed));
	json_object_set_new(root, "speed", json_real(s->o.speed));
	json_object_set_new(root, "steady", json_boolean(s->o.steady));
	json_object_set_new(root, "started", seconds(s->o.start_us));
	json_object_set_new(root, "time", seconds(s->now));
	json_object_set_new(root, "rates_since", seconds(s->since));
	for (size_t i = 0; i < s->faults.n; i++)
		json_array_append_new(faults, one_fault(s, &s->faults.at[i]));
	json_object_set_new(root, "faults", faults);
	for (size_t i = 0; i < s->nports; i++)
		json_array_append_new(ports, one_port(s, &s->port[i]));
	json_object_set_new(root, "ports", ports);
	text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	json_decref(root);
	return text;
}
