/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

/* Keys and a real OpenSSH server: which of its own are refused, and which of ours it is shown. */

#define PATIENCE_MS 20000

struct fixture {
	struct ssh_rig rig;
	unsigned answers;
	size_t received;
};

static void on_answer(void *ctx, const struct answer *a)
{
	struct fixture *f = ctx;

	f->answers++;
	f->received = a->len;
	f->rig.why = a->err;
}

static int setup_group(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	ssh_rig_start(&f->rig);
	scratch_run(&f->rig.scratch, "ssh-keygen -q -t ecdsa -N '' -f ecdsa_host_key");
	scratch_run(&f->rig.scratch, "ssh-keygen -q -t rsa -b 3072 -N '' -f rsa_host_key");
	*state = f;
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = *state;

	f->answers = 0;
	ssh_rig_open(&f->rig, NULL);
	return 0;
}

static void go_up(struct fixture *f)
{
	ssh_rig_relink(&f->rig);
	ssh_rig_up(&f->rig);
}

static void go_down(struct fixture *f)
{
	ssh_rig_relink(&f->rig);
	f->rig.downs = 0;
	transport_ssh.connect(f->rig.link);
	ssh_rig_await(&f->rig, &f->rig.downs, 1);
	assert_int_equal(f->rig.ups, 0);
	assert_int_equal(f->rig.why.code, ERR_UNAUTHORISED);
	f->rig.downs = 0;
}

/* The device's known_hosts from now on: the output of a shell command. */
static void known(struct fixture *f, const char *command)
{
	unsigned port = f->rig.own.pid ? f->rig.own.port : f->rig.sshd.port;

	scratch_run(&f->rig.scratch,
		"at='[127.0.0.1]:%u'; key() { cut -d' ' -f1,2 \"$1.pub\"; }; { %s; } > hosts", port,
		command);
	free(f->rig.device.known_hosts);
	f->rig.device.known_hosts = mem_strdup(scratch_path(&f->rig.scratch, "hosts"));
}

static void own_server(struct fixture *f, const char *extra)
{
	sshd_start(&f->rig.own, &f->rig.scratch, 0, extra);
	f->rig.device.port = f->rig.own.port;
}

/* ---- accepted ---- */

CASE_WITH(accepts_a_hashed_name, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	known(f, "echo \"$at $(key host_key)\"; echo \"other $(key other_host_key)\"");
	scratch_run(&f->rig.scratch, "ssh-keygen -q -H -f hosts && grep -c '^|1|' hosts");
	go_up(f);
	go_up(f);
}

CASE_WITH(accepts_one_of_several, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	known(f, "echo \"$at $(key other_host_key)\"; echo \"[127.*]:* $(key host_key)\"");
	go_up(f);
}

/* The server has one of a type that we would rather have, but it is not known. */
CASE_WITH(asks_for_the_type_that_is_known, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char extra[300];

	(void)str_printf(extra, sizeof(extra), "HostKey %s\nHostKey %s",
		scratch_path(&f->rig.scratch, "ecdsa_host_key"),
		scratch_path(&f->rig.scratch, "rsa_host_key"));
	own_server(f, extra);
	known(f, "echo \"$at $(key ecdsa_host_key)\"");
	go_up(f);
	known(f, "echo \"$at $(key rsa_host_key)\"");
	go_up(f);
	known(f, "echo \"$at unheard-of AAAA\"; echo \"$at $(key rsa_host_key)\"");
	go_up(f);
	/* The user's list still counts: of these, the known one. */
	scratch_write(
		&f->rig.scratch, "config", "HostKeyAlgorithms ssh-ed25519,ecdsa-sha2-nistp256\n");
	f->rig.device.ssh_config = mem_strdup(scratch_path(&f->rig.scratch, "config"));
	known(f, "echo \"$at $(key ecdsa_host_key)\"");
	go_up(f);
}

