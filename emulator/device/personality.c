/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/personality.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"
#include "emulator/device/eos/dev_eos.h"
#include "emulator/device/linux/dev_linux.h"
#include "emulator/device/personality_internal.h"
#include "emulator/device/sonic/sonic_lua.h"
#include "emulator/device/sonic/sonic_notes.h"

struct personality_ctx *personality_new(struct sim *s)
{
	struct personality_ctx *ctx = mem_calloc(1, sizeof(*ctx));

	ctx->sim = s;
	ctx->cache = shell_cache_new();
	return ctx;
}

void personality_credentials(struct personality_ctx *ctx, const char *user, const char *password)
{
	ctx->user = user;
	ctx->password = password;
}

bool personality_login(const struct personality_ctx *ctx, const struct sim_device *d,
	const char *user, const char *password)
{
	/* Cumulus accepts the login, and then requires the change itself. */
	if (d->must_change_password && !str_eq(d->dialect, "cumulus"))
		return false;
	return !d->refuses_key && ctx->password && str_eq(user, ctx->user) &&
	       str_eq(password, ctx->password);
}

void personality_free(struct personality_ctx *ctx)
{
	if (!ctx)
		return;
	cumulus_free(ctx->cumulus);
	shell_cache_free(ctx->cache);
	linux_trees_free(ctx->linux_trees);
	eos_notes_free(ctx->eos_notes);
	vfs_free(ctx->sonic_files);
	sonic_lua_free(ctx->lua);
	sonic_notes_free(ctx->sonic_notes);
	free(ctx);
}

const struct personality *personality_for(const char *dialect)
{
	static const struct personality *const all[] = {&personality_cumulus, &personality_nxos,
		&personality_sonic, &personality_eos, &personality_linux};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (dialect && !strcmp(all[i]->dialect, dialect))
			return all[i];
	return NULL;
}

void add_u64(struct buf *out, uint64_t v)
{
	char digits[20];
	size_t n = sizeof(digits);

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	(void)buf_add(out, digits + n, sizeof(digits) - n);
}

void personality_mac(const struct sim_device *d, unsigned port, char dst[18])
{
	(void)str_printf(dst, 18, "%.15s%02x", d->mac_base, (port + 1) & 255);
}

void personality_address(const struct sim_device *d, char dst[24])
{
	(void)str_printf(dst, 24, "10.%u.%u.%u", 10u + (unsigned)d->tier, d->index / 250 % 256,
		d->index % 250 + 1);
}

void personality_gateway(const struct sim_device *d, char dst[24])
{
	(void)str_printf(dst, 24, "10.%u.%u.254", 10u + (unsigned)d->tier, d->index / 250 % 256);
}

void personality_session(const struct sim_device *d, char dst[64])
{
	char own[24], far[24];

	personality_address(d, own);
	personality_gateway(d, far);
	(void)str_printf(dst, 64, "%s 50022 %s 22", far, own);
}

void personality_link_address(const struct sim_port *p, char dst[16])
{
	/* The end in the lower tier numbers the link: 10.64/12 for leaves, 10.80/12 above. */
	const struct sim_port *far = p->plan_peer ? p->plan_peer : p->peer;
	const struct sim_port *low = far && far->tier < p->tier ? far : p;
	uint32_t base = low->tier <= TIER_LEAF ? 0x0a400000u : 0x0a500000u;
	uint32_t a = base + ((low->device * 128u + low->port % 128u) * 2u) + (low != p);

	(void)str_printf(dst, 16, "%u.%u.%u.%u", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255);
}

int64_t personality_clock(const struct personality_ctx *ctx, const struct sim_device *d)
{
	return sim_now(ctx->sim) + d->clock_skew_us;
}

static void system_description(const struct sim_device *d, char *dst, size_t size)
{
	if (str_eq(d->dialect, "sonic"))
		(void)str_printf(dst, size,
			"SONiC Software Version: %s - HwSku: %s - Distribution: Debian 12.8 - "
			"Kernel: 6.1.0-22-2-amd64",
			d->os_version, d->model);
	else if (str_eq(d->dialect, "eos"))
		(void)str_printf(dst, size,
			"Arista Networks EOS version %s running on an Arista "
			"Networks %s",
			d->os_version, d->model);
	else if (str_eq(d->dialect, "nxos"))
		(void)str_printf(dst, size,
			"Cisco Nexus Operating System (NX-OS) Software %s\n"
			"TAC support: http://www.cisco.com/tac",
			d->os_version);
	else if (str_eq(d->dialect, "cumulus"))
		(void)str_printf(dst, size, "Cumulus Linux version %s running on NVIDIA %s",
			d->os_version, d->model);
	else
		(void)str_printf(dst, size, "%s Linux %s #1 SMP PREEMPT_DYNAMIC x86_64",
			d->os_version, linux_is_switch(d) ? LINUX_FRR_KERNEL : LINUX_KERNEL);
}

