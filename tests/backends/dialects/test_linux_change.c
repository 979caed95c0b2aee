/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the dialect "linux" for a change, and its reading of the answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/change.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"

static const struct target leaf = {
	.device = "leaf1", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 8};
static const struct target host = {
	.device = "host1", .tier = TIER_HOST, .transport = TRANSPORT_SSH, .lossless = 8};

/* A user with sudo, on a port that nothing speaks against. */
static struct condition fine(void)
{
	struct condition c;

	condition_init(&c);
	c.root = 0;
	c.session = 0;
	c.bgp_asn = 65021;
	(void)str_copy(c.bgp_peer, sizeof(c.bgp_peer), "10.254.1.0");
	(void)str_copy(c.netdev, sizeof(c.netdev), "swp50");
	return c;
}

static struct order order_of(enum verb verb, const char *port)
{
	struct order o = {.verb = verb, .priority = -1, .seconds = 60, .asn = 65021};

	(void)str_copy(o.port, sizeof(o.port), port);
	(void)str_copy(o.peer, sizeof(o.peer), "10.254.1.0");
	return o;
}

static void says(const struct order *o, const struct condition *c, const char *wanted)
{
	struct request_list l = {0};
	struct err err = {0};

	if (!linux_changes.command(&leaf, o, c, &l, &err))
		fail_msg("%s", err.text);
	assert_int_equal(l.at.n, 1);
	assert_true(l.at.at[0].change);
	assert_string_equal(l.at.at[0].command, wanted);
	assert_null(l.at.at[0].input);
	requests_free(&l);
}

static void refuses(const struct order *o, const struct condition *c, const char *why)
{
	struct request_list l = {0};
	struct err err = {0};

	assert_false(linux_changes.command(&leaf, o, c, &l, &err));
	assert_int_equal(l.at.n, 0);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" instead of \"%s\"", err.text, why);
}

CASE(the_words_byte_by_byte)
{
	struct condition c = fine();
	struct order o = order_of(VERB_PORT_DOWN, "swp50");

	says(&o, &c, "sudo -n ip link set dev swp50 down");
	o.verb = VERB_PORT_UP;
	says(&o, &c, "sudo -n ip link set dev swp50 up");
	o.verb = VERB_BGP_DOWN;
	says(&o, &c,
		"sudo -n vtysh -c 'configure terminal' -c 'router bgp 65021' -c 'neighbor "
		"10.254.1.0 shutdown'");
	o.verb = VERB_BGP_UP;
	says(&o, &c,
		"sudo -n vtysh -c 'configure terminal' -c 'router bgp 65021' -c 'no neighbor "
		"10.254.1.0 shutdown'");
	o.verb = VERB_LOCATE_ON;
	says(&o, &c,
		"sudo -n ethtool -p swp50 1 && { sudo -n ethtool -p swp50 60 </dev/null "
		">/dev/null 2>&1 & }");
	o.verb = VERB_LOCATE_OFF;
	says(&o, &c, "sudo -n pkill -f '^ethtool -p swp50 '");
	(void)str_copy(c.netdev, sizeof(c.netdev), "swp50.7");
	says(&o, &c, "sudo -n pkill -f '^ethtool -p swp50[.]7 '");
}

CASE(root_needs_no_sudo)
{
	struct condition c = fine();
	struct order o = order_of(VERB_PORT_UP, "swp50");

	c.root = 1;
	says(&o, &c, "ip link set dev swp50 up");
	/* The account is unknown: sudo is used as if it were needed. */
	c.root = -1;
	says(&o, &c, "sudo -n ip link set dev swp50 up");
}

CASE(an_rdma_device_is_changed_by_its_netdev)
{
	struct condition c = fine();
	struct order o = order_of(VERB_PORT_UP, "mlx5_3");

	(void)str_copy(c.netdev, sizeof(c.netdev), "eth3");
	says(&o, &c, "sudo -n ip link set dev eth3 up");
}

