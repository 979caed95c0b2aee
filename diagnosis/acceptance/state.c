/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and findings. */
#include "base/str.h"
#include "diagnosis/acceptance/acceptance_private.h"
#include "diagnosis/lint/lint.h"

/* ---- settings ---- */

static void add_lint(const struct accepted *a, const struct lint_row *r, enum accept_result result)
{
	struct accept_row *row = accept_add(a, ACCEPT_SETTINGS, result, r->at);

	(void)str_printf(row->is, sizeof(row->is), "%s%s%s", finding_info[r->id].name,
		r->is[0] ? ": " : "", r->is);
	if (r->should[0])
		(void)str_printf(row->should, sizeof(row->should), "%s%s%s%s", r->should,
			r->reason[0] ? " (" : "", r->reason, r->reason[0] ? ")" : "");
	(void)str_copy(row->cure, sizeof(row->cure), r->cure);
}

/* Whether a whole that could not be checked has something to do with the object. */
static bool lacks_input(const struct accepted *a, const struct lint_row *r)
{
	if (r->result != LINT_UNKNOWN)
		return false;
	if (r->at.kind != REF_TIER)
		return accept_concerns(a, r->at);
	for (size_t i = 0; i < a->devices.n; i++)
		if (a->devices.at[i]->tier == (enum tier)r->at.tier)
			return true;
	return false;
}

/* Design and placement are of the fabric, not of a host. */
static bool is_setting(enum finding_id id)
{
	return id != FIND_LINT_PLACEMENT && id != FIND_LINT_OVERSUBSCRIPTION &&
	       id != FIND_LINT_HASH && id != FIND_LINT_POLL_PATH;
}

void accept_settings(const struct accepted *a)
{
	unsigned differ = 0, unknown = 0, fine = 0;
	struct accept_row *row;
	lint_vec rows = {0};

	lint_check(a->m, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const struct lint_row *r = &rows.at[i];
		bool concerns = accept_concerns(a, r->at) || accept_concerns(a, r->peer);

		if (!is_setting(r->id))
			continue;
		fine += r->result == LINT_OK;
		if (r->result == LINT_DIFFERS && concerns) {
			add_lint(a, r, ACCEPT_FAIL);
			differ++;
		} else if (lacks_input(a, r)) {
			add_lint(a, r, ACCEPT_UNKNOWN);
			a->out->at[a->out->n - 1].at = a->at;
			if (!a->out->at[a->out->n - 1].cure[0])
				(void)str_copy(a->out->at[a->out->n - 1].cure,
					sizeof(a->out->at[0].cure),
					"not reported: railtop check lists what the device lacks");
			unknown++;
		}
	}
	vec_free(&rows);
	if (differ)
		return;
	row = accept_add(a, ACCEPT_SETTINGS, fine ? ACCEPT_PASS : ACCEPT_UNKNOWN, a->at);
	(void)str_printf(row->is, sizeof(row->is),
		fine ? "nothing differs in what could be compared" : "nothing could be compared");
	if (!fine)
		(void)str_copy(row->cure, sizeof(row->cure),
			"railtop lint lists the checks and what each lacks");
}

/* ---- findings ---- */

#define FINDINGS_MOST 64

static bool tells_against(const struct finding *f)
{
	/* Lint has its own check, and a risk of the whole fabric is not about this host. */
	return f->severity >= SEV_WARN && f->role != ROLE_VICTIM &&
	       finding_info[f->id].family != FAMILY_MONITOR &&
	       !str_starts(finding_info[f->id].name, "lint.");
}

static bool known_before(const struct finding *const *seen, size_t n, const struct finding *f)
{
	for (size_t i = 0; i < n; i++)
		if (seen[i] == f)
			return true;
	return false;
}

static void add_finding(const struct accepted *a, const struct finding *f)
{
	struct accept_row *row = accept_add(a, ACCEPT_FINDINGS, ACCEPT_FAIL, f->at);
	const char *book = finding_info[f->id].runbook;

	(void)str_printf(row->is, sizeof(row->is), "%s: %s", finding_info[f->id].name, f->title);
	if (book[0])
		(void)str_printf(row->cure, sizeof(row->cure), "runbook %s", book);
}

static size_t take_findings(
	const struct accepted *a, struct ref at, const struct finding **seen, size_t n)
{
	const struct finding *here[FINDINGS_MOST];
	size_t found = diag_findings_at(a->d, a->m, at, here, FINDINGS_MOST);

	for (size_t i = 0; i < found && n < FINDINGS_MOST; i++) {
		if (!tells_against(here[i]) || known_before(seen, n, here[i]))
			continue;
		add_finding(a, here[i]);
		seen[n++] = here[i];
	}
	return n;
}

void accept_findings(const struct accepted *a)
{
	const struct finding *seen[FINDINGS_MOST];
	bool read = false;
	size_t n = 0;
	struct accept_row *row;

	for (size_t i = 0; a->d && i < a->devices.n && a->at.kind == REF_DEVICE; i++)
		n = take_findings(a, at_device(a->devices.at[i]->id), seen, n);
	for (size_t i = 0; a->d && i < a->ports.n; i++)
		n = take_findings(a, at_port(a->ports.at[i]->id), seen, n);
	for (size_t i = 0; i < a->devices.n; i++)
		read |= a->devices.at[i]->state == DEV_FRESH || a->devices.at[i]->state == DEV_LATE;
	if (n)
		return;
	row = accept_add(a, ACCEPT_FINDINGS, read && a->d ? ACCEPT_PASS : ACCEPT_UNKNOWN, a->at);
	(void)str_copy(row->is, sizeof(row->is),
		read && a->d ? "no finding is open about it" : "nothing was judged");
	if (!read || !a->d)
		(void)str_copy(row->cure, sizeof(row->cure), "let railtop read it first");
}
