/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/finding_text.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/summary.h"

struct ref ref_of_finding(uint64_t key)
{
	return (struct ref){.kind = REF_FINDING, .seq = key};
}

const struct finding *finding_of(const struct view_ctx *ctx, struct ref r, int64_t *closed_us)
{
	const struct finding *f;
	int64_t when = 0;

	if (closed_us)
		*closed_us = 0;
	if (!ctx->diag || r.kind != REF_FINDING)
		return NULL;
	f = diag_finding(ctx->diag, r.seq);
	if (f)
		return f;
	for (size_t i = 0; (f = diag_closed(ctx->diag, i, &when)); i++) {
		if (f->key != r.seq)
			continue;
		if (closed_us)
			*closed_us = when;
		return f;
	}
	return NULL;
}

const struct finding *finding_root(const struct diag *d, const struct finding *f)
{
	/* Chains of explanations are short; the limit stops at a cycle. */
	for (int steps = 0; f->root && f->root != f->key && steps < 8; steps++) {
		const struct finding *up = diag_finding(d, f->root);

		if (!up)
			break;
		f = up;
	}
	return f;
}

enum role role_of_finding(const struct view_ctx *ctx, const struct finding *f)
{
	if (finding_acked(f, ctx->now_us) || f->role == ROLE_INFO)
		return ROLE_DIM;
	return role_of_severity(f->severity);
}

char *place_text(const struct view_ctx *ctx, struct ref at, char *dst, size_t size)
{
	if (at.kind == REF_NONE)
		(void)str_copy(dst, size, "-");
	else if (at.kind == REF_FABRIC)
		(void)str_copy(dst, size, "fabric");
	else if (!ref_format(ctx->model, at, dst, size) && !dst[0])
		(void)str_copy(dst, size, "-");
	return dst;
}

char *ack_text(const struct view_ctx *ctx, const struct finding *f, char *dst, size_t size)
{
	char until[32];

	dst[0] = '\0';
	if (!finding_acked(f, ctx->now_us))
		return dst;
	(void)view_hms(ctx, f->ack_until_us, until, sizeof(until));
	until[5] = '\0';
	(void)str_printf(dst, size, "ack until %s%s%s%s%s", until, f->ack_user[0] ? " by " : "",
		f->ack_user, f->ack_note[0] ? ": " : "", f->ack_note);
	return dst;
}

char *ends_text(const struct view_ctx *ctx, const struct finding *f, char *dst, size_t size)
{
	char at[160], peer[160];

	(void)place_text(ctx, f->at, at, sizeof(at));
	if (f->peer.kind == REF_NONE)
		(void)str_copy(dst, size, at);
	else
		(void)str_printf(
			dst, size, "%s <-> %s", at, place_text(ctx, f->peer, peer, sizeof(peer)));
	return dst;
}

char *stands_text(const struct model *m, const struct finding *f, char *dst, size_t size)
{
	const struct device *d[] = {ref_device(m, f->at), ref_device(m, f->peer)};
	char stand[2][STAND_TEXT] = {"", ""};

	for (size_t i = 0; i < 2; i++)
		if (d[i])
			(void)device_stand(d[i], stand[i], sizeof(stand[i]));
	(void)str_printf(dst, size, "%s%s%s", stand[0][0] || !stand[1][0] ? stand[0] : "not stated",
		stand[1][0] ? " <-> " : "", stand[1]);
	return dst;
}

/* ---- the verdict ---- */

/*
 * The verdict with a responsible side: "network 99 %: link.flapping leaf-r3-00:Ethernet8, this
 * cause 87 %".
 */
static void trouble_line(const struct view_ctx *ctx, const struct verdict_report *v,
	const struct finding *f, struct panel_line *out)
{
	const char *clean = v->fabric_clean ? ", fabric clean" : "";
	enum severity severity = verdict_severity(v);
	char ends[320] = "", sure[16], own[16];

	panel_say(out, role_of_severity(severity), severity_word(severity), "%s %s%s%s%s%s%s%s%s",
		verdict_name(v->verdict), str_share(v->confidence, "%", sure, sizeof(sure)),
		f ? ": " : "", f ? finding_info[f->id].name : "", f ? " " : "",
		f ? ends_text(ctx, f, ends, sizeof(ends)) : "", f ? ", this cause " : "",
		f ? str_share((double)f->confidence, "%", own, sizeof(own)) : "", clean);
}

static bool all_fresh(const struct model *m)
{
	struct coverage c = model_coverage(m);

	return c.by_state[DEV_FRESH] == c.devices;
}

enum severity severity_with_verdict(const struct view_ctx *ctx, enum severity of_ports)
{
	enum severity found;

