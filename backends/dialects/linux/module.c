/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/linux/linux.h"
#include "backends/contract/needs.h"
#include "backends/parse/optics.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/*
 * Decodes `ethtool -m`, the data of the optical module. Labels and their case differ between
 * versions (6.1, 6.6, 6.14, 7.2) and between kinds of modules (CMIS, QSFP28, SFP); the words are
 * the same.
 */

#define MODULE_CURE                                                                                \
	"reading modules needs CAP_NET_ADMIN: sudo setcap cap_net_admin+ep $(command -v ethtool)"
#define PACKAGE_CURE "install the package ethtool on the host"

#define HAS_LIMIT(kind, level) (1u << ((kind)*LIMIT_COUNT + (level)))

#define ALARMS_MAX 32
#define ALARM_TEXT 200

enum limit_kind { OF_RX, OF_TX, OF_BIAS, OF_TEMPERATURE, OF_VOLTAGE, LIMIT_KINDS };

struct module {
	struct optics optics;
	bool any, denied;
	char media[64], serial[40], part[40];
	uint32_t has_limit; /* bits of HAS_LIMIT() */
	double limit[LIMIT_KINDS][LIMIT_COUNT];
	struct {
		char label[48];
		int lane;    /* -1: of the module */
	} alarm[ALARMS_MAX]; /* flags that are on, in the printed order */
	size_t alarms;
};

/* ---- labels ---- */

enum reads {
	READS_MEDIA,
	READS_PART,
	READS_SERIAL,
	READS_TEMPERATURE,
	READS_VOLTAGE,
	READS_BIAS,
	READS_TX,
	READS_RX,
	READS_LOSS
};

struct known_label {
	const char *text;
	size_t n;
	unsigned what;
};

#define KNOWN(text, what) {text, sizeof(text) - 1, what},
#define FACT(text, what)  KNOWN(text, what)
#define LANE(text, what)  KNOWN(text, what)
#define LOSS(text, what)  KNOWN(text, what)
#define LIMIT(text, what)
static const struct known_label labels[] = {
#include "backends/dialects/linux/module.def"
};
#undef FACT
#undef LANE
#undef LOSS
#undef LIMIT

#define FACT(text, what)
#define LANE(text, what)
#define LOSS(text, what)
#define LIMIT(text, what) KNOWN(text, what)
static const struct known_label limits[] = {
#include "backends/dialects/linux/module.def"
};
#undef FACT
#undef LANE
#undef LOSS
#undef LIMIT

static const struct known_label levels[LIMIT_COUNT] = {
	KNOWN("low alarm", LIMIT_LOW_ALARM) KNOWN("low warning", LIMIT_LOW_WARN)
		KNOWN("high warning", LIMIT_HIGH_WARN) KNOWN("high alarm", LIMIT_HIGH_ALARM)};

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* n is not 0. The first byte is compared first, because it nearly always decides. */
static inline bool has_same_text(const char *a, const char *b, size_t n)
{
	if ((*a ^ *b) & ~0x20)
		return false;
	return memcmp(a, b, n) == 0 || strncasecmp(a, b, n) == 0;
}

static bool is_word(struct span s, const char *word, size_t n)
{
	return s.n == n && has_same_text(s.at, word, n);
}
#define IS_WORD(s, word) is_word(s, word, sizeof(word) - 1)

/* Returns the entry for a known label; NULL: unknown. */
static const struct known_label *label_of(struct span label)
{
	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		if (is_word(label, labels[i].text, labels[i].n))
			return &labels[i];
	return NULL;
}

/*
 * Returns the one of n words at the beginning of the text and skips it with the following blanks;
 * NULL: none.
 */
static const struct known_label *skip_word(struct span *s, const struct known_label *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s->n >= of[i].n && has_same_text(s->at, of[i].text, of[i].n)) {
			s->at += of[i].n;
			s->n -= of[i].n;
			for (; s->n && *s->at == ' '; s->at++)
				s->n--;
			return &of[i];
		}
	return NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct span trim_span(const char *from, const char *to)
{
	while (from < to && is_blank(*from))
		from++;
	while (to > from && is_blank(to[-1]))
		to--;
	return (struct span){from, (size_t)(to - from)};
}