CASE(what_is_not_safe_is_refused)
{
	struct condition c = fine();
	struct order o = order_of(VERB_PORT_DOWN, "swp50");

	c.session = 1;
	(void)str_copy(c.hazard, sizeof(c.hazard), "this session to the device runs over swp50");
	refuses(&o, &c, "runs over swp50");
	o.verb = VERB_PORT_UP;
	says(&o, &c, "sudo -n ip link set dev swp50 up");
	o.verb = VERB_PORT_DOWN;
	c.session = -1;
	refuses(&o, &c, "railtop cannot check");
	c = fine();
	o.verb = VERB_BGP_DOWN;
	c.bgp_asn = 0;
	refuses(&o, &c, "its own AS");
	c.bgp_asn = 65022;
	refuses(&o, &c, "differs from the planned one");
	c.bgp_asn = 65021;
	c.bgp_peer[0] = '\0';
	refuses(&o, &c, "no neighbour of this name");
	o = order_of(VERB_LOCATE_ON, "swp50");
	o.seconds = 0;
	refuses(&o, &c, "5 to 3600");
	o.seconds = 86400;
	refuses(&o, &c, "5 to 3600");
	o = order_of(VERB_WD_STOP, "swp50");
	refuses(&o, &c, "no wd-stop");
}

CASE(hostile_words_never_reach_a_shell)
{
	static const char *const ports[] = {"", "-rf", "swp1; reboot", "swp1 swp2", "$(id)", "`id`",
		"swp1\nreboot", "swp1'", "../../etc", "a/b", "eth0:1", "swp1&", "*"};
	struct condition c = fine();

	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		struct order o = order_of(VERB_PORT_UP, ports[i]);
		struct request_list l = {0};
		struct err err = {0};

		assert_false(linux_changes.look(&host, &o, &l, &err));
		assert_int_equal(err.code, ERR_REFUSED);
		assert_false(linux_changes.command(&host, &o, &c, &l, &err));
		assert_int_equal(l.at.n, 0);
		/* Nor as a name that the device itself told. */
		o = order_of(VERB_PORT_UP, "mlx5_0");
		(void)str_copy(c.netdev, sizeof(c.netdev), ports[i]);
		if (*ports[i])
			assert_false(linux_changes.command(&host, &o, &c, &l, &err));
		assert_int_equal(l.at.n, 0);
		c = fine();
	}
}

CASE(the_sites_lines_are_sent_as_they_are)
{
	struct condition c = fine();
	struct order o = order_of(VERB_PORT_DOWN, "swp50");
	struct request_list l = {0};
	struct err err = {0};

	o.lines = "sudo -n drain-port {port}\n";
	assert_true(linux_changes.command(&leaf, &o, &c, &l, &err));
	assert_int_equal(l.at.n, 1);
	assert_true(l.at.at[0].change);
	assert_string_equal(l.at.at[0].command, "sh -e -s");
	assert_string_equal(l.at.at[0].input, "sudo -n drain-port swp50\n");
	requests_free(&l);
	o.lines = "x {nothing}";
	assert_false(linux_changes.command(&leaf, &o, &c, &l, &err));
	assert_int_equal(err.code, ERR_CONFIG);
	/* They are held to the same conditions. */
	o.lines = "sudo -n drain-port {port}\n";
	c.session = 1;
	refuses(&o, &c, "the management path to the device");
}

CASE(the_condition_is_asked_once)
{
	struct order o = order_of(VERB_PORT_DOWN, "mlx5_3");
	struct request_list l = {0};
	struct err err = {0};

	assert_true(linux_changes.look(&host, &o, &l, &err));
	assert_true(linux_changes.look(&leaf, &o, &l, &err));
	assert_int_equal(l.at.n, 2);
	assert_false(l.at.at[0].change);
	assert_string_equal(l.at.at[0].command, "sh -s");
	assert_true(str_starts(l.at.at[0].input, "P=mlx5_3\nB=0\n"));
	assert_true(str_starts(l.at.at[1].input, "P=mlx5_3\nB=1\n"));
	assert_string_equal(l.at.at[0].input + strlen("P=mlx5_3\nB=0\n"), linux_condition_script);
	requests_free(&l);
}

