/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/incremental/poll_decode.h"
#include "base/buf.h"
#include "base/str.h"
#include "fabric/state/state.h"
#include "tests/support/cases.h"
#include "tests/support/incremental/cache_both.h"
#include "tests/support/incremental/cache_numbers.h"
#include "tests/support/obs_find.h"

/* Answers of EOS that are like the last one: several questions in a call, and one in a shell. */

#define PORTS 3

static const struct target spine = {.device = "spine-000",
	.tier = TIER_SPINE,
	.transport = TRANSPORT_HTTPS,
	.lossless = 1u << 3};

/* The fields that change between two polls. */
struct now {
	const char *uptime, *boot, *rate, *refreshed, *status;
	unsigned counts; /* added to each count */
	unsigned flaps, marks;
};
static const struct now first = {.uptime = "1000.5",
	.boot = "1763999000.25",
	.rate = "468.0854295220744",
	.refreshed = "1763999998.25",
	.status = "connected",
	.counts = 7,
	.flaps = 4,
	.marks = 9};

static void interface(struct buf *b, unsigned p, const struct now *n)
{
	buf_addf(b,
		"%s\"Ethernet%u/1\":{\"lastStatusChangeTimestamp\":1763999100.518,\"lanes\":8,"
		"\"interfaceStatus\":\"%s\",\"interfaceStatistics\":{\"inBitsRate\":%s,"
		"\"updateInterval\":5.0},\"mtu\":9214,\"bandwidth\":400000000000,"
		"\"lineProtocolStatus\":\"up\",\"interfaceCounters\":{\"inOctets\":%u,"
		"\"outOctets\":%u,\"inUcastPkts\":%u,\"inMulticastPkts\":%u,\"inBroadcastPkts\":0,"
		"\"outUcastPkts\":%u,\"totalInErrors\":0,\"linkStatusChanges\":%u,"
		"\"inputErrorsDetail\":{\"runtFrames\":%u,\"rxPause\":%u,\"fcsErrors\":0},"
		"\"lastClear\":1763999000.25,\"counterRefreshTime\":%s}}",
		p ? "," : "", p + 1, n->status, n->rate, 100 * p + n->counts, 5 + n->counts,
		98 + n->counts, 998 + n->counts, n->counts, n->flaps, n->counts, n->counts,
		n->refreshed);
}

static void frames(struct buf *b, unsigned p, const struct now *n)
{
	buf_addf(b, "%s\"Ethernet%u/1\":{\"priorities\":{\"3\":{\"rxFrames\":%u,\"txFrames\":%u}}}",
		p ? "," : "", p + 1, 9 + n->counts, n->counts * 3);
}

static void marks(struct buf *b, unsigned p, const struct now *n)
{
	buf_addf(b, "%s\"Ethernet%u/1\":{\"queueCounters\":{\"3\":%u,\"4\":\"-\"}}", p ? "," : "",
		p + 1, n->marks);
}

static void queues(struct buf *b, unsigned p, const struct now *n)
{
	buf_addf(b,
		"%s\"Ethernet%u/1\":{\"ucastQueues\":{\"trafficClasses\":{\"TC3\":{"
		"\"dropPrecedences\":{\"DP0\":{\"enqueuedPackets\":%u,\"droppedPackets\":%u,"
		"\"droppedBytes\":%u},\"DP1\":{\"enqueuedPackets\":%u,\"droppedPackets\":0}}}}}}",
		p ? "," : "", p + 1, n->counts * 11, n->counts, n->counts * 1500, n->counts);
}

/* Storms are listed from the first one on: without one there is no number at all. */
static void storms(struct buf *b, unsigned p, const struct now *n)
{
	(void)b, (void)p, (void)n;
}

struct question {
	const char *request, *before, *after;
	void (*port)(struct buf *b, unsigned p, const struct now *n);
};
static const struct question questions[] = {
	{"fast", "{\"interfaces\":{", "}}", interface},
	{"pfc", "{\"interfaces\":{", "}}", frames},
	{"ecn", "{\"intfQueueCounters\":{", "}}", marks},
	{"queues", "{\"egressQueueCounters\":{\"interfaces\":{", "}}}", queues},
	{"watchdog", "{\"interfaces\":{", "}}", storms},
};
#define QUESTIONS (sizeof(questions) / sizeof(questions[0]))

