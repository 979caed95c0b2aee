/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/serve/site.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

#define HOSTS_PER_NET 254U /* .0 and .255 are left out: in a log they look like mistakes */
#define LOOPBACK_END  0x80000000U

static bool io_error(const char *path, const char *what, struct err *err)
{
	err_set(err, ERR_IO, path, "cannot %s: %s", what, strerror(errno));
	return err_cure(err, "choose another --dir, or make this one writable");
}

/*
 * Writes the whole file beside its final name, then renames it: readers never see a partial
 * file.
 */
static bool write_file(const struct site *s, const char *name, const char *text, struct err *err)
{
	char path[4096], tmp[4096];
	size_t left = strlen(text);
	int fd;

	if (!str_printf(path, sizeof(path), "%s/%s", s->dir, name) ||
		!str_printf(tmp, sizeof(tmp), "%s/.%s.tmp", s->dir, name))
		return err_set(err, ERR_IO, s->dir, "the path is too long");
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return io_error(tmp, "create", err);
	while (left) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			(void)io_error(tmp, "write", err);
			(void)close(fd);
			return false;
		}
		text += n;
		left -= (size_t)n;
	}
	if (close(fd) != 0 || rename(tmp, path) != 0)
		return io_error(path, "write", err);
	return true;
}

static bool make_dir(const char *dir, struct err *err)
{
	char path[4096];

	if (!str_copy(path, sizeof(path), dir) || !*dir)
		return err_set(err, ERR_USAGE, "--dir", "the path is empty or too long");
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		(void)mkdir(path, 0700);
		*p = '/';
	}
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return io_error(dir, "create", err);
	if (access(dir, W_OK | X_OK) != 0)
		return io_error(dir, "write into", err);
	return true;
}

static bool make_ssh_key(ssh_key *key, struct err *err)
{
	if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, key) != SSH_OK)
		return err_set(err, ERR_INTERNAL, "libssh", "cannot generate an ed25519 key");
	return true;
}

static bool make_ssh(struct site *s, struct err *err)
{
	char path[4096];
	mode_t mask;
	int rc;

	if (!make_ssh_key(&s->user, err) || !make_ssh_key(&s->host, err) ||
		!make_ssh_key(&s->wrong_host, err))
		return false;
	if (!str_printf(path, sizeof(path), "%s/id_ed25519", s->dir))
		return err_set(err, ERR_IO, s->dir, "the path is too long");
	/* An existing file would keep its mode. */
	(void)unlink(path);
	mask = umask(0077);
	rc = ssh_pki_export_privkey_file(s->user, NULL, NULL, NULL, path);
	(void)umask(mask);
	if (rc != SSH_OK || chmod(path, 0600) != 0)
		return io_error(path, "write", err);
	return true;
}

static const struct {
	const char *dialect, *file;
} passwords[] = {
	{"eos", "eapi.password"},
	{"cumulus", "nvue.password"},
	{"nxos", "nxapi.password"},
};

#define PASSWORDS (sizeof(passwords) / sizeof(passwords[0]))

const char *site_password_file(const char *dialect)
{
	for (size_t i = 0; i < PASSWORDS; i++)
		if (strcmp(passwords[i].dialect, dialect) == 0)
			return passwords[i].file;
	return NULL;
}

static bool has_dialect(const struct site *s, const char *dialect)
{
	for (size_t i = 0; i < sim_device_count(s->sim); i++)
		if (strcmp(sim_device(s->sim, i)->dialect, dialect) == 0)
			return true;
	return false;
}

static bool make_password(struct site *s, struct err *err)
{
	unsigned char raw[16];
	char line[64];

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return err_set(err, ERR_INTERNAL, "getrandom", "no random bytes");
	for (size_t i = 0; i < sizeof(raw); i++)
		(void)str_printf(s->password + 2 * i, 3, "%02x", raw[i]);
	(void)str_printf(line, sizeof(line), "%s:%s\n", SITE_USER, s->password);
	for (size_t i = 0; i < PASSWORDS; i++)
		if (has_dialect(s, passwords[i].dialect) &&
			!write_file(s, passwords[i].file, line, err))
			return false;
	return true;
}

static bool read_listen(struct site *s, const char *listen, struct err *err)
{
	struct in_addr a;

	if (inet_pton(AF_INET, listen, &a) != 1 || ntohl(a.s_addr) >> 24 != 127) {
		err_set(err, ERR_USAGE, "--listen", "\"%s\" is not a loopback address", listen);
		return err_cure(err, "127.x.y.z, such as 127.44.0.1");
	}
	s->first = ntohl(a.s_addr);
	if ((s->first & 0xff) == 0 || (s->first & 0xff) == 255)
		s->first = (s->first & ~0xffU) + 1;
	if (s->first + sim_device_count(s->sim) / HOSTS_PER_NET * 256 + 512 < LOOPBACK_END)
		return true;
	err_set(err, ERR_USAGE, "--listen", "%zu devices do not fit above \"%s\"",
		sim_device_count(s->sim), listen);
	return err_cure(err, "127.x.y.z with a smaller x, such as 127.44.0.1");
}

/* Another emulator may serve the keys in this directory; they must not be replaced then. */
static bool lock_dir(struct site *s, struct err *err)
{
	char path[4096];

	if (!str_printf(path, sizeof(path), "%s/lock", s->dir))
		return err_set(err, ERR_IO, s->dir, "the path is too long");
	s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (s->lock < 0)
		return io_error(path, "create", err);
	if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	err_set(err, ERR_IO, s->dir, "another emulator runs in this directory");
	return err_cure(
		err, "choose another --dir, or end it: railtop-emulator ctl %s stop", s->dir);
}