/* ---- whether it was taken ---- */

static enum taken taken(
	enum verb verb, int status, const char *bytes, const char *complaint, struct err *err)
{
	struct order o = order_of(verb, "swp50");
	struct reply r = {bytes, strlen(bytes), status, complaint};
	struct change_notes notes = {0};

	memset(err, 0, sizeof(*err));
	return linux_changes.taken(&leaf, &o, verb_name(verb), &r, &notes, err);
}

CASE(what_the_answer_means)
{
	struct err e;

	assert_int_equal(taken(VERB_PORT_DOWN, 0, "", "", &e), TAKEN_YES);
	/* sudo grumbles and goes on. */
	assert_int_equal(taken(VERB_PORT_DOWN, 0, "", "sudo: unable to resolve host leaf1\n", &e),
		TAKEN_YES);
	assert_int_equal(
		taken(VERB_PORT_DOWN, 1, "", "Cannot find device \"swp50\"\n", &e), TAKEN_NO);
	assert_non_null(strstr(e.text, "Cannot find device"));
	assert_int_equal(taken(VERB_PORT_DOWN, -1, "", "", &e), TAKEN_NO);
	assert_int_equal(e.code, ERR_PROTOCOL);
	/* FRR refuses in words only. */
	assert_int_equal(taken(VERB_BGP_DOWN, 0,
				 "% Specify remote-as or peer-group commands first\n", "", &e),
		TAKEN_NO);
	assert_int_equal(
		taken(VERB_BGP_DOWN, 0, "BGP is already running; AS is 65021\n", "", &e), TAKEN_NO);
	assert_int_equal(
		taken(VERB_BGP_DOWN, 0, "", "% Unknown command: neighbor\n", &e), TAKEN_NO);
	assert_int_equal(
		taken(VERB_BGP_DOWN, 0, "",
			"% Can't open configuration file /etc/frr/vtysh.conf due to 'No such file "
			"or directory'.\n",
			&e),
		TAKEN_YES);
	/* Nothing there to end: it is off. */
	assert_int_equal(taken(VERB_LOCATE_OFF, 1, "", "", &e), TAKEN_YES);
	assert_int_equal(taken(VERB_LOCATE_ON, 1, "", "", &e), TAKEN_NO);
	assert_int_equal(
		taken(VERB_LOCATE_ON, 1, "", "Cannot identify NIC: Operation not supported\n", &e),
		TAKEN_NO);
	assert_non_null(strstr(e.cure, "cannot blink"));
}

CASE(wrong_privileges_name_their_cure)
{
	static const char *const words[] = {"sudo: a password is required\n",
		"oper is not in the sudoers file.\n", "sudo: not found\n",
		"bash: line 1: sudo: command not found\n",
		"Sorry, user oper is not allowed to execute '/usr/bin/vtysh' as root on leaf1.\n",
		"RTNETLINK answers: Operation not permitted\n"};
	struct err e;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(taken(VERB_PORT_DOWN, 1, "", words[i], &e), TAKEN_NO);
		assert_int_equal(e.code, ERR_UNAUTHORISED);
		assert_non_null(strstr(e.text, "wrong privileges"));
		assert_non_null(strstr(e.cure, "NOPASSWD: /usr/sbin/ip link set dev *"));
	}
	assert_int_equal(taken(VERB_BGP_UP, 1, "", words[0], &e), TAKEN_NO);
	assert_non_null(strstr(e.cure, "NOPASSWD: /usr/bin/vtysh"));
}

/* ---- reading the condition ---- */

#define LINK                                                                                       \
	"[{\"ifname\":\"swp50\",\"flags\":[\"BROADCAST\",\"UP\",\"LOWER_UP\"],"                    \
	"\"operstate\":\"UP\"}]"
