/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/eos/eos_private.h"
#include "backends/parse/first_line.h"
#include "backends/parse/number_positions_json.h"
#include "base/str.h"

/* Decodes answers: the envelope of eAPI, the text of the CLI, and the meaning of refusals. */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- refusals ---- */

enum refusal {
	REFUSED,  /* not available in this release, chip or licence */
	INACTIVE, /* the feature is off */
	DENIED,   /* the user lacks the right */
	BROKEN,   /* unexpected error */
};

/* Error texts of the CLI: over SSH after "% ", in eAPI beside a code. */
static const struct {
	const char *words;
	enum refusal is;
} refusals[] = {
	{"privileged mode required", DENIED},
	{"uthorization denied", DENIED},
	{"ot authorized", DENIED},
	{"ermission", DENIED},
	{"inactive", INACTIVE},
	{"not enabled", INACTIVE},
	{"not running", INACTIVE},
	{"not configured", INACTIVE},
	{"nable to connect", BROKEN},
	{"nvalid input", REFUSED},
	{"ncomplete command", REFUSED},
	{"mbiguous command", REFUSED},
	{"unconverted", REFUSED},
	{"navailable command", REFUSED},
	{"ot supported", REFUSED},
	{"annot be used", REFUSED},
	{"revision", REFUSED},
};

static enum refusal refusal_of(const char *words, enum refusal otherwise)
{
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
		if (strstr(words, refusals[i].words))
			return refusals[i].is;
	return otherwise;
}

static void set_refusal(const struct target *t, enum refusal is, const char *line, struct err *err)
{
	switch (is) {
	case DENIED:
		err->code = ERR_UNAUTHORISED;
		err_cure(err, "give the user a role with the right to run: %s", line);
		break;
	case REFUSED:
		err->code = ERR_UNSUPPORTED;
		err_cure(err, "this EOS release or chip does not support: %s", line);
		break;
	case INACTIVE:
	case BROKEN:
	default:
		err_cure(err, "try the command %s: %s",
			t->transport == TRANSPORT_SSH ? "on the switch"
						      : "on the switch's page /explorer.html",
			line);
	}
}

static void report_needs(
	const struct eos_question *q, struct obs *o, enum validity v, const char *cure)
{
	for (unsigned i = 0; i < q->need_count; i++)
		need_say(o, q->needs[i], v, cure);
}

/*
 * The command is not available: use the question's next command; without one its needs are unmet.
 */
static void use_next(const struct eos_ask *a, struct obs *o, enum validity v, const char *cure)
{
	size_t next = a->choice + 1;

	eos_choose(a->q, o, next);
	if (next < eos_command_count(a->q))
		o->again = true;
	else
		report_needs(a->q, o, v, cure);
}

/*
 * A command that this system lacks leaves its needs unmet, but the poll goes on. The same holds for
 * a command that the user may not run: if it were sent each second, it would fill the accounting
 * log.
 */
static bool parse_refusal(const struct eos_ask *a, enum refusal is, struct obs *o, struct err *err)
{
	const struct eos_question *q = a->q;
	char cure[128];

	if (q->is_vital || is == BROKEN)
		return false;
	str_printf(cure, sizeof(cure), "give the user a role with the right to run: %s",
		q->commands[a->choice].line);
	if (is == DENIED)
		use_next(a, o, VALID_DISABLED, cure);
	else if (is == REFUSED)
		use_next(a, o, VALID_UNSUPPORTED, "");
	else
		report_needs(q, o, VALID_DISABLED, q->cure ? q->cure : "");
	*err = (struct err){0};
	return true;
}

/* ---- answers ---- */

static bool decode_answer(struct eos_ask *a, const struct target *t, const struct json_value *body,
	const char *text, size_t len, struct obs *o, struct err *err)
{
	const struct eos_command *c = &a->q->commands[a->choice];
	char cure[128];

	if (c->read ? text && c->read(t, text, len, o) : c->decode(t, body, o)) {
		if (eos_choice(a->q, t->facts) == eos_command_count(a->q))
			eos_choose(a->q, o, a->choice);
		eos_was_answered(a->q, t, o);
		a->is_answered = true;
		return true;
	}
	if (a->q->is_vital)
		return err_set(err, ERR_PROTOCOL, t->device,
			"railtop finds no known data in the answer to \"%s\"", c->line);
	str_printf(cure, sizeof(cure), "railtop does not know the output of this release: %s",
		c->line);
	use_next(a, o, VALID_UNSUPPORTED, cure);
	return true;
}

