/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/process/standard_streams.h"
#include "base/version.h"
#include "emulator/options.h"
#include "emulator/serve/ctl.h"
#include "emulator/serve/observations.h"
#include "emulator/serve/server.h"
#include "emulator/serve/topology_file.h"
#include "emulator/serve/truth.h"

/* railtop-emulator: builds the parts, runs the loop, and stops it. */

enum { EXIT_FINE = 0, EXIT_BAD_USE = 2, EXIT_BROKEN = 5 };

struct emulator {
	uv_loop_t loop;
	uv_signal_t term, interrupt;
	uv_timer_t end;
	uv_poll_t input;
	bool watches_input;
	int64_t start_us;
	struct topology *topology;
	struct sim *sim;
	struct personality_ctx *personality;
	struct site *site;
	struct server *server;
	struct ctl *ctl;
	struct observations *observations;
	struct truth *truth;
	struct command_log *log;
};

static int print_error(const struct err *err)
{
	char line[1024];

	(void)fprintf(stderr, "railtop-emulator: %s\n", err_format(err, line, sizeof(line)));
	return err->code == ERR_USAGE || err->code == ERR_CONFIG || err->code == ERR_IO
		       ? EXIT_BAD_USE
		       : EXIT_BROKEN;
}

/* ---- the fabric ---- */

/*
 * The topology file gives the dialects; --platform only chooses among the platforms of a
 * dialect.
 */
static bool use_platforms(struct topology *t, const struct options *o, struct err *err)
{
	for (int k = TIER_LEAF; k < TIER_COUNT; k++) {
		const struct sim_platform *p = o->platform[k];

		if (!p || topology_use_platform(t, (enum tier)k, p))
			continue;
		err_set(err, ERR_USAGE, "--platforms", "no %s in %s speaks %s, as %s does",
			tier_name((enum tier)k), o->topology ? o->topology : o->preset, p->dialect,
			p->name);
		return err_cure(err, "say dialect: %s there", p->dialect);
	}
	return true;
}

static bool make_topology(struct emulator *e, const struct options *o, struct err *err)
{
	e->topology = o->topology ? topology_load(o->topology, err)
				  : topology_named(o->preset, o->platform, err);
	/* The preset of a formula has been given its platforms. */
	if (e->topology && !(o->preset && e->topology->sizing) &&
		!use_platforms(e->topology, o, err))
		return false;
	if (e->topology && o->with)
		topology_add_networks(e->topology, o->with);
	return e->topology != NULL;
}

static bool make_sim(struct emulator *e, const struct options *o, struct err *err)
{
	struct sim_opts so = {.seed = o->seed,
		.start_us = e->start_us,
		.speed = o->speed,
		.steady = o->steady,
		.hosts_silent = o->silent_hosts};

	if (!make_topology(e, o, err))
		return false;
	so.topology = e->topology;
	so.sizing = e->topology->sizing;
	e->sim = sim_new(&so);
	if (o->njobs && !sim_set_jobs(e->sim, o->jobs, err))
		return false;
	for (size_t i = 0; i < o->nfaults; i++)
		if (!sim_fault(e->sim, o->faults[i], err))
			return false;
	return !o->scenario || sim_scenario(e->sim, o->scenario, err);
}

/* ---- stopping ---- */

static void stop_loop(struct emulator *e)
{
	uv_stop(&e->loop);
}

static void on_signal(uv_signal_t *h, int number)
{
	(void)number;
	stop_loop(h->data);
}

static void on_end(uv_timer_t *t)
{
	stop_loop(t->data);
}

/* Discards the input; end of file stops the emulator. */
static void on_input(uv_poll_t *p, int status, int events)
{
	char junk[256];
	ssize_t n = read(STDIN_FILENO, junk, sizeof(junk));

	(void)status;
	(void)events;
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		stop_loop(p->data);
}

static void on_stop(void *arg)
{
	stop_loop(arg);
}

static void raise_limits(void)
{
	struct rlimit r;

	/*
	 * One descriptor per device and three per connection: Debian's default of 1,024 is soon
	 * used up.
	 */
	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &r);
	}
}

static bool watch_ends(struct emulator *e, const struct options *o, struct err *err)
{
	(void)uv_signal_init(&e->loop, &e->term);
	(void)uv_signal_init(&e->loop, &e->interrupt);
	(void)uv_timer_init(&e->loop, &e->end);
	e->term.data = e->interrupt.data = e->end.data = e->input.data = e;
	(void)uv_signal_start(&e->term, on_signal, SIGTERM);
	(void)uv_signal_start(&e->interrupt, on_signal, SIGINT);
	if (o->run_for)
		(void)uv_timer_start(&e->end, on_end, (uint64_t)(o->run_for / CLOCK_MSEC), 0);
	if (!o->stdin_watch)
		return true;
	if (uv_poll_init(&e->loop, &e->input, STDIN_FILENO) != 0) {
		err_set(err, ERR_USAGE, "--stdin-watch", "standard input cannot be watched");
		return err_cure(err, "connect it to a pipe");
	}
	e->watches_input = true;
	return uv_poll_start(&e->input, UV_READABLE, on_input) == 0;
}

/* ---- the parts ---- */

