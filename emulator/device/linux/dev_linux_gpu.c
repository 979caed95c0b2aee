/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/* nvidia-smi: eight GPUs, each with a NIC behind the same PCIe switch. */

#define GPUS 8u

static void gpu_uuid(const struct machine *m, unsigned gpu, char dst[48])
{
	(void)str_printf(
		dst, 48, "GPU-%08x-0000-4000-8000-%08x%04x", m->d->index, m->d->index, gpu);
}

/* The process on each GPU, and whether it computes or waits. */
struct gpu_use {
	unsigned pid[GPUS];
	bool busy[GPUS];
};

static void add_use(void *arg, const struct sim_job_view *job, const struct sim_rank_view *rank)
{
	struct gpu_use *u = arg;

	if (rank->gpu >= GPUS || rank->dead)
		return;
	u->pid[rank->gpu] = rank->pid;
	/* A rank that waits in a collective spins on the GPU as well. */
	u->busy[rank->gpu] = !str_eq(job->phase, "checkpoint");
}

static bool is_field(const char *field, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(field, name, n);
}

static void gpu_field(const struct machine *m, const struct gpu_use *u, unsigned gpu,
	const char *field, size_t n, struct buf *out)
{
	bool used = u->pid[gpu] != 0, busy = used && u->busy[gpu];
	char uuid[48];

	gpu_uuid(m, gpu, uuid);
	if (is_field(field, n, "index"))
		(void)buf_addf(out, "%u", gpu);
	else if (is_field(field, n, "pci.bus_id") || is_field(field, n, "gpu_bus_id"))
		(void)buf_addf(out, "00000000:%02X:00.0", linux_gpu_bus(gpu));
	else if (is_field(field, n, "uuid") || is_field(field, n, "gpu_uuid"))
		(void)buf_adds(out, uuid);
	else if (is_field(field, n, "name") || is_field(field, n, "gpu_name"))
		(void)buf_adds(out, "NVIDIA H100 80GB HBM3");
	else if (is_field(field, n, "count"))
		(void)buf_addf(out, "%u", GPUS);
	else if (is_field(field, n, "driver_version"))
		(void)buf_adds(out, "570.133.20");
	else if (is_field(field, n, "utilization.gpu"))
		(void)buf_addf(out, "%u %%", busy ? 100u : 0u);
	else if (is_field(field, n, "memory.used"))
		(void)buf_addf(out, "%u MiB", used ? 71234u : 4u);
	else if (is_field(field, n, "memory.total"))
		(void)buf_adds(out, "81559 MiB");
	else if (is_field(field, n, "temperature.gpu"))
		(void)buf_addf(out, "%u", busy ? 62 + gpu : 31 + gpu);
	else if (is_field(field, n, "power.draw"))
		(void)buf_addf(out, "%.2f W", busy ? 640.0 + 3.0 * gpu : 72.0 + gpu);
	else if (is_field(field, n, "pstate"))
		(void)buf_adds(out, "P0");
	else
		(void)buf_adds(out, "[N/A]");
}

/* "index, utilization.gpu [%], memory.used [MiB]" */
static void add_header(const char *query, struct buf *out)
{
	while (*query) {
		size_t n = strcspn(query, ", ");

		(void)buf_add(out, query, n);
		if (is_field(query, n, "utilization.gpu"))
			(void)buf_adds(out, " [%]");
		else if (n > 7 && !memcmp(query, "memory.", 7))
			(void)buf_adds(out, " [MiB]");
		else if (n > 6 && !memcmp(query, "power.", 6))
			(void)buf_adds(out, " [W]");
		query += n + strspn(query + n, ", ");
		(void)buf_adds(out, *query ? ", " : "\n");
	}
}

static void query_gpus(
	const struct machine *m, const struct gpu_use *u, const char *query, struct buf *out)
{
	unsigned gpu;

	for (gpu = 0; gpu < GPUS; gpu++) {
		const char *p = query + strspn(query, " ");

		while (*p) {
			size_t n = strcspn(p, ", ");

			gpu_field(m, u, gpu, p, n, out);
			p += n + strspn(p + n, ", ");
			if (*p)
				(void)buf_adds(out, ", ");
		}
		(void)buf_add(out, "\n", 1);
	}
}

