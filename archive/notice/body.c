/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "archive/notice/body_private.h"
#include "base/clock.h"
#include "base/str.h"

const char *body_severity(enum severity s)
{
	static const char *const names[SEV_COUNT] = {"unknown", "info", "warning", "critical"};

	return (unsigned)s < SEV_COUNT ? names[s] : names[SEV_UNKNOWN];
}

void body_test_notice(struct notice *n, const char *fabric, int64_t now_us)
{
	memset(n, 0, sizeof(*n));
	(void)str_printf(n->key, sizeof(n->key), "%.60s railtop.test", fabric);
	(void)str_copy(n->id, sizeof(n->id), "railtop.test");
	(void)str_copy(n->title, sizeof(n->title),
		"this is a test of notify: in railtop's inventory, nothing is wrong");
	(void)str_copy(n->role, sizeof(n->role), "info");
	n->severity = SEV_OK;
	n->members = 1;
	n->onset_us = n->opened_us = now_us;
}

char *body_time(int64_t wall_us, char *dst, size_t size)
{
	time_t s = (time_t)(wall_us / CLOCK_SEC);
	struct tm tm;
	char date[40];

	if (wall_us < 0 || !gmtime_r(&s, &tm) ||
		!strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm))
		(void)str_copy(date, sizeof(date), "1970-01-01T00:00:00");
	(void)str_printf(dst, size, "%s.%03dZ", date,
		wall_us < 0 ? 0 : (int)(wall_us % CLOCK_SEC / CLOCK_MSEC));
	return dst;
}

char *body_line(const struct body_facts *f, char *dst, size_t size)
{
	static const char *const before[MESSAGE_KINDS] = {
		"", "", "", "acknowledged: ", "ended: ", "", "[test] "};
	const struct notice *n = f->n;
	char sentence[BODY_LINE], tail[160] = "";

	(void)notice_summary(n, sentence, sizeof(sentence));
	if (f->kind == MESSAGE_ACKNOWLEDGE)
		(void)str_printf(tail, sizeof(tail), " (by %s%s%s)",
			n->ack_user[0] ? n->ack_user : "an operator", n->ack_note[0] ? ": " : "",
			n->ack_note);
	else if (f->why[0])
		(void)str_printf(tail, sizeof(tail), " (%s)", f->why);
	(void)str_printf(dst, size, "%s%s%s", before[f->kind], sentence, tail);
	return dst;
}

char *body_link(const struct body_facts *f, char *dst, size_t size)
{
	return notice_link(f->notify->link, f->fabric, f->n, dst, size);
}

char *body_runbook(const struct body_facts *f, char *dst, size_t size)
{
	return notice_link(
		f->n->runbook[0] ? f->notify->runbook_url : NULL, f->fabric, f->n, dst, size);
}

char *body_console(const struct body_facts *f, char *dst, size_t size)
{
	if (f->n->place[0])
		(void)str_printf(dst, size, "railtop --view '%s'", f->n->place);
	else
		dst[0] = '\0';
	return dst;
}

json_t *body_counts(const struct notice *n)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "roots", (json_int_t)n->members,
		"findings_that_follow", (json_int_t)n->follows, "victims", (json_int_t)n->victims,
		"gpus_blocked", (json_int_t)n->gpus_blocked, "gpus_slow", (json_int_t)n->gpus_slow);
}

bool body_write(json_t *root, const struct body_facts *f, struct buf *out, struct err *err)
{
	return (json_add(root, JSON_COMPACT, out) && buf_add(out, "\n", 1)) ||
	       err_set(err, ERR_LIMIT, f->to->name, "the message is too long");
}

/* ---- Alertmanager ---- */

#define LEAST_END_US (300 * CLOCK_SEC)
#define REPETITIONS  4
#define TEST_END_US  (60 * CLOCK_SEC)

static int64_t end_of(const struct body_facts *f)
{
	int64_t end = REPETITIONS * f->notify->resend_us;

	if (f->kind == MESSAGE_RESOLVE)
		return f->now_us;
	if (f->kind == MESSAGE_TEST)
		return f->now_us + TEST_END_US;
	return f->now_us + (end < LEAST_END_US ? LEAST_END_US : end);
}

