/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/bench/metrics/metrics.h"

/* Reads railtop's queries, and writes Prometheus's answers to them. */

#define POD_DEVICES 256 /* that one exporter tells of */
#define PORT_BYTES  16384
#define SAMPLES     64 /* of a series; the older ones are left out */

/* ---- the query ---- */

static char *form_value(const char *form, size_t len, const char *name)
{
	char *out = mem_alloc(len + 1);
	size_t n = 0, width = strlen(name);
	const char *end = form + len, *s = form;

	while (s && s < end && (strncmp(s, name, width) != 0 || s[width] != '=')) {
		s = memchr(s, '&', (size_t)(end - s));
		s = s ? s + 1 : NULL;
	}
	for (s = s ? s + width + 1 : end; s < end && *s != '&'; s++) {
		char hex[3] = {0};

		if (*s == '%' && end - s > 2) {
			memcpy(hex, s + 1, 2);
			out[n++] = (char)strtoul(hex, NULL, 16);
			s += 2;
		} else {
			out[n++] = (char)(*s == '+' ? ' ' : *s);
		}
	}
	out[n] = '\0';
	return out;
}

/* The quoted text behind `key`; NULL: it is not there. */
static const char *quoted(const char *query, const char *key, size_t *len)
{
	const char *s = strstr(query, key), *end;

	if (!s)
		return NULL;
	s += strlen(key);
	for (end = s; *end && *end != '"'; end++)
		end += *end == '\\' && end[1];
	*len = (size_t)(end - s);
	return s;
}

static void take_kinds(struct answer *a, const struct table *t, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		const char *bar = memchr(s, '|', (size_t)(end - s));
		size_t n = (size_t)((bar ? bar : end) - s);
		const struct series_kind *k = table_kind(t, s, n);

		if (k)
			vec_push(&a->kinds, k);
		s += n + 1;
	}
}

/* Names are separated by bars and have no escapes: these presets' have none that need them. */
static void take_devices(struct answer *a, const struct table *t, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		const char *bar = memchr(s, '|', (size_t)(end - s));
		size_t n = (size_t)((bar ? bar : end) - s);
		struct device_at at;

		if (table_device(t, s, n, &at))
			vec_push(&a->devices, at);
		s += n + 1;
	}
}

/* Which priorities a matcher of that label lets through. */
static uint64_t let_through(const char *query, const char *label)
{
	char key[64], text[256], sub[8];
	uint64_t mask = 0;
	bool isnt = false;
	const char *s;
	regex_t re;
	size_t len;

	(void)str_printf(key, sizeof(key), ",%s=~\"", label);
	s = quoted(query, key, &len);
	if (!s) {
		(void)str_printf(key, sizeof(key), ",%s!~\"", label);
		s = quoted(query, key, &len);
		isnt = true;
	}
	if (!s || !*label)
		return UINT64_MAX;
	(void)str_printf(text, sizeof(text), "^(%.*s)$", (int)len, s);
	if (regcomp(&re, text, REG_EXTENDED | REG_NOSUB) != 0)
		return 0;
	for (unsigned i = 0; i < 64; i++) {
		(void)str_printf(sub, sizeof(sub), "%u", i);
		if ((regexec(&re, sub, 0, NULL, 0) == 0) != isnt)
			mask |= UINT64_C(1) << i;
	}
	regfree(&re);
	return mask;
}

bool answer_begin(struct answer *a, const struct table *t, const char *form, size_t len)
{
	char *query = form_value(form, len, "query"), *time = form_value(form, len, "time");
	const char *s, *brace = strchr(query, '{'), *window = strrchr(query, '[');
	size_t n;
	bool ok;

	answer_free(a);
	s = quoted(query, "{__name__=~\"", &n);
	if (s)
		take_kinds(a, t, s, n);
	else if (brace)
		take_kinds(a, t, query, (size_t)(brace - query));
	s = quoted(query, "device=~\"", &n);
	if (s)
		take_devices(a, t, s, n);
	a->subs = a->kinds.n ? let_through(query, a->kinds.at[0]->label) : UINT64_MAX;
	ok = s && window && *time;
	a->to_ms = (int64_t)(strtod(time, NULL) * 1e3);
	a->from_ms = window ? a->to_ms - strtoll(window + 1, NULL, 10) * 1000 : 0;
	free(query);
	free(time);
	return ok;
}

