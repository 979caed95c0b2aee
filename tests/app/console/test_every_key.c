/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No key and no command ends railtop, in any state of the screen. Runs each command at each kind of
 * row of each view, then random keys. Meanwhile the terminal changes its size, data arrives, and
 * the shown moment moves between larger and smaller fabrics. Each command answers: it does
 * something, or says why not.
 *
 * KEYS=100000 sets the number of random keys (in each console), SEED=7 their seed.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/app/support/whole.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"
#include "views/console/console_private.h"
#include "views/panels/finding_text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The child's current action, which the parent prints when the child dies. */
static struct told {
	char doing[400];
	uint64_t kinds; /* bits of the kinds of rows that commands were run on */
	unsigned long lines, keys;
} * told;

struct scene {
	enum whole_mode mode;
	unsigned long keys;
	uint64_t seed;
};

static const char *const mode_names[WHOLE_MODES] = {"live", "read-only", "file"};

/* ---- the screen ---- */

static void draw(struct whole *w, struct term *t)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
	struct console *c = whole_console(w);

	for (int i = 0; i < 1000 && console_work(c); i++)
		;
	for (int i = 0; i < 1000 && console_dirty(c) && !console_draw(c); i++) {
		(void)term_key(t);
		(void)poll(&p, 1, 10);
	}
	if (console_dirty(c) && !term_lost(t))
		whole_fail("nothing is drawn any more");
}

static void resize(struct whole *w, struct term *t, int rows, int cols)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	(void)ioctl(STDOUT_FILENO, TIOCSWINSZ, &size);
	term_resize(t);
	console_touch(whole_console(w));
}

/* ---- whether it answered ---- */

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
	const unsigned char *c = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ c[i]) * UINT64_C(0x100000001b3);
	return h;
}

#define MIX(h, v) mix(h, &(v), sizeof(v))

/* All that an operator would see change. */
static uint64_t standing(const struct console *c)
{
	const struct page *p = console_page(c);
	const struct table_state *t = &p->table;
	uint64_t scope = ref_key(p->scope), h = UINT64_C(0xcbf29ce484222325);

	h = MIX(h, c->at);
	h = MIX(h, c->pages.n);
	h = MIX(h, p->view);
	h = MIX(h, scope);
	h = MIX(h, t->cursor);
	h = MIX(h, t->sort_column);
	h = MIX(h, t->sort_descending);
	h = MIX(h, t->first_column);
	h = MIX(h, p->rows.n);
	h = mix(h, p->filter, strlen(p->filter));
	h = MIX(h, c->prompt_use);
	h = MIX(h, c->overlay);
	h = MIX(h, c->overlay_top);
	h = MIX(h, c->overlay_cursor);
	h = mix(h, c->message, strlen(c->message));
	h = MIX(h, c->paused);
	h = MIX(h, c->quitting);
	h = MIX(h, c->model);
	h = MIX(h, c->moment.at_us);
	h = MIX(h, c->differences.list);
	h = MIX(h, c->running);
	h = MIX(h, c->run.at);
	h = MIX(h, c->trail.n);
	h = mix(h, c->mark, strlen(c->mark));
	return c->model ? MIX(h, c->model->nmarks) : h;
}

/* Commands that may find nothing to change. */
static bool may_be_silent(const struct command *cmd)
{
	static const char *const names[] = {"sort", "sort-reverse", "filter", "poll", "copy",
		"repaint", "live", "at", "scrub", "play", "view", "goto", "since", "fold", "diff",
		"close", "back", "forward", "mark"};

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_eq(cmd->name, names[i]))
			return true;
	return str_eq(cmd->group, "move");
}

static void run(struct whole *w, const struct command *cmd, const char *args)
{
	struct console *c = whole_console(w);
	struct err err = {0};
	char line[160];
	uint64_t before;

	(void)str_printf(line, sizeof(line), "%s%s%s", cmd->name, *args ? " " : "", args);
	told->lines++;
	c->message[0] = '\0';
	before = standing(c);
	if (!console_run(c, line, &err)) {
		if (!err.text[0])
			whole_fail("%s: refused without a word: %s", told->doing, line);
	} else if (!may_be_silent(cmd) && standing(c) == before) {
		whole_fail("%s: no answer to %s", told->doing, line);
	}
}

/* ---- each command at each kind of row ---- */

static void type(struct whole *w, const char *keys)
{
	for (; *keys; keys++)
		console_key(whole_console(w), *keys);
}

