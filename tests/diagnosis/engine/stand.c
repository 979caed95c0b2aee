/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/diagnosis/engine/stand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define LINE_RATE_BPS 400e9
#define RATE_OF_LOAD  (LINE_RATE_BPS / 8 / 100) /* bytes a second for a per cent */
#define PACKET        4096.0

/* A port's next report of one cell. */
struct said {
	uint16_t cell;
	double value, rate;
	bool gauge, unsupported;
};
typedef VEC(struct said) said_vec;
struct stand_own {
	VEC(said_vec) said;      /* of each port */
	VEC(struct obs *) batch; /* of each device: its other attributes to report, or NULL */
	VEC(int64_t) polled_us;
	VEC(bool) silent;
	VEC(bool) down; /* of each port */
};

static void make_plan(struct plan *plan, bool parallel)
{
	/* Each leaf has so many links to each spine. */
	const unsigned links = parallel ? 2 : 1;
	char name[32], port[32], spine[32];

	plan_init(plan);
	(void)str_copy(plan->fabric, sizeof(plan->fabric), "stand");
	plan->rails = 2;
	plan->lossless.priorities = 1U << STAND_LOSSLESS;
	plan->lossless.cnp_dscp = -1;
	for (unsigned i = 0; i < 64; i++)
		plan->lossless.dscp_prio[i] = -1;
	for (unsigned i = 0; i < 8; i++) {
		(void)str_printf(name, sizeof(name), "node%03u", i);
		(void)plan_make_device(plan, name, TIER_HOST, -1);
	}
	for (unsigned i = 0; i < 4; i++) {
		(void)str_printf(name, sizeof(name), "leaf-r%u-%02u", i / 2, i % 2);
		(void)plan_make_device(plan, name, TIER_LEAF, (int)i / 2);
	}
	for (unsigned i = 0; i < 4; i++) {
		(void)str_printf(name, sizeof(name), "spine-%03u", i);
		(void)plan_make_device(plan, name, TIER_SPINE, -1);
	}
	for (unsigned host = 0; host < 8; host++)
		for (unsigned rail = 0; rail < 2; rail++) {
			(void)str_printf(name, sizeof(name), "mlx5_%u", rail);
			(void)str_printf(port, sizeof(port), "Ethernet%u", host % 4 * 4);
			plan_make_link(plan, host, name, 8 + rail * 2 + host / 4, port, (int)rail);
		}
	for (unsigned leaf = 0; leaf < 4; leaf++)
		for (unsigned up = 0; up < 4; up++) {
			(void)str_printf(port, sizeof(port), "Ethernet%u", 16 + up * 4);
			(void)str_printf(
				spine, sizeof(spine), "Ethernet%u/%u", leaf + 1, up % links + 1);
			plan_make_link(plan, 8 + leaf, port, 12 + up / links, spine, (int)leaf / 2);
		}
}

void stand_plan(struct plan *plan)
{
	make_plan(plan, false);
}

/* ---- names ---- */

uint32_t stand_device(const struct stand *s, const char *device)
{
	struct device *d = model_device(s->m, device);

	if (!d)
		fail_msg("the stand has no %s", device);
	return d->id;
}

struct port *stand_port_of(const struct stand *s, const char *port)
{
	struct ref r;
	struct err err;

	if (!ref_parse(s->m, port, &r, &err) || r.kind != REF_PORT)
		fail_msg("the stand has no %s", port);
	return s->m->ports.at[r.port];
}

uint32_t stand_port(const struct stand *s, const char *port)
{
	return stand_port_of(s, port)->id;
}

/* ---- the ports' reports ---- */

static struct said *said(struct stand *s, uint32_t port, enum counter_id id, unsigned sub)
{
	said_vec *v = &s->own->said.at[port];
	uint16_t cell = counter_cell(id, sub);
	struct said *one;

	for (size_t i = 0; i < v->n; i++)
		if (v->at[i].cell == cell)
			return &v->at[i];
	one = vec_add(v);
	one->cell = cell;
	return one;
}

void stand_rate(
	struct stand *s, const char *port, enum counter_id id, unsigned sub, double per_second)
{
	said(s, stand_port(s, port), id, sub)->rate = per_second;
}

void stand_add(struct stand *s, const char *port, enum counter_id id, unsigned sub, double n)
{
	said(s, stand_port(s, port), id, sub)->value += n;
}

void stand_gauge(struct stand *s, const char *port, enum counter_id id, unsigned sub, double value)
{
	struct said *one = said(s, stand_port(s, port), id, sub);

	one->gauge = true;
	one->value = value;
}

