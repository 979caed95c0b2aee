/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The changes of the dialect "linux", made with real FRR, iproute2, ethtool, sudo and OpenSSH in
 * network namespaces, through the real transport. Success is the far end's state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/contract/change.h"
#include "backends/transport/transport.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/frr/frr_lab.h"
#include "tests/support/cases.h"

#define PATIENCE_MS 30000

struct fixture {
	struct frr_lab lab;
	struct plan plan;
	bool has_sudo;
	/* One link at a time. */
	uv_loop_t loop;
	uv_timer_t guard;
	void *shard;
	struct device_link *link;
	struct target target;
	bool up, down;
	char operator[8]; /* an account of the node other than root */
	/* The last answer. */
	bool answered;
	char *bytes, complaint[4097];
	size_t len;
	int status;
	struct err err;
};

static const struct dialect_changes *linux_words(void)
{
	return backend_by_name("linux")->changes;
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

static struct plan_device *device_of(struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->plan.devices.n; i++)
		if (str_eq(f->plan.devices.at[i].name, name))
			return &f->plan.devices.at[i];
	fail_msg("no node %s", name);
	return NULL;
}

static void turn_until(struct fixture *f, const bool *a, const bool *b)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (!*a && !*b) {
		if (now_ms() > until)
			fail_msg("nothing came");
		uv_run(&f->loop, UV_RUN_ONCE);
	}
}

static void connect_as(struct fixture *f, const char *node, const char *user)
{
	static struct link_events events;
	struct plan_device *d = device_of(f, node);

	free(d->user);
	d->user = mem_strdup(user);
	events = (struct link_events){.up = on_up, .down = on_down, .ctx = f};
	f->target = (struct target){
		.device = d->name, .tier = d->tier, .transport = TRANSPORT_SSH, .lossless = 8};
	f->up = f->down = false;
	uv_loop_init(&f->loop);
	uv_timer_init(&f->loop, &f->guard);
	uv_timer_start(&f->guard, on_guard, 200, 200);
	f->shard = transport_ssh.shard_open(&f->loop);
	f->link = transport_ssh.open(f->shard, d, backend_by_name("linux"), NULL, &events);
	transport_ssh.permit(f->link);
	transport_ssh.connect(f->link);
	turn_until(f, &f->up, &f->down);
	if (!f->up)
		fail_msg("%s as %s: %s", node, user, f->err.text);
}

static void leave(struct fixture *f)
{
	if (!f->link)
		return;
	transport_ssh.close(f->link);
	transport_ssh.shard_close(f->shard);
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
	bool never = false;

	f->answered = false;
	transport_ssh.ask(f->link, r, POLL_FAST, on_answer, f);
	turn_until(f, &f->answered, &never);
	return (struct reply){f->bytes, f->len, f->status, f->complaint};
}

/* ---- orders ---- */

static struct order order_of(enum verb verb, const char *port)
{
	struct order o = {.verb = verb, .priority = -1, .seconds = 60};

	(void)str_copy(o.port, sizeof(o.port), port);
	return o;
}

static struct condition look(struct fixture *f, const struct order *o)
{
	struct request_list l = {0};
	struct condition c;
	struct reply r;
	struct err err = {0};

	condition_init(&c);
	if (!linux_words()->look(&f->target, o, &l, &err))
		fail_msg("look: %s", err.text);
	assert_int_equal(l.at.n, 1);
	assert_false(l.at.at[0].change);
	r = ask(f, &l.at.at[0]);
	if (f->err.code != ERR_NONE)
		fail_msg("look: %s", f->err.text);
	if (!linux_words()->see(&f->target, o, l.at.at[0].name, &r, &c, &err))
		fail_msg("see: %s: %s", err.text, r.bytes);
	requests_free(&l);
	return c;
}

