/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_NUMBER_H
#define BACKENDS_PARSE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers as printed by devices: "12", "1,234,567", " 2.e9 ", "1.35e-8", "N/A", "-", "--", "-inf",
 * "". A text that is not a number is absent, never zero. None of these functions depends on the
 * locale.
 */
enum number {
	NUMBER_NONE,      /* no measurement: "N/A", "-", "", words */
	NUMBER_OK,        /* *out is set */
	NUMBER_MINUS_INF, /* "-inf": no light in the dBm scale */
};

/*
 * Reads a counter: digits, with optional thousands separators and surrounding blanks; a decimal or
 * exponent form is accepted if it is a whole number ("2.e9"). False for anything else, for negative
 * values and for values beyond 64 bits.
 */
bool parse_u64(const char *s, size_t n, uint64_t *out);

/*
 * Reads a measurement. Trailing text is refused, except a unit after a blank ("3.27 V", "-2.10
 * dBm").
 */
enum number parse_real(const char *s, size_t n, double *out);
/*
 * Fast path: reads a number at the beginning of a text in the most common form, "-1.25": up to 15
 * digits, perhaps with a dot, no exponent. Returns its end; NULL for another form, with *out
 * undefined.
 */
const char *parse_plain_real(const char *s, const char *end, double *out);

/*
 * Reads leading digits only ("16 GT/s" gives 16, "400000Mb/s" gives 400000); false if there are
 * none.
 */
bool parse_leading_u64(const char *s, size_t n, uint64_t *out);

/* Returns an AS number: "65001" or "1.10" (asdot of RFC 5396), with a NUL at n; 0: none. */
uint32_t parse_as_number(const char *s, size_t n);

/*
 * Converts "3" to 3 if it is below limit, and "TC3" with prefix "TC" likewise; false for other
 * texts.
 */
bool parse_index(const char *s, const char *prefix, unsigned limit, unsigned *out);

/* Converts "Sat Jan 18 00:08:42 2025", UTC, to epoch seconds; false for another form. */
bool parse_ctime(const char *s, int64_t *epoch_s);

/* Converts "3,4", "3-4,6" to a bit mask; anything but a priority 0-7 is ignored. */
uint8_t parse_priorities(const char *s);

/* Value of "no light", so that a dark lane sorts below every lit one (dBm). */
#define DARK_DBM (-40.0)

#endif
