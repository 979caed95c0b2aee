/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actions/manager/executor_private.h"
#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"

/* Sends one request of a plan: announces it in the ledger and records the device's answer. */

#define OUTPUT_MAX 2048 /* bytes of an answer in the ledger */

/* Replaces "{revision}" by the value from an earlier answer. *ok false: no answer had one. */
static char *fill_revision(const char *text, const struct change_notes *notes, bool *ok)
{
	static const char word[] = "{revision}";
	struct buf b;
	const char *found;

	if (!text)
		return NULL;
	buf_init(&b, strlen(text) + 64 * sizeof(notes->revision));
	while ((found = strstr(text, word))) {
		*ok = *ok && notes->revision[0];
		(void)buf_add(&b, text, (size_t)(found - text));
		*ok = buf_adds(&b, notes->revision) && *ok;
		text = found + sizeof(word) - 1;
	}
	*ok = buf_adds(&b, text) && *ok;
	return buf_take(&b, NULL);
}

static void filled_free(struct request *q)
{
	free(q->command);
	free(q->input);
	free(q->path);
	free(q->body);
}

/* Copies the request with its final bytes. */
static bool fill_request(
	const struct request *r, const struct change_notes *notes, struct request *q)
{
	bool ok = true;

	*q = *r;
	q->command = fill_revision(r->command, notes, &ok);
	q->input = fill_revision(r->input, notes, &ok);
	q->path = fill_revision(r->path, notes, &ok);
	q->body = fill_revision(r->body, notes, &ok);
	if (!ok)
		filled_free(q);
	return ok;
}

/* Text of a device may be long, and may not be valid text. */
static void put_text(json_t *o, const char *key, const char *text, size_t most)
{
	if (text && text[0])
		json_put(o, key, ledger_text(text, strnlen(text, most)));
}

static json_t *detail_of(const struct run *r, const struct order *o, const struct request *q)
{
	json_t *d = run_detail(r);
	char line[1024];

	request_line(q, line, sizeof(line));
	put_text(d, "verb", verb_name(o->verb), SIZE_MAX);
	put_text(d, "request", line, SIZE_MAX);
	return d;
}

static bool announce_request(
	struct run *r, const struct order *o, const struct request *q, struct err *err)
{
	json_t *d = detail_of(r, o, q);

	json_put(d, "sent", request_json(q));
	return run_say(r, LEDGER_SENDING, d, err);
}

static void tell_measurement(struct run *r, const struct measurement *m)
{
	struct executor_event *e = executor_event_new(EXECUTOR_MEASURED);
	const char *program = perftest_program(m->tool);

	e->measurement = *m;
	if (isnan(m->value))
		(void)str_printf(e->text, sizeof(e->text), "%s: %s measured nothing: %s", m->port,
			program, m->why);
	else
		(void)str_printf(e->text, sizeof(e->text), "%s: %s %.5g %s", m->port, program,
			m->value, perftest_unit(m->tool));
	executor_tell(r->a, e);
}

static void record_answer(struct run *r, const struct order *o, const struct request *q,
	const struct heard *h, const char *outcome, const struct err *why)
{
	bool lost = !outcome;
	json_t *d = detail_of(r, o, q);

	put_text(d, "outcome", outcome, SIZE_MAX);
	json_put(d, "status", json_integer(h->status));
	put_text(d, "output", h->bytes, OUTPUT_MAX);
	put_text(d, "complaint", h->complaint, OUTPUT_MAX);
	json_put(d, "took_ms", json_integer(h->took_us / CLOCK_MSEC));
	if (why && why->code != ERR_NONE)
		put_text(d, "error", why->text, SIZE_MAX);
	run_say_hard(r, lost ? LEDGER_LOST : LEDGER_ANSWERED, d);
}

/* Judges a request without an answer from the dialect's point of view. */
static enum sent judge_error(
	struct run *r, const struct order *o, const struct request *q, const struct heard *h)
{
	if (!h->left) {
		record_answer(r, o, q, h, "not sent", &h->err);
		return SENT_NOT;
	}
	/*
	 * The device knows the account and denies the request; the connection has no other request.
	 */
	if (h->err.code == ERR_UNAUTHORISED) {
		record_answer(r, o, q, h, "refused", &h->err);
		return SENT_REFUSED;
	}
	record_answer(r, o, q, h, NULL, &h->err);
	return SENT_LOST;
}

static enum sent judge_answer(struct run *r, const struct order *o, const struct request *q,
	const struct heard *h, bool *wait, struct err *why)
{
	struct reply reply = heard_reply(h);
	const struct dialect_changes *can = r->a->at.ops->changes;
	char line[160];

	if (h->err.code != ERR_NONE) {
		*why = h->err;
		return judge_error(r, o, q, h);
	}
	switch (can->taken(&r->a->at.target, o, q->name, &reply, &r->notes, why)) {
	case TAKEN_YES:
		record_answer(r, o, q, h, "taken", NULL);
		if (r->notes.measured)
			tell_measurement(r, &r->notes.measurement);
		return SENT_TAKEN;
	case TAKEN_WAIT:
		record_answer(r, o, q, h, "waiting", NULL);
		*wait = true;
		return SENT_LOST;
	case TAKEN_NO:
		break;
	}
	request_line(q, line, sizeof(line));
	if (why->code == ERR_NONE)
		(void)err_set(
			why, ERR_PROTOCOL, r->plan->device, "the device refused \"%s\"", line);
	/* The session ended during the command: unknown how far the command came. */
	if (h->status < 0 && why->code != ERR_UNAUTHORISED) {
		record_answer(r, o, q, h, NULL, why);
		return SENT_LOST;
	}
	record_answer(r, o, q, h, "refused", why);
	return SENT_REFUSED;
}

static enum sent send_filled(
	struct run *r, const struct order *o, const struct request *q, struct err *why)
{
	int64_t left = order_settle_us(o) / EXECUTOR_AGAIN_US;
	int64_t end = clock_mono(&clock_system) + order_settle_us(o);
	struct heard h;
	enum sent sent;
	bool wait = false;
	char line[200];

	request_line(q, line, sizeof(line));
	executor_note(r->a, TONE_COMMAND, "%s", line);
	for (;;) {
		if (!announce_request(r, o, q, why))
			return SENT_NOT;
		executor_permit(r->a);
		r->sent = true;
		atomic_store(&r->a->acting, true);
		(void)executor_ask(r->a, q, INT64_MAX, &h);
		wait = false;
		sent = judge_answer(r, o, q, &h, &wait, why);
		heard_free(&h);
		if (!wait)
			return sent;
		if (left-- <= 0 || clock_mono(&clock_system) >= end)
			break;
		executor_pause(r->a, EXECUTOR_AGAIN_US);
	}
	(void)err_set(why, ERR_TIMEOUT, r->plan->device, "the device is still busy: %s", line);
	return SENT_LOST;
}

enum sent run_send(
	struct run *r, const struct order *o, const struct request *request, struct err *why)
{
	struct request q;
	enum sent sent;

	if (!fill_request(request, &r->notes, &q)) {
		(void)err_set(why, ERR_PROTOCOL, r->plan->device,
			"%s: no answer had the revision of the change", request->name);
		return SENT_NOT;
	}
	if (!executor_ready(r->a)) {
		(void)err_set(why, ERR_UNREACHABLE, r->plan->device,
			"the connection ended before \"%s\" was sent", request->name);
		sent = SENT_NOT;
	} else {
		sent = send_filled(r, o, &q, why);
	}
	filled_free(&q);
	return sent;
}
