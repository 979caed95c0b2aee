/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/eos/change.h"
#include "backends/dialects/eos/eos_private.h"
#include "base/str.h"

/* Decodes settings of PFC, its watchdog and ECN from text. */

#define PFC_CURE                                                                                   \
	"configure on the ports: priority-flow-control on, priority-flow-control priority N "      \
	"no-drop"
#define WATCH_CURE                                                                                 \
	"configure on the switch: priority-flow-control pause watchdog default timeout 0.2, and "  \
	"on the ports: priority-flow-control pause watchdog"
static bool is_word(const char *w, size_t n, const char *word)
{
	return w && strlen(word) == n && !strncasecmp(w, word, n);
}

/* ---- PFC and its watchdog ---- */

struct pfc_line {
	char name[NAME_MAX_LEN];
	uint8_t mask; /* lossless priorities, if PFC is on */
	bool is_on, is_watched;
	char action[16];  /* "": that of the switch */
	double timeout_s; /* 0: that of the switch */
};

struct pfc_status {
	double timeout_s, recovery_s, poll_s; /* 0: not printed, or off */
	char action[16];
	unsigned ports, watched;
	/* Of the ports with PFC: watched ones and others, as numbers. */
	uint8_t mask;
	char only[256], others[256];
	bool is_mixed; /* different sets of priorities, or more ports than a fact holds */
};

/* Reads "The PFC watchdog timeout is 0.20 second(s)". */
static bool header_seconds(const char *line, const char *what, double *out)
{
	const char *at = strcasestr(line, what);
	size_t n;

	if (!at)
		return false;
	at += strlen(what);
	at = eos_word(&at, &n);
	return at && parse_real(at, n, out) == NUMBER_OK;
}

static void read_header(const char *line, struct pfc_status *s)
{
	const char *at = strcasestr(line, "watchdog action is ");
	size_t n;

	(void)(header_seconds(line, "watchdog timeout is", &s->timeout_s) ||
		header_seconds(line, "watchdog recovery-time is", &s->recovery_s) ||
		header_seconds(line, "watchdog polling-interval is", &s->poll_s));
	if (!at)
		return;
	at += strlen("watchdog action is ");
	at = eos_word(&at, &n);
	if (at)
		str_copyn(s->action, sizeof(s->action), at, n);
}

/*
 * Reads "3 4" or "3,4": one digit each, rising, so that a later column is not read as a priority.
 */
static uint8_t read_priorities(const char **at)
{
	uint8_t mask = 0;
	int last = -1;

	for (;;) {
		const char *before = *at, *w;
		size_t n;

		w = eos_word(at, &n);
		for (size_t i = 0; w && i < n; i += 2) {
			if (w[i] < '0' || w[i] > '7' || w[i] - '0' <= last ||
				(i + 1 < n && w[i + 1] != ',')) {
				*at = before;
				return mask;
			}
			last = w[i] - '0';
			mask |= (uint8_t)(1u << last);
		}
		if (!w)
			return mask;
	}
}

/* Reads three letters: "E A W" or "D - -". Returns false for another form. */
static bool read_letters(const char **at, struct pfc_line *p)
{
	static const char *const sets[3] = {"ED", "A-", "W-"};
	char got[3];
	const char *w = *at;

	for (int i = 0; i < 3; i++) {
		size_t n;
		const char *word = eos_word(&w, &n);

		if (!word || n != 1 || !strchr(sets[i], *word))
			return false;
		got[i] = *word;
	}
	p->is_on = got[0] == 'E';
	p->is_watched = got[2] == 'W';
	*at = w;
	return true;
}

/*
 * Reads a port's line: "Et1 E A W 3 4", with action and timeout after it in newer releases, or "Et1
 * Yes 3 Yes" in older ones.
 */
static bool read_pfc_line(const char *line, struct pfc_line *p)
{
	const char *at = line, *w;
	size_t n;

	*p = (struct pfc_line){0};
	w = eos_word(&at, &n);
	if (!w || !eos_port_name(w, n, p->name))
		return false;
	if (!read_letters(&at, p)) {
		w = eos_word(&at, &n);
		if (!is_word(w, n, "Yes") && !is_word(w, n, "No"))
			return false;
		p->is_on = is_word(w, n, "Yes");
		p->mask = read_priorities(&at);
		return true;
	}
	p->mask = read_priorities(&at);
	w = eos_word(&at, &n);
	if (!is_word(w, n, "drop") && !is_word(w, n, "no-drop") && !is_word(w, n, "errdisable") &&
		!is_word(w, n, "notify-only"))
		return true;
	str_copyn(p->action, sizeof(p->action), w, n);
	w = eos_word(&at, &n);
	if (!w || parse_real(w, n, &p->timeout_s) != NUMBER_OK)
		p->timeout_s = 0;
	return true;
}

