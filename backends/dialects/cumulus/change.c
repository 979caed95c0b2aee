/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/cumulus/change.h"

#include <stdlib.h>
#include <string.h>

#include "backends/parse/json_select.h"
#include "backends/parse/tree.h"
#include "base/clock.h"
#include "base/str.h"

#define PATH_SIZE  160
#define NO_DIFF    "no config diff"
#define JSON_TYPE  "application/json"
#define APPLY_CURE "the revision was not applied and changes nothing; see: nv config history"
#define ASKS_CURE                                                                                  \
	"nothing was changed. NVUE asks before it overwrites manual edits or disturbs "            \
	"other ports: make the change on the switch, or state the commands in actions.commands"
#define HALF_CURE                                                                                  \
	"part of it may be in force: check the switch before any other change, then "              \
	"nv config apply the revision again"

/* ---- reading the condition ---- */

/* swp1, swp12s3; never eth0. */
static bool port_ok(const struct order *o, struct err *err)
{
	const char *p = o->port;

	if (str_starts(p, "swp") && p[3] >= '0' && p[3] <= '9' &&
		strspn(p + 3, "0123456789s") == strlen(p + 3))
		return true;
	return err_set(
		err, ERR_REFUSED, o->port, "\"%s\" is not a port of the front panel", o->port);
}

/* Writes the path of a query with the port in it; sep is '/' or ' '. */
static void fill_path(const char *path, const struct order *o, char sep, char dst[PATH_SIZE])
{
	const char *hole = strchr(path, '%');

	if (hole)
		(void)str_printf(
			dst, PATH_SIZE, "%.*s%s%s", (int)(hole - path), path, o->port, hole + 1);
	else
		(void)str_copy(dst, PATH_SIZE, path);
	for (char *c = dst; *c; c++)
		*c = *c == '/' ? sep : *c;
}

static void plan_question(const struct target *t, const struct order *o,
	const struct cumulus_question *q, struct request_list *out)
{
	bool https = t->transport == TRANSPORT_HTTPS;
	char path[PATH_SIZE], line[PATH_SIZE + 64];
	struct request *r;

	fill_path(q->path, o, https ? '/' : ' ', path);
	if (https) {
		(void)str_printf(
			line, sizeof(line), "/nvue_v1/%s%s", path, q->config ? "?rev=applied" : "");
		r = requests_http(out, q->name, "GET", line, NULL, NULL);
	} else {
		(void)str_printf(line, sizeof(line), "nv show %s%s -o json 2>&1", path,
			q->config ? " --rev=applied" : "");
		r = requests_ssh(out, q->name, line, NULL);
	}
	r->timeout_us = 20 * CLOCK_SEC;
}

static bool plan_condition(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err)
{
	if (!port_ok(o, err))
		return false;
	for (size_t i = 0; i < cumulus_question_count; i++)
		if (cumulus_questions[i].verbs >> o->verb & 1)
			plan_question(t, o, &cumulus_questions[i], out);
	if (t->transport == TRANSPORT_SSH)
		requests_ssh(out, CUMULUS_PENDING, CUMULUS_DIFF " 2>&1", NULL)->timeout_us =
			20 * CLOCK_SEC;
	return true;
}

/* ---- the commands ---- */

/* One leaf of NVUE's tree: its parent's path, its name, its value. */
struct leaf {
	char path[PATH_SIZE];
	const char *name, *word;
	const char *json; /* the value in a body */
};

static bool leaf_of(const struct order *o, struct leaf *l)
{
	bool on = o->verb == VERB_WD_START || o->verb == VERB_PORT_UP || o->verb == VERB_BGP_DOWN;

	switch (o->verb) {
	case VERB_WD_STOP:
	case VERB_WD_START:
		(void)str_printf(
			l->path, sizeof(l->path), "interface/%s/qos/pfc-watchdog", o->port);
		l->name = "state";
		l->word = on ? "enable" : "disable";
		l->json = on ? "\"enable\"" : "\"disable\"";
		return true;
	case VERB_PORT_DOWN:
	case VERB_PORT_UP:
		(void)str_printf(l->path, sizeof(l->path), "interface/%s/link", o->port);
		l->name = "state";
		l->word = on ? "up" : "down";
		l->json = on ? "{\"up\": {}}" : "{\"down\": {}}";
		return true;
	case VERB_BGP_DOWN:
	case VERB_BGP_UP:
		(void)str_printf(
			l->path, sizeof(l->path), "vrf/default/router/bgp/neighbor/%s", o->peer);
		l->name = "shutdown";
		l->word = on ? "on" : "off";
		l->json = on ? "\"on\"" : "\"off\"";
		return true;
	default:
		return false;
	}
}

