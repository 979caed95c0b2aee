/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/sonic/change.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * The commands, from sonic-utilities (201911 to 202505 and its master of 2026): pfcwd/main.py,
 * config/main.py, counterpoll/main.py. Their pitfalls:
 *   - `config pfcwd stop` takes no port. With one it is a usage error; without one it stops the
 *     watchdog of every port. `pfcwd stop PORT` takes one, and means all ports without it.
 *   - `pfcwd start` without a restoration time doubles the detection time. For a port without
 *     pfc_enable it prints a line on standard output and exits with status 0. An action that an
 *     ASIC does not support ("forward" on some) ends in the same way. It keeps the history only of
 *     an existing row.
 *   - `config interface` treats a port as an alias if SONIC_CLI_IFACE_MODE is "alias", which sudo
 *     keeps. On some platforms "Ethernet29" is the alias of another port.
 *   - an interface may be a range, "Ethernet0-3"; a BGP neighbour may be a host name that several
 *     sessions share.
 */

#define SUDOERS "let the user run it without a password (visudo on the switch): NOPASSWD: "

static bool is_bgp(const struct order *o)
{
	return o->verb == VERB_BGP_DOWN || o->verb == VERB_BGP_UP;
}

static bool is_counters(const struct order *o)
{
	return o->verb == VERB_COUNTERS_ON || o->verb == VERB_COUNTERS_OFF;
}

/* A front-panel port by its own name: no range, no list, no alias. */
static bool is_port(const char *name)
{
	size_t n = strlen("Ethernet");

	return str_starts(name, "Ethernet") && name[n] &&
	       strspn(name + n, "0123456789") == strlen(name + n) && strlen(name) < 16;
}

