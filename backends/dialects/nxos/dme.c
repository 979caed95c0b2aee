/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/contract/needs.h"
#include "backends/dialects/nxos/nxos.h"
#include "backends/parse/lldp.h"
#include "backends/parse/number_positions_json.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Decodes managed objects. All attributes are strings. modTs is the time when the switch last
 * refreshed the object's statistics; the programs that store them as time series rely on it. Its
 * zone may be wrong before 10.5(1), so it serves for differences only.
 *
 * modTs is the sample time of bytes and packets. Queues come together with PFC frames, which
 * another agent may refresh, so only the refresh period is taken from it.
 */

#define PERIOD_LEAST_MS 100u
#define PERIOD_MOST_MS  60000u
/*
 * A learnt period changes how the next answer is read, so learning must end. The shortest of this
 * many gaps is the period, unless nearly every poll missed a refresh.
 */
#define GAPS_ENOUGH 12u

struct field {
	const char *name;
	enum counter_id id;
};

static bool is_field(const char *name, const struct field *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(f[i].name, name))
			return true;
	return str_eq(name, "dn");
}

static int64_t read_time(const char *at, size_t n)
{
	char text[POSITION_TEXT_MOST + 1];
	int64_t us = str_copyn(text, sizeof(text), at, n) ? nxos_time_us(text) : 0;

	return us > 0 ? us : 0;
}

static void set_sample_time(struct nxos_job *j, uint32_t port, const struct json_value *a)
{
	const struct json_value *v = json_value_get(a, "modTs");
	int64_t us = nxos_time_us(json_value_text_or(v, ""));
	struct position_word text = positions_text(j->t->slots, v);

	if (us > 0)
		j->o->ports.at[port].sample_us = us;
	if (text.at && json_value_text(v)) {
		positions_time(j->t->slots, text.at, text.n, port);
		positions_times(j->t->slots, read_time);
	}
}

static void add_fields(struct nxos_job *j, uint32_t port, const struct json_value *a,
	const struct field *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct json_value *v = json_value_get(a, f[i].name);

		if (json_value_count(j->o, port, f[i].id, 0, v))
			positions_value(j->t->slots, v, port, f[i].id, 0);
		else
			obs_invalid(j->o, port, f[i].id, 0, VALID_UNSUPPORTED, "");
	}
}

static const char *const casts[] = {"ucastPkts", "multicastPkts", "broadcastPkts"};

static bool octets_read(const char *attribute)
{
	static const char *const others[] = {"octets", "modTs", "dn"};

	return str_is_one_of(attribute, casts, ARRAY_LEN(casts)) ||
	       str_is_one_of(attribute, others, ARRAY_LEN(others));
}

static void add_octets(struct nxos_job *j, uint32_t port, const struct json_value *a,
	enum counter_id bytes, enum counter_id packets)
{
	const struct field f[] = {{"octets", bytes}};
	uint64_t sum = 0, n;
	bool any = false;

	set_sample_time(j, port, a);
	add_fields(j, port, a, f, 1);
	for (size_t i = 0; i < ARRAY_LEN(casts); i++) {
		const struct json_value *v = json_value_get(a, casts[i]);

		if (!json_value_u64(v, &n))
			continue;
		positions_value(j->t->slots, v, port, packets, 0);
		sum += n;
		any = true;
	}
	if (any)
		obs_count(j->o, port, packets, 0, sum);
	else
		obs_invalid(j->o, port, packets, 0, VALID_UNSUPPORTED, "");
}

static void row_in(
	struct nxos_job *j, uint32_t port, const struct json_value *a, const struct json_value *mo)
{
	(void)mo;
	add_octets(j, port, a, CTR_RX_BYTES, CTR_RX_PACKETS);
}

static void row_out(
	struct nxos_job *j, uint32_t port, const struct json_value *a, const struct json_value *mo)
{
	(void)mo;
	add_octets(j, port, a, CTR_TX_BYTES, CTR_TX_PACKETS);
}