/* Sends the order's requests in this condition; err of taken() or of the transport is in f->err. */
static enum taken tell(struct fixture *f, const struct order *o, const struct condition *now)
{
	struct request_list l = {0};
	struct change_notes notes = {0};
	enum taken taken = TAKEN_NO;
	struct err err = {0};

	if (!linux_words()->command(&f->target, o, now, &l, &err))
		fail_msg("command: %s", err.text);
	assert_int_equal(l.at.n, 1);
	assert_true(l.at.at[0].change);
	{
		struct reply r = ask(f, &l.at.at[0]);

		if (f->err.code == ERR_NONE)
			taken = linux_words()->taken(
				&f->target, o, l.at.at[0].name, &r, &notes, &f->err);
	}
	requests_free(&l);
	return taken;
}

static void refused(
	struct fixture *f, const struct order *o, const struct condition *now, const char *why)
{
	struct request_list l = {0};
	struct err err = {0};

	assert_false(linux_words()->command(&f->target, o, now, &l, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_true(err.cure[0]);
	assert_int_equal(l.at.n, 0);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" instead of \"%s\"", err.text, why);
}

/* Reads until the goal is met, as the settling time allows. */
static struct condition settle(struct fixture *f, const struct order *o)
{
	int64_t until = now_ms() + PATIENCE_MS;
	struct condition c;
	char why[200];

	do {
		c = look(f, o);
		if (order_goal(o, &c, why, sizeof(why)) == GOAL_MET)
			return c;
	} while (now_ms() < until);
	fail_msg("%s %s: %s", verb_name(o->verb), o->port, why);
	return c;
}

static void done(struct fixture *f, const struct order *o, const struct condition *now)
{
	if (tell(f, o, now) != TAKEN_YES)
		fail_msg("%s %s: %s", verb_name(o->verb), o->port, f->err.text);
	(void)settle(f, o);
}

/* ---- setting up ---- */

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	*state = f;
	if (!frr_lab_start(&f->lab))
		return 0;
	frr_lab_plan(&f->lab, &f->plan);
	/* An account other than root must be able to log in as well. */
	scratch_run(&f->lab.scratch, "chmod 755 . && chmod 644 authorized_keys");
	f->has_sudo = access("/usr/bin/sudo", X_OK) == 0;
	(void)str_copy(f->operator, sizeof(f->operator), "oper");
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->lab.pid > 0) {
		frr_lab_stop(&f->lab);
		plan_free(&f->plan);
	}
	free(f);
	return 0;
}

static struct fixture *ready(void **state)
{
	struct fixture *f = *state;

	if (f->lab.pid <= 0)
		skip();
	return f;
}

static int end(void **state)
{
	leave(*state);
	return 0;
}

static void established(struct fixture *f, const char *node, const char *peer, bool yes)
{
	char command[160];

	(void)str_printf(command, sizeof(command),
		"%svtysh -c 'show bgp neighbors %s' | grep -q 'state = Established'",
		yes ? "" : "! ", peer);
	frr_lab_until(&f->lab, node, command);
}

/* ---- admin state ---- */

CASE_WITH(a_link_is_drained_and_comes_back, NULL, end)
{
	struct fixture *f = ready(state);
	struct order down = order_of(VERB_PORT_DOWN, "swp50");
	struct order up = order_of(VERB_PORT_UP, "swp50");
	struct condition c;

	established(f, "leaf3", "10.254.3.0", true);
	frr_lab_run(&f->lab, "leaf3", "cat /sys/class/net/swp49/carrier_changes >/run/before");
	connect_as(f, "leaf3", "root");
	c = look(f, &down);
	assert_int_equal(c.admin, OPER_UP);
	assert_int_equal(c.oper, OPER_UP);
	assert_int_equal(c.root, 1);
	assert_int_equal(c.session, 0);
	assert_int_equal(c.pending, 0);
	assert_int_equal(c.wd, -1);
	assert_string_equal(c.netdev, "swp50");
	assert_string_equal(c.hazard, "");
	done(f, &down, &c);
	frr_lab_until(&f->lab, "spine2", "grep -q down /sys/class/net/swp3/operstate");
	established(f, "spine2", "10.254.3.1", false);
	c = look(f, &up);
	assert_int_equal(c.admin, OPER_DOWN);
	done(f, &up, &c);
	established(f, "spine2", "10.254.3.1", true);
	/* No other port. */
	frr_lab_run(&f->lab, "leaf3",
		"cat /sys/class/net/swp49/carrier_changes | cmp -s - /run/before");
}

