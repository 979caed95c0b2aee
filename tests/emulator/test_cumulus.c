/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "tests/emulator/rig.h"

#define SPINE "spine-000"
#define API   "/nvue_v1"

/* The preset's spines speak EOS; this one is given another system. */
static int setup(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct sim_device *d;
	unsigned i;

	assert_non_null(r);
	rig_open(r, NULL);
	d = rig_device(r, SPINE);
	d->platform = sim_platform("cumulus");
	d->dialect = d->platform->dialect;
	(void)str_copy(d->model, sizeof(d->model), d->platform->model);
	(void)str_copy(d->os_version, sizeof(d->os_version), d->platform->os);
	for (i = 0; i < d->nports; i++)
		(void)str_printf(d->ports[i].name, sizeof(d->ports[i].name), "swp%u", i + 1);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	rig_close(*state);
	free(*state);
	return 0;
}

static struct sim_device *box(struct rig *r)
{
	return rig_device(r, SPINE);
}

static unsigned ask(
	struct rig *r, const char *method, const char *path, const char *query, const char *body)
{
	struct http_request q = {.method = method,
		.path = path,
		.query = query,
		.body = body,
		.len = strlen(body),
		.cookie = "",
		.basic_given = true,
		.basic_ok = true};

	return rig_http_as(r, SPINE, &q);
}

static json_t *body_of(struct rig *r)
{
	json_t *o = json_loadb(r->out.data, r->out.len, JSON_DECODE_ANY, NULL);

	assert_non_null(o);
	return o;
}

static json_t *get(struct rig *r, const char *path)
{
	char full[256];

	(void)snprintf(full, sizeof(full), API "/%s", path);
	assert_int_equal(ask(r, "GET", full, "rev=operational", ""), 200);
	assert_string_equal(r->reply.type, "application/json");
	return body_of(r);
}

/* "link>stats>in-bytes" */
static json_t *at(json_t *o, const char *path)
{
	char part[64];

	while (*path && o) {
		size_t n = strcspn(path, ">");

		assert_true(n < sizeof(part));
		memcpy(part, path, n);
		part[n] = '\0';
		o = json_object_get(o, part);
		path += n + (path[n] == '>');
	}
	if (!o)
		fail_msg("nothing at %s", path);
	return o;
}

static void expect_text(json_t *o, const char *path, const char *want)
{
	assert_string_equal(json_string_value(at(o, path)), want);
}

static void expect_number(json_t *o, const char *path, uint64_t want)
{
	assert_true(json_is_integer(at(o, path)));
	assert_int_equal(json_integer_value(at(o, path)), want);
}

/* ---- reading ---- */

static const struct {
	const char *path, *file;
} shapes[] = {
	{"interface", "nvue_GET_interface.json"},
	{"system", "nvue_GET_system.json"},
	{"interface/swp1/counters/qos", "nvue_counters_qos.json"},
	{"interface/swp1/link/phy-detail", "nvue_link_phy_detail.json"},
	{"interface/swp1/qos/roce/counters", "nvue_qos_roce_counters.json"},
	{"platform/transceiver/detail", "nvue_platform_transceiver_detail.json"},
};

static void shapes_are_those_of_the_references(void **state)
{
	char file[128];
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		json_t *want, *have;

		(void)snprintf(file, sizeof(file), "switches/cumulus/derived/%s", shapes[i].file);
		want = rig_capture_json(file);
		if (!want)
			skip();
		have = get(*state, shapes[i].path);
		/* Another management address. */
		assert_int_equal(rig_missing_keys(want, have, shapes[i].path), i ? 0 : 1);
		json_decref(have);
		json_decref(want);
	}
}

static void identity_is_the_devices(void **state)
{
	struct rig *r = *state;
	json_t *o = get(r, "system");

	expect_text(o, "hostname", SPINE);
	expect_text(o, "build", "Cumulus Linux 5.11.1");
	expect_text(o, "timezone", "Etc/UTC");
	expect_number(o, "uptime", (uint64_t)(sim_now(r->sim) - box(r)->boot_us) / 1000000);
	json_decref(o);
	o = get(r, "platform");
	expect_text(o, "serial-number", box(r)->serial);
	expect_text(o, "product-name", "SN5400");
	json_decref(o);
	o = get(r, "system/forwarding/ecmp-hash/source-port");
	assert_string_equal(json_string_value(o), "on");
	json_decref(o);
}

