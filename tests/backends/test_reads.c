/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/change.h"
#include "backends/detect.h"
#include "backends/dialect_eos_private.h"
#include "backends/dialect_nxos.h"
#include "backends/dialect_sonic.h"
#include "backends/job_source.h"
#include "backends/reads.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/tools/asked.h"
#include "tests/tools/obs_find.h"

/*
 * The read allow-list: every request that any dialect makes is on it, and nothing that was made of
 * one by adding, cutting or exchanging a word. What is asked depends on what was learnt, so facts
 * are drawn at random (always the same), from those that dialects look at.
 */

#define ROUNDS 400

struct world {
	const struct backend_ops *ops;
	unsigned asked; /* requests */
	void (*each)(struct world *w, const struct request *r);
	void *ctx;
};

/* ---- all that is asked ---- */

static unsigned draw(unsigned n)
{
	static uint64_t seed = 6;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

#define MOST_VALUES 8
struct known {
	const char *key;
	const char *values[MOST_VALUES]; /* NULL: and not known */
};

static const struct known facts_of_sonic[] = {
	{"asics", {"asic0 asic1", "asic0 asic1 asic2 asic3 asic4 asic5", NULL}},
	{"asics.sudo", {"yes", "no", NULL}},
	{"log", {"sudo", "sudo-whole", "plain", "no", NULL}},
	{"vtysh", {"sudo", "plain", NULL}},
	{"sha.fast", {"=fast", NULL}},
	{"sha.optics", {"=optics", NULL}},
	{"sha.config", {"=config", NULL}},
	{"sha.modules", {"=modules", NULL}},
	{NULL, {NULL}},
};

static const struct known facts_of_linux[] = {
	{"timeout", {"1", NULL}},
	{"sudo.ethtool", {"1", NULL}},
	{"sudo.lldpcli", {"1", NULL}},
	{"stuck.fast", {"mlx5_0", "mlx5_3 eth3", NULL}},
	{"stuck.optics", {"eth2", NULL}},
	{"stuck.qos", {"enp94s0f0np0 mlx5_7", NULL}},
	{"log", {"journal", "dmesg", "/var/log/kern.log", "/var/log/syslog", "/var/log/messages",
			"sudo", "none", NULL}},
	{"vtysh", {"sudo", NULL}},
	{"lldpcli", {"sudo", NULL}},
	{"module", {"sudo", NULL}},
	{"pfc", {"dcb", "ethtool", NULL}},
	{NULL, {NULL}},
};

static const struct known facts_of_nxos[] = {
	{NXOS_FACT_NATIVE, {"no", NULL}},
	{NXOS_FACT_QUEUES, {"dme", "cli", NULL}},
	{NULL, {NULL}},
};

static const struct known facts_of_cumulus[] = {
	{"release", {"500", "505", "509", "511", "513", "515", NULL}},
	{"whole", {"1", NULL}},
	{"no.roce", {"1", NULL}},
	{"no.roce-status", {"1", NULL}},
	{"no.optics", {"1", NULL}},
	{"unanswered.qos", {"1", NULL}},
	{"unanswered.buffer", {"1", NULL}},
	{"unanswered.phy", {"1", NULL}},
	{NULL, {NULL}},
};

static void learn(struct facts *f, const struct known *k)
{
	static const struct {
		const char *key, *lua;
	} scripts[] = {{"=fast", sonic_fast_lua}, {"=optics", sonic_optics_lua},
		{"=config", sonic_config_lua}, {"=modules", sonic_modules_lua}};
	char sha[SONIC_SHA_SIZE];
	unsigned n;

	for (; k && k->key; k++) {
		for (n = 0; k->values[n]; n++)
			;
		n = draw(n + 1);
		if (!k->values[n])
			continue;
		facts_set(f, k->key, k->values[n]);
		for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
			if (str_eq(k->values[n], scripts[i].key) &&
				sonic_script_sha(scripts[i].lua, sha))
				facts_set(f, k->key, sha);
	}
}

/* Which questions share a call, which of its commands one uses, what was late. */
static void learn_eos(struct facts *f)
{
	const struct eos_question *q;
	char key[48], value[24];

	if (draw(2)) {
		str_printf(value, sizeof(value), "%x%06x", draw(1u << 20), draw(1u << 24));
		facts_set(f, "known", value);
	}
	for (size_t i = 0; (q = eos_question_at(i)); i++) {
		str_printf(key, sizeof(key), "use.%s", q->request);
		str_printf(value, sizeof(value), "%u", draw((unsigned)eos_command_count(q) + 1));
		if (draw(2))
			facts_set(f, key, value);
		str_printf(key, sizeof(key), FACT_UNANSWERED "%s", q->request);
		if (!draw(8))
			facts_set(f, key, "1");
	}
}

static void learn_all(const struct backend_ops *ops, struct facts *f)
{
	static const struct {
		const char *dialect;
		const struct known *facts;
	} all[] = {{"sonic", facts_of_sonic}, {"linux", facts_of_linux}, {"nxos", facts_of_nxos},
		{"cumulus", facts_of_cumulus}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (str_eq(all[i].dialect, ops->name))
			learn(f, all[i].facts);
	if (str_eq(ops->name, "eos"))
		learn_eos(f);
}

static void ask_tiers(struct world *w, const struct target *t)
{
	struct request_list l = {0};
	struct err err = {0};

	for (int tier = 0; tier < POLL_TIER_COUNT; tier++)
		assert_true(w->ops->plan(t, (enum poll_tier)tier, &l, &err));
	w->asked += (unsigned)l.at.n;
	for (size_t i = 0; i < l.at.n; i++)
		w->each(w, &l.at.at[i]);
	requests_free(&l);
}

static void ask(struct world *w, unsigned rounds)
{
	static const uint8_t lossless[] = {0, 1u << 3, 3u << 3, 0xff};
	struct target t = {.device = "leaf-r0-00"};
	struct facts facts = {0};

	for (unsigned i = 0; i < rounds; i++) {
		t.facts = &facts;
		t.tier = draw(2) ? TIER_HOST : TIER_LEAF;
		t.lossless = lossless[draw(4)];
		do
			t.transport = (enum transport_kind)draw(TRANSPORT_COUNT);
		while (!(w->ops->transports >> t.transport & 1));
		if (i)
			learn_all(w->ops, &facts);
		ask_tiers(w, &t);
		facts_free(&facts);
	}
}

static void show(const struct request *r)
{
	print_error("%s: %s\n%s%s %s\n%s\n", r->name, r->command ? r->command : "",
		r->input ? r->input : "", r->method ? r->method : "", r->path ? r->path : "",
		r->body ? r->body : "");
}

static void is_listed(struct world *w, const struct request *r)
{
	struct err err = {0};

	if (w->ops->reads(r) && reads_allow(w->ops, r, "leaf-r0-00", &err))
		return;
	show(r);
	fail_msg("%s does not list its own request %s", w->ops->name, r->name);
}

static void every_dialect_lists_what_it_asks(void **state)
{
	(void)state;
	for (size_t i = 0; i < backend_count; i++) {
		struct world w = {.ops = backend_table[i], .each = is_listed};

		assert_non_null(w.ops->reads);
		ask(&w, ROUNDS);
		assert_true(w.asked > ROUNDS);
	}
}

/* What real devices had told when their answers were written down. */
static void with_the_facts_of_the_corpus(void **state)
{
	unsigned files = 0;

	(void)state;
	for (size_t i = 0; i < backend_count; i++) {
		struct world w = {.ops = backend_table[i], .each = is_listed};
		char folder[128], path[400];
		struct dirent *e;
		DIR *d;

		str_printf(folder, sizeof(folder), "tests/fuzz/corpus/%s", w.ops->name);
		d = opendir(folder);
		while (d && (e = readdir(d))) {
			struct asked a;
			size_t len;
			char *bytes;

			str_printf(path, sizeof(path), "%s/%s", folder, e->d_name);
			bytes = e->d_name[0] == '.' ? NULL : read_file(path, &len);
			if (!bytes)
				continue;
			if (asked_read(&a, bytes, len) &&
				(w.ops->transports >> a.target.transport & 1)) {
				/* Another script's SHA1 is not asked by: tested below. */
				facts_set(&a.facts, "sha.fast", "");
				facts_set(&a.facts, "sha.config", "");
				ask_tiers(&w, &a.target);
				files++;
			}
			asked_free(&a);
			free(bytes);
		}
		if (d)
			closedir(d);
	}
	assert_true(files > 20);
}

static void detection_is_listed(void **state)
{
	struct world w = {.ops = &backend_detect, .each = is_listed};

	(void)state;
	ask(&w, 1);
	assert_true(w.asked > backend_count);
}

/* ---- sources of jobs ---- */

static void job_sources_list_what_they_ask(void **state)
{
	static const char *const paths[] = {
		NULL, "/var/log/nccl/*.log", "/data/a-b_c/rank[0-9]?.txt"};
	struct facts facts = {0};
	struct target t = {.device = "node000", .tier = TIER_HOST, .facts = &facts};
	struct request_list l = {0};
	struct err err = {0};

	(void)state;
	facts_set(&facts, "inspector.0", "12:44 13:99");
	facts_set(&facts, "flight-recorder.0", "12:44");
	for (size_t i = 0; i < job_source_count; i++)
		for (size_t k = 0; k < 6; k++)
			for (int tier = 0; job_source_table[i]->plan && tier < POLL_TIER_COUNT;
				tier++) {
				struct plan_jobs j = {.any_version = k & 1,
					.path = paths[k / 2] ? mem_strdup(paths[k / 2]) : NULL};

				t.facts = k & 1 ? &facts : NULL;
				(void)job_source_table[i]->plan(
					&j, &t, (enum poll_tier)tier, &l, &err);
				free(j.path);
			}
	assert_true(l.at.n > 10);
	for (size_t i = 0; i < l.at.n; i++) {
		if (!reads_allow(backend_by_name("linux"), &l.at.at[i], "node000", &err)) {
			show(&l.at.at[i]);
			fail_msg("%s", err.text);
		}
	}
	requests_free(&l);
}

static bool jobs_pass(struct request_list *l)
{
	bool ok = reads_allow(backend_by_name("linux"), &l->at.at[0], "node000", NULL);

	requests_free(l);
	return ok;
}

static void other_ports_and_words_are_not_asked(void **state)
{
	static const char hello[] = "CLIENT PROTOCOL 2\nTIMEOUT 5\nSET FORMAT json\n";
	static const char *const files[] = {"/dev/watchdog", "/sys/x", "/proc/sysrq-trigger",
		"/d*/x", "/tmp/../dev/x", "/tmp/a b", "/tmp/a;reboot", "/tmp/$(reboot)",
		"/tmp/a\nreboot", "relative", "-f", "//dev/x", "/./dev/x"};
	struct request_list l = {0};
	char line[128];

	(void)state;
	requests_forward(&l, "x", 28028, hello, "OK", "STATUS\n");
	assert_true(jobs_pass(&l));
	requests_forward(&l, "x", 22, hello, "OK", "STATUS\n");
	assert_false(jobs_pass(&l));
	requests_forward(&l, "x", 28028, hello, "OK", "STOP\n");
	assert_false(jobs_pass(&l));
	requests_forward(&l, "x", 28028, "SHUTDOWN\n", NULL, NULL);
	assert_false(jobs_pass(&l));
	requests_forward(&l, "x", 28028, NULL, NULL, NULL);
	assert_false(jobs_pass(&l));
	requests_ssh(&l, "x", "squeue --json --states=RUNNING; reboot", NULL);
	assert_false(jobs_pass(&l));
	requests_ssh(&l, "x", "squeue --json --states=RUNNING", "scancel 1\n");
	assert_false(jobs_pass(&l));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		str_printf(line, sizeof(line), "exec tail -q -n 2000 -F %s", files[i]);
		requests_ssh(&l, "x", line, NULL)->follow = true;
		assert_false(jobs_pass(&l));
	}
}

/* ---- patterns ---- */

static void patterns(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} cases[] = {
		{"show version", "show version", true},
		{"show version", "show version ", false},
		{"show version", "show versio", false},
		{"show version", "show version\n", false},
		{"show version", "", false},
		{"show interface * x", "show interface Ethernet1/1 x", true},
		{"show interface *", "show interface Ethernet1/1 x", false},
		{"show interface *", "show interface ", false},
		{"show interface *", "show interface", false},
		{"show interface *", "show interface  Ethernet1", false},
		{"show interface *", "show interface Ethernet1\n", false},
		{"show interface *", "show interface Ethernet1;x", false},
		{"show interface *", "show interface $x", false},
		{"show interface *", "show interface `x`", false},
		{"show interface *", "show interface 'x'", false},
		{"show interface *", "show interface \"x\"", false},
		{"show interface *", "show interface a|b", false},
		{"show interface *", "show interface a>b", false},
		{"show interface *", "show interface a<b", false},
		{"show interface *", "show interface a&", false},
		{"show interface *", "show interface a\tb", false},
		{"show interface *", "show interface a\\b", false},
		{"show interface *", "show interface a*b", false},
		{"show interface *", "show interface a?b", false},
		{"show interface *", "show interface ~", false},
		{"show interface *", "show interface #x", false},
		{"show interface *", "show interface (x)", false},
		{"show interface *", "show interface {a,b}", false},
		{"show interface *", "show interface \xc3\xa9", false},
		{"show interface *", "show interface -x", false},
		{"show interface *", "show interface a/../b", false},
		{"show interface *", "show interface ..", false},
		{"show interface *", "show interface a..", false},
		{"show interface *", "show interface a.b.c", true},
		{"show interface *", "show interface fe80::1%eth0", true},
		{"/api/phys-[*].json", "/api/phys-[eth1/1].json", true},
		{"/api/phys-[*].json", "/api/phys-[eth1/1].xml", false},
		{"a *.json b", "a x.json b", true},
		{"a *.json b", "a .json b", false},
		{"a * b * c", "a 1 b 2 c", true},
		{"a * b * c", "a 1 b 2 3 c", false},
		{"a \\* b", "a * b", true},
		{"a \\* b", "a x b", false},
		{"Q='**'", "Q=''", true},
		{"Q='**'", "Q=' a:1  b:2 '", true},
		{"Q='**'", "Q=' a:1 -b '", false},
		{"Q='**'", "Q='a'b'", false},
		{"Q='**'", "Q='a\nb'", false},
		{"Q='**'", "Q='a$b'", false},
		{"Q='**'", "Q='a' ", false},
		{"*", "anything", false},
		{"", "", false},
	};
	char word[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (reads_match(cases[i].pattern, cases[i].text) != cases[i].match)
			fail_msg("\"%s\" and \"%s\"", cases[i].pattern, cases[i].text);
	memset(word, 'a', sizeof(word));
	word[128] = '\0';
	assert_true(reads_match("a*", word));
	word[128] = 'a';
	word[199] = '\0';
	assert_false(reads_match("a*", word));
}

/* ---- what is made of a question ---- */

static const char *const behind[] = {"; reboot", ";reboot", " ; reboot", " && reboot", " & reboot",
	" || reboot", "|reboot", " | tee /etc/x", " > /etc/x", ">/etc/x", " $(reboot)", "$(reboot)",
	"`reboot`", "\nreboot", "\rreboot", "\n", " ", " extra", " -x", "\x01", "'", "\"", "\\",
	"#", " ; configure terminal", " | redirect flash:x", "\nconfigure\n", "*"};

static const char *const before[] = {"reboot; ", "sudo ", "sudo -n sudo ", "config ", "no ", " ",
	"configure terminal ; ", "enable\n", "x=1 ", "\n"};

/* Words of other people's and of railtop's own changes. */
static const char *const changes[] = {"config pfcwd stop", "sudo config pfcwd stop Ethernet0",
	"config interface shutdown Ethernet0", "config save -y", "reboot", "reload", "sh -s", "sh",
	"bash", "configure", "configure terminal", "write memory",
	"copy running-config startup-config", "clear counters", "sonic-clear counters",
	"sonic-db-cli CONFIG_DB DEL \"PFC_WD|Ethernet0\"", "sonic-db-cli COUNTERS_DB FLUSHALL",
	"sonic-db-cli COUNTERS_DB EVAL \"return 1\" 0",
	"sonic-db-cli COUNTERS_DB EVALSHA 0123456789abcdef0123456789abcdef01234567 0 3 2>&1",
	"sonic-db-cli COUNTERS_DB SCRIPT LOAD \"$s\" 2>&1", "nv set interface swp1 link state down",
	"nv config apply -y", "nv action clear", "ip link set eth0 down", "ethtool -p eth0 5",
	"ethtool -s eth0 speed 10", "vtysh -c 'configure terminal'", "tail -f /etc/shadow",
	"cat /etc/shadow", "show version", "show running-config", "show tech-support", "enable",
	"dcb pfc set dev eth0 prio-pfc all:off", "", "show", "show interface"};

static void refused(struct world *w, const struct request *r, const char *what)
{
	if (!w->ops->reads(r) && !reads_allow(w->ops, r, "leaf", NULL))
		return;
	show(r);
	fail_msg("%s passes a request with %s", w->ops->name, what);
}

static char *joined(const char *a, const char *b, const char *c)
{
	struct buf text;

	buf_init(&text, (size_t)1 << 20);
	(void)buf_adds(&text, a);
	(void)buf_adds(&text, b);
	(void)buf_adds(&text, c);
	return buf_take(&text, NULL);
}

/* In front of it, behind it, in the middle, and without its last letter. */
static void spoil(struct world *w, const struct request *r, char **field, struct request *bad)
{
	char *good = *field, *cut = mem_strdup(good);
	size_t n = strlen(good), at;

	*bad = *r;
	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		*field = joined(good, behind[i], "");
		refused(w, bad, behind[i]);
		free(*field);
		at = draw((unsigned)n);
		memcpy(cut, good, at);
		cut[at] = '\0';
		*field = joined(cut, behind[i], good + at);
		/* A blank or a letter may stand where one of a list's words is: only in scripts'
		 * heads. */
		if (behind[i][0] != ' ' && (behind[i][0] != '\n' || behind[i][1]))
			refused(w, bad, behind[i]);
		free(*field);
	}
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		*field = joined(before[i], good, "");
		refused(w, bad, before[i]);
		free(*field);
	}
	memcpy(cut, good, n);
	cut[n - 1] = '\0';
	*field = cut;
	refused(w, bad, "its end cut off");
	free(cut);
	*field = good;
}