#define ADDRESSES                                                                                  \
	"[{\"ifname\":\"eth0\",\"addr_info\":[{\"local\":\"192.0.2.13\",\"prefixlen\":24}]},"      \
	"{\"ifname\":\"swp50\",\"addr_info\":[{\"local\":\"10.254.1.1\",\"prefixlen\":31}]},"      \
	"{\"ifname\":\"swp50.7\",\"link\":\"swp50\",\"addr_info\":["                               \
	"{\"local\":\"10.7.0.2\",\"prefixlen\":24}]}]"
#define SUMMARY                                                                                    \
	"{\"default\":{\"ipv4Unicast\":{\"as\":65021,\"vrfName\":\"default\",\"peers\":{"          \
	"\"10.254.1.0\":{\"remoteAs\":65012,\"state\":\"Established\",\"peerState\":\"OK\"},"      \
	"\"swp49\":{\"remoteAs\":65011,\"state\":\"Idle (Admin)\",\"peerState\":\"Admin\"}}}}}"

struct script {
	const char *netdev, *uid, *session, *link, *addr, *route, *standard, *bgp, *running, *blink;
	const char *keep, *manager, *routes, *lines;
};

static const struct script whole = {"swp50", "0", "192.0.2.1 5000 192.0.2.13 22", LINK, ADDRESSES,
	"[{\"dst\":\"192.0.2.1\",\"dev\":\"eth0\"}]", "[]", SUMMARY,
	"router bgp 65021\n neighbor FABRIC peer-group\nexit\n!\nend", "all", "0", "",
	"[{\"dst\":\"10.254.1.0/31\",\"protocol\":\"kernel\"},"
	"{\"dst\":\"10.0.0.0/8\",\"protocol\":\"bgp\"},"
	"{\"type\":\"local\",\"dst\":\"10.254.1.1\",\"table\":\"local\"}]",
	NULL};

static bool see(enum verb verb, const struct script *s, struct condition *c, struct err *err)
{
	struct order o = order_of(verb, "swp50");
	struct reply r = {.complaint = ""};
	struct buf b;
	bool ok;

	o.peer[0] = '\0';
	o.lines = s->lines;
	buf_init(&b, 65536);
	(void)buf_addf(&b,
		"@@begin 1\n1\n@@netdev\n%s\n@@uid\n%s\n@@session\n%s\n@@link\n%s\n@@addr\n%s\n"
		"@@route\n%s\n@@default\n%s\n",
		s->netdev, s->uid, s->session, s->link, s->addr, s->route, s->standard);
	(void)buf_addf(
		&b, "@@keep\n%s\n@@manager\n%s\n@@routes\n%s\n", s->keep, s->manager, s->routes);
	(void)buf_addf(&b, "@@bgp\n%s\n@@running\n%s\n@@blink\n%s\n@@end\n2\n", s->bgp, s->running,
		s->blink);
	r.bytes = b.data;
	r.len = b.len;
	condition_init(c);
	memset(err, 0, sizeof(*err));
	ok = linux_changes.see(&leaf, &o, LINUX_CONDITION, &r, c, err);
	buf_free(&b);
	return ok;
}

CASE(what_is_seen)
{
	struct script s = whole;
	struct condition c;
	struct err e;

	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_int_equal(c.admin, OPER_UP);
	assert_int_equal(c.oper, OPER_UP);
	assert_int_equal(c.root, 1);
	assert_int_equal(c.session, 0);
	assert_int_equal(c.beacon, 0);
	assert_int_equal(c.pending, 0);
	assert_int_equal(c.bgp_asn, 65021);
	assert_string_equal(c.bgp_peer, "10.254.1.0");
	assert_int_equal(c.bgp, BGP_ESTABLISHED);
	assert_int_equal(c.bgp_shut, 0);
	assert_int_equal(c.wd, -1);
	s.running = "router bgp 65099 vrf RED\n neighbor 10.254.1.0 shutdown\nexit\n!\n"
		    "router bgp 65021\n neighbor 10.254.1.0 shutdown message gone\nexit\nend";
	s.blink = "all\nethtool -p swp50 60 \n";
	s.link = "[{\"ifname\":\"swp50\",\"flags\":[\"BROADCAST\"],\"operstate\":\"DOWN\"}]";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_int_equal(c.admin, OPER_DOWN);
	assert_int_equal(c.oper, OPER_DOWN);
	assert_int_equal(c.bgp_shut, 1);
	assert_int_equal(c.bgp_asn, 65021);
	assert_int_equal(c.beacon, 1);
}