static json_t *alert_labels(const struct body_facts *f, enum severity severity)
{
	json_t *o = json_object();

	for (size_t i = 0; i < f->to->labels.n; i++)
		json_put(o, f->to->labels.at[i].name, json_text(f->to->labels.at[i].value));
	json_put(o, "alertname",
		json_string(f->kind == MESSAGE_TEST ? "RailtopTest" : "RailtopFinding"));
	json_put(o, "fabric", json_text(f->fabric));
	json_put(o, "class", json_text(f->n->id));
	if (f->n->members > 1)
		json_put(o, "place", json_string("many"));
	else if (f->n->place[0])
		json_put(o, "place", json_text(f->n->place));
	json_put(o, "severity", json_string(body_severity(severity)));
	return o;
}

static void put_note(json_t *o, const char *key, const char *text)
{
	if (text[0])
		json_put(o, key, json_text(text));
}

static json_t *alert_notes(const struct body_facts *f)
{
	json_t *o = json_object();
	char line[BODY_LINE + 200], text[1024];

	json_put(o, "summary", json_text(body_line(f, line, sizeof(line))));
	put_note(o, "description", f->verdict);
	put_note(o, "runbook", f->n->runbook);
	put_note(o, "runbook_url", body_runbook(f, text, sizeof(text)));
	put_note(o, "console", body_console(f, text, sizeof(text)));
	put_note(o, "next_command", f->n->command);
	put_note(o, "key", f->n->key);
	if (f->n->acked)
		put_note(o, "acknowledged_by", f->n->ack_user);
	return o;
}

static json_t *alert_json(const struct body_facts *f, enum severity severity, int64_t end_us)
{
	json_t *o = json_object();
	char text[1024];

	json_put(o, "labels", alert_labels(f, severity));
	json_put(o, "annotations", alert_notes(f));
	json_put(o, "startsAt", json_text(body_time(f->n->onset_us, text, sizeof(text))));
	json_put(o, "endsAt", json_text(body_time(end_us, text, sizeof(text))));
	if (body_link(f, text, sizeof(text))[0])
		json_put(o, "generatorURL", json_text(text));
	return o;
}

bool body_alertmanager(const struct body_facts *f, struct buf *out, struct err *err)
{
	json_t *list = json_array();

	/* The severity is a label, so the milder alert is another one, and ends now. */
	if (f->kind == MESSAGE_UPDATE && f->told_before != f->severity)
		json_append(list, alert_json(f, f->told_before, f->now_us));
	json_append(list, alert_json(f, f->severity, end_of(f)));
	return body_write(list, f, out, err);
}

/* ---- PagerDuty ---- */

#define SUMMARY_MOST 1024

static json_t *pagerduty_details(const struct body_facts *f)
{
	json_t *o = body_counts(f->n);
	char text[1024];

	json_put(o, "verdict", json_text_or_null(f->verdict));
	json_put(o, "place", json_text_or_null(f->n->place));
	json_put(o, "other_end", json_text_or_null(f->n->peer));
	json_put(o, "role", json_text_or_null(f->n->role));
	json_put(o, "confidence", json_number_or_null((double)f->n->confidence));
	json_put(o, "runbook", json_text_or_null(f->n->runbook));
	json_put(o, "next_command", json_text_or_null(f->n->command));
	json_put(o, "console", json_text_or_null(body_console(f, text, sizeof(text))));
	json_put(o, "note", json_text_or_null(f->why));
	return o;
}

static json_t *pagerduty_payload(const struct body_facts *f)
{
	json_t *o = json_object();
	char line[SUMMARY_MOST], text[64];

	json_put(o, "summary", json_text(body_line(f, line, sizeof(line))));
	json_put(o, "source", json_text(f->n->device[0] ? f->n->device : f->fabric));
	json_put(o, "severity", json_string(body_severity(f->severity)));
	json_put(o, "timestamp", json_text(body_time(f->n->onset_us, text, sizeof(text))));
	put_note(o, "component", f->n->port);
	put_note(o, "group", f->fabric);
	put_note(o, "class", f->n->id);
	json_put(o, "custom_details", pagerduty_details(f));
	return o;
}