static const struct field errors_in[] = {
	{"errors", CTR_RX_ERRORS},
	{"discards", CTR_RX_DISCARDS},
};
static const struct field errors_out[] = {
	{"errors", CTR_TX_ERRORS},
	{"discards", CTR_TX_DISCARDS},
};
static const struct field ether[] = {
	{"cRCAlignErrors", CTR_RX_FCS_ERRORS},
	{"stompedCRCAlignErrors", CTR_RX_STOMPED_CRC},
};

static bool errors_read(const char *attribute)
{
	return is_field(attribute, errors_in, ARRAY_LEN(errors_in));
}

static bool ether_read(const char *attribute)
{
	return is_field(attribute, ether, ARRAY_LEN(ether));
}

static void row_errors_in(
	struct nxos_job *j, uint32_t port, const struct json_value *a, const struct json_value *mo)
{
	(void)mo;
	add_fields(j, port, a, errors_in, ARRAY_LEN(errors_in));
}

static void row_errors_out(
	struct nxos_job *j, uint32_t port, const struct json_value *a, const struct json_value *mo)
{
	(void)mo;
	add_fields(j, port, a, errors_out, ARRAY_LEN(errors_out));
}

static void row_ether(
	struct nxos_job *j, uint32_t port, const struct json_value *a, const struct json_value *mo)
{
	(void)mo;
	add_fields(j, port, a, ether, ARRAY_LEN(ether));
}

static void row_dot3(
	struct nxos_job *j, uint32_t port, const struct json_value *a, const struct json_value *mo)
{
	static const struct field f[] = {
		{"symbolErrors", CTR_RX_SYMBOL_ERRORS},
		{"inPauseFrames", CTR_RX_PAUSE_FRAMES},
		{"outPauseFrames", CTR_TX_PAUSE_FRAMES},
	};

	(void)mo;
	add_fields(j, port, a, f, ARRAY_LEN(f));
}

/* Converts "link-failure" to "link failure". */
static void down_reason(struct nxos_job *j, uint32_t port, const char *why)
{
	char text[64];

	str_sanitise(text, sizeof(text), why, strnlen(why, sizeof(text) - 1));
	for (char *p = text; *p; p++)
		*p = *p == '-' ? ' ' : *p;
	obs_word(j->o, port, ATTR_DOWN_REASON, 0, text);
}

static bool oper_read(const char *attribute)
{
	static const char *const names[] = {"dn", "operSt", "operStQual", "operFecMode",
		"operSpeed", "operMtu", "lastLinkStChg", "resetCtr"};

	return str_is_one_of(attribute, names, ARRAY_LEN(names));
}

static void row_oper(
	struct nxos_job *j, uint32_t port, const struct json_value *a, const struct json_value *mo)
{
	const char *state = json_value_text_or(json_value_get(a, "operSt"), "");
	const char *why = json_value_text_or(json_value_get(a, "operStQual"), "");
	const char *fec = nxos_fec(json_value_text_or(json_value_get(a, "operFecMode"), ""));
	double speed = nxos_speed_mbps(json_value_text_or(json_value_get(a, "operSpeed"), ""));
	int64_t changed = nxos_time_us(json_value_text_or(json_value_get(a, "lastLinkStChg"), ""));
	bool is_up = str_eq(state, "up"), is_shut = strstr(why, "admin") != NULL;
	const struct json_value *resets = json_value_get(a, "resetCtr");

