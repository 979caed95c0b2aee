/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands findings, trace and lint on recordings: their output and their exit codes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "app/options/options.h"
#include "base/str.h"
#include "tests/support/cases.h"

struct stage {
	char dir[64], inventory[96], observations[96], printed[96];
	struct options o;
};

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-subdiag-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	(void)str_printf(s->inventory, sizeof(s->inventory), "%s/f.yaml", s->dir);
	(void)str_printf(s->observations, sizeof(s->observations), "%s/o", s->dir);
	(void)str_printf(s->printed, sizeof(s->printed), "%s/printed", s->dir);
	s->o.idle_fd = -1;
	s->o.observations = s->observations;
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct stage *s = *state;

	(void)unlink(s->inventory);
	(void)unlink(s->observations);
	(void)unlink(s->printed);
	(void)rmdir(s->dir);
	free(s);
	return 0;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Two polls of a leaf and of its port, in the second of which it is as said. */
static void record(const struct stage *s, const char *oper, unsigned downs)
{
	char text[800];

	(void)str_printf(text, sizeof(text),
		"{\"t\":1700000000,\"device\":\"leaf\",\"port\":\"e0\",\"counters\":{\"rx_bytes\":"
		"1,"
		"\"link_down_events\":0},\"state\":{\"oper\":\"up\",\"speed_mbps\":400000}}\n"
		"{\"t\":1700000005,\"device\":\"leaf\",\"port\":\"e0\",\"counters\":{\"rx_bytes\":"
		"9,"
		"\"link_down_events\":%u},\"state\":{\"oper\":\"%s\"}}\n",
		downs, oper);
	write_file(s->observations, text);
}

/* Runs it with its standard output in a file, and returns that in text (freed by the caller). */
static int run(const struct stage *s, int (*sub)(const struct options *o), char **text)
{
	int saved, code;
	size_t n;
	FILE *f;

	(void)fflush(stdout);
	saved = dup(STDOUT_FILENO);
	f = fopen(s->printed, "w+e");
	assert_non_null(f);
	assert_true(dup2(fileno(f), STDOUT_FILENO) >= 0);
	code = sub(&s->o);
	(void)fflush(stdout);
	assert_true(dup2(saved, STDOUT_FILENO) >= 0);
	(void)close(saved);
	*text = calloc(1, 65536);
	rewind(f);
	n = fread(*text, 1, 65535, f);
	(*text)[n] = '\0';
	(void)fclose(f);
	return code;
}

static void expect(struct stage *s, int (*sub)(const struct options *o), int code, const char *says)
{
	char *text;
	json_t *root;

	s->o.json = NULL;
	assert_int_equal(run(s, sub, &text), code);
	if (!strstr(text, says))
		fail_msg("no \"%s\" in %s", says, text);
	free(text);
	/* As JSON the same, and nothing but JSON. */
	s->o.json = "";
	assert_int_equal(run(s, sub, &text), code);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	json_decref(root);
	free(text);
}

CASE_WITH(a_quiet_recording_is_fine, setup, teardown)
{
	struct stage *s = *state;

	record(s, "up", 0);
	expect(s, sub_findings, EXIT_FINE, ": 0 findings; 1 of 1 devices fresh");
	expect(s, sub_lint, EXIT_FINE, ": 0 differences, ");
	s->o.at = "leaf:e0";
	expect(s, sub_trace, EXIT_FINE, "leaf:e0");
}

CASE_WITH(what_is_found_is_told_by_the_exit_code, setup, teardown)
{
	struct stage *s = *state;

	record(s, "down", 1);
	expect(s, sub_findings, EXIT_FINDINGS, "link.");
	s->o.at = "leaf:e0";
	expect(s, sub_trace, EXIT_FINDINGS, ">>");
}

CASE_WITH(a_device_that_was_never_heard_is_unreached, setup, teardown)
{
	struct stage *s = *state;

	write_file(s->inventory,
		"fabric: t\nswitches:\n"
		"  - {names: \"leaf,quiet\", dialect: sonic, transport: ssh, tier: leaf}\n");
	s->o.inventory = s->inventory;
	record(s, "up", 0);
	expect(s, sub_lint, EXIT_UNREACHED, "1 of 2 devices fresh");
}

/* Nothing was told, so that nothing is fine. */
CASE_WITH(nothing_told_is_unreached, setup, teardown)
{
	struct stage *s = *state;
	int input = dup(STDIN_FILENO), ends[2];

	/* The writer of the pipe has gone. */
	assert_int_equal(pipe(ends), 0);
	(void)close(ends[1]);
	assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
	(void)close(ends[0]);
	s->o.observations = "-";
	expect(s, sub_findings, EXIT_UNREACHED, ": 0 findings; 0 of 0 devices fresh");
	assert_true(dup2(input, STDIN_FILENO) >= 0);
	(void)close(input);
	s->o.observations = s->observations;
	/* A device that is current, but its port is unknown. */
	write_file(s->observations,
		"{\"t\":1700000000,\"device\":\"leaf\",\"port\":\"e0\",\"state\":{\"speed_mbps\":"
		"400000}}\n");
	s->o.at = "leaf:e0";
	expect(s, sub_trace, EXIT_UNREACHED, "3 of 3 hops not seen");
}

CASE_WITH(bad_use_is_told_before_anything_is_collected, setup, teardown)
{
	struct stage *s = *state;
	char *text;

	record(s, "up", 0);
	assert_int_equal(run(s, sub_trace, &text), EXIT_USAGE); /* from nowhere */
	assert_string_equal(text, "");
	free(text);
	s->o.at = "leaf:e0";
	s->o.host = "leaf";
	assert_int_equal(run(s, sub_trace, &text), EXIT_USAGE); /* from two places */
	free(text);
	s->o.host = NULL;
	s->o.at = "leaf:e9";
	assert_int_equal(run(s, sub_trace, &text), EXIT_USAGE); /* a place that is not there */
	assert_string_equal(text, "");
	free(text);
	s->o.observations = "/nonexistent/o";
	assert_int_equal(run(s, sub_findings, &text), EXIT_USAGE);
	free(text);
	s->o.observations = NULL;
	assert_int_equal(run(s, sub_lint, &text), EXIT_USAGE); /* neither inventory nor recording */
	free(text);
}

CASES_MAIN(NULL, NULL)
