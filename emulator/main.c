/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/str.h"
#include "emulator/serve/server.h"

/* railtop-emulator: options, the loop, and when to stop. */

enum { EXIT_FINE = 0, EXIT_BAD_USE = 2, EXIT_BROKEN = 5 };

struct options {
	const char *preset, *dir, *listen, *scenario;
	char interval[16];
	uint64_t seed;
	double speed;
	int64_t run_for; /* 0: until told to stop */
	bool steady, stdin_watch, die_with_parent;
	const char **faults;
	size_t nfaults;
};

struct emulator {
	uv_loop_t loop;
	uv_signal_t term, interrupt;
	uv_timer_t end;
	uv_poll_t input;
	bool watches_input;
	struct sim *sim;
	struct personality_ctx *personality;
	struct site *site;
	struct server *server;
};

static const char usage_text[] =
	"usage: railtop-emulator --preset P --dir DIR [options]\n"
	"\n"
	"An emulated RoCEv2 fabric on loopback, behind real SSH and HTTPS. Prints\n"
	"\"ready DIR/fabric.yaml\" when every device listens.\n"
	"\n"
	"  --preset P        ref256, 4k, 24k, 100k\n"
	"  --dir DIR         where keys, known_hosts, ca.pem, fabric.yaml and truth.json go\n"
	"  --listen 127.x.y.z  address of the first device (127.44.0.1); one address each\n"
	"  --fault SPEC      class:device[:port][,key=value...]; may be given again\n"
	"  --scenario FILE   fault specs, one a line, # comments\n"
	"  --seed N          the same seed makes the same fabric and traffic (1)\n"
	"  --speed X         devices live X times as fast, their clocks too (1)\n"
	"  --steady          constant load: rates stand still between faults\n"
	"  --for DURATION    stop after this time\n"
	"  --interval T      polling interval that fabric.yaml asks for (1s)\n"
	"  --stdin-watch     stop when standard input closes\n"
	"  --die-with-parent stop when the parent process ends\n"
	"  --help\n"
	"\n"
	"Faults (at= when, for= how long):\n";

enum {
	OPT_PRESET = 256,
	OPT_DIR,
	OPT_LISTEN,
	OPT_FAULT,
	OPT_SCENARIO,
	OPT_SEED,
	OPT_SPEED,
	OPT_STEADY,
	OPT_FOR,
	OPT_INTERVAL,
	OPT_STDIN_WATCH,
	OPT_DIE_WITH_PARENT,
	OPT_HELP,
};

static const struct option long_options[] = {
	{"preset", required_argument, NULL, OPT_PRESET},
	{"dir", required_argument, NULL, OPT_DIR},
	{"listen", required_argument, NULL, OPT_LISTEN},
	{"fault", required_argument, NULL, OPT_FAULT},
	{"scenario", required_argument, NULL, OPT_SCENARIO},
	{"seed", required_argument, NULL, OPT_SEED},
	{"speed", required_argument, NULL, OPT_SPEED},
	{"steady", no_argument, NULL, OPT_STEADY},
	{"for", required_argument, NULL, OPT_FOR},
	{"interval", required_argument, NULL, OPT_INTERVAL},
	{"stdin-watch", no_argument, NULL, OPT_STDIN_WATCH},
	{"die-with-parent", no_argument, NULL, OPT_DIE_WITH_PARENT},
	{"help", no_argument, NULL, OPT_HELP},
	{0},
};

static int complain(const struct err *err)
{
	char line[1024];

	(void)fprintf(stderr, "railtop-emulator: %s\n", err_format(err, line, sizeof(line)));
	return err->code == ERR_USAGE || err->code == ERR_CONFIG || err->code == ERR_IO
		       ? EXIT_BAD_USE
		       : EXIT_BROKEN;
}

static void print_help(void)
{
	struct buf faults;

	buf_init(&faults, 65536);
	sim_fault_list(&faults);
	(void)fputs(usage_text, stdout);
	(void)fputs(faults.data, stdout);
	buf_free(&faults);
}

static bool bad_option(const char *option, const char *value, const char *cure, struct err *err)
{
	err_set(err, ERR_USAGE, option, "\"%s\" is not understood", value);
	return err_cure(err, "%s", cure);
}

static bool read_interval(struct options *o, const char *value, struct err *err)
{
	int64_t us;

	/* The text goes into YAML as it is. */
	if (!str_to_duration(value, &us) || us <= 0 ||
		!str_copy(o->interval, sizeof(o->interval), value) ||
		strspn(value, "0123456789.msh") != strlen(value))
		return bad_option("--interval", value, "a time such as 500ms, 1s, 5s", err);
	return true;
}

static bool read_option(struct options *o, int c, struct err *err)
{
	switch (c) {
	case OPT_PRESET:
		o->preset = optarg;
		return true;
	case OPT_DIR:
		o->dir = optarg;
		return true;
	case OPT_LISTEN:
		o->listen = optarg;
		return true;
	case OPT_FAULT:
		o->faults[o->nfaults++] = optarg;
		return true;
	case OPT_SCENARIO:
		o->scenario = optarg;
		return true;
	case OPT_SEED:
		return str_to_u64(optarg, &o->seed) ||
		       bad_option("--seed", optarg, "a whole number", err);
	case OPT_SPEED:
		return (str_to_double(optarg, &o->speed) && o->speed >= 0.01 && o->speed <= 1000) ||
		       bad_option("--speed", optarg, "a number from 0.01 to 1000", err);
	case OPT_STEADY:
		o->steady = true;
		return true;
	case OPT_FOR:
		return (str_to_duration(optarg, &o->run_for) && o->run_for > 0) ||
		       bad_option("--for", optarg, "a time such as 30s, 5m", err);
	case OPT_INTERVAL:
		return read_interval(o, optarg, err);
	case OPT_STDIN_WATCH:
		o->stdin_watch = true;
		return true;
	case OPT_DIE_WITH_PARENT:
		o->die_with_parent = true;
		return true;
	default:
		err_set(err, ERR_USAGE, "", "wrong options");
		return err_cure(err, "railtop-emulator --help lists them");
	}
}

