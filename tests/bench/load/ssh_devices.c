/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/fail.h"
#include "tests/bench/load/ssh_devices.h"

#include <arpa/inet.h>
#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

/* No connection of a bench takes longer; without it a client that hangs would hang us. */
#define PATIENCE_MS 30000

const char *ssh_devices_address(unsigned i)
{
	static char text[32];

	(void)str_printf(text, sizeof(text), "127.77.%u.%u", i / 250, i % 250 + 1);
	return text;
}

static int listen_at(unsigned i, unsigned port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	(void)inet_pton(AF_INET, ssh_devices_address(i), &in.sin_addr);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, (struct sockaddr *)&in, sizeof(in)) != 0 || listen(fd, 16) != 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static unsigned port_of(int fd)
{
	struct sockaddr_in in = {0};
	socklen_t size = sizeof(in);

	return getsockname(fd, (struct sockaddr *)&in, &size) == 0 ? ntohs(in.sin_port) : 0;
}

static bool listen_all(struct ssh_devices *d, struct pollfd *fds)
{
	for (unsigned i = 0; i < d->n; i++) {
		fds[i] = (struct pollfd){.fd = listen_at(i, d->port), .events = POLLIN};
		if (fds[i].fd < 0)
			return false;
		d->port = port_of(fds[i].fd);
	}
	return true;
}

/* ---- the other process ---- */

static int let_in(ssh_session session, const char *user, ssh_key key, char state, void *userdata)
{
	(void)session;
	(void)user;
	(void)key;
	(void)userdata;
	return state == SSH_PUBLICKEY_STATE_NONE || state == SSH_PUBLICKEY_STATE_VALID
		       ? SSH_AUTH_SUCCESS
		       : SSH_AUTH_DENIED;
}

/* Until the client goes. */
static void serve(ssh_bind bind, int fd)
{
	struct ssh_server_callbacks_struct callbacks = {.auth_pubkey_function = let_in};
	ssh_session session = ssh_new();
	ssh_event event = ssh_event_new();

	ssh_callbacks_init(&callbacks);
	if (ssh_bind_accept_fd(bind, session, fd) == SSH_OK) {
		(void)ssh_set_server_callbacks(session, &callbacks);
		ssh_set_auth_methods(session, SSH_AUTH_METHOD_PUBLICKEY);
		if (ssh_handle_key_exchange(session) == SSH_OK &&
			ssh_event_add_session(event, session) == SSH_OK) {
			while (ssh_is_connected(session) &&
				ssh_event_dopoll(event, PATIENCE_MS) == SSH_OK)
				;
			(void)ssh_event_remove_session(event, session);
		}
	}
	ssh_disconnect(session);
	ssh_event_free(event);
	ssh_free(session);
}

static void serve_all(struct ssh_devices *d, struct pollfd *fds, ssh_key key)
{
	ssh_bind bind = ssh_bind_new();

	(void)ssh_bind_options_set(bind, SSH_BIND_OPTIONS_IMPORT_KEY, key);
	(void)ssh_bind_options_set(bind, SSH_BIND_OPTIONS_PROCESS_CONFIG, &(bool){false});
	while (poll(fds, d->n, -1) >= 0) {
		for (unsigned i = 0; i < d->n; i++) {
			int fd = fds[i].revents ? accept(fds[i].fd, NULL, NULL) : -1, one = 1;

			if (fd < 0)
				continue;
			(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			serve(bind, fd);
		}
	}
	bench_fail_child("poll of the listening sockets");
}

/* ---- ours ---- */

static ssh_key make_keys(struct ssh_devices *d, const char *identity)
{
	ssh_key host = NULL, user = NULL;
	char *base64 = NULL;
	bool ok = ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &host) == SSH_OK &&
		  ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &user) == SSH_OK &&
		  ssh_pki_export_privkey_file(user, NULL, NULL, NULL, identity) == SSH_OK &&
		  ssh_pki_export_pubkey_base64(host, &base64) == SSH_OK &&
		  str_printf(d->host_key, sizeof(d->host_key), "ssh-ed25519 %s", base64);

	ssh_string_free_char(base64);
	ssh_key_free(user);
	if (ok)
		return host;
	ssh_key_free(host);
	return NULL;
}

bool ssh_devices_start(struct ssh_devices *d, unsigned n, const char *identity)
{
	struct pollfd *fds = mem_calloc(n, sizeof(*fds));
	ssh_key host;
	bool ok;

	memset(d, 0, sizeof(*d));
	d->n = n;
	host = make_keys(d, identity);
	ok = host && listen_all(d, fds);
	if (ok)
		d->pid = fork();
	if (ok && d->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve_all(d, fds, host);
	}
	for (unsigned i = 0; i < n; i++) {
		if (fds[i].fd > 0)
			(void)close(fds[i].fd);
	}
	ssh_key_free(host);
	free(fds);
	return ok && d->pid > 0;
}

void ssh_devices_stop(struct ssh_devices *d)
{
	if (d->pid <= 0)
		return;
	(void)kill(d->pid, SIGKILL);
	(void)waitpid(d->pid, NULL, 0);
	d->pid = 0;
}
