/* SPDX-License-Identifier: Apache-2.0 */
#include "views/audit_acts.h"

#include <stdint.h>
#include <string.h>

#include "base/str.h"

/*
 * The event names are those of the ledger (actions/ledger/ledger.h), which views know as text only.
 */

static bool is_any(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(word, list[i]))
			return true;
	return false;
}

/* Events that occur only after "begun". "settled" is a line of its own. */
static bool is_step(const char *event)
{
	static const char *const steps[] = {
		"sending", "answered", "lost", "read", "done", "failed", "unknown", "watched"};

	return is_any(event, steps, sizeof(steps) / sizeof(steps[0]));
}

size_t audit_begun(const struct audit_log *log, size_t i)
{
	const struct audit_row *row = &log->rows.at[i];

	if (str_eq(row->event, "begun"))
		return i;
	if (!is_step(row->event))
		return AUDIT_NONE;
	while (i-- > 0)
		if (str_eq(log->rows.at[i].act, row->act) && str_eq(log->rows.at[i].event, "begun"))
			return i;
	return AUDIT_NONE;
}

static void take_done(struct audit_end *e, const char *text)
{
	/* Neither an unconfirmed change nor words that an operator may run are done. */
	e->word = str_starts(text, "taken")     ? "taken"
		  : str_starts(text, "written") ? "written"
						: "done";
	e->role = str_eq(e->word, "done") ? ROLE_OK : ROLE_NORMAL;
}

/*
 * Parses "watched: held" or "watched: broke: its link went down". A watch that was given up is not
 * news.
 */
static bool take_watch(struct audit_end *e, const char *text)
{
	static const struct {
		const char *text, *word;
		enum role role;
	} ends[] = {{"watched: held", "held", ROLE_OK}, {"watched: broke", "broke", ROLE_CRIT},
		{"watched: taken back", "taken back", ROLE_NORMAL}};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (!str_starts(text, ends[i].text))
			continue;
		e->word = ends[i].word;
		e->role = ends[i].role;
		return true;
	}
	return false;
}

static void take_end(struct audit_end *e, const struct audit_row *row, size_t i)
{
	if (str_eq(row->event, "done")) {
		take_done(e, row->text);
	} else if (str_eq(row->event, "failed")) {
		e->word = "failed";
		e->role = ROLE_WARN;
	} else if (str_eq(row->event, "unknown")) {
		e->word = "unknown";
		e->role = ROLE_CRIT;
	} else if (str_eq(row->event, "settled")) {
		e->word = "settled";
		e->role = ROLE_NORMAL;
	} else if (!str_eq(row->event, "watched") || !take_watch(e, row->text)) {
		return;
	}
	e->line = i;
}

struct audit_end audit_end_of(const struct audit_log *log, size_t i)
{
	struct audit_end e = {.word = "unfinished", .role = ROLE_WARN, .line = AUDIT_NONE};
	const char *act = log->rows.at[i].act;

	for (size_t k = i + 1; k < log->rows.n; k++) {
		if (!str_eq(log->rows.at[k].act, act))
			continue;
		e.steps += is_step(log->rows.at[k].event);
		take_end(&e, &log->rows.at[k], k);
	}
	return e;
}

const char *audit_reason(const struct audit_log *log, size_t i)
{
	const char *text = log->rows.at[i].text;

	return str_starts(text, "begun: ") ? text + strlen("begun: ") : "";
}
