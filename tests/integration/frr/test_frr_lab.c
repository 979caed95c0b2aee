/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real FRR, lldpd and the kernel's own links, polled by the collector over real SSH into a model. A
 * fault must be in the model within two polls of the request that shows it, counted from when the
 * device itself knows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/collector/collector.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "fabric/vocabulary/counters.h"
#include "tests/integration/support/bell.h"
#include "tests/integration/frr/frr_lab.h"
#include "tests/support/cases.h"

#define PATIENCE_MS 25000
#define TWO_POLLS   2

struct fixture {
	struct frr_lab lab;
	struct plan plan;
	struct model *model;
	struct collector *collector;
	struct bell bell;
	/* Answers to this request of this device that were asked for after the fault. */
	const char *device, *request;
	int64_t since_us;
	unsigned polls;
	uint64_t flaps, far_flaps; /* counted before the fault */
};

/* ---- polling ---- */

static void take(struct fixture *f, const struct obs *o)
{
	if (o->result == OBS_DATA && f->device && str_eq(o->device, f->device) &&
		str_eq(o->request, f->request) && o->received_us - o->took_us >= f->since_us)
		f->polls++;
	model_apply(f->model, o, clock_wall(&clock_system));
}

/* The last events show the reason of the failure. */
static void show(const struct fixture *f)
{
	const struct event *e;

	for (size_t i = 0; i < 20 && (e = model_event(f->model, i)); i++)
		print_message("# %s %s %s\n", f->model->devices.at[e->device]->name,
			event_info[e->kind].name, e->text);
}

/* One batch at a time, so that the condition is looked at after each. */
static bool take_until(struct fixture *f, bool (*is_so)(struct fixture *f))
{
	bool so = false;
	struct obs *next;

	for (struct obs *o = collector_drain(f->collector); o; o = next) {
		next = o->next;
		take(f, o);
		so = so || is_so(f);
		if (!so && f->polls >= TWO_POLLS)
			fail_msg("%s: not seen after %u polls of %s", f->device, f->polls,
				f->request);
		obs_free(o);
	}
	return so;
}

static void await(struct fixture *f, bool (*is_so)(struct fixture *f))
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (!take_until(f, is_so)) {
		if (!bell_wait(&f->bell, until)) {
			show(f);
			fail_msg("it did not happen within %d s", PATIENCE_MS / 1000);
		}
	}
}

/* From now on: the condition must hold within two polls of the request. */
static void seen_by(struct fixture *f, const char *device, const char *request,
	bool (*is_so)(struct fixture *f))
{
	f->device = device;
	f->request = request;
	f->since_us = clock_wall(&clock_system);
	f->polls = 0;
	await(f, is_so);
	f->device = NULL;
	f->polls = 0;
}

/* ---- the model's state ---- */

static struct device *device(const struct fixture *f, const char *name)
{
	struct device *d = model_device(f->model, name);

	assert_non_null(d);
	return d;
}

static const struct port *port(const struct fixture *f, const char *dev, const char *name)
{
	return model_port(f->model, device(f, dev), name);
}

static const struct bgp_session *session(const struct fixture *f, const char *dev, const char *peer)
{
	const struct device *d = device(f, dev);

	for (size_t i = 0; i < d->bgp.n; i++)
		if (str_eq(d->bgp.at[i].peer, peer))
			return &d->bgp.at[i];
	return NULL;
}

static bool session_is(
	const struct fixture *f, const char *dev, const char *peer, enum bgp_state state)
{
	const struct bgp_session *b = session(f, dev, peer);

	return b && b->state == state && !b->gone;
}

static enum validity capability(
	const struct fixture *f, const char *dev, const char *need, const char **cure)
{
	const struct device *d = device(f, dev);

	for (size_t i = 0; i < d->caps.n; i++)
		if (str_eq(d->caps.at[i].need, need)) {
			*cure = d->caps.at[i].cure;
			return d->caps.at[i].valid;
		}
	return VALID_UNKNOWN;
}

static bool capability_is(
	const struct fixture *f, const char *dev, const char *need, enum validity v)
{
	const char *cure;

	return capability(f, dev, need, &cure) == v;
}

