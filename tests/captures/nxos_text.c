/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/captures/nxos_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

bool nxos_next_line(const char **text, char line[512])
{
	size_t n;

	*text += strspn(*text, " \t\r\n");
	n = strcspn(*text, "\r\n");
	if (!n)
		return false;
	(void)str_copyn(line, 512, *text, n < 511 ? n : 511);
	*text += n;
	while (n && n < 512 && isspace((unsigned char)line[n - 1]))
		line[--n] = '\0';
	return true;
}

static void set(json_t *o, const char *key, const char *value)
{
	(void)json_object_set_new(o, key, json_string(value));
}

/* TABLE_name { ROW_name }, below o. */
static void table(json_t *o, const char *name, json_t *rows)
{
	char t[64], r[64];

	(void)str_printf(t, sizeof(t), "TABLE_%s", name);
	(void)str_printf(r, sizeof(r), "ROW_%s", name);
	(void)json_object_set_new(o, t, json_pack("{s:o}", r, rows));
}

static json_t *body(const char *name, json_t *rows)
{
	json_t *o = json_object();

	table(o, name, rows);
	return o;
}

struct words {
	char text[512];
	char *at[32];
	unsigned n;
};

static void split(struct words *w, const char *line)
{
	char *p = w->text;

	(void)str_copy(w->text, sizeof(w->text), line);
	for (w->n = 0; w->n < 32; w->n++) {
		p += strspn(p, " \t|");
		if (!*p)
			return;
		w->at[w->n] = p;
		p += strcspn(p, " \t|");
		if (*p)
			*p++ = '\0';
	}
}

/* ---- a port's page ---- */

/* The number before these words: "1 interface resets". */
static void number_before(json_t *row, const char *line, const char *words, const char *key)
{
	const char *at = strstr(line, words);
	char digits[24];
	size_t n = 0;

	while (at && at > line && at[-1] == ' ')
		at--;
	while (at && at - n > line && isdigit((unsigned char)at[-1 - (long)n]))
		n++;
	if (n && str_copyn(digits, sizeof(digits), at - n, n))
		set(row, key, digits);
}

static void interface_line(json_t *row, const char *line)
{
	static const struct {
		const char *words, *key;
	} counts[] = {{"interface resets", "eth_reset_cntr"}, {"input discard", "eth_indiscard"},
		{"Rx pause", "eth_inpause"}, {"Tx pause", "eth_outpause"}};
	char word[64], bw[24], speed[24];

	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		number_before(row, line, counts[i].words, counts[i].key);
	if (sscanf(line, "Description: %63s", word) == 1)
		set(row, "desc", word);
	if (sscanf(line, "admin state is %20[a-z]", word) == 1)
		set(row, "admin_state", word);
	if (sscanf(line, "MTU %20s bytes, BW %20s Kbit", word, bw) == 2) {
		set(row, "eth_mtu", word);
		set(row, "eth_bw", bw);
	}
	if (sscanf(line, "full-duplex, %20[0-9] Gb/s", speed) == 1) {
		(void)str_printf(word, sizeof(word), "%s Gb/s", speed);
		set(row, "eth_speed", word);
	}
}

json_t *nxos_interface_of(const char *text)
{
	json_t *row = json_object();
	char line[512];

	if (nxos_next_line(&text, line)) {
		set(row, "state", strstr(line, " is up") ? "up" : "down");
		line[strcspn(line, " ")] = '\0';
		set(row, "interface", line);
	}
	while (nxos_next_line(&text, line))
		interface_line(row, line);
	return body("interface", json_pack("[o]", row));
}

/* ---- tables of ports, several sections below each other ---- */

