/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot is whole or absent, opens again, and shows the recorded state. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>
#include <sqlite3.h>
#include <zstd.h>

#include "archive/snapshot_file/bundle.h"
#include "archive/export/snapshot.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/archive/support/recorded.h"
#include "tests/support/cases.h"

#define POLLS 20
#define KILLS 100

struct place {
	char dir[64], from[128], to[128];
};

static int setup(void **state)
{
	struct place *p = mem_calloc(1, sizeof(*p));

	(void)str_copy(p->dir, sizeof(p->dir), "/tmp/railtop-bundle-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	(void)str_printf(p->from, sizeof(p->from), "%s/shift.rts", p->dir);
	(void)str_printf(p->to, sizeof(p->to), "%s/incident.rts", p->dir);
	recorded_make(p->from, POLLS);
	*state = p;
	return 0;
}

/* Calls for each file; how many there are. */
static unsigned each_file(const char *dir, void (*call)(const char *path))
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	unsigned n = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		char path[512];

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		n++;
		(void)str_printf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (call)
			call(path);
	}
	(void)closedir(d);
	return n;
}

static void delete (const char *path)
{
	(void)unlink(path);
}

static int teardown(void **state)
{
	struct place *p = *state;

	(void)each_file(p->dir, delete);
	(void)rmdir(p->dir);
	free(p);
	return 0;
}

static struct bundle_opts opts_of(const struct place *p)
{
	return (struct bundle_opts){.from = p->from,
		.at_us = INT64_MAX,
		.to = p->to,
		.about = {.id = "20231114T221500Z-railtop-1",
			.tool = "railtop test",
			.user = "mallory.oconnor",
			.host = "bastion",
			.mode = "read-only",
			.reason = "moonshot-llm is slow",
			.incident = "INC-4711",
			.ledger = "{\"n\":1,\"event\":\"done\",\"user\":\"mallory.oconnor\","
				  "\"device\":"
				  "\"tor-frankfurt-r3-a07\"}\n",
			.ledger_lines = 1,
			.screen = "fabric acme-bluewhale\n"}};
}

static void writes(const struct bundle_opts *o)
{
	struct err err = {0};

	if (!bundle_write(o, &err))
		fail_msg("%s: %s", err.origin, err.text);
}

static struct replay *shows(const char *path, int64_t at_us)
{
	struct err err = {0};
	struct rts *r = rts_open(path, &err);
	struct replay *p = r ? replay_new(r, &err) : NULL;

	if (!p || !replay_go_to(p, at_us, &err))
		fail_msg("%s: %s", err.origin, err.text);
	return p;
}

static char *snapshot_of(struct replay *p)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_true(snapshot_json(replay_model(p), replay_diag(p), replay_now(p), f, NULL));
	assert_int_equal(fclose(f), 0);
	return text;
}

static char *part_of(const char *path, const char *name)
{
	struct err err = {0};
	struct rts *r = rts_open(path, &err);
	struct buf out;

	if (!r)
		fail_msg("%s: %s", err.origin, err.text);
	buf_init(&out, 64 << 20);
	if (!rts_part(r, name, &out, &err))
		fail_msg("%s: %s", err.origin, err.text);
	rts_close(r);
	return buf_take(&out, NULL);
}

/* Every moment of the snapshot equals that of the recording. */
CASE_WITH(test_moments, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);

	o.last_us = 6 * RECORDED_STEP;
	writes(&o);
	for (unsigned poll = POLLS - 6; poll < POLLS; poll++) {
		struct replay *a = shows(p->from, RECORDED_T0 + poll * RECORDED_STEP);
		struct replay *b = shows(p->to, RECORDED_T0 + poll * RECORDED_STEP);
		char *x = snapshot_of(a), *y = snapshot_of(b);

		assert_int_equal(replay_now(a), replay_now(b));
		assert_string_equal(x, y);
		free(x);
		free(y);
		replay_free(a);
		replay_free(b);
	}
}

