/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"
#include "emulator/device/sonic/sonic_notes.h"

/* `show pfc`, `show queue`, `show priority-group`, `show ecn`, `pfcstat` */

#define EACH_PORT(m, p, only)                                                                      \
	for (const struct sim_port *p = (m)->d->ports; p < (m)->d->ports + (m)->d->nports; p++)    \
		if (!(only) || (only)[0] == '-' || str_eq((only), p->name))

/* ---- PFC ---- */

static void pfc_table(struct machine *m, struct buf *out, bool rx)
{
	static const char *const rx_titles[] = {
		"Port Rx", "PFC0", "PFC1", "PFC2", "PFC3", "PFC4", "PFC5", "PFC6", "PFC7", NULL};
	static const char *const tx_titles[] = {
		"Port Tx", "PFC0", "PFC1", "PFC2", "PFC3", "PFC4", "PFC5", "PFC6", "PFC7", NULL};
	const char *none = NULL;
	struct sonic_table t;

	sonic_table_init(&t, rx ? rx_titles : tx_titles, "r");
	EACH_PORT(m, port, none)
	{
		const struct sim_port *p = sonic_counted(m->ctx, m->d, port, SONIC_PORT);

		sonic_cell(&t, "%s", p->name);
		for (unsigned i = 0; i < 8; i++)
			sonic_cell_number(&t, rx ? p->q[i].pfc_rx_frames : p->q[i].pfc_tx_frames);
	}
	sonic_table_print(&t, out);
}

static uint64_t get_estimate(const struct redis *r, const struct sim_port *p, unsigned prio,
	const char *field, bool *known)
{
	struct redis_value v;
	char key[64], name[64];
	uint64_t n = 0;

	(void)str_printf(key, sizeof(key), "COUNTERS:oid:0x%llx",
		(unsigned long long)redis_oid(r, OID_PORT, p->port, 0));
	(void)str_printf(name, sizeof(name), "EST_PORT_STAT_PFC_%u_%s", prio, field);
	*known = redis_field(r, key, name, &v) && str_to_u64(v.text, &n);
	return n;
}

static int pfc_history(struct machine *m, const struct shell_call *c)
{
	static const char *const titles[] = {"Port", "Priority", "RX Pause Transitions",
		"Total RX Pause Time US", "Recent RX Pause Time US", "Recent RX Pause Timestamp",
		NULL};
	static const char *const fields[] = {
		"ON2OFF_RX_PKTS", "RX_PAUSE_DURATION_US", "RECENT_PAUSE_TIME_US"};
	const char *none = NULL;
	struct redis r;

	redis_open(&r, m->ctx, m->d, COUNTERS_DB);
	EACH_PORT(m, p, none)
	{
		struct sonic_table t;

		sonic_table_init(&t, titles, "r");
		for (unsigned i = 0; i < 8; i++) {
			bool known;

			sonic_cell(&t, "%s", p->name);
			sonic_cell(&t, "PFC%u", i);
			for (size_t k = 0; k < 3; k++) {
				uint64_t n = get_estimate(&r, p, i, fields[k], &known);

				if (known)
					sonic_cell_number(&t, n);
				else
					sonic_cell(&t, "N/A");
			}
			sonic_cell(&t, "N/A");
		}
		sonic_table_print(&t, c->out);
		(void)buf_adds(c->out, "\n");
	}
	return 0;
}

int sonic_pfcstat(struct machine *m, const struct shell_call *c)
{
	for (int i = 1; i < c->argc; i++)
		if (str_eq(c->argv[i], "--history"))
			return pfc_history(m, c);
	pfc_table(m, c->out, true);
	(void)buf_adds(c->out, "\n");
	pfc_table(m, c->out, false);
	return 0;
}

static void mask_text(unsigned mask, char dst[20])
{
	size_t n = 0;

	for (unsigned i = 0; i < 8; i++)
		if (mask >> i & 1)
			n += (size_t)snprintf(dst + n, 20 - n, "%s%u", n ? "," : "", i);
	if (!n)
		(void)str_copy(dst, 20, "N/A");
}

static int pfc_words(struct machine *m, const struct shell_call *c, const char *only, bool priority)
{
	static const char *const lossless[] = {"Interface", "Lossless priorities", NULL};
	static const char *const asymmetric[] = {"Interface", "Asymmetric", NULL};
	struct sonic_table t;
	char text[20];

	(void)buf_adds(c->out, "\n");
	sonic_table_init(&t, priority ? lossless : asymmetric, "l");
	EACH_PORT(m, p, only)
	{
		mask_text(p->config.pfc_mask, text);
		sonic_cell(&t, "%s", p->name);
		sonic_cell(&t, "%s", priority ? text : "off");
	}
	sonic_table_print(&t, c->out);
	(void)buf_adds(c->out, "\n");
	return 0;
}

int sonic_show_pfc(struct machine *m, const struct shell_call *c)
{
	const char *word = c->argc > 2 ? c->argv[2] : NULL, *only = c->argc > 3 ? c->argv[3] : NULL;

	if (str_eq(word, "counters"))
		return sonic_pfcstat(m, c);
	if (str_eq(word, "priority") || str_eq(word, "asymmetric"))
		return pfc_words(m, c, only, str_eq(word, "priority"));
	return sonic_no_command(c, "show pfc", word);
}

