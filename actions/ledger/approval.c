/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Four eyes: approvals of a plan's hash, written by another account. The owner of the file counts.
 */

#define APPROVAL_MAX  ((size_t)16 * 1024)
#define APPROVALS_MAX 32 /* limit for one plan */
/* The allowed clock difference between two machines that share the directory. */
#define AHEAD_US (INT64_C(120) * CLOCK_SEC)

static char *in_directory(const char *dir, const char *name)
{
	size_t size = strlen(dir) + 1 + strlen(name) + 1;
	char *s = mem_alloc(size);

	(void)str_printf(s, size, "%s/%s", dir, name);
	return s;
}

static char *file_of(const char *dir, const char *hash, const char *ending, struct err *err)
{
	char name[64 + 40];

	/* The hash becomes a part of a file name. */
	if (strlen(hash) != 64 || !ledger_is_hex(hash, 64)) {
		(void)err_set(err, ERR_USAGE, "approval", "the hash is not a hash of a plan");
		(void)err_cure(err, "copy it from the plan: 64 hex digits");
		return NULL;
	}
	(void)str_printf(name, sizeof(name), "%s%s", hash, ending);
	return in_directory(dir, name);
}

/* Whether no other account can replace one account's file. */
static bool directory_fits(const char *dir, struct err *err)
{
	struct stat st;

	if (lstat(dir, &st) != 0)
		return err_system(err, ERR_REFUSED, dir, "", errno);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_REFUSED, dir, "is not a directory");
	if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX)) {
		(void)err_set(err, ERR_REFUSED, dir,
			"other users can replace files in it (mode %04o)",
			(unsigned)(st.st_mode & 07777));
		return err_cure(err, "chmod +t %s", dir);
	}
	return true;
}

static bool make_directory(const char *dir, struct err *err)
{
	char *above = ledger_beside(dir, ".");
	struct stat st;
	bool ok = ledger_directories(dir, err);

	if (ok && stat(above, &st) == 0 && mkdir(dir, 0700) == 0)
		/*
		 * Everybody with write access around it can add files, but replace only their own.
		 */
		(void)chmod(dir, (st.st_mode & (S_ISGID | 0777)) | S_ISVTX);
	free(above);
	return ok && directory_fits(dir, err);
}

static json_t *load_json(const char *path, size_t most, struct stat *st, int *code, struct err *err)
{
	json_t *o = NULL;
	char *text;
	int fd;

	if (!ledger_file_open(path, O_RDONLY, 0, &fd, st, code, err))
		return NULL;
	if (st->st_size > 0 && (size_t)st->st_size <= most) {
		text = mem_alloc((size_t)st->st_size);
		if (ledger_file_pread(fd, text, (size_t)st->st_size, 0))
			o = json_loadb(text, (size_t)st->st_size, 0, NULL);
		free(text);
	}
	(void)close(fd);
	if (!json_is_object(o)) {
		(void)err_set(err, ERR_REFUSED, path, "has an unexpected content");
		json_decref(o);
		return NULL;
	}
	return o;
}

