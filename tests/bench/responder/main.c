/* SPDX-License-Identifier: Apache-2.0 */
/*
 * responder DIR STEP_US THINK_US WORKERS: prints "ready PORT", ends when its standard input
 * does. Of several workers each is a process: a session costs two descriptors, and a limit of them
 * is a process's.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/*
 * A listener for all of 127/8, tied to lo: no other machine can reach it. Port 0: a free port is
 * chosen. Otherwise it is a port of ours; the kernel shares connections out among its listeners.
 */
static int listen_on_loopback(unsigned *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)*port),
		.sin_addr = {htonl(INADDR_ANY)}};
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) != 0 ||
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &(int){1}, sizeof(int)) != 0 ||
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

static struct responder_counts *map_counts(const char *dir)
{
	char path[256];
	void *at;
	int fd;

	(void)str_printf(path, sizeof(path), "%s/" RESPONDER_COUNTS, dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(struct responder_counts)) != 0)
		return complain(path), NULL;
	at = mmap(NULL, sizeof(struct responder_counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)close(fd);
	return at == MAP_FAILED ? complain(path), NULL : at;
}

/*
 * Each listener is open in the process that serves it, and in no other. A connection that the
 * kernel gives to a listener without accept() is lost. Returns in each of the processes with its
 * listener, -1: failed.
 */
static int share_out(unsigned workers, unsigned *port, struct responder_counts *counts)
{
	int listeners[RESPONDER_WORKERS_MOST];
	unsigned mine = 0;
	pid_t first = getpid();

	for (unsigned i = 0; i < workers; i++) {
		listeners[i] = listen_on_loopback(port);
		if (listeners[i] < 0)
			return -1;
	}
	for (unsigned i = 1; i < workers && !mine; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return -1;
		if (pid > 0)
			continue;
		mine = i;
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != first)
			_exit(1);
	}
	for (unsigned i = 0; i < workers; i++)
		if (i != mine)
			(void)close(listeners[i]);
	counts->worker[mine] = getpid();
	return listeners[mine];
}

int main(int argc, char **argv)
{
	struct serve_opts o = {.life = STDIN_FILENO};
	unsigned port = 0, workers = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
	pid_t first = getpid();

	if (argc != 5 || workers < 1 || workers > RESPONDER_WORKERS_MOST)
		return 2;
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	o.think_us = strtoll(argv[3], NULL, 10);
	o.counts = map_counts(argv[1]);
	if (!o.counts)
		return 1;
	if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &o.host) != SSH_OK ||
		ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &o.user) != SSH_OK)
		return complain("keys"), 1;
	o.answers = answers_new(argv[1], strtoll(argv[2], NULL, 10));
	if (!o.answers || !write_replies(argv[1], o.answers))
		return 1;
	o.listener = share_out(workers, &port, o.counts);
	if (!raise_limit() || o.listener < 0)
		return complain("responder"), 1;
	if (getpid() == first) {
		if (!write_keys(argv[1], port, o.host, o.user))
			return 1;
		(void)printf("ready %u\n", port);
		(void)fflush(stdout);
	}
	return serve(&o) ? 0 : 1;
}
