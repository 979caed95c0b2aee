/* SPDX-License-Identifier: Apache-2.0 */
/* No name gets through, and the same is called the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "archive/redact/redact.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

static int setup(void **state)
{
	struct plan plan;

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "acme-blue-dc7");
	(void)plan_make_device(&plan, "leaf-r3-00", TIER_LEAF, 3);
	(void)plan_make_device(&plan, "leaf-r3-001", TIER_LEAF, 3);
	(void)plan_make_device(&plan, "node000", TIER_HOST, -1);
	(void)plan_make_device(&plan, "sp1.dc1.acme.example", TIER_SPINE, -1);
	*state = redact_new(&plan);
	plan_free(&plan);
	redact_learn(*state, "user", "ann");
	redact_learn(*state, "user", "bob.builder");
	redact_learn(*state, "job", "pretrain-llama");
	redact_learn(*state, "serial", "MT2312X00042");
	return 0;
}

static int teardown(void **state)
{
	redact_free(*state);
	return 0;
}

static void becomes(void **state, const char *text, const char *expected)
{
	size_t n;
	char *got = redact_document(*state, text, strlen(text), &n);

	assert_string_equal(got, expected);
	assert_int_equal(n, strlen(expected));
	free(got);
}

CASE_WITH(test_names_in_sentences, setup, teardown)
{
	becomes(state, "leaf-r3-00:Ethernet12 to node000:mlx5_0",
		"leaf-0001:Ethernet12 to host-0001:mlx5_0");
	becomes(state, "LEAF-R3-00 Leaf-r3-00.", "leaf-0001 leaf-0001.");
	becomes(state, "leaf-r3-001", "leaf-0002");
	becomes(state, "to_leaf-r3-00_x leaf-r3-00-node000", "to_leaf-0001_x leaf-0001-host-0001");
	becomes(state, "job pretrain-llama of ann: channel", "job job-1 of user-1: channel");
	becomes(state, "SN MT2312X00042, acme-blue-dc7", "SN SN-0001, fabric");
	becomes(state, "", "");
}

CASE_WITH(test_domains, setup, teardown)
{
	becomes(state, "leaf-r3-00.dc1.example.com up", "leaf-0001.site up");
	becomes(state, "sp1 sp1.dc1.acme.example", "spine-0001 spine-0001");
	becomes(state, "ntp.corp.example.org and ntp.corp.example.org",
		"name-0001.site and name-0001.site");
	becomes(state, "qos.wrong_dscp link.down snapshot.json 4.30.1F",
		"qos.wrong_dscp link.down snapshot.json 4.30.1F");
}

/* A name that begins with a known name is an unknown name, not the known one and a digit. */
CASE_WITH(test_longer_names, setup, teardown)
{
	becomes(state, "leaf-r3-007 leaf-r3-007", "name-0001 name-0001");
	becomes(state, "xleaf-r3-00", "xleaf-0001");
}

CASE_WITH(test_addresses, setup, teardown)
{
	becomes(state, "10.1.2.3 10.1.2.4 10.1.2.3:22 10.1.2.0/24",
		"198.18.0.1 198.18.0.2 198.18.0.1:22 198.18.0.3/24");
	becomes(state, "127.0.0.1 0.0.0.0 255.255.255.0", "127.0.0.1 0.0.0.0 255.255.255.0");
	becomes(state, "0c:42:a1:b2:c3:d4 0C-42-A1-B2-C3-D4 0c42.a1b2.c3d4",
		"02:00:00:00:00:01 02-00-00-00-00-01 0200.0000.0001");
	becomes(state, "[2620:10d::1]:443 2620:10d:0::1 fe80::e42:a1ff:feb2:c3d4",
		"[2001:db8::0:1]:443 2001:db8::0:1 fe80::0:2");
	becomes(state, "02:13:30 0000:5d:00.0 1.2.3 1.2.3.4.5 400G",
		"02:13:30 0000:5d:00.0 1.2.3 1.2.3.4.5 400G");
	becomes(state, "addr:10.9.9.9,", "addr:198.18.0.4,");
	becomes(state, "ff:ff:ff:ff:ff:ff ::1", "ff:ff:ff:ff:ff:ff ::1");
}

/* After any word before the colon: half of the letters of names are hex digits. */
CASE_WITH(test_addresses_after_words, setup, teardown)
{
	becomes(state, "NCCL INFO Bootstrap : Using eth0:10.77.3.22<0>",
		"NCCL INFO Bootstrap : Using eth0:198.18.0.1<0>");
	becomes(state,
		"src:10.77.3.22 router-id:10.77.3.22 ROUTE_TABLE:10.77.3.0/24 4791:10.77.3.22",
		"src:198.18.0.1 router-id:198.18.0.1 ROUTE_TABLE:198.18.0.2/24 4791:198.18.0.1");
	becomes(state, "eth0:0c:42:a1:b2:c3:d4 bond_0:0c42.a1b2.c3d4",
		"eth0:02:00:00:00:00:01 bond_0:0200.0000.0001");
	becomes(state, "via:2620:10d::1 eth0:2620:10d::1", "via:2001:db8::0:1 eth0:2001:db8::0:1");
	becomes(state, "1:02:13:30 0000:5d:00.0 12:34", "1:02:13:30 0000:5d:00.0 12:34");
}

