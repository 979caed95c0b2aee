/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/cells_internal.h"
#include "fabric/model/index.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/wiring.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/mac.h"
#include "fabric/vocabulary/manager_note.h"
#include "fabric/vocabulary/need.h"

static enum oper oper_of(const char *word)
{
	if (strcasecmp(word, "up") == 0)
		return OPER_UP;
	return strcasecmp(word, "down") == 0 ? OPER_DOWN : OPER_UNKNOWN;
}

static enum wd_state wd_of(const char *word)
{
	for (unsigned s = WD_OFF; s <= WD_STORMED; s++)
		if (strcasecmp(word, wd_state_name((enum wd_state)s)) == 0)
			return (enum wd_state)s;
	return WD_UNKNOWN;
}

/* Sets another name of the port. A planned port of that name is this port. */
static void rename_port(struct batch *b, struct port *p, const char **at, size_t size,
	enum name_rank rank, const char *text)
{
	char was[NAME_MAX_LEN];
	struct port *other;

	(void)str_copy(was, sizeof(was), *at);
	if (strlen(text) >= size || !batch_port_text(b, at, size, text))
		return;
	index_drop(&b->d->index, was, rank, p);
	other = index_get(b->d->index, text);
	if (rank != RANK_MAC && other && other != p && !other->seen && p->plan_peer == PORT_NONE &&
		strcmp(other->name, text) == 0)
		model_merge_port(b->m, p, other);
	index_put(&b->d->index, *at, rank, p);
	wiring_ports_of(b->m, b->d);
}

static void set_link_layer(struct batch *b, struct port *p, const char *text)
{
	enum link_layer l = link_layer_by_name(text);

	if (p->more->link_layer == l)
		return;
	port_more(p)->link_layer = (uint8_t)l;
	b->changed = true;
	b->m->settings_generation++;
}

/* Neighbours without a name are known by the MACs that devices report of their ports. */
static void set_mac(struct batch *b, struct port *p, const char *text)
{
	char mac[MAC_TEXT], was[MAC_TEXT];

	if (!mac_read(text, mac) && !*text && !p->more->mac[0])
		return;
	(void)str_copy(was, sizeof(was), p->more->mac);
	rename_port(b, p, &port_more(p)->mac, PORT_TEXT_mac, RANK_MAC, *mac ? mac : text);
	if (strcmp(was, p->more->mac) != 0)
		macs_changed(b->m, p, was);
}

static void set_oper(struct batch *b, struct batch_port *bp, enum obs_attr attr, const char *word)
{
	enum oper o = oper_of(word), *at = attr == ATTR_OPER ? &bp->port->oper : &bp->port->admin;

	if (attr == ATTR_OPER)
		bp->oper_given = o != OPER_UNKNOWN;
	b->changed |= *at != o;
	*at = o;
}

/* Without storm counters, only the state word reports a storm. */
static void set_wd_state(struct batch *b, struct port *p, unsigned prio, const char *word)
{
	enum wd_state s = wd_of(word), was = (enum wd_state)p->wd[prio].state;
	const struct watchdog *w;

	if (s == was)
		return;
	w = &port_watchdogs(p)[prio];
	port_watchdogs(p)[prio].state = (uint8_t)s;
	b->changed = true;
	if (port_cell(p, CTR_PFCWD_STORM_DETECTED, prio) || was == WD_UNKNOWN)
		return;
	if (s == WD_STORMED)
		model_add_event(b->m, b->now, EV_STORM_DETECTED, b->d, p, (int)prio, 0, w->action);
	else if (was == WD_STORMED && s != WD_UNKNOWN)
		model_add_event(b->m, b->now, EV_STORM_RESTORED, b->d, p, (int)prio, 0, "");
}

