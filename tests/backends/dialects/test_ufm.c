/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UFM Enterprise over REST. The bodies have the form of those that are public: the REST guides
 * 6.11 to 6.23, samples of Mellanox/ufm_sdk_3.0, IBM/CSM (tests/cases/site.md); names are theirs.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "base/buf.h"
#include "base/str.h"
#include "fabric/vocabulary/manager_note.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

struct bed {
	struct target t;
	struct facts facts;
};

static int bed_new(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	b->t = (struct target){.device = "SLG01-02",
		.tier = TIER_LEAF,
		.transport = TRANSPORT_HTTPS,
		.facts = &b->facts};
	facts_set(&b->facts, "guid", "1c34da0300728606");
	facts_set(&b->facts, "kind", "switch");
	*state = b;
	return 0;
}

static int bed_free(void **state)
{
	facts_free(&((struct bed *)*state)->facts);
	free(*state);
	return 0;
}

static void whole_fabric(struct bed *b)
{
	b->t.device = "ufm";
	facts_set(&b->facts, "guid", "");
	facts_set(&b->facts, "kind", "");
	facts_set(&b->facts, "whole-fabric", "1");
}

static const struct backend_ops *ufm(void)
{
	return backend_by_name("ufm");
}

static struct obs *decode(const struct bed *b, const char *request, const char *text)
{
	struct obs *o = obs_new(b->t.device, request);
	struct err err = {0};

	if (!ufm()->parse(&b->t, request, text, strlen(text), o, &err))
		fail_msg("%s: %s", request, err.text);
	assert_int_equal(o->err.code, ERR_NONE);
	return o;
}

static unsigned count_of(const struct obs *o, enum manager_note_kind kind)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_NUMBER && o->items.at[i].code == ATTR_NOTE_COUNT &&
			o->items.at[i].sub == kind)
			return (unsigned)o->items.at[i].real;
	return UINT32_MAX; /* not told */
}

static struct manager_note note_of(const struct obs *o, enum manager_note_kind kind, unsigned i)
{
	const char *text = attr_word(at_port(o, NULL), ATTR_NOTE, note_sub(kind, i));
	struct manager_note n;

	assert_true(note_read(text, &n));
	return n;
}

static const char *fact_of(const struct obs *o, const char *key)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_FACT &&
			str_eq(obs_text(o, o->items.at[i].text), key))
			return obs_text(o, o->items.at[i].text2);
	return NULL;
}

/* ---- alarms, in both shapes ---- */

#define OLD_ALARM                                                                                  \
	"{\"event_type\":394,\"event_count\":31,\"timestamp\":\"2017-05-08 11:48:09.351\","        \
	"\"related_object_path\":\"default / Switch: r-ufm-sw63\",\"counter\":null,"               \
	"\"related_object_name\":\"e41d2d0300167ee0\",\"name\":\"Module status FAULT\","           \
	"\"reason\":\"Module PS 2 on r-ufm-sw63(10.209.36.223) status is fatal\","                 \
	"\"duration\":420,\"summary\":\"Module status FAULT\",\"type\":55,\"id\":1,"               \
	"\"severity\":\"Critical\"}"
#define NEW_ALARMS                                                                                 \
	"{\"id\":3,\"type\":\"IBPort\",\"name\":\"Link HW Error\",\"description\":\"Link "         \
	"Downed\",\"event_type\":112,\"duration\":\"0 s\",\"reason\":\"Link-Downed counter "       \
	"delta threshold exceeded. Threshold is 0, calculated delta is 2. Peer info: default / "   \
	"Switch: sw-ufm-qm01 / 35.\",\"severity\":\"Warning\",\"timestamp\":\"2024-05-27 "         \
	"08:18:51\",\"counter\":\"Infiniband_LinkDowned\",\"event_count\":1,\"object_name\":"      \
	"\"b8599f03000a7768_1\",\"object_path\":\"Computer: r-ufm77 / mlx5_0\"},"                  \
	"{\"id\":2,\"type\":\"Switch\",\"name\":\"System Module Error\",\"description\":"          \
	"\"Module status FAULT\",\"event_type\":394,\"duration\":\"0 s\",\"reason\":\"Module PS "  \
	"1 on sw-ufm-qm01(10.209.224.32) status is fatal\",\"severity\":\"Critical\","             \
	"\"timestamp\":\"2024-05-28 08:23:10\",\"counter\":\"N/A\",\"event_count\":459,"           \
	"\"object_name\":\"0c42a1030079a66c\",\"object_path\":\"Switch: sw-ufm-qm01\"}"

