/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "app/subcommands/check_private.h"
#include "app/headless/headless.h"
#include "base/str.h"
#include "diagnosis/engine/engine.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"

#define NOW (INT64_C(1700000000) * 1000000)

static void add_device(struct plan *plan, const char *name, const char *dialect)
{
	struct plan_device *d = vec_add(&plan->devices);

	(void)str_copy(d->name, sizeof(d->name), name);
	d->tier = TIER_LEAF;
	d->rail = -1;
	d->interval_us = 5000000;
	d->dialect = mem_strdup(dialect);
	d->transport = mem_strdup("ssh");
	d->address = mem_strdup("127.0.0.1");
}

static int setup(void **state)
{
	static const char *const names[] = {"a", "b", "c"};
	struct plan plan;

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "checked");
	for (size_t i = 0; i < 3; i++)
		add_device(&plan, names[i], i < 2 ? "sonic" : "eos");
	*state = model_new(&plan);
	plan_free(&plan);
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static void apply(struct model *m, struct obs *o)
{
	o->received_us = NOW;
	model_apply(m, o, NOW);
	(void)model_age(m, NOW);
	obs_free(o);
}

/* A device that answers, and cannot report two things. */
static void answers(struct model *m, const char *name)
{
	struct obs *o = obs_new(name, "fast");

	o->took_us = 12345;
	obs_word(o, OBS_NO_PORT, ATTR_MODEL, 0, "SN5600 \"x\"");
	obs_capability(o, "port counters", VALID_OK, "");
	obs_capability(o, "ECN marks", VALID_UNSUPPORTED, "");
	obs_capability(o, "watchdog", VALID_DISABLED, "turn it on");
	apply(m, o);
}

/* The counters come as well. */
static void counts(struct model *m, const char *name)
{
	struct obs *o = obs_new(name, "fast");

	o->took_us = 12345;
	obs_count(o, obs_port(o, "e1"), CTR_RX_BYTES, 0, 1000);
	apply(m, o);
}

static void refuses(struct model *m, const char *name, enum err_code code)
{
	struct obs *o = obs_new(name, "fast");

	o->result = OBS_FAILED;
	err_set(&o->err, code, name, "no\033[2J luck");
	err_cure(&o->err, "try again");
	apply(m, o);
}

/* The device answers every question that it does not have this data, as another system does. */
/* The first four answers may only have told how to ask. */
static void says_nothing(struct model *m, const char *name)
{
	for (unsigned i = 0; i < 5; i++) {
		struct obs *o = obs_new(name, "fast");

		obs_capability(o, "ECN marks", VALID_UNSUPPORTED, "");
		apply(m, o);
	}
}

static char *written(const struct model *m, bool (*write)(const struct model *, int64_t, FILE *))
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_true(write(m, NOW, f));
	assert_int_equal(fclose(f), 0);
	return text;
}

static size_t count_word(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
		n++;
	return n;
}

CASE_WITH(the_text_says_who_answers, setup, teardown)
{
	struct model *m = *state;
	char *text;

	answers(m, "a");
	answers(m, "b");
	refuses(m, "c", ERR_UNREACHABLE);
	text = written(m, check_text);
	assert_non_null(strstr(text, "12ms  SN5600 \"x\""));
	assert_non_null(strstr(text, "    unreachable: no"));
	assert_non_null(strstr(text, "    cure: try again\n"));
	assert_non_null(strstr(text, "3 devices: 2 fresh 1 unreachable\n"));
	assert_int_equal(count_word(text, "; cannot report 1, switched off 1 of 3\n"), 2);
	/* A gap of many devices is one line; a need that works has no line. */
	assert_int_equal(count_word(text, "ECN marks"), 1);
	assert_int_equal(count_word(text, "on all 2 devices\n"), 1);
	assert_int_equal(count_word(text, "on all 2 devices; turn it on\n"), 1);
	assert_null(strstr(text, "port counters"));
	assert_null(strchr(text, '\033'));
	free(text);
}

CASE_WITH(gaps_are_told_apart_by_dialect, setup, teardown)
{
	struct model *m = *state;
	char *text;

	answers(m, "a");
	answers(m, "c");
	text = written(m, check_text);
	assert_int_equal(count_word(text, "ECN marks"), 2);
	assert_int_equal(count_word(text, "unsupported  on a\n"), 1);
	assert_int_equal(count_word(text, "unsupported  on c\n"), 1);
	free(text);
}

static bool json_of_devices(const struct model *m, int64_t now_us, FILE *out)
{
	return check_json(m, NULL, NULL, NULL, now_us, out);
}

/* ---- the metrics engine ---- */

static struct prometheus_map *mapping(void)
{
	static const enum counter_id ids[] = {CTR_RX_BYTES, CTR_TX_BYTES, CTR_FEC_BIN};
	static const char *const names[] = {"rx_total", "tx_total", "bins_total"};
	struct prometheus_map *map = prometheus_map_new();