static void port_word(struct batch *b, struct batch_port *bp, const struct obs_item *it)
{
	const char *text = obs_text(b->o, it->text);
	struct port *p = bp->port;

	switch ((enum obs_attr)it->code) {
	case ATTR_OPER:
	case ATTR_ADMIN:
		set_oper(b, bp, (enum obs_attr)it->code, text);
		break;
	case ATTR_FEC:
		batch_port_word(b, p, &p->more->fec, PORT_TEXT_fec, text);
		break;
	case ATTR_ALIAS:
		if (*text || p->more->alias[0])
			rename_port(b, p, &port_more(p)->alias, PORT_TEXT_alias, RANK_ALIAS, text);
		break;
	case ATTR_LINK_LAYER:
		set_link_layer(b, p, text);
		break;
	case ATTR_NETDEV:
		rename_port(b, p, &p->netdev, PORT_TEXT_netdev, RANK_NETDEV, text);
		break;
	case ATTR_MAC:
		set_mac(b, p, text);
		break;
	case ATTR_DESCRIPTION:
		batch_port_word(b, p, &p->more->description, PORT_TEXT_description, text);
		break;
	case ATTR_DOWN_REASON:
		batch_port_word(b, p, &p->more->down_reason, PORT_TEXT_down_reason, text);
		break;
	case ATTR_MEDIA:
		batch_port_word(b, p, &p->more->media, PORT_TEXT_media, text);
		break;
	case ATTR_TENANT:
		batch_port_word(b, p, &p->more->tenant, PORT_TEXT_tenant, text);
		break;
	case ATTR_MACS:
		macs_apply(b, bp, text);
		break;
	case ATTR_MODULE_SN:
		batch_port_word(b, p, &p->more->module_sn, PORT_TEXT_module_sn, text);
		break;
	case ATTR_PFCWD_STATE:
		set_wd_state(b, p, it->sub, text);
		break;
	case ATTR_PFCWD_ACTION:
		if (*text || port_has_watchdogs(p))
			batch_set_text(b, port_watchdogs(p)[it->sub].action,
				sizeof(p->wd[it->sub].action), text);
		break;
	default:
		break;
	}
}

static void set_u32(struct batch *b, unsigned *dst, double v, double most)
{
	unsigned n;

	if (!(v >= 0 && v <= most))
		return;
	n = (unsigned)v;
	b->changed |= *dst != n;
	*dst = n;
}

/* Bit 8 marks the mask as known. */
static void set_mask(struct batch *b, uint16_t *dst, double v)
{
	uint16_t mask;

	if (!(v >= 0 && v <= 255))
		return;
	mask = (uint16_t)((unsigned)v | 0x100U);
	b->changed |= *dst != mask;
	*dst = mask;
}

static void set_mtu(struct batch *b, struct port *p, double v)
{
	unsigned was = p->mtu;
	char text[48];

	set_u32(b, &p->mtu, v, 1e6);
	if (!was || !p->mtu || p->mtu == was)
		return;
	(void)str_printf(text, sizeof(text), "%u, was %u", p->mtu, was);
	model_add_event(b->m, b->now, EV_MTU, b->d, p, -1, 0, text);
}

static void port_number(struct batch *b, struct batch_port *bp, const struct obs_item *it)
{
	struct port *p = bp->port;
	int64_t t;

	switch ((enum obs_attr)it->code) {
	case ATTR_SPEED_MBPS:
		set_u32(b, &p->speed_mbps, it->real, 1e8);
		if (p->speed_mbps && !p->more->first_speed_mbps)
			port_more(p)->first_speed_mbps = p->speed_mbps;
		break;
	case ATTR_MTU:
		set_mtu(b, p, it->real);
		break;
	case ATTR_LAST_CHANGE:
		if (!(it->real > 0 && it->real < 1e11))
			break;
		t = (int64_t)(it->real * 1e6);
		if (!bp->change_given)
			bp->change_was = p->more->last_change_us;
		bp->change_given = true;
		b->changed |= p->more->last_change_us != t;
		if (p->more->last_change_us != t)
			port_more(p)->last_change_us = t;
		break;
	case ATTR_PFC_ENABLED:
		set_mask(b, &p->pfc_enabled, it->real);
		break;
	case ATTR_ECN_ENABLED:
		set_mask(b, &p->ecn_enabled, it->real);
		break;
	case ATTR_PFCWD_DETECT_MS:
		set_u32(b, &port_watchdogs(p)[it->sub].detect_ms, it->real, 1e9);
		break;
	case ATTR_PFCWD_RESTORE_MS:
		set_u32(b, &port_watchdogs(p)[it->sub].restore_ms, it->real, 1e9);
		break;
	default:
		break;
	}
}

