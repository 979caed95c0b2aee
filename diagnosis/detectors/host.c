/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts: PCIe, firmware, link pause, GPU errors, the NIC's own storm prevention. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/evidence/cells.h"
#include "diagnosis/evidence/kernel_log.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/engine/root_cause.h"
#include "diagnosis/engine/state_parts.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/gpu_link.h"
#include "fabric/vocabulary/nic_driver.h"
#include "fabric/vocabulary/storage_client.h"

/* A GPU error can explain trouble for so long; after that the job has moved or ended (railtop's
 * own). */
#define ERROR_US    (10 * INT64_C(60) * 1000000)
#define HOST_ERRORS 64
/* Share of the PCIe rate available to data: 128b/130b and 256-byte packets with their headers. */
#define PCIE_USABLE 0.85
/* Above this share of that rate the slot is the bottleneck (railtop's own). */
#define PCIE_FULL 0.8
/* Share of time spent waiting for PCIe credits; idle NICs show 0 (railtop's own). */
#define STALLED_PCT 10.0
/* A version mix is reported when most devices have one version: at least so many devices, and that
 * share of them (railtop's own). */
#define FIRMWARE_DEVICES 4
#define FIRMWARE_SHARE   0.6
#define FIRMWARE_KINDS   16
/* One frame a poll is noise of a link that comes up. */
#define GLOBAL_PAUSE_MIN 1.0

/* A line of a kernel log that names a failed part. Its meaning is read again from the text. */
struct host_error {
	uint32_t host, port; /* port: PORT_NONE when the line names none */
	int64_t at_us;
	char text[120];
};
struct host_memory {
	uint64_t event_seen;
	struct host_error errors[HOST_ERRORS]; /* ring */
	unsigned nerrors;
};

/* ---- PCIe ---- */

struct slot {
	double width, mtps, max_width, max_mtps;
	const char *reason;
};

static struct slot slot_of(const struct model *m, const struct port *p)
{
	const struct device *d = model_dev_of(m, p);
	struct slot s = {cell_gauge(p, CELL_PCIE_WIDTH), cell_gauge(p, CELL_PCIE_SPEED_MTPS),
		p->more->pcie_max_width, p->more->pcie_max_mtps, "card and slot"};

	if (p->more->pcie_max_width)
		return s;
	/* Without a reported maximum, the best of the host's NICs is the reference. */
	s.reason = "the host's other NICs";
	s.max_width = s.width;
	s.max_mtps = s.mtps;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *other = m->ports.at[d->ports.at[i]];

		if (other->plan_speed_mbps != p->plan_speed_mbps)
			continue;
		s.max_width = fmax(s.max_width, cell_gauge(other, CELL_PCIE_WIDTH));
		s.max_mtps = fmax(s.max_mtps, cell_gauge(other, CELL_PCIE_SPEED_MTPS));
	}
	return s;
}

/* Whether the slot is the bottleneck of the NIC now. */
static bool pcie_hurts(
	const struct diag_run *r, const struct port *p, double gbps, struct finding *f)
{
	const struct sample *s = window_last(r->w, p->id);
	double stalled = fmax(cell_gauge(p, CELL_PCI_STALLED_WRITE_PCT),
		cell_gauge(p, CELL_PCI_STALLED_READ_PCT));
	double used = s ? fmax((double)s->rx_bps, (double)s->tx_bps) / 1e9 : (double)NAN;

	if (stalled > STALLED_PCT)
		(void)finding_number(
			f, f->at, "pci_stalled_write_pct", stalled, "%", "< 10%", "counter");
	if (!isnan(used))
		(void)finding_number(f, f->at, "busier direction", used, "Gb/s", "", "counter");
	return stalled > STALLED_PCT || (gbps < p->speed_mbps / 1e3 && used > gbps * PCIE_FULL);
}

