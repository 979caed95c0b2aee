/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "backends/ssh/public_key.h"
#include "backends/contract/target.h"
#include "backends/ssh/session_private.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Authentication with ssh-agent. libssh keeps its connection to the agent open for as long as the
 * session lives. An agent has descriptors for about a thousand connections, so this file opens the
 * connection itself and closes it after authentication.
 *
 * The stated keys (IdentityFile) are offered first; with IdentitiesOnly no others are offered. The
 * agent may hold many more keys than a server lets a client try. libssh asks the agent for its list
 * and offers all of it in that order. So libssh first talks to a socket of ours that holds our own
 * list and then ends; after the list it talks to the agent itself.
 */

enum { AGENT_ASK = 11, AGENT_LIST = 12 };
#define LIST_MOST    ((size_t)256 << 10)
#define PATIENCE_S   5
#define NARROW_TRIES 3

static const char *agent_path(const struct ssh_link *l)
{
	return l->said->agent ? l->said->agent : getenv("SSH_AUTH_SOCK");
}

static int agent_connect(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct timeval patience = {.tv_sec = PATIENCE_S};
	int fd;

	if (!path || !*path || !str_copy(un.sun_path, sizeof(un.sun_path), path))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&un, sizeof(un)) == 0)
		return fd;
	(void)close(fd);
	return -1;
}

/* ---- selection of the agent's keys ---- */

