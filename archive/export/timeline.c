/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/export/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/version.h"
#include "fabric/history/history.h"
#include "fabric/vocabulary/counters.h"

#define COLUMNS_MOST 720

/* Numbers of the format's "processes", which are the groups of its tracks. */
enum { PID_FINDINGS = 1, PID_DEVICES = 2, PID_COMMS = 1000000 };

struct timeline {
	const struct model *m;
	const struct diag *d;
	int64_t now_us;
	FILE *out;
	bool begun, failed;
	uint64_t spans; /* numbers of spans given so far */
	bool *shown;    /* by port id: it has counters */
	bool *named;    /* by device id: its name was written */
	size_t nshown, left_out;
	struct history_column columns[COLUMNS_MOST];
};

static void put(struct timeline *t, json_t *event)
{
	if (!event || fputs(t->begun ? ",\n" : "", t->out) < 0 ||
		json_dumpf(event, t->out, JSON_COMPACT) != 0)
		t->failed = true;
	t->begun = true;
	json_decref(event);
}

static json_t *event_of(const char *phase, const char *category, const char *name, int64_t ts_us)
{
	json_t *o = json_object();

	json_put(o, "ph", json_string(phase));
	json_put(o, "cat", json_string(category));
	json_put(o, "name", json_text(name));
	json_put(o, "ts", json_integer(ts_us));
	return o;
}

static void put_name(
	struct timeline *t, const char *what, int64_t pid, int64_t tid, const char *name)
{
	json_t *o = event_of("M", "__metadata", what, 0);

	json_put(o, "pid", json_integer(pid));
	json_put(o, "tid", json_integer(tid));
	json_put(o, "args", json_pack("{s:o}", "name", json_text(name)));
	put(t, o);
}

static int64_t pid_of(struct timeline *t, const struct device *d)
{
	int64_t pid = PID_DEVICES + d->id;

	if (!t->named[d->id])
		put_name(t, "process_name", pid, 0, d->name);
	t->named[d->id] = true;
	return pid;
}

/* Spans of one name may overlap: each has a number of its own. args is taken over. */
static void put_span(struct timeline *t, const char *category, const char *name, int64_t pid,
	int64_t tid, int64_t from_us, int64_t to_us, json_t *args)
{
	json_t *begin = event_of("b", category, name, from_us);
	json_t *end = event_of("e", category, name, to_us > from_us ? to_us : from_us + 1);
	char id[24];

	(void)str_printf(id, sizeof(id), "%" PRIu64, ++t->spans);
	json_put(begin, "args", args ? args : json_object());
	for (int k = 0; k < 2; k++) {
		json_t *o = k ? end : begin;

		json_put(o, "pid", json_integer(pid));
		json_put(o, "tid", json_integer(tid));
		json_put(o, "id", json_string(id));
	}
	put(t, begin);
	put(t, end);
}

/* ---- findings ---- */

static void show_port(struct timeline *t, const struct port *p)
{
	if (!p || t->shown[p->id])
		return;
	if (t->nshown == TIMELINE_PORTS) {
		t->left_out++;
		return;
	}
	t->shown[p->id] = true;
	t->nshown++;
}

static void show_ports_of(struct timeline *t, const struct finding *f)
{
	const struct port *at = ref_port(t->m, f->at), *peer = ref_port(t->m, f->peer);

	if (at && !peer)
		peer = port_peer(t->m, at, NULL);
	show_port(t, at);
	show_port(t, peer);
}

static void put_finding(struct timeline *t, const struct finding *f, int64_t closed_us)
{
	char place[256], name[320];
	int64_t from = f->onset_us ? f->onset_us : f->first_seen_us;

	place[0] = '\0';
	(void)ref_format(t->m, f->at, place, sizeof(place));
	(void)str_printf(name, sizeof(name), "%s %s", finding_info[f->id].name, place);
	put_span(t, "finding", name, PID_FINDINGS, 1, model_wall(t->m, from),
		model_wall(t->m, closed_us ? closed_us : t->now_us),
		json_pack("{s:o, s:s, s:s, s:o, s:b, s:i}", "title", json_text(f->title),
			"severity", finding_severity_name(f->severity), "role",
			finding_role_name(f->role), "confidence",
			json_number_or_null((double)f->confidence), "open", !closed_us,
			"gpus_blocked", (int)f->gpus_blocked));
}