static void spoil_ssh(struct world *w, const struct request *r)
{
	static char words[] = "reboot\n", get[] = "GET", path[] = "/command-api", body[] = "{}";
	struct request bad = *r;

	spoil(w, r, &bad.command, &bad);
	bad = *r;
	if (r->input)
		spoil(w, r, &bad.input, &bad);
	bad = *r;
	bad.input = r->input ? NULL : words;
	refused(w, &bad, "other input");
	bad = *r;
	bad.input = words;
	refused(w, &bad, "input of its own");
	bad = *r;
	bad.method = get;
	refused(w, &bad, "a method");
	bad = *r;
	bad.path = path;
	refused(w, &bad, "a path");
	bad = *r;
	bad.body = body;
	refused(w, &bad, "a body");
	bad = *r;
	bad.forward_port = 28028;
	refused(w, &bad, "a port");
	bad = *r;
	bad.confirm = "OK";
	bad.confirmed = words;
	refused(w, &bad, "a confirmation");
}

/* A command in the list more, and another instead. */
static void spoil_body(struct world *w, const struct request *r)
{
	static const char *const more[] = {"\"configure\",", "{\"cmd\":\"configure\"},",
		"{\"cmd\":\"enable\",\"input\":\"x\"},", "{\"cmd\":\"reload\",\"revision\":1},",
		"{\"cmd\":\"show version ; reload\"},",
		"{\"cmd\":\"show version | redirect flash:x\"},",
		"{\"cmd\":\"show version\\nreload\"},", "{\"cmd\":1},", "1,", "null,", "[],",
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"conf "
		"t\",\"version\":1},"
		"\"id\":1},",
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli_conf\",\"params\":{\"cmd\":\"show version\","
		"\"version\":1},\"id\":1},",
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"show version\","
		"\"cmd\":\"reload\",\"version\":1},\"id\":1},"};
	static const char *const keys[] = {"\"autoComplete\":true,", "\"expandAliases\":true,",
		"\"method\":\"reload\",", "\"cmds\":[\"reload\"],"};
	struct request bad = *r;
	const char *list = strchr(r->body, '[') + 1, *brace = strchr(r->body, '{') + 1;
	char *head = mem_strndup(r->body, (size_t)(list - r->body));
	char *start = mem_strndup(r->body, (size_t)(brace - r->body));

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		bad.body = joined(head, more[i], list);
		refused(w, &bad, more[i]);
		free(bad.body);
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		bad.body = joined(start, keys[i], brace);
		refused(w, &bad, keys[i]);
		free(bad.body);
	}
	bad.body = joined("[", r->body, "]");
	refused(w, &bad, "a list of lists");
	free(bad.body);
	free(head);
	free(start);
}