CASE_WITH(test_parts, setup, teardown)
{
	static const char *const names[] = {"snapshot.json", "findings.json", "ticket.txt",
		"ticket.md", "ticket.json", "runbook.json", "ledger.jsonl", "screen.txt",
		"contents.json", "raw/tor-frankfurt-r3-a07/fast"};
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	struct buf text;
	struct stat st;
	char *page;
	json_t *contents;

	buf_init(&text, 1 << 20);
	o.text = &text;
	writes(&o);
	assert_int_equal(stat(p->to, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		free(part_of(p->to, names[i]));
	page = part_of(p->to, "ticket.txt");
	assert_string_equal(page, text.data);
	assert_non_null(strstr(page, "railtop open incident.rts\n"));
	assert_non_null(strstr(page, "link-flap/light tor-frankfurt-r3-a07:Ethernet0"));
	free(page);
	page = part_of(p->to, "contents.json");
	contents = json_loads(page, 0, NULL);
	assert_non_null(contents);
	assert_int_equal(strlen(json_string_value(json_object_get(contents, "sha256"))), 64);
	assert_non_null(
		strstr(text.data, json_string_value(json_object_get(contents, "data_sha256"))));
	json_decref(contents);
	free(page);
	buf_free(&text);
}

CASE_WITH(test_documents_only, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	struct buf markdown, json, snapshot;
	json_t *root;

	buf_init(&markdown, 1 << 20);
	buf_init(&json, 8 << 20);
	buf_init(&snapshot, 8 << 20);
	o.to = NULL;
	o.markdown = &markdown;
	o.json = &json;
	o.snapshot = &snapshot;
	writes(&o);
	assert_non_null(strstr(markdown.data, "# railtop ticket"));
	root = json_loads(json.data, 0, NULL);
	assert_non_null(root);
	assert_true(json_is_null(json_object_get(root, "file")));
	json_decref(root);
	assert_int_equal(each_file(p->dir, NULL), 1);
	buf_free(&markdown);
	buf_free(&json);
	buf_free(&snapshot);
}

/* Devices of snapshot.json, limited to `most` bytes; *size receives its size. */
static json_t *devices_within(struct bundle_opts *o, size_t most, size_t *size)
{
	struct buf snapshot;
	json_t *root;

	buf_init(&snapshot, 8 << 20);
	o->snapshot = &snapshot;
	o->snapshot_max = most;
	writes(o);
	root = json_loads(snapshot.data, 0, NULL);
	assert_non_null(root);
	assert_true(!most || snapshot.len <= most);
	*size = snapshot.len;
	buf_free(&snapshot);
	return root;
}

static bool names_device(const json_t *root, const char *name)
{
	const json_t *devices = json_object_get(root, "devices");

	for (size_t i = 0; i < json_array_size(devices); i++)
		if (str_eq(json_string_value(json_object_get(json_array_get(devices, i), "name")),
			    name))
			return true;
	return false;
}

/* Of the finding that is the most likely root. */
static void first_device(const struct place *p, char *name, size_t size)
{
	struct replay *r = shows(p->from, INT64_MAX);
	const struct model *m = replay_model(r);
	const struct finding *const *f;
	size_t n;

	f = diag_findings(replay_diag(r), &n);
	assert_true(n > 0);
	assert_true(f[0]->at.kind == REF_PORT || f[0]->at.kind == REF_DEVICE);
	(void)str_copy(name, size,
		f[0]->at.kind == REF_PORT ? model_dev_of(m, m->ports.at[f[0]->at.port])->name
					  : m->devices.at[f[0]->at.device]->name);
	replay_free(r);
}

static bool says_partial(const char *path)
{
	char *page = part_of(path, "contents.json");
	json_t *contents = json_loads(page, 0, NULL);
	bool partial = json_is_true(json_object_get(contents, "snapshot_partial"));

	json_decref(contents);
	free(page);
	return partial;
}

/*
 * A fabric too large for one document keeps the devices of findings, then the first few, then
 * none.
 */
CASE_WITH(test_as_much_as_fits, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	size_t all, n, before, size;
	json_t *root = devices_within(&o, 0, &size);
	char first[NAME_MAX_LEN];

	first_device(p, first, sizeof(first));
	all = before = json_array_size(json_object_get(root, "devices"));
	json_decref(root);
	assert_true(all > 1);
	assert_false(says_partial(p->to));
	while (before) {
		delete (p->to);
		root = devices_within(&o, size - 1, &size);
		n = json_array_size(json_object_get(root, "devices"));
		assert_true(n < before);
		assert_true(n == 0 || names_device(root, first));
		json_decref(root);
		assert_true(says_partial(p->to));
		before = n;
	}
}

CASE_WITH(test_not_even_nobody_fits, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	struct err err = {0};

	o.snapshot_max = 100;
	assert_false(bundle_write(&o, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_string_equal(err.origin, "snapshot.json");
	assert_int_equal(access(p->to, F_OK), -1);
}

CASE_WITH(test_never_over_a_file, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	struct err err = {0};
	FILE *f = fopen(p->to, "w");
	char text[16] = "";

	assert_non_null(f);
	assert_true(fputs("mine", f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_false(bundle_write(&o, &err));
	assert_int_equal(err.code, ERR_IO);
	f = fopen(p->to, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, "mine");
	assert_int_equal(each_file(p->dir, NULL), 2);
}

CASE_WITH(test_no_recording, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	struct err err = {0};

	o.from = "/nowhere/shift.rts";
	assert_false(bundle_write(&o, &err));
	assert_true(err.code != ERR_NONE && err.text[0]);
	assert_int_equal(each_file(p->dir, NULL), 1);
}

/* In a process of its own that may write only this number of bytes: as on a full disk. */
static bool writes_within(const struct bundle_opts *o, rlim_t bytes)
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct rlimit limit = {bytes, bytes};

		(void)signal(SIGXFSZ, SIG_IGN);
		(void)setrlimit(RLIMIT_FSIZE, &limit);
		_exit(bundle_write(o, NULL) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) == 0;
}

CASE_WITH(test_full_disk, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	unsigned failed = 0;

	for (rlim_t bytes = 0; bytes < 4 << 20; bytes = bytes ? bytes * 3 / 2 : 1024) {
		if (writes_within(&o, bytes)) {
			replay_free(shows(p->to, INT64_MAX));
			(void)unlink(p->to);
		} else {
			failed++;
			if (access(p->to, F_OK) == 0)
				fail_msg("half a file with %llu bytes", (unsigned long long)bytes);
		}
		assert_int_equal(each_file(p->dir, NULL), 1);
	}
	assert_true(failed > 5);
	replay_free(shows(p->from, INT64_MAX));
}

static int64_t how_long(const struct bundle_opts *o)
{
	struct timespec a, b;

	(void)clock_gettime(CLOCK_MONOTONIC, &a);
	writes(o);
	(void)clock_gettime(CLOCK_MONOTONIC, &b);
	(void)unlink(o->to);
	return (b.tv_sec - a.tv_sec) * INT64_C(1000000) + (b.tv_nsec - a.tv_nsec) / 1000;
}

static void killed_after(const struct bundle_opts *o, int64_t us)
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
		struct itimerspec when = {
			.it_value = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 + 1}};
		timer_t timer;

		if (timer_create(CLOCK_MONOTONIC, &how, &timer) != 0 ||
			timer_settime(timer, 0, &when, NULL) != 0)
			_exit(2);
		_exit(bundle_write(o, NULL) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
}

CASE_WITH(test_killed, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	int64_t whole = how_long(&o);
	unsigned there = 0;
	uint64_t seed = 4711;

	for (unsigned i = 0; i < KILLS; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
		killed_after(&o, (int64_t)((seed >> 33) % (uint64_t)(whole + whole / 8)));
		if (access(p->to, F_OK) != 0)
			continue;
		there++;
		replay_free(shows(p->to, INT64_MAX));
		(void)unlink(p->to);
	}
	assert_true(there < KILLS);
	/* The next writer removes their leftovers. */
	writes(&o);
	assert_int_equal(each_file(p->dir, NULL), 2);
	replay_free(shows(p->from, INT64_MAX));
}

/* ---- names ---- */

static void absent(const char *where, const void *bytes, size_t n)
{
	char *small = mem_alloc(n + 1);

	for (size_t i = 0; i < n; i++) {
		char c = ((const char *)bytes)[i];

		small[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
	}
	for (size_t i = 0; recorded_originals[i]; i++) {
		char word[64];
		const char *at;

		(void)str_copy(word, sizeof(word), recorded_originals[i]);
		for (char *p = word; *p; p++)
			*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
		at = memmem(small, n, word, strlen(word));
		if (at) {
			size_t from = (size_t)(at - small) > 60 ? (size_t)(at - small) - 60 : 0;
			char shown[160];

			(void)str_sanitise(shown, sizeof(shown), small + from,
				n - from < 150 ? n - from : 150);
			fail_msg("%s has \"%s\": %s", where, recorded_originals[i], shown);
		}
	}
	free(small);
}

static void absent_from_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *bytes = mem_alloc(64 << 20);
	size_t n;

	assert_non_null(f);
	n = fread(bytes, 1, 64 << 20, f);
	assert_int_equal(fclose(f), 0);
	absent(path, bytes, n);
	free(bytes);
}

static void absent_from_blobs(const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	char *bytes = mem_alloc(64 << 20);
	unsigned n = 0;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT id, bytes FROM blob", -1, &st, NULL), SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW) {
		char where[64];
		size_t got = ZSTD_decompress(bytes, 64 << 20, sqlite3_column_blob(st, 1),
			(size_t)sqlite3_column_bytes(st, 1));

		assert_false(ZSTD_isError(got));
		(void)str_printf(where, sizeof(where), "blob %d", sqlite3_column_int(st, 0));
		absent(where, bytes, got);
		n++;
	}
	assert_true(n > 10);
	sqlite3_finalize(st);
	(void)sqlite3_close(db);
	free(bytes);
}

CASE_WITH(test_no_name, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);

	o.redact = true;
	o.last_us = 6 * RECORDED_STEP;
	writes(&o);
	absent_from_file(p->to);
	absent_from_blobs(p->to);
}

/* A snapshot is a recording, too. A part of it can be passed on, and is marked as one. */
CASE_WITH(test_of_a_snapshot, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	char again[160], *contents;

	o.redact = true;
	writes(&o);
	(void)str_printf(again, sizeof(again), "%s/again.rts", p->dir);
	o.from = p->to;
	o.to = again;
	o.redact = false;
	writes(&o);
	replay_free(shows(again, INT64_MAX));
	contents = part_of(again, "contents.json");
	assert_non_null(strstr(contents, "\"redacted\": true"));
	free(contents);
}

/* Equal ones may stand in another order: it is by their keys, which are made of names. */
static void same_finding(const struct finding *f, const struct finding *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i]->id == f->id && list[i]->severity == f->severity &&
			list[i]->role == f->role && list[i]->at.kind == f->at.kind &&
			list[i]->at.device == f->at.device && list[i]->at.port == f->at.port &&
			list[i]->first_seen_us == f->first_seen_us &&
			list[i]->gpus_blocked == f->gpus_blocked &&
			(f->at.kind == REF_BGP || list[i]->key == f->key))
			return;
	fail_msg("%s is not there any more: %s", finding_info[f->id].name, f->title);
}