	for (int i = 0; i < 3; i++) {
		struct prometheus_rule *r = prometheus_rule_new();

		r->metric = mem_strdup(names[i]);
		r->tells = PROMETHEUS_COUNTER;
		r->counter = ids[i];
		r->cursor = ids[i] == CTR_FEC_BIN;
		vec_push(&map->rules, r);
	}
	return map;
}

static void make_plan(struct plan *plan)
{
	plan_init(plan);
	plan->engine.url = mem_strdup("http://p:9090");
	add_device(plan, "a", "sonic");
	add_device(plan, "b", "sonic");
	add_device(plan, "c", "eos");
	plan->devices.at[0].by_engine = plan->devices.at[1].by_engine = true;
}

static char *prometheus_text(const struct check_engine *c)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	check_engine_text(c, NOW, f);
	assert_int_equal(fclose(f), 0);
	return text;
}

CASE_WITH(the_engine_is_checked, setup, teardown)
{
	struct model *m = *state;
	struct prometheus_map *map = mapping();
	struct check_engine c;
	struct plan plan;
	struct obs *o = obs_new("a", REQUEST_ENGINE);
	char *text;

	make_plan(&plan);
	(void)obs_port(o, "e0");
	o->ports.at[0].sample_us = NOW - 7000000;
	obs_count(o, 0, CTR_RX_BYTES, 0, 1);
	apply(m, o);
	check_engine_find(&c, &plan, map, m);
	text = prometheus_text(&c);
	assert_string_equal(text,
		"\nmetrics engine http://p:9090: data of 1 of 2 devices, newest sample 7 s old\n"
		"  1 of 2 mapped metrics have no data: tx_total\n");
	free(text);
	check_engine_free(&c);
	prometheus_map_free(map);
	plan_free(&plan);
}

CASE_WITH(an_engine_that_is_down_is_said, setup, teardown)
{
	struct model *m = *state;
	struct prometheus_map *map = mapping();
	struct check_engine c;
	struct plan plan;
	struct obs *o = obs_new("a", REQUEST_ENGINE);
	char *text;

	make_plan(&plan);
	o->result = OBS_FAILED;
	err_set(&o->err, ERR_UNAUTHORISED, "p", "401");
	err_cure(&o->err, "see token:");
	apply(m, o);
	check_engine_find(&c, &plan, map, m);
	text = prometheus_text(&c);
	assert_string_equal(text, "\nmetrics engine http://p:9090: data of 0 of 2 devices\n"
				  "  unauthorised: 401\n  cure: see token:\n");
	free(text);
	check_engine_free(&c);
	/* Without one nothing is said. */
	free(plan.engine.url);
	plan.engine.url = NULL;
	check_engine_find(&c, &plan, map, m);
	text = prometheus_text(&c);
	assert_string_equal(text, "");
	free(text);
	check_engine_free(&c);
	prometheus_map_free(map);
	plan_free(&plan);
}

CASE_WITH(the_json_holds_all_devices, setup, teardown)
{
	struct model *m = *state;
	json_t *o, *d;
	char *text;

	answers(m, "a");
	refuses(m, "b", ERR_UNAUTHORISED);
	text = written(m, json_of_devices);
	o = json_loads(text, 0, NULL);
	free(text);
	assert_non_null(o);
	assert_int_equal(json_integer_value(json_object_get(o, "schema")), 1);
	assert_string_equal(json_string_value(json_object_get(o, "fabric")), "checked");
	d = json_object_get(o, "coverage");
	assert_int_equal(json_integer_value(json_object_get(d, "devices")), 3);
	assert_int_equal(json_integer_value(json_object_get(d, "fresh")), 1);
	assert_int_equal(json_integer_value(json_object_get(d, "unauthorised")), 1);
	assert_int_equal(json_integer_value(json_object_get(d, "pending")), 1);
	assert_int_equal(json_array_size(json_object_get(o, "devices")), 3);
	d = json_array_get(json_object_get(o, "devices"), 0);
	assert_string_equal(json_string_value(json_object_get(d, "model")), "SN5600 \"x\"");
	assert_int_equal(json_integer_value(json_object_get(d, "took_ms")), 12);
	assert_int_equal(json_array_size(json_object_get(d, "capabilities")), 3);
	assert_null(json_object_get(d, "error"));
	d = json_object_get(json_array_get(json_object_get(o, "devices"), 1), "error");
	assert_string_equal(json_string_value(json_object_get(d, "code")), "unauthorised");
	assert_string_equal(json_string_value(json_object_get(d, "cure")), "try again");
	d = json_array_get(json_object_get(o, "devices"), 2);
	assert_null(json_object_get(d, "took_ms"));
	json_decref(o);
}

