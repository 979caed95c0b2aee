/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "app/options/options_private.h"
#include "base/str.h"
#include "views/view.h"

/*
 * The help of the command line and the part of railtop(1) about it. Both come from subcommands.def,
 * options.def and meanings.def, so that they agree.
 */

/* The meaning of an option for some subcommands, where it differs from that for the others. */
static const struct {
	const char *subs; /* names, separated by spaces; "rows" stands for all views */
	enum option_id id;
	const char *help;
} meanings[] = {
#define MEANING(subs, id, help) {subs, OPT_##id, help},
#include "app/options/meanings.def"
#undef MEANING
};

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

/* NULL: the option means the same as everywhere. */
static const char *own_meaning(const struct subcommand *sub, enum option_id id)
{
	const char *name = sub->view ? "rows" : sub->name;

	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].id == id && has_word(meanings[i].subs, name))
			return meanings[i].help;
	return NULL;
}

const char *options_meaning(const struct subcommand *sub, enum option_id id)
{
	const char *own = own_meaning(sub, id);

	return own ? own : option_info[id].help;
}

/* True for a view with the name of a subcommand: only `railtop rows` shows it. */
static bool is_shadowed(const struct subcommand *sub)
{
	for (const struct subcommand *s = subcommand_table; s < sub; s++)
		if (str_eq(s->name, sub->name))
			return true;
	return false;
}

/* "<NAME> <PLACE...>" becomes "NAME [PLACE]": a place may be left out where there is a default. */
static void words_text(const struct subcommand *sub, char *dst, size_t size)
{
	const char *at = sub->takes;

	dst[0] = '\0';
	while ((at = strchr(at, '<'))) {
		size_t n = strcspn(++at, ">");
		char word[64];

		bool optional = sub == subcommand_table;

		(void)str_copyn(word, sizeof(word), at, n);
		if (n > 3 && str_eq(word + n - 3, "...")) {
			word[n - 3] = '\0';
			optional = true;
		}
		(void)str_printf(
			dst + strlen(dst), size - strlen(dst), optional ? " [%s]" : " %s", word);
		at += n;
	}
}

static void option_call(const struct option_info *i, enum takes how, char *dst, size_t size)
{
	const char *arg = i->arg && how != TAKES_BARE ? i->arg : "";
	char letter[8] = "    ";

	if (how == TAKES_LIST)
		arg = "HOST...";
	if (i->letter)
		(void)str_printf(letter, sizeof(letter), "-%c, ", i->letter);
	(void)str_printf(dst, size, "%s--%s%s%s", letter, i->name, *arg ? " " : "", arg);
}

#define HELP_INDENT 29
#define NAME_INDENT 13
#define HELP_WIDTH  100

/* Prints text from the column `at` on, with line breaks between words; further lines begin at
 * indent. */
static void put_words(FILE *out, size_t at, size_t indent, const char *text)
{
	bool first = true;

	for (; *text; first = false) {
		size_t n = strcspn(text, " ");
		bool fits = first || at + 1 + n <= HELP_WIDTH;

		if (!fits)
			(void)fprintf(out, "\n%*s", (int)indent, "");
		(void)fprintf(out, "%s%.*s", first || !fits ? "" : " ", (int)n, text);
		at = fits ? at + n + !first : indent + n;
		text += n + strspn(text + n, " ");
	}
	(void)fputc('\n', out);
}

static void usage_options(FILE *out, const struct subcommand *sub)
{
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		enum takes how = takes_option(sub, option_info[i].name);
		char call[64];

		if (how == TAKES_NOT)
			continue;
		option_call(&option_info[i], how, call, sizeof(call));
		(void)fprintf(out, "  %-26s ", call);
		put_words(out, HELP_INDENT, HELP_INDENT, options_meaning(sub, (enum option_id)i));
	}
}

/* Lists the views that are subcommands. */
static void list_views(FILE *out)
{
	const char *comma = " ";

	for (size_t i = 0; i < subcommand_count; i++) {
		if (!subcommand_table[i].view || is_shadowed(&subcommand_table[i]))
			continue;
		(void)fprintf(out, "%s%s", comma, subcommand_table[i].name);
		comma = ", ";
	}
}

static void put_views(FILE *out)
{
	char text[1024] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	if (!f)
		return;
	(void)fprintf(f, "the rows of that view:");
	list_views(f);
	(void)fclose(f);
	(void)fprintf(out, "  %-10s ", "VIEW");
	put_words(out, NAME_INDENT, NAME_INDENT, text);
}

