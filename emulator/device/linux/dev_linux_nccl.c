/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/*
 * Logs of a job's processes on their host (NCCL_DEBUG, NCCL_DEBUG_FILE), in the wording of NCCL
 * 2.30, with the first words that the job's launcher puts before each line. With NCCL_DEBUG=WARN
 * they have the verbs events of the NIC that a process uses, and nothing else: healthy jobs log
 * nothing. With INFO they begin with the lines about ranks and NICs.
 */

#define INIT_AFTER_BOOT (3600 * CLOCK_SEC) /* the first lines of all jobs have this time */

struct log {
	const struct machine *m;
	struct buf *out;
	int64_t t_us; /* of the line, device time without skew */
	/* the event that is told */
	const struct sim_port *port;
	const char *event;
};

static void add_time(const struct log *l, const char *form, struct buf *out)
{
	time_t seconds = (time_t)((l->t_us + l->m->d->clock_skew_us) / CLOCK_SEC);
	struct tm tm = {0};
	char stamp[32];

	(void)gmtime_r(&seconds, &tm);
	(void)strftime(stamp, sizeof(stamp), form, &tm);
	(void)buf_adds(out, stamp);
}

static unsigned count_digits(unsigned n)
{
	unsigned digits = 1;

	for (; n > 9; n /= 10)
		digits++;
	return digits;
}

static void add_prefix(
	const struct log *l, const struct sim_job_view *job, const struct sim_rank_view *rank)
{
	char address[24];

	switch (l->m->d->nccl.launcher) {
	case LAUNCHED_MPIRUN:
		(void)buf_addf(l->out, "[1,%u]<stdout>:", rank->rank);
		break;
	case LAUNCHED_SRUN:
		(void)buf_addf(l->out, "%*u: ", (int)count_digits(job->nranks - 1), rank->rank);
		break;
	case LAUNCHED_RAY:
		personality_address(l->m->d, address);
		(void)buf_addf(l->out, "(RayTrainWorker pid=%u, ip=%s) ", rank->pid, address);
		break;
	case LAUNCHED_KUBECTL:
		(void)buf_addf(l->out, "[pod/%s-worker-%u/pytorch] ", job->name,
			rank->rank / job->gpus_per_host);
		add_time(l, "%Y-%m-%dT%H:%M:%S", l->out);
		(void)buf_addf(l->out, ".%06lld000Z ", (long long)(l->t_us % CLOCK_SEC));
		break;
	case LAUNCHED_TORCHRUN:
		(void)buf_addf(l->out, "[default%u]:", rank->gpu);
		break;
	case LAUNCHED_PLAIN:
	case LAUNCHERS:
	default:
		break;
	}
}

/* "node003:20171:20383 [4] " */
static void add_origin(const struct log *l, const struct sim_rank_view *rank)
{
	(void)buf_addf(
		l->out, "%s:%u:%u [%u] ", l->m->d->name, rank->pid, rank->pid + 212, rank->gpu);
}

static void add_devices(const struct log *l)
{
	const struct sim_device *d = l->m->d;
	unsigned n = 0;
	char name[24];

	for (unsigned i = 0; i < d->nports; i++) {
		if (!linux_is_rdma(d, &d->ports[i]) || d->ports[i].net != NET_BACKEND)
			continue;
		linux_rdma_name(d, &d->ports[i], name);
		(void)buf_addf(l->out, " [%u]%s:1/RoCE", n++, name);
	}
}

static void tell_init(void *arg, const struct sim_job_view *job, const struct sim_rank_view *rank)
{
	const struct log *l = arg;
	char address[24];

	if (rank->dead)
		return;
	personality_address(l->m->d, address);
	add_prefix(l, job, rank);
	add_origin(l, rank);
	(void)buf_adds(l->out, "NCCL INFO NET/IB : Using");
	add_devices(l);
	(void)buf_addf(l->out, " [RO]; OOB eno1:%s<0>\n", address);
	add_prefix(l, job, rank);
	add_origin(l, rank);
	(void)buf_addf(l->out,
		"NCCL INFO ncclCommInitRank comm 0x%llx rank %u nranks %u cudaDev %u nvmlDev %u "
		"busId %x000 commId 0x%llx - Init COMPLETE\n",
		0x55d0aa100000ULL + 0x1000ULL * rank->gpu, rank->rank, job->nranks, rank->gpu,
		rank->gpu, linux_gpu_bus(rank->gpu), (unsigned long long)job->comm);
}

static void tell_event(void *arg, const struct sim_job_view *job, const struct sim_rank_view *rank)
{
	const struct log *l = arg;
	const struct sim_device *d = l->m->d;
	char name[24];

	if (rank->dead || !rank->nic ||
		linux_nic_number(d, rank->nic->port) != linux_nic_number(d, l->port->port))
		return;
	linux_rdma_name(d, l->port, name);
	add_prefix(l, job, rank);
	(void)buf_adds(l->out, "\n");
	add_prefix(l, job, rank);
	add_time(l, "[%Y-%m-%d %H:%M:%S] ", l->out);
	add_origin(l, rank);
	(void)buf_addf(l->out,
		"transport/net_ib/common.cc:179 NCCL WARN NET/IB : %s:1 Got non-fatal async event: "
		"%s\n",
		name, l->event);
}

static void tell(struct log *l, const char *event)
{
	l->event = event;
	linux_ranks(l->m, tell_event, l);
}

static void add_event(struct log *l, const struct sim_log *entry)
{
	const struct sim_device *d = l->m->d;
	const struct sim_port *p;

	if ((entry->kind != SIM_LOG_LINK_UP && entry->kind != SIM_LOG_LINK_DOWN) ||
		entry->port >= d->nports)
		return;
	p = &d->ports[entry->port];
	/* The RDMA device of a bond stays active while one slave is up. */
	if (p->net != NET_BACKEND || (p->bond && (p->up || p->bond->up)))
		return;
	l->port = p;
	l->t_us = entry->t_us;
	if (entry->kind == SIM_LOG_LINK_DOWN) {
		tell(l, "port error(10)");
		return;
	}
	tell(l, "client reregistration(17)");
	tell(l, "port active(9)");
}

static int read_log(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;
	const struct sim_device *d = m->d;
	uint64_t kept = d->logged < SIM_LOG_KEPT ? d->logged : SIM_LOG_KEPT;
	struct log l = {.m = m, .out = out, .t_us = d->boot_us + INIT_AFTER_BOOT};

	(void)port, (void)item;
	if (d->nccl.info && !m->ctx->follows)
		linux_ranks(m, tell_init, &l);
	for (uint64_t i = d->logged - kept; d->log && i < d->logged; i++)
		add_event(&l, &d->log[i % SIM_LOG_KEPT]);
	return 0;
}

void linux_nccl_files(struct vfs *tree)
{
	vfs_file(tree, "/var/log/nccl/nccl.log", read_log, 0, 0);
}
