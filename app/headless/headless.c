/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless/headless.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "app/inventory/inventory_default.h"
#include "app/inventory/inventory_yaml.h"
#include "app/notify/acks.h"
#include "app/session/file_moment.h"
#include "app/headless/silence.h"
#include "app/session/session.h"
#include "backends/transport/descriptors.h"
#include "base/clock.h"
#include "base/private_file.h"
#include "base/process/service_notify.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/* Devices without rates are waited for, up to so many times the time to collect. */
#define LONGER 3
/* How often names are looked for in the answers. */
#define CHECK_US (200 * CLOCK_MSEC)

struct headless {
	const struct headless_opts *opts;
	uv_loop_t loop;
	struct session *session;
	struct acks *acks; /* of consoles; NULL: without an inventory */
	uv_timer_t tick;
	uv_signal_t interrupt, terminate, hangup;
	int64_t start_us;
	struct service_notify service;
	bool progress, stopped, interrupted;
	bool collected;     /* collecting is done; only more() is called */
	int64_t checked_us; /* when the names were checked last */
	int code;
};

static void print_warning(void *ctx, const char *message)
{
	(void)ctx;
	(void)fprintf(stderr, "railtop: %s\n", message);
}

static struct collected collected_now(struct headless *h)
{
	return (struct collected){.model = session_model(h->session),
		.diag = session_diag(h->session),
		.now_us = session_now(h->session),
		.plan = session_plan(h->session),
		.session = h->session,
		.loop = &h->loop};
}

/* A recording is at work from its first turn, an exporter once it listens. */
static void tell_service(struct headless *h, const char *line)
{
	struct coverage v;
	char seen[160];

	if (h->service.fd < 0 || h->stopped)
		return;
	if (!line && h->opts->service && h->collected) {
		struct collected c = collected_now(h);

		h->opts->service(h->opts->ctx, &c, seen, sizeof(seen));
		line = seen;
	}
	if (!line) {
		v = model_coverage(session_model(h->session));
		line = coverage_words(&v, seen, sizeof(seen));
	}
	if (h->collected || h->opts->recording)
		service_notify_ready(&h->service);
	service_notify_alive(&h->service, clock_mono(&clock_system), line);
}

static void show_progress(struct headless *h, int64_t ran)
{
	struct coverage v;
	char seen[80];

	if (h->opts->status) {
		struct collected c = collected_now(h);
		char line[200];

		/* Called without a terminal too: status() also prints errors. */
		h->opts->status(&c, line, sizeof(line));
		tell_service(h, line);
		if (h->progress)
			(void)fprintf(stderr, "\r%s\033[K", line);
		return;
	}
	tell_service(h, NULL);
	if (!h->progress)
		return;
	v = model_coverage(session_model(h->session));
	(void)fprintf(stderr, "\rcollecting %lld/%llds: %s\033[K", (long long)(ran / CLOCK_SEC),
		(long long)(h->opts->for_us / CLOCK_SEC), coverage_words(&v, seen, sizeof(seen)));
}

static void close_handles(struct headless *h)
{
	h->stopped = true;
	acks_close(h->acks);
	h->acks = NULL;
	service_notify_close(&h->service);
	/* What was recorded until the end may fail at the end. */
	if (!session_close(h->session) && h->opts->recording)
		h->code = EXIT_INTERNAL;
	uv_close((uv_handle_t *)&h->tick, NULL);
	uv_close((uv_handle_t *)&h->interrupt, NULL);
	uv_close((uv_handle_t *)&h->terminate, NULL);
	uv_close((uv_handle_t *)&h->hangup, NULL);
}

/* An exit code of EXIT_UNREACHED is never given without a word about the devices. */
static void report_silence(const struct headless_opts *opts, const struct collected *c, int code)
{
	if (code == EXIT_UNREACHED && !opts->lists_unreached)
		silence_report(c->model, stderr);
}

static void go_on(struct headless *h)
{
	struct collected c = collected_now(h);

	if (!h->opts->more(h->opts->ctx, &c, h->interrupted, &h->code))
		return;
	report_silence(h->opts, &c, h->code);
	(void)h->opts->more(h->opts->ctx, NULL, h->interrupted, &h->code);
	close_handles(h);
}

static void finish_collecting(struct headless *h)
{
	struct collected c;

	if (h->stopped || h->collected)
		return;
	h->collected = true;
	session_drain(h->session);
	session_judge(h->session);
	if (h->progress)
		(void)fprintf(stderr, "\r\033[K");
	if (h->opts->more) {
		go_on(h);
		return;
	}
	c = collected_now(h);
	h->code = h->opts->done(h->opts->options, &c);
	report_silence(h->opts, &c, h->code);
	close_handles(h);
}

static bool has_rates(const struct model *m, const struct device *d)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (!isnan(port_rate(p, CTR_RX_BYTES, 0)) || !isnan(port_rate(p, CTR_TX_BYTES, 0)))
			return true;
	}
	return false;
}