CASE_WITH(test_versions_stay, setup, teardown)
{
	redact_learn(*state, "keep", "4.31.2.1");
	becomes(state, "EOS 4.31.2.1 at 10.0.0.1", "EOS 4.31.2.1 at 198.18.0.1");
}

CASE_WITH(test_accounts, setup, teardown)
{
	becomes(state, "carol@leaf-r3-00 carol", "user-3@leaf-0001 user-3");
	becomes(state, "bob.builder@example.com", "user-2@name-0001.site");
	becomes(state, "https://carol:pw1234@srv9/x?y", "https://name-0002/x?y");
	becomes(state, "https://10.0.0.7:8443/command-api", "https://198.18.0.1:8443/command-api");
}

CASE_WITH(test_secrets, setup, teardown)
{
	becomes(state, "enable password 7 0822455D0A16 x", "enable password <removed> x");
	becomes(state, "snmp-server community s3cr1t ro", "snmp-server community <removed> ro");
	becomes(state, "{\"password\": \"a b\\\"c\", \"x\": 1}",
		"{\"password\": \"<removed>\", \"x\": 1}");
	becomes(state, "Authorization: Basic bm9jOnB3\nnext", "Authorization: <removed>\nnext");
	becomes(state, "password or key refused", "password or key refused");
	becomes(state, "key 7 0822455D0A16", "key <removed>");
	becomes(state, "secret sha512 $6$abc$defghi end", "secret <removed> end");
	becomes(state, "a $6$abc$defghi b", "a <removed> b");
	becomes(state, "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nz",
		"<removed>\nz");
	becomes(state, "token=abcdef; next", "token=<removed>; next");
}

/* A site may name its own runbooks after their target. */
CASE_WITH(test_steps_of_runbooks, setup, teardown)
{
	struct entry e = {.kind = ENTRY_TRAIL};

	(void)str_copy(e.trail.runbook, sizeof(e.trail.runbook), "drain-leaf-r3-00");
	(void)str_copy(e.trail.step, sizeof(e.trail.step), "tell bob.builder");
	redact_entry(*state, &e);
	assert_string_equal(e.trail.runbook, "drain-leaf-0001");
	assert_string_equal(e.trail.step, "tell user-2");
}

/* A text that was cut to fit ends within a name. */
CASE_WITH(test_cut, setup, teardown)
{
	char text[16] = "link to leaf-r3";

	redact_text(*state, text, sizeof(text));
	assert_string_equal(text, "link to name");
}

CASE_WITH(test_fits, setup, teardown)
{
	char text[8] = "sp1";

	redact_text(*state, text, sizeof(text));
	assert_string_equal(text, "spine-0");
}

/* Sites may call their devices as we would. */
CASE_WITH(test_names_like_ours, setup, teardown)
{
	struct plan plan;
	struct redact *r;
	char a[64] = "leaf-0002", b[64] = "leaf-0001";

	plan_init(&plan);
	(void)plan_make_device(&plan, "leaf-0001", TIER_LEAF, 0);
	(void)plan_make_device(&plan, "leaf-0002", TIER_LEAF, 0);
	r = redact_new(&plan);
	redact_text(r, a, sizeof(a));
	redact_text(r, b, sizeof(b));
	assert_string_not_equal(a, b);
	assert_string_not_equal(a, "leaf-0002");
	assert_string_not_equal(b, "leaf-0001");
	redact_free(r);
	plan_free(&plan);
}

/* A rack is a place in a building: it gets another name everywhere, and its unit goes. */
CASE_WITH(test_racks, setup, teardown)
{
	struct plan plan;
	struct plan_device *d;
	struct redact *r;
	char log[64] = "move it to AMS-B07 please";

	plan_init(&plan);
	(void)plan_make_device(&plan, "leaf-0001", TIER_LEAF, 0);
	d = &plan.devices.at[0];
	(void)str_copy(d->rack, sizeof(d->rack), "AMS-B07");
	(void)str_copy(d->unit, sizeof(d->unit), "40");
	r = redact_new(&plan);
	redact_plan(r, &plan);
	assert_true(str_starts(d->rack, "name-"));
	assert_string_equal(d->unit, "");
	redact_text(r, log, sizeof(log));
	assert_null(strstr(log, "AMS"));
	/* A number is no word to replace in texts: it goes. */
	(void)str_copy(d->rack, sizeof(d->rack), "12");
	redact_plan(r, &plan);
	assert_string_equal(d->rack, "");
	redact_free(r);
	plan_free(&plan);
}

