/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/needs.h"
#include "backends/parse/frr.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

static struct obs *read_text(const char *text, bool *ok)
{
	struct obs *o = obs_new("leaf1", "bgp");

	*ok = frr_read_bgp(text, strlen(text), o);
	return o;
}

static struct obs *read_ok(const char *text)
{
	bool ok;
	struct obs *o = read_text(text, &ok);

	assert_true(ok);
	return o;
}

static const struct obs_bgp *peer_of(const struct obs *o, const char *vrf, const char *peer)
{
	for (size_t i = 0; i < o->bgp.n; i++)
		if (str_eq(obs_text(o, o->bgp.at[i].peer), peer) &&
			str_eq(obs_text(o, o->bgp.at[i].vrf), vrf))
			return &o->bgp.at[i];
	fail_msg("no session with %s in %s", peer, vrf);
	return NULL;
}

static const char two_families[] =
	"{\n\"ipv4Unicast\":{\"routerId\":\"10.9.0.1\",\"as\":64901,\"vrfName\":\"default\",\n"
	"\"peers\":{\"swp7\":{\"hostname\":\"spine-b\",\"remoteAs\":64950,\"peerUptime\":"
	"\"00:00:41\",\n\"peerUptimeMsec\":41500,\"pfxRcd\":12,\"pfxSnt\":9,\"state\":"
	"\"Established\",\n\"connectionsDropped\":3,\"idType\":\"interface\"},\n"
	"\"10.9.1.2\":{\"remoteAs\":4200000001,\"peerUptime\":\"never\",\"peerUptimeMsec\":0,"
	"\"pfxRcd\":0,\n\"state\":\"Idle (Admin)\",\"connectionsDropped\":0}}},\n"
	"\"l2VpnEvpn\":{\"routerId\":\"10.9.0.1\",\"as\":64901,\"peers\":{\"swp7\":{\"remoteAs\":"
	"64950,\n\"peerUptimeMsec\":40000,\"pfxRcd\":77,\"state\":\"Established\"}}}\n}\n";

CASE(each_family_is_a_session_of_its_own)
{
	struct obs *o = read_ok(two_families);
	const struct obs_bgp *b = peer_of(o, "default", "swp7");

	assert_int_equal(o->bgp.n, 3);
	assert_true(o->bgp_whole);
	assert_string_equal(obs_text(o, b->host), "spine-b");
	assert_int_equal(b->afi, BGP_IPV4);
	assert_int_equal(b->state, BGP_ESTABLISHED);
	assert_int_equal(b->remote_as, 64950);
	assert_true(b->since_s == 41.5);
	assert_int_equal(b->prefixes, 12);
	assert_int_equal(b->drops, 3);
	assert_int_equal(o->bgp.at[2].afi, BGP_EVPN);
	assert_int_equal(o->bgp.at[2].prefixes, 77);
	/* A field that an address family lacks is unknown, not zero. */
	assert_true(o->bgp.at[2].drops == UINT64_MAX);
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 64901);
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_ROUTER_ID, 0), "10.9.0.1");
	assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_OK);
	obs_free(o);
}

CASE(a_shut_session_is_down_on_purpose)
{
	struct obs *o = read_ok(two_families);
	const struct obs_bgp *b = peer_of(o, "default", "10.9.1.2");

	assert_int_equal(b->state, BGP_ADMIN_DOWN);
	assert_true(isnan(b->since_s));
	assert_true(b->remote_as == 4200000001u);
	obs_free(o);
	o = read_ok("{\"ipv4Unicast\":{\"peers\":{\"swp1\":{\"state\":\"Idle\",\"peerState\":"
		    "\"Admin\"},\"swp2\":{\"state\":\"Idle (PfxCt)\"},\"swp3\":{\"state\":"
		    "\"Clearing\"},\"swp4\":{\"state\":\"Wobbling\"},\"swp5\":{}}}}");
	assert_int_equal(peer_of(o, "default", "swp1")->state, BGP_ADMIN_DOWN);
	assert_int_equal(peer_of(o, "default", "swp2")->state, BGP_IDLE);
	assert_int_equal(peer_of(o, "default", "swp3")->state, BGP_IDLE);
	assert_int_equal(peer_of(o, "default", "swp4")->state, BGP_UNKNOWN);
	assert_int_equal(peer_of(o, "default", "swp5")->state, BGP_UNKNOWN);
	obs_free(o);
}

