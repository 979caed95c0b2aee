/* SPDX-License-Identifier: Apache-2.0 */
/* host-drain: the words for each scheduler, as a shell takes them, and their guards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/actions/support/site.h"
#include "tests/actions/support/way.h"
#include "tests/support/cases.h"

static words_vec words;
static struct err err;

static void add_source(struct site *s, const char *name)
{
	struct plan_jobs *j = vec_add(&s->plan.jobs);

	memset(j, 0, sizeof(*j));
	(void)str_copy(j->source, sizeof(j->source), name);
}

static int begin(void **state)
{
	(void)site_setup(state);
	site_action(*state, "host-drain");
	site_at(*state, "node000", NULL, -1);
	return 0;
}

static int end(void **state)
{
	vec_free(&words);
	return site_teardown(state);
}

static bool say(struct site *s)
{
	words.n = 0;
	err = (struct err){0};
	return s->x.action->words(&s->at, &words, &err);
}

/*
 * Runs the line in a real shell in which the schedulers' programs print their words, one a line,
 * and gives that back.
 */
static const char *in_shell(const char *line)
{
	static char out[4096];
	char script[4096];
	FILE *f;
	size_t n;

	assert_true(str_printf(script, sizeof(script),
		"for p in scontrol kubectl ray; do eval \"$p() { printf '<%%s>\\n' $p "
		"\\\"\\$@\\\"; }\"; "
		"done\n%s",
		line));
	f = popen("exec sh -s >/tmp/railtop-words.$PPID 2>&1", "w");
	assert_non_null(f);
	assert_int_equal(fputs(script, f) < 0, 0);
	assert_int_equal(pclose(f), 0);
	(void)str_printf(script, sizeof(script), "/tmp/railtop-words.%ld", (long)getpid());
	f = fopen(script, "re");
	assert_non_null(f);
	n = fread(out, 1, sizeof(out) - 1, f);
	out[n] = '\0';
	(void)fclose(f);
	(void)unlink(script);
	return out;
}

CASE_WITH(slurm_is_told_node_state_and_reason, begin, end)
{
	struct site *s = *state;

	add_source(s, "slurm");
	add_source(s, "slurm"); /* of another partition: one scheduler all the same */
	s->at.cause = "link.flapping leaf-r0-00:Ethernet0";
	assert_true(say(s));
	assert_int_equal(words.n, 1);
	assert_string_equal(words.at[0].run,
		"scontrol update nodename=node000 state=drain reason='railtop: link.flapping "
		"leaf-r0-00:Ethernet0, {incident}'");
	assert_string_equal(words.at[0].look, "scontrol show node node000");
	assert_string_equal(words.at[0].undo, "scontrol update nodename=node000 state=resume");
	assert_string_equal(in_shell(words.at[0].run),
		"<scontrol>\n<update>\n<nodename=node000>\n<state=drain>\n<reason=railtop: "
		"link.flapping leaf-r0-00:Ethernet0, {incident}>\n");
	/* Nothing is known to be wrong: the incident alone. */
	s->at.cause = NULL;
	assert_true(say(s));
	assert_non_null(strstr(words.at[0].run, "reason='railtop: {incident}'"));
}

CASE_WITH(each_scheduler_has_its_words, begin, end)
{
	struct site *s = *state;

	add_source(s, "nccl-ras");
	add_source(s, "ray");
	add_source(s, "kubernetes");
	assert_true(say(s));
	assert_int_equal(words.n, 2);
	assert_string_equal(words.at[0].run,
		"kubectl cordon node000 && kubectl annotate --overwrite node node000 "
		"railtop-drain='railtop: {incident}'");
	assert_string_equal(in_shell(words.at[0].run),
		"<kubectl>\n<cordon>\n<node000>\n<kubectl>\n<annotate>\n<--overwrite>\n<node>\n"
		"<node000>\n<railtop-drain=railtop: {incident}>\n");
	assert_string_equal(in_shell(words.at[0].undo),
		"<kubectl>\n<uncordon>\n<node000>\n<kubectl>\n<annotate>\n<node>\n<node000>\n"
		"<railtop-drain->\n");
	/* The id of the node is looked up, and there is no way back. */
	assert_string_equal(words.at[1].system, "ray");
	assert_string_equal(words.at[1].undo, "");
	assert_non_null(strstr(in_shell(words.at[1].run),
		"<--reason>\n<DRAIN_NODE_REASON_PREEMPTION>\n<--reason-message>\n<railtop: "
		"{incident}>\n<--deadline-remaining-seconds>\n"));
}

