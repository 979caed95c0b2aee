/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <string.h>

#include "app/notify/notify.h"
#include "app/notify/sender.h"
#include "app/notify/store.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/version.h"

/* ---- a marked message to each receiver ---- */

struct test {
	const struct plan *plan;
	const struct plan_receiver *r;
	enum send_result result;
	struct err err;
	int64_t took_us;
	pthread_t thread;
	bool started;
};

static enum send_result send_test(struct test *t, struct sender *s, enum message_kind kind)
{
	struct notice n;
	struct body_facts f = {.to = t->r,
		.notify = &t->plan->notify,
		.fabric = t->plan->fabric,
		.verdict = "",
		.version = RAILTOP_VERSION,
		.n = &n,
		.kind = kind,
		.severity = SEV_OK,
		.why = kind == MESSAGE_RESOLVE ? "the test is over" : "",
		.now_us = clock_wall(&clock_system)};
	int64_t again_us;

	body_test_notice(&n, t->plan->fabric, f.now_us);
	return sender_send(s, &f, &again_us, &t->err);
}

static void *test_thread(void *arg)
{
	struct test *t = arg;
	int64_t begun = clock_mono(&clock_system);
	struct sender *s = sender_new(t->r, NULL);

	t->result = send_test(t, s, MESSAGE_TEST);
	/* A page that nobody ends would stay open. An Alertmanager's ends by itself. */
	if (t->result == SEND_DONE && t->r->kind == RECEIVER_PAGERDUTY)
		t->result = send_test(t, s, MESSAGE_RESOLVE);
	sender_free(s);
	t->took_us = clock_mono(&clock_system) - begun;
	return NULL;
}

static void where_to(const struct plan_receiver *r, char *dst, size_t size)
{
	static const char *const ways[SYSLOG_WAYS] = {[SYSLOG_UDP] = "udp",
		[SYSLOG_TCP] = "tcp",
		[SYSLOG_TLS] = "tls",
		[SYSLOG_UNIX] = "unix"};

	if (r->kind == RECEIVER_SYSLOG && r->way == SYSLOG_UNIX)
		(void)str_printf(dst, size, "unix:%s", r->address);
	else if (r->kind == RECEIVER_SYSLOG)
		(void)str_printf(dst, size, "%s:%s:%u", ways[r->way], r->address, r->port);
	else if (r->kind == RECEIVER_COMMAND)
		(void)str_copy(dst, size, r->argv.at[0]);
	else
		(void)str_copy(dst, size, r->url ? r->url : "(its URL is a secret)");
	if (r->kind == RECEIVER_PAGERDUTY && !r->url)
		(void)str_copy(dst, size, "events.pagerduty.com");
}

unsigned notify_test(const struct plan *plan, FILE *out)
{
	size_t n = plan->notify.to.n;
	struct test *tests = mem_calloc(n ? n : 1, sizeof(*tests));
	unsigned failed = 0;
	char to[300];

	for (size_t i = 0; i < n; i++) {
		tests[i] = (struct test){.plan = plan, .r = &plan->notify.to.at[i]};
		tests[i].started =
			pthread_create(&tests[i].thread, NULL, test_thread, &tests[i]) == 0;
		if (!tests[i].started)
			(void)test_thread(&tests[i]);
	}
	for (size_t i = 0; i < n; i++) {
		struct test *t = &tests[i];

		if (t->started)
			(void)pthread_join(t->thread, NULL);
		where_to(t->r, to, sizeof(to));
		(void)fprintf(out, "%-16s %-13s %-7s %6lld ms  %s\n", t->r->name,
			receiver_kind_name(t->r->kind), t->result == SEND_DONE ? "ok" : "FAILED",
			(long long)(t->took_us / 1000), to);
		if (t->result == SEND_DONE)
			continue;
		failed++;
		(void)fprintf(out, "    %s\n", t->err.text);
		if (t->err.cure[0])
			(void)fprintf(out, "    cure: %s\n", t->err.cure);
	}
	free(tests);
	return failed;
}

/* ---- for `railtop check` ---- */

static bool print_receiver(const struct plan *plan, const struct plan_receiver *r, FILE *out)
{
	struct store_status s;
	bool noted = store_status(plan->fabric, r->name, &s);
	int64_t now = clock_wall(&clock_system);
	char age[16];

	(void)fprintf(out, "  %-16s %-13s ", r->name, receiver_kind_name(r->kind));
	if (noted && s.problem_us)
		(void)fprintf(out, "NOT REACHED for %s: %s\n",
			str_age(now - s.problem_us, age, sizeof(age)), s.problem);
	else if (noted && s.done_us)
		(void)fprintf(out, "last message %s ago%s\n",
			str_age(now - s.done_us, age, sizeof(age)),
			s.watched ? "" : "; no process watches now");
	else
		(void)fprintf(out, "%s\n",
			s.watched ? "nothing was told yet"
				  : "nothing was told yet, and no process of this user watches "
				    "(cure: railtop watch)");
	return noted && s.problem_us;
}

unsigned notify_report(const struct plan *plan, FILE *out)
{
	unsigned dead = 0;

	if (!plan->notify.to.n)
		return 0;
	(void)fprintf(out, "\nreceivers of notify: (railtop watch --test-notify tries them)\n");
	for (size_t i = 0; i < plan->notify.to.n; i++)
		dead += print_receiver(plan, &plan->notify.to.at[i], out);
	return dead;
}