static void judge_pcie(struct diag_run *r, const struct port *p)
{
	const struct slot s = slot_of(r->m, p);
	bool narrow = s.width<s.max_width, slow = s.max_mtps> 0 && s.mtps < s.max_mtps;
	double gbps = s.width * s.mtps / 1e3 * PCIE_USABLE;
	struct finding *f;
	char text[80];

	if (!narrow && !slow)
		return;
	f = diag_claim(r, FIND_PCIE_WIDTH, at_port(p->id));
	(void)str_printf(text, sizeof(text), "x%.0f, %s: x%.0f", s.width, s.reason, s.max_width);
	if (narrow)
		(void)finding_text(f, f->at, "pcie_width", text, "config");
	(void)str_printf(text, sizeof(text), "%.0f MT/s, %s: %.0f", s.mtps, s.reason, s.max_mtps);
	if (slow)
		(void)finding_text(f, f->at, "pcie_speed_mtps", text, "config");
	finding_weigh(f, SIGNAL_FACT, 100);
	f->role = pcie_hurts(r, p, gbps, f) ? ROLE_CULPRIT : ROLE_RISK;
	if (f->role == ROLE_CULPRIT)
		f->severity = SEV_CRIT;
	if (narrow)
		finding_title(f, "PCIe x%.0f instead of x%.0f", s.width, s.max_width);
	else
		finding_title(f, "PCIe at %.0f instead of %.0f MT/s", s.mtps, s.max_mtps);
	(void)str_printf(f->command, sizeof(f->command),
		"lspci -vv -s %s | grep -E 'LnkCap|LnkSta'",
		p->more->pci_addr[0] ? p->more->pci_addr : "<NIC>");
}

/* ---- pause ---- */

static void judge_global_pause(struct diag_run *r, const struct port *p)
{
	double rx = cell_rate(p, CELL_RX_PAUSE_FRAMES), tx = cell_rate(p, CELL_TX_PAUSE_FRAMES);
	const struct port *peer;
	struct finding *f;

	if (!(fmax(rx, tx) > GLOBAL_PAUSE_MIN))
		return;
	peer = port_peer(r->m, p, NULL);
	f = diag_claim_link(r, FIND_GLOBAL_PAUSE, tx > 0 || !peer ? p->id : peer->id);
	if (rx > 0)
		(void)finding_number(
			f, at_port(p->id), "rx_pause_frames", rx, "/s", "0 beside PFC", "counter");
	if (tx > 0)
		(void)finding_number(
			f, at_port(p->id), "tx_pause_frames", tx, "/s", "0 beside PFC", "counter");
	finding_weigh(f, SIGNAL_PAUSE, 20);
	finding_title(f, "802.3x pause is sent here: %s frames/s stop every priority",
		STR_NUMBER(fmax(rx, tx)));
}

/* mlx5: error events mean that the NIC disabled its own pause (kernel documentation). */
static void judge_storm_prevention(struct diag_run *r, const struct port *p)
{
	double errors = port_rate(p, CTR_PAUSE_STORM_ERRORS, 0);
	struct finding *f;

	if (!(errors > 0))
		return;
	f = diag_claim(r, FIND_PFC_STORM, at_port(p->id));
	(void)finding_number(f, f->at, "pause_storm_errors", errors, "/s", "0", "counter");
	finding_weigh(f, SIGNAL_FACT, 50);
	finding_title(f, "the NIC stopped its own PFC storm: it could not receive fast enough");
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];

		if (!p->seen || p->merged)
			continue;
		if (!port_is_bond(p))
			judge_global_pause(r, p);
		if (d->tier != TIER_HOST)
			continue;
		judge_pcie(r, p);
		if (!port_is_bond(p))
			judge_storm_prevention(r, p);
	}
}

/* ---- errors in the kernel log ---- */

/* GPUs and NVSwitches are one kind: their errors follow from one another. */
static bool same_kind_of_part(enum kernel_part a, enum kernel_part b)
{
	return (a == KERNEL_NIC) == (b == KERNEL_NIC) &&
	       (a == KERNEL_STORAGE) == (b == KERNEL_STORAGE);
}

/* Storage of the host that gives data again. */
static void end_storage(struct host_memory *mem, uint32_t host)
{
	struct kernel_error k;

	for (unsigned i = 0; i < mem->nerrors && i < HOST_ERRORS; i++)
		if (mem->errors[i].host == host && kernel_error_read(mem->errors[i].text, &k) &&
			k.part == KERNEL_STORAGE)
			mem->errors[i].at_us = 0;
}

