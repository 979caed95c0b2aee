/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/jobs/nccl_parse.h"
#include "backends/contract/needs.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Relates a process of a job to a NIC of its host: addresses, GPUs by index and PCI address, and
 * the NIC next to each GPU, from the PCI tree and from nvidia-smi. A failure of one does not affect
 * the others.
 */

#define GPUS_MAX 64
#define NICS_MAX 64
#define PCI_PATH 256

struct pci_gpu {
	char path[PCI_PATH]; /* "/sys/devices/pci0000:5a/0000:5a:01.0/0000:5d:00.0" */
};
struct pci_nic {
	char rdma[NAME_MAX_LEN];
	char path[PCI_PATH];
};
struct pci_tree {
	struct pci_gpu gpu[GPUS_MAX];
	struct pci_nic nic[NICS_MAX];
	unsigned gpus, nics;
};

/* ---- the PCI tree ---- */

static void read_gpu_paths(const struct section *s, struct pci_tree *t)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (t->gpus < GPUS_MAX && line_next(s, &at, line)) {
		if (line[0] == '/' && str_copy(t->gpu[t->gpus].path, PCI_PATH, line))
			t->gpus++;
	}
}

static void read_nic_paths(const struct section *s, struct pci_tree *t)
{
	char line[LINE_TEXT], *colon;
	char *slash;
	size_t at = 0;

	while (t->nics < NICS_MAX && line_next(s, &at, line)) {
		struct pci_nic *n = &t->nic[t->nics];

		colon = strchr(line, ':');
		slash = strchr(line, '/');
		if (!colon || !slash || slash > colon)
			continue;
		if (str_copyn(n->rdma, sizeof(n->rdma), line, (size_t)(slash - line)) &&
			str_copy(n->path, PCI_PATH, colon + 1) && strstr(n->path, "/pci"))
			t->nics++;
	}
}

static const char *address_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int by_address(const void *a, const void *b)
{
	return strcmp(address_of(((const struct pci_gpu *)a)->path),
		address_of(((const struct pci_gpu *)b)->path));
}

/* Counts the bridges that are above both devices. */
static unsigned shared_bridges(const char *a, const char *b)
{
	unsigned n = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		n += a[i] == '/' && i > 0;
	return n;
}

