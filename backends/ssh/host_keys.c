/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/ssh/session_private.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * Verifies the server's host key. libssh would read all of known_hosts three times per connection:
 * 6.5 ms of processor time at 18,500 lines, 13.6 ms at 800 hashed ones. So the files are parsed
 * into tables (known_hosts.h).
 *
 * libssh reads a file in memory with the lines of this host only, or of a host with the same types
 * of keys. It uses them only to choose the type of key to request, as the user's HostKeyAlgorithms
 * allow. The verdict is ours and does not depend on that file.
 */

/* Opening it fails at once; an empty file costs two more system calls. */
#define NO_FILE "/dev/null/none"

/* ---- the files ---- */

static struct {
	pthread_once_t once;
	bool there;
} proc = {.once = PTHREAD_ONCE_INIT};

static void find_proc(void)
{
	proc.there = access("/proc/self/fd", X_OK) == 0;
}

static bool proc_is_there(void)
{
	(void)pthread_once(&proc.once, find_proc);
	return proc.there;
}

/* The user's files, then the system's. */
static void find_files(struct ssh_link *l)
{
	const struct ssh_words *of[] = {&l->said->known, &l->said->known_globally};

	l->known.n = 0;
	for (unsigned k = 0; k < 2; k++) {
		for (size_t i = 0; i < of[k]->n; i++)
			vec_push(&l->known, hosts_file_at(of[k]->at[i]));
	}
}

/* Finds all known keys. HostKeyAlias replaces address and port. */
static void find_matches(struct ssh_link *l, struct known_matches *m)
{
	const char *alias = l->said->alias;
	int error;

	for (size_t i = 0; i < l->known.n; i++) {
		error = hosts_file_find(
			l->known.at[i], alias ? alias : l->host, alias ? 22 : l->port, m);
		if (!i)
			l->known_error = error;
	}
}

/* ---- type of the key to request ---- */

/* No host has more keys; beyond this libssh reads the files itself. */
#define SHOWN_BYTES ((size_t)256 << 10)

static bool is_shown(const struct known_match *m)
{
	/* libssh ignores all lines if it cannot read one of them. */
	return m->mark == KNOWN_KEY && ssh_key_type_from_name(m->type) != SSH_KEYTYPE_UNKNOWN;
}

/* Writes the lines with a wildcard host: they match any name. */
static bool write_lines(int fd, const struct known_matches *m)
{
	struct buf b;
	bool ok = true;

	buf_init(&b, SHOWN_BYTES);
	for (size_t i = 0; i < m->n && ok; i++) {
		if (is_shown(&m->at[i]))
			ok = buf_addf(&b, "* %s %s\n", m->at[i].type, m->at[i].key);
	}
	ok = ok && fd_write_all(fd, b.data, b.len);
	buf_free(&b);
	return ok;
}

/* Lists the types in the order of the lines; libssh uses nothing else of them. False: too many. */
static bool types_of(const struct known_matches *m, char *dst, size_t size)
{
	size_t n = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < m->n; i++) {
		if (!is_shown(&m->at[i]))
			continue;
		if (!str_printf(dst + n, size - n, "%s ", m->at[i].type))
			return false;
		n += strlen(dst + n);
	}
	return true;
}

/* A line that libssh cannot read hides the others, so such a host gets a file of its own. */
static bool all_readable(const struct known_matches *m)
{
	bool ok = true;

	for (size_t i = 0; i < m->n && ok; i++) {
		const struct known_match *k = &m->at[i];
		ssh_key key = NULL;

		if (is_shown(k))
			ok = ssh_pki_import_pubkey_base64(
				     k->key, ssh_key_type_from_name(k->type), &key) == SSH_OK;
		ssh_key_free(key);
	}
	return ok;
}

void ssh_hosts_done(struct ssh_link *l)
{
	if (l->known_fd < 0)
		return;
	/*
	 * libssh reads the file again at a key renewal; the descriptor may belong to another file
	 * by then.
	 */
	(void)ssh_options_set(l->session, SSH_OPTIONS_KNOWNHOSTS, NO_FILE);
	if (!l->known_shown)
		(void)close(l->known_fd);
	l->known_fd = -1;
}

void ssh_hosts_shut(struct ssh_shard *s)
{
	while (s->shown_n)
		(void)close(s->shown[--s->shown_n].fd);
}

