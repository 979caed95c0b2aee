/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/actions/support/ledger_rig.h"
#include "tests/support/cases.h"

/* Verification and the next action both notice every change to the file. */

#define LINES 20

static void expect_why(const struct ledger_report *report, uint64_t line, const char *words)
{
	if (!strstr(report->why, words))
		print_error("expected '%s' in '%s'\n", words, report->why);
	assert_non_null(strstr(report->why, words));
	assert_int_equal(report->bad_line, line);
}

static void noticed(struct rig *r, uint64_t line, const char *words)
{
	struct ledger_report report = rig_verify(r);

	expect_why(&report, line, words);
}

/* The guards refuse; opening looks at the end only. */
static void cannot_act(struct rig *r)
{
	struct ledger_facts facts;

	ledger_facts(r->path, &r->who, "leaf-0", "Ethernet12", NULL, RIG_NOW, &facts);
	assert_int_equal(facts.unusable.code, ERR_REFUSED);
	assert_true(facts.unusable.cure[0]);
}

static void cannot_open(struct rig *r)
{
	struct err err = {0};

	assert_null(rig_ledger(r, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	cannot_act(r);
}

CASE(each_byte_counts)
{
	struct ledger_report report;
	struct err err;
	struct rig r;
	char *text;
	size_t n;

	rig_open(&r);
	rig_fill(&r, 4);
	text = rig_read(r.path, &n);
	for (size_t i = 0; i < n; i++) {
		unsigned line = 1;

		for (size_t k = 0; k < i; k++)
			line += text[k] == '\n';
		text[i] = (char)(text[i] ^ 1);
		rig_write(r.path, text, n);
		assert_true(ledger_verify(r.path, &report, &err));
		if (report.bad_line != line && report.bad_line != line + 1)
			print_error("byte %zu: line %llu: %s\n", i,
				(unsigned long long)report.bad_line, report.why);
		assert_true(report.why[0]);
		assert_true(report.bad_line == line || report.bad_line == line + 1);
		text[i] = (char)(text[i] ^ 1);
	}
	free(text);
	rig_close(&r);
}

CASE(an_altered_line_is_named)
{
	struct rig r;
	char *text, *at;
	size_t n;

	rig_open(&r);
	rig_fill(&r, LINES);
	text = rig_read(r.path, &n);
	at = strstr(rig_line(text, 17), "eth0");
	at[3] = '1';
	rig_write(r.path, text, n);
	noticed(&r, 17, "line 17 was altered: its hash does not match");
	free(text);
	rig_close(&r);
}

CASE(an_altered_last_line_stops_acting)
{
	struct rig r;
	char *text, *at;
	size_t n;

	rig_open(&r);
	rig_fill(&r, LINES);
	text = rig_read(r.path, &n);
	at = strstr(rig_line(text, LINES), "eth0");
	at[3] = '1';
	rig_write(r.path, text, n);
	noticed(&r, LINES, "was altered");
	cannot_open(&r);
	free(text);
	rig_close(&r);
}

CASE(a_line_with_a_new_hash_does_not_help)
{
	struct rig r;
	char *text, *at, *hash, sum[65];
	size_t n;

	rig_open(&r);
	rig_fill(&r, LINES);
	text = rig_read(r.path, &n);
	at = rig_line(text, 12);
	strstr(at, "eth0")[3] = '1';
	hash = strstr(at, ",\"hash\":\"");
	sha256_hex(at, (size_t)(hash - at), sum);
	memcpy(hash + 9, sum, 64);
	rig_write(r.path, text, n);
	noticed(&r, 13, "line 13 does not follow line 12");
	cannot_act(&r);
	free(text);
	rig_close(&r);
}

CASE(a_deleted_line_is_missed)
{
	struct rig r;
	char *text, *from, *to;
	size_t n;

	rig_open(&r);
	rig_fill(&r, LINES);
	text = rig_read(r.path, &n);
	from = rig_line(text, 12);
	to = rig_line(text, 13);
	memmove(from, to, n - (size_t)(to - text));
	rig_write(r.path, text, n - (size_t)(to - from));
	noticed(&r, 12, "line 12 is missing");
	cannot_act(&r);
	free(text);
	/* The first lines. */
	rig_close(&r);
	rig_open(&r);
	rig_fill(&r, LINES);
	text = rig_read(r.path, &n);
	from = rig_line(text, 6);
	rig_write(r.path, from, n - (size_t)(from - text));
	noticed(&r, 1, "lines 1 to 5 are missing");
	free(text);
	rig_close(&r);
}

CASE(swapped_and_repeated_lines_are_noticed)
{
	struct rig r;
	char *text, *other;
	size_t n, one;

	rig_open(&r);
	rig_fill(&r, 9);
	text = rig_read(r.path, &n);
	one = (size_t)(rig_line(text, 2) - text);
	other = malloc(n + one);
	assert_non_null(other);
	memcpy(other, text, n);
	memcpy(other + 3 * one, text + 4 * one, one);
	memcpy(other + 4 * one, text + 3 * one, one);
	rig_write(r.path, other, n);
	noticed(&r, 4, "line 4 is missing");
	cannot_act(&r);
	memcpy(other, text, n);
	memcpy(other + n, text + n - one, one);
	rig_write(r.path, other, n + one);
	noticed(&r, 10, "line 9 stands where line 10 belongs");
	cannot_act(&r);
	free(other);
	free(text);
	rig_close(&r);
}

CASE(a_cut_tail_is_noticed)
{
	struct rig r;
	char *text;
	size_t n;

	rig_open(&r);
	rig_fill(&r, 40);
	text = rig_read(r.path, &n);
	assert_int_equal(truncate(r.path, rig_line(text, 34) - text), 0);
	noticed(&r, 34, "cut off: the head has line 40, the file ends at 33");
	cannot_open(&r);
	/* In the middle of a line: no crash leaves this, the head knew the line. */
	assert_int_equal(truncate(r.path, rig_line(text, 33) - text + 50), 0);
	noticed(&r, 33, "cut off: the head has line 40, the file ends at 32");
	cannot_open(&r);
	assert_int_equal(truncate(r.path, 0), 0);
	noticed(&r, 1, "cut off: the head has line 40, the file ends at 0");
	cannot_open(&r);
	assert_int_equal(unlink(r.path), 0);
	noticed(&r, 1, "the ledger is gone");
	cannot_open(&r);
	free(text);
	rig_close(&r);
}

CASE(the_last_line_torn_after_the_head_knew_it)
{
	struct rig r;
	struct stat st;

	rig_open(&r);
	rig_fill(&r, 5);
	assert_int_equal(stat(r.path, &st), 0);
	for (off_t cut = 1; cut < 60; cut += 7) {
		assert_int_equal(truncate(r.path, st.st_size - cut), 0);
		noticed(&r, 5, "cut off: the head has line 5, the file ends at 4");
		cannot_open(&r);
	}
	rig_close(&r);
}

CASE(without_head_nothing_can_be_told)
{
	struct rig r;

	rig_open(&r);
	rig_fill(&r, 5);
	assert_int_equal(unlink(r.head), 0);
	noticed(&r, 6, "head file is missing");
	cannot_open(&r);
	rig_write(r.head, "five\n", 5);
	noticed(&r, 0, "has an unexpected content");
	cannot_open(&r);
	rig_close(&r);
}

CASE(another_ledger_in_its_place)
{
	struct rig r, other;
	struct ledger_report report, mine;
	struct err err = {0};
	char *text;
	size_t n;

	rig_open(&r);
	rig_open(&other);
	rig_fill(&r, 5);
	mine = rig_verify(&r);
	other.clock.now += CLOCK_SEC;
	rig_fill(&other, 5);
	text = rig_read(other.path, &n);
	rig_write(r.path, text, n);
	free(text);
	noticed(&r, 5, "rewritten: line 5 differs from the one that the head has");
	cannot_open(&r);
	/* Longer than the head. */
	rig_fill(&other, 3);
	text = rig_read(other.path, &n);
	rig_write(r.path, text, n);
	free(text);
	noticed(&r, 5, "rewritten: line 5");
	cannot_open(&r);
	/* A forger can also write a matching head. Only a hash noted elsewhere (in the syslog)
	 * shows it. */
	text = rig_read(other.head, &n);
	rig_write(r.head, text, n);
	free(text);
	report = rig_verify(&r);
	assert_string_equal(report.why, "");
	assert_true(ledger_verify_noted(r.path, 5, mine.hash, &report, &err));
	expect_why(&report, 5, "rewritten: line 5 differs from the noted one");
	assert_true(ledger_verify_noted(r.path, 50, mine.hash, &report, &err));
	expect_why(&report, 9, "cut off: line 50 was noted, the file ends at 8");
	assert_true(ledger_verify_noted(r.path, 8, rig_verify(&r).hash, &report, &err));
	assert_string_equal(report.why, "");
	rig_close(&other);
	rig_close(&r);
}

CASE(what_is_written_in_between_is_no_line)
{
	struct rig r;
	char *text, *with;
	size_t n, at;

	rig_open(&r);
	rig_fill(&r, 5);
	text = rig_read(r.path, &n);
	at = (size_t)(rig_line(text, 4) - text);
	with = malloc(n + 600000);
	assert_non_null(with);
	memcpy(with, text, at);
	memcpy(with + at, "# note\n", 7);
	memcpy(with + at + 7, text + at, n - at);
	rig_write(r.path, with, n + 7);
	noticed(&r, 4, "line 4 follows 7 bytes that are not a line");
	cannot_act(&r);
	/* A line without an end to it costs no memory. */
	memset(with + at, 'x', 500000);
	with[at + 500000] = '\n';
	memcpy(with + at + 500001, text + at, n - at);
	rig_write(r.path, with, n + 500001);
	noticed(&r, 4, "longer than any line");
	cannot_act(&r);
	free(with);
	free(text);
	rig_close(&r);
}

/* ---- torn by a crash: the head never knew the line ---- */

static void tear(struct rig *r, const char *bytes, size_t n)
{
	size_t had;
	char *text = rig_read(r->path, &had);
	char *all = malloc(had + n);

	assert_non_null(all);
	memcpy(all, text, had);
	memcpy(all + had, bytes, n);
	rig_write(r->path, all, had + n);
	free(all);
	free(text);
}

CASE(a_torn_line_is_put_aside)
{
	static const char piece[] =
		"{\"n\":4,\"t\":\"2026-11-22T01:02:03.250Z\",\"plan\":{\"hash\":"
		"\"0123456789012345678901234567890123456789012345678901234567"
		"890123\"}";
	struct ledger_report report;
	struct rig r;
	char *text, *at;
	size_t n;

	for (size_t cut = 1; cut < sizeof(piece); cut++) {
		rig_open(&r);
		rig_fill(&r, 3);
		tear(&r, piece, cut);
		report = rig_verify(&r);
		expect_why(&report, 4, "of an incomplete line");
		rig_fill(&r, 2);
		report = rig_verify(&r);
		assert_string_equal(report.why, "");
		assert_string_equal(
			report.note, "1 torn line was put aside, the last after line 3");
		assert_int_equal(report.lines, 6);
		if (cut == 40) {
			/* The ledger file that was set aside must not be altered either. */
			text = rig_read(r.path, &n);
			at = rig_line(text, 4);
			at[10] = 'X';
			rig_write(r.path, text, n);
			noticed(&r, 4, "torn bytes that line 4 put aside were altered");
			free(text);
		}
		rig_close(&r);
	}
}

CASE(a_torn_mending_is_put_aside_as_well)
{
	struct ledger_report report;
	struct rig r;

	rig_open(&r);
	rig_fill(&r, 3);
	tear(&r, "{\"n\":4,\"t\"\n{\"n\":4,\"t\":\"20", 24);
	rig_fill(&r, 1);
	report = rig_verify(&r);
	assert_string_equal(report.why, "");
	assert_int_equal(report.lines, 5);
	tear(&r, "\0\0\0\0\0\0\0\0", 8); /* some file systems leave this after a power cut */
	rig_fill(&r, 1);
	report = rig_verify(&r);
	assert_string_equal(report.why, "");
	assert_int_equal(report.lines, 7);
	assert_non_null(strstr(report.note, "2 torn lines were put aside"));
	rig_close(&r);
}

CASE(the_very_first_line_torn)
{
	struct rig r;

	rig_open(&r);
	rig_fill(&r, 0);
	tear(&r, "{\"n\":1,\"t\":", 11);
	rig_fill(&r, 1);
	assert_string_equal(rig_verify(&r).why, "");
	assert_int_equal(rig_verify(&r).lines, 2);
	rig_close(&r);
}

CASE(a_line_ahead_of_the_head_is_accepted)
{
	struct ledger_report report;
	struct rig r;
	char *head;
	size_t n;

	rig_open(&r);
	rig_fill(&r, 5);
	head = rig_read(r.head, &n);
	rig_fill(&r, 3);
	rig_write(r.head, head, n);
	free(head);
	report = rig_verify(&r);
	assert_string_equal(report.why, "");
	assert_string_equal(report.note, "the head is behind: it has line 5");
	rig_fill(&r, 1);
	assert_string_equal(rig_verify(&r).why, "");
	assert_string_equal(rig_verify(&r).note, "");
	rig_close(&r);
}

CASE(a_clock_that_was_put_back_is_noted)
{
	struct ledger_report report;
	struct rig r;

	rig_open(&r);
	rig_fill(&r, 3);
	r.clock.now -= 3600 * CLOCK_SEC;
	rig_fill(&r, 1);
	report = rig_verify(&r);
	assert_string_equal(report.why, "");
	assert_string_equal(report.note, "the clock was put back before line 4");
	rig_close(&r);
}

CASES_MAIN(NULL, NULL)