static unsigned path_depth(const char *path)
{
	unsigned n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/* In nvidia-smi's terms: one switch between them, several, or the host bridge. */
static const char *pci_distance(const char *gpu, const char *nic, unsigned shared)
{
	if (shared <= 3) /* "/sys/devices/pci0000:5a" */
		return "PHB";
	return path_depth(gpu) - shared <= 2 && path_depth(nic) - shared <= 2 ? "PIX" : "PXB";
}

/* Finds the GPU's NIC: the nearest one. If several are equally near, NCCL's choice. */
static const struct pci_nic *nearest_nic(const struct pci_tree *t, unsigned gpu, unsigned *shared)
{
	const struct pci_nic *best = NULL;
	unsigned most = 2, gpus = 0, nets = 0, place, seen = 0;

	for (unsigned i = 0; i < t->nics; i++) {
		unsigned n = shared_bridges(t->gpu[gpu].path, t->nic[i].path);

		if (n > most)
			most = n;
	}
	for (unsigned i = 0; i < t->gpus; i++)
		gpus += shared_bridges(t->gpu[i].path, t->gpu[gpu].path) >= most;
	for (unsigned i = 0; i < t->nics; i++)
		nets += shared_bridges(t->gpu[gpu].path, t->nic[i].path) >= most;
	place = nccl_local_net(gpu, gpus, nets);
	for (unsigned i = 0; i < t->nics; i++) {
		if (most < 3 || shared_bridges(t->gpu[gpu].path, t->nic[i].path) < most)
			continue;
		if (seen++ == place)
			best = &t->nic[i];
	}
	*shared = most;
	return best;
}

static bool is_near(const char *how)
{
	return str_eq(how, "PIX") || str_eq(how, "PXB");
}

/* Whether nvidia-smi named a NIC behind the GPU's own switch. */
static bool has_near(const struct obs *o, int32_t gpu)
{
	for (size_t i = 0; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == NCCL_GPU && o->nccl.at[i].gpu == gpu &&
			o->nccl.at[i].nic && is_near(obs_text(o, o->nccl.at[i].text2)))
			return true;
	return false;
}

/*
 * NVML numbers GPUs by PCI address by default. nvidia-smi does not list every vendor's NIC: beside
 * its table, only a NIC that is nearer counts.
 */
static void map_by_tree(struct host *h, struct pci_tree *t, bool beside_smi)
{
	qsort(t->gpu, t->gpus, sizeof(t->gpu[0]), by_address);
	for (unsigned i = 0; i < t->gpus; i++) {
		unsigned shared = 0;
		const struct pci_nic *nic = nearest_nic(t, i, &shared);
		struct obs_nccl *r;

		if (beside_smi &&
			(!nic || has_near(h->o, (int32_t)i) ||
				!is_near(pci_distance(t->gpu[i].path, nic->path, shared))))
			continue;
		r = obs_nccl(h->o, NCCL_GPU, SOURCE_TOPOLOGY);
		if (!r)
			return;
		r->gpu = (int32_t)i;
		r->text = obs_string(h->o, address_of(t->gpu[i].path));
		if (!nic)
			continue;
		r->nic = obs_string(h->o, nic->rdma);
		r->text2 = obs_string(h->o, pci_distance(t->gpu[i].path, nic->path, shared));
	}
}

/* ---- sections ---- */

typedef bool parse_fn(const char *bytes, size_t len, struct obs *out, struct err *err);

/* Decodes a section with the parser; false: nothing was added. */
static bool decode_section(struct host *h, const struct section *s, parse_fn *parse)
{
	struct err ignored = {0};
	size_t before = h->o->nccl.n;
	char *copy = mem_alloc(s->len + 1);
	bool ok;

	memcpy(copy, s->body, s->len);
	copy[s->len] = '\0';
	ok = parse(copy, s->len, h->o, &ignored) && h->o->nccl.n > before;
	free(copy);
	return ok;
}

static void report_needs(struct host *h, bool addresses, bool map, bool gpus, bool smi)
{
	need_say(h->o, NEED_ADDRESSES, addresses ? VALID_OK : VALID_UNSUPPORTED,
		addresses ? "" : "install iproute2 on the host: ip -j addr");
	need_say(h->o, NEED_GPU_NIC, map ? VALID_OK : VALID_UNSUPPORTED,
		map     ? ""
		: !gpus ? "the host has no GPU of NVIDIA or AMD"
		: smi ? "nvidia-smi topo -m names no NIC on the host: check that its driver is 418 "
			"or later"
		      : "install nvidia-smi on the host");
}

static bool names_nic(const struct obs *o, size_t from)
{
	for (size_t i = from; i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == NCCL_GPU && o->nccl.at[i].nic)
			return true;
	return false;
}

bool linux_parse_topology(struct host *h, const char *bytes, size_t len)
{
	struct pci_tree *t = mem_alloc(sizeof(*t));
	bool addresses = false, gpus = false, map = false;
	struct section s;
	size_t at = 0, from;

	t->gpus = t->nics = 0;
	while (section_next(bytes, len, &at, &s)) {
		if (host_common_section(h, &s))
			continue;
		from = h->o->nccl.n;
		if (str_eq(s.name, "addr"))
			addresses = decode_section(h, &s, nccl_addresses_parse);
		else if (str_eq(s.name, "pci"))
			read_nic_paths(&s, t);
		else if (str_eq(s.name, "gpupci"))
			read_gpu_paths(&s, t);
		else if (str_eq(s.name, "gpus"))
			gpus = decode_section(h, &s, nccl_gpus_parse);
		else if (str_eq(s.name, "topo"))
			map = decode_section(h, &s, nccl_topo_parse) && names_nic(h->o, from);
	}
	if (t->gpus && t->nics) {
		map_by_tree(h, t, map);
		map = true;
	}
	if (h->begun && h->ended)
		report_needs(h, addresses, map, gpus || t->gpus, gpus);
	free(t);
	return h->begun;
}