static void result(struct buf *b, const struct question *q, const struct now *n)
{
	buf_adds(b, q->before);
	for (unsigned p = 0; p < PORTS; p++)
		q->port(b, p, n);
	buf_adds(b, q->after);
}

/* The first `asked` questions in one call. */
static char *call(size_t asked, const struct now *n)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	buf_adds(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"railtop-fast");
	for (size_t i = 0; i < asked; i++)
		buf_addf(&b, " %s.0", questions[i].request);
	buf_addf(&b,
		"\",\"result\":[{\"modelName\":\"DCS\",\"version\":\"4.32.1F\",\"uptime\":%s,"
		"\"bootupTimestamp\":%s,\"memFree\":%u}",
		n->uptime, n->boot, 4000u);
	for (size_t i = 0; i < asked; i++) {
		buf_adds(&b, ",");
		result(&b, &questions[i], n);
	}
	buf_adds(&b, "]}\n");
	return buf_take(&b, NULL);
}

/* One of them alone. */
static char *alone(size_t i, const struct now *n)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	buf_addf(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"railtop-%s %s.0\",\"result\":[",
		questions[i].request, questions[i].request);
	result(&b, &questions[i], n);
	buf_adds(&b, "]}\n");
	return buf_take(&b, NULL);
}

static void read_one(struct answer_cache_both *b, const struct now *n)
{
	char *text = call(QUESTIONS, n);

	if (!again_both_read(b, backend_by_name("eos"), &spine, "fast", text, strlen(text)))
		fail_msg("%s", b->why);
	free(text);
}

/* The differences from poll to poll on a fabric that is busy and well. */
CASE(a_busy_switch)
{
	static const char *const rates[] = {"5.79851962210843e-06", "0.0", "1234567", "1e9"};
	static const char *const refreshed[] = {
		"1764000000", "1764000001.4284112", "1764000001.4284112", "1764000009.1"};
	static const char *const uptimes[] = {"1005.71", "1010.5", "1010.5", "100000.5"};
	/* By clock ticks it is never quite the same. */
	static const char *const boots[] = {
		"1763999000.26", "1763999000.24", "1763999000.25", "1763998999.51"};
	struct answer_cache_both b;
	struct now n = first;

	again_both_begin(&b);
	read_one(&b, &n);
	assert_int_equal(b.lessons, 1);
	for (unsigned i = 0; i < 4; i++) {
		n.rate = rates[i];
		n.refreshed = refreshed[i];
		n.uptime = uptimes[i];
		n.boot = boots[i];
		n.counts += i * 333;
		n.marks += i;
		read_one(&b, &n);
	}
	assert_int_equal(b.fits, 4);
	assert_int_equal(b.lessons, 1);
	again_both_end(&b);
}

static unsigned fits(const struct now *then)
{
	struct answer_cache_both b;
	unsigned n;

	again_both_begin(&b);
	read_one(&b, &first);
	read_one(&b, then);
	read_one(&b, &first);
	n = b.fits;
	again_both_end(&b);
	return n;
}

/* Each of these says more than one number, or none. */
CASE(what_is_for_parse)
{
	static const char *const no_numbers[] = {
		"05.5", "5.", ".5", "1e400", "1e", "-", "+5", "1.5.5", "\"5\"", "null"};
	struct now n = first;

	assert_int_equal(fits(&n), 2);
	n.rate = "-1.5E+06";
	assert_int_equal(fits(&n), 2);
	for (size_t i = 0; i < sizeof(no_numbers) / sizeof(no_numbers[0]); i++) {
		n = first;
		n.rate = no_numbers[i];
		assert_int_equal(fits(&n), 0);
		n = first;
		n.refreshed = no_numbers[i];
		assert_int_equal(fits(&n), 0);
	}
	n = first;
	n.flaps++;
	assert_int_equal(fits(&n), 0);
	n = first;
	n.status = "errdisabled";
	assert_int_equal(fits(&n), 0);
	/* It was restarted; later is no surprise. */
	n = first;
	n.uptime = "12.5";
	assert_int_equal(fits(&n), 1);
	/* No time of counters at all is said so. */
	n = first;
	n.refreshed = "0";
	assert_int_equal(fits(&n), 0);
}

