/* SPDX-License-Identifier: Apache-2.0 */
/* responder DIR STEP_US THINK_US [exec]: prints "ready PORT", ends when its standard input does. */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/bench/responder/responder.h"

static bool complain(const char *what)
{
	perror(what);
	return false;
}

/* One listener for all of 127/8, tied to lo: nobody else can reach it. */
static int listen_on_loopback(unsigned *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_ANY)}};
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) != 0 ||
		bind(fd, (const struct sockaddr *)&a, size) != 0 || listen(fd, 4096) != 0 ||
		getsockname(fd, (struct sockaddr *)&a, &size) != 0) {
		(void)close(fd);
		return -1;
	}
	*port = ntohs(a.sin_port);
	return fd;
}

static bool write_bytes(const char *dir, const char *name, const char *bytes, size_t n)
{
	char path[256];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	if (!f)
		return complain(path);
	(void)fwrite(bytes, 1, n, f);
	return fclose(f) == 0;
}

static bool write_keys(const char *dir, unsigned port, ssh_key host, ssh_key user)
{
	char path[256], line[512], *key = NULL;
	mode_t mask = umask(0077);
	int rc;

	(void)str_printf(path, sizeof(path), "%s/id_ed25519", dir);
	rc = ssh_pki_export_privkey_file(user, NULL, NULL, NULL, path);
	(void)umask(mask);
	if (rc != SSH_OK || ssh_pki_export_pubkey_base64(host, &key) != SSH_OK)
		return complain(path);
	(void)str_printf(line, sizeof(line), "[127.*]:%u ssh-ed25519 %s\n", port, key);
	ssh_string_free_char(key);
	return write_bytes(dir, "known_hosts", line, strlen(line)) &&
	       write_bytes(dir, "ssh_config", "", 0);
}

static bool write_replies(const char *dir, struct answers *a)
{
	static const char *const names[] = {"host.reply", "switch.reply"};
	bool ok = true;

	for (int k = 0; k < RESPONDER_KINDS; k++) {
		int q = answers_question(a, (enum responder_kind)k, RESPONDER_PAYLOAD, "");
		struct reply *r = answers_get(a, q, 0);

		ok = write_bytes(dir, names[k], r->out, r->len) && ok;
		reply_drop(r);
	}
	return ok;
}

static bool raise_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) != 0)
		return false;
	l.rlim_cur = l.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &l) == 0;
}

int main(int argc, char **argv)
{
	struct serve_opts o = {.life = STDIN_FILENO};
	unsigned port = 0;

	if (argc != 4 && argc != 5)
		return 2;
	o.exec_only = argc == 5;
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	o.think_us = strtoll(argv[3], NULL, 10);
	o.listener = listen_on_loopback(&port);
	if (!raise_limit() || o.listener < 0)
		return complain("responder"), 1;
	if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &o.host) != SSH_OK ||
		ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &o.user) != SSH_OK)
		return complain("keys"), 1;
	o.answers = answers_new(argv[1], strtoll(argv[2], NULL, 10));
	if (!o.answers || !write_keys(argv[1], port, o.host, o.user) ||
		!write_replies(argv[1], o.answers))
		return 1;
	(void)printf("ready %u\n", port);
	(void)fflush(stdout);
	return serve(&o) ? 0 : 1;
}