CASE(vrfs_keep_their_sessions_apart)
{
	struct obs *o = read_ok(
		"{\"default\":{\"ipv4Unicast\":{\"as\":64901,\"vrfName\":\"default\",\"peers\":"
		"{\"10.9.1.2\":{\"state\":\"Active\",\"pfxRcd\":0}}}},\n\"storage\":{"
		"\"ipv4Unicast\":{\"as\":64999,\"vrfName\":\"storage\",\"peers\":{\"10.9.1.2\":{"
		"\"state\":\"Connect\"}}},\"ipv6Unicast\":{\"peers\":{\"fd00::2\":{\"state\":"
		"\"OpenConfirm\"}}}},\"empty\":{}}");

	assert_int_equal(o->bgp.n, 3);
	assert_int_equal(peer_of(o, "default", "10.9.1.2")->state, BGP_ACTIVE);
	assert_int_equal(peer_of(o, "storage", "10.9.1.2")->state, BGP_CONNECT);
	assert_int_equal(peer_of(o, "storage", "fd00::2")->state, BGP_OPENCONFIRM);
	assert_int_equal(peer_of(o, "storage", "fd00::2")->afi, BGP_IPV6);
	/* The system's own number is that of its default instance. */
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 64901);
	assert_true(o->bgp_whole);
	obs_free(o);
}

CASE(old_layouts)
{
	struct obs *o = read_ok(
		"{\"routerId\":\"10.9.0.3\",\"as\":\"1.10\",\"peers\":{\"10.9.1.4\":{\"remoteAs\":"
		"64910,\"peerUptime\":\"1d02h03m\",\"prefixReceivedCount\":8,\"state\":"
		"\"Established\"},\"10.9.1.6\":{\"peerUptime\":\"05w3d04h\",\"state\":\"Active\"},"
		"\"10.9.1.8\":{\"peerUptime\":\"01:00:05\",\"state\":\"Active\"}}}");

	assert_int_equal(peer_of(o, "default", "10.9.1.4")->prefixes, 8);
	assert_int_equal(peer_of(o, "default", "10.9.1.4")->afi, BGP_IPV4);
	assert_true(peer_of(o, "default", "10.9.1.4")->since_s == 86400 + 2 * 3600 + 180);
	assert_true(peer_of(o, "default", "10.9.1.6")->since_s ==
		    5 * 604800.0 + 3 * 86400.0 + 4 * 3600.0);
	assert_true(peer_of(o, "default", "10.9.1.8")->since_s == 3605);
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 65546);
	obs_free(o);
	o = read_ok("{\"peers\":{\"fd00::9\":{\"state\":\"Established\",\"idType\":\"ipv6\","
		    "\"dynamicPeer\":true}}}");
	assert_int_equal(o->bgp.at[0].afi, BGP_IPV6);
	obs_free(o);
}