/* The text of the last failed command: error.data[n].errors[0]. */
static const char *error_detail(const struct json_value *error)
{
	const struct json_value *data = json_value_get(error, "data");
	size_t n = json_value_size(data);

	return n ? json_value_text_or(
			   json_value_at(json_value_get(json_value_at(data, n - 1), "errors"), 0),
			   "")
		 : "";
}

/*
 * Error codes of eAPI: 1000 a command failed, 1002 unknown or not allowed, 1003 no model, 1004 not
 * in that revision. Negative codes are those of JSON-RPC.
 */
static enum refusal set_rpc_error(
	const struct target *t, const char *line, const struct json_value *error, struct err *err)
{
	uint64_t code = 0;
	const char *detail = error_detail(error),
		   *text = json_value_text_or(json_value_get(error, "message"), "");
	enum refusal is;

	(void)json_value_u64(json_value_get(error, "code"), &code);
	err_set(err, ERR_PROTOCOL, t->device, "eAPI error %u: %s%s%s", (unsigned)code, text,
		*detail ? ": " : "", detail);
	is = refusal_of(*detail ? detail : text, code >= 1002 && code <= 1004 ? REFUSED : BROKEN);
	set_refusal(t, is, line, err);
	return is;
}

/* An answer to a call, and the reading position. */
struct reading {
	const struct target *t;
	const struct json_value *error, *results;
	size_t at;     /* first result of the current question */
	size_t failed; /* the result that is an error; SIZE_MAX: none */
	bool is_over;  /* the error has been handled */
};

/* The question's own command failed, or a command before it. */
static bool parse_failed(const struct reading *r, struct eos_ask *a, const struct json_value *body,
	struct obs *o, struct err *err)
{
	const struct eos_command *c = &a->q->commands[a->choice];
	enum refusal is = set_rpc_error(r->t, c->line, r->error, err);

	/* "enable", the first command, was refused. */
	if (c->is_privileged && r->failed == r->at) {
		is = DENIED;
		set_refusal(r->t, is, c->line, err);
	}
	if (!a->q->is_vital || !json_value_is(json_value_get(body, "interfaces"), DV_OBJECT))
		return parse_refusal(a, is, o, err);
	o->err = *err;
	*err = (struct err){0};
	return decode_answer(a, r->t, body, NULL, 0, o, err);
}

/* Decodes the part of the answer for one question. */
static bool parse_part(struct reading *r, struct eos_ask *a, struct obs *o, struct err *err)
{
	size_t own = r->at + (*eos_before(a) != '\0');
	const struct json_value *body = json_value_at(r->results, own);
	const char *text;

	if (str_eq(a->q->request, "fast") && r->failed != r->at)
		(void)eos_parse_version(r->t, json_value_at(r->results, r->at), o);
	r->is_over = r->failed <= own;
	if (r->is_over)
		return parse_failed(r, a, body, o, err);
	r->at = own + 1;
	if (!json_value_is(body, DV_OBJECT))
		return err_set(err, ERR_PROTOCOL, r->t->device,
			"the eAPI answer to \"%s\" has no result", a->q->request);
	text = json_value_text(json_value_get(body, "output"));
	return decode_answer(a, r->t, body, text, text ? strlen(text) : 0, o, err);
}

/*
 * Decodes the answer to several questions. An error of one is reported in that question's batch. No
 * command ran after the failed one; the rest is requested again without it.
 */
