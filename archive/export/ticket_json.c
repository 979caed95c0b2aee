/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/snapshot_private.h"
#include "archive/export/ticket_private.h"
#include "archive/export/clock_steps.h"
#include "archive/export/runbook_log_json.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "base/mem.h"

/* Category of the faulty part and class of the remedy, as hardware ticket forms name them. */
static const struct {
	const char *category, *action_class;
} form[] = {
	[FAMILY_LINK] = {"link", "replace-or-reseat"},
	[FAMILY_PFC] = {"pfc", "isolate"},
	[FAMILY_CONGESTION] = {"congestion", "tune"},
	[FAMILY_HOST] = {"host", "repair-host"},
	[FAMILY_ECMP] = {"ecmp", "routing"},
	[FAMILY_ROUTE] = {"routing", "routing"},
	[FAMILY_QOS] = {"configuration", "configure"},
	[FAMILY_WIRING] = {"wiring", "recable"},
	[FAMILY_NCCL] = {"job", "application"},
	[FAMILY_MONITOR] = {"monitoring", "monitoring"},
};

static void put_value(json_t *o, const char *key, json_t *value)
{
	json_put(o, key, value ? value : json_null());
}

static void set_text(json_t *o, const char *key, const char *s)
{
	put_value(o, key, json_text_or_null(s ? s : ""));
}

/* us: a time of the model. */
static json_t *wall_or_null(const struct ticket *t, int64_t us)
{
	return json_wall_or_null(model_wall(t->m, us));
}

static const struct device *device_at(
	const struct model *m, struct ref at, const struct port **port)
{
	const struct rank *rank = ref_rank(m, at);

	*port = ref_port(m, at);
	return rank ? model_device_at(m, rank->host) : ref_device(m, at);
}

/* The host of the finding: its device, or the one at the other end of its link. */
static const struct device *host_of(const struct model *m, const struct finding *f)
{
	const struct port *port;
	const struct device *d = device_at(m, f->at, &port), *other;
	const struct port *peer = port ? port_peer(m, port, NULL) : NULL;

	if (d && d->tier == TIER_HOST)
		return d;
	other = device_at(m, f->peer, &port);
	if (!other && peer)
		other = model_dev_of(m, peer);
	return other && other->tier == TIER_HOST ? other : NULL;
}

static json_t *location_json(const struct device *d, const struct port *p)
{
	json_t *o =
		json_pack("{s:o, s:s}", "device", json_text(d->name), "tier", tier_name(d->tier));
	int rail = p && p->rail >= 0 ? p->rail : d->rail;

	set_text(o, "rack", d->rack);
	set_text(o, "unit", d->unit);
	set_text(o, "port", p ? p->name : "");
	set_text(o, "label", p ? p->more->alias : "");
	put_value(o, "rail", rail >= 0 ? json_integer(rail) : NULL);
	return o;
}

/* The fields of hardware ticket forms, for the most likely root finding. */
static void put_form(const struct ticket *t, json_t *root)
{
	const struct finding *f = NULL;
	const struct device *d = NULL, *host;
	const struct port *p = NULL;

	if (ticket_roots(t, &f, 1))
		d = device_at(t->m, f->at, &p);
	host = f ? host_of(t->m, f) : NULL;
	set_text(root, "category", f ? form[finding_info[f->id].family].category : "");
	set_text(root, "fault", f ? finding_info[f->id].name : "");
	set_text(root, "severity", f ? finding_severity_name(f->severity) : "");
	put_value(root, "start_time",
		f ? wall_or_null(t, f->onset_us ? f->onset_us : f->first_seen_us) : NULL);
	set_text(root, "physical_host_name", host ? host->name : "");
	set_text(root, "serial", d ? d->serial : "");
	put_value(root, "location", d ? location_json(d, p) : NULL);
	set_text(root, "hardware_id",
		p && p->more->pci_addr[0]    ? p->more->pci_addr
		: p && p->more->module_sn[0] ? p->more->module_sn
		: d && d->serial[0]          ? d->serial
					     : "");
	set_text(root, "description", f ? f->title : "");
	set_text(root, "action_class", f ? form[finding_info[f->id].family].action_class : "");
	put_value(root, "gpus_blocked",
		f && ticket_gpus_known(t, f) ? json_integer((json_int_t)f->gpus_blocked) : NULL);
	put_value(root, "ticket_opened", json_wall_or_null(t->made_us));
	put_value(root, "ticket_updated", NULL);
	put_value(root, "ticket_closed", NULL);
}

static json_t *identity_json(const struct model *m, const struct device *d)
{
	json_t *o =
		json_pack("{s:o, s:s}", "device", json_text(d->name), "tier", tier_name(d->tier));

	put_value(o, "rail", d->rail >= 0 ? json_integer(d->rail) : NULL);
	set_text(o, "rack", d->rack);
	set_text(o, "unit", d->unit);
	set_text(o, "provider", d->provider);
	set_text(o, "model", d->model);
	set_text(o, "serial", d->serial);
	set_text(o, "os_version", d->os_version);
	set_text(o, "firmware", d->firmware);
	set_text(o, "boot_id", d->boot_id);
	put_value(o, "uptime_s", json_number_or_null(d->uptime_s));
	put_value(o, "clock_skew_s",
		d->clock_skew_us ? json_number_or_null((double)device_skew_us(m, d) / 1e6) : NULL);
	set_text(o, "dialect", d->dialect);
	set_text(o, "transport", d->transport);
	set_text(o, "state", dev_state_name(d->state));
	return o;
}

