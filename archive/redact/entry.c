/* SPDX-License-Identifier: Apache-2.0 */
/* Learns and replaces names in entries, models and plans. */
#include <string.h>

#include "archive/redact/redact_private.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/mac.h"

static const char *attr_kind(enum obs_attr attr)
{
	switch (attr) {
	case ATTR_HOSTNAME:
		return "name";
	case ATTR_SERIAL:
	case ATTR_MODULE_SN:
		return "serial";
	case ATTR_OS_VERSION:
	case ATTR_SCHEMA:
	case ATTR_BALANCING:
	case ATTR_FIRMWARE:
	case ATTR_NIC_SETUP:
	case ATTR_HOST_SETUP:
	case ATTR_MODEL:
		return "keep";
	default:
		return NULL;
	}
}

static void learn_obs(struct redact *r, const struct obs *o)
{
	redact_learn(r, "name", o->device);
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];
		const char *kind = it->kind == OBS_WORD ? attr_kind((enum obs_attr)it->code) : NULL;

		/* A MAC in place of a name is hidden as one. */
		if (it->kind == OBS_LLDP && !mac_is(obs_text(o, it->text)))
			redact_learn(r, "name", obs_text(o, it->text));
		else if (kind)
			redact_learn(r, kind, obs_text(o, it->text));
	}
	for (size_t i = 0; i < o->bgp.n; i++)
		redact_learn(r, "name", obs_text(o, o->bgp.at[i].host));
	for (size_t i = 0; i < o->nccl.n; i++) {
		const struct obs_nccl *n = &o->nccl.at[i];

		redact_learn(r, "job", obs_text(o, n->job));
		redact_learn(r, "name", obs_text(o, n->host));
		if (n->kind == NCCL_JOB)
			redact_learn(r, "user", obs_text(o, n->text));
	}
}

void redact_learn_entry(struct redact *r, const struct entry *e)
{
	for (const struct obs *o = e->obs; o; o = o->more)
		learn_obs(r, o);
	redact_learn(r, "user", e->user);
	redact_learn(r, "user", e->trail.user);
}

static void learn_device(struct redact *r, const struct device *d)
{
	static const char *const tiers[TIER_COUNT] = {"host", "leaf", "spine", "superspine"};

	redact_learn(r, tiers[d->tier], d->name);
	redact_learn(r, "name", d->hostname);
	redact_learn(r, "name", d->address);
	redact_learn(r, "serial", d->serial);
	redact_learn(r, "keep", d->os_version);
	redact_learn(r, "keep", d->firmware);
	redact_learn(r, "keep", d->model);
	for (size_t i = 0; i < d->bgp.n; i++)
		redact_learn(r, "name", d->bgp.at[i].host);
	redact_learn_sessions(r, d);
}

void redact_learn_model(struct redact *r, const struct model *m)
{
	const struct nccl *n = m->nccl;

	for (size_t i = 0; i < m->devices.n; i++)
		learn_device(r, m->devices.at[i]);
	for (size_t i = 0; i < m->ports.n; i++) {
		if (!mac_is(m->ports.at[i]->lldp_device))
			redact_learn(r, "name", m->ports.at[i]->lldp_device);
		redact_learn(r, "serial", m->ports.at[i]->more->module_sn);
	}
	for (size_t i = 0; i < n->jobs.n; i++) {
		redact_learn(r, "job", n->jobs.at[i]->name);
		redact_learn(r, "user", n->jobs.at[i]->user);
	}
	for (size_t i = 0; i < n->comms.n; i++)
		for (int32_t k = 0; k < n->comms.at[i]->nranks; k++)
			redact_learn(r, "name", n->comms.at[i]->rank[k].host_text);
	for (size_t i = 0; i < n->troubles.n; i++)
		redact_learn(r, "name", n->troubles.at[i]->host_text);
}

static uint32_t redact_string(
	struct redact *r, struct obs *o, const char *old, size_t n, uint32_t at)
{
	char text[256];

	if (!at || at >= n)
		return 0;
	(void)str_copy(text, sizeof(text), old + at);
	redact_text(r, text, sizeof(text));
	return obs_string(o, text);
}

