/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/parse/frr.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/switch_lab.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"
#include "tests/support/obs_same.h"
#include "tests/support/run_command.h"

/*
 * The output of a lab of real FRR 8.4.4, lldpd 1.0.16 and iproute2 6.1, healthy and broken, through
 * the decoders of a Linux switch. `show bgp neighbors json` is another view of the same sessions by
 * the same daemon. The sessions decoded from the summary are compared with it.
 */

static struct covered table[] = {{"BGP sessions", NOTHING}};
#define ROWS (sizeof(table) / sizeof(table[0]))

static const struct obs_bgp *session_of(const struct obs *o, const char *peer)
{
	for (size_t i = 0; i < o->bgp.n; i++)
		if (str_eq(obs_text(o, o->bgp.at[i].peer), peer))
			return &o->bgp.at[i];
	fail_msg("no session with %s", peer);
	return NULL;
}

static json_int_t integer_at(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

/* The file beside it that the same node printed a moment later. */
static void beside(const char *file, const char *ending, const char *other, char dst[600])
{
	str_printf(dst, 600, "%.*s%s", (int)(strlen(file) - strlen(ending)), file, other);
}

static void same_as_neighbors(const struct obs *o, const char *name, const json_t *n)
{
	const struct obs_bgp *b = session_of(o, name);
	const json_t *family =
		json_object_get(json_object_get(n, "addressFamilyInfo"), "ipv4Unicast");
	const char *host = json_string_value(json_object_get(n, "hostname"));

	assert_int_equal(
		b->state, bgp_state_by_name(json_string_value(json_object_get(n, "bgpState"))));
	assert_int_equal(b->remote_as, integer_at(n, "remoteAs"));
	assert_int_equal(b->drops, integer_at(n, "connectionsDropped"));
	assert_int_equal(b->afi, BGP_IPV4);
	if (host)
		assert_string_equal(obs_text(o, b->host), host);
	if (b->state == BGP_ESTABLISHED) {
		/* Printed within a second of each other; routes may come in between. */
		if (b->prefixes)
			assert_int_equal(b->prefixes, integer_at(family, "acceptedPrefixCounter"));
		assert_true(fabs(b->since_s - (double)integer_at(n, "bgpTimerUpMsec") / 1000) <= 2);
	}
}

static void check_summary(const char *file)
{
	struct obs *o = switch_decode_one("sw-bgp", "bgp", file);
	char other[600];
	json_t *neighbors, *n;
	const char *name;

	if (strstr(file, "fault-bgpd-dead/leaf2")) {
		obs_free(o);
		return;
	}
	assert_int_equal(o->err.code, ERR_NONE);
	assert_true(o->bgp_whole);
	beside(file, "bgp-summary.json", "bgp-neighbors.json", other);
	neighbors = switch_json(other);
	assert_int_equal(o->bgp.n, json_object_size(neighbors));
	assert_true(o->bgp.n == 2 || o->bgp.n == 4);
	json_object_foreach(neighbors, name, n) same_as_neighbors(o, name, n);
	json_decref(neighbors);
	obs_free(o);
}

CASE(sessions_are_as_the_daemon_lists_them)
{
	/* 6 healthy nodes and 1 or 2 of each fault. */
	assert_int_equal(switch_each(".bgp-summary.json", check_summary), 24);
	covered(table, ROWS, "BGP sessions", REAL);
}

struct session_want {
	const char *file, *peer, *host;
	enum bgp_state state;
	double since_s;
	unsigned prefixes, drops, as;
};

static const struct session_want wanted[] = {
	{"healthy/leaf1", "swp49", "spine1", BGP_ESTABLISHED, 20, 16, 0, 65100},
	{"healthy/leaf1", "10.254.1.0", "spine2", BGP_ESTABLISHED, 18, 16, 1, 65100},
	{"healthy/spine2", "10.254.4.1", "leaf4", BGP_ESTABLISHED, 14, 5, 2, 65004},
	{"fault-link-down-t0/leaf1", "swp49", "spine1", BGP_IDLE, 0, 0, 1, 65100},
	{"fault-link-down-t10/leaf1", "swp49", "spine1", BGP_IDLE, 16, 0, 1, 65100},
	{"fault-link-down-t10/spine1", "swp1", "leaf1", BGP_IDLE, 19, 0, 1, 65001},
	{"fault-link-restored/leaf1", "swp49", "spine1", BGP_ESTABLISHED, 7, 16, 1, 65100},
	{"fault-flap-just-after/leaf3", "10.254.3.0", "spine2", BGP_ESTABLISHED, 0, 0, 6, 65100},
	{"fault-flap-6s/spine2", "10.254.3.1", "leaf3", BGP_ESTABLISHED, 15, 5, 6, 65003},
	{"fault-bgpd-dead/spine1", "swp2", "leaf2", BGP_ACTIVE, 5, 0, 1, 65002},
	{"fault-bgpd-restarted/leaf2", "swp49", "spine1", BGP_ESTABLISHED, 1, 0, 2, 65100},
	{"fault-oneway/leaf2", "swp49", "spine1", BGP_CONNECT, 8, 0, 3, 65100},
	{"fault-oneway/spine1", "swp2", "leaf2", BGP_CONNECT, 10, 0, 4, 65002},
	{"fault-oneway-restored/leaf2", "swp49", "spine1", BGP_ESTABLISHED, 6, 16, 3, 65100},
	{"fault-lldpd-dead/leaf4", "swp49", "spine1", BGP_ESTABLISHED, 166, 16, 0, 65100},
};

CASE(sessions_of_each_fault)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct session_want *w = &wanted[i];
		const struct obs_bgp *b;
		char file[600];
		struct obs *o;

		str_printf(file, sizeof(file), LAB "%s.bgp-summary.json", w->file);
		o = switch_decode_one("sw-bgp", "bgp", file);
		b = session_of(o, w->peer);
		assert_string_equal(obs_text(o, b->host), w->host);
		assert_int_equal(b->state, w->state);
		assert_true(b->since_s == w->since_s);
		assert_int_equal(b->prefixes, w->prefixes);
		assert_int_equal(b->drops, w->drops);
		assert_int_equal(b->remote_as, w->as);
		assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_OK);
		obs_free(o);
	}
}

