/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/anchor.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/actions/support/ledger_rig.h"
#include "tests/support/cases.h"

/*
 * The ledger against the copies that a log kept elsewhere. The operator owns the ledger and its
 * head, and can write both anew: only the copies show it.
 */

struct bench {
	struct rig rig;
	struct buf log; /* copies, each as a line of a log */
	unsigned form;
};

/* The forms in which log daemons write "railtop[4711]: TEXT". */
static const char *const forms[] = {
	"%s\n",
	"Nov 22 01:02:03 bastion railtop[4711]: %s\n",
	"<85>1 2026-11-22T01:02:03.250Z bastion railtop 4711 - - \xef\xbb\xbf%s\n",
	"2026-11-22T01:02:03.250000+00:00 bastion railtop[4711]: %s\n",
	"{\"_HOSTNAME\":\"bastion\",\"MESSAGE\":\"%s\",\"_PID\":\"4711\"}\n",
	"__REALTIME_TIMESTAMP=1795309323250000\nMESSAGE=%s\n_PID=4711\n\n",
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

static void keep(void *ctx, const char *line)
{
	struct bench *b = ctx;

	/* A log has lines of others too. */
	(void)buf_adds(
		&b->log, "Nov 22 01:02:03 bastion sshd[1]: Accepted publickey for ledger n=x\n");
	if (b->form == FORMS) { /* the journal, where a byte of the text is unusual */
		(void)buf_adds(&b->log, "{\"MESSAGE\" : [");
		for (const char *p = line; *p; p++)
			(void)buf_addf(&b->log, "%s%d", p > line ? ", " : "", (unsigned char)*p);
		(void)buf_adds(&b->log, "], \"PRIORITY\":\"5\"}\n");
		return;
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	(void)buf_addf(&b->log, forms[b->form], line);
#pragma GCC diagnostic pop
}

static void bench_open(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	rig_open(&b->rig);
	buf_init(&b->log, 4 << 20);
}

static void bench_close(struct bench *b)
{
	buf_free(&b->log);
	rig_close(&b->rig);
}

/* Appends n lines, with their copies in the log. */
static void fill(struct bench *b, unsigned n, const char *act)
{
	const struct ledger_opts o = {
		.path = b->rig.path, .clock = &b->rig.clock.clock, .copy = keep, .ctx = b};
	struct err err = {0};
	struct ledger *l = ledger_open(&o, &b->rig.who, &err);

	if (!l)
		err_print(&err);
	assert_non_null(l);
	for (unsigned i = 0; i < n; i++)
		rig_append(l, LEDGER_SENDING, act, json_pack("{s:i}", "step", (int)i));
	ledger_close(l);
}

static void remove_ledger(struct bench *b)
{
	(void)unlink(b->rig.path);
	(void)unlink(b->rig.head);
}

static FILE *log_stream(struct bench *b, const struct buf *log)
{
	FILE *f = fmemopen(log->data, log->len, "r");

	(void)b;
	assert_non_null(f);
	return f;
}

static struct anchor_report verify_with(
	struct bench *b, const struct buf *log, struct ledger_report *ledger)
{
	struct ledger_anchor a;
	struct ledger_report own;
	struct anchor_report report = {0};
	struct err err = {0};
	FILE *f = log_stream(b, log);

	if (!anchor_read(&a, f, "auth.log", &err) ||
		!ledger_verify_anchor(b->rig.path, &a, ledger ? ledger : &own, &report, &err))
		fail_msg("%s: %s", err.origin, err.text);
	(void)fclose(f);
	anchor_free(&a);
	return report;
}

static void expect(const struct anchor_report *r, const char *words)
{
	if (!strstr(r->err.text, words))
		fail_msg("expected '%s' in '%s'", words, r->err.text);
	assert_true(r->err.origin[0] && r->err.cure[0]);
}

CASE(each_form_of_a_log_is_read)
{
	for (unsigned form = 0; form <= FORMS; form++) {
		struct bench b;
		struct anchor_report r;

		bench_open(&b);
		b.form = form;
		fill(&b, 12, "act-1");
		r = verify_with(&b, &b.log, NULL);
		if (r.err.code != ERR_NONE)
			fail_msg("form %u: %s", form, r.err.text);
		assert_int_equal(r.copies, 12);
		assert_int_equal(r.proved, 12);
		assert_int_equal(r.behind + r.lost + r.missing, 0);
		bench_close(&b);
	}
}

/* The attack of the issue: ledger and head written anew, as a whole. It verifies by itself. */
CASE(a_ledger_written_anew_is_seen)
{
	struct bench b;
	struct buf kept;
	struct anchor_report r;

	bench_open(&b);
	buf_init(&kept, 4 << 20);
	fill(&b, 8, "act-1");
	(void)buf_add(&kept, b.log.data, b.log.len);
	remove_ledger(&b);
	fill(&b, 8, "act-of-nobody");
	assert_string_equal(rig_verify(&b.rig).why, "");
	r = verify_with(&b, &kept, NULL);
	expect(&r, "REWRITTEN from line 1");
	assert_int_equal(r.proved, 0);
	/* The new lines were copied as well: two histories. */
	r = verify_with(&b, &b.log, NULL);
	expect(&r, "FORKED: auth.log has two different lines 1");
	buf_free(&kept);
	bench_close(&b);
}

CASE(a_fork_is_named_by_its_line)
{
	struct bench b;
	struct buf kept;
	struct anchor_report r;
	char *text, *head;
	size_t n, h;

	bench_open(&b);
	buf_init(&kept, 4 << 20);
	fill(&b, 5, "act-1");
	text = rig_read(b.rig.path, &n);
	head = rig_read(b.rig.head, &h);
	fill(&b, 5, "act-2");
	(void)buf_add(&kept, b.log.data, b.log.len);
	/* The older valid copy of both is restored, and another history appended. */
	rig_write(b.rig.path, text, n);
	rig_write(b.rig.head, head, h);
	r = verify_with(&b, &kept, NULL);
	expect(&r, "CUT OFF: auth.log has line 10, the ledger ends at line 5: 5 lines are lost");
	assert_int_equal(r.lost, 5);
	fill(&b, 9, "act-3");
	assert_string_equal(rig_verify(&b.rig).why, "");
	r = verify_with(&b, &kept, NULL);
	expect(&r, "REWRITTEN: line 6 differs from its copy in auth.log; up to line 5");
	assert_int_equal(r.proved, 5);
	free(text);
	free(head);
	buf_free(&kept);
	bench_close(&b);
}

CASE(a_deleted_ledger_is_seen)
{
	struct bench b;
	struct anchor_report r;

	bench_open(&b);
	fill(&b, 1, "act-1");
	remove_ledger(&b);
	r = verify_with(&b, &b.log, NULL);
	expect(&r, "CUT OFF: auth.log has line 1, the ledger ends at line 0: 1 line is lost");
	bench_close(&b);
}

/* A log is rotated, loses lines, and ends before the ledger does. */
CASE(what_a_log_lacks_is_counted)
{
	struct bench b;
	struct buf part;
	struct anchor_report r;
	char *at;

	bench_open(&b);
	buf_init(&part, 4 << 20);
	fill(&b, 20, "act-1");
	at = strstr(b.log.data, "ledger n=7 ");
	(void)buf_add(&part, at, (size_t)(strstr(at, "ledger n=9 ") - at));
	at = strstr(at, "ledger n=12 ");
	(void)buf_add(&part, at, (size_t)(strstr(at, "ledger n=13 ") - at));
	r = verify_with(&b, &part, NULL);
	assert_int_equal(r.err.code, ERR_NONE);
	assert_int_equal(r.copies, 3);
	assert_int_equal(r.proved, 12);
	assert_int_equal(r.missing, 9);
	assert_int_equal(r.behind, 8);
	buf_free(&part);
	bench_close(&b);
}

CASE(a_log_of_another_ledger_is_told)
{
	struct bench b, c;
	struct anchor_report r;
	struct buf both;

	bench_open(&b);
	bench_open(&c);
	buf_init(&both, 4 << 20);
	fill(&b, 4, "act-1");
	fill(&c, 6, "act-9");
	r = verify_with(&b, &c.log, NULL);
	assert_true(r.other);
	expect(&r, "or auth.log is of another ledger");
	/* A log of several machines: the lines of this ledger count, and only they. */
	(void)buf_add(&both, c.log.data, c.log.len);
	(void)buf_add(&both, b.log.data, b.log.len);
	r = verify_with(&b, &both, NULL);
	assert_int_equal(r.err.code, ERR_NONE);
	assert_int_equal(r.copies, 4);
	/* None of two others. */
	remove_ledger(&b);
	(void)str_copy(strrchr(b.rig.path, '/'), 16, "/other.jsonl");
	(void)str_printf(b.rig.head, sizeof(b.rig.head), "%s.head", b.rig.path);
	rig_fill(&b.rig, 3);
	r = verify_with(&b, &both, NULL);
	assert_true(r.other);
	assert_int_equal(r.err.code, ERR_USAGE);
	assert_string_equal(r.err.origin, "auth.log");
	assert_non_null(strstr(r.err.text, c.rig.path));
	buf_free(&both);
	bench_close(&b);
	bench_close(&c);
}

/* The ledger was copied to the machine with the log, so its path is another one. */
CASE(a_copy_of_the_ledger_is_verified_elsewhere)
{
	struct bench b;
	struct anchor_report r;
	char *text;
	size_t n;

	bench_open(&b);
	fill(&b, 4, "act-1");
	for (int i = 0; i < 2; i++) {
		const char *from = i ? b.rig.head : b.rig.path;
		char to[200];

		text = rig_read(from, &n);
		(void)str_printf(to, sizeof(to), "%s/copied.jsonl%s", b.rig.dir, i ? ".head" : "");
		rig_write(to, text, n);
		free(text);
	}
	(void)str_printf(b.rig.path, sizeof(b.rig.path), "%s/copied.jsonl", b.rig.dir);
	r = verify_with(&b, &b.log, NULL);
	assert_int_equal(r.err.code, ERR_NONE);
	assert_int_equal(r.proved, 4);
	bench_close(&b);
}

CASE(a_text_without_copies_is_a_mistake)
{
	static const char *const texts[] = {"", "hello\n", "ledger n= hash=\n",
		"ledger n=0 hash=00\n", "ledger n=99999999999999999999999 hash=00\n",
		"ledger n=1 hash=zz\n", "{\"MESSAGE\":[1,2,999]}\n", "{\"MESSAGE\":[\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ledger_anchor a;
		struct err err = {0};
		FILE *f = tmpfile();

		assert_non_null(f);
		(void)fputs(texts[i], f);
		rewind(f);
		assert_false(anchor_read(&a, f, "log", &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_true(err.cure[0]);
		(void)fclose(f);
		anchor_free(&a);
	}
}

/* What is wrong with the ledger itself is said as without an anchor. */
CASE(a_broken_ledger_stays_broken)
{
	struct bench b;
	struct ledger_report ledger;
	struct anchor_report r;
	char *text;
	size_t n;

	bench_open(&b);
	fill(&b, 6, "act-1");
	text = rig_read(b.rig.path, &n);
	rig_line(text, 3)[20] ^= 1;
	rig_write(b.rig.path, text, n);
	free(text);
	r = verify_with(&b, &b.log, &ledger);
	assert_true(ledger.bad_line == 3 && ledger.why[0]);
	assert_int_equal(r.proved, 2);
	assert_int_equal(r.lost, 0);
	bench_close(&b);
}

CASES_MAIN(NULL, NULL)