static void interfaces_count_what_the_fabric_counts(void **state)
{
	struct rig *r = *state;
	const struct sim_port *p = &box(r)->ports[4];
	json_t *o = get(r, "interface");

	assert_int_equal(json_object_size(o), box(r)->nports + 1);
	expect_text(o, "swp5>link>oper-status", "up");
	expect_text(o, "swp5>link>speed", "400G");
	expect_number(o, "swp5>link>mtu", p->config.mtu);
	expect_number(o, "swp5>link>stats>in-bytes", p->rx_bytes);
	expect_number(o, "swp5>link>stats>out-pkts", p->tx_packets);
	assert_int_equal(json_object_size(at(o, "swp5>lldp>neighbor")), 1);
	expect_text(o, "eth0>type", "eth");
	json_decref(o);
	o = get(r, "interface/swp5/link/stats/in-bytes");
	assert_int_equal(json_integer_value(o), p->rx_bytes);
	json_decref(o);
	assert_int_equal(ask(r, "GET", API "/interface", "filter=type=eth", ""), 200);
	o = body_of(r);
	assert_int_equal(json_object_size(o), 1);
	json_decref(o);
}

static void collections_are_cut_to_what_is_asked_for(void **state)
{
	struct rig *r = *state;
	json_t *o;

	assert_int_equal(ask(r, "GET", API "/interface",
				 "rev=operational&include=/*/link/stats/in-bytes,/*/counters/qos/"
				 "pfc-stats",
				 ""),
		200);
	o = body_of(r);
	expect_number(o, "swp2>link>stats>in-bytes", box(r)->ports[1].rx_bytes);
	expect_number(o, "swp2>counters>qos>pfc-stats>switch-priority>3>rx-pause-frames",
		box(r)->ports[1].q[3].pfc_rx_frames);
	assert_int_equal(json_object_size(at(o, "swp2>link")), 1);
	json_decref(o);
	assert_int_equal(ask(r, "GET", API "/interface", "omit=/*/lldp,/swp1/link/stats", ""), 200);
	o = body_of(r);
	assert_null(json_object_get(at(o, "swp2"), "lldp"));
	assert_null(json_object_get(at(o, "swp1>link"), "stats"));
	assert_non_null(json_object_get(at(o, "swp2>link"), "stats"));
	json_decref(o);
	/* Nonsense selects nothing and breaks nothing. */
	assert_int_equal(ask(r, "GET", API "/interface", "include=/,,*/&omit=,/,x", ""), 200);
}

static void a_dark_port_says_so(void **state)
{
	struct rig *r = *state;
	struct sim_port *p = &box(r)->ports[6];
	json_t *o;

	p->up = false;
	p->lane[1].rx_dbm = -1.0 / 0.0;
	p->lane[2].rx_dbm = -1.82;
	o = get(r, "interface/swp7");
	expect_text(o, "link>oper-status", "down");
	expect_text(o, "link>admin-status", "up");
	assert_null(json_object_get(at(o, "link"), "speed"));
	assert_int_equal(json_object_size(at(o, "lldp>neighbor")), 0);
	json_decref(o);
	o = get(r, "platform/transceiver/swp7");
	expect_text(o, "channel>channel-2>rx-power>power", "0.0000 mW / -inf dBm");
	expect_text(o, "channel>channel-3>rx-power>power", "0.6577 mW / -1.82 dBm");
	json_decref(o);
	p->up = true;
}

static void units_are_inside_the_strings(void **state)
{
	struct rig *r = *state;
	struct sim_queue *q = &box(r)->ports[0].q[3], old = *q;
	json_t *o;

	q->tx_bytes = UINT64_C(99669421138575); /* 92824.38 GB of 1024^3 */
	q->tx_packets = 91000;
	q->drops = 144;
	q->pg_drops = 1229;
	q->pfc_rx_frames = 184;
	q->pfc_rx_us = 3728;
	o = get(r, "interface/swp1/counters/qos");
	expect_text(o, "egress-queue-stats>traffic-class>3>tx-bytes", "92824.38 GB");
	expect_number(o, "egress-queue-stats>traffic-class>3>tx-frames", 91000);
	expect_text(o, "egress-queue-stats>traffic-class>3>tx-uc-buffer-discards", "144 Bytes");
	expect_text(o, "ingress-buffer-stats>priority-group>3>rx-buffer-discards", "1.20 KB");
	expect_number(o, "pfc-stats>switch-priority>3>rx-pause-frames", 184);
	expect_number(o, "pfc-stats>switch-priority>3>rx-pause-duration", 3728);
	json_decref(o);
	o = get(r, "interface/swp1/qos/roce/status");
	expect_text(o, "pool-map>3>size", "inf");
	/* 500000 and 1500000 bytes in cells of 12 KB. */
	expect_text(o, "congestion-control>min-threshold", "492.00 KB");
	expect_text(o, "congestion-control>max-threshold", "1.44 MB");
	expect_text(o, "pfc>pfc-priority", "3");
	json_decref(o);
	*q = old;
}

