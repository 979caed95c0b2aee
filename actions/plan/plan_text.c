/* SPDX-License-Identifier: Apache-2.0 */
/* The plan as text, as an operator reads it before typing the port's name. */
#include <math.h>
#include <string.h>

#include "actions/kinds/common.h"
#include "actions/plan/plan.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"

#define WIDTH_LEAST 40
#define WIDTH_MOST  198   /* a line of a sheet */
#define LABEL       10    /* columns for the label of a line */
#define LOAD_LEAST  0.001 /* of the speed: a smaller number has no meaning */

struct page {
	void (*line)(void *ctx, enum plan_tone tone, const char *text);
	void *ctx;
	size_t width;
};

/* Counts the bytes of text that fit into columns, without splitting a character. */
static size_t count_fitting(const char *text, size_t columns)
{
	size_t n = 0;

	for (; text[n] && (columns || ((unsigned char)text[n] & 0xc0) == 0x80); n++)
		columns -= ((unsigned char)text[n] & 0xc0) != 0x80;
	return n;
}

/* The length of the next line: up to the last blank that fits, else in the middle of a word. */
static size_t break_at(const char *text, size_t columns)
{
	size_t n = count_fitting(text, columns), at = n;

	if (!text[n])
		return n;
	while (at > n / 2 && text[at - 1] != ' ')
		at--;
	return at > n / 2 ? at : n;
}

/* first stands before the first line; the other lines are indented by its width. */
static void wrap_text(
	const struct page *g, enum plan_tone tone, const char *first, const char *text)
{
	size_t indent = strlen(first);
	char out[4 * WIDTH_MOST + 8], pad[32];

	(void)str_printf(pad, sizeof(pad), "%*s", (int)(indent < 24 ? indent : 24), "");
	do {
		size_t n = break_at(text, g->width - indent), shown = n;

		while (shown && text[shown - 1] == ' ')
			shown--;
		(void)str_printf(out, sizeof(out), "%s%.*s", first, (int)shown, text);
		g->line(g->ctx, tone, out);
		text += n;
		first = pad;
	} while (*text);
}

static struct page page_of(
	int width, void (*line)(void *ctx, enum plan_tone tone, const char *text), void *ctx)
{
	size_t w = (size_t)(width < WIDTH_LEAST ? WIDTH_LEAST : width);

	return (struct page){line, ctx, w > WIDTH_MOST ? WIDTH_MOST : w};
}

void plan_text_wrap(enum plan_tone tone, const char *first, const char *text, int width,
	void (*line)(void *ctx, enum plan_tone tone, const char *text), void *ctx)
{
	struct page g = page_of(width, line, ctx);

	wrap_text(&g, tone, first, text);
}

static void add_label(struct page *g, enum plan_tone tone, const char *name, const char *text)
{
	char first[32], clean[600];

	(void)str_printf(first, sizeof(first), "%-*s", LABEL, name);
	(void)str_sanitise(clean, sizeof(clean), text, strlen(text));
	wrap_text(g, tone, first, clean);
}

/* ---- now ---- */

static void add_clause(struct buf *b, const char *text)
{
	if (b->len)
		(void)buf_adds(b, "; ");
	(void)buf_adds(b, text);
}

static void say_watchdog(const struct condition *c, struct buf *b)
{
	char setting[64], text[120];

	if (c->wd == 0)
		add_clause(b, "no watchdog");
	if (c->wd != 1)
		return;
	(void)str_printf(text, sizeof(text), "watchdog %s",
		wd_setting_text(&c->wd_set, setting, sizeof(setting)));
	add_clause(b, text);
	for (int p = 0; p < PRIORITIES; p++) {
		if (c->wd_state[p] == WD_UNKNOWN || c->wd_state[p] == WD_OFF)
			continue;
		(void)str_printf(text, sizeof(text), "queue %d %s", p,
			wd_state_name((enum wd_state)c->wd_state[p]));
		add_clause(b, text);
	}
}

static void say_link(const struct condition *c, struct buf *b)
{
	char text[160];

	if (c->admin != OPER_UNKNOWN) {
		(void)str_printf(text, sizeof(text), "admin %s", oper_name(c->admin));
		add_clause(b, text);
	}
	if (c->oper != OPER_UNKNOWN) {
		(void)str_printf(text, sizeof(text), "link %s", oper_name(c->oper));
		add_clause(b, text);
	}
	if (!c->bgp_peer[0])
		return;
	(void)str_printf(text, sizeof(text), "BGP %s %s", c->bgp_peer,
		c->bgp_shut == 1 ? "shut" : bgp_state_name(c->bgp));
	add_clause(b, text);
}

void condition_line(const struct condition *c, char *dst, size_t size)
{
	struct buf b;

	buf_init(&b, 1024);
	say_watchdog(c, &b);
	say_link(c, &b);
	if (c->beacon >= 0)
		add_clause(&b, c->beacon ? "light blinks" : "light off");
	if (c->counters >= 0)
		add_clause(&b, c->counters ? "counters on" : "counters off");
	if (c->perftest >= 0)
		add_clause(&b, !c->perftest      ? "perftest is not installed"
			       : c->perftests[0] ? "perftest runs"
						 : "no perftest runs");
	if (c->pending == 1)
		add_clause(&b, "unapplied changes of a user");
	if (c->hazard[0])
		add_clause(&b, c->hazard);
	if (!b.len)
		add_clause(&b, "not reported by the device");
	(void)str_sanitise(dst, size, b.data ? b.data : "", b.len);
	buf_free(&b);
}

