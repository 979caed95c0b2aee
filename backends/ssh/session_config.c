/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "backends/transport/proxy_jump.h"
#include "backends/contract/target.h"
#include "backends/ssh/session_private.h"
#include "base/mem.h"
#include "base/str.h"

#define DEFAULT_CONFIG "~/.ssh/config"

/* ---- reading ssh_config ---- */

/* *file: the inventory's ssh_config; NULL: the usual ones. Returns false if it cannot be read. */
static bool find_file(const struct plan_device *d, char **file, struct err *err)
{
	*file = d->ssh_config ? target_expand_home(d->ssh_config) : NULL;
	if (!*file || access(*file, R_OK) == 0)
		return true;
	if (str_eq(d->ssh_config, DEFAULT_CONFIG)) {
		free(*file);
		*file = mem_strdup("/dev/null");
		return true;
	}
	err_set(err, ERR_CONFIG, d->name, "ssh_config %s cannot be read", *file);
	return err_cure(err, "create it, or remove ssh_config from %s",
		d->source[0] ? d->source : "the inventory");
}

/*
 * Resolves as `ssh -l USER -p PORT -o HostName=ADDRESS NAME`: the inventory's values win, and Host
 * matches the device's name. For compatibility, blocks for its address apply after those.
 */
static bool ask_config(
	struct ssh_link *l, const char *address, char *ssh_dir, size_t size, struct err *err)
{
	const struct plan_device *d = l->device;
	char *known = d->known_hosts ? target_expand_home(d->known_hosts) : NULL;
	bool other = !str_eq(address, d->name), ok;
	struct ssh_world w;
	struct ssh_query q = {.name = d->name,
		.host = other ? address : NULL,
		.also = other ? address : NULL,
		.user = d->user,
		.port = d->port,
		.known = known};
	char *file = NULL;

	ssh_files_world(l->shard->config, &w);
	if (!str_printf(ssh_dir, size, "%s/.ssh", w.home))
		ssh_dir[0] = '\0';
	ssh_config_done(l);
	l->said = mem_calloc(1, sizeof(*l->said));
	ok = find_file(d, &file, err);
	q.file = file;
	ok = ok && ssh_config_resolve(&w, &q, d->name, l->said, err);
	free(known);
	free(file);
	return ok;
}

void ssh_config_done(struct ssh_link *l)
{
	if (l->said)
		ssh_settings_free(l->said);
	free(l->said);
	l->said = NULL;
}

/* ---- the path ---- */

/* The inventory's ProxyJump, else that of ssh_config. No program is run for a device. */
static bool choose_way(struct ssh_link *l, struct err *err)
{
	const struct plan_device *d = l->device;
	const struct ssh_settings *s = l->said;
	char way[JUMP_TEXT_MAX] = "";
	bool ok = true;

	free(l->jump);
	l->jump = NULL;
	if (d->jump)
		ok = str_copy(way, sizeof(way), jump_is_none(d->jump) ? "" : d->jump);
	else if (s->jump)
		ok = str_copy(way, sizeof(way), s->jump);
	else if (s->command)
		ok = jump_of_command(s->command, way, sizeof(way));
	if (way[0] && ok)
		l->jump = mem_strdup(way);
	if (ok)
		return true;
	err_set(err, ERR_UNSUPPORTED, d->name,
		"%s: a ProxyCommand for this %s, and railtop does not start programs",
		s->way_from ? s->way_from : "ssh_config", l->bastion ? "bastion" : "device");
	return err_cure(err, "ProxyJump BASTION in ssh_config, or jump: of the inventory");
}

/* ---- addresses ---- */

int ssh_config_family(const struct ssh_link *l)
{
	const char *family = l->said ? ssh_setting(l->said, SAID_ADDRESS_FAMILY) : NULL;

	if (!family || strcasecmp(family, "any") == 0)
		return AF_UNSPEC;
	return strcasecmp(family, "inet") == 0 ? AF_INET : AF_INET6;
}

