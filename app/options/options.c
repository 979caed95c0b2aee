/* SPDX-License-Identifier: Apache-2.0 */
#include "app/options/options_private.h"

#include <getopt.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "fabric/history/history.h"
#include "fabric/query/name_suggestions.h"
#include "views/view.h"

#define VIEW(id) extern const struct view_ops view_##id;
#include "views/views.def"
#undef VIEW

const struct subcommand subcommand_table[] = {
#define SUBCOMMAND(id, name, takes, help)        {name, takes, help, sub_##id, false, NULL},
#define SUBCOMMAND_HIDDEN(id, name, takes, help) {name, takes, help, sub_##id, true, NULL},
#include "app/options/subcommands.def"
#undef SUBCOMMAND
#undef SUBCOMMAND_HIDDEN
#define VIEW(id)                                                                                   \
	{#id, "<PLACE...> " ROWS_OPTIONS, "the rows of the view " #id, sub_rows, false, &view_##id},
#include "views/views.def"
#undef VIEW
};
const size_t subcommand_count = sizeof(subcommand_table) / sizeof(subcommand_table[0]);

const struct exit_status exit_statuses[] = {
#define EXIT_STATUS(id, code, word, meaning) {code, word, meaning},
#include "app/options/exit_status.def"
#undef EXIT_STATUS
};
const size_t exit_status_count = sizeof(exit_statuses) / sizeof(exit_statuses[0]);

const struct option_info option_info[OPT_COUNT] = {
#define OPTION(id, name, letter, arg, file, help) {name, letter, arg, FILE_##file, help},
#include "app/options/options.def"
#undef OPTION
};

enum takes takes_option(const struct subcommand *sub, const char *name)
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

#define SECOND INT64_C(1000000)
#define DAY    (86400 * SECOND)

/* A time within limits, which want describes. */
static bool set_time(int64_t *dst, enum option_id id, const char *value, int64_t least,
	int64_t most, const char *want, struct err *err)
{
	return (str_to_duration(value, dst) && *dst >= least && *dst <= most) ||
	       bad_value(err, option_info[id].name, value, want);
}

/* A size of recordings; one below the minimum is an error. */
static bool set_size(uint64_t *dst, enum option_id id, const char *value, struct err *err)
{
	if (id == OPT_HISTORY && str_eq(value, "0")) {
		*dst = 0;
		return true;
	}
	return (str_to_bytes(value, dst) && *dst >= 1000000) ||
	       bad_value(err, option_info[id].name, value,
		       id == OPT_HISTORY ? "a size such as 2GB, at least 1MB, or 0"
					 : "a size such as 2GB, at least 1MB");
}

static bool set_memory(uint64_t *dst, enum option_id id, const char *value, struct err *err)
{
	return (str_to_bytes(value, dst) && *dst >= HISTORY_BUDGET_LEAST) ||
	       bad_value(err, option_info[id].name, value, "a size such as 512MB, at least 16MB");
}

static bool set_count(uint64_t *dst, enum option_id id, const char *value, uint64_t least,
	uint64_t most, struct err *err)
{
	char want[64];

	if (!str_to_u64(value, dst))
		return bad_value(err, option_info[id].name, value, "a whole number");
	(void)str_printf(want, sizeof(want), "between %llu and %llu", (unsigned long long)least,
		(unsigned long long)most);
	return (*dst >= least && *dst <= most) || bad_value(err, option_info[id].name, value, want);
}

static bool set_number(struct options *o, enum option_id id, const char *value, struct err *err)
{
	uint64_t n = 0;

	switch ((int)id) {
	case OPT_FOR:
		return set_time(&o->for_us, id, value, 1, DAY,
			"a time such as 10s or 2m, at most 24h", err);
	case OPT_WATCH:
		return set_time(&o->watch_us, id, value, 0, DAY, "a time such as 15m, or 0", err);
	case OPT_SINCE:
		return set_time(&o->since_us, id, value, 60 * SECOND, 31 * DAY,
			"a time such as 8h, from 1m to 744h", err);
	case OPT_ROTATE:
		return set_time(&o->rotate_us, id, value, 2 * SECOND, 3600 * SECOND,
			"a time such as 20s, from 2s to 1h", err);
	case OPT_OTLP_EVERY:
		return set_time(&o->otlp_every_us, id, value, SECOND, 3600 * SECOND,
			"a time such as 15s, from 1s to 1h", err);
	case OPT_ROTATE_AGE:
		return set_time(&o->rotate_age_us, id, value, 60 * SECOND, 366 * DAY,
			"a time such as 8h, at least a minute", err);
	case OPT_HISTORY:
		return set_size(&o->history, id, value, err);
	case OPT_MEMORY:
		return set_memory(&o->memory, id, value, err);
	case OPT_ROTATE_SIZE:
		return set_size(&o->rotate_size, id, value, err);
	case OPT_KEEP:
		return set_count(&o->keep, id, value, 1, 100000, err);
	case OPT_LIMIT:
		return set_count(&o->limit, id, value, 1, 100000, err);
	case OPT_SEED:
		return set_count(&o->seed, id, value, 0, UINT64_MAX, err);
	case OPT_COLLECTORS:
		if (!set_count(&n, id, value, 1, 64, err))
			return false;
		o->collectors = (unsigned)n;
		return true;
	case OPT_IDLE_FD:
		if (!set_count(&n, id, value, 0, UINT64_MAX, err))
			return false;
		if (n > 1023)
			return bad_value(
				err, option_info[id].name, value, "an open file descriptor");
		o->idle_fd = (int)n;
		return true;
	}
	return true;
}

/* Offsets of string options in struct options, plus 1. */
#define TEXT(field) (1 + offsetof(struct options, field))
static const size_t texts[OPT_COUNT] = {
	[OPT_INVENTORY] = TEXT(inventory),
	[OPT_OBSERVATIONS] = TEXT(observations),
	[OPT_KEYMAP] = TEXT(keymap),
	[OPT_THEME] = TEXT(theme),
	[OPT_JSON] = TEXT(json),
	[OPT_TEXT] = TEXT(text),
	[OPT_PRESET] = TEXT(preset),
	[OPT_LOG] = TEXT(log),
	[OPT_VIEW] = TEXT(view),
	[OPT_RANK] = TEXT(rank),
	[OPT_HOST] = TEXT(host),
	[OPT_JOB] = TEXT(job),
	[OPT_AT] = TEXT(at),
	[OPT_CHECK] = TEXT(check),
	[OPT_SCENARIO] = TEXT(scenario),
	[OPT_DIR] = TEXT(dir),
	[OPT_OUTPUT] = TEXT(output),
	[OPT_DIALECT] = TEXT(dialect),
	[OPT_USER] = TEXT(user),
	[OPT_IDENTITY] = TEXT(identity),
	[OPT_SSH_CONFIG] = TEXT(ssh_config),
	[OPT_KNOWN_HOSTS] = TEXT(known_hosts),
	[OPT_REASON] = TEXT(reason),
	[OPT_INCIDENT] = TEXT(incident),
	[OPT_LEDGER] = TEXT(ledger),
	[OPT_ANCHOR] = TEXT(anchor),
	[OPT_WHERE] = TEXT(where),
	[OPT_SORT] = TEXT(sort),
	[OPT_COLUMNS] = TEXT(columns),
	[OPT_RECORD] = TEXT(record),
	[OPT_SNAPSHOTS] = TEXT(snapshots),
	[OPT_ASCIICAST] = TEXT(asciicast),
	[OPT_FROM] = TEXT(from),
	[OPT_MD] = TEXT(md),
	[OPT_TICKET] = TEXT(ticket),
	[OPT_JIRA] = TEXT(jira),
	[OPT_SERVICENOW] = TEXT(servicenow),
	[OPT_LISTEN] = TEXT(listen),
	[OPT_TLS_CERT] = TEXT(tls_cert),
	[OPT_TLS_KEY] = TEXT(tls_key),
	[OPT_TOKEN_FILE] = TEXT(token_file),
	[OPT_OTLP] = TEXT(otlp),
	[OPT_OTLP_TOKEN_FILE] = TEXT(otlp_token_file),
	[OPT_OTLP_CA] = TEXT(otlp_ca),
	[OPT_SLURM] = TEXT(slurm),
	[OPT_PARTNER] = TEXT(partner),
	[OPT_BASELINES] = TEXT(baselines),
	[OPT_STORE] = TEXT(store),
};
/* Offsets of flags in struct options, plus 1. */
static const size_t flags[OPT_COUNT] = {
	[OPT_EXECUTE] = TEXT(execute),
	[OPT_ASCII] = TEXT(ascii),
	[OPT_READ_ONLY] = TEXT(read_only),
	[OPT_NOC] = TEXT(noc),
	[OPT_HELP] = TEXT(help),
	[OPT_VERSION] = TEXT(version),
	[OPT_CSV] = TEXT(csv),
	[OPT_REDACT] = TEXT(redact),
	[OPT_ONCE] = TEXT(once),
	[OPT_TEST_NOTIFY] = TEXT(test_notify),
	[OPT_INSECURE] = TEXT(insecure),
	[OPT_FORCE] = TEXT(force),
	[OPT_TOPOGRAPH] = TEXT(topograph),
};
#undef TEXT

const char *options_text(const struct options *o, enum option_id id)
{
	const char *text = NULL;

	if (texts[id])
		memcpy(&text, (const char *)o + texts[id] - 1, sizeof(text));
	return text;
}

enum option_file options_file(const struct subcommand *sub, enum option_id id)
{
	/* Of some subcommands --json takes no argument. */
	if (takes_option(sub, option_info[id].name) == TAKES_BARE)
		return FILE_NO_FILE;
	return option_info[id].file;
}

/* "$FILE" of a script in which it is not set. */
static bool names_nothing(enum option_id id, const char *value)
{
	return option_info[id].file != FILE_NO_FILE && !*value;
}

static bool set_option(struct options *o, enum option_id id, const char *value, struct err *err)
{
	if (names_nothing(id, value)) {
		err_set(err, ERR_USAGE, "", "--%s: the name is empty", option_info[id].name);
		return err_cure(err, "leave the option out, or name a %s",
			option_info[id].file == FILE_MAKES_IN || id == OPT_DIR ? "directory"
									       : "file");
	}
	if (id == OPT_INVENTORY && str_eq(value, "-")) {
		err_set(err, ERR_USAGE, "",
			"-f -: an inventory is a file, and paths in it are relative to it");
		return err_cure(err, "write it to a file and name that");
	}
	if (texts[id])
		memcpy((char *)o + texts[id] - 1, &value, sizeof(value));
	else if (flags[id])
		*(bool *)((char *)o + flags[id] - 1) = true;
	else if (id == OPT_FAULT)
		vec_push(&o->faults, value);
	else if (id != OPT_DRY_RUN)
		return set_number(o, id, value, err);
	return true;
}

static bool ends_with(const char *word, const char *end)
{
	size_t n = strlen(word), m = strlen(end);

	return n > m && str_eq(word + n - m, end);
}

const struct subcommand *find_subcommand(const char *name)
{
	for (size_t i = 0; i < subcommand_count; i++) {
		if (str_eq(subcommand_table[i].name, name))
			return &subcommand_table[i];
	}
	return NULL;
}

static bool is_command(const char *name)
{
	return find_subcommand(name) && !view_by_name(name);
}

/* Commands and options of other programs that a person may type here, and what railtop has for
 * them. */
static const struct {
	const char *word, *cure;
} habits[] = {
#define HABIT(word, cure) {word, cure},
#include "app/options/habits.def"
#undef HABIT
};

static const char *habit_cure(const char *word)
{
	for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++)
		if (str_eq(habits[i].word, word))
			return habits[i].cure;
	return NULL;
}

