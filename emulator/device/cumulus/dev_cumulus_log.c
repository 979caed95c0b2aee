/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/* The switch's log, and its virtual files. */

/* "switchd[1502]: ..." without time and host. */
static void print_message(const struct machine *m, const struct sim_log *l, struct buf *out)
{
	const struct sim_port *p = l->port < m->d->nports ? &m->d->ports[l->port] : NULL;
	const struct sim_device *far = p && p->peer ? sim_device_of(m->ctx->sim, p->peer) : NULL;
	const char *name = p ? p->name : "-";

	switch (l->kind) {
	case SIM_LOG_LINK_UP:
	case SIM_LOG_LINK_DOWN:
		(void)buf_addf(out, "kernel: %s: link %s", name,
			l->kind == SIM_LOG_LINK_UP ? "up" : "down");
		break;
	case SIM_LOG_BGP_UP:
		(void)buf_addf(out,
			"bgpd[2108]: %%ADJCHANGE: neighbor %s(%s) "
			"in vrf default Up",
			name, far ? far->name : "Unknown");
		break;
	case SIM_LOG_BGP_DOWN:
		(void)buf_addf(out,
			"bgpd[2108]: %%ADJCHANGE: neighbor %s(%s) "
			"in vrf default Down %s",
			name, far ? far->name : "Unknown", l->text);
		break;
	case SIM_LOG_STORM_DETECTED:
		(void)buf_addf(out,
			"switchd[1502]: PFC watchdog: deadlock detected on %s "
			"traffic-class %u",
			name, l->prio);
		break;
	case SIM_LOG_STORM_RESTORED:
		(void)buf_addf(out,
			"switchd[1502]: PFC watchdog: deadlock cleared on %s "
			"traffic-class %u",
			name, l->prio);
		break;
	case SIM_LOG_CONFIG:
		(void)buf_addf(out, "nvued[1187]: config apply: %s%s%s", p ? name : "system",
			l->text[0] ? ": " : "", l->text);
		break;
	case SIM_LOG_BOOT:
		(void)buf_adds(out, "kernel: Linux version 6.1.0-cl-1-amd64");
		break;
	case SIM_LOG_OPTIC:
		(void)buf_addf(out, "switchd[1502]: %s: transceiver alarm: %s", name, l->text);
		break;
	case SIM_LOG_XID:
		(void)buf_addf(out, "kernel: %s", l->text);
		break;
	}
}

/* classic: the time in journalctl's format; else in the format of rsyslog on this system. */
static void print_line(
	const struct machine *m, const struct sim_log *l, bool classic, struct buf *out)
{
	int64_t t = l->t_us + m->d->clock_skew_us;
	time_t s = (time_t)(t / CLOCK_SEC);
	struct tm tm = {0};
	char when[32];

	(void)gmtime_r(&s, &tm);
	(void)strftime(when, sizeof(when), classic ? "%b %d %H:%M:%S" : "%Y-%m-%dT%H:%M:%S", &tm);
	if (classic)
		(void)buf_addf(out, "%s %s ", when, m->d->name);
	else
		(void)buf_addf(
			out, "%s.%06u+00:00 %s ", when, (unsigned)(t % CLOCK_SEC), m->d->name);
	print_message(m, l, out);
	(void)buf_add(out, "\n", 1);
}

static void print_log(const struct machine *m, uint64_t most, bool classic, struct buf *out)
{
	uint64_t kept = m->d->logged < SIM_LOG_KEPT ? m->d->logged : SIM_LOG_KEPT, n;

	for (n = kept < most ? kept : most; n; n--)
		print_line(m, &m->d->log[(m->d->logged - n) % SIM_LOG_KEPT], classic, out);
}

int cumulus_journalctl(struct machine *m, const struct shell_call *c)
{
	uint64_t most = SIM_LOG_KEPT;
	int i;

	for (i = 1; i < c->argc; i++) {
		if (!strcmp(c->argv[i], "-n") && i + 1 < c->argc)
			(void)str_to_u64(c->argv[i + 1], &most);
		else if (str_starts(c->argv[i], "-n"))
			(void)str_to_u64(c->argv[i] + 2, &most);
		else if (str_starts(c->argv[i], "--lines="))
			(void)str_to_u64(c->argv[i] + 8, &most);
	}
	if (!m->d->logged)
		(void)buf_adds(c->out, "-- No entries --\n");
	print_log(m, most, true, c->out);
	return 0;
}

/* ---- files ---- */

static int read_syslog(void *device, unsigned port, unsigned item, struct buf *out)
{
	(void)port, (void)item;
	print_log(device, SIM_LOG_KEPT, false, out);
	return 0;
}

static int read_release(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;
	const char *v = m->d->os_version;

	(void)port;
	if (item)
		(void)buf_addf(out,
			"DISTRIB_ID=\"Cumulus Linux\"\nDISTRIB_RELEASE=%s\n"
			"DISTRIB_DESCRIPTION=\"Cumulus Linux %s\"\n",
			v, v);
	else
		(void)buf_addf(out,
			"NAME=\"Cumulus Linux\"\nVERSION_ID=%s\nVERSION=\"Cumulus Linux %s\"\n"
			"PRETTY_NAME=\"Cumulus Linux\"\nID=cumulus-linux\nID_LIKE=debian\n"
			"CPE_NAME=cpe:/o:cumulusnetworks:cumulus_linux:%s\n",
			v, v, v);
	return 0;
}

static int read_net_dev(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;
	unsigned i;

	(void)port, (void)item;
	(void)buf_adds(out,
		"Inter-|   Receive                                                |  Transmit\n"
		" face |bytes    packets errs drop fifo frame compressed multicast|bytes    "
		"packets "
		"errs drop fifo colls carrier compressed\n");
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		(void)buf_addf(out,
			"%6s: %llu %llu %llu %llu 0 0 0 0 %llu %llu %llu %llu 0 0 0 0\n", p->name,
			(unsigned long long)p->rx_bytes, (unsigned long long)p->rx_packets,
			(unsigned long long)p->rx_errors, (unsigned long long)p->rx_discards,
			(unsigned long long)p->tx_bytes, (unsigned long long)p->tx_packets,
			(unsigned long long)p->tx_errors, (unsigned long long)p->tx_discards);
	}
	return 0;
}

struct vfs *cumulus_files(void)
{
	struct vfs *tree = vfs_new();

	personality_common_files(tree);
	vfs_file(tree, "/etc/os-release", read_release, 0, 0);
	vfs_file(tree, "/etc/lsb-release", read_release, 0, 1);
	vfs_file(tree, "/proc/net/dev", read_net_dev, 0, 0);
	vfs_file(tree, "/var/log/syslog", read_syslog, 0, 0);
	return tree;
}
