/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "emulator/device/sonic/dev_sonic.h"

/* Output formats of SONiC's tools: click's usage errors, tabulate's tables. */

/* Length of "config pfcwd start" in "config pfcwd start [OPTIONS] ...". */
static int command_length(const char *usage)
{
	size_t n = strcspn(usage, "[<");

	while (n && usage[n - 1] == ' ')
		n--;
	return (int)n;
}

int sonic_usage(const struct shell_call *c, const char *usage, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)buf_addf(c->err, "Usage: %s\nTry '%.*s -h' for help.\n\nError: %s\n", usage,
		command_length(usage), usage, text);
	return 2;
}

int sonic_no_command(const struct shell_call *c, const char *group, const char *word)
{
	char usage[160];

	(void)str_printf(usage, sizeof(usage), "%s [OPTIONS] COMMAND [ARGS]...", group);
	if (word && strcmp(word, "-h") != 0 && strcmp(word, "--help") != 0 && word[0] != '-')
		return sonic_usage(c, usage, "No such command '%.200s'.", word);
	if (word && strcmp(word, "-h") != 0 && strcmp(word, "--help") != 0 &&
		strcmp(word, "-?") != 0)
		return sonic_usage(c, usage, "No such option: %.200s", word);
	(void)buf_addf(c->out,
		"Usage: %s\n\nOptions:\n  -?, -h, --help  Show this message and exit.\n", usage);
	return 0;
}

int sonic_root_needed(const struct shell_call *c)
{
	(void)buf_adds(c->err, "Root privileges are required for this operation\n");
	return 1;
}

struct sim_port *sonic_port(const struct machine *m, const char *name)
{
	for (unsigned i = 0; i < m->d->nports; i++)
		if (str_eq(m->d->ports[i].name, name))
			return &m->d->ports[i];
	return NULL;
}

/* ---- tables ---- */

#define COLUMNS_MOST 32

void sonic_table_init(struct sonic_table *t, const char *const *titles, const char *align)
{
	memset(t, 0, sizeof(*t));
	t->titles = titles;
	t->align = align;
	while (titles[t->columns] && t->columns < COLUMNS_MOST)
		t->columns++;
}

static void add_cell(struct sonic_table *t, const char *text)
{
	if (t->cells.n == t->cells.size) {
		t->cells.size = t->cells.size ? 2 * t->cells.size : 64;
		t->cells.at = mem_realloc(t->cells.at, t->cells.size, sizeof(*t->cells.at));
	}
	t->cells.at[t->cells.n++] = mem_strdup(text);
}

void sonic_cell(struct sonic_table *t, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add_cell(t, text);
}

void sonic_cell_number(struct sonic_table *t, uint64_t n)
{
	char text[32];
	size_t at = sizeof(text) - 1;
	unsigned digits = 0;

	text[at] = '\0';
	do {
		if (digits && digits % 3 == 0)
			text[--at] = ',';
		text[--at] = (char)('0' + n % 10);
		digits++;
	} while (n /= 10);
	add_cell(t, text + at);
}

static size_t width_of(const struct sonic_table *t, unsigned column)
{
	/* tabulate pads a heading by two columns. */
	size_t width = strlen(t->titles[column]) + 2;

	for (size_t i = column; i < t->cells.n; i += t->columns)
		if (strlen(t->cells.at[i]) > width)
			width = strlen(t->cells.at[i]);
	return width;
}

static void put_cell(struct buf *out, const struct sonic_table *t, unsigned column,
	const char *text, size_t width)
{
	size_t aligns = strlen(t->align);
	bool last = column + 1 == t->columns;
	int pad = (int)(width - strlen(text));

	if (t->align[column < aligns ? column : aligns - 1] == 'r')
		(void)buf_addf(out, "%*s%s", pad, "", text);
	else
		(void)buf_addf(out, "%s%*s", text, last ? 0 : pad, "");
	(void)buf_adds(out, last ? "\n" : "  ");
}

void sonic_table_print(struct sonic_table *t, struct buf *out)
{
	static const char dashes[] = "--------------------------------------------------------"
				     "--------------------------------------------------------";
	size_t width[COLUMNS_MOST] = {0};
	unsigned k;

	for (k = 0; k < t->columns; k++)
		width[k] = width_of(t, k);
	for (k = 0; k < t->columns; k++)
		put_cell(out, t, k, t->titles[k], width[k]);
	for (k = 0; k < t->columns; k++)
		(void)buf_addf(
			out, "%.*s%s", (int)width[k], dashes, k + 1 == t->columns ? "\n" : "  ");
	k = 0;
	for (size_t i = 0; i < t->cells.n; i++) {
		put_cell(out, t, k, t->cells.at[i], width[k]);
		free(t->cells.at[i]);
		k = k + 1 < t->columns ? k + 1 : 0;
	}
	free(t->cells.at);
	t->cells.at = NULL;
	t->cells.n = t->cells.size = 0;
}
