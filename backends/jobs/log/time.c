/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>

#include "backends/jobs/log/log.h"
#include "base/clock.h"
#include "base/digits.h"

/*
 * The time of a line. Launchers and loggers write it in front in many ways, and NCCL from 2.26 on
 * writes its own. Most of them have no zone.
 */

/* No zone is farther from UTC than this. */
#define ZONES_US (INT64_C(15) * 3600 * CLOCK_SEC)
/* A clock that is ahead by more than this is in another zone. */
#define AHEAD_US (INT64_C(120) * CLOCK_SEC)
#define YEAR_US  (INT64_C(366) * 86400 * CLOCK_SEC)

struct moment {
	struct tm tm;
	int64_t fraction_us;
	bool has_zone, has_year;
	int64_t zone_s;
};

/* Reads exactly n digits. */
static bool read_digits(const char **s, const char *end, unsigned n, int *out)
{
	const char *at = *s;
	int v = 0;

	for (unsigned i = 0; i < n; i++, at++) {
		if (at >= end || !digits_is(*at))
			return false;
		v = v * 10 + (*at - '0');
	}
	*s = at;
	*out = v;
	return true;
}

static bool read_char(const char **s, const char *end, const char *any)
{
	if (*s >= end || !strchr(any, **s) || !**s)
		return false;
	++*s;
	return true;
}

/* Reads "22:26:02" and a fraction. */
static bool read_clock(const char **s, const char *end, struct moment *m)
{
	int64_t unit = 100000;

	if (!read_digits(s, end, 2, &m->tm.tm_hour) || !read_char(s, end, ":") ||
		!read_digits(s, end, 2, &m->tm.tm_min) || !read_char(s, end, ":") ||
		!read_digits(s, end, 2, &m->tm.tm_sec) || m->tm.tm_hour > 23 || m->tm.tm_min > 59 ||
		m->tm.tm_sec > 60)
		return false;
	m->fraction_us = 0;
	if (end - *s < 2 || (**s != '.' && **s != ',') || !digits_is((*s)[1]))
		return true;
	for (++*s; *s < end && digits_is(**s); ++*s, unit /= 10)
		m->fraction_us += unit * (**s - '0');
	return true;
}

bool nccl_log_zone(const char *s, int64_t *east_s)
{
	const char *at = s + 1, *end = s + strlen(s);
	int hours, minutes;

	if (*s != '+' && *s != '-')
		return false;
	if (!read_digits(&at, end, 2, &hours))
		return false;
	(void)read_char(&at, end, ":");
	if (!read_digits(&at, end, 2, &minutes) || hours > 15 || minutes > 59)
		return false;
	*east_s = (*s == '-' ? -INT64_C(1) : INT64_C(1)) *
		  (hours * INT64_C(3600) + minutes * INT64_C(60));
	return true;
}

/* Reads "Z", "+02:00", "+0200". */
static void read_zone(const char *s, const char *end, struct moment *m)
{
	char text[8];
	size_t n = (size_t)(end - s) < sizeof(text) - 1 ? (size_t)(end - s) : sizeof(text) - 1;

	if (n && *s == 'Z') {
		m->has_zone = true;
		return;
	}
	memcpy(text, s, n);
	text[n] = '\0';
	m->has_zone = nccl_log_zone(text, &m->zone_s);
}

/* Reads "2026-03-13 22:26:02", also with T and slashes. */
static bool read_full(const char *s, const char *end, struct moment *m)
{
	*m = (struct moment){.has_year = true};
	if (!read_digits(&s, end, 4, &m->tm.tm_year) || !read_char(&s, end, "-/") ||
		!read_digits(&s, end, 2, &m->tm.tm_mon) || !read_char(&s, end, "-/") ||
		!read_digits(&s, end, 2, &m->tm.tm_mday) || !read_char(&s, end, "T _"))
		return false;
	if (!read_clock(&s, end, m) || m->tm.tm_year < 1990 || m->tm.tm_mon < 1 ||
		m->tm.tm_mon > 12 || m->tm.tm_mday < 1 || m->tm.tm_mday > 31)
		return false;
	m->tm.tm_year -= 1900;
	m->tm.tm_mon--;
	read_zone(s, end, m);
	return true;
}

