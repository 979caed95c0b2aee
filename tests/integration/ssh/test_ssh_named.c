/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/bastion.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

/*
 * A device with only its name in the inventory, and the rest in ssh_config: a real OpenSSH server
 * must let it in. test_ssh_config.c compares the reading with `ssh -G`.
 */

#define PATIENCE_MS 20000

struct fixture {
	struct ssh_rig rig;
	unsigned answers;
	char said[256];
};

static void on_answer(void *ctx, const struct answer *a)
{
	struct fixture *f = ctx;

	f->answers++;
	f->rig.why = a->err;
	(void)str_copyn(f->said, sizeof(f->said), a->bytes, a->len);
}

static void forget(char **s)
{
	free(*s);
	*s = NULL;
}

static int setup(void **state)
{
	struct fixture *f = *state;
	struct plan_device *d = &f->rig.device;

	f->answers = 0;
	ssh_rig_open(&f->rig, NULL);
	(void)str_copy(d->name, sizeof(d->name), "leaf1");
	forget(&d->address);
	forget(&d->user);
	forget(&d->identity);
	forget(&d->known_hosts);
	d->port = 0;
	d->ssh_config = mem_strdup(scratch_path(&f->rig.scratch, "config"));
	(void)unsetenv("SSH_AUTH_SOCK");
	return 0;
}

static void turn(struct fixture *f, int64_t until)
{
	if (now_ms() > until)
		fail_msg("nothing happened within %d s", PATIENCE_MS / 1000);
	uv_run(&f->rig.loop, UV_RUN_ONCE);
}

static void dial(struct fixture *f)
{
	ssh_rig_relink(&f->rig);
	f->rig.ups = f->rig.downs = 0;
	transport_ssh.connect(f->rig.link);
	for (int64_t until = now_ms() + PATIENCE_MS; !f->rig.ups && !f->rig.downs;)
		turn(f, until);
}

static void go_up(struct fixture *f)
{
	dial(f);
	if (!f->rig.ups)
		fail_msg("down: %s (%s)", f->rig.why.text, f->rig.why.cure);
}

static void go_down(struct fixture *f, enum err_code code, const char *words)
{
	dial(f);
	assert_int_equal(f->rig.ups, 0);
	if (f->rig.why.code != code || !strstr(f->rig.why.text, words) || !f->rig.why.cure[0])
		fail_msg("\"%s\" is not in: %s (%s)", words, f->rig.why.text, f->rig.why.cure);
}

static const char *answer_to(struct fixture *f, const char *command)
{
	f->answers = 0;
	transport_ssh.ask(f->rig.link, requests_ssh(&f->rig.requests, "test", command, NULL),
		POLL_FAST, on_answer, f);
	for (int64_t until = now_ms() + PATIENCE_MS; !f->answers;)
		turn(f, until);
	assert_int_equal(f->rig.why.code, ERR_NONE);
	return f->said;
}

static unsigned port_of(const struct fixture *f)
{
	return f->rig.own.pid > 0 ? f->rig.own.port : f->rig.sshd.port;
}

/*
 * ssh_config: the device's address, then the lines of the test, <DIR> being the scratch directory.
 * The first block has a HostName, as that of a user who gives names to addresses.
 */
static void config(struct fixture *f, const char *lines)
{
	char text[4096];
	size_t n;

	assert_true(str_printf(text, sizeof(text),
		"Host leaf1\n  HostName 127.0.0.1\n  Port %u\n  User %s\nHost leaf*\n", port_of(f),
		f->rig.sshd.user));
	for (const char *at; (at = strstr(lines, "<DIR>")); lines = at + 5) {
		n = strlen(text);
		assert_true(str_printf(text + n, sizeof(text) - n, "%.*s%s", (int)(at - lines),
			lines, f->rig.scratch.dir));
	}
	n = strlen(text);
	assert_true(str_printf(text + n, sizeof(text) - n, "%s", lines));
	scratch_write(&f->rig.scratch, "config", text);
}

