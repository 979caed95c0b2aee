/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/options/options.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define WORDS_MAX 32

/* The table of options again, with the argument of each in these tests; "": it takes none. */
static const struct {
	const char *name, *value;
	int letter;
} all_options[OPT_COUNT] = {
	[OPT_INVENTORY] = {"inventory", "f.yaml", 'f'},
	[OPT_PARTNER] = {"partner", "node001", 0},
	[OPT_BASELINES] = {"baselines", "b.jsonl", 0},
	[OPT_STORE] = {"store", "b.jsonl", 0},
	[OPT_OBSERVATIONS] = {"observations", "o.jsonl", 0},
	[OPT_COLLECTORS] = {"collectors", "2", 0},
	[OPT_KEYMAP] = {"keymap", "vim", 0},
	[OPT_THEME] = {"theme", "mono", 0},
	[OPT_ASCII] = {"ascii", "", 0},
	[OPT_READ_ONLY] = {"read-only", "", 0},
	[OPT_NOC] = {"noc", "", 0},
	[OPT_ROTATE] = {"rotate", "20s", 0},
	[OPT_IDLE_FD] = {"idle-fd", "7", 0},
	[OPT_JSON] = {"json", "j.json", 0},
	[OPT_TEXT] = {"text", "t.txt", 0},
	[OPT_FOR] = {"for", "2m", 0},
	[OPT_PRESET] = {"preset", "4k", 0},
	[OPT_FAULT] = {"fault", "link-flap:leaf-r0-00:Ethernet0", 0},
	[OPT_SCENARIO] = {"scenario", "night.scenario", 0},
	[OPT_DIR] = {"dir", "/tmp/range", 0},
	[OPT_SEED] = {"seed", "18446744073709551615", 0},
	[OPT_OUTPUT] = {"output", "f.yaml", 'o'},
	[OPT_USER] = {"user", "noc", 0},
	[OPT_IDENTITY] = {"identity", "id", 0},
	[OPT_SSH_CONFIG] = {"ssh-config", "c", 0},
	[OPT_KNOWN_HOSTS] = {"known-hosts", "k", 0},
	[OPT_DIALECT] = {"dialect", "sonic", 0},
	[OPT_LIMIT] = {"limit", "100", 0},
	[OPT_LOG] = {"log", "l.txt", 0},
	[OPT_VIEW] = {"view", "events", 0},
	[OPT_RANK] = {"rank", "19", 0},
	[OPT_HOST] = {"host", "node003", 0},
	[OPT_JOB] = {"job", "pretrain", 0},
	[OPT_AT] = {"at", "leaf-r0-00:Ethernet0", 0},
	[OPT_CHECK] = {"check", "link-flap.yaml", 0},
	[OPT_REASON] = {"reason", "storm", 0},
	[OPT_INCIDENT] = {"incident", "INC-1", 0},
	[OPT_EXECUTE] = {"execute", "", 0},
	[OPT_DRY_RUN] = {"dry-run", "", 0},
	[OPT_WATCH] = {"watch", "15m", 0},
	[OPT_LEDGER] = {"ledger", "l.jsonl", 0},
	[OPT_ANCHOR] = {"anchor", "auth.log", 0},
	[OPT_WHERE] = {"where", "rx>1G", 0},
	[OPT_SORT] = {"sort", "-rx", 0},
	[OPT_COLUMNS] = {"columns", "port,rx", 0},
	[OPT_CSV] = {"csv", "", 0},
	[OPT_MD] = {"md", "t.md", 0},
	[OPT_RECORD] = {"record", "shift.rts", 0},
	[OPT_HISTORY] = {"history", "2GB", 0},
	[OPT_MEMORY] = {"memory", "512M", 0},
	[OPT_SNAPSHOTS] = {"snapshots", "/tmp/s", 0},
	[OPT_ASCIICAST] = {"asciicast", "s.cast", 0},
	[OPT_ROTATE_SIZE] = {"rotate-size", "2GB", 0},
	[OPT_ROTATE_AGE] = {"rotate-age", "8h", 0},
	[OPT_KEEP] = {"keep", "7", 0},
	[OPT_FROM] = {"from", "shift.rts@02:13:30", 0},
	[OPT_JIRA] = {"jira", "j.json", 0},
	[OPT_SERVICENOW] = {"servicenow", "s.json", 0},
	[OPT_TICKET] = {"ticket", "t.json", 0},
	[OPT_REDACT] = {"redact", "", 0},
	[OPT_LISTEN] = {"listen", "127.0.0.1:9899", 0},
	[OPT_ONCE] = {"once", "", 0},
	[OPT_SINCE] = {"since", "8h", 0},
	[OPT_TEST_NOTIFY] = {"test-notify", "", 0},
	[OPT_TLS_CERT] = {"tls-cert", "cert.pem", 0},
	[OPT_TLS_KEY] = {"tls-key", "key.pem", 0},
	[OPT_TOKEN_FILE] = {"token-file", "token", 0},
	[OPT_OTLP] = {"otlp", "https://collector:4318", 0},
	[OPT_OTLP_EVERY] = {"otlp-every", "15s", 0},
	[OPT_OTLP_TOKEN_FILE] = {"otlp-token-file", "token", 0},
	[OPT_OTLP_CA] = {"otlp-ca", "ca.pem", 0},
	[OPT_INSECURE] = {"insecure", "", 0},
	[OPT_FORCE] = {"force", "", 0},
	[OPT_SLURM] = {"slurm", "tree", 0},
	[OPT_TOPOGRAPH] = {"topograph", "", 0},
	[OPT_HELP] = {"help", "", 'h'},
	[OPT_VERSION] = {"version", "", 'V'},
};