static void on_changed(void *arg)
{
	struct emulator *e = arg;

	truth_changed(e->truth);
}

static bool make_observations(struct emulator *e, const struct options *o, struct err *err)
{
	if (!o->observations)
		return true;
	e->observations = observations_new(&(struct observations_opts){.sim = e->sim,
						   .path = o->observations,
						   .start_us = e->start_us,
						   .speed = o->speed,
						   .interval_us = o->observe_interval},
		err);
	return e->observations != NULL;
}

static bool make_server(struct emulator *e, const struct options *o, struct err *err)
{
	if (o->command_log) {
		e->log = command_log_open(o->command_log, &clock_system, err);
		if (!e->log)
			return false;
	}
	e->truth = truth_new(&(struct truth_opts){
		.loop = &e->loop, .site = e->site, .sim = e->sim, .clock = &clock_system});
	e->server = server_new(&(struct server_opts){.loop = &e->loop,
				       .sim = e->sim,
				       .personality = e->personality,
				       .site = e->site,
				       .clock = &clock_system,
				       .observations = e->observations,
				       .log = e->log,
				       .mutate = o->mutate,
				       .mutate_seed = o->seed,
				       .changed = on_changed,
				       .arg = e},
		err);
	return e->server != NULL;
}

static bool make_ctl(struct emulator *e, const struct options *o, struct err *err)
{
	e->ctl = ctl_new(&(struct ctl_opts){.loop = &e->loop,
				 .dir = o->dir,
				 .sim = e->sim,
				 .server = e->server,
				 .clock = &clock_system,
				 .preset = o->preset ? o->preset : e->topology->name,
				 .speed = o->speed,
				 .stop = on_stop,
				 .arg = e},
		err);
	return e->ctl != NULL;
}

static bool start_parts(struct emulator *e, const struct options *o, struct err *err)
{
	if (!make_sim(e, o, err))
		return false;
	e->site = site_new(o->dir, o->listen, e->sim, err);
	if (!e->site || !make_observations(e, o, err))
		return false;
	e->site->actions = o->actions;
	e->personality = personality_new(e->sim);
	return make_server(e, o, err) && make_ctl(e, o, err) &&
	       site_publish(e->site, server_ssh_port(e->server), server_https_port(e->server),
		       o->interval, err);
}

static void close_handle(uv_handle_t *h, void *arg)
{
	(void)arg;
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

static void close_parts(struct emulator *e)
{
	struct err err;

	ctl_close(e->ctl);
	server_close(e->server);
	truth_close(e->truth);
	uv_walk(&e->loop, close_handle, NULL);
	(void)uv_run(&e->loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&e->loop);
	if (!observations_close(e->observations, &err))
		(void)print_error(&err);
	command_log_close(e->log);
	if (e->site)
		(void)site_write_truth(e->site, NULL);
	personality_free(e->personality);
	site_free(e->site);
	sim_free(e->sim);
	topology_free(e->topology);
}

/* Standard output belongs to the observations if they go there. */
static void say_ready(const struct options *o)
{
	FILE *f = o->observations && strcmp(o->observations, "-") == 0 ? stderr : stdout;

	(void)fprintf(f, "ready %s/fabric.yaml\n", o->dir);
	(void)fflush(f);
}

static int run_emulator(const struct options *o)
{
	struct emulator e = {.start_us = clock_wall(&clock_system)};
	struct err err = {0};
	int code = EXIT_FINE;

	(void)uv_loop_init(&e.loop);
	if (watch_ends(&e, o, &err) && start_parts(&e, o, &err)) {
		say_ready(o);
		(void)uv_run(&e.loop, UV_RUN_DEFAULT);
	} else {
		code = print_error(&err);
	}
	close_parts(&e);
	return code;
}

/* railtop-emulator ctl DIR WORDS... */
static int run_ctl(int argc, char **argv)
{
	struct err err = {0};
	struct buf reply;
	bool ok;

	if (argc < 2 || argv[1][0] == '-') {
		err_set(&err, ERR_USAGE, "ctl", "no directory");
		err_cure(&err, "railtop-emulator ctl DIR inject SPEC | heal WHAT | list | status | "
			       "jobs | stop");
		return print_error(&err);
	}
	buf_init(&reply, 16U << 20);
	ok = ctl_ask(argv[1], argc - 2, argv + 2, &reply, &err);
	if (ok && reply.len)
		(void)fputs(reply.data, stdout);
	buf_free(&reply);
	return ok ? EXIT_FINE : print_error(&err);
}

int main(int argc, char **argv)
{
	struct options o;
	struct err err = {0};
	int code;

	standard_streams_open();
	if (argc > 1 && strcmp(argv[1], "ctl") == 0)
		return run_ctl(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		(void)printf("railtop-emulator %s\n", RAILTOP_VERSION);
		return EXIT_FINE;
	}
	if (!options_read(&o, argc, argv, &err)) {
		if (err.code == ERR_NONE)
			options_print_help();
		code = err.code == ERR_NONE ? EXIT_FINE : print_error(&err);
		options_free(&o);
		return code;
	}
	raise_limits();
	(void)signal(SIGPIPE, SIG_IGN);
	if (o.die_with_parent)
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	code = run_emulator(&o);
	options_free(&o);
	return code;
}