const char *sonic_counter_row(const char *group)
{
	static const struct {
		const char *group, *row;
	} rows[] = {
		{"wredqueue", "WRED_ECN_QUEUE"},
		{"queue", "QUEUE"},
		{"port", "PORT"},
		{"pg-drop", "PG_DROP"},
		{"watermark", "QUEUE_WATERMARK"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (str_eq(rows[i].group, group))
			return rows[i].row;
	return NULL;
}

static bool refuse_order(const struct order *o, struct err *err, const char *why, const char *cure)
{
	err_set(err, ERR_REFUSED, *o->port ? o->port : o->group, "%s", why);
	return err_cure(err, "%s", cure);
}

static bool port_ok(const struct order *o, struct err *err)
{
	if (is_counters(o) ? sonic_counter_row(o->group) != NULL : is_port(o->port))
		return true;
	if (is_counters(o))
		return refuse_order(o, err, "SONiC does not have this group of counters",
			"use wredqueue, queue, port, pg-drop or watermark");
	return refuse_order(o, err, "SONiC's front-panel ports have names of Ethernet and a number",
		"use the name of `show interfaces status`: Ethernet12");
}

/* ---- reading the condition ---- */

static void add_eval(struct buf *b, const struct order *o, const char *client)
{
	(void)buf_addf(b, "%s COUNTERS_DB EVAL \"$s\" 0 %s %s 2>&1", client,
		is_counters(o) ? "none" : o->port,
		is_counters(o) ? sonic_counter_row(o->group) : "none");
}

static bool plan_condition(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err)
{
	const char *asics = facts_get(t->facts, "asics");
	struct buf b;

	if (!port_ok(o, err))
		return false;
	buf_init(&b, 16384);
	(void)buf_addf(&b, "s=\"%s\"; ", sonic_condition_lua);
	if (*asics) {
		(void)buf_addf(&b, "for a in %s; do echo \"" SONIC_ASIC_MARK "$a\"; ", asics);
		add_eval(&b, o, "sudo -n sonic-db-cli -n $a");
		(void)buf_adds(&b, "; done");
	} else {
		add_eval(&b, o, "sonic-db-cli");
	}
	requests_ssh(out, SONIC_CONDITION, b.data, NULL);
	buf_free(&b);
	/* Queried from FRR itself: STATE_DB's session state is up to 15 s old. */
	if (is_bgp(o) && *o->peer) {
		sonic_plan_bgp(t, out);
		out->at.at[out->at.n - 1].name = SONIC_SESSIONS;
	}
	return true;
}

/* ---- safety checks ---- */

static bool is_address(const char *s)
{
	unsigned char any[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, s, any) == 1 || inet_pton(AF_INET6, s, any) == 1;
}

static bool start_ok(const struct order *o, const struct condition *now, struct err *err)
{
	const struct wd_setting *w = &o->wd;

	if (now->pfc < 0)
		return refuse_order(o, err, "the PFC setting of the port is not known",
			"sonic-db-cli CONFIG_DB HGET 'PORT_QOS_MAP|PORT' pfc_enable");
	if (!now->pfc)
		return refuse_order(o, err,
			"PFC is not enabled on the port: pfcwd would skip it without an error",
			"enable PFC first: sudo config interface pfc priority PORT 3 on");
	if (!str_eq(w->action, "drop") && !str_eq(w->action, "forward") &&
		!str_eq(w->action, "alert"))
		return refuse_order(o, err, "the watchdog's action is not drop, forward or alert",
			"state the action: actions: {watchdog: {action: drop}}");
	if (!w->detect_ms || !w->restore_ms)
		return refuse_order(o, err,
			"a time is missing: pfcwd would use twice the detection time, and a row "
			"without a restoration time never ends a storm",
			"state both: actions: {watchdog: {detect: 200ms, restore: 400ms}}");
	if (w->detect_ms < now->wd_poll_ms || w->restore_ms < now->wd_poll_ms)
		return refuse_order(o, err,
			"the times are shorter than the watchdog's polling interval",
			"use longer times, or a shorter interval: sudo pfcwd interval 200");
	return true;
}

static bool bgp_ok(const struct order *o, const struct condition *now, struct err *err)
{
	if (!is_address(o->peer))
		return refuse_order(o, err,
			"the BGP neighbour is not an address: a name may match several sessions",
			"use the address of `show ip bgp summary`");
	if (now->bgp_shut < 0 || !str_eq(o->peer, now->bgp_peer))
		return refuse_order(o, err, "the port's link has no such BGP session",
			"check the switch: show ip interfaces; show ip bgp summary");
	if (o->verb == VERB_BGP_DOWN && *now->hazard)
		return refuse_order(
			o, err, now->hazard, "drain by the port instead: actions: {drain: admin}");
	return true;
}

/*
 * With several ASICs, pfcwd and `config bgp` find the ASIC with the port or the neighbour. The
 * other tools need an option for it.
 */
static bool asic_ok(const struct target *t, const struct order *o, struct err *err)
{
	if (!*facts_get(t->facts, "asics") || is_bgp(o) || o->verb == VERB_WD_STOP ||
		o->verb == VERB_WD_START)
		return true;
	return refuse_order(o, err, "the switch has several ASICs, and the command must name one",
		"state the command: actions: {commands: [{dialect: sonic, verb: port-down, lines: "
		"\"sudo -n config interface -n asic0 shutdown {port}\"}]}");
}

static bool order_ok(
	const struct target *t, const struct order *o, const struct condition *now, struct err *err)
{
	if (!order_check(o, err) || !port_ok(o, err))
		return false;
	if (!o->lines && !asic_ok(t, o, err))
		return false;
	switch (o->verb) {
	case VERB_WD_START:
		return start_ok(o, now, err);
	case VERB_BGP_DOWN:
	case VERB_BGP_UP:
		return bgp_ok(o, now, err);
	case VERB_WD_STOP:
	case VERB_PORT_DOWN:
	case VERB_PORT_UP:
	case VERB_COUNTERS_ON:
	case VERB_COUNTERS_OFF:
		return true;
	default:
		err_set(err, ERR_UNSUPPORTED, t->device, "SONiC has no %s", verb_name(o->verb));
		return err_cure(err, "find a port by its LLDP neighbour; a watchdog is restarted "
				     "on a whole port");
	}
}

/* ---- the commands ---- */

static void words_of(const struct order *o, char *line, size_t size)
{
	switch (o->verb) {
	case VERB_WD_STOP:
		(void)str_printf(line, size, "sudo -n pfcwd stop %s", o->port);
		break;
	case VERB_WD_START:
		(void)str_printf(line, size,
			"sudo -n pfcwd start --action %s %s %u --restoration-time %u%s",
			o->wd.action, o->port, o->wd.detect_ms, o->wd.restore_ms,
			o->wd.history ? " --pfc-stat-history" : "");
		break;
	case VERB_PORT_DOWN:
	case VERB_PORT_UP:
		(void)str_printf(line, size,
			"SONIC_CLI_IFACE_MODE=default sudo -n config interface %s %s",
			o->verb == VERB_PORT_UP ? "startup" : "shutdown", o->port);
		break;
	case VERB_BGP_DOWN:
	case VERB_BGP_UP:
		(void)str_printf(line, size, "sudo -n config bgp %s neighbor %s",
			o->verb == VERB_BGP_UP ? "startup" : "shutdown", o->peer);
		break;
	default:
		(void)str_printf(line, size, "sudo -n counterpoll %s %s", o->group,
			o->verb == VERB_COUNTERS_ON ? "enable" : "disable");
		break;
	}
}

static bool plan_command(const struct target *t, const struct order *o, const struct condition *now,
	struct request_list *out, struct err *err)
{
	struct request *r;
	char line[320];

	if (!order_ok(t, o, now, err))
		return false;
	if (o->lines) {
		char *script;

		if (!order_fill(o->lines, o, &script, err))
			return false;
		r = requests_ssh(out, verb_name(o->verb), "sh -e -s", script);
		free(script);
	} else {
		words_of(o, line, sizeof(line));
		r = requests_ssh(out, verb_name(o->verb), line, NULL);
	}
	r->change = true;
	/* These are large Python programs that start slowly. */
	r->timeout_us = 30 * INT64_C(1000000);
	return true;
}

/* ---- evaluation of the replies ---- */

static bool says_any(const struct reply *r, const char *const *words)
{
	for (; *words; words++)
		if (reply_says(r, *words))
			return true;
	return false;
}

static const char *const denials[] = {"password is required", "not in the sudoers",
	"is not allowed to execute", "terminal is required", "no tty present", "may not run sudo",
	"Root privileges are required", NULL};

/* With "tacacs+ local" both may be printed although the command then runs: the status decides. */
static const char *const not_authorised[] = {
	"not authorized by TACACS+", "authorize failed by TACACS+", NULL};

/* Refusals that may come with status 0. */
static const char *const refusals[] = {"SKIPPED", "Failed to", "Usage:", "Error:", "Traceback",
	"command not found", "Unable to connect", "Could not connect", "is invalid", NULL};

/*
 * Copies the line with one of the words, else the first line. Without output it gives the status.
 */
static void copy_refusal(const struct reply *r, const char *const *words, char line[160])
{
	const char *texts[] = {r->complaint, r->bytes};

	line[0] = '\0';
	for (size_t i = 0; i < 2; i++)
		for (const char *at = texts[i]; *at; at += strcspn(at, "\n"), at += *at == '\n') {
			char one[160];

			(void)str_sanitise(one, sizeof(one), at, strcspn(at, "\r\n"));
			if (!*line)
				(void)str_copy(line, 160, one);
			/* Click prints the usage before the actual error. */
			for (size_t k = 0; words[k]; k++)
				if (strcasestr(one, words[k]) && !str_starts(one, "Usage:"))
					(void)str_copy(line, 160, one);
		}
	for (size_t n = strlen(line); n && line[n - 1] == ' ';)
		line[--n] = '\0';
	if (!*line)
		(void)str_printf(line, 160, "exit status %d", r->status);
}

static const char *rights_for(const struct order *o)
{
	if (o->verb == VERB_WD_STOP || o->verb == VERB_WD_START)
		return "/usr/local/bin/pfcwd";
	return is_counters(o) ? "/usr/local/bin/counterpoll" : "/usr/local/bin/config";
}

static enum taken check_reply(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct change_notes *notes, struct err *err)
{
	char line[160];

	(void)request, (void)notes;
	if (says_any(r, denials)) {
		copy_refusal(r, denials, line);
		err_set(err, ERR_UNAUTHORISED, t->device, "wrong privileges: %s", line);
		err_cure(err, SUDOERS "%s", rights_for(o));
		return TAKEN_NO;
	}
	if (r->status != 0 && says_any(r, not_authorised)) {
		copy_refusal(r, not_authorised, line);
		err_set(err, ERR_UNAUTHORISED, t->device, "wrong privileges: %s", line);
		err_cure(err, "let the TACACS+ server allow the user sudo and %s", rights_for(o));
		return TAKEN_NO;
	}
	if (r->status == 0 && !says_any(r, refusals))
		return TAKEN_YES;
	copy_refusal(r, refusals, line);
	if (r->status < 0) {
		err_set(err, ERR_PROTOCOL, t->device,
			"the command ended without an exit status: %s", line);
		err_cure(err, "check the switch before any other change");
		return TAKEN_NO;
	}
	err_set(err, ERR_PROTOCOL, t->device, "the switch refused: %s", line);
	if (reply_says(r, "No such command"))
		err_cure(err, "this release does not have it");
	else if (reply_says(r, "No such option"))
		err_cure(err, "this release does not know the option: state its commands in "
			      "actions: {commands: [...]}");
	else if (reply_says(r, "Redis") || reply_says(r, "connect"))
		err_cure(err, "Redis does not answer on the switch: see docker ps and systemctl "
			      "status database");
	return TAKEN_NO;
}

const struct dialect_changes sonic_changes = {
	.verbs = 1u << VERB_WD_STOP | 1u << VERB_WD_START | 1u << VERB_PORT_DOWN |
		 1u << VERB_PORT_UP | 1u << VERB_BGP_DOWN | 1u << VERB_BGP_UP |
		 1u << VERB_COUNTERS_ON | 1u << VERB_COUNTERS_OFF,
	.look = plan_condition,
	.see = sonic_see,
	.command = plan_command,
	.taken = check_reply,
};
