/* SPDX-License-Identifier: Apache-2.0 */
#include "app/notify/acks_json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
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

static bool load_text(const char *path, struct buf *text)
{
	char part[4096];
	int fd = regular_file_open(path);
	ssize_t n = -1;

	if (fd < 0)
		return false;
	while ((n = read(fd, part, sizeof(part))) > 0 && buf_add(text, part, (size_t)n))
		;
	(void)close(fd);
	return n == 0;
}

/* fabric NULL: of all. False with errno ENOENT: there is none. */
static bool read_file(const char *path, const char *fabric, ack_vec *out)
{
	struct buf text;
	json_t *root = NULL, *list;
	struct ack k;
	bool ok;

	buf_init(&text, FILE_BYTES);
	errno = 0;
	ok = load_text(path, &text);
	if (!ok && errno == ENOENT) {
		buf_free(&text);
		return false;
	}
	if (ok)
		root = json_loadb(text.data ? text.data : "", text.len, 0, NULL);
	buf_free(&text);
	list = json_object_get(root, "acknowledged");
	if (!json_is_array(list) ||
		json_integer_value(json_object_get(root, "schema")) != ACKS_SCHEMA) {
		log_line("acks", "%s: is left out: damaged, or of another version", path);
		json_decref(root);
		errno = EINVAL;
		return false;
	}
	for (size_t i = 0; i < json_array_size(list) && i < FILE_ACKS; i++)
		if (read_ack(json_array_get(list, i), &k) && (!fabric || str_eq(k.fabric, fabric)))
			vec_push(out, k);
	json_decref(root);
	return true;
}

static bool is_ours(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && digits <= 10 && str_eq(name + digits, SUFFIX);
}

void acks_read_folder(const char *folder, const char *fabric, ack_vec *out)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	char path[PATH_ROOM];
	size_t files = 0;

	if (!dir)
		return;
	while ((e = readdir(dir)) && files < FILES_MOST)
		if (is_ours(e->d_name) &&
			str_printf(path, sizeof(path), "%s/%s", folder, e->d_name) && ++files)
			(void)read_file(path, fabric, out);
	(void)closedir(dir);
}

uint64_t acks_folder_stamp(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	struct stat st;
	uint64_t sum = 0;

	if (!dir)
		return 0;
	while ((e = readdir(dir)))
		if (is_ours(e->d_name) && fstatat(dirfd(dir), e->d_name, &st, 0) == 0)
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

	if (!read_file(path, NULL, &old) && errno != ENOENT) {
		err_set(err, ERR_CONFIG, path, "is damaged, or of a newer railtop");
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
	fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		return err_system(err, ERR_IO, lock, "cannot be written", errno);
	/* Held for a few milliseconds, by processes of this account alone. */
	(void)flock(fd, LOCK_EX);
	ok = replace_file(path, k, err);
	(void)close(fd);
	return ok;
}
