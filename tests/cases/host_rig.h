/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CASES_HOST_RIG_H
#define TESTS_CASES_HOST_RIG_H

#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * A host made of files: a sysfs, an ethtool and an lldpcli. The scripts of the dialect "linux" run
 * on it with `sh -s`, their output is decoded, applied to a model and judged, as in the console.
 * Time is the rig's own: it moves by five seconds a poll, and so do the counters. The inventory
 * lists mlx5_0 as the NIC of rail 2, and no switch.
 */
#define HOST_RIG_INTERVAL_S 5
#define HOST_RIG_NAME       "node1"

struct host_rig;

/*
 * text describes the host, an item a line. A value is a text, or "BASE~RATE": a counter and its
 * growth a second. The items:
 *
 * sys: a file below /sys/class and its value.
 *
 * net: a netdev and its files, such as oper=up speed=400000 carrier=2 slaves=e0,e1 mode=802.3ad,4.
 *
 * -S, fec, link: a netdev, and a line of `ethtool -S`, `ethtool -I --show-fec` or `ethtool -I`.
 *
 * rdma: an RDMA device, and a counter of `rdma -j statistic` with its value.
 *
 * lldp: a netdev, the device at its other end, and the port there.
 *
 * pci: an RDMA device, the address of its function, and a dash.
 */
struct host_rig *host_rig_new(const char *text);
/*
 * The same for tests of hundreds of hosts that are alike: tools run for the first one only. Nothing
 * is set on it, and its calls are not counted.
 */
struct host_rig *host_rig_new_alike(const char *text);
void host_rig_free(struct host_rig *r);
/* Adds or replaces an item. */
void host_rig_set(struct host_rig *r, const char *line);
/* Another program of the host: a text for sh, which follows "#!/bin/sh". */
void host_rig_tool(struct host_rig *r, const char *name, const char *script);
/* The environment of the login: "SSH_CONNECTION=10.0.0.9 50022 10.0.0.5 22". Not copied. */
void host_rig_login(struct host_rig *r, const char *session);
/* Runs a script of the dialect and returns the decoded batch; the caller frees it. */
struct obs *host_rig_ask(struct host_rig *r, const char *request);
/* The bytes of the answer to a request, until the next question; not decoded. */
const char *host_rig_answer(struct host_rig *r, const char *request, size_t *n);
/* Asks, and applies the answer to the model. */
void host_rig_take(struct host_rig *r, const char *request);
/* LLDP and settings once, then so many polls of the counters, each judged. */
void host_rig_poll(struct host_rig *r, unsigned polls);
/* Lines of the kernel log arrive. */
void host_rig_log(struct host_rig *r, const char *lines);

const struct model *host_rig_model(const struct host_rig *r);
const struct diag *host_rig_diag(const struct host_rig *r);
struct port *host_rig_port(const struct host_rig *r, const char *name);
/* The open finding at the port; "": at the host. NULL: none. */
const struct finding *host_rig_found(const struct host_rig *r, const char *id, const char *port);
size_t host_rig_findings(const struct host_rig *r); /* open ones */
size_t host_rig_culprits(const struct host_rig *r); /* open findings with that role */
/* Bytes of the last answer. */
size_t host_rig_bytes(const struct host_rig *r);
/* Calls of ethtool by the last answer. */
unsigned host_rig_calls(const struct host_rig *r);

#endif
