/* SPDX-License-Identifier: Apache-2.0 */
/* Optics and FEC margins, before any loss. Limits of modules, and modules unlike others of their
 * kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/evidence/cells.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/engine/quickselect.h"
#include "diagnosis/engine/state_parts.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

/* Thresholds table "Pre-FEC BER, KP4": operators' guard bands, and the design limit. */
#define BER_WARN  1e-6
#define BER_CRIT  1e-5
#define BER_LIMIT 2.4e-4
/* "or ten times its own baseline"; below the floor both are noise (railtop's own). */
#define BER_GROWN 10.0
#define BER_FLOOR 1e-8
/* RS(544,514) corrects 15 symbols; "any count in bins >= 8", ">= 12 growing". */
#define BIN_WARN 8
#define BIN_CRIT 12
/* "Rx drop > 1.5 dB from commission", "lane-to-lane spread > 3 dB". */
#define RX_DROP_DB   1.5
#define RX_SPREAD_DB 3.0
/* An outlier: robust deviations, decibels, and the number of modules that form a kind. */
#define OUTLIER_Z   6.0
#define OUTLIER_DB  3.0
#define OUTLIER_MIN 8
#define KINDS       32
/*
 * A batch: a share of the modules of one part number lost so much light since their best. It is so
 * many times the share of all other modules (railtop's own).
 */
#define BATCH_MIN   8
#define BATCH_LEAST 3
#define BATCH_SHARE 0.2
#define BATCH_TIMES 4.0
#define BATCH_DB    1.0
/* Modules do not change faster than they are read. */
#define OUTLIERS_US (30 * INT64_C(1000000))
/* Ports examined in one part. */
#define LOOK_PORTS 16384
/* No light at all means a link that is down, or an unused lane. */
#define DARK_DBM (-30.0)

struct baseline {
	float ber, rx_dbm; /* best ever reading; 0, unknown: none yet */
	float now_dbm;     /* NAN: no light, or not reported */
	int64_t fine_us;   /* the refresh of its optics without a fault, 0: none */
	bool known;
};
struct outlier {
	uint32_t port;
	float dbm, median, z;
};
/* A part number that loses light. */
struct batch {
	uint32_t port; /* the module that lost most */
	uint32_t falling, all;
	uint32_t others_falling, others;
};
/* A module with light, for comparison with its kind. */
struct module {
	uint32_t port;
	unsigned kind;
	float dbm, lost; /* lost: decibels since its best */
};
struct optics_memory {
	VEC(struct baseline) ports;
	VEC(struct outlier) outliers;
	VEC(struct batch) batches;
	VEC(double) values;
	int64_t looked_us;
	/* During a search for outliers, in parts of one run. */
	bool looking;
	uint32_t look_at; /* next port */
	VEC(struct module) modules;
	unsigned nkinds, kind; /* kind: the next one to compare */
	const char *kinds[KINDS];
};

static struct baseline *baseline_of(struct optics_memory *mem, uint32_t port)
{
	while (mem->ports.n <= port)
		(void)vec_add(&mem->ports);
	return &mem->ports.at[port];
}

/* ---- FEC ---- */

/* Codewords a second that needed `bin` or more corrections; also 0 without the counters. */
static double bins_from(const struct port *p, unsigned bin)
{
	double sum = 0;

	for (; bin < FEC_BINS; bin++) {
		double rate = cell_rate(p, CELL_FEC_BIN + bin);

		sum += rate > 0 ? rate : 0;
	}
	return sum;
}

static double pre_fec_ber(const struct port *p)
{
	double told = cell_gauge(p, CELL_PRE_FEC_BER);

	return isnan(told) ? port_pre_fec_ber(p) : told;
}