static bool no_subcommand(struct err *err, const char *name)
{
	struct name_suggestions near;
	char all[256] = "", nearest[128];

	name_suggestions_init(&near, name);
	for (size_t i = 0; i < subcommand_count; i++)
		name_suggestions_offer(&near, subcommand_table[i].name);
	if (ends_with(name, ".yaml") || ends_with(name, ".yml") || access(name, R_OK) == 0) {
		bool recording = ends_with(name, ".rts");

		err_set(err, ERR_USAGE, name, "is a file, and no command");
		return err_cure(err, recording ? "railtop open %s" : "railtop -f %s", name);
	}
	err_set(err, ERR_USAGE, "", "no command \"%s\"", name);
	if (habit_cure(name))
		return err_cure(err, "%s", habit_cure(name));
	if (name_suggestions_format(&near, nearest, sizeof(nearest)))
		return err_cure(err, "did you mean %s? railtop help lists all", nearest);
	for (size_t i = 0; i < subcommand_count && !subcommand_table[i].view; i++)
		if (!subcommand_table[i].hidden)
			(void)str_printf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
				i ? ", " : "", subcommand_table[i].name);
	return err_cure(err, "commands: %s, or the name of a view", all);
}

/*
 * The command that stands behind options, as kubectl and git take it; NULL: none. Only those that
 * are no place, so not "leaf".
 */
