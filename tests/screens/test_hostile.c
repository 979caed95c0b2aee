/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, neighbours and files that try to drive the operator's terminal. Only text reaches the
 * terminal, and the console goes on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

/* Every escape of ours has this number in it, which no terminal sequence of railtop's has. */
#define MARK "31337"
/* As JSON text: CSI, OSC 0 and 52, DCS, the same as C1 controls, bidi and zero-width, BEL, SO. */
#define CSI_J "\\u001b[" MARK "m\\u001b[6n\\u001b[c\\u001b[18t\\u001b[?1049l\\u001bc"
#define OSC_J "\\u001b]0;" MARK "\\u0007\\u001b]52;c;" MARK "\\u001b\\\\"
#define DCS_J "\\u001bP" MARK "\\u001b\\\\\\u001b_x\\u001b^x\\u001bX"
#define C1_J  "\\u009b" MARK "m\\u009d0;" MARK "\\u009c\\u0090q\\u009c\\u0085\\u008d"
#define BIDI_J                                                                                     \
	"\\u202e\\u2066\\u200b\\u200f\\ufeff\\u2028\\u061c\\u0007\\u000e\\u000f\\u0008\\u007f"
#define EVIL_J CSI_J OSC_J DCS_J C1_J BIDI_J
/* The same for names, which have 63 bytes. */
#define NAME_J "\\u001b]0;" MARK "\\u0007\\u009b6n\\u202e\\u001bP"

struct fixture {
	char dir[64], observations[96], inventory[96], bad[96];
};

static const char *program(void)
{
	static char path[256];

	return built_path("railtop", path, sizeof(path));
}

static void put_port(FILE *out, const char *device, const char *port, const char *peer, unsigned t)
{
	(void)fprintf(out,
		"{\"t\":%u,\"device\":\"%s\",\"port\":\"%s\",\"state\":{\"oper\":\"" EVIL_J
		"\",\"admin\":\"" EVIL_J "\",\"speed_mbps\":400000,\"mtu\":9000,\"fec\":\"" EVIL_J
		"\",\"alias\":\"alias" EVIL_J "\",\"description\":\"words" EVIL_J
		"\",\"netdev\":\"dev" EVIL_J "\",\"mac\":\"" EVIL_J
		"\",\"down_reason\":\"why" EVIL_J "\",\"media\":\"media" EVIL_J
		"\",\"module_sn\":\"" EVIL_J "\",\"pfcwd_state\":{\"3\":\"" EVIL_J
		"\"},\"pfcwd_action\":{\"3\":\"act" EVIL_J
		"\"}},\"lldp\":{\"device\":\"%s\",\"port\":\"far" NAME_J "\"},"
		"\"counters\":{\"rx_bytes\":%u,\"tx_bytes\":%u,\"pfc_rx_frames\":{\"3\":%u},"
		"\"pre_fec_ber\":1e-4,\"link_down_events\":%u}}\n",
		FIXTURE_START + t * FIXTURE_STEP, device, port, peer, 1000 * t, 2000 * t, 30 * t,
		t);
}

static void put_device(FILE *out, const char *device, unsigned t)
{
	(void)fprintf(out,
		"{\"t\":%u,\"device\":\"%s\",\"state\":{\"model\":\"model" EVIL_J
		"\",\"serial\":\"sn" EVIL_J "\",\"os_version\":\"os" EVIL_J
		"\",\"hostname\":\"host" EVIL_J "\",\"boot_id\":\"" EVIL_J
		"%u\",\"firmware\":\"fw" EVIL_J "\"},\"event\":\"link_down\",\"port\":null,"
		"\"text\":\"said" EVIL_J "\",\"\\u001b]0;" MARK "\\u0007key\":1}\n",
		FIXTURE_START + t * FIXTURE_STEP, device, t);
}

