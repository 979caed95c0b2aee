/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/contract/backend.h"
#include "backends/collector/collector.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "fabric/vocabulary/counters.h"
#include "tests/integration/ssh/bastion.h"
#include "tests/integration/support/bell.h"
#include "tests/integration/https/https.h"
#include "tests/integration/https/nginx.h"
#include "tests/support/cases.h"
#include "tests/support/memory_search.h"

/* The collector with the real dialects against a real nginx that serves switches' answers. */

#define PATIENCE_MS 20000

/* ---- the served bodies ---- */

#define RPC(result) "{\"jsonrpc\":\"2.0\",\"id\":\"chunked\",\"result\":[" result "]}"
#define DME(class, dn, attributes)                                                                 \
	"{\"totalCount\":\"1\",\"imdata\":[{\"" class "\":{\"attributes\":{\"dn\":\"" dn           \
						      "\"," attributes "}}}]}"

static const struct body {
	const char *path, *text;
} bodies[] = {
	{"eos/fast.json",
		RPC("{\"mfgName\":\"Arista\",\"modelName\":\"DCS-TEST\",\"version\":\"4.32.1F\","
		    "\"uptime\":100.5,\"serialNumber\":\"S1\"},"
		    "{\"interfaces\":{\"Ethernet1/1\":{\"name\":\"Ethernet1/1\","
		    "\"interfaceStatus\":\"connected\",\"lineProtocolStatus\":\"up\","
		    "\"bandwidth\":400000000000,\"mtu\":9214,\"hardware\":\"ethernet\","
		    "\"interfaceCounters\":{\"inOctets\":1234567,\"outOctets\":7654321,"
		    "\"inUcastPkts\":10,\"outUcastPkts\":20,\"inDiscards\":0,"
		    "\"outDiscards\":3}}}}")},
	{"eos/errdisabled.json", RPC("{\"interfaceStatuses\":{}}")},
	/* A command that this release lacks: all that have no file. */
	{"eos/none.json",
		"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":1002,\"message\":\"CLI "
		"command 1 of 1 'show' failed: invalid command\",\"data\":[{\"errors\":[\"Invalid "
		"input\"]}]}}"},
	{"api/node/class/rmonIfHCIn.json", DME("rmonIfHCIn", "sys/intf/phys-[eth1/7]/dbgIfHCIn",
						   "\"octets\":\"1234567\",\"ucastPkts\":\"10\"")},
	{"api/node/class/rmonIfHCOut.json", DME("rmonIfHCOut", "sys/intf/phys-[eth1/7]/dbgIfHCOut",
						    "\"octets\":\"7654321\",\"ucastPkts\":\"20\"")},
	{"api/node/class/ethpmPhysIf.json", DME("ethpmPhysIf", "sys/intf/phys-[eth1/7]/phys",
						    "\"operSt\":\"up\",\"operSpeed\":\"400G\"")},
	{"nvue_v1/interface",
		"{\"swp1\":{\"type\":\"swp\",\"link\":{\"admin-status\":\"up\",\"oper-status\":"
		"\"up\",\"speed\":\"400G\",\"mtu\":9216,\"stats\":{\"in-bytes\":1234567,"
		"\"out-bytes\":7654321,\"in-pkts\":10,\"out-pkts\":20}}}}"},
	{"nvue_v1/system", "{\"hostname\":\"leaf-0\",\"uptime\":7633,\"build\":\"Cumulus Linux "
			   "5.9.1\"}"},
};

/* Answers of real devices, put in the place of ours where they are there. */
static const struct {
	const char *capture, *path;
	bool rpc;
} captures[] = {
	{"eos/eapi/show_interfaces_phy_detail.json", "eos/phy.json", true},
	{"eos/eapi/show_lldp_neighbors_detail_anta.json", "eos/lldp.json", true},
	{"eos/eapi/show_qos_interfaces_ecn_counters_queue.json", "eos/ecn.json", true},
	{"nxos/derived/dme_ipqosQueuingStats.json", "api/node/class/ipqosQueuingStats.json", false},
	{"cumulus/derived/nvue_platform_transceiver_detail.json", "nvue_v1/platform/transceiver",
		false},
};

