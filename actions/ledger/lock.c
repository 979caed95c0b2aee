/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * The right to act: the kernel's lock on a file beside the ledger; it ends with the holder's
 * process. The file's content names the holder for refused processes. Reading it does not take the
 * lock.
 */

#define CONTENT_MAX 2048

static void copy_sanitised(char *dst, size_t size, const char *src)
{
	(void)str_sanitise(dst, size, src, strlen(src));
}

static void holder_parse(const char *text, size_t n, struct ledger_holder *out)
{
	json_t *o = json_loadb(text, n, JSON_DISABLE_EOF_CHECK, NULL);
	char user[32], what[64], from[64], hms[16] = "";
	int64_t t_us;

	copy_sanitised(
		user, sizeof(user), person_of(member_text(o, "user"), member_text(o, "via")));
	copy_sanitised(what, sizeof(what), member_text(o, "what"));
	copy_sanitised(
		from, sizeof(from), member_text(o, member_text(o, "tty")[0] ? "tty" : "host"));
	copy_sanitised(out->host, sizeof(out->host), member_text(o, "host"));
	out->pid = (long)json_integer_value(json_object_get(o, "pid"));
	if (ledger_time_parse(member_text(o, "since"), &t_us))
		clock_format_hms(t_us, hms, sizeof(hms));
	(void)str_printf(out->text, sizeof(out->text), "%s%s%s%s%s%s%s%s",
		user[0] ? user : "another process", from[0] ? " on " : "", from,
		hms[0] ? " since " : "", hms, hms[0] ? " UTC" : "", what[0] ? ": " : "", what);
	json_decref(o);
}

static void holder_read(int fd, struct ledger_holder *out)
{
	char text[CONTENT_MAX];
	ssize_t n = pread(fd, text, sizeof(text), 0);

	memset(out, 0, sizeof(*out));
	holder_parse(text, n > 0 ? (size_t)n : 0, out);
}

void ledger_holder_of(const char *path, struct ledger_holder *out)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char *name = ledger_beside(path, "actions.lock");
	struct stat st;
	int fd, code;

	memset(out, 0, sizeof(*out));
	if (ledger_file_open(name, O_RDONLY, 0, &fd, &st, &code, NULL)) {
		if (fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
			holder_read(fd, out);
		(void)close(fd);
	} else if (code != ENOENT) {
		/* The file cannot be read, so another process may be acting. */
		(void)str_printf(out->text, sizeof(out->text), "the holder is not known: %s: %s",
			"actions.lock", code ? strerror(code) : "not to be trusted");
	}
	free(name);
}

static void write_holder(const struct ledger *l, const char *what)
{
	char t[40], *text;
	json_t *o = json_object();

	ledger_time_format(clock_wall(l->clock), t, sizeof(t));
	json_put(o, "user", ledger_text(l->who.user, strlen(l->who.user)));
	json_put(o, "via", ledger_text(l->who.via, strlen(l->who.via)));
	json_put(o, "host", ledger_text(l->who.host, strlen(l->who.host)));
	json_put(o, "tty", ledger_text(l->who.tty, strlen(l->who.tty)));
	json_put(o, "from", ledger_text(l->who.from, strlen(l->who.from)));
	json_put(o, "pid", json_integer((json_int_t)l->who.pid));
	json_put(o, "since", json_string(t));
	json_put(o, "what", ledger_text(what, strnlen(what, 200)));
	text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(o);
	/* The content is for people only: the lock holds without it. */
	if (text && ftruncate(l->lock_fd, 0) == 0)
		(void)!pwrite(l->lock_fd, text, strlen(text), 0);
	free(text);
}

static bool refuse_held(const struct ledger *l, struct err *err)
{
	struct ledger_holder h;

	holder_read(l->lock_fd, &h);
	(void)err_set(err, ERR_REFUSED, l->lock_path, "%s acts at this moment", h.text);
	return err_cure(err, "wait for its end");
}

/*
 * Another process may have removed the file between open and lock: then the lock excludes nobody.
 */
static bool still_named(const struct ledger *l)
{
	struct stat mine, named;

	return fstat(l->lock_fd, &mine) == 0 && lstat(l->lock_path, &named) == 0 &&
	       mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

bool ledger_lock(struct ledger *l, const char *what, struct err *err)
{
	struct stat st;
	int code;

	if (l->lock_fd >= 0)
		return true;
	for (int attempt = 0; attempt < 3; attempt++) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		bool taken;

		if (!ledger_file_open(
			    l->lock_path, O_RDWR | O_CREAT, l->mode, &l->lock_fd, &st, &code, err))
			return false;
		/*
		 * If we created the file, the umask took rights from it. For another owner's file
		 * fchmod() fails.
		 */
		if ((st.st_mode & 0777) != l->mode)
			(void)!fchmod(l->lock_fd, l->mode);
		taken = fcntl(l->lock_fd, F_OFD_SETLK, &lock) == 0;
		code = taken ? 0 : errno;
		if (taken && still_named(l)) {
			write_holder(l, what);
			return true;
		}
		if (code == EAGAIN || code == EACCES)
			(void)refuse_held(l, err);
		else
			(void)err_set(err, ERR_IO, l->lock_path, "cannot be locked: %s",
				code ? strerror(code) : "it is removed again and again");
		(void)close(l->lock_fd);
		l->lock_fd = -1;
		if (!taken)
			return false;
	}
	return false;
}

void ledger_unlock(struct ledger *l)
{
	if (l->lock_fd < 0)
		return;
	(void)!ftruncate(l->lock_fd, 0);
	(void)close(l->lock_fd);
	l->lock_fd = -1;
}
