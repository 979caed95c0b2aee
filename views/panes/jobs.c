/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/diag_rows.h"
#include "views/panels/finding_text.h"

enum jobs_column {
	JOBS_NAME,
	JOBS_STATE,
	JOBS_VERDICT,
	JOBS_SLOWEST,
	JOBS_HOSTS,
	JOBS_RANKS,
	JOBS_LAST_OP,
	JOBS_RATE,
	JOBS_COMMS,
	JOBS_GPUS,
	JOBS_USER,
	JOBS_SOURCE,
	JOBS_COLUMNS
};

static const struct table_column columns[JOBS_COLUMNS] = {
	[JOBS_NAME] = {"job", "job", 16, 2, 0, false, "Name by the scheduler, else of its ranks"},
	[JOBS_STATE] = {"state", "state", 11, 0, 0, false,
		"running; stalled: none advances; incomplete: ranks are missing; behind, late, "
		"slow edge, slower: see the ranks; gone: its source does not list it any more"},
	[JOBS_VERDICT] = {"verdict", "verdict", 16, 0, 0, false,
		"Owner of the problem: network, gpu, storage, application, unknown; ok: its "
		"operations advance, and every check of the fabric holds"},
	[JOBS_SLOWEST] = {"slowest", "slowest", 9, 0, 1, true, "The rank that the others wait for"},
	[JOBS_HOSTS] = {"hosts", "hosts", 5, 0, 1, true, "Hosts that it runs on"},
	[JOBS_RANKS] = {"ranks", "ranks", 6, 0, 1, true, "Ranks of its largest communicator"},
	[JOBS_LAST_OP] = {"last_op", "last op", 10, 0, 1, false,
		"Time of the last new operation that railtop saw, UTC unless a zone was set"},
	[JOBS_RATE] = {"rate", "ops/s", 6, 0, 2, true, "Operations per second of the newest kind"},
	[JOBS_COMMS] = {"comms", "comms", 5, 0, 2, true, "Communicators"},
	[JOBS_GPUS] = {"gpus", "GPUs", 5, 0, 3, true, "GPUs allocated to it"},
	[JOBS_USER] = {"user", "user", 10, 0, 3, false, "User of the job"},
	[JOBS_SOURCE] = {"source", "from", 15, 0, 4, false, "Source of the job"},
};

static void jobs_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct nccl *n = ctx->model->nccl;

	for (size_t i = 0; i < n->jobs.n; i++) {
		if (!job_is_free(n->jobs.at[i]))
			vec_push(out, (struct ref){.kind = REF_JOB, .job = (uint32_t)i});
	}
}

static const struct job *row_job(const struct view_ctx *ctx, struct ref row)
{
	return row.kind == REF_JOB ? ref_job(ctx->model, row) : NULL;
}

/* ---- notes, computed on demand ---- */

#define NOTE_US (2 * CLOCK_SEC) /* largest age of a job's note */

static void note_make(const struct view_ctx *ctx, uint32_t job, struct job_note *note)
{
	const struct nccl *n = ctx->model->nccl;
	straggler_vec found = {0};
	uint32_t world = 0;

	note->has_worst = false;
	if (job_world(n, n->jobs.at[job], &world)) {
		straggler_find(ctx->model, world, ctx->now_us, &found);
		if (found.n) {
			note->worst = found.at[0];
			note->has_worst = true;
		}
	}
	vec_free(&found);
	verdict_free(&note->verdict);
	memset(&note->verdict, 0, sizeof(note->verdict));
	if (ctx->diag)
		verdict_make(&note->verdict, ctx->diag, ctx->model, job, ctx->now_us);
	note->made = true;
	note->at_us = ctx->now_us;
}

static const struct job_note *note_of(const struct view_ctx *ctx, struct ref row)
{
	struct diag_rows *d = diag_rows_of(ctx);
	const uint32_t job = row.job;
	struct job_note *note;

	if (!d || !row_job(ctx, row))
		return NULL;
	if (d->jobs_of != ctx->model) {
		for (size_t i = 0; i < d->jobs.n; i++)
			d->jobs.at[i].made = false;
		d->jobs_of = ctx->model;
	}
	while (d->jobs.n <= job)
		(void)vec_add(&d->jobs);
	note = &d->jobs.at[job];
	if (!note->made || ctx->now_us < note->at_us || ctx->now_us - note->at_us >= NOTE_US)
		note_make(ctx, job, note);
	return note;
}