static const struct {
	const char *head, *key;
} columns[] = {
	{"Align-Err", "eth_align_err"},
	{"FCS-Err", "eth_fcs_err"},
	{"Xmit-Err", "eth_xmit_err"},
	{"Rcv-Err", "eth_rcv_err"},
	{"OutDiscards", "eth_outdisc"},
	{"Symbol-Err", "eth_symbol_err"},
	{"InDiscards", "eth_indisc"},
	{"Stomped-CRC", "eth_stomped_crc"},
	{"InOctets", "eth_inbytes"},
	{"InUcastPkts", "eth_inucast"},
	{"InMcastPkts", "eth_inmcast"},
	{"InBcastPkts", "eth_inbcast"},
	{"OutOctets", "eth_outbytes"},
	{"OutUcastPkts", "eth_outucast"},
	{"OutMcastPkts", "eth_outmcast"},
	{"OutBcastPkts", "eth_outbcast"},
};

static const char *key_of(const char *head)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (!strcmp(columns[i].head, head))
			return columns[i].key;
	return head;
}

/* Rows of the sections with a first column that begins with `first`. */
static json_t *sections(const char *text, const char *first, const char *name_key)
{
	json_t *rows = json_array();
	struct words head = {.n = 0}, w;
	char line[512];

	while (nxos_next_line(&text, line)) {
		json_t *row;

		split(&w, line);
		if (w.n > 1 && !strcmp(w.at[0], "Port")) {
			split(&head, line);
			continue;
		}
		if (w.n < 2 || w.n != head.n || !str_starts(head.at[1], first))
			continue;
		row = json_object();
		set(row, name_key, w.at[0]);
		for (unsigned i = 1; i < w.n; i++)
			set(row, key_of(head.at[i]), w.at[i]);
		(void)json_array_append_new(rows, row);
	}
	return rows;
}

json_t *nxos_errors_of(const char *text)
{
	return body("interface", sections(text, "", "interface"));
}

json_t *nxos_counters_of(const char *text)
{
	json_t *o = json_object();

	table(o, "rx_counters", sections(text, "In", "interface_rx"));
	table(o, "tx_counters", sections(text, "Out", "interface_tx"));
	return o;
}

/* ---- lists of "Key: value" ---- */

json_t *nxos_lldp_of(const char *text)
{
	static const struct {
		const char *head, *key;
	} keys[] = {{"Chassis id: ", "chassis_id"}, {"Port id: ", "port_id"},
		{"Local Port id: ", "l_port_id"}, {"Port Description: ", "port_desc"},
		{"System Name: ", "sys_name"}, {"Management Address: ", "mgmt_addr"}};
	json_t *rows = json_array(), *row = NULL, *o;
	char line[512];

	while (nxos_next_line(&text, line))
		for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
			if (!str_starts(line, keys[i].head))
				continue;
			if (i == 0) {
				row = json_object();
				(void)json_array_append_new(rows, row);
			}
			set(row, keys[i].key, line + strlen(keys[i].head));
		}
	o = body("nbor_detail", rows);
	set(o, "neigh_hdr", "neigh_hdr");
	return o;
}

json_t *nxos_optics_of(const char *text)
{
	static const struct {
		const char *head, *key;
	} keys[] = {{"type is ", "type"}, {"serial number is ", "serialnum"}, {"name is ", "name"},
		{"transceiver is ", "sfp"}};
	json_t *rows = json_array(), *row = NULL;
	char line[512];

	while (nxos_next_line(&text, line)) {
		if (str_starts(line, "Ethernet")) {
			row = json_object();
			set(row, "interface", line);
			(void)json_array_append_new(rows, row);
		}
		for (size_t i = 0; row && i < ARRAY_LEN(keys); i++)
			if (str_starts(line, keys[i].head))
				set(row, keys[i].key, line + strlen(keys[i].head));
	}
	return body("interface", rows);
}

/* ---- flow control ---- */

