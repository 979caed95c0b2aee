/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/perftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define LINE_MOST   400
#define COLUMN_MOST 16

/* Bits of 2^20 bytes in Gb: the unit of releases without --report_gbits. */
#define MIB_GBITS 0.008388608

/* Copies the next line without its end; false at the end. */
static bool next_line(const char **at, const char *end, char line[LINE_MOST])
{
	const char *stop;

	if (*at >= end)
		return false;
	stop = memchr(*at, '\n', (size_t)(end - *at));
	if (!stop)
		stop = end;
	(void)str_sanitise(line, LINE_MOST, *at, (size_t)(stop - *at));
	*at = stop + 1;
	return true;
}

/* ---- the head of the table ---- */

enum column { COLUMN_OTHER, COLUMN_GBITS, COLUMN_MIB, COLUMN_TYPICAL, COLUMN_AVERAGE, COLUMN_TAIL };

/* Words of one name of two words are one column: "BW average[Gb/sec]", "99% percentile[usec]". */
static bool is_first_half(const char *word)
{
	return str_eq(word, "BW") || str_eq(word, "99%") || str_eq(word, "99.9%") ||
	       str_eq(word, "tps");
}

static enum column column_of(const char *before, const char *word)
{
	if (str_eq(before, "BW") && str_starts(word, "average["))
		return strstr(word, "[Gb/") ? COLUMN_GBITS
		       : strstr(word, "[M") ? COLUMN_MIB
					    : COLUMN_OTHER;
	if (str_starts(word, "t_typical["))
		return COLUMN_TYPICAL;
	if (str_starts(word, "t_avg["))
		return COLUMN_AVERAGE;
	if (str_eq(before, "99%"))
		return COLUMN_TAIL;
	return COLUMN_OTHER;
}

static size_t read_head(char *line, enum column columns[COLUMN_MOST])
{
	const char *before = "";
	char *rest = NULL;
	size_t n = 0;

	for (char *word = strtok_r(line, " \t", &rest); word && n < COLUMN_MOST;
		word = strtok_r(NULL, " \t", &rest)) {
		if (!is_first_half(word))
			columns[n++] = column_of(before, word);
		before = word;
	}
	return n;
}

/* ---- a row ---- */

static double *field_of(struct perftest_result *r, enum column c)
{
	switch (c) {
	case COLUMN_GBITS:
	case COLUMN_MIB:
		return &r->gbps;
	case COLUMN_TYPICAL:
		return &r->typical_us;
	case COLUMN_AVERAGE:
		return &r->average_us;
	case COLUMN_TAIL:
		return &r->tail_us;
	case COLUMN_OTHER:
		break;
	}
	return NULL;
}

static void empty_row(struct perftest_result *r)
{
	*r = (struct perftest_result){.gbps = (double)NAN,
		.typical_us = (double)NAN,
		.average_us = (double)NAN,
		.tail_us = (double)NAN};
}

/* False: the line is no row. *sane false: a number in it cannot be. */
static bool read_row(char *line, const enum column *columns, size_t ncolumns,
	struct perftest_result *out, bool *sane)
{
	char *rest = NULL, *end;
	size_t n = 0;

	empty_row(out);
	*sane = true;
	for (char *word = strtok_r(line, " \t", &rest); word && n < ncolumns;
		word = strtok_r(NULL, " \t", &rest), n++) {
		double v = strtod(word, &end);
		double *field = field_of(out, columns[n]);

		if (end == word || *end)
			return false;
		if (n == 0)
			out->bytes = v > 0 && v < 1e12 ? (unsigned long)v : 0;
		if (!field)
			continue;
		*sane = *sane && isfinite(v) && v > 0;
		*field = columns[n] == COLUMN_MIB ? v * MIB_GBITS : v;
	}
	return n >= 3;
}

/* ---- complaints ---- */

/* A line of the program that says why it has no result. */
static bool is_complaint(const char *line)
{
	static const char *const words[] = {"ouldn't", "could not", "ailed", "nable to",
		"Completion with error", "not found", "not exist", "o such", "annot", "an't",
		"refused", "denied", "rror"};
	/* Of each run, and harmless. */
	static const char *const calm[] = {"CPU frequency", "CPU Frequency", "won't be measured"};

	for (size_t i = 0; i < sizeof(calm) / sizeof(calm[0]); i++)
		if (strstr(line, calm[i]))
			return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

/* Adds at most two lines: "Completion with error at client", "Failed status 12: ...". */
static void find_complaints(const char *bytes, size_t len, unsigned *found, char *why, size_t size)
{
	const char *at = bytes, *end = bytes + len;
	char line[LINE_MOST];

	while (*found < 2 && next_line(&at, end, line)) {
		const char *text = line + strspn(line, " \t");
		size_t n = strlen(why);

		if (!is_complaint(text))
			continue;
		(void)str_printf(why + n, size - n, "%s%s", n ? "; " : "", text);
		++*found;
	}
}

bool perftest_read(const char *bytes, size_t len, const char *complaint,
	struct perftest_result *out, char *why, size_t size)
{
	enum column columns[COLUMN_MOST];
	const char *at = bytes, *end = bytes + len;
	bool found = false, sane = true, one;
	char line[LINE_MOST];
	size_t ncolumns = 0;
	unsigned complaints = 0;
	struct perftest_result row;

	empty_row(out);
	why[0] = '\0';
	while (next_line(&at, end, line)) {
		if (str_starts(line + strspn(line, " \t"), "#bytes")) {
			ncolumns = read_head(line, columns);
		} else if (ncolumns && read_row(line, columns, ncolumns, &row, &one)) {
			*out = row;
			found = true;
			sane = one;
		}
	}
	find_complaints(complaint, strlen(complaint), &complaints, why, size);
	find_complaints(bytes, len, &complaints, why, size);
	if (found && sane &&
		(!isnan(out->gbps) || !isnan(out->typical_us) || !isnan(out->average_us)))
		return true;
	empty_row(out);
	if (!why[0])
		(void)str_copy(why, size,
			found ? "its numbers cannot be: the counter of cycles overflowed"
			      : "it printed no result");
	return false;
}
