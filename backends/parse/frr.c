/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/frr.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/parse/json_select.h"
#include "backends/parse/lag.h"
#include "backends/contract/needs.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- one session ---- */

/* Parses "01:02:03", "1d02h03m", "05w3d04h", "1y02w3d"; NAN for "never" and any other text. */
static double uptime_of_text(const char *s)
{
	static const struct {
		char letter;
		double seconds;
	} units[] = {{'y', 31536000}, {'w', 604800}, {'d', 86400}, {'h', 3600}, {'m', 60}};
	unsigned h, m, sec;
	double sum = 0;

	if (strchr(s, ':'))
		return sscanf(s, "%3u:%2u:%2u", &h, &m, &sec) == 3 ? h * 3600.0 + m * 60.0 + sec
								   : (double)NAN;
	while (*s) {
		size_t digits = strspn(s, "0123456789"), u = 0;
		uint64_t n;

		while (u < ARRAY_LEN(units) && units[u].letter != s[digits])
			u++;
		if (!digits || u == ARRAY_LEN(units) || !parse_leading_u64(s, digits, &n))
			return (double)NAN;
		sum += (double)n * units[u].seconds;
		s += digits + 1;
	}
	return sum > 0 ? sum : (double)NAN;
}

enum field {
	HOSTNAME,
	REMOTE_AS,
	UPTIME,
	UPTIME_MSEC,
	PREFIXES,
	PREFIXES_OLD, /* before FRR 7.3 */
	STATE,
	PEER_STATE,
	DROPPED,
	FIELDS
};
static const char *const fields[FIELDS] = {"hostname", "remoteAs", "peerUptime", "peerUptimeMsec",
	"pfxRcd", "prefixReceivedCount", "state", "peerState", "connectionsDropped"};

/* Returns the seconds in the state. A session that never was up has "never" and 0 ms. */
static double session_since(const struct json_value *const of[FIELDS])
{
	const char *text = json_value_text_or(of[UPTIME], "");
	double ms;

	if (str_eq(text, "never"))
		return (double)NAN;
	if (json_value_real(of[UPTIME_MSEC], &ms) == NUMBER_OK && ms >= 0)
		return ms / 1000;
	return uptime_of_text(text);
}

static enum bgp_state session_state(const struct json_value *const of[FIELDS])
{
	const char *state = json_value_text_or(of[STATE], "");

	/* Administratively down, even while the state machine is still shutting down. */
	if (str_eq(json_value_text_or(of[PEER_STATE], ""), "Admin"))
		return BGP_ADMIN_DOWN;
	/* Two states specific to FRR, in which a session is being torn down. */
	if (str_eq(state, "Clearing") || str_eq(state, "Deleted"))
		return BGP_IDLE;
	return bgp_state_by_name(state);
}

static uint64_t count_or_unknown(const struct json_value *v, const struct json_value *otherwise)
{
	uint64_t n;

	return json_value_u64(v, &n) || json_value_u64(otherwise, &n) ? n : UINT64_MAX;
}

struct summary {
	struct obs *o;
	bool lost; /* more sessions than a batch can hold */
};

static void add_session(struct summary *s, enum bgp_afi afi, const char *vrf, const char *name,
	const struct json_value *peer)
{
	const struct json_value *of[FIELDS];
	struct obs_bgp *b;

	if (!*name || !json_value_is(peer, DV_OBJECT))
		return;
	json_value_pick(peer, fields, FIELDS, of);
	b = obs_bgp(s->o, afi, vrf, name, json_value_text_or(of[HOSTNAME], ""), session_state(of));
	if (!b) {
		s->lost = true;
		return;
	}
	b->remote_as = json_value_as_number(of[REMOTE_AS]);
	b->since_s = session_since(of);
	b->prefixes = count_or_unknown(of[PREFIXES], of[PREFIXES_OLD]);
	b->drops = count_or_unknown(of[DROPPED], NULL);
}

/* ---- enclosing objects: VRF, address family, peers ---- */

static const struct {
	const char *prefix;
	enum bgp_afi afi;
} families[] = {
	{"ipv4Unicast", BGP_IPV4},
	{"ipv6Unicast", BGP_IPV6},
	{"l2VpnEvpn", BGP_EVPN},
	{"ipv4", BGP_OTHER}, /* multicast, labelled, VPN, flow specifications */
	{"ipv6", BGP_OTHER},
};

