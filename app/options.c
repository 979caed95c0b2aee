/* SPDX-License-Identifier: Apache-2.0 */
#include "app/options.h"

#include <getopt.h>
#include <string.h>

#include "base/str.h"

const struct subcommand subcommand_table[] = {
#define SUBCOMMAND(id, name, takes, help) {name, takes, help, sub_##id},
#include "app/subcommands.def"
#undef SUBCOMMAND
};
const size_t subcommand_count = sizeof(subcommand_table) / sizeof(subcommand_table[0]);

struct option_info {
	const char *name;
	int letter;
	const char *arg, *help;
};

static const struct option_info option_info[OPT_COUNT] = {
#define OPTION(id, name, letter, arg, help) {name, letter, arg, help},
#include "app/options.def"
#undef OPTION
};

/* See struct subcommand, takes. */
enum takes { TAKES_NOT, TAKES, TAKES_BARE, TAKES_LIST };

static enum takes takes(const struct subcommand *sub, const char *name)
{
	size_t n = strlen(name);
	const char *at = sub->takes;

	if (str_eq(name, "help") || str_eq(name, "version"))
		return TAKES;
	while ((at = strstr(at, name))) {
		bool starts = at == sub->takes || at[-1] == ' ';

		if (starts && (at[n] == ' ' || at[n] == '\0'))
			return TAKES;
		if (starts && at[n] == '!')
			return TAKES_BARE;
		if (starts && at[n] == '*')
			return TAKES_LIST;
		at += n;
	}
	return TAKES_NOT;
}

static bool bad_value(struct err *err, const char *name, const char *value, const char *want)
{
	err_set(err, ERR_USAGE, "", "--%s: \"%s\" is not %s", name, value, want);
	return false;
}

static bool set_number(struct options *o, enum option_id id, const char *value, struct err *err)
{
	const char *name = option_info[id].name;
	uint64_t n = 0;

	if (id == OPT_FOR) {
		if (!str_to_duration(value, &o->for_us) || o->for_us <= 0 ||
			o->for_us > 86400 * INT64_C(1000000))
			return bad_value(err, name, value, "a time such as 10s or 2m, at most 24h");
		return true;
	}
	if (id == OPT_WATCH) {
		if (!str_to_duration(value, &o->watch_us) || o->watch_us < 0 ||
			o->watch_us > 86400 * INT64_C(1000000))
			return bad_value(err, name, value, "a time such as 15m, or 0");
		return true;
	}
	if (!str_to_u64(value, &n))
		return bad_value(err, name, value, "a whole number");
	if (id == OPT_SEED)
		o->seed = n;
	if (id == OPT_LIMIT && (n < 1 || n > 100000))
		return bad_value(err, name, value, "between 1 and 100000");
	if (id == OPT_LIMIT)
		o->limit = n;
	if (id == OPT_COLLECTORS && (n < 1 || n > 64))
		return bad_value(err, name, value, "between 1 and 64");
	if (id == OPT_COLLECTORS)
		o->collectors = (unsigned)n;
	if (id == OPT_IDLE_FD && n > 1023)
		return bad_value(err, name, value, "an open file descriptor");
	if (id == OPT_IDLE_FD)
		o->idle_fd = (int)n;
	return true;
}

static bool set(struct options *o, enum option_id id, const char *value, struct err *err)
{
	switch (id) {
	case OPT_INVENTORY:
		o->inventory = value;
		break;
	case OPT_OBSERVATIONS:
		o->observations = value;
		break;
	case OPT_KEYMAP:
		o->keymap = value;
		break;
	case OPT_THEME:
		o->theme = value;
		break;
	case OPT_JSON:
		o->json = value;
		break;
	case OPT_TEXT:
		o->text = value;
		break;
	case OPT_PRESET:
		o->preset = value;
		break;
	case OPT_LOG:
		o->log = value;
		break;
	case OPT_VIEW:
		o->view = value;
		break;
	case OPT_RANK:
		o->rank = value;
		break;
	case OPT_HOST:
		o->host = value;
		break;
	case OPT_JOB:
		o->job = value;
		break;
	case OPT_AT:
		o->at = value;
		break;
	case OPT_SCENARIO:
		o->scenario = value;
		break;
	case OPT_DIR:
		o->dir = value;
		break;
	case OPT_OUTPUT:
		o->output = value;
		break;
	case OPT_USER:
		o->user = value;
		break;
	case OPT_IDENTITY:
		o->identity = value;
		break;
	case OPT_SSH_CONFIG:
		o->ssh_config = value;
		break;
	case OPT_KNOWN_HOSTS:
		o->known_hosts = value;
		break;
	case OPT_REASON:
		o->reason = value;
		break;
	case OPT_INCIDENT:
		o->incident = value;
		break;
	case OPT_LEDGER:
		o->ledger = value;
		break;
	case OPT_EXECUTE:
		o->execute = true;
		break;
	case OPT_DRY_RUN:
		break;
	case OPT_FAULT:
		vec_push(&o->faults, value);
		break;
	case OPT_ASCII:
		o->ascii = true;
		break;
	case OPT_READ_ONLY:
		o->read_only = true;
		break;
	case OPT_HELP:
		o->help = true;
		break;
	case OPT_VERSION:
		o->version = true;
		break;
	case OPT_COLLECTORS:
	case OPT_IDLE_FD:
	case OPT_FOR:
	case OPT_SEED:
	case OPT_LIMIT:
	case OPT_WATCH:
		return set_number(o, id, value, err);
	case OPT_COUNT:
		break;
	}
	return true;
}

