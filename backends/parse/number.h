/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_NUMBER_H
#define BACKENDS_PARSE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers as devices print them: "12", "1,234,567", " 2.e9 ", "1.35e-8", "N/A", "-", "--", "-inf",
 * "". What is no number is absent, never zero. None of these depend on the locale.
 */
enum number {
	NUMBER_NONE,      /* nothing was measured: "N/A", "-", "", words */
	NUMBER_OK,        /* *out is set */
	NUMBER_MINUS_INF, /* "-inf": no light in the dBm scale */
};

/*
 * A counter: digits, thousands separators allowed, surrounding blanks ignored; a decimal or
 * exponent form is accepted when it is whole ("2.e9"). False for anything else, for negative
 * values and for what 64 bits do not hold.
 */
bool parse_u64(const char *s, size_t n, uint64_t *out);

/* A reading. Trailing text is refused, except a unit after a blank ("3.27 V", "-2.10 dBm"). */
enum number parse_real(const char *s, size_t n, double *out);
/*
 * The reading that a text begins with where it is written as nearly all are, "-1.25": up to 15
 * digits, perhaps a dot among them, no exponent. Returns what is behind it, NULL where it is not
 * written so, and then *out may be anything.
 */
const char *parse_plain_real(const char *s, const char *end, double *out);

/* Leading digits only ("16 GT/s" gives 16, "400000Mb/s" gives 400000); false when there are none.
 */
bool parse_leading_u64(const char *s, size_t n, uint64_t *out);

/* "Sat Jan 18 00:08:42 2025", UTC, to epoch seconds; false when it is no such date. */
bool parse_ctime(const char *s, int64_t *epoch_s);

/* "3,4", "3-4,6" to a bit mask; anything that is not a priority 0-7 is ignored. */
uint8_t parse_priorities(const char *s);

/* No light at all is shown as this, so that a dark lane sorts below every lit one (dBm). */
#define DARK_DBM (-40.0)

#endif
