/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/support/random_keys.h"

#include <errno.h>
#include <glob.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum {
	ALIVE_MS = 60000, /* only makes a hang a failure */
	AGAIN_MS = 500,
	BURST = 24, /* events between two looks whether it is alive */
	LEAVE_TURNS = 200,
};

size_t random_below(uint64_t *state, size_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (size_t)(*state >> 16) % n;
}

static void print_reports(const struct random_keys *k)
{
	char pattern[300], line[512];
	glob_t found;

	(void)str_printf(pattern, sizeof(pattern), "%s/sanitizer*", k->dir);
	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *f = fopen(found.gl_pathv[i], "re");

		while (f && fgets(line, sizeof(line), f))
			(void)fprintf(stderr, "%s", line);
		if (f)
			(void)fclose(f);
	}
	globfree(&found);
}

static void wrong(struct random_keys *k, const char *what) __attribute__((noreturn));
static void wrong(struct random_keys *k, const char *what)
{
	char *screen = vt_screen(k->vt);
	size_t n;
	const char *output = vt_output(k->vt, &n);

	print_reports(k);
	(void)fprintf(stderr, "the screen is\n%s\nthe last output is\n%.*s\n", screen,
		(int)(n < 2000 ? n : 2000), output + (n < 2000 ? 0 : n - 2000));
	free(screen);
	fail_msg("%s; seed %llu, after %lu events", what, (unsigned long long)k->seed, k->events);
	abort();
}

/* ---- what is typed ---- */

static const char *const special[] = {"\r", "\033", "\t", " ", "\033[A", "\033[B", "\033[C",
	"\033[D", "\033OA", "\033OB", "\033[H", "\033[F", "\033[5~", "\033[6~", "\033[2~",
	"\033[3~", "\177", "\033[Z", "\033OP", "\033[24~", "\033x", "\001", "\004", "\005", "\006",
	"\010", "\013", "\014", "\025", "\027", "\xc3\xa9", "\xe4\xb8\xad", "\xf4\x8f\xbf\xbf",
	"\xff", "\xc3", "\xe2\x80\xae", "\033[200~act\r\033[201~", "\033[1;5C",
	"\033]11;rgb:0/0/0\007", "\033]52;c;aGk=\007", "\033[?1;2c", "\033[0n",
	"\033[999999999;999999999R", "\033[", "\033]", "\033P", "\033[<", "\033[<0;1", "ZZ", "gg",
	"G"};

static const char *const commands[] = {
#define COMMAND(name, ...) name,
#include "app/console/commands.def"
#include "app/console/act_commands.def"
#undef COMMAND
	"hot",
	"say",
	"many",
	"slow",
	"fails",
	"absent",
};

/* The operator's own words of the palette, as in ~/.config/railtop/config. */
static const char own_words[] = "view hot links sort=-paused_rx /node003\n"
				"command say /bin/echo {device} {port} {peer_device}\n"
				"command many /usr/bin/seq 20000\n"
				"command slow /bin/sleep 2\n"
				"command fails /bin/false\n"
				"command absent /nonexistent/program {address}\n";

static const char *const args[] = {"", "", "", "leaf-r1-00", "leaf-r3-00:Ethernet12", "node003",
	"node003:mlx5_3", "spine-000:Ethernet1/1", "rank 3", "rail 2", "1", "-1", "-",
	"99999999999999999999", "state=ok", "rx > 1", "!x", "~(", "on", "off", "stop", "findings",
	"cluster", "ports", "device", "chart", "events", "diff", "audit", "trace", "heat", "-5m",
	"+30s", "live", "02:13:30", "pass", "fail", "port-bounce leaf-r1-00:Ethernet0", "in", "out",
	"15m", "theme light", "split on", "chart on", "zone +05:30", "zone utc", "units bytes",
	"columns links all", "columns state,rx", "pfc-storm", "storm.rts", "\xe2\x80\xae", "pause",
	"rx", "drop", "all", "0", "10"};

static size_t some_command(uint64_t *s, char *dst, size_t size)
{
	const char *name = commands[random_below(s, COUNT(commands))];

	/* Leaving has its own place. */
	if (str_eq(name, "quit") || str_eq(name, "close"))
		name = "help";
	(void)str_printf(dst, size, ":%s %s%s", name, args[random_below(s, COUNT(args))],
		random_below(s, 8) ? "\r" : "");
	return strlen(dst);
}

static size_t some_mouse(uint64_t *s, char *dst, size_t size)
{
	static const unsigned buttons[] = {0, 0, 0, 1, 2, 32, 35, 64, 65, 66, 128, 4096};
	bool far = random_below(s, 20) == 0;
	unsigned button = buttons[random_below(s, COUNT(buttons))];
	size_t x = random_below(s, far ? 1u << 31 : 200), y = random_below(s, far ? 1u << 31 : 60);

	(void)str_printf(
		dst, size, "\033[<%u;%zu;%zu%c", button, x, y, random_below(s, 3) ? 'M' : 'm');
	return strlen(dst);
}

