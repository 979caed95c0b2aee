/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of views without a screen: the output for people and for programs, and early
 * refusals.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "app/options/options.h"
#include "app/output/rows.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "views/view.h"

struct stage {
	char dir[64], inventory[96], observations[96], printed[96], errors[96];
	char *out, *err;
	int code;
};

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Two polls of a leaf with two ports: e0 is held by its peer for 30 % of the time. */
#define POLL(t, rx, held)                                                                          \
	"{\"t\":" t                                                                                \
	",\"device\":\"leaf-r0-00\",\"port\":\"Ethernet0\",\"counters\":{\"rx_bytes\":" rx         \
	",\"tx_bytes\":" rx ",\"pfc_rx_frames\":{\"3\":" rx                                        \
	"},\"pfc_rx_duration_us\":{\"3\":" held                                                    \
	"},\"rx_fcs_errors\":0},\"state\":{\"oper\":\"up\",\"speed_mbps\":400000}}\n"              \
	"{\"t\":" t                                                                                \
	",\"device\":\"leaf-r0-00\",\"port\":\"Ethernet4\",\"counters\":{\"rx_bytes\":" rx         \
	"},\"state\":{\"oper\":\"up\",\"speed_mbps\":400000}}\n"
/* A hostile name of a device. */
#define HOSTILE                                                                                    \
	"{\"t\":1700000010,\"device\":\"leaf-r0-00\",\"port\":\"Ethernet0\",\"lldp\":{\"device\":" \
	"\"=a|@b,\\\"c\\\"\\u001b[31m<i>`\\n\",\"port\":\"p*\"}}\n"

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-subrows-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	(void)str_printf(s->inventory, sizeof(s->inventory), "%s/f.yaml", s->dir);
	(void)str_printf(s->observations, sizeof(s->observations), "%s/o", s->dir);
	(void)str_printf(s->printed, sizeof(s->printed), "%s/printed", s->dir);
	(void)str_printf(s->errors, sizeof(s->errors), "%s/errors", s->dir);
	write_file(s->observations,
		POLL("1700000000", "1000", "1000000") POLL("1700000005", "5000001000", "2500000")
			POLL("1700000010", "10000001000", "4000000"));
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct stage *s = *state;

	(void)unlink(s->inventory);
	(void)unlink(s->observations);
	(void)unlink(s->printed);
	(void)unlink(s->errors);
	(void)rmdir(s->dir);
	free(s->out);
	free(s->err);
	free(s);
	return 0;
}

static char *contents(const char *path)
{
	char *text = calloc(1, 1 << 20);
	FILE *f = fopen(path, "re");

	assert_non_null(text);
	assert_non_null(f);
	text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
	(void)fclose(f);
	return text;
}

/* Reads the command line and runs it, with both outputs in files. */
static void run(struct stage *s, const char *const *words)
{
	char *argv[24] = {(char *)(uintptr_t) "railtop"};
	const struct subcommand *sub = NULL;
	struct options o;
	struct err err = {0};
	int argc = 1, out, errors;

	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc - 1];
	argv[argc++] = (char *)(uintptr_t) "--observations";
	argv[argc++] = s->observations;
	if (!options_read(argc, argv, &o, &sub, &err))
		fail_msg("%s", err.text);
	(void)fflush(stdout);
	(void)fflush(stderr);
	out = dup(STDOUT_FILENO);
	errors = dup(STDERR_FILENO);
	assert_non_null(freopen(s->printed, "we", stdout));
	assert_non_null(freopen(s->errors, "we", stderr));
	s->code = sub->run(&o);
	(void)fflush(stdout);
	(void)fflush(stderr);
	assert_true(dup2(out, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0);
	(void)close(out);
	(void)close(errors);
	options_free(&o);
	free(s->out);
	free(s->err);
	s->out = contents(s->printed);
	s->err = contents(s->errors);
}
#define RUN(s, ...) run(s, (const char *const[]){__VA_ARGS__, NULL})

static json_t *parse(const char *text)
{
	json_error_t at;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &at);

	if (!root)
		fail_msg("%s in %s", at.text, text);
	return root;
}