static void judge_fec(struct diag_run *r, struct optics_memory *mem, const struct port *p)
{
	struct baseline *b = baseline_of(mem, p->id);
	double ber = pre_fec_ber(p), tail = bins_from(p, BIN_WARN), far_tail;
	const struct port *peer;
	bool grown = b->ber > 0 && ber > BER_FLOOR && ber > (double)b->ber * BER_GROWN;
	struct finding *f;

	/* The best value ever is the baseline. */
	if (ber > 0 && (b->ber <= 0 || ber < (double)b->ber))
		b->ber = (float)ber;
	if (!(ber > BER_WARN) && !grown && !(tail > 0))
		return;
	far_tail = bins_from(p, BIN_CRIT);
	peer = port_peer(r->m, p, NULL);
	f = diag_claim(r, FIND_LINK_FEC_MARGIN, at_port(p->id));
	if (peer)
		f->peer = at_port(peer->id);
	f->role = ROLE_RISK;
	if (ber > 0)
		(void)finding_number(f, f->at, "pre_fec_ber", ber, "", "< 1e-6", "counter");
	if (b->ber > 0)
		(void)finding_number(f, f->at, "pre_fec_ber, best", (double)b->ber, "",
			"grows tenfold", "counter");
	if (tail > 0)
		(void)finding_number(
			f, f->at, "fec_bin 8 to 15", tail, "/s", "0 codewords", "counter");
	if (far_tail > 0)
		(void)finding_number(
			f, f->at, "fec_bin 12 to 15", far_tail, "/s", "0 codewords", "counter");
	if (ber > BER_CRIT || far_tail > 0)
		f->severity = SEV_CRIT;
	finding_weigh(f, SIGNAL_FACT, f->severity == SEV_CRIT ? 10 : 3);
	if (ber >= BER_LIMIT)
		finding_title(f, "FEC at its end: %.1e bit errors, limit 2.4e-4", ber);
	else if (ber > BER_WARN || grown)
		finding_title(f, "FEC margin is thin: %.1e bit errors before FEC%s", ber,
			grown ? ", ten times its best" : "");
	else
		finding_title(
			f, "FEC margin is thin: %s codewords/s use half of it", STR_NUMBER(tail));
}

/* ---- the module's own limits ---- */

static enum severity against_limits(const float limits[LIMIT_COUNT], double v, bool *low)
{
	if (isnan(v))
		return SEV_OK;
	*low = v < (double)limits[LIMIT_LOW_WARN] || v < (double)limits[LIMIT_LOW_ALARM];
	if (v < (double)limits[LIMIT_LOW_ALARM] || v > (double)limits[LIMIT_HIGH_ALARM])
		return SEV_CRIT;
	if (v < (double)limits[LIMIT_LOW_WARN] || v > (double)limits[LIMIT_HIGH_WARN])
		return SEV_WARN;
	return SEV_OK;
}

/* The worst reading of a module. */
struct reading {
	enum severity severity;
	const char *what, *unit;
	double value;
	bool low;
};

static void check_limits(struct reading *worst, const float limits[LIMIT_COUNT], double v,
	const char *what, const char *unit)
{
	bool low = false;
	enum severity s = against_limits(limits, v, &low);

	if (s > worst->severity)
		*worst = (struct reading){s, what, unit, v, low};
}

static struct reading judge_limits(const struct port *p)
{
	const struct optics_limits *l = p->more->limits;
	struct reading worst = {.severity = SEV_OK};

	if (!l)
		return worst;
	for (unsigned lane = 0; lane < LANES; lane++) {
		double rx = cell_gauge(p, CELL_RX_POWER_DBM + lane);
		double tx = cell_gauge(p, CELL_TX_POWER_DBM + lane);

		if (rx > DARK_DBM)
			check_limits(&worst, l->rx_power_dbm, rx, "rx_power_dbm", "dBm");
		if (tx > DARK_DBM)
			check_limits(&worst, l->tx_power_dbm, tx, "tx_power_dbm", "dBm");
		if (tx > DARK_DBM)
			check_limits(&worst, l->tx_bias_ma, cell_gauge(p, CELL_TX_BIAS_MA + lane),
				"tx_bias_ma", "mA");
	}
	check_limits(
		&worst, l->temperature_c, cell_gauge(p, CELL_TEMPERATURE_C), "temperature_c", "C");
	check_limits(&worst, l->voltage_v, cell_gauge(p, CELL_VOLTAGE_V), "voltage_v", "V");
	return worst;
}

/* Lowest and highest power of the lanes in use. */
struct light {
	double least, most;
};
static struct light rx_light(const struct port *p)
{
	struct light l = {(double)NAN, (double)NAN};

	for (unsigned lane = 0; lane < LANES; lane++) {
		double v = cell_gauge(p, CELL_RX_POWER_DBM + lane);

		if (!(v > DARK_DBM))
			continue;
		l.least = fmin(l.least, v);
		l.most = fmax(l.most, v);
	}
	return l;
}