static bool family_of_key(const char *key, enum bgp_afi *afi)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		if (!str_starts(key, families[i].prefix))
			continue;
		*afi = families[i].afi;
		return true;
	}
	return false;
}

/*
 * Returns the family of a summary without a family name ("show bgp ipv6 summary" of old releases),
 * from its peers.
 */
static enum bgp_afi family_of_peers(const struct json_value *peers)
{
	for (json_value_members(v, peers)) {
		if (str_eq(json_value_text_or(json_value_get(v, "idType"), ""), "ipv6") ||
			strchr(json_value_name(v), ':'))
			return BGP_IPV6;
	}
	return BGP_IPV4;
}

static void add_device_attrs(struct obs *o, const char *vrf, const struct json_value *family)
{
	uint32_t as = json_value_as_number(json_value_get(family, "as"));

	if (!str_eq(vrf, "default"))
		return;
	if (as)
		obs_number(o, OBS_NO_PORT, ATTR_BGP_AS, 0, as);
	(void)json_value_word(
		o, OBS_NO_PORT, ATTR_ROUTER_ID, 0, json_value_get(family, "routerId"));
}

/* Reads the object of one family. False: it is not an object. */
static bool read_family(
	struct summary *s, enum bgp_afi afi, const char *vrf, const struct json_value *family)
{
	const struct json_value *peers = json_value_get(family, "peers");

	if (!json_value_is(family, DV_OBJECT))
		return false;
	vrf = json_value_text_or(json_value_get(family, "vrfName"), vrf);
	add_device_attrs(s->o, vrf, family);
	for (json_value_members(v, peers))
		add_session(s, afi, vrf, json_value_name(v), v);
	return true;
}

/* Reads the members of a VRF, or of a document without VRFs: families, or the peers themselves. */
static bool read_instance(struct summary *s, const char *vrf, const struct json_value *instance)
{
	bool any = false;
	enum bgp_afi afi;

	if (json_value_is(json_value_get(instance, "peers"), DV_OBJECT))
		return read_family(
			s, family_of_peers(json_value_get(instance, "peers")), vrf, instance);
	for (json_value_members(v, instance)) {
		if (family_of_key(json_value_name(v), &afi))
			any |= read_family(s, afi, vrf, v);
	}
	return any;
}

/* Reads members that are VRFs: "show bgp vrf all summary json". */
static bool read_vrfs(struct summary *s, const struct json_value *doc)
{
	bool any = false;

	for (json_value_members(v, doc)) {
		if (json_value_is(v, DV_OBJECT))
			any |= json_value_size(v) == 0 || read_instance(s, json_value_name(v), v);
	}
	return any;
}

/* Reads "show bgp [vrf all] summary json" of any release; false: another document. */
static bool read_summary(const struct json_value *doc, struct obs *o)
{
	struct summary s = {.o = o};

	/* An empty object means that there is no BGP instance. */
	if (!json_value_is(doc, DV_OBJECT) ||
		(json_value_size(doc) > 0 && !read_instance(&s, "default", doc) &&
			!read_vrfs(&s, doc)))
		return false;
	o->bgp_whole = !s.lost;
	return true;
}

/* ---- refusals instead of JSON ---- */

enum verdict { NO_BGP, NOT_STARTED, NOT_ALLOWED, NOT_THERE };

static const struct {
	const char *text;
	enum verdict verdict;
} refusals[] = {
	/* Check permissions first: after such an error vtysh also reports that no daemon runs. */
	{"permission denied", NOT_ALLOWED},
	{"operation not permitted", NOT_ALLOWED},
	{"as a privileged user", NOT_ALLOWED},
	{"password is required", NOT_ALLOWED},
	{"terminal is required", NOT_ALLOWED},
	{"not in the sudoers", NOT_ALLOWED},
	{"not allowed to execute", NOT_ALLOWED},
	{"bgp not running", NO_BGP},
	{"bgp instance not found", NO_BGP},
	{"no bgp process", NO_BGP},
	{"no bgp neighbors found", NO_BGP},
	{"is not running", NOT_STARTED},
	{"no such container", NOT_STARTED},
	{"failed to connect to any daemons", NOT_STARTED},
	{"cannot connect to the docker daemon", NOT_STARTED},
	{"command not found", NOT_THERE},
	{"vtysh: not found", NOT_THERE},
	{"docker: not found", NOT_THERE},
	{"no such file or directory", NOT_THERE},
	{"unknown command", NOT_THERE},
};