void stand_unsupported(struct stand *s, const char *port, enum counter_id id, unsigned sub)
{
	said(s, stand_port(s, port), id, sub)->unsupported = true;
}

struct obs *stand_batch(struct stand *s, const char *device)
{
	struct obs **o = &s->own->batch.at[stand_device(s, device)];

	if (!*o) {
		*o = obs_new(device, "fast");
		(*o)->result = OBS_DATA;
	}
	return *o;
}

static struct obs *batch_of_port(struct stand *s, const struct port *p)
{
	return stand_batch(s, model_dev_of(s->m, p)->name);
}

void stand_number(struct stand *s, const char *port, enum obs_attr a, unsigned sub, double value)
{
	struct port *p = stand_port_of(s, port);
	struct obs *o = batch_of_port(s, p);

	obs_number(o, obs_port(o, p->name), a, sub, value);
}

void stand_word(struct stand *s, const char *port, enum obs_attr a, unsigned sub, const char *text)
{
	struct port *p = stand_port_of(s, port);
	struct obs *o = batch_of_port(s, p);

	obs_word(o, obs_port(o, p->name), a, sub, text);
}

static void sends(struct stand *s, const struct port *p, double bytes, bool tx)
{
	bool nic = model_dev_of(s->m, p)->tier == TIER_HOST;

	said(s, p->id, tx ? CTR_TX_BYTES : CTR_RX_BYTES, 0)->rate = bytes;
	said(s, p->id, tx ? CTR_TX_PACKETS : CTR_RX_PACKETS, 0)->rate = bytes / PACKET;
	if (tx) {
		said(s, p->id, CTR_QUEUE_TX_BYTES, STAND_LOSSLESS)->rate = bytes;
		said(s, p->id, CTR_QUEUE_TX_PACKETS, STAND_LOSSLESS)->rate = bytes / PACKET;
	} else if (nic) {
		said(s, p->id, CTR_RX_PRIO_BYTES, STAND_LOSSLESS)->rate = bytes;
	}
	if (nic)
		said(s, p->id, tx ? CTR_RDMA_TX_BYTES : CTR_RDMA_RX_BYTES, 0)->rate = bytes;
}

void stand_load(struct stand *s, const char *from, double percent)
{
	const struct port *p = stand_port_of(s, from), *peer = port_peer(s->m, p, NULL);

	sends(s, p, percent * RATE_OF_LOAD, true);
	if (peer)
		sends(s, peer, percent * RATE_OF_LOAD, false);
}

void stand_hold(struct stand *s, const char *port, double percent)
{
	const struct port *p = stand_port_of(s, port), *peer = port_peer(s->m, p, NULL);
	/* A frame each half of the longest pause, as silicon refreshes it: 41.9 us at 400G. */
	double us = percent * 1e4, frames = us / 41.9;

	said(s, p->id, CTR_PFC_RX_DURATION_US, STAND_LOSSLESS)->rate = us;
	said(s, p->id, CTR_PFC_RX_FRAMES, STAND_LOSSLESS)->rate = frames;
	if (!peer)
		return;
	said(s, peer->id, CTR_PFC_TX_DURATION_US, STAND_LOSSLESS)->rate = us;
	said(s, peer->id, CTR_PFC_TX_FRAMES, STAND_LOSSLESS)->rate = frames;
}

static void link_end(struct stand *s, const struct port *p, bool up)
{
	s->own->down.at[p->id] = !up;
	sends(s, p, up ? 10 * RATE_OF_LOAD : 0, true);
	sends(s, p, up ? 10 * RATE_OF_LOAD : 0, false);
	if (up)
		return;
	said(s, p->id, CTR_LINK_DOWN_EVENTS, 0)->value += 1;
}

void stand_link(struct stand *s, const char *port, bool up)
{
	const struct port *p = stand_port_of(s, port), *peer = port_peer(s->m, p, NULL);

	link_end(s, p, up);
	if (peer)
		link_end(s, peer, up);
}

void stand_silent(struct stand *s, const char *device, bool silent)
{
	s->own->silent.at[stand_device(s, device)] = silent;
}

/* ---- a healthy fabric ---- */

static const enum counter_id quiet[] = {CTR_RX_ERRORS, CTR_RX_DISCARDS, CTR_TX_DISCARDS,
	CTR_RX_FCS_ERRORS, CTR_RX_PAUSE_FRAMES, CTR_TX_PAUSE_FRAMES,
	CTR_FEC_UNCORRECTABLE_CODEWORDS, CTR_LINK_DOWN_EVENTS};
