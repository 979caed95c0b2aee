/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/emulator/support/rig_cumulus.h"
#include "tests/support/cases.h"

/* The preset's spines speak EOS; this one is given another system. */
int nvue_setup(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct sim_device *d;
	unsigned i;

	assert_non_null(r);
	rig_open(r, NULL);
	d = rig_device(r, NVUE_SWITCH);
	d->platform = sim_platform("cumulus");
	d->dialect = d->platform->dialect;
	(void)str_copy(d->model, sizeof(d->model), d->platform->model);
	(void)str_copy(d->os_version, sizeof(d->os_version), d->platform->os);
	for (i = 0; i < d->nports; i++)
		(void)str_printf(d->ports[i].name, sizeof(d->ports[i].name), "swp%u", i + 1);
	*state = r;
	return 0;
}

int nvue_teardown(void **state)
{
	rig_close(*state);
	free(*state);
	return 0;
}

struct sim_device *nvue_switch(struct rig *r)
{
	return rig_device(r, NVUE_SWITCH);
}

unsigned nvue_ask(
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

	return rig_http_as(r, NVUE_SWITCH, &q);
}

json_t *nvue_body(struct rig *r)
{
	json_t *o = json_loadb(r->out.data, r->out.len, JSON_DECODE_ANY, NULL);

	assert_non_null(o);
	return o;
}

json_t *nvue_get(struct rig *r, const char *path)
{
	char full[256];

	(void)snprintf(full, sizeof(full), NVUE_API "/%s", path);
	assert_int_equal(nvue_ask(r, "GET", full, "rev=operational", ""), 200);
	assert_string_equal(r->reply.type, "application/json");
	return nvue_body(r);
}

/* "link>stats>in-bytes" */
json_t *nvue_at(json_t *o, const char *path)
{
	json_t *at = rig_at(o, path);

	if (!at)
		fail_msg("nothing at %s", path);
	return at;
}

void nvue_text(json_t *o, const char *path, const char *want)
{
	assert_string_equal(json_string_value(nvue_at(o, path)), want);
}

void nvue_number(json_t *o, const char *path, uint64_t want)
{
	assert_true(json_is_integer(nvue_at(o, path)));
	assert_int_equal(json_integer_value(nvue_at(o, path)), want);
}

/* Opens a revision; its id is the only key of the answer. */
void nvue_open(struct rig *r, char id[16])
{
	json_t *o;

	assert_int_equal(nvue_ask(r, "POST", NVUE_API "/revision", "", "{}"), 200);
	o = nvue_body(r);
	assert_int_equal(json_object_size(o), 1);
	(void)str_copy(id, 16, json_object_iter_key(json_object_iter(o)));
	nvue_text(json_object_get(o, id), "state", "pending");
	json_decref(o);
}

void nvue_write(struct rig *r, const char *id, const char *path, const char *body, unsigned want)
{
	char full[256], query[32];

	(void)snprintf(full, sizeof(full), NVUE_API "/%s", path);
	(void)snprintf(query, sizeof(query), "rev=%s", id);
	assert_int_equal(nvue_ask(r, "PATCH", full, query, body), want);
}

void nvue_apply(struct rig *r, const char *id, bool yes)
{
	char full[64];

	(void)snprintf(full, sizeof(full), NVUE_API "/revision/%s", id);
	assert_int_equal(nvue_ask(r, "PATCH", full, "",
				 yes ? "{\"state\":\"apply\",\"auto-prompt\":{\"ays\":\"ays_yes\"}}"
				     : "{\"state\":\"apply\"}"),
		200);
}

void nvue_state(struct rig *r, const char *id, const char *want)
{
	char path[64];
	json_t *o;

	(void)snprintf(path, sizeof(path), "revision/%s", id);
	o = nvue_get(r, path);
	nvue_text(o, "state", want);
	json_decref(o);
}

/* The sessions of the first two ports, in any fabric. */
void nvue_sessions(struct sim_device *d)
{
	d->ports[0].bgp.configured = d->ports[1].bgp.configured = true;
	d->ports[0].bgp.established = true;
	d->ports[0].bgp.prefixes = 17;
	d->ports[0].bgp.resets = 2;
	d->ports[0].bgp.since_us = RIG_NOW - INT64_C(214000000);
	d->ports[1].bgp.established = false;
}
