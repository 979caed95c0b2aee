/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OPTIONS_OPTIONS_H
#define APP_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/vec.h"
#include "base/version.h"

struct view_ops;

/* Exit codes (contract, man/railtop.1), see exit_status.def. */
enum exit_code {
#define EXIT_STATUS(id, code, word, meaning) EXIT_##id = (code),
#include "app/options/exit_status.def"
#undef EXIT_STATUS
};

/* The codes in words, from exit_status.def: for the help, railtop(1) and the tests. */
struct exit_status {
	int code;
	const char *word, *meaning;
};
extern const struct exit_status exit_statuses[];
extern const size_t exit_status_count;

enum option_id {
#define OPTION(id, name, letter, arg, file, help) OPT_##id,
#include "app/options/options.def"
#undef OPTION
	OPT_COUNT
};

/* How the file of an option's argument is used, see options.def. */
enum option_file {
	FILE_NO_FILE,
	FILE_READS,
	FILE_READS_RECORDING,
	FILE_READS_PIPE,
	FILE_WRITES,
	FILE_MAKES_IN,
	FILE_KEEPS,
	FILE_OPENED
};

/* The parsed command line. Strings point into argv. */
struct options {
	const char *inventory, *observations, *keymap, *theme, *json, *text, *preset, *log, *view,
		*scenario, *dir, *output, *dialect, *user, *identity, *ssh_config, *known_hosts,
		*rank, *host, *job, *at, *check, *reason, *incident, *ledger, *anchor, *where,
		*sort, *columns, *record, *snapshots, *asciicast, *from, *md, *ticket, *jira,
		*servicenow, *listen, *tls_cert, *tls_key, *token_file, *otlp, *otlp_token_file,
		*otlp_ca, *slurm, *partner, *baselines, *store;
	VEC(const char *) words; /* words after the options, in order */
	VEC(const char *) seeds; /* devices to start at; the emulator's seed is the number below */
	VEC(const char *) faults;
	unsigned collectors;                 /* 0: by the number of devices */
	int64_t for_us;                      /* 0: not given */
	int64_t watch_us;                    /* -1: not given */
	int64_t since_us;                    /* 0: not given */
	uint64_t seed, limit;                /* limit 0: not given */
	int idle_fd;                         /* -1: none */
	uint64_t history, rotate_size, keep; /* bytes, bytes, number of files; history: see given */
	uint64_t memory;                     /* bytes; 0: not given */
	int64_t rotate_age_us;               /* 0: not given */
	int64_t rotate_us;                   /* 0: not given */
	int64_t otlp_every_us;               /* 0: not given */
	bool ascii, read_only, noc, execute, csv, redact, once, test_notify, insecure, force,
		topograph, help, version;
	bool named; /* the subcommand stands on the command line */
	bool given[OPT_COUNT];
	const struct subcommand *sub; /* the chosen subcommand */
};

struct subcommand {
	const char *name;
	/*
	 * "<WORD>" for each word that may follow ("<WORD...>": a few, the last one), then option
	 * names, all separated by spaces. "json!" is an option without its argument. "seed*" may be
	 * repeated and takes all further words of the command line.
	 */
	const char *takes;
	const char *help;
	int (*run)(const struct options *o);
	bool hidden;                 /* of the build, not for users */
	const struct view_ops *view; /* the view to print; each view is a subcommand. Else NULL */
};
/* Options of `railtop rows VIEW` and `railtop VIEW`. */
#define ROWS_OPTIONS                                                                               \
	"inventory observations from collectors where sort columns json! csv md! limit watch for " \
	"log"
#define SUBCOMMAND(id, name, takes, help)        int sub_##id(const struct options *o);
#define SUBCOMMAND_HIDDEN(id, name, takes, help) int sub_##id(const struct options *o);
#include "app/options/subcommands.def"
#undef SUBCOMMAND
#undef SUBCOMMAND_HIDDEN

extern const struct subcommand subcommand_table[];
extern const size_t subcommand_count;

/*
 * Parses argv. *sub receives the subcommand; NULL: the help of all is wanted. False with err
 * (ERR_USAGE) after an error. The caller frees o with options_free() in any case.
 */
bool options_read(
	int argc, char **argv, struct options *o, const struct subcommand **sub, struct err *err);
void options_free(struct options *o);
/* Prints the usage of one subcommand, or of all (sub NULL). */
void options_usage(FILE *out, const struct subcommand *sub);
/* Prints the sections SUBCOMMANDS, OPTIONS and EXIT STATUS of man/railtop.1, or its SYNOPSIS. */
void options_roff(FILE *out);
void options_synopsis(FILE *out);
bool options_take(const struct subcommand *sub, enum option_id id);
/* Whether it takes the option with its argument: of most, --json takes none. */
bool options_take_argument(const struct subcommand *sub, enum option_id id);
/* How its file is used; FILE_NO_FILE where that subcommand takes no file in it. */
enum option_file options_file(const struct subcommand *sub, enum option_id id);
/* The argument of an option that is a text; NULL: it was not given, or is no text. */
const char *options_text(const struct options *o, enum option_id id);
/* The help of the option for that subcommand. */
const char *options_meaning(const struct subcommand *sub, enum option_id id);

#endif