static bool store_json(const char *path, json_t *o, int64_t t_us, struct err *err)
{
	char *text = json_dumps(o, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	bool ok = text ? ledger_file_replace(path, text, strlen(text), 0644, t_us, err)
		       : err_set(err, ERR_INTERNAL, path, "cannot be written as JSON");

	free(text);
	return ok;
}

bool approval_offer(const char *dir, const char *hash, json_t *plan, struct err *err)
{
	char *path = file_of(dir, hash, ".plan", err);
	struct err why = {0};
	struct stat st;
	json_t *clean = ledger_clean(plan);
	bool ok = path && make_directory(dir, err);

	/* An existing offer of the same hash by another user is an offer of the same plan. */
	if (ok && !store_json(path, clean, 0, &why) &&
		(lstat(path, &st) != 0 || !S_ISREG(st.st_mode))) {
		ok = false;
		if (err)
			*err = why;
	}
	json_decref(clean);
	json_decref(plan);
	free(path);
	return ok;
}

static json_t *load_offer(const char *dir, const char *hash, struct stat *st, struct err *err)
{
	char *path = file_of(dir, hash, ".plan", err);
	json_t *o = NULL;
	const char *own;
	int code = 0;

	if (path && directory_fits(dir, err))
		o = load_json(path, LEDGER_LINE_MAX * 2, st, &code, err);
	if (!o && code == ENOENT) {
		(void)err_set(err, ERR_REFUSED, "approval",
			"no plan with the hash %.12s... is "
			"offered in %s",
			hash, dir);
		(void)err_cure(
			err, "the operator of the action plans it first; the plan shows the hash");
	}
	own = member_text(o, "hash");
	if (o && own[0] && strcmp(own, hash) != 0) {
		(void)err_set(err, ERR_REFUSED, path, "is a plan with another hash");
		json_decref(o);
		o = NULL;
	}
	free(path);
	return o;
}

json_t *approval_plan(const char *dir, const char *hash, struct err *err)
{
	struct stat st;

	return load_offer(dir, hash, &st, err);
}

static bool own_plan(const struct who *who, const struct stat *plan, struct err *err)
{
	/* All operators who became root have uid 0: approval_found() tells them apart by login. */
	if (plan->st_uid != who->uid || who->uid == 0)
		return false;
	(void)err_set(err, ERR_REFUSED, "approval",
		"%s planned it: another operator has to approve", who->user);
	(void)err_cure(err, "ask a colleague to run `railtop approve` from an own account");
	return true;
}

/* Four eyes need two persons, and root of which no login is known is none. */
static bool identified(const struct who *who, const char *verb, struct err *err)
{
	if (who_is_known(who))
		return true;
	(void)err_set(err, ERR_REFUSED, "approval", "root does not identify an operator");
	return err_cure(err,
		"%s from your own account, or by sudo in a session that you logged in to", verb);
}

bool approval_give(const char *dir, const char *hash, const struct who *who, const struct clock *c,
	struct err *err)
{
	int64_t now_us = clock_wall(c ? c : &clock_system);
	struct stat plan;
	json_t *o = load_offer(dir, hash, &plan, err);
	char t[40], *path;
	bool ok;

	if (!o)
		return false;
	json_decref(o);
	if (own_plan(who, &plan, err))
		return false;
	if (!identified(who, "approve", err))
		return false;
	ledger_time_format(now_us, t, sizeof(t));
	o = json_pack("{s:s,s:s,s:I}", "hash", hash, "t", t, "uid", (json_int_t)who->uid);
	json_put(o, "user", ledger_text(who->user, strlen(who->user)));
	json_put(o, "via", ledger_text(who->via, strlen(who->via)));
	json_put(o, "tty", ledger_text(who->tty, strlen(who->tty)));
	json_put(o, "from", ledger_text(who->from, strlen(who->from)));
	json_put(o, "host", ledger_text(who->host, strlen(who->host)));
	path = file_of(dir, hash, ".json", err);
	ok = store_json(path, o, now_us, err);
	if (!ok && access(path, F_OK) == 0) {
		/*
		 * The approval of another account, perhaps of last month: we must not replace it.
		 */
		char other[40];

		free(path);
		(void)str_printf(other, sizeof(other), ".%lu.json", (unsigned long)who->uid);
		path = file_of(dir, hash, other, err);
		ok = store_json(path, o, now_us, err);
	}
	json_decref(o);
	free(path);
	return ok;
}

static void account_of(uid_t uid, char *dst, size_t size)
{
	struct passwd pw, *found = NULL;
	char room[16384];

	if (getpwuid_r(uid, &pw, room, sizeof(room), &found) == 0 && found)
		(void)str_sanitise(dst, size, found->pw_name, strlen(found->pw_name));
	else
		(void)str_printf(dst, size, "uid%lu", (unsigned long)uid);
}

/*
 * Finds the approver: the owner of the file, or the account that logged in before sudo or su. An
 * owner that names another account gains nothing: same_person() looks at both.
 */
static bool find_approver(
	const json_t *o, const struct stat *st, char *by, size_t size, struct err *why)
{
	const char *via = member_text(o, "via");

	account_of(st->st_uid, by, size);
	if (st->st_uid == 0 && !via[0])
		return err_set(why, ERR_REFUSED, "approval",
			"root approved it, and root does not identify an operator");
	if (via[0] && (uid_t)json_integer_value(json_object_get(o, "uid")) == st->st_uid)
		(void)str_sanitise(by, size, via, strlen(via));
	return true;
}

static bool same_person(const struct who *who, uid_t owner, const char *by)
{
	char owned[32];

	account_of(owner, owned, sizeof(owned));
	return (owner != 0 && owner == who->uid) ||
	       strcmp(by, person_of(who->user, who->via)) == 0 ||
	       (owner != 0 && strcmp(owned, person_of(who->user, who->via)) == 0);
}

static bool in_time(int64_t t_us, int64_t now_us, const char *by, struct err *why)
{
	char hms[16];

	clock_format_hms(t_us, hms, sizeof(hms));
	if (t_us > now_us + AHEAD_US)
		return err_set(why, ERR_REFUSED, "approval",
			"%s approved it at %s UTC, which is in the future: clocks differ", by, hms);
	if (now_us - t_us > ACTIONS_APPROVED_US)
		return err_set(why, ERR_REFUSED, "approval",
			"%s approved it at %s UTC; an approval expires after %d minutes", by, hms,
			(int)(ACTIONS_APPROVED_US / CLOCK_SEC / 60));
	return true;
}

static bool approval_counts(const json_t *o, const struct stat *st, const char *path,
	const char *hash, const struct who *who, int64_t now_us, int64_t used_us,
	struct approval *out, struct err *why)
{
	int64_t written = (int64_t)st->st_mtim.tv_sec * CLOCK_SEC + st->st_mtim.tv_nsec / 1000;
	char *by = out->by;
	size_t size = sizeof(out->by);

	if (st->st_nlink != 1 || (st->st_mode & S_IWGRP))
		return err_set(why, ERR_REFUSED, path,
			"other users can change it, or it has a second name");
	if (strcmp(member_text(o, "hash"), hash) != 0 ||
		!ledger_time_parse(member_text(o, "t"), &out->t_us))
		return err_set(why, ERR_REFUSED, path, "is not an approval of this plan");
	if (!find_approver(o, st, by, size, why))
		return false;
	if (same_person(who, st->st_uid, by))
		return err_set(why, ERR_REFUSED, "approval",
			"%s approved it, and is also its operator", by);
	if (out->t_us <= used_us)
		return err_set(why, ERR_REFUSED, "approval",
			"the approval of %s has begun an act already: each is for one act", by);
	return in_time(out->t_us, now_us, by, why) && in_time(written, now_us, by, why);
}

/*
 * Whether the file is an approval of hash: HASH.json, or HASH.UID.json where HASH.json was taken.
 */
static bool is_approval(const char *name, const char *hash)
{
	size_t n = strlen(name);

	return strncmp(name, hash, 64) == 0 && n > 64 && name[64] == '.' &&
	       strcmp(name + n - 5, ".json") == 0;
}

static bool one_counts(const char *dir, const char *name, const char *hash, const struct who *who,
	int64_t now_us, int64_t used_us, struct approval *out, struct err *why)
{
	char *path = in_directory(dir, name);
	struct stat st;
	json_t *o;
	int code;
	bool ok;

	o = load_json(path, APPROVAL_MAX, &st, &code, why);
	ok = o && approval_counts(o, &st, path, hash, who, now_us, used_us, out, why);
	json_decref(o);
	free(path);
	return ok;
}

bool approval_found(const char *dir, const char *hash, const struct who *who, int64_t now_us,
	int64_t used_us, struct approval *out, struct err *why)
{
	char *path = file_of(dir, hash, ".json", why);
	struct approval one = {0};
	bool ok = false;
	int seen = 0;
	DIR *d;

	free(path);
	memset(out, 0, sizeof(*out));
	if (!path || !identified(who, "act", why))
		return false;
	d = opendir(dir);
	(void)err_set(why, ERR_REFUSED, "approval", "no other operator has approved this plan");
	if (d && directory_fits(dir, why)) {
		for (struct dirent *e = readdir(d); e && !ok && seen < APPROVALS_MAX;
			e = readdir(d)) {
			if (!is_approval(e->d_name, hash))
				continue;
			seen++;
			ok = one_counts(dir, e->d_name, hash, who, now_us, used_us, &one, why);
		}
	}
	if (d)
		(void)closedir(d);
	if (ok)
		*out = one;
	else
		(void)err_cure(
			why, "another operator, from an own account: railtop approve %s", hash);
	return ok;
}