CASE(shut_elsewhere_is_not_shut_here)
{
	struct script s = whole;
	struct condition c;
	struct err e;

	s.running = "router bgp 65021\n neighbor 10.254.1.0 shutdown rtt 100\nexit\n!\n"
		    "router bgp 65022 vrf RED\n neighbor 10.254.1.0 shutdown\nexit\nend";
	assert_true(see(VERB_BGP_DOWN, &s, &c, &e));
	assert_int_equal(c.bgp_shut, 0);
	assert_int_equal(c.bgp_asn, 65021);
	/* A port in another VRF has its neighbours there. */
	s.link = "[{\"ifname\":\"swp50\",\"flags\":[\"UP\"],\"operstate\":\"UP\",\"master\":"
		 "\"RED\",\"linkinfo\":{\"info_slave_kind\":\"vrf\"}}]";
	assert_true(see(VERB_BGP_DOWN, &s, &c, &e));
	assert_string_equal(c.bgp_peer, "");
	assert_int_equal(c.bgp_shut, -1);
	assert_non_null(strstr(c.hazard, "VRF RED"));
}

CASE(whose_way_it_is)
{
	struct script s = whole;
	struct condition c;
	struct err e;

	s.session = "192.0.2.1 5000 10.7.0.2 22"; /* a VLAN on top of it */
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_int_equal(c.session, 1);
	assert_true(see(VERB_LOCATE_ON, &s, &c, &e));
	assert_string_equal(c.hazard, "");
	s = whole;
	s.route = "[{\"dst\":\"192.0.2.1\",\"dev\":\"swp50\"}]";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_int_equal(c.session, 1);
	s = whole;
	s.standard = "[{\"dst\":\"default\",\"dev\":\"swp50\",\"metric\":20},"
		     "{\"dst\":\"default\",\"dev\":\"eth0\",\"metric\":100}]";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_int_equal(c.session, 1);
	/* A route learnt from the fabric itself is no reason. */
	s.standard = "[{\"dst\":\"default\",\"protocol\":\"bgp\",\"nexthops\":["
		     "{\"dev\":\"swp49\"},{\"dev\":\"swp50\"}]}]";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_int_equal(c.session, 0);
	/* Neither session, nor routes: nobody can tell. */
	s = whole;
	s.session = "";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_int_equal(c.session, -1);
	s = whole;
	s.standard = "Object \"route\" is unknown, try \"ip help\".";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_int_equal(c.session, -1);
	s = whole;
	s.session = "192.0.2.1 5000 192.0.2.99 22";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_int_equal(c.session, -1);
}