static void spoil_http(struct world *w, const struct request *r)
{
	static const char *const methods[] = {"PATCH", "PUT", "DELETE", "get", "", NULL};
	static char words[] = "{}";
	struct request bad = *r;

	spoil(w, r, &bad.path, &bad);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		bad = *r;
		bad.method = methods[i];
		refused(w, &bad, "another method");
	}
	bad = *r;
	bad.method = str_eq(r->method, "GET") ? "POST" : "GET";
	refused(w, &bad, "another method");
	bad = *r;
	bad.content_type = "text/plain\r\nX-HTTP-Method-Override: DELETE";
	refused(w, &bad, "another type");
	bad = *r;
	bad.command = words;
	refused(w, &bad, "a command");
	bad = *r;
	bad.input = words;
	refused(w, &bad, "input");
	bad = *r;
	bad.body = words;
	refused(w, &bad, "another body");
	if (r->body)
		spoil_body(w, r);
}

static void spoil_each(struct world *w, const struct request *r)
{
	struct request bad = *r;

	assert_true(w->ops->reads(r));
	bad.change = true;
	refused(w, &bad, "the mark of a change");
	if (r->command)
		spoil_ssh(w, r);
	else
		spoil_http(w, r);
}

static void nothing_made_of_a_question_passes(void **state)
{
	(void)state;
	for (size_t i = 0; i < backend_count; i++) {
		struct world w = {.ops = backend_table[i], .each = spoil_each};

		ask(&w, 60);
	}
}

