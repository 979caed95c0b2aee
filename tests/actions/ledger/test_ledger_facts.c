/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/actions/support/ledger_rig.h"
#include "tests/support/cases.h"

/* The facts that guards and views read from the ledger. */

static json_t *about(const char *action, const char *device, const char *port)
{
	return json_pack("{s:s,s:s,s:s,s:s,s:s}", "action", action, "device", device, "port", port,
		"reason", "storm on the port", "incident", "INC-1");
}

static void add(struct rig *r, enum ledger_event e, const char *act, json_t *detail)
{
	struct ledger *l = rig_ledger_ok(r);

	rig_append(l, e, act, detail);
	ledger_close(l);
}

static void as(struct rig *r, const char *user, const char *via, long pid)
{
	(void)str_copy(r->who.user, sizeof(r->who.user), user);
	(void)str_copy(r->who.via, sizeof(r->who.via), via);
	r->who.uid = strcmp(user, "root") == 0 ? 0 : 1001;
	r->who.pid = pid;
}

static struct ledger_facts facts_of(struct rig *r, const char *device, const char *port)
{
	struct ledger_facts facts;

	ledger_facts(r->path, &r->who, device, port, NULL, r->clock.now, &facts);
	if (facts.unusable.code != ERR_NONE)
		err_print(&facts.unusable);
	assert_int_equal(facts.unusable.code, ERR_NONE);
	return facts;
}

CASE(nothing_was_ever_done)
{
	struct ledger_facts f;
	ledger_line_vec lines = {0};
	struct err err = {0};
	struct rig r;

	rig_open(&r);
	f = facts_of(&r, "leaf-0", "eth0");
	assert_int_equal(f.users_last_hour, 0);
	assert_int_equal(f.device_us, 0);
	assert_string_equal(f.unfinished, "");
	assert_string_equal(f.held_by, "");
	assert_true(ledger_read(r.path, 0, 0, &lines, &err));
	assert_int_equal(lines.n, 0);
	assert_int_equal(err.code, ERR_NONE);
	/* Nor can it be made where there is no way to it. */
	(void)str_copy(r.path, sizeof(r.path), "/proc/nowhere/l.jsonl");
	ledger_facts(r.path, &r.who, "leaf-0", "eth0", NULL, r.clock.now, &f);
	assert_int_equal(f.unusable.code, ERR_IO);
	rig_close(&r);
}

CASE(what_was_begun_is_counted)
{
	struct ledger_facts f;
	struct rig r;

	rig_open(&r);
	r.clock.now = RIG_NOW - 3601 * CLOCK_SEC;
	add(&r, LEDGER_BEGUN, "a1", about("pfcwd-reset", "leaf-0", "eth0"));
	add(&r, LEDGER_DONE, "a1", NULL);
	r.clock.now = RIG_NOW - 1000 * CLOCK_SEC;
	add(&r, LEDGER_BEGUN, "a2", about("pfcwd-reset", "leaf-0", "eth4"));
	add(&r, LEDGER_FAILED, "a2", NULL);
	as(&r, "root", "ann", 1);
	r.clock.now = RIG_NOW - 500 * CLOCK_SEC;
	add(&r, LEDGER_BEGUN, "a3", about("port-drain", "leaf-1", "eth0"));
	add(&r, LEDGER_DONE, "a3", NULL);
	as(&r, "bob", "", 2);
	r.clock.now = RIG_NOW - 100 * CLOCK_SEC;
	add(&r, LEDGER_BEGUN, "b1", about("port-drain", "leaf-0", "eth8"));
	add(&r, LEDGER_DONE, "b1", NULL);
	/* A light that blinks is no action that counts, nor is a plan, nor a refusal. */
	add(&r, LEDGER_BEGUN, "b2", about("locate", "leaf-0", "eth0"));
	add(&r, LEDGER_DONE, "b2", NULL);
	add(&r, LEDGER_REFUSED, "b3", about("port-drain", "leaf-0", "eth0"));
	add(&r, LEDGER_REFUSED, "b3", about("port-drain", "leaf-0", "eth0"));
	as(&r, "ann", "", 3);
	r.clock.now = RIG_NOW;
	f = facts_of(&r, "leaf-0", "eth0");
	assert_int_equal(f.users_last_hour, 2);
	assert_int_equal(f.users_oldest_us, RIG_NOW - 1000 * CLOCK_SEC);
	assert_int_equal(f.device_us, RIG_NOW - 100 * CLOCK_SEC);
	assert_string_equal(f.device_by, "bob");
	assert_int_equal(f.port_us, RIG_NOW - 3601 * CLOCK_SEC);
	assert_string_equal(f.port_by, "ann");
	f = facts_of(&r, "leaf-1", "eth0");
	assert_string_equal(f.device_by, "ann");
	f = facts_of(&r, "leaf-1", "eth1");
	assert_int_equal(f.port_us, 0);
	assert_string_equal(f.port_by, "");
	/* A clock that was put back two hours allows nothing that was not allowed. */
	r.clock.now = RIG_NOW - 7200 * CLOCK_SEC;
	assert_int_equal(facts_of(&r, "leaf-0", "eth0").users_last_hour, 3);
	rig_close(&r);
}

