/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backends/dialects/sonic/sonic.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/*
 * Decodes the link state of one port from the fast reply: PORT_TABLE and, for a port that is down,
 * the reason.
 */

struct link {
	const struct json_value *value[LINK_FIELDS]; /* of PORT_TABLE; NULL: absent */
	struct obs *o;
	uint32_t port;
	struct cells *cells;
};

void sonic_link_columns(struct sonic_link_columns *c, const struct json_value *af)
{
	static const char *const names[LINK_FIELDS] = {
		[LINK_OPER] = "oper_status",
		[LINK_ADMIN] = "admin_status",
		[LINK_SPEED] = "speed",
		[LINK_MTU] = "mtu",
		[LINK_FEC] = "fec",
		[LINK_ALIAS] = "alias",
		[LINK_DESCRIPTION] = "description",
		[LINK_FLAPS] = "flap_count",
		[LINK_UP_TIME] = "last_up_time",
		[LINK_DOWN_TIME] = "last_down_time",
		[LINK_STATE_SPEED] = "state_speed",
		[LINK_STATE_FEC] = "state_fec",
	};
	bool is_found[LINK_FIELDS] = {false};

	c->n = 0;
	for (json_value_items(name, af)) {
		uint8_t field = 0;

		if (c->n == sizeof(c->field))
			break;
		while (field < LINK_FIELDS && !str_eq(json_value_text(name), names[field]))
			field++;
		/* If a name occurs twice, the first one counts. */
		if (field < LINK_FIELDS && is_found[field])
			field = LINK_FIELDS;
		else if (field < LINK_FIELDS)
			is_found[field] = true;
		c->field[c->n++] = field;
	}
}

static void read_row(
	struct link *l, const struct sonic_link_columns *c, const struct json_value *row)
{
	size_t i = 0;

	for (json_value_items(v, row)) {
		if (i == c->n)
			break;
		if (c->field[i] < LINK_FIELDS)
			l->value[c->field[i]] = v;
		i++;
	}
}

static void parse_last_change(const struct link *l)
{
	int64_t up = 0, down = 0;
	bool has_up = parse_ctime(json_value_text_or(l->value[LINK_UP_TIME], ""), &up);
	bool has_down = parse_ctime(json_value_text_or(l->value[LINK_DOWN_TIME], ""), &down);

	if (has_up || has_down)
		obs_number(l->o, l->port, ATTR_LAST_CHANGE, 0, (double)(up > down ? up : down));
}

/* orchagent counts every change of the oper state in flap_count, ups and downs. */
static void parse_flaps(const struct link *l, bool is_up)
{
	const struct json_value *v = l->value[LINK_FLAPS];
	uint64_t n;

	if (!json_value_u64(v, &n))
		return;
	cells_add(l->cells, CTR_CARRIER_CHANGES, 0, n);
	cells_add(l->cells, CTR_LINK_DOWN_EVENTS, 0, downs_of_transitions(n, is_up));
}

/* FEC likewise: "auto" is configured, "rs" is in use; "N/A" while the port is down. */
static const struct json_value *fec_of(const struct link *l)
{
	const struct json_value *in_use = l->value[LINK_STATE_FEC];
	const char *text = json_value_text_or(in_use, "");

	return *text && !str_eq(text, "N/A") ? in_use : l->value[LINK_FEC];
}

static void parse_attributes(const struct link *l)
{
	const struct json_value *oper = l->value[LINK_OPER];

	json_value_word(l->o, l->port, ATTR_OPER, 0, oper);
	json_value_word(l->o, l->port, ATTR_ADMIN, 0, l->value[LINK_ADMIN]);
	/*
	 * PORT_TABLE of APPL_DB has the configured speed, STATE_DB the one in use; of a port that
	 * is down the one from before.
	 */
	if (!str_eq(json_value_text(oper), "up") ||
		!json_value_number(l->o, l->port, ATTR_SPEED_MBPS, 0, l->value[LINK_STATE_SPEED]))
		json_value_number(l->o, l->port, ATTR_SPEED_MBPS, 0, l->value[LINK_SPEED]);
	json_value_number(l->o, l->port, ATTR_MTU, 0, l->value[LINK_MTU]);
	json_value_word(l->o, l->port, ATTR_FEC, 0, fec_of(l));
	json_value_word(l->o, l->port, ATTR_ALIAS, 0, l->value[LINK_ALIAS]);
	json_value_word(l->o, l->port, ATTR_DESCRIPTION, 0, l->value[LINK_DESCRIPTION]);
	parse_last_change(l);
	parse_flaps(l, str_eq(json_value_text(oper), "up"));
}

