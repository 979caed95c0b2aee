/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/difference/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/difference/difference_internal.h"

const char *difference_kind_name(enum difference_kind k)
{
	static const char *const names[DIFF_KIND_COUNT] = {
		"device", "link", "speed", "config", "wiring", "finding", "counter"};

	return (unsigned)k < DIFF_KIND_COUNT ? names[k] : "?";
}

/* ---- adding one ---- */

void differ_at(struct differ *x, struct ref at)
{
	x->at = at;
	x->placed = false;
}

void differ_gone(struct differ *x, struct ref at_a)
{
	x->at = (struct ref){.kind = REF_NONE};
	x->placed = true;
	(void)ref_format(x->a->m, at_a, x->place, sizeof(x->place));
}

struct difference *differ_add(
	struct differ *x, enum difference_kind kind, enum severity s, const char *what)
{
	struct difference *d = vec_add(x->out);

	if (!x->placed)
		(void)ref_format(x->b->m, x->at, x->place, sizeof(x->place));
	x->placed = true;
	d->kind = (uint8_t)kind;
	d->severity = (uint8_t)s;
	d->at = x->at;
	d->number = NAN;
	(void)str_copy(d->place, sizeof(d->place), x->place);
	(void)str_copy(d->what, sizeof(d->what), what);
	(void)str_copy(d->before, sizeof(d->before), "-");
	(void)str_copy(d->after, sizeof(d->after), "-");
	return d;
}

struct difference *differ_texts(struct differ *x, enum difference_kind kind, enum severity s,
	const char *what, const char *before, const char *after)
{
	struct difference *d = differ_add(x, kind, s, what);

	if (before && *before)
		(void)str_copy(d->before, sizeof(d->before), before);
	if (after && *after)
		(void)str_copy(d->after, sizeof(d->after), after);
	return d;
}

void differ_better(struct difference *d)
{
	d->better = true;
	d->severity = SEV_OK;
}

void differ_lost(struct differ *x, const char *what)
{
	size_t i = 0;

	while (i < x->nlost && !str_eq(x->lost[i].what, what))
		i++;
	if (i == LOST_MAX)
		return;
	if (i == x->nlost)
		x->lost[x->nlost++] = (struct lost){.what = what};
	x->lost[i].n++;
}

struct difference *differ_words(struct differ *x, enum difference_kind kind, enum severity s,
	const char *what, const char *before, const char *after)
{
	if (!*before || str_eq(before, after))
		return NULL;
	if (!*after) {
		differ_lost(x, what);
		return NULL;
	}
	return differ_texts(x, kind, s, what, before, after);
}

struct difference *differ_numbers(struct differ *x, enum difference_kind kind, enum severity s,
	const char *what, bool known_a, uint64_t before, bool known_b, uint64_t after)
{
	struct difference *d;

	if (!known_a || (known_b && before == after))
		return NULL;
	if (!known_b) {
		differ_lost(x, what);
		return NULL;
	}
	d = differ_add(x, kind, s, what);
	(void)str_printf(d->before, sizeof(d->before), "%llu", (unsigned long long)before);
	(void)str_printf(d->after, sizeof(d->after), "%llu", (unsigned long long)after);
	return d;
}

/* ---- devices ---- */

/* Fresh and late are the same state here: the difference is not worth a line. */
static enum dev_state state_class(const struct device *d)
{
	return d->state == DEV_LATE ? DEV_FRESH : d->state;
}

static enum severity severity_of_state(enum dev_state s)
{
	switch (s) {
	case DEV_UNREACHABLE:
	case DEV_UNAUTHORISED:
	case DEV_NOT_UNDERSTOOD:
		return SEV_CRIT;
	case DEV_STALE:
		return SEV_WARN;
	default:
		return SEV_OK;
	}
}

static void differ_state(struct differ *x, const struct device *a, const struct device *b)
{
	enum dev_state was = state_class(a), is = state_class(b);
	struct difference *d;

	if (was == is || was == DEV_PENDING)
		return;
	d = differ_texts(x, DIFF_DEVICE, severity_of_state(is), "state", dev_state_words(was),
		dev_state_words(is));
	if (severity_of_state(was) > severity_of_state(is))
		differ_better(d);
}

/* Prints nothing when it is unknown. */
static void print_uptime(const struct device *d, char *dst, size_t size)
{
	char up[24];

	if (isfinite(d->uptime_s))
		(void)str_printf(
			dst, size, "up %s", str_age((int64_t)(d->uptime_s * 1e6), up, sizeof(up)));
}

/*
 * A changed boot id shows it. Without one: the uptime at the later moment is less than at the
 * earlier one.
 */
static void differ_reboot(struct differ *x, const struct device *a, const struct device *b)
{
	const struct device *first = x->forward ? a : b, *last = x->forward ? b : a;
	struct difference *d;

	if (*a->boot_id && *b->boot_id ? str_eq(a->boot_id, b->boot_id)
				       : !(last->uptime_s < first->uptime_s))
		return;
	d = differ_add(x, DIFF_DEVICE, SEV_WARN, "reboot");
	print_uptime(a, d->before, sizeof(d->before));
	print_uptime(b, d->after, sizeof(d->after));
}

/* Capabilities that were reported and no longer are, or the reverse. */
static void differ_needs(struct differ *x, const struct device *a, const struct device *b)
{
	for (size_t i = 0; i < a->caps.n; i++)
		for (size_t k = 0; k < b->caps.n; k++) {
			const struct capability *was = &a->caps.at[i], *is = &b->caps.at[k];
			struct difference *d;

			if (!str_eq(was->need, is->need) || was->valid == is->valid)
				continue;
			if (was->valid == VALID_UNKNOWN || is->valid == VALID_UNKNOWN)
				continue;
			d = differ_texts(x, DIFF_DEVICE, SEV_WARN, is->need,
				validity_name((enum validity)was->valid),
				validity_name((enum validity)is->valid));
			if (is->valid == VALID_OK)
				differ_better(d);
		}
}