CASE_WITH(alarms_of_the_whole_fabric_worst_first, bed_new, bed_free)
{
	struct bed *b = *state;
	struct manager_note n;
	struct obs *o;

	whole_fabric(b);
	o = decode(b, "alarms", "[" NEW_ALARMS "," OLD_ALARM "]");
	assert_int_equal(count_of(o, MANAGER_ALARM), 3);
	n = note_of(o, MANAGER_ALARM, 0);
	assert_int_equal(n.severity, SEV_CRIT);
	assert_string_equal(n.device, "sw-ufm-qm01");
	assert_string_equal(n.port, "");
	assert_string_equal(n.text, "System Module Error: Module status FAULT: Module PS 1 on "
				    "sw-ufm-qm01(10.209.224.32) status is fatal");
	n = note_of(o, MANAGER_ALARM, 1);
	assert_string_equal(n.device, "r-ufm-sw63");
	assert_string_equal(n.text, "Module status FAULT: Module PS 2 on "
				    "r-ufm-sw63(10.209.36.223) status is fatal");
	n = note_of(o, MANAGER_ALARM, 2);
	assert_int_equal(n.severity, SEV_WARN);
	assert_string_equal(n.device, "r-ufm77");
	assert_string_equal(n.port, "mlx5_0");
	assert_non_null(strstr(n.text, "Link Downed"));
	assert_int_equal(capability_of(o, "UFM alarms", NULL), VALID_OK);
	obs_free(o);
}

/* By its name or its GUID; those of others are not its own. */
CASE_WITH(a_switch_has_its_own_alarms, bed_new, bed_free)
{
	struct bed *b = *state;
	struct obs *o;

	b->t.device = "SW-UFM-QM01";
	o = decode(b, "alarms", "[" NEW_ALARMS "," OLD_ALARM "]");
	assert_int_equal(count_of(o, MANAGER_ALARM), 1);
	obs_free(o);
	b->t.device = "another-name";
	facts_set(&b->facts, "guid", "b8599f03000a7768");
	o = decode(b, "alarms", "[" NEW_ALARMS "]");
	assert_int_equal(count_of(o, MANAGER_ALARM), 1);
	assert_string_equal(note_of(o, MANAGER_ALARM, 0).port, "mlx5_0");
	obs_free(o);
}

CASE_WITH(no_alarm_is_an_answer, bed_new, bed_free)
{
	struct obs *o = decode(*state, "alarms", "[]\n");

	assert_int_equal(count_of(o, MANAGER_ALARM), 0);
	assert_int_equal(capability_of(o, "UFM alarms", NULL), VALID_OK);
	obs_free(o);
}

/* More than are kept: the worst are, and their number is told. */
CASE_WITH(a_flood_of_alarms_keeps_the_worst, bed_new, bed_free)
{
	struct bed *b = *state;
	struct buf text;
	struct obs *o;

	whole_fabric(b);
	buf_init(&text, (size_t)1 << 20);
	(void)buf_adds(&text, "[");
	for (int i = 0; i < 500; i++)
		(void)buf_addf(&text,
			"{\"name\":\"Link HW Error\",\"description\":\"Symbol Errors\","
			"\"severity\":\"%s\",\"object_name\":\"%016x_1\",\"object_path\":"
			"\"Computer: n%03d / mlx5_0\"},",
			i == 321   ? "Critical"
			: i == 400 ? "Minor"
				   : "Info",
			(unsigned)i, i);
	(void)buf_adds(&text, OLD_ALARM "]");
	o = decode(b, "alarms", text.data);
	assert_int_equal(count_of(o, MANAGER_ALARM), 501);
	assert_string_equal(note_of(o, MANAGER_ALARM, 0).device, "n321");
	assert_string_equal(note_of(o, MANAGER_ALARM, 1).device, "r-ufm-sw63");
	assert_string_equal(note_of(o, MANAGER_ALARM, 2).device, "n400");
	assert_int_equal(note_of(o, MANAGER_ALARM, NOTES_MOST - 1).severity, SEV_OK);
	obs_free(o);
	buf_free(&text);
}

