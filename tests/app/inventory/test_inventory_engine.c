/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"
#include "backends/contract/backend.h"
#include "base/clock.h"
#include "tests/app/support/inventory_expect.h"
#include "tests/support/cases.h"

/* The engine: of an inventory, and which devices it tells about. */

#define HEAD   "fabric: t\n"
#define LEAF   "switches: [{names: \"leaf-[1-4]\", dialect: sonic, tier: leaf}]\n"
#define ENGINE "engine: {url: \"https://p:9090\"}\n"

/* One setting of an engine that has a good URL. */
static void refused_key(const char *setting, const char *want)
{
	char text[512], line[1024];

	(void)snprintf(
		text, sizeof(text), HEAD LEAF "engine: {url: \"https://p:9090\", %s}\n", setting);
	(void)snprintf(line, sizeof(line), "f.yaml:3: engine%s\n", want);
	inventory_says(text, line);
}

CASE(every_setting_is_read)
{
	struct plan plan;
	const struct plan_engine *e = &plan.engine;

	inventory_expect(HEAD LEAF "engine:\n"
				   "  url: https://mimir.example/select/0/prometheus\n"
				   "  mapping: [railtop, site.yaml]\n"
				   "  match: 'cluster=\"b200\"'\n"
				   "  token: file:token\n"
				   "  tenant: gpu\n"
				   "  tls_ca: ca.pem\n"
				   "  interval: 30s\n"
				   "  history: 20m\n",
		"", &plan);
	assert_string_equal(e->url, "https://mimir.example/select/0/prometheus");
	assert_string_equal(e->mapping, "railtop,site.yaml");
	assert_string_equal(e->match, "cluster=\"b200\"");
	assert_string_equal(e->token, "file:/etc/railtop/token");
	assert_null(e->credentials);
	assert_string_equal(e->tenant, "gpu");
	assert_string_equal(e->tls_ca, "/etc/railtop/ca.pem");
	assert_int_equal(e->interval_us, 30 * CLOCK_SEC);
	assert_int_equal(e->history_us, 1200 * CLOCK_SEC);
	assert_string_equal(e->source, "f.yaml:4");
	plan_free(&plan);
}

CASE(what_is_not_stated)
{
	struct plan plan;

	inventory_expect(HEAD LEAF, "", &plan);
	assert_null(plan.engine.url);
	assert_false(inventory_device(&plan, "leaf-1")->by_engine);
	plan_free(&plan);
	inventory_expect(HEAD LEAF ENGINE, "", &plan);
	assert_null(plan.engine.mapping);
	assert_int_equal(plan.engine.interval_us, 15 * CLOCK_SEC);
	assert_int_equal(plan.engine.history_us, 3600 * CLOCK_SEC);
	plan_free(&plan);
	inventory_expect(HEAD LEAF "engine: {url: \"http://p:9090\", history: 0}\n", "", &plan);
	assert_int_equal(plan.engine.history_us, 0);
	plan_free(&plan);
}

CASE(groups_are_by_engine_or_direct)
{
	struct plan plan;
	const struct plan_device *d;

	/* The engine may stand before or after the groups. */
	inventory_expect(HEAD
		"switches:\n"
		"  - {names: a, dialect: sonic, tier: leaf}\n"
		"  - {names: b, tier: spine}\n"
		"  - {names: c, dialect: eos, transport: none, tier: spine}\n"
		"  - {names: d, dialect: sonic, tier: leaf, source: direct, interval: 1s}\n"
		"hosts:\n"
		"  - {names: e}\n"
		"  - {names: f, transport: ssh, interval: 1m}\n" ENGINE,
		"", &plan);
	d = inventory_device(&plan, "a");
	assert_true(d->by_engine);
	assert_string_equal(d->transport, "ssh");
	assert_int_equal(d->interval_us, 15 * CLOCK_SEC);
	d = inventory_device(&plan, "b");
	assert_true(d->by_engine);
	assert_null(d->transport);
	assert_string_equal(d->dialect, "");
	d = inventory_device(&plan, "c");
	assert_true(d->by_engine);
	assert_null(d->transport);
	assert_string_equal(d->dialect, "eos");
	d = inventory_device(&plan, "d");
	assert_false(d->by_engine);
	assert_int_equal(d->interval_us, CLOCK_SEC);
	d = inventory_device(&plan, "e");
	assert_true(d->by_engine);
	assert_null(d->transport);
	assert_string_equal(d->dialect, "linux");
	d = inventory_device(&plan, "f");
	assert_true(d->by_engine);
	assert_string_equal(d->transport, "ssh");
	assert_int_equal(d->interval_us, 60 * CLOCK_SEC);
	plan_free(&plan);
}

