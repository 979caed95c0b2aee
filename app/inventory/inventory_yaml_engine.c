/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml_schema.h"
#include "base/clock.h"
#include "base/str.h"

/* Reads engine: of an inventory, the metrics engine with data of the devices. */

/* Scrape intervals of 15 s to a minute are usual: polling more often gives nothing new. */
#define INTERVAL_US (15 * CLOCK_SEC)
/* The model keeps this much history of a port. */
#define HISTORY_US (3600 * CLOCK_SEC)

static bool read_url(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text, *rest;
	size_t authority;

	if (!yaml_text(r, n, "a URL", YAML_TEXT_MAX, &text))
		return false;
	rest = yaml_after_scheme(text);
	authority = rest ? strcspn(rest, "/?#") : 0;
	/* Checked before any message repeats the URL, which may contain a password. */
	if (memchr(rest ? rest : text, '@', rest ? authority : strlen(text))) {
		(void)problem_add(r->problems, yaml_line(n), r->place,
			"a URL must not contain a user or a secret");
		return problem_cure(r->problems, "use credentials: or token: with a reference");
	}
	if (!authority || strpbrk(rest, "?# "))
		return yaml_not_a(r, n, text, "URL of an engine",
			"https://HOST:PORT or http://HOST:PORT, with the path before /api/v1");
	yaml_put(to, text);
	return true;
}

static bool read_history(struct reader *r, const yaml_node_t *n, void *to)
{
	const char *text;
	int64_t us = 0;

	if (!yaml_text(r, n, "a time", YAML_TEXT_MAX, &text))
		return false;
	if (!str_eq(text, "0") && (!str_to_duration(text, &us) || us < 60 * CLOCK_SEC))
		return yaml_not_a(r, n, text, "stretch of history", "0, or 1m to 1h");
	if (us > HISTORY_US)
		return yaml_not_a(r, n, text, "stretch of history", "0, or 1m to 1h");
	*(int64_t *)to = us;
	return true;
}

static bool read_interval(struct reader *r, const yaml_node_t *n, void *to)
{
	int64_t us = 0;

	if (!yaml_read_interval(r, n, &us))
		return false;
	if (us < CLOCK_SEC)
		return yaml_not_a(
			r, n, (const char *)n->data.scalar.value, "polling interval", "1s to 1h");
	*(int64_t *)to = us;
	return true;
}

bool yaml_read_engine(struct reader *r, const yaml_node_t *n, void *to)
{
	static const struct key keys[] = {
		{"url", read_url, offsetof(struct plan_engine, url)},
		{"mapping", yaml_read_list, offsetof(struct plan_engine, mapping)},
		{"match", yaml_read_text, offsetof(struct plan_engine, match)},
		{"credentials", yaml_read_credentials, offsetof(struct plan_engine, credentials)},
		{"token", yaml_read_credentials, offsetof(struct plan_engine, token)},
		{"tenant", yaml_read_text, offsetof(struct plan_engine, tenant)},
		{"tls_ca", yaml_read_path, offsetof(struct plan_engine, tls_ca)},
		{"interval", read_interval, offsetof(struct plan_engine, interval_us)},
		{"history", read_history, offsetof(struct plan_engine, history_us)},
	};
	struct inventory *inv = to;
	struct plan_engine *e = &inv->engine;

	e->interval_us = INTERVAL_US;
	e->history_us = HISTORY_US;
	(void)str_printf(e->source, sizeof(e->source), "%.70s:%u", inv->file, yaml_line(n));
	if (!yaml_read_map(r, n, keys, sizeof(keys) / sizeof(keys[0]), e))
		return false;
	if (!e->url) {
		(void)problem_add(r->problems, yaml_line(n), r->place, "\"url\" is missing");
		return problem_cure(
			r->problems, "add url: https://..., the address of its HTTP interface");
	}
	if (e->credentials && e->token)
		return problem_add(r->problems, yaml_line(n), r->place,
			"\"credentials\" and \"token\" exclude each other");
	if (e->token && str_starts(e->token, "netrc:"))
		return problem_add(r->problems, yaml_line(n), r->place,
			"a netrc file has no token: write env:NAME, file:PATH or command:COMMAND");
	return true;
}
