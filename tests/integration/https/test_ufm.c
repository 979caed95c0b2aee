/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector with the dialect "ufm" against a real nginx over TLS, which serves bodies as a UFM
 * does: the UFM itself and one of its switches, from one server.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/collector/collector.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/manager_note.h"
#include "tests/integration/https/https.h"
#include "tests/integration/https/nginx.h"
#include "tests/integration/support/bell.h"
#include "tests/support/cases.h"

#define PATIENCE_MS 20000

struct fixture {
	struct scratch scratch;
	struct nginx nginx;
	struct plan plan;
	struct model *model;
	struct collector *collector;
	struct bell bell;
	struct err last; /* of a failed request */
};

#define SWITCH "SLG01-02"

static const struct body {
	const char *path, *text;
} bodies[] = {
	{"resources/systems",
		"[{\"system_name\":\"luna-0218\",\"guid\":\"0c42a10300280000\",\"type\":\"host\"},"
		"{\"system_name\":\"SLG01-02\",\"guid\":\"1c34da0300728606\",\"type\":\"switch\","
		"\"model\":\"MQM8700\",\"sw_version\":\"3.10.4006\",\"fw_version\":\"N/A\"}]"},
	{"app/ufm_version", "{\"opensm\":\"5.20.0_ef1f438\",\"ufm_release_version\":\"6.18.0-5\","
			    "\"plugins\":{}}"},
	{"app/alarms", "[{\"id\":2,\"type\":\"Switch\",\"name\":\"System Module Error\","
		       "\"description\":\"Module status FAULT\",\"severity\":\"Critical\","
		       "\"reason\":\"Module PS 1 on SLG01-02(10.209.224.32) status is fatal\","
		       "\"object_name\":\"1c34da0300728606\",\"object_path\":\"Switch: SLG01-02\"},"
		       "{\"id\":3,\"type\":\"IBPort\",\"name\":\"Link HW Error\",\"severity\":"
		       "\"Warning\",\"description\":\"Link Downed\",\"object_name\":"
		       "\"b8599f03000a7768_1\",\"object_path\":\"Computer: r-ufm77 / mlx5_0\"}]"},
	{"app/unhealthy_ports", "[{\"UnhealthyNode\":\"SLG01-02\",\"UnhealthyPortNumber\":1,"
				"\"UnhealthyGUID\":\"1c34da0300728606\",\"Condition\":[\"MANUAL\"],"
				"\"State\":\"Warning\",\"StatusTime\":\"Sun Apr 21 12:22:13 2024\","
				"\"PeerNode\":\"luna-0001\"}]"},
	{"resources/ports",
		"[{\"active_speed\":\"NDR\",\"active_width\":\"4x\",\"dname\":\"1\",\"number\":1,"
		"\"logical_state\":\"Active\",\"physical_state\":\"Link Up\",\"mtu\":4096,"
		"\"node_description\":\"SLG01-02:1\",\"system_name\":\"SLG01-02\",\"peer\":"
		"\"0c42a103001b8256_1\",\"peer_node_description\":\"luna-0001 mlx5_10\","
		"\"peer_node_name\":\"luna-0001\"}]"},
	{"telemetry", "{\"data\":{\"2026-01-01 19:12:36\":{\"Port\":{\"1c34da0300728606_1\":"
		      "{\"statistics\":{\"Infiniband_MBOut\":4086720,\"Infiniband_MBIn\":4087008,"
		      "\"Infiniband_XmitWait\":500},\"guid\":\"1c34da0300728606_1\","
		      "\"name\":\"SLG01-02:1\"}}}}}"},
};

static void write_body(const struct scratch *s, const char *path, const char *text)
{
	char full[128];

	(void)snprintf(full, sizeof(full), "bodies/ufmRest/%s", path);
	scratch_write(s, full, text);
}

static int setup_group(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	scratch_open(&f->scratch);
	https_certificates(&f->scratch);
	setenv("RAILTOP_TEST_LOGIN", "noc:sec:ret", 1);
	setenv("RAILTOP_TEST_WRONG", "noc:wrong", 1);
	*state = f;
	return 0;
}

