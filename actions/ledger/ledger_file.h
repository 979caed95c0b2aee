/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_LEDGER_LEDGER_FILE_H
#define ACTIONS_LEDGER_LEDGER_FILE_H

#include <sys/stat.h>

#include "actions/ledger/ledger.h"

/*
 * The ledger as a file: opening and locking, the outer form of a line, the search for the last
 * line, and PATH.head. Private to actions/ledger.
 */

#define LEDGER_LINE_MAX ((size_t)256 * 1024)      /* a longer line is refused */
#define LEDGER_TAIL_MAX ((size_t)1024 * 1024)     /* read backwards for the last line */
#define LEDGER_RECENT   ((off_t)8 * 1024 * 1024)  /* read for the guards */
#define LEDGER_SHOWN    ((off_t)64 * 1024 * 1024) /* read for people and views at most */
#define LEDGER_TEXT_MAX ((size_t)4096)            /* of one string */
#define LEDGER_LOCK_US                                                                             \
	(INT64_C(10) * CLOCK_SEC) /* longest wait; another process holds the file for the time of  \
				     one line */
#define LEDGER_NOTHING                                                                             \
	"0000000000000000000000000000000000000000000000000000000000000000" /* before line 1 */

/* A line's number and hash; n 0: before the first line. */
struct ledger_mark {
	uint64_t n;
	char hash[65];
};

enum ledger_shape {
	SHAPE_LINE,     /* whole, and its hash fits */
	SHAPE_ALTERED,  /* has the form of a line, but its hash does not fit */
	SHAPE_FRAGMENT, /* the beginning of a line, or other bytes */
};
/*
 * Classifies the bytes of a line. len is without the line end. prev: the hash of the line before.
 */
enum ledger_shape ledger_shape_of(
	const char *line, size_t len, struct ledger_mark *self, char prev[65]);

/*
 * ledger_verify(), which calls line for each whole line in its order, until one is wrong.
 */
bool ledger_verify_each(const char *path, void (*line)(void *ctx, uint64_t n, const char *hash),
	void *ctx, struct ledger_report *out, struct err *err);

/* Whether s begins with at least n lower-case hex digits. */
bool ledger_is_hex(const char *s, size_t n);
bool ledger_time_parse(const char *s, int64_t *t_us);

/*
 * Opens a regular file. Does not follow a symbolic link as its last part, does not wait for a FIFO.
 * False: *code is the errno (0: it was opened, and is not to be trusted) and err is filled.
 */
bool ledger_file_open(const char *path, int flags, mode_t mode, int *fd, struct stat *st, int *code,
	struct err *err);
/* Makes the missing directories above path, mode 0700. */
bool ledger_directories(const char *path, struct err *err);
/* Forces the directory of path to the disk (fsync). */
bool ledger_directory_sync(const char *path);
/* Writes a small file atomically. t_us: its modification time, 0: now. */
bool ledger_file_replace(
	const char *path, const void *bytes, size_t n, mode_t mode, int64_t t_us, struct err *err);

/*
 * Takes the kernel's lock of an open file (OFD lock), which ends with the file or the process.
 * Waits at most LEDGER_LOCK_US.
 */
bool ledger_file_lock(int fd, bool exclusive, const char *path, struct err *err);
void ledger_file_unlock(int fd);

/* Reads exactly n bytes at offset. */
bool ledger_file_pread(int fd, void *to, size_t n, off_t at);

struct ledger_follow {
	struct ledger_mark last; /* the last whole line */
	off_t end;               /* offset behind its line end */
	off_t size;              /* larger than end: torn bytes follow */
};
bool ledger_tail_read(
	int fd, const char *path, off_t size, struct ledger_follow *out, struct err *err);

/* PATH.head; *there false: there is none. */
bool ledger_head_read(const char *path, struct ledger_mark *out, bool *there, struct err *err);
bool ledger_head_write(const char *path, const struct ledger_mark *m, mode_t mode, struct err *err);
/* Whether the end of the file equals the head, or follows from it. */
bool ledger_head_fits(
	int fd, const char *path, const struct ledger_follow *tail, bool *there, struct err *err);

