/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/console/console_private.h"
#include "views/wrap.h"
#include "views/panels/finding_text.h"
#include "views/summary.h"

#define MIN_TABLE_ROWS 5 /* header and four rows: a panel is not worth more */

static size_t add_text(char *dst, size_t size, size_t at, const char *text)
{
	if (at < size)
		(void)str_copy(dst + at, size - at, text);
	return at + strlen(text) < size ? at + strlen(text) : size - 1;
}

/*
 * The position of the page in the fabric, not in the history: "b200 > rail 3 > leaf-r3-00 >
 * Ethernet12".
 */
static void breadcrumb_text(const struct console *c, const struct page *p, char *dst, size_t size)
{
	const struct model *m = c->model;
	char sep[16];
	const struct device *d = NULL;
	const struct port *port = NULL;
	char word[32];
	size_t n = add_text(dst, size, 0, m->fabric[0] ? m->fabric : "fabric");

	(void)str_printf(sep, sizeof(sep), " %s ", glyph(c->opts.term, GLYPH_CRUMB));
	if (p->scope.kind == REF_PORT || p->scope.kind == REF_PRIORITY)
		port = ref_port(m, p->scope);
	if (port || p->scope.kind == REF_DEVICE)
		d = ref_device(m, p->scope);
	if (d && d->tier == TIER_HOST) {
		n = add_text(dst, size, n, sep);
		n = add_text(dst, size, n, "hosts");
	} else if (p->scope.kind == REF_RAIL || (d && d->rail >= 0)) {
		(void)str_printf(word, sizeof(word), "rail %d", d ? d->rail : p->scope.rail);
		n = add_text(dst, size, n, sep);
		n = add_text(dst, size, n, word);
	}
	if (d) {
		n = add_text(dst, size, n, sep);
		n = add_text(dst, size, n, d->name);
	}
	if (port) {
		n = add_text(dst, size, n, sep);
		n = add_text(dst, size, n, port->name);
	}
	if (p->scope.kind == REF_PRIORITY) {
		(void)str_printf(word, sizeof(word), "priority %u", p->scope.priority);
		n = add_text(dst, size, n, sep);
		n = add_text(dst, size, n, word);
	}
	/* A job, a rank, a link, a finding is in no single place: show its own name. */
	if (p->scope.kind == REF_JOB || p->scope.kind == REF_COMM || p->scope.kind == REF_RANK ||
		p->scope.kind == REF_LINK) {
		char name[160];

		if (ref_format(m, p->scope, name, sizeof(name))) {
			n = add_text(dst, size, n, sep);
			n = add_text(dst, size, n, name);
		}
	}
	if (p->view == &view_trace || p->view == &view_finding) {
		n = add_text(dst, size, n, sep);
		n = add_text(dst, size, n, p->view->title);
	}
	if (p->scope.kind == REF_FABRIC || p->view->scope == REF_NONE) {
		n = add_text(dst, size, n, sep);
		n = add_text(dst, size, n, p->view->title);
	}
	if (p->view == &view_diff && c->differences.list) {
		struct view_ctx ctx = console_ctx(c);
		char from[40], to[40], between[96];

		differences_span(&ctx, from, sizeof(from), to, sizeof(to));
		(void)str_printf(between, sizeof(between), " %s .. %s", from, to);
		(void)add_text(dst, size, n, between);
	}
}

/* What is wrong with devices that are not seen as they are now; of several kinds one word. */
static const char *unseen_word(const struct coverage *v)
{
	static const enum dev_state states[] = {DEV_STALE, DEV_UNREACHABLE, DEV_UNAUTHORISED};
	const char *word = "";

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (v->by_state[states[i]])
			word = *word ? "not current" : dev_state_name(states[i]);
	return word;
}

/*
 * The right side of the title: "2 culprits, network 97%  39/44 fresh 2 unreachable  11:35:56Z". How
 * many devices are fresh is said only where it is not all of them. Chooses the longest form that
 * fits: the verdict is dropped last, and the coverage before it.
 */
