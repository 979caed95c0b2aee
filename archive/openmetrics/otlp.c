/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/openmetrics/otlp.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/version.h"

/* Texts of the exposition that wait to be read. */
#define PIECE ((size_t)64 << 10)
/* The points of one family before they are put into the body. */
#define POINTS_MOST ((size_t)4 << 20)
#define BODY_MOST   ((size_t)16 << 20)
/* enum AggregationTemporality */
#define CUMULATIVE 2

struct otlp {
	struct metrics_reader reader;
	char piece[PIECE + 1];
	size_t at, len;
	int64_t now_us;
	char fabric[256];
	uint64_t points_in_all;
	/* The family whose lines are read. */
	char name[96], help[512], unit[32];
	enum metric_type type;
	struct buf points;  /* NumberDataPoint fields of a Gauge or Sum */
	struct buf metrics; /* Metric fields of ScopeMetrics */
};

/* ---- protobuf: encoding of its wire format ---- */

enum wire { VARINT = 0, FIXED64 = 1, LEN = 2 };

static void put_varint(struct buf *b, uint64_t v)
{
	char bytes[10];
	size_t n = 0;

	for (; v >= 128; v >>= 7U)
		bytes[n++] = (char)(v | 128);
	bytes[n++] = (char)v;
	(void)buf_add(b, bytes, n);
}

static void put_tag(struct buf *b, unsigned field, enum wire wire)
{
	put_varint(b, (uint64_t)field << 3U | wire);
}

static void put_bytes(struct buf *b, unsigned field, const void *bytes, size_t n)
{
	put_tag(b, field, LEN);
	put_varint(b, n);
	if (n)
		(void)buf_add(b, bytes, n);
}

static void put_text(struct buf *b, unsigned field, const char *text)
{
	if (*text)
		put_bytes(b, field, text, strlen(text));
}

static void put_fixed64(struct buf *b, unsigned field, uint64_t v)
{
	char bytes[8];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(v >> 8 * i);
	put_tag(b, field, FIXED64);
	(void)buf_add(b, bytes, sizeof(bytes));
}

static size_t varint_size(uint64_t v)
{
	size_t n = 1;

	for (; v >= 128; v >>= 7U)
		n++;
	return n;
}

/* KeyValue with a string: the tags of its fields take one byte each. */
static void put_attribute(
	struct buf *b, unsigned field, const char *key, size_t nkey, const char *value, size_t n)
{
	size_t any = 1 + varint_size(n) + n;

	put_tag(b, field, LEN);
	put_varint(b, 1 + varint_size(nkey) + nkey + 1 + varint_size(any) + any);
	put_bytes(b, 1, key, nkey);
	put_tag(b, 2, LEN);
	put_varint(b, any);
	put_bytes(b, 1, value, n);
}

/* ---- lines of the exposition ---- */

/* Reads the labels of {a="b",c="d"} as attributes; returns what follows them, NULL: no labels. */
static const char *put_labels(struct buf *point, const char *at)
{
	char value[2048];

	while (*at != '}') {
		size_t nkey = strcspn(at, "="), n = 0;
		const char *key = at;

		at += nkey;
		if (at[0] != '=' || at[1] != '"')
			return NULL;
		for (at += 2; *at && *at != '"'; at++) {
			if (*at == '\\' && at[1])
				at++;
			if (n < sizeof(value))
				value[n++] = *at;
		}
		if (*at++ != '"')
			return NULL;
		put_attribute(point, 7, key, nkey, value, n);
		at += *at == ',';
	}
	return at + 1;
}

static bool put_value(struct buf *point, const char *text)
{
	uint64_t whole, bits;
	double real;

	if (str_to_u64(text, &whole) && whole <= INT64_MAX) {
		put_fixed64(point, 6, whole);
		return true;
	}
	if (!str_to_double(text, &real))
		return false;
	memcpy(&bits, &real, sizeof(bits));
	put_fixed64(point, 4, bits);
	return true;
}

