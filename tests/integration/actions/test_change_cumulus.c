/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The changes of the dialect "cumulus", made on the emulated fabric's switches, over HTTPS and in a
 * shell: NVUE's revisions with their ways to fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/change.h"
#include "backends/transport/credentials.h"
#include "backends/transport/transport.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"
#include "tests/support/slot.h"
#include "tests/support/built.h"

#define LEAF        "leaf-r0-00"
#define PATIENCE_MS 30000

struct fixture {
	struct lab lab;
	struct plan_device device;
	unsigned https_port, ssh_port;
	struct credentials *credentials;
	const struct credential *credential;
	struct link_events events;
	/* One link at a time. */
	const struct transport *transport;
	uv_loop_t loop;
	uv_timer_t guard;
	void *shard;
	struct device_link *link;
	struct target target;
	bool up, down;
	/* The last answer. */
	bool answered;
	char *bytes, complaint[4097];
	size_t len;
	int status;
	struct err err;
};

static const struct dialect_changes *words(void)
{
	return backend_by_name("cumulus")->changes;
}

/* ---- the link ---- */

static void on_guard(uv_timer_t *t)
{
	(void)t;
}

static void on_up(void *ctx)
{
	((struct fixture *)ctx)->up = true;
}

static void on_down(void *ctx, const struct err *why)
{
	struct fixture *f = ctx;

	f->down = true;
	f->err = *why;
}

static void open_link(struct fixture *f, enum transport_kind kind)
{
	f->transport = transport_of(kind);
	f->device.port = (uint16_t)(kind == TRANSPORT_SSH ? f->ssh_port : f->https_port);
	f->target = (struct target){
		.device = LEAF, .tier = TIER_LEAF, .transport = kind, .lossless = 1 << 3};
	f->events = (struct link_events){.up = on_up, .down = on_down, .ctx = f};
	f->up = f->down = false;
	uv_loop_init(&f->loop);
	uv_timer_init(&f->loop, &f->guard);
	uv_timer_start(&f->guard, on_guard, 200, 200);
	f->shard = f->transport->shard_open(&f->loop);
	f->link = f->transport->open(f->shard, &f->device, backend_by_name("cumulus"),
		kind == TRANSPORT_SSH ? NULL : f->credential, &f->events);
	f->transport->permit(f->link);
	f->transport->connect(f->link);
}

static void leave(struct fixture *f)
{
	if (!f->link)
		return;
	f->transport->close(f->link);
	f->transport->shard_close(f->shard);
	uv_close((uv_handle_t *)&f->guard, NULL);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	f->link = NULL;
	free(f->bytes);
	f->bytes = NULL;
}

static void on_answer(void *ctx, const struct answer *a)
{
	struct fixture *f = ctx;

	free(f->bytes);
	f->bytes = mem_calloc(a->len + 1, 1);
	memcpy(f->bytes, a->bytes, a->len);
	f->len = a->len;
	(void)str_copy(f->complaint, sizeof(f->complaint), a->complaint);
	f->status = a->status;
	f->err = a->err;
	f->answered = true;
}

static struct reply ask(struct fixture *f, const struct request *r)
{
	int64_t until = now_ms() + PATIENCE_MS;

	f->answered = false;
	while (!f->transport->ready(f->link) && now_ms() < until)
		uv_run(&f->loop, UV_RUN_ONCE);
	f->transport->ask(f->link, r, POLL_FAST, on_answer, f);
	while (!f->answered) {
		if (now_ms() > until)
			fail_msg("%s: no answer", r->name);
		uv_run(&f->loop, UV_RUN_ONCE);
	}
	return (struct reply){f->bytes, f->len, f->status, f->complaint};
}

/* ---- orders ---- */

static struct order order_of(enum verb verb, const char *port)
{
	struct order o = {.verb = verb, .priority = -1};

	(void)str_copy(o.port, sizeof(o.port), port);
	return o;
}

static struct condition look(struct fixture *f, const struct order *o)
{
	struct request_list l = {0};
	struct condition c;
	struct err err = {0};

	condition_init(&c);
	if (!words()->look(&f->target, o, &l, &err))
		fail_msg("look: %s", err.text);
	for (size_t i = 0; i < l.at.n; i++) {
		struct reply r = ask(f, &l.at.at[i]);

		assert_false(l.at.at[i].change);
		if (f->err.code != ERR_NONE)
			fail_msg("%s: %s", l.at.at[i].name, f->err.text);
		if (!words()->see(&f->target, o, l.at.at[i].name, &r, &c, &err))
			fail_msg("%s: %s", l.at.at[i].name, err.text);
	}
	requests_free(&l);
	return c;
}