/* Each dialect's probe is for detection only, and detection asks nothing else. */
static void what_changes_a_device_is_on_no_list(void **state)
{
	struct request_list l = {0};
	char body[512];

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		requests_ssh(&l, "x", changes[i], NULL);
		requests_ssh(&l, "x", "sh -s", changes[i]);
		requests_follow(&l, "x", changes[i]);
		requests_http(&l, "x", "GET", changes[i], NULL, NULL);
		if (strchr(changes[i], '"') || str_eq(changes[i], "show version") ||
			str_eq(changes[i], "show interface"))
			continue;
		str_printf(body, sizeof(body),
			"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":\"x\",\"params\":{"
			"\"version\":1,\"cmds\":[\"%s\",{\"cmd\":\"%s\"}]}}",
			changes[i], changes[i]);
		requests_http(&l, "x", "POST", "/command-api", "application/json-rpc", body);
		str_printf(body, sizeof(body),
			"[{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"%s\","
			"\"version\":1},\"id\":1}]",
			changes[i]);
		requests_http(&l, "x", "POST", "/ins", "application/json-rpc", body);
	}
	requests_http(&l, "x", "POST", "/api/mo/sys.json", "application/json", "{}");
	requests_http(&l, "x", "POST", "/login", "application/json", "{}");
	requests_http(&l, "x", "POST", "/nvue_v1/revision", NULL, NULL);
	requests_http(&l, "x", "GET", "/nvue_v1/../etc", NULL, NULL);
	for (size_t i = 0; i < backend_count; i++) {
		struct world w = {.ops = backend_table[i]};

		for (size_t k = 0; k < l.at.n; k++) {
			const struct request *r = &l.at.at[k];

			/* NX-OS asks "show version" without a pipe, too. */
			if (str_eq(w.ops->name, "nxos") && !r->input && !r->follow && r->command &&
				(str_eq(r->command, "show version") ||
					str_eq(r->command, "show interface")))
				continue;
			refused(&w, r, "a change");
		}
	}
	requests_free(&l);
}

