/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/export/snapshot_private.h"
#include "base/json_out.h"

static json_t *count_or_null(uint64_t n)
{
	return n > INT64_MAX ? json_null() : json_integer((json_int_t)n);
}

static json_t *time_or_null(const struct model *m, int64_t us)
{
	return us > 0 ? json_number_or_null((double)model_wall(m, us) / 1e6) : json_null();
}

static json_t *session_json(const struct model *m, const struct bgp_session *s)
{
	json_t *o = json_pack("{s:o, s:o, s:s, s:s, s:b, s:b}", "peer", json_text(s->peer), "vrf",
		json_text(s->vrf), "afi", bgp_afi_name((enum bgp_afi)s->afi), "state",
		bgp_state_name((enum bgp_state)s->state), "gone", s->gone, "ok", bgp_session_ok(s));

	json_put(o, "host", json_text_or_null(s->host));
	json_put(o, "remote_as", s->remote_as ? count_or_null(s->remote_as) : json_null());
	json_put(o, "since", time_or_null(m, s->since_us));
	json_put(o, "prefixes", count_or_null(s->prefixes));
	json_put(o, "drops", count_or_null(s->drops));
	json_put(o, "downs", count_or_null(s->downs));
	json_put(o, "last_down", time_or_null(m, s->last_down_us));
	return o;
}

json_t *snapshot_bgp(const struct model *m, const struct device *d)
{
	json_t *list;

	if (!d->bgp_us)
		return json_null();
	list = json_array();
	for (size_t i = 0; i < d->bgp.n; i++)
		json_append(list, session_json(m, &d->bgp.at[i]));
	return list;
}

static const struct bgp_session *first_bad(const struct device *d)
{
	for (size_t i = 0; i < d->bgp.n; i++)
		if (!bgp_session_ok(&d->bgp.at[i]))
			return &d->bgp.at[i];
	return NULL;
}

void snapshot_bgp_line(const struct model *m, FILE *out)
{
	const struct bgp_session *bad = NULL;
	const struct device *whose = NULL;
	unsigned all = 0, up = 0, shut = 0;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		for (size_t j = 0; j < d->bgp.n; j++) {
			shut += d->bgp.at[j].state == BGP_ADMIN_DOWN;
			up += d->bgp.at[j].state == BGP_ESTABLISHED && !d->bgp.at[j].gone;
		}
		all += (unsigned)d->bgp.n;
		if (bad)
			continue;
		bad = first_bad(d);
		whose = d;
	}
	if (!all)
		return;
	(void)fprintf(out, "bgp: %u of %u sessions established, %u shut on purpose", up, all, shut);
	if (bad)
		(void)fprintf(out, "; first that is not: %s to %s%s%s%s %s", whose->name, bad->peer,
			bad->host[0] ? " (" : "", bad->host, bad->host[0] ? ")" : "",
			bad->gone ? "gone" : bgp_state_name((enum bgp_state)bad->state));
	(void)fprintf(out, "\n");
}