CASE_WITH(a_table_has_a_header_and_is_aligned, setup, teardown)
{
	struct stage *s = *state;

	RUN(s, "ports", "--columns", "device,port,oper,speed,rx", "--sort", "port");
	assert_int_equal(s->code, EXIT_FINE);
	assert_string_equal(s->out, "device      port       oper  speed     rx\n"
				    "leaf-r0-00  Ethernet0  up     400G  8.00G\n"
				    "leaf-r0-00  Ethernet4  up     400G  8.00G\n");
	/* The long form is the same. */
	RUN(s, "rows", "ports", "--columns", "port", "--sort", "-port", "--limit", "1");
	assert_string_equal(s->out, "port\nEthernet4\n");
}

CASE_WITH(what_the_issue_asks_for, setup, teardown)
{
	struct stage *s = *state;
	json_t *root, *rows, *row;

	RUN(s, "ports", "--where", "pfc_rx.paused>1% rx>1G", "--json");
	assert_int_equal(s->code, EXIT_FINE);
	root = parse(s->out);
	assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
	assert_string_equal(json_string_value(json_object_get(root, "view")), "ports");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(root, "coverage"), "devices")),
		1);
	assert_true(json_is_real(json_object_get(root, "time")));
	rows = json_object_get(root, "rows");
	assert_int_equal(json_array_size(rows), 1);
	row = json_array_get(rows, 0);
	assert_string_equal(json_string_value(json_object_get(row, "ref")), "leaf-r0-00:Ethernet0");
	assert_true(json_is_number(json_object_get(row, "paused_rx")));
	assert_int_equal((int)json_number_value(json_object_get(row, "paused_rx")), 30);
	assert_int_equal((int64_t)json_number_value(json_object_get(row, "rx")), 8000000000);
	/* A word stays a word; an unknown value is null, never 0. */
	assert_true(json_is_string(json_object_get(row, "state")));
	assert_true(json_is_null(json_object_get(row, "ber")));
	assert_true(json_is_null(json_object_get(row, "peer")));
	/* As many members as columns are named, and ref. */
	assert_int_equal(
		json_object_size(row), json_array_size(json_object_get(root, "columns")) + 1);
	json_decref(root);
	RUN(s, "ports", "--where", "rail=3 pfc_rx.paused>1%", "--csv", "--columns", "port");
	assert_string_equal(s->out, "port\n");
}

CASE_WITH(every_view_is_a_command, setup, teardown)
{
	struct stage *s = *state;

	for (size_t i = 0; i < view_count; i++) {
		const struct view_ops *v = view_table[i];
		const char *place = v->scope == REF_RAIL       ? "0"
				    : v->scope == REF_DEVICE   ? "leaf-r0-00"
				    : v->scope == REF_PORT     ? "leaf-r0-00:Ethernet0"
				    : v->scope == REF_PRIORITY ? "leaf-r0-00:Ethernet0/3"
							       : NULL;
		json_t *root;

		if (!place && !view_is_whole(v))
			continue;
		if (v->scope == REF_RAIL)
			continue; /* a recording without a plan has no rails */
		RUN(s, "rows", v->name, "--json", place);
		if (s->code != EXIT_FINE)
			fail_msg("%s: %d %s", v->name, s->code, s->err);
		root = parse(s->out);
		assert_string_equal(json_string_value(json_object_get(root, "view")), v->name);
		json_decref(root);
	}
}

/* A column of numbers with a word in it: its sort key is not its text. */
CASE_WITH(a_word_is_no_number, setup, teardown)
{
	static const struct table_column column = {"r0", "r0", 5, 0, 0, true, ""};
	static const struct {
		const char *text;
		bool number;
	} cells[] = {{"dn", false}, {"Cdn*", false}, {"3>7", false}, {"3/4", false},
		{"2 off", false}, {"W74%", true}, {">1d", true}, {"<1m", true}, {"0%", true},
		{"8.00G", true}, {"", true}};

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		struct view_cell c = {.number = 3, .has_number = true};

		(void)str_copy(c.text, sizeof(c.text), cells[i].text);
		if (rows_is_number(&column, &c) != cells[i].number)
			fail_msg("\"%s\"", cells[i].text);
	}
}

