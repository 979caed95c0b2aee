/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "backends/dialects/eos/eos.h"
#include "backends/contract/needs.h"
#include "backends/parse/schedule.h"
#include "backends/syslog/syslog.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * Decodes answers without a model, as text: maps, trust, hash, the log. Columns move between
 * releases, so the decoders search for words, not columns. Unknown lines are ignored.
 */

bool eos_line(struct eos_lines *l, char *dst, size_t size)
{
	const char *end;

	if (l->at >= l->end)
		return false;
	end = memchr(l->at, '\n', (size_t)(l->end - l->at));
	if (!end)
		end = l->end;
	str_copyn(dst, size, l->at, (size_t)(end - l->at));
	dst[strcspn(dst, "\r")] = '\0';
	l->at = end + 1;
	return true;
}

const char *eos_word(const char **at, size_t *n)
{
	const char *word = *at + strspn(*at, " \t");

	*n = strcspn(word, " \t");
	*at = word + *n;
	return *n ? word : NULL;
}

bool eos_is_front_panel(const char *name)
{
	return str_starts(name, "Ethernet") && isdigit((unsigned char)name[8]) &&
	       !strchr(name, '.');
}

bool eos_port_name(const char *word, size_t n, char dst[NAME_MAX_LEN])
{
	size_t letters = 0;

	while (letters < n && isalpha((unsigned char)word[letters]))
		letters++;
	if (letters < 2 || letters > 8 || letters == n ||
		strncasecmp(word, "Ethernet", letters) != 0)
		return false;
	return str_printf(dst, NAME_MAX_LEN, "Ethernet%.*s", (int)(n - letters), word + letters) &&
	       strspn(dst + 8, "0123456789/") == strlen(dst + 8);
}

/* ---- maps of the whole switch ---- */

struct maps {
	char dscp[65], queue[9], group[9]; /* "": not printed */
	struct obs *o;
};

/* Copies up to most digits of a row, '-' for any other word; returns their number. */
static size_t copy_digits(const char *at, size_t most, char *dst)
{
	size_t count = 0, n;
	const char *w;

	while (count < most && (w = eos_word(&at, &n)))
		dst[count++] = n == 1 && *w >= '0' && *w <= '7' ? *w : '-';
	return count;
}

/* Reads "     2 :     0 0 0 0 0 0 3 0 0 0": DSCP 20 to 29. */
static void read_dscp_row(struct maps *m, const char *line)
{
	const char *colon = strchr(line, ':');
	size_t first = strspn(line, " \t");
	size_t tens = (size_t)(line[first] - '0');
	char row[10];
	size_t n;

	if (!colon || tens > 6 ||
		strspn(line + first + 1, " \t") + first + 1 != (size_t)(colon - line))
		return;
	n = copy_digits(colon + 1, sizeof(row), row);
	for (size_t i = 0; i < n && tens * 10 + i < 64; i++)
		m->dscp[tens * 10 + i] = row[i];
}

static void read_tc_row(const char *values, char map[9])
{
	char row[PRIORITIES];

	if (copy_digits(values, sizeof(row), row) == sizeof(row))
		str_copyn(map, 9, row, sizeof(row));
}

/*
 * Titles as the manual prints them: "Dscp-tc map:", "Tc-uc-tx-queue map:" or "Tc - tx-queue map:",
 * each with a row of its own name. mc- is multicast; cos and exp are other maps.
 */
static void read_map_line(struct maps *m, const char *line, bool *in_dscp)
{
	const char *name = line + strspn(line, " \t"), *colon = strchr(name, ':');
	size_t n = colon ? (size_t)(colon - name) : 0;

	while (n && name[n - 1] == ' ')
		n--;
	if (strcasestr(line, " map") && n) {
		*in_dscp = !strncasecmp(name, "dscp", 4) && strcasestr(name, "-tc");
		if (*in_dscp && !*m->dscp)
			memset(m->dscp, '-', 64);
	} else if (*in_dscp) {
		read_dscp_row(m, line);
	} else if ((n == 8 && !strncasecmp(name, "tx-queue", n)) ||
		   (n == 11 && !strncasecmp(name, "uc-tx-queue", n))) {
		read_tc_row(colon + 1, m->queue);
	} else if (n == 14 && !strncasecmp(name, "priority-group", n)) {
		read_tc_row(colon + 1, m->group);
	}
}

