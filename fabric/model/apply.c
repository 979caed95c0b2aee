/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/index.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/rate.h"
#include "fabric/model/wiring.h"
#include "fabric/vocabulary/counters.h"

/* Most events of one answer: a flooding device must not push the others' events out of the ring. */
#define BATCH_EVENTS_MAX 256

/* Complaints about one device within a minute. */
#define COMPLAINTS_A_MINUTE 3
#define COMPLAINT_MINUTE_US (60 * CLOCK_SEC)
#define COMPLAINTS_KEPT_US  (600 * CLOCK_SEC)

bool batch_set_text(struct batch *b, char *dst, size_t size, const char *text)
{
	char cut[512];

	/* Not str_copy(): half a character at the cut is text that JSON cannot hold. */
	(void)str_sanitise(cut, size < sizeof(cut) ? size : sizeof(cut), text, strlen(text));
	if (strcmp(dst, cut) == 0)
		return false;
	(void)str_copy(dst, size, cut);
	b->changed = true;
	return true;
}

bool batch_port_text(struct batch *b, const char **at, size_t size, const char *text)
{
	char cut[PORT_TEXT_MOST];

	(void)str_sanitise(cut, size, text, strlen(text));
	if (strcmp(*at, cut) == 0)
		return false;
	string_pool_set(b->m->texts, at, cut);
	b->changed = true;
	return true;
}

bool batch_port_word(
	struct batch *b, struct port *p, const char *const *at, size_t size, const char *text)
{
	char cut[PORT_TEXT_MOST];

	(void)str_sanitise(cut, size, text, strlen(text));
	if (strcmp(*at, cut) == 0)
		return false;
	port_word_set(b->m, p, at, cut);
	b->changed = true;
	return true;
}

uint32_t text_hash(const char *s)
{
	uint32_t h = 2166136261U; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619U;
	return h ? h : 1;
}

static bool complaint_known(const struct device *d, uint32_t hash)
{
	for (size_t i = 0; i < DEVICE_COMPLAINTS; i++)
		if (d->bad_told[i] == hash)
			return true;
	return false;
}

/*
 * Records each different complaint once, and a few a minute. A device that answers a dozen
 * requests badly has one trouble, and the devices view shows its last error anyway.
 */
void batch_complain(struct batch *b, const char *text)
{
	struct device *d = b->d;
	uint32_t hash = text_hash(text);

	if (complaint_known(d, hash))
		return;
	if (!d->bad_us || b->now - d->bad_us >= COMPLAINT_MINUTE_US || b->now < d->bad_us) {
		d->bad_us = b->now;
		d->bad_minute = 0;
	}
	if (d->bad_minute >= COMPLAINTS_A_MINUTE)
		return;
	d->bad_minute++;
	d->bad_told[d->bad_next++ % DEVICE_COMPLAINTS] = hash;
	model_add_event(b->m, b->now, EV_BAD_ANSWER, d, NULL, -1, 0, text);
}

bool batch_is_log(const struct batch *b)
{
	return b->o->followed || strcmp(b->o->request, "log") == 0;
}

static void set_err(struct batch *b, const struct err *e)
{
	struct device *d = b->d;

	if (d->err->code != e->code || strcmp(d->err->text, e->text) != 0)
		b->changed = true;
	device_set_err(d, e);
	(void)str_copy(d->err_request, sizeof(d->err_request), b->o->request);
}

static void clear_err(struct batch *b)
{
	if (b->d->err->code != ERR_NONE)
		b->changed = true;
	/* The trouble is over: if it returns after a while it is reported again. */
	if (b->d->bad_us && b->now - b->d->bad_us >= COMPLAINTS_KEPT_US)
		memset(b->d->bad_told, 0, sizeof(b->d->bad_told));
	device_set_err(b->d, NULL);
	b->d->err_request[0] = '\0';
}

static bool connection_error(enum err_code code)
{
	return code == ERR_UNREACHABLE || code == ERR_UNAUTHORISED || code == ERR_TIMEOUT;
}

static void cure_dialect(const struct batch *b, struct err *e)
{
	if (b->d->dialect[0])
		(void)err_cure(e, "check that it has dialect %s: railtop discover --seed %s",
			b->d->dialect, b->d->name);
}