static const enum counter_id quiet_switch[] = {CTR_QUEUE_DROPS, CTR_PG_DROPS, CTR_WRED_DROPS,
	CTR_ECN_MARKED_PACKETS, CTR_PFCWD_STORM_DETECTED, CTR_PFCWD_STORM_RESTORED,
	CTR_PFCWD_DROPS};
static const enum counter_id quiet_nic[] = {CTR_CNP_SENT, CTR_CNP_HANDLED, CTR_CNP_IGNORED,
	CTR_ECN_MARKED_ROCE_PACKETS, CTR_OUT_OF_SEQUENCE, CTR_PACKET_SEQ_ERR,
	CTR_LOCAL_ACK_TIMEOUT_ERR, CTR_RX_OUT_OF_BUFFER, CTR_RX_ICRC_ERRORS};
static const enum counter_id quiet_prio[] = {
	CTR_PFC_RX_FRAMES, CTR_PFC_TX_FRAMES, CTR_PFC_RX_DURATION_US, CTR_PFC_TX_DURATION_US};

static void stand_still(struct stand *s, uint32_t port, const enum counter_id *id, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)said(
			s, port, id[i], counter_info[id[i]].dim == DIM_PRIO ? STAND_LOSSLESS : 0);
}
#define STAND_STILL(s, port, list) stand_still(s, port, list, sizeof(list) / sizeof((list)[0]))

static void optics(struct stand *s, const struct port *p)
{
	for (unsigned lane = 0; lane < 4; lane++) {
		struct said *rx = said(s, p->id, CTR_RX_POWER_DBM, lane);

		/* Modules differ a little, as they do. */
		*rx = (struct said){rx->cell, -1.0 - 0.1 * (p->id % 5), 0, true, false};
	}
}

static void healthy_port(struct stand *s, struct port *p)
{
	struct obs *o = batch_of_port(s, p);
	uint32_t at = obs_port(o, p->name);
	const struct port *peer = port_peer(s->m, p, NULL);
	bool nic = model_dev_of(s->m, p)->tier == TIER_HOST;

	obs_word(o, at, ATTR_ADMIN, 0, "up");
	obs_word(o, at, ATTR_MEDIA, 0, "400GBASE-DR4");
	obs_number(o, at, ATTR_SPEED_MBPS, 0, 400000);
	obs_number(o, at, ATTR_PFC_ENABLED, 0, 1U << STAND_LOSSLESS);
	if (peer)
		obs_lldp(o, at, model_dev_of(s->m, peer)->name, peer->name);
	if (!nic)
		obs_word(o, at, ATTR_PFCWD_STATE, STAND_LOSSLESS, "operational");
	sends(s, p, 10 * RATE_OF_LOAD, true);
	sends(s, p, 10 * RATE_OF_LOAD, false);
	STAND_STILL(s, p->id, quiet);
	STAND_STILL(s, p->id, quiet_prio);
	if (nic)
		STAND_STILL(s, p->id, quiet_nic);
	else
		STAND_STILL(s, p->id, quiet_switch);
	optics(s, p);
}

static struct stand *make_stand(bool parallel)
{
	struct stand *s = mem_calloc(1, sizeof(*s));
	struct plan plan;

	make_plan(&plan, parallel);
	s->m = model_new(&plan);
	plan_free(&plan);
	s->d = diag_new();
	s->own = mem_calloc(1, sizeof(*s->own));
	s->now_us = STAND_T0;
	for (size_t i = 0; i < s->m->ports.n; i++) {
		(void)vec_add(&s->own->said);
		vec_push(&s->own->down, false);
	}
	for (size_t i = 0; i < s->m->devices.n; i++) {
		vec_push(&s->own->batch, NULL);
		vec_push(&s->own->polled_us, STAND_T0);
		vec_push(&s->own->silent, false);
	}
	for (size_t i = 0; i < s->m->ports.n; i++)
		healthy_port(s, s->m->ports.at[i]);
	return s;
}

struct stand *stand_new(void)
{
	return make_stand(false);
}

void stand_free(struct stand *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->own->said.n; i++)
		vec_free(&s->own->said.at[i]);
	for (size_t i = 0; i < s->own->batch.n; i++)
		obs_free(s->own->batch.at[i]);
	vec_free(&s->own->said);
	vec_free(&s->own->batch);
	vec_free(&s->own->polled_us);
	vec_free(&s->own->silent);
	vec_free(&s->own->down);
	free(s->own);
	diag_free(s->d);
	model_free(s->m);
	free(s);
}

static int setup(void **state, bool parallel)
{
	struct stand *s = make_stand(parallel);

	stand_poll(s, 3);
	*state = s;
	return 0;
}

int stand_setup(void **state)
{
	return setup(state, false);
}

int stand_setup_parallel(void **state)
{
	return setup(state, true);
}