/* All words of all changes of all dialects, whether they could be made now or not. */
static void no_command_of_a_change_passes(void **state)
{
	struct condition c;
	struct err err = {0};

	(void)state;
	for (size_t i = 0; i < backend_count; i++) {
		struct world w = {.ops = backend_table[i]};
		const struct dialect_changes *ch = w.ops->changes;

		for (int n = 0; ch && n < VERB_COUNT * TRANSPORT_COUNT * 2 * 2 * 2; n++) {
			struct order o = {.verb = (enum verb)(n % VERB_COUNT),
				.priority = -1,
				.port = "Ethernet12",
				.peer = "10.0.0.1",
				.asn = 65001,
				.seconds = 10,
				.group = "wredqueue",
				.wd = {.action = "drop", .detect_ms = 200, .restore_ms = 400}};
			struct target t = {.device = "leaf"};
			struct request_list l = {0};
			unsigned k = (unsigned)n / VERB_COUNT;

			t.transport = (enum transport_kind)(k & 1);
			t.tier = k & 2 ? TIER_HOST : TIER_LEAF;
			if (k & 4)
				str_copy(o.port, sizeof(o.port),
					t.tier == TIER_HOST ? "mlx5_0" : "swp1");
			condition_init(&c);
			if (k & 8) {
				c.admin = c.oper = OPER_UP;
				c.wd = 1;
				c.wd_set = o.wd;
				c.pfc = 8;
				c.pending = c.bgp_shut = c.beacon = c.counters = 0;
				c.bgp = BGP_ESTABLISHED;
				str_copy(c.bgp_peer, sizeof(c.bgp_peer), o.peer);
				c.bgp_asn = o.asn;
			}
			if (!(w.ops->transports >> t.transport & 1))
				continue;
			(void)ch->command(&t, &o, &c, &l, &err);
			for (size_t r = 0; r < l.at.n; r++) {
				struct request plain = l.at.at[r];

				assert_true(plain.change);
				refused(&w, &plain, "a change");
				plain.change = false;
				refused(&w, &plain, "a change, unmarked");
			}
			requests_free(&l);
			if (ch->look(&t, &o, &l, &err))
				for (size_t r = 0; r < l.at.n; r++) {
					w.each = is_listed;
					w.each(&w, &l.at.at[r]);
				}
			requests_free(&l);
		}
	}
}

