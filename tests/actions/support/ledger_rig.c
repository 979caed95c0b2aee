/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/actions/support/ledger_rig.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/support/cases.h"

void rig_open(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	(void)str_copy(r->dir, sizeof(r->dir), "/tmp/railtop-ledger-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	(void)str_printf(r->path, sizeof(r->path), "%s/actions.jsonl", r->dir);
	(void)str_printf(r->head, sizeof(r->head), "%s.head", r->path);
	clock_fake_init(&r->clock, RIG_NOW);
	r->who = (struct who){.user = "ann",
		.uid = 1001,
		.tty = "pts/3",
		.from = "10.0.0.7",
		.host = "bastion",
		.pid = 4711};
}

static int drop(const char *path, const struct stat *st, int what, struct FTW *at)
{
	(void)st, (void)what, (void)at;
	return remove(path);
}

void rig_close(struct rig *r)
{
	(void)nftw(r->dir, drop, 16, FTW_DEPTH | FTW_PHYS);
}

static void keep(void *ctx, const char *line)
{
	struct rig *r = ctx;

	r->copies++;
	(void)str_copy(r->copy, sizeof(r->copy), line);
}

struct ledger *rig_ledger(struct rig *r, struct err *err)
{
	const struct ledger_opts o = {
		.path = r->path, .clock = &r->clock.clock, .copy = keep, .ctx = r};

	return ledger_open(&o, &r->who, err);
}

struct ledger *rig_ledger_ok(struct rig *r)
{
	struct err err = {0};
	struct ledger *l = rig_ledger(r, &err);

	if (!l)
		err_print(&err);
	assert_non_null(l);
	return l;
}

void rig_append(struct ledger *l, enum ledger_event e, const char *act, json_t *detail)
{
	struct err err = {0};
	bool ok = ledger_append(l, e, act, detail, &err);

	if (!ok)
		err_print(&err);
	assert_true(ok);
}

void rig_fill(struct rig *r, unsigned n)
{
	struct ledger *l = rig_ledger_ok(r);

	for (unsigned i = 1; i <= n; i++)
		rig_append(l, LEDGER_SENDING, "act-1",
			json_pack("{s:s,s:i}", "request", "ip link set eth0 down", "step", (int)i));
	ledger_close(l);
}

struct ledger_report rig_verify(struct rig *r)
{
	struct ledger_report report;
	struct err err = {0};
	bool ok = ledger_verify(r->path, &report, &err);

	if (!ok)
		err_print(&err);
	assert_true(ok);
	return report;
}

char *rig_read(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	text = calloc(1, (size_t)st.st_size + 1);
	assert_non_null(text);
	assert_int_equal(read(fd, text, (size_t)st.st_size), st.st_size);
	(void)close(fd);
	if (n)
		*n = (size_t)st.st_size;
	return text;
}

void rig_write(const char *path, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	(void)close(fd);
}

char *rig_line(char *text, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		text = strchr(text, '\n');
		assert_non_null(text);
		text++;
	}
	return text;
}
