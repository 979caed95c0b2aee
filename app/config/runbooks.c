/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config/runbooks.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/embedded_texts.h"
#include "base/str.h"

struct teller {
	void (*warn)(void *ctx, const char *message);
	void *ctx;
	struct err first;
};

static void report_problem(void *ctx, const struct err *problem)
{
	struct teller *t = ctx;
	char line[sizeof(*problem)];

	if (t->first.code == ERR_NONE)
		t->first = *problem;
	if (t->warn)
		t->warn(t->ctx, err_format(problem, line, sizeof(line)));
}

static bool is_yaml(const char *name)
{
	size_t n = strlen(name);

	return n > strlen(".yaml") && name[0] != '.' && str_eq(name + n - strlen(".yaml"), ".yaml");
}

static int by_name(const void *a, const void *b)
{
	const struct runbook *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Adds a runbook, or replaces the one of the same name. */
static void put_runbook(struct runbooks *out, struct runbook *b)
{
	for (size_t i = 0; i < out->at.n; i++) {
		if (!str_eq(out->at.at[i]->name, b->name))
			continue;
		runbook_free(out->at.at[i]);
		out->at.at[i] = b;
		return;
	}
	vec_push(&out->at, b);
}

static bool load_built_in(struct runbooks *out, struct err *err)
{
	const struct embedded_text *t;

	for (size_t i = 0; (t = embedded_text_at(i)); i++) {
		struct teller teller = {0};
		struct runbook *b;

		if (!is_yaml(t->name))
			continue;
		b = runbook_parse(t->name, t->text, strlen(t->text), report_problem, &teller);
		if (!b) {
			*err = teller.first;
			err->code = ERR_INTERNAL;
			return false;
		}
		(void)str_copy(b->source, sizeof(b->source), "built in");
		put_runbook(out, b);
	}
	return true;
}

static bool user_directory(char *dst, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		return str_printf(dst, size, "%s/railtop/runbooks", config);
	return home && *home && str_printf(dst, size, "%s/.config/railtop/runbooks", home);
}

static void load_users(struct runbooks *out, struct teller *t)
{
	char dir[512], path[1024];
	struct dirent **names = NULL;
	int n = user_directory(dir, sizeof(dir)) ? scandir(dir, &names, NULL, alphasort) : 0;
	size_t taken = 0;

	for (int i = 0; i < n; i++) {
		struct runbook *b;

		if (is_yaml(names[i]->d_name) && taken++ < RUNBOOKS_MAX &&
			str_printf(path, sizeof(path), "%s/%s", dir, names[i]->d_name)) {
			b = runbook_read(path, report_problem, t);
			if (b)
				put_runbook(out, b);
		}
		free(names[i]);
	}
	free(names);
	if (taken > RUNBOOKS_MAX) {
		struct err err = {0};

		(void)err_set(&err, ERR_LIMIT, dir, "%zu runbooks; only %d are read", taken,
			RUNBOOKS_MAX);
		report_problem(t, &err);
	}
}

/* Reports each step that leads to a missing runbook. */
static void check_links(const struct runbooks *all, struct teller *t)
{
	for (size_t i = 0; i < all->at.n; i++) {
		const struct runbook *b = all->at.at[i];

		for (size_t k = 0; k < b->steps.n; k++) {
			const struct runbook_step *s = &b->steps.at[k];
			const char *const leads[] = {s->on_pass, s->on_fail, s->on_unknown};

			for (size_t o = 0; o < sizeof(leads) / sizeof(leads[0]); o++) {
				struct err err = {0};

				if (!str_starts(leads[o], "runbook:") ||
					runbook_find(all, leads[o] + strlen("runbook:")))
					continue;
				(void)err_set(&err, ERR_CONFIG, b->source,
					"%s: the step %s leads to %s, which does not exist",
					b->name, s->id, leads[o]);
				report_problem(t, &err);
			}
		}
	}
}

bool runbooks_load(struct runbooks *out, void (*warn)(void *ctx, const char *message), void *ctx,
	struct err *err)
{
	struct teller t = {warn, ctx, {0}};

	memset(out, 0, sizeof(*out));
	if (!load_built_in(out, err))
		return false;
	load_users(out, &t);
	if (out->at.n)
		qsort(out->at.at, out->at.n, sizeof(out->at.at[0]), by_name);
	check_links(out, &t);
	return true;
}