	(void)mo;
	if (!*state)
		return;
	obs_word(j->o, port, ATTR_OPER, 0, is_up ? "up" : "down");
	if (is_up || is_shut)
		obs_word(j->o, port, ATTR_ADMIN, 0, is_up ? "up" : "down");
	down_reason(j, port, is_up || is_shut ? "" : why);
	if (is_up && speed > 0)
		obs_number(j->o, port, ATTR_SPEED_MBPS, 0, speed);
	if (is_up && fec)
		obs_word(j->o, port, ATTR_FEC, 0, fec);
	json_value_number(j->o, port, ATTR_MTU, 0, json_value_get(a, "operMtu"));
	if (changed > 0)
		obs_number(j->o, port, ATTR_LAST_CHANGE, 0, (double)changed / 1e6);
	/* "interface resets" of the CLI: counts each loss of the link and each shutdown. */
	if (json_value_count(j->o, port, CTR_LINK_DOWN_EVENTS, 0, resets))
		positions_value(j->t->slots, resets, port, CTR_LINK_DOWN_EVENTS, 0);
	else
		obs_invalid(j->o, port, CTR_LINK_DOWN_EVENTS, 0, VALID_UNSUPPORTED, "");
}

static void end_oper(struct nxos_job *j, size_t rows)
{
	(void)rows;
	obs_port_list(j->o);
}

static void row_admin(
	struct nxos_job *j, uint32_t port, const struct json_value *a, const struct json_value *mo)
{
	const char *admin = json_value_text_or(json_value_get(a, "adminSt"), "");

	(void)mo;
	if (*admin)
		obs_word(j->o, port, ATTR_ADMIN, 0, str_eq(admin, "up") ? "up" : "down");
	obs_word(j->o, port, ATTR_DESCRIPTION, 0,
		json_value_text_or(json_value_get(a, "descr"), ""));
	nxos_lacks(j, port);
}

static void end_admin(struct nxos_job *j, size_t rows)
{
	if (rows)
		nxos_lacks_report(j);
}

/* ---- queues ---- */

/* "c-out-8q-q3", "c-out-q3" is qos-group 3; "c-out-8q-q-default" and "class-default" are 0. */
static bool group_of(const char *cmap, unsigned *group)
{
	const char *q = strrchr(cmap, 'q');

	*group = 0;
	if (strstr(cmap, "default"))
		return true;
	return q && parse_index(q, "q", PRIORITIES, group);
}

static const struct field queue_fields[] = {
	{"txPackets", CTR_QUEUE_TX_PACKETS},
	{"txBytes", CTR_QUEUE_TX_BYTES},
	{"dropPackets", CTR_QUEUE_DROPS},
	{"randDropPackets", CTR_WRED_DROPS},
	{"randEcnMarkedPackets", CTR_ECN_MARKED_PACKETS},
	{"pfcRxPpp", CTR_PFC_RX_FRAMES},
	{"pfcTxPpp", CTR_PFC_TX_FRAMES},
};

static const char *const depths[] = {"ucCurrQueueDepth", "currQueueDepth"};

static bool queue_read(const char *attribute)
{
	static const char *const others[] = {"cmapName", "modTs"};

	return is_field(attribute, queue_fields, ARRAY_LEN(queue_fields)) ||
	       str_is_one_of(attribute, depths, ARRAY_LEN(depths)) ||
	       str_is_one_of(attribute, others, ARRAY_LEN(others));
}

/* The attributes of queue_read() for skipped objects: only their names are needed. */
static bool other_queue_read(const char *attribute)
{
	return !queue_read(attribute) || str_eq(attribute, "dn") || str_eq(attribute, "cmapName");
}

/* True: the refresh period of the queues is known. */
static bool is_settled(const struct target *t)
{
	uint64_t gaps = 0;

	(void)str_to_u64(facts_get(t->facts, NXOS_FACT_GAPS), &gaps);
	return gaps >= GAPS_ENOUGH;
}

static void row_queue(
	struct nxos_job *j, uint32_t port, const struct json_value *a, const struct json_value *mo)
{
	unsigned group, p;

