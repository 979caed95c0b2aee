/* SPDX-License-Identifier: Apache-2.0 */
/* The plan: its requests, its text, its JSON, its hash. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/actions/support/site.h"
#include "tests/support/cases.h"

static struct act_plan plan;
static struct err err;
static struct buf text;
static size_t widest;
static unsigned commands, warnings;

static bool make(struct site *s)
{
	act_plan_free(&plan);
	err = (struct err){0};
	return act_plan_make(&s->at, s->x.action, &s->now, &plan, &err);
}

static void made(struct site *s)
{
	if (!make(s))
		fail_msg("%s (%s)", err.text, err.cure);
}

static int setup(void **state)
{
	buf_init(&text, 65536);
	return site_setup(state);
}

static int teardown(void **state)
{
	act_plan_free(&plan);
	buf_free(&text);
	return site_teardown(state);
}

static void reset(struct site *s)
{
	site_action(s, "pfcwd-reset");
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_PFCWD_STATE, "stormed");
}

static const char *command(const struct request_list *l, size_t i)
{
	assert_true(i < l->at.n);
	assert_true(l->at.at[i].change);
	return l->at.at[i].command;
}

CASE_WITH(a_plan_has_the_exact_requests_and_their_undoing, setup, teardown)
{
	struct site *s = *state;

	reset(s);
	made(s);
	assert_int_equal(plan.steps.n, 2);
	assert_string_equal(command(&plan.steps.at[0].requests, 0), "set wd-stop Ethernet12");
	assert_string_equal(
		command(&plan.steps.at[0].undoing, 0), "set wd-start Ethernet12 drop 200 400");
	assert_string_equal(
		command(&plan.steps.at[1].requests, 0), "set wd-start Ethernet12 drop 200 400");
	assert_int_equal(plan.steps.at[1].undoing.at.n, 0);
	assert_string_equal(plan.device, "leaf-r0-00");
	assert_string_equal(plan.port, "Ethernet12");
	assert_string_equal(plan.typed, "Ethernet12");
	assert_string_equal(plan.place, "leaf-r0-00:Ethernet12");
	assert_string_equal(plan.peer, "spine-000:Ethernet1/1");
	assert_int_equal(plan.blast.jobs, 1);
	assert_true(plan.made_us == s->now_us);
	site_at(s, "leaf-r0-00", "Ethernet12", 3);
	made(s);
	assert_string_equal(plan.place, "leaf-r0-00:Ethernet12:3");
	assert_string_equal(plan.typed, "Ethernet12");
}

CASE_WITH(every_plan_has_a_name_of_its_own, setup, teardown)
{
	struct site *s = *state;
	char first[40];

	made(s);
	assert_int_equal(strlen(plan.id), 23);
	assert_memory_equal(plan.id, "20231114T221340Z-", 17);
	(void)str_copy(first, sizeof(first), plan.id);
	made(s);
	assert_string_not_equal(plan.id, first);
}

CASE_WITH(what_cannot_be_taken_back_is_not_planned, setup, teardown)
{
	struct site *s = *state;

	reset(s);
	s->now.pfc = 0; /* the dialect refuses to start a watchdog */
	assert_false(make(s));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_int_equal(plan.steps.n, 0);
}

CASE_WITH(hostile_names_never_get_into_words, setup, teardown)
{
	struct site *s = *state;
	struct port p = *s->at.port;

	p.name = "Ethernet12; reboot";
	s->at.port = &p;
	assert_false(make(s));
	assert_int_equal(err.code, ERR_REFUSED);
	p.name = "-a";
	assert_false(make(s));
}

static bool unmarked(const struct target *t, const struct order *o, const struct condition *now,
	struct request_list *out, struct err *e)
{
	(void)t, (void)o, (void)now, (void)e;
	(void)requests_ssh(out, "set", "set something", NULL);
	return true;
}

static bool nothing(const struct target *t, const struct order *o, const struct condition *now,
	struct request_list *out, struct err *e)
{
	(void)t, (void)o, (void)now, (void)out, (void)e;
	return true;
}

CASE_WITH(a_dialect_that_errs_is_noticed, setup, teardown)
{
	struct site *s = *state;

	s->can.command = unmarked;
	assert_false(make(s));
	assert_int_equal(err.code, ERR_INTERNAL);
	s->can.command = nothing;
	assert_false(make(s));
	assert_int_equal(err.code, ERR_INTERNAL);
}