#define KNOWN "UserKnownHostsFile <DIR>/known_hosts\n"
#define KEY   "IdentityFile <DIR>/user_key\n"

/* ---- keys of the host ---- */

/* Host names the device, not the address that a block before has given it. */
CASE_WITH(logs_in_as_ssh_does, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	config(f, KNOWN KEY);
	go_up(f);
	assert_string_equal(answer_to(f, "echo in"), "in\n");
}

CASE_WITH(reads_the_file_again_when_it_has_changed, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	config(f, KEY "UserKnownHostsFile <DIR>/none\n");
	go_down(f, ERR_UNAUTHORISED, "none");
	config(f, KEY KNOWN);
	go_up(f);
}

CASE_WITH(looks_into_several_known_hosts, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	config(f, KEY "UserKnownHostsFile <DIR>/none <DIR>/known_hosts\n"
		      "GlobalKnownHostsFile <DIR>/nobody\n");
	go_up(f);
	config(f, KEY
		"UserKnownHostsFile none\nGlobalKnownHostsFile <DIR>/nobody <DIR>/known_hosts\n");
	go_up(f);
	config(f, KEY "UserKnownHostsFile none\nGlobalKnownHostsFile none\n");
	go_down(f, ERR_UNAUTHORISED, "is not in any UserKnownHostsFile");
}

CASE_WITH(looks_for_the_alias, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	scratch_run(&f->rig.scratch,
		"echo \"fab-leaf1 $(cut -d' ' -f1,2 host_key.pub)\" > aliases; "
		"echo \"fab-leaf1 $(cut -d' ' -f1,2 other_host_key.pub)\" > wrong");
	config(f, KEY "HostKeyAlias Fab-Leaf1\nUserKnownHostsFile <DIR>/aliases\n");
	go_up(f);
	/* And for nothing else. */
	config(f, KEY "HostKeyAlias fab-leaf1\n" KNOWN);
	go_down(f, ERR_UNAUTHORISED, "known_hosts as fab-leaf1");
	assert_non_null(strstr(f->rig.why.cure, "sed 's/^[^ ]*/fab-leaf1/' >>"));
	config(f, KEY "HostKeyAlias fab-leaf1\nUserKnownHostsFile <DIR>/wrong\n");
	go_down(f, ERR_UNAUTHORISED, "HOST KEY CHANGED");
	assert_non_null(strstr(f->rig.why.cure, "ssh-keygen -R 'fab-leaf1'"));
}

/* ---- keys of the user ---- */

CASE_WITH(tries_all_keys, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	config(f, KNOWN "IdentityFile <DIR>/not_there\nIdentityFile <DIR>/other_key\n"
			"IdentityFile <DIR>/rsa_key\n");
	go_up(f);
	config(f, KNOWN "IdentityFile <DIR>/not_there\nIdentityFile <DIR>/other_key\n");
	go_down(f, ERR_UNAUTHORISED, "not_there (cannot be read)");
	assert_non_null(strstr(f->rig.why.text, "other_key;"));
	config(f, KNOWN "IdentityFile none\n");
	go_down(f, ERR_UNAUTHORISED, "none, there is no key");
}

CASE_WITH(takes_a_certificate_from_elsewhere, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char extra[300];

	(void)str_printf(extra, sizeof(extra), "TrustedUserCAKeys %s",
		scratch_path(&f->rig.scratch, "authority.pub"));
	scratch_run(&f->rig.scratch,
		"ssh-keygen -q -t ed25519 -N '' -f authority && cp other_key.pub elsewhere.pub && "
		"ssh-keygen -q -s authority -I test -n '%s' elsewhere.pub && "
		"cp rsa_key.pub rsa.pub && ssh-keygen -q -s authority -I test -n '%s' rsa.pub",
		f->rig.sshd.user, f->rig.sshd.user);
	sshd_start(&f->rig.own, &f->rig.scratch, 0, extra);
	config(f, KNOWN "IdentityFile <DIR>/other_key\nCertificateFile <DIR>/rsa-cert.pub\n");
	go_down(f, ERR_UNAUTHORISED, "other_key");
	assert_null(strstr(f->rig.why.text, "rsa-cert"));
	config(f, KNOWN "IdentityFile <DIR>/other_key\nCertificateFile <DIR>/rsa-cert.pub\n"
			"CertificateFile <DIR>/elsewhere-cert.pub\n");
	go_up(f);
}

