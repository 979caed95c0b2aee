/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialect_eos_private.h"
#include "base/str.h"

/* Answers: the envelope of eAPI, the words of the CLI, and what a refusal means. */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- refusals ---- */

enum refusal {
	REFUSED,  /* this release, chip or licence does not have it */
	INACTIVE, /* it is not switched on */
	DENIED,   /* the user may not */
	BROKEN,   /* it should have worked */
};

/* What the CLI says, over SSH behind "% ", in eAPI beside a code. */
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
		err_cure(err, "give the user a role that may run: %s", line);
		break;
	case REFUSED:
		err->code = ERR_UNSUPPORTED;
		err_cure(err, "this EOS release or chip does not have: %s", line);
		break;
	case INACTIVE:
	case BROKEN:
	default:
		err_cure(err, "try it %s: %s",
			t->transport == TRANSPORT_SSH ? "on the switch"
						      : "in the switch's own page /explorer.html",
			line);
	}
}

static void say_needs(
	const struct eos_question *q, struct obs *o, enum validity v, const char *cure)
{
	for (unsigned i = 0; i < q->need_count; i++)
		need_say(o, q->needs[i], v, cure);
}

/* The command is not to be had: the next one, if there is one, else its needs are lost. */
static void give_up(
	const struct eos_question *q, const struct target *t, struct obs *o, const char *cure)
{
	size_t next = eos_asked(q, t->facts) + 1;

	eos_choose(q, o, next);
	if (next < eos_command_count(q))
		o->again = true;
	else
		say_needs(q, o, VALID_UNSUPPORTED, cure);
}

/* A command that this system lacks costs its need, not the poll. */
static bool parse_refusal(const struct eos_question *q, const struct target *t, enum refusal is,
	struct obs *o, struct err *err)
{
	const char *line = q->commands[eos_asked(q, t->facts)].line;
	char cure[128];

	if (q->is_vital || is == BROKEN)
		return false;
	str_copy(cure, sizeof(cure), q->cure ? q->cure : "");
	if (is == DENIED)
		str_printf(cure, sizeof(cure), "give the user a role that may run: %s", line);
	if (is == REFUSED)
		give_up(q, t, o, "");
	else
		say_needs(q, o, VALID_DISABLED, cure);
	*err = (struct err){0};
	return true;
}

/* ---- answers ---- */

static bool decode(const struct eos_question *q, const struct target *t,
	const struct eos_command *c, const json_t *body, const char *text, size_t len,
	struct obs *o, struct err *err)
{
	char cure[128];

	if (c->read ? text && c->read(t, text, len, o) : c->decode(t, body, o)) {
		if (eos_choice(q, t->facts) == eos_command_count(q))
			eos_choose(q, o, eos_asked(q, t->facts));
		return true;
	}
	if (q->is_vital)
		return err_set(err, ERR_PROTOCOL, t->device,
			"the answer to \"%s\" has nothing that railtop knows", c->line);
	str_printf(
		cure, sizeof(cure), "railtop does not know what this release prints: %s", c->line);
	give_up(q, t, o, cure);
	return true;
}

/* The words of the last failed command: error.data[n].errors[0]. */
static const char *error_detail(const json_t *error)
{
	const json_t *data = pj_get(error, "data");
	size_t n = json_array_size(data);

	return n ? pj_text_or(pj_at(pj_get(pj_at(data, n - 1), "errors"), 0), "") : "";
}

/*
 * Codes of eAPI: 1000 a command failed, 1002 it is not known or not allowed, 1003 it has no model,
 * 1004 not in that revision. Negative ones are JSON-RPC's.
 */
