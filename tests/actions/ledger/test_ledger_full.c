/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/actions/support/ledger_rig.h"
#include "tests/support/cases.h"

/*
 * No room, no right to write, a stuck log daemon: each body runs in a process of its own with its
 * own mounts, says which check failed, and returns 0 when none did.
 */

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			(void)fprintf(stderr, "line %d: %s\n", __LINE__, #x);                      \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)
#define NOT_HERE 77

typedef int body_fn(struct rig *r);

static void in_own_mounts(struct rig *r, const char *target, const char *options, body_fn *body)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		(void)alarm(60); /* a hang is a failure */
		if (target && (unshare(CLONE_NEWNS) != 0 ||
				      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
				      mount("none", target, "tmpfs", 0, options) != 0))
			_exit(NOT_HERE);
		_exit(body(r));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_HERE)
		skip();
	assert_int_equal(status, 0);
}

static bool sound(const struct rig *r, uint64_t lines)
{
	struct ledger_report report;

	if (!ledger_verify(r->path, &report, NULL))
		return false;
	if (report.why[0])
		(void)fprintf(stderr, "%s\n", report.why);
	return !report.why[0] && report.lines == lines;
}

static unsigned until_full(struct ledger *l, struct err *err)
{
	unsigned n = 0;

	while (n < 100000 && ledger_append(l, LEDGER_READ, "act-1",
				     json_pack("{s:s}", "output", "something"), err))
		n++;
	return n;
}

static void fill_disk(const char *dir)
{
	static const char zeros[512];
	char name[128];
	int fd;

	(void)str_printf(name, sizeof(name), "%s/filler", dir);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while (fd >= 0 && write(fd, zeros, sizeof(zeros)) == (ssize_t)sizeof(zeros))
		;
	(void)close(fd);
}

static void free_disk(const char *dir)
{
	char name[128];

	(void)str_printf(name, sizeof(name), "%s/filler", dir);
	(void)unlink(name);
}

static int full_disk(struct rig *r)
{
	struct ledger_facts facts;
	struct err err = {0};
	struct ledger *l = rig_ledger(r, &err);
	struct stat st;
	unsigned n;

	CHECK(l);
	CHECK(ledger_append(l, LEDGER_BEGUN, "act-1", NULL, &err));
	fill_disk(r->dir);
	n = 1 + until_full(l, &err);
	CHECK(n > 1 && n < 100000);
	CHECK(err.code == ERR_IO && strstr(err.text, "No space left"));
	CHECK(sound(r, n));
	/* A shorter one may fit still. */
	n += ledger_append(l, LEDGER_DONE, "act-1", NULL, NULL);
	CHECK(sound(r, n));
	CHECK(!ledger_reserve(l, 65536, &err) && err.code == ERR_IO);
	CHECK(strstr(err.text, "no room for 64 KB more") && err.cure[0]);
	CHECK(sound(r, n));
	ledger_facts(r->path, &r->who, "leaf-0", "eth0", NULL, RIG_NOW, &facts);
	CHECK(facts.unusable.code == ERR_IO && strstr(facts.unusable.text, "are left on the disk"));
	free_disk(r->dir);
	CHECK(ledger_reserve(l, 65536, &err));
	CHECK(ledger_append(l, LEDGER_DONE, "act-1", NULL, &err));
	CHECK(sound(r, n + 1));
	/* A reservation survives a full disk; the file's size never changed. */
	CHECK(ledger_reserve(l, 65536, &err));
	CHECK(stat(r->path, &st) == 0);
	fill_disk(r->dir);
	for (unsigned i = 0; i < 20; i++)
		CHECK(ledger_append(l, LEDGER_READ, "act-2", NULL, &err));
	CHECK(sound(r, n + 21));
	ledger_close(l);
	/* The head could not be written; the next open repairs it. */
	free_disk(r->dir);
	l = rig_ledger(r, &err);
	CHECK(l);
	ledger_close(l);
	CHECK(sound(r, n + 21));
	return 0;
}