/* Reads glog's "E1206 18:44:12.715298746", which torch prints without a leading zero: "E321". */
static bool read_glog(const char *s, const char *end, struct moment *m)
{
	const char *at = s + 1;
	unsigned n = 0;

	*m = (struct moment){0};
	if (!strchr("IWEF", *s))
		return false;
	while (at + n < end && digits_is(at[n]))
		n++;
	if (n < 3 || n > 4 || !read_digits(&at, end, n - 2, &m->tm.tm_mon) ||
		!read_digits(&at, end, 2, &m->tm.tm_mday) || !read_char(&at, end, " "))
		return false;
	if (!read_clock(&at, end, m) || m->tm.tm_mon < 1 || m->tm.tm_mon > 12 ||
		m->tm.tm_mday < 1 || m->tm.tm_mday > 31)
		return false;
	m->tm.tm_mon--;
	return true;
}

static int64_t moment_us(const struct moment *m)
{
	struct tm tm = m->tm;

	return (int64_t)timegm(&tm) * CLOCK_SEC + m->fraction_us - m->zone_s * CLOCK_SEC;
}

/* Reads "Nov 27 02:51:35 2026" of ctime(3), mpirun and the journal, which has no year. */
static bool read_month(const char *s, const char *end, struct moment *m)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *at = s + 3;
	int month = 0;

	*m = (struct moment){0};
	if (end - s < 15)
		return false;
	while (month < 12 && memcmp(months + (size_t)month * 3, s, 3) != 0)
		month++;
	if (month == 12 || !read_char(&at, end, " "))
		return false;
	m->tm.tm_mon = month;
	if (!read_digits(&at, end, 2, &m->tm.tm_mday) &&
		!(read_char(&at, end, " ") && read_digits(&at, end, 1, &m->tm.tm_mday)))
		return false;
	if (!read_char(&at, end, " ") || !read_clock(&at, end, m) || m->tm.tm_mday < 1 ||
		m->tm.tm_mday > 31)
		return false;
	m->has_year = read_char(&at, end, " ") && read_digits(&at, end, 4, &m->tm.tm_year) &&
		      m->tm.tm_year >= 1990;
	m->tm.tm_year = m->has_year ? m->tm.tm_year - 1900 : 0;
	return true;
}

/* Reads UCX's "[1795747901.896649]": seconds since 1970. */
static bool read_epoch(const char *s, const char *end, struct moment *m)
{
	const char *at = s + 1;
	int high, low;
	time_t seconds;
	int64_t unit = 100000;

	*m = (struct moment){.has_year = true, .has_zone = true};
	if (*s != '[' || !read_digits(&at, end, 5, &high) || !read_digits(&at, end, 5, &low) ||
		!read_char(&at, end, "."))
		return false;
	seconds = (time_t)high * 100000 + low;
	for (; at < end && digits_is(*at); at++, unit /= 10)
		m->fraction_us += unit * (*at - '0');
	return at < end && *at == ']' && gmtime_r(&seconds, &m->tm);
}

/* The latest year in which the moment is not ahead of now by more than a zone. */
static bool guess_year(struct moment *m, int64_t now_us)
{
	time_t now = (time_t)(now_us / CLOCK_SEC);
	struct tm tm;

	if (!now_us || !gmtime_r(&now, &tm))
		return false;
	m->tm.tm_year = tm.tm_year + 1;
	while (moment_us(m) > now_us + ZONES_US)
		m->tm.tm_year--;
	return now_us - moment_us(m) < YEAR_US;
}

static int64_t place_moment(const struct log *l, struct moment *m)
{
	int64_t now = l->o->received_us, utc;

	if (!m->has_year && !guess_year(m, now))
		return 0;
	utc = moment_us(m);
	if (utc <= 0)
		return 0;
	if (m->has_zone || !now)
		return utc > now + AHEAD_US && now ? 0 : utc;
	/* A container may keep UTC on a host that does not. */
	if (l->has_zone && utc - l->zone_s * CLOCK_SEC <= now + AHEAD_US)
		return utc - l->zone_s * CLOCK_SEC;
	if (l->has_zone && utc <= now + AHEAD_US)
		return utc;
	/* Its zone is unknown: it may be of this moment. */
	return now - utc > ZONES_US ? utc : 0;
}

int64_t nccl_log_time(const struct log *l, const char *s, size_t n)
{
	const char *end = s + n;
	struct moment m, best = {0};
	bool found = false;

	for (const char *at = s; at < end; at++) {
		if (at > s && (digits_is(at[-1]) || (at[-1] >= 'A' && at[-1] <= 'Z')))
			continue;
		if (!(digits_is(*at) && read_full(at, end, &m)) && !read_glog(at, end, &m) &&
			!read_month(at, end, &m) && !read_epoch(at, end, &m))
			continue;
		if (!found || m.has_zone || !best.has_zone)
			best = m;
		found = true;
	}
	return found ? place_moment(l, &best) : 0;
}
