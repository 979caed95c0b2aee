/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/nxos/change.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/change_lines.h"
#include "backends/dialects/nxos/nxos.h"
#include "backends/parse/json_select.h"
#include "base/json_out.h"
#include "backends/parse/first_line.h"
#include "base/str.h"

/*
 * Changes on a Nexus. Over HTTPS it uses NX-API's cli_conf, which starts in configuration mode and
 * is told to stop at the first line that fails. Over SSH it is one line of the CLI. The last line
 * alone makes the change, and the lines before it only select the place. So the switch never stops
 * half-way.
 *
 * It is not certain that the CLI stops at a line that fails. "shutdown" is a command of "router
 * bgp" as well, where it shuts down all of BGP, and "watch-dog-interval" one of the whole switch.
 * So a change that could affect more than the one port is not sent over SSH.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CHANGE       "change"

#define V(verb) (1u << VERB_##verb)
#define WD      (V(WD_STOP) | V(WD_START) | V(WD_RECOVER))
#define BGP     (V(BGP_DOWN) | V(BGP_UP))
/* Their last line has a meaning in the mode above as well. */
#define WIDER (BGP | V(WD_STOP) | V(WD_START))

/* ---- command lines ---- */

/* The qos-group of the priority's frames, from network-qos; -1: not known. */
static int group_of(const struct target *t, int priority)
{
	const char *cos = facts_get(t->facts, NXOS_FACT_COS);

	if (strlen(cos) != PRIORITIES)
		return -1;
	for (int group = 0; group < PRIORITIES; group++)
		if (cos[group] == '0' + priority)
			return group;
	return -1;
}

static void recover_line(const struct target *t, const struct order *o, struct change_lines *l)
{
	if (o->priority < 0)
		change_line(l, "priority-flow-control recover interface %s", o->port);
	else
		change_line(l, "priority-flow-control recover interface %s qos-group %d", o->port,
			group_of(t, o->priority));
}

static void port_lines(const struct order *o, struct change_lines *l)
{
	change_line(l, "interface %s", o->port);
	switch (o->verb) {
	case VERB_WD_STOP:
		/* Without the line the port uses the switch-wide setting, which may be on. */
		change_line(l, "priority-flow-control watch-dog-interval off");
		break;
	case VERB_WD_START:
		change_line(l, "priority-flow-control watch-dog-interval on%s",
			str_eq(o->wd.action, "alert") ? " disable-action" : "");
		break;
	case VERB_LOCATE_ON:
	case VERB_LOCATE_OFF:
		change_line(l, "%sbeacon", o->verb == VERB_LOCATE_OFF ? "no " : "");
		break;
	default:
		change_line(l, "%sshutdown", o->verb == VERB_PORT_UP ? "no " : "");
	}
}

static void dialect_lines(const struct target *t, const struct order *o, struct change_lines *l)
{
	if (o->verb == VERB_WD_RECOVER) {
		recover_line(t, o, l);
	} else if (BGP >> o->verb & 1) {
		change_line(l, "router bgp %u", o->asn);
		change_line(l, "neighbor %s", o->peer);
		change_line(l, "%sshutdown", o->verb == VERB_BGP_UP ? "no " : "");
	} else {
		port_lines(o, l);
	}
}

/*
 * Depends on the order alone, so that check_taken() can build the same lines again. cli_conf splits
 * at each ";", and so does the CLI: a ";" in a site's line would begin another command.
 */
static bool make_lines(
	const struct target *t, const struct order *o, struct change_lines *l, struct err *err)
{
	*l = (struct change_lines){0};
	if (t->transport == TRANSPORT_SSH && (o->lines || o->verb != VERB_WD_RECOVER))
		change_line(l, "configure terminal");
	if (!o->lines)
		dialect_lines(t, o, l);
	else if (!change_lines_site(l, o, ";", err))
		return false;
	if (l->overflow)
		return change_refuse(err, t, o, "the lines are too long, or too many",
			"at most 23 lines of 255 characters in actions.commands");
	return true;
}

/* ---- checks ---- */

static bool may_start(
	const struct target *t, const struct order *o, const struct condition *now, struct err *err)
{
	if (now->pfc <= 0)
		return change_refuse(err, t, o,
			now->pfc < 0 ? "the PFC setting is not reported" : "PFC is off on the port",
			"priority-flow-control mode on");
	if (*o->wd.action && !str_eq(o->wd.action, "drop") && !str_eq(o->wd.action, "alert"))
		return change_refuse(err, t, o,
			"NX-OS drops packets of a stormed queue, or only counts them",
			"state the action drop, or alert");
	/* If the timers are unknown, reading back decides. */
	if ((now->wd_set.detect_ms && o->wd.detect_ms != now->wd_set.detect_ms) ||
		(now->wd_set.restore_ms && o->wd.restore_ms != now->wd_set.restore_ms))
		return change_refuse(err, t, o,
			"NX-OS has one pair of watchdog times for all ports of a switch, and they "
			"differ from these",
			"set them on the switch: priority-flow-control watch-dog interval, "
			"shutdown-multiplier, auto-restore multiplier");
	return true;
}

