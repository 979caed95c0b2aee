/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/topology_file.h"

static const char usage_text[] =
	"usage: railtop-emulator {--preset P | --topology FILE} --dir DIR [options]\n"
	"       railtop-emulator ctl DIR {inject SPEC | heal WHAT | list | status | jobs | stop}\n"
	"\n"
	"An emulated RoCEv2 fabric on loopback, behind real SSH and HTTPS. Prints\n"
	"\"ready DIR/fabric.yaml\" when every device listens.\n"
	"\n"
	"  --preset P        ref256, 4k, 24k, 100k, or a file of topologies/: two-leaf-rail,\n"
	"                    rail-only, single-spine, three-tier, breakout, dual-plane,\n"
	"                    mixed-hosts, lag-pairs, two-nics\n"
	"  --topology FILE   a fabric.yaml instead, as the console reads it\n"
	"  --platforms LIST  what the switches of a tier are: leaf=sonic-broadcom,spine=nxos\n"
	"  --with LIST       more networks beside the backend: storage,frontend,oob\n"
	"  --dir DIR         where keys, known_hosts, ca.pem, fabric.yaml and truth.json go\n"
	"  --listen 127.x.y.z  address of the first device (127.44.0.1); one address each\n"
	"  --job SPEC        name=N,kind=K,hosts=0-23,...; may be given again; replaces the mix\n"
	"  --fault SPEC      class:device[:port][,key=value...]; may be given again\n"
	"  --scenario FILE   faults and jobs with their times, one a line, # comments\n"
	"  --observations FILE  writes the run as observation JSON lines, 4 GB at most; - for\n"
	"                    standard output\n"
	"  --observe-interval T  device time between two observations (5s)\n"
	"  --command-log FILE  every command and request that devices were sent, as JSON lines\n"
	"  --seed N          the same seed makes the same fabric and traffic (1)\n"
	"  --mutate PERCENT  so many of the answers have wrong bytes in them (0)\n"
	"  --speed X         devices live X times as fast, their clocks too (1)\n"
	"  --steady          constant load: rates stand still between faults\n"
	"  --silent-hosts    hosts run no lldpd: LLDP shows nothing of their links at either end\n"
	"  --for DURATION    stop after this time\n"
	"  --interval T      polling interval that fabric.yaml asks for (1s)\n"
	"  --actions         fabric.yaml lets the console act, with its ledger in DIR\n"
	"  --stdin-watch     stop when standard input closes\n"
	"  --die-with-parent stop when the parent process ends\n"
	"  --version         print the version\n"
	"  --help\n"
	"\n"
	"ctl speaks to the emulator that runs in DIR: breaks and mends things while it lives.\n"
	"\n"
	"Faults (at= when, for= how long):\n";

enum {
	OPT_PRESET = 256,
	OPT_TOPOLOGY,
	OPT_PLATFORMS,
	OPT_WITH,
	OPT_DIR,
	OPT_LISTEN,
	OPT_JOB,
	OPT_FAULT,
	OPT_SCENARIO,
	OPT_OBSERVATIONS,
	OPT_OBSERVE_INTERVAL,
	OPT_COMMAND_LOG,
	OPT_SEED,
	OPT_MUTATE,
	OPT_SPEED,
	OPT_STEADY,
	OPT_SILENT_HOSTS,
	OPT_FOR,
	OPT_INTERVAL,
	OPT_ACTIONS,
	OPT_STDIN_WATCH,
	OPT_DIE_WITH_PARENT,
	OPT_HELP,
};

static const struct option long_options[] = {
	{"preset", required_argument, NULL, OPT_PRESET},
	{"topology", required_argument, NULL, OPT_TOPOLOGY},
	{"platforms", required_argument, NULL, OPT_PLATFORMS},
	{"with", required_argument, NULL, OPT_WITH},
	{"dir", required_argument, NULL, OPT_DIR},
	{"listen", required_argument, NULL, OPT_LISTEN},
	{"job", required_argument, NULL, OPT_JOB},
	{"fault", required_argument, NULL, OPT_FAULT},
	{"scenario", required_argument, NULL, OPT_SCENARIO},
	{"observations", required_argument, NULL, OPT_OBSERVATIONS},
	{"observe-interval", required_argument, NULL, OPT_OBSERVE_INTERVAL},
	{"command-log", required_argument, NULL, OPT_COMMAND_LOG},
	{"seed", required_argument, NULL, OPT_SEED},
	{"mutate", required_argument, NULL, OPT_MUTATE},
	{"speed", required_argument, NULL, OPT_SPEED},
	{"steady", no_argument, NULL, OPT_STEADY},
	{"silent-hosts", no_argument, NULL, OPT_SILENT_HOSTS},
	{"for", required_argument, NULL, OPT_FOR},
	{"interval", required_argument, NULL, OPT_INTERVAL},
	{"actions", no_argument, NULL, OPT_ACTIONS},
	{"stdin-watch", no_argument, NULL, OPT_STDIN_WATCH},
	{"die-with-parent", no_argument, NULL, OPT_DIE_WITH_PARENT},
	{"help", no_argument, NULL, OPT_HELP},
	{0},
};

void options_print_help(void)
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

	/* The text is copied into YAML as it is. */
	if (!str_to_duration(value, &us) || us <= 0 ||
		!str_copy(o->interval, sizeof(o->interval), value) ||
		strspn(value, "0123456789.msh") != strlen(value))
		return bad_option("--interval", value, "a time such as 500ms, 1s, 5s", err);
	return true;
}