/*
 * A failed log session affects only the log: polls tell how current the device's data is. They
 * report a lost connection too.
 */
static void apply_failed(struct batch *b)
{
	struct err e = b->o->err;

	if (e.code == ERR_NONE)
		e.code = ERR_INTERNAL;
	if (batch_is_log(b)) {
		if (e.code == ERR_PROTOCOL || e.code == ERR_LIMIT)
			batch_complain(b, e.text);
		return;
	}
	b->d->failures++;
	if (batch_not_asked(b, &e))
		return;
	if (e.code == ERR_PROTOCOL && !b->d->last_ok_us && !e.cure[0])
		cure_dialect(b, &e);
	if (e.code == ERR_UNREACHABLE || e.code == ERR_UNAUTHORISED) {
		b->changed |= b->d->connected;
		b->d->connected = false;
	}
	set_err(b, &e);
	if (e.code == ERR_PROTOCOL || e.code == ERR_LIMIT)
		batch_complain(b, e.text);
}

static void apply_connected(struct batch *b)
{
	b->changed |= !b->d->connected;
	b->d->connected = true;
	if (b->d->err->code == ERR_UNREACHABLE || b->d->err->code == ERR_UNAUTHORISED)
		clear_err(b);
}

/* Clears errors of the connection, but not those of another request. */
static void answered_well(struct batch *b)
{
	struct device *d = b->d;

	if (b->o->err.code != ERR_NONE) {
		set_err(b, &b->o->err);
		batch_complain(b, b->o->err.text);
	} else if (connection_error(d->err->code) ||
		   (d->err->code != ERR_NONE && !d->err_request[0]) ||
		   strcmp(d->err_request, b->o->request) == 0) {
		clear_err(b);
	}
}

/*
 * A dialect first learns how to ask, and its slow requests may be answered first: so many answers
 * may have no data. What it learnt is no reason, because a recording does not keep that and is
 * replayed to the same state.
 */
#define FIRST_ANSWERS 4

/*
 * An answer without any data that was understood. If the device reports other data, this may be a
 * missing capability. If it reports nothing else, this is its error, of no particular request, and
 * any later data clears it.
 */
static void answered_in_vain(struct batch *b)
{
	struct device *d = b->d;
	struct err e = b->o->err;

	if (!device_is_mute(d, b->received)) {
		answered_well(b);
		return;
	}
	if (connection_error(d->err->code))
		clear_err(b);
	if (d->err->code != ERR_NONE ||
		(e.code == ERR_NONE && !d->last_ok_us && d->polls <= FIRST_ANSWERS))
		return;
	if (e.code == ERR_NONE)
		err_set(&e, ERR_PROTOCOL, d->name, "%s%s",
			d->dialect[0] ? "its answers have nothing of dialect "
				      : "the report about it has no data",
			d->dialect);
	if (!e.cure[0])
		cure_dialect(b, &e);
	set_err(b, &e);
	d->err_request[0] = '\0';
}

static void apply_answer(struct batch *b)
{
	struct device *d = b->d;
	bool tells, counts;

	if (batch_is_log(b)) {
		if (b->o->err.code != ERR_NONE)
			batch_complain(b, b->o->err.text);
		return;
	}
	tells = obs_tells(b->o);
	b->changed |= !d->connected || (tells && !d->last_ok_us);
	d->connected = true;
	d->bytes = b->o->bytes;
	if (!tells) {
		answered_in_vain(b);
		return;
	}
	counts = b->kinds & 1U << OBS_COUNT || b->o->unchanged_rest;
	if (!b->o->took_us && !d->engine_us && counts)
		device_learn_interval(d, b->received);
	/* A line of a job's log may be older than the counters before it. */
	if (counts || b->received > d->last_ok_us || d->last_ok_us - b->received > RATE_HOLD_US)
		d->last_ok_us = b->received;
	if (!d->heard_us)
		d->heard_us = b->received;
	answered_well(b);
}