/* The list of nodes as `ray list nodes --format json` of 2.9 and 2.44 prints it. */
CASE_WITH(the_id_of_a_node_of_ray_is_read, begin, end)
{
	struct site *s = *state;
	char line[1024];

	add_source(s, "ray");
	assert_true(say(s));
	assert_true(str_printf(line, sizeof(line),
		"ray() { case $1 in list) echo '[{\"node_id\": \"9ce4a6\", \"node_ip\": "
		"\"10.0.0.1\", \"is_head_node\": false, \"state\": \"ALIVE\", \"node_name\": "
		"\"node000\"}]' ;; *) printf '%%s ' \"$@\" ;; esac; }\n%s",
		words.at[0].run));
	assert_non_null(strstr(in_shell(line), "drain-node --node-id 9ce4a6 --reason "));
}

CASE_WITH(what_devices_say_never_leaves_its_word, begin, end)
{
	static const char *const causes[] = {"x'; touch /tmp/railtop-owned; '", "$(reboot)",
		"`reboot`", "a\nscontrol shutdown", "a\rb\x1b[2J", "\\'; reboot #", "'''", "\"",
		"x{incident}y {reason} {host}", "\xff\xfe", "-rf", "&& reboot", "!!"};
	struct site *s = *state;

	add_source(s, "slurm");
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		const char *heard;

		s->at.cause = causes[i];
		assert_true(say(s));
		assert_null(strpbrk(words.at[0].run, "\n\r\x1b"));
		heard = in_shell(words.at[0].run);
		/* One command of four words, whatever the cause is. */
		assert_true(str_starts(heard, "<scontrol>\n<update>\n<nodename=node000>\n<state="
					      "drain>\n<reason=railtop: "));
		assert_string_equal(
			heard + strlen(heard) - strlen(", {incident}>\n"), ", {incident}>\n");
		assert_ptr_equal(
			strstr(strstr(heard, "<reason="), "\n"), heard + strlen(heard) - 1);
		/* The incident has one place. */
		assert_ptr_equal(strstr(words.at[0].run, "{incident}"),
			words.at[0].run + strlen(words.at[0].run) - strlen("{incident}'"));
	}
}

CASE_WITH(a_name_that_is_several_nodes_is_refused, begin, end)
{
	static const char *const names[] = {"ALL", "all", "n[1-9]", "a,b", "-l", "a b", "a;b",
		"a'b", "a$b", "node/x", "n*", "", "n\x1b"};
	struct site *s = *state;
	struct plan_device d = *s->at.device;

	add_source(s, "slurm");
	s->at.device = &d;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)str_copy(d.name, sizeof(d.name), names[i]);
		assert_false(say(s));
		assert_int_equal(words.n, 0);
		assert_int_equal(err.code, ERR_REFUSED);
		assert_non_null(strstr(err.text, "not one node"));
	}
	(void)str_copy(d.name, sizeof(d.name), "gpu-07.dc1.example");
	assert_true(say(s));
}