static void status_text(const struct console *c, int room, char *dst, size_t size)
{
	struct coverage v = model_coverage(c->model);
	struct view_ctx ctx = console_ctx(c);
	unsigned odd = v.by_state[DEV_NOT_UNDERSTOOD], slow = v.by_state[DEV_LATE];
	unsigned bad =
		v.by_state[DEV_STALE] + v.by_state[DEV_UNREACHABLE] + v.by_state[DEV_UNAUTHORISED];
	bool all = v.by_state[DEV_FRESH] == v.devices;
	const char *word = bad ? unseen_word(&v) : "late";
	char clock[24], late[48] = "", verdict[192], brief[64], seen[96], less[64], zone[8];
	const struct {
		const char *verdict, *rest;
	} forms[] = {{verdict, seen}, {verdict, less}, {all ? verdict : brief, all ? "" : seen},
		{brief, less}, {brief, clock}, {brief, ""}, {"", clock}};

	time_hms(c, c->now_us, clock, sizeof(clock));
	if (odd)
		(void)str_printf(late, sizeof(late), " %u NOT UNDERSTOOD", odd);
	if (bad || slow)
		(void)str_printf(late + strlen(late), sizeof(late) - strlen(late), " %u %s",
			bad ? bad : slow, word);
	(void)time_zone_mark(c, c->now_us, zone, sizeof(zone));
	if (all)
		(void)str_printf(seen, sizeof(seen), "%s%s", clock, zone);
	else
		(void)str_printf(seen, sizeof(seen), "%u/%u fresh%s  %s%s", v.by_state[DEV_FRESH],
			v.devices, late, clock, zone);
	/* Silent devices are less important than the verdict, and more than the rest. */
	if (all)
		(void)str_copy(less, sizeof(less), clock);
	else if (bad || slow)
		(void)str_printf(less, sizeof(less), "%u %s %s", bad ? bad : slow, word, clock);
	else
		(void)str_printf(
			less, sizeof(less), "%u/%u %s", v.by_state[DEV_FRESH], v.devices, clock);
	verdict_badge(&ctx, verdict, sizeof(verdict), false);
	verdict_badge(&ctx, brief, sizeof(brief), true);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		(void)str_printf(dst, size, "%s%s%s", forms[i].verdict,
			forms[i].verdict[0] && forms[i].rest[0] ? "  " : "", forms[i].rest);
		if (text_width(dst) <= room && dst[0])
			return;
	}
}

static int draw_badge(struct region r, int x, enum role role, const char *text)
{
	return x + draw_textf(r, 0, x, role, " %s ", text) + 1;
}

/* Columns of the breadcrumb: its end is worth less than the time of the past, and than the verdict.
 */
static int breadcrumb_room(const struct console *c, int width, const char *act, const char *past)
{
	struct view_ctx ctx = console_ctx(c);
	char brief[64];
	int room = width > 30 ? width - 22 : width - 1, most;

	room -= act[0] ? text_width(act) + 3 : 0;
	room -= past[0] ? text_width(past) - (width > 30 ? 10 : 0) : 0;
	verdict_badge(&ctx, brief, sizeof(brief), true);
	most = width - (past[0] ? text_width(past) + 3 : 5) - (act[0] ? text_width(act) + 3 : 0) -
	       text_width(brief) - 4;
	if (brief[0] && most < room)
		room = most;
	return room > 8 ? room : 8;
}