/* Like memmem(), but ignores case; word is in lower case. */
static bool has_text(const char *bytes, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++)
		if (strncasecmp(bytes + i, word, n) == 0)
			return true;
	return false;
}

static void report_verdict(struct obs *o, enum verdict v)
{
	static const struct {
		enum validity validity;
		const char *cure;
	} words[] = {
		[NO_BGP] = {VALID_DISABLED,
			"no BGP is configured: vtysh -c 'configure terminal' -c 'router bgp AS'"},
		[NOT_STARTED] = {VALID_DISABLED,
			"start the BGP daemon: sudo systemctl restart frr (SONiC: bgp)"},
		[NOT_ALLOWED] = {VALID_DISABLED,
			"let the user run vtysh: sudo usermod -aG frrvty USER, then log in again"},
		[NOT_THERE] = {VALID_UNSUPPORTED, ""},
	};

	/* No instance means no sessions: known sessions are gone. */
	o->bgp_whole |= v == NO_BGP;
	need_say(o, NEED_BGP, words[v].validity, words[v].cure);
}

/* A refusal has a few lines at most; longer output is not searched to its end. */
#define REFUSAL_BYTES 4096

static bool read_refusal(const char *bytes, size_t len, struct obs *o)
{
	size_t n = len < REFUSAL_BYTES ? len : REFUSAL_BYTES;

	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		if (!has_text(bytes, n, refusals[i].text))
			continue;
		report_verdict(o, refusals[i].verdict);
		return true;
	}
	return false;
}

/*
 * vtysh prints PAM errors on standard error without a line end, so the JSON may not start a line.
 */
static struct json_value *parse_document(const char *bytes, size_t len, const char *origin)
{
	struct json_value *doc = json_value_parse(bytes, len, origin, NULL);
	const char *brace = doc || !len ? NULL : memchr(bytes, '{', len);

	return brace ? json_value_parse(brace, len - (size_t)(brace - bytes), origin, NULL) : doc;
}

bool frr_read_bgp(const char *bytes, size_t len, struct obs *o)
{
	struct json_value *doc = parse_document(bytes, len, o->device);
	const char *warning = json_value_text(json_value_get(doc, "warning"));
	bool ok;

	if (warning)
		ok = read_refusal(warning, strlen(warning), o);
	else if (doc)
		ok = read_summary(doc, o);
	else
		ok = read_refusal(bytes, len, o);
	if (ok && doc && !warning) {
		if (json_value_size(doc) == 0)
			report_verdict(o, NO_BGP);
		else
			need_say(o, NEED_BGP, VALID_OK, "");
	}
	free(doc);
	return ok;
}

/* ---- segments of EVPN multihoming ---- */

static bool has_flag(const struct json_value *es, const char *flag)
{
	for (json_value_items(v, json_value_get(es, "flags"))) {
		if (str_eq(json_value_text_or(v, ""), flag))
			return true;
	}
	return false;
}

/*
 * The list has the state since 2026, under one of two names; the details have a boolean. Before, a
 * segment whose bond is down is listed like one that is up: its state is unknown.
 */
static const char *segment_state(const struct json_value *es)
{
	static const char *const names[] = {"state", "bondState"};
	const struct json_value *oper = json_value_get(es, "operUp");

	if (has_flag(es, "bypass"))
		return "bypass";
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *text = json_value_text_or(json_value_get(es, names[i]), "");

		if (str_eq(text, "down") || str_eq(text, "up"))
			return text;
	}
	if (json_value_is(oper, DV_FALSE))
		return "down";
	return json_value_is(oper, DV_TRUE) ? "up" : "unknown";
}

void frr_segments(const struct json_value *list, struct obs *o)
{
	for (json_value_items(es, list)) {
		const char *port = json_value_text_or(json_value_get(es, "accessPort"), "");

		if (!*port || !has_flag(es, "local"))
			continue;
		lag_segment(o, port, json_value_text_or(json_value_get(es, "esi"), ""),
			segment_state(es), (unsigned)json_value_size(json_value_get(es, "vteps")));
	}
}

bool frr_no_segments(const char *bytes, size_t len)
{
	while (len && isspace((unsigned char)bytes[len - 1]))
		len--;
	while (len && isspace((unsigned char)*bytes)) {
		bytes++;
		len--;
	}
	return len == 2 && memcmp(bytes, "[]", 2) == 0;
}