static void emit_maps(void *ctx, const char *name)
{
	const struct maps *m = ctx;
	uint32_t port = obs_port(m->o, name);

	if (*m->dscp)
		obs_word(m->o, port, ATTR_DSCP_TO_TC, 0, m->dscp);
	if (*m->queue)
		obs_word(m->o, port, ATTR_TC_TO_QUEUE, 0, m->queue);
	if (*m->group)
		obs_word(m->o, port, ATTR_TC_TO_PG, 0, m->group);
}

/*
 * No public capture is known; the form comes from the manual. A profile may give a port another
 * map, which is not decoded here.
 */
bool eos_read_maps(const struct target *t, const char *text, size_t len, struct obs *o)
{
	struct eos_lines l = {text, text + len};
	struct maps m = {.o = o};
	bool in_dscp = false;
	char line[256];

	while (eos_line(&l, line, sizeof(line)))
		read_map_line(&m, line, &in_dscp);
	/* An incomplete map would wrongly mark the rest as unmapped. */
	if (memchr(m.dscp, '-', strlen(m.dscp)))
		m.dscp[0] = '\0';
	if (!*m.dscp && !*m.queue)
		return false;
	eos_known_ports(t, &m, emit_maps);
	need_say(o, NEED_QOS_MAPS, VALID_OK, "");
	return true;
}

/* ---- trust: "Ethernet1   DSCP   DEFAULT", the operational and the configured mode ---- */

static const char *trust_word(const char *word, size_t n)
{
	if (n == 4 && !strncasecmp(word, "dscp", n))
		return "dscp";
	if (n == 3 && !strncasecmp(word, "cos", n))
		return "pcp";
	return n == 9 && !strncasecmp(word, "untrusted", n) ? "port" : NULL;
}

/* No public capture is known; the form comes from the manual. */
bool eos_read_trust(const struct target *t, const char *text, size_t len, struct obs *o)
{
	struct eos_lines l = {text, text + len};
	char line[256], name[NAME_MAX_LEN];
	bool any = false;

	(void)t;
	while (eos_line(&l, line, sizeof(line))) {
		const char *at = line, *word, *trust;
		size_t n;

		word = eos_word(&at, &n);
		if (!word || !eos_port_name(word, n, name))
			continue;
		word = eos_word(&at, &n);
		trust = word ? trust_word(word, n) : NULL;
		if (!trust)
			continue;
		obs_word(o, obs_port(o, name), ATTR_TRUST, 0, trust);
		any = true;
	}
	return any;
}

/* ---- schedulers: "   3     25     - ( - )     24.9  (Gbps)  SP   D" below "Ethernet1:" ---- */

/* The number of a unicast queue, "3" or "UC3"; false: a line of another kind. */
static bool queue_number(const char *word, size_t n, unsigned *queue)
{
	bool named = n > 2 && !strncasecmp(word, "uc", 2);

	word += named ? 2 : 0;
	n -= named ? 2 : 0;
	if (n != 1 || *word < '0' || *word >= '0' + PRIORITIES)
		return false;
	*queue = (unsigned)(*word - '0');
	return true;
}

struct tx_queue {
	enum { TX_UNSAID, TX_STRICT, TX_ROUND } kind;
	char weight[16];
};

static void read_tx_queue(struct tx_queue *queues, const char *line)
{
	const char *at = line, *word;
	char weight[16];
	unsigned queue;
	size_t n;

	word = eos_word(&at, &n);
	if (!word || !queue_number(word, n, &queue))
		return;
	word = eos_word(&at, &n);
	/* "-", or "- / -" for the operational and the configured one: no share is set. */
	if (!word || !str_copyn(weight, sizeof(weight), word, n))
		return;
	while ((word = eos_word(&at, &n)))
		if (n == 2 && (!strncasecmp(word, "sp", 2) || !strncasecmp(word, "rr", 2))) {
			queues[queue].kind = strncasecmp(word, "sp", 2) ? TX_ROUND : TX_STRICT;
			(void)str_copy(queues[queue].weight, sizeof(weight), weight);
		}
}