static const char *late_command(int argc, char **argv, const struct subcommand *sub)
{
	for (int i = 1; sub == subcommand_table && i < argc; i++)
		if (is_command(argv[i]))
			return argv[i];
	return NULL;
}

/* "-o json" and "--output=csv" of other programs. */
static const char *format_option(const char *value)
{
	static const char *const names[][2] = {{"json", "--json"}, {"yaml", "--json"},
		{"csv", "--csv"}, {"wide", "--columns"}, {"md", "--md"}, {"markdown", "--md"}};

	for (size_t i = 0; value && i < sizeof(names) / sizeof(names[0]); i++)
		if (str_eq(value, names[i][0]))
			return names[i][1];
	return NULL;
}

static bool not_taken(
	const struct subcommand *sub, enum option_id id, const char *late, struct err *err)
{
	const char *format = id == OPT_OUTPUT ? format_option(optarg) : NULL;

	if (late) {
		err_set(err, ERR_USAGE, "", "--%s stands before the command", option_info[id].name);
		return err_cure(err, "the command stands first: railtop %s ...", late);
	}
	err_set(err, ERR_USAGE, sub->name, "it does not take --%s", option_info[id].name);
	if (format && takes_option(sub, format + 2) != TAKES_NOT)
		return err_cure(err, "railtop %s %s", sub->name, format);
	return err_cure(err, "railtop %s --help lists its options", sub->name);
}

