/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/eos/change.h"

#include <stdlib.h>
#include <string.h>

#include "backends/dialects/change_lines.h"
#include "backends/parse/json_select.h"
#include "backends/parse/first_line.h"
#include "base/buf.h"
#include "base/json_out.h"
#include "base/str.h"

/*
 * Changes on an Arista switch. They do not use a configuration session. Its commit reverts all
 * changes that others made on the switch since the session was opened. If a line is refused, the
 * session stays open until it is aborted.
 *
 * In "configure", the lines before the last only select the place, or set values without effect of
 * their own. The last line alone makes the change, so the switch never stops half-way. eAPI stops
 * at a line that fails. Over SSH the CLI may go on, but none of the last lines is complete in the
 * mode above.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CHANGE       "change"

#define V(verb) (1u << VERB_##verb)
#define WD      (V(WD_STOP) | V(WD_START))

/* ---- command lines ---- */

static const struct {
	const char *ours, *word;
} actions[] = {{"forward", "no-drop"}, {"alert", "notify-only"}};

const char *eos_action_word(const char *ours)
{
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (str_eq(actions[i].ours, ours))
			return actions[i].word;
	return ours;
}

const char *eos_action_ours(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (str_eq(actions[i].word, word))
			return actions[i].ours;
	return word;
}

static void watchdog_lines(const struct order *o, struct change_lines *l)
{
	static const char wd[] = "priority-flow-control pause watchdog";

	change_line(l, "interface %s", o->port);
	if (o->verb == VERB_WD_STOP) {
		change_line(l, "no %s", wd);
		return;
	}
	if (*o->wd.action)
		change_line(l, "%s port action %s", wd, eos_action_word(o->wd.action));
	if (o->wd.detect_ms)
		change_line(l,
			"%s port timer timeout %u.%02u polling-interval auto recovery-time "
			"%u.%02u",
			wd, o->wd.detect_ms / 1000, o->wd.detect_ms % 1000 / 10,
			o->wd.restore_ms / 1000, o->wd.restore_ms % 1000 / 10);
	change_line(l, "%s", wd);
}

static void dialect_lines(const struct order *o, struct change_lines *l)
{
	bool no = o->verb == VERB_PORT_UP || o->verb == VERB_BGP_UP || o->verb == VERB_LOCATE_OFF;

	switch (o->verb) {
	case VERB_WD_STOP:
	case VERB_WD_START:
		watchdog_lines(o, l);
		break;
	case VERB_PORT_DOWN:
	case VERB_PORT_UP:
		change_line(l, "interface %s", o->port);
		change_line(l, "%sshutdown", no ? "no " : "");
		break;
	case VERB_BGP_DOWN:
	case VERB_BGP_UP:
		change_line(l, "router bgp %u", o->asn);
		change_line(l, "%sneighbor %s shutdown", no ? "no " : "", o->peer);
		break;
	case VERB_LOCATE_ON:
	case VERB_LOCATE_OFF:
		change_line(l, "%slocator-led interface %s", no ? "no " : "", o->port);
		break;
	default:
		break;
	}
}

/* Depends on the order alone, so that check_taken() can build the same lines again. */
static bool make_lines(
	const struct target *t, const struct order *o, struct change_lines *l, struct err *err)
{
	bool exec = o->verb == VERB_LOCATE_ON || o->verb == VERB_LOCATE_OFF;

	*l = (struct change_lines){0};
	change_line(l, "enable");
	if (!exec || o->lines)
		change_line(l, "configure");
	if (!o->lines)
		dialect_lines(o, l);
	else if (!change_lines_site(l, o, "", err))
		return false;
	if (l->overflow)
		return change_refuse(err, t, o, "the lines are too long, or too many",
			"at most 22 lines of 255 characters in actions.commands");
	return true;
}

/* ---- checks ---- */

