/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "emulator/device/nxos/dev_nxos.h"

/* show port-channel summary, show vpc, and the bundles of the configuration. */

static const char *flag_of(const struct sim_port *p)
{
	return sim_bundle_active(p) ? "P" : p->up ? "s" : "D";
}

/* M: fewer members than the least. */
static const char *bundle_flag(const struct sim_bundle *b)
{
	return b->up ? "U" : b->active && b->active < b->least ? "M" : "D";
}

static json_t *bundle_row(const struct nxos_query *q, unsigned bundle)
{
	json_t *row = json_object(), *members = json_array();
	struct sim_bundle b = sim_bundle_of(q->m->d, bundle);

	nxos_num(q, row, "group", bundle);
	nxos_strf(row, "port-channel", "port-channel%u", bundle);
	nxos_str(row, "layer", b.shared ? "S" : "R");
	nxos_str(row, "status", bundle_flag(&b));
	nxos_str(row, "type", "Eth");
	nxos_str(row, "prtcl", "LACP");
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];
		json_t *member;

		if (p->bundle != bundle)
			continue;
		member = json_object();
		nxos_str(member, "port", p->name);
		nxos_str(member, "port-status", flag_of(p));
		(void)json_array_append_new(members, member);
	}
	nxos_table(q, row, "member", members);
	return row;
}

json_t *nxos_port_channels(const struct nxos_query *q)
{
	json_t *body = json_object(), *rows = json_array();

	for (unsigned i = 1; i <= q->m->d->bundles; i++)
		(void)json_array_append_new(rows, bundle_row(q, i));
	nxos_table(q, body, "channel", rows);
	return body;
}

void nxos_port_channels_text(const struct nxos_query *q, struct buf *out)
{
	const struct sim_device *d = q->m->d;

	(void)buf_adds(out,
		"Flags:  D - Down        P - Up in port-channel (members)\n"
		"        s - Suspended   U - Up (port-channel)   S - Switched  R - Routed\n"
		"        M - Not in use. Min-links not met\n"
		"Group Port-       Type     Protocol  Member Ports\n      Channel\n");
	for (unsigned i = 1; i <= d->bundles; i++) {
		struct sim_bundle b = sim_bundle_of(d, i);

		(void)buf_addf(out, "%-5u Po%u(%s%s)     Eth      LACP    ", i, i,
			b.shared ? "S" : "R", bundle_flag(&b));
		for (unsigned k = 0; k < d->nports; k++)
			if (d->ports[k].bundle == i)
				(void)buf_addf(out, "  Eth%s(%s)",
					d->ports[k].name + strcspn(d->ports[k].name, "0123456789"),
					flag_of(&d->ports[k]));
		(void)buf_adds(out, "\n");
	}
}

json_t *nxos_vpc(const struct nxos_query *q)
{
	json_t *body = json_object(), *rows = json_array();
	const struct sim_device *d = q->m->d;

	nxos_num(q, body, "vpc-domain-id", 1);
	nxos_str(body, "vpc-peer-status", d->pair ? "peer-ok" : "peer-link-not-configured");
	nxos_str(body, "vpc-peer-keepalive-status", d->pair ? "peer-alive" : "disabled");
	nxos_str(body, "vpc-peer-consistency", "consistent");
	for (unsigned i = 1; d->pair && i <= d->bundles; i++) {
		struct sim_bundle b = sim_bundle_of(d, i);
		json_t *row;

		if (!b.shared)
			continue;
		row = json_object();
		nxos_num(q, row, "vpc-id", i);
		nxos_strf(row, "vpc-ifindex", "Po%u", i);
		nxos_str(row, "vpc-port-state", b.up ? "1" : "0");
		nxos_str(row, "vpc-consistency", "consistent");
		(void)json_array_append_new(rows, row);
	}
	nxos_table(q, body, "vpc", rows);
	return body;
}

void nxos_vpc_text(const struct nxos_query *q, struct buf *out)
{
	const struct sim_device *d = q->m->d;

	(void)buf_addf(out,
		"vPC domain id                     : 1\n"
		"Peer status                       : %s\n"
		"vPC keep-alive status             : %s\n\n"
		"vPC status\nId    Port          Status Consistency\n",
		d->pair ? "peer adjacency formed ok" : "peer link not configured",
		d->pair ? "peer is alive" : "Disabled");
	for (unsigned i = 1; d->pair && i <= d->bundles; i++) {
		struct sim_bundle b = sim_bundle_of(d, i);

		if (b.shared)
			(void)buf_addf(
				out, "%-5u Po%-11u %s     success\n", i, i, b.up ? "up  " : "down");
	}
}

void nxos_running_bundles(const struct sim_device *d, struct buf *out)
{
	for (unsigned i = 1; i <= d->bundles; i++) {
		struct sim_bundle b = sim_bundle_of(d, i);

		(void)buf_addf(out, "\ninterface port-channel%u\n", i);
		/* 1 is the default, which is not shown. */
		if (b.least > 1)
			(void)buf_addf(out, "  lacp min-links %u\n", b.least);
		if (b.shared)
			(void)buf_addf(out, "  vpc %u\n", i);
	}
}