/* Lines that are refused or cut at their NUL; warnings quote them as text at most. */
static void put_refused(FILE *out)
{
	(void)fprintf(out, "{\"device\":\"nul\\u0000" MARK "\",\"port\":\"x\"}\n");
	(void)fprintf(out, "{\"device\":\"leaf-r2-00\",\"state\":{\"model\":\"a\\u0000b\"}}\n");
	(void)fprintf(out, "\033]0;" MARK "\007\033P" MARK "\033\\\302\233" MARK "m\n");
	(void)fprintf(out, "{\"device\":\"");
	for (int i = 0; i < 5000; i++)
		(void)fprintf(out, "\\u001b[" MARK "m");
	(void)fprintf(out, "\"}\n{\"device\":\"leaf-r2-00\",\"event\":\"" EVIL_J "\"}\n");
	(void)fprintf(
		out, "{\"device\":\"leaf-r2-00\",\"port\":\"p\",\"state\":{\"" EVIL_J "\":1}}\n");
	(void)fprintf(out,
		"{\"device\":\"leaf-r2-00\",\"port\":\"p\",\"counters\":{\"" EVIL_J "\":1}}\n");
}

static void write_observations(const char *path)
{
	static const char *const devices[] = {"leaf-r2-00", "spine-001", "node007", "dev" NAME_J};
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	for (unsigned t = 0; t < 3; t++) {
		for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
			put_device(out, devices[i], t);
			put_port(out, devices[i], "port" NAME_J, "dev" NAME_J, t);
		}
		put_port(out, "leaf-r2-00", "Ethernet28", "peer" NAME_J, t);
		put_port(out, "node007", "mlx5_2", "leaf" NAME_J, t);
		put_port(out, "spine-001", "Ethernet1/1", "leaf" NAME_J, t);
	}
	put_refused(out);
	assert_int_equal(fclose(out), 0);
}

static int set_up(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	FILE *f;

	assert_non_null(x);
	(void)str_copy(x->dir, sizeof(x->dir), "/tmp/railtop-hostile-XXXXXX");
	assert_non_null(mkdtemp(x->dir));
	(void)str_printf(x->observations, sizeof(x->observations), "%s/o.jsonl", x->dir);
	(void)str_printf(x->inventory, sizeof(x->inventory), "%s/fabric.yaml", x->dir);
	(void)str_printf(x->bad, sizeof(x->bad), "%s/bad.yaml", x->dir);
	write_observations(x->observations);
	f = fopen(x->inventory, "we");
	assert_non_null(f);
	assert_true(fixture_inventory(f));
	assert_int_equal(fclose(f), 0);
	*state = x;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *x = *state;

	(void)unlink(x->observations);
	(void)unlink(x->inventory);
	(void)unlink(x->bad);
	(void)rmdir(x->dir);
	free(x);
	return 0;
}

/* ---- the terminal's input ---- */

static void leaked(const unsigned char *out, size_t at, size_t len, const char *what)
{
	char text[200];
	size_t n = len - at < 60 ? len - at : 60;

	(void)str_sanitise(text, sizeof(text), (const char *)out + at, n);
	fail_msg("%s at byte %zu of %zu: %s", what, at, len, text);
}

/* A control sequence from its first parameter on; returns its length. */
static size_t check_csi(const unsigned char *out, size_t at, size_t len)
{
	char params[64];
	size_t n = 0;
	unsigned char last;

	while (at + n < len && out[at + n] >= 0x20 && out[at + n] < 0x40)
		n++;
	if (at + n == len || n >= sizeof(params))
		leaked(out, at, len, "a control sequence without end");
	memcpy(params, out + at, n);
	params[n] = '\0';
	last = out[at + n];
	if (strstr(params, MARK) || last == 'c' || (last == 'n' && !str_eq(params, "5")))
		leaked(out, at, len, "somebody else's control sequence");
	/* xterm's terminfo keeps and restores the window's title around the other screen. */
	if (last == 't' && !str_eq(params, "22;0;0") && !str_eq(params, "23;0;0"))
		leaked(out, at, len, "somebody else's window command");
	return n + 1;
}