static bool is_of_interface(const struct ifaddrs *a, const char *name, int family)
{
	const struct sockaddr_in6 *six = (const void *)a->ifa_addr;

	if (!str_eq(a->ifa_name, name) || !a->ifa_addr || a->ifa_addr->sa_family != family)
		return false;
	return family == AF_INET || !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr);
}

static bool bind_to_interface(int fd, const char *name, int family)
{
	struct ifaddrs *all = NULL, *a;
	bool ok;

	if (getifaddrs(&all) != 0)
		return false;
	for (a = all; a && !is_of_interface(a, name, family);)
		a = a->ifa_next;
	errno = EADDRNOTAVAIL;
	ok = a && bind(fd, a->ifa_addr,
			  family == AF_INET ? sizeof(struct sockaddr_in)
					    : sizeof(struct sockaddr_in6)) == 0;
	freeifaddrs(all);
	return ok;
}

bool ssh_config_bind(const struct ssh_link *l, int fd, int family)
{
	const char *address = ssh_setting(l->said, SAID_BIND_ADDRESS);
	const char *interface = ssh_setting(l->said, SAID_BIND_INTERFACE);
	struct resolved r;

	if (interface && !address)
		return bind_to_interface(fd, interface, family);
	if (!address)
		return true;
	errno = EADDRNOTAVAIL;
	return resolve_numeric(address, 0, family, &r) &&
	       bind(fd, (const struct sockaddr *)&r.at[0], r.len[0]) == 0;
}

static bool check_bind(const struct ssh_link *l, struct err *err)
{
	const char *address = ssh_setting(l->said, SAID_BIND_ADDRESS);
	struct resolved r;

	if (!address || resolve_numeric(address, 0, AF_UNSPEC, &r))
		return true;
	err_set(err, ERR_UNSUPPORTED, l->device->name,
		"BindAddress %s of ssh_config is a name, and railtop binds to addresses only",
		address);
	return err_cure(err, "use an address in digits, or BindInterface");
}

/* ---- options for libssh ---- */

static bool hand_over(struct ssh_link *l, struct err *err)
{
	static const struct {
		enum ssh_option option;
		enum ssh_options_e to[2];
		const char *keyword;
	} lists[] = {
		{SAID_CIPHERS, {SSH_OPTIONS_CIPHERS_C_S, SSH_OPTIONS_CIPHERS_S_C}, "Ciphers"},
		{SAID_MACS, {SSH_OPTIONS_HMAC_C_S, SSH_OPTIONS_HMAC_S_C}, "MACs"},
		{SAID_KEX, {SSH_OPTIONS_KEY_EXCHANGE, SSH_OPTIONS_KEY_EXCHANGE}, "KexAlgorithms"},
		{SAID_HOST_KEY_ALGORITHMS, {SSH_OPTIONS_HOSTKEYS, SSH_OPTIONS_HOSTKEYS},
			"HostKeyAlgorithms"},
		{SAID_PUBKEY_ALGORITHMS,
			{SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES,
				SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES},
			"PubkeyAcceptedAlgorithms"},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const char *said = ssh_setting(l->said, lists[i].option);
		char list[4096];

		if (!said || (ssh_algorithms(lists[i].option, said, list, sizeof(list)) &&
				     ssh_options_set(l->session, lists[i].to[0], list) == SSH_OK &&
				     ssh_options_set(l->session, lists[i].to[1], list) == SSH_OK))
			continue;
		err_set(err, ERR_UNSUPPORTED, l->device->name,
			"%s %.200s of ssh_config: libssh supports none of them", lists[i].keyword,
			said);
		return err_cure(err, "put another list in a Host block for %s, before this one",
			l->device->name);
	}
	return true;
}