/* Hosts with keys of the same types share one file for libssh; a broken line is not shared. */
CASE_WITH(shares_no_broken_line, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char extra[160];

	(void)str_printf(extra, sizeof(extra), "HostKey %s",
		scratch_path(&f->rig.scratch, "ecdsa_host_key"));
	own_server(f, extra);
	known(f, "echo \"$at ecdsa-sha2-nistp256 AAAA\"");
	go_down(f);
	known(f, "echo \"$at $(key ecdsa_host_key)\"");
	go_up(f);
	go_up(f);
	f->rig.ups = 0;
	known(f, "echo \"$at ecdsa-sha2-nistp256 AAAA\"");
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "CHANGED"));
}

/* Keys are renewed in the middle of a session, when libssh looks for known types again. */
CASE_WITH(renews_keys, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q;
	char extra[300];

	(void)str_printf(extra, sizeof(extra), "HostKey %s\nRekeyLimit 256K",
		scratch_path(&f->rig.scratch, "ecdsa_host_key"));
	own_server(f, extra);
	known(f, "echo \"$at $(key ecdsa_host_key)\"");
	go_up(f);
	q = requests_ssh(&f->rig.requests, "test", "head -c 3000000 /dev/zero | tr '\\0' x", NULL);
	q->timeout_us = PATIENCE_MS * CLOCK_MSEC;
	transport_ssh.ask(f->rig.link, q, POLL_FAST, on_answer, f);
	ssh_rig_await(&f->rig, &f->answers, 1);
	assert_int_equal(f->rig.why.code, ERR_NONE);
	assert_int_equal(f->received, 3000000);
	assert_int_equal(f->rig.downs, 0);
}

CASE_WITH(sees_what_was_added, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	known(f, "echo \"$at $(key other_host_key)\"");
	go_down(f);
	known(f, "echo \"$at $(key host_key)\"");
	go_up(f);
	known(f, "echo nothing");
	f->rig.ups = 0;
	go_down(f);
}

/* A path that only libssh can make. */
CASE_WITH(expands_the_path_of_ssh_config, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char text[300];

	known(f, "echo \"$at $(key host_key)\"");
	scratch_run(&f->rig.scratch, "mv hosts hosts-127.0.0.1");
	(void)str_printf(text, sizeof(text), "UserKnownHostsFile %s-%%h\n",
		scratch_path(&f->rig.scratch, "hosts"));
	scratch_write(&f->rig.scratch, "config", text);
	f->rig.device.ssh_config = mem_strdup(scratch_path(&f->rig.scratch, "config"));
	free(f->rig.device.known_hosts);
	f->rig.device.known_hosts = NULL;
	go_up(f);
	scratch_write(&f->rig.scratch, "hosts-127.0.0.1", "");
	f->rig.ups = 0;
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "hosts-127.0.0.1"));
}

/* Without a path, or with one below the home directory: the user's, with any $HOME. */
CASE_WITH(finds_the_home_directory, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	const struct passwd *pw = getpwuid(getuid());
	char want[300];

	assert_non_null(pw);
	scratch_write(&f->rig.scratch, "config", "Host nobody\n");
	f->rig.device.ssh_config = mem_strdup(scratch_path(&f->rig.scratch, "config"));
	free(f->rig.device.known_hosts);
	f->rig.device.known_hosts = NULL;
	go_down(f);
	(void)str_printf(want, sizeof(want), "is not in %s/.ssh/known_hosts", pw->pw_dir);
	assert_non_null(strstr(f->rig.why.text, want));
	scratch_write(&f->rig.scratch, "config", "UserKnownHostsFile ~/no-such-railtop-hosts\n");
	go_down(f);
	(void)str_printf(want, sizeof(want), "is not in %s/no-such-railtop-hosts", pw->pw_dir);
	assert_non_null(strstr(f->rig.why.text, want));
}

/* ---- refused ---- */

CASE_WITH(refuses_a_revoked_key, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	known(f, "echo \"$at $(key host_key)\"; echo \"@revoked * $(key host_key)\"");
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "REVOKED"));
	assert_non_null(strstr(f->rig.why.text, "line 2 of "));
	assert_non_null(strstr(f->rig.why.text, "SHA256:"));
	/* Another revoked key is of no interest. */
	known(f, "echo \"$at $(key host_key)\"; echo \"@revoked * $(key other_host_key)\"");
	go_up(f);
}

