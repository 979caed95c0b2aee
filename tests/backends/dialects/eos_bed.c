/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/backends/dialects/eos_bed.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"

void eos_bed_open(struct eos_bed *b, enum transport_kind transport, const char *facts)
{
	char pair[256];

	*b = (struct eos_bed){0};
	while (*facts) {
		size_t n = strcspn(facts, ";");
		char *value;

		str_copyn(pair, sizeof(pair), facts, n);
		value = strchr(pair, '=');
		*value++ = '\0';
		facts_set(&b->facts, pair, value);
		facts += n + (facts[n] == ';');
	}
	b->target = (struct target){.device = "spine-000",
		.tier = TIER_SPINE,
		.transport = transport,
		.lossless = 1u << 3,
		.facts = &b->facts};
}

void eos_bed_close(struct eos_bed *b)
{
	facts_free(&b->facts);
}

struct obs *eos_bed_parse(struct eos_bed *b, const char *request, const char *bytes)
{
	struct obs *o = obs_new(b->target.device, request);
	struct err err = {0};

	o->received_us = EOS_NOW;
	if (!backend_by_name("eos")->parse(&b->target, request, bytes, strlen(bytes), o, &err))
		fail_msg("%s: %s", request, err.text);
	facts_learn(&b->facts, o);
	return o;
}

char *eos_wrap(enum transport_kind transport, const char *json, const char *text)
{
	json_t *body = json ? json_loads(json, 0, NULL) : json_pack("{s:s}", "output", text);
	json_t *answer;
	char *out;

	assert_non_null(body);
	if (transport == TRANSPORT_SSH) {
		out = text ? mem_strdup(text) : json_dumps(body, JSON_INDENT(4));
		json_decref(body);
		return out;
	}
	answer = json_pack("{s:s,s:s,s:[o]}", "jsonrpc", "2.0", "id", "railtop", "result", body);
	out = json_dumps(answer, JSON_COMPACT);
	json_decref(answer);
	return out;
}

static struct obs *parse_wrapped(
	struct eos_bed *b, const char *request, const char *json, const char *text)
{
	char *bytes = eos_wrap(b->target.transport, json, text);
	struct obs *o = eos_bed_parse(b, request, bytes);

	free(bytes);
	return o;
}

struct obs *eos_bed_body(struct eos_bed *b, const char *request, const char *json)
{
	return parse_wrapped(b, request, json, NULL);
}

struct obs *eos_bed_text(struct eos_bed *b, const char *request, const char *text)
{
	return parse_wrapped(b, request, NULL, text);
}

struct obs *eos_bed_file(struct eos_bed *b, const char *request, const char *file)
{
	char path[128], *text;
	struct obs *o;

	str_printf(path, sizeof(path), FIXTURES "%s", file);
	text = read_file(path, NULL);
	assert_non_null(text);
	o = eos_bed_text(b, request, text);
	free(text);
	return o;
}

const char *eos_bed_command(
	struct eos_bed *b, enum poll_tier tier, const char *request, char *dst, size_t size)
{
	struct request_list l = {0};
	struct err err = {0};

	*dst = '\0';
	assert_true(backend_by_name("eos")->plan(&b->target, tier, &l, &err));
	for (size_t i = 0; i < l.at.n; i++) {
		const struct request *r = &l.at.at[i];

		if (str_eq(r->name, request))
			str_copy(dst, size, r->command ? r->command : r->body);
	}
	requests_free(&l);
	return dst;
}