CASE(unfinished_until_somebody_settles)
{
	struct ledger_facts f;
	struct rig r;

	rig_open(&r);
	add(&r, LEDGER_BEGUN, "a1", about("port-drain", "leaf-0", "eth0"));
	add(&r, LEDGER_SENDING, "a1", NULL);
	f = facts_of(&r, "leaf-0", "eth4");
	assert_string_equal(f.unfinished, "a1");
	assert_string_equal(f.unfinished_by, "ann");
	assert_string_equal(facts_of(&r, "leaf-1", "eth0").unfinished, "");
	assert_int_equal(rig_verify(&r).unfinished, 1);
	add(&r, LEDGER_UNKNOWN, "a1", NULL);
	add(&r, LEDGER_DONE, "a1", NULL); /* claims more than can be known */
	assert_string_equal(facts_of(&r, "leaf-0", "eth0").unfinished, "a1");
	add(&r, LEDGER_SETTLED, "a1", NULL);
	assert_string_equal(facts_of(&r, "leaf-0", "eth0").unfinished, "");
	add(&r, LEDGER_BEGUN, "a2", about("port-drain", "leaf-0", "eth0"));
	add(&r, LEDGER_DONE, "a2", NULL);
	add(&r, LEDGER_WATCHED, "a2", NULL);
	assert_string_equal(facts_of(&r, "leaf-0", "eth0").unfinished, "");
	assert_int_equal(rig_verify(&r).unfinished, 0);
	assert_int_equal(rig_verify(&r).acts, 2);
	rig_close(&r);
}

CASE(who_acts_now_is_not_unfinished)
{
	struct ledger_facts f;
	struct ledger *bobs;
	struct rig r;

	rig_open(&r);
	as(&r, "bob", "", 99);
	bobs = rig_ledger_ok(&r);
	assert_true(ledger_lock(bobs, "b1", NULL));
	rig_append(bobs, LEDGER_BEGUN, "b1", about("port-drain", "leaf-0", "eth0"));
	as(&r, "ann", "", 100);
	f = facts_of(&r, "leaf-0", "eth0");
	assert_string_equal(f.held_by, "bob on pts/3 since 01:02:03 UTC: b1");
	assert_string_equal(f.unfinished, "");
	/* To himself he is in nobody's way. */
	as(&r, "bob", "", 99);
	assert_string_equal(facts_of(&r, "leaf-0", "eth0").held_by, "");
	as(&r, "ann", "", 100);
	ledger_close(bobs); /* gone without an end */
	f = facts_of(&r, "leaf-0", "eth0");
	assert_string_equal(f.held_by, "");
	assert_string_equal(f.unfinished, "b1");
	assert_string_equal(f.unfinished_by, "bob");
	rig_close(&r);
}