CASE_WITH(a_nic_is_bounced, NULL, end)
{
	struct fixture *f = ready(state);
	struct order down = order_of(VERB_PORT_DOWN, "eth1");
	struct order up = order_of(VERB_PORT_UP, "eth1");
	struct condition c;

	connect_as(f, "host1", "root");
	c = look(f, &down);
	assert_int_equal(c.session, 0);
	assert_string_equal(c.bgp_peer, "");
	done(f, &down, &c);
	frr_lab_until(&f->lab, "leaf1", "grep -q down /sys/class/net/swp1/operstate");
	done(f, &up, &c);
	frr_lab_until(&f->lab, "leaf1", "grep -q up /sys/class/net/swp1/operstate");
}

/*
 * The kernel takes static routes and IPv6 addresses off a link that goes down and does not put them
 * back. A drain that could not be undone is reported as such, and the report is true.
 */
CASE_WITH(what_would_not_come_back_is_told, NULL, end)
{
	static const char bounce[] = "ip link set dev eth1 down && ip link set dev eth1 up";
	struct fixture *f = ready(state);
	struct order down = order_of(VERB_PORT_DOWN, "eth1");
	char command[200];

	connect_as(f, "host1", "root");
	assert_string_equal(look(f, &down).hazard, "");
	frr_lab_run(&f->lab, "host1", "ip -6 addr add 2001:db8:77::1/64 dev eth1 nodad");
	assert_non_null(strstr(look(f, &down).hazard, "loses its IPv6 addresses"));
	frr_lab_run(&f->lab, "host1", "echo 1 >/proc/sys/net/ipv6/conf/eth1/keep_addr_on_down");
	assert_string_equal(look(f, &down).hazard, "");
	(void)str_printf(command, sizeof(command),
		"%s && ip -6 addr show dev eth1 | grep -q 2001:db8:77::1", bounce);
	frr_lab_run(&f->lab, "host1", command);
	frr_lab_run(&f->lab, "host1", "echo 0 >/proc/sys/net/ipv6/conf/eth1/keep_addr_on_down");
	(void)str_printf(command, sizeof(command),
		"%s && ! ip -6 addr show dev eth1 | grep -q 2001:db8:77::1", bounce);
	frr_lab_run(&f->lab, "host1", command);
	assert_string_equal(look(f, &down).hazard, "");
	/* Of a table of its own, as the rails of a GPU host have them. */
	frr_lab_run(&f->lab, "host1", "ip route add 198.51.100.0/24 dev eth1 table 101");
	assert_non_null(strstr(look(f, &down).hazard, "loses its static routes"));
	(void)str_printf(command, sizeof(command),
		"%s && ! ip route show table 101 | grep -q 198.51.100", bounce);
	frr_lab_run(&f->lab, "host1", command);
	assert_string_equal(look(f, &down).hazard, "");
}

/* ---- the way to the device itself ---- */