/* c is '?' or ':' of getopt. Only getopt knows the letter at which it stopped in -hz. */
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
	if (c == '?' && optopt < 256 && habit_cure(*call ? call : word))
		return err_cure(err, "%s", habit_cure(*call ? call : word));
	return err_cure(err, "railtop %s --help lists them", sub->name);
}

size_t words_of(const struct subcommand *sub)
{
	size_t n = strstr(sub->takes, "...>") ? 4 : 0;

	for (const char *at = sub->takes; (at = strchr(at, '<')); at++)
		n++;
	return n;
}

static bool unexpected(const char *word, const struct subcommand *sub, struct err *err)
{
	err_set(err, ERR_USAGE, "", "unexpected argument \"%s\"", word);
	if (sub == subcommand_table && is_command(word))
		return err_cure(err, "the command stands first: railtop %s ...", word);
	if (ends_with(word, ".rts") && takes_option(sub, "from") != TAKES_NOT)
		return err_cure(err, "railtop %s %s %s", sub->name,
			takes_option(sub, "output") != TAKES_NOT ? "-o" : "--from", word);
	if (ends_with(word, ".rts") && takes_option(sub, "output") != TAKES_NOT)
		return err_cure(err, "railtop %s -o %s", sub->name, word);
	if ((ends_with(word, ".yaml") || ends_with(word, ".yml")) &&
		takes_option(sub, "inventory") != TAKES_NOT)
		return err_cure(err, "railtop %s -f %s", sub->name, word);
	if (!words_of(sub))
		return err_cure(err, "railtop %s takes options only: railtop %s --help lists them",
			sub->name, sub->name);
	return err_cure(err, "railtop %s --help shows the words that it takes", sub->name);
}

/* "--json -", as `railtop snapshot` takes it, where JSON goes to standard output anyway. */
static bool names_output(const struct options *o, const struct subcommand *sub, const char *word)
{
	return str_eq(word, "-") &&
	       ((o->given[OPT_JSON] && takes_option(sub, "json") == TAKES_BARE) ||
		       (o->given[OPT_MD] && takes_option(sub, "md") == TAKES_BARE));
}