/* ---- unhealthy ports, in both shapes ---- */

#define OLD_UNHEALTHY                                                                              \
	"{\"PeerLID\":\"18\",\"PeerPortNumber\":6,\"UnhealthyPortNumber\":1,\"PeerGUID\":"         \
	"\"248a070300f88fe0\",\"PeerPort\":\"switch-ec4034/6\",\"UnhealthyNode\":"                 \
	"\"r-dmz-ufm135\",\"UnhealthyPort\":\"r-dmz-ufm135/HCA-1/1\",\"State\":\"Info\","          \
	"\"PeerPortDname\":\"6\",\"Condition\":\"MANUAL\",\"PeerNode\":\"switch-ec4034\","         \
	"\"StatusTime\":\"Wed Apr 29 00:05:32 2020\",\"UnhealthyPortDname\":\"HCA-1/1\","          \
	"\"UnhealthyGUID\":\"248a0703002e628e\"}"
#define NEW_UNHEALTHY                                                                              \
	"{\"PeerPort\":\"sw-ufm-ib01 / 35\",\"PeerGUID\":\"0002c903007e5220\",\"StatusTime\":"     \
	"\"Sun Apr 21 12:22:13 2024\",\"UnhealthyGUID\":\"ec0d9a0300d42e54\",\"UnhealthyPort\":"   \
	"\"1\",\"PeerNode\":\"sw-ufm-ib01\",\"PeerNodeType\":\"switch\",\"UnhealthyNodeType\":"    \
	"\"Unknown\",\"UnhealthyNode\":\"r-ufm59 mlx5_0\",\"UnhealthyPortNumber\":1,"              \
	"\"UnhealthyPortDname\":\"Unknown\",\"Condition\":[\"MANUAL\",\"FLAPPING\"],\"State\":"    \
	"\"Warning\",\"PeerLID\":\"2\"}"

CASE_WITH(unhealthy_ports_in_both_shapes, bed_new, bed_free)
{
	struct bed *b = *state;
	struct manager_note n;
	struct obs *o;

	whole_fabric(b);
	o = decode(b, "unhealthy", "[" OLD_UNHEALTHY "," NEW_UNHEALTHY "]");
	assert_int_equal(count_of(o, MANAGER_UNHEALTHY), 2);
	n = note_of(o, MANAGER_UNHEALTHY, 0);
	assert_string_equal(n.device, "r-ufm59");
	assert_string_equal(n.port, "mlx5_0");
	assert_string_equal(
		n.text, "MANUAL, FLAPPING since Sun Apr 21 12:22:13 2024, peer sw-ufm-ib01");
	n = note_of(o, MANAGER_UNHEALTHY, 1);
	assert_string_equal(n.device, "r-dmz-ufm135");
	assert_string_equal(n.port, "1");
	assert_non_null(strstr(n.text, "peer switch-ec4034"));
	obs_free(o);
}

/* ---- bandwidth lost by congestion ---- */

