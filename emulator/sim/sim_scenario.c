/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/sim/faults/faults.h"

/* Reads a scenario file: timed faults, heals, and jobs. */

#define LINE_MOST 512

struct reader {
	struct sim *s;
	const char *path;
	unsigned line;
	VEC(char *) jobs;
	unsigned first_job; /* the line of the first job */
};

/* Replaces the error's origin by file:line; the cause stays. */
static bool at_line(const struct reader *r, unsigned line, struct err *err)
{
	if (err)
		(void)str_printf(err->origin, sizeof(err->origin), "%s:%u", r->path, line);
	return false;
}

static bool plan_heal(struct reader *r, int64_t at, const char *what, struct err *err)
{
	struct planned_heal h = {.at = at};

	if (*what && str_copy(h.what, sizeof(h.what), what)) {
		vec_push(&r->s->heals, h);
		return true;
	}
	err_set(err, ERR_CONFIG, r->path, "heal does not say what");
	(void)err_cure(err, "heal and a class, a device, class:device:port, or all");
	return at_line(r, r->line, err);
}

static char *next_word(char **rest)
{
	char *text = *rest + strspn(*rest, " \t"), *end = text + strcspn(text, " \t");

	*rest = end + strspn(end, " \t");
	*end = '\0';
	return text;
}

static bool read_timed(struct reader *r, const char *at, char *rest, struct err *err)
{
	int64_t us;
	char *what;

	if (!str_to_duration(at, &us) || us > 1000000 * CLOCK_SEC) {
		err_set(err, ERR_CONFIG, r->path, "\"%s\" is not a time", at);
		(void)err_cure(err, "a time such as 500ms, 20s, 2m, then a fault or heal WHAT");
		return at_line(r, r->line, err);
	}
	what = next_word(&rest);
	if (str_eq(what, "heal"))
		return plan_heal(r, r->s->o.start_us + us, rest, err);
	if (*rest) {
		err_set(err, ERR_CONFIG, r->path, "\"%s\" comes after the fault", rest);
		(void)err_cure(err, "keys follow the class without blanks: %s,for=60s", what);
		return at_line(r, r->line, err);
	}
	return fault_schedule(r->s, what, r->s->o.start_us + us, err) || at_line(r, r->line, err);
}

static bool read_line(struct reader *r, char *line, struct err *err)
{
	char *rest = line, *first;

	line[strcspn(line, "#\r\n")] = '\0';
	for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]); n--)
		line[n - 1] = '\0';
	first = next_word(&rest);
	if (!*first)
		return true;
	if (str_eq(first, "job")) {
		if (!r->jobs.n)
			r->first_job = r->line;
		vec_push(&r->jobs, mem_strdup(rest));
		return true;
	}
	if (isdigit((unsigned char)*first))
		return read_timed(r, first, rest, err);
	if (!*rest)
		return fault_schedule(r->s, first, r->s->o.start_us, err) ||
		       at_line(r, r->line, err);
	err_set(err, ERR_CONFIG, r->path, "\"%s %s\" is not understood", first, rest);
	(void)err_cure(err, "AT SPEC, AT heal WHAT, or job name=...,kind=...");
	return at_line(r, r->line, err);
}

static bool set_jobs(struct reader *r, struct err *err)
{
	if (!r->jobs.n)
		return true;
	vec_push(&r->jobs, NULL);
	return sim_set_jobs(r->s, (const char *const *)r->jobs.at, err) ||
	       at_line(r, r->first_job, err);
}

static bool read_all(struct reader *r, FILE *f, struct err *err)
{
	char line[LINE_MOST];

	while (fgets(line, sizeof(line), f)) {
		r->line++;
		if (!strchr(line, '\n') && !feof(f)) {
			err_set(err, ERR_CONFIG, r->path, "longer than %d bytes", LINE_MOST - 2);
			return at_line(r, r->line, err);
		}
		if (!read_line(r, line, err))
			return false;
	}
	if (ferror(f))
		return err_set(err, ERR_CONFIG, r->path, "cannot read: %s", strerror(errno));
	return set_jobs(r, err);
}

bool sim_scenario(struct sim *s, const char *path, struct err *err)
{
	struct reader r = {.s = s, .path = path};
	FILE *f = fopen(path, "re");
	bool ok;

	if (!f) {
		err_set(err, ERR_CONFIG, path, "cannot read: %s", strerror(errno));
		return err_cure(
			err, "a file of lines such as 20s pfc-storm:node003:mlx5_0,for=30s");
	}
	ok = read_all(&r, f, err);
	(void)fclose(f);
	for (size_t i = 0; i < r.jobs.n; i++)
		free(r.jobs.at[i]);
	vec_free(&r.jobs);
	return ok;
}
