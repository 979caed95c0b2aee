/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/support/run_command.h"

#define FILE_MOST (256U << 20)

static char *read_plain(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	struct buf b;
	char part[65536];
	size_t n;

	if (!f)
		return NULL;
	buf_init(&b, FILE_MOST);
	while ((n = fread(part, 1, sizeof(part), f)) > 0 && buf_add(&b, part, n))
		continue;
	(void)fclose(f);
	return buf_take(&b, len);
}

char *read_text(const char *dir, const char *name, size_t *len)
{
	char path[512];
	const char *const argv[] = {"gzip", "-dc", path, NULL};
	int status = 0;

	*len = 0;
	(void)str_printf(path, sizeof(path), "%s/%s", dir, name);
	if (access(path, R_OK) == 0)
		return read_plain(path, len);
	(void)str_printf(path, sizeof(path), "%s/%s.gz", dir, name);
	if (access(path, R_OK) != 0)
		return NULL;
	return run_command(argv, NULL, NULL, len, &status);
}

json_t *read_json(const char *dir, const char *name)
{
	size_t len;
	char *text = read_text(dir, name, &len);
	json_t *doc = text ? json_loadb(text, len, 0, NULL) : NULL;

	free(text);
	return doc;
}

static size_t split(char *line, char **field)
{
	size_t n = 0;

	while (n < CSV_COLUMNS) {
		field[n++] = line;
		line = strchr(line, ',');
		if (!line)
			break;
		*line++ = '\0';
	}
	return n;
}

/* Cuts the next line off; NULL at the end. */
static char *next_line(struct csv *c)
{
	char *line = c->next, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	c->next = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	line[strcspn(line, "\r")] = '\0';
	return line;
}

bool csv_open(struct csv *c, const char *dir, const char *name)
{
	size_t len;
	char *line;

	memset(c, 0, sizeof(*c));
	c->text = c->next = read_text(dir, name, &len);
	line = next_line(c);
	if (line)
		c->ncolumns = split(line, c->column);
	return line != NULL;
}

void csv_close(struct csv *c)
{
	free(c->text);
	memset(c, 0, sizeof(*c));
}

bool csv_row(struct csv *c)
{
	static char none[] = "";
	char *line = next_line(c);
	size_t n;

	if (!line)
		return false;
	n = split(line, c->field);
	while (n < CSV_COLUMNS)
		c->field[n++] = none;
	return true;
}

int csv_column(const struct csv *c, const char *name)
{
	for (size_t i = 0; i < c->ncolumns; i++)
		if (str_eq(c->column[i], name))
			return (int)i;
	return -1;
}

double csv_real(const struct csv *c, int column)
{
	return column < 0 ? 0 : strtod(c->field[column], NULL);
}

const char *csv_text(const struct csv *c, int column)
{
	return column < 0 ? "" : c->field[column];
}
