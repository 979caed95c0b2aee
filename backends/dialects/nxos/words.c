/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "backends/dialects/nxos/nxos.h"
#include "backends/parse/units.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Names, numbers, times and tables of NX-OS. */

static bool ends_name(char c)
{
	return c == '\0' || c == ' ' || c == ']';
}

bool nxos_port_name(const char *text, char dst[NAME_MAX_LEN])
{
	const char *number = text + strspn(text, "EethrnTHRNet");
	size_t letters = (size_t)(number - text), n = strspn(number, "0123456789/");
	static const char word[] = "Ethernet";

	if ((letters != 3 && letters != 8) || strncasecmp(text, "Ethernet", letters) != 0)
		return false;
	if (!n || !isdigit((unsigned char)number[0]) || !ends_name(number[n]))
		return false;
	if (sizeof(word) + n > NAME_MAX_LEN)
		return false;
	memcpy(dst, word, sizeof(word) - 1);
	memcpy(dst + sizeof(word) - 1, number, n);
	dst[sizeof(word) - 1 + n] = '\0';
	return true;
}

bool nxos_is_port(const char *name)
{
	char dst[NAME_MAX_LEN];

	return nxos_port_name(name, dst) && !strpbrk(name, " ]");
}

uint32_t nxos_port(struct nxos_job *j, const struct json_value *v)
{
	char name[NAME_MAX_LEN];

	return nxos_port_name(json_value_text_or(v, ""), name) ? obs_port(j->o, name) : OBS_NO_PORT;
}

/* ---- tables ---- */

static void each_of(const struct json_value *v, nxos_row_fn *each, void *ctx)
{
	if (json_value_is(v, DV_OBJECT))
		each(ctx, v);
	for (json_value_items(row, v)) {
		if (json_value_is(row, DV_OBJECT))
			each(ctx, row);
	}
}

void nxos_each(const struct json_value *parent, const char *name, nxos_row_fn *each, void *ctx)
{
	char table[64], row[64];
	const struct json_value *t;

	if (!str_printf(table, sizeof(table), "TABLE_%s", name) ||
		!str_printf(row, sizeof(row), "ROW_%s", name))
		return;
	t = json_value_get(parent, table);
	if (json_value_is(t, DV_OBJECT))
		each_of(json_value_get(t, row), each, ctx);
	/* A table in several pieces. */
	for (json_value_items(one, t))
		each_of(json_value_get(one, row), each, ctx);
}

struct in_module {
	const char *name;
	nxos_row_fn *each;
	void *ctx;
};

static void each_module(void *ctx, const struct json_value *module)
{
	const struct in_module *m = ctx;

	nxos_each(module, m->name, m->each, m->ctx);
}

void nxos_each_module(const struct json_value *body, const char *name, nxos_row_fn *each, void *ctx)
{
	struct in_module m = {name, each, ctx};

	nxos_each(body, name, each, ctx);
	nxos_each(body, "module", each_module, &m);
}

/* ---- numbers and times ---- */

double nxos_speed_mbps(const char *text)
{
	double v;

	if (units_speed_mbps(text, strlen(text), &v))
		return v;
	/* "400 Gb/s" has a unit; a number without one is Mb/s. */
	return parse_real(text, strlen(text), &v) == NUMBER_OK && v > 0 && v <= 1e8 ? v : 0;
}

static double clock_s(const char *text)
{
	unsigned h, m, s;
	int used = 0;

	if (sscanf(text, "%5u:%2u:%2u%n", &h, &m, &s, &used) != 3 || text[used])
		return (double)NAN;
	return h * 3600.0 + m * 60.0 + s;
}

/* M is a month before the T of an ISO duration and a minute after it. */
static double unit_s(char c, bool in_time, bool iso)
{
	switch (tolower((unsigned char)c)) {
	case 'y':
		return 365 * 86400.0;
	case 'w':
		return 7 * 86400.0;
	case 'd':
		return 86400.0;
	case 'h':
		return 3600.0;
	case 'm':
		return iso && !in_time ? 30 * 86400.0 : 60.0;
	case 's':
		return 1.0;
	default:
		return 0;
	}
}

double nxos_duration_s(const char *text)
{
	bool iso = *text == 'P', in_time = false, any = false;
	double sum = 0;

	if (strchr(text, ':'))
		return clock_s(text);
	for (text += iso; *text;) {
		size_t digits = strspn(text, "0123456789");
		uint64_t v;

		if (!digits) {
			in_time |= *text == 'T';
			/* Written out: "2week(s)". */
			if (*text != 'T' && *text != ' ')
				return (double)NAN;
			text++;
			continue;
		}
		if (digits > 9 || !parse_leading_u64(text, digits, &v) || !text[digits])
			return (double)NAN;
		sum += (double)v * unit_s(text[digits], in_time, iso);
		any |= unit_s(text[digits], in_time, iso) > 0;
		text += digits + 1;
		text += iso ? 0 : strspn(text, "abcdefghijklmnopqrstuvwxyz()");
	}
	return any ? sum : (double)NAN;
}

/*
 * Compares text with a form: '0' in the form stands for digits, any other character for itself. All
 * rows of an answer have times of one form. Writes the numbers; false: the text has another form.
 */