int stand_teardown(void **state)
{
	stand_free(*state);
	return 0;
}

/* ---- polls ---- */

static void say_cell(struct obs *o, uint32_t at, struct said *c, double seconds)
{
	unsigned sub;
	enum counter_id id = counter_of_cell(c->cell, &sub);

	if (c->unsupported) {
		obs_invalid(o, at, id, sub, VALID_UNSUPPORTED, "");
		return;
	}
	if (c->gauge && !isnan(c->value))
		obs_gauge(o, at, id, sub, c->value);
	if (c->gauge)
		return;
	c->value += c->rate * seconds;
	obs_count(o, at, id, sub, (uint64_t)llround(c->value));
}

static void poll_device(struct stand *s, const struct device *d)
{
	struct obs *o = stand_batch(s, d->name);
	double seconds = (double)(s->now_us - s->own->polled_us.at[d->id]) / 1e6;

	for (size_t i = 0; i < d->ports.n; i++) {
		uint32_t port = d->ports.at[i], at = obs_port(o, s->m->ports.at[port]->name);

		o->ports.at[at].sample_us = s->now_us;
		if (port < s->own->down.n)
			obs_word(o, at, ATTR_OPER, 0, s->own->down.at[port] ? "down" : "up");
		for (size_t k = 0; port < s->own->said.n && k < s->own->said.at[port].n; k++)
			say_cell(o, at, &s->own->said.at[port].at[k], seconds);
	}
	o->received_us = o->device_us = s->now_us;
	s->own->polled_us.at[d->id] = s->now_us;
	s->own->batch.at[d->id] = NULL;
	if (s->driver.apply) {
		s->driver.apply(s->driver.ctx, o, s->now_us);
		return;
	}
	model_apply(s->m, o, s->now_us);
	diag_note(s->d, s->m, d->id, s->now_us);
	obs_free(o);
}

static void judge(struct stand *s)
{
	if (s->driver.judge) {
		s->driver.judge(s->driver.ctx, s->now_us);
		return;
	}
	(void)model_age(s->m, s->now_us);
	model_links(s->m);
	diag_run(s->d, s->m, s->now_us);
}

void stand_poll(struct stand *s, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		s->now_us += STAND_INTERVAL;
		for (size_t i = 0; i < s->own->silent.n; i++)
			if (!s->own->silent.at[i])
				poll_device(s, s->m->devices.at[i]);
		judge(s);
	}
}

void stand_poll_one(struct stand *s, const char *device, int64_t us)
{
	s->now_us += us;
	poll_device(s, s->m->devices.at[stand_device(s, device)]);
	judge(s);
}

/* ---- the findings ---- */

const struct finding *stand_found(const struct stand *s, const char *id, const char *at)
{
	enum finding_id which = finding_by_name(id);
	size_t n;
	const struct finding *const *all = diag_findings(s->d, &n);

	if (which == FIND_COUNT)
		fail_msg("there is no finding %s", id);
	for (size_t i = 0; i < n; i++) {
		char where[160] = "";

		(void)ref_format(s->m, all[i]->at, where, sizeof(where));
		if (all[i]->id == which && (!at || str_eq(where, at)))
			return all[i];
	}
	return NULL;
}

unsigned stand_count(const struct stand *s, const char *id)
{
	size_t n;
	const struct finding *const *all = diag_findings(s->d, &n);
	unsigned count = 0;

	for (size_t i = 0; i < n; i++)
		count += str_eq(finding_info[all[i]->id].name, id);
	return count;
}

unsigned stand_role(const struct stand *s, enum finding_role role)
{
	size_t n;
	const struct finding *const *all = diag_findings(s->d, &n);
	unsigned count = 0;

	for (size_t i = 0; i < n; i++)
		count += all[i]->role == role;
	return count;
}

bool stand_has_evidence(const struct finding *f, const char *what)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (str_eq(f->evidence.at[i].what, what))
			return true;
	return false;
}

void stand_print(const struct stand *s)
{
	size_t n;
	const struct finding *const *all = diag_findings(s->d, &n);

	for (size_t i = 0; i < n; i++) {
		char where[256];

		finding_locator(s->m, all[i], where, sizeof(where));
		(void)fprintf(stderr, "# %-8s %.2f %s: %s\n", finding_role_name(all[i]->role),
			(double)all[i]->confidence, where, all[i]->title);
	}
}

void stand_expect_innocent(const struct stand *s)
{
	if (stand_role(s, ROLE_CULPRIT) || stand_role(s, ROLE_SYMPTOM)) {
		stand_print(s);
		fail_msg("a healthy fabric has a culprit");
	}
}
