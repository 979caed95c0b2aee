/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/transport/file_stamp.h"
#include "backends/ssh/public_key.h"
#include "backends/ssh/session_private.h"
#include "base/regular_file.h"
#include "base/str.h"

/*
 * Cache of private keys. Each key is read and decoded once for all sessions of a shard, and again
 * when its file changes. A shard is one thread, so a key is never used concurrently. Like in an
 * agent, keys stay in memory as long as the shard. libssh overwrites them when it frees them.
 */

/* Files beyond this number (for example one per device) are read for each connection. */
#define KEPT_MOST 256

struct key_file {
	char *path, *stated; /* stated: path of its certificate, NULL: the one beside it */
	struct file_stamp stamp, certificate;
	struct shared_key *key; /* NULL: locked, or not a key */
};

struct ssh_keys {
	VEC(struct key_file) files;
};

/* Attaches the certificate that is presented with the key. Returns false on failure. */
static bool load_certificate(ssh_key key, const char *path)
{
	ssh_key cert = NULL;
	bool ok = ssh_pki_import_cert_file(path, &cert) == SSH_OK &&
		  ssh_pki_copy_cert_to_privkey(cert, key) == SSH_OK;

	ssh_key_free(cert);
	return ok;
}

/*
 * True: the certificate is for this key. *read: the certificate could be read; otherwise the result
 * is unknown.
 */
static bool is_about(const char *certificate, ssh_key key, bool *read)
{
	char text[SSH_PUBLIC_MOST], *own = NULL;
	bool ok;

	*read = ssh_public_read(certificate, text, sizeof(text));
	ok = *read && ssh_pki_export_pubkey_base64(key, &own) == SSH_OK &&
	     ssh_public_certifies(text, own);
	ssh_string_free_char(own);
	return ok;
}

static bool is_regular_or_absent(const char *path)
{
	return access(path, F_OK) != 0 || regular_file_is(path);
}

/*
 * Loads key and certificate. stated: the key is rejected without its certificate. *whole: the
 * certificate was loaded, or there is none.
 */
static struct shared_key *load_key(
	const char *file, const char *certificate, bool stated, bool *whole)
{
	struct shared_key *s;
	ssh_key key = NULL;

	*whole = false;
	/* libssh would wait for the writer of a FIFO. */
	if (!regular_file_is(file) || !is_regular_or_absent(certificate))
		return NULL;
	if (ssh_pki_import_privkey_file(file, NULL, NULL, NULL, &key) != SSH_OK)
		return NULL;
	if (stated && !is_about(certificate, key, whole)) {
		ssh_key_free(key);
		return NULL;
	}
	*whole = access(certificate, R_OK) != 0 || load_certificate(key, certificate);
	s = mem_calloc(1, sizeof(*s));
	s->key = key;
	s->refs = 1;
	return s;
}

void ssh_key_release(struct shared_key *s)
{
	if (!s || --s->refs)
		return;
	ssh_key_free(s->key);
	free(s);
}

static struct key_file *file_at(struct ssh_keys *k, const char *path, const char *stated)
{
	struct key_file *f;

	for (size_t i = 0; i < k->files.n; i++) {
		if (str_eq(k->files.at[i].path, path) && str_eq(k->files.at[i].stated, stated))
			return &k->files.at[i];
	}
	if (k->files.n >= KEPT_MOST)
		return NULL;
	f = vec_add(&k->files);
	f->path = mem_strdup(path);
	f->stated = stated ? mem_strdup(stated) : NULL;
	f->stamp.young = true; /* forces the first read */
	return f;
}

struct shared_key *ssh_keys_take(struct ssh_keys *k, const char *file, const char *stated)
{
	struct key_file *f = file_at(k, file, stated);
	struct file_stamp stamp, certificate_stamp;
	char certificate[4096];
	bool whole;

	if (!str_printf(certificate, sizeof(certificate), "%s%s", stated ? stated : file,
		    stated ? "" : "-cert.pub"))
		return NULL;
	if (!f)
		return load_key(file, certificate, stated != NULL, &whole);
	file_stamp(&stamp, file);
	file_stamp(&certificate_stamp, certificate);
	if (!file_stamp_same(&f->stamp, &stamp) ||
		!file_stamp_same(&f->certificate, &certificate_stamp)) {
		ssh_key_release(f->key);
		f->key = load_key(file, certificate, stated != NULL, &whole);
		f->stamp = stamp;
		f->certificate = certificate_stamp;
		f->stamp.young |= !whole; /* for example no descriptor was left: try again */
	}
	if (f->key)
		f->key->refs++;
	return f->key;
}

struct ssh_keys *ssh_keys_new(void)
{
	return mem_calloc(1, sizeof(struct ssh_keys));
}

void ssh_keys_free(struct ssh_keys *k)
{
	for (size_t i = 0; i < k->files.n; i++) {
		free(k->files.at[i].path);
		free(k->files.at[i].stated);
		ssh_key_release(k->files.at[i].key);
	}
	vec_free(&k->files);
	free(k);
}