static void newer_releases_give_numbers(void **state)
{
	struct rig *r = *state;
	const struct sim_queue *q = &box(r)->ports[0].q[3];
	json_t *o;

	assert_int_equal(ask(r, "GET", API "/interface/qos-roce-counters", "", ""), 404);
	(void)str_copy(box(r)->os_version, sizeof(box(r)->os_version), "5.13.0");
	o = get(r, "interface/swp1/counters/qos");
	expect_number(o, "egress-queue-stats>3>tx-bytes", q->tx_bytes);
	expect_number(o, "egress-queue-stats>3>ecn-marked-frames", q->ecn_marked);
	expect_number(o, "pfc-stats>3>tx-pause-frames", q->pfc_tx_frames);
	json_decref(o);
	o = get(r, "interface/qos-roce-counters");
	assert_int_equal(json_object_size(o), box(r)->nports);
	expect_number(o, "swp1>rx-stats>rx-pfc-stats>pause-packets", q->pfc_rx_frames);
	json_decref(o);
	(void)str_copy(box(r)->os_version, sizeof(box(r)->os_version), "5.11.1");
}

static void ber_is_a_digit_and_a_magnitude(void **state)
{
	struct rig *r = *state;
	struct sim_port *p = &box(r)->ports[0], old = *p;
	json_t *o;

	p->pre_fec_ber = 2.04e-10;
	p->fec_uncorrectable = 0;
	p->fec_bin[1] = 512;
	o = get(r, "interface/swp1/link/phy-detail");
	expect_text(o, "raw-ber", "2E-10");
	expect_text(o, "effective-ber", "15E-255");
	expect_number(o, "rs-num-corr-err-bin1", 512);
	assert_true(json_is_string(at(o, "phy-received-bits")));
	json_decref(o);
	*p = old;
}

static void the_watchdog_tells_ok_from_deadlock(void **state)
{
	struct rig *r = *state;
	struct sim_queue *q = &box(r)->ports[0].q[3];
	json_t *o;

	q->wd_stormed = true;
	q->wd_detected = 2;
	o = get(r, "interface/swp1/qos/pfc-watchdog");
	expect_text(o, "state", "enable");
	expect_text(o, "status>3>status", "DEADLOCK");
	expect_number(o, "status>3>deadlock-count", 2);
	json_decref(o);
	q->wd_stormed = false;
	o = get(r, "interface/swp1/qos/pfc-watchdog");
	expect_text(o, "status>3>status", "OK");
	json_decref(o);
	assert_int_equal(ask(r, "POST", API "/interface/swp1/qos/pfc-watchdog/deadlock-count", "",
				 "{\"@clear\":{\"state\":\"start\",\"parameters\":{}}}"),
		200);
	o = get(r, "interface/swp1/qos/pfc-watchdog/status/3/deadlock-count");
	assert_int_equal(json_integer_value(o), 0);
	json_decref(o);
	q->wd_detected = 0;
	o = get(r, "qos/pfc-watchdog");
	expect_text(o, "polling-interval", "0:00:00.200000");
	json_decref(o);
}

/* ---- refusing ---- */

static void errors_are_problems_in_json(void **state)
{
	struct rig *r = *state;
	static const char *const nowhere[] = {API "/nothing", API "/interface/swp999",
		API "/interface/swp1/link/nothing", API "/platform/transceiver/swp0", "/elsewhere",
		API "x", API "/action/77", API "/revision/77", API "/interface/swp1/qos/pfc/x/y"};
	struct http_request stranger = {
		.method = "GET", .path = API "/system", .query = "", .body = "", .cookie = ""};
	json_t *o;
	size_t i;

	for (i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		assert_int_equal(ask(r, "GET", nowhere[i], "", ""), 404);
		o = body_of(r);
		expect_text(o, "title", "Not Found");
		expect_number(o, "status", 404);
		json_decref(o);
	}
	assert_int_equal(ask(r, "GET", API "/interface", "rev=99", ""), 404);
	assert_non_null(strstr(r->out.data, "Revision '99'"));
	assert_int_equal(ask(r, "PUT", API "/interface", "", "{}"), 405);
	assert_int_equal(ask(r, "POST", API "/interface/swp1/counters", "", "{\"@clear\":1}"), 400);
	assert_int_equal(rig_http_as(r, SPINE, &stranger), 401);
	assert_non_null(r->reply.realm);
	box(r)->commands_fail = true;
	assert_int_equal(ask(r, "GET", API "/system", "", ""), 500);
	assert_int_equal(rig_exec(r, SPINE, "nv show system -o json", NULL), 1);
	assert_string_equal(r->err.data, "Error: Internal Server Error\n");
	assert_int_equal(r->out.len, 0);
	box(r)->commands_fail = false;
}