/* false with err->code ERR_NONE: help was asked for. */
static bool read_options(struct options *o, int argc, char **argv, struct err *err)
{
	int c;

	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (c == OPT_HELP || c == 'h') {
			err->code = ERR_NONE;
			return false;
		}
		if (!read_option(o, c, err))
			return false;
	}
	if (optind < argc)
		return bad_option("railtop-emulator", argv[optind], "railtop-emulator --help", err);
	if (!o->preset || !sizing_preset(o->preset)) {
		err_set(err, ERR_USAGE, "--preset",
			o->preset ? "there is no preset \"%s\"" : "missing%s",
			o->preset ? o->preset : "");
		return err_cure(err, "one of %s", sizing_preset_names());
	}
	if (!o->dir) {
		err_set(err, ERR_USAGE, "--dir", "missing");
		return err_cure(err, "a directory that may be written, such as /tmp/fabric");
	}
	return true;
}

/* One fault a line; the error names file and line. */
static bool read_scenario(struct sim *s, const char *path, struct err *err)
{
	char line[512], where[128];
	FILE *f = fopen(path, "re");
	unsigned n = 0;
	bool ok = true;

	if (!f)
		return err_set(err, ERR_CONFIG, path, "cannot read: %s", strerror(errno));
	while (ok && fgets(line, sizeof(line), f)) {
		char *text = line + strspn(line, " \t");

		n++;
		text[strcspn(text, "# \t\r\n")] = '\0';
		if (*text && !sim_fault(s, text, err)) {
			(void)str_printf(where, sizeof(where), "%s:%u", path, n);
			(void)str_copy(err->origin, sizeof(err->origin), where);
			ok = false;
		}
	}
	(void)fclose(f);
	return ok;
}

static bool make_sim(struct emulator *e, const struct options *o, struct err *err)
{
	struct sim_opts so = {.sizing = sizing_preset(o->preset),
		.seed = o->seed,
		.start_us = clock_wall(&clock_system),
		.speed = o->speed,
		.steady = o->steady};

	e->sim = sim_new(&so);
	for (size_t i = 0; i < o->nfaults; i++)
		if (!sim_fault(e->sim, o->faults[i], err))
			return false;
	return !o->scenario || read_scenario(e->sim, o->scenario, err);
}

static void stop(struct emulator *e)
{
	uv_stop(&e->loop);
}

static void on_signal(uv_signal_t *h, int number)
{
	(void)number;
	stop(h->data);
}

static void on_end(uv_timer_t *t)
{
	stop(t->data);
}

/* Whatever arrives is ignored; the end of it is the message. */
static void on_input(uv_poll_t *p, int status, int events)
{
	char junk[256];
	ssize_t n = read(STDIN_FILENO, junk, sizeof(junk));

	(void)status;
	(void)events;
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		stop(p->data);
}

static void on_changed(void *arg)
{
	struct emulator *e = arg;
	struct err err;

	if (!site_write_truth(e->site, &err))
		(void)complain(&err);
}

static void raise_limits(void)
{
	struct rlimit r;

	/* One descriptor a device and three a connection: Debian's 1,024 are soon gone. */
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

static bool start(struct emulator *e, const struct options *o, struct err *err)
{
	struct server_opts so = {
		.loop = &e->loop, .clock = &clock_system, .changed = on_changed, .arg = e};

	if (!make_sim(e, o, err))
		return false;
	e->site = site_new(o->dir, o->listen, e->sim, err);
	if (!e->site)
		return false;
	e->personality = personality_new(e->sim);
	so.sim = e->sim;
	so.personality = e->personality;
	so.site = e->site;
	e->server = server_new(&so, err);
	return e->server && site_publish(e->site, server_ssh_port(e->server),
				    server_https_port(e->server), o->interval, err);
}

static void close_handle(uv_handle_t *h, void *arg)
{
	(void)arg;
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

static void finish(struct emulator *e)
{
	server_close(e->server);
	uv_walk(&e->loop, close_handle, NULL);
	(void)uv_run(&e->loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&e->loop);
	if (e->site)
		(void)site_write_truth(e->site, NULL);
	personality_free(e->personality);
	site_free(e->site);
	sim_free(e->sim);
}

static int run(const struct options *o)
{
	struct emulator e = {0};
	struct err err = {0};
	int code = EXIT_FINE;

	(void)uv_loop_init(&e.loop);
	if (watch_ends(&e, o, &err) && start(&e, o, &err)) {
		(void)printf("ready %s/fabric.yaml\n", o->dir);
		(void)fflush(stdout);
		(void)uv_run(&e.loop, UV_RUN_DEFAULT);
	} else {
		code = complain(&err);
	}
	finish(&e);
	return code;
}

int main(int argc, char **argv)
{
	struct options o = {.listen = "127.44.0.1", .interval = "1s", .seed = 1, .speed = 1};
	struct err err = {0};
	int code;

	o.faults = calloc((size_t)argc, sizeof(*o.faults));
	if (!o.faults)
		return EXIT_BROKEN;
	if (!read_options(&o, argc, argv, &err)) {
		if (err.code == ERR_NONE)
			print_help();
		code = err.code == ERR_NONE ? EXIT_FINE : complain(&err);
		free(o.faults);
		return code;
	}
	raise_limits();
	(void)signal(SIGPIPE, SIG_IGN);
	if (o.die_with_parent)
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	code = run(&o);
	free(o.faults);
	return code;
}