static bool neighbour_is(
	const struct fixture *f, const char *dev, const char *name, const char *peer)
{
	const struct port *p = port(f, dev, name);

	return p && str_eq(p->lldp_device, peer);
}

static bool port_is(const struct fixture *f, const char *dev, const char *name, enum oper oper)
{
	const struct port *p = port(f, dev, name);

	return p && p->oper == oper;
}

static uint64_t flaps_counted(const struct fixture *f, const char *dev, const char *name)
{
	const struct port *p = port(f, dev, name);
	const struct cell *c = p ? port_cell(p, CTR_LINK_DOWN_EVENTS, 0) : NULL;

	return c ? c->u64 : 0;
}

/* ---- healthy ---- */

static bool switch_is_well(const struct fixture *f, const char *name)
{
	const struct device *d = device(f, name);
	size_t want = str_starts(name, "spine") ? 4 : 2;

	if (d->bgp.n != want || d->ports.n != 4)
		return false;
	for (size_t i = 0; i < d->bgp.n; i++)
		if (d->bgp.at[i].state != BGP_ESTABLISHED || !d->bgp.at[i].prefixes)
			return false;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = f->model->ports.at[d->ports.at[i]];

		if (p->oper != OPER_UP || p->mtu != 9216 || !*p->lldp_device)
			return false;
	}
	return *d->os_version != '\0' && *d->ecmp_hash != '\0' &&
	       capability_is(f, name, "event log", VALID_OK);
}

static bool all_are_well(struct fixture *f)
{
	static const char *const names[] = {"spine1", "spine2", "leaf1", "leaf2", "leaf3", "leaf4"};
	bool well = true;

	for (size_t i = 0; i < 6 && well; i++)
		well = switch_is_well(f, names[i]);
	for (size_t i = 0; i < f->model->devices.n && well; i++)
		well = f->model->devices.at[i]->last_ok_us > 0;
	return well;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct collector_opts opts = {.wake = bell_ring, .ctx = &f->bell, .publish_us = 20000};
	struct err err = {0};

	*state = f;
	assert_non_null(f);
	if (!frr_lab_start(&f->lab))
		return 0;
	unsetenv("SSH_AUTH_SOCK");
	frr_lab_plan(&f->lab, &f->plan);
	bell_open(&f->bell);
	f->model = model_new(&f->plan);
	f->collector = collector_start(&f->plan, &opts, &err);
	if (!f->collector)
		fail_msg("%s: %s", err.origin, err.text);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->collector) {
		collector_stop(f->collector);
		model_free(f->model);
		plan_free(&f->plan);
		bell_close(&f->bell);
	}
	frr_lab_stop(&f->lab);
	free(f);
	return 0;
}

/* Each test begins with a fabric that is well, and leaves it so. */
static struct fixture *well(void **state)
{
	struct fixture *f = *state;

	if (!f->collector)
		skip();
	await(f, all_are_well);
	return f;
}

CASE(everything_is_seen)
{
	struct fixture *f = well(state);
	const struct device *d = device(f, "leaf3");
	const struct bgp_session *b = session(f, "leaf3", "swp49");

	assert_string_equal(d->hostname, "leaf3");
	assert_true(d->bgp_as == 65023);
	assert_string_equal(d->router_id, "10.255.0.23");
	assert_non_null(strstr(d->os_version, "FRR "));
	assert_non_null(strstr(d->ecmp_hash, "src-ip dst-ip"));
	assert_string_equal(b->host, "spine1");
	assert_int_equal(b->remote_as, 65011);
	assert_string_equal(session(f, "leaf3", "10.254.3.0")->host, "spine2");
	assert_true(neighbour_is(f, "leaf3", "swp50", "spine2"));
	assert_string_equal(port(f, "leaf3", "swp50")->lldp_port, "swp3");
	assert_true(neighbour_is(f, "leaf3", "swp1", "host5"));
	assert_string_equal(port(f, "leaf3", "swp1")->lldp_port, "eth1");
	assert_true(neighbour_is(f, "spine1", "swp3", "leaf3"));
	assert_int_equal(port(f, "leaf3", "swp1")->speed_mbps, 10000);
	/* Values that a virtual switch cannot have are reported as unsupported, and are no zero. */
	assert_true(capability_is(f, "leaf3", "PFC watchdog", VALID_UNSUPPORTED));
	assert_true(capability_is(f, "leaf3", "PFC frames per priority", VALID_UNSUPPORTED));
	assert_true(capability_is(f, "leaf3", "port counters", VALID_OK));
	assert_string_equal(device(f, "host5")->hostname, "host5");
}

