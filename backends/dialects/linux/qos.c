/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/dialects/linux/qos.h"
#include "backends/contract/needs.h"
#include "backends/parse/number.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Decodes the settings of a NIC for RoCE: the priorities with PFC, the classification of packets,
 * and congestion control. Overlapping sources (dcb, mlnx_qos, sysfs) are merged in struct nic_qos.
 */

/* Returns the settings of the host's i-th port. The first call for a port may move the others. */
static struct nic_qos *nic_at(struct host_qos *q, size_t i)
{
	while (q->nic.n <= i) {
		struct nic_qos *n = vec_add(&q->nic);

		n->pfc = n->np = n->rp = n->cnp_dscp = n->cnp_prio = -1;
		n->tclass = n->cma_tos = n->storm_ms = -1;
	}
	return &q->nic.at[i];
}

static struct nic_qos *qos_of(const struct host *h, struct host_qos *q, struct span netdev)
{
	for (size_t i = 0; i < h->ports.n; i++)
		if (span_is(netdev, h->ports.at[i]->netdev))
			return nic_at(q, i);
	return NULL;
}

struct host_qos *host_qos_new(void)
{
	return mem_calloc(1, sizeof(struct host_qos));
}

void host_qos_free(struct host_qos *q)
{
	vec_free(&q->nic);
	free(q);
}

/* ---- sysfs ---- */

/* Reads "mlx5_3/tc/1/traffic_class:Global tclass=104". */
static void tclass_section(struct host *h, struct host_qos *q, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line)) {
		char *tc = strstr(line, "/tc/"), *value = strstr(line, "tclass=");
		uint64_t number, v;

		if (!tc || !value || !parse_leading_u64(tc + 4, strlen(tc + 4), &number) ||
			!parse_leading_u64(value + 7, strlen(value + 7), &v) || v > 255)
			continue;
		*tc = '\0';
		for (size_t i = 0; i < h->ports.n; i++)
			if (h->ports.at[i]->number == number && str_eq(h->ports.at[i]->rdma, line))
				nic_at(q, i)->tclass = (int)v;
	}
}

/* Reads ".../rdma_cm/mlx5_3/ports/1/default_roce_tos:104". */
static void cma_section(struct host *h, struct host_qos *q, const struct section *s)
{
	char line[LINE_TEXT], *rest, *value;
	size_t at = 0;

	while (line_next(s, &at, line)) {
		char *name = strstr(line, "/rdma_cm/");
		const struct host_port *p =
			name ? host_ib_line(h, name + strlen("/rdma_cm/"), &rest, &value) : NULL;
		uint64_t v;

		for (size_t i = 0; p && i < h->ports.n; i++)
			if (h->ports.at[i] == p && str_to_u64(value, &v) && v <= 255)
				nic_at(q, i)->cma_tos = (int)v;
	}
}

/* True: the whole text is a number, at most `most`. */
static bool number_of(struct span s, unsigned most, unsigned *v)
{
	*v = 0;
	for (size_t i = 0; i < s.n; i++) {
		unsigned digit = (unsigned)(s.at[i] - '0');

		if (digit > 9 || *v * 10 + digit > most)
			return false;
		*v = *v * 10 + digit;
	}
	return s.n > 0;
}

static void enable_bit(int *mask, struct span file, unsigned v)
{
	unsigned priority;

	if (!number_of(file, PRIORITIES - 1, &priority))
		return;
	if (*mask < 0)
		*mask = 0;
	if (v)
		*mask |= 1 << priority;
}

/* Skips the prefix; false: the text begins otherwise. */
static bool skip_prefix(struct span *s, const char *prefix, size_t n)
{
	if (s->n < n || memcmp(s->at, prefix, n) != 0)
		return false;
	s->at += n;
	s->n -= n;
	return true;
}
#define SKIP(s, prefix) skip_prefix(s, prefix, sizeof(prefix) - 1)

/* Reads "qos/trust" or "ecn/roce_np/enable/3" below the folder of the netdev. */
static void dcqcn_value(struct nic_qos *n, struct span file, struct span value)
{
	unsigned v;

	if (span_is(file, "qos/trust")) {
		str_copyn(n->trust, sizeof(n->trust), value.at, value.n);
		return;
	}
	if (!number_of(value, 255, &v) || !SKIP(&file, "ecn/roce_"))
		return;
	if (SKIP(&file, "np/enable/"))
		enable_bit(&n->np, file, v);
	else if (SKIP(&file, "rp/enable/"))
		enable_bit(&n->rp, file, v);
	else if (span_is(file, "np/cnp_dscp"))
		n->cnp_dscp = (int)v;
	else if (span_is(file, "np/cnp_802p_prio"))
		n->cnp_prio = (int)v;
}

/* Lines come NIC by NIC: the beginning of the last line, up to the netdev's slash, and its NIC. */
struct dcqcn_way {
	struct span begins; /* n 0: none */
	struct nic_qos *nic;
};

