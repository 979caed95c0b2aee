/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_CSV_H
#define TESTS_BENCH_DIAGNOSIS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/*
 * Plain or gzipped files, and CSV with a header, without quotes, as simulators write it. A field is
 * a pointer into the text.
 */
#define CSV_COLUMNS 64

struct csv {
	char *text, *next;
	char *column[CSV_COLUMNS];
	size_t ncolumns;
	char *field[CSV_COLUMNS]; /* of the row at hand; "" where it is too short, and behind it */
};

/* The whole of dir/name or of dir/name.gz; NULL when there is neither. The caller frees it. */
char *read_text(const char *dir, const char *name, size_t *len);
json_t *read_json(const char *dir, const char *name); /* NULL likewise */

bool csv_open(struct csv *c, const char *dir, const char *name);
void csv_close(struct csv *c);
bool csv_row(struct csv *c); /* false at the end */
/* -1: there is no such column. */
int csv_column(const struct csv *c, const char *name);
/* Numbers of the row at hand; column -1: 0. */
double csv_real(const struct csv *c, int column);
const char *csv_text(const struct csv *c, int column);

#endif
