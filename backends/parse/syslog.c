/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/syslog.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "backends/parse/syslog/words.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/types.h"

#define LINE_MAX_LEN 1024 /* longer lines are cut: the beginning has the relevant text */
#define TEXT_MAX_LEN 240
#define DAY_US       (INT64_C(86400) * CLOCK_SEC)
/* Time zones are multiples of 15 minutes; the limits are those of -12 to +14 hours. */
#define ZONE_STEP_US (INT64_C(900) * CLOCK_SEC)
#define ZONE_MOST_US (INT64_C(14) * 3600 * CLOCK_SEC)

/* A time stamp as written. */
struct stamp {
	struct tm tm;
	int64_t frac_us;
	bool has_year, has_wall, has_zone;
	int64_t zone_us; /* east of UTC */
	bool no_host;    /* the kernel's own format, without a host name */
};

/* Reads min to max digits at *s and advances *s. */
static bool take_number(const char **s, unsigned min, unsigned max, int *out)
{
	unsigned n = 0;
	int v = 0;

	while (n < max && isdigit((unsigned char)(*s)[n]))
		v = v * 10 + ((*s)[n++] - '0');
	if (n < min)
		return false;
	*s += n;
	*out = v;
	return true;
}

static bool take_char(const char **s, const char *set)
{
	if (!**s || !strchr(set, **s))
		return false;
	(*s)++;
	return true;
}

static void skip_blanks(const char **s)
{
	*s += strspn(*s, " \t");
}

static bool take_month(const char **s, int *month)
{
	static const char names[12][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

	for (int i = 0; i < 12; i++)
		if (!strncasecmp(*s, names[i], 3) && (*s)[3] == ' ') {
			*month = i;
			*s += 3;
			skip_blanks(s);
			return true;
		}
	return false;
}

/* ".123456" or ",123456" */
static void take_fraction(const char **s, int64_t *us)
{
	int64_t unit = 100000;

	if ((**s != '.' && **s != ',') || !isdigit((unsigned char)(*s)[1]))
		return;
	for ((*s)++; isdigit((unsigned char)**s); (*s)++, unit /= 10)
		*us += unit * (**s - '0');
}

static bool take_clock(const char **s, struct stamp *t)
{
	if (!take_number(s, 1, 2, &t->tm.tm_hour) || !take_char(s, ":") ||
		!take_number(s, 2, 2, &t->tm.tm_min) || !take_char(s, ":") ||
		!take_number(s, 2, 2, &t->tm.tm_sec))
		return false;
	take_fraction(s, &t->frac_us);
	t->has_wall = true;
	return t->tm.tm_hour < 24 && t->tm.tm_min < 60 && t->tm.tm_sec <= 60;
}

static bool take_year(const char **s, struct stamp *t)
{
	const char *at = *s;
	int year;

	if (!take_number(&at, 4, 4, &year) || year < 1970 || year > 9999 || *at == ':')
		return false;
	if (*at && !strchr(" -/]", *at))
		return false;
	t->tm.tm_year = year - 1900;
	t->has_year = true;
	*s = at;
	return true;
}

/* "Z", "+00:00", "-0500" */
static void take_zone(const char **s, struct stamp *t)
{
	const char *at = *s;
	int sign = *at == '-' ? -1 : 1, hour, minute = 0;

	if (*at == 'Z') {
		t->has_zone = true;
		(*s)++;
		return;
	}
	if (!take_char(&at, "+-") || !take_number(&at, 2, 2, &hour))
		return;
	(void)take_char(&at, ":");
	if (!take_number(&at, 2, 2, &minute) || hour > 14 || minute > 59)
		return;
	t->has_zone = true;
	t->zone_us = sign * (INT64_C(3600) * hour + INT64_C(60) * minute) * CLOCK_SEC;
	*s = at;
}

/* "2026-11-20T12:15:56.104512+00:00", "2026/11/21 17:50:11" */
static bool take_iso(const char **s, struct stamp *t)
{
	const char *at = *s;

	if (!take_year(&at, t) || !take_char(&at, "-/") || !take_number(&at, 2, 2, &t->tm.tm_mon) ||
		!take_char(&at, "-/") || !take_number(&at, 2, 2, &t->tm.tm_mday) ||
		!take_char(&at, "T ") || !take_clock(&at, t))
		return false;
	t->tm.tm_mon--;
	take_zone(&at, t);
	*s = at;
	return true;
}

/* "Nov 21 17:50:11", with a year before, after or between them, and fractions */
static bool take_rfc3164(const char **s, struct stamp *t)
{
	const char *at = *s;

	if (take_year(&at, t))
		skip_blanks(&at);
	if (!take_month(&at, &t->tm.tm_mon) || !take_number(&at, 1, 2, &t->tm.tm_mday) ||
		!take_char(&at, " "))
		return false;
	if (!t->has_year && take_year(&at, t))
		skip_blanks(&at);
	if (!take_clock(&at, t))
		return false;
	if (!t->has_year && *at == ' ') {
		const char *behind = at + 1;

		if (take_year(&behind, t))
			at = behind;
	}
	(void)take_char(&at, ":");
	*s = at;
	return true;
}

/* "[Sun Feb 23 16:24:18 2025] " or "[   12.345678] " */
static bool take_bracket(const char **s, struct stamp *t)
{
	const char *at = *s;
	int seconds;

	if (!take_char(&at, "["))
		return false;
	skip_blanks(&at);
	if (take_number(&at, 1, 9, &seconds)) {
		take_fraction(&at, &t->frac_us);
	} else {
		at += strcspn(at, " ]");
		skip_blanks(&at);
		if (!take_rfc3164(&at, t))
			return false;
	}
	if (!take_char(&at, "]"))
		return false;
	t->no_host = true;
	*s = at;
	return true;
}

/*
 * Skips "kern  :warn  : " of dmesg -x, "<6>" of the kernel's ring, and clock marks of some systems.
 */
static const char *skip_prefix(const char *s, struct stamp *t)
{
	size_t word = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789");
	const char *at = s + word + strspn(s + word, " ");
	size_t level;

	if (*s == '<' && isdigit((unsigned char)s[1]) && strchr(s, '>'))
		return strchr(s, '>') + 1;
	if (!word || *at != ':')
		return s + strspn(s, " \t*.:");
	level = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz ");
	if (at[1 + level] != ':')
		return s;
	t->no_host = true;
	at += level + 2;
	return at + strspn(at, " ");
}

/* Reads the stamp at the start of a line. Returns the text after it; NULL: there is no stamp. */
static const char *take_stamp(const char *line, struct stamp *t)
{
	static bool (*const formats[])(const char **, struct stamp *) = {
		take_iso, take_rfc3164, take_bracket};
	const char *start;

	memset(t, 0, sizeof(*t));
	start = skip_prefix(line, t);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct stamp tried = {.no_host = t->no_host};
		const char *at = start;

		if (!formats[i](&at, &tried) || (*at && !isspace((unsigned char)*at)))
			continue;
		*t = tried;
		skip_blanks(&at);
		return at;
	}
	return NULL;
}

