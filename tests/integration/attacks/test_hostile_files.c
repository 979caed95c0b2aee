/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attacks by files and by other accounts of the machine: what an operator is asked to look at
 * ("here is my recording"), and what lies where railtop keeps its own. It stays small, ends in
 * time, refuses in words, and changes nothing outside its places.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/attacks/hostile_server.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { PEAK_KB = SANITIZED ? 1500000 : 400000, RUN_S = 120, LONGEST_S = 30 };

static struct scratch scratch;
static char program[256];

static const char *file(const char *name)
{
	return scratch_path(&scratch, name);
}

/* Ends in one of the exit codes, small and soon; the caller frees its words. */
static char *unharmed(const char *what, const char *const *argv)
{
	struct measured m = run_measured(argv, RUN_S);

	print_message("# figure %s: exit %d, %.1f s, at most %ld MB\n", what, m.code, m.seconds,
		m.peak_kb / 1024);
	if (m.code < 0 || m.code > 5)
		fail_msg("%s: exit %d: %.1000s", what, m.code, m.said);
	if (m.peak_kb > PEAK_KB || m.seconds > LONGEST_S)
		fail_msg("%s: %ld MB, %.0f s", what, m.peak_kb / 1024, m.seconds);
	for (const char *p = m.said; *p; p++)
		if ((unsigned char)*p < ' ' && *p != '\n' && *p != '\t')
			fail_msg("%s: a byte %d is printed: %.1000s", what, *p, m.said);
	return m.said;
}

static void write_brackets(const char *name, const char *before, char bracket, size_t n)
{
	FILE *f = fopen(file(name), "we");

	assert_non_null(f);
	(void)fputs(before, f);
	for (size_t i = 0; i < n; i++)
		(void)fputc(bracket, f);
	(void)fputc('\n', f);
	assert_int_equal(fclose(f), 0);
}

/* ---- depth ---- */

CASE(a_million_brackets_in_every_kind_of_file)
{
	static const struct {
		const char *name, *before;
		char bracket;
	} files[] = {{"deep.jsonl", "{\"device\":\"a\",\"state\":", '['},
		{"deep.yaml", "fabric: x\nswitches: ", '['}, {"deep-map.yaml", "fabric: ", '{'},
		{"deep-ledger.jsonl", "{\"seq\":1,\"detail\":", '['}};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *path = file(files[i].name);
		const char *const lines[] = {program, "findings", "--observations", path, NULL};
		const char *const inventory[] = {program, "check", "-f", path, NULL};
		const char *const runbook[] = {program, "runbook", "--check", path, NULL};
		const char *const ledger[] = {program, "ledger", "verify", "--ledger", path, NULL};
		const char *const mapping[] = {program, "findings", "--from", path, NULL};
		const char *const *const all[] = {lines, inventory, runbook, ledger, mapping};

		write_brackets(files[i].name, files[i].before, files[i].bracket, 1000000);
		for (size_t k = 0; k < 5; k++)
			free(unharmed(files[i].name, all[k]));
	}
}

/* ---- numbers and times ---- */

CASE(absurd_numbers_and_times)
{
	const char *const argv[] = {
		program, "snapshot", "--observations", file("odd.jsonl"), "--json", "-", NULL};
	const char *const findings[] = {
		program, "findings", "--observations", file("odd.jsonl"), NULL};
	char *said;

	scratch_write(&scratch, "odd.jsonl",
		"{\"t\":1e300,\"device\":\"a\",\"port\":\"p\",\"counters\":{\"rx_bytes\":1e300}}\n"
		"{\"t\":-1e300,\"device\":\"a\",\"port\":\"p\",\"counters\":{\"rx_bytes\":-1}}\n"
		"{\"t\":9223372036854775807,\"device\":\"a\",\"port\":\"p\",\"counters\":{\"rx_"
		"bytes\":"
		"18446744073709551615}}\n"
		"{\"t\":0.0000001,\"device\":\"a\",\"port\":\"p\",\"counters\":{\"rx_bytes\":0}}\n"
		"{\"t\":253402300799,\"device\":\"b\",\"port\":\"p\",\"state\":{\"speed_mbps\":"
		"1e400}}\n"
		"{\"t\":1795260000,\"device\":\"b\",\"port\":\"p\",\"counters\":{\"rx_bytes\":5}}\n"
		"{\"t\":1795260005,\"device\":\"b\",\"port\":\"p\",\"counters\":{\"rx_bytes\":9}}"
		"\n");
	said = unharmed("absurd numbers", argv);
	/* Sanitised JSON has no number that is none. */
	assert_null(strstr(said, "nan"));
	assert_null(strstr(said, "inf,"));
	free(said);
	free(unharmed("absurd numbers, judged", findings));
}