static void draw_title(struct console *c, struct region r, struct page *p)
{
	char crumb[320], status[192], badge[64], age[16], act[48], past[64];
	int x, room;

	draw_fill(r, 0, 0, r.w, ROLE_TITLE);
	if (!c->model) {
		draw_text(r, 0, 0, ROLE_TITLE, " railtop: waiting for the first answers", r.w);
		return;
	}
	breadcrumb_text(c, p, crumb, sizeof(crumb));
	sheet_badge(c, act, sizeof(act));
	time_badge(c, r.w < 60, past, sizeof(past));
	room = breadcrumb_room(c, r.w, act, past);
	x = 1 + draw_brief(region_sub(r, 0, 1, 1, room), 0, 0, ROLE_TITLE, crumb);
	x += 1;
	if (act[0])
		x = draw_badge(r, x, c->sheet->role, act);
	if (past[0])
		x = draw_badge(r, x, ROLE_BADGE, past);
	else if (c->opts.mode && x + 4 < r.w)
		x = draw_badge(r, x, ROLE_BADGE, c->opts.mode);
	if (c->opts.bare && x + 14 < r.w)
		x = draw_badge(r, x, ROLE_WARN, r.w < 100 ? "!SANDBOX" : "SANDBOX INCOMPLETE");
	if (c->recording && x + 5 < r.w)
		x = draw_badge(r, x, c->recording == RECORDING_FAILED ? ROLE_CRIT : ROLE_BADGE,
			c->recording == RECORDING_FAILED ? "REC FAILED" : "REC");
	if (c->paused) {
		str_age(c->waiting ? c->now_us - c->paused_us : 0, age, sizeof(age));
		(void)str_printf(badge, sizeof(badge), "PAUSED, %zu waiting", c->waiting);
		x = draw_badge(r, x, ROLE_WARN, x + 24 < r.w ? badge : "PAUSED");
	}
	marks_badge(c, r.w < 100, badge, sizeof(badge));
	if (badge[0] && x + text_width(badge) + 12 < r.w)
		x = draw_badge(r, x, ROLE_BADGE, badge);
	room = r.w - x - 1;
	if (room < 8)
		return;
	status_text(c, room, status, sizeof(status));
	draw_right(r, 0, x, room, ROLE_TITLE, status);
}

/* The line under the table: filter and count, and the message of the last command. */
#define MESSAGE_LINES 3

/* The lines that a message needs below the body; a message that is cut helps nobody. */
static int message_lines(const struct console *c, int width, const struct page *p)
{
	const char *at = c->message;
	int lines = 0;

	if (c->prefix || p->query || c->prompt_use || width < 20)
		return 1;
	/* Texts that are cut have the lines that the table leaves. */
	if (!at[0] && !p->table.unseen[0] && p->table.has_free_lines && !c->overlay)
		at = p->table.cut;
	for (; *at && lines < MESSAGE_LINES; lines++) {
		at += wrap_fit(at, width);
		at += strspn(at, " ");
	}
	return lines ? lines : 1;
}

/* Draws a message from column x of the first line on. */
static int draw_wrapped(struct region r, int x, enum role role, const char *text)
{
	int y = 0;

	for (; y + 1 < r.h; y++) {
		size_t n = wrap_fit(text, r.w);
		char part[512];

		(void)str_copyn(part, sizeof(part), text, n);
		(void)draw_text(r, y, x, role, part, -1);
		text += n;
		text += strspn(text, " ");
	}
	return draw_brief(r, y, x, role, text);
}

/*
 * Parts of the row under the cursor that the table does not show: a number that made it red is
 * worth most, then texts that are cut, then how many columns there are.
 */
static void draw_row_note(struct region r, int x, const struct page *p)
{
	const struct table_state *t = &p->table;
	bool first = x == 0;

	x = first ? 0 : x + 2;
	if (r.w - x <= 20)
		return;
	if (t->unseen[0])
		(void)draw_brief(r, 0, x + draw_text(r, 0, x, ROLE_WARN, "this row: ", -1),
			ROLE_WARN, t->unseen);
	else if (t->cut[0] && first)
		(void)draw_wrapped(r, 0, ROLE_NORMAL, t->cut);
	else if (t->cut[0])
		(void)draw_brief(r, 0, x, ROLE_NORMAL, t->cut);
	else if (first && t->columns_dropped > 0 && r.w > 40)
		draw_textf(r, 0, x, ROLE_DIM, "%d column%s hidden (h/l moves, c chooses)",
			t->columns_dropped, str_plural((unsigned)t->columns_dropped));
}