static void put_findings(struct timeline *t)
{
	const struct finding *closed;
	int64_t closed_us, from = t->now_us - HISTORY_WHOLE_US;
	size_t n;
	const struct finding *const *open = diag_findings(t->d, &n);

	put_name(t, "process_name", PID_FINDINGS, 0, "findings");
	/* Roots come first, so their ports have counters first. */
	for (size_t i = 0; i < n; i++) {
		put_finding(t, open[i], 0);
		show_ports_of(t, open[i]);
	}
	for (size_t i = 0; (closed = diag_closed(t->d, i, &closed_us)); i++) {
		if (closed_us < from)
			break;
		put_finding(t, closed, closed_us);
		show_ports_of(t, closed);
	}
}

/* ---- events ---- */

static void put_event(struct timeline *t, const struct event *e)
{
	const struct device *d = model_device_at(t->m, e->device);
	const struct port *p = e->port < t->m->ports.n ? t->m->ports.at[e->port] : NULL;
	char name[200];
	json_t *o;

	if (!d)
		return;
	(void)str_printf(name, sizeof(name), "%s%s%s", event_info[e->kind].name, p ? " " : "",
		p ? p->name : "");
	o = event_of("i", "event", name, model_wall(t->m, e->wall_us));
	json_put(o, "s", json_string("p"));
	json_put(o, "pid", json_integer(pid_of(t, d)));
	json_put(o, "tid", json_integer(p ? (json_int_t)p->id + 1 : 0));
	json_put(o, "args", json_pack("{s:o}", "text", json_text(e->text)));
	put(t, o);
}

static void put_events(struct timeline *t)
{
	int64_t from = t->now_us - HISTORY_WHOLE_US;

	const struct event *e;

	for (size_t i = 0; (e = model_event(t->m, i)); i++)
		if (e->wall_us >= from)
			put_event(t, e);
}

/* ---- operations of jobs ---- */

static void put_operation(
	struct timeline *t, const struct comm *c, int64_t pid, const struct op *op)
{
	for (int32_t r = 0; r < c->nranks; r++) {
		const struct op_rank *x = &op->rank[r];
		char name[64];

		if (!x->begin_us || x->end_us <= x->begin_us)
			continue;
		(void)str_printf(name, sizeof(name), "%s rank %" PRId32,
			op->func < c->nfuncs ? c->func[op->func] : "operation", r);
		put_span(t, "collective", name, pid, r + 1, x->begin_us, x->end_us,
			json_pack("{s:I, s:I}", "seq", (json_int_t)op->seq, "bytes",
				(json_int_t)op->bytes));
	}
}

static void put_jobs(struct timeline *t)
{
	for (uint32_t i = 0; i < t->m->nccl->comms.n; i++) {
		const struct comm *c = model_comm_at(t->m, i);
		const struct job *j = c ? model_job_at(t->m, c->job) : NULL;
		uint64_t n = c ? (c->next_op < NCCL_OPS ? c->next_op : NCCL_OPS) : 0;
		char name[160];

		if (!j || !n)
			continue;
		(void)str_printf(name, sizeof(name), "job %s %s", j->name, c->id);
		put_name(t, "process_name", PID_COMMS + (int64_t)i, 0, name);
		for (uint64_t k = c->next_op - n; k < c->next_op; k++)
			put_operation(t, c, PID_COMMS + (int64_t)i, &c->ops[k % NCCL_OPS]);
	}
}

/* ---- counters of ports ---- */

struct series {
	counter_id id;
	unsigned sub;
	const char *what, *unit;
	double scale;
};

static int64_t width_of(const struct device *d)
{
	int64_t us = d->interval_us > CLOCK_SEC ? d->interval_us : CLOCK_SEC;

	return us < HISTORY_WHOLE_US / COLUMNS_MOST ? HISTORY_WHOLE_US / COLUMNS_MOST : us;
}