void batch_port_attr(struct batch *b, struct batch_port *bp, const struct obs_item *it)
{
	bool was = b->changed;

	b->changed = false;
	if (it->sub < PRIORITIES && !batch_port_setting(b, bp->port, it)) {
		if (it->kind == OBS_WORD)
			port_word(b, bp, it);
		else if (isfinite(it->real))
			port_number(b, bp, it);
	}
	b->m->settings_generation += b->changed;
	b->changed |= was;
}

#define BOOT_SLACK_US (10 * CLOCK_SEC)
/* The slowest request that shows a reboot is sent every five minutes. */
#define RECENT_US (310 * CLOCK_SEC)

/*
 * A restart shows as another boot id or as an uptime that went back. Both may come in different
 * requests: the first one resets the other, so that the restart is recorded once. A recorded reset
 * of counters that preceded it becomes this event.
 */
static void note_reboot(struct batch *b, const char *why, double uptime)
{
	struct device *d = b->d;
	bool known = uptime < 1e9;
	int64_t booted =
		b->received - (known ? (int64_t)(uptime * 1e6) + BOOT_SLACK_US : RECENT_US);
	struct event *e = NULL;

	if (d->reset_us > booted && d->reset_seq && d->reset_seq + EVENT_RING > b->m->event_seq)
		e = &b->m->events[(d->reset_seq - 1) % EVENT_RING];
	b->rebooted = b->changed = true;
	device_rebase(b->m, d, e && known ? d->reset_us : INT64_MAX);
	bgp_rebase(d);
	if (e) {
		e->kind = EV_REBOOT;
		e->port = EVENT_NO_ID;
		(void)str_copy(e->text, sizeof(e->text), why);
	} else {
		model_add_event(b->m, b->now, EV_REBOOT, d, NULL, -1, 0, why);
	}
	d->reset_seq = 0;
	d->reset_us = d->reboot_us = b->now;
	(void)str_copy(d->reset_request, sizeof(d->reset_request), b->o->request);
}

static void gpu_word_of(struct batch *b, const struct obs_item *it)
{
	struct gpu_link *g = gpu_link_at(&b->d->gpus, it->sub);

	if (g && it->code == ATTR_GPU_LINKS)
		gpu_link_take(g, obs_text(b->o, it->text), b->now);
	else if (g)
		gpu_fabric_take(g, obs_text(b->o, it->text));
	b->changed = true;
}