/* Creates a file in memory with the lines. Returns -1 with errno. */
static int lines_file(const struct known_matches *m)
{
	int fd = memfd_create("known_hosts", MFD_CLOEXEC), error;

	if (fd < 0 || write_lines(fd, m))
		return fd;
	error = errno;
	(void)close(fd);
	errno = error;
	return -1;
}

/*
 * Reuses a file of the shard with the same types; the hosts of a fabric usually have the same ones.
 */
static int shown_file(struct ssh_link *l, const struct known_matches *m, const char *types)
{
	struct ssh_shard *s = l->shard;
	int fd;

	l->known_shown = true;
	for (unsigned i = 0; i < s->shown_n; i++) {
		if (str_eq(s->shown[i].types, types))
			return s->shown[i].fd;
	}
	fd = lines_file(m);
	l->known_shown = fd >= 0 && s->shown_n < SHOWN_KINDS && all_readable(m);
	if (l->known_shown) {
		s->shown[s->shown_n].fd = fd;
		(void)str_copy(s->shown[s->shown_n++].types, sizeof(s->shown[0].types), types);
	}
	return fd;
}

/* False with errno: no descriptor is left, and libssh would get none either. */
static bool show_libssh(struct ssh_link *l, const struct known_matches *m)
{
	char path[64] = NO_FILE, types[sizeof(l->shard->shown[0].types)];
	bool few = types_of(m, types, sizeof(types));

	ssh_hosts_done(l);
	if (types[0]) {
		l->known_shown = false;
		l->known_fd = few ? shown_file(l, m, types) : lines_file(m);
		if (l->known_fd < 0 && (errno == EMFILE || errno == ENFILE))
			return false;
		(void)str_printf(path, sizeof(path), "/proc/self/fd/%d", l->known_fd);
		/* Without it libssh reads the files itself, which only takes longer. */
		if (l->known_fd < 0 || !proc_is_there())
			return true;
	}
	(void)ssh_options_set(l->session, SSH_OPTIONS_KNOWNHOSTS, path);
	(void)ssh_options_set(l->session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, NO_FILE);
	return true;
}

bool ssh_hosts_prepare(struct ssh_link *l)
{
	struct known_matches m = {0};
	int error;
	bool ok;

	find_files(l);
	find_matches(l, &m);
	ok = show_libssh(l, &m);
	error = errno;
	known_matches_free(&m);
	errno = error;
	return ok;
}

/* ---- the verdict ---- */

static void format_fingerprint(ssh_key key, char *dst, size_t size)
{
	unsigned char *hash = NULL;
	size_t len = 0;
	char *text = NULL;

	str_copy(dst, size, "unknown");
	if (!key || ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &len) != 0)
		return;
	text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, len);
	if (text)
		str_copy(dst, size, text);
	ssh_string_free_char(text);
	ssh_clean_pubkey_hash(&hash);
}

static void recorded_fingerprint(const struct known_match *m, char *dst, size_t size)
{
	ssh_key key = NULL;

	if (ssh_pki_import_pubkey_base64(m->key, ssh_key_type_from_name(m->type), &key) == SSH_OK)
		format_fingerprint(key, dst, size);
	else
		str_printf(dst, size, "another key (line %u)", m->number);
	ssh_key_free(key);
}

/* The user's file, to which a new key should be added. */
static const char *own_file(const struct ssh_link *l)
{
	return l->said->known.n ? hosts_file_path(l->known.at[0]) : "any UserKnownHostsFile";
}

/* The name of the device in known_hosts: alias, "host" or "[host]:port". */
static void known_name(const struct ssh_link *l, char *dst, size_t size)
{
	if (l->said->alias)
		str_copy(dst, size, l->said->alias);
	else if (l->port == 22)
		str_copy(dst, size, l->host);
	else
		str_printf(dst, size, "[%s]:%u", l->host, l->port);
}

static const struct known_match *first_with(const struct known_matches *m, enum known_mark mark)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->at[i].mark == mark)
			return &m->at[i];
	}
	return NULL;
}

static bool refuse_unknown(
	struct ssh_link *l, const struct known_matches *m, const char *offered, struct err *err)
{
	const struct known_match *authority = first_with(m, KNOWN_AUTHORITY);
	const char *file = own_file(l), *alias = l->said->alias;

