/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

static json_t *name_of(const struct machine *m, const struct sim_port *p)
{
	char name[24];

	linux_rdma_name(m->d, p, name);
	return json_string(name);
}

static json_t *rdma_link(const struct machine *m, const struct sim_port *p)
{
	bool up = p->up || (p->bond && p->bond->up);
	char netdev[24];

	(void)str_copy(netdev, sizeof(netdev), p->name);
	if (p->bond)
		linux_bond_name(p, netdev);
	return json_pack("{s:i,s:o,s:i,s:s,s:s,s:s,s:i}", "ifindex", (int)p->port, "ifname",
		name_of(m, p), "port", 1, "state", up ? "ACTIVE" : "DOWN", "physical_state",
		up                   ? "LINK_UP"
		: p->config.admin_up ? "POLLING"
				     : "DISABLED",
		"netdev", netdev, "netdev_index", (int)(p->port + LINUX_FIRST_INDEX));
}

static json_t *rdma_dev(const struct machine *m, const struct sim_port *p)
{
	char guid[24], system[24];

	linux_guid(m, p->port, false, guid);
	linux_guid(m, p->port, true, system);
	return json_pack("{s:i,s:o,s:s,s:s,s:s,s:s,s:s}", "ifindex", (int)p->port, "ifname",
		name_of(m, p), "node_type", "ca", "protocol", "roce", "fw",
		linux_nic(m->d)->firmware, "node_guid", guid, "sys_image_guid", system);
}

static json_t *rdma_statistic(const struct machine *m, const struct sim_port *p)
{
	const struct nic_counter *all = linux_nic(m->d)->hw_counters;
	json_t *o = json_pack("{s:o,s:i}", "ifname", name_of(m, p), "port", 1);
	size_t i;

	for (i = 0; all[i].name; i++)
		(void)json_object_set_new(
			o, all[i].name, json_integer((json_int_t)linux_hw_value(p, &all[i])));
	return o;
}

/* ---- queue pairs that NCCL opened, by process ---- */

#define FIRST_QPN  178u
#define QPS_A_RANK 8u /* two neighbours, four per connection */

struct qps {
	const struct machine *m;
	const struct sim_port *only; /* count and list those of this NIC */
	json_t *list;                /* NULL: count only */
	unsigned n;
};

static void add_rank(void *arg, const struct sim_job_view *job, const struct sim_rank_view *rank)
{
	struct qps *q = arg;
	unsigned i, port;

	if (rank->nic != q->only || rank->dead)
		return;
	port = rank->nic->port;
	for (i = 0; i < QPS_A_RANK; i++, q->n++) {
		unsigned lqpn = FIRST_QPN + q->n;
		unsigned seed = (job->id * 7919u + rank->rank * 101u + lqpn * 31u) & 0xffffffu;

		if (!q->list)
			continue;
		(void)json_array_append_new(q->list,
			json_pack("{s:i,s:o,s:i,s:i,s:i,s:s,s:s,s:i,s:i,s:s,s:i,s:i,s:s}",
				"ifindex", (int)port, "ifname", name_of(q->m, rank->nic), "port", 1,
				"lqpn", (int)lqpn, "rqpn", (int)(FIRST_QPN + (lqpn ^ 4u)), "type",
				"RC", "state", "RTS", "rq-psn", (int)(seed * 3u & 0xffffffu),
				"sq-psn", (int)seed, "path-mig-state", "MIGRATED", "pdn", 11, "pid",
				(int)rank->pid, "comm", "python3"));
	}
}

static unsigned count_qps(const struct machine *m, const struct sim_port *p)
{
	struct qps q = {.m = m, .only = p};

	linux_ranks(m, add_rank, &q);
	return q.n;
}

/* The kernel's GSI pair comes first; it has no process. */
static void list_qps(const struct machine *m, const struct sim_port *p, json_t *list)
{
	struct qps q = {.m = m, .only = p, .list = list};

	(void)json_array_append_new(
		list, json_pack("{s:i,s:o,s:i,s:i,s:s,s:s,s:i,s:s}", "ifindex", (int)p->port,
			      "ifname", name_of(m, p), "port", 1, "lqpn", 1, "type", "GSI", "state",
			      "RTS", "sq-psn", 0, "comm", "ib_core"));
	linux_ranks(m, add_rank, &q);
}

