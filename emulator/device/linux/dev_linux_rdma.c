/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

static json_t *rdma_link(const struct sim_port *p)
{
	return json_pack("{s:i,s:o,s:i,s:s,s:s,s:s,s:i}", "ifindex", (int)p->port, "ifname",
		json_sprintf("mlx5_%u", p->port), "port", 1, "state", p->up ? "ACTIVE" : "DOWN",
		"physical_state",
		p->up                ? "LINK_UP"
		: p->config.admin_up ? "POLLING"
				     : "DISABLED",
		"netdev", p->name, "netdev_index", (int)(p->port + LINUX_FIRST_INDEX));
}

static json_t *rdma_dev(const struct machine *m, const struct sim_port *p)
{
	char guid[24];

	linux_guid(m, p->port, guid);
	return json_pack("{s:i,s:o,s:s,s:s,s:s,s:s,s:s}", "ifindex", (int)p->port, "ifname",
		json_sprintf("mlx5_%u", p->port), "node_type", "ca", "protocol", "roce", "fw",
		LINUX_FIRMWARE, "node_guid", guid, "sys_image_guid", guid);
}

static json_t *rdma_statistic(const struct sim_port *p)
{
	json_t *o = json_pack("{s:o,s:i}", "ifname", json_sprintf("mlx5_%u", p->port), "port", 1);
	size_t i;

	for (i = 0; linux_hw_counters[i].name; i++)
		(void)json_object_set_new(o, linux_hw_counters[i].name,
			json_integer((json_int_t)linux_hw_value(p, &linux_hw_counters[i])));
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
				"ifindex", (int)port, "ifname", json_sprintf("mlx5_%u", port),
				"port", 1, "lqpn", (int)lqpn, "rqpn",
				(int)(FIRST_QPN + (lqpn ^ 4u)), "type", "RC", "state", "RTS",
				"rq-psn", (int)(seed * 3u & 0xffffffu), "sq-psn", (int)seed,
				"path-mig-state", "MIGRATED", "pdn", 11, "pid", (int)rank->pid,
				"comm", "python3"));
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
			      "ifname", json_sprintf("mlx5_%u", p->port), "port", 1, "lqpn", 1,
			      "type", "GSI", "state", "RTS", "sq-psn", 0, "comm", "ib_core"));
	linux_ranks(m, add_rank, &q);
}

static json_t *rdma_res(const struct machine *m, const struct sim_port *p)
{
	int n = (int)count_qps(m, p), users = n / (int)QPS_A_RANK;

	return json_pack("{s:i,s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "ifindex", (int)p->port, "ifname",
		json_sprintf("mlx5_%u", p->port), "pd", 3 + users, "cq", 4 + 2 * users, "qp", 1 + n,
		"cm_id", 0, "mr", 36 * users, "ctx", users, "srq", 2);
}

/* "mlx5_3" or "mlx5_3/1" after "show"; NULL: all. */
static const char *wanted_device(const struct shell_call *c)
{
	const char *word = linux_word_after(c, "show");

	if (word && !strcmp(word, "qp"))
		word = linux_word_after(c, "qp");
	return word && str_starts(word, "mlx5_") ? word : NULL;
}

static bool is_wanted(const struct sim_port *p, const char *wanted)
{
	char name[16];
	size_t n;

	if (!wanted)
		return true;
	(void)str_printf(name, sizeof(name), "mlx5_%u", p->port);
	n = strlen(name);
	return !strncmp(wanted, name, n) && (!wanted[n] || wanted[n] == '/');
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
	const char *object = linux_first_word(c), *wanted = wanted_device(c);
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

		if (!linux_is_rdma(m->d, p) || !is_wanted(p, wanted))
			continue;
		if (object[0] == 'r' && linux_has_word(c, "qp"))
			list_qps(m, p, all);
		else
			(void)json_array_append_new(all, object[0] == 'l'   ? rdma_link(p)
							 : object[0] == 'd' ? rdma_dev(m, p)
							 : object[0] == 'r' ? rdma_res(m, p)
									    : rdma_statistic(p));
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
		if (linux_is_rdma(m->d, &m->d->ports[i]))
			(void)buf_addf(c->out, "mlx5_%u port 1 ==> %s (%s)\n", i,
				m->d->ports[i].name, m->d->ports[i].up ? "Up" : "Down");
	return 0;
}
