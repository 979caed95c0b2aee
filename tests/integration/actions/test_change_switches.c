/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of EOS and NX-OS over real TLS and real SSH. Commands take effect, reads give the
 * true state, and a write that fails in any way is never reported as done.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/integration/support/wire.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"
#include "tests/support/built.h"

#define SPINE "spine-000"
#define PORT  "Ethernet1/1"

struct kind {
	const char *dialect;
	enum transport_kind transport;
};

static struct lab lab;

static int start(const char *platforms)
{
	lab_start(&lab,
		(const char *const[]){"--steady", "--speed", "10", "--platforms", platforms, NULL});
	return 0;
}

static int stop(void **state)
{
	(void)state;
	lab_stop(&lab);
	return 0;
}

static void ctl(const char *verb, const char *what)
{
	char program[256];
	const char *argv[] = {built_path("railtop-emulator", program, sizeof(program)), "ctl",
		lab.dir, verb, what, NULL};
	int status = -1;
	char *out = run_command(argv, NULL, "", NULL, &status);

	if (status != 0)
		fail_msg("ctl %s %s: exit %d: %s", verb, what, status, out ? out : "");
	free(out);
}

static struct order order_of(enum verb v)
{
	struct order o = {.verb = v, .priority = -1};

	(void)str_copy(o.port, sizeof(o.port), PORT);
	return o;
}

/* Done, and to be seen. */
static struct condition does(struct wire *w, const struct order *o)
{
	struct condition now = wire_look(w, o);
	char why[128] = "";

	if (wire_send(w, o, &now) != TAKEN_YES)
		fail_msg("%s: %s: %.300s", verb_name(o->verb), w->err.text, w->bytes);
	if (!wire_met(w, o, &now)) {
		(void)order_goal(o, &now, why, sizeof(why));
		fail_msg("%s: %s", verb_name(o->verb), why);
	}
	return now;
}

/* ---- success ---- */

static void port_goes_and_comes(struct wire *w)
{
	struct order down = order_of(VERB_PORT_DOWN), up = order_of(VERB_PORT_UP);

	assert_int_equal(wire_look(w, &down).admin, OPER_UP);
	assert_int_equal(does(w, &down).oper, OPER_DOWN);
	(void)does(w, &up);
}

static void session_goes_and_comes(struct wire *w)
{
	struct order down = order_of(VERB_BGP_DOWN), up;
	struct condition now;

	/* The port has just been down. */
	up = order_of(VERB_BGP_UP);
	assert_true(wire_met(w, &up, &now));
	assert_true(*now.bgp_peer);
	assert_int_equal(now.bgp_shut, 0);
	assert_int_equal(now.bgp, BGP_ESTABLISHED);
	(void)str_copy(down.peer, sizeof(down.peer), now.bgp_peer);
	down.asn = now.bgp_asn;
	up = down;
	up.verb = VERB_BGP_UP;
	now = does(w, &down);
	assert_int_equal(now.bgp, BGP_ADMIN_DOWN);
	assert_int_equal(now.admin, OPER_UP);
	(void)does(w, &up);
}

static void light_goes_and_comes(struct wire *w)
{
	struct order on = order_of(VERB_LOCATE_ON), off = order_of(VERB_LOCATE_OFF);

	assert_int_equal(wire_look(w, &on).beacon, 0);
	(void)does(w, &on);
	(void)does(w, &off);
}

static void watchdog_goes_and_comes_from(struct wire *w, enum wd_state state)
{
	struct order stop_it = order_of(VERB_WD_STOP), start_it = order_of(VERB_WD_START);
	struct condition before = wire_look(w, &stop_it), now;

	assert_int_equal(before.wd, 1);
	assert_int_equal(before.pfc, 1 << 3);
	assert_int_equal(before.wd_state[3], state);
	start_it.wd = before.wd_set;
	now = does(w, &stop_it);
	assert_int_equal(now.wd_state[3], WD_OFF);
	now = does(w, &start_it);
	assert_true(wd_setting_eq(&now.wd_set, &before.wd_set));
	assert_int_equal(now.wd_state[3], WD_OPERATIONAL);
}

/* EOS only: a stop leaves the port's own settings there, and reports them. */
static void watchdog_has_its_own_timers(struct wire *w)
{
	struct order own = order_of(VERB_WD_START), stop_it = order_of(VERB_WD_STOP);
	struct condition now;

	own.wd = (struct wd_setting){.action = "forward", .detect_ms = 300, .restore_ms = 1500};
	now = does(w, &own);
	assert_string_equal(now.wd_set.action, "forward");
	now = does(w, &stop_it);
	assert_int_equal(now.wd_set.restore_ms, 1500);
	(void)does(w, &own);
}