/* Lowest power sent by the far end; *low: its module reports it as too low. */
static double far_tx(const struct port *peer, bool *low)
{
	double least = (double)NAN;

	*low = false;
	for (unsigned lane = 0; peer && lane < LANES; lane++) {
		double v = cell_gauge(peer, CELL_TX_POWER_DBM + lane);

		if (v > DARK_DBM)
			least = fmin(least, v);
	}
	if (peer && peer->more->limits)
		*low = least < (double)peer->more->limits->tx_power_dbm[LIMIT_LOW_WARN];
	return least;
}

/* CorrOpt: low here and normal there means the fibre; low there means the far module. */
static void add_light(struct finding *f, const struct port *peer)
{
	bool low;
	double tx = far_tx(peer, &low);

	if (!peer || isnan(tx))
		return;
	(void)finding_number(
		f, at_port(peer->id), "tx_power_dbm", tx, "dBm", "its module's limits", "counter");
	(void)finding_text(f, low ? at_port(peer->id) : f->at, "points to",
		low ? "the link partner's module sends too little light"
		    : "fibre or connector: the link partner sends enough light",
		"counter");
}

/* Time of the last reading of the module; 0: never. */
static int64_t read_us(const struct port *p)
{
	const struct cell *light = cell_at(p, CELL_RX_POWER_DBM);
	const struct cell *heat = cell_at(p, CELL_TEMPERATURE_C);
	int64_t lit = light ? cell_seen_us(p, light) : 0;
	int64_t hot = heat ? cell_seen_us(p, heat) : 0;

	return lit > hot ? lit : hot;
}

static void judge_light(struct diag_run *r, struct optics_memory *mem, const struct port *p)
{
	struct baseline *b = baseline_of(mem, p->id);
	const struct reading worst = judge_limits(p);
	const struct light light = rx_light(p);
	double rx = light.least, spread = light.most - light.least, drop;
	const struct port *peer;
	struct finding *f;

	b->now_dbm = (float)rx;
	b->fine_us = 0;
	if (!b->known && !isnan(rx)) {
		b->rx_dbm = (float)rx;
		b->known = true;
	}
	/* The best received power so far. */
	if (b->known && rx > (double)b->rx_dbm)
		b->rx_dbm = (float)rx;
	drop = b->known ? (double)b->rx_dbm - rx : (double)NAN;
	if (worst.severity <= SEV_OK && !(drop > RX_DROP_DB) && !(spread > RX_SPREAD_DB)) {
		b->fine_us = read_us(p);
		return;
	}
	peer = port_peer(r->m, p, NULL);
	f = diag_claim(r, FIND_OPTIC_POWER, at_port(p->id));
	if (peer)
		f->peer = at_port(peer->id);
	f->role = ROLE_RISK;
	if (worst.severity > SEV_OK) {
		f->severity = worst.severity;
		(void)finding_number(f, f->at, worst.what, worst.value, worst.unit,
			worst.severity == SEV_CRIT ? "module's own alarm" : "module's own warning",
			"counter");
		finding_title(f, "module %s %s: %.1f %s", worst.what,
			worst.low ? "too low" : "too high", worst.value, worst.unit);
	} else if (drop > RX_DROP_DB) {
		finding_title(f, "receives %.1f dB less light than at its best", drop);
	} else {
		finding_title(f, "light differs between lanes: %.1f dB", spread);
	}
	if (!isnan(rx))
		(void)finding_number(
			f, f->at, "rx_power_dbm, least lane", rx, "dBm", "", "counter");
	if (drop > RX_DROP_DB)
		(void)finding_number(
			f, f->at, "lost since its best", drop, "dB", "< 1.5 dB", "counter");
	if (spread > RX_SPREAD_DB)
		(void)finding_number(
			f, f->at, "spread of lanes", spread, "dB", "< 3 dB", "counter");
	if (drop > RX_DROP_DB || (worst.low && worst.what && str_eq(worst.what, "rx_power_dbm")))
		add_light(f, peer);
	finding_weigh(
		f, SIGNAL_FACT, f->severity == SEV_CRIT ? 10 : 3); /* guide: alarm 10, warning 3 */
}

/* ---- outliers of a kind ---- */