static void hand_over_limits(struct ssh_link *l)
{
	const char *size = ssh_setting(l->said, SAID_RSA_SIZE);
	uint64_t bytes, seconds, bits;

	if (l->said->at[SAID_REKEY_LIMIT].n && ssh_rekey_read(l->said, &bytes, &seconds)) {
		uint32_t s = (uint32_t)seconds;

		(void)ssh_options_set(l->session, SSH_OPTIONS_REKEY_DATA, &bytes);
		(void)ssh_options_set(l->session, SSH_OPTIONS_REKEY_TIME, &s);
	}
	if (size && str_to_u64(size, &bits) && bits <= INT32_MAX) {
		int n = (int)bits;

		(void)ssh_options_set(l->session, SSH_OPTIONS_RSA_MIN_SIZE, &n);
	}
	if (ssh_setting_is(l->said, SAID_COMPRESSION, false))
		(void)ssh_options_set(l->session, SSH_OPTIONS_COMPRESSION, "yes");
}

/* Files for the case that libssh has to read them itself (host_keys.c). */
static void hand_over_known(struct ssh_link *l)
{
	const struct ssh_settings *s = l->said;

	if (s->known.n)
		(void)ssh_options_set(l->session, SSH_OPTIONS_KNOWNHOSTS, s->known.at[0]);
	if (s->known_globally.n)
		(void)ssh_options_set(
			l->session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, s->known_globally.at[0]);
}

static bool make_session(struct ssh_link *l, const char *ssh_dir, struct err *err)
{
	const char *ciphers;

	l->session = ssh_new();
	if (!l->session)
		return err_set(
			err, ERR_INTERNAL, l->device->name, "libssh cannot create a session");
	ssh_set_blocking(l->session, 0);
	/* Otherwise libssh would read the user's passwd entry once per session. */
	if (ssh_dir[0])
		(void)ssh_options_set(l->session, SSH_OPTIONS_SSH_DIR, ssh_dir);
	ciphers = ssh_algorithms_usual(SAID_CIPHERS);
	(void)ssh_options_set(l->session, SSH_OPTIONS_CIPHERS_C_S, ciphers);
	(void)ssh_options_set(l->session, SSH_OPTIONS_CIPHERS_S_C, ciphers);
	if (ssh_options_set(l->session, SSH_OPTIONS_HOST, l->host) != SSH_OK)
		return err_set(
			err, ERR_CONFIG, l->device->name, "address \"%s\" is not usable", l->host);
	if (!l->user[0] || ssh_options_set(l->session, SSH_OPTIONS_USER, l->user) != SSH_OK)
		return err_set(err, ERR_CONFIG, l->device->name, "no user name is known");
	(void)ssh_options_set(l->session, SSH_OPTIONS_PORT, &l->port);
	/* Never trust on first use, whatever ssh_config says: the prompt would reach no user. */
	(void)ssh_options_set(l->session, SSH_OPTIONS_STRICTHOSTKEYCHECK, &(int){1});
	/* We have read ssh_config; libssh would interpret it differently. */
	(void)ssh_options_set(l->session, SSH_OPTIONS_PROCESS_CONFIG, &(bool){false});
	return true;
}

bool ssh_config_apply(struct ssh_link *l, struct err *err)
{
	const struct plan_device *d = l->device;
	const char *address = d->address && d->address[0] ? d->address : d->name;
	char ssh_dir[1024 + sizeof("/.ssh")];

	if (!ask_config(l, address, ssh_dir, sizeof(ssh_dir), err) || !choose_way(l, err) ||
		!check_bind(l, err))
		return false;
	if (!str_copy(l->host, sizeof(l->host), l->said->host) || !l->host[0])
		return err_set(err, ERR_CONFIG, d->name, "address \"%s\" is not usable", address);
	if (!str_copy(l->user, sizeof(l->user), l->said->user))
		return err_set(err, ERR_CONFIG, d->name, "user \"%.40s...\" is too long", l->user);
	l->port = l->said->port ? l->said->port : 22;
	l->connect_us = l->said->connect_us ? l->said->connect_us : SSH_CONNECT_US;
	if (!make_session(l, ssh_dir, err) || !hand_over(l, err))
		return false;
	hand_over_limits(l);
	hand_over_known(l);
	return true;
}
