/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/term.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tui/term_internal.h"

#define ESCAPE_DELAY_MS 25
#define DRAIN_US        INT64_C(200000)
#define DRAIN_MAX_US    INT64_C(1000000)
#define SEND_AGAIN_US   INT64_C(20000)

/*
 * The only static pointer of tui/. A crash or an exhausted heap cannot pass a context, and a
 * process has only one terminal.
 */
static struct term *emergency;

/* Adds a terminfo string without its padding marks ("$<5>"), which only tputs() understands. */
static void restore_add(struct term *t, const char *capability)
{
	const char *s = tigetstr(capability);

	if (!s || s == (const char *)-1)
		return;
	while (*s && t->restore_len + 1 < sizeof(t->restore)) {
		if (s[0] == '$' && s[1] == '<' && strchr(s, '>')) {
			s = strchr(s, '>') + 1;
			continue;
		}
		t->restore[t->restore_len++] = *s++;
	}
}

static void restore_prepare(struct term *t)
{
	(void)str_copy(t->restore, sizeof(t->restore), MOUSE_OFF);
	t->restore_len = strlen(t->restore);
	restore_add(t, "sgr0");
	restore_add(t, "op");
	restore_add(t, "rmkx");
	restore_add(t, "rmcup");
	restore_add(t, "cnorm");
}

/*
 * Ctrl-C and similar keys become input, because they have bindings. Ctrl-Z still suspends, and
 * Ctrl-\ still ends a program that hangs.
 */
static void set_modes(struct term *t)
{
	struct termios io;

	raw();
	noecho();
	nonl();
	if (tcgetattr(t->in, &io) == 0) {
		io.c_lflag |= ISIG;
		io.c_cc[VINTR] = _POSIX_VDISABLE;
		(void)tcsetattr(t->in, TCSANOW, &io);
	}
	def_prog_mode();
	(void)keypad(stdscr, TRUE);
	(void)nodelay(stdscr, TRUE);
	(void)meta(stdscr, TRUE);
	(void)set_escdelay(ESCAPE_DELAY_MS);
	(void)leaveok(stdscr, TRUE);
	(void)scrollok(stdscr, FALSE);
	t->hides_cursor = curs_set(0) != ERR;
}

static bool no_color_wanted(const struct term_opts *opts)
{
	const char *env = getenv("NO_COLOR"); /* https://no-color.org: set and not empty */

	return opts->no_color || (env && *env);
}

static void detect_abilities(struct term *t, const struct term_opts *opts, const char *name)
{
	t->utf8 = !opts->ascii && str_eq(nl_langinfo(CODESET), "UTF-8");
	/* The Linux console's font has box lines but not the eighth blocks; a vt100 has neither. */
	t->blocks = t->utf8 && !str_starts(name, "linux") && !str_starts(name, "vt");
	t->clipboard = !str_starts(name, "linux") && !str_starts(name, "vt");
	gate_init(&t->gate, !opts->no_gate);
	t->pushed = -1;
	t->cursor_y = t->cursor_x = -1;
	t->repaint = true;
}

bool term_check(const struct term_opts *opts, struct err *err)
{
	const char *name = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
		err_set(err, ERR_IO, "terminal", "standard input and output are not a terminal");
		return err_cure(
			err, "for files and pipes use a subcommand such as 'railtop snapshot'");
	}
	if (opts->theme && !theme_known(opts->theme)) {
		err_set(err, ERR_CONFIG, "terminal", "there is no theme '%s'", opts->theme);
		return err_cure(err, "themes are: %s", theme_names());
	}
	if (!name || !*name) {
		err_set(err, ERR_IO, "terminal", "TERM is not set");
		return err_cure(err, "set TERM, for example: export TERM=xterm-256color");
	}
	return true;
}

static bool refuse_terminal(struct err *err, const char *name, const char *what)
{
	err_set(err, ERR_IO, "terminal", "TERM=%s: %s", name, what);
	return err_cure(
		err, "install the package ncurses-term or set TERM=xterm-256color (or vt100)");
}

struct term *term_open(const struct term_opts *opts, struct err *err)
{
	const char *name = getenv("TERM");
	struct term *t;