	(void)mo;
	/* Ingress statistics are below policy/in. */
	if (strstr(json_value_text_or(json_value_get(a, "dn"), ""), "/policy/in/") ||
		!group_of(json_value_text_or(json_value_get(a, "cmapName"), ""), &group)) {
		positions_unread(j->t->slots, a, '/', other_queue_read);
		return;
	}
	p = nxos_priority(j->t, group);
	if (!j->refreshed_us)
		j->refreshed_us = nxos_time_us(json_value_text_or(json_value_get(a, "modTs"), ""));
	for (size_t i = 0; i < ARRAY_LEN(queue_fields); i++) {
		const struct json_value *v = json_value_get(a, queue_fields[i].name);

		if (json_value_count(j->o, port, queue_fields[i].id, p, v))
			positions_value(j->t->slots, v, port, queue_fields[i].id, p);
		else if (j->t->lossless >> p & 1)
			obs_invalid(j->o, port, queue_fields[i].id, p, VALID_UNSUPPORTED, "");
	}
	for (size_t i = 0; i < ARRAY_LEN(depths); i++) {
		const struct json_value *v = json_value_get(a, depths[i]);

		if (!json_value_gauge(j->o, port, CTR_QUEUE_DEPTH_BYTES, p, v))
			continue;
		positions_value(j->t->slots, v, port, CTR_QUEUE_DEPTH_BYTES, p);
		break;
	}
	if (j->t->slots && is_settled(j->t))
		positions_idle(j->t->slots, json_value_get(a, "modTs"));
}

/* Learns the shortest time between two observed refreshes: polls may miss some. */
static void learn_period(struct nxos_job *j)
{
	uint64_t before = 0, period = 0, gaps = 0, now = (uint64_t)j->refreshed_us, ms;
	char text[32];

	(void)str_to_u64(facts_get(j->t->facts, NXOS_FACT_MOD), &before);
	(void)str_to_u64(facts_get(j->t->facts, NXOS_FACT_PERIOD), &period);
	(void)str_to_u64(facts_get(j->t->facts, NXOS_FACT_GAPS), &gaps);
	if (gaps < GAPS_ENOUGH && now && before && now > before) {
		ms = (now - before) / 1000;
		if (ms >= PERIOD_LEAST_MS && ms <= PERIOD_MOST_MS) {
			period = !period || ms < period ? ms : period;
			str_printf(text, sizeof(text), "%llu", (unsigned long long)gaps + 1);
			obs_fact(j->o, NXOS_FACT_GAPS, text);
		}
	}
	if (now && gaps < GAPS_ENOUGH) {
		str_printf(text, sizeof(text), "%llu", (unsigned long long)now);
		obs_fact(j->o, NXOS_FACT_MOD, text);
	}
	if (!period || period > PERIOD_MOST_MS)
		return;
	str_printf(text, sizeof(text), "%llu", (unsigned long long)period);
	obs_fact(j->o, NXOS_FACT_PERIOD, text);
	j->o->refresh_ms[GROUP_QUEUE] = j->o->refresh_ms[GROUP_PORT] = (uint32_t)period;
}

static void end_queues(struct nxos_job *j, size_t rows)
{
	learn_period(j);
	/* Without objects the CLI is used. */
	obs_fact(j->o, NXOS_FACT_QUEUES, rows ? "dme" : "cli");
	/* The settings of queues are in the CLI's answer only, which is not asked for then. */
	if (rows)
		need_say(j->o, NEED_SCHEDULERS, VALID_UNSUPPORTED, "set transport: ssh for it");
	j->o->narrow[CTR_PFC_RX_FRAMES] = j->o->narrow[CTR_PFC_TX_FRAMES] = true;
}

/* ---- LLDP: all interfaces, each with the neighbours that it receives ---- */

static enum lldp_kind kind_of(const char *type)
{
	if (strstr(type, "if-name"))
		return LLDP_ID_IFNAME;
	return strstr(type, "mac") ? LLDP_ID_MAC : LLDP_ID_OTHER;
}