	if (!ctx->diag)
		return of_ports;
	found = verdict_severity(diag_verdict(ctx->diag));
	if (found == SEV_OK && !all_fresh(ctx->model))
		found = SEV_UNKNOWN;
	/* A check that could not be made hides the green, but no warning. */
	if (found == SEV_UNKNOWN)
		return of_ports == SEV_OK ? SEV_UNKNOWN : of_ports;
	return found > of_ports ? found : of_ports;
}

void verdict_line(
	const struct view_ctx *ctx, const struct verdict_report *v, struct panel_line *out)
{
	const struct finding *f = ctx->diag ? diag_finding(ctx->diag, v->culprit) : NULL;
	enum severity severity = verdict_severity(v);
	char text[VERDICT_SENTENCE], seen[64] = "";
	struct coverage c = model_coverage(ctx->model);

	if (v->state == FABRIC_TROUBLE) {
		trouble_line(ctx, v, f, out);
		return;
	}
	verdict_sentence(v, ctx->model, ctx->now_us, text, sizeof(text));
	if (v->state == FABRIC_CLEAN)
		(void)str_printf(seen, sizeof(seen), "; %u of %u devices fresh",
			c.by_state[DEV_FRESH], c.devices);
	if (v->state == FABRIC_CLEAN && c.by_state[DEV_FRESH] < c.devices) {
		panel_say(out, ROLE_UNKNOWN, severity_word(SEV_UNKNOWN),
			"no trouble seen on %u of %u devices; %u late", c.by_state[DEV_FRESH],
			c.devices, c.devices - c.by_state[DEV_FRESH]);
		return;
	}
	panel_say(out, role_of_severity(severity), severity_word(severity), "%s%s", text, seen);
}

/* "2 culprits", with the responsible side if there is room. */
static void culprits_badge(
	const struct verdict_report *v, unsigned culprits, bool is_short, char *dst, size_t size)
{
	char count[32] = "", sure[16];

	if (culprits)
		(void)str_printf(
			count, sizeof(count), "%u culprit%s", culprits, str_plural(culprits));
	if (culprits && (is_short || v->state != FABRIC_TROUBLE))
		(void)str_copy(dst, size, count);
	else
		(void)str_printf(dst, size, "%s%s%s %s", count, culprits ? ", " : "",
			verdict_name(v->verdict),
			str_share(v->confidence, "%", sure, sizeof(sure)));
}

static void suspicion_badge(const struct verdict_report *v, bool is_short, char *dst, size_t size)
{
	const char *word = v->critical ? "cause not proven" : "suspicion";
	char counts[160];

	verdict_counts(v, counts, sizeof(counts));
	(void)str_printf(dst, size, "%s%s%s", word, is_short || !counts[0] ? "" : ": ",
		is_short ? "" : counts);
}

/*
 * Late devices may hide trouble that began after their last answer: "clean" is said only of a
 * fabric whose devices all answered in time, without a port that the tables mark, and without a
 * finding.
 */
static void clean_badge(
	const struct view_ctx *ctx, const struct verdict_report *v, char *dst, size_t size)
{
	struct coverage c = model_coverage(ctx->model);
	struct summary all;
	unsigned marked;

	summary_fabric(ctx, &all);
	marked = all.by_severity[SEV_WARN] + all.by_severity[SEV_CRIT];
	if (marked)
		(void)str_printf(
			dst, size, "no trouble, %u port%s marked", marked, str_plural(marked));
	else if (v->risks)
		(void)str_printf(
			dst, size, "no trouble, %u risk%s", v->risks, str_plural(v->risks));
	else if (c.by_state[DEV_FRESH] == c.devices)
		(void)str_copy(dst, size, "clean");
	else
		(void)str_printf(
			dst, size, "%u of %u devices clean", c.by_state[DEV_FRESH], c.devices);
}

bool findings_share_link(const struct model *m, const struct finding *a, const struct finding *b)
{
	const struct ref ends[2][2] = {{a->at, a->peer}, {b->at, b->peer}};
	const struct port *ports[2][3] = {{NULL}};

	for (unsigned f = 0; f < 2; f++) {
		ports[f][0] = ref_port(m, ends[f][0]);
		ports[f][1] = ref_port(m, ends[f][1]);
		ports[f][2] = ports[f][0] ? port_peer(m, ports[f][0], NULL) : NULL;
	}
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 3; k++)
			if (ports[0][i] && ports[0][i] == ports[1][k])
				return true;
	return false;
}

bool finding_is_cause(const struct view_ctx *ctx, size_t i)
{
	size_t n;
	const struct finding *const *all = diag_findings(ctx->diag, &n);

	if (i >= n || all[i]->role != ROLE_CULPRIT || finding_acked(all[i], ctx->now_us))
		return false;
	for (size_t k = 0; k < i; k++)
		if (all[k]->role == ROLE_CULPRIT && !finding_acked(all[k], ctx->now_us) &&
			findings_share_link(ctx->model, all[k], all[i]))
			return false;
	return true;
}