/* Cuts that beginning off the line; NULL: it belongs to none of our ports. */
static struct nic_qos *dcqcn_nic(
	const struct host *h, struct host_qos *q, struct dcqcn_way *way, struct span *line)
{
	static const char folder[] = "/net/";
	const char *from = line->at, *net, *slash;

	if (way->begins.n && skip_prefix(line, way->begins.at, way->begins.n))
		return way->nic;
	net = memmem(line->at, line->n, folder, sizeof(folder) - 1);
	if (net)
		(void)skip_prefix(line, line->at, (size_t)(net - line->at) + sizeof(folder) - 1);
	slash = memchr(line->at, '/', line->n);
	if (!slash)
		return NULL;
	way->nic = qos_of(h, q, (struct span){line->at, (size_t)(slash - line->at)});
	(void)skip_prefix(line, line->at, (size_t)(slash - line->at) + 1);
	/* Without the folder, a longer line could contain it further on. */
	way->begins = (struct span){from, net ? (size_t)(line->at - from) : 0};
	return way->nic;
}

/* Reads "/sys/class/net/eth3/ecn/roce_np/enable/3:1" or "/sys/class/net/eth3/qos/trust:dscp". */
static void dcqcn_section(struct host *h, struct host_qos *q, const struct section *s)
{
	struct dcqcn_way way = {.nic = NULL};
	struct span line;
	size_t at = 0;

	while (line_span(s, &at, &line)) {
		struct nic_qos *n = dcqcn_nic(h, q, &way, &line);
		const char *colon = n ? memchr(line.at, ':', line.n) : NULL;
		size_t file = colon ? (size_t)(colon - line.at) : 0;

		if (colon)
			dcqcn_value(n, (struct span){line.at, file},
				(struct span){colon + 1, line.n - file - 1});
	}
}

/* ---- ethtool ---- */

static void tunable_section(struct nic_qos *n, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;
	uint64_t v;

	while (line_next(s, &at, line)) {
		const char *value = strchr(line, ':');

		if (!str_starts(line, "pfc-prevention-tout") || !value)
			continue;
		value += 1 + strspn(value + 1, " \t");
		if (parse_leading_u64(value, strlen(value), &v) && v <= UINT16_MAX)
			n->storm_ms = (int)v;
		else if (str_starts(value, "auto"))
			n->storm_ms = UINT16_MAX;
		else if (str_starts(value, "off"))
			n->storm_ms = 0;
	}
}

/* Reads `ethtool -a` as text, because --json of 6.1 always says true. */
static void flow_section(struct nic_qos *n, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line)) {
		const char *value = strchr(line, ':');

		if (!value)
			continue;
		value += 1 + strspn(value + 1, " \t");
		if (str_starts(line, "RX:") || str_starts(line, "TX:"))
			n->pauses_all |= str_eq(value, "on");
	}
}

/* ---- sections ---- */

static const struct {
	const char *name;
	void (*read)(struct nic_qos *n, const struct section *s);
} tools[] = {{"tunable", tunable_section}, {"flow", flow_section}, {"pfc", qos_dcb_pfc},
	{"ets", qos_dcb_ets}, {"app", qos_dcb_app}, {"apptrust", qos_dcb_apptrust},
	{"buffer", qos_dcb_buffer}, {"mlnx", qos_mlnx}};
_Static_assert(sizeof(tools) / sizeof(tools[0]) == QOS_TOOLS, "one of each");

static size_t tool_of(const struct section *s)
{
	size_t i = 0;

	while (i < QOS_TOOLS && !section_is(s, tools[i].name))
		i++;
	return i;
}

/* A tool's text alone determines its effect on the settings, so equal texts are decoded once. */
static void read_tool(struct host_qos *q, size_t tool, struct nic_qos *n, const struct section *s)
{
	struct qos_said *said = &q->said[tool];

	if (said->body && said->len == s->len && memcmp(said->body, s->body, s->len) == 0 &&
		memcmp(&said->before, n, sizeof(*n)) == 0) {
		memcpy(n, &said->after, sizeof(*n));
		return;
	}
	memcpy(&said->before, n, sizeof(*n));
	tools[tool].read(n, s);
	memcpy(&said->after, n, sizeof(*n));
	said->body = s->body;
	said->len = s->len;
}

bool host_qos_section(struct host *h, struct host_qos *q, const struct section *s)
{
	size_t tool = tool_of(s);
	struct nic_qos *n;

	if (tool < QOS_TOOLS) {
		n = *s->arg ? qos_of(h, q, (struct span){s->arg, strlen(s->arg)}) : NULL;
		if (str_eq(s->name, "pfc") && host_no_program(s->body, s->len))
			q->no_dcb = true;
		if (n)
			read_tool(q, tool, n, s);
	} else if (str_eq(s->name, "tclass")) {
		tclass_section(h, q, s);
	} else if (str_eq(s->name, "cma")) {
		cma_section(h, q, s);
	} else if (str_eq(s->name, "dcqcn")) {
		dcqcn_section(h, q, s);
	} else {
		return false;
	}
	return true;
}

