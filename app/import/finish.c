/* SPDX-License-Identifier: Apache-2.0 */
/* After the last file: switch or host, tiers, rails, and devices outside of the fabric. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "app/import/import.h"
#include "base/mem.h"
#include "base/str.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define NICS_MAX    64

/* ---- switch or host ---- */

static bool port_is(const char *port, const char *const *patterns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(patterns[i], port, 0) == 0)
			return true;
	return false;
}

/* Names of ports that only switches have, and those that only servers have. */
static enum import_kind kind_of_port(const char *port)
{
	static const char *const switches[] = {"swp[0-9]*", "Ethernet[0-9]*", "Eth[0-9]*",
		"etp[0-9]*", "[efx]t-[0-9]*", "ethernet-[0-9]*", "e[0-9]*-[0-9]*",
		"sw[0-9]*p[0-9]*"};
	static const char *const hosts[] = {"eth[0-9]*", "en[opsx]*", "mlx5_*", "bnxt_re*",
		"ib[0-9]*", "ibs*", "ibp*", "rdma*", "roce*", "ionic*"};

	if (port_is(port, switches, COUNT_OF(switches)))
		return IMPORT_SWITCH;
	return port_is(port, hosts, COUNT_OF(hosts)) ? IMPORT_HOST : IMPORT_OPEN;
}

static enum import_kind kind_by_ports(const size_t votes[2])
{
	if (votes[0] == votes[1])
		return IMPORT_OPEN;
	return votes[0] > votes[1] ? IMPORT_SWITCH : IMPORT_HOST;
}

static void judge_device(struct import *im, size_t at, const size_t votes[2])
{
	struct found *f = &im->d.devices.at[at];
	struct import_said *s = &im->said.at[at];
	int tier;
	enum import_kind by_name = import_kind_of(f->name, &tier);

	/* "oob-mgmt-switch" runs the system of a switch as well. */
	if (s->kind == IMPORT_OPEN && !s->is_foreign && by_name != IMPORT_OTHER && f->dialect[0] &&
		!str_eq(f->dialect, "linux")) {
		s->kind = IMPORT_SWITCH;
		s->why = "its system is one of switches";
	}
	if (s->kind == IMPORT_OPEN && by_name != IMPORT_OPEN) {
		s->kind = by_name;
		s->why = "by its name";
	}
	if (s->kind == IMPORT_SWITCH && by_name == IMPORT_SWITCH && s->tier < 0)
		s->tier = tier;
	if (s->kind == IMPORT_OPEN) {
		s->kind = kind_by_ports(votes);
		s->why = "by the names of its ports";
	}
	if (s->kind == IMPORT_OPEN) {
		s->kind = IMPORT_HOST;
		s->why = "nothing says that it is a switch";
	}
	f->is_switch = s->kind == IMPORT_SWITCH;
	f->kind_why = s->why;
}

static void judge_devices(struct import *im)
{
	size_t(*votes)[2] = mem_calloc(im->d.devices.n + 1, sizeof(*votes));

	for (size_t i = 0; i < im->d.links.n; i++) {
		const struct found_link *l = &im->d.links.at[i];
		enum import_kind a = kind_of_port(l->a_port), b = kind_of_port(l->b_port);

		votes[l->a][0] += a == IMPORT_SWITCH;
		votes[l->a][1] += a == IMPORT_HOST;
		votes[l->b][0] += b == IMPORT_SWITCH;
		votes[l->b][1] += b == IMPORT_HOST;
	}
	for (size_t i = 0; i < im->d.devices.n; i++)
		judge_device(im, i, votes[i]);
	free(votes);
}

/* ---- devices outside of the fabric ---- */

static void leave_out(struct import *im, size_t at, const char *why)
{
	im->d.devices.at[at].state = FOUND_SAME;
	import_skip(im, why, im->d.devices.at[at].name);
}

/* A known system that railtop does not read is listed in the file as a comment, with its reason. */
static void leave_foreign(struct import *im, size_t at)
{
	struct found *f = &im->d.devices.at[at];

	f->state = FOUND_FAILED;
	err_set(&f->err, ERR_UNSUPPORTED, f->name, "its system is %s, which railtop does not read",
		im->said.at[at].system);
	import_skip(im, "devices with a system that railtop does not read", f->name);
}

