/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/detect.h"
#include "backends/dialects/sonic/sonic.h"
#include "backends/jobs/source.h"
#include "backends/contract/reads.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/backends/dialects/ask_all.h"
#include "tests/support/asked.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

/*
 * The read allow-list has every request that any dialect makes. test_reads_hostile.c has the
 * requests that it must refuse.
 */

#define ROUNDS 400

CASE(every_dialect_lists_what_it_asks)
{
	for (size_t i = 0; i < backend_count; i++) {
		struct world w = {.ops = backend_table[i], .each = ask_is_listed};

		assert_non_null(w.ops->reads);
		ask_all(&w, ROUNDS);
		assert_true(w.asked > ROUNDS);
	}
}

/* The facts that real devices had reported when their answers were captured. */
CASE(with_the_facts_of_the_corpus)
{
	unsigned files = 0;

	for (size_t i = 0; i < backend_count; i++) {
		struct world w = {.ops = backend_table[i], .each = ask_is_listed};
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

CASE(detection_is_listed)
{
	struct world w = {.ops = &backend_detect, .each = ask_is_listed};

	struct facts facts = {0};
	struct target t = {.device = "node000", .facts = &facts};
	unsigned asked;

	ask_all(&w, 1);
	asked = w.asked;
	assert_true(asked > detect_probes());
	facts_set(&facts, "shell", "linux");
	ask_tiers(&w, &t);
	assert_true(w.asked > asked + 1);
	facts_free(&facts);
}

/* ---- sources of jobs ---- */

CASE(job_sources_list_what_they_ask)
{
	static const char *const paths[] = {
		NULL, "/var/log/nccl/*.log", "/data/a-b_c/rank[0-9]?.txt"};
	struct facts facts = {0};
	struct target t = {.device = "node000", .tier = TIER_HOST, .facts = &facts};
	struct request_list l = {0};
	struct err err = {0};

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
			ask_show(&l.at.at[i]);
			fail_msg("%s", err.text);
		}
	}
	requests_free(&l);
	facts_free(&facts);
}

static bool jobs_pass(struct request_list *l)
{
	bool ok = reads_allow(backend_by_name("linux"), &l->at.at[0], "node000", NULL);

	requests_free(l);
	return ok;
}

CASE(other_ports_and_words_are_not_asked)
{
	static const char hello[] = "CLIENT PROTOCOL 2\nTIMEOUT 5\nSET FORMAT json\n";
	static const char *const files[] = {"/dev/watchdog", "/sys/x", "/proc/sysrq-trigger",
		"/d*/x", "/tmp/../dev/x", "/tmp/a b", "/tmp/a;reboot", "/tmp/$(reboot)",
		"/tmp/a\nreboot", "relative", "-f", "//dev/x", "/./dev/x"};
	struct request_list l = {0};
	char line[128];

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
	requests_ssh(&l, "x", "sh -s", "squeue --json --all --states=RUNNING; reboot\n");
	assert_false(jobs_pass(&l));
	requests_ssh(&l, "x", "sh -s", "squeue --json --all --states=RUNNING\nscancel 1\n");
	assert_false(jobs_pass(&l));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		str_printf(line, sizeof(line), "exec tail -q -n 2000 -F %s 2>&1", files[i]);
		requests_ssh(&l, "x", line, NULL)->follow = true;
		assert_false(jobs_pass(&l));
	}
}

/* ---- patterns ---- */

CASE(patterns)
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

/* ---- the content of scripts ---- */

/* The commands that a Lua script gives to Redis; none may write. */
CASE(redis_scripts_only_read)
{
	static const char *const scripts[] = {sonic_fast_lua, sonic_optics_lua, sonic_config_lua,
		sonic_modules_lua, sonic_condition_lua};
	static const char *const reading[] = {"HGET", "HMGET", "HGETALL", "HKEYS", "HVALS",
		"HEXISTS", "EXISTS", "KEYS", "TIME", "SELECT"};

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

CASE(only_their_own_sha_names_a_script)
{
	const struct backend_ops *ops = backend_by_name("sonic");
	struct request_list l = {0};
	char sha[SONIC_SHA_SIZE], line[256];

	assert_true(sonic_script_sha("return 1", sha));
	assert_string_equal(sha, "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
	for (int i = 0; i < 2; i++) {
		if (i)
			assert_true(sonic_script_sha(sonic_optics_lua, sha));
		str_printf(
			line, sizeof(line), "sonic-db-cli STATE_DB EVALSHA %s 0 none 0 2>&1", sha);
		requests_ssh(&l, "optics", line, NULL);
		assert_int_equal(ops->reads(&l.at.at[0]), i);
		requests_free(&l);
	}
}

CASE(a_refusal_names_device_request_and_cure)
{
	struct backend_ops mute = {.name = "mute"};
	struct request_list l = {0};
	struct err err = {0};

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

CASE(followed_commands_are_unwrapped)
{
	static const char *const commands[] = {
		"dmesg -w", "sh -c 'it''s'", "sed 's/a/b/'", "'", ""};
	struct request_list l = {0};
	char *again;

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

CASES_MAIN(NULL, NULL)