/* ---- results ---- */

static void add_number(struct host *h, uint32_t port, enum obs_attr attr, int v)
{
	if (v >= 0)
		obs_number(h->o, port, attr, 0, v);
}

static void add_word(struct host *h, uint32_t port, enum obs_attr attr, const char *text)
{
	if (*text)
		obs_word(h->o, port, attr, 0, text);
}

/* 802.3x pause stops every priority, and so defeats PFC. It is logged when it changes. */
static void log_flow_control(struct host *h, const struct host_port *p, const struct nic_qos *n)
{
	bool bad = n->pauses_all && n->pfc > 0;
	char key[NAME_MAX_LEN + 8], text[192];

	/* Without the fact it would be logged at every poll. */
	if (!str_printf(key, FACT_KEY_SIZE, "flow.%s", p->rdma))
		return;
	if (bad == str_eq(facts_get(h->target->facts, key), "on"))
		return;
	obs_fact(h->o, key, bad ? "on" : "");
	(void)str_printf(text, sizeof(text),
		bad ? "802.3x pause is on beside PFC on %s: sudo ethtool -A %s rx off tx off"
		    : "802.3x pause is off again on %s",
		p->netdev, p->netdev);
	obs_log(h->o, p->port, -1, bad, h->begin_us, text);
}

/* Only this driver has such settings. udev may give its devices other names. */
static bool has_mlx5(const struct host *h)
{
	for (size_t i = 0; i < h->ports.n; i++) {
		const struct host_port *p = h->ports.at[i];

		if (*p->driver ? str_starts(p->driver, "mlx5") : str_starts(p->rdma, "mlx5"))
			return true;
	}
	return false;
}

static void emit_nic(struct host *h, const struct host_port *p, const struct nic_qos *n)
{
	add_number(h, p->port, ATTR_PFC_ENABLED, n->pfc);
	add_number(h, p->port, ATTR_DCQCN_NP, n->np);
	add_number(h, p->port, ATTR_DCQCN_RP, n->rp);
	add_number(h, p->port, ATTR_CNP_DSCP, n->cnp_dscp);
	add_number(h, p->port, ATTR_CNP_PRIO, n->cnp_prio);
	add_number(h, p->port, ATTR_STORM_TOUT_MS, n->storm_ms);
	/* The driver's own setting wins; that of rdma_cm applies to connections made through it. */
	add_number(h, p->port, ATTR_ROCE_TCLASS, n->tclass >= 0 ? n->tclass : n->cma_tos);
	add_word(h, p->port, ATTR_TRUST, n->trust);
	add_word(h, p->port, ATTR_DSCP_TO_TC, n->dscp);
	add_word(h, p->port, ATTR_TC_TO_QUEUE, n->prio_tc);
	add_word(h, p->port, ATTR_PRIO_TO_QUEUE, n->prio_tc);
	add_word(h, p->port, ATTR_TC_TO_PG, n->prio_buffer);
	log_flow_control(h, p, n);
}

static void report_need(
	struct host *h, enum need_id need, bool has, enum validity v, const char *cure)
{
	if (!has && !h->ended) /* a NIC that was not read may have it */
		return;
	need_say(h->o, need, has ? VALID_OK : v, has ? "" : cure);
}

void host_qos_emit(struct host *h, struct host_qos *q)
{
	static const char package[] = "install dcb on the host (Debian: package iproute2)";
	bool pfc = false, maps = false, dcqcn = false, storm = false;
	enum validity v = q->no_dcb ? VALID_DISABLED : VALID_UNSUPPORTED;
	const char *cure = q->no_dcb ? package : "";

	for (size_t i = 0; i < h->ports.n; i++) {
		const struct nic_qos *n = nic_at(q, i);

		emit_nic(h, h->ports.at[i], n);
		pfc |= n->pfc >= 0;
		maps |= *n->dscp || *n->trust || *n->prio_tc;
		dcqcn |= n->np >= 0 || n->rp >= 0;
		storm |= n->storm_ms >= 0;
	}
	if (!h->ports.n)
		return;
	report_need(h, NEED_PFC_CONFIG, pfc, v, cure);
	report_need(h, NEED_QOS_MAPS, maps, v, cure);
	report_need(h, NEED_DCQCN, dcqcn, VALID_UNSUPPORTED,
		has_mlx5(h) ? "the driver has no ecn/ folder below /sys/class/net: use the driver "
			      "of MLNX_OFED or DOCA"
			    : "");
	report_need(h, NEED_WATCHDOG_CONFIG, storm, VALID_UNSUPPORTED, "");
}

bool linux_parse_qos(struct host *h, const char *bytes, size_t len)
{
	struct host_qos *q = host_qos_new();
	struct section s;
	size_t at = 0;

	while (section_next(bytes, len, &at, &s))
		if (!host_common_section(h, &s))
			(void)host_qos_section(h, q, &s);
	host_settle(h);
	if (h->begun)
		host_qos_emit(h, q);
	host_qos_free(q);
	return h->begun;
}