CASE_WITH(its_own_way_in_is_never_taken_down, NULL, end)
{
	struct fixture *f = ready(state);
	struct order o = order_of(VERB_PORT_DOWN, "eth0");
	struct condition c;

	connect_as(f, "host2", "root");
	c = look(f, &o);
	assert_int_equal(c.session, 1);
	refused(f, &o, &c, "this session to the device runs over eth0");
	/* Nor a part of the bridge that the default route leads over. */
	frr_lab_run(&f->lab, "host2",
		"ip link add br7 type bridge && ip link set eth1 master br7 && ip link set br7 up "
		"&& "
		"ip addr add 10.7.0.2/24 dev br7 && ip route add default via 10.7.0.1");
	o = order_of(VERB_PORT_DOWN, "eth1");
	c = look(f, &o);
	assert_int_equal(c.session, 1);
	refused(f, &o, &c, "default route leads over eth1");
	/* With another that is preferred, it may. */
	frr_lab_run(&f->lab, "host2",
		"ip route del default && ip route add default via 10.7.0.1 metric 500 && "
		"ip route add default via 192.0.2.1 metric 10");
	c = look(f, &o);
	assert_int_equal(c.session, 0);
	frr_lab_run(&f->lab, "host2", "ip link del br7 && ip route del default");
}

CASE_WITH(without_a_session_of_ssh_nobody_can_tell, NULL, end)
{
	struct fixture *f = ready(state);
	struct order o = order_of(VERB_PORT_DOWN, "eth1");
	struct condition c;

	connect_as(f, "host2", "root");
	c = look(f, &o);
	c.session = -1;
	refused(f, &o, &c, "railtop cannot check");
}

/* ---- BGP ---- */

static void drained_by_bgp(struct fixture *f, const char *node, const char *port, const char *peer,
	uint32_t asn, const char *far, const char *far_peer)
{
	struct order down = order_of(VERB_BGP_DOWN, port), up = order_of(VERB_BGP_UP, port);
	struct condition c;
	char command[160];

	established(f, node, peer, true);
	c = look(f, &down);
	assert_string_equal(c.bgp_peer, peer);
	assert_int_equal(c.bgp_asn, asn);
	assert_int_equal(c.bgp, BGP_ESTABLISHED);
	assert_int_equal(c.bgp_shut, 0);
	(void)str_copy(down.peer, sizeof(down.peer), c.bgp_peer);
	(void)str_copy(up.peer, sizeof(up.peer), c.bgp_peer);
	down.asn = up.asn = c.bgp_asn;
	done(f, &down, &c);
	(void)str_printf(command, sizeof(command),
		"vtysh -c 'show bgp summary' | grep '%s' | grep -q 'Idle (Admin)'", peer);
	frr_lab_run(&f->lab, node, command);
	established(f, far, far_peer, false);
	/* The link stays, and the port with it. */
	c = look(f, &up);
	assert_int_equal(c.oper, OPER_UP);
	assert_int_equal(c.bgp_shut, 1);
	assert_string_equal(c.hazard, "");
	done(f, &up, &c);
	established(f, far, far_peer, true);
}

CASE_WITH(a_link_is_drained_by_bgp, NULL, end)
{
	struct fixture *f = ready(state);

	connect_as(f, "leaf1", "root");
	drained_by_bgp(f, "leaf1", "swp50", "10.254.1.0", 65021, "spine2", "10.254.1.1");
}

CASE_WITH(an_unnumbered_link_is_drained_by_bgp, NULL, end)
{
	struct fixture *f = ready(state);

	connect_as(f, "leaf2", "root");
	drained_by_bgp(f, "leaf2", "swp49", "swp49", 65022, "spine1", "swp2");
}

