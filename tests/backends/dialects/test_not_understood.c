/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that answer each question with something that is not of their dialect. */
#include <stdio.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "tests/support/cases.h"

#define T0 (INT64_C(1700000000) * CLOCK_SEC)

/* The output of real systems for a command that they do not have. */
static const char *const garbage[] = {"", "\n",
	"*****************************************\n* AUTHORISED USE ONLY. All is logged.   *\n"
	"*****************************************\n",
	"% Invalid input at line 1\n", "                     ^\n% Invalid command at '^' marker.\n",
	"bash: sonic-db-cli: command not found\nsh: 1: nv: not found\n",
	"<!DOCTYPE html>\n<html><head><title>Sign in</title></head>"
	"<body>Please log in.</body></html>\n",
	"{}", "[]", "null", "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": []}",
	"{\"error\": \"not found\"}", "OK\n", "This account is currently not available.\n"};
#define GARBAGE (sizeof(garbage) / sizeof(garbage[0]))

struct bed {
	struct plan plan;
	struct model *m;
	struct target target;
	struct facts facts;
	const struct backend_ops *ops;
	int64_t now;
};

static void bed_init(
	struct bed *b, const struct backend_ops *ops, enum transport_kind k, enum tier tier)
{
	struct plan_device *d;

	*b = (struct bed){.ops = ops, .now = T0};
	plan_init(&b->plan);
	d = vec_add(&b->plan.devices);
	(void)str_copy(d->name, sizeof(d->name), "d");
	d->tier = tier;
	d->dialect = mem_strdup(ops->name);
	d->transport = mem_strdup(transport_name(k));
	b->m = model_new(&b->plan);
	b->target = (struct target){
		.device = "d", .tier = tier, .transport = k, .lossless = 8, .facts = &b->facts};
}

static void bed_free(struct bed *b)
{
	model_free(b->m);
	plan_free(&b->plan);
	facts_free(&b->facts);
}

/* As the collector does with an answer. */
static bool take(struct bed *b, const char *request, const char *text)
{
	struct obs *o = obs_new("d", request), *connected = obs_new("d", "connect");
	struct err err = {0};
	bool again = false;

	connected->result = OBS_CONNECTED;
	model_apply(b->m, connected, b->now);
	obs_free(connected);
	o->received_us = b->now;
	if (!b->ops->parse(&b->target, request, text, strlen(text), o, &err)) {
		obs_free(o);
		o = obs_new("d", request);
		o->received_us = b->now;
		o->result = OBS_FAILED;
		assert_int_not_equal(err.code, ERR_NONE);
		o->err = err;
	}
	for (struct obs *i = o; i; i = i->more) {
		facts_learn(&b->facts, i);
		again |= i->again;
		model_apply(b->m, i, b->now);
	}
	obs_free(o);
	return again;
}

static void ask(struct bed *b, enum poll_tier tier, const char *text)
{
	bool again = true;

	for (int times = 0; times < 3 && again; times++) {
		struct request_list list = {0};
		struct err err = {0};

		again = false;
		(void)b->ops->plan(&b->target, tier, &list, &err);
		for (size_t i = 0; i < list.at.n; i++)
			if (!list.at.at[i].follow)
				again |= take(b, list.at.at[i].name, text);
		requests_free(&list);
	}
}

static const struct device *asked(struct bed *b, const char *text, int rounds)
{
	ask(b, POLL_DETECT, text);
	for (int i = 0; i < rounds; i++) {
		ask(b, POLL_FAST, text);
		ask(b, POLL_MEDIUM, text);
		ask(b, POLL_SLOW, text);
		b->now += 5 * CLOCK_SEC;
	}
	b->now -= 4 * CLOCK_SEC;
	(void)model_age(b->m, b->now);
	return b->m->devices.at[0];
}

static void try_one(
	const struct backend_ops *ops, enum transport_kind k, enum tier tier, const char *text)
{
	struct bed b;
	const struct device *d;

	bed_init(&b, ops, k, tier);
	d = asked(&b, text, 2);
	if (d->state != DEV_NOT_UNDERSTOOD)
		fail_msg("%s over %s that says \"%s\" is %s", ops->name, transport_name(k), text,
			dev_state_name(d->state));
	assert_int_equal(d->last_ok_us, 0);
	assert_string_not_equal(d->err->text, "");
	bed_free(&b);
}

/* For each dialect, each request and each nonsense answer. */
CASE(nonsense_is_not_fresh)
{
	for (size_t i = 0; i < backend_count; i++)
		for (unsigned k = 0; k < TRANSPORT_COUNT * GARBAGE; k++) {
			enum transport_kind kind = k / GARBAGE;
			const char *text = garbage[k % GARBAGE];

			if (!(backend_table[i]->transports & 1U << kind))
				continue;
			try_one(backend_table[i], kind, TIER_LEAF, text);
			if (str_eq(backend_table[i]->name, "linux"))
				try_one(backend_table[i], kind, TIER_HOST, text);
		}
}

/* The words of the device are in the error, so that one need not log in to see them. */
CASE(what_it_said_is_told)
{
	static const struct {
		const char *dialect;
		enum transport_kind k;
		const char *said, *told;
	} cases[] = {{"eos", TRANSPORT_SSH, "% Invalid input\n", "% Invalid input"},
		{"nxos", TRANSPORT_SSH, "% Invalid command at '^' marker.\n", "% Invalid command"},
		{"sonic", TRANSPORT_SSH, "bash: sonic-db-cli: command not found\n",
			"command not found"},
		{"eos", TRANSPORT_HTTPS, "<html>Sign in</html>", "<html>Sign in"},
		{"linux", TRANSPORT_SSH, "", "nothing"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bed b;
		const struct device *d;

		bed_init(&b, backend_by_name(cases[i].dialect), cases[i].k, TIER_LEAF);
		d = asked(&b, cases[i].said, 1);
		if (!strstr(d->err->text, cases[i].told))
			fail_msg("%s: \"%s\"", cases[i].dialect, d->err->text);
		assert_string_not_equal(d->err->cure, "");
		bed_free(&b);
	}
}

CASES_MAIN(NULL, NULL)
