/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "backends/target.h"
#include "backends/transport_ssh_link.h"
#include "base/str.h"

/*
 * libssh would keep a connection to the agent for as long as the session lives, and an agent has
 * descriptors for some thousand: bring our own, and take it back.
 */
static bool agent_open(struct ssh_link *l)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	const char *path = getenv("SSH_AUTH_SOCK");

	if (l->agent >= 0)
		return true;
	if (!path || !*path || !str_copy(un.sun_path, sizeof(un.sun_path), path))
		return false;
	l->agent = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->agent < 0)
		return false;
	if (connect(l->agent, (struct sockaddr *)&un, sizeof(un)) != 0 ||
		ssh_set_agent_socket(l->session, l->agent) != SSH_OK) {
		(void)close(l->agent);
		l->agent = -1;
		return false;
	}
	return true;
}

static void agent_close(struct ssh_link *l)
{
	if (l->agent < 0)
		return;
	(void)ssh_set_agent_socket(l->session, SSH_INVALID_SOCKET);
	(void)close(l->agent);
	l->agent = -1;
}

void ssh_auth_reset(struct ssh_link *l)
{
	agent_close(l);
	ssh_key_release(l->key);
	l->key = NULL;
	l->auth = AUTH_IDENTITY;
	l->auth_none = l->auth_none_done = false;
	l->tried[0] = '\0';
}

static char *config_identity(const struct ssh_link *l)
{
	char *path = NULL, *copy;

	if (ssh_options_get(l->session, SSH_OPTIONS_IDENTITY, &path) != SSH_OK)
		return NULL;
	copy = target_expand_home(path);
	ssh_string_free_char(path);
	return copy;
}

/* The key file of a step; NULL: none. The caller frees it. */
static char *step_file(const struct ssh_link *l, enum auth_step step)
{
	static const char *const defaults[] = {
		"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"};

	if (step == AUTH_IDENTITY)
		return l->device->identity ? target_expand_home(l->device->identity) : NULL;
	if (step == AUTH_CONFIG)
		return config_identity(l);
	if (step >= AUTH_DEFAULT && step < AUTH_EXHAUSTED)
		return target_expand_home(defaults[step - AUTH_DEFAULT]);
	return NULL;
}

/* Was the same file an earlier step's? Servers count attempts. */
static bool tried_before(const struct ssh_link *l, enum auth_step step, const char *file)
{
	bool same = false;

	for (enum auth_step s = AUTH_IDENTITY; s < step && !same; s++) {
		char *earlier = step_file(l, s);

		same = str_eq(earlier, file);
		free(earlier);
	}
	return same;
}

static void note_tried(struct ssh_link *l, const char *what, const char *why)
{
	size_t n = strlen(l->tried);

	str_printf(l->tried + n, sizeof(l->tried) - n, "%s%s%s%s", n ? ", " : "", what,
		*why ? " " : "", why);
}

/* No passphrase is ever asked for: a locked key has its place in the agent. */
static bool load_key(struct ssh_link *l, enum auth_step step)
{
	char *file = step_file(l, step);
	bool ok = false;

	if (file && !tried_before(l, step, file)) {
		if (access(file, R_OK) != 0) {
			if (step == AUTH_IDENTITY)
				note_tried(l, file, "(cannot be read)");
		} else {
			l->key = ssh_keys_take(l->shard->keys, file);
			ok = l->key != NULL;
			note_tried(l, file, ok ? "" : "(needs a passphrase, or is no key)");
		}
	}
	free(file);
	return ok;
}

static int try_key(struct ssh_link *l)
{
	int rc;

	if (!l->key && !load_key(l, l->auth))
		return SSH_AUTH_DENIED;
	rc = ssh_userauth_publickey(l->session, NULL, l->key->key);
	/*
	 * The server's list of signature algorithms may not have been read yet; libssh then thinks
	 * of RSA keys as ssh-rsa and refuses them itself. One round trip brings the list.
	 */
	if ((rc == SSH_AUTH_DENIED || rc == SSH_AUTH_ERROR) && !l->auth_none_done &&
		strstr(ssh_get_error(l->session), "is not allowed")) {
		l->auth_none = true;
		return SSH_AUTH_INFO;
	}
	return rc;
}

static int try_agent(struct ssh_link *l)
{
	int rc;

	if (!agent_open(l))
		return SSH_AUTH_DENIED;
	rc = ssh_userauth_agent(l->session, NULL);
	if (rc == SSH_AUTH_AGAIN || rc == SSH_AUTH_SUCCESS)
		return rc;
	note_tried(l, "ssh-agent", "");
	/* An agent that does not answer is no reason to give up the other keys. */
	return ssh_is_connected(l->session) ? SSH_AUTH_DENIED : rc;
}

static int try_none(struct ssh_link *l)
{
	int rc = ssh_userauth_none(l->session, NULL);

	if (rc == SSH_AUTH_AGAIN || rc == SSH_AUTH_SUCCESS)
		return rc;
	l->auth_none = false;
	l->auth_none_done = true;
	return rc == SSH_AUTH_ERROR ? rc : SSH_AUTH_INFO;
}

static void methods_text(unsigned methods, char *dst, size_t size)
{
	str_printf(dst, size, "%s%s%s%s", methods & SSH_AUTH_METHOD_PUBLICKEY ? " publickey" : "",
		methods & SSH_AUTH_METHOD_PASSWORD ? " password" : "",
		methods & SSH_AUTH_METHOD_INTERACTIVE ? " keyboard-interactive" : "",
		methods & SSH_AUTH_METHOD_GSSAPI_MIC ? " gssapi" : "");
}

static void refuse_keys(struct ssh_link *l, struct err *err)
{
	char methods[80];
	const char *id = l->device->identity;

	methods_text((unsigned)ssh_userauth_list(l->session, NULL), methods, sizeof(methods));
	err_set(err, ERR_UNAUTHORISED, l->device->name,
		"%s port %u accepts no key of user %s (tried: %s; the server takes:%s)", l->host,
		l->port, l->user, l->tried[0] ? l->tried : "none, there is no key",
		methods[0] ? methods : " unknown");
	err_cure(err, "ssh-copy-id%s%s -p %u %s@%s, or set %s", id ? " -i " : "", id ? id : "",
		l->port, l->user, l->host,
		l->bastion ? "User and IdentityFile of the bastion in ssh_config"
			   : "user: and identity: of the device");
}

int ssh_auth_step(struct ssh_link *l, struct err *err)
{
	int rc = SSH_AUTH_DENIED;

	while (l->auth < AUTH_EXHAUSTED) {
		if (l->auth_none)
			rc = try_none(l);
		else
			rc = l->auth == AUTH_AGENT ? try_agent(l) : try_key(l);
		if (rc == SSH_AUTH_INFO)
			continue;
		if (rc == SSH_AUTH_AGAIN || rc == SSH_AUTH_SUCCESS)
			return rc;
		if (!ssh_is_connected(l->session))
			break;
		ssh_key_release(l->key);
		l->key = NULL;
		l->auth++;
	}
	refuse_keys(l, err);
	return SSH_AUTH_DENIED;
}