/* The rate of the one port, b/s, where so many lines follow a step back; NAN: it is not told. */
static double rate_after(double back, unsigned after)
{
	const char *const argv[] = {"rows", "ports", "--observations", file("back.jsonl"),
		"--columns", "port,rx", "--json", NULL};
	FILE *f = fopen(file("back.jsonl"), "we");
	struct lab_output o;
	json_t *root, *rx;
	double rate;

	assert_non_null(f);
	for (unsigned k = 0; k < 60 + after; k++)
		(void)fprintf(f,
			"{\"t\":%.1f,\"device\":\"a\",\"port\":\"p\",\"counters\":{\"rx_bytes\":%u}"
			"}"
			"\n",
			1795260000 + k - (k < 60 ? 0 : back), 1000000 * k);
	assert_int_equal(fclose(f), 0);
	o = lab_railtop(argv, RUN_S);
	root = lab_json(o.out);
	rx = json_object_get(json_array_get(json_object_get(root, "rows"), 0), "rx");
	assert_non_null(rx);
	rate = json_is_null(rx) ? (double)NAN : json_number_value(rx);
	json_decref(root);
	lab_output_free(&o);
	return rate;
}

/*
 * Less than 5 s is not told: lines of two sources may be out of order by as much. A megabyte a
 * second stays one, or is not known for one line.
 */
CASE(a_small_step_back_makes_no_other_rate)
{
	static const double backs[] = {1, 1.5, 4.5};
	static const unsigned afters[] = {0, 1, 2, 5, 8};

	for (size_t i = 0; i < sizeof(backs) / sizeof(backs[0]); i++)
		for (size_t k = 0; k < sizeof(afters) / sizeof(afters[0]); k++) {
			double rate = rate_after(backs[i], afters[k]);

			if (!(rate > 7.9e6 && rate < 8.1e6) && !(isnan(rate) && afters[k] == 1))
				fail_msg("%.1f s back, %u lines after it: %g b/s", backs[i],
					afters[k], rate);
		}
}

/* ---- escapes in each text field, on the screen ---- */