/* ---- what scripts do ---- */

/* The commands that a Lua script gives to Redis; none may write. */
static void redis_scripts_only_read(void **state)
{
	static const char *const scripts[] = {sonic_fast_lua, sonic_optics_lua, sonic_config_lua,
		sonic_modules_lua, sonic_condition_lua};
	static const char *const reading[] = {
		"HGET", "HMGET", "HGETALL", "HKEYS", "HEXISTS", "EXISTS", "KEYS", "TIME", "SELECT"};

	(void)state;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		const char *at = scripts[i];
		unsigned calls = 0;

		while ((at = strstr(at, "redis"))) {
			char word[16];
			size_t n, k;

			at += strlen("redis");
			/* The only ways to Redis, with a literal first argument. */
			assert_true(reads_skip(&at, ".call('") || reads_skip(&at, ".pcall('"));
			n = strcspn(at, "'");
			assert_true(n < sizeof(word));
			str_copyn(word, sizeof(word), at, n);
			for (k = 0; k < sizeof(reading) / sizeof(reading[0]); k++)
				if (str_eq(word, reading[k]))
					break;
			if (k == sizeof(reading) / sizeof(reading[0]))
				fail_msg("a script calls %s", word);
			calls++;
		}
		assert_true(calls > 3);
		/* Nor another way to run or to name something. */
		assert_null(strstr(scripts[i], "loadstring"));
		assert_null(strstr(scripts[i], "getfenv"));
		assert_null(strstr(scripts[i], "_G."));
		assert_null(strstr(scripts[i], "_G["));
		assert_null(strstr(scripts[i], "["
					       "'call"));
		/* It stands between double quotes in a shell's line. */
		assert_null(strpbrk(scripts[i], "\"$`\\!"));
	}
}