static char *filled(const char *text, const struct change_notes *notes)
{
	const char *hole = text ? strstr(text, "{revision}") : NULL;
	struct buf b;

	if (!hole)
		return text ? mem_strdup(text) : NULL;
	buf_init(&b, 4096);
	(void)buf_add(&b, text, (size_t)(hole - text));
	(void)buf_addf(&b, "%s%s", notes->revision, hole + strlen("{revision}"));
	return buf_take(&b, NULL);
}

static enum taken send_one(struct fixture *f, const struct order *o, const struct request *r,
	struct change_notes *notes)
{
	int64_t until = now_ms() + PATIENCE_MS;
	struct request q = *r;
	enum taken taken;

	assert_true(r->change);
	q.path = filled(r->path, notes);
	q.body = filled(r->body, notes);
	do {
		struct reply reply = ask(f, &q);

		taken = f->err.code == ERR_NONE
				? words()->taken(&f->target, o, r->name, &reply, notes, &f->err)
				: TAKEN_NO;
	} while (taken == TAKEN_WAIT && now_ms() < until);
	free(q.path);
	free(q.body);
	return taken;
}

/* All requests of the order, as long as they are taken; why not is in f->err. */
static enum taken tell(struct fixture *f, const struct order *o, const struct condition *now)
{
	struct request_list l = {0};
	struct change_notes notes = {0};
	enum taken taken = TAKEN_YES;
	struct err err = {0};

	if (!words()->command(&f->target, o, now, &l, &err))
		fail_msg("command: %s", err.text);
	for (size_t i = 0; i < l.at.n && taken == TAKEN_YES; i++)
		taken = send_one(f, o, &l.at.at[i], &notes);
	requests_free(&l);
	return taken;
}

static void settle(struct fixture *f, const struct order *o)
{
	int64_t until = now_ms() + PATIENCE_MS;
	struct condition c;
	char why[200];

	do {
		c = look(f, o);
		if (order_goal(o, &c, why, sizeof(why)) == GOAL_MET)
			return;
	} while (now_ms() < until);
	fail_msg("%s %s: %s", verb_name(o->verb), o->port, why);
}

static void done(struct fixture *f, const struct order *o)
{
	struct condition c = look(f, o);

	if (tell(f, o, &c) != TAKEN_YES)
		fail_msg("%s %s: %s", verb_name(o->verb), o->port, f->err.text);
	settle(f, o);
}

static bool is_met(struct fixture *f, const struct order *o)
{
	struct condition c = look(f, o);

	return order_goal(o, &c, NULL, 0) == GOAL_MET;
}

static void ctl(struct fixture *f, const char *verb, const char *what)
{
	char program[256];
	const char *argv[] = {built_path("railtop-emulator", program, sizeof(program)), "ctl",
		f->lab.dir, verb, what, NULL};
	int status = -1;
	char *out = run_command(argv, NULL, "", NULL, &status);

	if (status != 0)
		fail_msg("ctl %s %s: exit %d: %s", verb, what, status, out ? out : "");
	free(out);
}

/* ---- setting up ---- */

/* "port: N" of the line that has the word. */
static unsigned port_of(const char *inventory, const char *word)
{
	char line[512], *at;
	FILE *in = fopen(inventory, "r");
	unsigned port = 0;

	assert_non_null(in);
	while (!port && fgets(line, sizeof(line), in))
		if (strstr(line, word) && (at = strstr(line, " port: ")))
			port = (unsigned)strtoul(at + strlen(" port: "), NULL, 10);
	(void)fclose(in);
	return port;
}

static char *in_lab(const struct fixture *f, const char *name)
{
	char path[128];

	(void)str_printf(path, sizeof(path), "%s/%s", f->lab.dir, name);
	return mem_strdup(path);
}

static int setup(void **state)
{
	const char *const args[] = {
		"--platforms", "leaf=cumulus,spine=cumulus", "--steady", "--speed", "5", NULL};
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err = {0};
	char reference[160], first[32];

	assert_non_null(f);
	*state = f;
	lab_start(&f->lab, args);
	f->https_port = port_of(f->lab.inventory, "leaf-r");
	f->ssh_port = port_of(f->lab.inventory, "node[");
	(void)str_copy(f->device.name, sizeof(f->device.name), LEAF);
	f->device.address = mem_strdup(slot_address(first, sizeof(first)));
	f->device.user = mem_strdup("noc");
	f->device.identity = in_lab(f, "id_ed25519");
	f->device.known_hosts = in_lab(f, "known_hosts");
	f->device.tls_ca = in_lab(f, "ca.pem");
	f->credentials = credentials_new();
	(void)str_printf(reference, sizeof(reference), "file:%s/nvue.password", f->lab.dir);
	f->credential = credentials_get(f->credentials, reference, LEAF, &err);
	if (!f->credential)
		fail_msg("%s", err.text);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	lab_stop(&f->lab);
	credentials_free(f->credentials);
	free(f->device.address);
	free(f->device.user);
	free(f->device.identity);
	free(f->device.known_hosts);
	free(f->device.tls_ca);
	free(f);
	return 0;
}