static void gets_stuck(struct wire *w, const struct order *o)
{
	ctl("inject", "watchdog-stuck:" SPINE ":" PORT);
	while (wire_look(w, o).wd_state[3] != WD_STORMED)
		;
}

static void queue_is_released(struct wire *w)
{
	struct order release = order_of(VERB_WD_RECOVER);
	struct condition now;

	release.priority = 3;
	gets_stuck(w, &release);
	now = does(w, &release);
	assert_int_equal(now.wd, 1);
}

/* The use of pfcwd-reset, on a device where no queue can be released by itself. */
static void watchdog_is_restarted(struct wire *w)
{
	gets_stuck(w, &(struct order){.verb = VERB_WD_STOP, .port = PORT, .priority = -1});
	watchdog_goes_and_comes_from(w, WD_STORMED);
}

static void all_verbs(struct kind k)
{
	struct wire w;

	wire_open(&w, &lab, SPINE, k.dialect, k.transport, true);
	port_goes_and_comes(&w);
	light_goes_and_comes(&w);
	/* Over SSH NX-OS has no words for these that could not be for more than one port. */
	if (str_eq(k.dialect, "eos") || k.transport == TRANSPORT_HTTPS) {
		session_goes_and_comes(&w);
		watchdog_goes_and_comes_from(&w, WD_OPERATIONAL);
		watchdog_is_restarted(&w);
	}
	if (str_eq(k.dialect, "eos"))
		watchdog_has_its_own_timers(&w);
	else
		queue_is_released(&w);
	wire_close(&w);
}

/* ---- failure ---- */

/* Refused by the switch, in words, and nothing has changed. */
static void write_is_denied(struct wire *w)
{
	struct order down = order_of(VERB_PORT_DOWN);
	struct condition now = wire_look(w, &down);

	ctl("inject", "write-denied:" SPINE);
	assert_int_equal(wire_send(w, &down, &now), TAKEN_NO);
	if (w->err.code != ERR_UNAUTHORISED)
		fail_msg("%s: %s", err_code_name(w->err.code), w->err.text);
	ctl("heal", "write-denied");
	assert_int_equal(wire_look(w, &down).admin, OPER_UP);
}

/* Taken, and not done: only reading back tells. */
static void write_does_nothing(struct wire *w)
{
	struct order down = order_of(VERB_PORT_DOWN);
	struct condition now = wire_look(w, &down);

	ctl("inject", "write-noop:" SPINE);
	assert_int_equal(wire_send(w, &down, &now), TAKEN_YES);
	now = wire_look(w, &down);
	assert_int_equal(order_goal(&down, &now, NULL, 0), GOAL_NOT_MET);
	ctl("heal", "write-noop");
}

/* A command that this switch does not have, in the middle: those behind it did not take effect. */
static void word_is_not_known(struct wire *w)
{
	struct order down = order_of(VERB_PORT_DOWN);
	struct condition now = wire_look(w, &down);

	down.lines = "interface {port}\nfrobnicate\nmtu 9000";
	assert_int_equal(wire_send(w, &down, &now), TAKEN_NO);
	assert_int_equal(w->err.code, ERR_PROTOCOL);
	assert_true(strstr(w->err.text, "nvalid"));
	assert_int_equal(wire_look(w, &down).pending, now.pending);
}

/* Nobody may send it over a link that was not permitted to, nor did it. */
static void link_is_not_permitted(struct kind k)
{
	struct order down = order_of(VERB_PORT_DOWN);
	struct condition now;
	struct wire w;

	wire_open(&w, &lab, SPINE, k.dialect, k.transport, false);
	now = wire_look(&w, &down);
	assert_int_equal(wire_send(&w, &down, &now), TAKEN_NO);
	assert_int_equal(w.err.code, ERR_REFUSED);
	assert_int_equal(wire_look(&w, &down).admin, OPER_UP);
	wire_close(&w);
}

/* The answer is lost with the connection; whether it was done, only another one tells. */
static void connection_is_cut(struct kind k, const char *before, enum oper want)
{
	struct order down = order_of(VERB_PORT_DOWN), up = order_of(VERB_PORT_UP);
	struct condition now;
	char fault[64];
	struct wire w;

	wire_open(&w, &lab, SPINE, k.dialect, k.transport, true);
	now = wire_look(&w, &down);
	(void)str_printf(fault, sizeof(fault), "write-cut:" SPINE ",before=%s", before);
	ctl("inject", fault);
	assert_int_equal(wire_send(&w, &down, &now), TAKEN_NO);
	assert_int_not_equal(w.err.code, ERR_NONE);
	ctl("heal", "write-cut");
	wire_close(&w);
	wire_open(&w, &lab, SPINE, k.dialect, k.transport, true);
	assert_int_equal(wire_look(&w, &down).admin, want);
	if (want == OPER_DOWN)
		(void)does(&w, &up);
	wire_close(&w);
}