static bool plain_numbers(const char *text, const char *form, int *out)
{
	int *v = out;

	*v = 0;
	for (; *form; form++, text++) {
		if (*form != '0') {
			if (*text != *form)
				return false;
			*++v = 0;
			continue;
		}
		if (*text < '0' || *text > '9')
			return false;
		*v = *v * 10 + *text - '0';
	}
	return true;
}

/* Reads "2025-11-24T16:00:05": year to second. Returns the number of characters; 0: invalid. */
static int date_of(const char *text, int v[6])
{
	static const char form[] = "0000-00-00T00:00:00";
	int used = 0;

	if (plain_numbers(text, form, v))
		return (int)sizeof(form) - 1;
	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
		    &used) != 6)
		return 0;
	return used;
}

/* Reads "+01:00", "Z" or nothing: seconds that local time is ahead; false: invalid. */
static bool zone_of(const char *text, int *seconds)
{
	char sign = '+';
	int v[2] = {0};

	*seconds = 0;
	if (!*text || *text == 'Z')
		return true;
	if (plain_numbers(text + 1, "00:00", v))
		sign = *text;
	else if (sscanf(text, "%c%2d:%2d", &sign, &v[0], &v[1]) != 3)
		return false;
	*seconds = (sign == '-' ? -1 : 1) * (v[0] * 3600 + v[1] * 60);
	return true;
}

int64_t nxos_time_us(const char *text)
{
	int v[6], zone, used = date_of(text, v);
	struct tm tm;
	double part = 0;

	/* An object without samples has a time of 1970. */
	if (!used || v[0] < 2000 || v[0] > 9999 || v[1] < 1 || v[1] > 12)
		return 0;
	for (double unit = 0.1; text[used] == '.' || isdigit((unsigned char)text[used]); used++)
		if (text[used] != '.' && unit > 1e-7) {
			part += unit * (text[used] - '0');
			unit /= 10;
		}
	if (!zone_of(text + used, &zone))
		return 0;
	tm = (struct tm){.tm_year = v[0] - 1900,
		.tm_mon = v[1] - 1,
		.tm_mday = v[2],
		.tm_hour = v[3],
		.tm_min = v[4],
		.tm_sec = v[5]};
	return ((int64_t)timegm(&tm) - zone) * 1000000 + (int64_t)(part * 1e6 + 0.5);
}

const char *nxos_fec(const char *text)
{
	static const struct {
		const char *word, *fec;
	} words[] = {{"rs", "rs"}, {"cl91", "rs"}, {"kp", "rs"}, {"fc", "fc"}, {"cl74", "fc"},
		{"off", "none"}, {"disable", "none"}};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasestr(text, words[i].word))
			return words[i].fec;
	return NULL;
}

unsigned nxos_priority(const struct target *t, unsigned group)
{
	const char *cos = facts_get(t->facts, NXOS_FACT_COS);

	if (strlen(cos) == PRIORITIES && group < PRIORITIES && cos[group] >= '0' &&
		cos[group] <= '7')
		return (unsigned)(cos[group] - '0');
	return group;
}

/* ---- values that no command has ---- */

void nxos_never(struct nxos_job *j, uint32_t port, counter_id id)
{
	if (counter_dim_size(id) == 1) {
		obs_invalid(j->o, port, id, 0, VALID_UNSUPPORTED, "");
		return;
	}
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (j->t->lossless >> p & 1)
			obs_invalid(j->o, port, id, p, VALID_UNSUPPORTED, "");
}

void nxos_lacks(struct nxos_job *j, uint32_t port)
{
	static const enum counter_id never[] = {CTR_PFC_RX_DURATION_US, CTR_PFC_TX_DURATION_US,
		CTR_QUEUE_WATERMARK_BYTES, CTR_PG_WATERMARK_BYTES, CTR_HEADROOM_WATERMARK_BYTES,
		CTR_PG_DROPS, CTR_FEC_CORRECTED_CODEWORDS, CTR_FEC_UNCORRECTABLE_CODEWORDS,
		CTR_PRE_FEC_BER};

	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		nxos_never(j, port, never[i]);
}

void nxos_lacks_report(struct nxos_job *j)
{
	static const enum need_id never[] = {NEED_PAUSE_RX, NEED_PAUSE_TX, NEED_QUEUE_WATERMARKS,
		NEED_HEADROOM, NEED_PG_DROPS, NEED_FEC, NEED_FEC_BINS, NEED_PRE_FEC_BER};

	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		need_say(j->o, never[i], VALID_UNSUPPORTED, "");
}

/* ---- numbers ---- */

const char *nxos_number_text(const struct json_value *v, char *dst, size_t size)
{
	double number;

	(void)str_copy(dst, size, json_value_text_or(v, ""));
	if (!*dst && json_value_real(v, &number) == NUMBER_OK)
		str_printf(dst, size, "%.0f", number);
	return dst;
}

/* ---- text ---- */

void nxos_lines(const char *text, size_t len, nxos_line_fn *each, void *ctx)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len, used = n + (end != NULL);
		char line[512];

		while (n && isspace((unsigned char)*text)) {
			text++;
			n--;
			len--;
			used--;
		}
		while (n && isspace((unsigned char)text[n - 1]))
			n--;
		if (n)
			str_sanitise(line, sizeof(line), text, n < 511 ? n : 511);
		if (n)
			each(ctx, line);
		text += used;
		len -= used;
	}
}