/* ---- commands ---- */

struct typed {
	struct page *page;
	const char *first;
	unsigned n;
};

static void type_line(void *ctx, const char *text)
{
	struct typed *t = ctx;
	char pad[24];

	(void)str_printf(pad, sizeof(pad), "%*s", (int)strlen(t->first), "");
	wrap_text(t->page, TONE_COMMAND, t->n++ ? pad : t->first, text);
}

static void say_requests(struct page *g, const char *first, const struct request_list *l)
{
	struct typed t = {g, first, 0};

	for (size_t i = 0; i < l->at.n; i++)
		request_each_line(&l->at.at[i], type_line, &t);
}

/* The command lines are whole here: they are copied from the screen. */
static void say_words(struct page *g, const struct act_plan *p)
{
	add_label(g, TONE_NORMAL, "Words", "you run them, railtop never does");
	for (size_t i = 0; i < p->words.n; i++) {
		const struct words *w = &p->words.at[i];

		wrap_text(g, TONE_NORMAL, "  ", w->system);
		wrap_text(g, TONE_COMMAND, "   look   ", w->look);
		wrap_text(g, TONE_COMMAND, "   drain  ", w->run);
		if (w->undo[0])
			wrap_text(g, TONE_COMMAND, "   back   ", w->undo);
		else
			wrap_text(g, TONE_WARN, "   back   ", "there is none");
	}
}

static void say_commands(struct page *g, const struct act_plan *p)
{
	char head[120], first[24];

	(void)str_printf(
		head, sizeof(head), "on %s over %s, in this order", p->device, p->transport);
	add_label(g, TONE_NORMAL, "Commands", head);
	for (size_t i = 0; i < p->steps.n; i++) {
		const struct step *s = &p->steps.at[i];

		(void)str_printf(
			first, sizeof(first), "  %zu  %-13s", i + 1, verb_name(s->order.verb));
		say_requests(g, first, &s->requests);
		if (s->dwell_us) {
			(void)str_printf(head, sizeof(head), "     then wait %lld s",
				(long long)(s->dwell_us / CLOCK_SEC));
			g->line(g->ctx, TONE_DIM, head);
		}
	}
}

static void say_rollback(struct page *g, const struct act_plan *p)
{
	char first[24];
	bool any = false;

	for (size_t i = p->steps.n; i-- > 0;) {
		const struct step *s = &p->steps.at[i];

		if (!s->has_undo)
			continue;
		if (!any)
			add_label(g, TONE_NORMAL, "Rollback", "of these steps, the last one first");
		any = true;
		(void)str_printf(
			first, sizeof(first), "  %zu  %-13s", i + 1, verb_name(s->undo.verb));
		say_requests(g, first, &s->undoing);
	}
	if (!any)
		add_label(g, TONE_NORMAL, "Rollback", "nothing to take back: no setting changes");
}

/* ---- jobs and paths that it hits ---- */

/* cuts: whether the action takes the link away, and so breaks a last path. */
static void say_jobs(const struct blast *b, bool cuts, char *dst, size_t size)
{
	if (b->jobs && !b->ranks)
		(void)str_printf(dst, size, "%u running job%s (%s), ranks not known%s", b->jobs,
			str_plural(b->jobs), b->names,
			b->last_path && cuts ? "; THEIR LAST PATH" : "");
	else if (b->jobs)
		(void)str_printf(dst, size, "%u running job%s (%s): %u rank%s, %u GPU%s%s", b->jobs,
			str_plural(b->jobs), b->names, b->ranks, str_plural(b->ranks), b->gpus,
			str_plural(b->gpus),
			!b->last_path || !cuts ? ""
			: b->ranks == 1        ? "; ITS LAST PATH"
					       : "; THEIR LAST PATH");
	else
		(void)str_copy(dst, size,
			b->jobs_unknown ? "the running jobs are not known"
					: "no running job uses it");
}