CASE_WITH(the_sites_own_words_are_used_and_said, setup, teardown)
{
	struct site *s = *state;
	struct plan_commands *c = vec_add(&s->plan.actions.commands);

	(void)str_copy(c->dialect, sizeof(c->dialect), "sonic");
	(void)str_copy(c->verb, sizeof(c->verb), "port-down");
	c->lines = mem_strdup("drain-it {port}");
	s->can.unproven = 1u << VERB_PORT_DOWN;
	made(s);
	assert_string_equal(command(&plan.steps.at[0].requests, 0), "drain-it {port}");
	assert_true(plan.steps.at[0].sites_own);
	assert_false(plan.steps.at[0].unproven);
	(void)str_copy(c->dialect, sizeof(c->dialect), "eos");
	made(s);
	assert_false(plan.steps.at[0].sites_own);
	assert_true(plan.steps.at[0].unproven);
}

/* ---- the hash ---- */

static void hash_of(struct site *s, char hash[65])
{
	made(s);
	assert_int_equal(strlen(plan.hash), 64);
	memcpy(hash, plan.hash, 65);
}

CASE_WITH(the_hash_is_of_what_is_done_not_of_when, setup, teardown)
{
	struct site *s = *state;
	char first[65], other[65];

	reset(s);
	hash_of(s, first);
	s->now.at_us += CLOCK_SEC;
	s->at.now_us += CLOCK_SEC;
	s->now.rx_pause[3] += 5;
	s->now.wd_storms[3]++;
	s->jobs = false;
	hash_of(s, other);
	assert_string_equal(first, other);
	s->now.admin = OPER_DOWN;
	hash_of(s, other);
	assert_string_not_equal(first, other);
	s->now.admin = OPER_UP;
	s->now.wd_set.restore_ms = 500;
	hash_of(s, other);
	assert_string_not_equal(first, other);
	s->now.wd_set.restore_ms = 400;
	hash_of(s, other);
	assert_string_equal(first, other);
	site_at(s, "leaf-r0-00", "Ethernet16", -1);
	site_word(s, "leaf-r0-00", "Ethernet16", ATTR_PFCWD_STATE, "stormed");
	hash_of(s, other);
	assert_string_not_equal(first, other);
}

CASE_WITH(each_byte_of_a_request_is_in_the_hash, setup, teardown)
{
	struct site *s = *state;
	char first[65];
	char *command_was;

	hash_of(s, first);
	command_was = plan.steps.at[0].requests.at.at[0].command;
	command_was[strlen(command_was) - 1] ^= 1;
	act_plan_seal(&plan);
	assert_string_not_equal(plan.hash, first);
	command_was[strlen(command_was) - 1] ^= 1;
	act_plan_seal(&plan);
	assert_string_equal(plan.hash, first);
	/* The undo commands are part of the hash, too. */
	plan.steps.at[0].undoing.at.at[0].command[0] ^= 1;
	act_plan_seal(&plan);
	assert_string_not_equal(plan.hash, first);
	/* Bytes that are no text. */
	plan.steps.at[0].undoing.at.at[0].command[0] = (char)0xff;
	act_plan_seal(&plan);
	assert_int_equal(strlen(plan.hash), 64);
}

/* ---- the text ---- */

static void collect(void *ctx, enum plan_tone tone, const char *line)
{
	size_t columns = 0;

	(void)ctx;
	for (const char *c = line; *c; c++)
		columns += ((unsigned char)*c & 0xc0) != 0x80;
	if (columns > widest)
		widest = columns;
	commands += tone == TONE_COMMAND;
	warnings += tone == TONE_WARN;
	assert_null(strpbrk(line, "\n\r\t\x1b"));
	(void)buf_addf(&text, "%s\n", line);
}

static void show(int width)
{
	buf_reset(&text);
	widest = commands = warnings = 0;
	act_plan_lines(&plan, width, collect, NULL);
}

static void has(const char *words)
{
	if (!strstr(text.data, words))
		fail_msg("no \"%s\" in\n%s", words, text.data);
}