static json_t *link_end(const struct ticket *t, const struct port *p)
{
	json_t *o;
	const struct port *planned;

	if (!p)
		return json_null();
	o = identity_json(t->m, model_dev_of(t->m, p));
	planned = model_port_at(t->m, p->plan_peer);
	put_value(o, "port", snapshot_port(t->m, p, t->now_us));
	put_value(o, "lldp",
		p->lldp_device[0] ? json_pack("{s:o, s:o}", "device", json_text(p->lldp_device),
					    "port", json_text(p->lldp_port))
				  : NULL);
	put_value(o, "expected",
		planned ? json_pack("{s:o, s:o}", "device",
				  json_text(model_dev_of(t->m, planned)->name), "port",
				  json_text(planned->name))
			: NULL);
	return o;
}

static json_t *links_json(const struct ticket *t)
{
	struct suspect s[TICKET_SUSPECTS];
	size_t n = ticket_suspects(t, s, TICKET_SUSPECTS);
	json_t *list = json_array();

	for (size_t i = 0; i < n && i < TICKET_SUSPECTS; i++)
		json_append(list,
			json_pack("{s:s, s:o, s:o}", "fault", finding_info[s[i].finding->id].name,
				"a", link_end(t, s[i].end[0]), "b", link_end(t, s[i].end[1])));
	return json_pack("{s:I, s:o}", "count", (json_int_t)n, "worst", list);
}

static json_t *dark_json(const struct ticket *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->m->devices.n; i++) {
		const struct device *d = t->m->devices.at[i];
		json_t *o;

		if (d->state == DEV_FRESH || d->state == DEV_LATE)
			continue;
		o = json_pack("{s:o, s:s, s:o}", "device", json_text(d->name), "state",
			dev_state_name(d->state), "last_answer", wall_or_null(t, d->last_ok_us));
		set_text(o, "error", d->err->text);
		json_append(list, o);
	}
	return list;
}

/* Devices of root findings and at the other end of their links, each once. */
static json_t *devices_json(const struct ticket *t)
{
	struct suspect s[TICKET_SUSPECTS];
	const struct finding *f[TICKET_SUSPECTS];
	json_t *by_name = json_object(), *list = json_array(), *value;
	size_t n = ticket_suspects(t, s, TICKET_SUSPECTS);
	const char *key;

	for (size_t i = 0; i < n && i < TICKET_SUSPECTS; i++)
		for (unsigned e = 0; e < 2; e++)
			if (s[i].end[e]) {
				const struct device *d = model_dev_of(t->m, s[i].end[e]);

				json_put(by_name, d->name, identity_json(t->m, d));
			}
	n = ticket_roots(t, f, TICKET_SUSPECTS);
	for (size_t i = 0; i < n && i < TICKET_SUSPECTS; i++) {
		const struct port *p;
		const struct device *d = device_at(t->m, f[i]->at, &p);

		if (d)
			json_put(by_name, d->name, identity_json(t->m, d));
	}
	json_object_foreach(by_name, key, value) json_array_append(list, value);
	json_decref(by_name);
	return list;
}

static void put_about(const struct ticket *t, json_t *root)
{
	put_value(root, "schema", json_integer(1));
	set_text(root, "id", t->id);
	set_text(root, "tool", t->about->tool);
	set_text(root, "config_sha256", t->about->config_sha256);
	put_value(root, "created", json_wall_or_null(t->made_us));
	put_value(root, "time", wall_or_null(t, t->now_us));
	put_value(root, "window",
		t->from_us ? json_pack("{s:o, s:o}", "from", wall_or_null(t, t->from_us), "to",
				     wall_or_null(t, t->now_us))
			   : NULL);
	set_text(root, "gap", t->gap);
	put_value(root, "clock_steps", clock_steps_json(t->m, t->from_us, t->now_us));
	set_text(root, "fabric", t->m->fabric);
	put_value(root, "operator", json_object());
	set_text(json_object_get(root, "operator"), "user", t->about->user);
	set_text(json_object_get(root, "operator"), "host", t->about->host);
	set_text(root, "mode", t->about->mode);
	set_text(root, "reason", t->about->reason);
	set_text(root, "incident", t->about->incident);
}

static json_t *ended_json(const struct ticket *t)
{
	size_t n = ticket_ended(t, NULL, 0);
	struct ended *e = mem_calloc(n + 1, sizeof(*e));
	json_t *list = json_array();

	(void)ticket_ended(t, e, n);
	for (size_t i = 0; i < n; i++) {
		json_t *o = finding_json(t->m, e[i].finding);

		json_put(o, "ended",
			json_number_or_null(
				(double)model_wall(t->m, e[i].closed_us) / (double)CLOCK_SEC));
		json_append(list, o);
	}
	free(e);
	return list;
}

bool ticket_json(const struct ticket *t, struct buf *out, struct err *err)
{
	json_t *root = json_object();

	put_about(t, root);
	put_form(t, root);
	put_value(root, "verdict", t->d ? verdict_json(t->m, diag_verdict(t->d), t->now_us) : NULL);
	put_value(root, "coverage", coverage_json(t->m));
	put_value(root, "dark", dark_json(t));
	put_value(root, "findings", findings_list(t->m, t->d));
	put_value(root, "ended", ended_json(t));
	put_value(root, "links", links_json(t));
	put_value(root, "devices", devices_json(t));
	put_value(root, "jobs", jobs_json(t->m));
	put_value(root, "runbook", runbook_log_list(t->m, t->trail));
	put_value(root, "actions", ticket_ledger(t));
	put_value(root, "redacted", json_boolean(t->redacted));
	set_text(root, "file", t->file);
	set_text(root, "sha256", t->sha256);
	return json_into(root, "ticket", out, err);
}