CASE(a_full_disk_is_noticed_before)
{
	struct rig r;

	rig_open(&r);
	in_own_mounts(&r, r.dir, "size=256k,mode=0700", full_disk);
	rig_close(&r);
}

static int few_inodes(struct rig *r)
{
	struct err err = {0};
	struct ledger *l = rig_ledger(r, &err);
	char name[128];
	int fd;

	CHECK(l);
	ledger_close(l);
	for (int i = 0;; i++) {
		(void)str_printf(name, sizeof(name), "%s/%d", r->dir, i);
		fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			break;
		(void)close(fd);
	}
	(void)str_printf(name, sizeof(name), "%s/0", r->dir);
	CHECK(unlink(name) == 0);
	l = rig_ledger(r, &err);
	CHECK(l);
	ledger_close(l);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	(void)close(fd);
	CHECK(!rig_ledger(r, &err) && err.code == ERR_IO);
	(void)unlink(name);
	l = rig_ledger(r, &err);
	CHECK(l && ledger_append(l, LEDGER_BEGUN, "act-1", NULL, &err));
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	(void)close(fd);
	CHECK(!ledger_reserve(l, 4096, &err) && err.code == ERR_IO);
	/* In the middle of an action it goes on: the line itself is on the disk. */
	CHECK(ledger_append(l, LEDGER_DONE, "act-1", NULL, &err));
	CHECK(sound(r, 2));
	ledger_close(l);
	return 0;
}

CASE(no_place_for_a_new_head)
{
	struct rig r;

	rig_open(&r);
	in_own_mounts(&r, r.dir, "size=1m,nr_inodes=12,mode=0700", few_inodes);
	rig_close(&r);
}

static int limited(struct rig *r)
{
	struct rlimit limit = {.rlim_cur = 4096, .rlim_max = 4096};
	struct err err = {0};
	struct ledger *l = rig_ledger(r, &err);
	unsigned n;

	CHECK(l);
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK(!ledger_reserve(l, 8192, &err) && err.code == ERR_IO);
	n = until_full(l, &err); /* and no SIGXFSZ */
	CHECK(n > 2 && n < 20);
	CHECK(err.code == ERR_IO);
	CHECK(sound(r, n));
	ledger_close(l);
	return 0;
}

CASE(a_limit_does_not_end_the_process)
{
	struct rig r;

	rig_open(&r);
	in_own_mounts(&r, NULL, NULL, limited);
	rig_close(&r);
}