CASE(a_dead_bgpd_says_how_to_start_it)
{
	/* Standard error follows standard output in the script. */
	struct obs *o = switch_decode_one(
		"sw-bgp", "bgp", LAB "fault-bgpd-dead/leaf2.bgp-summary.json.err");
	const char *cure = "";

	assert_int_equal(o->bgp.n, 0);
	assert_false(o->bgp_whole);
	assert_int_equal(o->err.code, ERR_NONE);
	assert_int_equal(capability_of(o, "BGP sessions", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "restart frr"));
	obs_free(o);
	o = switch_decode_one("sw-bgp", "bgp", LAB "vtysh/show-bgp-summary-failed-json.json");
	assert_int_equal(o->bgp.n, 0);
	assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_OK);
	obs_free(o);
}

CASE(other_forms_of_the_summary)
{
	static const char *const files[] = {
		LAB "vtysh/show-ip-bgp-summary-json.json", LAB "unprivileged/leaf1.vtysh.txt"};

	for (size_t i = 0; i < 2; i++) {
		struct obs *o = switch_decode_one("sw-bgp", "bgp", files[i]);

		assert_int_equal(o->bgp.n, 2);
		assert_int_equal(session_of(o, "swp49")->state, BGP_ESTABLISHED);
		assert_int_equal(session_of(o, "swp49")->prefixes, 16);
		assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 65001);
		assert_string_equal(attr_word(at_port(o, NULL), ATTR_ROUTER_ID, 0), "10.255.0.21");
		obs_free(o);
	}
	/* Families that are not configured: an empty object. */
	for (size_t i = 0; i < 2; i++) {
		struct obs *o = switch_decode_one("sw-bgp", "bgp",
			i ? LAB "vtysh/show-bgp-ipv6-unicast-summary-json.json"
			  : LAB "vtysh/show-bgp-l2vpn-evpn-summary-json.json");

		assert_int_equal(o->bgp.n, 0);
		assert_int_equal(o->err.code, ERR_NONE);
		obs_free(o);
	}
}

/* An unprivileged user's two streams, joined: the complaint's line has no end. */
CASE(a_complaint_before_the_summary)
{
	size_t len;
	char *complaint = capture_read(LAB "unprivileged/leaf1.vtysh.txt.err", &len);
	char *text = capture_read(LAB "unprivileged/leaf1.vtysh.txt", &len);
	struct obs *o = obs_new("leaf1", "sw-bgp");
	struct buf b;

	buf_init(&b, 1 << 16);
	assert_true(buf_adds(&b, complaint) && buf_adds(&b, text));
	assert_true(frr_read_bgp(b.data, b.len, o));
	assert_int_equal(o->bgp.n, 2);
	assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_OK);
	buf_free(&b);
	obs_free(o);
	free(text);
	free(complaint);
}