/* One device of each dialect that speaks HTTPS, and the name of its first served port. */
static const struct {
	const char *dialect, *port;
	bool logs_in;
} kinds[] = {
	{"eos", "Ethernet1/1", true},
	{"nxos", "Ethernet1/7", true},
	{"cumulus", "swp1", false},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool is_there(size_t kind)
{
	const struct backend_ops *ops = backend_by_name(kinds[kind].dialect);

	return ops && ops->transports & 1u << TRANSPORT_HTTPS;
}

/* ---- fixtures ---- */

struct fixture {
	struct scratch scratch;
	struct nginx nginx;
	struct bastion bastion;
	struct plan plan;
	struct model *model;
	struct collector *collector;
	struct bell bell;
	unsigned failed, batches[KINDS];
	struct err last; /* of a device's own request */
	char last_request[32];
};

static void write_bodies(const struct scratch *s)
{
	const char *shared = getenv("RAILTOP_SHARED");

	scratch_run(s, "mkdir -p bodies/eos bodies/api/node/class bodies/nvue_v1/platform");
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		char path[128];

		(void)snprintf(path, sizeof(path), "bodies/%s", bodies[i].path);
		scratch_write(s, path, bodies[i].text);
	}
	scratch_write(s, "bodies/ins", "[]");
	scratch_write(s, "bodies/empty", "{\"totalCount\":\"0\",\"imdata\":[]}");
	for (size_t i = 0; shared && i < sizeof(captures) / sizeof(captures[0]); i++)
		scratch_run(s,
			"c='%s/captures/switches/%s'; test ! -f \"$c\" || { %s cat \"$c\"; %s } "
			">bodies/%s",
			shared, captures[i].capture,
			captures[i].rpc ? "printf '{\"jsonrpc\":\"2.0\",\"result\":[';" : "",
			captures[i].rpc ? "echo ']}';" : "", captures[i].path);
}

static int setup_group(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	scratch_open(&f->scratch);
	https_certificates(&f->scratch);
	write_bodies(&f->scratch);
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
	f->model = NULL;
	f->collector = NULL;
	f->failed = 0;
	memset(f->batches, 0, sizeof(f->batches));
	bell_open(&f->bell);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	collector_stop(f->collector);
	model_free(f->model);
	plan_free(&f->plan);
	nginx_stop(&f->nginx);
	if (f->bastion.sshd.pid > 0)
		bastion_kill(&f->bastion);
	memset(&f->bastion, 0, sizeof(f->bastion));
	bell_close(&f->bell);
	return 0;
}

static struct plan_device *add(struct fixture *f, size_t kind)
{
	struct plan_device *d = vec_add(&f->plan.devices);