CASE_WITH(it_is_about_hosts_of_a_scheduler, begin, end)
{
	struct site *s = *state;

	assert_false(say(s));
	assert_non_null(strstr(err.text, "no scheduler is known"));
	assert_non_null(strstr(err.cure, "jobs:"));
	add_source(s, "slurm");
	site_at(s, "leaf-r0-00", NULL, -1);
	assert_false(say(s));
	assert_non_null(strstr(err.text, "drains hosts"));
	site_refused(s, "supported", "drains hosts", "name a host");
}

/* ---- guards ---- */

CASE_WITH(too_few_hosts_would_stay, begin, end)
{
	struct site *s = *state;

	add_source(s, "slurm");
	site_passes(s, "hosts");
	model_device(s->m, "node001")->state = DEV_STALE;
	site_refused(s, "hosts", "1 of 1 other hosts does not answer, and 1 may be out in all",
		"actions.hosts_out");
	s->plan.actions.hosts_out = 2;
	site_passes(s, "hosts");
	/* The one in trouble may be silent itself. */
	model_device(s->m, "node001")->state = DEV_FRESH;
	s->plan.actions.hosts_out = 0;
	model_device(s->m, "node000")->state = DEV_UNREACHABLE;
	site_passes(s, "hosts");
	site_passes(s, "fresh-data");
	site_passes(s, "fresh-read");
	/* The guard is about this action alone. */
	model_device(s->m, "node001")->state = DEV_STALE;
	site_action(s, "locate");
	site_passes(s, "hosts");
}

/* ---- from end to end ---- */

static int begin_way(void **state)
{
	struct way *r = way_new();

	add_source(r->site, "slurm");
	*state = r;
	return 0;
}

static int end_way(void **state)
{
	way_free(*state);
	return 0;
}

static bool plan_at(struct way *r, struct ref at)
{
	err = (struct err){0};
	return manager_begin(
		r->acts, action_by_name("host-drain"), at, r->site->m, r->site->now_us, &err);
}

static struct ref at_device(const struct way *r, const char *name)
{
	return (struct ref){.kind = REF_DEVICE, .device = model_device(r->site->m, name)->id};
}

struct lines {
	char text[8192];
};

static void keep_line(void *ctx, enum plan_tone tone, const char *text)
{
	struct lines *l = ctx;

	(void)tone;
	(void)str_printf(
		l->text + strlen(l->text), sizeof(l->text) - strlen(l->text), "%s\n", text);
}

CASE_WITH(nothing_is_sent_and_the_ledger_has_the_words, begin_way, end_way)
{
	struct way *r = *state;
	struct lines all = {""};

	assert_true(plan_at(r, at_device(r, "node000")));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_PLANNED);
	act_plan_lines(manager_plan(r->acts), 200, keep_line, &all);
	assert_non_null(strstr(all.text, "you run them, railtop never does"));
	assert_non_null(strstr(all.text, "1 running job (pretrain): 1 rank, 1 GPU"));
	assert_non_null(strstr(all.text, "they run on 1 other host too"));
	assert_null(strstr(all.text, "as read at"));
	assert_int_equal(manager_words(r->acts)->n, 0);
	/* The name of the host is typed, not that of a port. */
	assert_false(manager_go(r->acts, &r->consent, "mlx5_0", r->site->m, r->site->now_us, &err));
	assert_true(manager_go(r->acts, &r->consent, "node000", r->site->m, r->site->now_us, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_DONE);
	assert_true(manager_unseen(r->acts));
	assert_int_equal(manager_words(r->acts)->n, 1);
	assert_string_equal(manager_words(r->acts)->at[0].run,
		"scontrol update nodename=node000 state=drain reason='railtop: INC-1234'");
	assert_int_equal(r->fake.connects, 0);
	assert_true(way_says(r, "begun", "stuck queue after the swap"));
	assert_true(way_says(r, "done", "written for the operator"));
	assert_true(way_says(r, "done", "reason='railtop: INC-1234'"));
	assert_int_equal(way_lines(r, "sending"), 0);
}