/* Opens for reading and takes the size while no process writes. False with *code as above. */
bool ledger_open_reading(const char *path, int *fd, off_t *size, int *code, struct err *err);

/* ---- line after line ---- */

enum scan_got {
	SCAN_LINE,
	SCAN_TORN, /* the last line, without a line end */
	SCAN_LONG, /* longer than the limit of a line: only its beginning */
	SCAN_END,
	SCAN_FAILED, /* errno */
};
struct ledger_scan {
	int fd;
	off_t at, end; /* the range that is still unread */
	char *data;
	size_t from, have;
	bool skip; /* discard bytes up to the next line end */
};
/* Begins a scan at the first line that starts at or after from. */
void ledger_scan_begin(struct ledger_scan *s, int fd, off_t from, off_t end);
/* Returns the next line, valid until the next call; NUL-terminated, *len without the line end. */
enum scan_got ledger_scan_next(struct ledger_scan *s, const char **line, size_t *len);
void ledger_scan_end(struct ledger_scan *s);

/* ---- open acts ---- */

struct open_act {
	char act[40];
	char device[NAME_MAX_LEN], user[32], host[64];
	long pid;
	int64_t begun_us;
	bool unknown; /* the outcome is unknown: only a person can settle it */
	char action[32], port[NAME_MAX_LEN];
	char sent[200], again[240], undo[240]; /* see struct ledger_open */
	bool answered;
	json_t *steps; /* of the plan; NULL: not in the ledger */
	struct open_act *prev, *next;
	void *table; /* the hash table's entry */
};
struct open_acts;
struct open_acts *open_acts_new(void);
void open_acts_free(struct open_acts *o);
/* Processes one line. */
void open_acts_line(struct open_acts *o, json_t *line);
/* The oldest open act on device (NULL: any), except acts of process pid on host; NULL: none. */
const struct open_act *open_acts_find(
	const struct open_acts *o, const char *device, const char *host, long pid);
/* Appends all but those of process pid on host. */
void open_acts_list(const struct open_acts *o, const char *host, long pid, ledger_open_vec *out);
uint64_t open_acts_count(const struct open_acts *o);

/* ---- the holder of the right to act ---- */

struct ledger_holder {
	char text[96]; /* "ann on pts/3 since 01:02:03 UTC: pfcwd-reset ..."; "" none */
	char host[64];
	long pid;
};
void ledger_holder_of(const char *path, struct ledger_holder *out);

#define LOGIN_UNKNOWN ((uid_t)-1)
/* The number in /proc/self/loginuid; LOGIN_UNKNOWN where it is unset or no number. */
uid_t login_uid_parse(const char *text);
/* Sets w->via from the kernel's login and, where that is unknown, from the terminal's owner. */
void who_logged_in(struct who *w, uid_t kernel, uid_t terminal);
/* The person behind an account: the one that logged in if it is another, else the account. */
const char *person_of(const char *user, const char *via);
/* The text of a string member, "" if it is absent or no string. */
const char *member_text(const json_t *o, const char *name);

/* Copies v with every text in it converted as by ledger_text(); a new reference. */
json_t *ledger_clean(json_t *v);

struct ledger {
	char *path, *lock_path;
	int fd, lock_fd;
	mode_t mode;
	struct who who;
	const struct clock *clock;
	void (*copy)(void *ctx, const char *line);
	void *ctx;
	struct ledger_mark last; /* the last line that this process knows */
};
/* Puts the torn bytes after tail->end aside. The caller holds the file's lock. */
bool ledger_mend(struct ledger *l, struct ledger_follow *tail, struct err *err);
/* Whether path still names the open file; sets *size. */
bool ledger_same_file(const struct ledger *l, off_t *size, struct err *err);
/*
 * Copies a line to the syslog of this machine; drops it when the log daemon does not take it at
 * once.
 */
void ledger_syslog(const char *text, long pid, int64_t now_us);

#endif