/* It was asked and answered, but not with counters yet. Files have devices without any. */
static bool owes_counters(const struct device *d)
{
	return !d->counters_us && d->last_ok_us && d->took_us > 0;
}

/* It is being connected, or it answered once: the next answer tells its rates. */
static bool awaits_rates(const struct model *m, const struct device *d)
{
	if (d->state == DEV_PENDING)
		return d->err->code == ERR_NONE;
	if (d->state > DEV_LATE || device_blind(d))
		return false;
	return d->counters_us ? !has_rates(m, d)
			      : owes_counters(d) && d->last_ok_us - d->heard_us <= d->interval_us;
}

/*
 * A slow bastion or a busy machine must not leave devices without rates, for which nothing can be
 * judged. A recording is as long as it was asked to be.
 */
static bool collects_longer(const struct headless *h, int64_t ran)
{
	const struct model *m = session_model(h->session);

	if (h->opts->recording || ran / LONGER >= h->opts->for_us)
		return false;
	for (size_t i = 0; i < m->devices.n; i++)
		if (awaits_rates(m, m->devices.at[i]))
			return true;
	return false;
}

/* Prints why a name is refused. Returns the exit code. */
static int report_name(const struct err *err)
{
	err_print(err);
	return err->code == ERR_REFUSED || err->code == ERR_UNSUPPORTED ? EXIT_REFUSED : EXIT_USAGE;
}

/* Answers may show that a name is wrong long before the time to collect is over. */
static bool is_refused_by_answers(struct headless *h, int64_t ran)
{
	const struct headless_opts *opts = h->opts;
	struct err err = {0};

	if (!opts->check_answers || opts->options->observations || ran - h->checked_us < CHECK_US)
		return false;
	h->checked_us = ran;
	if (opts->check_answers(opts, session_plan(h->session), session_model(h->session), &err))
		return false;
	if (h->progress)
		(void)fprintf(stderr, "\r\033[K");
	h->code = report_name(&err);
	close_handles(h);
	return true;
}

static void on_tick(uv_timer_t *timer)
{
	struct headless *h = timer->data;
	int64_t ran = clock_mono(&clock_system) - h->start_us;

	if (h->acks)
		acks_step(h->acks, session_model(h->session), session_diag(h->session),
			session_now(h->session), session_note_taken, h->session);
	if (h->collected) {
		if (!h->stopped)
			go_on(h);
		tell_service(h, NULL);
		return;
	}
	show_progress(h, ran);
	if (is_refused_by_answers(h, ran))
		return;
	if (session_ended(h->session) || (h->opts->until_heard && session_all_heard(h->session)) ||
		(ran >= h->opts->for_us && !collects_longer(h, ran)))
		finish_collecting(h);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct headless *h = handle->data;

	(void)number;
	h->interrupted = true;
	finish_collecting(h);
}

static void start_timers(struct headless *h)
{
	uv_timer_init(&h->loop, &h->tick);
	uv_signal_init(&h->loop, &h->interrupt);
	uv_signal_init(&h->loop, &h->terminate);
	uv_signal_init(&h->loop, &h->hangup);
	h->tick.data = h->interrupt.data = h->terminate.data = h->hangup.data = h;
	uv_signal_start(&h->interrupt, on_signal, SIGINT);
	uv_signal_start(&h->terminate, on_signal, SIGTERM);
	/* A change is completed, and a recording closed, also when the terminal goes away. */
	if (h->opts->more || h->opts->recording)
		uv_signal_start(&h->hangup, on_signal, SIGHUP);
	/* A recording is complete already; live data is checked ten times a second. */
	uv_timer_start(&h->tick, on_tick, session_ended(h->session) ? 0 : 100, 100);
}

/* ---- before collecting ---- */

/* EXIT_FINE: nothing is known to be wrong with the names on the command line. */
static int check_names(const struct headless_opts *opts)
{
	const struct options *o = opts->options;
	struct plan plan;
	struct model *m;
	struct err err = {0};
	bool ok;

	if (!opts->check || o->observations || !o->inventory)
		return EXIT_FINE;
	/* The session reports a wrong inventory, with all of its problems. */
	if (!inventory_load(o->inventory, &plan, NULL, NULL, &err)) {
		plan_free(&plan);
		return EXIT_FINE;
	}
	m = model_new(&plan);
	ok = opts->check(opts, &plan, m, &err);
	model_free(m);
	plan_free(&plan);
	return ok ? EXIT_FINE : report_name(&err);
}

/* ---- a recording ---- */