static void the_factory_password_opens_nothing(void **state)
{
	struct rig *r = *state;

	box(r)->must_change_password = true;
	assert_int_equal(ask(r, "GET", API "/system", "", ""), 403);
	assert_int_equal(rig_exec(r, SPINE,
				 "nv set system aaa user cumulus password Range-0815 && "
				 "nv config apply -y",
				 NULL),
		0);
	assert_int_equal(ask(r, "GET", API "/system", "", ""), 200);
	box(r)->must_change_password = false;
}

/* ---- writing ---- */

/* Opens a revision; its id is the only key of the answer. */
static void open_revision(struct rig *r, char id[16])
{
	json_t *o;

	assert_int_equal(ask(r, "POST", API "/revision", "", "{}"), 200);
	o = body_of(r);
	assert_int_equal(json_object_size(o), 1);
	(void)str_copy(id, 16, json_object_iter_key(json_object_iter(o)));
	expect_text(json_object_get(o, id), "state", "pending");
	json_decref(o);
}

static void write_to(
	struct rig *r, const char *id, const char *path, const char *body, unsigned want)
{
	char full[256], query[32];

	(void)snprintf(full, sizeof(full), API "/%s", path);
	(void)snprintf(query, sizeof(query), "rev=%s", id);
	assert_int_equal(ask(r, "PATCH", full, query, body), want);
}

static void apply(struct rig *r, const char *id, bool yes)
{
	char full[64];

	(void)snprintf(full, sizeof(full), API "/revision/%s", id);
	assert_int_equal(ask(r, "PATCH", full, "",
				 yes ? "{\"state\":\"apply\",\"auto-prompt\":{\"ays\":\"ays_yes\"}}"
				     : "{\"state\":\"apply\"}"),
		200);
}

static void expect_state(struct rig *r, const char *id, const char *want)
{
	char path[64];
	json_t *o;

	(void)snprintf(path, sizeof(path), "revision/%s", id);
	o = get(r, path);
	expect_text(o, "state", want);
	json_decref(o);
}

static void nothing_happens_before_apply(void **state)
{
	struct rig *r = *state;
	struct sim_port *p = &box(r)->ports[2];
	char id[16], query[32];
	json_t *o;

	open_revision(r, id);
	write_to(r, id, "interface/swp3/link/state", "{\"down\":{}}", 200);
	assert_true(p->config.admin_up);
	(void)snprintf(query, sizeof(query), "rev=%s", id);
	assert_int_equal(ask(r, "GET", API "/interface/swp3/link/state", query, ""), 200);
	o = body_of(r);
	assert_int_equal(json_object_size(o), 1);
	assert_non_null(json_object_get(o, "down"));
	json_decref(o);
	apply(r, id, false);
	assert_false(p->config.admin_up);
	expect_state(r, id, "ready");
	sim_advance(r->sim, sim_now(r->sim) + 2000000);
	expect_state(r, id, "applied");
	o = get(r, "interface/swp3/link");
	expect_text(o, "admin-status", "down");
	json_decref(o);
	/* An applied revision is history. */
	write_to(r, id, "interface/swp3/link/state", "{\"up\":{}}", 400);
	open_revision(r, id);
	write_to(r, id, "", "{\"interface\":{\"swp3\":{\"link\":{\"state\":{\"up\":{}}}}}}", 200);
	apply(r, id, true);
	assert_true(p->config.admin_up);
}

static void buffers_are_rebuilt_only_when_somebody_is_sure(void **state)
{
	struct rig *r = *state;
	struct sim_port *p = &box(r)->ports[0];
	char id[16];
	json_t *o;

	open_revision(r, id);
	write_to(r, id, "qos/pfc/narrow/switch-priority/5", "{}", 200);
	write_to(r, id, "interface/swp1/qos/pfc", "{\"profile\":\"narrow\"}", 200);
	apply(r, id, false);
	expect_state(r, id, "ays");
	assert_int_equal(p->config.pfc_mask, 1u << 3);
	sim_advance(r->sim, sim_now(r->sim) + 61 * INT64_C(1000000));
	expect_state(r, id, "ays_fail");
	o = get(r, "revision");
	expect_text(at(o, id), "transition>issue>0>code", "client_timeout");
	json_decref(o);
}