/* Finds the colon of "Label (Channel 3)   : value", the first one between blanks; NULL: none. */
static const char *colon_of(struct span line)
{
	const char *end = line.at + line.n, *at = line.at, *colon;

	while ((colon = memchr(at, ':', (size_t)(end - at)))) {
		if (colon > line.at && colon[-1] == ' ' && colon + 1 < end && colon[1] == ' ')
			return colon;
		at = colon + 1;
	}
	return NULL;
}

/*
 * Cuts the lane off a label: "... (Channel 3)" or "... (Chan 3)" gives 2. Returns 0 without a lane,
 * LANES for an invalid one.
 */
static unsigned lane_of(struct span *label, bool *has_lane)
{
	const char *end = label->at + label->n, *open = label->at;
	uint64_t n;

	*has_lane = false;
	while ((open = memchr(open, '(', (size_t)(end - open))) &&
		(end - open < 5 || !has_same_text(open, "(chan", 5)))
		open++;
	if (!open)
		return 0;
	*has_lane = true;
	*label = trim_span(label->at, open);
	while (open < end && *open != ')' && !isdigit((unsigned char)*open))
		open++;
	return parse_leading_u64(open, (size_t)(end - open), &n) && n >= 1 && n <= LANES
		       ? (unsigned)n - 1
		       : LANES;
}

/* ---- readings ---- */

/* Reads "1.12 mW / 0.49 dBm". */
static enum number read_dbm(struct span value, double *out)
{
	const char *slash = memchr(value.at, '/', value.n);

	return slash ? parse_real(slash + 1, value.n - (size_t)(slash + 1 - value.at), out)
		     : NUMBER_NONE;
}

/* Reads "71.30 degrees C / 160.33 degrees F". */
static enum number read_number(struct span value, double *out)
{
	const char *end = value.at + value.n, *behind, *slash;
	double v;

	behind = parse_plain_real(value.at, end, &v);
	if (behind && (behind == end || *behind == ' ')) {
		*out = v;
		return NUMBER_OK;
	}
	slash = memchr(value.at, '/', value.n);
	return parse_real(value.at, slash ? (size_t)(slash - value.at) : value.n, out);
}

/* Reads "0x19 (OSFP 8X Pluggable Transceiver)". */
static void module_media(struct module *m, struct span value)
{
	const char *end = value.at + value.n, *open = memchr(value.at, '(', value.n), *close;

	if (!open++)
		return;
	close = memchr(open, ')', (size_t)(end - open));
	str_copyn(m->media, sizeof(m->media), open, (size_t)((close ? close : end) - open));
}

static void add_alarm(struct module *m, struct span label, int lane)
{
	if (m->alarms >= ALARMS_MAX)
		return;
	str_copyn(m->alarm[m->alarms].label, sizeof(m->alarm[0].label), label.at, label.n);
	m->alarm[m->alarms++].lane = lane;
}

/* Reads "Rx loss of lock : [ No, No, Yes, No ]" or "Tx fault : Yes". */
static void lane_flags(struct module *m, struct span label, struct span value)
{
	const char *at = value.at, *end = at + value.n;

	if (IS_WORD(value, "Yes"))
		add_alarm(m, label, -1);
	if (!value.n || *at++ != '[')
		return;
	for (int lane = 0; lane < LANES; lane++) {
		while (at < end && (*at == ' ' || *at == ','))
			at++;
		if (at == end || *at == ']')
			return;
		if (end - at >= 3 && has_same_text(at, "Yes", 3))
			add_alarm(m, label, lane);
		while (at < end && !strchr(" ,]", *at))
			at++;
	}
}

static void module_value(
	struct module *m, const struct host_line *l, struct span label, struct span value)
{
	struct optics *x = &m->optics;
	struct optics_lane *lane = &x->lane[l->lane < 0 ? 0 : l->lane];

