/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "archive/openmetrics/metrics_private.h"
#include "base/clock.h"
#include "base/str.h"

static void add_info(struct metrics *x, const struct model *m)
{
	struct metric_few f;

	metric_few_begin(&f, x, METRIC_DEVICE);
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];
		char rail[12] = "";

		if (d->rail >= 0)
			(void)str_printf(rail, sizeof(rail), "%d", d->rail);
		metric_few_add(&f, 1, "device", d->name, "tier", tier_name(d->tier), "rail", rail,
			"network", net_kind_name(d->net), "dialect", d->dialect, "model", d->model,
			"release", d->os_version, NULL);
	}
	metric_few_end(&f);
}

static void add_states(struct metrics *x, const struct model *m)
{
	struct metric_few f;

	metric_few_begin(&f, x, METRIC_DEVICE_STATE);
	for (size_t i = 0; i < m->devices.n; i++)
		metric_few_add(&f, 1, "device", m->devices.at[i]->name, "state",
			dev_state_name(m->devices.at[i]->state), NULL);
	metric_few_end(&f);
}

/* Each returns a number of a device; NAN: unknown, so it has no sample. */
static double device_up(const struct device *d)
{
	return d->state == DEV_PENDING ? (double)NAN : !metric_is_old(d);
}

static double last_answer_s(const struct device *d)
{
	return d->last_ok_us ? (double)d->last_ok_us / 1e6 : (double)NAN;
}

static double poll_seconds(const struct device *d)
{
	return d->took_us > 0 ? (double)d->took_us / 1e6 : (double)NAN;
}

static double reply_bytes(const struct device *d)
{
	return d->bytes ? (double)d->bytes : (double)NAN;
}

static double poll_count(const struct device *d)
{
	return (double)d->polls;
}

static double failure_count(const struct device *d)
{
	return (double)d->failures;
}

/* Uptime continues between polls. An absent device may restart meanwhile, so it has none. */
static double current_uptime(const struct device *d)
{
	return d->state < DEV_STALE ? d->uptime_s : (double)NAN;
}

static void add_numbers(struct metrics *x, const struct model *m)
{
	static const struct {
		enum metric_id id;
		double (*of)(const struct device *d);
	} numbers[] = {{METRIC_DEVICE_UP, device_up}, {METRIC_DEVICE_ANSWERED, last_answer_s},
		{METRIC_DEVICE_TOOK, poll_seconds}, {METRIC_DEVICE_REPLY, reply_bytes},
		{METRIC_DEVICE_POLLS, poll_count}, {METRIC_DEVICE_FAILURES, failure_count},
		{METRIC_DEVICE_UPTIME, current_uptime}};

	for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
		struct metric_few f;

		metric_few_begin(&f, x, numbers[k].id);
		for (size_t i = 0; i < m->devices.n; i++) {
			double v = numbers[k].of(m->devices.at[i]);

			if (isfinite(v))
				metric_few_add(&f, v, "device", m->devices.at[i]->name, NULL);
		}
		metric_few_end(&f);
	}
}

/* The age at which a counter is shown as old: two slow polls and a margin. */
#define LIST_OLD_US (660 * CLOCK_SEC)

static void add_bgp(struct metrics *x, const struct model *m)
{
	struct metric_few f;

	metric_few_begin(&f, x, METRIC_DEVICE_BGP);
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];
		struct bgp_count n = device_bgp(d);

		if (!d->bgp_us || d->state >= DEV_STALE || d->last_ok_us - d->bgp_us > LIST_OLD_US)
			continue;
		metric_few_add(&f, n.ok, "device", d->name, "state", "ok", NULL);
		metric_few_add(&f, n.all - n.ok, "device", d->name, "state", "down", NULL);
	}
	metric_few_end(&f);
}

static void add_needs(struct metrics *x, const struct model *m)
{
	struct metric_few f;

	metric_few_begin(&f, x, METRIC_NEED);
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		for (size_t k = 0; k < d->caps.n; k++) {
			enum validity valid = (enum validity)d->caps.at[k].valid;

			if (valid != VALID_OK)
				metric_few_add(&f, 1, "device", d->name, "need", d->caps.at[k].need,
					"state", validity_name(valid), NULL);
		}
	}
	metric_few_end(&f);
}

static void add_neighbours(struct metrics *x, const struct model *m)
{
	struct metric_few f;

	metric_few_begin(&f, x, METRIC_NEIGHBOUR);
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		for (size_t k = 0; k < d->ports.n && !metric_is_old(d); k++) {
			const struct port *p = m->ports.at[d->ports.at[k]];

			/* Old LLDP data says nothing about the present. */
			if (!p->merged && p->lldp_device[0] &&
				d->last_ok_us - p->lldp_us <= LIST_OLD_US)
				metric_few_add(&f, 1, "device", d->name, "port", p->name,
					"peer_device", p->lldp_device, "peer_port", p->lldp_port,
					NULL);
		}
	}
	metric_few_end(&f);
}

/* A module that was pulled is not reported any more; one of a device that is silent may be gone. */
static void add_modules(struct metrics *x, const struct model *m)
{
	struct metric_few f;

	metric_few_begin(&f, x, METRIC_TRANSCEIVER);
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];
		const struct device *d = model_dev_of(m, p);

		if (!p->merged && !metric_is_old(d) && (p->more->media[0] || p->more->module_sn[0]))
			metric_few_add(&f, 1, "device", d->name, "port", p->name, "media",
				p->more->media, "serial", p->more->module_sn, "fec", p->more->fec,
				NULL);
	}
	metric_few_end(&f);
}

static void add_nics(struct metrics *x, const struct model *m)
{
	struct metric_few f;

	metric_few_begin(&f, x, METRIC_NIC);
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];
		const struct device *d = model_dev_of(m, p);

		if (!p->merged && !metric_is_old(d) && p->more->pci_addr[0])
			metric_few_add(&f, 1, "device", d->name, "port", p->name, "pci",
				p->more->pci_addr, "netdev", p->netdev, "mac", p->more->mac, NULL);
	}
	metric_few_end(&f);
}

void metrics_take_devices(struct metrics *x, const struct model *m)
{
	add_info(x, m);
	add_states(x, m);
	add_numbers(x, m);
	add_bgp(x, m);
	add_needs(x, m);
	add_neighbours(x, m);
	add_modules(x, m);
	add_nics(x, m);
}
