/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "tests/emulator/support/nxos_bed.h"
#include "tests/support/cases.h"

/* How EOS and NX-OS handle changes of one port: sessions, own timers, lines that fail. */

#define SPINE    "spine-000"
#define EOS_PORT "Ethernet5/1" /* as PORT, the fifth */
#define WD       "priority-flow-control pause watchdog"

static const struct sim_port_config *config(struct rig *r)
{
	return &rig_device(r, SPINE)->ports[4].config;
}

static int on(struct rig *r, const char *lines)
{
	return rig_exec(r, SPINE, lines, NULL);
}

CASE_WITH(test_eos_ports_have_timers_of_their_own, rig_setup, rig_teardown)
{
	struct rig *r = *state;

	assert_int_equal(
		on(r, "configure\ninterface " EOS_PORT "\n" WD
		      " port timer timeout 0.30 polling-interval auto recovery-time 1.50\n" WD
		      " port action no-drop"),
		0);
	assert_int_equal(config(r)->wd_detect_ms, 300);
	assert_int_equal(on(r, "show running-config interfaces " EOS_PORT), 0);
	assert_non_null(strstr(r->out.data, WD " port action no-drop\n"));
	assert_non_null(
		strstr(r->out.data, "timeout 0.30 polling-interval auto recovery-time 1.50\n"));
	assert_int_equal(on(r, "show priority-flow-control status"), 0);
	assert_non_null(strstr(r->out.data, "watchdog timeout is 0.20 second"));
	assert_non_null(strstr(r->out.data, "\nEt5/1      E A W    3            no-drop     0.30"));
	assert_non_null(strstr(r->out.data, "\nEt6/1      E A W    3            -           -"));
	/* The switch's own are for the others. */
	assert_int_equal(on(r, "configure\n" WD
			       " default timeout 0.50 recovery-time 0.60 polling-interval 0.10"),
		0);
	assert_int_equal(config(r)->wd_detect_ms, 300);
	assert_int_equal(rig_device(r, SPINE)->ports[1].config.wd_detect_ms, 500);
	assert_int_equal(on(r, "show running-config"), 0);
	assert_non_null(strstr(r->out.data, WD " default timeout 0.50\n"));
	/* Taken off and put on, they stay; given up, the port has the switch's. */
	assert_int_equal(on(r, "configure\ninterface " EOS_PORT "\nno " WD "\n" WD), 0);
	assert_int_equal(config(r)->wd_detect_ms, 300);
	assert_int_equal(on(r, "configure\ninterface " EOS_PORT "\nno " WD " port timer\nno " WD
			       " port action"),
		0);
	assert_int_equal(config(r)->wd_detect_ms, 500);
	assert_int_equal(config(r)->wd_action, SIM_WD_DROP);
	assert_int_equal(on(r, "show running-config interfaces " EOS_PORT), 0);
	assert_null(strstr(r->out.data, "port timer"));
}

CASE_WITH(test_eos_sessions_wait_for_their_commit, rig_setup, rig_teardown)
{
	struct rig *r = *state;

	assert_int_equal(on(r, "show configuration sessions | json"), 0);
	assert_null(strstr(r->out.data, "pending"));
	assert_int_equal(on(r, "configure session one\ninterface " EOS_PORT "\nshutdown"), 0);
	assert_true(config(r)->admin_up);
	assert_int_equal(on(r, "show configuration sessions | json"), 0);
	assert_non_null(strstr(r->out.data, "\"one\""));
	assert_non_null(strstr(r->out.data, "\"pending\""));
	/* A word that is not known is refused at once. */
	assert_int_not_equal(on(r, "configure session one\ninterface " EOS_PORT "\nfrobnicate"), 0);
	assert_int_equal(on(r, "configure session one\ncommit"), 0);
	assert_false(config(r)->admin_up);
	assert_int_equal(
		on(r, "configure session two\ninterface " EOS_PORT "\nno shutdown\nabort"), 0);
	assert_false(config(r)->admin_up);
	assert_int_equal(on(r, "configure session two\nexit\nconfigure session two abort"), 0);
	assert_int_not_equal(on(r, "configure session two abort"), 0);
	assert_int_equal(on(r, "show configuration sessions | json"), 0);
	assert_null(strstr(r->out.data, "pending"));
	/* A switch has few. */
	for (int i = 0; i < 6; i++) {
		char line[64];

		(void)str_printf(line, sizeof(line), "configure session s%d", i);
		assert_int_equal(on(r, line) == 0, i < 5);
	}
	assert_int_equal(on(r, "no configure session s3"), 0);
	assert_int_equal(on(r, "configure session s5"), 0);
}

#define CONF(rollback, input)                                                                      \
	"{\"ins_api\":{\"version\":\"1.0\",\"type\":\"cli_conf\",\"chunk\":\"0\",\"sid\":\"1\","   \
	"\"input\":\"" input "\",\"output_format\":\"json\"" rollback "}}"
#define LINES "interface " PORT " ;frobnicate ;shutdown"

static json_t *conf(struct rig *r, const char *body)
{
	json_t *o;

	assert_int_equal(rig_http(r, SPINE, "POST", "/ins", body), 200);
	o = json_loads(r->out.data, 0, NULL);
	assert_non_null(o);
	return o;
}

CASE_WITH(test_nxos_stops_at_a_line_that_fails, nxos_bed_open, nxos_bed_close)
{
	struct rig *r = nxos_rig(state);
	json_t *o;

	o = conf(r, CONF(",\"rollback\":\"stop-on-error\"", LINES));
	assert_int_equal(json_array_size(rig_at(o, "ins_api>outputs>output")), 2);
	assert_string_equal(json_string_value(rig_at(o, "ins_api>outputs>output>1>code")), "400");
	json_decref(o);
	assert_true(config(r)->admin_up);
	o = conf(r, CONF("", LINES));
	assert_int_equal(json_array_size(rig_at(o, "ins_api>outputs>output")), 2);
	json_decref(o);
	o = conf(r, CONF(",\"rollback\":\"continue-on-error\"", LINES));
	assert_int_equal(json_array_size(rig_at(o, "ins_api>outputs>output")), 3);
	json_decref(o);
	assert_false(config(r)->admin_up);
}

CASE_WITH(test_nxos_tells_of_the_link, nxos_bed_open, nxos_bed_close)
{
	struct rig *r = nxos_rig(state);

	assert_int_equal(on(r, "show running-config interface " PORT), 0);
	assert_non_null(strstr(r->out.data, "\n  ip address 10."));
	assert_int_equal(on(r, "show running-config bgp"), 0);
	assert_non_null(strstr(r->out.data, "\nrouter bgp "));
	assert_non_null(strstr(r->out.data, "\n  neighbor 10."));
	assert_null(strstr(r->out.data, "\ninterface "));
}

CASES_MAIN(NULL, NULL)