/* Bytes as from a broken terminal or a paste of a file; none of them is a signal. */
static size_t some_bytes(uint64_t *s, char *dst)
{
	size_t n = 1 + random_below(s, 32);

	for (size_t i = 0; i < n; i++) {
		dst[i] = (char)random_below(s, 256);
		if (dst[i] == 3 || dst[i] == 28 || dst[i] == 26 || dst[i] == 19 || dst[i] == 'q')
			dst[i] = 'j';
	}
	return n;
}

static bool is_stopped(int pid)
{
	char path[64], line[512], *at;
	bool stopped = false;
	FILE *f;

	(void)str_printf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f) && (at = strrchr(line, ')')))
		stopped = at[1] && at[2] == 'T';
	if (f)
		(void)fclose(f);
	return stopped;
}

/* The shell's fg after Ctrl-Z, which the program may obey at any later time. */
static void bring_back(const struct random_keys *k)
{
	if (!vt_ended(k->vt) && is_stopped(vt_pid(k->vt)))
		(void)kill(vt_pid(k->vt), SIGCONT);
}

static void one_event(struct random_keys *k)
{
	uint64_t *s = &k->state;
	char text[256];
	size_t n, dice = random_below(s, 1000);

	if (dice < 480) {
		text[0] = (char)(' ' + random_below(s, 95));
		n = 1;
		/* Leaves from the first page: seldom, so that most input meets a console. */
		if (text[0] == 'q' && random_below(s, 4))
			text[0] = 'j';
	} else if (dice < 700) {
		const char *one = special[random_below(s, COUNT(special))];

		n = str_copy(text, sizeof(text), one) ? strlen(text) : 0;
		if (str_eq(one, "ZZ") && random_below(s, 10))
			n = 0;
	} else if (dice < 800) {
		n = some_mouse(s, text, sizeof(text));
	} else if (dice < 920) {
		n = some_command(s, text, sizeof(text));
	} else if (dice < 955) {
		n = some_bytes(s, text);
	} else if (dice < 985) {
		/* libvterm itself faults at a wide character where there is one column only. */
		int rows = 1 + (int)random_below(s, 60), cols = 2 + (int)random_below(s, 219);

		vt_resize(k->vt, rows, cols);
		return;
	} else if (dice < 993) {
		vt_hold_answers(k->vt, random_below(s, 2));
		return;
	} else {
		vt_hold_answers(k->vt, false);
		vt_send(k->vt, "\032", 1);
		vt_run_for(k->vt, 0.02);
		bring_back(k);
		return;
	}
	vt_send(k->vt, text, n);
}

/* ---- whether it is well ---- */

/*
 * Until a frame shows that it took a key, or it has left. The first key may be the end of a
 * sequence that the cat has begun; a file that stands still draws nothing by itself. It need not
 * settle: over a slow line answers of devices may come faster than frames.
 */
static void look_alive(struct random_keys *k)
{
	unsigned long before;
	int64_t end = now_ms() + ALIVE_MS, again = 0;

	vt_hold_answers(k->vt, false);
	before = vt_frames_told(k->vt);
	while (vt_frames_told(k->vt) == before && !vt_ended(k->vt)) {
		if (now_ms() > end)
			wrong(k, "it does not answer any more");
		if (now_ms() > again) {
			vt_send(k->vt, "\014", 1);
			again = now_ms() + AGAIN_MS;
		}
		bring_back(k);
		vt_run_for(k->vt, 0.01);
	}
}

static void write_own_words(const struct random_keys *k)
{
	char path[300];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/config", k->dir);
	(void)mkdir(path, 0700);
	(void)str_printf(path, sizeof(path), "%s/config/railtop", k->dir);
	(void)mkdir(path, 0700);
	(void)str_printf(path, sizeof(path), "%s/config/railtop/config", k->dir);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(own_words, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0600), 0);
}

void random_keys_start(struct random_keys *k, const char *const *argv)
{
	char asan[300], ubsan[300], here[512], config[300];
	const char *const env[] = {asan, ubsan, config, NULL};
	struct vt_opts opts = {.idle = true, .env = env, .slow_ms = k->slow_ms};

	(void)str_printf(asan, sizeof(asan),
		"ASAN_OPTIONS=log_path=%s/sanitizer:handle_segv=2:handle_abort=2:exitcode=99",
		k->dir);
	(void)str_printf(ubsan, sizeof(ubsan),
		"UBSAN_OPTIONS=print_stacktrace=1:log_path=%s/sanitizer:exitcode=99", k->dir);
	(void)str_printf(config, sizeof(config), "XDG_CONFIG_HOME=%s/config", k->dir);
	write_own_words(k);
	k->state = (k->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	for (int i = 0; i < 8; i++)
		(void)random_below(&k->state, 2);
	k->events = 0;
	opts.rows = 5 + (int)random_below(&k->state, 50);
	opts.cols = 20 + (int)random_below(&k->state, 180);
	/* Files that a command writes are written there. */
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(k->dir), 0);
	k->vt = vt_spawn(&opts, argv);
	assert_int_equal(chdir(here), 0);
}