/* ---- the agent ---- */

/* name: of its socket, another one for each. */
static void agent_begin(struct fixture *f, const char *name, const char *keys)
{
	scratch_run(&f->rig.scratch,
		"ssh-agent -a %s > agent.env && SSH_AUTH_SOCK=\"$PWD/%s\" ssh-add -q %s", name,
		name, keys);
}

static void agent_end(struct fixture *f)
{
	scratch_run(&f->rig.scratch, ". ./agent.env && ssh-agent -k");
}

CASE_WITH(asks_the_agent_that_is_stated, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	agent_begin(f, "agent", "user_key");
	config(f, KNOWN "IdentityFile none\nIdentityAgent <DIR>/agent\n");
	go_up(f);
	(void)setenv("RAILTOP_TEST_AGENT", scratch_path(&f->rig.scratch, "agent"), 1);
	config(f, KNOWN "IdentityFile none\nIdentityAgent $RAILTOP_TEST_AGENT\n");
	go_up(f);
	(void)setenv("SSH_AUTH_SOCK", scratch_path(&f->rig.scratch, "agent"), 1);
	config(f, KNOWN "IdentityFile none\n");
	go_up(f);
	config(f, KNOWN "IdentityFile none\nIdentityAgent none\n");
	go_down(f, ERR_UNAUTHORISED, "none, there is no key");
	agent_end(f);
}

/* The agent has more keys than the server lets one try; one of them is stated. */
CASE_WITH(offers_the_stated_keys_of_an_agent, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	scratch_run(&f->rig.scratch,
		"for i in 1 2 3 4; do ssh-keygen -q -t ed25519 -N '' -f many$i; done; "
		"cp user_key.pub half.pub");
	agent_begin(f, "narrow", "many1 many2 many3 many4 user_key");
	sshd_start(&f->rig.own, &f->rig.scratch, 0, "MaxAuthTries 2");
	(void)setenv("SSH_AUTH_SOCK", scratch_path(&f->rig.scratch, "narrow"), 1);
	config(f, KNOWN "IdentityFile <DIR>/many1\n");
	dial(f);
	assert_int_equal(f->rig.ups, 0); /* too many */
	/* Stated settings come first, as with ssh. */
	config(f, KNOWN "IdentityFile <DIR>/half\n");
	for (unsigned i = 0; i < 5; i++)
		go_up(f);
	/* Its private half is the agent's alone. */
	config(f, KNOWN "IdentityFile <DIR>/half\nIdentitiesOnly yes\n");
	for (unsigned i = 0; i < 5; i++)
		go_up(f);
	config(f, KNOWN "IdentityFile <DIR>/half.pub\nIdentitiesOnly yes\n");
	go_up(f);
	config(f, KNOWN "IdentityFile <DIR>/other_key\nIdentitiesOnly yes\n");
	go_down(f, ERR_UNAUTHORISED, "other_key");
	agent_end(f);
}