static void draw_message(const struct console *c, struct region r, const struct page *p)
{
	char working[64];
	int x = 0;

	for (int y = 0; y < r.h; y++)
		draw_fill(r, y, 0, r.w, ROLE_NORMAL);
	page_work_told(p, working, sizeof(working));
	if (c->prefix) {
		char key[24];

		draw_textf(r, 0, 0, ROLE_ACCENT, "%s ...", key_name(c->prefix, key, sizeof(key)));
		return;
	}
	if (p->query) {
		x += draw_textf(r, 0, 0, ROLE_MATCH, "/%s", p->filter);
		x += draw_textf(r, 0, x, ROLE_DIM, "  %zu of %zu  ", p->rows.n, p->total);
	}
	if (working[0])
		x += draw_textf(r, 0, x, ROLE_ACCENT, "%s  ", working);
	if (c->message[0])
		x += draw_wrapped(r, x, c->message_role, c->message);
	if (c->overlay != OVERLAY_NONE || (r.h > 1 && x))
		return;
	draw_row_note(r, x, p);
}

/* Commands with their words in the last line, the most important first. */
struct hint {
	const char *command, *word;
};
static const struct hint diagnosis_hints[] = {{"open", "open"}, {"back", "back"},
	{"trace", "trace"}, {"fold", "symptoms"}, {"ack", "ack"}, {"runbook", "runbook"},
	{"chart", "chart"}, {"act", "act"}, {"filter", "filter"}, {"help", "help"}};
static const struct hint hints[] = {{"open", "open"}, {"back", "back"},
	{"view findings", "findings"}, {"trace", "trace"}, {"chart", "chart"},
	{"runbook", "runbook"}, {"view map", "map"}, {"filter", "filter"}, {"palette", "go to"},
	{"help", "help"}, {"sort", "sort"}, {"columns", "columns"}, {"pause", "pause"},
	{"snapshot", "ticket"}, {"act", "act"}, {"view hosts", "hosts"}, {"view links", "links"},
	{"view events", "events"}, {"view heat", "heat"}, {"view devices", "devices"},
	{"view bgp", "BGP"}, {"mark", "mark"}, {"poll", "poll now"}, {"copy", "copy"},
	{"close", "close"}};
static const struct hint help_hints[] = {
	{"down", "down"}, {"up", "up"}, {"filter", "search"}, {"next", "next"}, {"back", "close"}};
static const struct hint columns_hints[] = {
	{"down", "down"}, {"up", "up"}, {"open", "show or hide"}, {"back", "close"}};
static const struct hint runbook_hints[] = {{"next", "next"}, {"look", "look"}, {"note", "note"},
	{"runbook-back", "step back"}, {"back", "back"}};
static const struct hint chart_hints[] = {{"chart-metric", "counter"}, {"chart-add", "add"},
	{"chart-drop", "drop"}, {"chart-zoom in", "zoom"}, {"chart-zoom out", "out"},
	{"chart-cursor -1", "cursor"}, {"chart-scrub", "scrub"}, {"chart-log", "log"},
	{"back", "back"}};
static const struct hint map_hints[] = {
	{"map-colour", "colour"}, {"open", "open"}, {"back", "back"}};
static const struct hint audit_hints[] = {
	{"open", "open"}, {"back", "back"}, {"fold", "steps"}, {"filter", "filter"}};
static const struct hint past_hints[] = {{"scrub -1", "earlier"}, {"scrub 1", "later"},
	{"at -1m", "-1m"}, {"at +1m", "+1m"}, {"pause", "play"}, {"back", "now"}, {"open", "open"},
	{"filter", "filter"}};
