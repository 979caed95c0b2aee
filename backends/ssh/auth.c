/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/contract/target.h"
#include "backends/ssh/session_private.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Public key authentication. The steps, in this order: the inventory's key, the agent, then the
 * keys of ssh_config or, without those, the usual ones. A key is tried first with each certificate
 * of CertificateFile that certifies it, and then without.
 */

void ssh_auth_reset(struct ssh_link *l)
{
	ssh_agent_end(l);
	ssh_key_release(l->key);
	l->key = NULL;
	l->auth = 0;
	l->auth_none = l->auth_none_done = false;
	l->tried[0] = '\0';
}

char *ssh_auth_file(const struct ssh_link *l, size_t n)
{
	static const char *const usual[] = {"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa",
		/* Hardware keys: only through the agent. */
		"~/.ssh/id_ed25519_sk", "~/.ssh/id_ecdsa_sk"};
	const struct ssh_settings *s = l->said;

	if (s->keys_stated)
		return n < s->keys.n ? mem_strdup(s->keys.at[n]) : NULL;
	return n < sizeof(usual) / sizeof(usual[0]) ? target_expand_home(usual[n]) : NULL;
}

enum step_kind { STEP_IDENTITY, STEP_AGENT, STEP_FILE, STEP_NONE };

struct step {
	enum step_kind kind;
	char *file;              /* NULL: none; freed */
	const char *certificate; /* NULL: the one beside the key file, if any */
};

static struct step step_at(const struct ssh_link *l, size_t n)
{
	const struct ssh_words *c = &l->said->certificates;
	const char *own = l->device->identity;
	size_t ways = c->n + 1, way = n % ways;
	struct step s = {.kind = STEP_IDENTITY};

	if (n == ways)
		return (struct step){.kind = STEP_AGENT};
	if (n > ways) {
		s.kind = STEP_FILE;
		way = (n - 1) % ways;
		s.file = ssh_auth_file(l, (n - 1) / ways - 1);
		if (!s.file)
			s.kind = STEP_NONE;
	} else if (own) {
		s.file = target_expand_home(own);
	}
	s.certificate = way < c->n ? c->at[way] : NULL;
	return s;
}

/* True: an earlier step tried the same file. Servers count attempts. */
static bool tried_before(const struct ssh_link *l, const struct step *s)
{
	bool same = false;

	for (size_t n = 0; n < l->auth && !same; n++) {
		struct step earlier = step_at(l, n);

		same = str_eq(earlier.file, s->file) && str_eq(earlier.certificate, s->certificate);
		free(earlier.file);
	}
	return same;
}

void ssh_auth_note(struct ssh_link *l, const char *what, const char *why)
{
	size_t n = strlen(l->tried);

	str_printf(l->tried + n, sizeof(l->tried) - n, "%s%s%s%s", n ? ", " : "", what,
		*why ? " " : "", why);
}

static bool is_of_token(const struct shared_key *k)
{
	enum ssh_keytypes_e type = ssh_key_type(k->key);

	return type == SSH_KEYTYPE_SK_ED25519 || type == SSH_KEYTYPE_SK_ECDSA ||
	       type == SSH_KEYTYPE_SK_ED25519_CERT01 || type == SSH_KEYTYPE_SK_ECDSA_CERT01;
}

/* Never asks for a passphrase: a locked key belongs into the agent. */
static bool load_key(struct ssh_link *l, const struct step *s)
{
	const struct ssh_settings *said = l->said;

	if (!s->file || tried_before(l, s))
		return false;
	if (access(s->file, R_OK) != 0) {
		if (!s->certificate && (s->kind == STEP_IDENTITY || said->keys_stated))
			ssh_auth_note(l, s->file, "(cannot be read)");
		return false;
	}
	l->key = ssh_keys_take(l->shard->keys, s->file, s->certificate);
	if (l->key && is_of_token(l->key)) {
		ssh_auth_note(l, s->file, "(is for the agent: it needs a token)");
		ssh_key_release(l->key);
		l->key = NULL;
		return false;
	}
	if (l->key && s->certificate)
		ssh_auth_note(l, s->certificate, "");
	else if (!s->certificate)
		ssh_auth_note(l, s->file, l->key ? "" : "(needs a passphrase, or is not a key)");
	return l->key != NULL;
}

static int try_key(struct ssh_link *l, const struct step *s)
{
	int rc;

	if (!l->key && !load_key(l, s))
		return SSH_AUTH_DENIED;
	rc = ssh_userauth_publickey(l->session, NULL, l->key->key);
	/*
	 * libssh may not have read the server's list of signature algorithms yet. It then takes RSA
	 * keys for ssh-rsa and refuses them itself. One round trip with "none" brings the list.
	 */
	if ((rc == SSH_AUTH_DENIED || rc == SSH_AUTH_ERROR) && !l->auth_none_done &&
		strstr(ssh_get_error(l->session), "is not allowed")) {
		l->auth_none = true;
		return SSH_AUTH_INFO;
	}
	return rc;
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

	/* A key on the server does not help where the file with ours cannot be read. */
	if (id && access(id, R_OK) != 0) {
		err_set(err, ERR_UNAUTHORISED, l->device->name,
			"the private key %s cannot be read: %s", id, strerror(errno));
		err_cure(err,
			"correct identity: of the device (--identity), or make the key: "
			"ssh-keygen -f %s",
			id);
		return;
	}
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

/* railtop supports key authentication only. */
static int refuse_all(struct ssh_link *l, struct err *err)
{
	err_set(err, ERR_UNAUTHORISED, l->device->name,
		"ssh_config has PubkeyAuthentication no, and railtop supports only keys");
	err_cure(
		err, "PubkeyAuthentication yes in a Host block for %s, before it", l->device->name);
	return SSH_AUTH_DENIED;
}

/* Returns false when there is no step left. */
static bool try_step(struct ssh_link *l, int *rc)
{
	struct step s = step_at(l, l->auth);

	if (s.kind == STEP_NONE)
		return false;
	if (l->auth_none)
		*rc = try_none(l);
	else
		*rc = s.kind == STEP_AGENT ? ssh_agent_step(l) : try_key(l, &s);
	free(s.file);
	return true;
}

int ssh_auth_step(struct ssh_link *l, struct err *err)
{
	int rc = SSH_AUTH_DENIED;

	if (!ssh_setting_is(l->said, SAID_PUBKEY, true))
		return refuse_all(l, err);
	while (try_step(l, &rc)) {
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