/* The public half is in the private one's file, and its certificate is the agent's. */
CASE_WITH(finds_the_keys_of_an_agent_by_their_files, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char extra[300];

	(void)str_printf(extra, sizeof(extra), "MaxAuthTries 2\nTrustedUserCAKeys %s",
		scratch_path(&f->rig.scratch, "signer.pub"));
	scratch_run(&f->rig.scratch,
		"mkdir -p .ssh; for k in signer held lone .ssh/id_ed25519_sk f1 f2 f3; do "
		"ssh-keygen -q -t ed25519 -N '' -f $k; done; "
		"ssh-keygen -q -s signer -I test -n '%s' held.pub; "
		"cat lone.pub .ssh/id_ed25519_sk.pub >> authorized_keys",
		f->rig.sshd.user);
	agent_begin(f, "files", "f1 f2 f3 held lone .ssh/id_ed25519_sk");
	scratch_run(&f->rig.scratch, "rm held held.pub lone.pub .ssh/id_ed25519_sk && ssh-keygen "
				     "-q -p -N secret -f lone");
	sshd_start(&f->rig.own, &f->rig.scratch, 0, extra);
	(void)setenv("SSH_AUTH_SOCK", scratch_path(&f->rig.scratch, "files"), 1);
	config(f, KNOWN "IdentitiesOnly yes\nIdentityFile <DIR>/lone\n");
	go_up(f);
	config(f, KNOWN "IdentitiesOnly yes\nIdentityFile <DIR>/held\n");
	go_up(f);
	config(f, KNOWN "IdentitiesOnly yes\nIdentityFile <DIR>/f1\n");
	dial(f);
	assert_int_equal(f->rig.ups, 0);
	if (strcmp(getenv("HOME"), f->rig.scratch.dir) == 0) {
		config(f, KNOWN "IdentitiesOnly yes\n");
		go_up(f);
	}
	scratch_run(&f->rig.scratch, "rm -r .ssh; cat user_key.pub rsa_key.pub > authorized_keys");
	agent_end(f);
}

/* ---- connections ---- */

CASE_WITH(binds_to_the_address, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	config(f, KNOWN KEY "BindAddress 127.0.0.77\n");
	go_up(f);
	assert_true(str_starts(answer_to(f, "echo $SSH_CONNECTION"), "127.0.0.77 "));
	config(f, KNOWN KEY "BindInterface lo\n");
	go_up(f);
	config(f, KNOWN KEY "BindInterface no-such0\n");
	go_down(f, ERR_UNREACHABLE, "127.0.0.1 port");
}

CASE_WITH(keeps_to_the_family, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;

	config(f, KNOWN KEY "AddressFamily inet\n");
	go_up(f);
	config(f, KNOWN KEY "AddressFamily inet6\n");
	go_down(f, ERR_UNREACHABLE, "127.0.0.1 does not resolve");
	assert_non_null(strstr(f->rig.why.cure, "AddressFamily"));
}

/* A socket with a full queue: further connections are not answered at all. */
static int full_socket(int others[8], unsigned *port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&in, size), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &size), 0);
	assert_int_equal(listen(fd, 0), 0);
	for (unsigned i = 0; i < 8; i++) {
		others[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)connect(others[i], (struct sockaddr *)&in, size);
	}
	*port = ntohs(in.sin_port);
	return fd;
}

CASE_WITH(gives_up_when_ssh_would, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	int others[8], fd;
	unsigned port;
	char text[512];

	fd = full_socket(others, &port);
	(void)str_printf(
		text, sizeof(text), "HostName 127.0.0.1\nPort %u\nConnectTimeout 1\n", port);
	scratch_write(&f->rig.scratch, "config", text);
	dial(f);
	assert_non_null(strstr(f->rig.why.text, "no answer within 1 s during opening"));
	for (unsigned i = 0; i < 8; i++)
		(void)close(others[i]);
	(void)close(fd);
}

#define SLOW_MS 2000

/* The kernel opens the connection; the server is held for longer than ConnectTimeout. */
CASE_WITH(waits_longer_for_the_handshake, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	int64_t held, until;

	sshd_start(&f->rig.own, &f->rig.scratch, 0, "");
	config(f, KNOWN KEY "ConnectTimeout 1\n");
	ssh_rig_relink(&f->rig);
	assert_int_equal(kill(f->rig.own.pid, SIGSTOP), 0);
	transport_ssh.connect(f->rig.link);
	held = now_ms() + SLOW_MS;
	for (until = now_ms() + PATIENCE_MS; now_ms() < held && !f->rig.downs;)
		turn(f, until);
	assert_int_equal(kill(f->rig.own.pid, SIGCONT), 0);
	while (!f->rig.ups && !f->rig.downs)
		turn(f, until);
	if (!f->rig.ups)
		fail_msg("down: %s (%s)", f->rig.why.text, f->rig.why.cure);
}

