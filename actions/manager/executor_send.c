/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "actions/manager/executor_private.h"
#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"

/* One request of a plan: announced in the ledger, sent, and what the device said to it. */

#define OUTPUT_MAX 2048 /* bytes of an answer that the ledger keeps */

/* "{revision}" stands for what an answer before told; NULL: nothing told it. */
static char *fill(const char *text, const struct change_notes *notes, bool *ok)
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

/* A copy with the final bytes. */
static bool filled(const struct request *r, const struct change_notes *notes, struct request *q)
{
	bool ok = true;

	*q = *r;
	q->command = fill(r->command, notes, &ok);
	q->input = fill(r->input, notes, &ok);
	q->path = fill(r->path, notes, &ok);
	q->body = fill(r->body, notes, &ok);
	if (!ok)
		filled_free(q);
	return ok;
}

/* What a device says need be neither text nor short. */
static void put(json_t *o, const char *key, const char *text, size_t most)
{
	if (text && text[0])
		json_put(o, key, ledger_text(text, strnlen(text, most)));
}

static json_t *detail_of(const struct run *r, const struct order *o, const struct request *q)
{
	json_t *d = run_detail(r);
	char line[1024];

	request_line(q, line, sizeof(line));
	put(d, "verb", verb_name(o->verb), SIZE_MAX);
	put(d, "request", line, SIZE_MAX);
	return d;
}

static bool announce(struct run *r, const struct order *o, const struct request *q, struct err *err)
{
	json_t *d = detail_of(r, o, q);

	json_put(d, "sent", request_json(q));
	return run_say(r, LEDGER_SENDING, d, err);
}

static void record(struct run *r, const struct order *o, const struct request *q,
	const struct heard *h, const char *outcome, const struct err *why)
{
	bool lost = !outcome;
	json_t *d = detail_of(r, o, q);

	put(d, "outcome", outcome, SIZE_MAX);
	json_put(d, "status", json_integer(h->status));
	put(d, "output", h->bytes, OUTPUT_MAX);
	put(d, "complaint", h->complaint, OUTPUT_MAX);
	json_put(d, "took_ms", json_integer(h->took_us / CLOCK_MSEC));
	if (why && why->code != ERR_NONE)
		put(d, "error", why->text, SIZE_MAX);
	run_say_hard(r, lost ? LEDGER_LOST : LEDGER_ANSWERED, d);
}

/* No answer came that the dialect could judge. */
static enum sent judge_error(
	struct run *r, const struct order *o, const struct request *q, const struct heard *h)
{
	if (!h->left) {
		record(r, o, q, h, "not sent", &h->err);
		return SENT_NOT;
	}
	/* The device knows the account and does not let it: there was but this one question. */
	if (h->err.code == ERR_UNAUTHORISED) {
		record(r, o, q, h, "refused", &h->err);
		return SENT_REFUSED;
	}
	record(r, o, q, h, NULL, &h->err);
	return SENT_LOST;
}

static enum sent judge(struct run *r, const struct order *o, const struct request *q,
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
		record(r, o, q, h, "taken", NULL);
		return SENT_TAKEN;
	case TAKEN_WAIT:
		record(r, o, q, h, "waiting", NULL);
		*wait = true;
		return SENT_LOST;
	case TAKEN_NO:
		break;
	}
	request_line(q, line, sizeof(line));
	if (why->code == ERR_NONE)
		(void)err_set(
			why, ERR_PROTOCOL, r->plan->device, "the device refused \"%s\"", line);
	/* A session that ended under the command: how far it came, nobody knows. */
	if (h->status < 0 && why->code != ERR_UNAUTHORISED) {
		record(r, o, q, h, NULL, why);
		return SENT_LOST;
	}
	record(r, o, q, h, "refused", why);
	return SENT_REFUSED;
}

static enum sent send_filled(
	struct run *r, const struct order *o, const struct request *q, struct err *why)
{
	int64_t left = order_settle_us(o) / ACTOR_AGAIN_US;
	int64_t end = clock_mono(&clock_system) + order_settle_us(o);
	struct heard h;
	enum sent sent;
	bool wait = false;
	char line[200];

	request_line(q, line, sizeof(line));
	actor_note(r->a, TONE_COMMAND, "%s", line);
	for (;;) {
		if (!announce(r, o, q, why))
			return SENT_NOT;
		actor_permit(r->a);
		r->sent = true;
		atomic_store(&r->a->acting, true);
		(void)actor_ask(r->a, q, INT64_MAX, &h);
		wait = false;
		sent = judge(r, o, q, &h, &wait, why);
		heard_free(&h);
		if (!wait)
			return sent;
		if (left-- <= 0 || clock_mono(&clock_system) >= end)
			break;
		actor_pause(r->a, ACTOR_AGAIN_US);
	}
	(void)err_set(why, ERR_TIMEOUT, r->plan->device, "the device is still at it: %s", line);
	return SENT_LOST;
}

enum sent run_send(
	struct run *r, const struct order *o, const struct request *request, struct err *why)
{
	struct request q;
	enum sent sent;

	if (!filled(request, &r->notes, &q)) {
		(void)err_set(why, ERR_PROTOCOL, r->plan->device,
			"%s: no answer told the revision that it is about", request->name);
		return SENT_NOT;
	}
	if (!actor_ready(r->a)) {
		(void)err_set(why, ERR_UNREACHABLE, r->plan->device,
			"the connection ended before \"%s\" was sent", request->name);
		sent = SENT_NOT;
	} else {
		sent = send_filled(r, o, &q, why);
	}
	filled_free(&q);
	return sent;
}