/* Slurm names the hosts of a job, and no ranks: they are not zero. */
CASE_WITH(ranks_that_nobody_names_are_not_zero, begin_way, end_way)
{
	struct way *r = *state;
	struct obs *o = obs_new("node001", "slurm");
	struct obs_nccl *job = obs_nccl(o, NCCL_JOB, SOURCE_SLURM);
	struct lines all = {""};
	json_t *j;

	job->job = obs_string(o, "eval");
	job->host = obs_string(o, "node001");
	o->result = OBS_DATA;
	o->received_us = r->site->now_us;
	r->site->jobs = false;
	site_poll(r->site, 400); /* pretrain is over */
	o->received_us = r->site->now_us;
	model_apply(r->site->m, o, r->site->now_us);
	obs_free(o);
	assert_true(plan_at(r, at_device(r, "node001")));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_PLANNED);
	act_plan_lines(manager_plan(r->acts), 200, keep_line, &all);
	assert_non_null(strstr(all.text, "1 running job (eval), ranks not known"));
	j = act_plan_json(manager_plan(r->acts));
	assert_true(json_is_null(json_object_get(json_object_get(j, "blast"), "ranks")));
	assert_int_equal(json_array_size(json_object_get(j, "words")), 1);
	json_decref(j);
}

CASE_WITH(the_way_back_is_words_too, begin_way, end_way)
{
	struct way *r = *state;

	assert_true(plan_at(r, at_device(r, "node000")));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_PLANNED);
	assert_true(manager_go(r->acts, &r->consent, "node000", r->site->m, r->site->now_us, &err));
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_DONE);
	/* The host is out now, and another one fell silent: that is no reason not to resume. */
	model_device(r->site->m, "node001")->state = DEV_STALE;
	assert_true(manager_undo(r->acts, &r->consent, r->site->m, r->site->now_us, &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_RUNNING);
	assert_int_equal(way_leave_stage(r, ACT_RUNNING), ACT_DONE);
	assert_int_equal(manager_words(r->acts)->n, 1);
	assert_string_equal(
		manager_words(r->acts)->at[0].run, "scontrol update nodename=node000 state=resume");
	assert_int_equal(r->fake.connects, 0);
}

/* A port of a leaf means the host behind it; one between switches means nothing. */
CASE_WITH(from_a_port_of_a_leaf, begin_way, end_way)
{
	struct way *r = *state;
	struct ref at = {
		.kind = REF_PORT, .port = site_port(r->site, "leaf-r0-00", "Ethernet4")->id};

	assert_true(plan_at(r, at));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_PLANNED);
	assert_string_equal(manager_plan(r->acts)->device, "node001");
	assert_string_equal(manager_plan(r->acts)->typed, "node001");
	at.port = site_port(r->site, "leaf-r0-00", "Ethernet12")->id;
	assert_true(manager_drop(r->acts, NULL));
	assert_false(plan_at(r, at));
	assert_non_null(strstr(err.text, "drains hosts"));
}

CASE_WITH(the_guards_of_actions_hold, begin_way, end_way)
{
	struct way *r = *state;
	FILE *f = fopen(r->kill_switch, "we");

	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	assert_true(plan_at(r, at_device(r, "node000")));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_REFUSED);
	assert_string_equal(manager_refusals(r->acts)->at[0].guard, "kill-switch");
	assert_int_equal(unlink(r->kill_switch), 0);
	/* Not granted. */
	r->site->plan.actions.allow = mem_strdup("locate");
	assert_true(plan_at(r, at_device(r, "node000")));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_REFUSED);
	assert_string_equal(manager_refusals(r->acts)->at[0].guard, "grant");
	assert_false(
		manager_go(r->acts, &r->consent, "node000", r->site->m, r->site->now_us, &err));
	assert_int_equal(manager_words(r->acts)->n, 0);
	assert_int_equal(access(r->ledger, F_OK), -1);
}

CASES_MAIN(NULL, NULL)
