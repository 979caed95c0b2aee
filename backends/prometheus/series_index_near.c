/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/series_index_private.h"
#include "base/str.h"

/*
 * Servers sort series by their labels, so that one differs from the one before in its port, or its
 * priority, or its device: what the others say was learnt already. Nothing is told from what looks
 * alike: each byte is compared, and whatever is unusual is for those who read all labels.
 */

#define WHO_MAX 4096 /* of a device */
/* A device has one value in each mapping, or two when it moves. */
#define VALUES_MOST(b) (4 * (b)->devices.n + 1024)
#define VALUE_LEN      ((size_t)2 * NAME_MAX_LEN) /* longer ones are looked up each time */

bool series_index_says_labels(const struct prometheus_rule *r)
{
	return r->tells != PROMETHEUS_COUNTER && r->tells != PROMETHEUS_ATTR &&
	       r->tells != PROMETHEUS_UP;
}

/* ---- what labels say ---- */

bool series_index_sub_of(
	const struct prometheus_rule *r, const char *text, size_t len, uint8_t *sub)
{
	unsigned subs = r->tells == PROMETHEUS_COUNTER ? counter_dim_size(r->counter) : PRIORITIES;
	size_t n = len;
	uint64_t v = 0;

	while (n && text[n - 1] >= '0' && text[n - 1] <= '9')
		n--;
	if (n == len)
		return false;
	for (; n < len && v < subs; n++)
		v = v * 10 + (uint64_t)(text[n] - '0');
	if (v >= subs)
		return false;
	*sub = (uint8_t)v;
	return true;
}

const char *const series_index_who_labels[NEAR_WHO] = {"instance", "job", "replica", "prometheus",
	"prometheus_replica", "cluster", "pod", "__replica__"};

uint32_t series_index_who_hash(const char *const *values, const size_t *lens)
{
	uint32_t h = 2166136261U;

	for (size_t i = 0; i < NEAR_WHO; i++) {
		for (size_t k = 0; values[i] && k < lens[i]; k++)
			h = (h ^ (unsigned char)values[i][k]) * 16777619U;
		h = (h ^ 0xff) * 16777619U;
	}
	return h ? h : 1;
}

bool series_index_who_of(struct series_index_device *d, uint32_t hash, uint16_t *source)
{
	size_t i = 0;

	while (i < d->who.n && d->who.at[i] != hash)
		i++;
	if (i == WHO_MAX)
		return false;
	if (i == d->who.n)
		vec_push(&d->who, hash);
	*source = (uint16_t)i;
	return true;
}

/* ---- devices ---- */

/* Rules of one mapping find devices in the same way. */
void series_index_near_open(struct series_index *b)
{
	for (size_t i = 0; i < b->map->rules.n; i++) {
		const struct prometheus_label *l = &b->map->rules.at[i]->device, *last = NULL;

		if (i)
			last = &b->map->rules.at[b->alike.at[i - 1]]->device;
		vec_push(&b->alike,
			last && str_eq(l->label, last->label) && str_eq(l->match, last->match)
				? b->alike.at[i - 1]
				: (uint16_t)i);
	}
}

bool series_index_device_named(
	struct series_index *b, uint16_t rule, const char *value, uint32_t *device)
{
	const struct prometheus_label *l = &b->map->rules.at[rule]->device;
	char key[VALUE_LEN + sizeof(rule)], name[NAME_MAX_LEN];
	size_t len = strlen(value) + sizeof(rule);
	bool keep = l->match && len <= sizeof(key);
	struct series_index_name *n = NULL;

	if (keep) {
		memcpy(key, &b->alike.at[rule], sizeof(rule));
		memcpy(key + sizeof(rule), value, len - sizeof(rule));
		HASH_FIND(hh, b->values, key, len, n);
	}
	if (n) {
		*device = n->device;
		return true;
	}
	if (!prometheus_label_name(l, value, name) ||
		!series_index_find_device(b, name, strlen(name), device))
		return false;
	if (!keep || b->n_values >= VALUES_MOST(b))
		return true;
	n = mem_calloc(1, sizeof(*n) + len);
	memcpy(n->name, key, len);
	n->device = *device;
	HASH_ADD_KEYPTR(hh, b->values, n->name, len, n);
	b->n_values++;
	return true;
}