/* ---- queues ---- */

static const char *queue_name(unsigned i, char dst[8])
{
	(void)str_printf(dst, 8, "%s%u", i < 8 ? "UC" : "MC", i);
	return dst;
}

static const char *const queue_stats[] = {"SAI_QUEUE_STAT_PACKETS", "SAI_QUEUE_STAT_BYTES",
	"SAI_QUEUE_STAT_DROPPED_PACKETS", "SAI_QUEUE_STAT_DROPPED_BYTES"};
static const char *const wred_stats[] = {"SAI_QUEUE_STAT_WRED_DROPPED_PACKETS",
	"SAI_QUEUE_STAT_WRED_DROPPED_BYTES", "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS",
	"SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES"};

/* A value of the counter database with thousands separators; "N/A" if it is missing. */
static void stat_text(const struct redis *r, const struct sim_port *p, unsigned queue,
	const char *field, char dst[32])
{
	struct redis_value v;
	char key[64];
	size_t at = 0;

	(void)str_printf(key, sizeof(key), "COUNTERS:oid:0x%llx",
		(unsigned long long)redis_oid(r, OID_QUEUE, p->port, queue));
	if (!redis_field(r, key, field, &v)) {
		(void)str_copy(dst, 32, "N/A");
		return;
	}
	for (size_t i = 0; i < v.len && at < 30; i++) {
		if (i && (v.len - i) % 3 == 0)
			dst[at++] = ',';
		dst[at++] = v.text[i];
	}
	dst[at] = '\0';
}

static void queue_text(struct machine *m, const struct shell_call *c, const char *only, bool wred)
{
	static const char *const titles[] = {
		"Port", "TxQ", "Counter/pkts", "Counter/bytes", "Drop/pkts", "Drop/bytes", NULL};
	static const char *const wred_titles[] = {"Port", "TxQ", "WredDrp/pkts", "WredDrp/bytes",
		"EcnMarked/pkts", "EcnMarked/bytes", NULL};
	struct redis r;
	char name[8], text[32];

	redis_open(&r, m->ctx, m->d, COUNTERS_DB);
	if (!wred)
		(void)buf_adds(c->out, "For namespace :\n");
	EACH_PORT(m, p, only)
	{
		struct sonic_table t;

		sonic_table_init(&t, wred ? wred_titles : titles, "r");
		for (unsigned i = 0; i < SONIC_QUEUES; i++) {
			sonic_cell(&t, "%s", p->name);
			sonic_cell(&t, "%s", queue_name(i, name));
			for (size_t k = 0; k < 4; k++) {
				stat_text(&r, p, i, wred ? wred_stats[k] : queue_stats[k], text);
				sonic_cell(&t, "%s", text);
			}
		}
		sonic_table_print(&t, c->out);
		(void)buf_adds(c->out, "\n");
	}
}

static void queue_json(struct machine *m, const struct shell_call *c, const char *only, bool wred)
{
	/* Sorted by name, as json.dumps(sort_keys=True) does. */
	static const struct {
		const char *name;
		unsigned stat;
	} plain[4] = {{"dropbytes", 3}, {"droppacket", 2}, {"totalbytes", 1}, {"totalpacket", 0}},
	  marks[4] = {{"ecnmarkedbytes", 3}, {"ecnmarkedpacket", 2}, {"wreddropbytes", 1},
		  {"wreddroppacket", 0}};
	const char *sep = "\n";
	struct redis r;
	char name[8], text[32];

	redis_open(&r, m->ctx, m->d, COUNTERS_DB);
	(void)buf_adds(c->out, "{");
	EACH_PORT(m, p, only)
	{
		(void)buf_addf(c->out, "%s  \"%s\": {", sep, p->name);
		sep = ",\n";
		for (unsigned i = 0; i < SONIC_QUEUES; i++) {
			(void)buf_addf(
				c->out, "%s\n    \"%s\": {", i ? "," : "", queue_name(i, name));
			for (size_t k = 0; k < 4; k++) {
				stat_text(&r, p, i,
					wred ? wred_stats[marks[k].stat]
					     : queue_stats[plain[k].stat],
					text);
				(void)buf_addf(c->out, "%s\n      \"%s\": \"%s\"", k ? "," : "",
					wred ? marks[k].name : plain[k].name, text);
			}
			(void)buf_adds(c->out, "\n    }");
		}
		(void)buf_adds(c->out, "\n  }");
	}
	(void)buf_adds(c->out, "\n}\n");
}

/* ---- watermarks: a row per port, a column per queue or group ---- */