static bool hidden(const unsigned char *p, size_t left)
{
	static const char *const marks[] = {"\342\200\256", "\342\201\246", "\342\200\213",
		"\342\200\217", "\342\200\250", "\357\273\277", "\330\234"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (left >= strlen(marks[i]) && memcmp(p, marks[i], strlen(marks[i])) == 0)
			return true;
	return false;
}

static void assert_clean(struct vt *vt)
{
	/* Our own question for the colour of the background. */
	static const char ground[] = "]11;?\033\\";
	size_t len;
	const unsigned char *out = (const unsigned char *)vt_output(vt, &len);

	assert_true(len > 100);
	for (size_t i = 0; i < len; i++) {
		if (out[i] == 0x1b && i + 1 < len) {
			i++;
			/* The rest: charsets, keypad, cursor save and restore, index. */
			if (out[i] == '[')
				i += check_csi(out, i + 1, len);
			else if (len - i > sizeof(ground) - 1 &&
				 memcmp(out + i, ground, sizeof(ground) - 1) == 0)
				i += sizeof(ground) - 2;
			else if (!strchr("()=>78M", out[i]))
				leaked(out, i, len, "somebody else's escape");
		} else if (out[i] < 0x20 && !strchr("\r\n\b\t", out[i])) {
			leaked(out, i, len, "a control character");
		} else if (out[i] == 0x7f || (out[i] == 0xc2 && i + 1 < len && out[i + 1] < 0xa0)) {
			leaked(out, i, len, "a C1 or delete character");
		} else if (hidden(out + i, len - i)) {
			leaked(out, i, len, "an invisible or bidirectional character");
		}
	}
}

/* ---- the console ---- */

static void type_keys(struct vt *vt, const char *keys)
{
	for (; *keys; keys++) {
		char one[2] = {*keys, '\0'};

		if (*keys == '\r')
			vt_key(vt, "Enter");
		else if (*keys == '\033') {
			vt_key(vt, "Esc");
			vt_settle(vt); /* or it makes the next key an Alt- one */
		} else
			vt_type(vt, one);
	}
	vt_settle(vt);
}

static struct vt *start(const struct fixture *x, int rows, int cols, const char *locale)
{
	const char *const argv[] = {
		program(), "-f", x->inventory, "--observations", x->observations, NULL};
	const char *const env[] = {"NO_COLOR", "TMUX", "XDG_CONFIG_HOME=/nonexistent", NULL};
	struct vt_opts opts = {
		.rows = rows, .cols = cols, .locale = locale, .env = env, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	vt_wait_idle(vt, 0);
	return vt;
}

static void tour(const struct fixture *x, int rows, int cols, const char *locale)
{
	/* The keys to a page, and the hostile text that must be there as text. */
	static const struct {
		const char *keys, *shown;
	} stops[] = {
		{"", "ref256"},
		{":rail 2\r", "leaf-r2-00"},
		{":leaf-r2-00\r", "leaf-r2-00"},
		{"/port?\r", "?]0;" MARK},
		{"\r", "?]0;" MARK},
		{"\r", "priority"},
		{":leaf-r2-00:Ethernet28\r", "?]0;" MARK},
		{":spine-001\r", "?]0;" MARK},
		{":hosts\r", "node007"},
		{":node007\r", MARK},
		{":node007:mlx5_2\r", MARK},
		{":links\r", "leaf-r2-00"},
		{"/node007:mlx5_2\r", "leaf-r2-00:Ethernet28"},
		{":events\r", "said?[" MARK},
		{":devices\r", "dev?]0;3133"},
		{"/" MARK "\r\r", "?]0;" MARK},
		{"?", "Keys"},
		{"\033c", ""},
		{"\033:dev", "dev?]0;" MARK},
		{"\033:leaf-r2-00:po", "?]0;" MARK},
		{"\033:" MARK "\r", ""},
		{"\033:links\r/a~" MARK "\r", "no row"},
		{"1", "ref256"},
	};
	struct vt *vt = start(x, rows, cols, locale);

	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		type_keys(vt, stops[i].keys);
		assert_true(vt_altscreen(vt));
		if (cols >= 200 && !vt_has(vt, stops[i].shown)) {
			char *screen = vt_screen(vt);

			print_error("%s\n", screen);
			free(screen);
			fail_msg("stop %zu does not show \"%s\"", i, stops[i].shown);
		}
	}
	/* A key of the user's that is a control character goes no further either. */
	type_keys(vt, "/");
	if (str_eq(locale, "C.UTF-8"))
		vt_type(vt, "a\302\233" MARK "m\342\200\256b");
	vt_settle(vt);
	vt_key(vt, "Esc");
	vt_settle(vt);
	vt_key(vt, "Ctrl-c");
	assert_int_equal(vt_wait_exit(vt), 0);
	assert_clean(vt);
	vt_free(vt);
}

CASE(test_no_view_passes_escapes_on)
{
	tour(*state, 50, 200, "C.UTF-8");
}

CASE(test_nor_in_a_small_terminal)
{
	tour(*state, 24, 80, "C.UTF-8");
}

CASE(test_nor_in_another_locale)
{
	tour(*state, 50, 200, "C");
}

/* The OSC of our own that has a name in it: its content is base64, for any name. */
CASE(test_a_copied_name_stays_in_its_wrapping)
{
	struct vt *vt = start(*state, 50, 200, "C.UTF-8");
	const char *out, *osc;
	size_t len, n;

	type_keys(vt, ":leaf-r2-00\r/port?\r");
	vt_key(vt, "y");
	vt_settle(vt);
	vt_key(vt, "Ctrl-c");
	assert_int_equal(vt_wait_exit(vt), 0);
	out = vt_output(vt, &len);
	osc = memmem(out, len, "\033]52;c;", 7);
	assert_non_null(osc);
	osc += 7;
	n = strspn(osc, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=");
	assert_true(n > 20);
	assert_true(osc[n] == '\007' || str_starts(osc + n, "\033\\"));
	assert_null(memmem(osc, len - (size_t)(osc - out), "\033]", 2));
	assert_null(memmem(out, len, "\033P", 2));
	vt_free(vt);
}

/* ---- the inventory ---- */

/* Broken values, and names that nobody can expand: files are read in these two steps. */
static const char bad_values[] =
	"fabric: \"evil\\e]0;" MARK "\\a\"\n"
	"lossless: {priorities: [3, 9], dscp: {99: 3}}\n"
	"switches:\n"
	"  - {names: \"leaf[0-1]\", dialect: \"\\e[" MARK "m\", tier: leaf}\n"
	"  - {names: spine, dialect: sonic, tier: attic}\n"
	"hosts:\n"
	"  - {names: h, \"\\eP" MARK "\\e\\\\\": 1}\n"
	"  - {names: ok, port: 70000, interval: 0, user: \"\\u202e\\x9b" MARK "m\"}\n";
static const char bad_names[] = "fabric: x\n"
				"switches:\n"
				"  - {names: \"leaf[0-\", dialect: sonic, tier: leaf}\n"
				"  - {names: \"sp\\x9b" MARK "m\", dialect: sonic, tier: spine}\n"
				"  - {names: \"s p\", dialect: sonic, tier: spine}\n"
				"hosts:\n"
				"  - {names: h}\n"
				"  - {names: h}\n";

static void assert_told(const struct fixture *x, const char *yaml, const unsigned *lines, size_t n)
{
	const char *const argv[] = {program(), "-f", x->bad, NULL};
	struct vt_opts opts = {.rows = 50, .cols = 200};
	FILE *f = fopen(x->bad, "we");
	const char *out;
	struct vt *vt;
	size_t len;

	assert_non_null(f);
	assert_true(fputs(yaml, f) >= 0);
	assert_int_equal(fclose(f), 0);
	vt = vt_spawn(&opts, argv);
	assert_int_equal(vt_wait_exit(vt), 2);
	out = vt_output(vt, &len);
	for (size_t i = 0; i < n; i++) {
		char want[128];

		(void)str_printf(want, sizeof(want), "%s:%u: ", x->bad, lines[i]);
		if (!vt_has(vt, want))
			fail_msg("no message at \"%s\": %s", want, out);
	}
	/* Not for a moment: the old content of the terminal is still there. */
	assert_false(vt_altscreen(vt));
	assert_null(memchr(out, '\033', len));
	assert_clean(vt);
	vt_free(vt);
}

CASE(test_a_bad_inventory_is_told_line_by_line)
{
	static const unsigned values[] = {1, 2, 4, 5, 7, 8}, names[] = {3, 4, 5, 8};

	assert_told(*state, bad_values, values, sizeof(values) / sizeof(values[0]));
	assert_told(*state, bad_names, names, sizeof(names) / sizeof(names[0]));
}

CASES_MAIN(set_up, tear_down)