void series_index_near_free(struct series_index *b)
{
	struct series_index_name *n = b->values, *next;

	HASH_CLEAR(hh, b->values);
	for (; n; n = next) {
		next = n->hh.next;
		free(n);
	}
	vec_free(&b->alike);
}

/* ---- the series before ---- */

/* Which label has that name: the first, as prometheus_label() finds it. n: none. */
static unsigned label_at(const struct prometheus_labels *l, const char *name)
{
	unsigned i = 0;

	while (i < l->n && name && strcmp(l->text + l->at[i].name, name) != 0)
		i++;
	return name ? i : l->n;
}

static uint32_t bit_of(const struct prometheus_labels *l, const char *name)
{
	unsigned i = label_at(l, name);

	return i < l->n ? UINT32_C(1) << i : 0;
}

static const char *value_of(const struct series_index_near *x, unsigned i, size_t *len)
{
	*len = i < x->n ? x->width[i] : 0;
	return i < x->n ? x->raw + x->at[i] : NULL;
}

static uint32_t who_is(const struct series_index_near *x)
{
	const char *values[NEAR_WHO];
	size_t lens[NEAR_WHO];

	for (size_t i = 0; i < NEAR_WHO; i++)
		values[i] = value_of(x, x->who[i], &lens[i]);
	return series_index_who_hash(values, lens);
}

/* Where the values are: raw is "name":"value",... of these labels, without escapes. */
static void find_values(struct series_index_near *x, const struct prometheus_labels *l)
{
	size_t at = 0;

	for (unsigned i = 0; i < l->n; i++) {
		at += (size_t)(l->at[i].value - l->at[i].name) + 3;
		x->at[i] = (uint16_t)at;
		x->width[i] = l->at[i].value_len;
		at += l->at[i].value_len + (size_t)2;
	}
}

void series_index_near_begin(struct series_index_query *q, const struct prometheus_labels *l,
	const char *raw, size_t len, const struct series *s)
{
	const struct prometheus_rule *r = q->book->map->rules.at[s->rule];
	struct series_index_near *x = &q->near;

	x->is = raw && len <= NEAR_BYTES && l->n <= NEAR_LABELS && s->place != SERIES_NOBODYS &&
		!series_index_says_labels(r);
	if (!x->is)
		return;
	memcpy(x->raw, raw, len);
	x->len = (uint16_t)len;
	x->n = (uint16_t)l->n;
	find_values(x, l);
	x->name = bit_of(l, "__name__");
	x->device_label = bit_of(l, r->device.label);
	x->port_label = bit_of(l, r->port.label);
	x->subs = bit_of(l, r->sub_label);
	for (size_t i = 0; i < NEAR_WHO; i++)
		x->who[i] = (uint8_t)label_at(l, series_index_who_labels[i]);
	x->who_is = who_is(x);
	x->rule = s->rule;
	x->source = s->source;
	x->sub = s->sub;
	x->port = s->place;
	x->device = r->port.label ? q->book->ports.at[s->place]->device : s->place;
}

/* ---- what differs ---- */