/* Returns 0 when there is no such day. */
static int64_t wall_us(const struct stamp *t, int year)
{
	struct tm tm = t->tm;
	time_t s;

	tm.tm_year = year;
	s = timegm(&tm);
	if (tm.tm_mon != t->tm.tm_mon || tm.tm_year != year || s <= 0)
		return 0;
	return (int64_t)s * CLOCK_SEC + t->frac_us - t->zone_us;
}

/* Finds the last such day before now; one day ahead is allowed, because the zone is unknown. */
static int64_t nearest_year(const struct stamp *t, int64_t now_us)
{
	time_t now = (time_t)((now_us + DAY_US) / CLOCK_SEC);
	struct tm tm;

	if (now_us <= 0 || !gmtime_r(&now, &tm))
		return 0;
	/* Within eight years there is a 29th of February. */
	for (int year = tm.tm_year; year >= tm.tm_year - 8; year--) {
		int64_t us = wall_us(t, year);

		if (us && us <= now_us + DAY_US)
			return us;
	}
	return 0;
}

/* Converts the stamp to time; 0: unknown. */
static int64_t stamp_us(const struct stamp *t, const struct syslog_opts *opts, int64_t now_us)
{
	int64_t us, off;

	if (!t->has_wall || t->tm.tm_mday < 1 || t->tm.tm_mday > 31 || t->tm.tm_mon < 0 ||
		t->tm.tm_mon > 11)
		return 0;
	us = t->has_year ? wall_us(t, t->tm.tm_year) : nearest_year(t, now_us);
	if (!us || t->has_zone)
		return us;
	if (opts->zone && *opts->zone) {
		struct stamp z = {0};

		take_zone(&(const char *){opts->zone}, &z);
		if (z.has_zone)
			return us - z.zone_us;
	}
	if (!opts->live || now_us <= 0)
		return us;
	off = now_us - us;
	off += off < 0 ? -ZONE_STEP_US / 2 : ZONE_STEP_US / 2;
	off -= off % ZONE_STEP_US;
	return off >= -ZONE_MOST_US && off <= ZONE_MOST_US ? us + off : us;
}

/* One line of the log with its continuation lines. */
struct line {
	struct stamp at;
	char text[LINE_MAX_LEN], lower[LINE_MAX_LEN];
};

static void lower_copy(struct line *l)
{
	size_t i;

	for (i = 0; l->text[i]; i++)
		l->lower[i] = (char)tolower((unsigned char)l->text[i]);
	l->lower[i] = '\0';
}

