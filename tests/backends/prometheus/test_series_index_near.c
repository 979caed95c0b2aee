/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/series_index.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/backends/prometheus/prometheus_rules.h"
#include "tests/support/cases.h"

/*
 * A series that is read by its difference from the one before has the same meaning as all of its
 * labels.
 */

#define T0      INT64_C(1700000000)
#define REPLIES 400
#define SERIES  60
#define RULES   6

/* Values, with neighbours: shorter, longer, of no device, or escaped. */
static const char *const values[] = {"leaf-0", "leaf-1:9100", "leaf-11", "leaf-2", "leaf-0:91",
	"Ethernet0", "Ethernet1", "Ethernet10", "Ethernet", "", "0", "3", "UC3", "7", "8", "30",
	"leaf-0:9100", "a\\\\b", "a\\u0041", "a b", "caf\xc3\xa9", "x,y", "{}", "leaf-0\\\"",
	"leaf-1"};
static const char *const metrics[] = {
	"rx_bytes_total", "pfc_seconds_total", "port_up", "device_state", "device_info", "none"};
static const char *const names[] = {
	"instance", "job", "port", "priority", "state", "model", "rack", "lane", "instance"};

#define N(a) (sizeof(a) / sizeof((a)[0]))

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525U + 1013904223U;
	return *seed >> 8;
}

/* Labels of a series; most are as they were. */
struct said {
	unsigned metric, n, name[6], value[6];
};

static void begin(struct said *s, uint32_t *seed)
{
	s->metric = next(seed) % 3;
	s->n = 2 + next(seed) % 5;
	for (unsigned i = 0; i < 6; i++) {
		s->name[i] = i < 4 ? i : next(seed) % (unsigned)N(names);
		s->value[i] = next(seed) % (unsigned)N(values);
	}
	s->value[0] = 0;
	s->value[1] = 20;
	s->value[2] = 5;
	s->value[3] = 11;
}

static void change(struct said *s, uint32_t *seed)
{
	unsigned i = next(seed) % 6;

	switch (next(seed) % 16) {
	case 0:
		s->metric = next(seed) % (unsigned)N(metrics);
		return;
	case 1:
		begin(s, seed);
		return;
	case 2:
		s->name[i] = next(seed) % (unsigned)N(names);
		return;
	default:
		break;
	}
	/* Mostly known metrics and devices, so that many series are found. */
	if (i <= 1 && next(seed) % 4)
		s->value[0] = next(seed) % 3 ? 1 : 0;
	else if (i == 0)
		s->value[0] = next(seed) % 5;
	else if (i == 2)
		s->value[2] = 5 + next(seed) % 4;
	else
		s->value[i] = next(seed) % (unsigned)N(values);
}

static void write_reply(struct buf *b, int64_t now_s, uint32_t *seed)
{
	struct said s;

	begin(&s, seed);
	(void)buf_adds(
		b, "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[");
	for (unsigned i = 0; i < SERIES; i++) {
		(void)buf_addf(
			b, "%s{\"metric\":{\"__name__\":\"%s\"", i ? "," : "", metrics[s.metric]);
		for (unsigned k = 0; k < s.n; k++)
			(void)buf_addf(b, ",\"%s\":\"%s\"", names[s.name[k]], values[s.value[k]]);
		(void)buf_addf(b, "},\"values\":[[%lld,\"%u\"],[%lld.5,\"%u\"]]}",
			(long long)now_s - 20, i, (long long)now_s - 5, i + next(seed) % 1000);
		change(&s, seed);
	}
	(void)buf_adds(b, "]}}");
	assert_false(b->overflow);
}

struct rig {
	struct plan plan;
	struct prometheus_map *map;
	struct series_index *book;
	struct series_index_query q;
	struct series_list known;
};

static void open_rig(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	prometheus_plan(&r->plan, 3);
	r->map = prometheus_rules();
	r->book = series_index_new(&r->plan, r->map);
}

static void close_rig(struct rig *r)
{
	known_free(&r->known);
	series_index_free(r->book);
	prometheus_map_free(r->map);
	plan_free(&r->plan);
}

static void tell(const struct obs *o, struct buf *out)
{
	(void)buf_addf(out, "%s %lld %d\n", o->device, (long long)o->received_us, (int)o->result);
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		(void)buf_addf(out, " %u/%u/%u %s %llu %s\n", it->kind, it->code, it->cell,
			it->port == OBS_NO_PORT ? "-" : o->ports.at[it->port].name,
			(unsigned long long)it->u64, obs_text(o, it->text));
	}
}

/* The reply cut into pieces; a series is read in one go only where it is whole in one. */
static void read_in(
	struct rig *r, const struct buf *reply, size_t piece, int64_t now_s, struct buf *out)
{
	static const uint16_t rules[RULES] = {0, 1, 2, 3, 4, 5};
	struct series_index_counts counts;
	struct obs *o, *following;
	struct err err = {0};

	series_index_begin(r->book, SERIES_INDEX_LIVE, now_s * CLOCK_SEC);
	series_index_attach(r->book, &r->q, rules, RULES, &r->known);
	for (size_t i = 0; i < reply->len; i += piece)
		assert_true(prometheus_reader_feed(&r->q.reader, reply->data + i,
			reply->len - i < piece ? reply->len - i : piece));
	assert_true(prometheus_reader_end(&r->q.reader, &err));
	series_index_detach(&r->q);
	for (o = series_index_end(r->book, now_s * CLOCK_SEC, ""); o; o = following) {
		following = o->next;
		tell(o, out);
		obs_free(o);
	}
	series_index_count(r->book, &counts);
	(void)buf_addf(out, "%llu series, %llu foreign, %llu twins, %llu bad\n",
		(unsigned long long)counts.series, (unsigned long long)counts.foreign,
		(unsigned long long)counts.twins, (unsigned long long)counts.bad);
}

CASE(what_differs_says_what_all_labels_say)
{
	struct rig *whole = mem_calloc(1, sizeof(*whole)), *cut = mem_calloc(1, sizeof(*cut));
	struct buf reply, a, b;
	uint32_t seed = 7;
	size_t items = 0;

	open_rig(whole);
	open_rig(cut);
	buf_init(&reply, (size_t)1 << 20);
	buf_init(&a, (size_t)1 << 20);
	buf_init(&b, (size_t)1 << 20);
	for (unsigned i = 0; i < REPLIES; i++) {
		buf_reset(&reply);
		buf_reset(&a);
		buf_reset(&b);
		write_reply(&reply, T0 + (int64_t)i * 30, &seed);
		/* The same reply again, so that the learnt series are used. */
		for (int64_t round = 0; round < 2; round++) {
			int64_t now_s = T0 + (int64_t)i * 30 + round;

			read_in(whole, &reply, reply.len, now_s, &a);
			read_in(cut, &reply, 13, now_s, &b);
		}
		assert_string_equal(a.data, b.data);
		items += a.len;
		if (i % 16 == 15) {
			close_rig(whole);
			close_rig(cut);
			open_rig(whole);
			open_rig(cut);
		}
	}
	/* More than the counts. */
	assert_true(items > (size_t)REPLIES * 300);
	buf_free(&reply);
	buf_free(&a);
	buf_free(&b);
	close_rig(whole);
	close_rig(cut);
	free(whole);
	free(cut);
}

CASES_MAIN(NULL, NULL)