CASE_WITH(congestion_of_the_worst_ports, bed_new, bed_free)
{
	struct bed *b = *state;
	struct obs *o;

	whole_fabric(b);
	o = decode(b, "congestion",
		"[{\"name\":\"r-dmz-ufm131 mlx5_0\",\"guid\":\"0c42a103008b3bd0_1\","
		"\"Infiniband_Normalized_CBW\":7.25,\"Infiniband_CBW\":14.5},"
		"{\"name\":\"sw-ufm-qm01:35\",\"guid\":\"0c42a1030079a66c_35\","
		"\"Infiniband_Normalized_CBW\":31.5,\"Infiniband_CBW\":63},"
		"{\"name\":\"r-dmz-ufm132 mlx5_1\",\"guid\":\"0c42a103008b3bd1_1\","
		"\"Infiniband_Normalized_CBW\":0}]");
	assert_int_equal(count_of(o, MANAGER_CONGESTION), 2);
	assert_true(note_of(o, MANAGER_CONGESTION, 0).percent == 31.5);
	assert_string_equal(note_of(o, MANAGER_CONGESTION, 0).device, "sw-ufm-qm01");
	assert_string_equal(note_of(o, MANAGER_CONGESTION, 0).port, "35");
	assert_string_equal(note_of(o, MANAGER_CONGESTION, 1).port, "mlx5_0");
	assert_int_equal(capability_of(o, "UFM congestion", NULL), VALID_OK);
	obs_free(o);
	/* Other counters than the one that was asked for say nothing of congestion. */
	o = decode(b, "congestion",
		"[{\"name\":\"r-dmz-ufm131 mlx5_0\",\"guid\":\"0c42a103008b3bd0_1\","
		"\"PortRcvPktsExtended_Rate\":1993291398.4}]");
	assert_int_equal(count_of(o, MANAGER_CONGESTION), UINT32_MAX);
	assert_int_equal(capability_of(o, "UFM congestion", NULL), VALID_UNSUPPORTED);
	obs_free(o);
}

/* ---- a system, its ports and counters ---- */

#define SYSTEM                                                                                     \
	"{\"capabilities\":[\"burn_cables_transceivers\"],\"description\":\"MQM8700\","            \
	"\"fw_version\":\"N/A\",\"guid\":\"1c34da0300728606\",\"ip\":\"0.0.0.0\",\"model\":"       \
	"\"MQM8700\",\"modules\":[],\"name\":\"1c34da0300728606\",\"ports\":"                      \
	"[\"1c34da0300728606_1\",\"1c34da0300728606_40\"],\"role\":\"tor\",\"severity\":"          \
	"\"Info\",\"state\":\"active\",\"sw_version\":\"3.10.4006\",\"system_guid\":"              \
	"\"1c34da0300728606\",\"system_name\":\"SLG01-02\",\"technology\":\"HDR\","                \
	"\"total_alarms\":0,\"type\":\"switch\",\"vendor\":\"Mellanox\"}"