/* Settings that the kernel drops when a link goes down, and that nobody would restore. */
CASE(what_would_not_come_back_is_told)
{
	static const char v6[] =
		"[{\"ifname\":\"eth0\",\"addr_info\":[{\"local\":\"192.0.2.13\"}]},"
		"{\"ifname\":\"swp50\",\"addr_info\":[{\"family\":\"inet6\",\"local\":"
		"\"2001:db8::1\",\"prefixlen\":64,\"scope\":\"global\"%s}]}]";
	struct script s = whole;
	struct condition c;
	char text[400];
	struct err e;

	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_string_equal(c.hazard, "");
	(void)str_printf(text, sizeof(text), v6, "");
	s.addr = text;
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_non_null(strstr(c.hazard, "swp50 goes down, it loses its IPv6 addresses"));
	/* The way back takes nothing away, nor does a light. */
	assert_true(see(VERB_PORT_UP, &s, &c, &e));
	assert_string_equal(c.hazard, "");
	assert_true(see(VERB_LOCATE_ON, &s, &c, &e));
	assert_string_equal(c.hazard, "");
	/* No hazard if the kernel keeps the addresses, if a manager configures the device, or if
	 * the site has commands of its own. */
	s.keep = "1";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_string_equal(c.hazard, "");
	s.keep = "0";
	s.manager = "ADMIN_STATE=configured";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_string_equal(c.hazard, "");
	s.manager = "";
	s.lines = "ifdown {port}";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_string_equal(c.hazard, "");
	s.lines = NULL;
	/* A router announces it again. */
	(void)str_printf(text, sizeof(text), v6, ",\"dynamic\":true");
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_string_equal(c.hazard, "");
	/* ip(8) names no protocol for a route of its own. */
	s = whole;
	s.routes = "[{\"dst\":\"10.9.0.0/16\",\"gateway\":\"10.254.1.0\",\"flags\":[]}]";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_non_null(strstr(c.hazard, "its static routes"));
	s.routes = "[{\"dst\":\"default\",\"table\":\"101\",\"protocol\":\"static\"}]";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_non_null(strstr(c.hazard, "its static routes"));
	/* It is down already. */
	s.link = "[{\"ifname\":\"swp50\",\"flags\":[\"BROADCAST\"],\"operstate\":\"DOWN\"}]";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_string_equal(c.hazard, "");
	s = whole;
	s.routes = "[1,null,[]]";
	assert_true(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_string_equal(c.hazard, "");
}

CASE(what_is_not_told_is_unknown)
{
	struct script s = whole;
	struct condition c;
	struct err e;

	s.uid = "sh: id: not found";
	s.bgp = "vtysh: not found";
	s.running = "vtysh: not found";
	s.blink = "";
	assert_true(see(VERB_BGP_DOWN, &s, &c, &e));
	assert_int_equal(c.root, -1);
	assert_int_equal(c.bgp_asn, 0);
	assert_int_equal(c.bgp_shut, -1);
	assert_int_equal(c.bgp, BGP_UNKNOWN);
	assert_string_equal(c.bgp_peer, "");
	assert_int_equal(c.beacon, -1);
	/* Two neighbours on one link: which is meant is not certain. */
	s = whole;
	s.bgp = "{\"ipv4Unicast\":{\"as\":65021,\"peers\":{\"10.254.1.0\":{\"state\":\"Active\"},"
		"\"swp50\":{\"state\":\"Active\"}}}}";
	assert_true(see(VERB_BGP_DOWN, &s, &c, &e));
	assert_string_equal(c.bgp_peer, "");
}

CASE(garbage_is_no_condition)
{
	static const char *const links[] = {"", "Device \"swp50\" does not exist.", "[{}]",
		"[{\"ifname\":\"swp51\",\"flags\":[\"UP\"]}]", "{\"ifname\":\"swp50\"}", "[1,2]"};
	struct script s = whole;
	struct order o = order_of(VERB_PORT_DOWN, "swp50");
	struct reply r = {.complaint = ""};
	struct condition c;
	struct err e;

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		s.link = links[i];
		assert_false(see(VERB_PORT_DOWN, &s, &c, &e));
		assert_int_equal(c.admin, OPER_UNKNOWN);
	}
	s = whole;
	s.netdev = "$(reboot)";
	assert_false(see(VERB_PORT_DOWN, &s, &c, &e));
	assert_string_equal(c.netdev, "");
	/* Cut off before its end: the most that it could say is not enough. */
	r.bytes = "@@begin 1\n1\n@@netdev\nswp50\n@@link\n" LINK "\n";
	r.len = strlen(r.bytes);
	condition_init(&c);
	assert_false(linux_changes.see(&leaf, &o, LINUX_CONDITION, &r, &c, &e));
	assert_non_null(strstr(e.text, "breaks off"));
	r.bytes = "This account is not available.\n";
	r.len = strlen(r.bytes);
	assert_false(linux_changes.see(&leaf, &o, LINUX_CONDITION, &r, &c, &e));
	assert_false(linux_changes.see(&leaf, &o, "other", &r, &c, &e));
	assert_int_equal(c.admin, OPER_UNKNOWN);
}

CASES_MAIN(NULL, NULL)