static bool refuse_order(const struct order *o, struct err *err, const char *why, const char *cure)
{
	err_set(err, ERR_REFUSED, o->port, "%s", why);
	return err_cure(err, "%s", cure);
}

static bool start_ok(const struct order *o, const struct condition *now, struct err *err)
{
	if (now->pfc <= 0)
		return refuse_order(o, err,
			now->pfc ? "the PFC setting cannot be read" : "PFC is off on the port",
			"enable PFC for the watchdog: nv show interface PORT qos pfc");
	if (!o->wd.detect_ms || !now->wd_set.detect_ms || o->wd.detect_ms == now->wd_set.detect_ms)
		return true;
	err_set(err, ERR_REFUSED, o->port,
		"the watchdog detects after %u ms on the whole switch, not after %u ms",
		now->wd_set.detect_ms, o->wd.detect_ms);
	return err_cure(err,
		"set it once for the switch: nv set qos pfc-watchdog polling-interval 100, "
		"robustness %u",
		(o->wd.detect_ms + 99) / 100);
}

static bool bgp_ok(const struct order *o, const struct condition *now, struct err *err)
{
	/* Both characters have another meaning in a path. */
	if (strpbrk(o->peer, "/%"))
		return refuse_order(o, err, "a request cannot contain a neighbour of this name",
			"use the name of its interface");
	if (!str_eq(o->peer, now->bgp_peer))
		return refuse_order(o, err, "the default VRF has no neighbour of this name",
			"check the switch: nv show vrf default router bgp neighbor");
	return true;
}

static bool order_ok(
	const struct target *t, const struct order *o, const struct condition *now, struct err *err)
{
	struct leaf l = {0};

	if (!order_check(o, err) || !port_ok(o, err))
		return false;
	if (!leaf_of(o, &l)) {
		err_set(err, ERR_UNSUPPORTED, o->port, "NVUE has no %s", verb_name(o->verb));
		return err_cure(err, "do it by hand, if the switch has words for it");
	}
	if (t->transport == TRANSPORT_SSH && now->pending != 0)
		return refuse_order(o, err,
			now->pending == 1
				? "the user has unapplied changes, which would be applied as well"
				: "railtop cannot check for unapplied changes of the user",
			"nv config diff; then nv config apply or nv config detach");
	if (o->verb == VERB_WD_START)
		return start_ok(o, now, err);
	return (o->verb != VERB_BGP_DOWN && o->verb != VERB_BGP_UP) || bgp_ok(o, now, err);
}

static struct request *add_change(struct request_list *out, const char *name, const char *method,
	const char *path, const char *body)
{
	struct request *r = requests_http(out, name, method, path, body ? JSON_TYPE : NULL, body);

	r->change = true;
	r->timeout_us = 30 * CLOCK_SEC;
	return r;
}

/* "{revision}" stands for the id from the first answer. */
static void command_https(const struct leaf *l, struct request_list *out)
{
	char path[PATH_SIZE + 64], body[128];

	add_change(out, "revision", "POST", "/nvue_v1/revision", NULL);
	(void)str_printf(path, sizeof(path), "/nvue_v1/%s?rev={revision}", l->path);
	(void)str_printf(body, sizeof(body), "{\"%s\": %s}", l->name, l->json);
	add_change(out, "set", "PATCH", path, body);
	/* No "assume yes": NVUE's questions concern more than this port. */
	add_change(out, "apply", "PATCH", "/nvue_v1/revision/{revision}", "{\"state\": \"apply\"}");
	add_change(out, "applied", "GET", "/nvue_v1/revision/{revision}", NULL);
}

/*
 * One command line: so a lost connection leaves nothing pending for the next apply. A declined
 * apply leaves nothing either: whatever its exit status is, the revision is detached.
 */
static void command_ssh(const struct leaf *l, struct request_list *out)
{
	char line[2 * PATH_SIZE + 96], words[PATH_SIZE];
	struct request *r;

	(void)str_copy(words, sizeof(words), l->path);
	for (char *c = words; *c; c++)
		*c = *c == '/' ? ' ' : *c;
	(void)str_printf(line, sizeof(line),
		"nv set %s %s %s && nv config apply --assume-no; r=$?; nv config detach >/dev/null "
		"2>&1; exit $r",
		words, l->name, l->word);
	r = requests_ssh(out, "apply", line, NULL);
	r->change = true;
	r->timeout_us = 60 * CLOCK_SEC;
}

