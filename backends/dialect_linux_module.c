/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "backends/dialect_linux.h"
#include "backends/needs.h"
#include "backends/parse_optics.h"
#include "base/str.h"

/*
 * `ethtool -m`: what the optical module says of itself. Labels and their case drift between
 * versions (6.1, 6.6, 6.14, 7.2) and between kinds of modules (CMIS, QSFP28, SFP); the words stay.
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
		int lane;    /* -1: the module's */
	} alarm[ALARMS_MAX]; /* flags that are on, in the order in which they are printed */
	size_t alarms;
};

/*
 * Cuts the lane off a label: "... (Channel 3)" or "... (Chan 3)" gives 2; 0 where it has none.
 */
static unsigned lane_of(char *label, bool *has_lane)
{
	char *open = strchr(label, '(');
	uint64_t n;

	while (open && strncasecmp(open, "(chan", 5) != 0)
		open = strchr(open + 1, '(');
	*has_lane = open != NULL;
	if (!open)
		return 0;
	*open = '\0';
	open += strcspn(open + 1, "0123456789)") + 1;
	return parse_leading_u64(open, strlen(open), &n) && n >= 1 && n <= LANES ? (unsigned)n - 1
										 : LANES;
}

static void trim_end(char *s)
{
	size_t n = strlen(s);

	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
}

/* "1.12 mW / 0.49 dBm" */
static enum number dbm(const char *value, double *out)
{
	const char *slash = strchr(value, '/');

	return slash ? parse_real(slash + 1, strlen(slash + 1), out) : NUMBER_NONE;
}

static enum number reading(const char *value, double *out)
{
	/* "71.30 degrees C / 160.33 degrees F" */
	return parse_real(value, strcspn(value, "/"), out);
}

static bool is_one_of(const char *label, const char *a, const char *b)
{
	return strcasecmp(label, a) == 0 || strcasecmp(label, b) == 0;
}

static void module_lane(struct module *m, const char *label, unsigned lane, const char *value)
{
	struct optics_lane *l = &m->optics.lane[lane];

	if (is_one_of(label, "Laser tx bias current", "Laser bias current"))
		l->has_bias = parse_real(value, strlen(value), &l->bias_ma);
	else if (is_one_of(label, "Transmit avg optical power", "Laser output power"))
		l->has_tx = dbm(value, &l->tx_dbm);
	else if (is_one_of(label, "Rcvr signal avg optical power",
			 "Receiver signal average optical power") ||
		 strcasecmp(label, "Receiver signal OMA") == 0)
		l->has_rx = dbm(value, &l->rx_dbm);
}

/* "0x19 (OSFP 8X Pluggable Transceiver)" */
static void module_media(struct module *m, const char *value)
{
	const char *open = strchr(value, '(');

	if (open)
		str_copyn(m->media, sizeof(m->media), open + 1, strcspn(open + 1, ")"));
}

/* What the words "... high alarm ..." at the end of a label are about. */
static bool limit_level(const char *label, enum optics_limit *level)
{
	static const char *const words[LIMIT_COUNT] = {
		[LIMIT_LOW_ALARM] = "low alarm",
		[LIMIT_LOW_WARN] = "low warning",
		[LIMIT_HIGH_WARN] = "high warning",
		[LIMIT_HIGH_ALARM] = "high alarm",
	};

	for (unsigned i = 0; i < LIMIT_COUNT; i++)
		if (strcasestr(label, words[i])) {
			*level = (enum optics_limit)i;
			return true;
		}
	return false;
}