/* Adds all neighbours: the model knows which of them is planned. */
static bool add_neighbour(struct nxos_job *j, uint32_t port, const struct json_value *n)
{
	const struct lldp_peer peer = {
		.device = json_value_text_or(json_value_get(n, "sysName"), ""),
		.chassis_id = json_value_text_or(json_value_get(n, "chassisIdV"), ""),
		.port_id = json_value_text_or(json_value_get(n, "portIdV"), ""),
		.port_desc = json_value_text_or(json_value_get(n, "portDesc"), ""),
		.id_kind = kind_of(json_value_text_or(json_value_get(n, "portIdT"), "")),
		.mgmt = json_value_text_or(json_value_get(n, "mgmtIp"), ""),
		.descr = json_value_text_or(json_value_get(n, "sysDesc"), ""),
	};

	return lldp_add(j->o, port, &peer);
}

static void row_lldp(
	struct nxos_job *j, uint32_t port, const struct json_value *a, const struct json_value *mo)
{
	const struct json_value *n;
	bool any = false;

	(void)a;
	for (json_value_items(child, json_value_get(mo, "children"))) {
		n = json_value_path(child, "lldpAdjEp.attributes");
		if (n)
			any |= add_neighbour(j, port, n);
	}
	if (!any)
		obs_lldp(j->o, port, "", "");
}

static void end_lldp(struct nxos_job *j, size_t rows)
{
	need_say(j->o, NEED_LLDP, rows ? VALID_OK : VALID_DISABLED, rows ? "" : "feature lldp");
}

#define TIER(t) (1u << POLL_##t)
#define CLASS   "/api/node/class/"

const struct nxos_class nxos_classes[] = {
	{"in", TIER(FAST), CLASS "rmonIfHCIn.json", NEED_BIT(PORT_COUNTERS), row_in, NULL,
		octets_read},
	{"out", TIER(FAST), CLASS "rmonIfHCOut.json", NEED_BIT(PORT_COUNTERS), row_out, NULL,
		octets_read},
	{"errors-in", TIER(FAST), CLASS "rmonIfIn.json", 0, row_errors_in, NULL, errors_read},
	{"errors-out", TIER(FAST), CLASS "rmonIfOut.json", 0, row_errors_out, NULL, errors_read},
	{"ether", TIER(FAST), CLASS "rmonEtherStats.json", 0, row_ether, NULL, ether_read},
	{"oper", TIER(FAST), CLASS "ethpmPhysIf.json", NEED_BIT(PORT_STATE) | NEED_BIT(LINK_FLAPS),
		row_oper, end_oper, oper_read},
	{"queues", TIER(FAST) | TIER(DETECT), CLASS "ipqosQueuingStats.json", 0, row_queue,
		end_queues, queue_read},
	{"dot3", TIER(MEDIUM), CLASS "rmonDot3Stats.json", 0, row_dot3, NULL, NULL},
	{"admin", TIER(MEDIUM), CLASS "l1PhysIf.json", 0, row_admin, end_admin, NULL},
	{"lldp", TIER(MEDIUM), CLASS "lldpIf.json?rsp-subtree=children&rsp-subtree-class=lldpAdjEp",
		NEED_BIT(LLDP), row_lldp, end_lldp, NULL},
};
const size_t nxos_class_count = ARRAY_LEN(nxos_classes);

/* ---- answers ---- */

/* "sys/intf/phys-[eth1/1]/phys": reads the first brackets. */
static uint32_t port_of(struct nxos_job *j, const struct json_value *attributes)
{
	const char *at = strchr(json_value_text_or(json_value_get(attributes, "dn"), ""), '[');
	char name[NAME_MAX_LEN];

	return at && nxos_port_name(at + 1, name) ? obs_port(j->o, name) : OBS_NO_PORT;
}

/* For an object that is not a port's: another name would make it one. */
static bool names_read(const char *attribute)
{
	return str_eq(attribute, "dn");
}

static void parse_row(const struct nxos_class *c, struct nxos_job *j, const struct json_value *row)
{
	for (json_value_members(mo, row)) {
		const struct json_value *a = json_value_get(mo, "attributes");
		uint32_t port = json_value_is(a, DV_OBJECT) ? port_of(j, a) : OBS_NO_PORT;

		if (port != OBS_NO_PORT)
			c->row(j, port, a, mo);
		if (c->reads)
			positions_unread(
				j->t->slots, a, '/', port != OBS_NO_PORT ? c->reads : names_read);
	}
}

