/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "actions/kinds/action.h"
#include "actions/ledger/ledger_file.h"
#include "base/str.h"

/* The facts that guards need, from the end of the ledger. */

#define VERIFY   "check it: railtop ledger verify"
#define HOUR_US  (INT64_C(3600) * CLOCK_SEC)
#define ROOM_MIN ((uint64_t)1024 * 1024) /* one action's lines with a reserve */

struct gathering {
	const struct who *who;
	const char *device, *port, *hash;
	int64_t now_us;
	struct ledger_facts *out;
	struct open_acts *acts;
	struct ledger_mark last; /* the last mark of the chain; n 0: none yet */
	bool torn;
};

/* Guards show these texts, and any account with write access may have put control characters in. */
static void copy_sanitised(char *dst, size_t size, const char *text)
{
	(void)str_sanitise(dst, size, text, strlen(text));
}

static void last_begun(int64_t *us, char by[32], int64_t t_us, const char *person)
{
	if (t_us < *us)
		return;
	*us = t_us;
	copy_sanitised(by, 32, person);
}

static void add_begun(struct gathering *g, const json_t *line)
{
	const struct action_ops *action = action_by_name(member_text(line, "action"));
	const char *person = person_of(member_text(line, "user"), member_text(line, "via"));
	struct ledger_facts *f = g->out;
	int64_t t_us;

	if ((action && action->harmless) || !ledger_time_parse(member_text(line, "t"), &t_us))
		return;
	/*
	 * A time ahead of the clock counts as well: a clock that was set back must allow no extra
	 * action.
	 */
	if (t_us > g->now_us - HOUR_US &&
		strcmp(person, person_of(g->who->user, g->who->via)) == 0) {
		f->users_last_hour++;
		if (!f->users_oldest_us || t_us < f->users_oldest_us)
			f->users_oldest_us = t_us;
	}
	if (!g->device || strcmp(member_text(line, "device"), g->device) != 0)
		return;
	last_begun(&f->device_us, f->device_by, t_us, person);
	if (!g->port || strcmp(member_text(line, "port"), g->port) != 0)
		return;
	last_begun(&f->port_us, f->port_by, t_us, person);
	copy_sanitised(f->port_action, sizeof(f->port_action), member_text(line, "action"));
}

static void add_approved(struct gathering *g, const json_t *line)
{
	struct ledger_facts *f = g->out;
	const char *approved = member_text(line, "approved");
	int64_t t_us;

	if (!g->hash || strcmp(member_text(line, "detail_hash"), g->hash) != 0 ||
		!member_text(line, "approver")[0])
		return;
	if (!ledger_time_parse(approved[0] ? approved : member_text(line, "t"), &t_us) ||
		t_us < f->approved_us)
		return;
	f->approved_us = t_us;
}

/* Whether a line is of event e, without parsing all of it: only number and time stand before. */
static bool is_event(const char *line, size_t len, enum ledger_event e)
{
	static const char member[] = "\"event\":\"";
	const char *name = ledger_event_name(e);
	const char *at = memmem(line, len < 80 ? len : 80, member, sizeof(member) - 1);
	size_t n = strlen(name);

	if (!at)
		return false;
	at += sizeof(member) - 1;
	return (size_t)(line + len - at) > n && memcmp(at, name, n) == 0 && at[n] == '"';
}

static bool of_acts(const char *line, size_t len)
{
	static const enum ledger_event events[] = {
		LEDGER_BEGUN, LEDGER_DONE, LEDGER_FAILED, LEDGER_UNKNOWN, LEDGER_SETTLED};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (is_event(line, len, events[i]))
			return true;
	}
	return false;
}

/* Adds one line to the facts. False: the chain breaks here. */
static bool follow_line(struct gathering *g, const char *line, size_t len)
{
	struct ledger_mark self;
	char prev[65];
	json_t *o;

	switch (ledger_shape_of(line, len, &self, prev)) {
	case SHAPE_FRAGMENT:
		g->torn = true;
		return true;
	case SHAPE_ALTERED:
		return false;
	case SHAPE_LINE:
		break;
	}
	if (g->last.n && (self.n != g->last.n + 1 || strcmp(prev, g->last.hash) != 0))
		return false;
	g->last = self;
	/*
	 * After a crash the next line puts the torn piece aside; otherwise somebody altered the
	 * file.
	 */
	if (g->torn && !is_event(line, len, LEDGER_MENDED))
		return false;
	g->torn = false;
	if (!of_acts(line, len))
		return true;
	o = json_loadb(line, len, 0, NULL);
	open_acts_line(g->acts, o);
	if (is_event(line, len, LEDGER_BEGUN)) {
		add_begun(g, o);
		add_approved(g, o);
	}
	json_decref(o);
	return true;
}