/* ---- PORT_OPERR_TABLE: the errors of MAC and PHY ---- */

/* An error belongs to a fault if it came at most this long before the port went down. */
#define CAUSE_S 60

/* "2025-01-17 19:51:12" or "2024-01-15T10:30:45Z", UTC */
static bool parse_error_time(const char *s, int64_t *epoch_s)
{
	struct tm tm = {0};

	if (sscanf(s, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		    &tm.tm_hour, &tm.tm_min, &tm.tm_sec) != 6)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*epoch_s = timegm(&tm);
	return true;
}

/* "mac_remote_fault_time" to "mac remote fault"; false for other fields. */
static bool error_name(const char *field, char *dst, size_t size)
{
	size_t n = strlen(field), tail = strlen("_time");

	if (n <= tail || !str_eq(field + n - tail, "_time") || str_starts(field, "oper_error"))
		return false;
	if (!str_copyn(dst, size, field, n - tail))
		return false;
	for (char *at = dst; *at; at++)
		if (*at == '_')
			*at = ' ';
	return true;
}

/* Finds the newest error of a port that is down, unless it is older than the fault; "": none. */
static void newest_error(
	const struct link *l, const struct json_value *errors, char *best, size_t size)
{
	const struct json_value *field = NULL, *value = NULL;
	int64_t newest = 0, at, down = 0;
	char name[48];

	best[0] = '\0';
	(void)parse_ctime(json_value_text_or(l->value[LINK_DOWN_TIME], ""), &down);
	while (json_value_pair(errors, &field, &value)) {
		if (!error_name(json_value_text_or(field, ""), name, sizeof(name)) ||
			!parse_error_time(json_value_text_or(value, ""), &at) || at <= newest ||
			at < down - CAUSE_S)
			continue;
		newest = at;
		(void)str_copy(best, size, name);
	}
}

/* ---- TRANSCEIVER_STATUS: the module's state from xcvrd ---- */

/* Converts "Blocking Error|High temperature" to "module: Blocking Error, High temperature". */
static void module_error(const char *error, char *dst, size_t size)
{
	size_t n;

	(void)str_copy(dst, size, "module: ");
	n = strlen(dst);
	for (const char *at = error; *at && n + 2 < size; at++) {
		dst[n++] = *at == '|' ? ',' : *at;
		if (*at == '|')
			dst[n++] = ' ';
	}
	dst[n] = '\0';
}

/* Describes the module's fault on a port that is down; "": xcvrd reports none. */
static void module_trouble(
	const struct json_value *mf, const struct json_value *row, char *dst, size_t size)
{
	const char *error = sonic_text(mf, row, "error");

	dst[0] = '\0';
	if (str_eq(sonic_text(mf, row, "status"), "0"))
		(void)str_copy(dst, size, "no module");
	else if (*error && !str_eq(error, "N/A") && !str_eq(error, "OK"))
		module_error(error, dst, size);
	else if (str_eq(sonic_text(mf, row, "cmis_state"), "FAILED"))
		(void)str_copy(dst, size, "module failed to start");
}

/* The module's fault comes first: the errors of the MAC follow from it. */
static void parse_down_reason(
	const struct link *l, const struct json_value *mf, const struct json_value *entry)
{
	char reason[96];

	module_trouble(mf, json_value_get(entry, "m"), reason, sizeof(reason));
	if (!*reason)
		newest_error(l, json_value_get(entry, "x"), reason, sizeof(reason));
	obs_word(l->o, l->port, ATTR_DOWN_REASON, 0, reason);
}

void sonic_parse_link(const struct sonic_link_columns *c, const struct json_value *mf,
	const struct json_value *entry, struct obs *o, uint32_t port, struct cells *cells)
{
	struct link l = {.o = o, .port = port, .cells = cells};

	read_row(&l, c, json_value_get(entry, "a"));
	parse_attributes(&l);
	parse_down_reason(&l, mf, entry);
}
