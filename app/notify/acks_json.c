/* SPDX-License-Identifier: Apache-2.0 */
#include "app/notify/acks_json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/notify/store.h"
#include "app/sandbox/state_dir.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "base/log.h"
#include "base/private_file.h"
#include "base/regular_file.h"
#include "base/str.h"

#define FILE_BYTES ((size_t)1 << 20)
#define FILE_ACKS  1000 /* of one account */
#define FILES_MOST 256
#define NAMES_MOST 4096 /* in the folder, of any kind */
#define LOCK_TURNS 50
#define LOCK_MS    20
#define KEPT_US    (86400 * CLOCK_SEC)
#define PATH_ROOM  1200
#define SUFFIX     ".json"

/* ---- reading ---- */

static void take_text(const json_t *o, const char *name, char *dst, size_t size)
{
	const char *text = json_string_value(json_object_get(o, name));

	if (text)
		str_sanitise(dst, size, text, strlen(text));
}

static int64_t take_time(const json_t *o, const char *name)
{
	double s = json_number_value(json_object_get(o, name));

	return s > 0 && s < 1e11 ? (int64_t)(s * 1e6 + 0.5) : 0;
}

static bool read_ack(const json_t *o, struct ack *k)
{
	memset(k, 0, sizeof(*k));
	take_text(o, "fabric", k->fabric, sizeof(k->fabric));
	take_text(o, "finding", k->finding, sizeof(k->finding));
	take_text(o, "severity", k->severity, sizeof(k->severity));
	take_text(o, "user", k->user, sizeof(k->user));
	take_text(o, "note", k->note, sizeof(k->note));
	k->since_us = take_time(o, "since");
	k->until_us = take_time(o, "until");
	return k->fabric[0] && k->finding[0] && k->since_us;
}

/*
 * Takes the uid of the account from the name of its file. A file of another owner could speak in
 * anybody's name. False: it is no such name.
 */
static bool uid_of(const char *name, uid_t *uid)
{
	size_t digits = strspn(name, "0123456789");
	unsigned long n;

	if (!digits || digits > 10 || !str_eq(name + digits, SUFFIX))
		return false;
	n = strtoul(name, NULL, 10);
	*uid = (uid_t)n;
	return *uid == n;
}

/*
 * Names the account of each acknowledgement: the user in the file is only its own word.
 * /etc/passwd is read by itself, because a name service may be slow, and out of reach in the
 * sandbox.
 */
static void name_account(ack_vec *v, size_t first, uid_t uid)
{
	char scratch[4096], real[sizeof(v->at->user)] = "", said[sizeof(v->at->user)];
	struct passwd pw, *found;
	FILE *f = fopen("/etc/passwd", "re");

	while (f && !real[0] && fgetpwent_r(f, &pw, scratch, sizeof(scratch), &found) == 0)
		if (pw.pw_uid == uid)
			(void)str_copy(real, sizeof(real), pw.pw_name);
	if (f)
		(void)fclose(f);
	for (size_t i = first; i < v->n; i++) {
		struct ack *k = &v->at[i];

		(void)str_copy(said, sizeof(said), k->user);
		if (real[0])
			(void)str_copy(k->user, sizeof(k->user), real);
		else if (uid != geteuid())
			(void)str_printf(k->user, sizeof(k->user), "uid %lu%s%s%s",
				(unsigned long)uid, said[0] ? " (" : "", said, said[0] ? ")" : "");
	}
}

/* errno EPERM: it is of another account than its name says. */
static bool load_text(const char *path, uid_t uid, struct buf *text)
{
	char part[4096];
	int fd = regular_file_open(path);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) != 0 || st.st_uid != uid) {
		(void)close(fd);
		errno = EPERM;
		return false;
	}
	while ((n = read(fd, part, sizeof(part))) > 0 && buf_add(text, part, (size_t)n))
		;
	(void)close(fd);
	if (n != 0)
		errno = EINVAL;
	return n == 0;
}

static json_t *list_of(const json_t *root)
{
	json_t *list = json_object_get(root, "acknowledged");

	return json_is_array(list) &&
			       json_integer_value(json_object_get(root, "schema")) == ACKS_SCHEMA
		       ? list
		       : NULL;
}

/* fabric NULL: of all. False with errno: ENOENT: there is none; EPERM: it is of another account. */
static bool read_file(const char *path, uid_t uid, const char *fabric, ack_vec *out)
{
	struct buf text;
	json_t *root = NULL, *list;
	size_t first = out->n;
	struct ack k;
	int why = EINVAL;

	buf_init(&text, FILE_BYTES);
	errno = 0;
	if (load_text(path, uid, &text))
		root = json_loadb(text.data ? text.data : "", text.len, 0, NULL);
	else
		why = errno;
	buf_free(&text);
	list = list_of(root);
	if (!list) {
		if (why != ENOENT)
			log_line("acks", "%s: is left out: %s", path,
				why == EPERM ? "it is of another account than its name says"
					     : "damaged, or of another version");
		json_decref(root);
		errno = why;
		return false;
	}
	for (size_t i = 0; i < json_array_size(list) && i < FILE_ACKS; i++)
		if (read_ack(json_array_get(list, i), &k) && (!fabric || str_eq(k.fabric, fabric)))
			vec_push(out, k);
	json_decref(root);
	name_account(out, first, uid);
	return true;
}