struct site *site_new(const char *dir, const char *listen, struct sim *sim, struct err *err)
{
	struct site *s = mem_calloc(1, sizeof(*s));
	char *ca = NULL;
	bool ok;

	s->dir = mem_strdup(dir);
	s->lock = -1;
	s->sim = sim;
	while (s->hosts < sim_device_count(sim) && sim_device(sim, s->hosts)->tier == TIER_HOST)
		s->hosts++;
	ok = read_listen(s, listen, err) && make_dir(dir, err) && lock_dir(s, err) &&
	     make_ssh(s, err) && make_password(s, err) && site_make_tls(s, &ca, err) &&
	     write_file(s, "ca.pem", ca, err);
	free(ca);
	if (ok)
		return s;
	site_free(s);
	return NULL;
}

void site_free(struct site *s)
{
	if (!s)
		return;
	ssh_key_free(s->user);
	ssh_key_free(s->host);
	ssh_key_free(s->wrong_host);
	free(s->cert);
	free(s->key);
	free(s->wrong_cert);
	free(s->wrong_cert_key);
	if (s->lock >= 0)
		(void)close(s->lock);
	free(s->dir);
	free(s);
}

/*
 * Index of the device's address. Switches come first, so that their addresses do not depend on the
 * number of hosts.
 */
static size_t order_of(const struct site *s, const struct sim_device *d)
{
	size_t at = (size_t)(d - sim_device(s->sim, 0));

	return at < s->hosts ? at + sim_device_count(s->sim) - s->hosts : at - s->hosts;
}

struct in_addr site_address(const struct site *s, const struct sim_device *d)
{
	uint32_t host = (s->first & 0xff) - 1 + (uint32_t)order_of(s, d);
	uint32_t net = (s->first >> 8) + host / HOSTS_PER_NET;

	return (struct in_addr){htonl(net << 8 | (host % HOSTS_PER_NET + 1))};
}

struct sim_device *site_device(const struct site *s, struct in_addr a)
{
	uint32_t address = ntohl(a.s_addr), low = address & 0xff;
	size_t n = sim_device_count(s->sim), order;

	if (address < s->first || low == 0 || low == 255)
		return NULL;
	order = (size_t)((address >> 8) - (s->first >> 8)) * HOSTS_PER_NET + low -
		(s->first & 0xff);
	if (order >= n)
		return NULL;
	return sim_device(s->sim, order < n - s->hosts ? order + s->hosts : order - (n - s->hosts));
}

static bool write_known_hosts(const struct site *s, unsigned ssh_port, struct err *err)
{
	size_t n = sim_device_count(s->sim);
	char address[INET_ADDRSTRLEN], *key = NULL;
	struct buf b;
	bool ok;

	if (ssh_pki_export_pubkey_base64(s->host, &key) != SSH_OK)
		return err_set(err, ERR_INTERNAL, "libssh", "cannot export the host key");
	buf_init(&b, 256 * (n + 1));
	for (size_t i = 0; i < n; i++) {
		struct in_addr a = site_address(s, sim_device(s->sim, i));

		(void)inet_ntop(AF_INET, &a, address, sizeof(address));
		(void)buf_addf(&b, "[%s]:%u ssh-ed25519 %s\n", address, ssh_port, key);
	}
	ssh_string_free_char(key);
	ok = write_file(s, "known_hosts", b.data, err);
	buf_free(&b);
	return ok;
}

/* For ssh and railtop discover, by the names that LLDP reports: ssh -F DIR/ssh_config leaf-r0-00.
 */
static bool write_ssh_config(const struct site *s, unsigned ssh_port, struct err *err)
{
	size_t n = sim_device_count(s->sim);
	char address[INET_ADDRSTRLEN], here[PATH_MAX];
	struct buf b;
	bool ok;

	if (!realpath(s->dir, here))
		return err_set(err, ERR_IO, s->dir, "%s", strerror(errno));
	buf_init(&b, 256 * (n + 1) + (size_t)4 * PATH_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct sim_device *d = sim_device(s->sim, i);
		struct in_addr a = site_address(s, d);

		(void)inet_ntop(AF_INET, &a, address, sizeof(address));
		(void)buf_addf(&b, "Host %s\n  HostName %s\n", d->name, address);
	}
	(void)buf_addf(&b,
		"Host *\n  Port %u\n  User noc\n  IdentityFile %s/id_ed25519\n"
		"  IdentitiesOnly yes\n  UserKnownHostsFile %s/known_hosts\n",
		ssh_port, here, here);
	ok = write_file(s, "ssh_config", b.data, err);
	buf_free(&b);
	return ok;
}

bool site_publish(const struct site *s, unsigned ssh_port, unsigned https_port,
	const char *interval, struct err *err)
{
	char *yaml, *wiring;
	bool ok;

	if (!write_known_hosts(s, ssh_port, err) || !write_ssh_config(s, ssh_port, err) ||
		!site_write_truth(s, err))
		return false;
	wiring = site_wiring(s);
	ok = !wiring || write_file(s, SITE_WIRING, wiring, err);
	free(wiring);
	if (!ok)
		return false;
	yaml = site_yaml(s, ssh_port, https_port, interval);
	ok = write_file(s, "fabric.yaml", yaml, err);
	free(yaml);
	return ok;
}

bool site_write_truth(const struct site *s, struct err *err)
{
	char *text = sim_truth(s->sim);
	bool ok = write_file(s, "truth.json", text, err);

	free(text);
	return ok;
}
