/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/snapshot_private.h"
#include "archive/export/ticket_private.h"
#include "archive/export/runbook_log_json.h"
#include "base/json_out.h"

/* What a form calls the part that is at fault, and what it would have done about it. */
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

static void set(json_t *o, const char *key, json_t *value)
{
	json_put(o, key, value ? value : json_null());
}

static void set_text(json_t *o, const char *key, const char *s)
{
	set(o, key, snapshot_text_or_null(s ? s : ""));
}

static json_t *seconds(int64_t us)
{
	return us > 0 ? json_number_or_null((double)us / 1e6) : json_null();
}

static const struct device *device_at(
	const struct model *m, struct ref at, const struct port **port)
{
	const struct rank *rank = ref_rank(m, at);

	*port = ref_port(m, at);
	return rank ? model_device_at(m, rank->host) : ref_device(m, at);
}

/* The host that the finding is about: where it is, or at the other end of its link. */
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

static json_t *location(const struct device *d, const struct port *p)
{
	json_t *o = json_pack("{s:n, s:n, s:o, s:s}", "rack", "unit", "device", json_text(d->name),
		"tier", tier_name(d->tier));
	int rail = p && p->rail >= 0 ? p->rail : d->rail;

	set_text(o, "port", p ? p->name : "");
	set_text(o, "label", p ? p->more->alias : "");
	set(o, "rail", rail >= 0 ? json_integer(rail) : NULL);
	return o;
}

/* The names that forms of hardware tickets have, of the most likely root. */
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
	set(root, "start_time", f ? seconds(f->onset_us ? f->onset_us : f->first_seen_us) : NULL);
	set_text(root, "physical_host_name", host ? host->name : "");
	set_text(root, "serial", d ? d->serial : "");
	set(root, "location", d ? location(d, p) : NULL);
	set_text(root, "hardware_id",
		p && p->more->pci_addr[0]    ? p->more->pci_addr
		: p && p->more->module_sn[0] ? p->more->module_sn
		: d && d->serial[0]          ? d->serial
					     : "");
	set_text(root, "description", f ? f->title : "");
	set_text(root, "action_class", f ? form[finding_info[f->id].family].action_class : "");
	set(root, "gpus_blocked",
		f && ticket_gpus_known(t, f) ? json_integer((json_int_t)f->gpus_blocked) : NULL);
	set(root, "ticket_opened", seconds(t->made_us));
	set(root, "ticket_updated", NULL);
	set(root, "ticket_closed", NULL);
}

static json_t *identity(const struct device *d)
{
	json_t *o =
		json_pack("{s:o, s:s}", "device", json_text(d->name), "tier", tier_name(d->tier));

	set(o, "rail", d->rail >= 0 ? json_integer(d->rail) : NULL);
	set_text(o, "model", d->model);
	set_text(o, "serial", d->serial);
	set_text(o, "os_version", d->os_version);
	set_text(o, "firmware", d->firmware);
	set_text(o, "boot_id", d->boot_id);
	set(o, "uptime_s", json_number_or_null(d->uptime_s));
	set(o, "clock_skew_s",
		d->clock_skew_us ? json_number_or_null((double)d->clock_skew_us / 1e6) : NULL);
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
	o = identity(model_dev_of(t->m, p));
	planned = model_port_at(t->m, p->plan_peer);
	set(o, "port", snapshot_port(t->m, p, t->now_us));
	set(o, "lldp",
		p->lldp_device[0] ? json_pack("{s:o, s:o}", "device", json_text(p->lldp_device),
					    "port", json_text(p->lldp_port))
				  : NULL);
	set(o, "expected",
		planned ? json_pack("{s:o, s:o}", "device",
				  json_text(model_dev_of(t->m, planned)->name), "port",
				  json_text(planned->name))
			: NULL);
	return o;
}

static json_t *links(const struct ticket *t)
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

static json_t *dark(const struct ticket *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->m->devices.n; i++) {
		const struct device *d = t->m->devices.at[i];
		json_t *o;

		if (d->state == DEV_FRESH || d->state == DEV_LATE)
			continue;
		o = json_pack("{s:o, s:s, s:o}", "device", json_text(d->name), "state",
			dev_state_name(d->state), "last_answer", seconds(d->last_ok_us));
		set_text(o, "error", d->err->text);
		json_append(list, o);
	}
	return list;
}

/* Devices that a root finding is about, or the other end of it; each once. */
static json_t *devices(const struct ticket *t)
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

				json_put(by_name, d->name, identity(d));
			}
	n = ticket_roots(t, f, TICKET_SUSPECTS);
	for (size_t i = 0; i < n && i < TICKET_SUSPECTS; i++) {
		const struct port *p;
		const struct device *d = device_at(t->m, f[i]->at, &p);

		if (d)
			json_put(by_name, d->name, identity(d));
	}
	json_object_foreach(by_name, key, value) json_array_append(list, value);
	json_decref(by_name);
	return list;
}

static void put_about(const struct ticket *t, json_t *root)
{
	set(root, "schema", json_integer(1));
	set_text(root, "id", t->id);
	set_text(root, "tool", t->about->tool);
	set_text(root, "config_sha256", t->about->config_sha256);
	set(root, "created", seconds(t->made_us));
	set(root, "time", seconds(t->now_us));
	set(root, "window",
		t->from_us ? json_pack("{s:o, s:o}", "from", seconds(t->from_us), "to",
				     seconds(t->now_us))
			   : NULL);
	set_text(root, "gap", t->gap);
	set_text(root, "fabric", t->m->fabric);
	set(root, "operator", json_object());
	set_text(json_object_get(root, "operator"), "user", t->about->user);
	set_text(json_object_get(root, "operator"), "host", t->about->host);
	set_text(root, "mode", t->about->mode);
	set_text(root, "reason", t->about->reason);
	set_text(root, "incident", t->about->incident);
}

bool ticket_json(const struct ticket *t, struct buf *out, struct err *err)
{
	json_t *root = json_object();

	put_about(t, root);
	put_form(t, root);
	set(root, "verdict", t->d ? verdict_json(t->m, diag_verdict(t->d), t->now_us) : NULL);
	set(root, "coverage", coverage_json(t->m));
	set(root, "dark", dark(t));
	set(root, "findings", findings_list(t->m, t->d));
	set(root, "links", links(t));
	set(root, "devices", devices(t));
	set(root, "jobs", jobs_json(t->m));
	set(root, "runbook", trail_list(t->trail));
	set(root, "actions", ticket_ledger(t));
	set(root, "redacted", json_boolean(t->redacted));
	set_text(root, "file", t->file);
	set_text(root, "sha256", t->sha256);
	return json_into(root, "ticket", out, err);
}