	if (!term_check(opts, err))
		return NULL;
	(void)setlocale(LC_CTYPE, "");
	t = mem_calloc(1, sizeof(*t));
	t->in = STDIN_FILENO;
	t->out = STDOUT_FILENO;
	(void)tcgetattr(t->in, &t->before);
	t->flags_before = fcntl(t->out, F_GETFL);
	use_env(FALSE);
	use_tioctl(TRUE);
	if (!send_open(t)) {
		err_set(err, ERR_IO, "terminal", "%s", strerror(errno));
		send_close(t);
		free(t);
		return NULL;
	}
	t->screen = newterm(NULL, t->library, stdin);
	if (!t->screen || !tigetstr("cup") || tigetstr("cup") == (char *)-1) {
		bool known = t->screen != NULL;

		if (known) {
			endwin();
			delscreen(t->screen);
		}
		refuse_terminal(err, name,
			known ? "this terminal cannot place its cursor"
			      : "no description of this terminal");
		send_close(t);
		free(t);
		return NULL;
	}
	detect_abilities(t, opts, name);
	restore_prepare(t);
	emergency = t;
	crash_watch();
	set_modes(t);
	t->no_color = no_color_wanted(opts);
	t->chosen = opts->theme != NULL;
	(void)theme_apply(t, opts->theme ? opts->theme : ground_theme(), t->no_color);
	keys_define();
	return t;
}

/* Waits a bounded time for outstanding answers, so that none reaches the shell. */
static void drain_answers(struct term *t)
{
	int64_t wait = t->gate.rtt > 0 ? 3 * t->gate.rtt : 0;

	wait = wait < DRAIN_US ? DRAIN_US : wait;
	wait = wait > DRAIN_MAX_US ? DRAIN_MAX_US : wait;
	keys_drain(t, clock_mono(&clock_system) + wait);
	if (t->gate.outstanding)
		(void)tcflush(t->in, TCIFLUSH);
}

void term_close(struct term *t)
{
	if (!t)
		return;
	if (!t->suspended) {
		term_mouse_on(t, false);
		drain_answers(t);
		send_wait(t);
		endwin();
	}
	emergency = NULL;
	crash_forget();
	delscreen(t->screen);
	send_close(t);
	(void)tcsetattr(t->in, TCSADRAIN, &t->before);
	if (t->flags_before >= 0)
		(void)fcntl(t->out, F_SETFL, t->flags_before);
	free(t);
}

void term_emergency(void)
{
	struct term *t = emergency;
	int saved = errno;

	emergency = NULL;
	if (t && !t->suspended) {
		ssize_t n;

		/* A blocking write would hang here if the terminal takes no more bytes. */
		if (t->flags_before >= 0)
			(void)fcntl(t->out, F_SETFL, t->flags_before | O_NONBLOCK);
		n = write(t->out, t->restore, t->restore_len);
		(void)n;
		(void)tcflush(t->in, TCIFLUSH);
		(void)tcsetattr(t->in, TCSANOW, &t->before);
		if (t->flags_before >= 0)
			(void)fcntl(t->out, F_SETFL, t->flags_before);
	}
	errno = saved;
}

void term_suspend(struct term *t)
{
	if (t->suspended)
		return;
	t->mouse_again = t->mouse_on;
	term_mouse_on(t, false);
	drain_answers(t);
	send_wait(t);
	endwin();
	t->suspended = true;
}

void term_resume(struct term *t)
{
	if (!t->suspended)
		return;
	t->suspended = false;
	/* The other program on the terminal has consumed the outstanding answers. */
	t->gate.outstanding = 0;
	t->keys = KEYS_IDLE;
	t->cursor_shown = false;
	send_wait(t);
	(void)doupdate();
	(void)curs_set(0);
	term_mouse_on(t, t->mouse_again);
	term_resize(t);
}

int term_rows(const struct term *t)
{
	(void)t;
	return getmaxy(stdscr);
}

int term_cols(const struct term *t)
{
	(void)t;
	return getmaxx(stdscr);
}

bool term_utf8(const struct term *t)
{
	return t && t->utf8;
}