/* No answer in time, and it was done. */
static void write_hangs(struct kind k)
{
	struct order down = order_of(VERB_PORT_DOWN), up = order_of(VERB_PORT_UP);
	struct condition now;
	struct wire w;

	wire_open(&w, &lab, SPINE, k.dialect, k.transport, true);
	now = wire_look(&w, &down);
	ctl("inject", "write-hang:" SPINE);
	assert_int_equal(wire_send(&w, &down, &now), TAKEN_NO);
	assert_int_equal(w.err.code, ERR_TIMEOUT);
	ctl("heal", "write-hang");
	wire_close(&w);
	wire_open(&w, &lab, SPINE, k.dialect, k.transport, true);
	assert_int_equal(wire_look(&w, &down).admin, OPER_DOWN);
	(void)does(&w, &up);
	wire_close(&w);
}

/*
 * A request answered with 401 was not carried out: the transport logs in again, and it is done
 * once.
 */
static void session_expires(struct wire *w)
{
	struct order down = order_of(VERB_PORT_DOWN), up = order_of(VERB_PORT_UP);

	ctl("inject", "session-expired:" SPINE);
	(void)does(w, &down);
	ctl("heal", "session-expired");
	(void)does(w, &up);
}

static void all_failures(struct kind k)
{
	struct wire w;

	wire_open(&w, &lab, SPINE, k.dialect, k.transport, true);
	write_is_denied(&w);
	write_does_nothing(&w);
	word_is_not_known(&w);
	if (k.transport == TRANSPORT_HTTPS)
		session_expires(&w);
	wire_close(&w);
	link_is_not_permitted(k);
	connection_is_cut(k, "yes", OPER_UP);
	connection_is_cut(k, "no", OPER_DOWN);
	/* That of NX-OS takes half a minute. */
	if (str_eq(k.dialect, "eos"))
		write_hangs(k);
}

/* Another user's edit that waits for its commit. */
static void test_eos_tells_of_open_sessions(void **state)
{
	struct order drain = order_of(VERB_PORT_DOWN);
	struct request_list l = {0};
	struct wire w;

	(void)state;
	wire_open(&w, &lab, SPINE, "eos", TRANSPORT_SSH, true);
	assert_int_equal(wire_look(&w, &drain).pending, 0);
	requests_ssh(&l, "other", "configure session theirs\ninterface " PORT "\nshutdown", NULL)
		->change = true;
	assert_true(wire_ask(&w, &l.at.at[0]));
	assert_int_equal(wire_look(&w, &drain).pending, 1);
	assert_int_equal(wire_look(&w, &drain).admin, OPER_UP);
	requests_free(&l);
	requests_ssh(&l, "other", "configure session theirs abort", NULL)->change = true;
	assert_true(wire_ask(&w, &l.at.at[0]));
	assert_int_equal(wire_look(&w, &drain).pending, 0);
	requests_free(&l);
	wire_close(&w);
}

static const struct kind eos_https = {"eos", TRANSPORT_HTTPS}, eos_ssh = {"eos", TRANSPORT_SSH},
			 nxos_https = {"nxos", TRANSPORT_HTTPS}, nxos_ssh = {"nxos", TRANSPORT_SSH};

#define BOTH(kind)                                                                                 \
	static void test_##kind##_does(void **state)                                               \
	{                                                                                          \
		(void)state;                                                                       \
		all_verbs(kind);                                                                   \
	}                                                                                          \
	static void test_##kind##_fails(void **state)                                              \
	{                                                                                          \
		(void)state;                                                                       \
		all_failures(kind);                                                                \
	}
BOTH(eos_https)
BOTH(eos_ssh)
BOTH(nxos_https)
BOTH(nxos_ssh)

static int start_eos(void **state)
{
	(void)state;
	return start("spine=eos");
}

static int start_nxos(void **state)
{
	(void)state;
	return start("spine=nxos");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_eos_https_does, start_eos),
		cmocka_unit_test_setup(test_eos_https_fails, start_eos),
		cmocka_unit_test_setup(test_eos_ssh_does, start_eos),
		cmocka_unit_test_setup(test_eos_ssh_fails, start_eos),
		cmocka_unit_test_setup(test_eos_tells_of_open_sessions, start_eos),
		cmocka_unit_test_setup(test_nxos_https_does, start_nxos),
		cmocka_unit_test_setup(test_nxos_https_fails, start_nxos),
		cmocka_unit_test_setup(test_nxos_ssh_does, start_nxos),
		cmocka_unit_test_setup(test_nxos_ssh_fails, start_nxos),
	};

	return cmocka_run_group_tests(tests, NULL, stop);
}
