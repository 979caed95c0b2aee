/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic in the wrong network, and findings of networks beside the backend. */
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/diagnosis/engine/wisher.h"
#include "tests/support/cases.h"

#define LEAF "leaf-r0-00:Ethernet0" /* to node000:mlx5_0 */

static void list_net(struct stand *s, const char *device, const char *port, enum net_kind net)
{
	struct plan_net n = {.from = stand_device(s, device), .net = net};

	n.to = n.from + 1;
	(void)str_copy(n.ports, sizeof(n.ports), port);
	vec_push(&s->m->nets, n);
}

static const struct finding *found_at(const struct stand *s, const char *port)
{
	const struct finding *const *f;
	size_t n;

	f = diag_findings(s->d, &n);
	for (size_t i = 0; i < n; i++)
		if (f[i]->open && f[i]->id == FIND_WRONG_FABRIC &&
			f[i]->at.port == stand_port(s, port))
			return f[i];
	return NULL;
}

CASE_WITH(rdma_on_a_port_of_the_frontend, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_poll(s, 4);
	assert_null(found_at(s, "node000:mlx5_0")); /* the backend is where RDMA belongs */
	s->m->devices.at[stand_device(s, "leaf-r0-00")]->net = NET_FRONTEND;
	s->m->wiring_generation++;
	stand_poll(s, 4);
	f = found_at(s, "node000:mlx5_0");
	assert_non_null(f);
	assert_string_equal(f->title, "RDMA of 40.0 Gb/s on a port of the frontend network");
	assert_int_equal(f->severity, SEV_CRIT);
	assert_int_equal(f->gpus_blocked + f->gpus_slow, 0);
	/* Probes and connection managers are none. */
	stand_rate(s, "node000:mlx5_0", CTR_RDMA_RX_BYTES, 0, 1e5);
	stand_rate(s, "node000:mlx5_0", CTR_RDMA_TX_BYTES, 0, 1e5);
	stand_poll(s, 6);
	assert_null(found_at(s, "node000:mlx5_0"));
}

CASE_WITH(storage_in_the_rdma_class_of_a_backend_switch, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	list_net(s, "node000", "mlx5_0", NET_STORAGE);
	s->m->wiring_generation++;
	stand_rate(s, LEAF, CTR_QUEUE_TX_PACKETS, STAND_LOSSLESS, 50000);
	stand_poll(s, 4);
	f = found_at(s, LEAF);
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_string_equal(f->title, "storage traffic in the RDMA class of a backend switch");
	/* In another class the cable is a risk, and no more. */
	stand_rate(s, LEAF, CTR_QUEUE_TX_PACKETS, STAND_LOSSLESS, 0);
	stand_poll(s, 6);
	f = found_at(s, LEAF);
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_WARN);
	assert_int_equal(f->role, ROLE_RISK);
}

/* ---- the other link layer ---- */

static const struct finding *layer_found(const struct stand *s, const char *port)
{
	const struct finding *const *f;
	size_t n;

	f = diag_findings(s->d, &n);
	for (size_t i = 0; i < n; i++)
		if (f[i]->open && f[i]->id == FIND_LINK_LAYER &&
			f[i]->at.port == stand_port(s, port))
			return f[i];
	return NULL;
}

static void tell_layer(struct stand *s, const char *device, const char *port, const char *layer)
{
	struct obs *o = stand_batch(s, device);

	obs_word(o, obs_port(o, port), ATTR_LINK_LAYER, 0, layer);
}

CASE_WITH(an_infiniband_port_at_an_ethernet_switch, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	tell_layer(s, "node000", "mlx5_0", "infiniband");
	tell_layer(s, "node000", "mlx5_1", "ethernet");
	stand_poll(s, 2);
	f = layer_found(s, "node000:mlx5_0");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_string_equal(f->title, "mlx5_0 is an InfiniBand port on a RoCE rail");
	assert_null(layer_found(s, "node000:mlx5_1"));
	/* Set to Ethernet again. */
	tell_layer(s, "node000", "mlx5_0", "ethernet");
	stand_poll(s, 5);
	assert_null(layer_found(s, "node000:mlx5_0"));
}