/* FRR says no and vtysh succeeds: the neighbour went between reading and telling. */
CASE_WITH(what_frr_refuses_was_not_taken, NULL, end)
{
	struct fixture *f = ready(state);
	struct order o = order_of(VERB_BGP_DOWN, "swp50");
	struct condition c;

	connect_as(f, "leaf4", "root");
	established(f, "leaf4", "10.254.4.0", true);
	c = look(f, &o);
	(void)str_copy(o.peer, sizeof(o.peer), "10.254.4.99");
	refused(f, &o, &c, "no neighbour of this name");
	(void)str_copy(c.bgp_peer, sizeof(c.bgp_peer), "10.254.4.99");
	assert_int_equal(tell(f, &o, &c), TAKEN_NO);
	assert_non_null(strstr(f->err.text, "remote-as"));
	/* Another AS would be an instance of its own, were BGP not running. */
	(void)str_copy(o.peer, sizeof(o.peer), "10.254.4.0");
	(void)str_copy(c.bgp_peer, sizeof(c.bgp_peer), "10.254.4.0");
	o.asn = 65099;
	refused(f, &o, &c, "AS of the device differs");
	o.asn = c.bgp_asn = 65099;
	assert_int_equal(tell(f, &o, &c), TAKEN_NO);
	established(f, "leaf4", "10.254.4.0", true);
}

CASE_WITH(a_group_that_is_shut_is_not_the_neighbours, NULL, end)
{
	struct fixture *f = ready(state);
	struct order o = order_of(VERB_BGP_UP, "swp50");
	struct condition c;

	connect_as(f, "leaf4", "root");
	frr_lab_run(&f->lab, "leaf4",
		"vtysh -c 'configure terminal' -c 'router bgp 65024' -c 'neighbor FABRIC "
		"shutdown'");
	c = look(f, &o);
	assert_int_equal(c.bgp_shut, 1);
	(void)str_copy(o.peer, sizeof(o.peer), c.bgp_peer);
	refused(f, &o, &c, "shut by its peer group");
	frr_lab_run(&f->lab, "leaf4",
		"vtysh -c 'configure terminal' -c 'router bgp 65024' -c 'no neighbor FABRIC "
		"shutdown'");
	established(f, "leaf4", "10.254.4.0", true);
}

CASE_WITH(without_bgp_nothing_is_known_of_it, NULL, end)
{
	struct fixture *f = ready(state);
	struct order o = order_of(VERB_BGP_DOWN, "swp50");
	struct condition c;

	connect_as(f, "leaf3", "root");
	established(f, "leaf3", "10.254.3.0", true);
	frr_lab_run(&f->lab, "leaf3", "kill -9 $(cat /run/frr/bgpd.pid)");
	frr_lab_until(&f->lab, "leaf3", "! vtysh -c 'show bgp summary'");
	c = look(f, &o);
	assert_string_equal(c.bgp_peer, "");
	assert_int_equal(c.bgp_asn, 0);
	assert_int_equal(c.bgp_shut, -1);
	assert_int_equal(c.admin, OPER_UP);
	(void)str_copy(o.peer, sizeof(o.peer), "10.254.3.0");
	refused(f, &o, &c, "its own AS");
	frr_lab_run(&f->lab, "leaf3", "start_bgpd");
	established(f, "leaf3", "10.254.3.0", true);
}

/* ---- connections that break ---- */

/* The session's own process, by the number that it tells itself. */
static void cut(struct fixture *f, const char *node, const char *pid)
{
	char command[64];

	(void)str_printf(command, sizeof(command), "kill -9 %s", pid);
	frr_lab_run(&f->lab, node, command);
}