static void redact_strings(struct redact *r, struct obs *o, const char *old, size_t n)
{
	for (size_t i = 0; i < o->items.n; i++) {
		struct obs_item *it = &o->items.at[i];

		it->text = redact_string(r, o, old, n, it->text);
		if (obs_has_text2(it))
			it->text2 = redact_string(r, o, old, n, it->text2);
	}
	for (size_t i = 0; i < o->bgp.n; i++) {
		struct obs_bgp *b = &o->bgp.at[i];

		b->peer = redact_string(r, o, old, n, b->peer);
		b->host = redact_string(r, o, old, n, b->host);
		b->vrf = redact_string(r, o, old, n, b->vrf);
	}
	for (size_t i = 0; i < o->nccl.n; i++) {
		struct obs_nccl *c = &o->nccl.at[i];
		uint32_t *const texts[] = {&c->job, &c->comm, &c->comm_name, &c->host, &c->nic,
			&c->func, &c->text, &c->text2};

		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
			*texts[k] = redact_string(r, o, old, n, *texts[k]);
	}
}

static void redact_obs(struct redact *r, struct obs *o)
{
	char *old = o->strings.at;
	size_t n = o->strings.n;

	redact_text(r, o->device, sizeof(o->device));
	redact_text(r, o->err.origin, sizeof(o->err.origin));
	redact_text(r, o->err.text, sizeof(o->err.text));
	redact_text(r, o->err.cure, sizeof(o->err.cure));
	for (size_t i = 0; i < o->ports.n; i++)
		redact_text(r, o->ports.at[i].name, sizeof(o->ports.at[i].name));
	o->strings.at = NULL;
	o->strings.n = o->strings.size = 0;
	vec_push(&o->strings, '\0');
	redact_strings(r, o, old, n);
	free(old);
	free(o->raw);
	free(o->asked);
	o->raw = o->asked = NULL;
	o->raw_len = 0;
}

void redact_entry(struct redact *r, struct entry *e)
{
	struct runbook_log_entry *t = &e->trail;

	for (struct obs *o = e->obs; o; o = o->more)
		redact_obs(r, o);
	e->key = redact_key(r, e->key);
	redact_text(r, e->user, sizeof(e->user));
	redact_text(r, e->text, sizeof(e->text));
	redact_text(r, t->user, sizeof(t->user));
	redact_text(r, t->runbook, sizeof(t->runbook));
	redact_text(r, t->step, sizeof(t->step));
	redact_text(r, t->target, sizeof(t->target));
	redact_text(r, t->value, sizeof(t->value));
	redact_text(r, t->note, sizeof(t->note));
}

static void free_text(char **s)
{
	free(*s);
	*s = NULL;
}

static void redact_device(struct redact *r, struct plan_device *d)
{
	char rack[RACK_TEXT];

	redact_text(r, d->name, sizeof(d->name));
	/* Rack and unit together tell a place in a building. */
	(void)str_copy(rack, sizeof(rack), d->rack);
	redact_text(r, d->rack, sizeof(d->rack));
	if (str_eq(rack, d->rack))
		d->rack[0] = '\0';
	d->unit[0] = '\0';
	d->site[0] = '\0';
	free_text(&d->address);
	d->address = mem_strdup(d->name);
	d->port = 0;
	free_text(&d->user);
	free_text(&d->identity);
	free_text(&d->credentials);
	free_text(&d->ssh_config);
	free_text(&d->jump);
	free_text(&d->known_hosts);
	free_text(&d->tls_ca);
	d->source[0] = '\0';
}

void redact_plan(struct redact *r, struct plan *p)
{
	redact_text(r, p->fabric, sizeof(p->fabric));
	for (size_t i = 0; i < p->devices.n; i++)
		redact_device(r, &p->devices.at[i]);
	for (size_t i = 0; i < p->links.n; i++) {
		redact_text(r, p->links.at[i].a_port, sizeof(p->links.at[i].a_port));
		redact_text(r, p->links.at[i].b_port, sizeof(p->links.at[i].b_port));
	}
	for (size_t i = 0; i < p->nics.n; i++)
		redact_text(r, p->nics.at[i].port, sizeof(p->nics.at[i].port));
	for (size_t i = 0; i < p->nets.n; i++)
		redact_text(r, p->nets.at[i].ports, sizeof(p->nets.at[i].ports));
	for (size_t i = 0; i < p->jobs.n; i++) {
		struct plan_jobs *j = &p->jobs.at[i];

		free_text(&j->path);
		free_text(&j->hosts);
		if (j->name) {
			char name[NAME_MAX_LEN];

			(void)str_copy(name, sizeof(name), j->name);
			redact_text(r, name, sizeof(name));
			free_text(&j->name);
			j->name = mem_strdup(name);
		}
		j->where[0] = '\0';
	}
	plan_actions_free(&p->actions);
}