bool body_pagerduty(const struct body_facts *f, struct buf *out, struct err *err)
{
	json_t *o = json_object(), *links = json_array();
	char text[1024];

	json_put(o, "event_action",
		json_string(f->kind == MESSAGE_RESOLVE       ? "resolve"
			    : f->kind == MESSAGE_ACKNOWLEDGE ? "acknowledge"
							     : "trigger"));
	json_put(o, "dedup_key", json_text(f->n->key));
	json_put(o, "client", json_string("railtop"));
	if (body_link(f, text, sizeof(text))[0])
		json_put(o, "client_url", json_text(text));
	json_put(o, "payload", pagerduty_payload(f));
	if (body_runbook(f, text, sizeof(text))[0])
		json_append(
			links, json_pack("{s:o, s:s}", "href", json_text(text), "text", "runbook"));
	json_put(o, "links", links);
	return body_write(o, f, out, err);
}

/* ---- Slack ---- */

/* The three characters that Slack's text gives a meaning: docs.slack.dev, formatting. */
static char *escape_slack(const char *s, char *dst, size_t size)
{
	size_t n = 0;

	for (; *s && n + 6 < size; s++) {
		const char *to = *s == '&'   ? "&amp;"
				 : *s == '<' ? "&lt;"
				 : *s == '>' ? "&gt;"
					     : NULL;

		if (to)
			n += (size_t)snprintf(dst + n, size - n, "%s", to);
		else
			dst[n++] = *s;
	}
	dst[n] = '\0';
	return dst;
}

static json_t *slack_section(const char *kind, const char *text)
{
	json_t *t = json_pack("{s:s, s:o}", "type", "mrkdwn", "text", json_text(text));

	if (str_eq(kind, "context"))
		return json_pack("{s:s, s:[o]}", "type", kind, "elements", t);
	return json_pack("{s:s, s:o}", "type", kind, "text", t);
}

static void slack_more(const struct body_facts *f, char *dst, size_t size)
{
	char text[900], escaped[1000];
	size_t len = 0;

	(void)str_printf(dst, size, "%s | %s", escape_slack(f->fabric, escaped, sizeof(escaped)),
		body_severity(f->severity));
	len = strlen(dst);
	if (f->n->runbook[0])
		(void)str_printf(dst + len, size - len, " | runbook %s", f->n->runbook);
	len = strlen(dst);
	if (body_runbook(f, text, sizeof(text))[0])
		(void)str_printf(dst + len, size - len, " <%s|open>",
			escape_slack(text, escaped, sizeof(escaped)));
	len = strlen(dst);
	if (body_link(f, text, sizeof(text))[0])
		(void)str_printf(dst + len, size - len, " | <%s|show>",
			escape_slack(text, escaped, sizeof(escaped)));
	len = strlen(dst);
	if (body_console(f, text, sizeof(text))[0])
		(void)str_printf(dst + len, size - len, " | `%s`",
			escape_slack(text, escaped, sizeof(escaped)));
}

bool body_slack(const struct body_facts *f, struct buf *out, struct err *err)
{
	json_t *blocks = json_array();
	char line[BODY_LINE + 200], escaped[1400], text[2800], verdict[900];
	const char *sign = f->kind == MESSAGE_RESOLVE ? ":white_check_mark:"
			   : f->kind == MESSAGE_TEST  ? ":information_source:"
			   : f->severity == SEV_CRIT  ? ":red_circle:"
						      : ":large_orange_circle:";

	(void)escape_slack(body_line(f, line, sizeof(line)), escaped, sizeof(escaped));
	(void)str_printf(text, sizeof(text), "%s *%s*%s%s", sign, escaped,
		f->verdict[0] ? "\n" : "", escape_slack(f->verdict, verdict, sizeof(verdict)));
	json_append(blocks, slack_section("section", text));
	slack_more(f, text, sizeof(text));
	json_append(blocks, slack_section("context", text));
	/* text: what a notification on a telephone shows. */
	return body_write(
		json_pack("{s:o, s:o}", "text", json_text(escaped), "blocks", blocks), f, out, err);
}