/* ---- cells ---- */

/* The rate between the newest operation and the oldest of its kind in the history. */
static double comm_rate(const struct comm *c)
{
	const struct op *newest = comm_op(c, 0), *op;
	double rate = NAN;

	for (unsigned i = 1; newest && (op = comm_op(c, i)); i++)
		if (op->func == newest->func && op->first_us < newest->first_us)
			rate = (double)(newest->seq - op->seq) * (double)CLOCK_SEC /
			       (double)(newest->first_us - op->first_us);
	return rate;
}

/* Without operations one by one, the progress of the last minute by their counts. */
static double job_rate(const struct view_ctx *ctx, const struct comm *c)
{
	double rate = comm_rate(c);

	return isnan(rate) ? comm_pace_rate(c, ctx->now_us - 60 * CLOCK_SEC, ctx->now_us) : rate;
}

static const char *straggler_word(const struct straggler *s)
{
	static const char *const words[] = {[STRAGGLER_LATE] = "late",
		[STRAGGLER_EDGE] = "slow edge",
		[STRAGGLER_BEHIND] = "behind",
		[STRAGGLER_MISSING] = "incomplete",
		[STRAGGLER_SLOW_ALL] = "slower",
		[STRAGGLER_STUCK] = "stalled"};

	if (s->kind == STRAGGLER_EDGE && s->peer < 0)
		return "slow sender";
	return (unsigned)s->kind < sizeof(words) / sizeof(words[0]) ? words[s->kind] : "?";
}

static void cell_state(const struct view_ctx *ctx, struct ref row, const struct job *j,
	const struct comm *world, struct view_cell *out)
{
	const struct job_note *note = note_of(ctx, row);
	bool slow;

	if (j->gone) {
		cell_text(out, ROLE_DIM, "gone");
	} else if (note && note->has_worst) {
		slow = note->worst.kind == STRAGGLER_EDGE ||
		       note->worst.kind == STRAGGLER_SLOW_ALL || note->worst.kind == STRAGGLER_LATE;
		cell_text(out, slow ? ROLE_WARN : ROLE_CRIT, "%s!", straggler_word(&note->worst));
	} else if (world && world->missing) {
		cell_text(out, ROLE_CRIT, "incomplete!");
	} else if (world && comm_last_us(world)) {
		/* All ranks may rest between operations, or wait for their input: say how long. */
		int64_t idle = ctx->now_us - comm_last_us(world);

		if (idle > comm_patience(world))
			cell_text(out, ROLE_WARN, "idle %llds", (long long)(idle / CLOCK_SEC));
		else
			cell_text(out, ROLE_OK, "running");
	}
}

static void cell_verdict(const struct view_ctx *ctx, struct ref row, struct view_cell *out)
{
	const struct job_note *note = note_of(ctx, row);
	char sure[16];

	if (!note || !ctx->diag)
		return;
	switch (note->verdict.state) {
	case FABRIC_TROUBLE:
		cell_text(out, ROLE_WARN, "%s %s", verdict_name(note->verdict.verdict),
			str_share(note->verdict.confidence, "%", sure, sizeof(sure)));
		break;
	case FABRIC_SUSPECT:
		cell_text(
			out, ROLE_WARN, "%s", note->verdict.critical ? "not proven" : "suspicion");
		break;
	case FABRIC_CLEAN:
		cell_text(out, ROLE_OK, "ok");
		break;
	default:
		cell_text(out, ROLE_DIM, "no problem seen");
	}
}

