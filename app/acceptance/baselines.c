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
	bool ok;

	memset(b, 0, sizeof(*b));
	b->value = json_number_value(json_object_get(o, "value"));
	b->wall_us = (int64_t)(json_number_value(json_object_get(o, "time")) * 1e6);
	b->speed_mbps = speed > 0 && speed < 1e9 ? (unsigned)speed : 0;
	ok = json_integer_value(json_object_get(o, "schema")) == BASELINES_SCHEMA &&
	     member_text(o, "test", b->test, sizeof(b->test)) &&
	     member_text(o, "device", b->device, sizeof(b->device)) &&
	     member_text(o, "port", b->port, sizeof(b->port)) && isfinite(b->value) && b->value > 0;
	json_decref(o);
	return ok;
}

bool baselines_read(const char *path, baseline_vec *out, struct err *err)
{
	FILE *f = fopen(path, "re");
	char line[LINE_MOST], subject[400];
	struct baseline b;
	unsigned number = 0;
	bool ok = f != NULL;

	if (!f)
		return err_system(err, ERR_CONFIG, path, "cannot be read", errno);
	while (ok && fgets(line, sizeof(line), f)) {
		number++;
		if (!line[strspn(line, " \t\r\n")])
			continue;
		if (read_line(line, &b)) {
			vec_push(out, b);
			continue;
		}
		(void)str_printf(subject, sizeof(subject), "%s:%u", path, number);
		err_set(err, ERR_CONFIG, subject, "the line is no baseline of schema %d",
			BASELINES_SCHEMA);
		ok = err_cure(err, "each line is an object with schema, test, device, port and "
				   "value: see ACCEPTANCE in railtop(1)");
	}
	if (ok && ferror(f))
		ok = err_system(err, ERR_IO, path, "cannot be read", errno);
	(void)fclose(f);
	return ok;
}

/* ---- storing ---- */

static bool add_old(const char *path, struct buf *b, struct err *err)
{
	char part[LINE_MOST];
	FILE *f = fopen(path, "re");
	size_t n;
	bool ok = true;

	if (!f)
		return errno == ENOENT || err_system(err, ERR_IO, path, "cannot be read", errno);
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

/* Whether a later line is of the same port. */
static bool has_later(const baseline_vec *v, size_t i)
{
	for (size_t k = i + 1; k < v->n; k++)
		if (same_port(&v->at[k], &v->at[i]) && v->at[k].speed_mbps == v->at[i].speed_mbps)
			return true;
	return false;
}

double baseline_of(const baseline_vec *v, const struct baseline *now, char *source, size_t size)
{
	double own[OWN_MOST], *others = mem_calloc(v->n + 1, sizeof(*others)), found = NAN;
	size_t nown = 0, nothers = 0;

	for (size_t i = v->n; i-- > 0 && nown < OWN_MOST;)
		if (same_port(&v->at[i], now) && v->at[i].speed_mbps == now->speed_mbps)
			own[nown++] = v->at[i].value;
	for (size_t i = 0; !nown && now->speed_mbps && i < v->n; i++)
		if (str_eq(v->at[i].test, now->test) && v->at[i].speed_mbps == now->speed_mbps &&
			!has_later(v, i))
			others[nothers++] = v->at[i].value;
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
