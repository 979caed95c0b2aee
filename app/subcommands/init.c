/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/console/console_app.h"
#include "app/sandbox/confine.h"
#include "app/subcommands/discover.h"
#include "backends/transport/proxy_jump.h"
#include "base/mem.h"
#include "base/regular_file.h"
#include "base/str.h"

/*
 * The first hour: five questions, a discovery, the console. An option that answers a question takes
 * its place. Answers come from standard input, so that a script can give them; its end takes the
 * defaults.
 */

#define ANSWER_MAX 1024
#define TRIES      3
#define SEEDS_MAX  16

struct asking_user {
	const struct options *given;
	struct options o; /* with the answers */
	char seeds[ANSWER_MAX], user[ANSWER_MAX], identity[ANSWER_MAX], jump[ANSWER_MAX],
		output[ANSWER_MAX];
	bool ended; /* of the input */
};

static bool any_text(const char *answer, struct err *err)
{
	for (const char *c = answer; *c; c++)
		if (iscntrl((unsigned char)*c))
			return err_set(err, ERR_USAGE, "", "it has a control character");
	return true;
}

static bool some_seeds(const char *answer, struct err *err)
{
	return *answer ? any_text(answer, err)
		       : err_set(err, ERR_USAGE, "", "one switch or host is needed");
}

static bool one_word(const char *answer, struct err *err)
{
	return !strpbrk(answer, " \t") && *answer != '-'
		       ? any_text(answer, err)
		       : err_set(err, ERR_USAGE, "", "it is one word, and no option");
}

static bool a_key(const char *answer, struct err *err)
{
	return !*answer || regular_file_is(answer) ||
	       err_set(err, ERR_USAGE, "", "%.200s: %s", answer, regular_file_why());
}

static bool a_bastion(const char *answer, struct err *err)
{
	return !*answer || jump_check(answer, "", err);
}

/* Reads a line without its end and its blanks. False: the input has ended. */
static bool read_answer(char *dst, size_t size)
{
	char line[ANSWER_MAX];
	size_t n, from;

	if (!fgets(line, sizeof(line), stdin))
		return false;
	n = strcspn(line, "\r\n");
	/* The rest of a line that is too long is no answer to the next question. */
	for (int c = 0; !strchr(line, '\n') && c != '\n' && c != EOF;)
		c = getchar();
	from = strspn(line, " \t");
	while (n > from && isspace((unsigned char)line[n - 1]))
		n--;
	return str_copyn(dst, size, line + from, n > from ? n - from : 0);
}

/* Asks until the answer is fine. fallback: of an empty answer. False: it never was. */
static bool ask_user(struct asking_user *a, const char *question, const char *fallback,
	bool (*check)(const char *answer, struct err *err), char *dst, struct err *err)
{
	for (unsigned i = 0; i < TRIES; i++) {
		*err = (struct err){0};
		(void)fprintf(stderr, "%s%s%s%s: ", question, *fallback ? " [" : "", fallback,
			*fallback ? "]" : "");
		if (a->ended || !read_answer(dst, ANSWER_MAX)) {
			a->ended = true;
			*dst = '\0';
		}
		/* A terminal echoes what is typed, a pipe does not. */
		if (!isatty(STDIN_FILENO))
			(void)fprintf(stderr, "%s\n", dst);
		if (!*dst)
			(void)str_copy(dst, ANSWER_MAX, fallback);
		if (check(dst, err))
			return true;
		if (a->ended)
			break;
		(void)fprintf(stderr, "  %s\n", err->text);
	}
	(void)err_cure(err, "railtop init asks again; railtop discover takes the same as options");
	return false;
}

/* The words of the first answer are the seeds. */
static void split_seeds(struct asking_user *a)
{
	char *rest = a->seeds, *word;

	while ((word = strsep(&rest, " \t,")))
		if (*word && a->o.seeds.n < SEEDS_MAX)
			vec_push(&a->o.seeds, word);
}

static bool ask_all(struct asking_user *a, struct err *err)
{
	const struct options *o = a->given;

	if (!ask_user(a, "1/5 Switches or hosts to begin at, by name or address", "", some_seeds,
		    a->seeds, err))
		return false;
	split_seeds(a);
	if (!o->user && !ask_user(a, "2/5 User to log in as; empty: as ~/.ssh/config says", "",
				one_word, a->user, err))
		return false;
	if (!o->identity && !ask_user(a, "3/5 File of the private key; empty: the agent and ~/.ssh",
				    "", a_key, a->identity, err))
		return false;
	if (!ask_user(a, "4/5 Bastion on the way, user@host:port; empty: as ~/.ssh/config says", "",
		    a_bastion, a->jump, err))
		return false;
	if (!o->output &&
		!ask_user(a, "5/5 Inventory to write", "fabric.yaml", one_word, a->output, err))
		return false;
	a->o.user = o->user ? o->user : *a->user ? a->user : NULL;
	a->o.identity = o->identity ? o->identity : *a->identity ? a->identity : NULL;
	a->o.output = o->output ? o->output : a->output;
	return true;
}

/* failed: some devices could not be asked. */
static void say_next(const char *output, bool failed)
{
	(void)fprintf(stderr,
		"next:\n"
		"  railtop check -f %s      which devices answer, and the cure for the others\n"
		"  railtop -f %s            the console\n",
		output, output);
	if (!failed)
		return;
	(void)fprintf(stderr,
		"A device with an unknown host key is in the file as a comment. Compare its key by "
		"another way, add it with\n"
		"  ssh-keyscan DEVICE >> ~/.ssh/known_hosts\n"
		"and ask again: railtop discover --seed DEVICE -o %s\n",
		output);
}

/* The console needs a terminal for input as well: a script's has none. */
static int open_console(const struct options *o)
{
	struct console_app_opts opts = {.options = o, .inventory = o->output};

	(void)fprintf(stderr, "opening the console on %s; q leaves it\n", o->output);
	return console_app_run(&opts);
}

int sub_init(const struct options *o)
{
	struct asking_user *a = mem_calloc(1, sizeof(*a));
	struct err err = {0};
	size_t known = 0;
	int code = EXIT_USAGE;

	a->given = o;
	a->o = *o;
	memset(&a->o.seeds, 0, sizeof(a->o.seeds));
	if (ask_all(a, &err) && confine_begin(&a->o, NULL, &err)) {
		code = discover_from(&a->o, *a->jump ? a->jump : NULL, &known);
		if (known)
			say_next(a->o.output, code != EXIT_FINE);
		if (known && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
			code = open_console(&a->o);
	} else {
		err_print(&err);
	}
	vec_free(&a->o.seeds);
	free(a);
	return code;
}
