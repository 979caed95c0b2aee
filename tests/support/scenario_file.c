/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/scenario_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const char *const shapes[SCENARIO_SHAPES] = {
	"two-leaf-rail", "rail-only", "single-spine", "three-tier", "breakout", "dual-plane"};

unsigned scenario_shapes(const struct scenario *s, const char *shape[SCENARIO_SHAPES])
{
	unsigned n = 0;

	for (unsigned i = 0; i < SCENARIO_SHAPES; i++) {
		bool fits = true;

		for (unsigned k = 0; k < s->nunfit; k++)
			fits = fits && !str_eq(s->unfit[k], shapes[i]);
		if (fits)
			shape[n++] = shapes[i];
	}
	return n;
}

/* "20s..35s" */
static bool read_window(char *text, int64_t *from, int64_t *to)
{
	char *dots = strstr(text, "..");

	if (!dots)
		return false;
	*dots = '\0';
	return str_to_duration(text, from) && str_to_duration(dots + 2, to) && *from < *to;
}

/* "0.9x" or "90%" or "12.5" */
static bool read_value(struct scenario_check *c, char *text)
{
	size_t n = strlen(text);
	double scale = 1;

	if (n && text[n - 1] == '%')
		scale = 0.01;
	c->relative = n && text[n - 1] == 'x';
	if (n && (scale < 1 || c->relative))
		text[n - 1] = '\0';
	if (!str_to_double(text, &c->value))
		return false;
	c->value *= scale;
	return true;
}

/* "20s..35s paused @peer > 90%" or "... steps pretrain < 0.8x 5s..15s" */
static bool read_check(struct scenario *s, char *text, unsigned line)
{
	struct scenario_check *c = &s->check[s->nchecks];
	char *word[6] = {0}, *rest = NULL;
	unsigned n = 0;

	if (s->nchecks == SCENARIO_CHECKS)
		return false;
	for (char *w = strtok_r(text, " \t", &rest); w && n < 6; w = strtok_r(NULL, " \t", &rest))
		word[n++] = w;
	if (n < 5 || strtok_r(NULL, " \t", &rest))
		return false;
	*c = (struct scenario_check){.line = line, .op = word[3][0]};
	if (!read_window(word[0], &c->from, &c->to) || !strchr("<>", c->op) || word[3][1] ||
		!str_copy(c->metric, sizeof(c->metric), word[1]) ||
		!str_copy(c->entity, sizeof(c->entity), word[2]) || !read_value(c, word[4]))
		return false;
	if (c->relative != (n == 6) ||
		(c->relative && !read_window(word[5], &c->ref_from, &c->ref_to)))
		return false;
	s->nchecks++;
	return true;
}

static bool read_label(struct scenario *s, char *text)
{
	struct scenario_label *l = &s->label[s->nlabels];
	char *rest = NULL, *class = strtok_r(text, " \t", &rest);
	char *entity = strtok_r(NULL, " \t", &rest);

	if (class && strcmp(class, "none") == 0)
		return !entity;
	if (!class || !entity || s->nlabels == SCENARIO_LABELS)
		return false;
	s->nlabels++;
	return str_copy(l->class, sizeof(l->class), class) &&
	       str_copy(l->entity, sizeof(l->entity), entity);
}

/* "1 ports > 10" */
static bool read_harm(struct scenario *s, const char *text, unsigned line)
{
	struct scenario_harm *h = &s->harm[s->nharms];

	if (s->nharms == SCENARIO_LABELS)
		return false;
	h->line = line;
	s->nharms++;
	return sscanf(text, "%u %15s %c %lf", &h->fault, h->what, &h->op, &h->value) == 4 &&
	       h->fault && strchr("<>", h->op);
}

static bool read_presets(struct scenario *s, char *text)
{
	char *rest = NULL;

	for (char *w = strtok_r(text, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest)) {
		if (s->npresets == 2 || !str_copy(s->presets[s->npresets], 16, w))
			return false;
		s->npresets++;
	}
	return s->npresets > 0;
}

static bool is_shape(const char *name)
{
	for (unsigned i = 0; i < SCENARIO_SHAPES; i++)
		if (str_eq(shapes[i], name))
			return true;
	return false;
}

static bool read_unfit(struct scenario *s, char *text)
{
	char *rest = NULL;

	for (char *w = strtok_r(text, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest)) {
		if (s->nunfit == SCENARIO_SHAPES || !is_shape(w))
			return false;
		(void)str_copy(s->unfit[s->nunfit++], sizeof(s->unfit[0]), w);
	}
	return s->nunfit > 0;
}

static bool read_seeds(struct scenario *s, char *text)
{
	char *rest = NULL;

	for (char *w = strtok_r(text, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest)) {
		if (s->nseeds == SCENARIO_SEEDS || !str_to_u64(w, &s->seed[s->nseeds]))
			return false;
		s->nseeds++;
	}
	return s->nseeds > 0;
}

static bool read_line(struct scenario *s, char *text, unsigned line)
{
	char *word = text + strspn(text, " \t"), *rest = word + strcspn(word, " \t");

	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " \t");
	if (strcmp(word, "presets") == 0)
		return read_presets(s, rest);
	if (strcmp(word, "not") == 0)
		return read_unfit(s, rest);
	if (strcmp(word, "seeds") == 0)
		return read_seeds(s, rest);
	if (strcmp(word, "length") == 0)
		return str_to_duration(rest, &s->length);
	if (strcmp(word, "label") == 0)
		return read_label(s, rest);
	if (strcmp(word, "harm") == 0)
		return read_harm(s, rest, line);
	if (strcmp(word, "check") == 0)
		return read_check(s, rest, line);
	return false;
}

bool scenario_read(struct scenario *s, const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	char line[512], where[300], shown[512];
	unsigned n = 0;
	bool ok = true;

	*s = (struct scenario){0};
	if (!f)
		return err_set(err, ERR_CONFIG, path, "cannot read: %s", strerror(errno));
	(void)str_copy(s->path, sizeof(s->path), path);
	while (ok && fgets(line, sizeof(line), f)) {
		n++;
		line[strcspn(line, "\r\n")] = '\0';
		if (!str_starts(line, "#!"))
			continue;
		(void)str_copy(shown, sizeof(shown), line);
		ok = read_line(s, line + 2, n);
	}
	(void)fclose(f);
	(void)str_printf(where, sizeof(where), "%s:%u", path, n);
	if (!ok)
		return err_set(err, ERR_CONFIG, where, "not understood: %s", shown);
	if (!s->npresets || !s->nseeds || !s->length || !s->nchecks)
		return err_set(err, ERR_CONFIG, path, "needs presets, seeds, length and a check");
	for (unsigned i = 0; i < s->nchecks; i++)
		if (s->check[i].to > s->length)
			return err_set(err, ERR_CONFIG, path, "line %u: ends after the length",
				s->check[i].line);
	return true;
}