struct line {
	struct options o;
	const struct subcommand *sub;
	struct err err;
	char words[512];
	char *argv[WORDS_MAX + 1];
	bool ok;
};

/* Reads a command line given as one text, words separated by a space. */
static void read_line(struct line *l, const char *text)
{
	char *p = l->words;
	int argc = 0;

	memset(l, 0, sizeof(*l));
	assert_true(str_printf(l->words, sizeof(l->words), "railtop%s%s", *text ? " " : "", text));
	while (p && argc < WORDS_MAX) {
		char *end = strchr(p, ' ');

		l->argv[argc++] = p;
		if (end)
			*end++ = '\0';
		p = end;
	}
	l->ok = options_read(argc, l->argv, &l->o, &l->sub, &l->err);
}

static void expect_ok(struct line *l, const char *text)
{
	read_line(l, text);
	if (!l->ok)
		fail_msg("%s: %s", text, l->err.text);
	assert_int_equal(l->err.code, ERR_NONE);
}

/* The whole text and cure, so that a message about another word than the wrong one is seen. */
static void expect_error(const char *text, const char *want, const char *cure)
{
	struct line l;

	read_line(&l, text);
	if (l.ok)
		fail_msg("\"%s\" is taken", text);
	assert_int_equal(l.err.code, ERR_USAGE);
	assert_string_equal(l.err.text, want);
	if (cure)
		assert_string_equal(l.err.cure, cure);
	options_free(&l.o);
}

