/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tests/support/cases.h"
#include "tests/support/incremental/cache_both.h"
#include "tests/support/incremental/cache_numbers.h"
#include "tests/support/obs_find.h"

/* Answers of NVUE that are like the last one: numbers, and sizes that are written for people. */

#define FIXTURES "tests/backends/fixtures/"

static struct target a_switch(enum transport_kind transport)
{
	return (struct target){.device = "leaf-r0-00",
		.tier = TIER_LEAF,
		.transport = transport,
		.lossless = 1u << 3};
}

static void read_text(
	struct answer_cache_both *b, const struct target *t, const char *request, const char *text)
{
	if (!again_both_read(b, backend_by_name("cumulus"), t, request, text, strlen(text)))
		fail_msg("%s: %s", request, b->why);
}

/* Reads text, the changed text and text again; returns how often the last answer fitted. */
static unsigned fits(enum transport_kind transport, const char *request, const char *text,
	const char *from, const char *to)
{
	struct target t = a_switch(transport);
	const char *at = strstr(text, from);
	struct answer_cache_both b;
	struct buf other;
	unsigned n;

	assert_non_null(at);
	buf_init(&other, 1 << 20);
	(void)buf_add(&other, text, (size_t)(at - text));
	(void)buf_adds(&other, to);
	(void)buf_adds(&other, at + strlen(from));
	again_both_begin(&b);
	read_text(&b, &t, request, text);
	read_text(&b, &t, request, other.data);
	read_text(&b, &t, request, text);
	n = b.fits;
	again_both_end(&b);
	buf_free(&other);
	return n;
}

static const char roce[] =
	"{\"swp1\":{\"rx-stats\":{\"rx-non-roce-stats\":{\"no-buffer-discard\":7,"
	"\"pg-max-usage\":\"144 Bytes\"},\"rx-roce-stats\":{\"no-buffer-discard\":3,"
	"\"pg-max-usage\":\"2.00 MB\"}},\"tx-stats\":{\"tx-cnp-stats\":{\"cnp-packets\":410},"
	"\"tx-roce-stats\":{\"roce-bytes\":\"1023.50 KB\",\"tc-usage\":\"4.00 KB\"}}}}";

CASE(sizes_for_people)
{
	/* Another unit is another factor. */
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "1023.50 KB", "1.12 MB"), 2);
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "1023.50 KB", "88.25 GB"), 2);
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "1023.50 KB", "4096"), 2);
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "\"4.00 KB\"", "\"0 Bytes\""), 2);
	/* A field that is not read sets no size. */
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "144 Bytes", "a lot (of it)"), 2);
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "410", "411"), 2);
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "1023.50 KB", "N/A"), 0);
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "1023.50 KB", "1.12 KBKB"), 0);
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "1023.50 KB", "KB"), 0);
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "1023.50 KB", "99999999 PB"), 0);
	assert_int_equal(fits(TRANSPORT_SSH, "roce", roce, "1023.50 KB", ""), 0);
	assert_int_equal(
		fits(TRANSPORT_SSH, "roce", roce, "1023.50 KB", "18446744073709551615"), 0);
}

static const char link_answer[] =
	"{\"eth0\":{\"type\":\"eth\",\"link\":{\"stats\":{\"in-bytes\":184151}}},"
	"\"swp1\":{\"ip\":{\"mtu\":1500},\"link\":{\"oper-status\":\"up\",\"mtu\":9216,\"stats\":{"
	"\"carrier-transitions\":5,\"in-bytes\":991827364512,\"in-pkts\":\"24\",\"in-odd\":1}}}}";

CASE(links)
{
	for (int i = 0; i < 2; i++) {
		enum transport_kind by = i ? TRANSPORT_SSH : TRANSPORT_HTTPS;

		assert_int_equal(fits(by, "interfaces", link_answer, "991827364512", "5"), 2);
		assert_int_equal(fits(by, "interfaces", link_answer, "\"24\"", "\"25\""), 2);
		assert_int_equal(fits(by, "interfaces", link_answer, "184151", "1e3"), 2);
		assert_int_equal(fits(by, "interfaces", link_answer, "odd\":1", "odd\":22"), 2);
		assert_int_equal(fits(by, "interfaces", link_answer, "1500", "1501"), 2);
		/* Settings, and fields that are more than one item. */
		assert_int_equal(fits(by, "interfaces", link_answer, "9216", "9217"), 0);
		assert_int_equal(fits(by, "interfaces", link_answer, "ions\":5", "ions\":6"), 0);
		assert_int_equal(fits(by, "interfaces", link_answer, "\"up\"", "\"down\""), 0);
	}
}

/* Rows of queues as members, and as a list that says which they are. */
static const char queues[] =
	"{\"swp1\":{\"counters\":{\"qos\":{\"ingress-buffer-stats\":{\"priority-group\":["
	"{\"priority-group\":3,\"rx-frames\":900,\"rx-buffer-discards\":\"2.00 KB\","
	"\"rx-shared-buffer-discards\":11}]},\"pfc-stats\":{\"3\":{\"rx-pause-frames\":184,"
	"\"rx-pause-duration\":3728}},\"port-stats\":{\"rx-stats\":{\"pause-frames\":1},"
	"\"tx-stats\":{\"ecn-marked-packets\":693,\"mc-buffer-discards\":77}}}}}}";

CASE(queue_counters)
{
	enum transport_kind by = TRANSPORT_HTTPS;

	assert_int_equal(fits(by, "qos", queues, "900", "901"), 2);
	assert_int_equal(fits(by, "qos", queues, "3728", "40000"), 2);
	assert_int_equal(fits(by, "qos", queues, "77", "780"), 2);
	/* Two that add up, one of them with a unit. */
	assert_int_equal(fits(by, "qos", queues, "2.00 KB", "2.50 KB"), 2);
	assert_int_equal(fits(by, "qos", queues, ":11", ":12"), 2);
	/* Nobody knows yet which class marks: it need only be a number. */
	assert_int_equal(fits(by, "qos", queues, "693", "694"), 2);
	assert_int_equal(fits(by, "qos", queues, "693", "-1"), 0);
	/* Which queue it is. */
	assert_int_equal(fits(by, "qos", queues, "group\":3", "group\":4"), 0);
}

CASE(each_number_alone)
{
	static const struct {
		const char *request, *file;
		enum transport_kind by;
	} answers[] = {{"interfaces", "cumulus_link.json", TRANSPORT_HTTPS},
		{"interfaces", "cumulus_link.json", TRANSPORT_SSH},
		{"qos", "cumulus_qos_513.json", TRANSPORT_HTTPS},
		{"roce", "cumulus_roce.json", TRANSPORT_SSH}};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct target t = a_switch(answers[i].by);
		char path[128];
		struct answer_cache_both b;
		char *text;
		size_t len;

		(void)snprintf(path, sizeof(path), FIXTURES "%s", answers[i].file);
		text = read_file(path, &len);
		assert_non_null(text);
		again_both_begin(&b);
		if (!again_numbers_read(
			    &b, backend_by_name("cumulus"), &t, answers[i].request, text, len, 100))
			fail_msg("%s: %s", answers[i].request, b.why);
		assert_true(b.fits > 5);
		again_both_end(&b);
		free(text);
	}
}

CASES_MAIN(NULL, NULL)