/* The next file of an account; NULL: there is no more. *looked bounds a folder that others fill. */
static const char *next_file(DIR *dir, size_t *looked, size_t *files, uid_t *uid)
{
	struct dirent *e;

	while (*looked < NAMES_MOST && *files < FILES_MOST && (e = readdir(dir))) {
		++*looked;
		if (uid_of(e->d_name, uid)) {
			++*files;
			return e->d_name;
		}
	}
	return NULL;
}

void acks_read_folder(const char *folder, const char *fabric, ack_vec *out)
{
	DIR *dir = opendir(folder);
	char path[PATH_ROOM];
	size_t looked = 0, files = 0;
	const char *name;
	uid_t uid;

	if (!dir)
		return;
	while ((name = next_file(dir, &looked, &files, &uid)))
		if (str_printf(path, sizeof(path), "%s/%s", folder, name))
			(void)read_file(path, uid, fabric, out);
	(void)closedir(dir);
}

uint64_t acks_folder_stamp(const char *folder)
{
	DIR *dir = opendir(folder);
	size_t looked = 0, files = 0;
	const char *name;
	struct stat st;
	uint64_t sum = 0;
	uid_t uid;

	if (!dir)
		return 0;
	while ((name = next_file(dir, &looked, &files, &uid)))
		if (fstatat(dirfd(dir), name, &st, 0) == 0)
			sum += (uint64_t)st.st_ino * UINT64_C(0x9e3779b97f4a7c15) +
			       (uint64_t)st.st_mtim.tv_sec * 1000000007u +
			       (uint64_t)st.st_mtim.tv_nsec * 31u + (uint64_t)st.st_size + 1;
	(void)closedir(dir);
	return sum;
}

/* ---- writing ---- */

static bool is_over(const struct ack *k, int64_t now_us)
{
	int64_t end = k->until_us ? k->until_us : k->since_us;

	return end + KEPT_US < now_us;
}

static json_t *ack_json(const struct ack *k)
{
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "fabric", json_text(k->fabric),
		"finding", json_text(k->finding), "severity", k->severity, "since",
		json_number_or_null((double)k->since_us / 1e6), "until",
		json_number_or_null((double)k->until_us / 1e6), "user", json_text(k->user), "note",
		json_text(k->note));
}

static char *file_text(const ack_vec *old, const struct ack *k)
{
	json_t *list = json_array(), *root;
	size_t first = old->n >= FILE_ACKS ? old->n - FILE_ACKS + 1 : 0;
	char *text;

	for (size_t i = first; i < old->n; i++) {
		const struct ack *o = &old->at[i];

		if (!is_over(o, k->since_us) &&
			!(str_eq(o->fabric, k->fabric) && str_eq(o->finding, k->finding)))
			json_append(list, ack_json(o));
	}
	json_append(list, ack_json(k));
	root = json_pack("{s:i, s:o}", "schema", ACKS_SCHEMA, "acknowledged", list);
	text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
	json_decref(root);
	return text;
}

static bool replace_file(const char *path, const struct ack *k, struct err *err)
{
	ack_vec old = {0};
	char *text;
	bool ok;

	if (!read_file(path, geteuid(), NULL, &old) && errno != ENOENT) {
		err_set(err, ERR_CONFIG, path,
			errno == EPERM ? "belongs to another account"
				       : "is damaged, or of a newer railtop");
		return err_cure(err, "move it away");
	}
	text = file_text(&old, k);
	vec_free(&old);
	ok = text && store_replace(path, text, strlen(text), private_file_mode(path), err);
	if (!text)
		(void)err_set(err, ERR_IO, path, "no memory for it");
	free(text);
	return ok;
}

/*
 * The lock of this account's file: held for a few milliseconds, by processes of the account alone.
 * One that another account laid there could be held for ever. -1 with err.
 */
static int take_lock(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	struct stat st;

	if (fd < 0) {
		err_system(err, ERR_IO, path, "cannot be written", errno);
		return -1;
	}
	if (fstat(fd, &st) != 0 || st.st_uid != geteuid()) {
		err_set(err, ERR_IO, path, "belongs to another account");
		(void)err_cure(err, "move it away");
		(void)close(fd);
		return -1;
	}
	for (int i = 0; i < LOCK_TURNS; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		(void)poll(NULL, 0, LOCK_MS);
	}
	err_set(err, ERR_IO, path, "another railtop of this account keeps it");
	(void)err_cure(err, "try again; fuser %s names the process", path);
	(void)close(fd);
	return -1;
}

bool acks_put(const char *folder, const struct ack *k, struct err *err)
{
	char path[PATH_ROOM], lock[PATH_ROOM];
	int fd;
	bool ok;

	if (!state_dir_make(folder))
		return err_system(err, ERR_IO, folder, "cannot be made", errno);
	if (!str_printf(path, sizeof(path), "%s/%lu" SUFFIX, folder, (unsigned long)geteuid()) ||
		!str_printf(lock, sizeof(lock), "%s/%lu.lock", folder, (unsigned long)geteuid()))
		return err_set(err, ERR_CONFIG, folder, "the path is too long");
	fd = take_lock(lock, err);
	if (fd < 0)
		return false;
	ok = replace_file(path, k, err);
	(void)close(fd);
	return ok;
}