/* ---- algorithms ---- */

/*
 * Unusual algorithms and usual ones, each with an unknown name. rare needs a server that has
 * nothing else; the other server takes only usual.
 */
static const struct {
	const char *keyword, *rare, *usual;
} algorithms[] = {
	{"Ciphers", "aes256-cbc", "aes256-ctr"},
	{"MACs", "hmac-sha1", "hmac-sha2-512"},
	{"KexAlgorithms", "diffie-hellman-group14-sha1", "ecdh-sha2-nistp384"},
	{"HostKeyAlgorithms", "ssh-rsa", "ssh-ed25519"},
	{"PubkeyAcceptedAlgorithms", "ssh-rsa", "ssh-ed25519"},
	{"PubkeyAcceptedKeyTypes", "ssh-rsa", "ssh-ed25519"},
};
#define PUBKEY_ALGORITHMS 4 /* from that one on */
#define ALGORITHMS        (sizeof(algorithms) / sizeof(algorithms[0]))

static void server_that_takes(struct fixture *f, size_t i, const char *name)
{
	const char *cipher = i == 1 ? "Ciphers aes256-ctr\n" : ""; /* the others need no MAC */
	char extra[512];

	sshd_stop(&f->rig.own);
	(void)str_printf(extra, sizeof(extra), "%sHostKey %s\n%s %s", cipher,
		scratch_path(&f->rig.scratch, "rsa_key"), algorithms[i].keyword, name);
	sshd_start(&f->rig.own, &f->rig.scratch, 0, extra);
	scratch_run(&f->rig.scratch,
		"printf '[127.0.0.1]:%u %%s\n' \"$(cut -d' ' -f1,2 rsa_key.pub)\" >> known_hosts",
		f->rig.own.port);
}

static void with_list(struct fixture *f, size_t i, const char *modifier, const char *names)
{
	bool rsa = i >= PUBKEY_ALGORITHMS && *modifier != '-' && strstr(names, "ssh-rsa");
	char lines[512];

	(void)str_printf(lines, sizeof(lines), "%s %s%s\n" KNOWN "IdentityFile <DIR>/%s\n",
		algorithms[i].keyword, modifier, names, rsa ? "rsa_key" : "user_key");
	config(f, lines);
}

CASE_WITH(adds_to_the_usual_algorithms, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char names[128];

	for (size_t i = 0; i < ALGORITHMS; i++) {
		server_that_takes(f, i, algorithms[i].rare);
		(void)str_printf(
			names, sizeof(names), "no-such@example.com,%s", algorithms[i].rare);
		/* The server says that it takes any signature of RSA: the best would be made. */
		for (unsigned m = 0; i < PUBKEY_ALGORITHMS && m < 2; m++) {
			with_list(f, i, m ? "+" : "^", names);
			go_up(f);
		}
		with_list(f, i, "", names);
		go_up(f);
		/* An unusual algorithm is not offered for that. */
		with_list(f, i, "-", names);
		dial(f);
		assert_int_equal(f->rig.ups, 0);
	}
}

CASE_WITH(keeps_the_usual_algorithms, setup, ssh_rig_teardown)
{
	static const char *const modifiers[] = {"+", "^", "-"};
	struct fixture *f = *state;
	char names[128];

	for (size_t i = 0; i < ALGORITHMS; i++) {
		server_that_takes(f, i, algorithms[i].usual);
		for (unsigned m = 0; m < 3; m++) {
			with_list(f, i, modifiers[m], "no-such@example.com");
			go_up(f);
		}
		(void)str_printf(names, sizeof(names), "x,%.6s*%s", algorithms[i].usual,
			algorithms[i].usual + strlen(algorithms[i].usual) - 3);
		with_list(f, i, "-", names);
		dial(f);
		assert_int_equal(f->rig.ups, 0);
		with_list(f, i, "-", "*");
		go_down(f, ERR_UNSUPPORTED, "-* of ssh_config");
	}
}