static void query_apps(
	const struct machine *m, const struct gpu_use *u, const char *query, struct buf *out)
{
	char uuid[48];
	unsigned gpu;

	for (gpu = 0; gpu < GPUS; gpu++) {
		const char *p = query;

		if (!u->pid[gpu])
			continue;
		gpu_uuid(m, gpu, uuid);
		while (*p) {
			size_t n = strcspn(p, ", ");

			if (is_field(p, n, "pid"))
				(void)buf_addf(out, "%u", u->pid[gpu]);
			else if (is_field(p, n, "gpu_uuid"))
				(void)buf_adds(out, uuid);
			else if (is_field(p, n, "gpu_bus_id"))
				(void)buf_addf(out, "00000000:%02X:00.0", linux_gpu_bus(gpu));
			else if (is_field(p, n, "process_name") || is_field(p, n, "name"))
				(void)buf_adds(out, "python3");
			else if (is_field(p, n, "used_gpu_memory") || is_field(p, n, "used_memory"))
				(void)buf_adds(out, "71210 MiB");
			else
				(void)buf_adds(out, "[N/A]");
			p += n + strspn(p + n, ", ");
			if (*p)
				(void)buf_adds(out, ", ");
		}
		(void)buf_add(out, "\n", 1);
	}
}

/* The NICs that `topo -m` lists: the RDMA devices. */
static unsigned topo_nics(const struct machine *m, unsigned list[32])
{
	unsigned i, n = 0;

	for (i = 0; i < m->d->nports && n < 32; i++)
		if (linux_is_rdma(m->d, &m->d->ports[i]))
			list[n++] = i;
	return n;
}

/* GPU and NIC n share a PCIe switch; four of each share a socket. */
static const char *topo_relation(unsigned a, unsigned b)
{
	return a == b ? "PIX" : a / 4 == b / 4 ? "NODE" : "SYS";
}

static void topo_rows(const struct machine *m, const unsigned *nics, unsigned n, struct buf *out)
{
	unsigned i, k;

	for (i = 0; i < GPUS; i++) {
		(void)buf_addf(out, "GPU%u", i);
		for (k = 0; k < GPUS; k++)
			(void)buf_addf(out, "\t%s", k == i ? " X " : "NV18");
		for (k = 0; k < n; k++)
			(void)buf_addf(
				out, "\t%s", topo_relation(i, linux_nic_number(m->d, nics[k])));
		(void)buf_addf(
			out, "\t%s\t%u\t\tN/A\n", i < 4 ? "0-55,112-167" : "56-111,168-223", i / 4);
	}
	for (i = 0; i < n; i++) {
		(void)buf_addf(out, "NIC%u", i);
		for (k = 0; k < GPUS; k++)
			(void)buf_addf(
				out, "\t%s", topo_relation(linux_nic_number(m->d, nics[i]), k));
		for (k = 0; k < n; k++)
			(void)buf_addf(out, "\t%s",
				k == i ? " X "
				       : topo_relation(linux_nic_number(m->d, nics[i]),
						 linux_nic_number(m->d, nics[k])));
		(void)buf_adds(out, "\t\t\t\t\n");
	}
}

static int print_topo(const struct machine *m, struct buf *out)
{
	unsigned nics[32], n = topo_nics(m, nics), i;

	/* The header is underlined even if the output is a pipe. */
	(void)buf_adds(out, "\t\033[4m");
	for (i = 0; i < GPUS; i++)
		(void)buf_addf(out, "GPU%u\t", i);
	for (i = 0; i < n; i++)
		(void)buf_addf(out, "NIC%u\t", i);
	(void)buf_adds(out, "CPU Affinity\tNUMA Affinity\tGPU NUMA ID\033[0m\n");
	topo_rows(m, nics, n, out);
	(void)buf_adds(out,
		"\nLegend:\n\n  X    = Self\n"
		"  SYS  = PCIe and the interconnect between NUMA nodes\n"
		"  NODE = PCIe and the interconnect between host bridges of a NUMA node\n"
		"  PHB  = PCIe and a host bridge\n  PXB  = Several PCIe bridges\n"
		"  PIX  = At most one PCIe bridge\n  NV#  = A bonded set of # NVLinks\n\n"
		"NIC Legend:\n\n");
	for (i = 0; i < n; i++) {
		char name[24];

		linux_rdma_name(m->d, &m->d->ports[nics[i]], name);
		(void)buf_addf(out, "  NIC%u: %s\n", i, name);
	}
	return 0;
}

/* ---- NVLink ---- */

#define NVLINKS 18u

static unsigned nvlinks_down(const struct machine *m, unsigned gpu)
{
	return gpu ? 0 : m->d->nvlinks_down < NVLINKS ? m->d->nvlinks_down : NVLINKS;
}

static void nvlink_status(const struct machine *m, unsigned gpu, struct buf *out)
{
	unsigned down = nvlinks_down(m, gpu);

	if (down == NVLINKS) {
		(void)buf_adds(out,
			"NVML: Unable to retrieve NVLink information as all links are inActive\n");
		return;
	}
	for (unsigned i = 0; i < NVLINKS; i++)
		(void)buf_addf(out, "\t Link %u: %s\n", i, i < down ? "<inactive>" : "26.562 GB/s");
}