/* A link that is down at such a port follows from it. */
CASE_WITH(the_link_that_is_down_follows_from_the_layer, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *const *f;
	size_t n, follows = 0;

	tell_layer(s, "node000", "mlx5_0", "infiniband");
	stand_link(s, LEAF, false);
	stand_poll(s, 4);
	assert_non_null(layer_found(s, "node000:mlx5_0"));
	f = diag_findings(s->d, &n);
	for (size_t i = 0; i < n; i++)
		follows += f[i]->id == FIND_LINK_DOWN &&
			   f[i]->root == layer_found(s, "node000:mlx5_0")->key;
	assert_int_equal(follows, 1);
}

/* ---- GPUs ---- */

static const struct finding *link_finding(const struct stand *s)
{
	const struct finding *const *f;
	size_t n;

	f = diag_findings(s->d, &n);
	for (size_t i = 0; i < n; i++)
		if (f[i]->open && f[i]->id == FIND_LINK_DOWN)
			return f[i];
	fail_msg("link.down was not found");
	return NULL;
}

static int wish_setup(void **state)
{
	struct stand *s = stand_new();

	wisher_setup(s);
	stand_poll(s, 3);
	*state = s;
	return 0;
}

CASE_WITH(a_nic_of_the_storage_blocks_no_gpu, wish_setup, stand_teardown)
{
	struct stand *s = *state;

	list_net(s, "node001", "mlx5_1", NET_STORAGE);
	wisher_job(s, 8);
	(void)wisher_wish(s, FIND_LINK_DOWN, at_port(stand_port(s, "node001:mlx5_1")), 200);
	stand_poll(s, 3);
	assert_int_equal(link_finding(s)->gpus_blocked + link_finding(s)->gpus_slow, 0);
}

/* Without a rail it is of another network, unless the inventory lists it as one of the backend. */
CASE_WITH(a_nic_without_a_rail_counts_where_it_is_listed, wish_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_port_of(s, "node001:mlx5_1")->rail = -1;
	wisher_job(s, 8);
	(void)wisher_wish(s, FIND_LINK_DOWN, at_port(stand_port(s, "node001:mlx5_1")), 200);
	stand_poll(s, 3);
	assert_int_equal(link_finding(s)->gpus_blocked + link_finding(s)->gpus_slow, 0);
	list_net(s, "node001", "mlx5_1", NET_BACKEND);
	stand_poll(s, 3);
	assert_int_equal(link_finding(s)->gpus_blocked + link_finding(s)->gpus_slow, 8);
}

/* A rank that is late by itself may wait for its input: the storage of its host explains it. */
CASE_WITH(a_rank_that_waits_for_storage_counts_its_job, wish_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	list_net(s, "node001", "mlx5_1", NET_STORAGE);
	wisher_job(s, 8);
	(void)wisher_wish(s, FIND_LINK_DOWN, at_port(stand_port(s, "node001:mlx5_1")), 200);
	stand_poll(s, 2);
	(void)wisher_wish(s, FIND_NCCL_STRAGGLER, at_device(stand_device(s, "node001")), 40);
	stand_poll(s, 4);
	f = link_finding(s);
	assert_int_equal(f->gpus_blocked + f->gpus_slow, 8);
}

CASE_WITH(the_storage_of_another_host_explains_no_late_rank, wish_setup, stand_teardown)
{
	struct stand *s = *state;

	list_net(s, "node001", "mlx5_1", NET_STORAGE);
	wisher_job(s, 8);
	(void)wisher_wish(s, FIND_LINK_DOWN, at_port(stand_port(s, "node001:mlx5_1")), 200);
	stand_poll(s, 2);
	(void)wisher_wish(s, FIND_NCCL_STRAGGLER, at_device(stand_device(s, "node003")), 40);
	stand_poll(s, 4);
	assert_int_equal(link_finding(s)->gpus_blocked + link_finding(s)->gpus_slow, 0);
}

CASES_MAIN(NULL, NULL)