/* The bastion has a section of its own, in which Host is about its name. */
CASE_WITH(finds_the_section_of_a_bastion, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct bastion gate = {0};
	char lines[1024];

	bastion_start(&gate, &f->rig.scratch, 0, "");
	scratch_run(&f->rig.scratch,
		"{ printf '[127.0.0.1]:%u %%s\\n' \"$(cut -d' ' -f1,2 host_key.pub)\"; "
		"echo \"gate-alias $(cut -d' ' -f1,2 host_key.pub)\"; } > known_hosts",
		f->rig.sshd.port);
	(void)str_printf(lines, sizeof(lines),
		"  ProxyJump gate\nHost gate\n  HostName 127.0.0.1\nHost ga*\n  Port %u\n  User "
		"%s\n"
		"  HostKeyAlias gate-alias\n  ProxyJump none\nHost *\n" KNOWN KEY,
		gate.sshd.port, gate.sshd.user);
	config(f, lines);
	go_up(f);
	assert_int_equal(bastion_logins(&gate), 1);
	bastion_kill(&gate);
	sshd_write_known_hosts(&f->rig.sshd);
}

/* ---- the inventory, and settings that do not apply ---- */

/* Its address wins over HostName, and has blocks of its own after those of the name. */
CASE_WITH(applies_blocks_of_the_address, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char lines[512];

	(void)str_printf(lines, sizeof(lines),
		"Host leaf1\n  HostName 198.18.0.1\nMatch host 127.0.0.1\n  User %s\n"
		"Host 127.0.0.*\n  Port %u\n  User nobody\n  " KNOWN "  " KEY,
		f->rig.sshd.user, f->rig.sshd.port);
	config(f, lines);
	/* config() begins with a block for the name: this one does not. */
	scratch_run(&f->rig.scratch, "sed -i 1,5d config");
	f->rig.device.address = mem_strdup("127.0.0.1");
	go_up(f);
}

/* A block from which the device is excluded does not come back by way of its address. */
CASE_WITH(excludes_a_device_for_its_address_too, setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char lines[1024];

	(void)str_printf(lines, sizeof(lines),
		"Host 127.* !leaf1\n  Port 1\nHost !leaf* *\n  User nobody\n"
		"Match originalhost *,!leaf1\n  User nobody\n"
		"Match !originalhost leaf1\n  Port 1\n"
		"Host 127.* !spine*\n  Port %u\n  User %s\n  " KNOWN "  " KEY,
		f->rig.sshd.port, f->rig.sshd.user);
	config(f, lines);
	scratch_run(&f->rig.scratch, "sed -i 1,5d config");
	f->rig.device.address = mem_strdup("127.0.0.1");
	go_up(f);
}