static bool site_lines(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err)
{
	char *script = NULL;

	if (t->transport != TRANSPORT_SSH) {
		err_set(err, ERR_UNSUPPORTED, t->device,
			"shell commands cannot be sent over HTTPS");
		return err_cure(err, "set transport: ssh for %s", t->device);
	}
	if (!order_fill(o->lines, o, &script, err))
		return false;
	requests_ssh(out, "lines", "sh -e -s", script)->change = true;
	free(script);
	return true;
}

static bool plan_command(const struct target *t, const struct order *o, const struct condition *now,
	struct request_list *out, struct err *err)
{
	struct leaf l = {0};

	if (!order_ok(t, o, now, err))
		return false;
	if (o->lines)
		return site_lines(t, o, out, err);
	(void)leaf_of(o, &l);
	if (t->transport == TRANSPORT_HTTPS)
		command_https(&l, out);
	else
		command_ssh(&l, out);
	return true;
}

/* ---- evaluation of the replies ---- */

static enum taken fail_denied(const struct target *t, const char *said, struct err *err)
{
	err_set(err, ERR_UNAUTHORISED, t->device, "wrong privileges: %s", said);
	err_cure(err, "put the user into the group nvapply on the switch");
	return TAKEN_NO;
}

static enum taken fail_refused(const struct target *t, const char *said, struct err *err)
{
	err_set(err, ERR_PROTOCOL, t->device, "NVUE refused: %s", said);
	err_cure(err, APPLY_CURE);
	return TAKEN_NO;
}

/* The message of the first issue; "" without issues. */
static const char *issue_of(const struct json_value *revision)
{
	const struct json_value *issues = json_value_path(revision, "transition.issue");
	const char *text = "";

	for (json_value_members(v, issues)) {
		if (!*text)
			text = json_value_text_or(json_value_get(v, "message"), "");
	}
	return *text ? text
		     : json_value_text_or(json_value_path(revision, "transition.progress"), "");
}

/* Result of an apply; an unknown state counts as still running. */
static enum taken check_applied(
	const struct target *t, const struct json_value *revision, struct err *err)
{
	const char *state = tree_word(json_value_get(revision, "state"));
	size_t n = strlen(state);
	const char *issue = issue_of(revision);
	char said[200];

	if (str_eq(state, "applied") || str_eq(state, "applied_and_saved") ||
		str_eq(state, "saved"))
		return TAKEN_YES;
	/* Already in the desired state; reading back decides. */
	if (str_eq(state, "pending") && strcasestr(issue, NO_DIFF))
		return TAKEN_YES;
	if (str_eq(state, "ays") || str_eq(state, "ays_fail") || str_eq(state, "ays_no")) {
		(void)str_printf(said, sizeof(said), "NVUE asks for a confirmation: %s", issue);
		(void)fail_refused(t, said, err);
		err_cure(err, ASKS_CURE);
		return TAKEN_NO;
	}
	if (str_starts(state, "ignore_fail")) {
		(void)str_printf(said, sizeof(said), "%s: %s", state, issue);
		(void)fail_refused(t, said, err);
		err_cure(err, HALF_CURE);
		return TAKEN_NO;
	}
	if (*state && !str_eq(state, "invalid") && !str_eq(state, "inactive") &&
		!(n > 5 && str_eq(state + n - 5, "_fail")) &&
		!(n > 6 && str_eq(state + n - 6, "_error")))
		return TAKEN_WAIT;
	(void)str_printf(
		said, sizeof(said), "%s: %s", *state ? state : "no state in the answer", issue);
	return fail_refused(t, said, err);
}

/*
 * Older releases have ids like "changeset/cumulus/2021-11-02_16.09.18_S0QM", which must be one
 * segment of a path.
 */
static bool note_revision(const char *id, struct change_notes *notes)
{
	size_t n = 0;

	for (; *id && n + 4 < sizeof(notes->revision); id++) {
		if (*id == '/') {
			memcpy(notes->revision + n, "%2F", 3);
			n += 3;
		} else if ((*id >= 'a' && *id <= 'z') || (*id >= 'A' && *id <= 'Z') ||
			   (*id >= '0' && *id <= '9') || strchr("._-", *id)) {
			notes->revision[n++] = *id;
		} else {
			return false;
		}
	}
	notes->revision[n] = '\0';
	return n && !*id && notes->revision[0] != '.';
}