	err_set(err, ERR_UNAUTHORISED, l->device->name,
		"the host key of %s port %u (%s) is not in %s%s%s%s%s", l->host, l->port, offered,
		file, alias ? " as " : "", alias ? alias : "",
		authority ? ", and host certificates are not checked: only an authority is in "
			  : "",
		authority ? authority->file : "");
	if (l->known_error && l->known_error != ENOENT)
		return err_cure(err, "make %s readable: %s", file, strerror(l->known_error));
	if (!l->said->known.n)
		return err_cure(err, "known_hosts: of the inventory, or UserKnownHostsFile FILE in "
				     "a Host block for it");
	if (alias)
		return err_cure(err,
			"compare the fingerprint with the device's console, then: ssh-keyscan -p "
			"%u %s "
			"| sed 's/^[^ ]*/%s/' >> %s",
			l->port, l->host, alias, file);
	return err_cure(err,
		"compare the fingerprint with the device's console, then: ssh-keyscan -p %u %s >> "
		"%s",
		l->port, l->host, file);
}

static bool refuse_revoked(
	struct ssh_link *l, const struct known_match *revoked, const char *offered, struct err *err)
{
	err_set(err, ERR_UNAUTHORISED, l->device->name,
		"HOST KEY REVOKED: %s port %u shows %s, which line %u of %s revokes; the "
		"connection may be intercepted",
		l->host, l->port, offered, revoked->number, revoked->file);
	return err_cure(err,
		"give the device a new host key; if the line is a mistake, remove it from %s",
		revoked->file);
}

static bool refuse_changed(struct ssh_link *l, const struct known_match *known, bool other_type,
	const char *offered, struct err *err)
{
	char recorded[96], name[300];

	recorded_fingerprint(known, recorded, sizeof(recorded));
	known_name(l, name, sizeof(name));
	err_set(err, ERR_UNAUTHORISED, l->device->name,
		"HOST KEY CHANGED: %s port %u shows %s, but %s has %s%s; the connection may be "
		"intercepted",
		l->host, l->port, offered, known->file, other_type ? "a key of another type: " : "",
		recorded);
	return err_cure(
		err, "if the device was reinstalled: ssh-keygen -R '%s' -f %s", name, known->file);
}

/* Compares two keys in base64; the padding is optional. */
static bool same_key(const char *a, const char *b)
{
	size_t na = strcspn(a, "="), nb = strcspn(b, "=");

	return na == nb && memcmp(a, b, na) == 0;
}

static bool judge_key(struct ssh_link *l, const struct known_matches *m, ssh_key offered,
	const char *base64, struct err *err)
{
	const struct known_match *same = NULL, *same_type = NULL, *k;
	const char *type = ssh_key_type_to_char(ssh_key_type(offered));
	char print[96];

	format_fingerprint(offered, print, sizeof(print));
	for (size_t i = 0; i < m->n; i++) {
		bool is_same;

		k = &m->at[i];
		is_same = same_key(k->key, base64);
		if (k->mark == KNOWN_REVOKED && is_same)
			return refuse_revoked(l, k, print, err);
		if (k->mark != KNOWN_KEY)
			continue;
		if (is_same && !same)
			same = k;
		if (!same_type && str_eq(k->type, type))
			same_type = k;
	}
	if (same)
		return true;
	if (same_type)
		return refuse_changed(l, same_type, false, print, err);
	k = first_with(m, KNOWN_KEY);
	return k ? refuse_changed(l, k, true, print, err) : refuse_unknown(l, m, print, err);
}

bool ssh_hostkey_verify(struct ssh_link *l, struct err *err)
{
	struct known_matches m = {0};
	ssh_key offered = NULL;
	char *base64 = NULL;
	bool ok;

	ssh_hosts_done(l);
	if (ssh_get_server_publickey(l->session, &offered) == SSH_OK &&
		ssh_pki_export_pubkey_base64(offered, &base64) == SSH_OK) {
		find_matches(l, &m);
		ok = judge_key(l, &m, offered, base64, err);
	} else {
		ok = err_set(err, ERR_UNAUTHORISED, l->device->name,
			"the host key cannot be checked: %s", ssh_link_reason(l));
	}
	known_matches_free(&m);
	ssh_string_free_char(base64);
	ssh_key_free(offered);
	return ok;
}