/* A controller of switches in a group of servers: it is neither. */
static bool has_switch_system(const struct import *im, size_t at)
{
	const struct found *f = &im->d.devices.at[at];

	return f->state == FOUND_KNOWN && !f->is_switch && f->dialect[0] &&
	       !str_eq(f->dialect, "linux");
}

static void leave_others(struct import *im)
{
	size_t n = im->d.devices.n;
	bool *cabled = mem_calloc(n + 1, sizeof(*cabled)),
	     *managed = mem_calloc(n + 1, sizeof(*managed));

	for (size_t i = 0; i < im->d.links.n; i++) {
		const struct found_link *l = &im->d.links.at[i];
		bool *which = l->management ? managed : cabled;

		which[l->a] = which[l->b] = true;
	}
	for (size_t i = 0; i < n; i++) {
		if (im->said.at[i].kind == IMPORT_OTHER)
			leave_out(im, i, "devices with a role outside the fabric");
		else if (managed[i] && !cabled[i])
			leave_out(im, i, "devices with management ports only");
		else if (im->said.at[i].needs_cable && !cabled[i])
			leave_out(
				im, i, "devices without a role of the fabric and without a cable");
		else if (im->said.at[i].is_foreign)
			leave_foreign(im, i);
		else if (has_switch_system(im, i))
			leave_out(im, i, "hosts with the system of a switch");
	}
	for (size_t i = 0; i < im->d.links.n; i++) {
		const struct found_link *l = &im->d.links.at[i];
		const struct found *a = &im->d.devices.at[l->a], *b = &im->d.devices.at[l->b];

		if (!l->management && (a->state != FOUND_KNOWN || b->state != FOUND_KNOWN))
			import_skip(im, "cables of devices that are left out",
				a->state != FOUND_KNOWN ? a->name : b->name);
	}
	free(cabled);
	free(managed);
}

/* ---- NICs and tiers ---- */

bool import_is_rdma(const char *port)
{
	static const char *const names[] = {
		"mlx5_*", "bnxt_re*", "rdmap*", "rocep*", "irdma*", "ionic_*", "hns_*", "efa_*"};

	return port_is(port, names, COUNT_OF(names));
}

static void add_nic(struct found *f, const char *port)
{
	if (f->is_switch || f->nics.n >= NICS_MAX || !import_is_rdma(port))
		return;
	for (size_t i = 0; i < f->nics.n; i++)
		if (str_eq(f->nics.at[i], port))
			return;
	vec_push(&f->nics, mem_strdup(port));
}

static int compare_nics(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void add_nics(struct import *im)
{
	for (size_t i = 0; i < im->d.links.n; i++) {
		const struct found_link *l = &im->d.links.at[i];

		if (l->management)
			continue;
		add_nic(&im->d.devices.at[l->a], l->a_port);
		add_nic(&im->d.devices.at[l->b], l->b_port);
	}
	for (size_t i = 0; i < im->d.devices.n; i++) {
		struct found *f = &im->d.devices.at[i];

		if (f->nics.n)
			qsort(f->nics.at, f->nics.n, sizeof(*f->nics.at), compare_nics);
	}
}

/* A stated tier stands above that of the cables. */
static void state_tiers(struct import *im)
{
	for (size_t i = 0; i < im->d.devices.n; i++) {
		struct found *f = &im->d.devices.at[i];
		const struct import_said *s = &im->said.at[i];

		if (!f->is_switch || s->tier < 0)
			continue;
		f->tier = (enum tier)s->tier;
		f->tier_why = s->why;
		if (f->tier != TIER_LEAF)
			f->rail = -1;
	}
}

void import_finish(struct import *im, const struct importer *kind, const char *dialect)
{
	if (kind->finish)
		kind->finish(im);
	judge_devices(im);
	discovery_management(&im->d);
	leave_others(im);
	add_nics(im);
	discovery_place(&im->d);
	state_tiers(im);
	for (size_t i = 0; i < im->d.devices.n; i++) {
		struct found *f = &im->d.devices.at[i];

		if (!f->dialect[0] && f->state == FOUND_KNOWN && (!f->is_switch || dialect))
			(void)str_copy(
				f->dialect, sizeof(f->dialect), f->is_switch ? dialect : "linux");
	}
}