json_t *nxos_pfc_of(const char *text)
{
	json_t *rows = json_array();
	char line[512], name[64], admin[16], oper[16], mask[16], rx[24], tx[24];

	while (nxos_next_line(&text, line))
		if (sscanf(line, "Ethernet%60s %15s %15s (%15[0-9a-f]) %23s %23s", name, admin,
			    oper, mask, rx, tx) == 6) {
			char full[80];

			(void)str_printf(full, sizeof(full), "Ethernet%s", name);
			(void)json_array_append_new(
				rows, json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "if_name_str", full,
					      "admin", admin, "oper", oper, "vl-bmap", mask,
					      "rx-stats", rx, "tx-stats", tx));
		}
	return body("pfc_interface", rows);
}

static void watchdog_count(json_t *entries, const char *line)
{
	static const struct {
		const char *label, *key;
	} keys[] = {{"Shutdown", "q-shutdown"}, {"Restored", "q-restored"},
		{"Total pkts drained", "q-pkt-drained"}, {"Total pkts dropped", "q-pkt-dropped"},
		{"Aggregate pkts dropped", "q-aggr-pkt-dropped"},
		{"Total Ingress pkts dropped", "q-ing-pkt-dropped"},
		{"Aggregate Ingress pkts dropped", "q-ing-aggr-pkt-dropped"}};
	char label[64], value[24];
	size_t n;

	if (sscanf(line, "| %60[^|]| %20[0-9]", label, value) != 2)
		return;
	n = strlen(label);
	while (n && label[n - 1] == ' ')
		label[--n] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (!strcmp(keys[i].label, label))
			(void)json_array_append_new(entries,
				json_pack("{s:s,s:s}", "q-stat-type", label, keys[i].key, value));
}

json_t *nxos_watchdog_of(const char *text)
{
	json_t *rows = json_array(), *groups = NULL, *entries = NULL, *row = NULL, *group;
	char line[512], state[16];

	while (nxos_next_line(&text, line)) {
		if (strstr(line, "Interface PFC watchdog: [")) {
			row = json_object();
			(void)json_array_append_new(rows, row);
			(void)sscanf(strchr(line, '['), "[%15[^]]", state);
			set(row, "wd-status", state);
			*strchr(line, ':') = '\0';
			set(row, "if_name_str", line);
			groups = json_array();
			table(row, "qosgrp_stats", groups);
		} else if (str_starts(line, "Disable-action") && row) {
			set(row, "disable-action", strrchr(line, ' ') + 1);
		} else if (str_starts(line, "PFC watch-dog interface-multiplier") && row) {
			set(row, "intf-multi", strrchr(line, ' ') + 1);
		} else if (str_starts(line, "| QOS GROUP ") && groups) {
			group = json_object();
			(void)json_array_append_new(groups, group);
			set(group, "eq-qosgrp", line + strlen("| QOS GROUP "));
			entries = json_array();
			table(group, "qosgrp_stats_entry", entries);
		} else if (entries) {
			watchdog_count(entries, line);
		}
	}
	return body("queuing_interface", rows);
}

/* ---- queues ---- */

static void add_stat(
	json_t *entries, char *const *label, const char *uc, const char *oobfc, const char *mc)
{
	json_t *row = json_pack("{s:s,s:s,s:s}", "eq-stat-type", label[0], "eq-stat-units",
		label[1], "eq-uc-stat-value", uc);

	if (oobfc)
		set(row, "eq-oobfc-uc-stat-value", oobfc);
	if (mc)
		set(row, "eq-mc-stat-value", mc);
	(void)json_array_append_new(entries, row);
}

/* "| Tx Pkts | 12| 22| 34|", or two of them: "| Tx Pkts | 50| Dropped Pkts | 6|" */
static void queue_line(json_t *entries, const char *line)
{
	struct words w;

	split(&w, line);
	if (w.n == 6 && isdigit((unsigned char)w.at[5][0])) {
		add_stat(entries, &w.at[0], w.at[2], NULL, NULL);
		add_stat(entries, &w.at[3], w.at[5], NULL, NULL);
	} else if (w.n == 5) {
		add_stat(entries, &w.at[0], w.at[2], w.at[3], w.at[4]);
	}
}