	switch ((enum reads)l->what) {
	case READS_MEDIA:
		module_media(m, value);
		break;
	case READS_PART:
		str_copyn(m->part, sizeof(m->part), value.at, value.n);
		break;
	case READS_SERIAL:
		str_copyn(m->serial, sizeof(m->serial), value.at, value.n);
		break;
	case READS_TEMPERATURE:
		x->has_temperature = read_number(value, &x->temperature) == NUMBER_OK;
		break;
	case READS_VOLTAGE:
		x->has_voltage = read_number(value, &x->voltage) == NUMBER_OK;
		break;
	case READS_BIAS:
		lane->has_bias = read_number(value, &lane->bias_ma);
		break;
	case READS_TX:
		lane->has_tx = read_dbm(value, &lane->tx_dbm);
		break;
	case READS_RX:
		lane->has_rx = read_dbm(value, &lane->rx_dbm);
		break;
	case READS_LOSS:
		lane_flags(m, label, value);
		break;
	}
}

/* Reads the threshold of a line; false: none. */
static bool limit_of(const struct host_line *l, struct span line, double *v)
{
	struct span value = trim_span(line.at + l->n, line.at + line.n);
	bool is_power = l->what == OF_RX || l->what == OF_TX;

	return (is_power ? read_dbm(value, v) : read_number(value, v)) == NUMBER_OK;
}

/* Modules of the same kind have the same thresholds with the same text. */
static bool has_same_limit(const struct host_line *l, struct span line)
{
	return l->limit_n && line.n == (size_t)l->n + l->limit_n &&
	       memcmp(line.at + l->n, l->begins + l->n, l->limit_n) == 0;
}

static void module_limit(struct module *m, const struct host_line *l, struct span line)
{
	double v = l->limit;

	if (!has_same_limit(l, line) && !limit_of(l, line, &v))
		return;
	m->limit[l->what][l->level] = v;
	m->has_limit |= HAS_LIMIT(l->what, l->level);
}

/* ---- lines ---- */

enum means { MEANS_NOTHING, MEANS_READING, MEANS_LIMIT, MEANS_FLAG };

/*
 * Reads "Laser rx power low warning threshold : 0.2239 mW / -6.50 dBm", or a flag that is on:
 * "Laser rx power low warning (Channel 3) : On".
 */
static void limit_meaning(struct span label, struct host_line *l)
{
	const struct known_label *kind = skip_word(&label, limits, ARRAY_LEN(limits));
	const struct known_label *level = kind ? skip_word(&label, levels, LIMIT_COUNT) : NULL;

	if (!level)
		return;
	l->what = (uint8_t)kind->what;
	l->level = (uint8_t)level->what;
	l->means = IS_WORD(label, "threshold") ? MEANS_LIMIT : MEANS_FLAG;
}

static void note_limit(struct host_line *l, struct span line)
{
	if (l->means == MEANS_LIMIT && limit_of(l, line, &l->limit))
		l->limit_n = (uint16_t)(line.n - l->n);
}

/* Decodes the label of a line; the value follows the colon. */
static struct host_line meaning_of(struct span line, const char *colon)
{
	struct host_line l = {.begins = line.at, .n = (uint16_t)(colon + 2 - line.at)};
	struct span label = trim_span(line.at, colon);
	const struct known_label *known;
	bool has_lane;
	unsigned lane = lane_of(&label, &has_lane);

	if (lane >= LANES)
		return l;
	l.lane = has_lane ? (int8_t)lane : -1;
	l.label_at = (uint16_t)(label.at - line.at);
	l.label_n = (uint16_t)label.n;
	known = label_of(label);
	if (known) {
		l.means = MEANS_READING;
		l.what = (uint8_t)known->what;
	} else {
		limit_meaning(label, &l);
		note_limit(&l, line);
	}
	return l;
}

/*
 * A module may lack this many of the previous one's lines in a row before the rest counts as new.
 */
#define AHEAD 8

/*
 * Finds the stored line, from *next on, with the same beginning, and moves *next behind it. NULL:
 * none.
 */