static void device_word(struct batch *b, const struct obs_item *it)
{
	enum obs_attr attr = (enum obs_attr)it->code;
	const char *text = obs_text(b->o, it->text);
	struct device *d = b->d;

	switch (attr) {
	case ATTR_MODEL:
		batch_set_text(b, d->model, sizeof(d->model), text);
		break;
	case ATTR_SERIAL:
		batch_set_text(b, d->serial, sizeof(d->serial), text);
		break;
	case ATTR_OS_VERSION:
		batch_set_text(b, d->os_version, sizeof(d->os_version), text);
		break;
	case ATTR_FIRMWARE:
		batch_set_text(b, d->firmware, sizeof(d->firmware), text);
		break;
	case ATTR_HOSTNAME:
		if (strcmp(d->hostname, text) == 0 || strlen(text) >= sizeof(d->hostname))
			break;
		index_drop(&b->m->index, d->hostname, RANK_ALIAS, d);
		batch_set_text(b, d->hostname, sizeof(d->hostname), text);
		index_put(&b->m->index, d->hostname, RANK_ALIAS, d);
		wiring_name(b->m, d);
		break;
	case ATTR_ROUTER_ID:
		batch_set_text(b, d->router_id, sizeof(d->router_id), text);
		break;
	case ATTR_ECMP_HASH:
		b->m->settings_generation +=
			batch_set_text(b, d->ecmp_hash, sizeof(d->ecmp_hash), text);
		break;
	case ATTR_LAG_HASH:
		batch_set_text(b, d->lag_hash, sizeof(d->lag_hash), text);
		break;
	case ATTR_HASH_ALGORITHM:
		b->m->settings_generation +=
			batch_set_text(b, d->hash_algorithm, sizeof(d->hash_algorithm), text);
		break;
	case ATTR_BALANCING:
		b->m->settings_generation +=
			batch_set_text(b, d->balancing, sizeof(d->balancing), text);
		break;
	case ATTR_SCHEMA:
		batch_set_text(b, d->schema, sizeof(d->schema), text);
		break;
	case ATTR_HOST_SETUP:
		b->m->settings_generation += batch_set_text(b, d->setup, sizeof(d->setup), text);
		break;
	case ATTR_POLL_PATH:
		batch_set_text(b, d->poll_path, sizeof(d->poll_path), text);
		break;
	case ATTR_POOLS:
		batch_set_text(b, d->pools, sizeof(d->pools), text);
		break;
	case ATTR_GPU_LINKS:
	case ATTR_GPU_FABRIC:
		gpu_word_of(b, it);
		break;
	case ATTR_GPU_DOMAIN:
		batch_set_text(b, d->gpu_domain, sizeof(d->gpu_domain), text);
		break;
	case ATTR_PROVIDER:
		batch_set_text(b, d->provider, sizeof(d->provider), text);
		break;
	case ATTR_NOTE:
		notes_take(d->notes, it->sub, text);
		b->changed = true;
		break;
	case ATTR_PAIR:
		b->m->settings_generation += batch_set_text(b, d->pair, sizeof(d->pair), text);
		break;
	default:
		break;
	}
}

static void device_number(struct batch *b, enum obs_attr attr, unsigned sub, double v)
{
	if (attr == ATTR_NOTE_COUNT)
		notes_begin(&b->d->notes, sub, v, b->now);
	else if (attr == ATTR_BGP_AS)
		set_u32(b, &b->d->bgp_as, v, UINT32_MAX);
	else if (attr == ATTR_PFCWD_POLL_MS)
		set_u32(b, &b->d->pfcwd_poll_ms, v, 1e9);
	else if (attr == ATTR_MACS)
		b->stations = true;
	if (attr != ATTR_GPU_COUNT)
		return;
	set_u32(b, &b->d->ngpus, v, HOST_GPUS_MOST);
	b->d->gpus_us = b->now;
}

/* Seconds that rounding may set an uptime back. */
#define UPTIME_SLACK_S 2.0

/* A boot id that is a time is "now minus uptime": it moves by rounding and clock corrections.
 * Nothing boots twice within these few seconds. */
#define BOOT_TIME_SLACK_S 10

static bool same_boot(const char *a, const char *b)
{
	uint64_t ta, tb;

	if (strcmp(a, b) == 0)
		return true;
	return str_to_u64(a, &ta) && str_to_u64(b, &tb) &&
	       (ta > tb ? ta - tb : tb - ta) <= BOOT_TIME_SLACK_S;
}

