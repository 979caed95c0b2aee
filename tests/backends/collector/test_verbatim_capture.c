/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/verbatim_capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/support/cases.h"

CASE(test_a_command_and_its_input)
{
	struct request_list l = {0};
	struct obs *o = obs_new("leaf", "fast");

	raw_keep(o, requests_ssh(&l, "fast", "sh -s", "cat /proc/uptime\n"), "a\0b\n", 4);
	assert_string_equal(o->asked, "sh -s\ncat /proc/uptime\n");
	assert_int_equal(o->raw_len, 4);
	assert_memory_equal(o->raw, "a\0b\n", 5);
	/* Another answer takes the place of the first. */
	raw_keep(o, requests_ssh(&l, "fast", "uptime", NULL), "", 0);
	assert_string_equal(o->asked, "uptime");
	assert_int_equal(o->raw_len, 0);
	assert_string_equal(o->raw, "");
	requests_free(&l);
	obs_free(o);
}

CASE(test_a_path_and_its_body)
{
	struct request_list l = {0};
	struct obs *o = obs_new("leaf", "fast");

	raw_keep(o,
		requests_http(&l, "fast", "POST", "/command-api", "application/json",
			"{\"cmds\":[\"show version\"]}"),
		"{}", 2);
	assert_string_equal(o->asked, "POST /command-api\n{\"cmds\":[\"show version\"]}");
	raw_keep(o, requests_http(&l, "fast", "GET", "/nvue_v1/interface", NULL, NULL), "{}", 2);
	assert_string_equal(o->asked, "GET /nvue_v1/interface");
	raw_keep(o, requests_forward(&l, "ras", 28028, "status\n", NULL, NULL), "x", 1);
	assert_string_equal(o->asked, "localhost:28028\nstatus\n");
	requests_free(&l);
	obs_free(o);
}

static void keep_large(struct obs *o, size_t n)
{
	struct request_list l = {0};
	char *large = mem_alloc(n);

	memset(large, 'x', n);
	raw_keep(o, requests_ssh(&l, "fast", "cat", NULL), large, n);
	free(large);
	requests_free(&l);
}

CASE(test_a_large_answer_is_cut)
{
	struct obs *o = obs_new("leaf", "fast");
	const char *note;

	keep_large(o, RAW_MOST);
	assert_int_equal(o->raw_len, RAW_MOST);
	assert_null(strchr(o->raw, '['));
	keep_large(o, RAW_MOST + 1);
	assert_true(o->raw_len <= RAW_MOST);
	note = strrchr(o->raw, '[');
	assert_non_null(note);
	assert_non_null(strstr(note, "of 1048577 bytes are left out]\n"));
	/* As many as are said are missing. */
	assert_int_equal(strtoul(strchr(note, ':') + 1, NULL, 10),
		RAW_MOST + 1 - (size_t)(note - 1 - o->raw));
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
