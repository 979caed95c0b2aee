/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>

#include "app/notify/notify_json.h"
#include "app/subcommands/check_private.h"
#include "archive/export/sandbox_json.h"
#include "base/clock.h"
#include "base/json_out.h"

static json_t *capabilities_json(const struct capability_list *caps)
{
	json_t *list = json_array();

	for (size_t i = 0; i < caps->n; i++)
		json_append(list, json_pack("{s:o, s:s, s:o}", "need", json_text(caps->at[i].need),
					  "valid", validity_name((enum validity)caps->at[i].valid),
					  "cure", json_text(caps->at[i].cure)));
	return list;
}

static json_t *device_json(const struct device *d)
{
	json_t *o = json_pack("{s:o, s:s, s:o, s:o, s:o, s:s, s:o, s:o}", "name",
		json_text(d->name), "tier", tier_name(d->tier), "dialect", json_text(d->dialect),
		"transport", json_text(d->transport), "address", json_text(d->address), "state",
		dev_state_name(d->state), "model", json_text(d->model), "os_version",
		json_text(d->os_version));

	if (d->provider[0])
		json_put(o, "provider", json_text(d->provider));
	if (d->schema[0])
		json_put(o, "os_schema", json_text(d->schema));
	if (d->took_us > 0)
		json_put(o, "took_ms", json_integer(d->took_us / 1000));
	if (d->err->code != ERR_NONE)
		json_put(o, "error",
			json_pack("{s:s, s:o, s:o}", "code", err_code_name(d->err->code), "text",
				json_text(d->err->text), "cure", json_text(d->err->cure)));
	json_put(o, "capabilities", capabilities_json(&d->caps));
	return o;
}

static json_t *prometheus_json(const struct check_engine *c, int64_t now_us)
{
	json_t *o = json_pack("{s:o, s:i, s:i, s:i}", "url", json_text(c->url), "devices",
		(int)c->devices, "devices_with_data", (int)c->heard, "mapped_metrics",
		(int)c->mapped);
	json_t *without = json_array();

	json_put(o, "newest_sample_age_s",
		c->newest_us
			? json_number_or_null((double)(now_us - c->newest_us) / (double)CLOCK_SEC)
			: json_null());
	for (size_t i = 0; i < c->without.n; i++)
		json_append(without, json_text(c->without.at[i]));
	json_put(o, "metrics_without_data", without);
	if (c->err)
		json_put(o, "error",
			json_pack("{s:s, s:o, s:o}", "code", err_code_name(c->err->code), "text",
				json_text(c->err->text), "cure", json_text(c->err->cure)));
	return o;
}

static json_t *verdict_summary(const struct model *m, const struct diag *d, int64_t now_us)
{
	char text[VERDICT_SENTENCE];

	if (!d)
		return json_null();
	verdict_sentence(diag_verdict(d), m, now_us, text, sizeof(text));
	return json_pack("{s:s, s:o}", "state", fabric_state_name(diag_verdict(d)->state), "text",
		json_text(text));
}

bool check_json(const struct model *m, const struct diag *d, const struct check_engine *engine,
	const struct plan *plan, int64_t now_us, FILE *out)
{
	struct coverage v = model_coverage(m);
	json_t *coverage = json_pack("{s:i}", "devices", (int)v.devices), *devices = json_array(),
	       *root;
	bool ok;

	for (int s = 0; s < DEV_STATE_COUNT; s++)
		json_put(coverage, dev_state_name((enum dev_state)s),
			json_integer((json_int_t)v.by_state[s]));
	for (size_t i = 0; i < m->devices.n; i++)
		json_append(devices, device_json(m->devices.at[i]));
	root = json_pack("{s:i, s:o, s:o, s:o, s:o}", "schema", 1, "fabric", json_text(m->fabric),
		"time", json_number_or_null((double)model_wall(m, now_us) / (double)CLOCK_SEC),
		"coverage", coverage, "devices", devices);
	json_put(root, "job_sources", capabilities_json(&m->sources));
	json_put(root, "verdict", verdict_summary(m, d, now_us));
	if (plan)
		json_put(root, "receivers", notify_json(plan));
	json_put(root, "sandbox", sandbox_json());
	if (root && engine && engine->url)
		json_put(root, "engine", prometheus_json(engine, now_us));
	ok = root && json_dumpf(root, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF;
	json_decref(root);
	return ok;
}