/* A word in a log line may look like a port; only data proves that it exists. */
static void find_hearsay(const struct batch *b, bool *hearsay)
{
	if (!(b->kinds & 1U << OBS_EVENT))
		return;
	for (size_t i = 0; i < b->o->items.n; i++) {
		const struct obs_item *it = &b->o->items.at[i];

		if (it->port < b->o->ports.n)
			hearsay[it->port] |= is_log_item(it);
	}
	for (size_t i = 0; i < b->o->items.n; i++) {
		const struct obs_item *it = &b->o->items.at[i];

		if (it->port < b->o->ports.n && !is_log_item(it))
			hearsay[it->port] = false;
	}
}

/*
 * Most answers name ports in the device's own order. So the port behind the last one, or a little
 * further, is tried first: a lookup by name costs more. *next: where to try.
 */
#define AHEAD 3
static struct port *find_port(const struct batch *b, const char *name, size_t *next)
{
	const struct device *d = b->d;

	for (size_t i = *next; *name && i < d->ports.n && i < *next + AHEAD; i++) {
		struct port *p = b->m->ports.at[d->ports.at[i]];

		if (strcmp(p->name, name) != 0)
			continue;
		*next = i + 1;
		return p;
	}
	return model_port(b->m, d, name);
}

static void resolve_ports(struct batch *b)
{
	bool refused = false, added = false, *hearsay = mem_calloc(b->o->ports.n, sizeof(*hearsay));
	size_t next = 0;

	find_hearsay(b, hearsay);
	b->ports = mem_calloc(b->o->ports.n, sizeof(*b->ports));
	for (size_t i = 0; i < b->o->ports.n; i++) {
		const struct obs_port *op = &b->o->ports.at[i];
		struct port *p = find_port(b, op->name, &next);

		if (hearsay[i]) {
			b->ports[i].port = p;
			if (p)
				b->ports[i].was = p->oper;
			continue;
		}
		if (!p) {
			p = model_add_port(b->m, b->d, op->name);
			wiring_ports_of(b->m, b->d);
			added = true;
		}
		b->ports[i].port = p;
		if (!p) {
			refused = true;
			continue;
		}
		b->changed |= !p->seen;
		p->seen = true;
		b->ports[i].sample_us = op->sample_us > 0 ? op->sample_us : 0;
		b->ports[i].was = p->oper;
	}
	free(hearsay);
	if (added)
		unnamed_told(b->m, b->d);
	if (refused)
		batch_complain(b, "more ports than a device can have: the rest is ignored");
}

static struct batch_port *port_of(struct batch *b, const struct obs_item *it)
{
	if (it->port >= b->o->ports.n || !b->ports[it->port].port)
		return NULL;
	return &b->ports[it->port];
}

static void apply_item(struct batch *b, size_t i)
{
	const struct obs_item *it = &b->o->items.at[i];
	struct batch_port *bp = port_of(b, it);

	switch ((enum obs_kind)it->kind) {
	case OBS_NUMBER:
	case OBS_WORD:
		if (neighbour_attr((enum obs_attr)it->code)) {
			b->neighbour_words = true;
		} else if (bp) {
			batch_settings_note(b, bp, (enum obs_attr)it->code);
			batch_port_attr(b, bp, it);
		}
		break;
	case OBS_LLDP:
		if (bp)
			neighbour_note(b, bp, i);
		break;
	case OBS_EVENT:
		if (is_log_item(it))
			break; /* batch_log() handles all of them together */
		if (b->events < BATCH_EVENTS_MAX)
			batch_device_event(b, it);
		else if (b->events == BATCH_EVENTS_MAX)
			batch_complain(
				b, "more than 256 events in one answer: the rest is ignored");
		b->events++;
		break;
	case OBS_CAPABILITY:
		batch_capability(b, obs_text(b->o, it->text), (enum validity)it->code,
			obs_text(b->o, it->text2));
		break;
	case OBS_COUNT:
	case OBS_GAUGE:
	case OBS_VALID:
	case OBS_FACT: /* for the collector */
		break;
	}
}

/* A clear that two requests of the same sweep show is one clear. */
static bool same_clear(const struct batch *b)
{
	return b->d->reset_us && b->now - b->d->reset_us <= b->d->interval_us * 3 / 2 &&
	       strcmp(b->d->reset_request, b->o->request) != 0;
}