static int teardown_group(void **state)
{
	struct fixture *f = *state;

	scratch_close(&f->scratch);
	free(f);
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = *state;

	plan_init(&f->plan);
	memset(&f->last, 0, sizeof(f->last));
	scratch_run(&f->scratch,
		"rm -rf bodies && mkdir -p bodies/eos bodies/ufmRest/app bodies/ufmRest/resources");
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		write_body(&f->scratch, bodies[i].path, bodies[i].text);
	bell_open(&f->bell);
	nginx_start(&f->nginx, &f->scratch, "good", "");
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	collector_stop(f->collector);
	model_free(f->model);
	plan_free(&f->plan);
	nginx_stop(&f->nginx);
	bell_close(&f->bell);
	f->collector = NULL;
	f->model = NULL;
	return 0;
}

static void add(struct fixture *f, const char *name, const char *login)
{
	struct plan_device *d = vec_add(&f->plan.devices);

	str_copy(d->name, sizeof(d->name), name);
	d->tier = TIER_LEAF;
	d->rail = -1;
	d->dialect = mem_strdup("ufm");
	d->transport = mem_strdup("https");
	d->address = mem_strdup("127.0.0.1");
	d->port = f->nginx.port;
	d->credentials = mem_strdup(login);
	d->tls_ca = mem_strdup(scratch_path(&f->scratch, "ca.pem"));
	d->interval_us = CLOCK_SEC / 5;
}

static void start(struct fixture *f)
{
	struct collector_opts opts = {.wake = bell_ring, .ctx = &f->bell, .publish_us = 20000};
	struct err err = {0};

	f->model = model_new(&f->plan);
	f->collector = collector_start(&f->plan, &opts, &err);
	if (!f->collector)
		fail_msg("%s: %s", err.origin, err.text);
}

static void await_more(struct fixture *f, int64_t until, const char *what)
{
	struct obs *next;

	if (!bell_wait(&f->bell, until))
		fail_msg("%s: not within %d s; last error: %s (%s)", what, PATIENCE_MS / 1000,
			f->last.text, f->last.cure);
	for (struct obs *o = collector_drain(f->collector); o; o = next) {
		next = o->next;
		o->next = NULL;
		if (o->result == OBS_FAILED)
			f->last = o->err;
		model_apply(f->model, o, o->received_us);
		obs_free(o);
	}
}

