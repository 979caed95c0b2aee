/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/incremental/answer_cache.h"
#include "backends/contract/backend.h"
#include "backends/parse/json_select.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/str.h"
#include "tests/bench/load/fail.h"
#include "tests/bench/load/parse_docs.h"
#include "tests/support/figures.h"

/*
 * The cost of understanding the answers of large devices, in several ways:
 *   - jansson's tree and a walk through it;
 *   - the scanner alone;
 *   - the values of backends/parse/json_select.h;
 *   - a dialect's whole parse();
 *   - the same while it notes the positions of numbers;
 *   - an answer beside the last one, with a quarter of its slots changed.
 *
 * The ways take turns in one run; each figure is the median of ROUNDS turns, in CPU time of this
 * thread.
 *
 *   ONLY=sonic: that answer only
 */
#define ROUNDS 41

/* ---- allocations ---- */

static unsigned long allocations;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define COUNTS 1
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
void *malloc(size_t n)
{
	allocations++;
	return __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n)
{
	allocations++;
	return __libc_realloc(p, n);
}
#else
#define COUNTS 0
#endif

/* ---- the ways ---- */

struct doc_case {
	const char *name, *dialect, *request;
	enum transport_kind transport;
	bool is_json, is_host;
	struct buf bytes;
	size_t start; /* of the JSON */
	/* The learnt answer, and the one that comes next; NULL: none. */
	struct answer_shelf *shelf;
	struct answer_cache *again;
	char *next;
	bool is_next; /* was read last */
};

static volatile double sink;

static double walk(const json_t *v)
{
	double sum = 0;
	const char *key;
	json_t *e;
	size_t i;

	json_object_foreach((json_t *)v, key, e) sum += walk(e);
	json_array_foreach((json_t *)v, i, e) sum += walk(e);
	return json_is_string(v) ? sum + (double)json_string_length(v) : sum + json_number_value(v);
}

static void with_jansson(struct doc_case *c)
{
	json_t *doc = json_loadb(
		c->bytes.data + c->start, c->bytes.len - c->start, JSON_DISABLE_EOF_CHECK, NULL);

	if (!doc)
		bench_fail("%s: jansson cannot read it", c->name);
	sink = walk(doc);
	json_decref(doc);
}

static bool add(void *ctx, const struct scan_event *e)
{
	double *sum = ctx;

	if (e->kind == SCAN_INTEGER)
		*sum += (double)e->i;
	else if (e->kind == SCAN_STRING)
		*sum += (double)e->len;
	return true;
}

static void with_scanner(struct doc_case *c)
{
	struct scan s;
	double sum = 0;

	scan_begin(&s, 0, add, &sum);
	if (scan_feed(&s, c->bytes.data + c->start, c->bytes.len - c->start, NULL) != SCAN_DONE)
		bench_fail("%s: the scanner cannot read it", c->name);
	sink = sum;
}

static void with_values(struct doc_case *c)
{
	struct json_value *v = json_value_parse(c->bytes.data, c->bytes.len, "bench", NULL);

	if (!v)
		bench_fail("%s: it has no values", c->name);
	free(v);
}

static struct facts known;

static struct obs *parsed(const struct doc_case *c, struct number_positions *slots)
{
	const struct target t = {.device = "leaf-r0-00",
		.tier = c->is_host ? TIER_HOST : TIER_LEAF,
		.transport = c->transport,
		.lossless = 0xff,
		.facts = &known,
		.slots = slots};
	struct obs *o = obs_new(t.device, c->request);
	struct err err = {0};

	if (!backend_by_name(c->dialect)
			->parse(&t, c->request, c->bytes.data, c->bytes.len, o, &err)) {
		bench_fail_err(c->name, &err);
	}
	return o;
}

static void with_dialect(struct doc_case *c)
{
	struct obs *o = parsed(c, NULL);

	sink = (double)o->items.n;
	obs_free(o);
}

/* Changes the last digit of every fourth number that has a slot. */
static void move_slots(const struct number_positions *told, char *text)
{
	for (size_t i = 0; i < told->seen.n; i += 4) {
		char *last = text + told->seen.at[i].at + told->seen.at[i].n - 1;

		if (told->seen.at[i].kind == POSITION_RISING)
			continue;
		if (*last >= '0' && *last <= '9')
			*last = *last == '9' ? '8' : (char)(*last + 1);
	}
}