static int end(void **state)
{
	leave(*state);
	return 0;
}

/* ---- success ---- */

static void restarted(struct fixture *f, const char *port, const char *other)
{
	struct order stop = order_of(VERB_WD_STOP, port), start = order_of(VERB_WD_START, port);
	struct order beside = order_of(VERB_WD_START, other);
	struct condition c = look(f, &stop);

	assert_int_equal(c.wd, 1);
	assert_int_equal(c.pfc, 1 << 3);
	assert_int_equal(c.pending, 0);
	assert_int_equal(c.wd_state[3], WD_OPERATIONAL);
	assert_true(c.rx_pause[3] != UINT64_MAX);
	start.wd = c.wd_set;
	done(f, &stop);
	/* No other port. */
	assert_true(is_met(f, &beside));
	done(f, &start);
}

CASE_WITH(a_watchdog_is_restarted_over_https, NULL, end)
{
	struct fixture *f = *state;

	open_link(f, TRANSPORT_HTTPS);
	restarted(f, "swp1", "swp2");
}

CASE_WITH(a_watchdog_is_restarted_in_a_shell, NULL, end)
{
	struct fixture *f = *state;

	open_link(f, TRANSPORT_SSH);
	restarted(f, "swp2", "swp1");
}

/* The first port with a session over it. */
static void uplink_of(struct fixture *f, char port[NAME_MAX_LEN])
{
	for (unsigned i = 64; i > 0; i--) {
		struct order o;
		struct condition c;

		(void)str_printf(port, NAME_MAX_LEN, "swp%u", i);
		o = order_of(VERB_BGP_DOWN, port);
		c = look(f, &o);
		if (*c.bgp_peer && c.bgp == BGP_ESTABLISHED)
			return;
	}
	fail_msg("no port has a session");
}

static void drained(struct fixture *f, const char *port)
{
	struct order down = order_of(VERB_PORT_DOWN, port), up = order_of(VERB_PORT_UP, port);
	struct order shut = order_of(VERB_BGP_DOWN, port), open = order_of(VERB_BGP_UP, port);
	struct condition c = look(f, &shut);

	(void)str_copy(shut.peer, sizeof(shut.peer), c.bgp_peer);
	(void)str_copy(open.peer, sizeof(open.peer), c.bgp_peer);
	assert_int_equal(c.bgp_shut, 0);
	done(f, &shut);
	c = look(f, &shut);
	assert_int_equal(c.oper, OPER_UP);
	done(f, &open);
	done(f, &down);
	done(f, &up);
}

CASE_WITH(an_uplink_is_drained_over_https, NULL, end)
{
	struct fixture *f = *state;
	char port[NAME_MAX_LEN];

	open_link(f, TRANSPORT_HTTPS);
	uplink_of(f, port);
	drained(f, port);
}

CASE_WITH(an_uplink_is_drained_in_a_shell, NULL, end)
{
	struct fixture *f = *state;
	char port[NAME_MAX_LEN];

	open_link(f, TRANSPORT_SSH);
	uplink_of(f, port);
	drained(f, port);
}

/* ---- the refusals of NVUE ---- */