static enum refusal set_rpc_error(
	const struct target *t, const struct eos_command *c, const json_t *error, struct err *err)
{
	uint64_t code = 0;
	const char *detail = error_detail(error), *text = pj_text_or(pj_get(error, "message"), "");
	enum refusal is;

	(void)pj_u64(pj_get(error, "code"), &code);
	err_set(err, ERR_PROTOCOL, t->device, "eAPI error %u: %s%s%s", (unsigned)code, text,
		*detail ? ": " : "", detail);
	is = refusal_of(*detail ? detail : text, code >= 1002 && code <= 1004 ? REFUSED : BROKEN);
	/* Already "enable", the first in the list, was refused. */
	if (c->is_privileged && json_array_size(pj_get(error, "data")) < 2)
		is = DENIED;
	set_refusal(t, is, c->line, err);
	return is;
}

/* The result of the question's own command, whatever became of it. */
static const json_t *own_result(const struct eos_question *q, const struct eos_command *c,
	const struct target *t, const json_t *results, struct obs *o)
{
	if (c->is_privileged)
		return pj_at(results, 1);
	if (!str_eq(q->request, "fast"))
		return pj_at(results, 0);
	(void)eos_parse_version(t, pj_at(results, 0), o);
	return pj_at(results, 1);
}

static bool parse_eapi(const struct eos_question *q, const struct target *t, const json_t *doc,
	struct obs *o, struct err *err)
{
	const struct eos_command *c = &q->commands[eos_asked(q, t->facts)];
	const json_t *error = pj_get(doc, "error"), *body;
	const char *text;

	if (error) {
		enum refusal is = set_rpc_error(t, c, error, err);

		body = own_result(q, c, t, pj_get(error, "data"), o);
		if (!q->is_vital || !json_is_object(pj_get(body, "interfaces")))
			return parse_refusal(q, t, is, o, err);
		o->err = *err;
		*err = (struct err){0};
		return decode(q, t, c, body, NULL, 0, o, err);
	}
	body = own_result(q, c, t, pj_get(doc, "result"), o);
	if (!json_is_object(body))
		return err_set(err, ERR_PROTOCOL, t->device,
			"the eAPI answer to \"%s\" has no result", q->request);
	text = pj_text(pj_get(body, "output"));
	return decode(q, t, c, body, text, text ? strlen(text) : 0, o, err);
}

bool eos_parse_https(const struct eos_question *q, const struct target *t, const char *bytes,
	size_t len, struct obs *o, struct err *err)
{
	json_t *doc = parse_json(bytes, len, t->device, err);
	bool ok;

	if (!doc)
		return err_cure(err, "is eAPI on? management api http-commands, no shutdown");
	ok = parse_eapi(q, t, doc, o, err);
	json_decref(doc);
	return ok;
}

/* The CLI's own words stand in the first line, behind "% ". */
static bool parse_cli_error(const struct eos_question *q, const struct target *t, const char *bytes,
	size_t len, struct obs *o, struct err *err)
{
	const char *asked = q->commands[eos_asked(q, t->facts)].line;
	enum refusal is;
	char line[160];

	parse_first_line(bytes, len, line, sizeof(line));
	err_set(err, ERR_PROTOCOL, t->device, "the CLI answers \"%s\" with: %s", asked, line);
	is = refusal_of(line, BROKEN);
	set_refusal(t, is, asked, err);
	return parse_refusal(q, t, is, o, err);
}

bool eos_parse_cli(const struct eos_question *q, const struct target *t, const char *bytes,
	size_t len, struct obs *o, struct err *err)
{
	const struct eos_command *c = &q->commands[eos_asked(q, t->facts)];
	size_t blank = strspn(bytes, " \r\n\t");
	json_t *doc;
	bool ok;

	if (blank < len && bytes[blank] == '%')
		return parse_cli_error(q, t, bytes + blank, len - blank, o, err);
	if (c->read)
		return decode(q, t, c, NULL, bytes, len, o, err);
	doc = parse_json(bytes, len, t->device, err);
	if (!doc)
		return err_cure(err, "does this run on the switch: %s | json", c->line);
	ok = decode(q, t, c, doc, NULL, 0, o, err);
	json_decref(doc);
	return ok;
}
