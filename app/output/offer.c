/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/output/act_json.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Four eyes: a plan is offered in a file beside the ledger. Only its sealed part is covered by the
 * hash, so only that is shown as fact. The rest is shown as the words of the one who asks.
 */

#define SHEET_WIDTH 98
#define SHEET_MOST  200 /* lines of the other's sheet that are shown */
#define LINE_MOST   400

static void add_sheet_line(void *ctx, enum plan_tone tone, const char *text)
{
	(void)tone;
	json_append(ctx, json_string(text));
}

bool act_offer(const struct action_manager *a, const struct consent *c, struct err *err)
{
	char *dir = ledger_beside(manager_ledger_path(a), "approvals");
	const struct act_plan *p = manager_plan(a);
	const refusal_vec *no = manager_refusals(a);
	json_t *o = act_plan_json(p), *sheet = json_array(), *refused = json_array();
	char line[640], at[32];
	bool ok;

	act_plan_lines(p, SHEET_WIDTH, add_sheet_line, sheet);
	for (size_t i = 0; i < no->n; i++) {
		/* The lack of this approval is no news to the one who gives it. */
		if (str_eq(no->at[i].guard, "four-eyes"))
			continue;
		refusal_line(&no->at[i], line, sizeof(line));
		json_append(refused, json_string(line));
	}
	json_put(o, "sealed", act_plan_sealed(p));
	json_put(o, "asked_by", json_string(manager_user(a)->user));
	json_put(o, "asked_at",
		json_string(clock_format_utc(clock_wall(&clock_system), at, sizeof(at))));
	json_put(o, "reason", json_string(c ? c->reason : ""));
	json_put(o, "incident", json_string(c ? c->incident : ""));
	json_put(o, "sheet", sheet);
	json_put(o, "refused", refused);
	ok = approval_offer(dir, p->hash, o, err);
	free(dir);
	return ok;
}

static void place_of(const json_t *sealed, char place[2 * NAME_MAX_LEN + 4])
{
	const char *device = json_string_value(json_object_get(sealed, "device"));
	const char *port = json_string_value(json_object_get(sealed, "port"));
	const json_t *priority = json_object_get(sealed, "priority");

	(void)str_printf(place, (size_t)2 * NAME_MAX_LEN, "%s%s%s", device ? device : "",
		port && *port ? ":" : "", port ? port : "");
	if (json_is_integer(priority) && json_integer_value(priority) >= 0)
		(void)str_printf(
			place + strlen(place), 4, ":%d", (int)(json_integer_value(priority) & 7));
}

/* The file is untrusted: only a plan with this hash is the one that will run. */
static json_t *unseal_plan(const json_t *offer, const char *hash, struct err *err)
{
	const char *text = json_string_value(json_object_get(offer, "sealed"));
	char is[65] = "";
	json_t *o = NULL;

	if (text)
		sha256_hex(text, strlen(text), is);
	if (str_eq(is, hash))
		o = json_loads(text, 0, NULL);
	if (!json_is_object(o)) {
		json_decref(o);
		(void)err_set(err, ERR_REFUSED, hash, "the offered plan has a different hash");
		return NULL;
	}
	return o;
}

/* ---- the sheet ---- */

