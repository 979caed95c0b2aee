/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "archive/openmetrics/metrics_private.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/* Names have at most NAME_MAX_LEN and a rail is a number, so no line is longer than this. */
#define LINE_MOST 1024
#define COPY_STEP METRIC_COPY_STEP
/* 2,000,000 ports with the longest names; more devices and findings than can exist. */
#define LABELS_MOST ((size_t)1 << 30)
#define FEW_MOST    ((size_t)256 << 20)
_Static_assert(LINE_MOST <= METRICS_PIECE_LEAST, "a line fits into the least piece");

struct metrics *metrics_take(
	const struct model *m, const struct diag *d, const struct metrics_own *own, int64_t now_us)
{
	struct metrics *x = mem_calloc(1, sizeof(*x));

	buf_init(&x->labels, LABELS_MOST);
	buf_init(&x->few, FEW_MOST);
	metrics_take_ports(x, m);
	metrics_take_few(x, m, d, own, now_us);
	return x;
}

void metrics_free(struct metrics *x)
{
	if (!x)
		return;
	for (unsigned i = 0; i < METRIC_CELLS; i++) {
		free(x->columns[i].at);
		free(x->columns[i].has);
	}
	free(x->labels_at);
	buf_free(&x->labels);
	buf_free(&x->few);
	free(x);
}

uint64_t metrics_samples(const struct metrics *x)
{
	uint64_t n = x->few_samples;

	for (unsigned i = 0; i < METRIC_CELLS; i++)
		n += x->columns[i].n;
	return n;
}

const char *metrics_content_type(enum metrics_format f)
{
	return f == METRICS_OPENMETRICS
		       ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
}

/* ---- texts ---- */

/* Fast path: nearly all names need no escape. */
static bool is_plain(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\')
			return false;
	return true;
}

void metric_label(struct buf *b, const char *name, const char *value)
{
	char clean[512], text[2 * sizeof(clean)];
	size_t n = strlen(value), k = 0;

	(void)buf_adds(b, name);
	(void)buf_add(b, "=\"", 2);
	if (n < sizeof(clean) && is_plain(value, n)) {
		(void)buf_add(b, value, n);
	} else {
		n = str_sanitise(clean, sizeof(clean), value, n);
		for (size_t i = 0; i < n; i++) {
			if (clean[i] == '\\' || clean[i] == '"')
				text[k++] = '\\';
			text[k++] = clean[i];
		}
		(void)buf_add(b, text, k);
	}
	(void)buf_add(b, "\"", 1);
}

/* FNV-1a over 8-byte words: there are tens of thousands of long and similar labels. */
static uint32_t hash_of(const char *s, size_t n)
{
	uint64_t h = UINT64_C(14695981039346656037), word = 0;
	size_t i = 0;

	for (; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, s + i, sizeof(word));
		h = (h ^ word) * UINT64_C(1099511628211);
		h ^= h >> 29;
	}
	word = n;
	memcpy(&word, s + i, n - i);
	h = (h ^ word) * UINT64_C(1099511628211);
	return (uint32_t)(h ^ h >> 32);
}

void metric_seen_reserve(struct metric_seen *s, size_t n)
{
	s->size = 64;
	while (s->size < 2 * n)
		s->size *= 2;
	s->slots = mem_calloc(s->size, sizeof(*s->slots));
}

static void seen_grow(struct metric_seen *s)
{
	struct metric_seen old = *s;

	s->size = old.size ? old.size * 2 : 64;
	s->slots = mem_calloc(s->size, sizeof(*s->slots));
	for (size_t i = 0; i < old.size; i++) {
		size_t k = old.slots[i].hash;

		if (!old.slots[i].n)
			continue;
		while (s->slots[k &= s->size - 1].n)
			k++;
		s->slots[k] = old.slots[i];
	}
	free(old.slots);
}

