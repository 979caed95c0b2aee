/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/ssh/session_private.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/cases.h"

/* The only descriptor of a session, which is libssh's, against a real OpenSSH server. */

struct fixture {
	struct ssh_rig rig;
};

static unsigned descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	(void)closedir(dir);
	return n;
}

static struct ssh_link *go_up(struct fixture *f)
{
	f->rig.ups = f->rig.downs = 0;
	transport_ssh.connect(f->rig.link);
	ssh_rig_await(&f->rig, &f->rig.ups, 1);
	return (struct ssh_link *)f->rig.link;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	ssh_rig_start(&f->rig);
	ssh_rig_open(&f->rig, NULL);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ssh_rig_close(&f->rig);
	ssh_rig_stop(&f->rig);
	free(f);
	return 0;
}

/* As libssh does it, by itself, when a server disconnects. */
static void close_behind_our_back(struct ssh_link *l)
{
	ssh_silent_disconnect(l->session);
	assert_int_equal(ssh_get_fd(l->session), -1);
}

CASE_WITH(a_session_has_one_descriptor, setup, teardown)
{
	struct fixture *f = *state;
	struct ssh_link *l = go_up(f);
	unsigned up = descriptors();

	close_behind_our_back(l);
	assert_int_equal(descriptors(), up - 1);
	l->timer.timer_cb(&l->timer);
	ssh_rig_await(&f->rig, &f->rig.downs, 1);
	assert_int_equal(descriptors(), up - 1);
	(void)go_up(f);
	assert_int_equal(descriptors(), up);
}

/* A new descriptor with the number of a socket that libssh closed is neither closed nor polled. */
CASE_WITH(leaves_a_number_alone_that_others_have, setup, teardown)
{
	struct fixture *f = *state;
	struct ssh_link *l = go_up(f);
	int fd = ssh_get_fd(l->session), ends[2];
	char got[4] = "";

	assert_int_equal(pipe(ends), 0);
	close_behind_our_back(l);
	assert_int_equal(dup2(ends[0], fd), fd);
	assert_int_equal(write(ends[1], "abc", 3), 3);
	l->timer.timer_cb(&l->timer);
	ssh_rig_await(&f->rig, &f->rig.downs, 1);
	l = go_up(f);
	assert_int_not_equal(ssh_get_fd(l->session), fd);
	assert_int_equal(read(fd, got, 3), 3);
	assert_string_equal(got, "abc");
	(void)close(fd);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

/* A place among the polled descriptors serves one after the other. */
CASE_WITH(listens_to_who_is_there_now, setup, teardown)
{
	struct fixture *f = *state;
	unsigned before = 0;

	for (int i = 0; i < 4; i++) {
		struct ssh_link *l = go_up(f);

		assert_int_equal(l->slot, 1);
		if (i)
			assert_int_equal(descriptors(), before);
		before = descriptors();
		assert_int_equal(shutdown(ssh_get_fd(l->session), SHUT_RDWR), 0);
		ssh_rig_await(&f->rig, &f->rig.downs, 1);
		assert_int_equal(l->slot, 0);
	}
}

CASES_MAIN(NULL, NULL)