/* Prints a text of a file that another user wrote. */
static void put_clean(FILE *out, const char *label, const char *text)
{
	char clean[LINE_MOST];

	(void)str_sanitise(clean, sizeof(clean), text, strlen(text));
	(void)fprintf(out, "%s%s\n", label, clean);
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* Nothing of a command is left out, however long it is: an approval covers all of it. */
static void put_command(void *ctx, const char *text)
{
	size_t len = strlen(text), size = 4 * len + 1;
	char *clean = mem_alloc(size);

	(void)str_sanitise(clean, size, text, len);
	(void)fprintf(ctx, "       %s\n", clean);
	free(clean);
}

/* One order of the sealed plan: its verb, and each line that is sent. */
static void put_order(FILE *out, const char *label, const json_t *order)
{
	const json_t *list = json_object_get(order, "requests");

	put_clean(out, label, text_of(order, "verb"));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *j = json_array_get(list, i);
		const char *command = text_of(j, "command"), *input = text_of(j, "input"),
			   *body = text_of(j, "body");
		struct request r = {.command = *command ? (char *)(uintptr_t)command : NULL,
			.input = *input ? (char *)(uintptr_t)input : NULL,
			.method = text_of(j, "method"),
			.path = (char *)(uintptr_t)text_of(j, "path"),
			.body = *body ? (char *)(uintptr_t)body : NULL};

		request_each_line(&r, put_command, out);
	}
}

static void put_sealed(FILE *out, const json_t *sealed)
{
	const json_t *steps = json_object_get(sealed, "steps");
	char label[32];

	(void)fprintf(out,
		"The approval covers these commands, byte by byte (their hash was checked):\n");
	put_clean(out, "  device ", text_of(sealed, "device"));
	for (size_t i = 0; i < json_array_size(steps); i++) {
		const json_t *s = json_array_get(steps, i), *undo = json_object_get(s, "undo");

		(void)str_printf(label, sizeof(label), "  %zu. ", i + 1);
		put_order(out, label, s);
		if (json_is_true(json_object_get(s, "unproven")))
			(void)fprintf(
				out, "       HAZARD: never tried on this platform's hardware\n");
		if (json_is_true(json_object_get(s, "sites_own")))
			(void)fprintf(
				out, "       these lines are the site's own, of the inventory\n");
		if (json_is_object(undo))
			put_order(out, "     taken back by ", undo);
	}
}

/* What the one who asks says and saw. */
static void put_asked(FILE *out, const json_t *offer)
{
	const json_t *sheet = json_object_get(offer, "sheet"),
		     *refused = json_object_get(offer, "refused");
	const char *reason = text_of(offer, "reason"), *incident = text_of(offer, "incident");

	put_clean(out, "Asked by   ", text_of(offer, "asked_by"));
	put_clean(out, "at         ", text_of(offer, "asked_at"));
	put_clean(out, "Reason     ",
		*reason ? reason : "not stated yet; it is asked for before the action");
	put_clean(out, "Incident   ",
		*incident ? incident : "not stated yet; it is asked for before the action");
	for (size_t i = 0; i < json_array_size(refused) && i < SHEET_MOST; i++)
		put_clean(out, i ? "           " : "Open       ",
			json_string_value(json_array_get(refused, i))
				? json_string_value(json_array_get(refused, i))
				: "");
	(void)fprintf(out, "\nThe sheet as the one who asks saw it:\n");
	for (size_t i = 0; i < json_array_size(sheet) && i < SHEET_MOST; i++) {
		const char *line = json_string_value(json_array_get(sheet, i));

		put_clean(out, "  ", line ? line : "");
	}
	if (!json_array_size(sheet))
		(void)fprintf(out, "  (it was offered by an older railtop, without a sheet)\n");
}

bool act_offered(const char *dir, const char *hash, char place[2 * NAME_MAX_LEN + 4], FILE *out,
	struct err *err)
{
	json_t *offer = approval_plan(dir, hash, err);
	json_t *plan = offer ? unseal_plan(offer, hash, err) : NULL;

	if (plan) {
		place_of(plan, place);
		put_clean(out, "", text_of(plan, "action"));
		put_clean(out, "on         ", place);
		put_asked(out, offer);
		(void)fputc('\n', out);
		put_sealed(out, plan);
		(void)fprintf(out, "\nTo approve means: for ten minutes the one who asks may send "
				   "exactly these "
				   "commands\nto this device, once, after all other guards have "
				   "been asked again. "
				   "Both names go\ninto the ledger.\n");
	}
	json_decref(plan);
	json_decref(offer);
	return plan != NULL;
}