static json_t *rdma_res(const struct machine *m, const struct sim_port *p)
{
	int n = (int)count_qps(m, p), users = n / (int)QPS_A_RANK;

	return json_pack("{s:i,s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "ifindex", (int)p->port, "ifname",
		name_of(m, p), "pd", 3 + users, "cq", 4 + 2 * users, "qp", 1 + n, "cm_id", 0, "mr",
		36 * users, "ctx", users, "srq", 2);
}

static bool is_wanted(const struct machine *m, const struct sim_port *p, const char *wanted)
{
	char name[24];
	size_t n;

	if (!wanted)
		return true;
	linux_rdma_name(m->d, p, name);
	n = strlen(name);
	return !strncmp(wanted, name, n) && (!wanted[n] || wanted[n] == '/');
}

/* "mlx5_3" or "mlx5_3/1" after "show"; NULL: all. */
static const char *wanted_device(const struct machine *m, const struct shell_call *c)
{
	const char *word = linux_word_after(c, "show");

	if (word && !strcmp(word, "qp"))
		word = linux_word_after(c, "qp");
	for (unsigned i = 0; word && i < m->d->nports; i++)
		if (linux_is_rdma(m->d, &m->d->ports[i]) && is_wanted(m, &m->d->ports[i], word))
			return word;
	return NULL;
}

/* Without -j: a line per port, in the order of the JSON. */
static void print_text(const char *object, json_t *all, struct buf *out)
{
	const char *key;
	json_t *one, *value;
	size_t i;

	json_array_foreach(all, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "ifname"));

		if (object[0] == 'r' || object[0] == 'd')
			(void)buf_addf(out, "%lld: %s:",
				(long long)json_integer_value(json_object_get(one, "ifindex")),
				name);
		else
			(void)buf_addf(out, "link %s/1", name);
		json_object_foreach(one, key, value)
		{
			if (!strcmp(key, "ifindex") || !strcmp(key, "ifname") ||
				!strcmp(key, "port") || !strcmp(key, "netdev_index"))
				continue;
			if (json_is_string(value))
				(void)buf_addf(out, " %s %s", key, json_string_value(value));
			else
				(void)buf_addf(
					out, " %s %lld", key, (long long)json_integer_value(value));
		}
		(void)buf_adds(out, " \n");
	}
	json_decref(all);
}

int linux_rdma(struct machine *m, const struct shell_call *c)
{
	const char *object = linux_first_word(c), *wanted = wanted_device(m, c);
	json_t *all;
	unsigned i;

	if (linux_has_word(c, "-V")) {
		(void)buf_adds(c->out, "rdma utility, iproute2-6.18.0\n");
		return 0;
	}
	if (strcmp(object, "link") != 0 && strcmp(object, "dev") != 0 &&
		strcmp(object, "res") != 0 && strcmp(object, "resource") != 0 &&
		(strlen(object) < 4 || !str_starts("statistic", object))) {
		(void)buf_addf(c->err, "Unknown argument \"%s\".\n", object);
		return 22;
	}
	all = json_array();
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!linux_is_rdma(m->d, p) || !is_wanted(m, p, wanted))
			continue;
		if (object[0] == 'r' && linux_has_word(c, "qp"))
			list_qps(m, p, all);
		else
			(void)json_array_append_new(all, object[0] == 'l'   ? rdma_link(m, p)
							 : object[0] == 'd' ? rdma_dev(m, p)
							 : object[0] == 'r' ? rdma_res(m, p)
									    : rdma_statistic(m, p));
	}
	if (linux_has_word(c, "-j") || linux_has_word(c, "-json"))
		return linux_print_json(c->out, all, JSON_COMPACT);
	print_text(object, all, c->out);
	return 0;
}

int linux_ibdev2netdev(struct machine *m, const struct shell_call *c)
{
	unsigned i;

	for (i = 0; i < m->d->nports; i++)
		if (linux_is_rdma(m->d, &m->d->ports[i])) {
			const struct sim_port *p = &m->d->ports[i];
			char rdma[24], netdev[24];

			linux_rdma_name(m->d, p, rdma);
			(void)str_copy(netdev, sizeof(netdev), p->name);
			if (p->bond)
				linux_bond_name(p, netdev);
			(void)buf_addf(c->out, "%s port 1 ==> %s (%s)\n", rdma, netdev,
				p->up || (p->bond && p->bond->up) ? "Up" : "Down");
		}
	return 0;
}