static void say_blast(struct page *g, const struct act_plan *p)
{
	const struct blast *b = &p->blast;
	bool cuts = p->action->needs & NEED_PATHS;
	char text[400];

	if (p->words.n) {
		say_jobs(b, false, text, sizeof(text));
		add_label(g, b->jobs_unknown ? TONE_WARN : TONE_NORMAL, "Hits", text);
		if (b->others) {
			(void)str_printf(text, sizeof(text),
				"they run on %u other host%s too, and go on over the same links "
				"until they end",
				b->others, str_plural(b->others));
			add_label(g, TONE_NORMAL, "", text);
		}
		return;
	}
	if (!p->port[0] || p->action->harmless) {
		add_label(g, TONE_NORMAL, "Hits",
			p->port[0] ? "no traffic: a light only" : "no traffic: counters only");
		return;
	}
	say_jobs(b, cuts, text, sizeof(text));
	add_label(g, (b->last_path && cuts) || b->jobs_unknown ? TONE_WARN : TONE_NORMAL, "Hits",
		text);
	if (b->tenants[0]) {
		(void)str_printf(text, sizeof(text), "tenants touched: %s", b->tenants);
		add_label(g, TONE_NORMAL, "", text);
	}
	if (b->uplinks_planned) {
		(void)str_printf(text, sizeof(text),
			"%u of %u such links up here, %u of %u at the other end", b->uplinks_up,
			b->uplinks_planned, b->peer_up, b->peer_planned);
		add_label(g, TONE_NORMAL, "", text);
	}
	if (isnan(b->load)) {
		add_label(g, TONE_WARN, "", "its load is not known");
		return;
	}
	(void)str_printf(text, sizeof(text), "the link carries %s%.*f%% of its speed",
		b->load < LOAD_LEAST ? "less than " : "", b->load < 0.1 ? 1 : 0,
		100 * (b->load < LOAD_LEAST ? LOAD_LEAST : b->load));
	add_label(g, TONE_NORMAL, "", text);
}

/* ---- warnings ---- */

static const struct step *step_with(const struct act_plan *p, enum verb v)
{
	for (size_t i = 0; i < p->steps.n; i++)
		if (p->steps.at[i].order.verb == v)
			return &p->steps.at[i];
	return NULL;
}

void act_plan_warnings(
	const struct act_plan *p, void (*warn)(void *ctx, const char *text), void *ctx)
{
	const struct step *start = step_with(p, VERB_WD_START);
	char text[200];

	for (size_t i = 0; i < p->steps.n; i++) {
		const struct step *s = &p->steps.at[i];

		if (s->unproven) {
			(void)str_printf(text, sizeof(text),
				"step %zu: these commands are untested on %s hardware; "
				"actions.commands in fabric.yaml can replace them",
				i + 1, p->dialect);
			warn(ctx, text);
		}
		if (s->sites_own) {
			(void)str_printf(text, sizeof(text),
				"step %zu: the commands are those of actions.commands in "
				"fabric.yaml",
				i + 1);
			warn(ctx, text);
		}
	}
	if (step_with(p, VERB_WD_STOP) && start)
		warn(ctx, "the port has no storm protection for about a second");
	if (start && p->before.wd == 1 && p->before.wd_global != 1 &&
		p->before.wd_set.restore_ms != start->order.wd.restore_ms) {
		(void)str_printf(text, sizeof(text),
			"its watchdog has no restoration time, so a storm never ends; the site's "
			"time is set, %u ms",
			start->order.wd.restore_ms);
		warn(ctx, text);
	}
	if (step_with(p, VERB_PORT_DOWN) && step_with(p, VERB_PORT_UP))
		warn(ctx, "the link carries nothing until it has trained again");
	if (p->port[0] && p->blast.jobs_unknown && p->action->needs & NEED_PATHS)
		warn(ctx, "the running jobs are not known: ask before the link is shut");
}

static void say_warning(void *ctx, const char *text)
{
	wrap_text(ctx, TONE_WARN, "  !  ", text);
}

/* ---- the plan ---- */

static void say_condition(struct page *g, const struct condition *c)
{
	char text[600], when[32];

	condition_line(c, text, sizeof(text));
	add_label(g, TONE_NORMAL, "Now", text);
	(void)str_printf(text, sizeof(text), "as read at %s UTC",
		clock_format_hms(condition_wall_us(c), when, sizeof(when)));
	add_label(g, TONE_DIM, "", text);
}

void act_plan_body(const struct act_plan *p, int width,
	void (*line)(void *ctx, enum plan_tone tone, const char *text), void *ctx)
{
	struct page g = page_of(width, line, ctx);
	char text[600];

	add_label(&g, TONE_NORMAL, "What", p->action->title);
	(void)str_printf(text, sizeof(text), "%s (%s)%s%s", p->place, p->dialect,
		!p->port[0]  ? ""
		: p->peer[0] ? ", other end "
			     : ", other end not known",
		p->peer);
	add_label(&g, TONE_NORMAL, "Where", text);
	if (p->words.n) {
		say_words(&g, p);
		add_label(&g, TONE_NORMAL, "Expected", p->expect);
		say_blast(&g, p);
	} else {
		say_condition(&g, &p->before);
		say_commands(&g, p);
		add_label(&g, TONE_NORMAL, "Expected", p->expect);
		say_blast(&g, p);
		say_rollback(&g, p);
	}
	act_plan_warnings(p, say_warning, &g);
	add_label(&g, TONE_DIM, "Plan", p->id);
	add_label(&g, TONE_DIM, "Hash", p->hash);
}

void act_plan_lines(const struct act_plan *p, int width,
	void (*line)(void *ctx, enum plan_tone tone, const char *text), void *ctx)
{
	char text[600];

	(void)str_printf(text, sizeof(text), "%s %s", p->action->name, p->place);
	plan_text_wrap(TONE_HEAD, "", text, width, line, ctx);
	act_plan_body(p, width, line, ctx);
}