CASE_WITH(who_is_not_understood_is_said, setup, teardown)
{
	struct model *m = *state;
	char *text;
	json_t *o, *v;

	answers(m, "c");
	says_nothing(m, "a");
	refuses(m, "b", ERR_PROTOCOL);
	text = written(m, check_text);
	assert_non_null(strstr(text, "3 devices: 1 fresh 2 not understood\n"));
	assert_non_null(strstr(text, "2 devices answer, but not as dialect sonic; first a: its "
				     "answers have nothing of dialect sonic\n"));
	assert_non_null(
		strstr(text, "  cure: check that it has dialect sonic: railtop discover --seed a"));
	assert_int_equal(count_word(text, "devices answer, but not"), 1);
	/* A need that only another system has is no gap of this one. */
	assert_non_null(strstr(text, "ECN marks                        unsupported  on c\n"));
	free(text);
	assert_int_equal(headless_exit_code(m), EXIT_UNREACHED);
	text = written(m, json_of_devices);
	o = json_loads(text, 0, NULL);
	free(text);
	v = json_object_get(o, "coverage");
	assert_int_equal(json_integer_value(json_object_get(v, "fresh")), 1);
	assert_int_equal(json_integer_value(json_object_get(v, "not_understood")), 2);
	v = json_array_get(json_object_get(o, "devices"), 0);
	assert_string_equal(json_string_value(json_object_get(v, "state")), "not_understood");
	v = json_object_get(v, "error");
	assert_string_equal(json_string_value(json_object_get(v, "code")), "protocol");
	json_decref(o);
}

/* Its identity was understood; that its ports are well nobody knows. */
CASE_WITH(who_has_no_counters_is_said, setup, teardown)
{
	struct model *m = *state;
	struct obs *o = obs_new("c", "fast");
	char *text;

	answers(m, "a");
	answers(m, "b");
	obs_word(o, OBS_NO_PORT, ATTR_MODEL, 0, "x");
	obs_capability(o, "port counters", VALID_UNSUPPORTED, "");
	apply(m, o);
	text = written(m, check_text);
	assert_non_null(strstr(text, "no port counters from c\n"));
	free(text);
	assert_int_equal(headless_exit_code(m), EXIT_UNREACHED);
}

CASE_WITH(the_exit_code_tells_whether_all_answered, setup, teardown)
{
	struct model *m = *state;

	counts(m, "a");
	counts(m, "b");
	assert_int_equal(headless_exit_code(m), EXIT_UNREACHED);
	answers(m, "c");
	assert_int_equal(headless_exit_code(m), EXIT_UNREACHED);
	counts(m, "c");
	assert_int_equal(headless_exit_code(m), EXIT_FINE);
	refuses(m, "c", ERR_UNREACHABLE);
	assert_int_equal(headless_exit_code(m), EXIT_UNREACHED);
	answers(m, "c");
	refuses(m, "a", ERR_UNAUTHORISED);
	assert_int_equal(headless_exit_code(m), EXIT_UNREACHED);
}

/* A text that was cut to its buffer within a character costs neither its device nor the verdict. */
CASE_WITH(cut_characters_cost_nothing, setup, teardown)
{
	struct model *m = *state;
	struct diag *d = diag_new();
	const char *sentence, *error;
	const struct err *none = m->devices.at[0]->err;
	const struct err cut = {.code = ERR_IO, .text = "no route to caf\xc3"};
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	json_t *o;

	assert_non_null(f);
	d->verdict.state = FABRIC_SUSPECT;
	(void)str_copy(d->verdict.hint, sizeof(d->verdict.hint), "caf\xc3");
	m->devices.at[0]->err = &cut;
	assert_true(check_json(m, d, NULL, NULL, NOW, f));
	m->devices.at[0]->err = none;
	assert_int_equal(fclose(f), 0);
	o = json_loads(text, 0, NULL);
	assert_non_null(o);
	assert_int_equal(json_unpack(o, "{s:{s:s}, s:[{s:{s:s}}]}", "verdict", "text", &sentence,
				 "devices", "error", "text", &error),
		0);
	assert_non_null(strstr(sentence, "strongest hint: caf?"));
	assert_non_null(strstr(error, "no route to caf?"));
	json_decref(o);
	free(text);
	diag_free(d);
}

CASE(files_are_written_whole_or_not_at_all)
{
	struct err err = {0};
	FILE *f;

	assert_null(headless_open("/nonexistent/x", &err));
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.origin, "/nonexistent/x");
	assert_ptr_equal(headless_open("-", &err), stdout);
	memset(&err, 0, sizeof(err));
	f = headless_open("/dev/full", &err);
	assert_non_null(f);
	/* It stays in the buffer: only the close can see it. */
	assert_true(fputs("x", f) >= 0);
	assert_false(headless_close(f, "/dev/full", &err));
	assert_int_equal(err.code, ERR_IO);
	assert_non_null(strstr(err.text, "No space left"));
}

CASES_MAIN(NULL, NULL)