static void gather_facts(struct gathering *g, int fd, const char *path, off_t size)
{
	struct ledger_scan s;
	enum scan_got got = SCAN_END;
	const char *line;
	size_t len;
	bool whole = true;

	ledger_scan_begin(&s, fd, size > LEDGER_RECENT ? size - LEDGER_RECENT : 0, size);
	while (whole && (got = ledger_scan_next(&s, &line, &len)) == SCAN_LINE)
		whole = follow_line(g, line, len);
	ledger_scan_end(&s);
	if (got == SCAN_FAILED)
		(void)err_system(&g->out->unusable, ERR_IO, path, "cannot be read", errno);
	else if (!whole || got == SCAN_LONG)
		(void)err_set(&g->out->unusable, ERR_REFUSED, path,
			"the line after %llu was altered, or some are missing",
			(unsigned long long)g->last.n);
	if (!whole || got == SCAN_LONG)
		(void)err_cure(&g->out->unusable, VERIFY);
}

/* Shortens dir to the nearest existing directory above it. */
static void find_directory(char *dir)
{
	while (access(dir, F_OK) != 0 && errno == ENOENT) {
		char *slash = strrchr(dir, '/');

		if (!slash)
			return;
		slash[slash == dir ? 1 : 0] = '\0';
		if (slash == dir)
			return;
	}
}

static void check_writable(const char *path, bool there, struct err *err)
{
	char *dir = ledger_beside(path, "");
	struct statvfs fs;
	size_t n = strlen(dir);

	if (n > 1 && dir[n - 1] == '/')
		dir[n - 1] = '\0';
	find_directory(dir);
	if (there && access(path, W_OK) != 0)
		(void)err_system(err, ERR_IO, path, "cannot be written", errno);
	else if (access(dir[0] ? dir : ".", W_OK | X_OK) != 0)
		(void)err_system(err, ERR_IO, dir, "cannot be written", errno);
	else if (statvfs(dir[0] ? dir : ".", &fs) == 0 &&
		 (uint64_t)fs.f_bavail * fs.f_frsize < ROOM_MIN)
		(void)err_set(err, ERR_IO, dir, "%llu KB are left on the disk, %llu are needed",
			(unsigned long long)((uint64_t)fs.f_bavail * fs.f_frsize / 1024),
			(unsigned long long)(ROOM_MIN / 1024));
	if (err->code != ERR_NONE)
		(void)err_cure(err, "free disk space, or name another file (actions: ledger: in "
				    "the inventory)");
	free(dir);
}

static void held_by(const char *path, struct gathering *g, struct ledger_holder *h)
{
	ledger_holder_of(path, h);
	/* A lock of this process does not refuse its own action: ledger_lock() decides. */
	if (h->text[0] && !(h->pid == g->who->pid && strcmp(h->host, g->who->host) == 0))
		(void)str_copy(g->out->held_by, sizeof(g->out->held_by), h->text);
}

static void no_ledger_yet(const char *path, struct err *err)
{
	struct ledger_mark head;
	bool there;

	if (!ledger_head_read(path, &head, &there, err) || !there || head.n == 0)
		return;
	(void)err_set(err, ERR_REFUSED, path, "is gone: the head has line %llu",
		(unsigned long long)head.n);
	(void)err_cure(err, VERIFY);
}

static void check_end(int fd, const char *path, struct err *err)
{
	struct ledger_follow tail;
	struct stat st;
	bool there;

	/* The writer updates line and head under one lock, so this reads both under one lock. */
	if (!ledger_file_lock(fd, false, path, err))
		return;
	if (fstat(fd, &st) != 0)
		(void)err_system(err, ERR_IO, path, "", errno);
	else if (ledger_tail_read(fd, path, st.st_size, &tail, err))
		(void)ledger_head_fits(fd, path, &tail, &there, err);
	ledger_file_unlock(fd);
}

void ledger_facts(const char *path, const struct who *who, const char *device, const char *port,
	const char *hash, int64_t now_us, struct ledger_facts *out)
{
	struct gathering g = {.who = who,
		.device = device,
		.port = port,
		.hash = hash,
		.now_us = now_us,
		.out = out};
	struct ledger_holder h;
	const struct open_act *a;
	off_t size = 0;
	int fd, code = 0;
	bool there;

	memset(out, 0, sizeof(*out));
	g.acts = open_acts_new();
	/* Read before the lines: an act that ends in between then counts as ended. */
	held_by(path, &g, &h);
	there = ledger_open_reading(path, &fd, &size, &code, &out->unusable);
	if (there) {
		gather_facts(&g, fd, path, size);
		if (out->unusable.code == ERR_NONE)
			check_end(fd, path, &out->unusable);
		(void)close(fd);
	} else if (code == ENOENT) {
		memset(&out->unusable, 0, sizeof(out->unusable));
		no_ledger_yet(path, &out->unusable);
	}
	if (out->unusable.code == ERR_NONE)
		check_writable(path, there, &out->unusable);
	a = open_acts_find(g.acts, device, h.host, h.text[0] ? h.pid : 0);
	if (a) {
		copy_sanitised(out->unfinished, sizeof(out->unfinished), a->act);
		copy_sanitised(out->unfinished_by, sizeof(out->unfinished_by), a->user);
	}
	open_acts_free(g.acts);
}