CASE_WITH(a_device_is_the_system_of_its_name, bed_new, bed_free)
{
	struct bed *b = *state;
	const char *cure;
	struct obs *o;

	facts_set(&b->facts, "guid", "");
	o = decode(b, "systems",
		"[{\"system_name\":\"luna-0218\",\"guid\":\"0c42a10300280000\","
		"\"type\":\"host\"}," SYSTEM "]");
	assert_string_equal(fact_of(o, "guid"), "1c34da0300728606");
	assert_string_equal(fact_of(o, "kind"), "switch");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_MODEL, 0), "MQM8700");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_OS_VERSION, 0), "3.10.4006");
	assert_int_equal(capability_of(o, "port state", NULL), VALID_UNKNOWN);
	assert_int_equal(capability_of(o, "PFC frames per priority", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	/* Another name is the UFM itself, and it says so. */
	b->t.device = "ufm";
	o = decode(b, "systems", "[" SYSTEM "]");
	assert_string_equal(fact_of(o, "guid"), "");
	assert_string_equal(fact_of(o, "whole-fabric"), "1");
	assert_int_equal(capability_of(o, "port state", &cure), VALID_UNSUPPORTED);
	assert_non_null(strstr(cure, "no system of UFM has this name"));
	obs_free(o);
}

#define SWITCH_PORT(number, rest)                                                                  \
	"{\"active_speed\":\"HDR\",\"active_width\":\"4x\",\"description\":\"Switch IB Port\","    \
	"\"dname\":\"" number "\",\"external_number\":1,\"guid\":\"1c34da0300728606\","            \
	"\"high_ber_severity\":\"N/A\",\"lid\":2,\"mtu\":2048,\"name\":\"1c34da0300728606_" number \
	"\",\"node_description\":\"SLG01-02:" number "\",\"number\":" number                       \
	",\"systemID\":\"1c34da0300728606\",\"system_name\":\"SLG01-02\"," rest "}"
#define TO_HOST                                                                                    \
	"\"logical_state\":\"Active\",\"physical_state\":\"Link Up\",\"peer\":"                    \
	"\"0c42a103001b8256_1\",\"peer_node_description\":\"luna-0001 mlx5_10\","                  \
	"\"peer_node_name\":\"luna-0001\",\"peer_port_dname\":\"HCA-2/1\""
#define TO_SPINE                                                                                   \
	"\"logical_state\":\"Active\",\"physical_state\":\"Link Up\",\"peer\":"                    \
	"\"0c42a103005de2f0_6\",\"peer_node_description\":\"SLG02-07:6\",\"peer_node_name\":"      \
	"\"SLG02-07\",\"peer_port_dname\":\"6\""

static const char *down_reason(const struct obs *o, const char *port)
{
	return attr_word(at_port(o, port), ATTR_DOWN_REASON, 0);
}

CASE_WITH(ports_of_a_switch, bed_new, bed_free)
{
	struct obs *o = decode(*state, "ports",
		"[" SWITCH_PORT("1", TO_HOST) "," SWITCH_PORT("2", TO_SPINE) "," SWITCH_PORT("3",
			"\"logical_state\":\"Initialize\",\"physical_"
			"state\":\"Link Up\"") "," SWITCH_PORT("4",
			"\"logical_state\":\"Down\",\"physical_state\":"
			"\"Polling\"") "]");
	char peer[160];

	assert_int_equal(o->ports.n, 4);
	assert_string_equal(attr_word(at_port(o, "1"), ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(at_port(o, "1"), ATTR_LINK_LAYER, 0), "infiniband");
	assert_true(attr_number(at_port(o, "1"), ATTR_SPEED_MBPS, 0) == 200000);
	assert_string_equal(lldp_of(at_port(o, "1"), peer, sizeof(peer)), "luna-0001:mlx5_10");
	assert_string_equal(lldp_of(at_port(o, "2"), peer, sizeof(peer)), "SLG02-07:6");
	assert_string_equal(attr_word(at_port(o, "3"), ATTR_OPER, 0), "down");
	assert_string_equal(down_reason(o, "3"), "no subnet manager has made it active");
	assert_string_equal(down_reason(o, "4"), "Polling");
	/* Nobody has said that a port without a cable should be up. */
	assert_string_equal(attr_word(at_port(o, "4"), ATTR_ADMIN, 0), "unknown");
	obs_free(o);
}

/* The history of a device by port: the newest time counts. */
#define AT(time, wait)                                                                             \
	"\"" time "\":{\"Port\":{\"1c34da0300728606_1\":{\"statistics\":{\"Infiniband_MBOut\":"    \
	"4086720,\"Infiniband_MBIn\":4087008,\"Infiniband_PckOut\":14190,\"Infiniband_PckIn\":"    \
	"14191,\"Infiniband_XmitWait\":" wait ",\"Infiniband_LinkDowned\":3,"                      \
	"\"Infiniband_Normalized_CBW\":12.5},\"guid\":\"1c34da0300728606_1\",\"name\":"            \
	"\"SLG01-02:1\"}}}"

CASE_WITH(counters_of_a_switch, bed_new, bed_free)
{
	struct obs *o = decode(*state, "counters",
		"{\"data\":{" AT("2026-01-01 19:12:36", "500") "," AT(
			"2026-01-01 19:12:06", "400") "}}");

	assert_int_equal(o->ports.n, 1);
	assert_int_equal(cell_count(at_port(o, "1"), "tx_wait", 0), 500);
	assert_int_equal(cell_count(at_port(o, "1"), "tx_bytes", 0), 4086720);
	assert_int_equal(cell_count(at_port(o, "1"), "link_down_events", 0), 3);
	assert_int_equal(capability_of(o, "port counters", NULL), VALID_OK);
	assert_int_equal(count_of(o, MANAGER_CONGESTION), 1);
	assert_string_equal(note_of(o, MANAGER_CONGESTION, 0).port, "1");
	obs_free(o);
}

/* ---- missing parts ---- */

CASE_WITH(a_missing_plugin_is_said_with_its_cure, bed_new, bed_free)
{
	static const struct {
		const char *request, *need, *cure;
	} parts[] = {{"congestion", "UFM congestion", "enable UFM Telemetry"},
		{"counters", "port counters", "history_enabled"},
		{"unhealthy", "UFM unhealthy ports", "does not have it"}};
	static const char page[] = "<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 2.0//EN\">\n"
				   "<title>404 Not Found</title>";
	static const char *const bodies[] = {page, "", "\"Not Found\"", "[{\"broken\""};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (size_t k = 0; k < 3; k++) {
			struct obs *o = decode(*state, parts[i].request, bodies[k]);
			const char *cure;

			assert_int_equal(capability_of(o, parts[i].need, &cure), VALID_UNSUPPORTED);
			assert_non_null(strstr(cure, parts[i].cure));
			assert_int_equal(count_of(o, MANAGER_CONGESTION), UINT32_MAX);
			assert_int_equal(count_of(o, MANAGER_UNHEALTHY), UINT32_MAX);
			obs_free(o);
		}
	/* Without its alarms nothing of UFM is known: that is an error. */
	for (size_t k = 0; k < sizeof(bodies) / sizeof(bodies[0]); k++) {
		struct bed *b = *state;
		struct obs *o = obs_new(b->t.device, "alarms");
		struct err err = {0};

		assert_false(ufm()->parse(&b->t, "alarms", bodies[k], strlen(bodies[k]), o, &err));
		assert_int_equal(err.code, ERR_PROTOCOL);
		if (k < 3)
			assert_non_null(strstr(err.cure, "/ufmRest/app/ufm_version"));
		assert_int_equal(count_of(o, MANAGER_ALARM), UINT32_MAX);
		obs_free(o);
	}
}

/* A system has other questions than the UFM itself. */
CASE_WITH(questions_by_kind_of_device, bed_new, bed_free)
{
	struct bed *b = *state;
	struct request_list l = {0};
	struct err err = {0};
	bool ports = false, top = false;

	for (int tier = 0; tier < POLL_TIER_COUNT; tier++)
		assert_true(ufm()->plan(&b->t, (enum poll_tier)tier, &l, &err));
	for (size_t i = 0; i < l.at.n; i++) {
		assert_true(ufm()->reads(&l.at.at[i]));
		ports |=
			str_eq(l.at.at[i].path, "/ufmRest/resources/ports?system=1c34da0300728606");
		assert_false(str_eq(l.at.at[i].name, "congestion"));
	}
	assert_true(ports);
	requests_free(&l);
	whole_fabric(b);
	memset(&l, 0, sizeof(l));
	for (int tier = 0; tier < POLL_TIER_COUNT; tier++)
		assert_true(ufm()->plan(&b->t, (enum poll_tier)tier, &l, &err));
	for (size_t i = 0; i < l.at.n; i++) {
		assert_true(ufm()->reads(&l.at.at[i]));
		top |= str_eq(l.at.at[i].name, "congestion");
		assert_false(str_eq(l.at.at[i].name, "ports"));
	}
	assert_true(top);
	requests_free(&l);
}

CASE(notes_survive_their_text)
{
	struct manager_note n = {.severity = SEV_WARN, .percent = 12.5}, back;
	char text[NOTE_SIZE];

	(void)str_copy(n.device, sizeof(n.device), "a|b");
	(void)str_copy(n.port, sizeof(n.port), "1/3/1");
	(void)str_copy(n.text, sizeof(n.text), "x|y: z");
	note_write(&n, text, sizeof(text));
	assert_true(note_read(text, &back));
	assert_string_equal(back.device, "a/b");
	assert_string_equal(back.port, "1/3/1");
	assert_string_equal(back.text, "x|y: z");
	assert_true(back.percent == 12.5);
	assert_int_equal(back.severity, SEV_WARN);
	assert_false(note_read("no note", &back));
}

CASES_MAIN(NULL, NULL)