static const struct host_line *known_line(const struct host *h, size_t *next, struct span line)
{
	for (size_t i = *next; i < h->lines_n && i < *next + AHEAD; i++) {
		const struct host_line *l = &h->lines[i];

		if (line.n < l->n || memcmp(line.at, l->begins, l->n) != 0)
			continue;
		*next = i + 1;
		return l;
	}
	return NULL;
}

/* Stores the lines of the first module, and new lines at the end of a later one. */
static void keep_line(struct host *h, size_t *next, const struct host_line *l)
{
	if (*next < h->lines_n || h->lines_n == HOST_LINES)
		return;
	h->lines[h->lines_n++] = *l;
	*next = h->lines_n;
}

static void module_line(struct module *m, const struct host_line *l, struct span line)
{
	struct span label = {line.at + l->label_at, l->label_n}, value;

	m->any = true;
	if (l->means == MEANS_LIMIT) {
		module_limit(m, l, line);
		return;
	}
	value = trim_span(line.at + l->n, line.at + line.n);
	if (l->means == MEANS_READING)
		module_value(m, l, label, value);
	else if (l->means == MEANS_FLAG && IS_WORD(value, "On"))
		add_alarm(m, label, l->lane);
}

static void module_lines(struct host *h, struct module *m, const struct section *s)
{
	struct span line;
	size_t at = 0, next = 0;

	while (line_span(s, &at, &line)) {
		const struct host_line *known = known_line(h, &next, line);
		const char *colon = known ? NULL : colon_of(line);
		struct host_line l;

		if (known) {
			module_line(m, known, line);
		} else if (colon) {
			l = meaning_of(line, colon);
			keep_line(h, &next, &l);
			module_line(m, &l, line);
		} else {
			m->denied |= memmem(line.at, line.n, "not permitted", 13) ||
				     memmem(line.at, line.n, "password is required", 20);
		}
	}
}

/* ---- the batch ---- */

static void add_refused(struct host *h, const struct host_port *p, const char *cure)
{
	static const enum counter_id ids[] = {CTR_RX_POWER_DBM, CTR_TX_POWER_DBM, CTR_TX_BIAS_MA,
		CTR_TEMPERATURE_C, CTR_VOLTAGE_V};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		obs_invalid(h->o, p->port, ids[i], 0, VALID_DISABLED, cure);
}

static void emit_limits(struct host *h, const struct host_port *p, const struct module *m)
{
	static const enum obs_attr attrs[LIMIT_KINDS] = {[OF_RX] = ATTR_RX_POWER_LIMIT,
		[OF_TX] = ATTR_TX_POWER_LIMIT,
		[OF_BIAS] = ATTR_TX_BIAS_LIMIT,
		[OF_TEMPERATURE] = ATTR_TEMPERATURE_LIMIT,
		[OF_VOLTAGE] = ATTR_VOLTAGE_LIMIT};

	for (unsigned k = 0; k < LIMIT_KINDS; k++) {
		double limit[LIMIT_COUNT];

		for (unsigned i = 0; i < LIMIT_COUNT; i++)
			limit[i] = m->has_limit & HAS_LIMIT(k, i) ? m->limit[k][i] : (double)NAN;
		(void)optics_limits(h->o, p->port, attrs[k], limit);
	}
}

/* True: the port does not use the lane. Such lanes are dark, and modules raise a flag for each. */
static bool is_idle_lane(const struct module *m, int lane)
{
	const struct optics_lane *l = &m->optics.lane[lane < 0 ? 0 : lane];

	return lane >= 0 && l->has_rx == NUMBER_MINUS_INF && l->has_tx == NUMBER_MINUS_INF;
}

/*
 * "Rx loss of lock lanes 1,2": joins the flags of the same name from the i-th on, and marks them as
 * said.
 */