/* Answers the prompt, closes open overlays, and goes back to now. */
static void settle(struct whole *w, struct term *t)
{
	struct console *c = whole_console(w);

	draw(w, t);
	if (c->prompt_use != PROMPT_NONE) {
		type(w, "1\r");
		draw(w, t);
	}
	for (int i = 0; i < 4 && (c->prompt_use != PROMPT_NONE || c->overlay); i++) {
		console_key(whole_console(w), 27);
		c = whole_console(w);
	}
	if (c->paused)
		console_pause(c);
	if (whole_model(w) != c->model || c->moment.at_us != c->moment.to_us)
		whole_moment(w, 0);
}

/* Opens the view there, without the filter of before, with the cursor on the row. */
static void stand_on(struct whole *w, const struct view_ops *v, struct ref scope, struct ref row)
{
	const struct ref fabric = {.kind = REF_FABRIC};
	const struct view_ops *other = v == view_table[0] ? &view_findings : view_table[0];
	struct console *c = whole_console(w);
	struct table_source src;
	struct err err = {0};
	struct page *p;

	if (!console_open(c, other, fabric, &err) || !console_open(c, v, scope, &err))
		whole_fail("%s: cannot be opened: %s", told->doing, err.text);
	p = console_page(c);
	page_refresh(c, p);
	src = page_source(c, p);
	if (row.kind != REF_NONE && !table_goto(&p->table, &src, ref_key(row)))
		whole_fail("%s: the row is not there any more", told->doing);
}

static void each_command(
	struct whole *w, struct term *t, const struct view_ops *v, struct ref scope, struct ref row)
{
	static const char *const args[] = {"", "leaf-r1-00:Ethernet0", "no-such-place"};
	size_t n;
	const struct command *table = whole_commands(w, &n);
	char place[160] = "";

	(void)ref_format(whole_model(w), scope, place, sizeof(place));
	for (size_t i = 0; i < n; i++) {
		for (size_t a = 0; a < (table[i].args[0] ? COUNT(args) : 1); a++) {
			(void)str_printf(told->doing, sizeof(told->doing),
				"view %s of %s (kind %d), row of kind %d, command %s %s", v->name,
				place, (int)scope.kind, (int)row.kind, table[i].name, args[a]);
			stand_on(w, v, scope, row);
			run(w, &table[i], args[a]);
			settle(w, t);
		}
	}
}

/* The properties of a row that commands can tell apart. */
static uint32_t sort_of(struct whole *w, const struct view_ops *v, struct ref scope, struct ref row)
{
	struct view_ctx ctx = console_ctx(whole_console(w));
	struct ref about = row;
	const struct finding *f;

	ctx.scope = scope;
	if (row.kind != REF_NONE && v->about)
		about = v->about(&ctx, row);
	f = finding_of(&ctx, about, NULL);
	return (uint32_t)row.kind | (uint32_t)about.kind << 8 |
	       (f ? (uint32_t)f->at.kind + 1 : 0) << 16 |
	       (ref_device(ctx.model, about) ? (uint32_t)ref_device(ctx.model, about)->tier + 1 : 0)
		       << 24;
}

typedef VEC(uint32_t) sort_vec;

static bool is_new(sort_vec *known, uint32_t sort)
{
	for (size_t i = 0; i < known->n; i++)
		if (known->at[i] == sort)
			return false;
	vec_push(known, sort);
	return true;
}

static void each_row(struct whole *w, struct term *t, const struct view_ops *v, struct ref scope,
	sort_vec *known)
{
	row_vec rows = {0};
	struct page *p;

	(void)str_printf(told->doing, sizeof(told->doing), "view %s", v->name);
	stand_on(w, v, scope, (struct ref){0});
	p = console_page(whole_console(w));
	for (size_t i = 0; i < p->rows.n; i++)
		vec_push(&rows, p->rows.at[i]);
	if (!rows.n)
		vec_push(&rows, (struct ref){0});
	for (size_t i = 0; i < rows.n; i++) {
		if (!is_new(known, sort_of(w, v, scope, rows.at[i])))
			continue;
		told->kinds |= UINT64_C(1) << rows.at[i].kind;
		each_command(w, t, v, scope, rows.at[i]);
	}
	vec_free(&rows);
}

typedef VEC(struct ref) place_vec;