#define AWAIT(f, condition)                                                                        \
	do {                                                                                       \
		int64_t until_ = now_ms() + PATIENCE_MS;                                           \
		while (!(condition))                                                               \
			await_more(f, until_, #condition);                                         \
	} while (0)

static unsigned kept(const struct fixture *f, const char *device, enum manager_note_kind kind)
{
	return notes_kept(model_device(f->model, device)->notes, kind);
}

static const struct capability *capability(
	const struct fixture *f, const char *device, const char *need)
{
	const struct device *d = model_device(f->model, device);

	for (size_t i = 0; i < d->caps.n; i++)
		if (str_eq(d->caps.at[i].need, need))
			return &d->caps.at[i];
	return NULL;
}

static void a_ufm_and_one_of_its_switches(void **state)
{
	struct fixture *f = *state;
	const struct device *d;
	const struct port *p;
	struct manager_note n;

	add(f, "ufm", "env:RAILTOP_TEST_LOGIN");
	add(f, SWITCH, "env:RAILTOP_TEST_LOGIN");
	start(f);
	AWAIT(f, kept(f, "ufm", MANAGER_ALARM) == 2 && kept(f, SWITCH, MANAGER_ALARM) == 1);
	AWAIT(f, kept(f, "ufm", MANAGER_UNHEALTHY) == 1 && kept(f, SWITCH, MANAGER_UNHEALTHY) == 1);
	d = model_device(f->model, SWITCH);
	AWAIT(f, (p = model_port(f->model, d, "1")) != NULL && port_cell(p, CTR_TX_WAIT, 0));
	assert_int_equal(port_cell(p, CTR_TX_WAIT, 0)->u64, 500);
	AWAIT(f, p->oper == OPER_UP);
	assert_true(port_is_infiniband(p));
	assert_int_equal(p->speed_mbps, 400000);
	assert_string_equal(p->lldp_device, "luna-0001");
	assert_string_equal(p->lldp_port, "mlx5_10");
	assert_string_equal(d->model, "MQM8700");
	assert_true(note_read(d->notes->at[MANAGER_ALARM][0], &n));
	assert_string_equal(n.text, "System Module Error: Module status FAULT: Module PS 1 on "
				    "SLG01-02(10.209.224.32) status is fatal");
	AWAIT(f, str_eq(model_device(f->model, "ufm")->os_version, "6.18.0-5"));
	/* The same path answers a history here: that is no list of the worst ports. */
	AWAIT(f, capability(f, "ufm", "UFM congestion"));
	assert_int_equal(capability(f, "ufm", "UFM congestion")->valid, VALID_UNSUPPORTED);
	assert_int_equal(nginx_requests(&f->nginx, " 401"), 0);
}

/* A page of the web server, not of UFM: the plugin is not there. */
static void a_missing_plugin_costs_its_part_only(void **state)
{
	struct fixture *f = *state;

	scratch_run(&f->scratch, "rm bodies/ufmRest/telemetry bodies/ufmRest/app/unhealthy_ports");
	add(f, "ufm", "env:RAILTOP_TEST_LOGIN");
	add(f, SWITCH, "env:RAILTOP_TEST_LOGIN");
	start(f);
	AWAIT(f, kept(f, "ufm", MANAGER_ALARM) == 2);
	AWAIT(f, capability(f, "ufm", "UFM congestion"));
	assert_int_equal(capability(f, "ufm", "UFM congestion")->valid, VALID_UNSUPPORTED);
	assert_non_null(strstr(capability(f, "ufm", "UFM congestion")->cure, "UFM Telemetry"));
	AWAIT(f, capability(f, "ufm", "UFM unhealthy ports"));
	AWAIT(f, capability(f, SWITCH, "port counters"));
	assert_non_null(strstr(capability(f, SWITCH, "port counters")->cure, "history_enabled"));
	assert_int_equal(f->last.code, ERR_NONE);
	assert_int_equal(model_device(f->model, "ufm")->notes->told_us[MANAGER_UNHEALTHY], 0);
}

static void no_ufm_at_all_is_an_error_with_its_cure(void **state)
{
	struct fixture *f = *state;

	scratch_run(&f->scratch, "rm -r bodies/ufmRest/*");
	add(f, "ufm", "env:RAILTOP_TEST_LOGIN");
	start(f);
	AWAIT(f, f->last.code != ERR_NONE);
	assert_int_equal(f->last.code, ERR_PROTOCOL);
	assert_non_null(strstr(f->last.cure, "/ufmRest/app/ufm_version"));
}

static void a_wrong_password_is_said_with_its_cure(void **state)
{
	struct fixture *f = *state;

	add(f, "ufm", "env:RAILTOP_TEST_WRONG");
	start(f);
	AWAIT(f, f->last.code != ERR_NONE);
	assert_int_equal(f->last.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(f->last.cure, "User Management"));
	assert_null(strstr(f->last.text, "wrong"));
}

static void not_installed(void **state)
{
	(void)state;
	print_message("# nginx is not installed\n");
	skip();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_ufm_and_one_of_its_switches),
		TEST(a_missing_plugin_costs_its_part_only),
		TEST(no_ufm_at_all_is_an_error_with_its_cure),
		TEST(a_wrong_password_is_said_with_its_cure),
	};
	const struct CMUnitTest none[] = {cmocka_unit_test(not_installed)};

	if (!nginx_installed())
		return cmocka_run_group_tests(none, NULL, NULL);
	return cmocka_run_group_tests(tests, setup_group, teardown_group);
}