static void with_lesson(struct doc_case *c)
{
	struct answer_cache *again = answer_cache_new(c->shelf);
	struct obs *o = parsed(c, answer_cache_lesson(again, c->bytes.data, c->bytes.len));

	if (!answer_cache_learn(again, o))
		bench_fail("%s: nothing can be learnt from it", c->name);
	obs_free(o);
	answer_cache_free(again);
}

static void beside_the_last(struct doc_case *c)
{
	struct obs *o = obs_new("leaf-r0-00", c->request);

	if (!answer_cache_read(c->again, c->is_next ? c->bytes.data : c->next, c->bytes.len, o))
		bench_fail("%s: the next one is not read by the last", c->name);
	c->is_next = !c->is_next;
	sink = (double)o->items.n;
	obs_free(o);
}

static void learn(struct doc_case *c, struct figures *f)
{
	struct answer_cache *another;
	struct number_positions *told;
	struct obs *o;
	char name[96];
	size_t one, two;

	c->shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	c->again = answer_cache_new(c->shelf);
	told = answer_cache_lesson(c->again, c->bytes.data, c->bytes.len);
	o = parsed(c, told);
	c->next = mem_strndup(c->bytes.data, c->bytes.len);
	move_slots(told, c->next);
	if (!answer_cache_learn(c->again, o)) {
		answer_cache_free(c->again);
		c->again = NULL;
		obs_free(o);
		return;
	}
	one = answer_shelf_bytes(c->shelf);
	another = answer_cache_new(c->shelf);
	(void)answer_cache_lesson(another, c->bytes.data, c->bytes.len);
	obs_free(o);
	o = parsed(c, answer_cache_lesson(another, c->bytes.data, c->bytes.len));
	(void)answer_cache_learn(another, o);
	two = answer_shelf_bytes(c->shelf);
	(void)str_printf(name, sizeof(name), "%s: learnt, of the device", c->name);
	figure(f, name, (double)(two - one) / 1e3, "kB", 0);
	(void)str_printf(name, sizeof(name), "%s: learnt, of the shape", c->name);
	figure(f, name, (double)(2 * one - two) / 1e3, "kB", 0);
	obs_free(o);
	answer_cache_free(another);
}

static void unlearn(struct doc_case *c)
{
	answer_cache_free(c->again);
	answer_shelf_free(c->shelf);
	free(c->next);
}

static const struct way {
	const char *name;
	bool of_json;
	void (*run)(struct doc_case *c);
} ways[] = {
	{"jansson", true, with_jansson},
	{"scanner", true, with_scanner},
	{"values", true, with_values},
	{"parse()", false, with_dialect},
	{"parse() and learning", false, with_lesson},
	{"beside the last", false, beside_the_last},
};
#define PARSE 3 /* the base of the comparison */
#define WAYS  (sizeof(ways) / sizeof(ways[0]))

/* ---- measuring ---- */

static bool applies(const struct way *w, const struct doc_case *c)
{
	if (w->run == with_lesson || w->run == beside_the_last)
		return c->again != NULL;
	return w->of_json ? c->is_json : c->dialect != NULL;
}

static void tell(struct figures *f, const struct doc_case *c, const double us[WAYS],
	const unsigned long made[WAYS])
{
	char name[96];

	for (size_t w = 0; w < WAYS; w++) {
		if (!applies(&ways[w], c))
			continue;
		(void)str_printf(name, sizeof(name), "%s, %s", c->name, ways[w].name);
		figure(f, name, us[w], "us CPU", 0);
		(void)str_printf(name, sizeof(name), "%s, %s: rate", c->name, ways[w].name);
		figure(f, name, (double)c->bytes.len / us[w], "MB/s", 0);
		if (COUNTS) {
			(void)str_printf(
				name, sizeof(name), "%s, %s: allocations", c->name, ways[w].name);
			if (ways[w].run == with_scanner)
				figure_none(f, name, (double)made[w], "");
			else
				figure(f, name, (double)made[w], "", 0);
		}
		if (w > PARSE) {
			(void)str_printf(
				name, sizeof(name), "%s, %s: of parse()", c->name, ways[w].name);
			figure(f, name, us[w] / us[PARSE], "times", 0);
			continue;
		}
		if (!w || !c->is_json)
			continue;
		(void)str_printf(name, sizeof(name), "%s, %s: of jansson's", c->name, ways[w].name);
		figure_least(f, name, us[0] / us[w], "times",
			ways[w].run == with_scanner && !c->dialect ? 15 : 0);
	}
}

