/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "fabric/plan/plan.h"
#include "tests/actions/support/ledger_rig.h"
#include "tests/support/cases.h"

/* Four eyes. Where the tests run as root, files are given to other accounts. */

#define HASH  "4f2a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c0"
#define OTHER "5f2a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c0"

struct table {
	struct rig r;
	char dir[96], file[200];
	struct who ann, bob; /* ann wants to, bob approves */
	int64_t used_us;
};

static void set(struct table *t)
{
	struct who me;

	rig_open(&t->r);
	t->used_us = 0;
	who_am_i(&me);
	(void)str_printf(t->dir, sizeof(t->dir), "%s/approvals", t->r.dir);
	(void)str_printf(t->file, sizeof(t->file), "%s/%s.json", t->dir, HASH);
	t->ann = t->bob = me;
	if (me.uid == 0) {
		(void)str_copy(t->ann.via, sizeof(t->ann.via), "ann");
		(void)str_copy(t->bob.via, sizeof(t->bob.via), "bob");
	}
}

static void clear(struct table *t)
{
	rig_close(&t->r);
}

static json_t *plan(const char *hash)
{
	return json_pack("{s:s,s:s,s:s}", "action", "port-drain", "device", "leaf-0", "hash", hash);
}

static bool offer(struct table *t)
{
	struct err err = {0};
	bool ok = approval_offer(t->dir, HASH, plan(HASH), &err);

	if (!ok)
		err_print(&err);
	return ok;
}

static bool found(struct table *t, const struct who *who, int64_t now_us, const char *words)
{
	struct err why = {0};
	struct approval by;
	bool ok = approval_found(t->dir, HASH, who, now_us, t->used_us, &by, &why);

	if (ok) {
		assert_string_equal(by.by, "bob");
		assert_true(by.t_us > t->used_us);
	} else {
		if (!strstr(why.text, words))
			print_error("expected '%s' in '%s'\n", words, why.text);
		assert_non_null(strstr(why.text, words));
		assert_int_equal(why.code, ERR_REFUSED);
		assert_non_null(strstr(why.cure, "railtop approve"));
		assert_string_equal(by.by, "");
	}
	return ok;
}

static void needs_root(void)
{
	if (geteuid() != 0)
		skip();
}