static bool emit_tx_queues(struct tx_queue *queues, struct obs *o, const char *name)
{
	struct schedule s = {.text = ""};

	for (unsigned i = 0; i < PRIORITIES; i++)
		if (queues[i].kind == TX_STRICT)
			schedule_strict(&s, i);
		else if (queues[i].kind == TX_ROUND)
			schedule_weighted(&s, i, "RR", queues[i].weight);
	memset(queues, 0, PRIORITIES * sizeof(*queues));
	return *name && schedule_emit(&s, o, obs_port(o, name));
}

/* Bundles have their own section: only ports of the front panel count. */
bool eos_read_schedulers(const struct target *t, const char *text, size_t len, struct obs *o)
{
	struct eos_lines l = {text, text + len};
	struct tx_queue queues[PRIORITIES] = {{0}};
	char line[256], name[NAME_MAX_LEN] = "";
	bool any = false;

	(void)t;
	while (eos_line(&l, line, sizeof(line))) {
		size_t n = strlen(line);

		if (n && !strchr(" \t", line[0]) && line[n - 1] == ':') {
			any |= emit_tx_queues(queues, o, name);
			if (!eos_port_name(line, n - 1, name))
				name[0] = '\0';
			continue;
		}
		read_tx_queue(queues, line);
	}
	any |= emit_tx_queues(queues, o, name);
	if (any)
		need_say(o, NEED_SCHEDULERS, VALID_OK, "");
	return any;
}

/* ---- hash ---- */

static const struct {
	const char *words, *field;
} hash_fields[] = {
	{"ingress interface", "in-port"},
	{"source mac", "src-mac"},
	{"destination mac", "dst-mac"},
	{"vlan id", "vlan"},
	{"ethernet type", "ethertype"},
	{"ethertype", "ethertype"},
	{"source and destination address", "src-ip dst-ip"},
	{"source and destination ip", "src-ip dst-ip"},
	{"source ip", "src-ip"},
	{"destination ip", "dst-ip"},
	{"protocol", "protocol"},
	{"source and destination port", "l4-src l4-dst"},
	{"source port", "l4-src"},
	{"destination port", "l4-dst"},
	{"flow label", "flow-label"},
};

static void add_field(char *dst, size_t size, const char *field)
{
	size_t n = strlen(dst);

	if (!strstr(dst, field))
		str_printf(dst + n, size - n, "%s%s", n ? " " : "", field);
}

static void add_fields(const char *line, char *dst, size_t size)
{
	for (size_t i = 0; i < sizeof(hash_fields) / sizeof(hash_fields[0]); i++)
		if (strcasestr(line, hash_fields[i].words))
			add_field(dst, size, hash_fields[i].field);
}

struct hash {
	char ecmp[128], lag[128], algorithm[64];
};

/* Reads "Hash polynomial: 3" or "Hash seed: 0". */
static void add_number(const char *line, const char *words, const char *name, struct hash *h)
{
	const char *at = strcasestr(line, words);
	size_t n = strlen(h->algorithm);
	uint64_t v;

	if (!at)
		return;
	at += strlen(words);
	at += strspn(at, " :\t");
	if (parse_leading_u64(at, strlen(at), &v))
		str_printf(h->algorithm + n, sizeof(h->algorithm) - n, "%s%s %llu", n ? " " : "",
			name, (unsigned long long)v);
}

/*
 * "L3 hashing fields: ingress interface, ..." lists the fields; "Source IP address hashing ... is
 * ON" is one line per field. Lines with L3 or ECMP are about ECMP, the others about LAGs.
 */
static void read_hash_line(const char *line, struct hash *h)
{
	bool is_ecmp = strcasestr(line, "L3 ") || strcasestr(line, "ECMP");
	const char *fields = strcasestr(line, "hashing fields:");
	const char *is_on = strcasestr(line, " is ON");

	add_number(line, "polynomial", "polynomial", h);
	add_number(line, "seed", "seed", h);
	if (fields)
		add_fields(fields, is_ecmp ? h->ecmp : h->lag, sizeof(h->lag));
	else if (is_on && strcasestr(line, "hashing"))
		add_fields(line, is_ecmp ? h->ecmp : h->lag, sizeof(h->lag));
}

/*
 * No public capture of either command is known; the output differs from chip to chip. Lines of the
 * two forms above are decoded; without them nothing is reported.
 */