static const struct hint file_hints[] = {{"scrub -1", "earlier"}, {"scrub 1", "later"},
	{"at -1m", "-1m"}, {"at +1m", "+1m"}, {"pause", "play"}, {"back", "back"}, {"open", "open"},
	{"filter", "filter"}};
struct hint_list {
	const struct hint *at;
	size_t n;
};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_among(const struct hint *list, size_t n, const char *command)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(list[i].command, command))
			return true;
	return false;
}

/* Returns the position of the next hint; *full: there was no room for this one. */
static int draw_hint(struct console *c, struct region r, const struct page *p, int x,
	const struct hint *h, bool *full)
{
	char key[24], text[64];

	if (str_eq(h->command, "act") && !console_has_actions(c))
		return x;
	/* The first page has no page before it. */
	if (str_eq(h->command, "back") && c->overlay == OVERLAY_NONE && !c->at && !p->query &&
		!console_past(c))
		return x;
	if (str_eq(h->command, "runbook") && (!c->opts.runbooks || !c->opts.runbooks->at.n))
		return x;
	if (!*keymap_key_for(c->opts.keymap, p->view->name, h->command, key, sizeof(key)))
		return x;
	(void)str_printf(text, sizeof(text), "%s %s", key, h->word);
	*full = x + text_width(text) + 1 > r.w;
	if (*full)
		return x;
	if (c->nhints < sizeof(c->hints_at) / sizeof(c->hints_at[0])) {
		c->hints_at[c->nhints].command = h->command;
		c->hints_at[c->nhints].x = x;
		c->hints_at[c->nhints++].width = text_width(text);
	}
	x += draw_text(r, 0, x, ROLE_ACCENT, key, r.w - x);
	return x + draw_textf(r, 0, x, ROLE_HINT, " %s  ", h->word);
}

/* The hints of the page's view, which stand before the common ones. */
static struct hint_list own_hints(const struct console *c, const struct page *p)
{
#define HINTS(list) ((struct hint_list){list, COUNT(list)})
	if (c->overlay == OVERLAY_HELP || c->overlay == OVERLAY_OUTPUT)
		return HINTS(help_hints);
	if (c->overlay == OVERLAY_COLUMNS)
		return HINTS(columns_hints);
	if (p->view == &view_chart)
		return HINTS(chart_hints);
	if (p->view == &view_map)
		return HINTS(map_hints);
	if (p->view == &view_audit)
		return HINTS(audit_hints);
	if (p->view == &view_runbook && c->running)
		return HINTS(runbook_hints);
	if (console_past(c))
		return c->moment.file ? HINTS(file_hints) : HINTS(past_hints);
	if (p->view == &view_findings || p->view == &view_finding)
		return HINTS(diagnosis_hints);
	return (struct hint_list){NULL, 0};
#undef HINTS
}

/* Draws the keys that are bound in this view. */
static void draw_hints(struct console *c, struct region r, const struct page *p)
{
	struct hint_list own = own_hints(c, p);
	bool full = false;
	int x = 0;

	c->nhints = 0;
	draw_fill(r, 0, 0, r.w, ROLE_HINT);
	for (size_t i = 0; i < own.n && !full; i++)
		x = draw_hint(c, r, p, x, &own.at[i], &full);
	/* An overlay has keys of its own: those of the page behind it would mislead. */
	for (size_t i = 0; i < COUNT(hints) && !full && c->overlay == OVERLAY_NONE; i++)
		if (!is_among(own.at, own.n, hints[i].command))
			x = draw_hint(c, r, p, x, &hints[i], &full);
}