static void counter_events(struct batch *b)
{
	char text[160];

	if (b->resets && !b->rebooted && !same_clear(b)) {
		(void)str_printf(text, sizeof(text), "%s and %u more counter%s",
			counter_info[b->reset_counter].name, b->resets - 1,
			b->resets == 2 ? "" : "s");
		if (b->resets == 1)
			(void)str_copy(text, sizeof(text), counter_info[b->reset_counter].name);
		model_add_event(b->m, b->now, EV_COUNTER_RESET, b->d, b->reset_port, -1, 0, text);
		b->d->reset_seq = b->m->event_seq;
		b->d->reset_us = b->now;
		(void)str_copy(b->d->reset_request, sizeof(b->d->reset_request), b->o->request);
	}
	if (b->wraps)
		model_add_event(b->m, b->now, EV_COUNTER_WRAP, b->d, b->wrap_port, -1, 0,
			counter_info[b->wrap_counter].name);
}

static void apply_data(struct batch *b)
{
	for (size_t i = 0; i < b->o->items.n; i++)
		b->kinds |= 1U << (b->o->items.at[i].kind & 31U);
	apply_answer(b);
	resolve_ports(b);
	batch_device_attrs(b);
	batch_clock(b);
	batch_source(b);
	/* Numbers are the bulk; batch_counters() handles all of them together. */
	for (size_t i = 0; i < b->o->items.n; i++)
		if (b->o->items.at[i].kind > OBS_VALID)
			apply_item(b, i);
	batch_counters(b);
	for (size_t i = 0; i < b->o->ports.n; i++) {
		struct batch_port *bp = &b->ports[i];

		if (bp->port)
			batch_link_events(b, bp);
	}
	neighbours_apply(b);
	batch_port_list(b);
	counter_events(b);
	batch_settings_events(b);
	batch_bgp(b);
	model_nccl_apply(b->m, b->o, b->now);
	batch_log(b);
	tally_batch(b);
	if (!batch_is_log(b))
		b->d->took_us = b->o->took_us;
	free(b->ports);
}

/* Only NICs have these counters, so a device without a plan is not taken for a switch. */
static enum tier tier_guess(const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_COUNT && it->cell < CELL_COUNT &&
			counter_info[counter_of_cell(it->cell, NULL)].group == GROUP_NIC)
			return TIER_HOST;
	}
	return TIER_LEAF;
}

static struct device *device_for(struct model *m, const struct obs *o)
{
	struct device *d = model_device(m, o->device);
	size_t unplanned = 0;

	if (d || !o->device[0])
		return d;
	for (size_t i = m->devices.n; i-- > 0 && !m->devices.at[i]->planned;)
		unplanned++;
	if (unplanned >= UNPLANNED_MAX)
		return NULL;
	m->generation++;
	d = model_add_device(m, o->device, tier_guess(o));
	wiring_name(m, d);
	return d;
}

void model_apply(struct model *m, const struct obs *o, int64_t now_us)
{
	struct batch b = {.m = m, .o = o, .now = now_us};

	m->batches++;
	m->items += o->items.n;
	if (batch_is_history(o)) {
		history_stage(m, o);
		return;
	}
	b.d = device_for(m, o);
	if (!b.d) {
		/* A record about jobs needs no device. */
		if (!o->device[0]) {
			model_nccl_apply(m, o, now_us);
			m->generation += model_sources_apply(m, o);
		}
		return;
	}
	b.received = o->received_us > 0 && o->received_us < now_us ? o->received_us : now_us;
	b.device_time = o->device_us > 0;
	b.sample = b.device_time ? o->device_us : b.received;
	if (!batch_is_log(&b))
		b.d->last_attempt_us = b.received;
	if (o->result == OBS_CONNECTED) {
		apply_connected(&b);
	} else {
		b.d->polls += !batch_is_log(&b);
		if (o->result == OBS_FAILED)
			apply_failed(&b);
		else
			apply_data(&b);
	}
	m->generation += b.changed;
}