static void take_sample(struct otlp *o, const char *line)
{
	const char *at = line + strcspn(line, "{ ");
	struct buf point;

	buf_init(&point, 64 << 10);
	put_fixed64(&point, 3, (uint64_t)o->now_us * 1000);
	if (*at == '{')
		at = put_labels(&point, at + 1);
	if (at && *at == ' ' && put_value(&point, at + 1) && !point.overflow) {
		put_bytes(&o->points, 1, point.data, point.len);
		o->points_in_all++;
	}
	buf_free(&point);
}

/* ---- families ---- */

/* The unit of a family in UCUM, as OpenTelemetry wants it. */
static const char *ucum_of(const char *unit)
{
	static const struct {
		const char *ours, *ucum;
	} units[] = {{"bytes", "By"}, {"seconds", "s"}, {"ratio", "1"}, {"celsius", "Cel"},
		{"volts", "V"}, {"amperes", "A"}, {"bytes_per_second", "By/s"}, {"dbm", "dB[mW]"},
		{"db", "dB"}, {"lanes", "{lane}"}, {"transfers_per_second", "{transfer}/s"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (str_eq(units[i].ours, unit))
			return units[i].ucum;
	return "";
}

/* Puts the points of the family so far into a Metric. */
static void end_metric(struct otlp *o)
{
	struct buf data, metric;
	bool sum = o->type == METRIC_COUNTER;

	if (!o->points.len)
		return;
	buf_init(&data, POINTS_MOST + 64);
	buf_init(&metric, POINTS_MOST + 2048);
	(void)buf_add(&data, o->points.data, o->points.len);
	if (sum) {
		put_tag(&data, 2, VARINT);
		put_varint(&data, CUMULATIVE);
		put_tag(&data, 3, VARINT);
		put_varint(&data, true);
	}
	put_text(&metric, 1, o->name);
	put_text(&metric, 2, o->help);
	put_text(&metric, 3, ucum_of(o->unit));
	put_bytes(&metric, sum ? 7 : 5, data.data, data.len);
	put_bytes(&o->metrics, 2, metric.data, metric.len);
	buf_free(&data);
	buf_free(&metric);
	buf_reset(&o->points);
}

/* "HELP name text", "TYPE name type", "UNIT name unit", "EOF". */
static void take_comment(struct otlp *o, char *text)
{
	char *name = text + strcspn(text, " "), *rest;

	if (!*name)
		return;
	*name++ = '\0';
	rest = name + strcspn(name, " ");
	if (*rest)
		*rest++ = '\0';
	if (str_eq(text, "HELP")) {
		end_metric(o);
		(void)str_copy(o->name, sizeof(o->name), name);
		(void)str_copy(o->help, sizeof(o->help), rest);
		o->unit[0] = '\0';
	} else if (str_eq(text, "UNIT")) {
		(void)str_copy(o->unit, sizeof(o->unit), rest);
	} else if (str_eq(text, "TYPE")) {
		o->type = str_eq(rest, "counter") ? METRIC_COUNTER : METRIC_GAUGE;
		if (str_eq(rest, "info"))
			(void)str_copy(o->name + strlen(o->name), sizeof(o->name) - strlen(o->name),
				"_info");
	}
}

/* The next line, without its end; NULL: there are no more. */
static char *next_line(struct otlp *o)
{
	char *end, *line;
	size_t n;

	while (!(end = memchr(o->piece + o->at, '\n', o->len - o->at))) {
		memmove(o->piece, o->piece + o->at, o->len - o->at);
		o->len -= o->at;
		o->at = 0;
		n = PIECE - o->len < METRICS_PIECE_LEAST
			    ? 0
			    : metrics_read(&o->reader, o->piece + o->len, PIECE - o->len);
		o->len += n;
		if (!n)
			return NULL;
	}
	*end = '\0';
	line = o->piece + o->at;
	o->at = (size_t)(end - o->piece) + 1;
	return line;
}

/* ---- requests ---- */

struct otlp *otlp_new(const struct metrics *x, const char *fabric, int64_t now_us)
{
	struct otlp *o = mem_calloc(1, sizeof(*o));

	o->reader = (struct metrics_reader){.of = x, .format = METRICS_OPENMETRICS};
	o->now_us = now_us;
	(void)str_copy(o->fabric, sizeof(o->fabric), fabric);
	buf_init(&o->points, POINTS_MOST);
	buf_init(&o->metrics, BODY_MOST);
	return o;
}

void otlp_free(struct otlp *o)
{
	if (!o)
		return;
	buf_free(&o->points);
	buf_free(&o->metrics);
	free(o);
}

uint64_t otlp_points(const struct otlp *o)
{
	return o->points_in_all;
}

static void put_resource(const struct otlp *o, struct buf *b, unsigned field)
{
	const char *const attributes[][2] = {{"service.name", "railtop"},
		{"service.version", RAILTOP_VERSION}, {"railtop.fabric", o->fabric}};
	struct buf resource;

	buf_init(&resource, 4096);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (*attributes[i][1])
			put_attribute(&resource, 1, attributes[i][0], strlen(attributes[i][0]),
				attributes[i][1], strlen(attributes[i][1]));
	put_bytes(b, field, resource.data, resource.len);
	buf_free(&resource);
}

static void put_scope(struct buf *b, unsigned field)
{
	struct buf scope;

	buf_init(&scope, 256);
	put_text(&scope, 1, "railtop");
	put_text(&scope, 2, RAILTOP_VERSION);
	put_bytes(b, field, scope.data, scope.len);
	buf_free(&scope);
}

bool otlp_body(struct otlp *o, size_t most, struct buf *body)
{
	struct buf of_scope, of_resource;
	char *line = NULL;

	buf_reset(&o->metrics);
	while (o->metrics.len + o->points.len < most && (line = next_line(o)))
		if (str_starts(line, "# "))
			take_comment(o, line + 2);
		else
			take_sample(o, line);
	end_metric(o);
	buf_reset(body);
	if (!o->metrics.len)
		return false;
	buf_init(&of_scope, BODY_MOST + 512);
	buf_init(&of_resource, BODY_MOST + 8192);
	put_scope(&of_scope, 1);
	(void)buf_add(&of_scope, o->metrics.data, o->metrics.len);
	put_resource(o, &of_resource, 1);
	put_bytes(&of_resource, 2, of_scope.data, of_scope.len);
	put_bytes(body, 1, of_resource.data, of_resource.len);
	buf_free(&of_scope);
	buf_free(&of_resource);
	return !body->overflow;
}

/* ---- answers ---- */

struct field {
	unsigned number;
	enum wire wire;
	uint64_t value;
	const char *bytes; /* of LEN: value bytes */
};

static bool get_varint(const char **at, const char *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		unsigned char c = (unsigned char)*(*at)++;

		*v |= (uint64_t)(c & 127U) << shift;
		if (c < 128)
			return true;
	}
	return false;
}

/* Of the fields of an answer only numbers and texts are known. */
static bool get_field(const char **at, const char *end, struct field *f)
{
	uint64_t tag;

	if (!get_varint(at, end, &tag) || !get_varint(at, end, &f->value))
		return false;
	f->number = (unsigned)(tag >> 3U);
	f->wire = (enum wire)(tag & 7U);
	f->bytes = *at;
	if (f->wire == VARINT)
		return true;
	if (f->wire != LEN || f->value > (uint64_t)(end - *at))
		return false;
	*at += f->value;
	return true;
}

uint64_t otlp_rejected(const char *answer, size_t n, char *why, size_t size)
{
	const char *at = answer, *end = answer + n;
	uint64_t rejected = 0;
	struct field f;

	*why = '\0';
	if (!get_field(&at, end, &f) || f.number != 1 || f.wire != LEN)
		return 0;
	at = f.bytes;
	end = at + f.value;
	while (at < end && get_field(&at, end, &f))
		if (f.number == 1 && f.wire == VARINT)
			rejected = f.value;
		else if (f.number == 2 && f.wire == LEN)
			(void)str_sanitise(why, size, f.bytes, f.value);
	return rejected;
}