static int read_only(struct rig *r)
{
	struct ledger_facts facts;
	struct err err = {0};
	struct ledger *l = rig_ledger(r, &err);

	CHECK(l);
	CHECK(ledger_append(l, LEDGER_BEGUN, "act-1", NULL, &err));
	ledger_close(l);
	CHECK(mount("none", r->dir, NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0);
	CHECK(!rig_ledger(r, &err));
	CHECK(err.code == ERR_IO && err.cure[0]);
	ledger_facts(r->path, &r->who, "leaf-0", "eth0", NULL, RIG_NOW, &facts);
	CHECK(facts.unusable.code == ERR_IO && strstr(facts.unusable.text, "Read-only"));
	CHECK(sound(r, 1)); /* it can still be verified */
	return 0;
}

CASE(a_read_only_disk_is_said)
{
	struct rig r;

	rig_open(&r);
	in_own_mounts(&r, r.dir, "size=256k,mode=0700", read_only);
	rig_close(&r);
}

static int not_allowed(struct rig *r)
{
	struct ledger_facts facts;
	struct err err = {0};

	if (setgid(65534) != 0 || setuid(65534) != 0)
		return NOT_HERE;
	CHECK(!rig_ledger(r, &err) && err.code == ERR_IO && err.cure[0]);
	ledger_facts(r->path, &r->who, "leaf-0", "eth0", NULL, RIG_NOW, &facts);
	CHECK(facts.unusable.code == ERR_IO);
	return 0;
}

CASE(a_directory_of_others_is_said)
{
	struct rig r;

	rig_open(&r);
	assert_int_equal(chmod(r.dir, 0755), 0);
	in_own_mounts(&r, NULL, NULL, not_allowed);
	rig_fill(&r, 2);
	in_own_mounts(&r, NULL, NULL, not_allowed);
	rig_close(&r);
}

/* ---- several operators with accounts of their own, and one group ---- */

#define GROUP 54300

static int one_operator(struct rig *r, uid_t uid)
{
	struct err err = {0};
	struct ledger *l;

	(void)umask(027);
	if (setgroups(0, NULL) != 0 || setgid(uid) != 0 || setgroups(1, &(gid_t){GROUP}) != 0 ||
		setuid(uid) != 0)
		return NOT_HERE;
	r->who.uid = uid;
	l = rig_ledger(r, &err);
	if (!l)
		err_print(&err);
	CHECK(l);
	CHECK(ledger_lock(l, "test", &err));
	CHECK(ledger_append(l, LEDGER_BEGUN, "act-1", NULL, &err));
	CHECK(ledger_append(l, LEDGER_DONE, "act-1", NULL, &err));
	ledger_close(l);
	return 0;
}

static int first_operator(struct rig *r)
{
	return one_operator(r, 54321);
}

static int second_operator(struct rig *r)
{
	return one_operator(r, 54322);
}

CASE(operators_of_a_group_share_it)
{
	struct rig r;

	rig_open(&r);
	if (geteuid() != 0 || chown(r.dir, 0, GROUP) != 0)
		skip();
	assert_int_equal(chmod(r.dir, 02770), 0);
	in_own_mounts(&r, NULL, NULL, first_operator);
	in_own_mounts(&r, NULL, NULL, second_operator);
	in_own_mounts(&r, NULL, NULL, first_operator);
	assert_true(sound(&r, 6));
	rig_close(&r);
}

/* ---- the copy in the syslog ---- */

static int log_socket(void)
{
	const struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 ? fd : -1;
}

static int copied(struct rig *r)
{
	const struct ledger_opts o = {.path = r->path, .clock = &r->clock.clock};
	struct err err = {0};
	struct ledger_report report;
	struct ledger *l;
	char line[1024], want[512];
	ssize_t n;
	int fd = log_socket();

	CHECK(fd >= 0);
	(void)setenv("TZ", "UTC", 1);
	(void)str_copy(r->who.user, sizeof(r->who.user), "ann b\n<0>x=y");
	l = ledger_open(&o, &r->who, &err);
	CHECK(l);
	CHECK(ledger_append(l, LEDGER_SENDING, "act-1",
		json_pack("{s:s,s:s}", "device", "leaf-0", "port", "Ethernet12"), &err));
	n = recv(fd, line, sizeof(line) - 1, 0);
	CHECK(n > 0);
	line[n] = '\0';
	CHECK(ledger_verify(r->path, &report, &err));
	(void)str_printf(want, sizeof(want),
		"<85>Nov 22 01:02:03 railtop[4711]: ledger n=1 hash=%s event=sending act=act-1 "
		"user=ann_b_<0>x_y device=leaf-0 port=Ethernet12 host=bastion file=%s",
		report.hash, r->path);
	if (strcmp(line, want) != 0)
		(void)fprintf(stderr, "%s\n", line);
	CHECK(strcmp(line, want) == 0);
	/* A daemon that reads nothing, and then one that is gone. */
	for (int i = 0; i < 600; i++)
		CHECK(ledger_append(l, LEDGER_READ, "act-1", NULL, &err));
	(void)close(fd);
	CHECK(ledger_append(l, LEDGER_DONE, "act-1", NULL, &err));
	CHECK(unlink("/dev/log") == 0);
	CHECK(ledger_append(l, LEDGER_WATCHED, "act-1", NULL, &err));
	ledger_close(l);
	CHECK(sound(r, 603));
	return 0;
}

CASE(the_syslog_has_a_copy)
{
	struct rig r;

	rig_open(&r);
	in_own_mounts(&r, "/dev", "size=64k", copied);
	rig_close(&r);
}

CASES_MAIN(NULL, NULL)
