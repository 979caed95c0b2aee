/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: a ledger. "sealed" in the first line: each line after it has the members between number
 * and hash, which are put around it here, as no fuzzer finds a SHA-256. Else the bytes as they are.
 * For any file, the shown lines are clean text, and reading it piece by piece gives the same lines
 * as at once. A ledger that is whole stays whole when a line is added.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/ledger.h"
#include "base/buf.h"
#include "base/str.h"

#define NOW (INT64_C(1763750000) * 1000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const files[] = {"actions.jsonl", "actions.jsonl.head", "actions.lock"};

static char *directory(void)
{
	static char dir[64];

	if (!dir[0]) {
		const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

		(void)str_printf(dir, sizeof(dir), "%s/fuzz-ledger-XXXXXX", memory);
		if (!mkdtemp(dir))
			abort();
	}
	return dir;
}

static void path_of(size_t i, char *path, size_t size)
{
	(void)str_printf(path, size, "%s/%s", directory(), files[i]);
}

static void put_away(void)
{
	char path[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		path_of(i, path, sizeof(path));
		(void)unlink(path);
	}
	(void)rmdir(directory());
}

static void store(size_t i, const char *bytes, size_t n)
{
	char path[128];
	FILE *f;

	path_of(i, path, sizeof(path));
	(void)unlink(path);
	if (!bytes)
		return;
	f = fopen(path, "we");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
		abort();
}

/* One line; hash: of the line before, then of this one. */
static void seal(struct buf *b, unsigned n, const char *members, size_t len, char hash[65])
{
	size_t from = b->len;

	(void)buf_addf(b, "{\"n\":%u", n);
	if (len) {
		(void)buf_adds(b, ",");
		(void)buf_add(b, members, len);
	}
	(void)buf_addf(b, ",\"prev\":\"%s\"", hash);
	sha256_hex(b->data + from, b->len - from, hash);
	(void)buf_addf(b, ",\"hash\":\"%s\"}\n", hash);
}

static void sealed(const char *p, const char *end, struct buf *b)
{
	char hash[65], head[100];
	unsigned n = 0;

	memset(hash, '0', 64);
	hash[64] = '\0';
	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		seal(b, ++n, p, (size_t)((stop ? stop : end) - p), hash);
		p = stop ? stop + 1 : end;
	}
	(void)str_printf(head, sizeof(head), "%u %s\n", n, hash);
	store(1, head, strlen(head));
}

static void clean(const char *s, size_t size)
{
	if (strnlen(s, size) == size)
		abort();
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			abort();
}

static void check_lines(const ledger_line_vec *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct ledger_line *l = &v->at[i];

		if ((unsigned)l->event >= LEDGER_EVENT_COUNT)
			abort();
		clean(l->act, sizeof(l->act));
		clean(l->action, sizeof(l->action));
		clean(l->user, sizeof(l->user));
		clean(l->from, sizeof(l->from));
		clean(l->tty, sizeof(l->tty));
		clean(l->device, sizeof(l->device));
		clean(l->port, sizeof(l->port));
		clean(l->incident, sizeof(l->incident));
		clean(l->text, sizeof(l->text));
	}
}

/* The same file in two pieces, as a viewer sees it grow. */
static void check_pieces(const char *path, const struct buf *b, const ledger_line_vec *all)
{
	struct ledger_reader *r = ledger_reader_new(path, 0);
	ledger_line_vec v = {0};
	struct err err = {0};
	bool anew = false, ok;

	store(0, "", 0);
	ok = ledger_reader_next(r, &v, &anew, &err);
	for (int piece = 1; ok && piece <= 2; piece++) {
		size_t from = piece == 1 ? 0 : b->len / 2, to = piece == 1 ? b->len / 2 : b->len;
		FILE *f = fopen(path, "ae");

		if (!f || fwrite(b->data + from, 1, to - from, f) != to - from || fclose(f) != 0)
			abort();
		ok = ledger_reader_next(r, &v, &anew, &err);
	}
	check_lines(&v);
	if (ok && v.n != all->n)
		abort();
	vec_free(&v);
	ledger_reader_free(r);
}

static bool whole(const char *path, struct ledger_report *report)
{
	struct err err = {0};

	return ledger_verify(path, report, &err) && !report->bad_line && !report->why[0];
}

static void nowhere(void *ctx, const char *line)
{
	(void)ctx;
	clean(line, 4096);
}

/* A whole ledger stays so, and has one line more. */
static void check_added(const char *path, const struct who *who)
{
	struct ledger_opts o = {.path = path, .copy = nowhere};
	struct ledger_report before, after;
	struct err err = {0};
	bool ok = whole(path, &before);
	struct ledger *l = ledger_open(&o, who, &err);

	if (ok && !l)
		abort();
	if (l && !ledger_append(l, LEDGER_SETTLED, "a-1", json_pack("{s:s}", "reason", "x"), &err))
		abort();
	ledger_close(l);
	if (ok && (!whole(path, &after) || after.lines <= before.lines))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char word[] = "sealed\n";
	const char *p = (const char *)data;
	struct who who = {.user = "ann", .uid = 1001, .host = "bastion", .pid = 4711};
	ledger_line_vec v = {0};
	struct ledger_facts facts;
	struct err err = {0};
	struct buf b;
	char path[128];

	if (!*directory())
		abort();
	static bool once;
	if (!once)
		(void)atexit(put_away);
	once = true;
	path_of(0, path, sizeof(path));
	buf_init(&b, (size_t)8 << 20);
	store(1, NULL, 0);
	(void)buf_adds(&b, ""); /* it is never NULL then */
	if (size >= sizeof(word) - 1 && memcmp(p, word, sizeof(word) - 1) == 0)
		sealed(p + sizeof(word) - 1, p + size, &b);
	else if (size)
		(void)buf_add(&b, p, size);
	store(0, b.data, b.len);
	if (ledger_read(path, 0, 0, &v, &err)) {
		check_lines(&v);
		check_pieces(path, &b, &v);
	}
	vec_free(&v);
	ledger_facts(path, &who, "leaf-r0-00", "Ethernet12", NULL, NOW, &facts);
	clean(facts.unfinished, sizeof(facts.unfinished));
	clean(facts.unfinished_by, sizeof(facts.unfinished_by));
	clean(facts.device_by, sizeof(facts.device_by));
	clean(facts.port_action, sizeof(facts.port_action));
	check_added(path, &who);
	buf_free(&b);
	return 0;
}