static void report_needs(struct nxos_job *j)
{
	static const enum need_id needs[] = {NEED_PORT_COUNTERS, NEED_LINK_FLAPS, NEED_PFC,
		NEED_QUEUES, NEED_QUEUE_DROPS, NEED_ECN_MARKS};

	needs_report(j->o, needs, ARRAY_LEN(needs));
}

/* A class that this release lacks leaves its needs unmet, but the poll goes on. */
static bool handle_error(
	const struct nxos_class *c, struct nxos_job *j, const struct json_value *a, struct err *err)
{
	const char *text = json_value_text_or(json_value_get(a, "text"), "");
	uint64_t code = 0;

	(void)json_value_u64(json_value_get(a, "code"), &code);
	err_set(err, ERR_PROTOCOL, j->t->device, "DME error %u to \"%s\": %s", (unsigned)code,
		c->name, text);
	if (code == 401 || code == 403 || strstr(text, "ermission") || strstr(text, "oken")) {
		err->code = ERR_UNAUTHORISED;
		return err_cure(err, "give the user the role network-operator");
	}
	if (code != 400 && code != 404 && !strstr(text, "unknown") && !strstr(text, "nvalid"))
		return err_cure(err, "check show system internal dme running-config");
	needs_say(j->o, c->needs, VALID_UNSUPPORTED, "");
	if (c->row == row_queue)
		obs_fact(j->o, NXOS_FACT_QUEUES, "cli");
	*err = (struct err){0};
	return true;
}

/* Objects are decoded as a stream: those of a chassis are ten megabytes. */
struct objects {
	const struct nxos_class *class;
	struct nxos_job *j;
	struct err *err;
	bool any, is_refused, ok;
};

static bool decode_object(void *ctx, size_t want, const char *name, const struct json_value *v)
{
	struct objects *all = ctx;
	const struct json_value *error = all->any ? NULL : json_value_path(v, "error.attributes");

	(void)want, (void)name;
	all->any = true;
	if (error) {
		all->is_refused = true;
		all->ok = handle_error(all->class, all->j, error, all->err);
		return false;
	}
	parse_row(all->class, all->j, v);
	return true;
}

static bool is_whole(struct objects *all, const char *bytes, size_t len)
{
	static const struct json_want wants[] = {{"imdata.[]", false}};
	struct obs_mark before = obs_mark(all->j->o);
	uint64_t room[1024];
	struct json_select d;
	bool ok, has_list;

	json_select_begin(&d, wants, ARRAY_LEN(wants), decode_object, all, room, ARRAY_LEN(room));
	if (all->j->t->slots)
		json_select_trace(&d, bytes, len);
	positions_read(all->j->t->slots, &d);
	ok = json_select_read(&d, bytes, len, all->j->t->device, all->err);
	positions_read(all->j->t->slots, NULL);
	has_list = json_select_opened(&d, 0);
	json_select_free(&d);
	if (all->is_refused)
		return all->ok;
	if (!ok)
		err_cure(all->err, "enable NX-API: feature nxapi");
	else if (!has_list)
		ok = err_set(all->err, ERR_PROTOCOL, all->j->t->device,
			"the DME answer to \"%s\" has no imdata", all->class->name);
	if (!ok)
		obs_rewind(all->j->o, &before);
	return ok;
}

bool nxos_parse_dme(const struct nxos_class *c, struct nxos_job *j, const char *bytes, size_t len,
	struct err *err)
{
	struct objects all = {.class = c, .j = j, .err = err};

	if (!is_whole(&all, bytes, len))
		return false;
	if (all.is_refused)
		return true;
	if (c->end)
		c->end(j, j->o->ports.n);
	report_needs(j);
	if (c->needs & NEED_BIT(PORT_STATE) && j->o->ports.n)
		need_say(j->o, NEED_PORT_STATE, VALID_OK, "");
	return true;
}
