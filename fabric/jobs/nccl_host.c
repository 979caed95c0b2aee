/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fabric/model/index.h"
#include "fabric/jobs/nccl_internal.h"

#define HOST_GPUS 1024
#define TEXTS_US  30000000 /* time before an unresolved name is looked up again */

/* ---- hosts ---- */

static bool is_address(const char *s)
{
	return strchr(s, ':') || s[strspn(s, "0123456789.")] == '\0';
}

/* Compares names up to the first dot: NCCL prints short names, inventories may have long ones. */
static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, ".");

	return n && n == strcspn(b, ".") && strncasecmp(a, b, n) == 0;
}

static uint32_t find_by_name(const struct model *m, const char *text)
{
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if (same_name(d->name, text) || (d->hostname[0] && same_name(d->hostname, text)))
			return d->id;
	}
	return JOB_NONE;
}

/* The device that announced the address to its neighbours, or that is polled at it. */
static uint32_t find_by_address(const struct model *m, const char *text)
{
	for (size_t i = 0; i < m->devices.n; i++) {
		if (strcmp(m->devices.at[i]->address, text) == 0)
			return m->devices.at[i]->id;
	}
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (p->lldp_peer != PORT_NONE && p->more->lldp_mgmt[0] &&
			strcmp(p->more->lldp_mgmt, text) == 0)
			return m->ports.at[p->lldp_peer]->device;
	}
	return JOB_NONE;
}

uint32_t nccl_address_host(const struct model *m, const char *address)
{
	const struct nccl_index *x = m->nccl->index;
	size_t at;
	char text[46];

	if (!nccl_canonical(address, text, sizeof(text)))
		return JOB_NONE;
	at = (size_t)(uintptr_t)index_get(x->addresses, text);
	return at ? (uint32_t)(at - 1) : JOB_NONE;
}

uint32_t model_host_by_text(const struct model *m, const char *text)
{
	const struct nccl_index *x = m->nccl->index;
	const struct device *d = model_device(m, text);
	char address[46];
	size_t at;

	if (d)
		return d->id;
	if (!*text)
		return JOB_NONE;
	if (nccl_canonical(text, address, sizeof(address)))
		text = address;
	at = (size_t)(uintptr_t)index_get(x->addresses, text);
	if (at)
		return (uint32_t)(at - 1);
	return is_address(text) ? find_by_address(m, text) : find_by_name(m, text);
}

uint32_t nccl_host(struct nccl_batch *b, const char *text)
{
	uint32_t host;
	size_t at;

	if (b->x->ntexts >= NCCL_TEXTS_MAX || b->now - b->x->string_pool_us > TEXTS_US ||
		b->now < b->x->string_pool_us) {
		index_free(&b->x->texts);
		b->x->ntexts = 0;
		b->x->string_pool_us = b->now;
	}
	at = (size_t)(uintptr_t)index_get(b->x->texts, text);
	if (at == SIZE_MAX)
		return JOB_NONE;
	if (at)
		return (uint32_t)(at - 1);
	host = model_host_by_text(b->m, text);
	b->x->ntexts++;
	index_put(&b->x->texts, text, RANK_NAME,
		(void *)(host == JOB_NONE ? UINTPTR_MAX : (uintptr_t)host + 1));
	return host;
}

bool nccl_canonical(const char *text, char *dst, size_t size)
{
	unsigned char bytes[16];
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (inet_pton(AF_INET, text, bytes) == 1)
		return inet_ntop(AF_INET, bytes, dst, (socklen_t)size) != NULL;
	if (inet_pton(AF_INET6, text, bytes) != 1)
		return false;
	if (memcmp(bytes, mapped, sizeof(mapped)) == 0)
		return inet_ntop(AF_INET, bytes + 12, dst, (socklen_t)size) != NULL;
	return inet_ntop(AF_INET6, bytes, dst, (socklen_t)size) != NULL;
}

/* Every host has these addresses, so they identify none. */
static bool is_everywhere(const char *address)
{
	return str_starts(address, "127.") || strcmp(address, "::1") == 0 ||
	       str_starts(address, "fe80:") || strcmp(address, "0.0.0.0") == 0;
}

static void learn_text(struct nccl_batch *b, const char *text, uint32_t host)
{
	size_t was = (size_t)(uintptr_t)index_get(b->x->addresses, text);

	if (was == (size_t)host + 1)
		return;
	if (!was && b->x->naddresses++ >= NCCL_ADDRESSES_MAX) {
		b->n->refused++;
		return;
	}
	if (was)
		index_drop(&b->x->addresses, text, RANK_NAME, (void *)(uintptr_t)was);
	index_put(&b->x->addresses, text, RANK_NAME, (void *)((uintptr_t)host + 1));
	b->x->hosts_changed = true;
}