/* ---- BGP ---- */

static bool leaf1_shut(struct fixture *f)
{
	return session_is(f, "leaf1", "10.254.1.0", BGP_ADMIN_DOWN);
}

static bool spine2_lost_leaf1(struct fixture *f)
{
	const struct bgp_session *b = session(f, "spine2", "10.254.1.1");

	return b && b->state != BGP_ESTABLISHED && b->downs >= 1 && !bgp_session_ok(b);
}

static bool logged_adjacency(struct fixture *f)
{
	const struct event *e;

	for (size_t i = 0; (e = model_event(f->model, i)); i++)
		if (strstr(e->text, "ADJCHANGE") && strstr(e->text, "10.254.1.1"))
			return true;
	return false;
}

CASE(a_neighbour_that_is_shut)
{
	struct fixture *f = well(state);

	frr_lab_run(&f->lab, "leaf1",
		"vtysh -c 'configure terminal' -c 'router bgp 65021'"
		" -c 'neighbor 10.254.1.0 shutdown'");
	seen_by(f, "leaf1", "sw-bgp", leaf1_shut);
	assert_true(bgp_session_ok(session(f, "leaf1", "10.254.1.0")));
	frr_lab_until(&f->lab, "spine2",
		"! vtysh -c 'show bgp neighbors 10.254.1.1' | grep -q 'state = Established'");
	seen_by(f, "spine2", "sw-bgp", spine2_lost_leaf1);
	/* Its own log says so as well, followed over the same connection. */
	await(f, logged_adjacency);
	frr_lab_run(&f->lab, "leaf1",
		"vtysh -c 'configure terminal' -c 'router bgp 65021'"
		" -c 'no neighbor 10.254.1.0 shutdown'");
}

static bool leaf2_has_no_bgpd(struct fixture *f)
{
	const char *cure = "";

	return capability(f, "leaf2", "BGP sessions", &cure) == VALID_DISABLED &&
	       strstr(cure, "restart frr");
}

static bool spine1_lost_leaf2(struct fixture *f)
{
	const struct bgp_session *b = session(f, "spine1", "swp2");

	return b && b->state != BGP_ESTABLISHED;
}

static bool leaf2_has_bgpd(struct fixture *f)
{
	return capability_is(f, "leaf2", "BGP sessions", VALID_OK);
}

CASE(a_bgpd_that_died)
{
	struct fixture *f = well(state);

	frr_lab_run(&f->lab, "leaf2", "kill -9 $(cat /run/frr/bgpd.pid)");
	frr_lab_until(&f->lab, "leaf2", "! vtysh -c 'show bgp summary'");
	seen_by(f, "leaf2", "sw-bgp", leaf2_has_no_bgpd);
	frr_lab_until(&f->lab, "spine1",
		"! vtysh -c 'show bgp neighbors swp2' | grep -q 'state = Established'");
	seen_by(f, "spine1", "sw-bgp", spine1_lost_leaf2);
	/* The rest of the switch is seen as before. */
	assert_true(port_is(f, "leaf2", "swp49", OPER_UP));
	assert_true(neighbour_is(f, "leaf2", "swp49", "spine1"));
	frr_lab_run(&f->lab, "leaf2", "start_bgpd");
	seen_by(f, "leaf2", "sw-bgp", leaf2_has_bgpd);
}

/* ---- links ---- */

static bool leaf3_flapped(struct fixture *f)
{
	return flaps_counted(f, "leaf3", "swp50") == f->flaps + 3 &&
	       port_is(f, "leaf3", "swp50", OPER_UP);
}

