/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/emulator/support/nxos_bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tests/support/cases.h"

/* ref256 with Nexus switches as leaves. */
struct bed {
	struct rig r;
	struct topology *topology;
};

int nxos_bed_open(void **state)
{
	const struct sim_platform *platform[TIER_COUNT] = {
		[TIER_LEAF] = sim_platform("nxos"), [TIER_SPINE] = sim_platform("nxos")};
	struct bed *b = calloc(1, sizeof(*b));
	struct sim_opts o = {.seed = 7, .start_us = RIG_START, .speed = 1, .steady = true};

	assert_non_null(b);
	b->topology = topology_of_sizing(sizing_preset("ref256"), platform);
	o.topology = b->topology;
	b->r.sim = sim_new(&o);
	sim_advance(b->r.sim, RIG_NOW);
	b->r.ctx = personality_new(b->r.sim);
	personality_credentials(b->r.ctx, "noc", "pässword");
	buf_init(&b->r.out, 64u << 20);
	buf_init(&b->r.err, 1u << 20);
	*state = b;
	return 0;
}

int nxos_bed_close(void **state)
{
	struct bed *b = *state;

	rig_close(&b->r);
	topology_free(b->topology);
	free(b);
	return 0;
}

struct rig *nxos_rig(void **state)
{
	return &((struct bed *)*state)->r;
}

struct sim_port *nxos_port(struct rig *r)
{
	return &rig_device(r, LEAF)->ports[4];
}

struct sim_port *nxos_uplink(struct rig *r)
{
	struct sim_device *d = rig_device(r, LEAF);

	for (unsigned i = 0; i < d->nports; i++) {
		struct sim_port *p = &d->ports[i];

		if (!p->peer || p->peer->tier != TIER_SPINE)
			continue;
		p->bgp = (struct sim_bgp){.configured = true,
			.established = true,
			.since_us = sim_now(r->sim) - (2 * 86400 + 3661) * CLOCK_SEC,
			.resets = 2,
			.prefixes = 32};
		return p;
	}
	fail_msg("no uplink");
	return NULL;
}

const char *text_at(json_t *o, const char *path)
{
	const char *text = json_string_value(rig_at(o, path));

	if (!text)
		fail_msg("no text at %s", path);
	return text;
}

uint64_t digits_at(json_t *o, const char *path)
{
	const char *text = text_at(o, path);
	char *end;
	uint64_t v = strtoull(text, &end, 10);

	if (!*text || *end)
		fail_msg("no digits at %s: %s", path, text);
	return v;
}

uint64_t number_at(json_t *o, const char *path)
{
	if (!json_is_integer(rig_at(o, path)))
		fail_msg("no number at %s", path);
	return (uint64_t)json_integer_value(rig_at(o, path));
}

json_t *nxos_rest(struct rig *r, const char *method, const char *path, const char *query,
	const char *body, const char *token, unsigned status)
{
	char cookie[128] = "";
	struct http_request q = {
		.method = method, .path = path, .query = query, .body = body, .len = strlen(body)};
	json_t *o;

	if (token)
		(void)snprintf(cookie, sizeof(cookie), "other=1; APIC-cookie=%s", token);
	q.cookie = cookie;
	assert_int_equal(rig_http_as(r, LEAF, &q), status);
	o = json_loadb(r->out.data, r->out.len, 0, NULL);
	assert_non_null(o);
	assert_int_equal(digits_at(o, "totalCount"), json_array_size(json_object_get(o, "imdata")));
	return o;
}

void nxos_login(struct rig *r, char token[64])
{
	json_t *o = nxos_rest(r, "POST", "/api/aaaLogin.json", "",
		"{\"aaaUser\":{\"attributes\":{\"name\":\"noc\",\"pwd\":\"pässword\"}}}", NULL,
		200);
	char cookie[96];

	(void)snprintf(token, 64, "%s", text_at(o, "imdata>0>aaaLogin>attributes>token"));
	assert_int_equal(digits_at(o, "imdata>0>aaaLogin>attributes>refreshTimeoutSeconds"), 600);
	(void)snprintf(cookie, sizeof(cookie), "APIC-cookie=%s;", token);
	assert_int_equal(strncmp(r->reply.cookie, cookie, strlen(cookie)), 0);
	json_decref(o);
}