/* "takes" of subcommands.def, read in another way than the code under test does. */
static bool listed(const struct subcommand *sub, const char *name, bool *bare)
{
	char takes[256];
	char *save = NULL;

	*bare = false;
	assert_true(str_copy(takes, sizeof(takes), sub->takes));
	if (str_eq(name, "help") || str_eq(name, "version"))
		return true;
	for (char *w = strtok_r(takes, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		size_t n = strlen(w);

		*bare = w[n - 1] == '!';
		w[n - (*bare || w[n - 1] == '*')] = '\0';
		if (str_eq(w, name))
			return true;
	}
	*bare = false;
	return false;
}

static void check_one(const struct subcommand *sub, unsigned id)
{
	const char *name = all_options[id].name, *value = all_options[id].value;
	char text[256], want[256];
	struct line l;
	bool bare, takes = listed(sub, name, &bare);
	bool arg = *value && !bare;

	assert_true(str_printf(text, sizeof(text), "%s --%s%s%s", sub->name, name, arg ? " " : "",
		arg ? value : ""));
	if (!takes) {
		assert_true(str_printf(want, sizeof(want), "it does not take --%s", name));
		expect_error(text, want, NULL);
		return;
	}
	expect_ok(&l, text);
	assert_string_equal(l.sub->name, sub->name);
	for (unsigned i = 0; i < OPT_COUNT; i++)
		assert_int_equal(l.o.given[i], i == id);
	options_free(&l.o);
	if (!arg)
		return;
	assert_true(str_printf(text, sizeof(text), "%s --%s", sub->name, name));
	assert_true(str_printf(want, sizeof(want), "--%s needs an argument", name));
	expect_error(text, want, NULL);
}

/* A view that is called like a subcommand: the subcommand it is. */
static bool shadowed(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (str_eq(subcommand_table[k].name, subcommand_table[i].name))
			return true;
	return false;
}

CASE(every_command_and_option)
{
	for (size_t i = 0; i < subcommand_count; i++) {
		for (unsigned id = 0; id < OPT_COUNT && !shadowed(i); id++)
			check_one(&subcommand_table[i], id);
	}
}

CASE(the_values_arrive)
{
	struct line l;

	expect_ok(&l, "-f f.yaml --observations - --collectors 64 --keymap k --theme light --ascii "
		      "--read-only --view events --idle-fd 5 --log x");
	assert_string_equal(l.sub->name, "console");
	assert_string_equal(l.o.inventory, "f.yaml");
	assert_string_equal(l.o.observations, "-");
	assert_string_equal(l.o.keymap, "k");
	assert_string_equal(l.o.theme, "light");
	assert_string_equal(l.o.view, "events");
	assert_string_equal(l.o.log, "x");
	assert_int_equal(l.o.collectors, 64);
	assert_int_equal(l.o.idle_fd, 5);
	assert_true(l.o.ascii && l.o.read_only && !l.o.help && !l.o.version);
	options_free(&l.o);
	expect_ok(&l, "demo --preset 4k --fault a --fault=b --seed 18446744073709551615");
	assert_string_equal(l.o.preset, "4k");
	assert_int_equal(l.o.faults.n, 2);
	assert_string_equal(l.o.faults.at[0], "a");
	assert_string_equal(l.o.faults.at[1], "b");
	assert_true(l.o.seed == UINT64_MAX);
	options_free(&l.o);
	expect_ok(&l, "snapshot --json - --text t.txt --for 1m --inventory=x");
	assert_string_equal(l.o.json, "-");
	assert_string_equal(l.o.text, "t.txt");
	assert_string_equal(l.o.inventory, "x");
	assert_int_equal(l.o.for_us, 60000000);
	options_free(&l.o);
}

CASE(what_is_not_given_has_its_default)
{
	struct line l;

	expect_ok(&l, "");
	assert_string_equal(l.sub->name, "console");
	assert_int_equal(l.o.collectors, 0);
	assert_int_equal(l.o.seed, 1);
	assert_int_equal(l.o.idle_fd, -1);
	assert_int_equal(l.o.for_us, 0);
	assert_null(l.o.inventory);
	assert_null(l.o.json);
	assert_int_equal(l.o.faults.n, 0);
	options_free(&l.o);
	expect_ok(&l, "-h");
	assert_true(l.o.help);
	options_free(&l.o);
	expect_ok(&l, "-ff.yaml -h");
	assert_string_equal(l.o.inventory, "f.yaml");
	options_free(&l.o);
}

CASE(words_that_do_not_belong)
{
	const char *lists = "railtop console --help lists them";

	expect_error(
		"chekc -f x", "no command \"chekc\"", "did you mean check? railtop help lists all");
	expect_error("findngs", "no command \"findngs\"",
		"did you mean findings or finding? railtop help lists all");
	expect_error("zzzzzz -f x", "no command \"zzzzzz\"",
		"commands: console, demo, check, snapshot, record, open, findings, trace, lint, "
		"topology, timeline, rows, runbook, "
		"accept, diff, init, discover, import, act, approve, ledger, export, mcp, watch, "
		"handover, "
		"doctor, "
		"completion, or "
		"the name of a view");
	/* A file where a command belongs: the command that was meant. */
	expect_error("my.yaml", "is a file, and no command", "railtop -f my.yaml");
	expect_error("Makefile", "is a file, and no command", "railtop -f Makefile");
	expect_error("--colour", "no option --colour", lists);
	expect_error("-z", "no option -z", lists);
	/* In a cluster the letter is named, not the word before it. */
	expect_error("-hz", "no option -z", lists);
	expect_error("--ascii -zh", "no option -z", lists);
	expect_error("-f", "-f needs an argument", lists);
	expect_error("-hf", "-f needs an argument", lists);
	expect_error("--ascii --view", "--view needs an argument", lists);
	expect_error("--ascii=yes", "--ascii takes no argument", lists);
	expect_error("check -f x leaf-r0-00", "unexpected argument \"leaf-r0-00\"", NULL);
	expect_error("-f x check", "unexpected argument \"check\"",
		"the command stands first: railtop check ...");
	expect_error("check --theme mono", "it does not take --theme",
		"railtop check --help lists its options");
	/* After --, nothing is an option, and this command takes no words. */
	expect_error("check -- --json", "unexpected argument \"--json\"", NULL);
}

CASE(words_of_a_command_may_stand_anywhere)
{
	struct line l;

	expect_ok(&l, "act pfcwd-reset -f f.yaml leaf-r0-00:Ethernet0 --watch 0 --execute");
	assert_int_equal(l.o.words.n, 2);
	assert_string_equal(l.o.words.at[0], "pfcwd-reset");
	assert_string_equal(l.o.words.at[1], "leaf-r0-00:Ethernet0");
	assert_true(l.o.execute);
	assert_int_equal(l.o.watch_us, 0);
	options_free(&l.o);
	expect_ok(&l, "ledger verify");
	assert_int_equal(l.o.watch_us, -1);
	assert_int_equal(l.o.words.n, 1);
	options_free(&l.o);
	expect_error("act a b c", "unexpected argument \"c\"", NULL);
	expect_ok(&l, "--noc --rotate 1m -f f.yaml");
	assert_true(l.o.noc && l.o.rotate_us == INT64_C(60000000));
	options_free(&l.o);
	expect_error("--noc --rotate 1s",
		"--rotate: \"1s\" is not a time such as 20s, from 2s to 1h", NULL);
	expect_error(
		"act --watch soon a b", "--watch: \"soon\" is not a time such as 15m, or 0", NULL);
}

CASE(discover_takes_a_list)
{
	static const char *const want[] = {"a", "b", "c", "10.0.0.1"};
	struct line l;

	expect_ok(&l, "discover --seed a b -o f.yaml c --seed=10.0.0.1 --limit 7");
	assert_int_equal(l.o.seeds.n, 4);
	for (size_t i = 0; i < 4; i++) {
		bool found = false;

		for (size_t k = 0; k < l.o.seeds.n; k++)
			found = found || str_eq(l.o.seeds.at[k], want[i]);
		assert_true(found);
	}
	assert_string_equal(l.o.output, "f.yaml");
	assert_int_equal(l.o.limit, 7);
	assert_int_equal(l.o.seed, 1);
	options_free(&l.o);
	expect_error("discover --limit 0", "--limit: \"0\" is not between 1 and 100000", NULL);
	expect_error("demo --seed abc", "--seed: \"abc\" is not a whole number", NULL);
}

/* State left by one reading must not appear in the next. */
CASE(readings_are_independent)
{
	struct line l;

	expect_error("-zh", "no option -z", NULL);
	expect_ok(&l, "--ascii");
	assert_false(l.o.help);
	assert_true(l.o.ascii);
	options_free(&l.o);
}

CASE(json_is_a_switch_for_check_only)
{
	struct line l;

	expect_ok(&l, "check --json -f x");
	assert_string_equal(l.o.json, "-");
	assert_string_equal(l.o.inventory, "x");
	options_free(&l.o);
	expect_error("check --json out.json", "unexpected argument \"out.json\"", NULL);
	expect_error("check --json=out.json", "--json takes no argument", NULL);
	expect_error("snapshot --json", "--json needs an argument", NULL);
	expect_ok(&l, "snapshot --json out.json");
	assert_string_equal(l.o.json, "out.json");
	options_free(&l.o);
	expect_error("--json x", "it does not take --json", NULL);
}

CASE(numbers_have_bounds)
{
	static const struct {
		const char *text, *error; /* NULL: taken */
	} cases[] = {
		{"snapshot --for 1ms", NULL},
		{"snapshot --for 24h", NULL},
		{"snapshot --for 10", NULL},
		{"snapshot --for 25h",
			"--for: \"25h\" is not a time such as 10s or 2m, at most 24h"},
		{"snapshot --for 0", "--for: \"0\" is not a time such as 10s or 2m, at most 24h"},
		{"snapshot --for -1s",
			"--for: \"-1s\" is not a time such as 10s or 2m, at most 24h"},
		{"snapshot --for soon",
			"--for: \"soon\" is not a time such as 10s or 2m, at most 24h"},
		{"snapshot --for nan",
			"--for: \"nan\" is not a time such as 10s or 2m, at most 24h"},
		{"snapshot --for 1e300",
			"--for: \"1e300\" is not a time such as 10s or 2m, at most 24h"},
		{"--collectors 1", NULL},
		{"--collectors 64", NULL},
		{"--collectors 0", "--collectors: \"0\" is not between 1 and 64"},
		{"--collectors 65", "--collectors: \"65\" is not between 1 and 64"},
		{"--collectors 4294967297", "--collectors: \"4294967297\" is not between 1 and 64"},
		{"--collectors -1", "--collectors: \"-1\" is not a whole number"},
		{"--collectors 1.5", "--collectors: \"1.5\" is not a whole number"},
		{"--collectors two", "--collectors: \"two\" is not a whole number"},
		{"--idle-fd 0", NULL},
		{"--idle-fd 1023", NULL},
		{"--idle-fd 1024", "--idle-fd: \"1024\" is not an open file descriptor"},
		{"--idle-fd -1", "--idle-fd: \"-1\" is not a whole number"},
		{"demo --seed 0", NULL},
		{"demo --seed 18446744073709551616",
			"--seed: \"18446744073709551616\" is not a whole number"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct line l;

		if (cases[i].error) {
			expect_error(cases[i].text, cases[i].error, NULL);
			continue;
		}
		expect_ok(&l, cases[i].text);
		options_free(&l.o);
	}
}

static char *usage_of(const struct subcommand *sub)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	options_usage(f, sub);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Whether the text has the words, wherever its lines break. */
static bool says(const char *text, const char *words)
{
	char *plain = mem_strdup(text);
	size_t n = 0;
	bool found;

	for (const char *at = text; *at; at++)
		if (!strchr(" \n", *at) || (n && plain[n - 1] != ' '))
			plain[n++] = *at == '\n' ? ' ' : *at;
	plain[n] = '\0';
	found = strstr(plain, words) != NULL;
	free(plain);
	return found;
}

CASE(usage_lists_what_is_taken)
{
	bool mentioned[OPT_COUNT] = {false};

	for (size_t i = 0; i < subcommand_count; i++) {
		char *text = usage_of(&subcommand_table[i]);

		assert_true(says(text, subcommand_table[i].help));
		for (unsigned id = 0; id < OPT_COUNT; id++) {
			char want[64];
			bool bare,
				takes = listed(&subcommand_table[i], all_options[id].name, &bare);

			(void)str_printf(want, sizeof(want), "--%s ", all_options[id].name);
			assert_int_equal(takes, strstr(text, want) != NULL);
			mentioned[id] |= takes;
			if (!takes || !all_options[id].letter)
				continue;
			(void)str_printf(want, sizeof(want), "  -%c, --%s", all_options[id].letter,
				all_options[id].name);
			assert_non_null(strstr(text, want));
		}
		free(text);
	}
	for (unsigned id = 0; id < OPT_COUNT; id++)
		assert_true(mentioned[id]);
}

CASE(a_view_is_a_command)
{
	struct line l;

	expect_ok(&l, "rail 3 -f x --where rx>1G --json");
	assert_string_equal(l.sub->name, "rail");
	assert_ptr_equal(l.o.sub, l.sub);
	assert_non_null(l.sub->view);
	assert_string_equal(l.o.words.at[0], "3");
	options_free(&l.o);
	/* The name of a subcommand keeps its meaning. */
	expect_ok(&l, "findings -f x");
	assert_null(l.sub->view);
	options_free(&l.o);
	/* A place to open the console at. */
	expect_ok(&l, "-f x leaf-r0-00:Ethernet12/3");
	assert_string_equal(l.o.view, "leaf-r0-00:Ethernet12/3");
	options_free(&l.o);
}

CASE(usage_of_all_names_the_commands)
{
	char *text = usage_of(NULL);

	assert_non_null(strstr(text, RAILTOP_VERSION));
	for (size_t i = 0; i < subcommand_count; i++) {
		if (!subcommand_table[i].hidden)
			assert_non_null(strstr(text, subcommand_table[i].name));
		if (!subcommand_table[i].view && !subcommand_table[i].hidden)
			assert_true(says(text, subcommand_table[i].help));
		assert_non_null(subcommand_table[i].run);
	}
	free(text);
}

/* "\-\-read\-only": a hyphen that can be copied from the page. */
static void roff_name(const char *name, char *dst, size_t size)
{
	(void)str_copy(dst, size, "\\-\\-");
	for (size_t n = strlen(dst); *name && n + 3 < size; name++, n = strlen(dst))
		(void)str_printf(dst + n, size - n, "%s%c", *name == '-' ? "\\" : "", *name);
}

CASE(the_manual_has_every_option)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	options_roff(f);
	assert_int_equal(fclose(f), 0);
	for (unsigned id = 0; id < OPT_COUNT; id++) {
		char want[64];

		roff_name(all_options[id].name, want, sizeof(want));
		assert_non_null(strstr(text, want));
	}
	/* A line that starts with a point would be taken for a request and vanish. */
	for (const char *p = strstr(text, "\n."); p; p = strstr(p + 1, "\n."))
		assert_true(strncmp(p, "\n.TP\n", 5) == 0 || strncmp(p, "\n.B ", 4) == 0 ||
			    strncmp(p, "\n.SH ", 5) == 0 || strncmp(p, "\n.SS ", 5) == 0 ||
			    strncmp(p, "\n.PP\n", 5) == 0);
	free(text);
}

/* The help of a subcommand states the defaults of that subcommand, and so does the man page. */
CASE(each_subcommand_explains_its_own_options)
{
	static const struct {
		const char *sub;
		enum option_id id;
		const char *says;
	} cases[] = {{"findings", OPT_FOR, "(30s)"}, {"rows", OPT_FOR, "(10s)"},
		{"ports", OPT_FOR, "(10s)"}, {"record", OPT_FOR, "(until a signal)"},
		{"snapshot", OPT_OUTPUT, "write the snapshot there"},
		{"record", OPT_OUTPUT, "write the recording there"},
		{"discover", OPT_OUTPUT, "write the inventory there"},
		{"rows", OPT_WATCH, "print the rows again"}, {"act", OPT_WATCH, "after the action"},
		{"demo", OPT_SEED, "random"}, {"discover", OPT_SEED, "devices to start at"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[64], *text;
		struct line l;

		(void)str_printf(line, sizeof(line), "%s -h", cases[i].sub);
		expect_ok(&l, line);
		assert_non_null(strstr(options_meaning(l.sub, cases[i].id), cases[i].says));
		text = usage_of(l.sub);
		assert_non_null(strstr(text, cases[i].says));
		free(text);
		options_free(&l.o);
	}
}

CASE(help_is_a_command)
{
	struct line l;

	expect_ok(&l, "help");
	assert_true(l.o.help);
	assert_null(l.sub);
	options_free(&l.o);
	expect_ok(&l, "--help");
	assert_null(l.sub);
	options_free(&l.o);
	expect_ok(&l, "help trace");
	assert_true(l.o.help);
	assert_string_equal(l.sub->name, "trace");
	options_free(&l.o);
	expect_error(
		"help trcae", "no command \"trcae\"", "did you mean trace? railtop help lists all");
}

/* Wherever an inventory is collected from, a recording can be read instead. */
CASE(a_recording_goes_where_an_inventory_goes)
{
	static const char *const only_live[] = {
		"record", "act", "approve", "ledger", "watch", "doctor"};

	for (size_t i = 0; i < subcommand_count; i++) {
		const struct subcommand *s = &subcommand_table[i];
		bool live = false;

		for (size_t k = 0; k < sizeof(only_live) / sizeof(only_live[0]); k++)
			live |= str_eq(s->name, only_live[k]);
		if (options_take(s, OPT_INVENTORY) && options_take(s, OPT_FROM) == live)
			fail_msg("railtop %s and --from", s->name);
	}
}

CASE(exit_codes_have_one_meaning_each)
{
	for (size_t i = 0; i < exit_status_count; i++) {
		assert_int_equal(exit_statuses[i].code, i);
		assert_true(exit_statuses[i].word[0] && exit_statuses[i].meaning[0]);
	}
	assert_int_equal(EXIT_INTERNAL, 5);
}

/* A terminal of 100 columns breaks no line of the help. */
CASE(the_help_is_not_wider_than_a_terminal)
{
	for (size_t i = 0; i <= subcommand_count; i++) {
		const struct subcommand *sub = i < subcommand_count ? &subcommand_table[i] : NULL;
		char *text = usage_of(sub), *rest = text, *line;

		while ((line = strsep(&rest, "\n")))
			if (strlen(line) > 100)
				fail_msg("help %s: %s", sub ? sub->name : "", line);
		free(text);
	}
}

CASES_MAIN(NULL, NULL)