/* The findings are the same, except for the names. */
CASE_WITH(test_same_findings, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	char *redactions;

	o.redact = true;
	o.last_us = 6 * RECORDED_STEP;
	writes(&o);
	for (unsigned poll = POLLS - 6; poll < POLLS; poll++) {
		struct replay *a = shows(p->from, RECORDED_T0 + poll * RECORDED_STEP);
		struct replay *b = shows(p->to, RECORDED_T0 + poll * RECORDED_STEP);
		size_t n, k;
		const struct finding *const *x = diag_findings(replay_diag(a), &n);
		const struct finding *const *y = diag_findings(replay_diag(b), &k);

		assert_int_equal(replay_now(a), replay_now(b));
		assert_int_equal(n, k);
		assert_true(n > 0);
		for (size_t i = 0; i < n; i++)
			same_finding(x[i], y, n);
		assert_int_equal(replay_model(a)->devices.n, replay_model(b)->devices.n);
		assert_int_equal(replay_model(a)->ports.n, replay_model(b)->ports.n);
		assert_int_equal(replay_model(a)->links.n, replay_model(b)->links.n);
		replay_free(a);
		replay_free(b);
	}
	redactions = part_of(p->to, "redactions.json");
	assert_non_null(strstr(redactions, "hash chain"));
	free(redactions);
}