static void learn_nic(struct nccl_batch *b, const char *address, uint32_t host, const char *name)
{
	uint32_t nic = nccl_nic(b->m, host, name);
	size_t was = (size_t)(uintptr_t)index_get(b->x->nics, address);

	if (nic == JOB_NONE || was == (size_t)nic + 1 ||
		(!was && index_size(b->x->nics) >= NCCL_ADDRESSES_MAX))
		return;
	if (was)
		index_drop(&b->x->nics, address, RANK_NAME, (void *)(uintptr_t)was);
	index_put(&b->x->nics, address, RANK_NAME, (void *)((uintptr_t)nic + 1));
	b->x->hosts_changed = true;
}

/* Names whose address a host has reported in the meantime. */
static void resolve_aliases(struct nccl_batch *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->x->aliases.n; i++) {
		const struct nccl_alias a = b->x->aliases.at[i];
		size_t at = (size_t)(uintptr_t)index_get(b->x->addresses, a.address);

		if (at)
			learn_text(b, a.name, (uint32_t)(at - 1));
		else
			b->x->aliases.at[kept++] = a;
	}
	b->x->aliases.n = kept;
}

/* A process said its own address: its host's name may be that of a pod. */
static void learn_alias(struct nccl_batch *b, const char *name, const char *address)
{
	size_t at = (size_t)(uintptr_t)index_get(b->x->addresses, address);
	struct nccl_alias *a;
	uint32_t host = at ? (uint32_t)(at - 1) : model_host_by_text(b->m, address);

	if (host != JOB_NONE) {
		learn_text(b, name, host);
		return;
	}
	for (size_t i = 0; i < b->x->aliases.n; i++)
		if (strcmp(b->x->aliases.at[i].name, name) == 0 &&
			strcmp(b->x->aliases.at[i].address, address) == 0)
			return;
	if (b->x->aliases.n >= NCCL_ALIASES_MAX)
		return;
	a = vec_add(&b->x->aliases);
	(void)str_copy(a->name, sizeof(a->name), name);
	(void)str_copy(a->address, sizeof(a->address), address);
}

void nccl_address(struct nccl_batch *b, const struct obs_nccl *r)
{
	const char *name = r->host ? obs_text(b->o, r->host) : "";
	uint32_t host = r->host ? nccl_host(b, name) : b->from;
	bool logged = r->source == SOURCE_NCCL_LOG;
	char text[46];

	if (!nccl_canonical(obs_text(b->o, r->text), text, sizeof(text))) {
		/* A pod's name, which is the host's name for the processes in it. */
		if (r->source == SOURCE_KUBERNETES && host != JOB_NONE && r->text &&
			!model_device(b->m, obs_text(b->o, r->text)))
			learn_text(b, obs_text(b->o, r->text), host);
		return;
	}
	if (is_everywhere(text))
		return;
	if (logged) {
		size_t at = (size_t)(uintptr_t)index_get(b->x->addresses, name);

		/* A device's own name needs no other; a pod may have moved. */
		if (host == JOB_NONE || at)
			learn_alias(b, name, text);
		return;
	}
	if (host == JOB_NONE)
		return;
	learn_text(b, text, host);
	if (r->text2)
		learn_nic(b, text, host, obs_text(b->o, r->text2));
	resolve_aliases(b);
}

uint64_t process_key(const struct rank *r)
{
	uint64_t host = r->host != JOB_NONE ? r->host : text_hash(r->host_text) | 1u << 31;

	return host << 32 | (uint32_t)r->pid;
}

/* ---- GPUs and NICs ---- */

/* "0000:a3:00.0": the port of that PCI function. */
static const struct port *port_by_function(
	const struct model *m, const struct device *d, const char *text)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (p->more->pci_addr[0] && strcasecmp(p->more->pci_addr, text) == 0)
			return p;
	}
	return NULL;
}

uint32_t nccl_nic(const struct model *m, uint32_t host, const char *text)
{
	const struct device *d = m->devices.at[host];
	const struct port *p = model_port(m, d, text);
	char name[NAME_MAX_LEN];

	if (!p && text[0] && text[strspn(text, "0123456789abcdefABCDEF:.")] == '\0' &&
		strchr(text, ':') && strchr(text, '.'))
		p = port_by_function(m, d, text);

	/* "mlx5_1:1" with its port; NCCL's virtual NIC of two, "mlx5_0+mlx5_1": the first. */
	for (size_t i = 0; !p && i < 2; i++) {
		(void)str_copyn(name, sizeof(name), text, strcspn(text, i ? ":+" : ":"));
		p = model_port(m, d, name);
	}
	return p && !p->merged ? p->id : JOB_NONE;
}

uint32_t nccl_port_by_text(const struct model *m, uint32_t host, const char *text)
{
	const struct nccl_index *x = m->nccl->index;
	char address[46];
	size_t at;

	if (nccl_canonical(text, address, sizeof(address))) {
		at = (size_t)(uintptr_t)index_get(x->nics, address);
		return at ? (uint32_t)(at - 1) : PORT_NONE;
	}
	return host != JOB_NONE ? nccl_nic(m, host, text) : PORT_NONE;
}

