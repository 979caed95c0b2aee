/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "archive/openmetrics/metrics_private.h"
#include "base/str.h"

struct described {
	const char *name, *unit, *help;
	enum metric_type type;
	enum metric_of of;
	enum counter_dim dim;
	unsigned first, after;
};

static const struct described others[METRIC_FIRST_COUNTER] = {
#define METRIC(id, name, type, unit, of, dim, help)                                                \
	{name, unit, help, METRIC_##type, METRIC_##of, DIM_##dim, METRIC_CELL_##id,                \
		METRIC_CELL_LAST_##id + 1},
#include "archive/openmetrics/metrics.def"
#undef METRIC
};

/*
 * Prometheus wants base units, and the unit at the end of the name. The name of a counter already
 * has packets, frames or events. "bits" would look like a unit that should be bytes.
 */
static const struct exposed_unit {
	const char *was, *ends, *unit;
	int shift;
} exposed[] = {
	[UNIT_BYTES] = {"_bytes", "_bytes", "bytes", 0},
	[UNIT_PACKETS] = {"", "", "", 0},
	[UNIT_FRAMES] = {"", "", "", 0},
	[UNIT_US] = {"_us", "_seconds", "seconds", -6},
	[UNIT_CODEWORDS] = {"", "", "", 0},
	[UNIT_BITS] = {"_bits", "_bit_errors", "", 0},
	[UNIT_EVENTS] = {"", "", "", 0},
	[UNIT_RATIO] = {"", "", "", 0},
	[UNIT_DBM] = {"_dbm", "_dbm", "dbm", 0},
	[UNIT_DB] = {"_db", "_db", "db", 0},
	[UNIT_MA] = {"_ma", "_amperes", "amperes", -3},
	[UNIT_CELSIUS] = {"_c", "_celsius", "celsius", 0},
	[UNIT_VOLT] = {"_v", "_volts", "volts", 0},
	[UNIT_LANES] = {"", "_lanes", "lanes", 0},
	[UNIT_MTPS] = {"_mtps", "_transfers_per_second", "transfers_per_second", 6},
	[UNIT_PERCENT] = {"_pct", "_ratio", "ratio", -2},
};

static void of_counter(counter_id id, struct metric_family *f)
{
	const struct counter_info *c = &counter_info[id];
	const struct exposed_unit *u = &exposed[c->unit];
	size_t n = strlen(c->name), was = strlen(u->was);

	if (was && n > was && str_eq(c->name + n - was, u->was))
		n -= was;
	(void)str_printf(f->name, sizeof(f->name), "railtop_port_%.*s%s", (int)n, c->name, u->ends);
	f->type = c->kind == KIND_COUNT ? METRIC_COUNTER : METRIC_GAUGE;
	f->of = METRIC_PORTS;
	f->dim = c->dim;
	f->unit = u->unit;
	f->shift = u->shift;
	f->help = c->help;
}

void metrics_family(unsigned id, struct metric_family *f)
{
	assert(id < METRIC_COUNT);
	memset(f, 0, sizeof(*f));
	if (id >= METRIC_FIRST_COUNTER) {
		of_counter((counter_id)(id - METRIC_FIRST_COUNTER), f);
		return;
	}
	(void)str_copy(f->name, sizeof(f->name), others[id].name);
	f->type = others[id].type;
	f->of = others[id].of;
	f->dim = others[id].dim;
	f->unit = others[id].unit;
	f->help = others[id].help;
}

void metrics_sample_name(const struct metric_family *f, char *dst, size_t size)
{
	static const char *const ends[] = {
		[METRIC_GAUGE] = "", [METRIC_COUNTER] = "_total", [METRIC_INFO] = "_info"};

	(void)str_printf(dst, size, "%s%s", f->name, ends[f->type]);
}

unsigned metrics_find(const char *name)
{
	struct metric_family f;
	unsigned id = 0;
	char sample[96];

	for (; id < METRIC_COUNT; id++) {
		metrics_family(id, &f);
		metrics_sample_name(&f, sample, sizeof(sample));
		if (str_eq(name, f.name) || str_eq(name, sample))
			break;
	}
	return id;
}

const char *metrics_dim_label(enum counter_dim dim)
{
	static const char *const names[] = {
		[DIM_ONE] = "", [DIM_PRIO] = "priority", [DIM_LANE] = "lane", [DIM_BIN] = "bin"};

	return names[dim];
}

unsigned metrics_cells(unsigned id, unsigned *n)
{
	if (id >= METRIC_FIRST_COUNTER) {
		counter_id c = (counter_id)(id - METRIC_FIRST_COUNTER);

		*n = counter_dim_size(c);
		return counter_info[c].first_cell;
	}
	*n = others[id].of == METRIC_PORTS ? others[id].after - others[id].first : 0;
	return others[id].first;
}