CASE(each_number_alone)
{
	struct answer_cache_both b;
	char *text = call(QUESTIONS, &first);

	again_both_begin(&b);
	if (!again_numbers_read(
		    &b, backend_by_name("eos"), &spine, "fast", text, strlen(text), 100))
		fail_msg("%s", b.why);
	assert_true(b.fits > 10);
	again_both_end(&b);
	free(text);
}

struct devices {
	struct answer_shelf *shelf;
	struct decode decode;
	int64_t now;
	struct obs *o; /* the last answer */
};

static void answer(struct devices *d, const char *request, char *text)
{
	struct err err = {0};

	obs_free(d->o);
	d->o = obs_new(spine.device, request);
	d->now += 1000000;
	if (!decode_answer(&d->decode, backend_by_name("eos"), &spine, request, text, strlen(text),
		    d->now, d->o, &err))
		fail_msg("%s", err.text);
	free(text);
}

static const struct obs *batch(const struct devices *d, const char *request)
{
	const struct obs *o = d->o;

	while (o && !str_eq(o->request, request))
		o = o->more;
	assert_non_null(o);
	return o;
}

static bool is_sparse(const struct devices *d)
{
	for (const struct obs *o = d->o; o; o = o->more)
		assert_int_equal(o->unchanged_rest, d->o->unchanged_rest);
	return d->o->unchanged_rest;
}

/* Batches of a question are numbered one after the other, however it was asked. */
CASE(whoever_asks)
{
	struct devices d = {.shelf = answer_shelf_new(ANSWER_CACHE_MOST)};
	struct now n = first;

	d.decode.shelf = d.shelf;
	answer(&d, "pfc", alone(1, &n));
	assert_int_equal(batch(&d, "pfc")->number, 1);
	for (unsigned i = 0; i < 3; i++) {
		n.counts++;
		answer(&d, "fast", call(QUESTIONS, &n));
		assert_int_equal(batch(&d, "pfc")->number, 2 + i);
		assert_int_equal(batch(&d, "queues")->number, 1 + i);
		assert_int_equal(is_sparse(&d), i > 0);
	}
	assert_int_equal(
		cell_count(at_port(batch(&d, "pfc"), "Ethernet2/1"), "pfc_rx_frames", 3), 19);
	assert_int_equal(d.o->items.n > 0, 1);
	/* The slots do not have the values that pfc has reported since. */
	n.counts++;
	answer(&d, "pfc", alone(1, &n));
	assert_false(is_sparse(&d));
	assert_int_equal(batch(&d, "pfc")->number, 5);
	n.counts--;
	answer(&d, "fast", call(QUESTIONS, &n));
	assert_false(is_sparse(&d));
	assert_int_equal(batch(&d, "pfc")->number, 6);
	answer(&d, "fast", call(QUESTIONS, &n));
	assert_true(is_sparse(&d));
	assert_int_equal(batch(&d, "pfc")->number, 7);
	/* Other questions than last time. */
	answer(&d, "fast", call(2, &n));
	assert_false(is_sparse(&d));
	obs_free(d.o);
	decode_free(&d.decode);
	assert_int_equal(answer_shelf_bytes(d.shelf), 0);
	answer_shelf_free(d.shelf);
}

/* In a shell: a command's own answer, with lines and blanks. */
CASE(in_a_shell)
{
	struct target t = spine;
	struct answer_cache_both b;
	struct now n = first;

	t.transport = TRANSPORT_SSH;
	again_both_begin(&b);
	for (unsigned i = 0; i < 3; i++) {
		struct buf text;

		buf_init(&text, 1 << 20);
		result(&text, &questions[0], &n);
		buf_adds(&text, "\n");
		if (!again_both_read(&b, backend_by_name("eos"), &t, "fast", text.data, text.len))
			fail_msg("%s", b.why);
		buf_free(&text);
		n.counts += 95;
		n.refreshed = "1763999999.25";
	}
	assert_int_equal(b.fits, 2);
	again_both_end(&b);
}

/* A model that receives the batches of decode_answer(). */
struct told {
	struct decode decode;
	struct facts facts;
	struct model *m;
	unsigned sparse, whole; /* batches */
};