static void add_lost(struct differ *x, const struct device *b)
{
	struct difference *d;
	size_t n = 0;

	if (!x->nlost)
		return;
	differ_at(x, (struct ref){.kind = REF_DEVICE, .device = b->id});
	d = differ_add(x, DIFF_DEVICE, SEV_UNKNOWN, "no longer reported");
	for (size_t i = 0; i < x->nlost; i++) {
		char times[16] = "";

		if (x->lost[i].n > 1)
			(void)str_printf(times, sizeof(times), " (%u)", x->lost[i].n);
		if (!str_printf(d->before + n, sizeof(d->before) - n, "%s%s%s", i ? ", " : "",
			    x->lost[i].what, times)) {
			(void)str_copy(d->before + n, sizeof(d->before) - n, ", ...");
			break;
		}
		n = strlen(d->before);
		/* Leave room for the mark that there is more. */
		if (n + 6 > sizeof(d->before))
			break;
	}
}

/* Port b of the second moment at the first one: by its name, else by another of its names. */
static const struct port *port_before(
	const struct differ *x, const struct device *a, const struct port *b)
{
	const struct port *p = model_port(x->a->m, a, b->name);

	return p && !p->merged ? p : NULL;
}

static void differ_ports(struct differ *x, const struct device *a, const struct device *b)
{
	const struct model *ma = x->a->m, *mb = x->b->m;

	for (size_t i = 0; i < b->ports.n; i++) {
		const struct port *pb = mb->ports.at[b->ports.at[i]];
		const struct port *pa = port_before(x, a, pb);

		differ_at(x, at_port(pb->id));
		if (pa)
			differ_port(x, pa, pb);
		else if (pb->seen)
			(void)differ_texts(x, DIFF_DEVICE, SEV_OK, "port", NULL,
				pb->oper == OPER_UNKNOWN ? "there" : oper_name(pb->oper));
	}
	for (size_t i = 0; i < a->ports.n; i++) {
		const struct port *pa = ma->ports.at[a->ports.at[i]];

		if (!pa->seen || model_port(mb, b, pa->name))
			continue;
		differ_gone(x, at_port(pa->id));
		(void)differ_texts(x, DIFF_DEVICE, SEV_WARN, "port",
			pa->oper == OPER_UNKNOWN ? "there" : oper_name(pa->oper), NULL);
	}
}

static void differ_device(struct differ *x, const struct device *a, const struct device *b)
{
	struct ref at = {.kind = REF_DEVICE, .device = b->id};

	x->nlost = 0;
	differ_at(x, at);
	differ_state(x, a, b);
	/* A device without data at one of the moments shows no change. */
	if (!a->last_ok_us || !b->last_ok_us)
		return;
	differ_reboot(x, a, b);
	differ_needs(x, a, b);
	differ_device_settings(x, a, b);
	differ_sessions(x, a, b);
	differ_ports(x, a, b);
	add_lost(x, b);
}

static void differ_devices(struct differ *x)
{
	const struct model *ma = x->a->m, *mb = x->b->m;

	for (size_t i = 0; i < mb->devices.n; i++) {
		const struct device *b = mb->devices.at[i], *a = model_device(ma, b->name);

		if (a) {
			differ_device(x, a, b);
			continue;
		}
		differ_at(x, (struct ref){.kind = REF_DEVICE, .device = b->id});
		(void)differ_texts(x, DIFF_DEVICE, severity_of_state(state_class(b)), "device",
			NULL, dev_state_name(state_class(b)));
	}
	for (size_t i = 0; i < ma->devices.n; i++) {
		const struct device *a = ma->devices.at[i];

		if (model_device(mb, a->name))
			continue;
		differ_gone(x, (struct ref){.kind = REF_DEVICE, .device = a->id});
		(void)differ_texts(
			x, DIFF_DEVICE, SEV_WARN, "device", dev_state_name(state_class(a)), NULL);
	}
}

/* ---- the whole ---- */

static int compare_weight(const void *pa, const void *pb)
{
	const struct difference *a = pa, *b = pb;
	int c;

	if (a->cause != b->cause)
		return a->cause > b->cause ? -1 : 1;
	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->better != b->better)
		return a->better ? 1 : -1;
	c = str_natcmp(a->place, b->place);
	if (!c)
		c = (int)a->kind - (int)b->kind;
	if (!c)
		c = str_natcmp(a->what, b->what);
	if (!c)
		c = strcmp(a->before, b->before);
	return c ? c : strcmp(a->after, b->after);
}

/* At the port, or at a priority of it. */
static bool is_at(const char *place, const char *port)
{
	size_t n = strlen(port);

	return strncmp(place, port, n) == 0 && (!place[n] || place[n] == ':');
}

static void rank_causes(struct differ *x)
{
	for (size_t i = 0; x->nculprits && i < x->out->n; i++) {
		struct difference *d = &x->out->at[i];

		for (size_t k = 0; !d->cause && d->severity >= SEV_WARN && k < x->nculprits; k++)
			d->cause = is_at(d->place, x->culprits[k]);
	}
}

void difference_find(const struct moment *a, const struct moment *b, difference_vec *out)
{
	struct differ x = {.a = a,
		.b = b,
		.out = out,
		.forward = b->now_us >= a->now_us,
		.past = history_set_new()};

	differ_devices(&x);
	differ_findings(&x);
	history_set_free(x.past);
	rank_causes(&x);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), compare_weight);
}

void difference_free(difference_vec *v)
{
	vec_free(v);
}
