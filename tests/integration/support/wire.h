/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SUPPORT_WIRE_H
#define TESTS_INTEGRATION_SUPPORT_WIRE_H

#include <uv.h>

#include "backends/contract/change.h"
#include "backends/transport/transport.h"
#include "tests/integration/support/lab.h"

/*
 * One device of the emulated fabric, read and changed through the real transport, without anything
 * of actions/ between.
 */
struct wire {
	uv_loop_t loop;
	uv_timer_t guard;
	const struct transport *transport;
	const struct backend_ops *ops;
	void *shard;
	struct device_link *link;
	struct plan_device device;
	struct credentials *credentials;
	struct facts facts;
	struct target target;
	bool up, down, answered;
	char *bytes;
	size_t len;
	char complaint[512];
	int status;
	struct err err;
};

/* Connects and detects; may change: the link is permitted to. */
void wire_open(struct wire *w, const struct lab *l, const char *name, const char *dialect,
	enum transport_kind transport, bool may_change);
void wire_close(struct wire *w);
/* False: no answer, the reason is in w->err. */
bool wire_ask(struct wire *w, const struct request *r);
/* All that look() asks, seen; fails the test where something is not understood. */
struct condition wire_look(struct wire *w, const struct order *o);
/*
 * Sends the order as it is; returns the dialect's reading of the answers. *sent: the sent requests.
 */
enum taken wire_send(struct wire *w, const struct order *o, const struct condition *now);
/* Looks until the goal is met; false after patience. */
bool wire_met(struct wire *w, const struct order *o, struct condition *now);

#endif