/* A NIC that is down moves nothing: 0 would be an idle one. */
CASE_WITH(a_nic_that_is_down_is_a_word, setup, teardown)
{
	struct stage *s = *state;

	write_file(s->inventory, "fabric: t\nhosts:\n  - {names: \"n0\", dialect: linux, "
				 "transport: ssh, rails: mlx5_0}\n");
	write_file(s->observations,
		"{\"t\":1700000000,\"device\":\"n0\",\"port\":\"mlx5_0\",\"counters\":"
		"{\"rx_bytes\":0,\"tx_bytes\":0},\"state\":{\"oper\":\"down\",\"speed_mbps\":"
		"400000}}\n"
		"{\"t\":1700000005,\"device\":\"n0\",\"port\":\"mlx5_0\",\"counters\":"
		"{\"rx_bytes\":0,\"tx_bytes\":0},\"state\":{\"oper\":\"down\"}}\n");
	RUN(s, "hosts", "-f", s->inventory, "--columns", "host,r0", "--csv");
	assert_string_equal(s->out, "host,r0\nn0,dn\n");
	RUN(s, "hosts", "-f", s->inventory, "--columns", "r0", "--json");
	assert_non_null(strstr(s->out, "\"r0\":\"dn\""));
}

CASE_WITH(names_of_subcommands_keep_their_meaning, setup, teardown)
{
	struct stage *s = *state;
	json_t *root;

	RUN(s, "findings", "--json", "--for", "1s");
	root = parse(s->out);
	assert_non_null(json_object_get(root, "findings"));
	json_decref(root);
	RUN(s, "rows", "findings", "--json");
	root = parse(s->out);
	assert_non_null(json_object_get(root, "rows"));
	json_decref(root);
}

CASE_WITH(hostile_text_stays_text, setup, teardown)
{
	struct stage *s = *state;
	FILE *f = fopen(s->observations, "ae");
	json_t *root;
	const char *peer;

	assert_non_null(f);
	assert_true(fputs(HOSTILE, f) >= 0);
	assert_int_equal(fclose(f), 0);
	RUN(s, "ports", "--columns", "port,peer", "--sort", "port", "--csv");
	assert_string_equal(
		s->out, "port,peer\nEthernet0,\"'=a|@b,\"\"c\"\"?[31m<i>` :p*\"\nEthernet4,\n");
	RUN(s, "ports", "--columns", "port,peer", "--sort", "port", "--md");
	assert_string_equal(s->out, "| port | peer |\n| --- | --- |\n"
				    "| Ethernet0 | =a\\|@<!-- -->b,\"c\"?\\[31m\\<i\\>\\` :p\\* |\n"
				    "| Ethernet4 | - |\n");
	RUN(s, "ports", "--columns", "port,peer", "--sort", "port");
	assert_null(strchr(s->out, '\033'));
	assert_string_equal(s->out, "port       peer\nEthernet0  =a|@b,\"c\"?[31m<i>` :p*\n"
				    "Ethernet4  -\n");
	RUN(s, "ports", "--where", "port=Ethernet0", "--json");
	root = parse(s->out);
	peer = json_string_value(
		json_object_get(json_array_get(json_object_get(root, "rows"), 0), "peer"));
	assert_string_equal(peer, "=a|@b,\"c\"?[31m<i>` :p*");
	json_decref(root);
}

static void expect_usage(struct stage *s, const char *const *words, const char *says)
{
	run(s, words);
	assert_int_equal(s->code, EXIT_USAGE);
	assert_string_equal(s->out, "");
	if (!strstr(s->err, says))
		fail_msg("no \"%s\" in %s", says, s->err);
}
#define USAGE(s, says, ...) expect_usage(s, (const char *const[]){__VA_ARGS__, NULL}, says)