bool metric_seen_new(struct metric_seen *s, const struct buf *b, size_t at, size_t n)
{
	uint32_t hash = n ? hash_of(b->data + at, n) : 0;
	size_t k = hash;

	/* Length 0 marks a free slot. Without labels there can be only one sample. */
	if (!n)
		return true;
	if (s->n * 2 >= s->size)
		seen_grow(s);
	for (; s->slots[k &= s->size - 1].n; k++)
		if (s->slots[k].hash == hash && s->slots[k].n == n &&
			memcmp(b->data + s->slots[k].at, b->data + at, n) == 0)
			return false;
	s->slots[k] = (struct metric_seen_at){hash, (uint32_t)n, at};
	s->n++;
	return true;
}

void metric_seen_free(struct metric_seen *s)
{
	free(s->slots);
	*s = (struct metric_seen){0};
}

/* ---- families with few samples ---- */

void metric_few_begin(struct metric_few *f, struct metrics *x, enum metric_id id)
{
	struct metric_family family;

	metrics_family(id, &family);
	*f = (struct metric_few){.x = x, .id = id};
	metrics_sample_name(&family, f->name, sizeof(f->name));
	x->span[id].from = x->few.len;
}

void metric_few_add(struct metric_few *f, double value, ...)
{
	struct buf *b = &f->x->few;
	size_t from = b->len, labels;
	char text[METRIC_NUMBER_MOST + 2], *end;
	const char *label;
	va_list ap;

	(void)buf_adds(b, f->name);
	labels = b->len;
	va_start(ap, value);
	while ((label = va_arg(ap, const char *))) {
		const char *what = va_arg(ap, const char *);

		if (!what || !*what)
			continue;
		(void)buf_add(b, b->len == labels ? "{" : ",", 1);
		metric_label(b, label, what);
	}
	va_end(ap);
	if (b->len > labels)
		(void)buf_add(b, "}", 1);
	if (!metric_seen_new(&f->seen, b, labels, b->len - labels)) {
		b->len = from;
		f->x->left_out++;
		return;
	}
	text[0] = ' ';
	end = metric_put_real(text + 1, value, 0);
	*end++ = '\n';
	/* Adds whole lines only: half a line would spoil the exposition. */
	if (!buf_add(b, text, (size_t)(end - text)) || b->overflow) {
		b->len = from;
		f->x->left_out++;
		return;
	}
	f->x->few_samples++;
}

void metric_few_end(struct metric_few *f)
{
	f->x->span[f->id].to = f->x->few.len;
	metric_seen_free(&f->seen);
}

/* ---- reading ---- */

static char *put_header(char *to, const struct metric_family *f, enum metrics_format format)
{
	static const char *const types[][2] = {[METRIC_GAUGE] = {"gauge", "gauge"},
		[METRIC_COUNTER] = {"counter", "counter"},
		[METRIC_INFO] = {"gauge", "info"}};
	bool om = format == METRICS_OPENMETRICS;
	char name[96];

	/* OpenMetrics names the family, the older format names the samples. */
	if (om)
		(void)str_copy(name, sizeof(name), f->name);
	else
		metrics_sample_name(f, name, sizeof(name));
	to += snprintf(to, LINE_MOST / 2, "# HELP %s %s\n", name, f->help);
	to += snprintf(to, LINE_MOST / 4, "# TYPE %s %s\n", name, types[f->type][om]);
	if (om && *f->unit)
		to += snprintf(to, LINE_MOST / 4, "# UNIT %s %s\n", name, f->unit);
	return to;
}

/* The text shared by all samples of a column. */
struct column_text {
	char before[96 + COPY_STEP], after[48 + COPY_STEP];
	size_t nbefore, nafter;
	int shift;
	bool real;
};

static void column_text(struct column_text *t, const struct metrics *x, unsigned cell, unsigned sub,
	const struct metric_family *f)
{
	const char *label = metrics_dim_label(f->dim);

	memset(t, 0, sizeof(*t));
	metrics_sample_name(f, t->before, 95);
	t->nbefore = strlen(t->before);
	t->before[t->nbefore++] = '{';
	(void)str_printf(t->after, 48, *label ? ",%s=\"%u\"} " : "} ", label, sub);
	t->nafter = strlen(t->after);
	t->shift = f->shift;
	t->real = cell < CELL_COUNT && x->real[cell];
}