static const struct subcommand *find_subcommand(const char *name)
{
	for (size_t i = 0; i < subcommand_count; i++) {
		if (str_eq(subcommand_table[i].name, name))
			return &subcommand_table[i];
	}
	return NULL;
}

static bool no_subcommand(struct err *err, const char *name)
{
	char all[256] = "";

	for (size_t i = 0; i < subcommand_count; i++)
		(void)str_printf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
			i ? ", " : "", subcommand_table[i].name);
	err_set(err, ERR_USAGE, "", "no command \"%s\"", name);
	return err_cure(err, "commands: %s", all);
}

/* c is '?' or ':' of getopt; only it knows which letter of a cluster like -hz it stopped at. */
static bool bad_option(int c, char **argv, const struct subcommand *sub, struct err *err)
{
	const char *word = argv[optind - 1];
	char call[32] = "";

	if (optopt >= 256)
		(void)str_printf(call, sizeof(call), "--%s", option_info[optopt - 256].name);
	else if (optopt)
		(void)str_printf(call, sizeof(call), "-%c", optopt);
	if (c == ':')
		err_set(err, ERR_USAGE, "", "%s needs an argument", call);
	else if (optopt >= 256)
		err_set(err, ERR_USAGE, "", "%s takes no argument", call);
	else
		err_set(err, ERR_USAGE, "", "no option %s", *call ? call : word);
	return err_cure(err, "railtop %s --help lists them", sub->name);
}

/* How many words may follow the options. */
static size_t words_of(const struct subcommand *sub)
{
	size_t n = 0;

	for (const char *at = sub->takes; (at = strchr(at, '<')); at++)
		n++;
	return n;
}

/* Words behind the options: of the subcommand itself, or for the option that takes a list. */
static bool read_rest(
	int argc, char **argv, struct options *o, const struct subcommand *sub, struct err *err)
{
	size_t words = words_of(sub);

	while (optind < argc && o->words.n < words)
		vec_push(&o->words, argv[optind++]);
	if (optind < argc && takes(sub, "seed") != TAKES_LIST)
		return err_set(err, ERR_USAGE, "", "unexpected argument \"%s\"", argv[optind]);
	while (optind < argc)
		vec_push(&o->seeds, argv[optind++]);
	return true;
}

/* ":f:o:h", from the table. */
static void short_options(char *dst, size_t size)
{
	(void)str_copy(dst, size, ":");
	for (int i = 0; i < OPT_COUNT; i++)
		if (option_info[i].letter)
			(void)str_printf(dst + strlen(dst), size - strlen(dst), "%c%s",
				option_info[i].letter, option_info[i].arg ? ":" : "");
}

static int option_of(int c)
{
	int id = c - 256;

	for (int i = 0; id < 0 && i < OPT_COUNT; i++)
		if (option_info[i].letter == c)
			return i;
	return id;
}