static void keep_error(struct diag_run *r, struct host_memory *mem, const struct event *e)
{
	struct host_error *at = &mem->errors[mem->nerrors % HOST_ERRORS];
	struct kernel_error k;

	if ((e->kind != EV_LOG_ALARM && e->kind != EV_LOG && e->kind != EV_LOG_UNREAD) ||
		e->device >= r->m->devices.n || r->m->devices.at[e->device]->tier != TIER_HOST)
		return;
	if (storage_client_over(e->text))
		end_storage(mem, e->device);
	if (!kernel_error_read(e->text, &k))
		return;
	/* A bus error alone may be that of a disk. */
	if (k.part == KERNEL_NIC && e->port >= r->m->ports.n && !nic_driver_line(e->text))
		return;
	*at = (struct host_error){
		e->device, e->port < r->m->ports.n ? e->port : PORT_NONE, e->wall_us, ""};
	(void)str_copy(at->text, sizeof(at->text), e->text);
	mem->nerrors++;
}

static void read_events(struct diag_run *r, struct host_memory *mem)
{
	const struct event *e;
	uint64_t newest = mem->event_seen;
	size_t n = 0;

	while ((e = model_event(r->m, n)) && e->seq > mem->event_seen)
		n++;
	/* Oldest first: of equal errors the first one counts. */
	while (n--) {
		e = model_event(r->m, n);
		if (e->seq > newest)
			newest = e->seq;
		keep_error(r, mem, e);
	}
	mem->event_seen = newest;
}

static bool same_place(
	const struct host_error *a, const struct host_error *b, enum kernel_part part)
{
	return a->host == b->host && (part != KERNEL_NIC || a->port == b->port);
}

/*
 * Whether another error of the same place says more about the cause: a fatal one before others,
 * hardware before the NVLinks to it, and of equal ones the first.
 */
static bool is_behind(
	const struct host_memory *mem, unsigned i, const struct kernel_error *k, int64_t now_us)
{
	for (unsigned j = 0; j < mem->nerrors && j < HOST_ERRORS; j++) {
		const struct host_error *o = &mem->errors[j];
		struct kernel_error other;
		int more;

		if (j == i || now_us - o->at_us > ERROR_US ||
			!same_place(o, &mem->errors[i], k->part) ||
			!kernel_error_read(o->text, &other) ||
			!same_kind_of_part(other.part, k->part))
			continue;
		more = kernel_error_compare(&other, k);
		if (more > 0 || (!more && (o->at_us < mem->errors[i].at_us ||
						  (o->at_us == mem->errors[i].at_us && j < i))))
			return true;
	}
	return false;
}

/* Adds the other errors of the place as evidence; returns the number of GPUs that echo it. */
static unsigned add_others(struct diag_run *r, struct finding *f, const struct host_memory *mem,
	unsigned i, const struct kernel_error *k)
{
	unsigned echoes = 0;

	for (unsigned j = 0; j < mem->nerrors && j < HOST_ERRORS; j++) {
		const struct host_error *o = &mem->errors[j];
		struct kernel_error other;

		if (j == i || r->now_us - o->at_us > ERROR_US ||
			!same_place(o, &mem->errors[i], k->part) ||
			!kernel_error_read(o->text, &other) ||
			!same_kind_of_part(other.part, k->part))
			continue;
		finding_text(f, f->at, "kernel log", o->text, "log")->t_us = o->at_us;
		if (o->at_us < f->onset_us)
			f->onset_us = o->at_us;
		echoes += other.part != KERNEL_NIC && !str_eq(other.bus, k->bus);
	}
	return echoes;
}