static void alarm_words(
	const struct module *m, size_t i, bool said[ALARMS_MAX], char *dst, size_t size)
{
	size_t lanes = 0, n;

	for (size_t k = i; k < m->alarms; k++) {
		if (said[k] || !str_eq(m->alarm[k].label, m->alarm[i].label))
			continue;
		said[k] = true;
		n = strlen(dst);
		if (!lanes)
			(void)str_printf(
				dst + n, size - n, "%s%s", n ? ", " : "", m->alarm[i].label);
		n = strlen(dst);
		if (m->alarm[k].lane >= 0)
			(void)str_printf(dst + n, size - n, "%s%d", lanes ? "," : " lane ",
				m->alarm[k].lane + 1);
		lanes++;
	}
}

/*
 * Logs a line if the module's flags differ from the last poll; a fact stores them. The return to
 * normal is logged as well.
 */
static void emit_alarms(struct host *h, const struct host_port *p, const struct module *m)
{
	char text[ALARM_TEXT] = "", key[FACT_KEY_SIZE] = "alarm.";
	const size_t n = strlen(key);
	bool said[ALARMS_MAX] = {false};
	const char *known;

	for (size_t i = 0; i < m->alarms; i++)
		said[i] = is_idle_lane(m, m->alarm[i].lane);
	for (size_t i = 0; i < m->alarms; i++)
		if (!said[i])
			alarm_words(m, i, said, text, sizeof(text));
	/* Without the fact it would be logged at every poll. */
	if (!str_copy(key + n, FACT_KEY_SIZE - n, p->rdma))
		return;
	known = facts_get(h->target->facts, key);
	if (str_eq(known, text))
		return;
	obs_fact(h->o, key, text);
	obs_log(h->o, p->port, -1, *text != '\0', h->begin_us,
		*text ? text : "module: no alarm any more");
}

static void emit_module(struct host *h, const struct host_port *p, const struct module *m)
{
	char media[sizeof(m->media) + sizeof(m->part)];

	optics_emit(&m->optics, h->o, p->port);
	emit_limits(h, p, m);
	if (*m->media) {
		size_t n = strlen(m->media);

		memcpy(media, m->media, n + 1);
		if (*m->part) {
			media[n++] = ' ';
			(void)str_copy(media + n, sizeof(media) - n, m->part);
		}
		obs_word(h->o, p->port, ATTR_MEDIA, 0, media);
	}
	if (*m->serial)
		obs_word(h->o, p->port, ATTR_MODULE_SN, 0, m->serial);
	emit_alarms(h, p, m);
}

void host_module_section(struct host *h, const struct section *s)
{
	struct host_port *p = host_of_section(h, s);
	struct module m = {0};

	if (!p)
		return;
	module_lines(h, &m, s);
	if (m.denied)
		add_refused(h, p, MODULE_CURE);
	else if (!m.any && host_no_program(s->body, s->len))
		add_refused(h, p, PACKAGE_CURE);
	else
		emit_module(h, p, &m);
	h->has_limits |= m.has_limit != 0;
	h->denied_limits |= m.denied;
}

void host_limits_say(struct host *h)
{
	/* One module with limits is enough: others may be absent, or copper. */
	if (h->has_limits)
		need_say(h->o, NEED_OPTICS_LIMITS, VALID_OK, "");
	else if (h->denied_limits)
		need_say(h->o, NEED_OPTICS_LIMITS, VALID_DISABLED, MODULE_CURE);
	else if (h->ended)
		need_say(h->o, NEED_OPTICS_LIMITS, VALID_UNSUPPORTED, "");
}

/* Minimum size of the text behind one item. */
#define BYTES_AN_ITEM 64

bool linux_parse_optics(struct host *h, const char *bytes, size_t len)
{
	struct section s;
	size_t at = 0;

	obs_expect(h->o, h->o->items.n + len / BYTES_AN_ITEM, h->o->strings.n);
	while (section_next(bytes, len, &at, &s))
		if (str_eq(s.name, "module"))
			host_module_section(h, &s);
		else
			(void)host_common_section(h, &s);
	if (!h->begun)
		return false;
	host_settle(h);
	if (h->ports.n)
		host_limits_say(h);
	needs_report(h->o, optics_needs, optics_needs_count);
	optics_report_vdm(h->o, VDM_OF_ETHTOOL);
	return true;
}
