/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/support/fault_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "actions/manager/executor.h"
#include "base/str.h"

/* Compares the claims, in the stage and in the ledger, with the device's log and state. */

static json_t *lines_of(const char *path, long from)
{
	json_t *all = json_array(), *o;
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (f)
		(void)fseek(f, from, SEEK_SET);
	while (f && getline(&line, &size, f) > 0) {
		o = json_loads(line, 0, NULL);
		if (o)
			(void)json_array_append_new(all, o);
	}
	if (f)
		(void)fclose(f);
	free(line);
	return all;
}

static json_t *log_of(const struct fault_bench *b)
{
	return lines_of(b->log, b->log_from);
}

long fault_log_size(const struct fault_bench *b)
{
	FILE *f = fopen(b->log, "re");
	long n = 0;

	if (f && fseek(f, 0, SEEK_END) == 0)
		n = ftell(f);
	if (f)
		(void)fclose(f);
	return n;
}

static const char *word(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static bool is(const json_t *o, const char *event)
{
	return str_eq(word(o, "event"), event);
}

static unsigned count(const json_t *ledger, const char *event)
{
	unsigned n = 0;

	for (size_t i = 0; i < json_array_size(ledger); i++)
		n += is(json_array_get(ledger, i), event);
	return n;
}

void fault_print(const struct fault_bench *b)
{
	json_t *log = log_of(b), *ledger = lines_of(b->ledger, 0);

	for (size_t i = 0; i < json_array_size(log); i++) {
		char *s = json_dumps(json_array_get(log, i), JSON_COMPACT);

		if (json_is_true(json_object_get(json_array_get(log, i), "wrote")))
			fprintf(stderr, "# device: %s\n", s);
		free(s);
	}
	for (size_t i = 0; i < json_array_size(ledger); i++) {
		json_t *o = json_array_get(ledger, i);
		char *s;

		(void)json_object_del(o, "plan");
		s = json_dumps(o, JSON_COMPACT);
		fprintf(stderr, "# ledger: %.1500s\n", s);
		free(s);
	}
	json_decref(log);
	json_decref(ledger);
}

/* ---- the ledger and the device's log ---- */

static bool same_words(const json_t *sent, const json_t *logged)
{
	const char *path = word(sent, "path");
	size_t n = strcspn(path, "?");

	if (str_eq(word(logged, "via"), "ssh"))
		return str_eq(word(sent, "command"), word(logged, "command")) &&
		       str_eq(word(sent, "input"), word(logged, "input"));
	return str_eq(word(sent, "method"), word(logged, "method")) &&
	       strlen(word(logged, "path")) == n && !strncmp(path, word(logged, "path"), n) &&
	       str_eq(word(sent, "body"), word(logged, "body"));
}

/* The next line from *i on that announces the device's logged command. */
static const json_t *announced(const json_t *ledger, size_t *i, const json_t *logged)
{
	for (; *i < json_array_size(ledger); ++*i) {
		const json_t *o = json_array_get(ledger, *i);

		if (is(o, "sending") && same_words(json_object_get(o, "sent"), logged))
			return json_array_get(ledger, (*i)++);
	}
	return NULL;
}

static void check_writes(struct fault_bench *b, const json_t *ledger, const json_t *log)
{
	const json_t *o, *line;
	size_t at = 0;

	b->writes = 0;
	for (size_t i = 0; i < json_array_size(log); i++) {
		o = json_array_get(log, i);
		if (!json_is_true(json_object_get(o, "wrote")) ||
			!str_eq(word(o, "device"), b->kind->device))
			continue;
		b->writes++;
		/* Asked again after another login: 401 was not carried out. */
		if (json_integer_value(json_object_get(o, "status")) == 401)
			continue;
		line = announced(ledger, &at, o);
		if (!line)
			fault_bench_wrong(b, "a write that was not announced");
	}
}

/* Each request that was announced has its outcome next. */
static void check_answers(struct fault_bench *b, const json_t *ledger)
{
	for (size_t i = 0; i < json_array_size(ledger); i++) {
		const json_t *next = json_array_get(ledger, i + 1);

		if (is(json_array_get(ledger, i), "sending") &&
			(!next || (!is(next, "answered") && !is(next, "lost"))))
			fault_bench_wrong(b, "what became of a request is not said");
	}
}

static void check_end(struct fault_bench *b, const json_t *ledger)
{
	const char *want = b->stage == ACT_DONE      ? "done"
			   : b->stage == ACT_FAILED  ? "failed"
			   : b->stage == ACT_UNKNOWN ? "unknown"
						     : "";
	struct ledger_report report;
	struct err err = {0};

	if (!*want)
		fault_bench_wrong(b, "it neither was done nor failed nor is unknown");
	if (count(ledger, "begun") != 1 ||
		count(ledger, "done") + count(ledger, "failed") + count(ledger, "unknown") != 1 ||
		count(ledger, want) != 1)
		fault_bench_wrong(b, "the ledger says another end");
	if (!ledger_verify(b->ledger, &report, &err) || report.bad_line || report.why[0])
		fault_bench_wrong(b, report.why[0] ? report.why : err.text);
}

/* ---- the device ---- */

static void check_truth(struct fault_bench *b)
{
	const struct act_plan *p = manager_plan(b->acts);
	char why[200] = "";
	enum goal g;

	if (b->stage == ACT_FAILED && !condition_same(&b->before, &b->after))
		fault_bench_wrong(b, "failed, and it is not as it was");
	if (b->stage == ACT_DONE) {
		const struct order *last = &p->steps.at[p->steps.n - 1].order;

		g = order_goal(last, &b->after, why, sizeof(why));
		if (g == GOAL_NOT_MET || (g == GOAL_UNKNOWN && !p->action->harmless))
			fault_bench_wrong(b, why);
	}
}

static bool ledger_says(const struct fault_bench *b, const char *event, const char *words)
{
	json_t *all = lines_of(b->ledger, 0);
	bool said = false;

	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *o = json_array_get(all, i);

		said |= is(o, event) && strstr(word(o, "error"), words);
	}
	json_decref(all);
	return said;
}