CASE(sentences)
{
	static const char *const texts[] = {"begun: storm on the port, approved by bob",
		"sent: sudo -n config pfcwd stop Ethernet12",
		"answered: status 1 after 312 ms, complaint: Permission ?[31mdenied",
		"no end was seen, and it is unknown if it was done: POST /command-api: timeout",
		"read back: wd 1, oper up", "done: watchdog operational",
		"failed: the port changed after the plan; plan again",
		"unknown, check the device: no connection; show pfcwd config",
		"refused by storm-active: 812 PFC frames/s", "watched: held",
		"settled: looked at it, port is up"};
	ledger_line_vec lines = {0};
	struct err err = {0};
	struct ledger *l;
	json_t *begun = about("pfcwd-reset", "leaf-0", "Ethernet12");
	struct rig r;

	rig_open(&r);
	l = rig_ledger_ok(&r);
	(void)json_object_set_new(begun, "approver", json_string("bob"));
	rig_append(l, LEDGER_BEGUN, "a1", begun);
	rig_append(l, LEDGER_SENDING, "a1",
		json_pack("{s:s,s:s}", "request", "sudo -n config pfcwd stop Ethernet12", "sent",
			"x"));
	rig_append(l, LEDGER_ANSWERED, "a1",
		json_pack("{s:i,s:i,s:s}", "status", 1, "took_ms", 312, "complaint",
			"Permission \033[31mdenied"));
	rig_append(l, LEDGER_LOST, "a1",
		json_pack("{s:s,s:s}", "sent", "POST /command-api", "error", "timeout"));
	rig_append(l, LEDGER_READ, "a1",
		json_pack("{s:{s:i,s:s,s:s,s:[]}}", "condition", "wd", 1, "oper", "up", "hazard",
			"", "storms"));
	rig_append(l, LEDGER_DONE, "a1", json_pack("{s:s}", "outcome", "watchdog operational"));
	rig_append(l, LEDGER_FAILED, "a1",
		json_pack("{s:s,s:s}", "error", "the port changed after the plan", "cure",
			"plan again"));
	rig_append(l, LEDGER_UNKNOWN, "a1",
		json_pack("{s:s,s:s}", "error", "no connection", "cure", "show pfcwd config"));
	rig_append(l, LEDGER_REFUSED, "a1",
		json_pack("{s:s,s:s}", "guard", "storm-active", "why", "812 PFC frames/s"));
	rig_append(l, LEDGER_WATCHED, "a1", json_pack("{s:s}", "outcome", "held"));
	rig_append(
		l, LEDGER_SETTLED, "a1", json_pack("{s:s}", "reason", "looked at it, port is up"));
	ledger_close(l);
	assert_true(ledger_read(r.path, 0, 0, &lines, &err));
	assert_int_equal(lines.n, sizeof(texts) / sizeof(texts[0]));
	for (size_t i = 0; i < lines.n; i++) {
		const struct ledger_line *line = &lines.at[i];

		assert_string_equal(line->text, texts[i]);
		assert_int_equal(line->n, i + 1);
		assert_int_equal(line->t_us, RIG_NOW);
		assert_string_equal(line->act, "a1");
		assert_string_equal(line->user, "ann");
		assert_string_equal(line->from, "10.0.0.7");
		/* Said once, known for all of the act. */
		assert_string_equal(line->action, "pfcwd-reset");
		assert_string_equal(line->device, "leaf-0");
		assert_string_equal(line->port, "Ethernet12");
		assert_string_equal(line->incident, "INC-1");
	}
	vec_free(&lines);
	rig_close(&r);
}

/*
 * The sentences that the acting thread writes today: plain words, no repetition, nothing
 * internal.
 */
CASE(plain_sentences)
{
	static const char *const texts[] = {"done: Ethernet12 shut",
		"taken; not confirmed by the device: mlx5_3 blinks", "read back: admin down",
		"read back: admin down"};
	ledger_line_vec lines = {0};
	struct err err = {0};
	struct ledger *l;
	struct rig r;

	rig_open(&r);
	l = rig_ledger_ok(&r);
	rig_append(l, LEDGER_DONE, "a1",
		json_pack("{s:s,s:s}", "outcome", "done", "expect", "Ethernet12 shut"));
	rig_append(l, LEDGER_DONE, "a2",
		json_pack("{s:s,s:s}", "outcome", "taken; not confirmed by the device", "expect",
			"mlx5_3 blinks"));
	rig_append(l, LEDGER_READ, "a3",
		json_pack("{s:s,s:{s:s,s:s}}", "seen", "admin down", "condition", "admin", "down",
			"t", "2026-11-22T01:02:03Z"));
	rig_append(l, LEDGER_READ, "a3",
		json_pack("{s:{s:s,s:s}}", "condition", "admin", "down", "t",
			"2026-11-22T01:02:03Z"));
	ledger_close(l);
	assert_true(ledger_read(r.path, 0, 0, &lines, &err));
	assert_int_equal(lines.n, sizeof(texts) / sizeof(texts[0]));
	for (size_t i = 0; i < lines.n; i++)
		assert_string_equal(lines.at[i].text, texts[i]);
	vec_free(&lines);
	rig_close(&r);
}

CASE(every_event_says_something)
{
	ledger_line_vec lines = {0};
	struct err err = {0};
	struct ledger *l;
	struct rig r;

	rig_open(&r);
	l = rig_ledger_ok(&r);
	for (unsigned e = 0; e < LEDGER_EVENT_COUNT; e++)
		rig_append(l, (enum ledger_event)e, "a1", NULL);
	ledger_close(l);
	assert_true(ledger_read(r.path, 0, 0, &lines, &err));
	assert_int_equal(lines.n, LEDGER_EVENT_COUNT);
	for (unsigned e = 0; e < LEDGER_EVENT_COUNT; e++) {
		assert_int_equal(lines.at[e].event, e);
		assert_true(lines.at[e].text[0]);
	}
	vec_free(&lines);
	rig_close(&r);
}

CASE(the_newest_and_since)
{
	ledger_line_vec lines = {0};
	struct err err = {0};
	struct rig r;

	rig_open(&r);
	rig_fill(&r, 10);
	r.clock.now += CLOCK_SEC;
	rig_fill(&r, 5);
	assert_true(ledger_read(r.path, 0, 3, &lines, &err));
	assert_int_equal(lines.n, 3);
	assert_int_equal(lines.at[0].n, 13);
	vec_free(&lines);
	assert_true(ledger_read(r.path, r.clock.now, 0, &lines, &err));
	assert_int_equal(lines.n, 5);
	assert_int_equal(lines.at[0].n, 11);
	vec_free(&lines);
	rig_close(&r);
}

