/* SPDX-License-Identifier: Apache-2.0 */
/* The examples name existing metrics only: an operator who copies them gets no empty graphs. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <stdlib.h>

#include <jansson.h>

#include "archive/openmetrics/metrics.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define SCRAPE    "examples/prometheus/scrape.yml"
#define RULES     "examples/prometheus/railtop.rules.yml"
#define DASHBOARD "examples/grafana/railtop.json"

static char *text_of(const char *path)
{
	FILE *f = fopen(path, "re");
	char piece[4096];
	struct buf b;
	size_t n;

	if (!f)
		fail_msg("%s cannot be read", path);
	buf_init(&b, (size_t)1 << 20);
	while ((n = fread(piece, 1, sizeof(piece), f)))
		assert_true(buf_add(&b, piece, n));
	(void)fclose(f);
	assert_true(b.len > 0);
	return buf_take(&b, NULL);
}

static bool exposed(const char *name)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		struct metric_family f;
		char sample[96];

		metrics_family(i, &f);
		metrics_sample_name(&f, sample, sizeof(sample));
		if (str_eq(name, sample))
			return true;
	}
	return false;
}

static bool recorded(const char *rules, const char *name)
{
	char line[160];

	(void)str_printf(line, sizeof(line), "- record: %s\n", name);
	return strstr(rules, line) != NULL;
}

static bool of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':';
}

/* Returns how many names of metrics it has. */
static unsigned check_names(const char *path, const char *text, const char *rules)
{
	unsigned found = 0;

	for (const char *at = text; (at = strstr(at, "railtop_"));) {
		const char *from = at, *to = at;
		char name[128];

		while (from > text && of_name(from[-1]))
			from--;
		while (of_name(*to))
			to++;
		assert_true(str_copyn(name, sizeof(name), from, (size_t)(to - from)));
		if (strchr(name, ':') ? !recorded(rules, name) : !exposed(name))
			fail_msg("%s: there is no metric %s", path, name);
		found++;
		at = to;
	}
	return found;
}

CASE(every_name_is_exposed_or_recorded)
{
	char *rules = text_of(RULES), *dashboard = text_of(DASHBOARD), *scrape = text_of(SCRAPE);

	assert_true(check_names(RULES, rules, rules) > 30);
	assert_true(check_names(DASHBOARD, dashboard, rules) > 30);
	assert_true(check_names(SCRAPE, scrape, rules) > 0);
	free(rules);
	free(dashboard);
	free(scrape);
}

/* A rule that no graph uses is no example; the rules are for rails and leaves. */
CASE(what_is_recorded_is_of_rails_and_leaves)
{
	char *rules = text_of(RULES);
	unsigned rails = 0, leaves = 0;

	for (const char *at = rules; (at = strstr(at, "- record: ")); at += 10) {
		rails += str_starts(at + 10, "rail:railtop_");
		leaves += str_starts(at + 10, "leaf:railtop_");
		assert_true(str_starts(at + 10, "rail:") || str_starts(at + 10, "leaf:"));
	}
	assert_true(rails >= 8 && leaves >= 8);
	free(rules);
}

CASE(the_dashboard_is_json_with_panels_and_variables)
{
	static const char *const variables[] = {"source", "pod", "rail", "leaf", "port"};
	json_error_t error;
	json_t *d = json_load_file(DASHBOARD, 0, &error), *panel, *list;
	size_t i, graphs = 0;

	if (!d)
		fail_msg("%s:%d: %s", DASHBOARD, error.line, error.text);
	json_array_foreach(json_object_get(d, "panels"), i, panel)
	{
		json_t *targets = json_object_get(panel, "targets");

		if (str_eq(json_string_value(json_object_get(panel, "type")), "row"))
			continue;
		if (!json_string_value(json_object_get(panel, "description")))
			fail_msg("the panel %s has no description",
				json_string_value(json_object_get(panel, "title")));
		assert_true(json_array_size(targets) > 0);
		graphs++;
	}
	assert_true(graphs >= 15);
	assert_true(json_array_size(json_object_get(d, "links")) >= 2);
	list = json_object_get(json_object_get(d, "annotations"), "list");
	assert_true(json_array_size(list) >= 2);
	list = json_object_get(json_object_get(d, "templating"), "list");
	assert_int_equal(json_array_size(list), sizeof(variables) / sizeof(variables[0]));
	for (i = 0; i < json_array_size(list); i++)
		assert_string_equal(
			json_string_value(json_object_get(json_array_get(list, i), "name")),
			variables[i]);
	json_decref(d);
}

/* An alert at three in the morning leads to a runbook that exists. */
CASE(runbooks_of_alerts_exist)
{
	static const char head[] = "runbook_url: \"https://runbooks.example/railtop/";
	char *rules = text_of(RULES), name[64], path[128];
	unsigned alerts = 0, books = 0;

	for (const char *at = rules; (at = strstr(at, "- alert: ")); at += 9)
		alerts++;
	for (const char *at = rules; (at = strstr(at, head));) {
		at += strlen(head);
		books++;
		if (*at == '{')
			continue; /* of the finding itself */
		assert_true(str_copyn(name, sizeof(name), at, strcspn(at, "\"")));
		(void)str_printf(path, sizeof(path), "runbooks/%s.yaml", name);
		free(text_of(path));
	}
	/* Three are about railtop itself, and say what to do. */
	assert_int_equal(books, alerts - 3);
	free(rules);
}

CASES_MAIN(NULL, NULL)