CASE_WITH(bad_use_is_told_before_anything_is_collected, setup, teardown)
{
	struct stage *s = *state;

	/* If it read the observations first, it would complain about them. */
	(void)unlink(s->observations);
	USAGE(s, "fields: device, port, tier", "ports", "--where", "colour=red");
	USAGE(s, "not a number", "ports", "--where", "rx>many");
	USAGE(s, "no column colour", "ports", "--sort", "-colour");
	USAGE(s, "no column colour", "ports", "--columns", "port,colour");
	USAGE(s, "no column is given", "ports", "--columns", "");
	USAGE(s, "give one of", "ports", "--csv", "--md");
	USAGE(s, "a second or more", "ports", "--watch", "0");
	USAGE(s, "there is no view \"nothing\"", "rows", "nothing");
	USAGE(s, "a view is missing", "rows", "--csv");
	USAGE(s, "a device, such as", "leaf");
}

CASE_WITH(a_place_that_is_not_there_is_an_error, setup, teardown)
{
	struct stage *s = *state;

	USAGE(s, "there is no device \"leaf-r9-00\"", "leaf", "leaf-r9-00");
	USAGE(s, "devices does not show", "devices", "leaf-r0-00:Ethernet0");
	/* A port replaces its device where the view wants a device. */
	RUN(s, "leaf", "leaf-r0-00:Ethernet4", "--columns", "port", "--sort", "port");
	assert_string_equal(s->out, "port\nEthernet0\nEthernet4\n");
}

CASE_WITH(watching_a_file_prints_it_once, setup, teardown)
{
	struct stage *s = *state;
	json_t *root;

	RUN(s, "ports", "--watch", "1s", "--json");
	assert_int_equal(s->code, EXIT_FINE);
	/* One document, one line. */
	assert_ptr_equal(strchr(s->out, '\n'), s->out + strlen(s->out) - 1);
	root = parse(s->out);
	json_decref(root);
}

/* `railtop ports --watch 1s | head`: it ends when nobody reads any more, and that is no failure. */
CASE_WITH(it_ends_with_its_reader, setup, teardown)
{
	static const char line[] = "{\"t\":1700000000,\"device\":\"leaf-r0-00\",\"port\":\"e0\","
				   "\"state\":{\"oper\":\"up\"}}\n";
	char *argv[] = {(char *)(uintptr_t) "railtop", (char *)(uintptr_t) "ports",
		(char *)(uintptr_t) "--json", (char *)(uintptr_t) "--watch",
		(char *)(uintptr_t) "1s", (char *)(uintptr_t) "--for", (char *)(uintptr_t) "1s",
		(char *)(uintptr_t) "--observations", (char *)(uintptr_t) "-"};
	int in[2], out[2], status = -1;
	char first = 0;
	pid_t pid;

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const struct subcommand *sub = NULL;
		struct options o;
		struct err err = {0};

		(void)dup2(in[0], STDIN_FILENO);
		(void)dup2(out[1], STDOUT_FILENO);
		(void)close(in[1]);
		(void)close(out[0]);
		(void)close(out[1]);
		_exit(options_read(9, argv, &o, &sub, &err) ? sub->run(&o) : 99);
	}
	(void)close(in[0]);
	(void)close(out[1]);
	assert_int_equal(write(in[1], line, sizeof(line) - 1), (int)sizeof(line) - 1);
	assert_int_equal(read(out[0], &first, 1), 1);
	assert_int_equal(first, '{');
	(void)close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	(void)close(in[1]);
	assert_true(WIFEXITED(status));
	/* The device of these lines is of 2023: stale, but heard. */
	assert_int_equal(WEXITSTATUS(status), EXIT_FINE);
}

CASE_WITH(a_device_that_was_never_heard_is_unreached, setup, teardown)
{
	struct stage *s = *state;

	write_file(s->inventory,
		"fabric: t\nswitches:\n  - {names: \"leaf-r0-00,quiet\", dialect: sonic, "
		"transport: ssh, tier: leaf, rail: 0}\n");
	RUN(s, "devices", "-f", s->inventory, "--columns", "name,state", "--sort", "name");
	assert_int_equal(s->code, EXIT_UNREACHED);
	assert_string_equal(s->out, "name        state\nleaf-r0-00  fresh\nquiet       pending\n");
	RUN(s, "devices", "-f", s->inventory, "--json");
	assert_int_equal(s->code, EXIT_UNREACHED);
	assert_non_null(strstr(s->out, "\"devices\":2,\"pending\":1,\"fresh\":1,"));
}

CASES_MAIN(NULL, NULL)