static void begin_looking(struct optics_memory *mem)
{
	mem->looking = true;
	mem->modules.n = mem->outliers.n = mem->batches.n = 0;
	mem->look_at = 0;
	mem->nkinds = mem->kind = 0;
}

/* KINDS: there are too many kinds. */
static unsigned kind_of(struct optics_memory *mem, const char *media)
{
	unsigned k = 0;

	while (k < mem->nkinds && !str_eq(mem->kinds[k], media))
		k++;
	if (k == mem->nkinds && k < KINDS)
		mem->kinds[mem->nkinds++] = media;
	return k;
}

static void examine_port(struct optics_memory *mem, const struct port *p)
{
	struct module one = {.port = p->id};

	if (!p->more->media[0] || !p->seen)
		return;
	one.kind = kind_of(mem, p->more->media);
	if (one.kind == KINDS || p->id >= mem->ports.n || p->oper != OPER_UP)
		return;
	one.dbm = mem->ports.at[p->id].now_dbm;
	one.lost = mem->ports.at[p->id].rx_dbm - one.dbm;
	if (one.dbm > (float)DARK_DBM)
		vec_push(&mem->modules, one);
}

static void find_outliers(struct optics_memory *mem, unsigned kind)
{
	float median, mad;
	size_t n;

	mem->values.n = 0;
	for (size_t i = 0; i < mem->modules.n; i++)
		if (mem->modules.at[i].kind == kind)
			vec_push(&mem->values, (double)mem->modules.at[i].dbm);
	n = mem->values.n;
	if (n < OUTLIER_MIN)
		return;
	median = (float)quickselect(mem->values.at, n, n / 2);
	for (size_t i = 0; i < n; i++)
		mem->values.at[i] = (double)fabsf((float)mem->values.at[i] - median);
	/* 1.4826 converts it to a standard deviation; modules report tenths of a decibel. */
	mad = fmaxf(1.4826F * (float)quickselect(mem->values.at, n, n / 2), 0.1F);
	for (size_t i = 0; i < mem->modules.n; i++) {
		const struct module *one = &mem->modules.at[i];
		float z = (median - one->dbm) / mad;

		if (one->kind == kind && z > (float)OUTLIER_Z &&
			median - one->dbm > (float)OUTLIER_DB)
			vec_push(&mem->outliers, (struct outlier){one->port, one->dbm, median, z});
	}
}

static void find_batch(struct optics_memory *mem, unsigned kind)
{
	struct batch b = {0};
	float most = 0;

	for (size_t i = 0; i < mem->modules.n; i++) {
		const struct module *one = &mem->modules.at[i];
		bool falls = one->lost > (float)BATCH_DB;

		if (one->kind != kind) {
			b.others++;
			b.others_falling += falls;
			continue;
		}
		b.all++;
		b.falling += falls;
		if (one->lost > most) {
			most = one->lost;
			b.port = one->port;
		}
	}
	if (b.all < BATCH_MIN || b.others < BATCH_MIN || b.falling < BATCH_LEAST ||
		b.falling < BATCH_SHARE * b.all ||
		(double)b.falling / b.all < BATCH_TIMES * b.others_falling / b.others)
		return;
	vec_push(&mem->batches, b);
}

/* Examines some ports, or one kind. True: these were the last. */
static bool examine_some(const struct model *m, struct optics_memory *mem)
{
	for (unsigned n = 0; mem->look_at < m->ports.n; n++) {
		if (n == LOOK_PORTS)
			return false;
		examine_port(mem, m->ports.at[mem->look_at++]);
	}
	if (mem->kind < mem->nkinds) {
		find_batch(mem, mem->kind);
		find_outliers(mem, mem->kind++);
	}
	return mem->kind >= mem->nkinds;
}

static void judge_outliers(struct diag_run *r, struct optics_memory *mem)
{
	for (size_t i = 0; i < mem->outliers.n; i++) {
		const struct outlier *o = &mem->outliers.at[i];
		const struct port *peer = port_peer(r->m, r->m->ports.at[o->port], NULL);
		struct finding *f = diag_claim(r, FIND_OPTIC_OUTLIER, at_port(o->port));

		if (peer)
			f->peer = at_port(peer->id);
		(void)finding_number(f, f->at, "rx_power_dbm, least lane", (double)o->dbm, "dBm",
			"same as modules of its kind", "counter");
		(void)finding_number(f, f->at, "median of the same part", (double)o->median, "dBm",
			"z > 6 and > 3 dB", "counter");
		finding_title(f, "receives %.1f dB less light than other %s",
			(double)(o->median - o->dbm), r->m->ports.at[o->port]->more->media);
	}
}

