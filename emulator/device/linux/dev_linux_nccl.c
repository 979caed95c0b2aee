/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/*
 * Logs of a job's processes on their host (NCCL_DEBUG=WARN, NCCL_DEBUG_FILE), in the wording of
 * NCCL 2.30: the verbs events of the NIC that a process uses. Healthy jobs log nothing.
 */

struct user {
	unsigned gpu, pid;
};

static void find_user(void *arg, const struct sim_job_view *job, const struct sim_rank_view *rank)
{
	struct user *u = arg;

	(void)job;
	if (rank->gpu == u->gpu && !rank->dead)
		u->pid = rank->pid;
}

static void print_warning(const struct machine *m, const struct sim_log *l, const struct user *u,
	const char *event, struct buf *out)
{
	time_t seconds = (time_t)((l->t_us + m->d->clock_skew_us) / CLOCK_SEC);
	struct tm tm = {0};
	char stamp[32];

	(void)gmtime_r(&seconds, &tm);
	(void)strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &tm);
	(void)buf_addf(out,
		"\n[%s] %s:%u:%u [%u] transport/net_ib/common.cc:179 NCCL WARN NET/IB : mlx5_%u:1 "
		"Got non-fatal async event: %s\n",
		stamp, m->d->name, u->pid, u->pid + 212, u->gpu, u->gpu, event);
}

static void add_event(const struct machine *m, const struct sim_log *l, struct buf *out)
{
	struct user u = {0};
	const char *name;

	if ((l->kind != SIM_LOG_LINK_UP && l->kind != SIM_LOG_LINK_DOWN) || l->port >= m->d->nports)
		return;
	name = m->d->ports[l->port].name;
	if (!str_starts(name, "eth"))
		return;
	u.gpu = (unsigned)strtoul(name + 3, NULL, 10);
	linux_ranks(m, find_user, &u);
	if (!u.pid)
		return;
	if (l->kind == SIM_LOG_LINK_DOWN) {
		print_warning(m, l, &u, "port error(10)", out);
		return;
	}
	print_warning(m, l, &u, "client reregistration(17)", out);
	print_warning(m, l, &u, "port active(9)", out);
}

static int read_log(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;
	const struct sim_device *d = m->d;
	uint64_t kept = d->logged < SIM_LOG_KEPT ? d->logged : SIM_LOG_KEPT;

	(void)port, (void)item;
	for (uint64_t i = d->logged - kept; d->log && i < d->logged; i++)
		add_event(m, &d->log[i % SIM_LOG_KEPT], out);
	return 0;
}

void linux_nccl_files(struct vfs *tree)
{
	vfs_file(tree, "/var/log/nccl/nccl.log", read_log, 0, 0);
}
