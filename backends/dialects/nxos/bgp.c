/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/nxos/nxos.h"
#include "base/str.h"

/*
 * Decodes "show bgp all summary vrf all": sessions by VRF and address family. "show bgp sessions
 * vrf all" after it has the number of times that each session went down.
 */

struct bgp_walk {
	struct nxos_job *j;
	const char *vrf;
	enum bgp_afi afi;
	bool families; /* the body has address families: it is the summary */
	unsigned sessions;
};

/* Each one is searched among those of the summary. */
#define SESSIONS_MAX 4096

static enum bgp_afi afi_of(const char *name)
{
	if (strcasestr(name, "evpn"))
		return BGP_EVPN;
	if (strcasecmp(name, "IPv4 Unicast") == 0)
		return BGP_IPV4;
	return strcasecmp(name, "IPv6 Unicast") == 0 ? BGP_IPV6 : BGP_OTHER;
}

static void summary_row(void *ctx, const struct json_value *row)
{
	struct bgp_walk *w = ctx;
	const char *state = json_value_text_or(json_value_get(row, "state"), "");
	struct obs_bgp *s = obs_bgp(w->j->o, w->afi, w->vrf,
		json_value_text_or(json_value_get(row, "neighborid"), ""), "",
		bgp_state_by_name(state));

	if (!s)
		return;
	s->remote_as = json_value_as_number(json_value_get(row, "neighboras"));
	s->since_s = nxos_duration_s(json_value_text_or(json_value_get(row, "time"), ""));
	if (s->state == BGP_ESTABLISHED)
		(void)json_value_u64(json_value_get(row, "prefixreceived"), &s->prefixes);
}

static void saf_row(void *ctx, const struct json_value *row)
{
	struct bgp_walk *w = ctx;

	w->afi = afi_of(json_value_text_or(json_value_get(row, "af-name"), ""));
	nxos_each(row, "neighbor", summary_row, w);
}

static void af_row(void *ctx, const struct json_value *row)
{
	struct bgp_walk *w = ctx;

	w->families = true;
	nxos_each(row, "saf", saf_row, w);
}

/* Adds details to a session of the summary, or adds the session. */
static void session_row(void *ctx, const struct json_value *row)
{
	struct bgp_walk *w = ctx;
	struct obs *o = w->j->o;
	const char *peer = json_value_text_or(json_value_get(row, "neighbor-id"), "");
	uint64_t drops = UINT64_MAX;
	struct obs_bgp *s;
	bool known = false;

	if (++w->sessions > SESSIONS_MAX)
		return;
	(void)json_value_u64(json_value_get(row, "connectionsdropped"), &drops);
	for (size_t i = 0; i < o->bgp.n; i++) {
		s = &o->bgp.at[i];
		if (!str_eq(obs_text(o, s->peer), peer) || !str_eq(obs_text(o, s->vrf), w->vrf))
			continue;
		s->drops = drops;
		known = true;
	}
	if (known)
		return;
	s = obs_bgp(o, strchr(peer, ':') ? BGP_IPV6 : BGP_IPV4, w->vrf, peer, "",
		bgp_state_by_name(json_value_text_or(json_value_get(row, "state"), "")));
	if (!s)
		return;
	s->remote_as = json_value_as_number(json_value_get(row, "remoteas"));
	s->since_s = nxos_duration_s(json_value_text_or(json_value_get(row, "lastflap"), ""));
	s->drops = drops;
}

static void vrf_row(void *ctx, const struct json_value *row)
{
	struct bgp_walk *w = ctx;
	uint32_t asn = json_value_as_number(json_value_get(row, "vrf-local-as"));
	const char *id = json_value_text_or(json_value_get(row, "vrf-router-id"), "");

	w->vrf = json_value_text_or(json_value_get(row, "vrf-name-out"), "default");
	nxos_each(row, "af", af_row, w);
	nxos_each(row, "neighbor", session_row, w);
	if (!str_eq(w->vrf, "default"))
		return;
	if (asn)
		obs_number(w->j->o, OBS_NO_PORT, ATTR_BGP_AS, 0, asn);
	if (*id)
		obs_word(w->j->o, OBS_NO_PORT, ATTR_ROUTER_ID, 0, id);
}

void nxos_bgp(struct nxos_job *j, const struct json_value *body)
{
	struct bgp_walk w = {.j = j};

	nxos_each(body, "vrf", vrf_row, &w);
	if (!w.families && !json_value_get(body, "totalpeers"))
		return;
	/* Only the summary has every family of a session. */
	j->o->bgp_whole |= w.families;
	need_say(j->o, NEED_BGP, VALID_OK, "");
}