CASE_WITH(takes_no_authority_for_a_key, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	known(f, "echo \"@cert-authority * $(key host_key)\"");
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "is not in "));
	assert_non_null(strstr(f->rig.why.text, "host certificates are not checked"));
}

CASE_WITH(refuses_a_key_of_another_type, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	known(f, "echo \"$at $(key ecdsa_host_key)\"");
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "CHANGED"));
	assert_non_null(strstr(f->rig.why.text, "a key of another type: SHA256:"));
	/* A pattern that is taken back knows nobody. */
	known(f, "echo \"[127.*]:*,!$at $(key host_key)\"");
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "is not in "));
}

CASE_WITH(refuses_what_cannot_be_read, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	scratch_run(&f->rig.scratch, "mkdir -p folder");
	free(f->rig.device.known_hosts);
	f->rig.device.known_hosts = mem_strdup(scratch_path(&f->rig.scratch, "folder"));
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "is not in "));
	assert_non_null(strstr(f->rig.why.cure, "folder readable"));
}

/* ---- our keys ---- */

/* Each is read once for all sessions, and again when the file is another. */
CASE_WITH(sees_that_a_key_changed, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	known(f, "echo \"$at $(key host_key)\"");
	scratch_run(&f->rig.scratch, "cp user_key my_key");
	free(f->rig.device.identity);
	f->rig.device.identity = mem_strdup(scratch_path(&f->rig.scratch, "my_key"));
	go_up(f);
	go_up(f);
	f->rig.ups = 0;
	scratch_run(&f->rig.scratch, "cp other_key my_key");
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "my_key;"));
	go_down(f);
	scratch_run(&f->rig.scratch, "cp locked_key my_key");
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "my_key (needs a passphrase, or is not a key)"));
	go_down(f);
	scratch_run(&f->rig.scratch, "rm my_key");
	go_down(f);
	assert_non_null(strstr(f->rig.why.text, "my_key cannot be read: No such file"));
	scratch_run(&f->rig.scratch, "cp rsa_key my_key");
	go_up(f);
	go_up(f);
}

/* A certificate comes with the key from the moment it is there. */
CASE_WITH(sees_that_a_certificate_came, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char extra[300];

	(void)str_printf(extra, sizeof(extra), "TrustedUserCAKeys %s",
		scratch_path(&f->rig.scratch, "authority.pub"));
	scratch_run(&f->rig.scratch, "ssh-keygen -q -t ed25519 -N '' -f authority");
	own_server(f, extra);
	known(f, "echo \"$at $(key host_key)\"");
	free(f->rig.device.identity);
	f->rig.device.identity = mem_strdup(scratch_path(&f->rig.scratch, "other_key"));
	go_down(f);
	scratch_run(&f->rig.scratch, "ssh-keygen -q -s authority -I test -n '%s' other_key.pub",
		f->rig.own.user);
	go_up(f);
	f->rig.ups = 0;
	scratch_run(&f->rig.scratch, "rm other_key-cert.pub");
	go_down(f);
}

/* ---- the leftovers ---- */

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

CASE_WITH(leaves_no_descriptor, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	unsigned before;

	go_up(f);
	before = descriptors();
	for (int i = 0; i < 3; i++)
		go_up(f);
	known(f, "echo \"$at $(key other_host_key)\"");
	f->rig.ups = 0;
	for (int i = 0; i < 3; i++)
		go_down(f);
	/* In the middle of the handshake. */
	ssh_rig_relink(&f->rig);
	transport_ssh.connect(f->rig.link);
	uv_run(&f->rig.loop, UV_RUN_ONCE);
	known(f, "echo \"$at $(key host_key)\"");
	go_up(f);
	assert_int_equal(descriptors(), before);
}

CASES_MAIN(setup_group, ssh_rig_group_end)