void random_keys_press(struct random_keys *k, double seconds)
{
	int64_t end = now_ms() + (int64_t)(seconds * 1000);

	while (now_ms() < end && !vt_ended(k->vt)) {
		size_t n = 1 + random_below(&k->state, BURST);

		for (size_t i = 0; i < n && !vt_ended(k->vt); i++) {
			one_event(k);
			k->events++;
		}
		look_alive(k);
	}
}

static void press(struct random_keys *k, const char *keys)
{
	if (vt_ended(k->vt))
		return;
	vt_send(k->vt, keys, strlen(keys));
	/* A key right after an escape would be one key with it. */
	if (str_eq(keys, "\033"))
		vt_run_for(k->vt, 0.15);
	look_alive(k);
}

/* From wherever it is: each page and each overlay is left, and then the program. */
static void leave(struct random_keys *k)
{
	static const char *const ways[] = {"q", "q", ":quit\r", "ZZ"};
	const char *way = ways[random_below(&k->state, COUNT(ways))];

	vt_hold_answers(k->vt, false);
	vt_resize(k->vt, 30, 100);
	switch (random_below(&k->state, 6)) {
	case 0:
		press(k, "\003");
		break;
	case 1:
		(void)kill(vt_pid(k->vt), SIGTERM);
		return;
	default:
		break;
	}
	/* The wall does not hear Ctrl-C. */
	for (int i = 0; i < LEAVE_TURNS && !vt_ended(k->vt); i++) {
		press(k, "\033");
		press(k, "\033");
		/* The wall wants it twice. */
		press(k, i % 2 ? "qq" : way);
		if (!vt_ended(k->vt) && vt_has(k->vt, "? y:"))
			press(k, "y\r");
	}
	if (!vt_ended(k->vt))
		wrong(k, "it does not leave");
}

static bool same_modes(const struct vt *vt)
{
	struct termios is, was;
	int master, slave;
	bool same;

	if (openpty(&master, &slave, NULL, NULL, NULL) != 0)
		return false;
	same = tcgetattr(slave, &was) == 0 && vt_modes(vt, &is) && is.c_iflag == was.c_iflag &&
	       is.c_oflag == was.c_oflag && is.c_lflag == was.c_lflag &&
	       is.c_cflag == was.c_cflag && memcmp(is.c_cc, was.c_cc, sizeof(is.c_cc)) == 0;
	(void)close(master);
	(void)close(slave);
	return same;
}

/*
 * The last word that the program said about the mode: 1 on, -1 off, 0 none. libvterm's own view
 * does not count: with ?1049l it restores more than xterm does.
 */
static int last_word(const struct vt *vt, const char *mode)
{
	char on[32], off[32];
	size_t n;
	const char *output = vt_output(vt, &n);
	int word = 0;

	(void)str_printf(on, sizeof(on), "\033[?%sh", mode);
	(void)str_printf(off, sizeof(off), "\033[?%sl", mode);
	for (size_t i = 0; i + strlen(on) <= n; i++) {
		if (memcmp(output + i, on, strlen(on)) == 0)
			word = 1;
		else if (memcmp(output + i, off, strlen(off)) == 0)
			word = -1;
	}
	return word;
}

void random_keys_end(struct random_keys *k)
{
	static const char *const modes[] = {"1000", "1002", "1003", "1006", "1049", "2004", "1004"};
	int64_t end = now_ms() + ALIVE_MS;
	int status;

	if (!vt_ended(k->vt))
		leave(k);
	while (!vt_ended(k->vt) && now_ms() < end) {
		bring_back(k);
		vt_run_for(k->vt, 0.02);
	}
	status = vt_wait_exit(k->vt);
	if (status != 0) {
		char what[64];

		(void)str_printf(what, sizeof(what), "it ended with %d", status);
		wrong(k, what);
	}
	if (vt_altscreen(k->vt))
		wrong(k, "the other screen is not left");
	if (last_word(k->vt, "25") < 0)
		wrong(k, "the cursor stays hidden");
	for (size_t i = 0; i < COUNT(modes); i++)
		if (last_word(k->vt, modes[i]) > 0)
			wrong(k, modes[i]);
	if (!same_modes(k->vt))
		wrong(k, "the terminal has other modes than before");
	vt_free(k->vt);
	k->vt = NULL;
}
