/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/str.h"
#include "tests/actions/support/ledger_rig.h"
#include "tests/support/cases.h"

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

CASE(hash_is_sha256)
{
	char hash[65];

	sha256_hex("abc", 3, hash);
	assert_string_equal(
		hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_hex("", 0, hash);
	assert_string_equal(
		hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

CASE(line_is_as_the_contract_says)
{
	struct rig r;
	struct ledger *l;
	static const char begin[] =
		"{\"n\":1,\"t\":\"2026-11-22T01:02:03.250Z\",\"event\":\"sending\","
		"\"act\":\"20261122T010203Z-4f2a91\",\"user\":\"ann\",\"uid\":1001,"
		"\"tty\":\"pts/3\",\"from\":\"10.0.0.7\",\"host\":\"bastion\",\"pid\":4711,"
		"\"device\":\"leaf-0\",\"port\":\"Ethernet12\","
		"\"request\":\"config \\\"x\\\"\",\"prev\":\"" ZEROS "\",\"hash\":\"";
	char *text, *tail, hash[65], head[128], *kept;
	size_t n;

	rig_open(&r);
	l = rig_ledger_ok(&r);
	rig_append(l, LEDGER_SENDING, "20261122T010203Z-4f2a91",
		json_pack("{s:s,s:s,s:s}", "device", "leaf-0", "port", "Ethernet12", "request",
			"config \"x\""));
	text = rig_read(r.path, &n);
	assert_int_equal(n, sizeof(begin) - 1 + 64 + 3);
	assert_memory_equal(text, begin, sizeof(begin) - 1);
	tail = strstr(text, ",\"hash\":\"");
	assert_non_null(tail);
	sha256_hex(text, (size_t)(tail - text), hash);
	assert_memory_equal(tail + 9, hash, 64);
	assert_string_equal(tail + 9 + 64, "\"}\n");
	kept = rig_read(r.head, NULL);
	(void)str_printf(head, sizeof(head), "1 %s\n", hash);
	assert_string_equal(kept, head);
	assert_int_equal(r.copies, 1);
	assert_true(str_starts(r.copy, "ledger n=1 hash="));
	assert_non_null(strstr(r.copy, hash));
	assert_non_null(
		strstr(r.copy, " event=sending act=20261122T010203Z-4f2a91 user=ann device=leaf-0 "
			       "port=Ethernet12"));
	free(kept);
	free(text);
	ledger_close(l);
	rig_close(&r);
}

CASE(next_line_follows)
{
	struct rig r;
	struct ledger_report report;
	struct stat st;

	rig_open(&r);
	rig_fill(&r, 3);
	rig_fill(&r, 2);
	report = rig_verify(&r);
	assert_string_equal(report.why, "");
	assert_int_equal(report.bad_line, 0);
	assert_int_equal(report.lines, 5);
	assert_int_equal(report.first_us, RIG_NOW);
	assert_int_equal(strlen(report.hash), 64);
	assert_int_equal(stat(r.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(stat(r.head, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	rig_close(&r);
}

CASE(makes_directories_for_the_owner_only)
{
	struct rig r;
	struct stat st;
	char dir[128];

	rig_open(&r);
	(void)str_printf(r.path, sizeof(r.path), "%s/a/b/l.jsonl", r.dir);
	ledger_close(rig_ledger_ok(&r));
	(void)str_printf(dir, sizeof(dir), "%s/a/b", r.dir);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	rig_close(&r);
}

static void refuse(struct rig *r, enum err_code code, const char *words)
{
	struct err err = {0};
	struct ledger *l = rig_ledger(r, &err);

	assert_null(l);
	if (!strstr(err.text, words))
		print_error("expected '%s' in '%s'\n", words, err.text);
	assert_non_null(strstr(err.text, words));
	assert_int_equal(err.code, code);
	assert_true(err.cure[0]);
}

CASE(what_is_not_to_be_trusted_is_refused)
{
	struct rig r;
	char other[128];

	rig_open(&r);
	(void)str_printf(other, sizeof(other), "%s/other", r.dir);
	rig_write(other, "", 0);
	assert_int_equal(symlink(other, r.path), 0);
	refuse(&r, ERR_REFUSED, "symbolic link");
	assert_int_equal(unlink(r.path), 0);
	assert_int_equal(mkfifo(r.path, 0600), 0);
	refuse(&r, ERR_REFUSED, "not a regular file");
	assert_int_equal(unlink(r.path), 0);
	rig_write(r.path, "", 0);
	assert_int_equal(chmod(r.path, 0666), 0);
	refuse(&r, ERR_REFUSED, "other users can write it");
	assert_int_equal(chmod(r.path, 0660), 0);
	ledger_close(rig_ledger_ok(&r)); /* a group of operators is fine */
	rig_write(r.path, "root:x:0:0:root:/root:/bin/bash\n", 32);
	refuse(&r, ERR_CONFIG, "is not a ledger");
	rig_close(&r);
}

CASE(directory_for_everybody_is_refused)
{
	struct rig r;

	rig_open(&r);
	assert_int_equal(chmod(r.dir, 0777), 0);
	refuse(&r, ERR_REFUSED, "other users can replace");
	assert_int_equal(chmod(r.dir, 01777), 0);
	ledger_close(rig_ledger_ok(&r));
	rig_close(&r);
}

CASE(fifos_in_other_places_do_not_hang)
{
	struct rig r;
	struct ledger *l;
	char lock[128];
	struct err err = {0};

	rig_open(&r);
	l = rig_ledger_ok(&r);
	(void)str_printf(lock, sizeof(lock), "%s/actions.lock", r.dir);
	assert_int_equal(mkfifo(lock, 0600), 0);
	assert_false(ledger_lock(l, "x", &err));
	ledger_close(l);
	assert_int_equal(unlink(r.head), 0);
	assert_int_equal(mkfifo(r.head, 0600), 0);
	assert_null(rig_ledger(&r, &err));
	rig_close(&r);
}

CASE(hostile_texts_stay_in_their_line)
{
	static const char escape[] = "a\033]0;x\007\n{\"n\":99}\n\xff\xfe\xc0\x80\xed\xa0\x80z";
	struct rig r;
	struct ledger *l;
	char *text, *big = malloc(100000);
	json_t *o, *said;
	size_t n;

	assert_non_null(big);
	memset(big, 'x', 100000);
	rig_open(&r);
	l = rig_ledger_ok(&r);
	rig_append(l, LEDGER_ANSWERED, "act-1",
		json_pack("{s:o,s:o,s:o}", "output", ledger_text(escape, sizeof(escape) - 1),
			"complaint", ledger_text(big, 100000), "bad\nkey",
			json_stringn_nocheck("\xff\0z", 3)));
	ledger_close(l);
	text = rig_read(r.path, &n);
	for (size_t i = 0; i + 1 < n; i++)
		assert_true((unsigned char)text[i] >= 0x20 && (unsigned char)text[i] < 0x7f);
	o = json_loads(text, 0, NULL);
	said = json_object_get(o, "output");
	assert_string_equal(json_string_value(said),
		"a\033]0;x\007\n{\"n\":99}\n\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
		"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz");
	said = json_object_get(o, "complaint");
	assert_true(json_string_length(said) < 4096 + 128);
	assert_non_null(strstr(json_string_value(said), "[cut, of 100000 bytes with SHA-256 "));
	assert_string_equal(
		json_string_value(json_object_get(o, "bad\nkey")), "\xEF\xBF\xBD\xEF\xBF\xBDz");
	json_decref(o);
	free(text);
	free(big);
	assert_int_equal(rig_verify(&r).lines, 1);
	rig_close(&r);
}

CASE(a_detail_cannot_pretend)
{
	struct rig r;
	struct ledger *l;
	char *text;
	json_t *o;

	rig_open(&r);
	l = rig_ledger_ok(&r);
	rig_append(l, LEDGER_DONE, "act-1",
		json_pack("{s:s,s:i,s:s,s:s}", "user", "root", "n", 77, "hash", "x", "prev", "y"));
	ledger_close(l);
	text = rig_read(r.path, NULL);
	o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(o);
	assert_string_equal(json_string_value(json_object_get(o, "user")), "ann");
	assert_string_equal(json_string_value(json_object_get(o, "detail_user")), "root");
	assert_int_equal(json_integer_value(json_object_get(o, "n")), 1);
	json_decref(o);
	free(text);
	assert_int_equal(rig_verify(&r).bad_line, 0);
	rig_close(&r);
}

static json_t *deep(int n)
{
	json_t *o = json_object();

	for (int i = 0; i < n; i++)
		o = json_pack("{s:o}", "in", o);
	return o;
}

CASE(a_line_that_is_too_long_changes_nothing)
{
	struct rig r;
	struct ledger *l;
	struct err err = {0};
	json_t *list = json_array();
	char text[4001];

	memset(text, 'y', 4000);
	text[4000] = '\0';
	for (int i = 0; i < 70; i++)
		(void)json_array_append_new(list, json_string(text));
	rig_open(&r);
	l = rig_ledger_ok(&r);
	rig_append(l, LEDGER_BEGUN, "act-1", deep(500));
	assert_false(ledger_append(
		l, LEDGER_ANSWERED, "act-1", json_pack("{s:o}", "output", list), &err));
	assert_int_equal(err.code, ERR_LIMIT);
	rig_append(l, LEDGER_DONE, "act-1", NULL);
	ledger_close(l);
	assert_int_equal(rig_verify(&r).lines, 2);
	rig_close(&r);
}

CASE(one_holder_at_a_time)
{
	struct rig r;
	struct ledger *a, *b;
	struct err err = {0};

	rig_open(&r);
	a = rig_ledger_ok(&r);
	(void)str_copy(r.who.user, sizeof(r.who.user), "bob");
	b = rig_ledger_ok(&r);
	assert_true(ledger_lock(a, "pfcwd-reset leaf-0:Ethernet12", &err));
	assert_true(ledger_lock(a, "again", &err)); /* it has it */
	assert_false(ledger_lock(b, "port-drain", &err));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_string_equal(err.text, "ann on pts/3 since 01:02:03 UTC: pfcwd-reset "
				      "leaf-0:Ethernet12 acts at this moment");
	ledger_unlock(a);
	assert_true(ledger_lock(b, "port-drain", &err));
	ledger_close(b);
	assert_true(ledger_lock(a, "x", &err));
	ledger_close(a);
	rig_close(&r);
}

CASE(death_gives_the_right_back)
{
	struct rig r;
	struct ledger *l;
	struct err err = {0};
	int ready[2], status;
	char c;
	pid_t pid;

	rig_open(&r);
	l = rig_ledger_ok(&r);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct ledger *mine = rig_ledger(&r, NULL);

		if (!mine || !ledger_lock(mine, "hang", NULL))
			_exit(1);
		(void)!write(ready[1], "x", 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_false(ledger_lock(l, "me", &err));
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(ledger_lock(l, "me", &err));
	ledger_close(l);
	(void)close(ready[0]);
	(void)close(ready[1]);
	rig_close(&r);
}

CASE(taken_away_while_open_is_noticed)
{
	struct rig r;
	struct ledger *l;
	struct err err = {0};
	char other[128];

	rig_open(&r);
	l = rig_ledger_ok(&r);
	rig_append(l, LEDGER_BEGUN, "act-1", NULL);
	rig_append(l, LEDGER_SENDING, "act-1", NULL);
	(void)str_printf(other, sizeof(other), "%s/rotated", r.dir);
	assert_int_equal(rename(r.path, other), 0);
	assert_false(ledger_append(l, LEDGER_DONE, "act-1", NULL, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_int_equal(rename(other, r.path), 0);
	rig_append(l, LEDGER_DONE, "act-1", NULL);
	/* Cut by one line, head and all. */
	size_t n;
	char *text = rig_read(r.path, &n);
	rig_write(r.path, text, (size_t)(rig_line(text, 3) - text));
	assert_false(ledger_append(l, LEDGER_WATCHED, "act-1", NULL, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	free(text);
	ledger_close(l);
	rig_close(&r);
}

CASE(paths_beside)
{
	char *s = ledger_beside("/dir/actions.jsonl", "actions.stop");

	assert_string_equal(s, "/dir/actions.stop");
	free(s);
	s = ledger_beside("l.jsonl", "x");
	assert_string_equal(s, "x");
	free(s);
	assert_int_equal(setenv("HOME", "/home/ann", 1), 0);
	assert_int_equal(unsetenv("XDG_STATE_HOME"), 0);
	s = ledger_default_path();
	assert_string_equal(s, "/home/ann/.local/state/railtop/actions.jsonl");
	free(s);
	assert_int_equal(setenv("XDG_STATE_HOME", "/state", 1), 0);
	s = ledger_default_path();
	assert_string_equal(s, "/state/railtop/actions.jsonl");
	free(s);
	assert_int_equal(setenv("XDG_STATE_HOME", "relative", 1), 0);
	s = ledger_default_path();
	assert_string_equal(s, "/home/ann/.local/state/railtop/actions.jsonl");
	free(s);
}

CASE(who_believes_no_environment)
{
	static const struct {
		const char *env, *from;
	} cases[] = {
		{"10.0.0.7 51234 10.0.0.1 22", "10.0.0.7"},
		{"2001:db8::7 1 2001:db8::1 22", "2001:db8::7"},
		{"fe80::1%eth0 1 fe80::2 22", "fe80::1"},
		{"10.0.0.7", "10.0.0.7"},
	};
	static const char *const bad[] = {"", "evil", "10.0.0.7;x 1", "\033[31m 1 2 3",
		"999.1.1.1 1 2 3", "1111111111111111111111111111111111111111111111111111111111 x"};
	struct who w;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(setenv("SSH_CONNECTION", cases[i].env, 1), 0);
		who_am_i(&w);
		assert_string_equal(w.from, cases[i].from);
	}
	assert_int_equal(unsetenv("SSH_CLIENT"), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(setenv("SSH_CONNECTION", bad[i], 1), 0);
		who_am_i(&w);
		assert_null(strpbrk(w.from, "ev;x\033"));
	}
	assert_int_equal(setenv("USER", "somebody", 1), 0);
	assert_int_equal(setenv("SUDO_USER", "ann", 1), 0);
	who_am_i(&w);
	assert_string_not_equal(w.user, "somebody");
	assert_true(w.user[0] && w.host[0]);
	assert_int_equal(w.uid, getuid());
	assert_int_equal(w.pid, getpid());
	assert_string_not_equal(w.via, "ann"); /* any root shell sets it */
	assert_int_equal(unsetenv("SUDO_USER"), 0);
}

/* uid 1 is daemon on each Linux. */
CASE(a_person_is_the_login_and_not_the_account)
{
	static const struct {
		uid_t uid, kernel, terminal;
		const char *via;
	} rows[] = {
		{0, 1, LOGIN_UNKNOWN, "daemon"}, {0, LOGIN_UNKNOWN, 1, "daemon"},
		{0, 0, 1, ""}, /* root logged in */
		{0, LOGIN_UNKNOWN, 0, ""}, {0, LOGIN_UNKNOWN, LOGIN_UNKNOWN, ""}, {1, 1, 2, ""},
		{2, 1, 2, "daemon"}, /* su */
		{2, LOGIN_UNKNOWN, 1, "daemon"},
		{2, 0, LOGIN_UNKNOWN, ""}, /* root became a service's account */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct who w = {.uid = rows[i].uid, .via = "x"};

		who_logged_in(&w, rows[i].kernel, rows[i].terminal);
		assert_string_equal(w.via, rows[i].via);
		assert_int_equal(who_is_known(&w), rows[i].uid != 0 || rows[i].via[0]);
	}
	assert_int_equal(login_uid_parse("1001"), 1001);
	assert_int_equal(login_uid_parse("0\n"), 0);
	assert_int_equal(login_uid_parse("4294967295"), LOGIN_UNKNOWN);
	assert_int_equal(login_uid_parse("99999999999999999999"), LOGIN_UNKNOWN);
	assert_int_equal(login_uid_parse(""), LOGIN_UNKNOWN);
	assert_int_equal(login_uid_parse("-"), LOGIN_UNKNOWN);
	assert_int_equal(login_uid_parse("12x"), LOGIN_UNKNOWN);
}

CASES_MAIN(NULL, NULL)