CASE(another_operator_approves)
{
	struct table t;
	struct err err = {0};
	json_t *o;

	needs_root();
	set(&t);
	assert_false(found(&t, &t.ann, RIG_NOW, "no other operator has approved"));
	assert_false(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	assert_int_equal(err.code, ERR_REFUSED); /* nothing is offered */
	assert_true(offer(&t));
	assert_true(offer(&t)); /* once more is the same */
	o = approval_plan(t.dir, HASH, &err);
	assert_string_equal(json_string_value(json_object_get(o, "device")), "leaf-0");
	json_decref(o);
	assert_false(found(&t, &t.ann, RIG_NOW, "no other operator has approved"));
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	assert_true(found(&t, &t.ann, RIG_NOW, ""));
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	assert_true(found(&t, &t.ann, RIG_NOW + ACTIONS_APPROVED_US, ""));
	assert_false(found(&t, &t.ann, RIG_NOW + ACTIONS_APPROVED_US + 2000,
		"bob approved it at 01:02:03 UTC; an approval expires after 10 minutes"));
	assert_false(found(&t, &t.ann, RIG_NOW - 300 * CLOCK_SEC, "in the future"));
	clear(&t);
}

CASE(nobody_approves_himself)
{
	struct table t;
	struct err err = {0};
	struct who plain;

	needs_root();
	set(&t);
	assert_true(offer(&t));
	plain = t.bob;
	plain.via[0] = '\0';
	assert_false(approval_give(t.dir, HASH, &plain, &t.r.clock.clock, &err));
	assert_non_null(strstr(err.text, "root does not identify an operator"));
	assert_true(approval_give(t.dir, HASH, &t.ann, &t.r.clock.clock, &err));
	assert_false(found(&t, &t.ann, RIG_NOW, "ann approved it, and is also its operator"));
	/* From her own account she is the same person. */
	plain = t.ann;
	plain.uid = 54321;
	plain.via[0] = '\0';
	(void)str_copy(plain.user, sizeof(plain.user), "ann");
	assert_false(found(&t, &plain, RIG_NOW, "ann approved it"));
	/* The owner of the file counts, not the name in its text. */
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	assert_int_equal(chown(t.file, plain.uid, (gid_t)-1), 0);
	assert_false(found(&t, &plain, RIG_NOW, "and is also its operator"));
	clear(&t);
}

/* Root that no login stands behind may be the operator as well as the one who approves. */
CASE(root_without_a_login_begins_nothing)
{
	struct table t;
	struct err err = {0};
	struct approval by;
	struct who root;

	needs_root();
	set(&t);
	root = t.ann;
	root.via[0] = '\0';
	assert_true(offer(&t));
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	assert_false(approval_found(t.dir, HASH, &root, RIG_NOW, 0, &by, &err));
	assert_non_null(strstr(err.text, "root does not identify an operator"));
	assert_non_null(strstr(err.cure, "act from your own account"));
	clear(&t);
}

/* Carol becomes bob by su, and approves as bob what she wants to do herself. */
CASE(another_account_of_the_same_login_is_the_same_person)
{
	struct table t;
	struct err err = {0};
	struct who carol;

	needs_root();
	set(&t);
	assert_true(offer(&t));
	carol = t.bob;
	carol.uid = 54322;
	(void)str_copy(carol.user, sizeof(carol.user), "uid54322");
	(void)str_copy(carol.via, sizeof(carol.via), "carol");
	assert_true(approval_give(t.dir, HASH, &carol, &t.r.clock.clock, &err));
	assert_int_equal(chown(t.file, carol.uid, (gid_t)-1), 0);
	(void)str_copy(carol.via, sizeof(carol.via), "");
	(void)str_copy(carol.user, sizeof(carol.user), "carol");
	carol.uid = 54321;
	assert_false(found(&t, &carol, RIG_NOW, "carol approved it, and is also its operator"));
	/* Who owns the file is looked at as well: its words may name anybody. */
	(void)str_copy(carol.user, sizeof(carol.user), "uid54322");
	assert_false(found(&t, &carol, RIG_NOW, "and is also its operator"));
	clear(&t);
}

CASE(an_approval_that_began_an_act_begins_no_other)
{
	struct table t;
	struct err err = {0};
	struct approval by;

	needs_root();
	set(&t);
	assert_true(offer(&t));
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	assert_true(approval_found(t.dir, HASH, &t.ann, RIG_NOW, 0, &by, &err));
	t.used_us = by.t_us;
	assert_false(found(&t, &t.ann, RIG_NOW + CLOCK_SEC, "has begun an act already"));
	t.r.clock.now += 2 * CLOCK_SEC;
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	assert_true(found(&t, &t.ann, RIG_NOW + 3 * CLOCK_SEC, ""));
	clear(&t);
}

CASE(an_own_account_is_believed_nothing_else)
{
	struct table t;
	struct err err = {0};
	struct approval by;

	needs_root();
	set(&t);
	assert_true(offer(&t));
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	assert_int_equal(chown(t.file, 54322, (gid_t)-1), 0);
	assert_true(approval_found(t.dir, HASH, &t.ann, RIG_NOW, 0, &by, &err));
	assert_string_equal(by.by, "uid54322"); /* not bob, although the file names bob */
	clear(&t);
}

CASE(what_others_could_write_does_not_count)
{
	struct table t;
	struct err err = {0};
	char other[200];
	struct stat st;

	needs_root();
	set(&t);
	assert_true(offer(&t));
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	assert_int_equal(chmod(t.file, 0666), 0);
	assert_false(found(&t, &t.ann, RIG_NOW, "other users can write it"));
	assert_int_equal(chmod(t.file, 0664), 0);
	assert_false(found(&t, &t.ann, RIG_NOW, "other users can change it"));
	assert_int_equal(chmod(t.file, 0644), 0);
	(void)str_printf(other, sizeof(other), "%s/link", t.r.dir);
	assert_int_equal(link(t.file, other), 0);
	assert_false(found(&t, &t.ann, RIG_NOW, "has a second name"));
	assert_int_equal(unlink(t.file), 0);
	assert_int_equal(symlink(other, t.file), 0);
	assert_false(found(&t, &t.ann, RIG_NOW, "symbolic link"));
	assert_int_equal(unlink(t.file), 0);
	assert_int_equal(mkfifo(t.file, 0644), 0);
	assert_false(found(&t, &t.ann, RIG_NOW, "not a regular file"));
	assert_int_equal(unlink(t.file), 0);
	assert_int_equal(rename(other, t.file), 0);
	assert_int_equal(chmod(t.dir, 0777), 0);
	assert_false(found(&t, &t.ann, RIG_NOW, "other users can replace files in it"));
	assert_int_equal(chmod(t.dir, 01777), 0);
	assert_true(found(&t, &t.ann, RIG_NOW, ""));
	assert_int_equal(stat(t.file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	clear(&t);
}

CASE(an_approval_is_of_one_plan_and_one_time)
{
	struct table t;
	struct err err = {0};
	char other[200];
	struct timespec times[2] = {0};

	needs_root();
	set(&t);
	assert_true(offer(&t));
	assert_true(approval_offer(t.dir, OTHER, plan(OTHER), &err));
	assert_true(approval_give(t.dir, OTHER, &t.bob, &t.r.clock.clock, &err));
	(void)str_printf(other, sizeof(other), "%s/%s.json", t.dir, OTHER);
	assert_int_equal(rename(other, t.file), 0);
	assert_false(found(&t, &t.ann, RIG_NOW, "is not an approval of this plan"));
	/* Old, but touched; and new in words, but old. */
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	times[0].tv_sec = times[1].tv_sec = (time_t)(RIG_NOW / CLOCK_SEC) + 700;
	assert_int_equal(utimensat(AT_FDCWD, t.file, times, 0), 0);
	assert_false(found(&t, &t.ann, RIG_NOW + 700 * CLOCK_SEC, "expires after 10 minutes"));
	times[0].tv_sec = times[1].tv_sec = (time_t)(RIG_NOW / CLOCK_SEC) - 700;
	assert_int_equal(utimensat(AT_FDCWD, t.file, times, 0), 0);
	assert_false(found(&t, &t.ann, RIG_NOW, "expires after 10 minutes"));
	rig_write(t.file, "[1,2", 4);
	assert_false(found(&t, &t.ann, RIG_NOW, "has an unexpected content"));
	clear(&t);
}

/* An old approval of carol's must not keep bob from approving. */
CASE(an_old_approval_of_others_is_in_nobodys_way)
{
	struct table t;
	struct err err = {0};
	struct approval by;
	char other[200];
	struct timespec times[2] = {0};

	needs_root();
	set(&t);
	assert_true(offer(&t));
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	(void)str_printf(other, sizeof(other), "%s/%s.54322.json", t.dir, HASH);
	assert_int_equal(rename(t.file, other), 0);
	assert_int_equal(chown(other, 54322, (gid_t)-1), 0);
	t.r.clock.now -= 86400 * CLOCK_SEC;
	assert_true(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	assert_true(approval_found(t.dir, HASH, &t.ann, RIG_NOW, 0, &by, &err));
	assert_string_equal(by.by, "uid54322");
	times[0].tv_sec = times[1].tv_sec = 1;
	assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
	assert_false(found(&t, &t.ann, RIG_NOW, "expires after 10 minutes"));
	clear(&t);
}

CASE(a_hash_is_a_file_name)
{
	static const char *const bad[] = {"", "../../etc/passwd", "4f2a",
		"4F2A91C04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c0",
		"../a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c04f2a91c0", HASH "0"};
	struct table t;
	struct approval by;

	set(&t);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = {0};

		assert_false(approval_offer(t.dir, bad[i], json_object(), &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_null(approval_plan(t.dir, bad[i], &err));
		assert_false(approval_give(t.dir, bad[i], &t.bob, &t.r.clock.clock, &err));
		assert_false(approval_found(t.dir, bad[i], &t.ann, RIG_NOW, 0, &by, &err));
	}
	clear(&t);
}

CASE(the_plan_of_another_hash_is_not_offered)
{
	struct table t;
	struct err err = {0};

	set(&t);
	assert_true(approval_offer(t.dir, HASH, plan(OTHER), &err));
	assert_null(approval_plan(t.dir, HASH, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_false(approval_give(t.dir, HASH, &t.bob, &t.r.clock.clock, &err));
	clear(&t);
}

CASE(the_directory_is_as_open_as_what_is_around_it)
{
	struct table t;
	struct stat st;

	set(&t);
	assert_true(offer(&t));
	assert_int_equal(stat(t.dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 01700);
	clear(&t);
	set(&t);
	assert_int_equal(chmod(t.r.dir, 02770), 0);
	assert_true(offer(&t));
	assert_int_equal(stat(t.dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 03770);
	clear(&t);
}

CASES_MAIN(NULL, NULL)