CASE_WITH(the_text_says_all_that_an_operator_must_know, setup, teardown)
{
	struct site *s = *state;

	reset(s);
	s->can.unproven = 1u << VERB_WD_STOP;
	made(s);
	show(80);
	has("pfcwd-reset leaf-r0-00:Ethernet12\n");
	has("What      clear a stuck PFC watchdog storm on one port\n");
	has("Where     leaf-r0-00:Ethernet12 (sonic), other end spine-000:Ethernet1/1\n");
	has("Now       watchdog drop 200/400 ms; queue 3 stormed; admin up; link up");
	has("          as read at 22:13:40 UTC\n");
	has("Commands  on leaf-r0-00 over ssh, in this order\n");
	has("  1  wd-stop      set wd-stop Ethernet12\n");
	has("  2  wd-start     set wd-start Ethernet12 drop 200 400\n");
	has("Expected  watchdog on Ethernet12 operational, drop 200/400 ms, no queue stormed\n");
	has("Hits      1 running job (pretrain): 2 ranks, 2 GPUs\n");
	has("4 of 4 such links up here, 2 of 2 at the other end\n");
	has("the link carries 10% of its speed\n");
	has("  1  wd-start     set wd-start Ethernet12 drop 200 400\n");
	has("  !  step 1: these commands are untested on sonic hardware;");
	has("  !  the port has no storm protection for about a second\n");
	has(plan.id);
	assert_true(widest <= 80);
	assert_int_equal(commands, 3);
}

/* Every label is followed by a blank, however long the verb is, and a light hits no traffic. */
CASE_WITH(harmless_words_are_quiet, setup, teardown)
{
	static struct action_ops light;
	struct site *s = *state;

	reset(s);
	made(s);
	for (size_t i = 0; i < plan.steps.n; i++) {
		plan.steps.at[i].order.verb = VERB_COUNTERS_ON;
		plan.steps.at[i].undo.verb = VERB_COUNTERS_OFF;
		plan.steps.at[i].has_undo = true;
	}
	plan.blast.last_path = true;
	plan.blast.load = 0.00000954;
	show(80);
	has("Hits      1 running job (pretrain): 2 ranks, 2 GPUs\n");
	light = *plan.action;
	light.needs |= NEED_PATHS;
	plan.action = &light;
	show(80);
	has("THEIR LAST PATH");
	has("the link carries less than 0.1% of its speed\n");
	has("  1  counters-off ");
	light.harmless = true;
	show(80);
	has("Hits      no traffic: a light only\n");
	assert_null(strstr(text.data, "LAST PATH"));
	/* A hash can be copied from an 80-column terminal. */
	has(plan.hash);
}

CASE_WITH(it_fits_any_width, setup, teardown)
{
	static const int widths[] = {-1, 0, 40, 41, 60, 80, 120, 200, 100000};
	struct site *s = *state;

	reset(s);
	s->can.unproven = ~0u;
	made(s);
	memset(plan.expect, 'x', sizeof(plan.expect) - 1);
	(void)str_copy(
		plan.before.hazard, sizeof(plan.before.hazard), "\x1b[2J\xc3\xa4\xc3\xa4 red");
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		show(widths[i]);
		assert_true(widest <= (size_t)(widths[i] < 40 ? 40 : widths[i]));
		has("xxxxxxxxxx");
	}
	show(200);
	has("set wd-stop Ethernet12\n");
}

CASE_WITH(long_commands_are_wrapped_and_nothing_of_them_is_lost, setup, teardown)
{
	struct site *s = *state;
	struct plan_commands *c = vec_add(&s->plan.actions.commands);
	char lines[400], all[2000] = "";

	for (int i = 0; i < 40; i++)
		(void)str_printf(lines + strlen(lines) * (i > 0), sizeof(lines) - 9 * (size_t)i,
			"word%03d ", i);
	(void)str_copy(c->dialect, sizeof(c->dialect), "sonic");
	(void)str_copy(c->verb, sizeof(c->verb), "port-down");
	c->lines = mem_strdup(lines);
	made(s);
	show(60);
	for (const char *t = text.data; *t; t++)
		if (*t != '\n' && strlen(all) + 1 < sizeof(all))
			all[strlen(all)] = *t;
	for (int i = 0; i < 40; i++) {
		(void)str_printf(lines, sizeof(lines), "word%03d", i);
		assert_non_null(strstr(all, lines));
	}
	assert_true(commands > 5);
}

CASE_WITH(warnings_tell_of_jobs_and_of_times_that_are_missing, setup, teardown)
{
	struct site *s = *state;

	s->jobs = false;
	site_poll(s, 400);
	made(s);
	show(120);
	has("Hits      the running jobs are not known\n");
	has("  !  the running jobs are not known: ask before the link is shut\n");
	reset(s);
	s->now.wd_set.restore_ms = 0;
	s->plan.actions.wd_restore_ms = 600;
	made(s);
	show(120);
	has("the site's time is set, 600 ms");
	has("watchdog drop 200 ms, no restoration time");
	site_action(s, "port-bounce");
	made(s);
	show(120);
	has("     then wait 5 s\n");
	has("carries nothing until it has trained again");
	has("  1  port-up      set port-up Ethernet12\n");
}

/* ---- requests ---- */