static void add_number(char *list, size_t size, const char *name, bool *is_full)
{
	size_t n = strlen(list);

	*is_full |=
		!str_printf(list + n, size - n, "%s%s", n ? " " : "", name + strlen("Ethernet"));
}

static void emit_watch(
	const struct pfc_status *s, const struct pfc_line *p, struct obs *o, uint32_t port)
{
	const char *action = *p->action ? p->action : s->action;
	double timeout = p->timeout_s > 0 ? p->timeout_s : s->timeout_s;

	for (unsigned i = 0; i < PRIORITIES; i++) {
		if (!(p->mask >> i & 1))
			continue;
		if (*action)
			obs_word(o, port, ATTR_PFCWD_ACTION, i, eos_action_ours(action));
		if (timeout > 0)
			obs_number(o, port, ATTR_PFCWD_DETECT_MS, i, timeout * 1000);
		/* A port with its own timer has its own recovery time, which is not printed. */
		if (s->recovery_s > 0 && !(timeout < s->timeout_s || timeout > s->timeout_s))
			obs_number(o, port, ATTR_PFCWD_RESTORE_MS, i, s->recovery_s * 1000);
	}
}

static void add_pfc_line(struct pfc_status *s, const struct pfc_line *p, struct obs *o)
{
	uint32_t port = obs_port(o, p->name);
	bool is_full = false;

	s->ports++;
	obs_number(o, port, ATTR_PFC_ENABLED, 0, p->is_on ? p->mask : 0);
	if (!p->is_watched || !p->is_on) {
		add_number(s->others, sizeof(s->others), p->name, &is_full);
		if (is_full)
			s->others[0] = '!';
		return;
	}
	s->is_mixed |= s->watched++ && s->mask != p->mask;
	s->mask = p->mask;
	add_number(s->only, sizeof(s->only), p->name, &is_full);
	if (is_full)
		s->only[0] = '!';
	emit_watch(s, p, o, port);
}

/* Stores the facts for the watchdog's counters; nothing if a fact cannot hold them. */
static void learn_watch(const struct pfc_status *s, struct obs *o)
{
	bool by_others = s->others[0] != '!';
	char mask[8] = "";

	if (!s->is_mixed && (by_others || s->only[0] != '!'))
		str_printf(mask, sizeof(mask), "%u", s->watched ? s->mask : 0u);
	obs_fact(o, "watch", mask);
	obs_fact(o, "watch.not", by_others ? s->others : "");
	obs_fact(o, "watch.only", by_others ? "" : s->only);
}

/*
 * No public capture is known; both forms of the table and the sentences above it come from the
 * manual.
 */
bool eos_read_pfc_status(const struct target *t, const char *text, size_t len, struct obs *o)
{
	struct eos_lines l = {text, text + len};
	struct pfc_status s = {0};
	struct pfc_line p;
	char line[256];
	bool any_on = false;

	(void)t;
	while (eos_line(&l, line, sizeof(line))) {
		if (!read_pfc_line(line, &p)) {
			read_header(line, &s);
			continue;
		}
		any_on |= p.is_on && p.mask;
		add_pfc_line(&s, &p, o);
	}
	if (!s.ports)
		return false;
	if (s.poll_s > 0)
		obs_number(o, OBS_NO_PORT, ATTR_PFCWD_POLL_MS, 0, s.poll_s * 1000);
	learn_watch(&s, o);
	need_say(o, NEED_PFC_CONFIG, any_on ? VALID_OK : VALID_DISABLED, any_on ? "" : PFC_CURE);
	need_say(o, NEED_WATCHDOG_CONFIG, s.watched ? VALID_OK : VALID_DISABLED,
		s.watched ? "" : WATCH_CURE);
	return true;
}

/* ---- ECN thresholds ---- */

/*
 * It is not documented whether k is 1000 or 1024: 1000 is at most 2.4 % off. Segments are cells of
 * the chip, of unknown size.
 */
static double unit_bytes(const char *w, size_t n)
{
	if (is_word(w, n, "bytes"))
		return 1;
	if (is_word(w, n, "kbytes"))
		return 1e3;
	return is_word(w, n, "mbytes") ? 1e6 : 0;
}