CASE(escapes_in_each_text_reach_no_terminal)
{
#define ESC                                                                                        \
	"\\u001b]2;0wned\\u0007\\u001bk0wned\\u001b\\\\\\u001b]52;c;MHduZWQ="                      \
	"\\u0007\\u009b2J\\u202e"
	const struct vt_opts opts = {.rows = 40, .cols = 160, .idle = true};
	const char *const argv[] = {program, "--observations", file("escapes.jsonl"), NULL};
	static const char *const pages[] = {":view devices\r", ":view events\r", ":view findings\r",
		":view links\r", ":view ports\r", ":view jobs\r", "\r", "y", ":trace\r"};
	static const char *const bad[] = {"\033]2;", "\033]0;0wned", "\033]52;c;MHdu", "\033k0wned",
		"\302\2332J", "\xe2\x80\xae"};
	struct vt *vt;
	const char *bytes;
	size_t n;

	/* Unknown keys would be left out: see OBSERVATIONS in railtop(1). */
	scratch_write(&scratch, "escapes.jsonl",
		"{\"t\":1795260000,\"device\":\"d" ESC "\",\"port\":\"p" ESC
		"\",\"state\":{\"oper\":\"up\",\"description\":\"s" ESC "\",\"alias\":\"a" ESC
		"\",\"mac\":\"m" ESC "\",\"down_reason\":\"r" ESC "\",\"module_sn\":\"n" ESC
		"\"},\"lldp\":{\"device\":\"n" ESC "\",\"port\":\"q" ESC "\"},"
		"\"counters\":{\"rx_bytes\":1}}\n"
		"{\"t\":1795260001,\"device\":\"d" ESC "\",\"event\":\"link_down\",\"port\":\"p" ESC
		"\"}\n"
		"{\"t\":1795260002,\"device\":\"plain\",\"bgp\":[{\"peer\":\"b" ESC
		"\",\"state\":\"idle\",\"remote_as\":65001}],\"log\":[{\"t\":1795260001.9,\"text\":"
		"\"l" ESC "\",\"port\":\"e0\"}],\"capabilities\":[{\"need\":\"k" ESC
		"\",\"valid\":\"disabled\",\"cure\":\"c" ESC "\"}]}\n"
		"{\"t\":1795260005,\"device\":\"plain\",\"port\":\"e0\",\"counters\":{\"rx_bytes\":"
		"2}"
		"}\n");
	vt = vt_spawn(&opts, argv);
	vt_wait_text(vt, "plain", RUN_S);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		vt_type(vt, pages[i]);
		vt_settle(vt);
	}
	bytes = vt_output(vt, &n);
	/* The texts themselves were shown: else nothing was tried. */
	assert_non_null(memmem(bytes, n, "0wned", 5));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (memmem(bytes, n, bad[i], strlen(bad[i])))
			fail_msg("a sequence reached the terminal: %zu", i);
	vt_key(vt, "Ctrl-c");
	(void)vt_wait_exit(vt);
	vt_free(vt);
#undef ESC
}

/* ---- a recording ---- */

static void make_recording(const char *name)
{
	const char *const argv[] = {
		"record", "--observations", file("plain.jsonl"), "-o", file(name), NULL};
	struct lab_output o;

	scratch_write(&scratch, "plain.jsonl",
		"{\"t\":1795260000,\"device\":\"a\",\"port\":\"p\",\"counters\":{\"rx_bytes\":1000}"
		"}\n"
		"{\"t\":1795260005,\"device\":\"a\",\"port\":\"p\",\"counters\":{\"rx_bytes\":2000}"
		"}\n"
		"{\"t\":1795260010,\"device\":\"a\",\"port\":\"p\",\"counters\":{\"rx_bytes\":3000}"
		"}\n");
	o = lab_railtop(argv, RUN_S);
	if (o.code > 1)
		fail_msg("no recording: %s", o.err);
	lab_output_free(&o);
}

/* ---- other accounts of the machine ---- */

/* A name of railtop's own in a directory for all: nothing that it leads to is removed. */
CASE(planted_leftovers_lead_nowhere)
{
	const char *const argv[] = {
		program, "findings", "--observations", file("plain.jsonl"), NULL};

	make_recording("x.rts");
	scratch_run(&scratch,
		"mkdir -p tmp precious/inner && echo x >precious/file && echo x "
		">precious/inner/file "
		"&& ln -s ../precious tmp/railtop-live-AAAAAA && mkdir tmp/railtop-live-BBBBBB && "
		"ln -s ../../precious/file tmp/railtop-live-BBBBBB/link && ln -s ../../precious "
		"tmp/railtop-live-BBBBBB/directory && mkfifo tmp/railtop-live-CCCCCC && "
		"ln precious/inner/file tmp/railtop-live-BBBBBB/hard");
	if (getuid() == 0)
		scratch_run(&scratch, "mkdir tmp/railtop-live-DDDDDD && echo x "
				      ">tmp/railtop-live-DDDDDD/theirs && "
				      "chown -R nobody tmp/railtop-live-DDDDDD && chmod 1777 tmp");
	assert_int_equal(setenv("TMPDIR", file("tmp"), 1), 0);
	free(unharmed("planted leftovers", argv));
	assert_int_equal(unsetenv("TMPDIR"), 0);
	scratch_run(&scratch, "test -s precious/file && test -s precious/inner/file && test -h "
			      "tmp/railtop-live-AAAAAA && test ! -e tmp/railtop-live-BBBBBB");
	/* That of another account is not touched, however many files it has. */
	if (getuid() == 0)
		scratch_run(&scratch, "test -s tmp/railtop-live-DDDDDD/theirs");
}