CASE(groups_that_contradict_are_refused)
{
	char dialects[512];

	inventory_says(HEAD "hosts: [{names: a, source: engine}]\n",
		"f.yaml:2: hosts[0].source: the file has no engine: (add engine: {url: "
		"https://...}, or use direct)\n");
	inventory_says(HEAD "hosts: [{names: a, source: both}]\n",
		"f.yaml:2: hosts[0].source: \"both\" is not a source (allowed: engine, direct)\n");
	(void)snprintf(dialects, sizeof(dialects),
		"f.yaml:3: switches[0]: \"dialect\" is missing (allowed: %s)\n", backend_names());
	inventory_says(
		HEAD ENGINE "switches: [{names: a, tier: leaf, source: direct}]\n", dialects);
	inventory_says(HEAD ENGINE "hosts: [{names: a, transport: none, source: direct}]\n",
		"f.yaml:3: hosts[0]: transport \"none\" cannot ask devices directly (allowed: ssh, "
		"https; or source: engine)\n");
	inventory_says(HEAD "hosts: [{names: a, transport: none}]\n",
		"f.yaml:2: hosts[0].transport: \"none\" is not a transport (allowed: ssh, "
		"https)\n");
}

CASE(bad_settings_are_refused)
{
	inventory_says(HEAD LEAF "engine: {mapping: railtop}\n",
		"f.yaml:3: engine: \"url\" is missing (add url: https://..., the address of its "
		"HTTP interface)\n");
	refused_key("interval: 500ms",
		".interval: \"500ms\" is not a polling interval (allowed: 1s to 1h)");
	refused_key("history: 2h",
		".history: \"2h\" is not a stretch of history (allowed: 0, or 1m to 1h)");
	refused_key("token: env:A, credentials: env:B",
		": \"credentials\" and \"token\" exclude each other");
	refused_key("token: netrc:a",
		": a netrc file has no token: write env:NAME, file:PATH or command:COMMAND");
}

#define NOT_A_URL                                                                                  \
	" is not a URL of an engine (allowed: https://HOST:PORT or http://HOST:PORT, with the "    \
	"path before /api/v1)\n"

CASE(an_url_is_one)
{
	inventory_says(HEAD LEAF "engine: {url: \"p:9090\"}\n",
		"f.yaml:3: engine.url: \"p:9090\"" NOT_A_URL);
	inventory_says(HEAD LEAF "engine: {url: \"https:///x\"}\n",
		"f.yaml:3: engine.url: \"https:///x\"" NOT_A_URL);
	inventory_says(HEAD LEAF "engine: {url: \"https://p/?a=1\"}\n",
		"f.yaml:3: engine.url: \"https://p/?a=1\"" NOT_A_URL);
}

CASE(a_secret_is_refused_and_not_repeated)
{
	refused_key("token: hunter2",
		".token: this file must not contain a secret (write a reference: "
		"env:NAME, file:PATH, command:COMMAND or netrc:PATH)");
	inventory_says(HEAD LEAF "engine: {url: \"https://noc:hunter2@p:9090\"}\n",
		"f.yaml:3: engine.url: a URL must not contain a user or a secret (use credentials: "
		"or token: with a reference)\n");
	inventory_says(HEAD LEAF "engine: {url: \"noc:hunter2@p:9090\"}\n",
		"f.yaml:3: engine.url: a URL must not contain a user or a secret (use credentials: "
		"or token: with a reference)\n");
}

CASES_MAIN(NULL, NULL)