CASE_WITH(test_redacted_documents, setup, teardown)
{
	const struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	struct buf text;

	buf_init(&text, 1 << 20);
	o.redact = true;
	o.to = NULL;
	o.text = &text;
	writes(&o);
	absent("the page", text.data, text.len);
	assert_non_null(strstr(text.data, "(names are replaced)"));
	assert_non_null(strstr(text.data, "leaf-0001:Ethernet0"));
	assert_int_equal(each_file(p->dir, NULL), 1);
	buf_free(&text);
}

/* The ticket names the file that it is in: after a device, as people do. */
CASE_WITH(test_redacted_file_name, setup, teardown)
{
	struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	struct buf text;

	(void)str_printf(p->to, sizeof(p->to), "%s/tor-frankfurt-r3-a07.rts", p->dir);
	buf_init(&text, 1 << 20);
	o.redact = true;
	o.to = p->to;
	o.text = &text;
	writes(&o);
	absent("the page", text.data, text.len);
	absent_from_file(p->to);
	absent_from_blobs(p->to);
	buf_free(&text);
}

static json_t *steps_of(const char *path)
{
	char *text = part_of(path, "runbook.json");
	json_t *root = json_loads(text, 0, NULL);

	free(text);
	assert_true(json_is_array(root));
	return root;
}