	str_printf(d->name, sizeof(d->name), "%s-0", kinds[kind].dialect);
	d->tier = TIER_LEAF;
	d->rail = -1;
	d->dialect = mem_strdup(kinds[kind].dialect);
	d->transport = mem_strdup("https");
	d->address = mem_strdup("127.0.0.1");
	d->port = f->nginx.port;
	d->credentials = mem_strdup("env:RAILTOP_TEST_LOGIN");
	d->tls_ca = mem_strdup(scratch_path(&f->scratch, "ca.pem"));
	d->interval_us = CLOCK_SEC / 5;
	return d;
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

static void take(struct fixture *f, struct obs *o)
{
	if (o->result == OBS_FAILED) {
		f->failed++;
		f->last = o->err;
		str_copy(f->last_request, sizeof(f->last_request), o->request);
	}
	for (size_t k = 0; k < KINDS; k++)
		if (o->result == OBS_DATA && str_starts(o->device, kinds[k].dialect))
			f->batches[k]++;
	model_apply(f->model, o, o->received_us);
	obs_free(o);
}

static void await_more(struct fixture *f, int64_t until, const char *what)
{
	struct obs *next;

	if (!bell_wait(&f->bell, until))
		fail_msg("%s: not within %d s; last error: %s: %s", what, PATIENCE_MS / 1000,
			f->last_request, f->last.text);
	for (struct obs *o = collector_drain(f->collector); o; o = next) {
		next = o->next;
		o->next = NULL;
		take(f, o);
	}
}

#define AWAIT(f, condition)                                                                        \
	do {                                                                                       \
		int64_t until_ = now_ms() + PATIENCE_MS;                                           \
		while (!(condition))                                                               \
			await_more(f, until_, #condition);                                         \
	} while (0)

static const struct port *port_of(const struct fixture *f, size_t kind)
{
	char name[NAME_MAX_LEN];
	struct device *d;

	str_printf(name, sizeof(name), "%s-0", kinds[kind].dialect);
	d = model_device(f->model, name);
	assert_non_null(d);
	return model_port(f->model, d, kinds[kind].port);
}

static bool has_value(const struct fixture *f, size_t kind, enum counter_id id, uint64_t want)
{
	const struct port *p = port_of(f, kind);
	const struct cell *c = p ? port_cell(p, id, 0) : NULL;

	return c && port_cell_valid(f->model, p, id, 0) == VALID_OK && c->u64 == want;
}

/* ---- cases ---- */

static void values_end_up_in_the_model(void **state)
{
	struct fixture *f = *state;

	nginx_start(&f->nginx, &f->scratch, "good", "");
	for (size_t k = 0; k < KINDS; k++)
		if (is_there(k))
			add(f, k);
	start(f);
	for (size_t k = 0; k < KINDS; k++) {
		if (!is_there(k))
			continue;
		AWAIT(f, has_value(f, k, CTR_RX_BYTES, 1234567));
		AWAIT(f, has_value(f, k, CTR_TX_BYTES, 7654321));
		print_message("# %s is read from nginx over TLS\n", kinds[k].dialect);
	}
	for (size_t k = 0; k < KINDS; k++)
		if (is_there(k))
			AWAIT(f, f->batches[k] >= 10);
	/* One login each, and no more than the kept connections of its three lanes. */
	assert_int_equal(nginx_requests(&f->nginx, "/login - 200"), 1);
	assert_true(nginx_requests(&f->nginx, "aaaLogin.json - 200") <= 1);
}

/* All three, each with its way to log in, through one session to a bastion. */
static void all_dialects_go_through_a_bastion(void **state)
{
	struct fixture *f = *state;

	sshd_keys(&f->scratch);
	bastion_start(&f->bastion, &f->scratch, 0, "");
	nginx_start(&f->nginx, &f->scratch, "good", "");
	for (size_t k = 0; k < KINDS; k++) {
		struct plan_device *d = is_there(k) ? add(f, k) : NULL;

		if (!d)
			continue;
		d->jump = mem_strdup(f->bastion.jump);
		d->identity = mem_strdup(scratch_path(&f->scratch, "user_key"));
		d->known_hosts = mem_strdup(scratch_path(&f->scratch, "known_hosts"));
	}
	start(f);
	for (size_t k = 0; k < KINDS; k++) {
		if (!is_there(k))
			continue;
		AWAIT(f, has_value(f, k, CTR_RX_BYTES, 1234567));
		AWAIT(f, f->batches[k] >= 10);
	}
	assert_int_equal(nginx_requests(&f->nginx, "/login - 200"), 1);
	assert_int_equal(bastion_logins(&f->bastion), 1);
}

/*
 * A real switch's answer, through all layers. The capture has three phys of the port; this is the
 * one with the cable.
 */
static void a_capture_ends_up_in_the_model(void **state)
{
	struct fixture *f = *state;
	const struct port *p;

	if (access(scratch_path(&f->scratch, "bodies/eos/phy.json"), F_OK) != 0) {
		print_message("# the captures are not here\n");
		skip();
	}
	nginx_start(&f->nginx, &f->scratch, "good", "");
	add(f, 0);
	start(f);
	AWAIT(f, (p = port_of(f, 0)) != NULL &&
			 port_cell_valid(f->model, p, CTR_PRE_FEC_BER, 0) == VALID_OK);
	assert_true(fabs(port_cell(p, CTR_PRE_FEC_BER, 0)->real - 0.0013399973239803201) < 1e-12);
}

/* Reloaded, nginx knows no session any more: one login each, and no poll is lost. */
static void a_forgotten_session_costs_no_poll(void **state)
{
	struct fixture *f = *state;
	unsigned then[KINDS], failed, logins;

	nginx_start(&f->nginx, &f->scratch, "good", "");
	for (size_t k = 0; k < KINDS; k++)
		if (is_there(k) && kinds[k].logs_in)
			add(f, k);
	start(f);
	for (size_t k = 0; k < KINDS; k++)
		if (is_there(k) && kinds[k].logs_in)
			AWAIT(f, has_value(f, k, CTR_RX_BYTES, 1234567));
	logins = nginx_requests(&f->nginx, "ogin");
	failed = nginx_requests(&f->nginx, " 403") + nginx_requests(&f->nginx, " 401");
	assert_int_equal(failed, 0);
	nginx_reload(&f->nginx);
	AWAIT(f, nginx_requests(&f->nginx, "ogin") >= logins + f->plan.devices.n);
	memcpy(then, f->batches, sizeof(then));
	for (size_t k = 0; k < KINDS; k++)
		if (is_there(k) && kinds[k].logs_in)
			AWAIT(f, f->batches[k] >= then[k] + 10);
	assert_int_equal(nginx_requests(&f->nginx, "ogin"), logins + f->plan.devices.n);
	for (size_t i = 0; i < f->plan.devices.n; i++)
		assert_int_equal(model_device(f->model, f->plan.devices.at[i].name)->err->code ==
					 ERR_UNAUTHORISED,
			0);
}

static void a_wrong_password_is_told_once(void **state)
{
	struct fixture *f = *state;
	struct plan_device *d;

	nginx_start(&f->nginx, &f->scratch, "good", "");
	for (size_t k = 0; k < KINDS; k++) {
		if (!is_there(k))
			continue;
		d = add(f, k);
		free(d->credentials);
		d->credentials = mem_strdup("env:RAILTOP_TEST_WRONG");
	}
	start(f);
	AWAIT(f, f->failed == f->plan.devices.n);
	assert_int_equal(f->last.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(f->last.cure, "env:RAILTOP_TEST_WRONG"));
	assert_null(strstr(f->last.text, "wrong"));
	/* Its log is written after the answer. */
	AWAIT(f, nginx_requests(&f->nginx, " 401") >= f->plan.devices.n);
	assert_int_equal(nginx_requests(&f->nginx, " 401"), f->plan.devices.n);
}

/*
 * Each of the three ways to send a password: two logins, and a header. When the links are closed no
 * memory of the process has it, nor the header that is made of it. The server is another process.
 */
static void a_password_leaves_no_trace(void **state)
{
	/* base64 of "noc:planted-4711-password". */
	static const char *const headers[] = {"bm9jOnBsYW50ZWQt", "NDcxMS1w", "YXNzd29yZA"};
	struct fixture *f = *state;
	char reference[160], login[64];
	int fd = open(scratch_path(&f->scratch, "planted"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	(void)snprintf(login, sizeof(login), "noc:%s-%d-%s", "planted", 4711, "password");
	assert_int_equal(write(fd, login, strlen(login)), strlen(login));
	(void)close(fd);
	explicit_bzero(login, sizeof(login));
	(void)str_printf(
		reference, sizeof(reference), "file:%s", scratch_path(&f->scratch, "planted"));
	nginx_start(&f->nginx, &f->scratch, "good", "");
	for (size_t k = 0; k < KINDS; k++) {
		struct plan_device *d;

		if (!is_there(k))
			continue;
		d = add(f, k);
		free(d->credentials);
		d->credentials = mem_strdup(reference);
	}
	start(f);
	/* The search finds it while it is in use. */
	assert_true(memory_search("-4711-", "planted", "password") > 0);
	AWAIT(f, f->failed == f->plan.devices.n);
	assert_int_equal(f->last.code, ERR_UNAUTHORISED);
	assert_true(collector_stop(f->collector));
	f->collector = NULL;
	print_message("# figure copies of a password after its links: %u, of its header: %u\n",
		memory_search("-4711-", "planted", "password"),
		memory_search(headers[1], headers[0], headers[2]));
	assert_int_equal(memory_search("-4711-", "planted", "password"), 0);
	assert_int_equal(memory_search(headers[1], headers[0], headers[2]), 0);
	assert_int_equal(secret_held(), 0);
}

/* "hash" of the slow tier and "phy" of the medium one come at a byte a second. */
static void a_path_that_hangs_delays_no_faster_tier(void **state)
{
	static const char *const hang[] = {"hash", "phy"};
	struct fixture *f = *state;

	for (size_t i = 0; i < 2; i++) {
		unsigned then;

		scratch_write(&f->scratch, "bodies/eos/hash.json", RPC("{}"));
		nginx_start(&f->nginx, &f->scratch, "good", hang[i]);
		add(f, 0)->medium_us = CLOCK_SEC / 2;
		start(f);
		AWAIT(f, has_value(f, 0, CTR_RX_BYTES, 1234567));
		then = nginx_requests(&f->nginx, "fast 200");
		AWAIT(f, nginx_requests(&f->nginx, "fast 200") >= then + 10);
		/* The medium tier does not wait for the slow one either. */
		if (i == 0)
			AWAIT(f, nginx_requests(&f->nginx, "errdisabled 200") >= 3);
		assert_int_equal(nginx_requests(&f->nginx, hang[i]), 0);
		assert_true(model_device(f->model, "eos-0")->connected);
		collector_stop(f->collector);
		f->collector = NULL;
		model_free(f->model);
		f->model = NULL;
		plan_free(&f->plan);
		plan_init(&f->plan);
		nginx_stop(&f->nginx);
	}
}

static void a_certificate_of_somebody_else_is_refused(void **state)
{
	struct fixture *f = *state;

	nginx_start(&f->nginx, &f->scratch, "foreign", "");
	for (size_t k = 0; k < KINDS; k++)
		if (is_there(k))
			add(f, k);
	start(f);
	AWAIT(f, f->failed == f->plan.devices.n);
	assert_int_equal(f->last.code, ERR_UNAUTHORISED);
	assert_non_null(strstr(f->last.cure, "certificate must contain"));
	assert_int_equal(nginx_requests(&f->nginx, ""), 0);
}

static void not_installed(void **state)
{
	(void)state;
	print_message("# nginx is not installed\n");
	skip();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(values_end_up_in_the_model),
		TEST(all_dialects_go_through_a_bastion),
		TEST(a_capture_ends_up_in_the_model),
		TEST(a_forgotten_session_costs_no_poll),
		TEST(a_wrong_password_is_told_once),
		TEST(a_password_leaves_no_trace),
		TEST(a_path_that_hangs_delays_no_faster_tier),
		TEST(a_certificate_of_somebody_else_is_refused),
	};
	const struct CMUnitTest none[] = {cmocka_unit_test(not_installed)};

	if (!nginx_installed())
		return cmocka_run_group_tests(none, NULL, NULL);
	return cmocka_run_group_tests(tests, setup_group, teardown_group);
}