/* Some of each kind of place, and every finding. */
static void places_of(struct whole *w, place_vec *out)
{
	const struct model *m = whole_model(w);
	const struct console *c = whole_console(w);
	const struct finding *const *all;
	size_t n = 0;

	vec_push(out, (struct ref){.kind = REF_FABRIC});
	vec_push(out, (struct ref){.kind = REF_RAIL, .rail = 1});
	vec_push(out, (struct ref){.kind = REF_TIER, .tier = TIER_LEAF});
	vec_push(out, (struct ref){.kind = REF_JOB});
	vec_push(out, (struct ref){.kind = REF_COMM});
	vec_push(out, (struct ref){.kind = REF_RANK, .rank = 1});
	for (size_t i = 0; i < m->devices.n; i++)
		if (i == 0 || m->devices.at[i]->tier != m->devices.at[i - 1]->tier ||
			!m->devices.at[i]->planned)
			vec_push(out, (struct ref){.kind = REF_DEVICE, .device = (uint32_t)i});
	vec_push(out, (struct ref){.kind = REF_PORT, .port = 20});
	vec_push(out, (struct ref){.kind = REF_PRIORITY, .port = 20, .priority = 3});
	vec_push(out, (struct ref){.kind = REF_LINK, .port = m->links.at[0].a});
	all = diag_findings(c->diag, &n);
	for (size_t i = 0; i < n; i++)
		vec_push(out, (struct ref){.kind = REF_FINDING, .seq = all[i]->key});
}

static void each_view(struct whole *w, struct term *t)
{
	place_vec places = {0};

	places_of(w, &places);
	for (size_t v = 0; v < view_count; v++) {
		const struct view_ops *view = view_table[v];
		sort_vec known = {0};

		for (size_t i = 0; i < places.n; i++)
			if (view_takes(view, places.at[i].kind) ||
				(view_is_whole(view) && places.at[i].kind == REF_FABRIC))
				each_row(w, t, view, places.at[i], &known);
		vec_free(&known);
	}
	vec_free(&places);
}

/* ---- keys at random ---- */

static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static unsigned below(uint64_t *s, size_t n)
{
	return (unsigned)(random_next(s) >> 16) % (unsigned)n;
}

static int some_key(struct whole *w, uint64_t *s)
{
	static const int others[] = {'\r', 27, '\t', ' ', TKEY_UP, TKEY_DOWN, TKEY_LEFT, TKEY_RIGHT,
		TKEY_HOME, TKEY_END, TKEY_PGUP, TKEY_PGDN, TKEY_INSERT, TKEY_DELETE, TKEY_BACKSPACE,
		TKEY_TAB_BACK, TKEY_F1, TKEY_F12, 'x' | TKEY_ALT, 0x7f, 1, 26, 0xe9, 0x4e2d,
		0x10ffff, 0};
	const struct binding *bound[256];
	const char *context = console_page(whole_console(w))->view->name;
	size_t n = keymap_list(whole_keys(w), context, bound, COUNT(bound));
	unsigned dice = below(s, 100);

	if (dice < 70 && n) {
		const struct binding *b = bound[below(s, n)];

		return b->key[1] && dice < 20 ? b->key[1] : b->key[0];
	}
	return dice < 85 ? others[below(s, COUNT(others))] : 32 + (int)below(s, 95);
}

static void some_line(struct whole *w, uint64_t *s)
{
	static const char *const args[] = {"", "", "leaf-r1-00:Ethernet0", "node000", "rank 3", "1",
		"-1", "-", "state=ok", "rx > 1", "link-flap", "stop", "findings",
		"device leaf-r1-00", "x", "-5m"};
	size_t n;
	const struct command *table = whole_commands(w, &n), *cmd = &table[below(s, n)];
	char line[160];

	(void)str_printf(line, sizeof(line), ":%s %s\r", cmd->name, args[below(s, COUNT(args))]);
	(void)str_printf(told->doing + strlen(told->doing),
		sizeof(told->doing) - strlen(told->doing), "; %s", line);
	type(w, line);
}

/* Anywhere, so that each view has its share of the keys. */
static void somewhere(struct whole *w, uint64_t *s)
{
	place_vec places = {0};
	struct ref at;
	const struct view_ops *v = view_table[below(s, view_count)];
	struct err err = {0};

	if (whole_console(w)->moment.at_us != whole_console(w)->moment.to_us)
		whole_moment(w, 0);
	places_of(w, &places);
	for (int i = 0; i < 50; i++) {
		at = places.at[below(s, places.n)];
		if (view_takes(v, at.kind) || (view_is_whole(v) && at.kind == REF_FABRIC)) {
			(void)console_open(whole_console(w), v, at, &err);
			break;
		}
	}
	vec_free(&places);
}