static void judge_batches(struct diag_run *r, struct optics_memory *mem)
{
	for (size_t i = 0; i < mem->batches.n; i++) {
		const struct batch *b = &mem->batches.at[i];
		struct finding *f = diag_claim(r, FIND_OPTIC_BATCH, at_port(b->port));

		f->role = ROLE_RISK;
		(void)finding_number(f, f->at, "modules of this part that lost > 1 dB", b->falling,
			"", "as few as of others", "counter");
		(void)finding_number(f, f->at, "modules of this part", b->all, "", "", "counter");
		(void)finding_number(f, f->at, "other modules that lost > 1 dB", b->others_falling,
			"", "", "counter");
		(void)finding_number(f, f->at, "other modules", b->others, "", "", "counter");
		finding_title(f, "%u of %u %s lose light, %u of %u others do", b->falling, b->all,
			r->m->ports.at[b->port]->more->media, b->others_falling, b->others);
	}
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];

		if (!p->seen || p->merged || p->oper == OPER_DOWN)
			continue;
		judge_fec(r, *r->memory, p);
		/* Optics are read every half minute, counters every five seconds. */
		if (!read_us(p) || baseline_of(*r->memory, p->id)->fine_us != read_us(p))
			judge_light(r, *r->memory, p);
	}
}

static void run_optics(struct diag_run *r)
{
	struct optics_memory *mem;

	if (!*r->memory)
		*r->memory = mem_calloc(1, sizeof(struct optics_memory));
	mem = *r->memory;
	if (!mem->looking) {
		if (!diag_each_device(r, judge_device))
			return;
		if (!mem->looked_us || r->now_us - mem->looked_us >= OUTLIERS_US)
			begin_looking(mem);
	}
	if (mem->looking) {
		r->again = !examine_some(r->m, mem);
		if (r->again)
			return;
		mem->looking = false;
		mem->looked_us = r->now_us;
	}
	judge_outliers(r, mem);
	judge_batches(r, mem);
}

static void free_memory(void *memory)
{
	struct optics_memory *mem = memory;

	if (!mem)
		return;
	vec_free(&mem->ports);
	vec_free(&mem->outliers);
	vec_free(&mem->batches);
	vec_free(&mem->values);
	vec_free(&mem->modules);
	free(mem);
}

/* ---- serialisation ---- */

STATE_SIZE(struct baseline, 32);
STATE_SIZE(struct outlier, 16);
STATE_SIZE(struct batch, 20);
STATE_SIZE(struct optics_memory, 400);

static void state_baseline(struct state *s, struct baseline *b)
{
	state_f32(s, &b->ber);
	state_f32(s, &b->rx_dbm);
	state_f32(s, &b->now_dbm);
	state_wall(s, &b->fine_us);
	state_bool(s, &b->known);
}

static void state_outlier(struct state *s, struct outlier *o, const struct model *m)
{
	state_below(s, &o->port, (uint32_t)m->ports.n);
	state_f32(s, &o->dbm);
	state_f32(s, &o->median);
	state_f32(s, &o->z);
}

static void state_batch(struct state *s, struct batch *b, const struct model *m)
{
	state_below(s, &b->port, (uint32_t)m->ports.n);
	state_u32(s, &b->falling);
	state_u32(s, &b->all);
	state_u32(s, &b->others_falling);
	state_u32(s, &b->others);
}

/* values and the fields of a search are scratch. */
static void state_memory_of(struct state *s, void **memory, const struct model *m)
{
	struct optics_memory *mem;

	if (!state_memory(s, memory, sizeof(*mem)))
		return;
	mem = *memory;
	STATE_LIST(s, &mem->ports, m->ports.n, b, state_baseline(s, b));
	STATE_LIST(s, &mem->outliers, m->ports.n, o, state_outlier(s, o, m));
	STATE_LIST(s, &mem->batches, m->ports.n, b, state_batch(s, b, m));
	state_wall(s, &mem->looked_us);
}

const struct detector detect_optics = {"optics", run_optics, free_memory, state_memory_of, NULL};