/* The page: panel and table. False: the banner above is due other lines. */
static bool draw_body(struct console *c, struct region r, struct page *p, int h)
{
	struct view_ctx ctx = console_ctx(c);
	struct table_source src;
	unsigned percent;
	int used = 0, least = MIN_TABLE_ROWS, whole = r.h, below, width = r.w;

	if (!summary_ready(&ctx, &percent)) {
		draw_clear(r);
		draw_textf(r, 0, 1, ROLE_DIM, "reading %zu device%s: %u%%", c->model->devices.n,
			str_plural(c->model->devices.n), percent);
		return true;
	}
	r = pane_draw(c, p, r);
	if (r.h < whole)
		least = PANE_TABLE;
	r = split_draw(c, p, r);
	if (p->view->panel && r.h > least) {
		struct region panel = region_sub(r, 0, 0, r.h - least, r.w);

		ctx.cursor = page_row(c, p);
		draw_clear(panel);
		used = p->view->panel(&ctx, panel);
		if (used > panel.h)
			used = panel.h;
	}
	src = page_source(c, p);
	/* Beside a second pane there is no third one. */
	below = r.w < width ? 0 : below_height(c, p, r.w, r.h - used);
	c->table_at = region_sub(r, used, 0, r.h - used - below, r.w);
	table_draw(c->table_at, &p->table, &src);
	below_draw(c, region_sub(r, r.h - below, 0, below, r.w));
	return banner_fits(c, h, used, p->view->panel && used >= r.h - least, r.h - below);
}

/* Banner, timeline and page below the title. False: the banner is due other lines. */
static bool draw_middle(struct console *c, struct region body, struct page *p)
{
	int whole = body.h, banner;

	banner = c->banner_lines = banner_draw(c, body);
	body = region_sub(body, banner, 0, body.h - banner, body.w);
	if (timeline_wanted(c) && body.h > MIN_TABLE_ROWS) {
		timeline_draw(c, region_sub(body, 0, 0, 1, body.w));
		body = region_sub(body, 1, 0, body.h - 1, body.w);
	}
	if (!c->model)
		draw_clear(body);
	else if (c->overlay)
		overlay_draw(c, body);
	else
		return draw_body(c, body, p, whole);
	return true;
}

static void draw_all(struct console *c)
{
	struct region screen = region_screen(c->opts.term), body;
	struct page *p = console_page(c);
	int h = screen.h, lines;

	if (c->rows_stale)
		page_refresh(c, p);
	if (h < 4 || screen.w < 20) {
		draw_clear(screen);
		draw_text(screen, 0, 0, ROLE_WARN, "window too small", screen.w);
		return;
	}
	draw_title(c, region_sub(screen, 0, 0, 1, screen.w), p);
	body = region_sub(screen, 1, 0, h - 3, screen.w);
	if (!draw_middle(c, body, p))
		(void)draw_middle(c, body, p);
	lines = message_lines(c, screen.w, p);
	draw_message(c, region_sub(screen, h - 1 - lines, 0, lines, screen.w), p);
	if (c->overlay == OVERLAY_SHEET)
		sheet_hints(c, region_sub(screen, h - 1, 0, 1, screen.w));
	else
		draw_hints(c, region_sub(screen, h - 1, 0, 1, screen.w), p);
	if (c->prompt_use == PROMPT_ASK)
		ask_draw(c, screen);
	else if (c->prompt_use == PROMPT_JUDGE)
		judge_draw(c, screen);
	else if (c->prompt_use)
		prompt_draw(screen, c->typing);
}

static bool draw_frame(struct console *c)
{
	if (!term_begin(c->opts.term))
		return false;
	ask_frame_begun(c);
	draw_all(c);
	term_commit(c->opts.term);
	c->dirty = false;
	ask_frame_sent(c);
	return true;
}

bool console_draw(struct console *c)
{
	if (!draw_frame(c))
		return false;
	/*
	 * Only now is it known that keys were dropped, and no event would wake the caller for it.
	 */
	if (c->dirty && term_acknowledged(c->opts.term))
		(void)draw_frame(c);
	return true;
}