static bool limit_kind(const char *label, enum limit_kind *kind)
{
	static const struct {
		const char *prefix;
		enum limit_kind kind;
	} kinds[] = {{"Laser rx power", OF_RX}, {"Rx power", OF_RX}, {"Laser output power", OF_TX},
		{"Laser tx power", OF_TX}, {"Laser bias current", OF_BIAS},
		{"Module temperature", OF_TEMPERATURE}, {"Module voltage", OF_VOLTAGE}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncasecmp(label, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) {
			*kind = kinds[i].kind;
			return true;
		}
	return false;
}

static void threshold(struct module *m, const char *label, const char *value)
{
	enum optics_limit level;
	enum limit_kind kind;
	double v;
	enum number got;

	if (!limit_level(label, &level) || !limit_kind(label, &kind))
		return;
	got = kind == OF_RX || kind == OF_TX ? dbm(value, &v) : reading(value, &v);
	if (got != NUMBER_OK)
		return;
	m->limit[kind][level] = v;
	m->has_limit |= HAS_LIMIT(kind, level);
}

static void alarm(struct module *m, const char *label, int lane)
{
	if (m->alarms >= ALARMS_MAX)
		return;
	str_copy(m->alarm[m->alarms].label, sizeof(m->alarm[0].label), label);
	m->alarm[m->alarms++].lane = lane;
}

/* A flag that is on: "Laser rx power low warning (Channel 3) : On". */
static void flag(struct module *m, const char *label, bool has_lane, unsigned lane)
{
	enum optics_limit level;
	enum limit_kind kind;

	if (lane < LANES && limit_level(label, &level) && limit_kind(label, &kind))
		alarm(m, label, has_lane ? (int)lane : -1);
}

/* "Rx loss of lock : [ No, No, Yes, No ]", "Tx fault : Yes" */
static void lane_flags(struct module *m, const char *label, const char *value)
{
	static const char *const labels[] = {"Rx loss of signal", "Tx loss of signal",
		"Rx loss of lock", "Tx loss of lock", "Tx fault"};
	int lane = 0;
	bool known = false;

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		known |= strcasecmp(labels[i], label) == 0;
	if (!known)
		return;
	if (*value != '[') {
		if (strcasecmp(value, "Yes") == 0)
			alarm(m, label, -1);
		return;
	}
	for (value++; *value && *value != ']' && lane < LANES; lane++) {
		value += strspn(value, " ,");
		if (strncasecmp(value, "Yes", 3) == 0)
			alarm(m, label, lane);
		value += strcspn(value, " ,]");
		value += strspn(value, " ");
	}
}

static void module_fact(struct module *m, const char *label, const char *value)
{
	if (strcasecmp(label, "Identifier") == 0)
		module_media(m, value);
	else if (strcasecmp(label, "Vendor SN") == 0)
		str_copy(m->serial, sizeof(m->serial), value);
	else if (strcasecmp(label, "Vendor PN") == 0)
		str_copy(m->part, sizeof(m->part), value);
	else if (strcasecmp(label, "Module temperature") == 0)
		m->optics.has_temperature = reading(value, &m->optics.temperature) == NUMBER_OK;
	else if (strcasecmp(label, "Module voltage") == 0)
		m->optics.has_voltage = reading(value, &m->optics.voltage) == NUMBER_OK;
}

static void module_line(struct module *m, char *line)
{
	char *colon = strstr(line, " : ");
	char *label = line + strspn(line, " \t"), *value;
	bool has_lane;
	unsigned lane;

	if (!colon) {
		m->denied |= strstr(line, "not permitted") || strstr(line, "password is required");
		return;
	}
	*colon = '\0';
	value = colon + 3;
	trim_end(value);
	m->any = true;
	/* Half of all lines: flags that are not set. */
	if (strcasecmp(value, "Off") == 0)
		return;
	lane = lane_of(label, &has_lane);
	trim_end(label);
	if (strcasestr(label, "threshold"))
		threshold(m, label, value);
	else if (strcasecmp(value, "On") == 0)
		flag(m, label, has_lane, lane);
	else if (lane < LANES) {
		module_fact(m, label, value);
		module_lane(m, label, lane, value);
		lane_flags(m, label, value);
	}
}

static void refused(struct host *h, const struct host_port *p, const char *cure)
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

	for (unsigned k = 0; k < LIMIT_KINDS; k++)
		for (unsigned i = 0; i < LIMIT_COUNT; i++)
			if (m->has_limit & HAS_LIMIT(k, i))
				obs_number(h->o, p->port, attrs[k], i, m->limit[k][i]);
}

/* Lanes that the port does not use are dark, and modules complain of each. */
static bool is_idle_lane(const struct module *m, int lane)
{
	const struct optics_lane *l = &m->optics.lane[lane < 0 ? 0 : lane];

	return lane >= 0 && l->has_rx == NUMBER_MINUS_INF && l->has_tx == NUMBER_MINUS_INF;
}

/* "Rx loss of lock lanes 1,2": the flags of the same name from the i-th on, marked as said. */
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
 * A line when the module's flags are others than at the last look; the fact remembers them. A
 * module that has just come back to normal says that as well.
 */
static void emit_alarms(struct host *h, const struct host_port *p, const struct module *m)
{
	char text[ALARM_TEXT] = "", key[NAME_MAX_LEN + 8];
	bool said[ALARMS_MAX] = {false};
	const char *known;

	for (size_t i = 0; i < m->alarms; i++)
		said[i] = is_idle_lane(m, m->alarm[i].lane);
	for (size_t i = 0; i < m->alarms; i++)
		if (!said[i])
			alarm_words(m, i, said, text, sizeof(text));
	/* What cannot be remembered would be said with every poll. */
	if (!str_printf(key, FACT_KEY_SIZE, "alarm.%s", p->rdma))
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
	char media[sizeof(m->media) + sizeof(m->part) + 1];

	optics_emit(&m->optics, h->o, p->port);
	emit_limits(h, p, m);
	if (*m->media) {
		(void)str_printf(
			media, sizeof(media), "%s%s%s", m->media, *m->part ? " " : "", m->part);
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
	char line[LINE_TEXT];
	size_t at = 0;

	if (!p)
		return;
	while (line_next(s, &at, line))
		module_line(&m, line);
	if (m.denied)
		refused(h, p, MODULE_CURE);
	else if (!m.any && host_no_program(s->body, s->len))
		refused(h, p, PACKAGE_CURE);
	else
		emit_module(h, p, &m);
	h->has_limits |= m.has_limit != 0;
	h->denied_limits |= m.denied;
}

void host_limits_say(struct host *h)
{
	/* One module with limits is enough: others may be no module, or copper. */
	if (h->has_limits)
		need_say(h->o, NEED_OPTICS_LIMITS, VALID_OK, "");
	else if (h->denied_limits)
		need_say(h->o, NEED_OPTICS_LIMITS, VALID_DISABLED, MODULE_CURE);
	else if (h->ended)
		need_say(h->o, NEED_OPTICS_LIMITS, VALID_UNSUPPORTED, "");
}

bool linux_parse_optics(struct host *h, const char *bytes, size_t len)
{
	struct section s;
	size_t at = 0;

	while (section_next(bytes, len, &at, &s))
		if (!host_common_section(h, &s) && str_eq(s.name, "module"))
			host_module_section(h, &s);
	if (!h->begun)
		return false;
	host_settle(h);
	if (h->ports.n)
		host_limits_say(h);
	needs_report(h->o, optics_needs, optics_needs_count);
	return true;
}