bool term_has_colour(const struct term *t)
{
	return t && t->look[ROLE_CRIT].pair != 0;
}

bool term_blocks(const struct term *t)
{
	return t && t->blocks;
}

bool term_lost(const struct term *t)
{
	return t->lost;
}

void term_resize(struct term *t)
{
	struct winsize size;

	/* resizeterm() would push a KEY_RESIZE, and handling that key would come here again. */
	if (ioctl(t->out, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col &&
		is_term_resized(size.ws_row, size.ws_col))
		(void)resize_term(size.ws_row, size.ws_col);
	term_repaint(t);
}

void term_repaint(struct term *t)
{
	t->repaint = true;
}

bool term_begin(struct term *t)
{
	if (t->suspended || !send_more(t) || !gate_open(&t->gate, clock_mono(&clock_system)))
		return false;
	(void)werase(stdscr);
	t->cursor_y = t->cursor_x = -1;
	return true;
}

/* FNV-1a over words: cchar_t has no padding. */
static uint64_t add_digest(uint64_t hash, const void *p, size_t n)
{
	const unsigned char *bytes = p;
	uint32_t word;

	for (size_t i = 0; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		hash = (hash ^ word) * UINT64_C(1099511628211);
	}
	return hash;
}

/* Digest of the frame's content: an unchanged frame costs no byte and no question. */
static uint64_t frame_digest(const struct term *t)
{
	enum { CHUNK = 128 };
	uint64_t hash = UINT64_C(14695981039346656037);
	cchar_t cells[CHUNK + 1];

	hash = add_digest(hash, &t->cursor_y, sizeof(t->cursor_y));
	hash = add_digest(hash, &t->cursor_x, sizeof(t->cursor_x));
	for (int y = 0; y < term_rows(t); y++) {
		for (int x = 0; x < term_cols(t); x += CHUNK) {
			int n = term_cols(t) - x < CHUNK ? term_cols(t) - x : CHUNK;

			memset(cells, 0, sizeof(cells[0]) * (size_t)n);
			if (mvwin_wchnstr(stdscr, y, x, cells, n) != ERR)
				hash = add_digest(hash, cells, sizeof(cells[0]) * (size_t)n);
		}
	}
	return hash;
}

static void place_cursor(struct term *t)
{
	bool show = t->cursor_y >= 0;

	/* A terminal that cannot hide its cursor keeps it in the corner, outside the text. */
	(void)leaveok(stdscr, !show && t->hides_cursor);
	if (show)
		(void)wmove(stdscr, t->cursor_y, t->cursor_x);
	else
		(void)wmove(stdscr, term_rows(t) - 1, term_cols(t) - 1);
	if (show != t->cursor_shown)
		(void)curs_set(show ? 1 : 0);
	t->cursor_shown = show;
}

void term_commit(struct term *t)
{
	uint64_t frame;

	if (t->suspended)
		return;
	frame = frame_digest(t);
	if (frame == t->frame && !t->repaint) {
		/*
		 * Otherwise reading the next key would move the cursor to its position after the
		 * digest.
		 */
		place_cursor(t);
		(void)wnoutrefresh(stdscr);
		return;
	}
	t->frame = frame;
	if (t->repaint)
		(void)clearok(curscr, TRUE);
	t->repaint = false;
	send_frame_begin(t);
	place_cursor(t);
	(void)wnoutrefresh(stdscr);
	(void)doupdate();
	send_frame_end(t);
	if (t->gate.on) {
		/* doupdate() has written the whole frame, so the question follows it. */
		gate_asked(&t->gate, clock_mono(&clock_system));
		term_write(t, GATE_QUESTION, sizeof(GATE_QUESTION) - 1);
	}
}

bool term_acknowledged(const struct term *t)
{
	return !t->waiting.len && (clock_mono(&clock_system) >= gate_deadline(&t->gate) ||
					  gate_deadline(&t->gate) == INT64_MAX);
}

int64_t term_gate_deadline(const struct term *t)
{
	return t->waiting.len ? clock_mono(&clock_system) + SEND_AGAIN_US : gate_deadline(&t->gate);
}