static void marks_table(struct machine *m, struct buf *out, enum redis_object type,
	const char *database, const char *field, unsigned first)
{
	static const char *const uc[] = {
		"Port", "UC0", "UC1", "UC2", "UC3", "UC4", "UC5", "UC6", "UC7", NULL};
	static const char *const mc[] = {
		"Port", "MC8", "MC9", "MC10", "MC11", "MC12", "MC13", "MC14", "MC15", NULL};
	static const char *const pg[] = {
		"Port", "PG0", "PG1", "PG2", "PG3", "PG4", "PG5", "PG6", "PG7", NULL};
	const char *none = NULL;
	struct sonic_table t;
	struct redis r;

	redis_open(&r, m->ctx, m->d, COUNTERS_DB);
	sonic_table_init(&t, type == OID_PG ? pg : first ? mc : uc, "r");
	EACH_PORT(m, p, none)
	{
		sonic_cell(&t, "%s", p->name);
		for (unsigned i = 0; i < 8; i++) {
			struct redis_value v;
			char key[80];

			(void)str_printf(key, sizeof(key), "%s:oid:0x%llx", database,
				(unsigned long long)redis_oid(&r, type, p->port, first + i));
			sonic_cell(&t, "%s", redis_field(&r, key, field, &v) ? v.text : "N/A");
		}
	}
	sonic_table_print(&t, out);
}

static const char *marks_of(const char *word)
{
	return str_eq(word, "watermark")              ? "USER_WATERMARKS"
	       : str_eq(word, "persistent-watermark") ? "PERSISTENT_WATERMARKS"
						      : NULL;
}

int sonic_show_queue(struct machine *m, const struct shell_call *c)
{
	const char *word = c->argc > 2 ? c->argv[2] : NULL, *only = NULL;
	bool json = false, wred = str_eq(word, "wredcounters");
	const char *kind = c->argc > 3 ? c->argv[3] : NULL;

	if (marks_of(word)) {
		if (!str_eq(kind, "unicast") && !str_eq(kind, "multicast"))
			return sonic_no_command(c,
				str_eq(word, "watermark") ? "show queue watermark"
							  : "show queue persistent-watermark",
				kind);
		(void)buf_addf(c->out, "Egress shared pool occupancy per %s queue:\n", kind);
		marks_table(m, c->out, OID_QUEUE, marks_of(word),
			"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", str_eq(kind, "multicast") ? 8 : 0);
		return 0;
	}
	if (!wred && !str_eq(word, "counters"))
		return sonic_no_command(c, "show queue", word);
	for (int i = 3; i < c->argc; i++) {
		if (str_eq(c->argv[i], "--json") || str_eq(c->argv[i], "-j"))
			json = true;
		else if (c->argv[i][0] != '-')
			only = c->argv[i];
	}
	if (only && !sonic_port(m, only)) {
		(void)buf_addf(c->out, "Port doesn't exist! %s\n", only);
		return 1;
	}
	if (json)
		queue_json(m, c, only, wred);
	else
		queue_text(m, c, only, wred);
	return 0;
}

int sonic_show_pg(struct machine *m, const struct shell_call *c)
{
	const char *word = c->argc > 2 ? c->argv[2] : NULL, *kind = c->argc > 3 ? c->argv[3] : NULL;

	if (str_eq(word, "drop") && str_eq(kind, "counters")) {
		(void)buf_adds(c->out, "Ingress PG dropped packets:\n");
		marks_table(m, c->out, OID_PG, "COUNTERS",
			"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", 0);
		return 0;
	}
	if (!marks_of(word))
		return sonic_no_command(c, "show priority-group", word);
	if (!str_eq(kind, "shared") && !str_eq(kind, "headroom"))
		return sonic_no_command(c, "show priority-group watermark", kind);
	(void)buf_addf(c->out, "Ingress %s per PG:\n",
		str_eq(kind, "shared") ? "shared pool occupancy" : "headroom");
	marks_table(m, c->out, OID_PG, marks_of(word),
		str_eq(kind, "shared")
			? "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES"
			: "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES",
		0);
	return 0;
}

/* ---- WRED/ECN ---- */

static void print_profile(struct redis *r, const char *name, struct buf *out)
{
	static const char *const fields[] = {"ecn", "green_drop_probability", "green_max_threshold",
		"green_min_threshold", "red_drop_probability", "red_max_threshold",
		"red_min_threshold", "wred_green_enable", "wred_red_enable", "wred_yellow_enable",
		"yellow_drop_probability", "yellow_max_threshold", "yellow_min_threshold"};
	static const char rule[] = "-----------------------  -------\n";
	struct redis_value v;
	char key[64];

	(void)str_printf(key, sizeof(key), "WRED_PROFILE|%s", name);
	if (!redis_field(r, key, "ecn", &v))
		return;
	(void)buf_addf(out, "Profile: %s\n%s", name, rule);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (redis_field(r, key, fields[i], &v))
			(void)buf_addf(out, "%-23s  %s\n", fields[i], v.text);
	(void)buf_addf(out, "%s\n", rule);
}

int sonic_show_ecn(struct machine *m, const struct shell_call *c)
{
	struct redis r;
	char name[64];

	redis_open(&r, m->ctx, m->d, CONFIG_DB);
	print_profile(&r, "AZURE_LOSSLESS", c->out);
	for (unsigned i = 0; i < m->d->nports; i++) {
		(void)str_printf(name, sizeof(name), "AZURE_LOSSLESS_%s", m->d->ports[i].name);
		print_profile(&r, name, c->out);
	}
	return 0;
}