/* Removes the facility and severity that some collectors write in brackets: "<local2.warning> ". */
static void drop_tag(struct line *l)
{
	size_t n = strcspn(l->text, " >");

	if (l->text[0] == '<' && l->text[n] == '>' && l->text[n + 1] == ' ')
		memmove(l->text, l->text + n + 2, strlen(l->text + n + 2) + 1);
}

/* Removes the host name: a first word that is not a program ("bgpd[1]:") or a mnemonic ("%X"). */
static void drop_host(struct line *l)
{
	size_t n = strcspn(l->text, " ");

	if (l->at.no_host || !n || !l->text[n] || l->text[n - 1] == ':' || l->text[0] == '%')
		return;
	memmove(l->text, l->text + n + 1, strlen(l->text + n + 1) + 1);
}

/* Returns the text from the mnemonic on, or after the function name in SONiC's ":- name: ". */
static const char *message_start(const char *text)
{
	const char *at = strchr(text, '%'), *sonic = strstr(text, ":- ");

	if (at && isupper((unsigned char)at[1]) && strchr(at, ':'))
		return at;
	if (sonic && (at = strstr(sonic, ": ")))
		return at + 2;
	at = text + strspn(text, " ");
	return at;
}

static void hide_secrets(struct line *l)
{
	size_t n = syslog_public_len(l->lower);

	if (l->lower[n])
		(void)str_copy(l->text + n, sizeof(l->text) - n, "***");
}

/* Returns the port that a line names, or else the bundle. */
static uint32_t line_port(const struct syslog_opts *opts, const struct line *l, struct obs *o)
{
	char name[NAME_MAX_LEN];
	uint32_t port;

	if (syslog_find_port(l->text, opts->is_port, name, sizeof(name)))
		return obs_port(o, name);
	if (opts->brief && syslog_find_brief(l->text, opts->brief, "Ethernet", opts->is_port, name,
				   sizeof(name)))
		return obs_port(o, name);
	if (!opts->bundle || !syslog_find_numbered(l->text, opts->bundle, name, sizeof(name)))
		return OBS_NO_PORT;
	port = obs_port(o, name);
	/* The mark of a bundle: see backends/parse/lag.h. */
	obs_word(o, port, ATTR_BOND, 0, name);
	return port;
}

static enum event_kind event_of(enum syslog_class is)
{
	return is == SYSLOG_ALARM ? EV_LOG_ALARM : is == SYSLOG_UNREAD ? EV_LOG_UNREAD : EV_LOG;
}

static void emit_line(const struct syslog_opts *opts, struct line *l, struct obs *o)
{
	char text[TEXT_MAX_LEN];
	enum syslog_class is;
	int64_t us;

	drop_tag(l);
	drop_host(l);
	drop_tag(l);
	lower_copy(l);
	is = syslog_classify(l->lower);
	if (is == SYSLOG_SKIP)
		return;
	us = stamp_us(&l->at, opts, o->received_us);
	/* A line without a date may be older. */
	if (opts->not_before_us && us < opts->not_before_us && !(opts->live && !us))
		return;
	hide_secrets(l);
	str_copy(text, sizeof(text), message_start(l->text));
	obs_log_line(o, line_port(opts, l, o), syslog_priority(l->lower), event_of(is), us, text);
}

/* Copies the next line and advances *at past it; NULs become '?'. */
static void next_line(const char **at, const char *end, char *dst, size_t size)
{
	const char *eol = memchr(*at, '\n', (size_t)(end - *at));
	size_t n = (size_t)((eol ? eol : end) - *at);
	size_t kept = n < size ? n : size - 1;

	for (size_t i = 0; i < kept; i++)
		dst[i] = (*at)[i] ? (*at)[i] : '?';
	dst[kept] = '\0';
	dst[strcspn(dst, "\r")] = '\0';
	*at = eol ? eol + 1 : end;
}

/* Appends a continuation line: indented and without a stamp. */
static void append_line(struct line *l, const char *more)
{
	size_t n = strlen(l->text);

	more += strspn(more, " \t");
	(void)str_printf(l->text + n, sizeof(l->text) - n, " %s", more);
}

size_t syslog_parse(const struct syslog_opts *opts, const char *bytes, size_t len, struct obs *o)
{
	const char *at = bytes, *end = bytes + len;
	struct line held;
	bool holding = false;
	size_t stamped = 0;

	while (at < end) {
		char raw[LINE_MAX_LEN];
		struct stamp t;
		const char *rest;

		next_line(&at, end, raw, sizeof(raw));
		rest = take_stamp(raw, &t);
		if (!rest) {
			if (holding && isblank((unsigned char)raw[0]))
				append_line(&held, raw);
			continue;
		}
		if (holding)
			emit_line(opts, &held, o);
		held.at = t;
		str_copy(held.text, sizeof(held.text), rest);
		holding = true;
		stamped++;
	}
	if (holding)
		emit_line(opts, &held, o);
	return stamped;
}