static bool loud(const struct fault_bench *b, const char *words)
{
	return b->stage == ACT_UNKNOWN && fault_bench_noted(b, words) &&
	       strstr(b->summary, words) && strstr(b->summary, "settle") &&
	       fault_bench_noted(b, "to correct it") && ledger_says(b, "unknown", words);
}

/*
 * A port left without protection or service is reported loudly, unless that was the action's
 * purpose.
 */
static void check_loud(struct fault_bench *b)
{
	const struct act_plan *p = manager_plan(b->acts);
	enum verb last = p->steps.at[p->steps.n - 1].order.verb;

	if (b->before.wd == 1 && b->after.wd == 0 && !loud(b, "WITHOUT ITS PFC WATCHDOG"))
		fault_bench_wrong(b, "the watchdog is gone, and nobody says so");
	if (b->before.admin == OPER_UP && b->after.admin == OPER_DOWN &&
		!(b->stage == ACT_DONE && last == VERB_PORT_DOWN) && !loud(b, "SHUT NOW"))
		fault_bench_wrong(b, "the port is shut, and nobody says so");
	if (b->before.bgp_shut == 0 && b->after.bgp_shut == 1 &&
		!(b->stage == ACT_DONE && last == VERB_BGP_DOWN) && !loud(b, "SHUT NOW"))
		fault_bench_wrong(b, "the session is shut, and nobody says so");
}

void fault_check(struct fault_bench *b)
{
	json_t *ledger = lines_of(b->ledger, 0), *log = log_of(b);

	check_writes(b, ledger, log);
	check_answers(b, ledger);
	check_end(b, ledger);
	check_truth(b);
	check_loud(b);
	json_decref(ledger);
	json_decref(log);
}