static void line_is(struct request r, const char *want)
{
	char line[300];

	request_line(&r, line, sizeof(line));
	assert_string_equal(line, want);
}

CASE_WITH(a_request_reads_as_a_person_would_type_it, setup, teardown)
{
	struct request ssh = {.command = (char *)"sudo -n config pfcwd stop Ethernet12"},
		       post = {.method = "POST", .path = (char *)"/command-api"};
	char small[12];

	line_is(ssh, "sudo -n config pfcwd stop Ethernet12");
	ssh.input = (char *)"set a\r\nset \x1b b\n\n";
	line_is(ssh, "sudo -n config pfcwd stop Ethernet12; set a; set ? b");
	post.body = (char *)"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"params\":{\"version\":1,"
			    "\"cmds\":[{\"cmd\":\"enable\",\"input\":\"secret\"},\"configure\","
			    "\"interface Ethernet4/1\",\"shutdown\"]},\"id\":1}";
	line_is(post, "POST /command-api  enable; configure; interface Ethernet4/1; shutdown");
	post.path = (char *)"/ins";
	post.body = (char *)"{\"ins_api\":{\"type\":\"cli_conf\",\"input\":\"conf t ;interface "
			    "Ethernet1/4 ; shutdown\"}}";
	line_is(post, "POST /ins  conf t; interface Ethernet1/4; shutdown");
	post.body = (char *)"[{\"method\":\"cli\",\"params\":{\"cmd\":\"conf t\"}},{\"method\":"
			    "\"cli\",\"params\":{\"cmd\":\"shutdown\"}}]";
	line_is(post, "POST /ins  conf t; shutdown");
	post.method = "PATCH";
	post.path = (char *)"/nvue_v1/interface/swp1?rev={revision}";
	post.body = (char *)"{ \"link\": {\"state\": {\"down\": {}}} }";
	line_is(post, "PATCH /nvue_v1/interface/swp1?rev={revision}  "
		      "{\"link\":{\"state\":{\"down\":{}}}}");
	post.body = (char *)"not json";
	line_is(post, "PATCH /nvue_v1/interface/swp1?rev={revision}  not json");
	post.body = NULL;
	line_is(post, "PATCH /nvue_v1/interface/swp1?rev={revision}");
	request_line(&post, small, sizeof(small));
	assert_string_equal(small, "PATCH /n...");
}

/* ---- JSON ---- */

CASE_WITH(the_json_has_what_is_sent_and_null_for_what_was_not_told, setup, teardown)
{
	struct site *s = *state;
	json_t *j, *step, *before;

	reset(s);
	made(s);
	j = act_plan_json(&plan);
	assert_string_equal(json_string_value(json_object_get(j, "action")), "pfcwd-reset");
	assert_string_equal(json_string_value(json_object_get(j, "hash")), plan.hash);
	assert_string_equal(json_string_value(json_object_get(j, "peer")), "spine-000:Ethernet1/1");
	assert_true(json_is_null(json_object_get(j, "priority")));
	step = json_array_get(json_object_get(j, "steps"), 0);
	assert_string_equal(json_string_value(json_object_get(step, "verb")), "wd-stop");
	assert_string_equal(
		json_string_value(json_object_get(
			json_array_get(json_object_get(step, "requests"), 0), "command")),
		"set wd-stop Ethernet12");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(step, "undo"), "verb")),
		"wd-start");
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(j, "steps"), 1), "undo")));
	before = json_object_get(j, "before");
	assert_true(json_is_null(json_object_get(before, "beacon")));
	assert_true(json_is_null(json_object_get(before, "bgp_peer")));
	assert_string_equal(json_string_value(json_object_get(before, "admin")), "up");
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(before, "wd_setting"), "detect_ms")),
		200);
	assert_string_equal(
		json_string_value(json_object_get(
			json_object_get(json_object_get(before, "queues"), "3"), "state")),
		"stormed");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(j, "blast"), "ranks")), 2);
	assert_int_equal(json_array_size(json_object_get(j, "warnings")), 1);
	json_decref(j);
}

CASE_WITH(a_condition_of_nothing_is_all_null, setup, teardown)
{
	struct condition c;
	const char *key;
	json_t *j, *value;
	char line[200];

	condition_init(&c);
	j = condition_json(&c);
	json_object_foreach(j, key, value) if (!json_is_null(value) &&
					       !(str_eq(key, "queues") && !json_object_size(value)))
		fail_msg("%s is told", key);
	json_decref(j);
	condition_line(&c, line, sizeof(line));
	assert_string_equal(line, "not reported by the device");
}

CASES_MAIN(NULL, NULL)