static bool may_bgp(
	const struct target *t, const struct order *o, const struct condition *now, struct err *err)
{
	/* "neighbor X" would create a neighbour that does not exist. */
	if (!*now->bgp_peer || !str_eq(now->bgp_peer, o->peer))
		return change_refuse(err, t, o,
			"the default VRF has no such BGP neighbour at the port",
			"drain it by the port instead: actions.drain: admin");
	if (!o->asn || o->asn != now->bgp_asn)
		return change_refuse(err, t, o, "the switch's own AS number is not known",
			"show running-config bgp");
	return true;
}

static bool check_order(
	const struct target *t, const struct order *o, const struct condition *now, struct err *err)
{
	if (!(nxos_changes.verbs >> o->verb & 1)) {
		err_set(err, ERR_UNSUPPORTED, t->device, "NX-OS does not support %s",
			verb_name(o->verb));
		return err_cure(err, "see railtop act --list, or make the change on the switch");
	}
	if (!change_is_port(o->port))
		return change_refuse(err, t, o, "the name is not one port of the front panel",
			"use the full name: Ethernet1/7");
	if (t->transport == TRANSPORT_SSH && !o->lines && (WIDER >> o->verb & 1))
		return change_refuse(err, t, o,
			"over SSH NX-OS may continue after a refused line, and then the last line "
			"would affect more than this port",
			"set transport: https for it, drain by the port, or state the lines in "
			"actions.commands");
	if (now->oper == OPER_UNKNOWN)
		return change_refuse(err, t, o, "the switch does not report this port",
			"use a name of show interface status");
	if ((WD >> o->verb & 1) && now->wd < 0)
		return change_refuse(err, t, o, "the watchdog setting is not reported",
			"show queuing pfc-queue interface must be allowed to the user");
	if (o->verb == VERB_WD_START)
		return may_start(t, o, now, err);
	if (o->verb == VERB_WD_RECOVER && now->wd == 0)
		return change_refuse(err, t, o, "the port has no watchdog to recover from",
			"see railtop act pfcwd-enable");
	if (o->verb == VERB_WD_RECOVER && o->priority >= 0 && !o->lines &&
		group_of(t, o->priority) < 0)
		return change_refuse(err, t, o, "the qos-group of the priority is not known",
			"recover the whole port, or check: show policy-map system type "
			"network-qos");
	return BGP >> o->verb & 1 ? may_bgp(t, o, now, err) : true;
}

/* ---- requests ---- */

static struct request *ask_https(const struct change_lines *l, struct request_list *out)
{
	char *input = change_lines_join(l, " ;"), *body;
	json_t *call = json_pack("{s:{s:s,s:s,s:s,s:s,s:s,s:s,s:s}}", "ins_api", "version", "1.0",
		"type", "cli_conf", "chunk", "0", "sid", "1", "input", input, "output_format",
		"json", "rollback", "stop-on-error");
	struct request *r;

	free(input);
	body = call ? json_dumps(call, JSON_COMPACT) : NULL;
	r = requests_http(out, CHANGE, "POST", "/ins", "application/json", body ? body : "");
	free(body);
	json_decref(call);
	return r;
}

static bool plan_command(const struct target *t, const struct order *o, const struct condition *now,
	struct request_list *out, struct err *err)
{
	struct change_lines l;
	struct request *r;
	char *text;

	if (!order_check(o, err) || !check_order(t, o, now, err) || !make_lines(t, o, &l, err))
		return false;
	if (t->transport == TRANSPORT_HTTPS) {
		r = ask_https(&l, out);
	} else {
		text = change_lines_join(&l, " ; ");
		r = requests_ssh(out, CHANGE, text, NULL);
		free(text);
	}
	r->change = true;
	/* NX-API starts a shell for it, beside those of the pollers. */
	r->timeout_us = INT64_C(30000000);
	return true;
}

/* ---- evaluation of the replies ---- */