static void parse_parts(struct reading *r, struct eos_call *call, struct obs *o)
{
	/* The first question uses the batch of the call itself if both have the same name. */
	bool is_first = str_eq(o->request, call->asks[0].q->request);
	size_t i;

	for (i = 0; i < call->n && !r->is_over; i++) {
		struct obs *part = i || !is_first ? obs_more(o, call->asks[i].q->request) : o;
		struct err err = {0};

		if (part != o)
			positions_next(r->t->slots);

		if (!parse_part(r, &call->asks[i], part, &err)) {
			part->result = OBS_FAILED;
			part->err = err;
		}
		part->again = false;
	}
	o->again = i < call->n;
	call->n = i; /* questions that did not run remain in the call */
}

static bool parse_call(struct eos_call *call, const struct target *t, const struct json_value *doc,
	struct obs *o, struct err *err)
{
	const struct json_value *error = json_value_get(doc, "error");
	struct reading r = {.t = t,
		.error = error,
		.results = error ? json_value_get(error, "data") : json_value_get(doc, "result"),
		.failed = SIZE_MAX};
	uint64_t known = eos_known(t->facts);
	size_t n = json_value_size(r.results);
	bool ok = true;

	if (error)
		r.failed = n ? n - 1 : 0;
	if (call->n == 1) {
		ok = parse_part(&r, &call->asks[0], o, err);
	} else if (error && !n) {
		/* No command ran: the next time each is sent alone. */
		(void)set_rpc_error(t, "(several commands)", error, &o->err);
		o->result = OBS_FAILED;
	} else {
		parse_parts(&r, call, o);
	}
	/* The error concerns none of the questions. */
	if (ok && error && n && !r.is_over)
		(void)set_rpc_error(t, "(several commands)", error, &o->err);
	for (size_t i = 0; i < call->n; i++) {
		uint64_t bit = eos_bit(call->asks[i].q);

		known = call->asks[i].is_answered ? known | bit : known & ~bit;
	}
	eos_learn_known(t, o, known);
	return ok;
}

bool eos_parse_https(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	struct json_select d;
	const struct json_value *doc = json_select_whole(&d, bytes, len, t->slots, t->device, err);
	struct eos_call call;
	bool ok;

	if (!doc)
		return err_cure(err, "enable eAPI: management api http-commands, no shutdown");
	positions_read(t->slots, &d);
	ok = eos_call_of(t, request, json_value_get(doc, "id"), &call)
		     ? parse_call(&call, t, doc, o, err)
		     : err_set(err, ERR_INTERNAL, t->device, "eos has no request \"%s\"", request);
	positions_read(t->slots, NULL);
	json_select_free(&d);
	return ok;
}

/* The first line has the CLI's own message, after "% ". */
static bool parse_cli_error(const struct eos_ask *a, const struct target *t, const char *bytes,
	size_t len, struct obs *o, struct err *err)
{
	const char *asked = a->q->commands[a->choice].line;
	enum refusal is;
	char line[160];

	parse_first_line(bytes, len, line, sizeof(line));
	err_set(err, ERR_PROTOCOL, t->device, "the CLI answers \"%s\" with: %s", asked, line);
	is = refusal_of(line, BROKEN);
	set_refusal(t, is, asked, err);
	return parse_refusal(a, is, o, err);
}

bool eos_parse_cli(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	struct eos_ask a = {.q = eos_question_find(request)};
	size_t blank = strspn(bytes, " \r\n\t");
	const struct eos_command *c;
	const struct json_value *doc;
	struct json_select d;
	bool ok;

	if (!a.q)
		return err_set(err, ERR_INTERNAL, t->device, "eos has no request \"%s\"", request);
	a.choice = eos_asked(a.q, t->facts);
	c = &a.q->commands[a.choice];
	if (blank < len && bytes[blank] == '%')
		return parse_cli_error(&a, t, bytes + blank, len - blank, o, err);
	if (c->read)
		return decode_answer(&a, t, NULL, bytes, len, o, err);
	doc = json_select_whole(&d, bytes, len, t->slots, t->device, err);
	if (!doc)
		return err_cure(err, "try on the switch: %s | json", c->line);
	positions_read(t->slots, &d);
	ok = decode_answer(&a, t, doc, NULL, 0, o, err);
	positions_read(t->slots, NULL);
	json_select_free(&d);
	return ok;
}
