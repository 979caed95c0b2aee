/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases/rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/inventory/inventory_yaml.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/verdict.h"
#include "fabric/ref.h"
#include "tests/support/cases.h"

#define T0_S       INT64_C(1763726000)
#define PACKET     4096.0
#define PAUSED_BAD 0.01 /* more ports paused than this share: the fabric is not well */

struct reporter {
	uint32_t port;
	bool nic;
	struct port_rates now;
	/* Totals since the start. */
	double tx, rx, held, holds, marked, drops, other, cnp_sent, cnp_handled, marks_received;
};

struct rates {
	struct plan plan;
	struct bed bed;
	char dir[64], inventory[96], wiring[96];
	int64_t now_s;
	VEC(struct reporter) ports;
};

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0 || fclose(f))
		fail_msg("%s cannot be written", path);
}

static void print_warning(void *ctx, const char *message)
{
	(void)ctx;
	(void)fprintf(stderr, "%s\n", message);
}

struct rates *rates_new(const char *inventory, const char *wiring)
{
	struct rates *r = mem_calloc(1, sizeof(*r));
	struct err err = {0};

	(void)str_copy(r->dir, sizeof(r->dir), "/tmp/railtop-rates-XXXXXX");
	if (!mkdtemp(r->dir))
		fail_msg("no directory in /tmp");
	(void)str_printf(r->inventory, sizeof(r->inventory), "%s/fabric.yaml", r->dir);
	(void)str_printf(r->wiring, sizeof(r->wiring), "%s/wiring.csv", r->dir);
	write_file(r->inventory, inventory);
	write_file(r->wiring, wiring);
	if (!inventory_load(r->inventory, &r->plan, print_warning, NULL, &err))
		fail_msg("%s", err.text);
	bed_open(&r->bed, &r->plan, &sweep_none);
	r->now_s = T0_S;
	for (uint32_t i = 0; i < r->bed.m->ports.n; i++) {
		struct reporter *p = vec_add(&r->ports);

		p->port = i;
		p->nic = model_dev_of(r->bed.m, r->bed.m->ports.at[i])->tier == TIER_HOST;
	}
	return r;
}

void rates_free(struct rates *r)
{
	bed_close(&r->bed);
	plan_free(&r->plan);
	vec_free(&r->ports);
	(void)unlink(r->inventory);
	(void)unlink(r->wiring);
	(void)rmdir(r->dir);
	free(r);
}

struct port_rates *rates_of(struct rates *r, const char *device, const char *port)
{
	const struct device *d = model_device(r->bed.m, device);
	const struct port *p = d ? model_port(r->bed.m, d, port) : NULL;

	if (!p)
		fail_msg("the fabric has no %s:%s", device, port);
	return &r->ports.at[p->id].now;
}

void rates_all(struct rates *r, struct port_rates value)
{
	for (size_t i = 0; i < r->ports.n; i++)
		r->ports.at[i].now = value;
}

static void grow(struct reporter *p)
{
	const struct port_rates *x = &p->now;
	double bytes = RATES_SPEED_MBPS * 1e6 / 8 * RATES_INTERVAL_S;

	p->tx += x->tx * bytes;
	p->rx += x->rx * bytes;
	p->other += x->other * bytes;
	p->held += x->held * 1e6 * RATES_INTERVAL_S;
	p->holds += x->holds * 1e6 * RATES_INTERVAL_S;
	p->marked += x->marked * RATES_INTERVAL_S;
	p->drops += x->drops * RATES_INTERVAL_S;
	p->cnp_sent += x->cnp_sent * RATES_INTERVAL_S;
	p->cnp_handled += x->cnp_handled * RATES_INTERVAL_S;
	p->marks_received += x->marks_received * RATES_INTERVAL_S;
}

static void add(char *line, size_t size, const char *name, bool prio, double value)
{
	size_t n = strlen(line);

	(void)str_printf(line + n, size - n, prio ? ",\"%s\":{\"3\":%.0f}" : ",\"%s\":%.0f", name,
		floor(value));
}