/* A report of the mouse, also outside of the screen. */
static void some_mouse(struct whole *w, uint64_t *s)
{
	static const struct term_mouse kinds[] = {{.what = MOUSE_CLICK}, {.what = MOUSE_CLICK},
		{.what = MOUSE_WHEEL_UP}, {.what = MOUSE_WHEEL_DOWN}};
	struct term_mouse at = kinds[below(s, COUNT(kinds))];

	at.y = (int)below(s, 64);
	at.x = (int)below(s, 220);
	(void)str_printf(told->doing + strlen(told->doing),
		sizeof(told->doing) - strlen(told->doing), ": mouse %d at %d, %d", (int)at.what,
		at.y, at.x);
	mouse_act(whole_console(w), at);
}

static void one_of_them(struct whole *w, struct term *t, uint64_t *s)
{
	unsigned dice = below(s, 1000);
	const struct page *p = console_page(whole_console(w));
	int key;

	(void)str_printf(told->doing, sizeof(told->doing), "key %lu in view %s, row %zu of kind %d",
		told->keys, p->view->name, p->table.cursor,
		p->table.cursor < p->rows.n ? (int)p->rows.at[p->table.cursor].kind : -1);
	if (dice < 60) {
		some_mouse(w, s);
	} else if (dice < 880) {
		key = some_key(w, s);
		(void)str_printf(told->doing + strlen(told->doing),
			sizeof(told->doing) - strlen(told->doing), ": %d", key);
		console_key(whole_console(w), key);
	} else if (dice < 920) {
		some_line(w, s);
	} else if (dice < 950) {
		whole_tick(w);
	} else if (dice < 970) {
		resize(w, t, 1 + (int)below(s, 60), 1 + (int)below(s, 200));
	} else if (dice < 980) {
		whole_moment(w, below(s, 8));
	} else {
		somewhere(w, s);
	}
}

static int type_at_random(const struct scene *x, struct whole *w, struct term *t)
{
	uint64_t s = x->seed * UINT64_C(0x9e3779b97f4a7c15) + x->mode + 1;

	for (told->keys = 0; told->keys < x->keys; told->keys++) {
		one_of_them(w, t, &s);
		draw(w, t);
	}
	return 0;
}

/* ---- both in a terminal ---- */

static int play(void *ctx, int idle_fd)
{
	const struct scene *x = ctx;
	struct term_opts opts = {.no_gate = true};
	struct err err = {0};
	struct term *t = term_open(&opts, &err);
	struct whole *w;

	(void)idle_fd;
	if (!t)
		whole_fail("no terminal: %s", err.text);
	w = whole_new(x->mode, t);
	if (x->keys)
		type_at_random(x, w, t);
	else
		each_view(w, t);
	whole_free(w);
	term_close(t);
	return 0;
}

static void play_scene(struct scene *x)
{
	struct vt_opts opts = {.rows = 20, .cols = 80, .own_stderr = true};
	struct vt *vt;
	int status;

	memset(told, 0, sizeof(*told));
	vt = vt_spawn_fn(&opts, play, x);
	assert_non_null(vt);
	status = vt_wait_exit(vt);
	vt_free(vt);
	if (status)
		fail_msg("%s console, seed %llu: ended with %d at: %s", mode_names[x->mode],
			(unsigned long long)x->seed, status, told->doing);
}

/* The read-only console has fewer commands and none of its own. */
CASE(every_command_at_every_kind_of_row)
{
	static const enum whole_mode modes[] = {WHOLE_LIVE, WHOLE_FILE};

	for (size_t i = 0; i < COUNT(modes); i++) {
		play_scene(&(struct scene){.mode = modes[i]});
		/* None was missing that is a row anywhere. */
		for (int kind = REF_NONE; kind < REF_KINDS; kind++)
			if (kind != REF_FABRIC && kind != REF_TIER && kind != REF_COMM &&
				!(told->kinds >> kind & 1))
				fail_msg("no row of kind %d", kind);
		assert_true(told->lines > 1000);
	}
}

static unsigned long number_of(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);
	uint64_t n;

	return text && str_to_u64(text, &n) && n ? (unsigned long)n : otherwise;
}

CASE(keys_at_random)
{
	for (int mode = 0; mode < WHOLE_MODES; mode++) {
		struct scene x = {.mode = (enum whole_mode)mode,
			.keys = number_of("KEYS", 2500),
			.seed = number_of("SEED", 5)};

		play_scene(&x);
		assert_int_equal(told->keys, x.keys);
	}
}

int main(void)
{
	/* It ends by itself; how long that takes depends on KEYS and the machine. */
	(void)setenv("VT_DEADLINE_S", "36000", 0);
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return told == MAP_FAILED ? 1 : cases_run(NULL, NULL);
}