CASE(what_came_since)
{
	ledger_line_vec lines = {0};
	struct ledger_reader *reader;
	struct err err = {0};
	struct rig r;
	char *text;
	size_t n;
	bool anew;

	rig_open(&r);
	reader = ledger_reader_new(r.path, 4);
	assert_true(ledger_reader_next(reader, &lines, &anew, &err));
	assert_int_equal(lines.n, 0);
	rig_fill(&r, 10);
	add(&r, LEDGER_BEGUN, "a1", about("port-drain", "leaf-0", "eth0"));
	assert_true(ledger_reader_next(reader, &lines, &anew, &err));
	assert_true(anew);
	assert_int_equal(lines.n, 4);
	assert_int_equal(lines.at[0].n, 8);
	assert_true(ledger_reader_next(reader, &lines, &anew, &err));
	assert_false(anew);
	assert_int_equal(lines.n, 4);
	add(&r, LEDGER_DONE, "a1", NULL);
	assert_true(ledger_reader_next(reader, &lines, &anew, &err));
	assert_false(anew);
	assert_int_equal(lines.n, 5);
	assert_int_equal(lines.at[4].n, 12);
	assert_string_equal(lines.at[4].device, "leaf-0");
	assert_string_equal(lines.at[4].incident, "INC-1");
	/* A line that is being written comes when it is there. */
	add(&r, LEDGER_WATCHED, "a1", NULL);
	text = rig_read(r.path, &n);
	rig_write(r.path, text, n - 5);
	assert_true(ledger_reader_next(reader, &lines, &anew, &err));
	assert_int_equal(lines.n, 5);
	rig_write(r.path, text, n);
	assert_true(ledger_reader_next(reader, &lines, &anew, &err));
	assert_int_equal(lines.n, 6);
	assert_int_equal(lines.at[5].n, 13);
	/* The file was cut: the reader must drop the lines it returned before. */
	rig_write(r.path, text, (size_t)(rig_line(text, 3) - text));
	assert_true(ledger_reader_next(reader, &lines, &anew, &err));
	assert_true(anew);
	assert_int_equal(lines.n, 2);
	free(text);
	assert_int_equal(unlink(r.path), 0);
	assert_int_equal(symlink("/etc/passwd", r.path), 0);
	assert_false(ledger_reader_next(reader, &lines, &anew, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_int_equal(lines.n, 2);
	ledger_reader_free(reader);
	vec_free(&lines);
	rig_close(&r);
}

/* Bytes that this process has read; -1: the kernel does not tell. */
static long long bytes_read(void)
{
	FILE *f = fopen("/proc/self/io", "re");
	long long n = -1;

	if (f && fscanf(f, "rchar: %lld", &n) != 1)
		n = -1;
	if (f)
		(void)fclose(f);
	return n;
}

CASE(a_large_ledger_is_read_in_part)
{
	char text[4001];
	ledger_line_vec lines = {0};
	struct err err = {0};
	long long before;
	struct ledger *l;
	struct rig r;

	memset(text, 'x', 4000);
	text[4000] = '\0';
	rig_open(&r);
	l = rig_ledger_ok(&r);
	rig_append(l, LEDGER_BEGUN, "old", about("port-drain", "leaf-0", "eth0"));
	for (int i = 0; i < 60; i++) {
		json_t *list = json_array();

		for (int k = 0; k < 55; k++)
			(void)json_array_append_new(list, json_string(text));
		rig_append(l, LEDGER_ANSWERED, "a1", json_pack("{s:o}", "output", list));
	}
	ledger_close(l);
	before = bytes_read();
	assert_string_equal(facts_of(&r, "leaf-0", "eth0").unfinished, "");
	assert_true(bytes_read() - before < 11 * 1024 * 1024);
	before = bytes_read();
	assert_true(ledger_read(r.path, 0, 3, &lines, &err));
	assert_int_equal(lines.n, 3);
	assert_true(bytes_read() - before < 4 * 1024 * 1024);
	vec_free(&lines);
	before = bytes_read();
	ledger_close(rig_ledger_ok(&r));
	assert_true(bytes_read() - before < 4 * 1024 * 1024);
	assert_true(ledger_read(r.path, 0, 0, &lines, &err));
	assert_int_equal(lines.n, 61);
	vec_free(&lines);
	assert_string_equal(rig_verify(&r).why, "");
	rig_close(&r);
}

CASES_MAIN(NULL, NULL)