/* Reads "UC3" or "3". */
static bool read_queue(const char *w, size_t n, unsigned *out)
{
	if (n == 3 && !strncasecmp(w, "UC", 2)) {
		w += 2;
		n = 1;
	}
	if (n != 1 || *w < '0' || *w > '7')
		return false;
	*out = (unsigned)(*w - '0');
	return true;
}

bool eos_read_thresholds(const char *at, struct eos_ecn *e)
{
	double numbers[3] = {0, 0, -1}, unit = 0;
	unsigned count = 0;
	const char *w;
	size_t n;

	while ((w = eos_word(&at, &n))) {
		double v, u = unit_bytes(w, n);

		if (u > 0 && unit > 0 && u != unit)
			return false;
		if (u > 0)
			unit = u;
		else if (count < 3 && parse_real(w, n, &v) == NUMBER_OK && v >= 0)
			numbers[count++] = v;
		/* Words of the configuration may stand between: "maximum-threshold". */
		else if (count < 2 && (n == 1 || !memchr(w, '-', n)))
			return false;
	}
	e->min = numbers[0] * unit;
	e->max = numbers[1] * unit;
	e->probability = numbers[2] <= 100 ? numbers[2] : -1;
	return count >= 2 && unit > 0 && e->max > 0 && e->min <= e->max;
}

void eos_emit_ecn(const struct eos_ecn *e, struct obs *o, uint32_t port)
{
	obs_number(o, port, ATTR_ECN_MIN_BYTES, e->queue, e->min);
	obs_number(o, port, ATTR_ECN_MAX_BYTES, e->queue, e->max);
	if (e->probability >= 0)
		obs_number(o, port, ATTR_ECN_PROBABILITY, e->queue, e->probability);
}

/* Reads "Ethernet1/1:" or "Et1/1 3 ...": the port of the line; *at moves behind its name. */
static bool take_port(const char **at, char name[NAME_MAX_LEN])
{
	const char *next = *at;
	size_t n;
	const char *w = eos_word(&next, &n);

	if (!w)
		return false;
	if (w[n - 1] == ':')
		n--;
	if (!eos_port_name(w, n, name))
		return false;
	*at = next;
	return true;
}

enum ecn_row {
	ROW_OTHER,
	ROW_QUIET, /* a queue that does not mark: "7 - -" */
	ROW_MARKS, /* a queue that marks, with unknown thresholds: segments */
	ROW_KNOWN,
};

static enum ecn_row read_ecn_line(const char *at, struct eos_ecn *e)
{
	size_t n;
	const char *w = eos_word(&at, &n);

	if (!w || !read_queue(w, n, &e->queue))
		return ROW_OTHER;
	if (eos_read_thresholds(at, e))
		return ROW_KNOWN;
	return at[strcspn(at, "123456789")] ? ROW_MARKS : ROW_QUIET;
}

struct ecn_config {
	uint8_t masks[1024]; /* by port */
	unsigned rows, strange;
};

static void add_ecn_line(const char *line, uint32_t *port, struct ecn_config *c, struct obs *o)
{
	char name[NAME_MAX_LEN];
	const char *at = line;
	struct eos_ecn e;
	enum ecn_row row;

	if (take_port(&at, name))
		*port = obs_port(o, name);
	if (*port >= sizeof(c->masks))
		return;
	row = read_ecn_line(at, &e);
	if (row == ROW_OTHER) {
		c->strange += at[strcspn(at, "0123456789")] != '\0';
		return;
	}
	c->rows++;
	if (row == ROW_QUIET)
		return;
	c->masks[*port] |= (uint8_t)(1u << e.queue);
	if (row == ROW_KNOWN)
		eos_emit_ecn(&e, o, *port);
}

/*
 * No public capture is known: the two forms are those in public guides. An unlisted queue does not
 * mark.
 */
bool eos_read_ecn_config(const struct target *t, const char *text, size_t len, struct obs *o)
{
	struct eos_lines l = {text, text + len};
	struct ecn_config c = {0};
	uint32_t port = OBS_NO_PORT;
	char line[256];
	bool any = false;

	(void)t;
	while (eos_line(&l, line, sizeof(line)))
		add_ecn_line(line, &port, &c, o);
	if (!o->ports.n || (!c.rows && c.strange))
		return false;
	for (uint32_t i = 0; i < o->ports.n && i < sizeof(c.masks); i++) {
		obs_number(o, i, ATTR_ECN_ENABLED, 0, c.masks[i]);
		any |= c.masks[i] != 0;
	}
	need_say(o, NEED_ECN_CONFIG, any ? VALID_OK : VALID_DISABLED, any ? "" : EOS_ECN_CURE);
	return true;
}
