/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "archive/notice/body.h"
#include "archive/notice/book.h"
#include "archive/notice/notice.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/load/fabric_4k.h"
#include "tests/support/figures.h"

/*
 * The cost of telling receivers at 24,000 GPUs: once a second the thread of the model makes a set
 * of notices, and each receiver's thread takes it into its book. In a calm fabric, and with one
 * link of each twentieth device down at once. Nothing is sent.
 */
#define START     (INT64_C(1700000000) * CLOCK_SEC)
#define TIMES     9
#define POLLS     4
#define EACH      20
#define BOOK_SETS 40

static void poll_broken(struct model *m, struct diag *d, unsigned n, int64_t now, bool broken)
{
	bench_fabric_poll(m, n, 0, 1, now, UINT32_MAX);
	for (size_t i = 0; broken && i < m->devices.n; i += EACH) {
		const struct device *dev = m->devices.at[i];
		struct obs *o = obs_new(dev->name, "fast");

		o->received_us = o->device_us = now;
		if (dev->ports.n)
			obs_word(o, obs_port(o, m->ports.at[dev->ports.at[0]]->name), ATTR_OPER, 0,
				"down");
		model_apply(m, o, now);
		obs_free(o);
	}
	(void)model_age(m, now);
	for (uint32_t i = 0; i < m->devices.n; i++)
		diag_note(d, m, i, now);
	diag_run(d, m, now);
}

static void tell(struct figures *f, const struct model *m, const struct diag *d, int64_t now,
	const char *what, double target)
{
	static const struct book_policy policy = {.severity = SEV_WARN,
		.hold_us = 60 * CLOCK_SEC,
		.per_hour = 10000,
		.acknowledges = true};
	struct notice_watch watch = {0};
	notice_told_vec told = {0};
	struct book book = {0};
	struct notice_set *set = NULL;
	double best = 1e9, took = 0, saved = 0, begun;
	char name[80];
	struct message msg;
	int64_t due;
	size_t n;

	for (unsigned i = 0; i < figures_times(TIMES, 1) + 1; i++) {
		notice_set_drop(set);
		begun = thread_cpu_us();
		set = notice_set_make(&watch, m, d, SEV_WARN, &told, now + i * CLOCK_SEC);
		if (i && thread_cpu_us() - begun < best)
			best = thread_cpu_us() - begun;
	}
	(void)diag_findings(d, &n);
	(void)str_printf(name, sizeof(name), "open findings, %s", what);
	figure(f, name, (double)n, "", 0);
	(void)str_printf(name, sizeof(name), "notices, %s", what);
	figure(f, name, (double)set->at.n, "", 0);
	(void)str_printf(name, sizeof(name), "a set of notices each second, 24k, %s", what);
	figure(f, name, best / 1e3, "ms CPU", target);
	begun = thread_cpu_us();
	for (unsigned i = 0; i < BOOK_SETS; i++) {
		book_take(&book, &policy, set, now + i * CLOCK_SEC);
		while (book_next(&book, &policy, now + i * CLOCK_SEC, &msg, &due)) {
			struct buf text;
			struct err err = {0};
			double before = thread_cpu_us();

			book_sending(&book, &msg);
			buf_init(&text, (size_t)16 << 20);
			(void)book_save(&book, &text, &err);
			buf_free(&text);
			book_sent(&book, &policy, &msg, now + i * CLOCK_SEC);
			saved += thread_cpu_us() - before;
			took++;
		}
	}
	(void)str_printf(name, sizeof(name), "a set into the book of a receiver, 24k, %s", what);
	figure(f, name, (thread_cpu_us() - begun - saved) / 1e3 / BOOK_SETS, "ms CPU", target);
	(void)str_printf(name, sizeof(name), "messages, %s", what);
	figure(f, name, took, "", 0);
	if (took > 0) {
		(void)str_printf(name, sizeof(name), "the book for each message, %s", what);
		figure(f, name, saved / 1e3 / took, "ms CPU", 0);
	}
	notice_set_drop(set);
	book_free(&book);
	vec_free(&told);
	notice_watch_free(&watch);
}

int main(void)
{
	struct figures *f = figures_new("notify");
	int64_t now = START;
	struct model *m;
	struct diag *d = diag_new();
	struct plan p;
	unsigned n = 0;

	bench_fabric_plan(&p, figures_quick() ? "ref256" : "24k");
	m = model_new(&p);
	for (; n < POLLS; n++, now += 30 * CLOCK_SEC)
		poll_broken(m, d, n + 1, now, false);
	tell(f, m, d, now, "calm", 10);
	for (; n < 2 * POLLS; n++, now += 30 * CLOCK_SEC)
		poll_broken(m, d, n + 1, now, true);
	tell(f, m, d, now, "many links down", 50);
	diag_free(d);
	model_free(m);
	plan_free(&p);
	return figures_end(f) ? 0 : 1;
}