static json_t *row_of(json_t *rows, const char *dir, const char *name)
{
	json_t *row = json_object();
	char port[64];

	(void)str_copyn(port, sizeof(port), name, strcspn(name, " "));
	set(row, "dir", dir);
	set(row, "if_name_str", port);
	(void)json_array_append_new(rows, row);
	return row;
}

json_t *nxos_queuing_of(const char *text)
{
	static const char egress[] = "Egress Queuing for ", ingress[] = "Ingress Queuing for ";
	json_t *rows = json_array(), *groups = NULL, *entries = NULL, *classes = NULL, *group;
	char line[512];
	unsigned n;
	struct words w;

	while (nxos_next_line(&text, line)) {
		split(&w, line);
		if (str_starts(line, egress)) {
			groups = json_array();
			table(row_of(rows, "Egress", line + strlen(egress)), "qosgrp_egress_stats",
				groups);
		} else if (str_starts(line, ingress)) {
			classes = json_array();
			entries = NULL;
			table(row_of(rows, "Ingress", line + strlen(ingress)), "pfc_stats",
				classes);
		} else if (groups && sscanf(line, "| QOS GROUP %u", &n) == 1) {
			group = json_pack("{s:i}", "eq-qosgrp", (int)n);
			(void)json_array_append_new(groups, group);
			entries = json_array();
			table(group, "qosgrp_egress_stats_entry", entries);
		} else if (entries && line[0] == '|') {
			queue_line(entries, line);
		} else if (classes && w.n == 7 && isdigit((unsigned char)w.at[0][0])) {
			(void)json_array_append_new(
				classes, json_pack("{s:s,s:s,s:s,s:s}", "cos", w.at[0],
						 "pfc-qosgrp", w.at[1], "tx-pause-count", w.at[4],
						 "rx-pause-count", w.at[6]));
		}
	}
	return body("queuing_interface", rows);
}

/* ---- BGP ---- */

static void add_session(json_t *rows, const char *address, char *const *at, unsigned n)
{
	json_t *row = json_pack(
		"{s:s,s:s,s:s}", "neighborid", address, "neighboras", at[1], "time", at[7]);
	bool established = isdigit((unsigned char)at[8][0]);
	char state[64];

	(void)str_printf(
		state, sizeof(state), "%s%s%s", at[8], n > 9 ? " " : "", n > 9 ? at[9] : "");
	set(row, "state", established ? "Established" : state);
	if (established)
		set(row, "prefixreceived", at[8]);
	(void)json_array_append_new(rows, row);
}

/* Each section as a VRF of its own with one family. */
json_t *nxos_bgp_of(const char *text)
{
	json_t *vrfs = json_array(), *sessions = NULL;
	char line[512], vrf[64], family[64], address[64] = "";
	struct words w;

	while (nxos_next_line(&text, line)) {
		split(&w, line);
		if (sscanf(line, "BGP summary information for VRF %63[^,], address family %63[^\n]",
			    vrf, family) == 2) {
			json_t *saf = json_object();

			set(saf, "af-name", family);
			sessions = json_array();
			table(saf, "neighbor", sessions);
			(void)json_array_append_new(
				vrfs, json_pack("{s:s,s:{s:[{s:{s:o}}]}}", "vrf-name-out", vrf,
					      "TABLE_af", "ROW_af", "TABLE_saf", "ROW_saf", saf));
		} else if (sessions && w.n == 1 && strchr(w.at[0], ':')) {
			/* A long address has a line of its own. */
			(void)str_copy(address, sizeof(address), w.at[0]);
		} else if (sessions && address[0] && w.n >= 9) {
			add_session(sessions, address, w.at, w.n);
			address[0] = '\0';
		} else if (sessions && w.n >= 10 && strchr(w.at[0], '.') &&
			   isdigit((unsigned char)w.at[0][0])) {
			add_session(sessions, w.at[0], w.at + 1, w.n - 1);
		}
	}
	return body("vrf", vrfs);
}