/* FIFOs, links and directories where railtop keeps its own files. */
CASE(planted_settings_do_not_hang)
{
	char state_home[160], config_home[160];
	const char *const env[] = {state_home, config_home, NULL};
	const struct vt_opts own = {.rows = 30, .cols = 120, .idle = true, .env = env};
	const char *const argv[] = {program, "--observations", file("plain.jsonl"), NULL};

	make_recording("y.rts");
	(void)str_printf(state_home, sizeof(state_home), "XDG_STATE_HOME=%s/state", scratch.dir);
	(void)str_printf(
		config_home, sizeof(config_home), "XDG_CONFIG_HOME=%s/config", scratch.dir);
	scratch_run(&scratch, "mkdir -p state/railtop config/railtop && mkfifo "
			      "config/railtop/config && echo mine "
			      ">victim && ln -s ../../victim state/railtop/views.json");
	for (int i = 0; i < 2; i++) {
		struct vt *vt = vt_spawn(&own, argv);

		vt_wait_text(vt, "data fresh 1", 30);
		/* Arranges the view, which is kept in views.json. */
		vt_type(vt, ":view ports\rS");
		vt_type(vt, ":sort rx\r");
		vt_settle(vt);
		vt_key(vt, "Ctrl-c");
		(void)vt_wait_exit(vt);
		vt_free(vt);
		scratch_run(&scratch, "test \"$(cat victim)\" = mine");
		scratch_run(&scratch,
			"rm -f state/railtop/views.json && mkfifo state/railtop/views.json");
	}
}

/* A hundred times the same: three of such within each other would be a million files. */
static void write_includes(const char *name, const char *part)
{
	FILE *f = fopen(file(name), "we");

	assert_non_null(f);
	(void)fputs("include: [", f);
	for (unsigned i = 0; i < 100; i++)
		(void)fprintf(f, "%s%s", i ? ", " : "", part);
	(void)fputs("]\n", f);
	assert_int_equal(fclose(f), 0);
}

/* Names in an inventory of others that lead to files which are none, or are not to be told. */
CASE(an_inventory_that_points_elsewhere)
{
	static const char *const lines[] = {"wiring: {file: /dev/zero}",
		"wiring: {file: /proc/self/environ}", "wiring: {file: secret}",
		"wiring: {file: loop-a}", "wiring: {file: pipe}",
		"defaults: {known_hosts: /dev/zero}", "defaults: {ssh_config: pipe}",
		"defaults: {tls_ca: /dev/zero}", "defaults: {identity: pipe}",
		"include: [/dev/zero]", "include: [/proc/self/environ]", "include: [secret]",
		"include: [secret.yaml]", "include: [loop-a]", "include: [pipe]",
		"include: [elsewhere.yaml]", "include: [../../../../../../../../dev/zero]",
		"include: [many.yaml]", "include: ['.']"};

	write_includes("many.yaml", "many-a.yaml");
	write_includes("many-a.yaml", "many-b.yaml");
	write_includes("many-b.yaml", "many-c.yaml");
	scratch_write(&scratch, "many-c.yaml", "hosts: []\n");
	scratch_write(&scratch, "secret.yaml", "defaults: {password: planted-4711}\n");
	scratch_run(&scratch, "echo 'root:planted-4711:19000' >secret && ln -sf loop-b loop-a && "
			      "ln -sf loop-a loop-b "
			      "&& rm -f pipe && mkfifo pipe");
	assert_int_equal(setenv("PLANTED", "planted-4711", 1), 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *const argv[] = {
			program, "check", "-f", file("elsewhere.yaml"), "--for", "2s", NULL};
		char text[400], *said;

		(void)str_printf(text, sizeof(text),
			"fabric: x\n%s\nswitches: [{names: leaf-1, address: 127.0.0.1, port: 1, "
			"dialect: sonic, tier: leaf}]\n",
			lines[i]);
		scratch_write(&scratch, "elsewhere.yaml", text);
		said = unharmed(lines[i], argv);
		if (strstr(said, "planted"))
			fail_msg("%s: the file's text is told: %s", lines[i], said);
		free(said);
	}
	assert_int_equal(unsetenv("PLANTED"), 0);
}

