/* SPDX-License-Identifier: Apache-2.0 */
#include "app/inventory/inventory_default.h"
#include "app/inventory/inventory_yaml.h"
#include "app/headless/headless.h"
#include "app/notify/notify.h"
#include "app/sandbox/confine.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * `railtop watch`: polls and judges without a screen, and tells the receivers of notify: in the
 * inventory. A service: packaging/systemd/railtop-watch.service.
 */
struct watcher {
	struct notify *notify;
	const struct options *options;
	bool begun;
	int64_t end_us; /* monotonic; 0: none */
};

static void print_line(void *ctx, bool bad, const char *line)
{
	(void)ctx;
	(void)bad;
	(void)fprintf(stderr, "railtop: %s\n", line);
}

static bool begin_watch(struct watcher *w, const struct collected *c)
{
	struct notify_opts opts = {.plan = c->plan, .say = print_line};

	w->begun = true;
	w->notify = notify_start(&opts);
	if (w->notify) {
		(void)fprintf(stderr, "railtop: watching %zu devices for %zu receiver%s\n",
			c->model->devices.n, c->plan->notify.to.n,
			c->plan->notify.to.n == 1 ? "" : "s");
		return true;
	}
	(void)fprintf(stderr, "railtop watch: the inventory has no receivers\n"
			      "  cure: add notify: to it, see railtop-fabric(5)\n");
	return false;
}

static bool watch_on(void *ctx, const struct collected *c, bool interrupted, int *code)
{
	struct watcher *w = ctx;

	if (!c) {
		notify_stop(w->notify);
		return true;
	}
	*code = EXIT_FINE;
	if (!w->begun && !begin_watch(w, c)) {
		*code = EXIT_USAGE;
		return true;
	}
	notify_step(w->notify, c->model, c->diag, c->now_us);
	return interrupted || (w->end_us && clock_mono(&clock_system) >= w->end_us);
}

/* "1 receiver, 0 not reached, 2 told and open; 44 of 44 devices fresh" */
static void say_service(void *ctx, const struct collected *c, char *dst, size_t size)
{
	struct watcher *w = ctx;
	struct coverage v = model_coverage(c->model);
	char words[80] = "", seen[80];

	if (w->notify)
		(void)notify_words(w->notify, words, sizeof(words));
	(void)str_printf(dst, size, "%s%s%s", words, words[0] ? "; " : "",
		coverage_words(&v, seen, sizeof(seen)));
}

static int test_receivers(const struct options *o)
{
	struct plan plan;
	struct err err = {0};
	unsigned failed;

	if (!o->inventory) {
		(void)fprintf(stderr, "railtop: no inventory is given\n  cure: %s\n",
			inventory_default_cure());
		return EXIT_USAGE;
	}
	if (!inventory_load(o->inventory, &plan, NULL, NULL, &err)) {
		plan_free(&plan);
		err_print(&err);
		return EXIT_USAGE;
	}
	confine_plan(&plan);
	if (!plan.notify.to.n) {
		plan_free(&plan);
		(void)fprintf(stderr, "railtop watch: the inventory has no receivers\n"
				      "  cure: add notify: to it, see railtop-fabric(5)\n");
		return EXIT_USAGE;
	}
	failed = notify_test(&plan, stdout);
	plan_free(&plan);
	if (!headless_close(stdout, "standard output", &err)) {
		err_print(&err);
		return EXIT_INTERNAL;
	}
	return failed ? EXIT_UNREACHED : EXIT_FINE;
}

int sub_watch(const struct options *o)
{
	struct watcher w = {.options = o};
	struct headless_opts opts = {
		.options = o,
		/* Judges from the beginning: what is not heard yet is unknown, and resolves
		   nothing. */
		.for_us = 0,
		.more = watch_on,
		.service = say_service,
		.ctx = &w,
	};

	if (o->test_notify)
		return test_receivers(o);
	if (o->for_us)
		w.end_us = clock_mono(&clock_system) + o->for_us;
	return headless_run(&opts);
}