CASE_WITH(a_connection_that_is_cut_in_the_middle, NULL, end)
{
	struct fixture *f = ready(state);
	struct order o = order_of(VERB_BGP_DOWN, "swp50");
	struct request_list l = {0};
	struct condition c;
	struct err err = {0};
	bool never = false;
	char pid[32];

	established(f, "leaf1", "10.254.1.0", true);
	connect_as(f, "leaf1", "root");
	c = look(f, &o);
	(void)str_copy(o.peer, sizeof(o.peer), c.bgp_peer);
	(void)ask(f, requests_ssh(&l, "pid", "echo $PPID", NULL));
	(void)str_copyn(pid, sizeof(pid), f->bytes, strspn(f->bytes, "0123456789"));
	requests_free(&l);
	/* vtysh waits for a daemon that stands still, and so does the session. */
	frr_lab_run(&f->lab, "leaf1", "kill -STOP $(cat /run/frr/bgpd.pid)");
	assert_true(linux_words()->command(&f->target, &o, &c, &l, &err));
	f->answered = false;
	transport_ssh.ask(f->link, &l.at.at[0], POLL_FAST, on_answer, f);
	/* Until it is under way there: more than one vtysh was not there before. */
	for (int64_t until = now_ms() + PATIENCE_MS; now_ms() < until && !f->answered;) {
		uv_run(&f->loop, UV_RUN_ONCE);
		if (frr_lab_is(&f->lab, "leaf1",
			    "grep -qsa '[n]eighbor.10.254.1.0.shutdown' /proc/[0-9]*/cmdline"))
			break;
	}
	assert_false(f->answered);
	cut(f, "leaf1", pid);
	turn_until(f, &f->answered, &never);
	/* Nobody can say from here whether it happened. */
	assert_int_not_equal(f->err.code, ERR_NONE);
	requests_free(&l);
	leave(f);
	frr_lab_run(&f->lab, "leaf1", "kill -CONT $(cat /run/frr/bgpd.pid)");
	frr_lab_until(&f->lab, "leaf1",
		"! grep -qsa '[n]eighbor.10.254.1.0.shutdown' /proc/[0-9]*/cmdline");
	/* The condition can be read again: the device's report equals its configuration. */
	connect_as(f, "leaf1", "root");
	c = look(f, &o);
	assert_int_not_equal(c.bgp_shut, -1);
	assert_int_equal(frr_lab_is(&f->lab, "leaf1",
				 "vtysh -c 'show running-config' | grep -q '10.254.1.0 shutdown'"),
		c.bgp_shut == 1);
	print_message("# after the cut the session is %s\n", c.bgp_shut ? "shut" : "not shut");
	/* Resumed or taken back: both lead where they should. */
	done(f, &o, &c);
	o.verb = VERB_BGP_UP;
	done(f, &o, &c);
	established(f, "spine2", "10.254.1.1", true);
}

/* ---- rights ---- */

/* A user of the node alone: its own /etc/passwd, shadow, group and sudoers. */
static void make_operator(struct fixture *f, const char *node, const char *rights)
{
	char command[768];

	(void)str_printf(command, sizeof(command),
		"umount /etc/sudoers; umount /etc/passwd; umount /etc/shadow; set -e; "
		"{ cat /etc/passwd; echo '%s:x:4242:4242::/tmp:/bin/sh'; } >/run/passwd; "
		"{ cat /etc/shadow; echo '%s:*:19000::::::'; } >/run/shadow; "
		"printf '%%s\\n' 'Defaults !use_pty' '%s' >/run/sudoers; "
		"chmod 440 /run/sudoers; "
		"touch /etc/sudoers; "
		"mount --bind /run/passwd /etc/passwd; mount --bind /run/shadow /etc/shadow; "
		"mount --bind /run/sudoers /etc/sudoers",
		f->operator, f->operator, rights);
	frr_lab_run(&f->lab, node, command);
}

CASE_WITH(without_rights_nothing_is_changed, NULL, end)
{
	struct fixture *f = ready(state);
	struct order o = order_of(VERB_PORT_DOWN, "eth1");
	struct condition c;

	if (!f->has_sudo) {
		print_message("# skipped: the package sudo is not installed\n");
		skip();
	}
	make_operator(f, "host3", "# none");
	connect_as(f, "host3", f->operator);
	c = look(f, &o);
	assert_int_equal(c.root, 0);
	assert_int_equal(c.session, 0);
	assert_int_equal(tell(f, &o, &c), TAKEN_NO);
	assert_int_equal(f->err.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(f->err.text, "wrong privileges"));
	assert_non_null(strstr(f->err.cure, "NOPASSWD: /usr/sbin/ip link set dev *"));
	c = look(f, &o);
	assert_int_equal(c.admin, OPER_UP);
	frr_lab_run(&f->lab, "leaf2", "grep -q up /sys/class/net/swp1/operstate");
}