void answer_free(struct answer *a)
{
	vec_free(&a->kinds);
	vec_free(&a->devices);
	memset(a, 0, sizeof(*a));
}

/* ---- the answer: millions of series, so text that many have in common is made once ---- */

struct text {
	size_t n;
	char at[SAMPLES * 64];
};

static void set(struct text *t, const char *s)
{
	t->n = strlen(s);
	memcpy(t->at, s, t->n);
}

static void add(struct text *t, const char *s, size_t n)
{
	memcpy(t->at + t->n, s, n);
	t->n += n;
}

static char *put(char *to, const struct text *t)
{
	memcpy(to, t->at, t->n);
	return to + t->n;
}

static char *put_number(char *to, uint64_t v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	char digits[20];
	size_t n = sizeof(digits);

	for (; v >= 100; v /= 100)
		memcpy(digits + (n -= 2), pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(digits + (n -= 2), pairs + v * 2, 2);
	else
		digits[--n] = (char)('0' + v);
	memcpy(to, digits + n, sizeof(digits) - n);
	return to + sizeof(digits) - n;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	return x ^ x >> 33;
}

/* Grows by the rate, give or take a second of it. */
static uint64_t value_at(const struct series_kind *k, uint64_t id, int64_t ms)
{
	uint64_t since = (uint64_t)(ms / 1000 - METRICS_START);

	return k->rate * (since + id % 1000) + mix(id ^ (uint64_t)(ms / 1000)) % k->rate;
}

static char *put_value(char *to, const struct series_kind *k, uint64_t v)
{
	if (!k->micro)
		return put_number(to, v);
	to = put_number(to, v / 1000000);
	*to++ = '.';
	v %= 1000000;
	for (int i = 5; i >= 0; i--, v /= 10)
		to[i] = (char)('0' + v % 10);
	return to + 6;
}

/* Labels before and behind that of the port; the text before the value of each sample. */
struct spot {
	const struct series_kind *kind;
	struct text head, tail, sub;
	struct text still; /* samples and all, of series that do not move */
	struct text zero;  /* likewise of series that could move, and do not */
	uint64_t id;
	int64_t first_ms;
	unsigned n;
	struct {
		int64_t ms;
		char text[24];
		size_t len;
	} samples[SAMPLES];
};

static char *put_moving(char *to, const struct spot *at, uint64_t id)
{
	for (unsigned i = 0; i < at->n; i++) {
		memcpy(to, at->samples[i].text, at->samples[i].len);
		to += at->samples[i].len;
		to = put_value(to, at->kind, value_at(at->kind, id, at->samples[i].ms));
		*to++ = '"';
		*to++ = ']';
	}
	memcpy(to, "]}", 2);
	return to + 2;
}

static char *put_series(
	char *to, const struct spot *at, const char *port, unsigned n_port, unsigned sub)
{
	const struct series_kind *k = at->kind;
	uint64_t id = mix(at->id * 4096 + n_port);
	bool moves = k->rate && (!k->held || (id % 10 == 0 && (!*k->label || sub == 3)));

	to = put(to, &at->head);
	if (port) {
		size_t n = strlen(port);

		memcpy(to, ",\"port\":\"", 9);
		memcpy(to + 9, port, n);
		to += 9 + n;
		*to++ = '"';
	}
	if (at->sub.n) {
		to = put_number(put(to, &at->sub), sub);
		*to++ = '"';
	}
	to = put(to, &at->tail);
	return moves ? put_moving(to, at, id + sub) : put(to, k->rate ? &at->zero : &at->still);
}

/* The times of samples, and the samples of series that do not move. */
static void set_samples(struct spot *at, const struct answer *a, int64_t scrape_ms)
{
	size_t n = strlen(at->kind->text);

	at->n = 0;
	at->still.n = at->zero.n = 0;
	for (int64_t ms = at->first_ms; ms <= a->to_ms && at->n < SAMPLES; ms += scrape_ms) {
		char *text = at->samples[at->n].text;
		size_t len;

		(void)str_printf(text, sizeof(at->samples[0].text), "%s[%lld.%03d,\"",
			at->n ? "," : "", (long long)(ms / 1000), (int)(ms % 1000));
		len = strlen(text);
		at->samples[at->n].ms = ms;
		at->samples[at->n++].len = len;
		add(&at->still, text, len);
		add(&at->still, at->kind->text, n);
		add(&at->still, "\"]", 2);
		add(&at->zero, text, len);
		add(&at->zero, "0\"]", 3);
	}
	add(&at->still, "]}", 2);
	add(&at->zero, "]}", 2);
}

/* Labels in the order of their names, as they come from the store. */
static void stand_at(struct spot *at, const struct answer *a, const struct table *t)
{
	struct device_at d = a->devices.at[a->device];
	unsigned pod = d.index / POD_DEVICES;
	int64_t scrape = t->scrape_ms, phase, first;
	const struct series_kind *was = at->kind;
	char name[64], text[320];
	int rail = sizing_rail(t->sizing, d.tier, d.index);

	at->kind = a->kinds.at[a->kind];
	at->id = (uint64_t)d.tier << 32 | d.index;
	(void)sizing_device_name(t->sizing, d.tier, d.index, name, sizeof(name));
	(void)str_printf(text, sizeof(text),
		"{\"metric\":{\"__name__\":\"%s\",\"device\":\"%s\",\"instance\":\"pod-%s-%03u:"
		"9899\",\"job\":\"railtop\"",
		at->kind->name, name, tier_name(d.tier), pod);
	set(&at->head, text);
	(void)str_printf(text, sizeof(text), ",\"rail\":\"%d\",\"tier\":\"%s\"},\"values\":[",
		rail < 0 ? 0 : rail, tier_name(d.tier));
	set(&at->tail, text);
	(void)str_printf(text, sizeof(text), ",\"%s\":\"", at->kind->label);
	set(&at->sub, *at->kind->label ? text : "");
	phase = (int64_t)(mix(pod * 8 + (unsigned)d.tier) % (uint64_t)scrape);
	first = a->to_ms - SAMPLES * scrape > a->from_ms ? a->to_ms - SAMPLES * scrape : a->from_ms;
	first += scrape - (first - phase) % scrape;
	if (first == at->first_ms && was == at->kind)
		return;
	at->first_ms = first;
	set_samples(at, a, scrape);
}

/* The series of one port, or all of one device that are about itself. */
static void add_port(
	struct answer *a, const struct table *t, const struct spot *at, struct buf *out)
{
	enum tier tier = a->devices.at[a->device].tier;
	unsigned subs = at->kind->device ? 1 : at->kind->subs[tier];
	char text[PORT_BYTES];

	for (unsigned sub = 0; sub < subs; sub++) {
		char *to = text;

		if (*at->kind->label && !(a->subs >> sub & 1))
			continue;
		if (a->any)
			*to++ = ',';
		a->any = true;
		to = put_series(
			to, at, at->kind->device ? NULL : t->ports[tier].at[a->port], a->port, sub);
		(void)buf_add(out, text, (size_t)(to - text));
	}
}

bool answer_more(struct answer *a, const struct table *t, struct buf *out, size_t most)
{
	size_t stop = out->len + most;
	struct spot at;

	at.kind = NULL;
	if (a->ended)
		return false;
	if (!a->begun)
		(void)buf_adds(out, "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\","
				    "\"result\":[");
	a->begun = true;
	for (; a->kind < a->kinds.n; a->kind++, a->device = 0)
		for (; a->device < a->devices.n; a->device++, a->port = 0) {
			enum tier tier = a->devices.at[a->device].tier;
			size_t ports = a->kinds.at[a->kind]->device ? 1 : (size_t)t->ports[tier].n;

			stand_at(&at, a, t);
			for (; a->port < ports && at.first_ms <= a->to_ms; a->port++) {
				if (out->len >= stop)
					return true;
				add_port(a, t, &at, out);
			}
		}
	(void)buf_adds(out, "]}}");
	a->ended = true;
	return true;
}