static void a_profile_changes_the_ports_that_follow_it(void **state)
{
	struct rig *r = *state;
	struct sim_device *d = box(r);
	char id[16];
	json_t *o;

	open_revision(r, id);
	write_to(r, id, "qos/pfc/both/switch-priority", "{\"3\":{},\"4\":{}}", 200);
	write_to(r, id, "interface/swp1/qos/pfc", "{\"profile\":\"both\"}", 200);
	write_to(r, id, "qos/congestion-control/default-global/traffic-class/3",
		"{\"min-threshold\":156000,\"probability\":50}", 200);
	apply(r, id, true);
	assert_int_equal(d->ports[0].config.pfc_mask, 0x18);
	assert_int_equal(d->ports[1].config.pfc_mask, 0x08);
	assert_int_equal(d->ports[1].config.ecn_min_bytes, 156000);
	assert_int_equal(d->ports[1].config.ecn_max_percent, 50);
	o = get(r, "interface/swp1/qos/pfc");
	expect_text(o, "profile", "both");
	assert_int_equal(json_object_size(at(o, "switch-priority")), 2);
	json_decref(o);
	open_revision(r, id);
	write_to(r, id, "interface/swp1/qos/pfc", "{\"profile\":null}", 200);
	write_to(r, id, "qos/congestion-control/default-global/traffic-class/3",
		"{\"min-threshold\":null,\"probability\":20}", 200);
	apply(r, id, true);
	assert_int_equal(d->ports[0].config.pfc_mask, 0x08);
	assert_int_equal(d->ports[1].config.ecn_min_bytes, 500000);
}

static void what_the_schema_has_not_is_refused(void **state)
{
	struct rig *r = *state;
	char id[16];

	open_revision(r, id);
	write_to(r, "99", "interface/swp1/link", "{\"mtu\":9000}", 404);
	write_to(r, "", "interface/swp1/link", "{\"mtu\":9000}", 400);
	write_to(r, id, "interface/swp1/link", "{\"colour\":\"red\"}", 400);
	write_to(r, id, "interface/swp1/link", "{\"mtu\":\"wide\"}", 400);
	write_to(r, id, "interface/swp1/link", "{\"mtu\":[1]}", 400);
	write_to(r, id, "interface/swp999/link", "{\"mtu\":9000}", 400);
	write_to(r, id, "interface/swp1/qos/pfc", "{\"profile\":\"missing\"}", 400);
	write_to(r, id, "interface/swp1/link", "{", 400);
	write_to(r, id, "interface", "17", 400);
	/* None of it stuck. */
	apply(r, id, true);
	assert_int_equal(box(r)->ports[0].config.mtu, 9100);
}

/* Whatever is cut off or changed in a body, the answer is a problem and nothing is done. */
static void broken_bodies_change_nothing(void **state)
{
	static const char whole[] =
		"{\"interface\":{\"swp1\":{\"link\":{\"mtu\":1500,\"state\":{\"down\":{}}}}},"
		"\"qos\":{\"pfc\":{\"p\":{\"switch-priority\":{\"9\":{}}}}}}";
	static const char deep[] =
		"{\"interface\":{\"swp1\":{\"link\":{\"a\":{\"b\":{\"c\":{\"d\":{"
		"\"e\":{\"f\":{\"g\":{\"h\":{\"i\":{\"j\":{\"k\":1}}}}}}}}}}}}}}";
	struct rig *r = *state;
	char id[16], body[256], path[512] = API;
	size_t i;

	open_revision(r, id);
	for (i = 0; i < sizeof(whole); i++) {
		(void)str_copyn(body, sizeof(body), whole, i);
		write_to(r, id, "", body, 400);
	}
	write_to(r, id, "", deep, 400);
	for (i = strlen(API); i + 2 < sizeof(path) && i < 80; i += 2)
		memcpy(path + i, "/a", 3);
	assert_int_equal(ask(r, "GET", path, "", ""), 404);
	assert_int_equal(ask(r, "PATCH", path, "rev=1", "{}"), 400);
	assert_int_equal(ask(r, "PATCH", API "/revision/1", "", "{"), 400);
	assert_int_equal(ask(r, "POST", API "/revision/1", "", "[]"), 405);
	apply(r, id, true);
	assert_int_equal(box(r)->ports[0].config.mtu, 9100);
	assert_true(box(r)->ports[0].config.admin_up);
}

