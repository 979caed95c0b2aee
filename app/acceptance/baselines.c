/* SPDX-License-Identifier: Apache-2.0 */
#include "app/acceptance/baselines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/output/output.h"
#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/regular_file.h"
#include "base/str.h"

#define LINE_MOST 4096
#define FILE_MOST ((size_t)16 * 1024 * 1024)
#define OWN_MOST  5

/* ---- reading ---- */

static bool member_text(const json_t *o, const char *key, char *dst, size_t size)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s && s[0] && str_copy(dst, size, s);
}

static bool read_line(const char *line, struct baseline *b)
{
	json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	double speed = json_number_value(json_object_get(o, "speed_mbps"));
	double seconds = json_number_value(json_object_get(o, "time"));
	bool ok;

	memset(b, 0, sizeof(*b));
	b->value = json_number_value(json_object_get(o, "value"));
	b->wall_us = seconds > 0 && seconds < 1e11 ? (int64_t)(seconds * 1e6) : 0;
	b->speed_mbps = speed > 0 && speed < 1e9 ? (unsigned)speed : 0;
	ok = json_integer_value(json_object_get(o, "schema")) == BASELINES_SCHEMA &&
	     member_text(o, "test", b->test, sizeof(b->test)) &&
	     member_text(o, "device", b->device, sizeof(b->device)) &&
	     member_text(o, "port", b->port, sizeof(b->port)) && isfinite(b->value) && b->value > 0;
	json_decref(o);
	return ok;
}

static bool is_blank(const char *line)
{
	const char *end = line + strspn(line, " \t\r\n");

	/* A line of NULs is none. */
	return !*end && end != line;
}

static bool read_lines(FILE *f, const char *path, baseline_vec *out, struct err *err)
{
	char line[LINE_MOST], subject[400];
	size_t bytes = 0;
	struct baseline b;

	for (unsigned number = 1; fgets(line, sizeof(line), f); number++) {
		bytes += strlen(line);
		if (bytes > FILE_MOST)
			return err_set(err, ERR_LIMIT, path, "the file is too long");
		if (is_blank(line))
			continue;
		if (read_line(line, &b)) {
			vec_push(out, b);
			continue;
		}
		(void)str_printf(subject, sizeof(subject), "%s:%u", path, number);
		err_set(err, ERR_CONFIG, subject, "the line is no baseline of schema %d",
			BASELINES_SCHEMA);
		return err_cure(err, "each line is an object with schema, test, device, port and "
				     "value: see ACCEPTANCE in railtop(1)");
	}
	return !ferror(f) || err_system(err, ERR_IO, path, "cannot be read", errno);
}

bool baselines_read(const char *path, baseline_vec *out, struct err *err)
{
	FILE *f = regular_file_stream(path);
	bool ok;

	if (!f)
		return regular_file_err(err, ERR_CONFIG, path, "cannot be read");
	ok = read_lines(f, path, out, err);
	(void)fclose(f);
	return ok;
}

/* ---- storing ---- */

static bool add_old(const char *path, struct buf *b, struct err *err)
{
	char part[LINE_MOST];
	FILE *f = regular_file_stream(path);
	size_t n;
	bool ok = true;

	if (!f)
		return errno == ENOENT || regular_file_err(err, ERR_IO, path, "cannot be read");
	while (ok && (n = fread(part, 1, sizeof(part), f)) > 0)
		ok = buf_add(b, part, n);
	if (ok && b->len && b->data[b->len - 1] != '\n')
		ok = buf_adds(b, "\n");
	(void)fclose(f);
	return ok || err_set(err, ERR_LIMIT, path, "the file is too long");
}

static json_t *line_json(const struct baseline *b)
{
	json_t *o = json_object();

	json_put(o, "schema", json_integer(BASELINES_SCHEMA));
	json_put(o, "test", json_text(b->test));
	json_put(o, "device", json_text(b->device));
	json_put(o, "port", json_text(b->port));
	json_put(o, "speed_mbps", b->speed_mbps ? json_integer(b->speed_mbps) : json_null());
	json_put(o, "value", json_number_or_null(b->value));
	json_put(o, "time", json_wall_or_null(b->wall_us));
	return o;
}

bool baselines_store(const char *path, const baseline_vec *more, struct err *err)
{
	struct buf b;
	struct output file = {.path = path, .bytes = &b};
	bool ok;

	buf_init(&b, FILE_MOST);
	ok = add_old(path, &b, err);
	for (size_t i = 0; ok && i < more->n; i++)
		ok = (json_add(line_json(&more->at[i]), JSON_COMPACT, &b) && buf_adds(&b, "\n")) ||
		     err_set(err, ERR_LIMIT, path, "the file is too long");
	ok = ok && output_write(&file, 1, err);
	buf_free(&b);
	return ok;
}

/* ---- comparing ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(double *v, size_t n)
{
	qsort(v, n, sizeof(v[0]), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static bool same_port(const struct baseline *a, const struct baseline *b)
{
	return str_eq(a->test, b->test) && str_eq(a->device, b->device) && str_eq(a->port, b->port);
}

/* By port, then by the order of the lines. */
static int by_port(const void *a, const void *b)
{
	const struct baseline *x = *(const struct baseline *const *)a,
			      *y = *(const struct baseline *const *)b;
	int order = strcmp(x->device, y->device);

	order = order ? order : strcmp(x->port, y->port);
	return order ? order : (x > y) - (x < y);
}

static bool same_kind(const struct baseline *a, const struct baseline *b)
{
	return str_eq(a->test, b->test) && a->speed_mbps == b->speed_mbps;
}

/* The newest value of each port of the same test and speed; their number. */
static size_t newest_values(const baseline_vec *v, const struct baseline *now, double *values)
{
	const struct baseline **lines = mem_calloc(v->n + 1, sizeof(struct baseline *));
	size_t n = 0, nvalues = 0;

	for (size_t i = 0; i < v->n; i++)
		if (same_kind(&v->at[i], now))
			lines[n++] = &v->at[i];
	if (n)
		qsort(lines, n, sizeof(struct baseline *), by_port);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || !same_port(lines[i], lines[i + 1]))
			values[nvalues++] = lines[i]->value;
	free(lines);
	return nvalues;
}

double baseline_of(const baseline_vec *v, const struct baseline *now, char *source, size_t size)
{
	double own[OWN_MOST], *others = NULL, found = NAN;
	size_t nown = 0, nothers = 0;

	for (size_t i = v->n; i-- > 0 && nown < OWN_MOST;)
		if (same_port(&v->at[i], now) && v->at[i].speed_mbps == now->speed_mbps)
			own[nown++] = v->at[i].value;
	if (!nown && now->speed_mbps) {
		others = mem_calloc(v->n + 1, sizeof(*others));
		nothers = newest_values(v, now, others);
	}
	source[0] = '\0';
	if (nown) {
		found = median_of(own, nown);
		(void)str_printf(
			source, size, "this port before, %zu time%s", nown, str_plural(nown));
	} else if (nothers) {
		found = median_of(others, nothers);
		(void)str_printf(source, size, "%zu port%s of %u Gb/s", nothers,
			str_plural(nothers), now->speed_mbps / 1000);
	}
	free(others);
	return found;
}