CASE_WITH(the_rights_that_the_cure_names_are_enough, NULL, end)
{
	struct fixture *f = ready(state);
	struct order down = order_of(VERB_PORT_DOWN, "eth1"), o;
	struct order up = order_of(VERB_PORT_UP, "eth1");
	struct condition c;

	if (!f->has_sudo)
		skip();
	make_operator(f, "host4", "oper ALL=(root) NOPASSWD: /usr/sbin/ip link set dev *");
	connect_as(f, "host4", f->operator);
	c = look(f, &down);
	done(f, &down, &c);
	frr_lab_until(&f->lab, "leaf2", "grep -q down /sys/class/net/swp2/operstate");
	done(f, &up, &c);
	/* And to no more: the light needs a right of its own. */
	o = order_of(VERB_LOCATE_ON, "eth1");
	assert_int_equal(tell(f, &o, &c), TAKEN_NO);
	assert_int_equal(f->err.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(f->err.cure, "/usr/sbin/ethtool -p"));
}

CASE_WITH(a_user_drains_by_bgp_with_sudo, NULL, end)
{
	struct fixture *f = ready(state);

	if (!f->has_sudo)
		skip();
	make_operator(f, "leaf2", "oper ALL=(root) NOPASSWD: /usr/bin/vtysh");
	connect_as(f, "leaf2", f->operator);
	drained_by_bgp(f, "leaf2", "swp50", "10.254.2.0", 65022, "spine2", "10.254.2.1");
}

/* ---- the light ---- */

CASE_WITH(a_port_without_a_light_is_refused_in_ethtools_words, NULL, end)
{
	struct fixture *f = ready(state);
	struct order o = order_of(VERB_LOCATE_ON, "eth1");
	struct condition c;

	connect_as(f, "host5", "root");
	c = look(f, &o);
	assert_int_equal(c.beacon, 0);
	assert_int_equal(tell(f, &o, &c), TAKEN_NO);
	assert_int_equal(f->err.code, ERR_PROTOCOL);
	if (!strstr(f->err.text, "not supported"))
		fail_msg("ethtool says: %s", f->err.text);
	assert_non_null(strstr(f->err.cure, "cannot blink"));
	c = look(f, &o);
	assert_int_equal(c.beacon, 0);
	/* The beacon is off already: no failure. */
	o.verb = VERB_LOCATE_OFF;
	assert_int_equal(tell(f, &o, &c), TAKEN_YES);
}

/*
 * No virtual device blinks: a stand-in takes ethtool's place on the node, with its arguments, its
 * name in the list of processes and its way to end.
 */
CASE_WITH(a_light_blinks_until_it_is_put_out, NULL, end)
{
	struct fixture *f = ready(state);
	struct order on = order_of(VERB_LOCATE_ON, "eth1"), off = order_of(VERB_LOCATE_OFF, "eth1");
	struct condition c;

	frr_lab_run(&f->lab, "host6",
		"printf '%s\\n' '#!/bin/bash' 'cd /run' 'exec -a ethtool bash \"$@\"' "
		">/run/ethtool && printf 'sleep $1\\n:\\n' >/run/eth1 && chmod 755 /run/ethtool && "
		"mount --bind /run/ethtool $(command -v ethtool)");
	connect_as(f, "host6", "root");
	c = look(f, &on);
	assert_int_equal(tell(f, &on, &c), TAKEN_YES);
	/* It was answered while it blinks: the channel is not held for that minute. */
	c = settle(f, &on);
	assert_int_equal(c.beacon, 1);
	done(f, &off, &c);
	frr_lab_run(&f->lab, "host6", "! pgrep -f '^ethtool -p eth1 '");
}

CASES_MAIN(setup, teardown)