/* A name, in bold: what is wrong with the rank is the word of the state beside it. */
static void cell_slowest(const struct view_ctx *ctx, struct ref row, struct view_cell *out)
{
	const struct job_note *note = note_of(ctx, row);

	if (!note || !note->has_worst || note->worst.rank < 0)
		return;
	if (note->worst.peer >= 0)
		cell_text(out, ROLE_TITLE, "%d>%d", note->worst.rank, note->worst.peer);
	else
		cell_text(out, ROLE_TITLE, "%d", note->worst.rank);
	out->number = note->worst.rank;
	out->has_number = true;
}

static void cell_number(double v, struct view_cell *out)
{
	if (v >= 0)
		cell_rate(out, v);
}

static void cell_word(const char *text, struct view_cell *out)
{
	if (text[0])
		cell_text(out, ROLE_NORMAL, "%s", text);
}

static void cell_told(const struct view_ctx *ctx, const struct job *j, const struct comm *world,
	size_t col, struct view_cell *out)
{
	switch (col) {
	case JOBS_HOSTS:
		cell_number((double)j->hosts.n, out);
		break;
	case JOBS_RANKS:
		if (world)
			cell_number(world->nranks, out);
		break;
	case JOBS_LAST_OP:
		if (world)
			cell_moment(ctx, comm_last_us(world), out);
		break;
	case JOBS_RATE:
		if (world)
			cell_number(job_rate(ctx, world), out);
		break;
	case JOBS_COMMS:
		cell_number((double)j->comms.n, out);
		break;
	case JOBS_GPUS:
		cell_number(j->gpus, out);
		break;
	case JOBS_USER:
		cell_word(j->user, out);
		break;
	case JOBS_SOURCE:
		cell_word(nccl_source_name((enum nccl_source)j->source), out);
		break;
	default:
		break;
	}
}

static void jobs_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct job *j = row_job(ctx, row);
	const struct comm *world = j ? job_world(ctx->model->nccl, j, NULL) : NULL;

	cell_unknown(out, VALID_UNKNOWN);
	if (!j)
		return;
	switch (col) {
	case JOBS_NAME:
		cell_word(j->name, out);
		break;
	case JOBS_STATE:
		cell_state(ctx, row, j, world, out);
		break;
	case JOBS_VERDICT:
		cell_verdict(ctx, row, out);
		break;
	case JOBS_SLOWEST:
		cell_slowest(ctx, row, out);
		break;
	default:
		cell_told(ctx, j, world, col, out);
		break;
	}
	if (j->gone)
		out->role = ROLE_DIM;
}

static bool jobs_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	if (!row_job(ctx, row))
		return false;
	*view = "ranks";
	*scope = row;
	return true;
}

static int jobs_panel(const struct view_ctx *ctx, struct region r)
{
	const struct nccl *n = ctx->model->nccl;
	struct panel_line line;
	unsigned gone = 0;
	size_t jobs = 0;
	char refused[64] = "";

	if (!n->jobs.n)
		return 0;
	for (size_t i = 0; i < n->jobs.n; i++) {
		jobs += !job_is_free(n->jobs.at[i]);
		gone += !job_is_free(n->jobs.at[i]) && n->jobs.at[i]->gone;
	}
	if (n->refused)
		(void)str_printf(refused, sizeof(refused), "; %llu record%s beyond the limits",
			(unsigned long long)n->refused, str_plural(n->refused));
	panel_say(&line, ROLE_ACCENT, "jobs",
		"%zu, %u of them gone; %zu communicator%s, %zu rank%s%s", jobs, gone, n->comms.n,
		str_plural(n->comms.n), n->nranks, str_plural(n->nranks), refused);
	return panel_draw(r, &line, 1);
}

static const char *jobs_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "no job is known: add a job source to the inventory (jobs:)";
}

const struct view_ops view_jobs = {
	.name = "jobs",
	.title = "jobs",
	.help = "Jobs on the fabric, as reported by NCCL, its logs and the scheduler. Each job has "
		"its progress, the rank that the others wait for, and the owner of the problem "
		"when it stalls. Enter lists its ranks, lagging ones first. t traces its most "
		"lagging rank.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = JOBS_COLUMNS,
	.rows = jobs_rows,
	.cell = jobs_cell,
	.enter = jobs_enter,
	.panel = jobs_panel,
	.empty = jobs_empty,
};