/* No device has answered in time: an empty place would read as calm. */
static bool is_blind(const struct view_ctx *ctx)
{
	struct coverage c = model_coverage(ctx->model);

	return c.devices && c.by_state[DEV_FRESH] + c.by_state[DEV_LATE] == 0 &&
	       c.by_state[DEV_PENDING] < c.devices;
}

void verdict_badge(const struct view_ctx *ctx, char *dst, size_t size, bool is_short)
{
	const struct verdict_report *v;
	unsigned culprits = 0;
	size_t n;

	dst[0] = '\0';
	if (!ctx->diag)
		return;
	v = diag_verdict(ctx->diag);
	(void)diag_findings(ctx->diag, &n);
	for (size_t i = 0; i < n; i++)
		culprits += finding_is_cause(ctx, i);
	if (culprits || v->state == FABRIC_TROUBLE)
		culprits_badge(v, culprits, is_short, dst, size);
	else if (v->state == FABRIC_SUSPECT)
		suspicion_badge(v, is_short, dst, size);
	else if (v->state == FABRIC_CLEAN)
		clean_badge(ctx, v, dst, size);
	else if (is_blind(ctx))
		(void)str_copy(dst, size, "not known");
}

/* ---- lines ---- */

void evidence_line(const struct view_ctx *ctx, const struct evidence *e, struct panel_line *out)
{
	char at[160] = "", value[160], when[32] = "";

	if (e->at.kind != REF_NONE)
		(void)place_text(ctx, e->at, at, sizeof(at));
	if (e->t_us > 0)
		(void)view_hms(ctx, e->t_us, when, sizeof(when));
	panel_say(out, e->against ? ROLE_OK : ROLE_ACCENT, e->against ? "against" : "for",
		"%s%s%s %s%s%s%s  %s %s", at, at[0] ? "  " : "", e->what,
		evidence_value(e, value, sizeof(value)), e->threshold[0] ? " (" : "", e->threshold,
		e->threshold[0] ? ")" : "", e->source, when);
}

void refuted_line(const struct view_ctx *ctx, const struct refuted *r, struct panel_line *out)
{
	char at[160] = "";

	if (r->at.kind != REF_NONE)
		(void)place_text(ctx, r->at, at, sizeof(at));
	panel_say(out, ROLE_DIM, "not", "%s%s%s: %s",
		r->id < FIND_COUNT ? finding_info[r->id].name : "?", at[0] ? " " : "", at, r->why);
}

void next_line(const struct finding *f, struct panel_line *out)
{
	const struct finding_info *info = &finding_info[f->id];

	panel_say(out, ROLE_ACCENT, "next", "%s%s%sview %s%s%s",
		info->runbook[0] ? "b runbook " : "", info->runbook, info->runbook[0] ? "; " : "",
		info->view, f->command[0] ? "; run: " : "", f->command);
}

bool finding_at_line(const struct view_ctx *ctx, struct ref at, struct panel_line *out)
{
	const struct finding *found[4], *f;
	char locator[240], victims[48] = "", ack[160], sure[16];
	size_t n;

	if (!ctx->diag)
		return false;
	n = diag_findings_at(ctx->diag, ctx->model, at, found, 4);
	if (!n)
		return false;
	f = found[0];
	finding_locator(ctx->model, f, locator, sizeof(locator));
	if (f->nvictims)
		(void)str_printf(victims, sizeof(victims), " of %u victim%s", f->nvictims,
			str_plural(f->nvictims));
	panel_say(out, role_of_finding(ctx, f), "finding", "%s, %s%s, %s%s%s%s%s", locator,
		finding_role_name(f->role), victims,
		str_share((double)f->confidence, "%", sure, sizeof(sure)),
		n > 1 ? ", more here" : "", finding_acked(f, ctx->now_us) ? ", " : "",
		ack_text(ctx, f, ack, sizeof(ack)), "; t traces");
	return true;
}

bool enter_place(const struct view_ctx *ctx, struct ref at, const char **view, struct ref *scope)
{
	const struct view_ops *v;

	if (at.kind == REF_BGP) {
		*view = "bgp";
		*scope = ref_wider(ctx->model, at);
		return scope->kind == REF_DEVICE;
	}
	/* A counter has no page: it is a row of its priority's view. Neither has a need. */
	if (at.kind == REF_LINK || at.kind == REF_COUNTER || at.kind == REF_NEED)
		at = ref_wider(ctx->model, at);
	if (at.kind == REF_NONE || at.kind == REF_ROW || at.kind == REF_EVENT ||
		at.kind == REF_TIER || at.kind == REF_FABRIC)
		return false;
	v = view_for_ref(ctx->model, at);
	if (!view_takes(v, at.kind) || !ref_lives(ctx->model, at))
		return false;
	*view = v->name;
	*scope = at;
	return true;
}