static bool may_watchdog(
	const struct target *t, const struct order *o, const struct condition *now, struct err *err)
{
	if (now->wd < 0)
		return change_refuse(err, t, o,
			"its watchdog is set by a profile and not at the port, or is not reported",
			"change the profile on the switch: show running-config section "
			"qos.profile");
	if (o->verb == VERB_WD_STOP)
		return true;
	if (now->pfc <= 0)
		return change_refuse(err, t, o,
			now->pfc < 0 ? "the PFC setting is not reported" : "PFC is off on the port",
			"priority-flow-control on, priority-flow-control priority 3 no-drop");
	if (!o->wd.detect_ms != !o->wd.restore_ms)
		return change_refuse(err, t, o, "EOS sets detection and recovery time together",
			"state both, or none to use those of the whole switch");
	/* EOS uses hundredths of a second. */
	if (o->wd.detect_ms % 10 || o->wd.restore_ms % 10)
		return change_refuse(err, t, o, "EOS has watchdog timers in steps of 10 ms",
			"state timers that are multiples of 10ms");
	return true;
}

static bool may_bgp(
	const struct target *t, const struct order *o, const struct condition *now, struct err *err)
{
	/* "neighbor X shutdown" would create a neighbour that does not exist. */
	if (!*now->bgp_peer || !str_eq(now->bgp_peer, o->peer))
		return change_refuse(err, t, o,
			"the default VRF has no such BGP neighbour in the port's subnet",
			"drain it by the port instead: actions.drain: admin");
	if (!o->asn || o->asn != now->bgp_asn)
		return change_refuse(err, t, o, "the switch's own AS number is not known",
			"show running-config section router.bgp");
	return true;
}

static bool check_order(
	const struct target *t, const struct order *o, const struct condition *now, struct err *err)
{
	if (!(eos_changes.verbs >> o->verb & 1)) {
		err_set(err, ERR_UNSUPPORTED, t->device, "EOS does not support %s",
			verb_name(o->verb));
		return err_cure(err, "see railtop act --list, or make the change on the switch");
	}
	if (!change_is_port(o->port))
		return change_refuse(err, t, o, "the name is not one port of the front panel",
			"use the full name: Ethernet1/7");
	if (now->oper == OPER_UNKNOWN)
		return change_refuse(err, t, o, "the switch does not report this port",
			"use a name of show interfaces status");
	if (WD >> o->verb & 1)
		return may_watchdog(t, o, now, err);
	if (o->verb == VERB_BGP_DOWN || o->verb == VERB_BGP_UP)
		return may_bgp(t, o, now, err);
	return true;
}

/* ---- requests ---- */

struct request *eos_rpc(struct request_list *out, const char *name, const char *format,
	const char *const *lines, size_t n)
{
	json_t *cmds = json_array(), *call;
	struct request *r;
	char *body;

	for (size_t i = 0; i < n; i++)
		json_append(cmds, json_pack("{s:s}", "cmd", lines[i]));
	call = json_pack("{s:s,s:s,s:o,s:{s:i,s:s,s:b,s:o}}", "jsonrpc", "2.0", "method", "runCmds",
		"id", json_sprintf("railtop-%s", name), "params", "version", 1, "format", format,
		"timestamps", 0, "cmds", cmds);
	body = call ? json_dumps(call, JSON_COMPACT) : NULL;
	r = requests_http(
		out, name, "POST", "/command-api", "application/json-rpc", body ? body : "");
	free(body);
	json_decref(call);
	return r;
}

static bool plan_command(const struct target *t, const struct order *o, const struct condition *now,
	struct request_list *out, struct err *err)
{
	struct change_lines l;
	const char *lines[CHANGE_LINES];
	struct request *r;
	char *text;

	if (!order_check(o, err) || !check_order(t, o, now, err) || !make_lines(t, o, &l, err))
		return false;
	for (size_t i = 0; i < l.n; i++)
		lines[i] = l.at[i];
	if (t->transport == TRANSPORT_HTTPS) {
		r = eos_rpc(out, CHANGE, "json", lines, l.n);
	} else {
		text = change_lines_join(&l, "\n");
		r = requests_ssh(out, CHANGE, text, NULL);
		free(text);
	}
	r->change = true;
	return true;
}

/* ---- evaluation of the replies ---- */