/* The trail walked on the recording follows the recorded trail, once, without later entries. */
CASE_WITH(test_walked_on_it, setup, teardown)
{
	struct place *p = *state;
	struct bundle_opts o = opts_of(p);
	struct replay *r = shows(p->from, INT64_MAX);
	runbook_log walked = {0};
	struct runbook_log_entry e;
	json_t *was, *is;
	const json_t *last;
	size_t n;

	writes(&o);
	was = steps_of(p->to);
	n = json_array_size(was);
	assert_true(n > 0 && replay_trail(r)->n > 0);
	e = replay_trail(r)->at[0];
	vec_push(&walked, e);
	(void)str_copy(e.step, sizeof(e.step), "peer");
	e.t_us = replay_now(r) + 1;
	vec_push(&walked, e);
	e.t_us = replay_now(r);
	(void)str_copy(e.note, sizeof(e.note), "the next morning");
	vec_push(&walked, e);
	replay_free(r);
	o.trail = &walked;
	for (int redacted = 0; redacted < 2; redacted++) {
		assert_int_equal(unlink(p->to), 0);
		o.redact = redacted;
		writes(&o);
		is = steps_of(p->to);
		assert_int_equal(json_array_size(is), n + 1);
		last = json_array_get(is, n);
		assert_string_equal(
			json_string_value(json_object_get(last, "note")), "the next morning");
		assert_int_equal(redacted, strcmp(json_string_value(json_object_get(last, "user")),
						   "mallory.oconnor") != 0);
		json_decref(is);
	}
	json_decref(was);
	vec_free(&walked);
}

CASE(test_name)
{
	char name[64];

	bundle_name(INT64_C(1700000000) * 1000000, name, sizeof(name));
	assert_string_equal(name, "incident-20231114T221320Z.rts");
}

CASES_MAIN(NULL, NULL)