static bool read_time(const char *option, const char *value, int64_t *us, struct err *err)
{
	return (str_to_duration(value, us) && *us >= CLOCK_MSEC) ||
	       bad_option(option, value, "a time such as 30s, 5m", err);
}

/* "leaf=eos" without the comma after it. */
static bool read_platform(struct options *o, const char *text, struct err *err)
{
	static const char *const tiers[TIER_COUNT] = {
		[TIER_LEAF] = "leaf", [TIER_SPINE] = "spine", [TIER_SUPERSPINE] = "superspine"};
	const char *equals = strchr(text, '=');
	const struct sim_platform *p = equals ? sim_platform(equals + 1) : NULL;

	for (int t = TIER_LEAF; p && t < TIER_COUNT; t++)
		if (tiers[t] && strlen(tiers[t]) == (size_t)(equals - text) &&
			strncmp(tiers[t], text, (size_t)(equals - text)) == 0) {
			o->platform[t] = p;
			return true;
		}
	err_set(err, ERR_USAGE, "--platforms", "\"%s\" is not understood", text);
	return err_cure(err, "leaf=, spine= or superspine= with one of %s", sim_platform_names());
}

static bool read_platforms(struct options *o, const char *list, struct err *err)
{
	char text[64];

	while (*list) {
		size_t n = strcspn(list, ",");

		if (!str_copyn(text, sizeof(text), list, n) || !read_platform(o, text, err))
			return false;
		list += n + (list[n] == ',');
	}
	return true;
}

static bool read_percent(struct options *o, const char *value, struct err *err)
{
	uint64_t n;

	if (!str_to_u64(value, &n) || n > 100)
		return bad_option("--mutate", value, "a whole number from 0 to 100", err);
	o->mutate = (unsigned)n;
	return true;
}

static bool read_number(struct options *o, int c, struct err *err)
{
	switch (c) {
	case OPT_SEED:
		return str_to_u64(optarg, &o->seed) ||
		       bad_option("--seed", optarg, "a whole number", err);
	case OPT_MUTATE:
		return read_percent(o, optarg, err);
	case OPT_SPEED:
		return (str_to_double(optarg, &o->speed) && o->speed >= 0.01 && o->speed <= 1000) ||
		       bad_option("--speed", optarg, "a number from 0.01 to 1000", err);
	case OPT_FOR:
		return read_time("--for", optarg, &o->run_for, err);
	case OPT_OBSERVE_INTERVAL:
		return read_time("--observe-interval", optarg, &o->observe_interval, err);
	case OPT_INTERVAL:
		return read_interval(o, optarg, err);
	case OPT_PLATFORMS:
		return read_platforms(o, optarg, err);
	case OPT_WITH:
		return topology_networks(optarg, &o->with, err);
	default:
		err_set(err, ERR_USAGE, "", "wrong options");
		return err_cure(err, "railtop-emulator --help lists them");
	}
}

static bool read_option(struct options *o, int c, struct err *err)
{
	switch (c) {
	case OPT_PRESET:
		o->preset = optarg;
		return true;
	case OPT_TOPOLOGY:
		o->topology = optarg;
		return true;
	case OPT_DIR:
		o->dir = optarg;
		return true;
	case OPT_LISTEN:
		o->listen = optarg;
		return true;
	case OPT_JOB:
		o->jobs[o->njobs++] = optarg;
		return true;
	case OPT_FAULT:
		o->faults[o->nfaults++] = optarg;
		return true;
	case OPT_SCENARIO:
		o->scenario = optarg;
		return true;
	case OPT_OBSERVATIONS:
		o->observations = optarg;
		return true;
	case OPT_COMMAND_LOG:
		o->command_log = optarg;
		return true;
	case OPT_STEADY:
		o->steady = true;
		return true;
	case OPT_SILENT_HOSTS:
		o->silent_hosts = true;
		return true;
	case OPT_ACTIONS:
		o->actions = true;
		return true;
	case OPT_STDIN_WATCH:
		o->stdin_watch = true;
		return true;
	case OPT_DIE_WITH_PARENT:
		o->die_with_parent = true;
		return true;
	default:
		return read_number(o, c, err);
	}
}

static bool check_complete(const struct options *o, struct err *err)
{
	if (o->preset && o->topology) {
		err_set(err, ERR_USAGE, "--topology", "and --preset exclude each other");
		return err_cure(err, "a topology file may name a preset itself");
	}
	if (!o->topology && !o->preset) {
		struct buf names;

		buf_init(&names, sizeof(err->cure) - 64);
		topology_names(&names);
		err_set(err, ERR_USAGE, "--preset", "missing");
		err_cure(err, "one of %s, or --topology FILE", names.data);
		buf_free(&names);
		return false;
	}
	if (!o->dir) {
		err_set(err, ERR_USAGE, "--dir", "missing");
		return err_cure(err, "a directory that may be written, such as /tmp/fabric");
	}
	return true;
}

bool options_read(struct options *o, int argc, char **argv, struct err *err)
{
	int c;

	*o = (struct options){.listen = "127.44.0.1",
		.interval = "1s",
		.seed = 1,
		.speed = 1,
		.observe_interval = 5 * CLOCK_SEC};
	o->faults = mem_calloc((size_t)argc + 1, sizeof(*o->faults));
	o->jobs = mem_calloc((size_t)argc + 1, sizeof(*o->jobs));
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
	return check_complete(o, err);
}

void options_free(struct options *o)
{
	free(o->faults);
	free(o->jobs);
}