static bool read_options(
	int argc, char **argv, struct options *o, const struct subcommand *sub, struct err *err)
{
	struct option longs[OPT_COUNT + 1] = {{0}};
	char letters[2 * OPT_COUNT + 2];
	int c;

	for (int i = 0; i < OPT_COUNT; i++) {
		bool arg = option_info[i].arg && takes(sub, option_info[i].name) != TAKES_BARE;

		longs[i] = (struct option){
			option_info[i].name, arg ? required_argument : no_argument, NULL, 256 + i};
	}
	opterr = 0;
	/* Not 1: that would go on in a cluster of letters at which the last reading stopped. */
	optind = 0;
	short_options(letters, sizeof(letters));
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		int id = option_of(c);

		if (c == '?' || c == ':')
			return bad_option(c, argv, sub, err);
		if (!takes(sub, option_info[id].name)) {
			err_set(err, ERR_USAGE, "", "railtop %s does not take --%s", sub->name,
				option_info[id].name);
			return err_cure(err, "railtop %s --help lists what it takes", sub->name);
		}
		o->given[id] = true;
		if (takes(sub, option_info[id].name) == TAKES_LIST)
			vec_push(&o->seeds, optarg);
		else if (!set(o, (enum option_id)id, optarg ? optarg : "-", err))
			return false;
	}
	return read_rest(argc, argv, o, sub, err);
}

bool options_read(
	int argc, char **argv, struct options *o, const struct subcommand **sub, struct err *err)
{
	memset(o, 0, sizeof(*o));
	o->collectors = 1;
	o->seed = 1;
	o->idle_fd = -1;
	o->watch_us = -1;
	*sub = &subcommand_table[0];
	if (argc > 1 && argv[1][0] != '-') {
		*sub = find_subcommand(argv[1]);
		if (!*sub)
			return no_subcommand(err, argv[1]);
		argc--;
		argv++;
	}
	return read_options(argc, argv, o, *sub, err);
}

void options_free(struct options *o)
{
	vec_free(&o->faults);
	vec_free(&o->seeds);
	vec_free(&o->words);
}

static void option_call(const struct option_info *i, bool bare, char *dst, size_t size)
{
	const char *arg = i->arg && !bare ? i->arg : "";
	char letter[8] = "    ";

	if (i->letter)
		(void)str_printf(letter, sizeof(letter), "-%c, ", i->letter);
	(void)str_printf(dst, size, "%s--%s%s%s", letter, i->name, *arg ? " " : "", arg);
}

/* "<ACTION> <TARGET>": how much of takes that is. */
static int words_length(const struct subcommand *sub)
{
	const char *end = strrchr(sub->takes, '>');

	return end ? (int)(end + 1 - sub->takes) : 0;
}

static void usage_options(FILE *out, const struct subcommand *sub)
{
	for (size_t i = 0; i < OPT_COUNT; i++) {
		char call[64];
		enum takes how = takes(sub, option_info[i].name);

		if (how == TAKES_NOT)
			continue;
		option_call(&option_info[i], how == TAKES_BARE, call, sizeof(call));
		(void)fprintf(out, "  %-26s %s\n", call, option_info[i].help);
	}
}

void options_usage(FILE *out, const struct subcommand *sub)
{
	if (sub) {
		(void)fprintf(out, "railtop %s%s%.*s: %s\n\n", sub->name, words_of(sub) ? " " : "",
			words_length(sub), sub->takes, sub->help);
		usage_options(out, sub);
		return;
	}
	(void)fprintf(out,
		"railtop %s: operations console for RoCEv2 GPU fabrics\n\n"
		"  railtop -f fabric.yaml\n  railtop demo\n  railtop COMMAND --help\n\n",
		RAILTOP_VERSION);
	for (size_t i = 0; i < subcommand_count; i++)
		(void)fprintf(
			out, "  %-10s %s\n", subcommand_table[i].name, subcommand_table[i].help);
}

void options_roff(FILE *out)
{
	for (size_t i = 0; i < subcommand_count; i++) {
		const struct subcommand *sub = &subcommand_table[i];
		int words = words_length(sub);

		(void)fprintf(out, ".TP\n.B railtop %s%s%.*s\n%s.\nOptions: %s.\n", sub->name,
			words ? " " : "", words, sub->takes, sub->help,
			sub->takes + words + (words ? 1 : 0));
	}
	(void)fprintf(out, ".SH OPTIONS\n");
	for (size_t i = 0; i < OPT_COUNT; i++) {
		const struct option_info *info = &option_info[i];

		(void)fprintf(out, ".TP\n.B ");
		if (info->letter)
			(void)fprintf(out, "\\-%c \\fR|\\fB ", info->letter);
		(void)fprintf(out, "\\-\\-%s%s%s\n%s\n", info->name, info->arg ? " \\fI" : "",
			info->arg ? info->arg : "", info->help);
	}
}