static void put_value(struct timeline *t, const struct device *d, const char *name,
	const char *unit, int64_t ts_us, double value)
{
	json_t *o = event_of("C", "counter", name, ts_us);

	json_put(o, "pid", json_integer(pid_of(t, d)));
	json_put(o, "args", json_pack("{s:o}", unit, json_number_or_null(value)));
	put(t, o);
}

/* A gap as a span from its first column to the first that is known again. */
static void put_gap(struct timeline *t, const struct device *d, const char *name, int64_t from_us,
	int64_t to_us)
{
	char text[160];

	(void)str_printf(text, sizeof(text), "no data: %s", name);
	put_span(t, "gap", text, pid_of(t, d), 0, from_us, to_us, NULL);
}

static void put_series(struct timeline *t, const struct port *p, const struct series *s)
{
	const struct device *d = model_dev_of(t->m, p);
	int64_t width = width_of(d), gap_us = 0, at_us = 0;
	unsigned n = (unsigned)(HISTORY_WHOLE_US / width);
	double last = NAN;
	char name[160];

	if (!history_columns(p, s->id, s->sub, t->now_us, width, t->columns, n))
		return;
	(void)str_printf(name, sizeof(name), "%s %s", p->name, s->what);
	for (unsigned i = 0; i < n; i++) {
		double value = (double)t->columns[i].mean * s->scale;

		at_us = model_wall(t->m, t->now_us - (int64_t)(n - i) * width);
		if (isnan(value)) {
			/* Before its first sample nothing was to be known. */
			if (!isnan(last) && !gap_us)
				gap_us = at_us;
			continue;
		}
		if (gap_us)
			put_gap(t, d, name, gap_us, at_us);
		if (gap_us || !(value == last))
			put_value(t, d, name, s->unit, at_us, value);
		gap_us = 0;
		last = value;
	}
	if (gap_us)
		put_gap(t, d, name, gap_us, model_wall(t->m, t->now_us));
}

static void put_port(struct timeline *t, const struct port *p)
{
	uint8_t lossless = lossless_priorities(&t->m->lossless);
	const struct series rates[] = {
		{CTR_RX_BYTES, 0, "rx", "Gb/s", 8e-9}, {CTR_TX_BYTES, 0, "tx", "Gb/s", 8e-9}};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		put_series(t, p, &rates[i]);
	for (unsigned left = lossless; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);
		char rx[32], tx[32];

		(void)str_printf(rx, sizeof(rx), "paused rx p%u", prio);
		(void)str_printf(tx, sizeof(tx), "paused tx p%u", prio);
		put_series(t, p, &(struct series){CTR_PFC_RX_DURATION_US, prio, rx, "%", 1e-4});
		put_series(t, p, &(struct series){CTR_PFC_TX_DURATION_US, prio, tx, "%", 1e-4});
	}
}

bool timeline_write(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err)
{
	struct timeline *t = mem_calloc(1, sizeof(*t));
	json_t *other;
	bool ok;

	t->m = m;
	t->d = d;
	t->now_us = now_us;
	t->out = out;
	t->shown = mem_calloc(m->ports.n + 1, sizeof(*t->shown));
	t->named = mem_calloc(m->devices.n + 1, sizeof(*t->named));
	(void)fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", out);
	put_findings(t);
	put_events(t);
	put_jobs(t);
	for (size_t i = 0; i < m->ports.n; i++)
		if (t->shown[i])
			put_port(t, m->ports.at[i]);
	other = json_pack("{s:i, s:s, s:o, s:o, s:I}", "schema", TIMELINE_SCHEMA, "tool",
		"railtop " RAILTOP_VERSION, "fabric", json_text(m->fabric), "time",
		json_number_or_null((double)model_wall(m, now_us) / 1e6), "ports_left_out",
		(json_int_t)t->left_out);
	(void)fputs("\n],\"otherData\":", out);
	ok = other && json_dumpf(other, out, JSON_COMPACT) == 0 && fputs("}\n", out) >= 0 &&
	     fflush(out) == 0 && !ferror(out) && !t->failed;
	json_decref(other);
	free(t->shown);
	free(t->named);
	free(t);
	return ok || err_system(err, ERR_IO, "timeline", "cannot be written", errno);
}