static enum taken taken_doc(const struct target *t, const char *request, const struct reply *r,
	const struct json_value *doc, struct change_notes *notes, struct err *err)
{
	const char *detail = json_value_text_or(tree_either(doc, "detail", "title"), "");
	const struct json_value *first = json_value_first(doc, DV_OBJECT);
	char said[200];

	(void)str_printf(said, sizeof(said), "%s (status %d)", detail, r->status);
	if (r->status == 401 || r->status == 403)
		return fail_denied(t, said, err);
	if (r->status < 200 || r->status > 299)
		return fail_refused(t, said, err);
	if (str_eq(request, "applied"))
		return check_applied(t, doc, err);
	/* The answer to "apply" may already contain the result. */
	if (str_eq(request, "apply"))
		return check_applied(t, doc, err) == TAKEN_NO ? TAKEN_NO : TAKEN_YES;
	if (!str_eq(request, "revision"))
		return TAKEN_YES;
	if (first && note_revision(json_value_name(first), notes))
		return TAKEN_YES;
	return fail_refused(t, "the answer has no new revision", err);
}

/* Copies the line that begins at the first of the words, wherever it is; else the first line. */
static void said_at(const struct reply *r, const char *const *words, size_t n, char said[200])
{
	const char *text = *r->complaint ? r->complaint : r->bytes, *at = NULL;

	for (size_t i = 0; !at && i < n; i++) {
		at = strcasestr(r->complaint, words[i]);
		at = at ? at : strcasestr(r->bytes, words[i]);
	}
	text = at ? at : text + strspn(text, " \t\r\n");
	(void)str_sanitise(said, 200, text, strcspn(text, "\r\n"));
	if (!*said)
		(void)str_copy(said, 200, "the command printed nothing");
}

static bool says_any(const struct reply *r, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (reply_says(r, words[i]))
			return true;
	return false;
}

#define N(a) (sizeof(a) / sizeof((a)[0]))

static enum taken taken_shell(const struct target *t, const struct reply *r, struct err *err)
{
	static const char *const denies[] = {
		"permission", "not permitted", "not authorized", "unauthorized", "forbidden"};
	static const char *const asks[] = {
		"warning:", "are you sure", "declined apply", "aborted apply"};
	static const char *const errors[] = {"error:"}, *const half[] = {"failure during apply"};
	char said[200];

	if (r->status != 0 && says_any(r, denies, N(denies))) {
		said_at(r, errors, N(errors), said);
		return fail_denied(t, said, err);
	}
	if (says_any(r, half, N(half))) {
		said_at(r, half, N(half), said);
		(void)fail_refused(t, said, err);
		err_cure(err, HALF_CURE);
		return TAKEN_NO;
	}
	/* A warning that did not prevent the apply comes together with "applied". */
	if (says_any(r, asks + 1, N(asks) - 1)) {
		said_at(r, asks, N(asks), said);
		(void)fail_refused(t, said, err);
		err_cure(err, ASKS_CURE);
		return TAKEN_NO;
	}
	if (r->status == 0 && !says_any(r, errors, N(errors)))
		return TAKEN_YES;
	said_at(r, errors, N(errors), said);
	return fail_refused(t, said, err);
}

static enum taken check_reply(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct change_notes *notes, struct err *err)
{
	enum taken is;
	struct json_value *doc;

	(void)o;
	if (t->transport == TRANSPORT_SSH)
		return taken_shell(t, r, err);
	doc = json_value_parse(r->bytes, r->len, t->device, NULL);
	/* The new values are echoed; they are not needed. */
	is = taken_doc(t, request, r, doc, notes, err);
	free(doc);
	return is;
}

const struct dialect_changes cumulus_changes = {
	.verbs = 1u << VERB_WD_STOP | 1u << VERB_WD_START | 1u << VERB_PORT_DOWN |
		 1u << VERB_PORT_UP | 1u << VERB_BGP_DOWN | 1u << VERB_BGP_UP,
	/* As documented; never run against a real switch. */
	.unproven = 1u << VERB_WD_STOP | 1u << VERB_WD_START | 1u << VERB_PORT_DOWN |
		    1u << VERB_PORT_UP | 1u << VERB_BGP_DOWN | 1u << VERB_BGP_UP,
	.look = plan_condition,
	.see = cumulus_see,
	.command = plan_command,
	.taken = check_reply,
};