/* How many bytes are the same. */
static size_t same(const char *a, const char *b, size_t n)
{
	uint64_t v, w;
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		memcpy(&v, a + i, 8);
		memcpy(&w, b + i, 8);
		if (v != w)
			break;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* Printable ASCII without escapes: it means what it says. */
static bool plain(const char *s, size_t n)
{
	bool bad = false;

	for (size_t i = 0; i < n; i++)
		bad |= s[i] < ' ' || s[i] > '~' || s[i] == '\\';
	return !bad;
}

/*
 * Labels that are others than those of the last one, a bit each, and where all values are in raw;
 * false: it is more than values that differs.
 */
static bool compare(struct series_index_near *x, const char *raw, size_t len, uint32_t *changed)
{
	size_t old = 0, now = 0, from, width, n;
	const char *quote;
	unsigned k = 0;

	*changed = 0;
	for (;;) {
		n = x->len - old < len - now ? x->len - old : len - now;
		n = same(x->raw + old, raw + now, n);
		old += n;
		now += n;
		for (; k < x->n && (size_t)x->at[k] + x->width[k] < old; k++)
			x->at[k] = (uint16_t)(x->at[k] + now - old);
		if (old == x->len && now == len)
			return true;
		if (k == x->n || old < x->at[k])
			return false;
		quote = memchr(raw + now, '"', len - now);
		if (!quote)
			return false;
		from = now - (old - x->at[k]);
		width = (size_t)(quote - raw) - from;
		if (!plain(raw + from, width))
			return false;
		*changed |= UINT32_C(1) << k;
		old = (size_t)x->at[k] + x->width[k];
		now = from + width;
		x->at[k] = (uint16_t)from;
		x->width[k] = (uint16_t)width;
		k++;
	}
}

static bool port_is(
	const struct series_index_port *p, uint32_t device, const char *name, size_t len)
{
	return p->device == device && p->len == len && memcmp(p->name, name, len) == 0;
}

/* Ports come in the same order in each metric's series. */
static bool find_port(
	struct series_index *b, struct series_index_near *x, const struct prometheus_rule *r)
{
	struct series_index_port *last = b->ports.at[x->port], *p = NULL;
	char text[NAME_MAX_LEN], name[NAME_MAX_LEN];
	const char *value;
	size_t len;

	if (!x->port_label)
		return false;
	value = value_of(x, (unsigned)__builtin_ctz(x->port_label), &len);
	if (!len || len >= sizeof(text))
		return false;
	if (!r->port.match && last->next)
		p = b->ports.at[last->next - 1];
	if (!p || !port_is(p, x->device, value, len)) {
		memcpy(text, value, len);
		text[len] = '\0';
		p = prometheus_label_name(&r->port, text, name)
			    ? series_index_port_of(b, x->device, name)
			    : NULL;
	}
	if (!p)
		return false;
	last->next = p->index + 1;
	x->port = p->index;
	return true;
}

static bool find_device(struct series_index *b, struct series_index_near *x)
{
	char text[VALUE_LEN];
	const char *value;
	size_t len;

	if (!x->device_label)
		return false;
	value = value_of(x, (unsigned)__builtin_ctz(x->device_label), &len);
	if (len >= sizeof(text))
		return false;
	memcpy(text, value, len);
	text[len] = '\0';
	return series_index_device_named(b, x->rule, text, &x->device);
}

static bool find_sub(struct series_index_near *x, const struct prometheus_rule *r)
{
	size_t len;
	const char *value = value_of(x, (unsigned)__builtin_ctz(x->subs), &len);

	return series_index_sub_of(r, value, len, &x->sub);
}

static uint32_t whos(const struct series_index_near *x)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < NEAR_WHO; i++)
		bits |= x->who[i] < x->n ? UINT32_C(1) << x->who[i] : 0;
	return bits;
}

/* x is of the series at hand, but for what follows from values that changed. */
static bool follow(struct series_index *b, struct series_index_near *x, uint32_t changed)
{
	const struct prometheus_rule *r = b->map->rules.at[x->rule];
	bool device = changed & x->device_label, who = changed & whos(x);

	if (changed & x->name)
		return false;
	if (who)
		x->who_is = who_is(x);
	if (device && !find_device(b, x))
		return false;
	if ((device || who) &&
		!series_index_who_of(&b->devices.at[x->device], x->who_is, &x->source))
		return false;
	if (changed & x->subs && !find_sub(x, r))
		return false;
	return !r->port.label || !(device || changed & x->port_label) || find_port(b, x, r);
}

bool series_index_near(struct series_index_query *q, const char *raw, size_t len, struct series *s)
{
	struct series_index_near *x = &q->near;
	uint32_t changed;

	if (!x->is)
		return false;
	x->is = len <= NEAR_BYTES && compare(x, raw, len, &changed);
	if (!x->is)
		return false;
	memcpy(x->raw, raw, len);
	x->len = (uint16_t)len;
	x->is = follow(q->book, x, changed);
	if (!x->is)
		return false;
	s->rule = x->rule & (PROMETHEUS_RULES_MAX - 1U);
	s->sub = x->sub & 15U;
	s->source = x->source;
	s->place = q->book->map->rules.at[x->rule]->port.label ? x->port : x->device;
	return true;
}