static void nvlink_errors(const struct machine *m, unsigned gpu, struct buf *out)
{
	int64_t since = gpu ? 0 : m->d->nvlink_errors_us;
	unsigned grown =
		since ? 1 + (unsigned)((sim_now(m->ctx->sim) - since) / (20 * CLOCK_SEC)) : 0;

	for (unsigned i = 0; i < NVLINKS; i++)
		(void)buf_addf(out,
			"\t Link %u: Replay Errors: 0\n\t Link %u: Recovery Errors: %u\n"
			"\t Link %u: CRC Errors: 0\n\n",
			i, i, i == 14 ? grown : 0, i);
}

/* The flags that reset or set something are known, and refused: this user is not root. */
static int print_nvlink(struct machine *m, const struct shell_call *c)
{
	bool status = linux_has_word(c, "-s") || linux_has_word(c, "--status");
	bool errors = linux_has_word(c, "-e") || linux_has_word(c, "--errorcounters");
	char uuid[48];

	if (!status && !errors) {
		if (c->argc > 2)
			(void)sim_write(m->ctx->sim, m->d);
		(void)buf_adds(c->out, "Insufficient Permissions\n");
		return 4;
	}
	for (unsigned gpu = 0; gpu < GPUS; gpu++) {
		gpu_uuid(m, gpu, uuid);
		(void)buf_addf(c->out, "GPU %u: NVIDIA H100 80GB HBM3 (UUID: %s)\n", gpu, uuid);
		if (status)
			nvlink_status(m, gpu, c->out);
		else
			nvlink_errors(m, gpu, c->out);
	}
	return 0;
}

/* `nvidia-smi -q`: the blocks that a reader of the fabric looks for. */
static int print_query(struct buf *out)
{
	(void)buf_addf(out, "\n==============NVSMI LOG==============\n\nAttached GPUs%29s: %u\n",
		"", GPUS);
	for (unsigned gpu = 0; gpu < GPUS; gpu++)
		(void)buf_addf(out,
			"GPU 00000000:%02X:00.0\n"
			"    Product Name                          : NVIDIA H100 80GB HBM3\n"
			"    Persistence Mode                      : Enabled\n"
			"    Fabric\n"
			"        State                             : Completed\n"
			"        Status                            : Success\n"
			"        CliqueId                          : 0\n"
			"        ClusterUUID                       : "
			"00000000-0000-0000-0000-000000000000\n"
			"        Health\n"
			"            Bandwidth                     : N/A\n"
			"    Processes                             : None\n",
			linux_gpu_bus(gpu));
	return 0;
}

/* systemctl: the services that somebody asks for by name are loaded and active. */
int linux_systemctl(struct machine *m, const struct shell_call *c)
{
	if (!linux_has_word(c, "show"))
		(void)sim_write(m->ctx->sim, m->d);
	if (!linux_has_word(c, "show") || !linux_has_word(c, "nvidia-fabricmanager")) {
		(void)buf_adds(c->err, "Access denied\n");
		return 1;
	}
	(void)buf_adds(c->out, "LoadState=loaded\nActiveState=active\n");
	return 0;
}

int linux_nvidia_smi(struct machine *m, const struct shell_call *c)
{
	struct gpu_use u = {0};
	bool header = true;
	unsigned gpu;
	char uuid[48];
	int i;

	if (linux_has_word(c, "topo"))
		return print_topo(m, c->out);
	if (linux_has_word(c, "nvlink"))
		return print_nvlink(m, c);
	if (linux_has_word(c, "-q"))
		return print_query(c->out);
	linux_ranks(m, add_use, &u);
	for (i = 1; i < c->argc; i++)
		header = header && !strstr(c->argv[i], "noheader");
	for (i = 1; i < c->argc; i++) {
		const char *w = c->argv[i];

		if (str_starts(w, "--query-gpu=")) {
			w += strlen("--query-gpu=");
			if (header)
				add_header(w, c->out);
			query_gpus(m, &u, w, c->out);
			return 0;
		}
		if (str_starts(w, "--query-compute-apps=")) {
			w += strlen("--query-compute-apps=");
			if (header)
				add_header(w, c->out);
			query_apps(m, &u, w, c->out);
			return 0;
		}
	}
	for (gpu = 0; gpu < GPUS; gpu++) {
		gpu_uuid(m, gpu, uuid);
		(void)buf_addf(c->out, "GPU %u: NVIDIA H100 80GB HBM3 (UUID: %s)\n", gpu, uuid);
	}
	return 0;
}