static void counters_are_cleared_by_actions(void **state)
{
	struct rig *r = *state;
	struct sim_port *p = &box(r)->ports[8];
	json_t *o;
	char path[32];
	uint64_t before = p->rx_bytes, other = box(r)->ports[9].rx_bytes;

	assert_true(p->rx_bytes > 0);
	/* A part: NVUE's view starts again, the kernel's counters stay. */
	assert_int_equal(ask(r, "POST", API "/interface/swp9/qos/counter", "",
				 "{\"@clear\":{\"state\":\"start\",\"parameters\":{}}}"),
		200);
	o = get(r, "interface/swp9");
	assert_true(json_integer_value(at(o, "link>stats>in-bytes")) > 0);
	json_decref(o);
	o = get(r, "interface/swp9/counters/qos");
	expect_number(o, "egress-queue-stats>traffic-class>3>tx-frames", 0);
	json_decref(o);
	assert_int_equal(ask(r, "POST", API "/interface/swp9/counters", "",
				 "{\"@clear\":{\"state\":\"start\",\"parameters\":{}}}"),
		200);
	o = body_of(r);
	assert_true(json_is_integer(o));
	(void)snprintf(path, sizeof(path), "action/%d", (int)json_integer_value(o));
	json_decref(o);
	o = get(r, path);
	expect_text(o, "state", "action_success");
	expect_number(o, "http_status", 200);
	json_decref(o);
	sim_advance(r->sim, sim_now(r->sim) + 2000000);
	o = get(r, "interface/swp9/link/stats");
	assert_true((uint64_t)json_integer_value(at(o, "in-bytes")) < before / 4);
	json_decref(o);
	assert_true(box(r)->ports[9].rx_bytes >= other);
	assert_int_equal(ask(r, "POST", API "/interface/swp9/nothing", "",
				 "{\"@clear\":{\"state\":\"start\"}}"),
		404);
}

/* ---- the shell ---- */

static void nv_shows_what_rest_shows(void **state)
{
	struct rig *r = *state;
	json_t *o, *rest = get(r, "interface/swp1/qos/roce/counters");

	assert_int_equal(
		rig_exec(r, SPINE, "nv show interface swp1 qos roce counters -o json", NULL), 0);
	o = body_of(r);
	assert_true(json_equal(o, rest));
	json_decref(o);
	json_decref(rest);
	assert_int_equal(rig_exec(r, SPINE, "nv show interface --view=lldp -o json", NULL), 0);
	o = body_of(r);
	assert_int_equal(json_object_size(json_object_get(o, "swp1")), 1);
	json_decref(o);
	assert_int_equal(rig_exec(r, SPINE, "nv show interface", NULL), 0);
	assert_non_null(strstr(r->out.data, "swp1       up"));
	assert_int_equal(rig_exec(r, SPINE, "nv show nonsense -o json", NULL), 1);
	assert_string_equal(r->err.data, "Error: The requested item does not exist.\n");
	assert_int_equal(rig_exec(r, SPINE, "nv list-commands", NULL), 0);
	assert_non_null(strstr(r->out.data, "nv show interface <interface-id> qos pfc-watchdog\n"));
	assert_null(strstr(r->out.data, "qos-roce-counters"));
}

static void nv_sets_and_applies(void **state)
{
	struct rig *r = *state;
	struct sim_device *d = box(r);
	unsigned i;

	assert_int_equal(
		rig_exec(r, SPINE, "nv set interface swp1-3,swp5 qos pfc-watchdog state disable",
			NULL),
		0);
	assert_non_null(strstr(r->err.data, "created [rev_id: "));
	assert_true(d->ports[0].config.wd_mask != 0);
	assert_int_equal(rig_exec(r, SPINE, "nv config apply", NULL), 0);
	assert_non_null(strstr(r->out.data, "applied [rev_id: "));
	for (i = 0; i < 6; i++)
		assert_int_equal(d->ports[i].config.wd_mask, i < 3 || i == 4 ? 0 : 8);
	assert_int_equal(rig_exec(r, SPINE,
				 "nv set interface swp1-3,5 qos pfc-watchdog state enable; "
				 "nv config apply -y",
				 NULL),
		0);
	assert_int_equal(d->ports[4].config.wd_mask, 8);
	assert_int_equal(rig_exec(r, SPINE, "nv set interface swp1 link colour red", NULL), 1);
	assert_int_equal(rig_exec(r, SPINE, "nv config apply", NULL), 1);
	assert_int_equal(rig_exec(r, SPINE, "nv action clear interface swp1 counters", NULL), 0);
	assert_non_null(strstr(r->out.data, "Action succeeded"));
}