static void measure(struct figures *f, struct doc_case *c)
{
	static double took[WAYS][ROUNDS];
	double us[WAYS] = {0};
	unsigned long made[WAYS] = {0};

	for (unsigned round = 0; round < figures_times(ROUNDS, 3); round++)
		for (size_t w = 0; w < WAYS; w++) {
			unsigned long before = allocations;
			double at;

			if (!applies(&ways[w], c))
				continue;
			at = thread_cpu_us();
			ways[w].run(c);
			took[w][round] = thread_cpu_us() - at;
			made[w] = allocations - before;
		}
	for (size_t w = 0; w < WAYS; w++) {
		us[w] = median_of(took[w], figures_times(ROUNDS, 3));
	}
	tell(f, c, us, made);
}

int main(void)
{
	struct figures *f = figures_new("parse");
	struct doc_case cases[] = {
		{.name = "switch, integers", .is_json = true},
		{.name = "sonic", .dialect = "sonic", .request = "fast", .is_json = true},
		{.name = "eos",
			.dialect = "eos",
			.request = "fast",
			.transport = TRANSPORT_HTTPS,
			.is_json = true},
		{.name = "host", .dialect = "linux", .request = "fast", .is_host = true},
		{.name = "cumulus",
			.dialect = "cumulus",
			.request = "qos",
			.transport = TRANSPORT_HTTPS,
			.is_json = true},
		{.name = "nxos queues",
			.dialect = "nxos",
			.request = "queues",
			.transport = TRANSPORT_HTTPS,
			.is_json = true},
		{.name = "nxos in",
			.dialect = "nxos",
			.request = "in",
			.transport = TRANSPORT_HTTPS,
			.is_json = true},
		{.name = "nxos queuing", .dialect = "nxos", .request = "queuing", .is_json = true},
		{.name = "frr", .dialect = "linux", .request = "sw-fast"},
		{.name = "frr bgp", .dialect = "linux", .request = "sw-bgp"},
	};
	const size_t n = sizeof(cases) / sizeof(cases[0]);
	const char *only = getenv("ONLY");

	/* As a while after it was connected to. */
	facts_set(&known, "nxos.gaps", "12");
	for (size_t i = 0; i < n; i++)
		buf_init(&cases[i].bytes, 8 << 20);
	doc_integers(&cases[0].bytes, 64, 168);
	doc_sonic(&cases[1].bytes, 64);
	doc_eos(&cases[2].bytes, 64);
	doc_host(&cases[3].bytes, 8);
	doc_cumulus(&cases[4].bytes, 64);
	doc_nxos_queues(&cases[5].bytes, 64);
	doc_nxos_in(&cases[6].bytes, 64);
	doc_nxos_queuing(&cases[7].bytes, 64);
	doc_frr_fast(&cases[8].bytes, 64);
	doc_frr_bgp(&cases[9].bytes, 64);
	for (size_t i = 0; i < n; i++) {
		char name[96];

		if (only && !str_eq(only, cases[i].name))
			continue;
		if (cases[i].is_json)
			cases[i].start =
				(size_t)(strchr(cases[i].bytes.data, '{') - cases[i].bytes.data);
		(void)str_printf(name, sizeof(name), "%s: size", cases[i].name);
		figure(f, name, (double)cases[i].bytes.len / 1e3, "kB", 0);
		if (cases[i].dialect)
			learn(&cases[i], f);
		measure(f, &cases[i]);
		unlearn(&cases[i]);
	}
	facts_free(&known);
	for (size_t i = 0; i < n; i++)
		buf_free(&cases[i].bytes);
	return figures_end(f) ? 0 : 1;
}