void options_usage(FILE *out, const struct subcommand *sub)
{
	char words[96];

	if (sub) {
		words_text(sub, words, sizeof(words));
		(void)fprintf(out, "railtop %s%s: ", sub->name, words);
		put_words(out, strlen("railtop : ") + strlen(sub->name) + strlen(words), 2,
			sub->help);
		(void)fputc('\n', out);
		if (sub->view) {
			put_words(out, 0, 0, sub->view->help);
			(void)fputc('\n', out);
		}
		usage_options(out, sub);
		return;
	}
	(void)fprintf(out,
		"railtop %s: operations console for RoCEv2 GPU fabrics\n\n"
		"  railtop -f fabric.yaml\n  railtop demo\n  railtop help COMMAND\n\n",
		RAILTOP_VERSION);
	for (size_t i = 0; i < subcommand_count && !subcommand_table[i].view; i++)
		if (!subcommand_table[i].hidden) {
			(void)fprintf(out, "  %-10s ", subcommand_table[i].name);
			put_words(out, NAME_INDENT, NAME_INDENT, subcommand_table[i].help);
		}
	put_views(out);
	(void)fprintf(out, "\nexit status:");
	for (size_t i = 0; i < exit_status_count; i++)
		(void)fprintf(out, "%s %d %s", i ? "," : "", exit_statuses[i].code,
			exit_statuses[i].word);
	(void)fprintf(out, "; see railtop(1)\n");
}

/* ---- railtop(1) ---- */

/* Words of the table as roff: a hyphen that is typed, and no line that begins with a request. */
static void put_roff(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		(void)fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '-')
			(void)fputs("\\-", out);
		else if (*text == '\\')
			(void)fputs("\\e", out);
		else
			(void)fputc(*text, out);
	}
}

static void put_option(FILE *out, unsigned id, enum takes how, const char *help)
{
	const struct option_info *info = &option_info[id];
	const char *arg = how == TAKES_LIST ? "HOST..." : how == TAKES_BARE ? NULL : info->arg;

	(void)fprintf(out, ".TP\n.B ");
	if (info->letter)
		(void)fprintf(out, "\\-%c \\fR|\\fB ", info->letter);
	(void)fputs("\\-\\-", out);
	put_roff(out, info->name);
	if (arg)
		(void)fprintf(out, " \\fI%s", arg);
	(void)fputc('\n', out);
	put_roff(out, help);
	(void)fputc('\n', out);
}

/* The options whose meaning is that of the section OPTIONS, as one line. */
static void put_others(FILE *out, const struct subcommand *sub)
{
	const char *comma = "Also: ";

	for (unsigned i = 0; i < OPT_COUNT; i++) {
		if (takes_option(sub, option_info[i].name) == TAKES_NOT || i == OPT_HELP ||
			i == OPT_VERSION || own_meaning(sub, (enum option_id)i))
			continue;
		(void)fprintf(out, "%s\\-\\-", comma);
		put_roff(out, option_info[i].name);
		comma = ", ";
	}
	if (*comma == ',')
		(void)fprintf(out, "; see OPTIONS.\n");
}

static void put_subcommand(FILE *out, const struct subcommand *sub)
{
	char words[96];

	words_text(sub, words, sizeof(words));
	(void)fprintf(out, ".SS railtop %s%s\n", sub->name, words);
	put_roff(out, sub->help);
	(void)fputs(".\n", out);
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		const char *own = own_meaning(sub, (enum option_id)i);
		enum takes how = takes_option(sub, option_info[i].name);

		if (own && how != TAKES_NOT)
			put_option(out, i, how, own);
	}
	(void)fputs(".PP\n", out);
	put_others(out, sub);
}

void options_roff(FILE *out)
{
	for (size_t i = 0; i < subcommand_count && !subcommand_table[i].view; i++)
		if (!subcommand_table[i].hidden)
			put_subcommand(out, &subcommand_table[i]);
	(void)fprintf(out, ".SS railtop VIEW PLACE\n"
			   "The same as railtop rows VIEW, for these views:");
	list_views(out);
	(void)fprintf(out, ".\n.SH OPTIONS\n");
	for (unsigned i = 0; i < OPT_COUNT; i++)
		put_option(out, i, TAKES, option_info[i].help);
	(void)fprintf(out, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < exit_status_count; i++)
		(void)fprintf(out, ".TP\n.B %d \\fR(%s)\n%s.\n", exit_statuses[i].code,
			exit_statuses[i].word, exit_statuses[i].meaning);
}

void options_synopsis(FILE *out)
{
	for (size_t i = 0; i < subcommand_count && !subcommand_table[i].view; i++) {
		const struct subcommand *sub = &subcommand_table[i];
		char words[96];

		if (sub->hidden)
			continue;
		words_text(sub, words, sizeof(words));
		(void)fprintf(out, "%s.B railtop%s%s\n", i ? ".br\n" : "", i ? " " : "",
			i ? sub->name : "");
		if (*words)
			(void)fprintf(out, ".I%s\n", words);
		if (options_take(sub, OPT_INVENTORY))
			(void)fprintf(out, ".RB [ \\-f\n.IR FILE%s\n",
				options_take(sub, OPT_FROM)
					? " \" | \" \\fB\\-\\-from\\fP \" FILE\" [@ TIME ]]"
					: " ]");
		(void)fprintf(out, ".RI [ options ]\n");
	}
	(void)fprintf(out, ".br\n.B railtop\n.I VIEW PLACE\n.RI [ options ]\n");
}