/* The sessions of the first two ports, whatever the fabric has. */
static void give_sessions(struct sim_device *d)
{
	d->ports[0].bgp.configured = d->ports[1].bgp.configured = true;
	d->ports[0].bgp.established = true;
	d->ports[0].bgp.prefixes = 17;
	d->ports[0].bgp.resets = 2;
	d->ports[0].bgp.since_us = RIG_NOW - INT64_C(214000000);
	d->ports[1].bgp.established = false;
}

static void bgp_neighbours_are_ports(void **state)
{
	struct rig *r = *state;
	struct sim_device *d = box(r);
	json_t *o, *peers;
	int64_t now = sim_now(r->sim);

	give_sessions(d);
	assert_int_equal(rig_exec(r, SPINE, "sudo vtysh -c 'show bgp summary json'", NULL), 0);
	o = body_of(r);
	peers = at(o, "ipv4Unicast>peers");
	expect_text(peers, "swp1>idType", "interface");
	expect_text(peers, "swp1>state", "Established");
	expect_number(peers, "swp1>pfxRcd", 17);
	expect_number(peers, "swp1>connectionsDropped", 2);
	expect_number(
		peers, "swp1>peerUptimeMsec", (uint64_t)(now - d->ports[0].bgp.since_us) / 1000);
	expect_text(peers, "swp2>state", "Active");
	expect_number(o, "ipv4Unicast>as", d->asn);
	json_decref(o);
	assert_int_equal(
		rig_exec(r, SPINE, "sudo vtysh -c 'show bgp vrf all neighbors json'", NULL), 0);
	o = body_of(r);
	expect_text(o, "default>swp1>bgpState", "Established");
	json_decref(o);
	o = get(r, "vrf/default/router/bgp/neighbor");
	expect_text(o, "swp1>state", "established");
	expect_number(o, "swp1>address-family>ipv4-unicast>prefix-received", 17);
	json_decref(o);
}

static void bgp_is_shut_by_nvue_and_by_frr(void **state)
{
	struct rig *r = *state;
	struct sim_port *p = &box(r)->ports[0];
	char id[16];
	json_t *o;

	give_sessions(box(r));
	open_revision(r, id);
	write_to(r, id, "vrf/default/router/bgp/neighbor/swp1", "{\"shutdown\":\"on\"}", 200);
	apply(r, id, true);
	assert_true(p->bgp.shut);
	assert_int_equal(rig_exec(r, SPINE, "sudo vtysh -c 'show ip bgp summary json'", NULL), 0);
	o = body_of(r);
	expect_text(o, "ipv4Unicast>peers>swp1>state", "Idle (Admin)");
	json_decref(o);
	assert_int_equal(rig_exec(r, SPINE,
				 "sudo vtysh -c 'configure terminal' -c 'router bgp 65300' "
				 "-c 'no neighbor swp1 shutdown'",
				 NULL),
		0);
	assert_false(p->bgp.shut);
	assert_int_equal(rig_exec(r, SPINE, "sudo vtysh -c 'show nonsense'", NULL), 1);
}

static void lldp_is_collapsed_or_uniform(void **state)
{
	struct rig *r = *state;
	json_t *o, *first;

	assert_int_equal(rig_exec(r, SPINE, "lldpctl -f json swp1", NULL), 0);
	o = body_of(r);
	/* One neighbour is no array. */
	assert_true(json_is_object(at(o, "lldp>interface")));
	expect_text(o, "lldp>interface>swp1>via", "LLDP");
	json_decref(o);
	assert_int_equal(rig_exec(r, SPINE, "lldpctl -f json", NULL), 0);
	o = body_of(r);
	assert_int_equal(json_array_size(at(o, "lldp>interface")), box(r)->nports);
	json_decref(o);
	assert_int_equal(rig_exec(r, SPINE, "lldpcli show neighbors -f json0", NULL), 0);
	o = body_of(r);
	first = json_array_get(
		json_object_get(json_array_get(json_object_get(o, "lldp"), 0), "interface"), 0);
	expect_text(first, "name", "swp1");
	assert_true(json_is_array(json_object_get(first, "chassis")));
	json_decref(o);
}