static void only_their_own_sha_names_a_script(void **state)
{
	const struct backend_ops *ops = backend_by_name("sonic");
	struct request_list l = {0};
	char sha[SONIC_SHA_SIZE], line[256];

	(void)state;
	assert_true(sonic_script_sha("return 1", sha));
	assert_string_equal(sha, "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
	for (int i = 0; i < 2; i++) {
		if (i)
			assert_true(sonic_script_sha(sonic_optics_lua, sha));
		str_printf(line, sizeof(line), "sonic-db-cli STATE_DB EVALSHA %s 0 2>&1", sha);
		requests_ssh(&l, "optics", line, NULL);
		assert_int_equal(ops->reads(&l.at.at[0]), i);
		requests_free(&l);
	}
}

static void a_refusal_names_device_request_and_cure(void **state)
{
	struct backend_ops mute = {.name = "mute"};
	struct request_list l = {0};
	struct err err = {0};

	(void)state;
	requests_ssh(&l, "x\x1b[31m", "reboot", NULL);
	assert_false(reads_allow(NULL, &l.at.at[0], "leaf-1", &err));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_false(reads_allow(&mute, &l.at.at[0], "leaf-1", &err));
	assert_string_equal(err.origin, "leaf-1");
	assert_non_null(strstr(err.text, "[31m"));
	assert_null(strchr(err.text, '\x1b'));
	assert_true(*err.cure);
	requests_free(&l);
}

static void followed_commands_are_unwrapped(void **state)
{
	static const char *const commands[] = {
		"dmesg -w", "sh -c 'it''s'", "sed 's/a/b/'", "'", ""};
	struct request_list l = {0};
	char *again;

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		again = requests_followed(requests_follow(&l, "x", commands[i])->command);
		assert_string_equal(again, commands[i]);
		free(again);
	}
	assert_null(requests_followed("dmesg -w"));
	assert_null(requests_followed(""));
	assert_null(requests_followed("exec sh -c 'exec 3<&0; "));
	requests_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_dialect_lists_what_it_asks),
		cmocka_unit_test(with_the_facts_of_the_corpus),
		cmocka_unit_test(detection_is_listed),
		cmocka_unit_test(job_sources_list_what_they_ask),
		cmocka_unit_test(other_ports_and_words_are_not_asked),
		cmocka_unit_test(patterns),
		cmocka_unit_test(nothing_made_of_a_question_passes),
		cmocka_unit_test(what_changes_a_device_is_on_no_list),
		cmocka_unit_test(no_command_of_a_change_passes),
		cmocka_unit_test(redis_scripts_only_read),
		cmocka_unit_test(only_their_own_sha_names_a_script),
		cmocka_unit_test(a_refusal_names_device_request_and_cure),
		cmocka_unit_test(followed_commands_are_unwrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