static size_t gpu_at(const struct nccl *n, uint32_t host, int32_t index)
{
	size_t lo = 0, hi = n->gpus.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct gpu *g = &n->gpus.at[mid];

		if (g->host < host || (g->host == host && g->index < index))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct gpu *nccl_gpu(const struct nccl *n, uint32_t host, int32_t index)
{
	size_t at = gpu_at(n, host, index);

	if (at == n->gpus.n || n->gpus.at[at].host != host || n->gpus.at[at].index != index)
		return NULL;
	return &n->gpus.at[at];
}

/* Proximity of a NIC as nvidia-smi prints it; 0: not reported. */
static unsigned nearness_rank(const char *how)
{
	static const char *const order[] = {"SYS", "NODE", "PHB", "PXB", "PIX"};

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (strcmp(how, order[i]) == 0)
			return i + 1;
	}
	return 0;
}

void nccl_gpu_record(struct nccl_batch *b, const struct obs_nccl *r)
{
	uint32_t host = r->host ? nccl_host(b, obs_text(b->o, r->host)) : b->from;
	const char *how = obs_text(b->o, r->text2);
	struct gpu *g;
	uint32_t nic;
	size_t at;

	if (host == JOB_NONE || r->gpu < 0 || r->gpu >= HOST_GPUS)
		return;
	at = gpu_at(b->n, host, r->gpu);
	if (!nccl_gpu(b->n, host, r->gpu)) {
		if (b->n->gpus.n >= NCCL_GPUS_MAX) {
			b->n->refused++;
			return;
		}
		(void)vec_add(&b->n->gpus);
		memmove(&b->n->gpus.at[at + 1], &b->n->gpus.at[at],
			(b->n->gpus.n - 1 - at) * sizeof(b->n->gpus.at[0]));
		b->n->gpus.at[at] = (struct gpu){.host = host, .index = r->gpu, .nic = JOB_NONE};
		b->x->hosts_changed = true;
	}
	g = &b->n->gpus.at[at];
	if (r->text)
		(void)str_copy(g->bdf, sizeof(g->bdf), obs_text(b->o, r->text));
	nic = r->nic ? nccl_nic(b->m, host, obs_text(b->o, r->nic)) : JOB_NONE;
	if (nic == JOB_NONE || nic == g->nic ||
		(g->nic != JOB_NONE && nearness_rank(how) < nearness_rank(g->how)))
		return;
	g->nic = nic;
	g->source = r->source;
	(void)str_copy(g->how, sizeof(g->how), how);
	b->x->hosts_changed = true;
}

static unsigned gpus_of_ranks(const struct comm *c, uint32_t host)
{
	unsigned count = 0;

	for (int32_t i = 0; i < c->nranks; i++) {
		if (c->rank[i].host == host && c->rank[i].gpu >= (int32_t)count)
			count = (unsigned)c->rank[i].gpu + 1;
	}
	return count;
}

/* GPUs of the host: as reported, else the greatest index of its ranks in the communicator. */
static unsigned host_gpus(struct nccl_batch *b, const struct comm *c, uint32_t host)
{
	const struct nccl *n = b->n;
	size_t at = gpu_at(n, host, 0);
	unsigned count = 0;

	if (b->gpus_comm == c && b->gpus_host == host)
		return b->gpus;
	for (; at < n->gpus.n && n->gpus.at[at].host == host; at++)
		count++;
	if (!count && b->scans_left < (size_t)c->nranks)
		return 0;
	if (!count) {
		b->scans_left -= (size_t)c->nranks;
		count = gpus_of_ranks(c, host);
	}
	b->gpus_comm = c;
	b->gpus_host = host;
	b->gpus = count;
	return count;
}

/* A guess: GPU n uses the NIC of rail n, if the host has equally many of both. */
static uint32_t nic_by_index(struct nccl_batch *b, const struct comm *c, const struct rank *r)
{
	const struct model *m = b->m;
	const struct device *d = m->devices.at[r->host];
	uint32_t nic = JOB_NONE;
	unsigned nics = 0;

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (p->merged || p->rail < 0)
			continue;
		nics++;
		if (p->rail == r->gpu)
			nic = p->id;
	}
	return nic != JOB_NONE && host_gpus(b, c, r->host) == nics ? nic : JOB_NONE;
}

void nccl_place(struct nccl_batch *b, struct comm *c, struct rank *r)
{
	const struct gpu *g;

	if (r->host == JOB_NONE && r->host_text[0]) {
		r->host = nccl_host(b, r->host_text);
		c->hosts_changed |= r->host != JOB_NONE;
	}
	if (r->host == JOB_NONE || r->gpu < 0 ||
		(r->nic != JOB_NONE && r->nic_source != SOURCE_UNKNOWN &&
			r->nic_source != SOURCE_TOPOLOGY))
		return;
	g = nccl_gpu(b->n, r->host, r->gpu);
	if (g && g->nic != JOB_NONE) {
		r->nic = g->nic;
		r->nic_source = g->source;
	} else if (r->nic == JOB_NONE) {
		r->nic = nic_by_index(b, c, r);
		r->nic_source = SOURCE_UNKNOWN;
	}
}
