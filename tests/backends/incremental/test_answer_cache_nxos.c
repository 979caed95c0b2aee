/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/nxos/nxos.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/incremental/cache_both.h"
#include "tests/support/incremental/cache_numbers.h"
#include "tests/support/obs_find.h"

/* Managed objects of NX-OS that are like the last ones. */

struct bed {
	struct facts facts;
	struct target t;
};

static void bed_open(struct bed *b)
{
	*b = (struct bed){0};
	b->t = (struct target){.device = "spine-000",
		.tier = TIER_SPINE,
		.transport = TRANSPORT_HTTPS,
		.lossless = 1u << 3,
		.facts = &b->facts};
}

static void read_text(
	struct answer_cache_both *b, const struct target *t, const char *request, const char *text)
{
	if (!again_both_read(b, backend_by_name("nxos"), t, request, text, strlen(text)))
		fail_msg("%s: %s", request, b->why);
}

/* Reads text, the changed text and text again; returns how often the last answer fitted. */
static unsigned fits(const char *request, const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	struct answer_cache_both b;
	struct buf other;
	struct bed bed;
	unsigned n;

	bed_open(&bed);
	facts_set(&bed.facts, NXOS_FACT_GAPS, "12");
	assert_non_null(at);
	buf_init(&other, 1 << 20);
	(void)buf_add(&other, text, (size_t)(at - text));
	(void)buf_adds(&other, to);
	(void)buf_adds(&other, at + strlen(from));
	again_both_begin(&b);
	read_text(&b, &bed.t, request, text);
	read_text(&b, &bed.t, request, other.data);
	read_text(&b, &bed.t, request, text);
	n = b.fits;
	again_both_end(&b);
	buf_free(&other);
	facts_free(&bed.facts);
	return n;
}

static const char octets[] =
	"{\"totalCount\":\"2\",\"imdata\":[{\"rmonIfHCIn\":{\"attributes\":{\"dn\":"
	"\"sys/intf/phys-[eth1/1]/dbgIfHCIn\",\"modTs\":\"2025-11-24T16:00:00.250+00:00\","
	"\"octets\":\"500\",\"octetRate\":\"77\",\"ucastPkts\":\"10\",\"multicastPkts\":\"6\","
	"\"broadcastPkts\":\"1\"}}},{\"rmonIfHCIn\":{\"attributes\":{\"dn\":\"sys/mgmt-[mgmt0]\","
	"\"modTs\":\"never\",\"octets\":\"901\"}}}]}";

CASE(received)
{
	assert_int_equal(fits("in", octets, "500", "60000"), 2);
	assert_int_equal(fits("in", octets, "\"10\"", "\"11\""), 2);
	assert_int_equal(fits("in", octets, "\"6\"", "\"7\""), 2);
	/* When the port's counters were refreshed. */
	assert_int_equal(fits("in", octets, "00.250", "10.5"), 2);
	assert_int_equal(fits("in", octets, "00.250", "1:10.5"), 0);
	assert_int_equal(fits("in", octets, "2025-11", "1970-01"), 0);
	/* Rates of the switch's own, and a port that is outside the fabric. */
	assert_int_equal(fits("in", octets, "77", "N/A"), 2);
	assert_int_equal(fits("in", octets, "901", "902"), 2);
	assert_int_equal(fits("in", octets, "never", "2025-11-24T16:00:00"), 2);
	assert_int_equal(fits("in", octets, "sys/mgmt-[mgmt0]", "sys/phys-[eth1/2]"), 0);
	assert_int_equal(fits("in", octets, "500", "N/A"), 0);
	assert_int_equal(fits("in", octets, "500", ""), 0);
}

#define QUEUE(dir, cmap)                                                                           \
	"{\"ipqosQueuingStats\":{\"attributes\":{\"cmapName\":\"" cmap                             \
	"\",\"txPackets\":\"100\",\"txBytes\":\"6400\",\"ucCurrQueueDepth\":\"832\","              \
	"\"currQueueDepth\":\"833\",\"pfcRxPpp\":\"42\",\"odd\":\"5\",\"modTs\":"                  \
	"\"2025-11-24T16:00:05.000+00:00\",\"dn\":\"sys/ipqos/queuing/policy/" dir                 \
	"/intf-[eth1/1]/pmap-[p]/queuing-stats/cmap-[q]\"}}}"

static const char queues[] = "{\"imdata\":[" QUEUE("out", "c-out-8q-q3") "]}";
static const char others[] = "{\"imdata\":[" QUEUE("in", "c-out-8q-q3") "," QUEUE(
	"out", "other") "," QUEUE("out", "c-out-8q-q3") "]}";

CASE(queue_counters)
{
	assert_int_equal(fits("queues", queues, "6400", "6401"), 2);
	assert_int_equal(fits("queues", queues, "42", "43"), 2);
	assert_int_equal(fits("queues", queues, "832", "0"), 2);
	assert_int_equal(fits("queues", queues, "\"5\"", "\"\t\""), 0);
	assert_int_equal(fits("queues", queues, "\"5\"", "\"6\""), 2);
	assert_int_equal(fits("queues", queues, "05.000", "15.000"), 2);
	/* Another depth is there for when this is none. */
	assert_int_equal(fits("queues", queues, "832", "N/A"), 0);
	assert_int_equal(fits("queues", queues, "833", "834"), 0);
	/* Queues of arrival, and of no class that is known. */
	assert_int_equal(fits("queues", others, "6400", "N/A"), 2);
	assert_int_equal(fits("queues", others, "policy/in", "policy/out"), 0);
	assert_int_equal(fits("queues", others, "\"other\"", "\"q4\""), 0);
}

/* The refreshes are learnt once; the facts that come of it stop as well. */
CASE(the_period_is_learnt_once)
{
	struct bed bed;
	unsigned edits = 0;

	bed_open(&bed);
	for (unsigned i = 0; i < 40; i++) {
		struct obs *o = obs_new(bed.t.device, "queues");
		struct err err = {0};
		char *text = strdup(queues), now[16];

		(void)str_printf(now, sizeof(now), "%02u:%02u", i / 4, i % 4 * 15);
		memcpy(strstr(text, "00:05"), now, 5);
		assert_true(backend_by_name("nxos")->parse(
			&bed.t, "queues", text, strlen(text), o, &err));
		facts_learn(&bed.facts, o);
		if (i == 20)
			edits = bed.facts.edits;
		if (i)
			assert_int_equal(o->refresh_ms[GROUP_QUEUE], 15000);
		free(text);
		obs_free(o);
	}
	assert_int_equal(bed.facts.edits, edits);
	facts_free(&bed.facts);
}

CASE(each_number_alone)
{
	static const struct {
		const char *request, *text;
	} answers[] = {{"in", octets}, {"queues", queues}, {"queues", others}};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct answer_cache_both b;
		struct bed bed;

		bed_open(&bed);
		facts_set(&bed.facts, NXOS_FACT_GAPS, "12");
		again_both_begin(&b);
		if (!again_numbers_read(&b, backend_by_name("nxos"), &bed.t, answers[i].request,
			    answers[i].text, strlen(answers[i].text), 100))
			fail_msg("%s: %s", answers[i].request, b.why);
		assert_true(b.fits > 5);
		again_both_end(&b);
		facts_free(&bed.facts);
	}
}

CASES_MAIN(NULL, NULL)