bool eos_read_hash(const struct target *t, const char *text, size_t len, struct obs *o)
{
	struct eos_lines l = {text, text + len};
	struct hash h = {0};
	char line[256];

	(void)t;
	while (eos_line(&l, line, sizeof(line)))
		read_hash_line(line, &h);
	if (*h.ecmp)
		obs_word(o, OBS_NO_PORT, ATTR_ECMP_HASH, 0, h.ecmp);
	if (*h.lag)
		obs_word(o, OBS_NO_PORT, ATTR_LAG_HASH, 0, h.lag);
	if (*h.algorithm)
		obs_word(o, OBS_NO_PORT, ATTR_HASH_ALGORITHM, 0, h.algorithm);
	if (!*h.ecmp && !*h.lag && !*h.algorithm)
		return false;
	need_say(o, NEED_HASH, VALID_OK, "");
	return true;
}

/*
 * Lines of the configuration: "load-balance cluster" is cluster load balancing, which places the
 * flows of RoCE one by one; "... distribution dynamic" is dynamic load balancing.
 */
bool eos_read_balancing(const struct target *t, const char *text, size_t len, struct obs *o)
{
	struct eos_lines l = {text, text + len};
	bool cluster = false, dynamic = false;
	char line[256];

	(void)t;
	while (eos_line(&l, line, sizeof(line))) {
		cluster |= str_starts(line + strspn(line, " "), "load-balance cluster");
		dynamic |= strstr(line, "load-balance distribution dynamic") != NULL;
	}
	/* Without such a line nothing is known: the answer may be a banner, or cut. */
	if (cluster || dynamic)
		obs_word(o, OBS_NO_PORT, ATTR_BALANCING, 0,
			!dynamic  ? "cluster"
			: cluster ? "cluster dlb"
				  : "dlb");
	return true;
}

/* ---- the log, in the switch's own zone ---- */

static int64_t local_us(const struct json_value *local)
{
	struct tm tm = {0};
	uint64_t year, month, day, hour, min, sec;

	if (!json_value_u64(json_value_get(local, "year"), &year) ||
		!json_value_u64(json_value_get(local, "month"), &month) ||
		!json_value_u64(json_value_get(local, "dayOfMonth"), &day) ||
		!json_value_u64(json_value_get(local, "hour"), &hour) ||
		!json_value_u64(json_value_get(local, "min"), &min) ||
		!json_value_u64(json_value_get(local, "sec"), &sec) || year < 1970 || year > 9999 ||
		!month || month > 12 || !day || day > 31 || hour > 23 || min > 59 || sec > 60)
		return 0;
	tm.tm_year = (int)year - 1900;
	tm.tm_mon = (int)month - 1;
	tm.tm_mday = (int)day;
	tm.tm_hour = (int)hour;
	tm.tm_min = (int)min;
	tm.tm_sec = (int)sec;
	return (int64_t)timegm(&tm) * CLOCK_SEC;
}

/* Zones are multiples of a quarter of an hour. */
bool eos_parse_clock(const struct target *t, const struct json_value *body, struct obs *o)
{
	int64_t local = local_us(json_value_get(body, "localTime"));
	double utc, quarters;
	char text[16];

	(void)t;
	if (json_value_real(json_value_get(body, "utcTime"), &utc) != NUMBER_OK || utc <= 0 ||
		utc > 1e11)
		return false;
	quarters = local ? round(((double)local / 1e6 - utc) / 900) : 0;
	if (fabs(quarters) > 56)
		return false;
	str_printf(text, sizeof(text), "%c%02u%02u", quarters < 0 ? '-' : '+',
		(unsigned)fabs(quarters) / 4, (unsigned)fabs(quarters) % 4 * 15);
	obs_fact(o, "zone", text);
	return true;
}

bool eos_read_log(const struct target *t, const char *text, size_t len, struct obs *o)
{
	/* Lines have neither year nor zone: the switch's clock supplies both. */
	const struct syslog_opts opts = {.is_port = eos_is_front_panel,
		.bundle = "Port-Channel",
		.brief = "Et",
		.zone = facts_get(t->facts, "zone")};
	size_t stamped = syslog_parse(&opts, text, len, o);

	if (strcasestr(text, "logging: disabled") && !stamped) {
		need_say(o, NEED_LOG, VALID_DISABLED, "configure on the switch: logging on");
		return true;
	}
	/* An empty log of the last quarter of an hour is a valid answer. */
	if (!stamped && strspn(text, " \r\n\t") < len)
		return false;
	need_say(o, NEED_LOG, VALID_OK, "");
	return true;
}