bool eos_said(const struct target *t, const char *words, struct err *err)
{
	static const char *const denied[] = {
		"privileged mode required", "uthorization denied", "ot authorized", "ermission"};
	bool may_not = false;

	for (size_t i = 0; i < ARRAY_LEN(denied); i++)
		may_not |= strstr(words, denied[i]) != NULL;
	err_set(err, may_not ? ERR_UNAUTHORISED : ERR_PROTOCOL, t->device, "the switch answers: %s",
		words);
	return err_cure(err, "%s",
		may_not ? "give the user of actions: privilege 15 and a role that may configure"
			: "try the line on the switch; actions.commands can replace it");
}

bool eos_complaint(const char *bytes, size_t len, char *dst, size_t size)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] == '%' && (i == 0 || bytes[i - 1] == '\n')) {
			parse_first_line(bytes + i, len - i, dst, size);
			return true;
		}
	return false;
}

bool eos_rpc_failed(const struct target *t, const struct reply *r, const struct json_value *doc,
	size_t ran, struct err *err)
{
	const struct json_value *error = json_value_get(doc, "error"),
				*data = json_value_get(error, "data");
	const struct json_value *last = json_value_at(data, ran);
	const char *detail =
		json_value_text_or(json_value_at(json_value_get(last, "errors"), 0), "");
	char words[256];

	if (r->status == 401 || r->status == 403) {
		err_set(err, ERR_UNAUTHORISED, t->device, "eAPI answers with status %d", r->status);
		return err_cure(err, "the user of actions: may not use eAPI");
	}
	if (!error)
		return err_set(err, ERR_PROTOCOL, t->device,
			"eAPI answers with status %d and no known data", r->status);
	(void)str_printf(words, sizeof(words), "%s%s%s (%zu ran before it)",
		json_value_text_or(json_value_get(error, "message"), "an error"),
		*detail ? ": " : "", detail, ran);
	return eos_said(t, words, err);
}

/* Each line has a result of its own; a missing one means that the line did not run. */
static bool all_ran(const struct json_value *results, size_t lines)
{
	if (json_value_length(results) != lines)
		return false;
	for (json_value_items(one, results))
		if (!json_value_is(one, DV_OBJECT) || json_value_get(one, "errors"))
			return false;
	return true;
}

static enum taken taken_rpc(
	const struct target *t, const struct reply *r, size_t lines, struct err *err)
{
	struct err ignored = {0};
	struct json_value *doc = json_value_parse(r->bytes, r->len, t->device, &ignored);
	const struct json_value *error = json_value_get(doc, "error");
	size_t n = json_value_length(json_value_get(error, "data"));
	bool ok =
		r->status == 200 && doc && !error && all_ran(json_value_get(doc, "result"), lines);

	if (!ok && r->status == 200 && doc && !error)
		err_set(err, ERR_PROTOCOL, t->device,
			"eAPI answers %zu of %zu commands, or one with an error",
			json_value_length(json_value_get(doc, "result")), lines);
	else if (!ok)
		(void)eos_rpc_failed(t, r, doc, n ? n - 1 : 0, err);
	free(doc);
	return ok ? TAKEN_YES : TAKEN_NO;
}

static enum taken check_taken(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct change_notes *notes, struct err *err)
{
	struct change_lines l;

	(void)notes;
	if (!str_eq(request, CHANGE)) {
		err_set(err, ERR_INTERNAL, t->device, "eos has no change \"%s\"", request);
		return TAKEN_NO;
	}
	if (!make_lines(t, o, &l, err))
		return TAKEN_NO;
	return t->transport == TRANSPORT_HTTPS
		       ? taken_rpc(t, r, l.n, err)
		       : change_taken_cli(t, r, eos_complaint, eos_said, err);
}

const struct dialect_changes eos_changes = {
	.verbs = WD | V(PORT_DOWN) | V(PORT_UP) | V(BGP_DOWN) | V(BGP_UP) | V(LOCATE_ON) |
		 V(LOCATE_OFF),
	.queues = 0,
	.unproven = WD | V(LOCATE_ON) | V(LOCATE_OFF),
	.look = eos_look,
	.see = eos_see,
	.command = plan_command,
	.taken = check_taken,
};