bool personality_has_lldpd(const struct personality_ctx *ctx, const struct sim_device *d)
{
	return !d || d->tier != TIER_HOST || !sim_hosts_silent(ctx->sim);
}

json_t *personality_neighbours(const struct machine *m)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];
		const struct sim_device *far = p->peer ? sim_device_of(m->ctx->sim, p->peer) : NULL;
		char mac[18], address[16];

		if (!far || !p->up || !p->peer->up)
			continue;
		personality_mac(far, p->peer->port, mac);
		personality_link_address(p->peer, address);
		(void)json_array_append_new(
			all, json_pack("{s:s,s:s,s:s,s:[s]}", "dst", address, "dev", p->name,
				     "lladdr", mac, "state", "REACHABLE"));
	}
	return all;
}

bool personality_lldp(
	const struct personality_ctx *ctx, const struct sim_port *p, struct lldp_peer *peer)
{
	const struct sim_device *d;

	if (!p->up || !p->peer || !p->peer->up)
		return false;
	d = sim_device_of(ctx->sim, p->peer);
	if (!d || !personality_has_lldpd(ctx, d) ||
		!personality_has_lldpd(ctx, sim_device_of(ctx->sim, p)))
		return false;
	memset(peer, 0, sizeof(*peer));
	(void)str_copy(peer->name, sizeof(peer->name), d->name);
	(void)str_copy(peer->chassis_id, sizeof(peer->chassis_id), d->mac_base);
	system_description(d, peer->system, sizeof(peer->system));
	personality_address(d, peer->address);
	sim_port_name(ctx->sim, p->peer, peer->port_descr, sizeof(peer->port_descr));
	(void)str_copy(peer->port_id, sizeof(peer->port_id), peer->port_descr);
	/*
	 * SONiC's lldpd announces the front-panel alias as port id and the port's name as
	 * description.
	 */
	if (str_eq(d->dialect, "sonic")) {
		peer->local_id = true;
		(void)str_printf(peer->port_id, sizeof(peer->port_id), "etp%u", p->peer->port + 1);
	} else if (str_eq(d->dialect, "eos")) {
		peer->port_descr[0] = '\0';
	}
	return true;
}

static int read_uptime(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;
	double up = (double)(sim_now(m->ctx->sim) - m->d->boot_us) / (double)CLOCK_SEC;

	(void)port, (void)item;
	(void)buf_addf(out, "%.2f %.2f\n", up, up * 150);
	return 0;
}

static int read_identity(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;

	(void)port;
	(void)buf_addf(out, "%s\n", item ? m->d->name : m->d->boot_id);
	return 0;
}

static int read_hosts_os(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;
	bool sonic = str_eq(m->d->dialect, "sonic");

	(void)port, (void)item;
	(void)buf_addf(out, "PRETTY_NAME=\"%s\"\nNAME=\"%s\"\nID=%s\n",
		sonic ? "Debian GNU/Linux 12 (bookworm)" : m->d->os_version,
		sonic ? "Debian GNU/Linux" : "Ubuntu", sonic ? "debian" : "ubuntu");
	return 0;
}

void personality_common_files(struct vfs *tree)
{
	vfs_file(tree, "/proc/uptime", read_uptime, 0, 0);
	vfs_file(tree, "/proc/sys/kernel/random/boot_id", read_identity, 0, 0);
	vfs_file(tree, "/proc/sys/kernel/hostname", read_identity, 0, 1);
	vfs_file(tree, "/etc/hostname", read_identity, 0, 1);
	vfs_file(tree, "/etc/os-release", read_hosts_os, 0, 0);
	vfs_text(tree, "/proc/loadavg", "2.97 5.17 8.29 4/2048 41235\n");
	vfs_dir(tree, "/root");
	vfs_dir(tree, "/tmp");
	vfs_dir(tree, "/usr/bin");
	vfs_text(tree, "/dev/null", "");
}

int personality_shell(struct machine *m, const struct shell_machine *base, const char *command,
	const char *input, struct buf *out, struct buf *err)
{
	struct shell_machine machine = *base;
	struct shell_job job = {.machine = &machine, .cache = m->ctx->cache};
	char session[64];
	int status;

	personality_session(m->d, session);
	machine.session = session;
	m->view.device = m;
	machine.ctx = m;
	if (!machine.fs)
		machine.fs = &vfs_shell_fs;
	machine.hostname = m->d->name;
	machine.machine = "x86_64";
	machine.now_us = personality_clock(m->ctx, m->d);
	if (m->ctx->feeding) {
		m->ctx->ended = !shell_session_feed(
			m->ctx->feeding, &machine, input, strlen(input), &status);
		return status;
	}
	job.style = SHELL_STYLE_BASH; /* the login shell */
	job.script = command;
	job.script_len = strlen(command);
	job.input = input;
	job.input_len = input ? strlen(input) : 0;
	return shell_run(&job, out, err);
}