CASE(why_there_is_no_bgp)
{
	static const struct {
		const char *text;
		enum validity validity;
		const char *cure; /* part of it */
		bool whole;
	} cases[] = {
		{"bgpd is not running\n", VALID_DISABLED, "restart frr", false},
		{"% BGP not running\n", VALID_DISABLED, "router bgp", true},
		{"% BGP instance not found\n", VALID_DISABLED, "router bgp", true},
		{"{}\n", VALID_DISABLED, "router bgp", true},
		{"{\"warning\":\"Default BGP instance not found\"}", VALID_DISABLED, "router bgp",
			true},
		{"Error: No such container: bgp\n", VALID_DISABLED, "start the BGP daemon", false},
		{"Error response from daemon: Container 8fe1 is not running\n", VALID_DISABLED,
			"start", false},
		{"sh: 1: vtysh: not found\n", VALID_UNSUPPORTED, "", false},
		{"bash: vtysh: command not found\n", VALID_UNSUPPORTED, "", false},
		{"% Can't open configuration file /etc/frr/vtysh.conf due to 'Permission denied'.\n"
		 "Exiting: failed to connect to any daemons.\n",
			VALID_DISABLED, "frrvty", false},
		{"Exiting: failed to connect to any daemons.\n"
		 "Hint: if this seems wrong, try running me as a privileged user!\n",
			VALID_DISABLED, "frrvty", false},
		{"Exiting: failed to connect to any daemons.\n", VALID_DISABLED, "restart frr",
			false},
		{"sudo: a password is required\n", VALID_DISABLED, "frrvty", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct obs *o = read_ok(cases[i].text);
		const char *cure = "";

		assert_int_equal(capability_of(o, "BGP sessions", &cure), cases[i].validity);
		assert_non_null(strstr(cure, cases[i].cure));
		assert_int_equal(o->bgp.n, 0);
		assert_int_equal(o->bgp_whole, cases[i].whole);
		obs_free(o);
	}
}

CASE(what_is_no_summary_is_not_understood)
{
	static const char *const texts[] = {"", "\n", "Segmentation fault\n", "[]", "{\"a\":1}",
		"{\"ipv4Unicast\":7}", "{\"ipv4Unicast\":{\"peers\":{\"swp1\":{\"sta"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		bool ok;
		struct obs *o = read_text(texts[i], &ok);

		assert_false(ok);
		assert_false(o->bgp_whole);
		assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_UNKNOWN);
		obs_free(o);
	}
}

CASE(warnings_before_the_document_do_not_matter)
{
	struct obs *o = read_ok(
		"% Can't open configuration file /etc/frr/vtysh.conf due to 'Permission denied'.\n"
		"{\"ipv4Unicast\":{\"peers\":{\"swp1\":{\"state\":\"Established\"}}}}\n");

	assert_int_equal(o->bgp.n, 1);
	assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_OK);
	obs_free(o);
	/* Both streams in one, and the first line had no end. */
	o = read_ok("vtysh_pam: Failed in account validation: Authentication failure(7){\n"
		    "\"ipv4Unicast\":{\"peers\":{\"swp1\":{\"state\":\"Established\"}}}\n}\n");
	assert_int_equal(o->bgp.n, 1);
	assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_OK);
	obs_free(o);
}

CASE(wrong_types_cost_themselves_only)
{
	struct obs *o = read_ok("{\"ipv4Unicast\":{\"as\":[1],\"routerId\":7,\"peers\":{\"swp1\":3,"
				"\"swp2\":{\"remoteAs\":\"x\",\"state\":5,\"pfxRcd\":-4,"
				"\"connectionsDropped\":{},\"peerUptimeMsec\":\"soon\"},"
				"\"swp3\":{\"state\":\"Established\",\"pfxRcd\":\"6\"}}},"
				"\"ipv6Unicast\":[]}");

	assert_int_equal(o->bgp.n, 2);
	assert_int_equal(peer_of(o, "default", "swp2")->remote_as, 0);
	assert_true(peer_of(o, "default", "swp2")->prefixes == UINT64_MAX);
	assert_true(peer_of(o, "default", "swp2")->drops == UINT64_MAX);
	assert_true(isnan(peer_of(o, "default", "swp2")->since_s));
	assert_int_equal(peer_of(o, "default", "swp3")->prefixes, 6);
	obs_free(o);
}

/* A list that was cut short must not make the rest count as gone. */
CASE(a_flood_of_peers_is_not_the_whole_list)
{
	struct buf b;
	struct obs *o;
	bool ok;

	buf_init(&b, (size_t)16 << 20);
	assert_true(buf_adds(&b, "{\"ipv4Unicast\":{\"peers\":{"));
	for (unsigned i = 0; i < 5000; i++)
		assert_true(buf_addf(&b, "%s\"swp%u\":{\"state\":\"Active\"}", i ? "," : "", i));
	assert_true(buf_adds(&b, "}}}"));
	o = obs_new("leaf1", "bgp");
	ok = frr_read_bgp(b.data, b.len, o);
	assert_true(ok);
	assert_true(o->bgp.n < 5000);
	assert_false(o->bgp_whole);
	obs_free(o);
	buf_free(&b);
}

CASES_MAIN(NULL, NULL)