static void refused_without_pfc(struct fixture *f)
{
	struct order stop = order_of(VERB_WD_STOP, "swp3"), start = order_of(VERB_WD_START, "swp3");
	struct request_list l = {0};
	struct condition c;
	struct err err = {0};

	if (look(f, &stop).wd == 1)
		done(f, &stop);
	c = look(f, &start);
	assert_int_equal(c.pfc, 0);
	assert_false(words()->command(&f->target, &start, &c, &l, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	/* And were it sent all the same, NVUE says why not, and nothing stays pending. */
	c.pfc = 1 << 3;
	assert_int_equal(tell(f, &start, &c), TAKEN_NO);
	if (!strstr(f->err.text, "PFC must be enabled"))
		fail_msg("%s", f->err.text);
	c = look(f, &start);
	assert_int_equal(c.wd, 0);
	assert_int_equal(c.pending, 0);
}

CASE_WITH(a_watchdog_without_pfc_is_refused, NULL, end)
{
	struct fixture *f = *state;

	ctl(f, "inject", "pfc-off:" LEAF ":swp3");
	open_link(f, TRANSPORT_HTTPS);
	refused_without_pfc(f);
	leave(f);
	open_link(f, TRANSPORT_SSH);
	refused_without_pfc(f);
	ctl(f, "heal", "all");
}

static void say(struct fixture *f, const char *line)
{
	struct request_list l = {0};
	struct request *r = requests_ssh(&l, "line", line, NULL);

	r->change = true;
	(void)ask(f, r);
	if (f->err.code != ERR_NONE || f->status != 0)
		fail_msg("%s: %s%s", line, f->err.text, f->complaint);
	requests_free(&l);
}

CASE_WITH(what_somebody_left_pending_is_not_applied, NULL, end)
{
	struct fixture *f = *state;
	struct order o = order_of(VERB_WD_STOP, "swp4");
	struct request_list l = {0};
	struct condition c;
	struct err err = {0};

	open_link(f, TRANSPORT_SSH);
	say(f, "nv set interface swp9 link state down");
	c = look(f, &o);
	assert_int_equal(c.pending, 1);
	assert_false(words()->command(&f->target, &o, &c, &l, &err));
	assert_non_null(strstr(err.text, "unapplied changes"));
	assert_non_null(strstr(err.cure, "nv config diff"));
	leave(f);
	/* A revision of its own leaves it where it is. */
	open_link(f, TRANSPORT_HTTPS);
	done(f, &o);
	o.verb = VERB_WD_START;
	done(f, &o);
	o = order_of(VERB_PORT_UP, "swp9");
	assert_int_equal(look(f, &o).admin, OPER_UP);
	leave(f);
	open_link(f, TRANSPORT_SSH);
	say(f, "nv config detach");
	assert_int_equal(look(f, &o).pending, 0);
}

/* ---- writes that fail ---- */

static void without_rights(struct fixture *f, enum transport_kind kind)
{
	struct order o = order_of(VERB_WD_STOP, "swp5");
	struct condition c;

	open_link(f, kind);
	c = look(f, &o);
	assert_int_equal(tell(f, &o, &c), TAKEN_NO);
	if (f->err.code != ERR_UNAUTHORISED)
		fail_msg("%s: %s", transport_name(kind), f->err.text);
	assert_int_equal(look(f, &o).wd, 1);
	leave(f);
}

CASE_WITH(a_user_who_may_only_read_is_told_so, NULL, end)
{
	struct fixture *f = *state;

	ctl(f, "inject", "write-denied:" LEAF);
	without_rights(f, TRANSPORT_HTTPS);
	without_rights(f, TRANSPORT_SSH);
	ctl(f, "heal", "all");
}

static void only_reading_tells_what_was_not_done(struct fixture *f, enum transport_kind kind)
{
	struct order o = order_of(VERB_WD_STOP, "swp6");
	struct condition c;

	open_link(f, kind);
	c = look(f, &o);
	if (tell(f, &o, &c) != TAKEN_YES)
		fail_msg("%s: %s", transport_name(kind), f->err.text);
	c = look(f, &o);
	assert_int_equal(order_goal(&o, &c, NULL, 0), GOAL_NOT_MET);
	leave(f);
}

CASE_WITH(a_write_that_does_nothing_is_seen, NULL, end)
{
	struct fixture *f = *state;

	ctl(f, "inject", "write-noop:" LEAF);
	only_reading_tells_what_was_not_done(f, TRANSPORT_HTTPS);
	only_reading_tells_what_was_not_done(f, TRANSPORT_SSH);
	ctl(f, "heal", "all");
}

/* The connection ends at each of the steps; read again, the truth is there, and it can be resumed.
 */
static void cut_at(struct fixture *f, enum transport_kind kind, unsigned step, const char *before)
{
	struct order stop = order_of(VERB_WD_STOP, "swp7"), start = order_of(VERB_WD_START, "swp7");
	struct condition c;
	char spec[96];

	(void)str_printf(spec, sizeof(spec), "write-cut:" LEAF ",n=%u,before=%s", step, before);
	ctl(f, "inject", spec);
	open_link(f, kind);
	c = look(f, &stop);
	assert_int_equal(c.wd, 1);
	(void)tell(f, &stop, &c);
	assert_int_not_equal(f->err.code, ERR_NONE);
	assert_int_not_equal(f->err.code, ERR_REFUSED);
	leave(f);
	ctl(f, "heal", "all");
	open_link(f, kind);
	c = look(f, &stop);
	assert_int_not_equal(c.wd, -1);
	if (kind == TRANSPORT_SSH)
		assert_int_equal(c.pending, 0);
	done(f, &stop);
	done(f, &start);
	leave(f);
}

CASE_WITH(a_connection_that_is_cut_at_each_step, NULL, end)
{
	struct fixture *f = *state;

	for (unsigned step = 1; step <= 3; step++) {
		cut_at(f, TRANSPORT_HTTPS, step, "yes");
		cut_at(f, TRANSPORT_HTTPS, step, "no");
	}
	cut_at(f, TRANSPORT_SSH, 1, "yes");
}

CASES_MAIN(setup, teardown)