/* The table that people read, of the same moment, cross-checks the JSON's sessions. */
CASE(the_table_says_the_same)
{
	size_t len;
	char *text = capture_read(LAB "vtysh/show-bgp-summary.txt", &len);
	struct obs *o =
		switch_decode_one("sw-bgp", "bgp", LAB "vtysh/show-ip-bgp-summary-json.json");

	for (size_t i = 0; i < o->bgp.n; i++) {
		const struct obs_bgp *b = &o->bgp.at[i];
		unsigned as, received, sent, version, in, out, prefixes;
		char row[96], *at;

		str_printf(row, sizeof(row), "%s(%s)", obs_text(o, b->host), obs_text(o, b->peer));
		at = strstr(text, row);
		assert_non_null(at);
		assert_int_equal(sscanf(at + strlen(row), " 4 %u %u %u %u %u %u %*s %u", &as,
					 &received, &sent, &version, &in, &out, &prefixes),
			7);
		assert_int_equal(b->remote_as, as);
		assert_int_equal(b->prefixes, prefixes);
	}
	obs_free(o);
	free(text);
}

/* ---- a production switch's FRR ---- */

static void check_sonic(const char *file, size_t peers, const char *up, unsigned up_prefixes)
{
	size_t len;
	char *text = capture_read(file, &len);
	struct obs *o = obs_new("sonic", "bgp");
	json_t *doc = json_loads(text, 0, NULL), *v4, *list, *p;
	const char *name;

	assert_true(frr_read_bgp(text, len, o));
	assert_int_equal(o->bgp.n, peers);
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 65100);
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_ROUTER_ID, 0), "10.1.0.32");
	v4 = json_object_iter_value(json_object_iter(doc));
	list = json_object_get(v4, "peers");
	json_object_foreach(list, name, p)
	{
		const struct obs_bgp *b = session_of(o, name);
		bool never = integer_at(p, "peerUptimeMsec") == 0;

		assert_int_equal(b->remote_as, integer_at(p, "remoteAs"));
		assert_int_equal(b->drops, integer_at(p, "connectionsDropped"));
		assert_int_equal(b->prefixes, integer_at(p, "pfxRcd"));
		assert_true(never ? isnan(b->since_s)
				  : b->since_s == (double)integer_at(p, "peerUptimeMsec") / 1000);
	}
	assert_int_equal(session_of(o, up)->state, BGP_ESTABLISHED);
	assert_int_equal(session_of(o, up)->prefixes, up_prefixes);
	json_decref(doc);
	free(text);
	obs_free(o);
}

CASE(a_production_switchs_sessions)
{
	check_sonic("switches/frr-lldp/frr/bgp_summary_ipv4.json", 24, "10.0.0.1", 6402);
	check_sonic("switches/frr-lldp/frr/bgp_summary_ipv6.json", 24, "fc00::2", 6402);
	check_sonic("switches/frr-lldp/frr/bgp_summary_dynamic.json", 25, "10.0.0.29", 6402);
}

/* ---- the fields that the switch's filter drops ---- */

static char *filtered(const char *text, size_t *len)
{
	const char *const argv[] = {"sh", "-c", FRR_BGP_FILTER, NULL};

	return run_command(argv, NULL, text, len, NULL);
}

static size_t shorter; /* of the captures that check_filtered() saw */

/* Without it, all that is read is still there. */
static void check_filtered(const char *file)
{
	struct obs *all = obs_new("leaf", "bgp"), *left = obs_new("leaf", "bgp");
	size_t len, n;
	char *text = capture_read(file, &len), *less = filtered(text, &n);

	assert_int_equal(frr_read_bgp(text, len, all), frr_read_bgp(less, n, left));
	obs_same(all, left);
	shorter += n * 3 < len * 2;
	free(text);
	free(less);
	obs_free(all);
	obs_free(left);
}

CASE(what_is_left_out_is_not_read)
{
	static const char *const refusals[] = {"% BGP instance not found\n",
		"sudo: a password is required\n",
		"Error response from daemon: No such container: bgp\n", "{}\n"};
	unsigned n = switch_each(".bgp-summary.json", check_filtered);

	check_filtered("switches/frr-lldp/frr/bgp_summary_ipv4.json");
	check_filtered("switches/frr-lldp/frr/bgp_summary_ipv6.json");
	check_filtered("switches/frr-lldp/frr/bgp_summary_dynamic.json");
	/* Captures that name sessions, but for one with a dead daemon. */
	assert_true(shorter >= n);
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		size_t len;
		char *text = filtered(refusals[i], &len);

		assert_string_equal(text, refusals[i]);
		free(text);
	}
}

CASE(what_this_rests_on)
{
	covered_print("frr", table, ROWS);
}

CASES_MAIN(NULL, NULL)
