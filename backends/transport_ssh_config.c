/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/jump.h"
#include "backends/target.h"
#include "backends/transport_ssh_link.h"
#include "base/mem.h"
#include "base/str.h"

/* AEAD first: half the processor time of ctr with a separate MAC. The rest is for old switches. */
static const char ciphers[] = "aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,"
			      "aes128-gcm@openssh.com,aes256-ctr,aes192-ctr,aes128-ctr";

#define DEFAULT_CONFIG "~/.ssh/config"

static bool parse_file(struct ssh_link *l, const char *file, struct err *err)
{
	if (ssh_options_parse_config(l->session, file) == 0)
		return true;
	err_set(err, ERR_CONFIG, l->device->name, "ssh_config %s cannot be used: %s",
		file ? file : DEFAULT_CONFIG, ssh_get_error(l->session));
	return err_cure(err, "check the file with: ssh -G %s", l->device->name);
}

/* The user's own configuration, for the device's name and then for its address. */
static bool parse_config(struct ssh_link *l, const char *address, struct err *err)
{
	const struct plan_device *d = l->device;
	char *file = d->ssh_config ? target_expand_home(d->ssh_config) : NULL;
	bool ok;

	if (file && access(file, R_OK) != 0 && !str_eq(d->ssh_config, DEFAULT_CONFIG)) {
		err_set(err, ERR_CONFIG, d->name, "ssh_config %s cannot be read", file);
		(void)err_cure(err, "create it or take ssh_config out of %s",
			d->source[0] ? d->source : "the inventory");
		free(file);
		return false;
	}
	(void)ssh_options_set(l->session, SSH_OPTIONS_HOST, d->name);
	ok = parse_file(l, file, err);
	if (ok && !str_eq(address, d->name)) {
		/* The inventory's address wins over HostName, and may have patterns of its own. */
		(void)ssh_options_set(l->session, SSH_OPTIONS_HOST, address);
		ok = parse_file(l, file, err);
		(void)ssh_options_set(l->session, SSH_OPTIONS_HOST, address);
	}
	free(file);
	return ok;
}

/*
 * The way: the inventory's word, else that of ssh_config. libssh makes a ProxyCommand of ProxyJump,
 * and would run a program for each device.
 */
static bool choose_way(struct ssh_link *l, struct err *err)
{
	const struct plan_device *d = l->device;
	char *proxy = NULL, way[JUMP_TEXT_MAX] = "";
	bool ok = true;

	free(l->jump);
	l->jump = NULL;
	if (d->jump)
		ok = str_copy(way, sizeof(way), jump_is_none(d->jump) ? "" : d->jump);
	else if (ssh_options_get(l->session, SSH_OPTIONS_PROXYCOMMAND, &proxy) == SSH_OK &&
		 !str_eq(proxy, "none"))
		ok = jump_of_command(proxy, way, sizeof(way));
	ssh_string_free_char(proxy);
	if (way[0] && ok)
		l->jump = mem_strdup(way);
	if (ok)
		return true;
	err_set(err, ERR_UNSUPPORTED, d->name,
		"ssh_config has a ProxyCommand for this %s, and railtop starts no program for it",
		l->bastion ? "bastion" : "device");
	return err_cure(err, "ProxyJump BASTION in ssh_config, or jump: of the inventory");
}

static bool copy_option(struct ssh_link *l, enum ssh_options_e option, char *dst, size_t size)
{
	char *value = NULL;
	bool ok = ssh_options_get(l->session, option, &value) == SSH_OK &&
		  str_copy(dst, size, value) && dst[0];

	ssh_string_free_char(value);
	return ok;
}

static void apply_inventory(struct ssh_link *l)
{
	const struct plan_device *d = l->device;
	char *known;

	if (d->port) {
		unsigned port = d->port;
		(void)ssh_options_set(l->session, SSH_OPTIONS_PORT, &port);
	}
	if (d->user)
		(void)ssh_options_set(l->session, SSH_OPTIONS_USER, d->user);
	if (d->known_hosts) {
		known = target_expand_home(d->known_hosts);
		(void)ssh_options_set(l->session, SSH_OPTIONS_KNOWNHOSTS, known);
		free(known);
	}
}

bool ssh_config_apply(struct ssh_link *l, struct err *err)
{
	const struct plan_device *d = l->device;
	const char *address = d->address && d->address[0] ? d->address : d->name;
	char ssh_dir[1024 + sizeof("/.ssh")];

	l->session = ssh_new();
	if (!l->session)
		return err_set(err, ERR_INTERNAL, d->name, "libssh gives no session");
	ssh_set_blocking(l->session, 0);
	/* libssh would ask for the user's entry in passwd once a session. */
	if (ssh_home_path("/.ssh", ssh_dir, sizeof(ssh_dir)))
		(void)ssh_options_set(l->session, SSH_OPTIONS_SSH_DIR, ssh_dir);
	(void)ssh_options_set(l->session, SSH_OPTIONS_CIPHERS_C_S, ciphers);
	(void)ssh_options_set(l->session, SSH_OPTIONS_CIPHERS_S_C, ciphers);
	if (!parse_config(l, address, err) || !choose_way(l, err))
		return false;
	apply_inventory(l);
	/* Never trust on first use, whatever ssh_config says: nobody would see the question. */
	(void)ssh_options_set(l->session, SSH_OPTIONS_STRICTHOSTKEYCHECK, &(int){1});
	(void)ssh_options_set(l->session, SSH_OPTIONS_PROCESS_CONFIG, &(bool){false});
	if (!copy_option(l, SSH_OPTIONS_HOST, l->host, sizeof(l->host)))
		return err_set(err, ERR_CONFIG, d->name, "address \"%s\" is not usable", address);
	if (!copy_option(l, SSH_OPTIONS_USER, l->user, sizeof(l->user))) {
		(void)ssh_options_set(l->session, SSH_OPTIONS_USER, NULL);
		if (!copy_option(l, SSH_OPTIONS_USER, l->user, sizeof(l->user)))
			return err_set(err, ERR_CONFIG, d->name, "no user name is known");
	}
	if (ssh_options_get_port(l->session, &l->port) != SSH_OK || !l->port)
		l->port = 22;
	return true;
}