static bool spine2_flapped(struct fixture *f)
{
	return flaps_counted(f, "spine2", "swp3") == f->far_flaps + 3 &&
	       port_is(f, "spine2", "swp3", OPER_UP);
}

/* Three times down and up again, all between two polls: only counters can tell. */
CASE(a_link_that_flaps)
{
	struct fixture *f = well(state);
	uint32_t seen = port(f, "spine2", "swp3")->flaps;

	f->flaps = flaps_counted(f, "leaf3", "swp50");
	f->far_flaps = flaps_counted(f, "spine2", "swp3");
	frr_lab_run(&f->lab, "leaf3",
		"for i in 1 2 3; do ip link set swp50 down; ip link set swp50 up; done");
	seen_by(f, "leaf3", "sw-fast", leaf3_flapped);
	seen_by(f, "spine2", "sw-fast", spine2_flapped);
	assert_true(port(f, "spine2", "swp3")->flaps >= seen + 3);
}

static bool leaf3_is_down(struct fixture *f)
{
	const struct port *p = port(f, "leaf3", "swp50");

	return p->oper == OPER_DOWN && p->admin == OPER_DOWN;
}

static bool spine2_is_down(struct fixture *f)
{
	const struct port *p = port(f, "spine2", "swp3");

	return p->oper == OPER_DOWN && p->admin == OPER_UP;
}

static bool leaf3_lost_spine2(struct fixture *f)
{
	return !session_is(f, "leaf3", "10.254.3.0", BGP_ESTABLISHED);
}

CASE(a_link_that_is_down)
{
	struct fixture *f = well(state);

	frr_lab_run(&f->lab, "leaf3", "ip link set swp50 down");
	seen_by(f, "leaf3", "sw-fast", leaf3_is_down);
	seen_by(f, "spine2", "sw-fast", spine2_is_down);
	frr_lab_until(&f->lab, "leaf3",
		"! vtysh -c 'show bgp neighbors 10.254.3.0' | grep -q 'state = Established'");
	seen_by(f, "leaf3", "sw-bgp", leaf3_lost_spine2);
	frr_lab_run(&f->lab, "leaf3", "ip link set swp50 up");
}

/* ---- LLDP ---- */

static bool leaf4_has_no_lldpd(struct fixture *f)
{
	const char *cure = "";

	return capability(f, "leaf4", "LLDP neighbours", &cure) == VALID_DISABLED &&
	       strstr(cure, "start lldpd");
}

static bool spine1_lost_its_neighbour(struct fixture *f)
{
	return neighbour_is(f, "spine1", "swp4", "");
}

CASE(an_lldpd_that_stopped)
{
	struct fixture *f = well(state);

	frr_lab_run(&f->lab, "leaf4", "kill $(cat /run/lldpd.pid)");
	frr_lab_until(&f->lab, "leaf4", "! lldpcli show chassis");
	seen_by(f, "leaf4", "sw-lldp", leaf4_has_no_lldpd);
	/* The device knows no more than before: its last neighbour stays, and ages. */
	assert_true(neighbour_is(f, "leaf4", "swp49", "spine1"));
	frr_lab_until(&f->lab, "spine1", "! lldpcli show neighbors | grep -q leaf4");
	seen_by(f, "spine1", "sw-lldp", spine1_lost_its_neighbour);
	frr_lab_run(&f->lab, "leaf4", "start_lldpd");
	frr_lab_until(&f->lab, "spine1", "lldpcli show neighbors | grep -q leaf4");
}

/* ---- MTU ---- */

static bool leaf3_has_another_mtu(struct fixture *f)
{
	return port(f, "leaf3", "swp49")->mtu == 1500;
}

CASE(an_mtu_that_changed)
{
	struct fixture *f = well(state);

	frr_lab_run(&f->lab, "leaf3", "ip link set swp49 mtu 1500");
	seen_by(f, "leaf3", "sw-fast", leaf3_has_another_mtu);
	assert_int_equal(port(f, "spine1", "swp3")->mtu, 9216);
	frr_lab_run(&f->lab, "leaf3", "ip link set swp49 mtu 9216");
	(void)well(state);
}

CASES_MAIN(setup, teardown)
