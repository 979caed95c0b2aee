/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a file under a temporary name: it appears complete or not at all. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/snapshot_file/bundle_private.h"
#include "base/new_file.h"
#include "base/private_file.h"
#include "base/str.h"

#define MARK ".railtop-snapshot-"

/* SQLite's own files beside it. */
static const char *const ends[] = {"", "-wal", "-shm", "-journal"};

/* On a shared disk, process ids of other hosts are meaningless. */
static void host_word(char *dst, size_t size)
{
	if (gethostname(dst, size) != 0)
		(void)str_copy(dst, size, "host");
	dst[size - 1] = '\0';
	for (char *p = dst; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '-')
			*p = '_';
}

/* ".railtop-snapshot-HOST.4711.0.tmp-wal", "... .tmp.new": true when 4711 of this host is gone. */
static bool is_leftover(const char *name, const char *host)
{
	size_t n = strlen(MARK), h = strlen(host);
	long pid = 0;
	const char *p;

	if (strncmp(name, MARK, n) != 0 || strncmp(name + n, host, h) != 0 || name[n + h] != '.')
		return false;
	for (p = name + n + h + 1; isdigit((unsigned char)*p) && pid < 100000000; p++)
		pid = pid * 10 + (*p - '0');
	if (*p != '.' || pid <= 1)
		return false;
	for (p++; isdigit((unsigned char)*p); p++)
		;
	if (!str_starts(p, ".tmp"))
		return false;
	p += strlen(".tmp");
	/* See rts_new_begin(). */
	if (str_starts(p, ".new"))
		p += strlen(".new");
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcmp(p, ends[i]) == 0)
			return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
	return false;
}

static void remove_leftovers(const char *dir, const char *host)
{
	DIR *d = opendir(dir);
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (is_leftover(e->d_name, host))
			(void)unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		(void)closedir(d);
}

bool bundle_file_begin(struct bundle_file *f, const char *to, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	char host[65];
	struct stat st;

	memset(f, 0, sizeof(*f));
	if (!str_copy(f->to, sizeof(f->to), to ? to : ""))
		return err_set(err, ERR_USAGE, to, "the name is too long");
	if (!to)
		(void)str_copy(f->dir, sizeof(f->dir), tmp && tmp[0] == '/' ? tmp : "/tmp");
	else if (!path_directory(to, f->dir, sizeof(f->dir)))
		return err_set(err, ERR_USAGE, to, "the name is too long");
	if (to && lstat(to, &st) == 0) {
		err_set(err, ERR_IO, to, "exists already");
		return err_cure(err, "name a file that does not exist yet");
	}
	host_word(host, sizeof(host));
	remove_leftovers(f->dir, host);
	(void)str_printf(f->temporary, sizeof(f->temporary), "%s/" MARK "%s.%ld.%ld.tmp", f->dir,
		host, (long)getpid(), (long)gettid());
	return true;
}

void bundle_file_drop(struct bundle_file *f)
{
	char name[4200];

	for (size_t i = 0; f->temporary[0] && i < sizeof(ends) / sizeof(ends[0]); i++) {
		(void)str_printf(name, sizeof(name), "%s%s", f->temporary, ends[i]);
		(void)unlink(name);
	}
	f->temporary[0] = '\0';
}

bool bundle_file_publish(struct bundle_file *f, struct err *err)
{
	bool ok = chmod(f->temporary, private_file_mode(f->temporary)) == 0 &&
		  sync_file(f->temporary) && rename_new(f->temporary, f->to);
	int why = errno;

	bundle_file_drop(f);
	if (!ok) {
		err_system(err, ERR_IO, f->to, "cannot be written", why);
		return err_cure(err,
			why == EEXIST ? "name a file that does not exist yet"
				      : "check the directory, its permissions and its free space");
	}
	/* The file is complete. Only a synced directory keeps its name after a power cut. */
	if (!sync_directory(f->dir) && errno != EINVAL)
		return err_system(err, ERR_IO, f->to,
			"written, but its directory could not be synced to disk", errno);
	return true;
}