/* A moment of a recording in place of collected data. */
static int read_recording(const struct headless_opts *opts)
{
	struct file_moment at;
	struct err err = {0};
	struct collected c = {0};
	struct replay *r = NULL;
	char why[128];
	int code = EXIT_USAGE;

	if (file_moment_read(opts->options->from, &at, &err))
		r = file_moment_replay(&at, &err);
	if (!r) {
		err_print(&err);
		return EXIT_USAGE;
	}
	if (at.said[0])
		(void)fprintf(stderr, "railtop: %s\n", at.said);
	if (replay_gap(r, why, sizeof(why)))
		(void)fprintf(stderr, "railtop: %s: answers before this moment are missing: %s\n",
			at.path, why);
	c.model = replay_model(r);
	c.diag = replay_diag(r);
	c.now_us = replay_now(r);
	c.plan = replay_plan(r);
	if (opts->more) {
		(void)opts->more(opts->ctx, &c, true, &code);
		report_silence(opts, &c, code);
		(void)opts->more(opts->ctx, NULL, true, &code);
	} else {
		code = opts->done(opts->options, &c);
		report_silence(opts, &c, code);
	}
	replay_free(r);
	return code;
}

int headless_run(const struct headless_opts *opts)
{
	struct headless state = {.opts = opts}, *h = &state;
	struct session_opts sopts = {
		.inventory = opts->options->inventory,
		.observations = opts->options->observations,
		.observations_fd = STDIN_FILENO,
		.collectors = opts->options->collectors,
		.memory = opts->options->memory,
		.once = opts->until_heard,
		.recording = opts->recording,
		.warn = print_warning,
		.ctx = h,
	};
	struct err err = {0};
	int code;

	if (opts->options->from)
		return read_recording(opts);
	if (!sopts.inventory && !sopts.observations) {
		(void)fprintf(stderr, "railtop: no inventory is given\n  cure: %s\n",
			inventory_default_cure());
		return EXIT_USAGE;
	}
	code = check_names(opts);
	if (code != EXIT_FINE)
		return code;
	h->progress = isatty(STDERR_FILENO) == 1;
	if (!descriptors_loop(&h->loop, &err)) {
		err_print(&err);
		return EXIT_INTERNAL;
	}
	service_notify_open(&h->service);
	h->start_us = clock_mono(&clock_system);
	h->session = session_open(&h->loop, &sopts, &err);
	if (h->session) {
		if (!sopts.observations)
			h->acks = acks_open(session_plan(h->session));
		start_timers(h);
	}
	uv_run(&h->loop, UV_RUN_DEFAULT);
	uv_loop_close(&h->loop);
	if (!h->session) {
		service_notify_close(&h->service);
		err_print(&err);
		return EXIT_USAGE;
	}
	return h->code;
}

FILE *headless_open(const char *path, struct err *err)
{
	FILE *f;

	if (str_eq(path, "-"))
		return stdout;
	f = private_file_open(path, "w");
	if (!f)
		err_system(err, ERR_IO, path, "cannot be written", errno);
	return f;
}

bool headless_close(FILE *f, const char *path, struct err *err)
{
	/* Detects a full disk: the last bytes are still in the buffer. */
	bool ok = fflush(f) == 0 && !ferror(f);

	if (str_eq(path, "-"))
		path = "standard output";
	if (f != stdout)
		ok = fclose(f) == 0 && ok;
	if (!ok)
		err_system(err, ERR_IO, path, "could not be written completely", errno);
	return ok;
}

bool headless_unreached(const struct device *d)
{
	return d->state == DEV_UNREACHABLE || d->state == DEV_UNAUTHORISED ||
	       d->state == DEV_NOT_UNDERSTOOD || d->state == DEV_PENDING ||
	       (d->state == DEV_STALE && !d->last_ok_us) || owes_counters(d) ||
	       (!d->counters_us && device_blind(d));
}

int headless_exit_code(const struct model *m)
{
	for (size_t i = 0; i < m->devices.n; i++)
		if (headless_unreached(m->devices.at[i]))
			return EXIT_UNREACHED;
	/* Without devices nothing is known. */
	return m->devices.n ? EXIT_FINE : EXIT_UNREACHED;
}

int headless_judged_code(const struct model *m, enum fabric_state state)
{
	int code = headless_exit_code(m);

	return code != EXIT_FINE || state < FABRIC_SUSPECT ? code : EXIT_FINDINGS;
}

/* Informational findings (heavy even load) and acknowledged ones need no attention. */
static bool needs_attention(const struct finding *f, int64_t now_us)
{
	return f->severity >= SEV_WARN && f->role != ROLE_INFO && !finding_acked(f, now_us);
}

int headless_findings_code(const struct model *m, const struct diag *d, int64_t now_us)
{
	const struct finding *const *f;
	size_t n;

	f = diag_findings(d, &n);
	for (size_t i = 0; i < n; i++)
		if (needs_attention(f[i], now_us))
			return EXIT_FINDINGS;
	/* Includes problems without a finding: a failed check, paused ports. */
	return diag_verdict(d)->state >= FABRIC_SUSPECT ? EXIT_FINDINGS : headless_exit_code(m);
}