static void report(struct rates *r, struct reporter *p)
{
	const struct port *port = r->bed.m->ports.at[p->port];
	char line[1500];
	size_t n;

	grow(p);
	(void)str_printf(line, sizeof(line),
		"{\"t\":%lld,\"device\":\"%s\",\"port\":\"%s\",\"counters\":{\"tx_bytes\":%.0f",
		(long long)r->now_s, model_dev_of(r->bed.m, port)->name, port->name, floor(p->tx));
	add(line, sizeof(line), "rx_bytes", false, p->rx);
	add(line, sizeof(line), "tx_packets", false, p->tx / PACKET);
	add(line, sizeof(line), "rx_packets", false, p->rx / PACKET);
	add(line, sizeof(line), "queue_tx_bytes", true, p->tx);
	add(line, sizeof(line), "rx_prio_bytes", true, p->rx);
	add(line, sizeof(line), "pfc_rx_duration_us", true, p->held);
	add(line, sizeof(line), "pfc_tx_duration_us", true, p->holds);
	add(line, sizeof(line), "pfc_rx_frames", true, p->held / 10);
	add(line, sizeof(line), "pfc_tx_frames", true, p->holds / 10);
	add(line, sizeof(line), "rx_fcs_errors", false, 0);
	add(line, sizeof(line), "link_down_events", false, 0);
	if (p->nic) {
		add(line, sizeof(line), "cnp_sent", false, p->cnp_sent);
		add(line, sizeof(line), "cnp_handled", false, p->cnp_handled);
		add(line, sizeof(line), "ecn_marked_roce_packets", false, p->marks_received);
		add(line, sizeof(line), "rdma_tx_bytes", false, p->tx - p->other);
	} else {
		add(line, sizeof(line), "ecn_marked_packets", true, p->marked);
		add(line, sizeof(line), "queue_watermark_bytes", true, p->now.queue);
		add(line, sizeof(line), "pg_drops", true, p->drops);
		add(line, sizeof(line), "pfcwd_drops", true, 0);
	}
	n = strlen(line);
	(void)str_printf(line + n, sizeof(line) - n,
		"},\"state\":{\"oper\":\"up\",\"speed_mbps\":%d}}", RATES_SPEED_MBPS);
	bed_line(&r->bed, line, strlen(line));
	if (r->bed.refused)
		fail_msg("%s: %s", r->bed.complaint, line);
}

/* The property: no state says less than the worst evidence. */
static void check_calm(const struct rates *r)
{
	const struct verdict_report *v = diag_verdict(r->bed.d);
	const struct finding *const *list;
	bool critical = false;
	size_t n;

	list = diag_findings(r->bed.d, &n);
	for (size_t i = 0; i < n; i++)
		critical |= list[i]->severity >= SEV_CRIT;
	for (size_t i = 0; i < v->proof.n; i++)
		critical |= v->proof.at[i].checked && !v->proof.at[i].ok;
	critical |= v->paused > PAUSED_BAD * v->paused_of;
	if (critical && v->state < FABRIC_SUSPECT) {
		rates_print(r);
		fail_msg("the state is \"%s\" beside critical evidence",
			fabric_state_name(v->state));
	}
}

void rates_poll(struct rates *r, unsigned n)
{
	while (n--) {
		r->now_s += RATES_INTERVAL_S;
		for (size_t i = 0; i < r->ports.n; i++)
			report(r, &r->ports.at[i]);
		bed_poll(&r->bed, r->now_s * CLOCK_SEC);
		check_calm(r);
	}
}

const struct finding *rates_found(const struct rates *r, const char *id, const char *at)
{
	const struct finding *const *list;
	char place[160];
	size_t n;

	list = diag_findings(r->bed.d, &n);
	for (size_t i = 0; i < n; i++) {
		if (list[i]->id != finding_by_name(id))
			continue;
		(void)ref_format(r->bed.m, list[i]->at, place, sizeof(place));
		if (!at || strcmp(place, at) == 0)
			return list[i];
	}
	return NULL;
}

const struct finding *rates_culprit(const struct rates *r, size_t nth)
{
	const struct finding *const *list;
	size_t n;

	list = diag_findings(r->bed.d, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i]->role == ROLE_CULPRIT && !list[i]->root && !nth--)
			return list[i];
	return NULL;
}

size_t rates_culprits(const struct rates *r)
{
	size_t n = 0;

	while (rates_culprit(r, n))
		n++;
	return n;
}

const struct verdict_report *rates_verdict(const struct rates *r)
{
	return diag_verdict(r->bed.d);
}

const struct model *rates_model(const struct rates *r)
{
	return r->bed.m;
}

void rates_print(const struct rates *r)
{
	const struct finding *const *list;
	char place[160];
	size_t n;

	list = diag_findings(r->bed.d, &n);
	for (size_t i = 0; i < n; i++) {
		(void)ref_format(r->bed.m, list[i]->at, place, sizeof(place));
		(void)fprintf(stderr, "  %-8s %3.0f%% rank %.2f %s %s: %s\n",
			finding_role_name(list[i]->role), 100 * (double)list[i]->confidence,
			(double)list[i]->rank, finding_info[list[i]->id].name, place,
			list[i]->title);
	}
}

void rates_expect(const struct rates *r, size_t nth, const char *id, const char *at)
{
	const struct finding *f = rates_culprit(r, nth);
	char place[160] = "";

	if (f)
		(void)ref_format(r->bed.m, f->at, place, sizeof(place));
	if (f && f->id == finding_by_name(id) && strcmp(place, at) == 0)
		return;
	rates_print(r);
	fail_msg("culprit %zu is not %s at %s, at %lld s", nth, id, at,
		(long long)(r->now_s - T0_S));
}