static void title_gpu(struct finding *f, const struct kernel_error *k, unsigned echoes)
{
	char also[64] = "";

	if (echoes)
		(void)str_printf(also, sizeof(also), "; %u other line%s follow%s from it", echoes,
			str_plural(echoes), echoes == 1 ? "s" : "");
	if (k->code)
		finding_title(f, "%s error: %sid %u%s%s, %s%s",
			k->part == KERNEL_GPU ? "GPU" : "NVSwitch",
			k->part == KERNEL_GPU ? "X" : "SX", k->code, k->bus[0] ? " at " : "",
			k->bus, k->meaning, also);
	else
		finding_title(f, "GPU error: %s", k->meaning);
}

/* The NVLink domain that the host's GPUs are in; "": none, or not known. */
static const char *cluster_of(const struct model *m, uint32_t host)
{
	const struct device *d = model_device_at(m, host);

	for (unsigned i = 0; d && d->gpus && i < HOST_GPUS_MOST; i++)
		if (gpu_cluster_is_set(d->gpus[i].cluster))
			return d->gpus[i].cluster;
	return "";
}

/*
 * The host of the same NVLink domain with the GPU whose link went down. All others of the domain
 * log what follows from it. NO_DEVICE: there is none.
 */
static uint32_t origin_of(const struct diag_run *r, const struct host_memory *mem, unsigned i,
	const struct kernel_error *k)
{
	const char *cluster = cluster_of(r->m, mem->errors[i].host);

	if (k->part != KERNEL_GPU || k->cause != KERNEL_NVLINK || !*cluster)
		return NO_DEVICE;
	for (unsigned j = 0; j < mem->nerrors && j < HOST_ERRORS; j++) {
		const struct host_error *o = &mem->errors[j];
		struct kernel_error other;

		if (o->host == mem->errors[i].host || r->now_us - o->at_us > ERROR_US ||
			!str_eq(cluster_of(r->m, o->host), cluster) ||
			!kernel_error_read(o->text, &other) || other.part != KERNEL_GPU)
			continue;
		if (other.cause == KERNEL_NVLINK && kernel_error_compare(&other, k) > 0)
			return o->host;
	}
	return NO_DEVICE;
}

static void claim_error(struct diag_run *r, const struct host_memory *mem, unsigned i)
{
	const struct host_error *e = &mem->errors[i];
	struct ref at = at_device(e->host);
	struct kernel_error k;
	struct finding *f;
	unsigned echoes;
	uint32_t origin;

	/* Programs fail for many reasons, and an echo is no cause: neither is a finding. */
	if (r->now_us - e->at_us > ERROR_US || !kernel_error_read(e->text, &k) ||
		k.cause < KERNEL_NVLINK || is_behind(mem, i, &k, r->now_us))
		return;
	if (k.part == KERNEL_NIC && e->port != PORT_NONE)
		at = at_port(e->port);
	f = diag_claim(r,
		k.part == KERNEL_NIC       ? FIND_NIC_ERROR
		: k.part == KERNEL_STORAGE ? FIND_STORAGE
					   : FIND_HOST_GPU_ERROR,
		at);
	finding_text(f, f->at, "kernel log", e->text, "log")->t_us = e->at_us;
	if (e->at_us < f->onset_us)
		f->onset_us = e->at_us;
	if (k.is_of_link && at.kind == REF_PORT && ref_port(r->m, at))
		f->root =
			finding_key(FIND_LINK_DOWN, diag_link_place(r->m, ref_port(r->m, at)->id));
	origin = origin_of(r, mem, i, &k);
	if (origin != NO_DEVICE) {
		f->role = ROLE_SYMPTOM;
		f->root = finding_key(FIND_HOST_GPU_ERROR, at_device(origin));
	}
	echoes = add_others(r, f, mem, i, &k);
	finding_weigh(f, SIGNAL_FACT, k.is_fatal ? 100 : 5);
	if (!k.is_fatal)
		f->severity = SEV_WARN;
	if (k.part == KERNEL_NIC)
		finding_title(f, "kernel log: %s", k.meaning);
	else if (k.part == KERNEL_STORAGE)
		finding_title(f, "storage: %s%s%s", k.storage ? k.storage : "",
			k.storage ? " " : "", k.meaning);
	else
		title_gpu(f, &k, echoes);
}

