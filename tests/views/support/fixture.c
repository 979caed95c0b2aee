/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/views/support/fixture.h"
#include "tests/support/plan_make.h"

#define HOSTS  2
#define RAILS  8
#define SPINES 2

struct model *fix_model(void)
{
	struct plan p;
	struct model *m;
	char name[64], a[64], b[64];

	plan_init(&p);
	(void)str_copy(p.fabric, sizeof(p.fabric), "fixture");
	p.rails = RAILS;
	p.lossless.priorities = 1U << 3;
	for (unsigned n = 0; n < HOSTS; n++) {
		(void)str_printf(name, sizeof(name), "node%03u", n);
		plan_make_device(&p, name, TIER_HOST, -1)->interval_us = CLOCK_SEC;
	}
	for (unsigned r = 0; r < RAILS; r++) {
		(void)str_printf(name, sizeof(name), "leaf-r%u-00", r);
		plan_make_device(&p, name, TIER_LEAF, (int)r)->interval_us = CLOCK_SEC;
	}
	for (unsigned s = 0; s < SPINES; s++) {
		(void)str_printf(name, sizeof(name), "spine-%03u", s);
		plan_make_device(&p, name, TIER_SPINE, -1)->interval_us = CLOCK_SEC;
	}
	for (unsigned r = 0; r < RAILS; r++) {
		for (unsigned n = 0; n < HOSTS; n++) {
			(void)str_printf(a, sizeof(a), "mlx5_%u", r);
			(void)str_printf(b, sizeof(b), "Ethernet%u", 4 * n);
			plan_make_link(&p, n, a, HOSTS + r, b, (int)r);
		}
		for (unsigned s = 0; s < SPINES; s++) {
			(void)str_printf(a, sizeof(a), "Ethernet%u", 8 + 4 * s);
			(void)str_printf(b, sizeof(b), "Ethernet%u/1", r + 1);
			plan_make_link(&p, HOSTS + r, a, HOSTS + RAILS + s, b, (int)r);
		}
	}
	m = model_new(&p);
	plan_free(&p);
	return m;
}

int64_t fix_time(int s)
{
	return FIX_START + s * CLOCK_SEC;
}

static const struct fault *fault_of(
	const struct device *d, const struct port *p, const struct fault *faults, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(faults[i].device, d->name) && str_eq(faults[i].port, p->name))
			return &faults[i];
	return NULL;
}

static uint64_t grown(double per_s, int s)
{
	return (uint64_t)(1e12 + per_s * s);
}

static void say_lldp(const struct model *m, const struct port *p, const struct fault *f,
	struct obs *o, uint32_t at)
{
	const struct port *peer = m->ports.at[p->plan_peer];

	if (f && f->lldp_device)
		obs_lldp(o, at, f->lldp_device, f->lldp_port);
	else
		obs_lldp(o, at, model_dev_of(m, peer)->name, peer->name);
}

static void say_port(const struct model *m, const struct device *d, const struct port *p, int s,
	const struct fault *f, struct obs *o)
{
	uint32_t at = obs_port(o, p->name);
	double load = f && f->load > 0 ? f->load : FIX_LOAD;
	bool host = d->tier == TIER_HOST;

	obs_word(o, at, ATTR_OPER, 0, f && f->down ? "down" : "up");
	obs_word(o, at, ATTR_ADMIN, 0, "up");
	obs_number(o, at, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, at, CTR_RX_BYTES, 0, grown(load * 50e9, s));
	obs_count(o, at, CTR_TX_BYTES, 0, grown(load * 50e9, s));
	obs_count(o, at, CTR_RX_DISCARDS, 0, 7);
	obs_count(o, at, CTR_PFC_RX_FRAMES, 3, grown(f ? f->pfc_frames : 0, s));
	obs_count(o, at, CTR_PFC_TX_FRAMES, 3, 5);
	if (f && f->pfc_us > 0)
		obs_count(o, at, CTR_PFC_RX_DURATION_US, 3, grown(f->pfc_us, s));
	if (host) {
		obs_count(o, at, CTR_CNP_SENT, 0, (uint64_t)(1000 + 50 * s));
		obs_count(o, at, CTR_OUT_OF_SEQUENCE, 0, 3);
	} else {
		obs_count(o, at, CTR_QUEUE_TX_BYTES, 3, grown(load * 50e9, s));
		obs_count(o, at, CTR_ECN_MARKED_PACKETS, 3, grown(100, s));
		obs_count(o, at, CTR_QUEUE_DROPS, 3, grown(f ? f->drops : 0, s));
		obs_number(o, at, ATTR_PFC_ENABLED, 0, 1 << 3);
		obs_word(o, at, ATTR_PFCWD_STATE, 3, "operational");
	}
	say_lldp(m, p, f, o, at);
}