CASE_WITH(test_summary, setup, teardown)
{
	char text[64] = "leaf-r3-00 10.0.0.1", *summary;
	json_t *root;

	redact_text(*state, text, sizeof(text));
	summary = redact_summary(*state);
	root = json_loads(summary, 0, NULL);
	assert_non_null(root);
	assert_int_equal(
		json_integer_value(json_object_get(
			json_object_get(json_object_get(root, "replaced"), "leaf"), "times")),
		1);
	assert_null(strstr(summary, "leaf-r3"));
	assert_null(strstr(summary, "10.0.0.1"));
	json_decref(root);
	free(summary);
}

static FILE *corpus(const char *name)
{
	char path[96];
	FILE *f;

	(void)str_printf(path, sizeof(path), "tests/archive/redact/%s", name);
	f = fopen(path, "re");
	if (!f)
		fail_msg("%s: not found", path);
	return f;
}

static void cut_line_end(char *line)
{
	line[strcspn(line, "\n")] = '\0';
}

/* Of a document of its own each: redact_new_secrets() when r is NULL. */
static void expect_none_left(struct redact *r)
{
	FILE *f = corpus("secrets.txt");
	unsigned lines = 0, left = 0;
	char line[640], around[1400];

	while (fgets(line, sizeof(line), f)) {
		struct redact *own = r ? NULL : redact_new_secrets(NULL);
		char *tab = strchr(line, '\t'), *got;
		size_t n;

		if (line[0] == '#') {
			redact_free(own);
			if (!r && strncmp(line, "# Names", 7) == 0)
				break;
			continue;
		}
		cut_line_end(line);
		assert_non_null(tab);
		*tab++ = '\0';
		(void)str_printf(around, sizeof(around), "%s\n{\"text\": \"%s\"}\nend\n", tab,
			strchr(tab, '"') ? "" : tab);
		got = redact_document(r ? r : own, around, strlen(around), &n);
		lines++;
		if (memmem(got, n, line, strlen(line)) != NULL) {
			print_error("%s: left of \"%s\"\n", got, tab);
			left++;
		}
		/* Of a key that does not end all the rest is taken. */
		if (!strstr(tab, "-----BEGIN") && !strstr(got, "\"}\nend\n"))
			fail_msg("%s: more was taken", got);
		free(got);
		redact_free(own);
	}
	assert_int_equal(fclose(f), 0);
	assert_true(lines >= (r ? 200 : 170));
	assert_int_equal(left, 0);
}

/* No byte of a secret may be left. Each line is read by itself, and within a longer document. */
CASE_WITH(test_corpus_of_secrets, setup, teardown)
{
	expect_none_left(*state);
}

CASE(test_secrets_without_names)
{
	expect_none_left(NULL);
}

CASE(test_names_stay_without_secrets)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"leaf-r3-00 peer 10.1.2.3 ann@node000.acme.example 0c:42:a1:b2:c3:d4 down",
			"leaf-r3-00 peer 10.1.2.3 ann@node000.acme.example 0c:42:a1:b2:c3:d4 down"},
		{"GET https://leaf-1.acme.example/a?b", "GET https://leaf-1.acme.example/a?b"},
		{"fetch https://ann:hunt3r22@leaf-1/x", "fetch https://<removed>@leaf-1/x"},
		{"clone ssh://git@leaf-1/x", "clone ssh://git@leaf-1/x"},
		{"password hunt3r22, again hunt3r22", "password <removed>, again <removed>"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct redact *r = redact_new_secrets(NULL);
		size_t n;
		char *got = redact_document(r, cases[i].text, strlen(cases[i].text), &n);

		assert_string_equal(got, cases[i].want);
		free(got);
		redact_free(r);
	}
}

CASE_WITH(test_plain_lines_stay, setup, teardown)
{
	FILE *f = corpus("plain.txt");
	unsigned lines = 0, changed = 0;
	char line[640];

	while (fgets(line, sizeof(line), f)) {
		size_t n;
		char *got;

		if (line[0] == '#')
			continue;
		cut_line_end(line);
		got = redact_document(*state, line, strlen(line), &n);
		lines++;
		if (strcmp(got, line) != 0) {
			print_error("was %s\nnow %s\n", line, got);
			changed++;
		}
		free(got);
	}
	assert_int_equal(fclose(f), 0);
	assert_true(lines >= 45);
	assert_int_equal(changed, 0);
}

/* Megabytes of a switch's output. */
CASE_WITH(test_large_document, setup, teardown)
{
	static const char line[] = "Nov 22 02:13:30 leaf-r3-00 syncd: Ethernet12 peer 10.1.2.3 "
				   "0c:42:a1:b2:c3:d4 went down\n";
	const size_t lines = 20000;
	char *text = mem_alloc(lines * (sizeof(line) - 1) + 1), *got;
	size_t n;

	for (size_t i = 0; i < lines; i++)
		memcpy(text + i * (sizeof(line) - 1), line, sizeof(line));
	got = redact_document(*state, text, lines * (sizeof(line) - 1), &n);
	assert_null(strstr(got, "leaf-r3"));
	assert_null(strstr(got, "10.1.2.3"));
	assert_null(strstr(got, "0c:42"));
	free(got);
	free(text);
}

CASES_MAIN(NULL, NULL)