static void linux_tools_tell_the_same(void **state)
{
	struct rig *r = *state;
	const struct sim_port *p = &box(r)->ports[4];
	char line[64];
	json_t *o, *one;

	assert_int_equal(rig_exec(r, SPINE, "ip -j -s link show dev swp5", NULL), 0);
	o = body_of(r);
	one = json_array_get(o, 0);
	assert_int_equal(json_array_size(o), 1);
	expect_number(one, "stats64>rx>bytes", p->rx_bytes);
	expect_text(one, "operstate", "UP");
	json_decref(o);
	assert_int_equal(rig_exec(r, SPINE, "ethtool -S swp5", NULL), 0);
	(void)snprintf(line, sizeof(line), "HwIfInOctets: %llu\n", (unsigned long long)p->rx_bytes);
	assert_non_null(strstr(r->out.data, line));
	assert_int_equal(rig_exec(r, SPINE, "ethtool -S eth99", NULL), 1);
	assert_int_equal(rig_exec(r, SPINE, "grep swp5: /proc/net/dev | wc -l", NULL), 0);
	assert_string_equal(r->out.data, "1\n");
	assert_int_equal(rig_exec(r, SPINE, "grep -c cumulus-linux /etc/os-release", NULL), 0);
	assert_string_equal(r->out.data, "1\n");
	assert_int_equal(rig_exec(r, SPINE, "ip link set swp5 down", NULL), 2);
	assert_true(p->config.admin_up);
	assert_int_equal(rig_exec(r, SPINE, "sudo ip link set swp5 down", NULL), 0);
	assert_false(p->config.admin_up);
	assert_int_equal(rig_exec(r, SPINE, "sudo ip link set swp5 up", NULL), 0);
	assert_int_equal(rig_exec(r, SPINE, "no-such-tool", NULL), 127);
}

static void the_log_has_the_devices_own_time(void **state)
{
	struct rig *r = *state;
	struct sim_device *d = box(r);

	d->logged = 1;
	d->log[0] = (struct sim_log){.t_us = RIG_NOW, .kind = SIM_LOG_BGP_DOWN, .port = 1};
	(void)str_copy(d->log[0].text, sizeof(d->log[0].text), "Interface down");
	d->clock_skew_us = INT64_C(3600000000);
	assert_int_equal(rig_exec(r, SPINE, "tail -n 1 /var/log/syslog", NULL), 0);
	/* RIG_NOW is 11:54:20 UTC. */
	assert_non_null(strstr(r->out.data, "2025-11-21T12:54:20.000000+00:00 spine-000 bgpd"));
	assert_non_null(strstr(r->out.data, "%ADJCHANGE: neighbor swp2("));
	assert_int_equal(rig_exec(r, SPINE, "sudo journalctl -u frr -n 1 --no-pager", NULL), 0);
	assert_non_null(strstr(r->out.data, "Nov 21 12:54:20 spine-000 bgpd[2108]: "));
	d->clock_skew_us = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_are_those_of_the_references),
		cmocka_unit_test(identity_is_the_devices),
		cmocka_unit_test(interfaces_count_what_the_fabric_counts),
		cmocka_unit_test(collections_are_cut_to_what_is_asked_for),
		cmocka_unit_test(a_dark_port_says_so),
		cmocka_unit_test(units_are_inside_the_strings),
		cmocka_unit_test(newer_releases_give_numbers),
		cmocka_unit_test(ber_is_a_digit_and_a_magnitude),
		cmocka_unit_test(the_watchdog_tells_ok_from_deadlock),
		cmocka_unit_test(errors_are_problems_in_json),
		cmocka_unit_test(the_factory_password_opens_nothing),
		cmocka_unit_test(nothing_happens_before_apply),
		cmocka_unit_test(buffers_are_rebuilt_only_when_somebody_is_sure),
		cmocka_unit_test(a_profile_changes_the_ports_that_follow_it),
		cmocka_unit_test(what_the_schema_has_not_is_refused),
		cmocka_unit_test(broken_bodies_change_nothing),
		cmocka_unit_test(counters_are_cleared_by_actions),
		cmocka_unit_test(nv_shows_what_rest_shows),
		cmocka_unit_test(nv_sets_and_applies),
		cmocka_unit_test(bgp_neighbours_are_ports),
		cmocka_unit_test(bgp_is_shut_by_nvue_and_by_frr),
		cmocka_unit_test(lldp_is_collapsed_or_uniform),
		cmocka_unit_test(linux_tools_tell_the_same),
		cmocka_unit_test(the_log_has_the_devices_own_time),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