void fix_poll_device(struct model *m, struct device *d, int s, const struct fault *faults, size_t n)
{
	struct obs *o = obs_new(d->name, "fast");

	o->result = OBS_DATA;
	o->received_us = fix_time(s);
	o->took_us = 2000;
	o->bytes = 1234;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (p->plan_peer != PORT_NONE)
			say_port(m, d, p, s, fault_of(d, p, faults, n), o);
	}
	model_apply(m, o, fix_time(s));
	obs_free(o);
}

void fix_poll(struct model *m, int s, const struct fault *faults, size_t n)
{
	for (size_t i = 0; i < m->devices.n; i++)
		fix_poll_device(m, m->devices.at[i], s, faults, n);
	(void)model_age(m, fix_time(s));
	model_links(m);
}

struct port *fix_port(const struct model *m, const char *device, const char *port)
{
	struct device *d = model_device(m, device);
	struct port *p;

	assert_non_null(d);
	p = model_port(m, d, port);
	assert_non_null(p);
	return p;
}

struct ref fix_device_ref(const struct model *m, const char *name)
{
	return (struct ref){.kind = REF_DEVICE, .device = model_device(m, name)->id};
}

struct ref fix_port_ref(const struct model *m, const char *device, const char *port)
{
	return (struct ref){.kind = REF_PORT, .port = fix_port(m, device, port)->id};
}

const struct view_ops *fix_view(const char *name)
{
	const struct view_ops *v = view_by_name(name);

	assert_non_null(v);
	return v;
}

struct view_ctx fix_ctx(const struct model *m, int s)
{
	return (struct view_ctx){.model = m, .now_us = fix_time(s)};
}

size_t fix_column(const struct view_ops *v, const char *column)
{
	for (size_t i = 0; i < v->ncolumns; i++)
		if (str_eq(v->columns[i].id, column))
			return i;
	fail_msg("view %s has no column %s", v->name, column);
	return 0;
}

struct view_cell fix_cell(
	const struct view_ctx *ctx, const struct view_ops *v, struct ref row, const char *column)
{
	struct view_cell out;

	memset(&out, 0x5a, sizeof(out));
	v->cell(ctx, row, fix_column(v, column), &out);
	return out;
}

row_vec fix_rows(const struct view_ctx *ctx, const struct view_ops *v)
{
	row_vec rows = {0};

	v->rows(ctx, &rows);
	return rows;
}

int fix_open(void **state)
{
	static struct fix x;

	x = (struct fix){.m = fix_model()};
	x.ctx = fix_ctx(x.m, 1);
	*state = &x;
	return 0;
}

int fix_close(void **state)
{
	struct fix *x = *state;

	vec_free(&x->rows);
	view_cache_free(x->ctx.cache);
	model_free(x->m);
	return 0;
}

void fix_polls(struct model *m, const struct fault *faults, size_t n)
{
	fix_poll(m, 0, faults, n);
	fix_poll(m, 1, faults, n);
}

size_t fix_list(struct fix *x, const struct view_ops *v)
{
	vec_free(&x->rows);
	x->rows = fix_rows(&x->ctx, v);
	return x->rows.n;
}

void fix_leads(struct fix *x, const struct view_ops *v, struct ref row, const char *view)
{
	const char *target = NULL;

	assert_true(v->enter(&x->ctx, row, &target, &x->scope));
	assert_string_equal(target, view);
}
