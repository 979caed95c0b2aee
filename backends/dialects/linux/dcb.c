/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/qos.h"
#include "backends/parse/json_select.h"
#include "base/str.h"

/* Decodes dcb(8) of iproute2 and mlnx_qos of mlnx-tools: two sources of the same settings. */

static struct json_value *parse_object(const struct section *s)
{
	return memchr(s->body, '{', s->len) ? json_value_parse(s->body, s->len, "dcb", NULL) : NULL;
}

void qos_dcb_pfc(struct nic_qos *n, const struct section *s)
{
	struct json_value *doc = parse_object(s);
	const struct json_value *list = json_value_get(doc, "prio_pfc");
	unsigned p = 0;

	if (json_value_first(list, DV_ARRAY) && n->pfc < 0)
		n->pfc = 0;
	for (json_value_items(v, list)) {
		if (p < PRIORITIES && json_value_is(v, DV_TRUE))
			n->pfc |= 1 << p;
		p++;
	}
	free(doc);
}

/* Converts [0,1,2,...] of small numbers to digits; '-' for any other value. */
static void copy_digits(char *dst, const struct json_value *list)
{
	if (!json_value_first(list, DV_ARRAY))
		return;
	for (size_t i = 0; i < PRIORITIES; i++) {
		uint64_t v;

		dst[i] = json_value_u64(json_value_at(list, i), &v) && v < 10 ? (char)('0' + v)
									      : '-';
	}
	dst[PRIORITIES] = '\0';
}

void qos_dcb_ets(struct nic_qos *n, const struct section *s)
{
	struct json_value *doc = parse_object(s);

	copy_digits(n->prio_tc, json_value_get(doc, "prio_tc"));
	free(doc);
}

void qos_dcb_buffer(struct nic_qos *n, const struct section *s)
{
	struct json_value *doc = parse_object(s);

	copy_digits(n->prio_buffer, json_value_get(doc, "prio_buffer"));
	free(doc);
}

static void map_dscp(struct nic_qos *n, uint64_t dscp, uint64_t priority)
{
	if (dscp > 63 || priority >= PRIORITIES)
		return;
	if (!*n->dscp) {
		memset(n->dscp, '-', 64);
		n->dscp[64] = '\0';
	}
	n->dscp[dscp] = (char)('0' + priority);
}

/* Reads [[26,3],[48,6]]; iproute2 7.3 writes [26,3," "]. mlnx_qos is read later and wins. */
void qos_dcb_app(struct nic_qos *n, const struct section *s)
{
	struct json_value *doc = parse_object(s);

	for (json_value_items(e, json_value_get(doc, "dscp_prio"))) {
		uint64_t dscp, priority;

		if (json_value_u64(json_value_at(e, 0), &dscp) &&
			json_value_u64(json_value_at(e, 1), &priority))
			map_dscp(n, dscp, priority);
	}
	free(doc);
}

void qos_dcb_apptrust(struct nic_qos *n, const struct section *s)
{
	struct json_value *doc = parse_object(s);
	const char *first = json_value_text(json_value_at(json_value_get(doc, "order"), 0));

	if (first && !*n->trust)
		str_copy(n->trust, sizeof(n->trust), first);
	free(doc);
}

/* ---- mlnx_qos ---- */

/* Reads "enabled     0   0   0   1": the columns are priorities. */
static void mlnx_row(struct nic_qos *n, const char *row, bool is_enabled)
{
	char columns[PRIORITIES + 1];
	size_t k = 0;

	for (; *row && k < PRIORITIES; row++)
		if (isdigit((unsigned char)*row))
			columns[k++] = *row;
	columns[k] = '\0';
	if (k != PRIORITIES)
		return;
	if (!is_enabled) {
		str_copy(n->prio_buffer, sizeof(n->prio_buffer), columns);
		return;
	}
	n->pfc = 0;
	for (k = 0; k < PRIORITIES; k++)
		if (columns[k] == '1')
			n->pfc |= 1 << k;
}

/* Reads "prio:3 dscp:31,30,29,". */
static void mlnx_dscp(struct nic_qos *n, const char *line)
{
	const char *list = strstr(line, "dscp:");
	uint64_t priority, dscp;

	if (!parse_leading_u64(line + 5, strlen(line + 5), &priority) || !list)
		return;
	for (list += 5; parse_leading_u64(list, strlen(list), &dscp);) {
		map_dscp(n, dscp, priority);
		list += strcspn(list, ",");
		list += *list == ',';
	}
}

static void mlnx_tc(struct nic_qos *n, int tc, const char *line)
{
	uint64_t priority;

	line += strspn(line, " \t");
	if (tc < 0 || tc > 9 || !parse_leading_u64(line, strlen(line), &priority) ||
		priority >= PRIORITIES)
		return;
	if (!*n->prio_tc) {
		memset(n->prio_tc, '-', PRIORITIES);
		n->prio_tc[PRIORITIES] = '\0';
	}
	n->prio_tc[priority] = (char)('0' + tc);
}

void qos_mlnx(struct nic_qos *n, const struct section *s)
{
	static const char trust[] = "Priority trust state:";
	char line[LINE_TEXT];
	size_t at = 0;
	int tc = -1;

	while (line_next(s, &at, line)) {
		char *text = line + strspn(line, " \t");
		uint64_t v;

		if (str_starts(text, trust)) {
			text += strlen(trust);
			text += strspn(text, " ");
			text[strcspn(text, " ")] = '\0';
			str_copy(n->trust, sizeof(n->trust), text);
		} else if (str_starts(text, "prio:")) {
			mlnx_dscp(n, text);
		} else if (str_starts(text, "enabled")) {
			mlnx_row(n, text, true);
		} else if (str_starts(text, "buffer ")) {
			mlnx_row(n, text, false);
		} else if (str_starts(text, "tc:")) {
			text += 3 + strspn(text + 3, " ");
			tc = parse_leading_u64(text, strlen(text), &v) && v < 10 ? (int)v : -1;
		} else if (str_starts(text, "priority:")) {
			mlnx_tc(n, tc, text + strlen("priority:"));
		}
	}
}
