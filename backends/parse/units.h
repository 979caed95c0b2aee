/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_UNITS_H
#define BACKENDS_PARSE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/parse/number.h"

/*
 * Numbers formatted for display, inside JSON and tables: "92824.38 GB", "400G", "0:00:00.100000",
 * "0.8625 mW / -0.64 dBm". As in number.h, a text that is not a number is absent, never zero, and
 * nothing depends on the locale. s need not be terminated at n.
 */

/*
 * Reads bytes: "0 Bytes", "153.00 KB", "1.43 MB", "92824.38 GB", "16 KiB", "4096". Base 1024, as
 * NVUE's documentation equates 156 KB with 159744 bytes. "inf" and "unlimited" are UINT64_MAX.
 * False for anything else, and for values beyond 64 bits.
 */
bool units_bytes(const char *s, size_t n, uint64_t *bytes);

/*
 * Reads a speed in Mb/s: "400G", "10G", "2.5G", "1000M", "1.6T", "400 Gb/s", "100000Mb/s",
 * "a-400G(D)" (negotiated, full duplex), "400G-8" (on eight lanes). False for "auto".
 */
bool units_speed_mbps(const char *s, size_t n, double *mbps);

/*
 * Reads a duration in seconds, in the formats of Python and FRR: "0:00:00.100000", "3 days,
 * 4:05:06", "00:03:34", "2d03h04m", "01w2d03h". False for "never" and for bare numbers, because
 * only the caller knows their unit.
 */
bool units_duration_s(const char *s, size_t n, double *seconds);

/*
 * Reads a bit error ratio: "2E-10", "1.35e-8", "0". Firmware of Spectrum and ConnectX sends
 * coefficient and magnitude 15E-255 for "not measured": NUMBER_NONE.
 */
enum number units_ber(const char *s, size_t n, double *ber);

/*
 * Reads the number with the unit: from "0.8625 mW / -0.64 dBm" -0.64 for "dBm", from "45.20 degrees
 * C / 113.36 degrees F" 45.20 for "C". A bare number matches any unit. NUMBER_MINUS_INF: "-inf
 * dBm".
 */
enum number units_reading(const char *s, size_t n, const char *unit, double *out);

#endif