void batch_device_attrs(struct batch *b)
{
	struct device *d = b->d;
	char boot[sizeof(d->boot_id)] = "";
	double uptime = (double)NAN;
	bool other_boot, younger;

	for (size_t i = 0; i < b->o->items.n; i++) {
		const struct obs_item *it = &b->o->items.at[i];

		if (it->port != OBS_NO_PORT)
			continue;
		if (it->kind == OBS_WORD && it->code == ATTR_BOOT_ID)
			(void)str_sanitise(boot, sizeof(boot), obs_text(b->o, it->text),
				strlen(obs_text(b->o, it->text)));
		else if (it->kind == OBS_WORD)
			device_word(b, it);
		else if (it->kind == OBS_NUMBER && it->code == ATTR_UPTIME_S && it->real >= 0)
			uptime = it->real;
		else if (it->kind == OBS_NUMBER)
			device_number(b, (enum obs_attr)it->code, it->sub, it->real);
	}
	other_boot = boot[0] && d->boot_id[0] && !same_boot(boot, d->boot_id);
	if (batch_uptime_behind(b, uptime))
		uptime = (double)NAN;
	younger = uptime + UPTIME_SLACK_S < d->uptime_s; /* false when either is unknown */
	if (other_boot || younger) {
		note_reboot(b, other_boot ? "new boot id" : "the uptime went back", uptime);
		d->boot_id[0] = '\0';
		d->uptime_s = (double)NAN;
	}
	if (boot[0])
		(void)str_copy(d->boot_id, sizeof(d->boot_id), boot);
	if (!isnan(uptime))
		d->uptime_s = uptime;
}

/* Shifts times that were noted by the device's clock to its present clock. */
static void shift_clock(struct model *m, const struct device *d, int64_t by)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		struct port *p = m->ports.at[d->ports.at[i]];

		for (size_t j = 0; j < p->layout->n; j++) {
			struct cell *c = &p->cells[j];

			if (c->when != TIME_NONE && !(c->flags & CELL_WALL_CLOCK))
				cell_stamp(p, c, cell_seen_us(p, c), cell_base_us(p, c) + by,
					p->times[c->when].look);
		}
	}
}

/*
 * Without this a clock that is set during the session would cause one wrong rate on every port.
 * The offset to our clock is known to within the duration of an answer. A larger step means that
 * the clock was set; after a shift by the step all differences are those of our clock.
 */
void batch_clock(struct batch *b)
{
	struct device *d = b->d;
	int64_t skew, limit, step;

	if (!b->device_time)
		return;
	skew = b->sample - b->received;
	if (skew == 0)
		skew = 1; /* 0 means unknown */
	step = skew - d->clock_skew_us;
	limit = CLOCK_SEC + (b->o->took_us > 0 ? b->o->took_us : 0) +
		(d->took_us > 0 ? d->took_us : 0);
	if (d->clock_skew_us && (step > limit || step < -limit))
		shift_clock(b->m, d, step);
	d->clock_skew_us = skew;
}

/* Returns true if the list differs from before. */
static bool set_capability(
	struct capability_list *list, const char *need, enum validity v, const char *cure)
{
	struct capability *c = NULL;
	char name[sizeof(c->need)], text[sizeof(c->cure)];
	bool changed;

	if (!*need || v > VALID_DISABLED)
		return false;
	(void)str_sanitise(name, sizeof(name), need, strlen(need));
	for (size_t i = 0; i < list->n && !c; i++)
		if (strcmp(list->at[i].need, name) == 0)
			c = &list->at[i];
	changed = !c;
	if (!c) {
		if (list->n >= DEVICE_CAPS_MAX)
			return false;
		c = vec_add(list);
		(void)str_copy(c->need, sizeof(c->need), name);
	}
	(void)str_copy(text, sizeof(text), cure);
	changed |= c->valid != v || strcmp(c->cure, text) != 0;
	c->valid = (uint8_t)v;
	(void)str_copy(c->cure, sizeof(c->cure), text);
	return changed;
}

void batch_capability(struct batch *b, const char *need, enum validity v, const char *cure)
{
	b->changed |= set_capability(&b->d->caps, need, v, cure);
}

bool model_sources_apply(struct model *m, const struct obs *o)
{
	bool changed = false;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_CAPABILITY &&
			str_starts(obs_text(o, it->text), NEED_JOB_SOURCE))
			changed |= set_capability(&m->sources, obs_text(o, it->text),
				(enum validity)it->code, obs_text(o, it->text2));
	}
	return changed;
}
