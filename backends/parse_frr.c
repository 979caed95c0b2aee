/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse_frr.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "backends/needs.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- one session ---- */

/* "01:02:03", "1d02h03m", "05w3d04h", "1y02w3d"; NAN for "never" and what is neither. */
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

/* Seconds in the state; a session that never was up says "never" beside 0 ms. */
static double session_since(const json_t *peer)
{
	const char *text = pj_text_or(pj_get(peer, "peerUptime"), "");
	double ms;

	if (str_eq(text, "never"))
		return (double)NAN;
	if (pj_real(pj_get(peer, "peerUptimeMsec"), &ms) == NUMBER_OK && ms >= 0)
		return ms / 1000;
	return uptime_of_text(text);
}

static enum bgp_state session_state(const json_t *peer)
{
	const char *state = pj_text_or(pj_get(peer, "state"), "");

	/* Shut, whatever the state machine is still busy with. */
	if (str_eq(pj_text_or(pj_get(peer, "peerState"), ""), "Admin"))
		return BGP_ADMIN_DOWN;
	/* Two states of FRR's own in which a session is being torn down. */
	if (str_eq(state, "Clearing") || str_eq(state, "Deleted"))
		return BGP_IDLE;
	return bgp_state_by_name(state);
}

static uint64_t count_or_unknown(const json_t *v, const json_t *otherwise)
{
	uint64_t n;

	return pj_u64(v, &n) || pj_u64(otherwise, &n) ? n : UINT64_MAX;
}

struct summary {
	struct obs *o;
	bool lost; /* more sessions than a batch holds */
};

static void session(
	struct summary *s, enum bgp_afi afi, const char *vrf, const char *name, const json_t *peer)
{
	struct obs_bgp *b;

	if (!*name || !json_is_object(peer))
		return;
	b = obs_bgp(s->o, afi, vrf, name, pj_text_or(pj_get(peer, "hostname"), ""),
		session_state(peer));
	if (!b) {
		s->lost = true;
		return;
	}
	b->remote_as = pj_as_number(pj_get(peer, "remoteAs"));
	b->since_s = session_since(peer);
	/* FRR before 7.3 had only the longer name. */
	b->prefixes = count_or_unknown(pj_get(peer, "pfxRcd"), pj_get(peer, "prefixReceivedCount"));
	b->drops = count_or_unknown(pj_get(peer, "connectionsDropped"), NULL);
}

/* ---- the layers around it: VRF, address family, peers ---- */

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

/* A summary without a family name ("show bgp ipv6 summary" of old releases): as its peers are. */
static enum bgp_afi family_of_peers(const json_t *peers)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)peers, name, v)
	{
		if (str_eq(pj_text_or(pj_get(v, "idType"), ""), "ipv6") || strchr(name, ':'))
			return BGP_IPV6;
	}
	return BGP_IPV4;
}

static void device_words(struct obs *o, const char *vrf, const json_t *family)
{
	uint32_t as = pj_as_number(pj_get(family, "as"));

	if (!str_eq(vrf, "default"))
		return;
	if (as)
		obs_number(o, OBS_NO_PORT, ATTR_BGP_AS, 0, as);
	(void)pj_word(o, OBS_NO_PORT, ATTR_ROUTER_ID, 0, pj_get(family, "routerId"));
}

/* The object of one family. False when it is no such object. */
static bool read_family(struct summary *s, enum bgp_afi afi, const char *vrf, const json_t *family)
{
	const json_t *peers = pj_get(family, "peers");
	const char *name;
	json_t *v;

	if (!json_is_object(family))
		return false;
	vrf = pj_text_or(pj_get(family, "vrfName"), vrf);
	device_words(s->o, vrf, family);
	json_object_foreach((json_t *)peers, name, v) session(s, afi, vrf, name, v);
	return true;
}

/* Members of a VRF, or of a document that has no VRFs: families, or the peers themselves. */
static bool read_instance(struct summary *s, const char *vrf, const json_t *instance)
{
	bool any = false;
	enum bgp_afi afi;
	const char *key;
	json_t *v;

	if (json_is_object(pj_get(instance, "peers")))
		return read_family(s, family_of_peers(pj_get(instance, "peers")), vrf, instance);
	json_object_foreach((json_t *)instance, key, v)
	{
		if (family_of_key(key, &afi))
			any |= read_family(s, afi, vrf, v);
	}
	return any;
}

/* Members that are VRFs: "show bgp vrf all summary json". */
static bool read_vrfs(struct summary *s, const json_t *doc)
{
	bool any = false;
	const char *vrf;
	json_t *v;

	json_object_foreach((json_t *)doc, vrf, v)
	{
		if (json_is_object(v))
			any |= json_object_size(v) == 0 || read_instance(s, vrf, v);
	}
	return any;
}

bool frr_parse_bgp_summary(const json_t *doc, struct obs *o)
{
	struct summary s = {.o = o};

	/* An empty object: there is no BGP instance. */
	if (!json_is_object(doc) ||
		(json_object_size(doc) > 0 && !read_instance(&s, "default", doc) &&
			!read_vrfs(&s, doc)))
		return false;
	o->bgp_whole = !s.lost;
	return true;
}

/* ---- why there is no JSON ---- */

enum verdict { NO_BGP, NOT_STARTED, NOT_ALLOWED, NOT_THERE };

static const struct {
	const char *text;
	enum verdict verdict;
} refusals[] = {
	/* Refusals of permission first: vtysh goes on to say that no daemon runs. */
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

/* As memmem(), but the case of letters does not matter; word is in lower case. */
static bool says(const char *bytes, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++)
		if (strncasecmp(bytes + i, word, n) == 0)
			return true;
	return false;
}

static void say_verdict(struct obs *o, enum verdict v)
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

	/* Without an instance there is no session either: those that were are gone. */
	o->bgp_whole |= v == NO_BGP;
	need_say(o, NEED_BGP, words[v].validity, words[v].cure);
}

/* The longest refusal is a few lines; a flood is not searched to its end. */
#define REFUSAL_BYTES 4096

static bool read_refusal(const char *bytes, size_t len, struct obs *o)
{
	size_t n = len < REFUSAL_BYTES ? len : REFUSAL_BYTES;

	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		if (!says(bytes, n, refusals[i].text))
			continue;
		say_verdict(o, refusals[i].verdict);
		return true;
	}
	return false;
}

/* vtysh complains about PAM on standard error without ending the line: the JSON goes on in it. */
static json_t *document(const char *bytes, size_t len, const char *origin)
{
	json_t *doc = parse_json(bytes, len, origin, NULL);
	const char *brace = doc || !len ? NULL : memchr(bytes, '{', len);

	return brace ? parse_json(brace, len - (size_t)(brace - bytes), origin, NULL) : doc;
}

bool frr_read_bgp(const char *bytes, size_t len, struct obs *o)
{
	json_t *doc = document(bytes, len, o->device);
	const char *warning = pj_text(pj_get(doc, "warning"));
	bool ok;

	if (warning)
		ok = read_refusal(warning, strlen(warning), o);
	else if (doc)
		ok = frr_parse_bgp_summary(doc, o);
	else
		ok = read_refusal(bytes, len, o);
	if (ok && doc && !warning) {
		if (json_object_size(doc) == 0)
			say_verdict(o, NO_BGP);
		else
			need_say(o, NEED_BGP, VALID_OK, "");
	}
	json_decref(doc);
	return ok;
}