static void claim_errors(struct diag_run *r, const struct host_memory *mem)
{
	for (unsigned i = 0; i < mem->nerrors && i < HOST_ERRORS; i++)
		claim_error(r, mem, i);
}

/* ---- firmware ---- */

struct kind {
	const struct device *like;
	unsigned n, usual;
};

static bool same_kind(const struct device *a, const struct device *b)
{
	return a->tier == b->tier && str_eq(a->model, b->model);
}

/* Firmware if reported, else the system's version. */
static const char *version_of(const struct device *d)
{
	return d->firmware[0] ? d->firmware : d->os_version;
}

/* Counts devices like this one, and those of them with its version. */
static struct kind count_kind(const struct model *m, const struct device *d)
{
	struct kind k = {d, 0, 0};

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *o = m->devices.at[i];

		if (!same_kind(o, d) || !version_of(o)[0])
			continue;
		k.n++;
		k.usual += str_eq(version_of(o), version_of(d));
	}
	return k;
}

static void claim_odd(struct diag_run *r, const struct kind *k)
{
	struct ref at = {.kind = REF_TIER, .tier = (uint8_t)k->like->tier};
	struct finding *f = NULL;

	for (size_t i = 0; i < r->m->devices.n; i++) {
		const struct device *d = r->m->devices.at[i];

		if (!same_kind(d, k->like) || !version_of(d)[0] ||
			str_eq(version_of(d), version_of(k->like)))
			continue;
		f = diag_claim(r, FIND_FIRMWARE_MIX, at);
		if (f->members.n < FINDING_VICTIMS)
			vec_push(&f->members, at_device(d->id));
		(void)str_copy(
			finding_text(f, at_device(d->id), "firmware", version_of(d), "config")
				->threshold,
			40, version_of(k->like));
	}
	if (f)
		finding_title(f, "%zu of %u %ss run firmware that differs from the majority",
			f->members.n, k->n, tier_name(k->like->tier));
}

static void judge_firmware(struct diag_run *r)
{
	struct kind kinds[FIRMWARE_KINDS];
	unsigned n = 0;

	for (size_t i = 0; i < r->m->devices.n && n < FIRMWARE_KINDS; i++) {
		const struct device *d = r->m->devices.at[i];
		bool known = !version_of(d)[0];

		for (unsigned k = 0; k < n && !known; k++)
			known = same_kind(kinds[k].like, d) &&
				str_eq(version_of(kinds[k].like), version_of(d));
		if (known)
			continue;
		kinds[n] = count_kind(r->m, d);
		if (kinds[n].n >= FIRMWARE_DEVICES && kinds[n].usual < kinds[n].n &&
			kinds[n].usual >= kinds[n].n * FIRMWARE_SHARE)
			claim_odd(r, &kinds[n]);
		n++;
	}
}

static void run_host(struct diag_run *r)
{
	if (!*r->memory)
		*r->memory = mem_calloc(1, sizeof(struct host_memory));
	if (!diag_each_device(r, judge_device))
		return;
	read_events(r, *r->memory);
	claim_errors(r, *r->memory);
	judge_firmware(r);
}

/* ---- serialisation ---- */

STATE_SIZE(struct host_error, 136);
STATE_SIZE(struct host_memory, 16 + 136 * HOST_ERRORS);

static void state_error(struct state *s, struct host_error *e, const struct model *m)
{
	state_below(s, &e->host, (uint32_t)m->devices.n);
	state_u32(s, &e->port);
	if (e->port != PORT_NONE && e->port >= m->ports.n)
		s->bad = true;
	state_wall(s, &e->at_us);
	state_text(s, e->text, sizeof(e->text));
}

static void state_memory_of(struct state *s, void **memory, const struct model *m)
{
	struct host_memory *mem;

	if (!state_memory(s, memory, sizeof(*mem)))
		return;
	mem = *memory;
	state_u64(s, &mem->event_seen);
	state_u32(s, &mem->nerrors);
	for (unsigned i = 0; i < mem->nerrors && i < HOST_ERRORS; i++)
		state_error(s, &mem->errors[i], m);
}

const struct detector detect_host = {"host", run_host, free, state_memory_of, NULL};