/* ---- files of other programs ---- */

/* Each kind of import, given what is no file, has no end, is nested without end or names escapes.
 */
CASE(files_for_import)
{
	static const char *const kinds[] = {
		"netbox", "ptm", "containerlab", "ansible", "slurm", "nccl", "csv"};
	static const struct {
		const char *name, *before;
		char bracket;
	} deep[] = {{"deep-array", "{\"results\":", '['}, {"deep-object", "a: ", '{'},
		{"deep-graph", "graph x { subgraph a ", '{'}, {"deep-tag", "<system>", '<'},
		{"deep-list", "NodeName=a[1-", '['}, {"no-line-end", "device,port,", 'x'},
		{"quote", "a,b,c,d\n\"", '"'}};
	static const char *const odd[] = {"/dev/zero", "/proc/self/mem", ".", "pipe", "loop-a",
		"/proc/self/environ", "secret", "names.csv"};

	scratch_run(&scratch, "rm -f pipe && mkfifo pipe && ln -sf loop-b loop-a && ln -sf loop-a "
			      "loop-b && echo 'root:planted-4711:19000' >secret");
	scratch_write(&scratch, "names.csv",
		"a_device,a_port,b_device,b_port\n\033]2;0wned\007,p,leaf1,swp1\n"
		"=cmd(),p,leaf1,swp2\nleaf1,\302\2332J,n1,eth1\nleaf1,swp3,n\342\200\2561,eth1\n"
		"leaf1,swp4,n1,eth1\n");
	for (size_t d = 0; d < sizeof(deep) / sizeof(deep[0]); d++)
		write_brackets(deep[d].name, deep[d].before, deep[d].bracket, 1000000);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (size_t d = 0; d < sizeof(deep) / sizeof(deep[0]); d++) {
			const char *const argv[] = {program, "import", kinds[k], file(deep[d].name),
				"--dialect", "sonic", NULL};

			free(unharmed(deep[d].name, argv));
		}
		for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
			const char *path = *odd[i] == '/' ? odd[i] : file(odd[i]);
			const char *const argv[] = {
				program, "import", kinds[k], path, "--dialect", "sonic", NULL};

			free(unharmed(odd[i], argv));
		}
	}
}

/* ---- a client of mcp ---- */

CASE(deep_messages_to_mcp)
{
	const char *const argv[] = {"/bin/sh", "-c", "\"$0\" mcp --observations \"$1\" <\"$2\"",
		program, file("plain.jsonl"), file("deep-message"), NULL};
	char *said;

	make_recording("z.rts");
	write_brackets("deep-message", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":", '[', 1000000);
	said = unharmed("a deep message", argv);
	assert_non_null(strstr(said, "-32700"));
	free(said);
}

static int set_up(void **state)
{
	(void)state;
	(void)built_path("railtop", program, sizeof(program));
	scratch_open(&scratch);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_close(&scratch);
	return 0;
}

CASES_MAIN(set_up, tear_down)