/* Reads the words after the options: of the subcommand, or of the option that takes a list. */
static bool read_rest(
	int argc, char **argv, struct options *o, const struct subcommand *sub, struct err *err)
{
	size_t words = words_of(sub);

	/* `railtop -f F check` is a mistake: "check" is not a place. */
	while (optind < argc && o->words.n < words &&
		!(sub == subcommand_table && is_command(argv[optind]))) {
		if (!names_output(o, sub, argv[optind]))
			vec_push(&o->words, argv[optind]);
		optind++;
	}
	if (optind < argc && names_output(o, sub, argv[optind]))
		optind++;
	if (optind < argc && takes_option(sub, "seed") != TAKES_LIST)
		return unexpected(argv[optind], sub, err);
	while (optind < argc)
		vec_push(&o->seeds, argv[optind++]);
	/* `railtop -f F PLACE` means --view PLACE. */
	if (sub == subcommand_table && o->words.n && !o->view)
		o->view = o->words.at[0];
	return true;
}

/* Builds ":f:o:h" from the table. */
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
		bool arg =
			option_info[i].arg && takes_option(sub, option_info[i].name) != TAKES_BARE;

		longs[i] = (struct option){
			option_info[i].name, arg ? required_argument : no_argument, NULL, 256 + i};
	}
	opterr = 0;
	/* Not 1: getopt would continue in the letter cluster at which the last call stopped. */
	optind = 0;
	short_options(letters, sizeof(letters));
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		int id = option_of(c);

		if (c == '?' || c == ':')
			return bad_option(c, argv, sub, err);
		if (!takes_option(sub, option_info[id].name))
			return not_taken(
				sub, (enum option_id)id, late_command(argc, argv, sub), err);
		o->given[id] = true;
		if (takes_option(sub, option_info[id].name) == TAKES_LIST)
			vec_push(&o->seeds, optarg);
		else if (!set_option(o, (enum option_id)id, optarg ? optarg : "-", err))
			return false;
	}
	return read_rest(argc, argv, o, sub, err);
}

/* `railtop help [COMMAND]`, as git and kubectl have it. Without a command sub is NULL. */
static bool read_help(
	int argc, char **argv, struct options *o, const struct subcommand **sub, struct err *err)
{
	o->help = true;
	*sub = argc > 2 ? find_subcommand(argv[2]) : NULL;
	if (argc > 3)
		return err_set(err, ERR_USAGE, "", "unexpected argument \"%s\"", argv[3]);
	return argc <= 2 || *sub || no_subcommand(err, argv[2]);
}

bool options_read(
	int argc, char **argv, struct options *o, const struct subcommand **sub, struct err *err)
{
	memset(o, 0, sizeof(*o));
	o->seed = 1;
	o->idle_fd = -1;
	o->watch_us = -1;
	*sub = &subcommand_table[0];
	if (argc > 1 && str_eq(argv[1], "help"))
		return read_help(argc, argv, o, sub, err);
	/* As kubectl, go and k9s have it. */
	if (argc == 2 && str_eq(argv[1], "version"))
		return o->version = true;
	if (argc > 1 && argv[1][0] != '-') {
		*sub = find_subcommand(argv[1]);
		if (!*sub)
			return no_subcommand(err, argv[1]);
		o->named = true;
		argc--;
		argv++;
	}
	o->sub = *sub;
	if (!read_options(argc, argv, o, *sub, err))
		return false;
	if (o->from && o->given[OPT_FROM] &&
		(o->given[OPT_INVENTORY] || o->given[OPT_OBSERVATIONS])) {
		err_set(err, ERR_USAGE, "", "--from and --%s are two sources",
			o->given[OPT_INVENTORY] ? "inventory" : "observations");
		return err_cure(err, "give one of them; a recording has its inventory in it");
	}
	/* `railtop --help` is about all commands, `railtop console --help` about that one. */
	if (o->help && !o->named)
		*sub = NULL;
	return true;
}

void options_free(struct options *o)
{
	vec_free(&o->faults);
	vec_free(&o->seeds);
	vec_free(&o->words);
}

bool options_take(const struct subcommand *sub, enum option_id id)
{
	return takes_option(sub, option_info[id].name) != TAKES_NOT;
}

bool options_take_argument(const struct subcommand *sub, enum option_id id)
{
	return takes_option(sub, option_info[id].name) == TAKES && option_info[id].arg;
}
