/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/backends/dialects/nxos_bed.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"

void nxos_bed_open(struct nxos_bed *b, enum transport_kind transport)
{
	memset(b, 0, sizeof(*b));
	b->target = (struct target){.device = "leaf-r0-00",
		.tier = TIER_LEAF,
		.transport = transport,
		.lossless = 1u << 3,
		.facts = &b->facts};
}

void nxos_bed_close(struct nxos_bed *b)
{
	facts_free(&b->facts);
}

struct obs *nxos_bed_parse(struct nxos_bed *b, const char *request, const char *bytes)
{
	struct obs *o = obs_new(b->target.device, request);
	struct err err = {0};

	o->received_us = NXOS_NOW;
	if (!backend_by_name("nxos")->parse(&b->target, request, bytes, strlen(bytes), o, &err))
		fail_msg("%s: %s", request, err.text);
	facts_learn(&b->facts, o);
	return o;
}

static json_t *fixture(const char *file)
{
	json_error_t e;
	json_t *all = json_load_file(file, 0, &e);

	if (!all)
		fail_msg("%s:%d: %s", file, e.line, e.text);
	return all;
}

char *nxos_bed_answer(const struct nxos_bed *b, const char *group)
{
	json_t *all = fixture("tests/backends/fixtures/nxos_cli.json"), *body;
	bool https = b->target.transport == TRANSPORT_HTTPS;
	struct buf out;
	size_t i;

	buf_init(&out, 1u << 20);
	assert_non_null(json_object_get(all, group));
	json_array_foreach(json_object_get(all, group), i, body)
	{
		char *text = json_dumps(body, JSON_COMPACT);

		if (https)
			(void)buf_addf(&out,
				"%s{\"jsonrpc\":\"2.0\",\"result\":{\"body\":%s},\"id\":%zu}",
				i ? "," : "[", text, i + 1);
		else
			(void)buf_addf(&out, "%s\n", text);
		free(text);
	}
	if (https)
		(void)buf_adds(&out, "]");
	json_decref(all);
	return buf_take(&out, NULL);
}

struct obs *nxos_bed_group(struct nxos_bed *b, const char *group)
{
	char *text = nxos_bed_answer(b, group);
	struct obs *o = nxos_bed_parse(b, group, text);

	free(text);
	return o;
}

char *nxos_bed_objects(const char *class)
{
	json_t *all = fixture("tests/backends/fixtures/nxos_dme.json"), *one, *rows = json_array();
	const char *name;
	char *text;
	json_t *doc;

	json_object_foreach(all, name, one)
	{
		json_t *a = json_array_get(one, 2);

		if (!str_starts(name, class) ||
			(name[strlen(class)] && !str_eq(class, "oper") && !str_eq(class, "queues")))
			continue;
		json_object_set(a, "dn", json_array_get(one, 1));
		json_array_append_new(
			rows, json_pack("{s:{s:O}}", json_string_value(json_array_get(one, 0)),
				      "attributes", a));
	}
	assert_true(json_array_size(rows) > 0);
	doc = json_pack("{s:s,s:o}", "totalCount", "1", "imdata", rows);
	text = json_dumps(doc, JSON_COMPACT);
	json_decref(doc);
	json_decref(all);
	return text;
}

struct obs *nxos_bed_class(struct nxos_bed *b, const char *class)
{
	char *text = nxos_bed_objects(class);
	struct obs *o = nxos_bed_parse(b, class, text);

	free(text);
	return o;
}

enum validity nxos_need(const struct obs *o, const char *need)
{
	const char *cure;

	return capability_of(o, need, &cure);
}