CASE_WITH(says_what_it_does_not_do, setup, ssh_rig_teardown)
{
	static const struct {
		const char *lines, *words;
		enum err_code code;
	} cases[] = {
		{"KnownHostsCommand /bin/true\n", "config:6: KnownHostsCommand", ERR_UNSUPPORTED},
		{"RevokedHostKeys /x\n", "config:6: RevokedHostKeys", ERR_UNSUPPORTED},
		{"ProxyCommand nc %h %p\n", "config:6: a ProxyCommand", ERR_UNSUPPORTED},
		{"CanonicalizeHostname yes\nCanonicalDomains x.example\nHost leaf1\nHostName "
		 "leaf1\n",
			NULL, ERR_NONE},
		{"Match version 1\n", "config:6: Match: the criterion version is not supported",
			ERR_UNSUPPORTED},
		{"Match !localnetwork 10.0.0.0/8\n", "config:6: Match: the criterion localnetwork",
			ERR_UNSUPPORTED},
		{"Match host spine* version 1\nPort 1\n", NULL, ERR_NONE},
		{"Match version 1 localnetwork 10.0.0.0/8 host spine*\nPort 1\n", NULL, ERR_NONE},
		{"Match host spine* weather fine\n", "config:6: Match: the criterion weather is",
			ERR_UNSUPPORTED},
		{"Match sessiontype shell\nKnownHostsCommand /x\n", NULL, ERR_NONE},
		{"Match sessiontype exec\nKnownHostsCommand /x\n", "KnownHostsCommand",
			ERR_UNSUPPORTED},
		{"Match command git-*\nKnownHostsCommand /x\n", NULL, ERR_NONE},
		{"Match command \"git-*,*\"\nKnownHostsCommand /x\n", "KnownHostsCommand",
			ERR_UNSUPPORTED},
		{"Match exec \"sleep 60\"\n", "did not end in time", ERR_CONFIG},
		{"ProxyJump a;b\n", "config:6: ProxyJump: not a path through bastions", ERR_CONFIG},
		{"Host other\nProxyJump a;b\n", NULL, ERR_NONE},
		{"PubkeyAuthentication no\n", "PubkeyAuthentication no", ERR_UNAUTHORISED},
		{"BindAddress localhost\n", "BindAddress localhost", ERR_UNSUPPORTED},
		{"Ciphers no-such-cipher\n", "Ciphers no-such-cipher", ERR_UNSUPPORTED},
		{"HostNmae x\n", "config:6: HostNmae: no such keyword", ERR_CONFIG},
		{"RevokedHostKeys none\nHost other\nRevokedHostKeys /x\n", NULL, ERR_NONE},
	};
	struct fixture *f = *state;
	char lines[1024];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)str_printf(lines, sizeof(lines), "%sMatch all\n" KNOWN KEY, cases[i].lines);
		config(f, lines);
		if (cases[i].code == ERR_NONE)
			go_up(f);
		else
			go_down(f, cases[i].code, cases[i].words);
	}
}

/* The name is tried as it is, as ssh does after the domains. */
CASE_WITH(asks_no_name_server_for_a_whole_name, setup, ssh_rig_teardown)
{
	static const char lines[] = "Host leaf* localhost\n  CanonicalizeHostname yes\n"
				    "  CanonicalDomains x.invalid\n";
	struct fixture *f = *state;
	struct plan_device *d = &f->rig.device;
	char text[1024];

	(void)str_printf(text, sizeof(text), "%sCanonicalizeFallbackLocal no\n", lines);
	scratch_write(&f->rig.scratch, "config", text);
	go_down(f, ERR_UNSUPPORTED, "config:2: CanonicalizeHostname");
	(void)str_printf(text, sizeof(text), "%sPort %u\nHostKeyAlias 127.0.0.1\nHost *\n", lines,
		port_of(f));
	scratch_write(&f->rig.scratch, "config", text);
	scratch_run(&f->rig.scratch,
		"echo \"127.0.0.1 $(cut -d' ' -f1,2 host_key.pub)\" > short; "
		"echo \"UserKnownHostsFile $PWD/short\nIdentityFile $PWD/user_key\" >> config");
	(void)str_copy(d->name, sizeof(d->name), "localhost");
	go_up(f);
	(void)str_copy(d->name, sizeof(d->name), "leaf.invalid");
	scratch_run(&f->rig.scratch, "sed -i '1s/.*/Host */' config");
	go_down(f, ERR_UNREACHABLE, "leaf.invalid does not resolve");
	assert_non_null(strstr(f->rig.why.cure, "CanonicalizeHostname"));
}

static int setup_group(void **state)
{
	return ssh_rig_group(state, sizeof(struct fixture));
}

CASES_MAIN(setup_group, ssh_rig_group_end)