bool nxos_said(const struct target *t, const char *words, struct err *err)
{
	bool may_not = strcasestr(words, "ermission denied") || strcasestr(words, "not authorized");
	char line[160];

	parse_first_line(words, strlen(words), line, sizeof(line));
	err_set(err, may_not ? ERR_UNAUTHORISED : ERR_PROTOCOL, t->device, "the switch answers: %s",
		line);
	return err_cure(err, "%s",
		may_not ? "give the user of actions: a role that may configure the port"
			: "try the line on the switch; actions.commands can replace it");
}

bool nxos_complaint(const char *bytes, size_t len, char *dst, size_t size)
{
	static const char *const heads[] = {"% ", "%Error", "ERROR:", "Error:", "Syntax error"};

	for (size_t i = 0; i < len; i++) {
		if (i && bytes[i - 1] != '\n')
			continue;
		for (size_t k = 0; k < ARRAY_LEN(heads); k++)
			if (strncasecmp(bytes + i, heads[k], strlen(heads[k])) == 0) {
				parse_first_line(bytes + i, len - i, dst, size);
				return true;
			}
	}
	return false;
}

/* Returns false if the line was refused. */
static bool output_ok(const struct target *t, const struct json_value *one, struct err *err)
{
	const char *code = json_value_text_or(json_value_get(one, "code"), "");
	const char *said = json_value_text(json_value_get(one, "clierror"));
	const char *body = json_value_text_or(json_value_get(one, "body"), "");
	char line[160];

	if (str_eq(code, "200") && !nxos_complaint(body, strlen(body), line, sizeof(line)))
		return true;
	if (str_eq(code, "200"))
		return nxos_said(t, line, err);
	return nxos_said(
		t, said ? said : json_value_text_or(json_value_get(one, "msg"), "no reason"), err);
}

/*
 * Checks the result of each line, or an object for a single line. With stop-on-error the lines
 * after a failed one have no result. Releases that do not know that word go on, and each line has
 * its result.
 */
static bool outputs_ok(
	const struct target *t, const struct json_value *output, size_t lines, struct err *err)
{
	bool is_list = json_value_is(output, DV_ARRAY);
	const struct json_value *one = is_list ? json_value_first(output, DV_ARRAY) : output;
	size_t n = is_list ? json_value_length(output) : json_value_is(output, DV_OBJECT);

	for (size_t i = 0; i < n; i++, one = json_value_next(output, one))
		if (!output_ok(t, one, err)) {
			size_t len = strlen(err->text);

			(void)str_printf(err->text + len, sizeof(err->text) - len,
				" (to line %zu of %zu)", i + 1, lines);
			return false;
		}
	return n == lines ? true
			  : err_set(err, ERR_PROTOCOL, t->device, "NX-API answers %zu of %zu lines",
				    n, lines);
}

static enum taken taken_rpc(
	const struct target *t, const struct reply *r, size_t lines, struct err *err)
{
	struct err ignored = {0};
	struct json_value *doc = json_value_parse(r->bytes, r->len, t->device, &ignored);
	const struct json_value *output = json_value_path(doc, "ins_api.outputs.output");
	bool ok = false;

	if (r->status == 401 || r->status == 403) {
		err_set(err, ERR_UNAUTHORISED, t->device, "NX-API answers with status %d",
			r->status);
		err_cure(err, "the user of actions: may not use NX-API");
	} else if (!output) {
		err_set(err, ERR_PROTOCOL, t->device,
			"NX-API answers with status %d and no known data", r->status);
	} else {
		ok = outputs_ok(t, output, lines, err);
	}
	if (ok && r->status != 200)
		ok = err_set(
			err, ERR_PROTOCOL, t->device, "NX-API answers with status %d", r->status);
	free(doc);
	return ok ? TAKEN_YES : TAKEN_NO;
}

static enum taken check_taken(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct change_notes *notes, struct err *err)
{
	struct change_lines l;

	(void)notes;
	if (!str_eq(request, CHANGE)) {
		err_set(err, ERR_INTERNAL, t->device, "nxos has no change \"%s\"", request);
		return TAKEN_NO;
	}
	if (!make_lines(t, o, &l, err))
		return TAKEN_NO;
	return t->transport == TRANSPORT_HTTPS
		       ? taken_rpc(t, r, l.n, err)
		       : change_taken_cli(t, r, nxos_complaint, nxos_said, err);
}

const struct dialect_changes nxos_changes = {
	.verbs = WD | BGP | V(PORT_DOWN) | V(PORT_UP) | V(LOCATE_ON) | V(LOCATE_OFF),
	.queues = V(WD_RECOVER),
	.unproven = WD,
	.look = nxos_look,
	.see = nxos_see,
	.command = plan_command,
	.taken = check_taken,
};