static void told_begin(struct told *t, struct answer_shelf *shelf)
{
	struct plan plan;
	struct plan_device *d;

	memset(t, 0, sizeof(*t));
	t->decode.shelf = shelf;
	plan_init(&plan);
	d = vec_add(&plan.devices);
	(void)str_copy(d->name, sizeof(d->name), spine.device);
	d->interval_us = 5000000;
	t->m = model_new(&plan);
	plan_free(&plan);
}

static void told_end(struct told *t)
{
	decode_free(&t->decode);
	facts_free(&t->facts);
	model_free(t->m);
}

static void tell(struct told *t, const char *request, const char *text, int64_t now_us)
{
	struct target target = spine;
	struct obs *o = obs_new(spine.device, request), *more;
	struct err err = {0};

	target.facts = &t->facts;
	o->received_us = now_us;
	if (!decode_answer(&t->decode, backend_by_name("eos"), &target, request, text, strlen(text),
		    now_us, o, &err))
		fail_msg("%s", err.text);
	for (; o; o = more) {
		more = o->more;
		o->more = NULL;
		t->sparse += o->unchanged_rest;
		t->whole += !o->unchanged_rest;
		facts_learn(&t->facts, o);
		model_apply(t->m, o, now_us);
		obs_free(o);
	}
	(void)model_age(t->m, now_us);
}

static struct buf save(struct model *m, bool histories)
{
	struct buf b;
	struct state s;

	buf_init(&b, (size_t)16 << 20);
	state_saves(&s, &b);
	for (size_t i = 0; i < model_state_steps(m); i++)
		assert_true(histories ? model_history_step(&s, m, i, true)
				      : model_state_step(&s, m, i));
	return b;
}

static void assert_same_model(struct told *whole, struct told *less, unsigned step)
{
	/* The two models differ in the number of received items. */
	less->m->items = whole->m->items;
	for (unsigned histories = 0; histories < 2; histories++) {
		struct buf a = save(whole->m, histories), b = save(less->m, histories);

		if (a.len != b.len || memcmp(a.data, b.data, a.len) != 0)
			fail_msg("poll %u: %s differ", step, histories ? "histories" : "models");
		buf_free(&a);
		buf_free(&b);
	}
}

/* Makes one answer, of a question that depends on step, and gives it to both models. */
static void poll_both(struct told *whole, struct told *less, unsigned step, struct now *n)
{
	int64_t now_us = INT64_C(1764000000000000) + (int64_t)step * 5000000;
	char uptime[32], refreshed[32];
	bool alone_now = step % 17 == 9;
	size_t which = 1 + step / 17 % 3;
	char *text;

	(void)str_printf(uptime, sizeof(uptime), "%u.25", 1000 + step * 5);
	/* The switch's agent has not been there each time. */
	(void)str_printf(refreshed, sizeof(refreshed), "%u.5", 1763999998 + (step - step % 3) * 5);
	n->uptime = uptime;
	n->refreshed = refreshed;
	n->boot = step % 5 ? "1763999000.25" : "1763999000.24";
	n->counts += step % 7 ? 3 : 0;
	n->marks += step % 11 == 0;
	n->status = step % 101 > 96 ? "errdisabled" : "connected";
	n->flaps += step % 101 == 97;
	text = alone_now ? alone(which, n) : call(step % 61 == 60 ? 2 : QUESTIONS, n);
	tell(whole, alone_now ? questions[which].request : "fast", text, now_us);
	tell(less, alone_now ? questions[which].request : "fast", text, now_us);
	free(text);
}

/* The sparse batches give the same bytes of the model as batches that name everything. */
CASE(the_model_is_the_same)
{
	struct answer_shelf *shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	struct told whole, less;
	struct now n = first;

	told_begin(&whole, NULL);
	told_begin(&less, shelf);
	for (unsigned i = 0; i < 300; i++) {
		poll_both(&whole, &less, i, &n);
		assert_same_model(&whole, &less, i);
	}
	assert_int_equal(whole.sparse, 0);
	assert_true(less.sparse > less.whole);
	told_end(&whole);
	told_end(&less);
	answer_shelf_free(shelf);
}

CASES_MAIN(NULL, NULL)