/*
 * Copies n bytes in steps of COPY_STEP. Excess bytes are overwritten by the next copy, and both
 * buffers have room for them. For small and varying n this is faster than memcpy().
 */
static inline char *put_some(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i += COPY_STEP)
		memcpy(to + i, from + i, COPY_STEP);
	return to + n;
}

static char *put_line(
	char *to, const struct metrics *x, const struct column_text *t, size_t row, uint64_t value)
{
	size_t n = x->labels_at[row + 1] - x->labels_at[row];

	to = put_some(to, t->before, t->nbefore);
	to = put_some(to, x->labels.data + x->labels_at[row], n);
	to = put_some(to, t->after, t->nafter);
	if (t->real) {
		double real;

		memcpy(&real, &value, sizeof(real));
		to = metric_put_real(to, real, t->shift);
	} else {
		to = metric_put_count(to, value, t->shift);
	}
	*to++ = '\n';
	return to;
}

/* The next row from row on that has this number; x->rows: none. */
static size_t next_row(const struct metrics *x, const struct metric_column *c, size_t row)
{
	while (row < x->rows) {
		uint64_t left = c->has[row / 64] >> (row % 64);

		if (left)
			return row + (size_t)__builtin_ctzll(left);
		row = (row / 64 + 1) * 64;
	}
	return x->rows;
}

/* True: the column is complete. */
static bool put_column(struct metrics_reader *r, const struct metric_family *f, unsigned cell,
	char **to, const char *end)
{
	const struct metrics *x = r->of;
	const struct metric_column *c = &x->columns[cell];
	struct column_text t;

	if (!c->at)
		return true;
	column_text(&t, x, cell, r->sub, f);
	while ((r->at = next_row(x, c, r->at)) < x->rows) {
		if (end - *to < LINE_MOST)
			return false;
		*to = put_line(*to, x, &t, r->at, c->at[r->at]);
		r->at++;
	}
	return true;
}

static bool put_ports(
	struct metrics_reader *r, const struct metric_family *f, char **to, const char *end)
{
	unsigned n, first = metrics_cells(r->family, &n);

	for (; r->sub < n; r->sub++, r->at = 0)
		if (!put_column(r, f, first + r->sub, to, end))
			return false;
	return true;
}

static bool put_few(struct metrics_reader *r, char **to, const char *end)
{
	const struct metric_span *s = &r->of->span[r->family];
	size_t left = s->to - s->from - r->at, room = (size_t)(end - *to);
	size_t n = left < room ? left : room;

	memcpy(*to, r->of->few.data + s->from + r->at, n);
	*to += n;
	r->at += n;
	return n == left;
}

static bool is_empty(const struct metrics *x, unsigned id, enum metric_of of)
{
	unsigned n, first = metrics_cells(id, &n);

	if (of == METRIC_FEW)
		return x->span[id].from == x->span[id].to;
	while (n--)
		if (x->columns[first + n].at)
			return false;
	return true;
}

/* True: the family is complete. */
static bool put_family(struct metrics_reader *r, char **to, const char *end)
{
	struct metric_family f;

	metrics_family(r->family, &f);
	if ((r->some && !r->wanted[r->family]) || is_empty(r->of, r->family, f.of))
		return true;
	if (!r->begun) {
		if (end - *to < LINE_MOST)
			return false;
		*to = put_header(*to, &f, r->format);
		r->begun = true;
	}
	return f.of == METRIC_FEW ? put_few(r, to, end) : put_ports(r, &f, to, end);
}

size_t metrics_read(struct metrics_reader *r, char *dst, size_t size)
{
	char *to = dst;
	const char *end = dst + size;

	assert(size >= METRICS_PIECE_LEAST);
	for (; r->family < METRIC_COUNT; r->family++) {
		if (!put_family(r, &to, end))
			return (size_t)(to - dst);
		r->begun = false;
		r->at = 0;
		r->sub = 0;
	}
	if (!r->ended && r->format == METRICS_OPENMETRICS) {
		if (end - to < LINE_MOST)
			return (size_t)(to - dst);
		to += snprintf(to, LINE_MOST, "# EOF\n");
	}
	r->ended = true;
	return (size_t)(to - dst);
}