static bool read_whole(int fd, void *to, size_t n)
{
	char *at = to;
	ssize_t got;

	while (n) {
		got = recv(fd, at, n, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

static uint32_t number_at(const char *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof(n));
	return ntohl(n);
}

static void add_number(struct buf *b, uint32_t n)
{
	n = htonl(n);
	(void)buf_add(b, &n, sizeof(n));
}

/* The agent's list of keys, without the length and the type byte of the message. */
static bool read_list(int fd, struct buf *out)
{
	static const char ask[] = {0, 0, 0, 1, AGENT_ASK};
	char head[5], *body;
	uint32_t n;
	bool ok;

	if (send(fd, ask, sizeof(ask), MSG_NOSIGNAL) != (ssize_t)sizeof(ask) ||
		!read_whole(fd, head, sizeof(head)) || head[4] != AGENT_LIST)
		return false;
	n = number_at(head);
	if (n < 5 || n > LIST_MOST)
		return false;
	body = mem_alloc(n - 1);
	ok = read_whole(fd, body, n - 1) && buf_add(out, body, n - 1);
	free(body);
	return ok;
}

/* One entry of the agent's list. */
struct blob {
	const char *bytes;
	size_t n;
};

static bool is_in_file(const char *path, const char *more, struct blob b)
{
	char file[4200], own[SSH_PUBLIC_MOST];

	return str_printf(file, sizeof(file), "%s%s", path, more) &&
	       ssh_public_read(file, own, sizeof(own)) && ssh_public_is(own, b.bytes, b.n);
}

static bool is_exported(ssh_key key, struct blob b)
{
	char *made = NULL;
	bool same = ssh_pki_export_pubkey_base64(key, &made) == SSH_OK &&
		    ssh_public_is(made, b.bytes, b.n);

	ssh_string_free_char(made);
	return same;
}

/* Reads the public key from the private key file. A passphrase hides it only in old formats. */
static bool is_half_of(const struct ssh_link *l, const char *path, struct blob b)
{
	struct shared_key *k;
	ssh_key key = NULL;
	bool same;

	if (ssh_pki_import_pubkey_file(path, &key) == SSH_OK) {
		same = is_exported(key, b);
		ssh_key_free(key);
		return same;
	}
	k = ssh_keys_take(l->shard->keys, path, NULL);
	same = k && is_exported(k->key, b);
	ssh_key_release(k);
	return same;
}

static bool is_key_of(const struct ssh_link *l, const char *path, struct blob b)
{
	char beside[4200];

	/* IdentityFile may also name the public key. */
	if (is_in_file(path, "-cert.pub", b) || is_in_file(path, ".pub", b) ||
		is_in_file(path, "", b))
		return true;
	if (access(path, R_OK) != 0)
		return false;
	/* With a public key file beside it the private key need not be read. */
	return !(str_printf(beside, sizeof(beside), "%s.pub", path) && access(beside, R_OK) == 0) &&
	       is_half_of(l, path, b);
}

static bool is_certificate(const struct ssh_link *l, struct blob b)
{
	char own[SSH_PUBLIC_MOST];

	for (size_t i = 0; i < l->said->certificates.n; i++) {
		if (ssh_public_read(l->said->certificates.at[i], own, sizeof(own)) &&
			ssh_public_is(own, b.bytes, b.n))
			return true;
	}
	return false;
}

static bool is_stated(const struct ssh_link *l, struct blob b)
{
	const char *own = l->device->identity;
	bool stated = is_certificate(l, b);
	char *file = own ? target_expand_home(own) : NULL;

	if (!stated && file)
		stated = is_key_of(l, file, b);
	free(file);
	for (size_t n = 0; !stated && (file = ssh_auth_file(l, n)); n++) {
		stated = is_key_of(l, file, b);
		free(file);
	}
	return stated;
}

/*
 * One entry is blob and comment, each with its length. Returns its size, or 0 if it is malformed.
 */
static size_t entry_size(const char *at, size_t left, uint32_t *blob)
{
	uint32_t comment;

	if (left < 8)
		return 0;
	*blob = number_at(at);
	if (*blob > left - 8)
		return 0;
	comment = number_at(at + 4 + *blob);
	return comment > left - 8 - *blob ? 0 : (size_t)8 + *blob + comment;
}

/* The agent's list in two parts; each keeps the agent's order. */
struct sorted {
	struct buf stated, others;
	uint32_t n_stated, n_others;
	bool moved; /* a stated key came after one that is not stated */
};

static void sort_list(const struct ssh_link *l, const struct buf *list, struct sorted *s)
{
	uint32_t all = number_at(list->data), blob;
	size_t at = 4, size;

	for (; all; all--, at += size) {
		size = entry_size(list->data + at, list->len - at, &blob);
		if (!size)
			break;
		if (!is_stated(l, (struct blob){.bytes = list->data + at + 4, .n = blob})) {
			s->n_others += buf_add(&s->others, list->data + at, size);
			continue;
		}
		s->n_stated += buf_add(&s->stated, list->data + at, size);
		s->moved |= s->n_others > 0;
	}
}

static void write_list(const struct sorted *s, bool only, struct buf *message)
{
	size_t others = only ? 0 : s->others.len;

	add_number(message, (uint32_t)(s->stated.len + others) + 5);
	(void)buf_add(message, &(char){AGENT_LIST}, 1);
	add_number(message, s->n_stated + (only ? 0 : s->n_others));
	(void)buf_add(message, s->stated.data, s->stated.len);
	if (others)
		(void)buf_add(message, s->others.data, others);
}

/* ends[0] delivers the message and then the end of file; requests written there are never read. */
static bool with_message(const struct buf *message, int ends[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	if (send(ends[1], message->data, message->len, MSG_NOSIGNAL | MSG_DONTWAIT) ==
			(ssize_t)message->len &&
		shutdown(ends[1], SHUT_WR) == 0)
		return true;
	(void)close(ends[0]);
	(void)close(ends[1]);
	return false;
}

/* ---- libssh ---- */

static bool agent_open(struct ssh_link *l)
{
	if (l->agent >= 0)
		return true;
	l->agent = agent_connect(agent_path(l));
	if (l->agent < 0)
		return false;
	if (ssh_set_agent_socket(l->session, l->agent) == SSH_OK)
		return true;
	(void)close(l->agent);
	l->agent = -1;
	return false;
}

void ssh_agent_end(struct ssh_link *l)
{
	l->agent_narrowed = false;
	if (l->agent < 0)
		return;
	(void)ssh_set_agent_socket(l->session, SSH_INVALID_SOCKET);
	(void)close(l->agent);
	l->agent = -1;
}

/*
 * Lets libssh read our list. libssh reads the list in its first call. Normally there is nothing to
 * sign yet. If the server answered within that same call, libssh asks our socket for a signature,
 * meets its end and fails; then we start again.
 */
static int offer_list(struct ssh_link *l, const struct buf *message)
{
	int rc = SSH_AUTH_DENIED, ends[2];

	for (unsigned i = 0; i < NARROW_TRIES && ssh_is_connected(l->session); i++) {
		if (!with_message(message, ends))
			return SSH_AUTH_DENIED;
		(void)ssh_set_agent_socket(l->session, ends[0]);
		rc = ssh_userauth_agent(l->session, NULL);
		(void)ssh_set_agent_socket(l->session, l->agent);
		(void)close(ends[0]);
		(void)close(ends[1]);
		if (rc == SSH_AUTH_AGAIN || rc == SSH_AUTH_SUCCESS)
			break;
	}
	return rc;
}

static int offer_sorted(struct ssh_link *l, const struct buf *list, bool only)
{
	struct sorted s = {0};
	struct buf message;
	int rc;

	buf_init(&s.stated, LIST_MOST);
	buf_init(&s.others, LIST_MOST);
	buf_init(&message, LIST_MOST + 16);
	sort_list(l, list, &s);
	if (only ? s.n_stated > 0 : s.moved) {
		write_list(&s, only, &message);
		rc = offer_list(l, &message);
	} else {
		rc = only ? SSH_AUTH_DENIED : ssh_userauth_agent(l->session, NULL);
	}
	buf_free(&s.stated);
	buf_free(&s.others);
	buf_free(&message);
	return rc;
}

static int offer_stated_first(struct ssh_link *l)
{
	bool only = ssh_setting_is(l->said, SAID_IDENTITIES_ONLY, false);
	int rc = SSH_AUTH_DENIED;
	struct buf list;

	buf_init(&list, LIST_MOST);
	if (read_list(l->agent, &list))
		rc = offer_sorted(l, &list, only);
	buf_free(&list);
	l->agent_narrowed = true;
	return rc;
}

int ssh_agent_step(struct ssh_link *l)
{
	int rc;

	if (!agent_open(l))
		return SSH_AUTH_DENIED;
	if (!l->agent_narrowed)
		rc = offer_stated_first(l);
	else
		rc = ssh_userauth_agent(l->session, NULL);
	if (rc == SSH_AUTH_AGAIN || rc == SSH_AUTH_SUCCESS)
		return rc;
	ssh_auth_note(l, "ssh-agent", "");
	/* The other keys can still be tried if the agent does not answer. */
	return ssh_is_connected(l->session) ? SSH_AUTH_DENIED : rc;
}
