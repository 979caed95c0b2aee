/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/diag_rows.h"
#include "views/panels/finding_text.h"

enum ranks_column {
	RANKS_RANK,
	RANKS_STATE,
	RANKS_BEHIND,
	RANKS_HOST,
	RANKS_GPU,
	RANKS_NIC,
	RANKS_LEAF,
	RANKS_LAST_OP,
	RANKS_LAUNCHED,
	RANKS_COUNTS,
	RANKS_WHY,
	RANKS_OP_END,
	RANKS_PID,
	RANKS_SEEN,
	RANKS_COLUMNS
};

static const struct table_column columns[RANKS_COLUMNS] = {
	[RANKS_RANK] = {"rank", "rank", 5, 0, 0, true, "Rank in this communicator"},
	[RANKS_STATE] = {"state", "state", 12, 0, 0, false,
		"State of its process, as reported by NCCL; behind: it has launched fewer "
		"operations"},
	[RANKS_BEHIND] = {"behind", "behind", 6, 0, 0, true,
		"Operations behind the rank that is furthest"},
	[RANKS_HOST] = {"host", "host", 10, 1, 0, false, "Host of its process"},
	[RANKS_GPU] = {"gpu", "gpu", 3, 0, 1, true, "GPU by the driver's index"},
	[RANKS_NIC] = {"nic", "nic", 8, 0, 1, false, "NIC that it sends through"},
	[RANKS_LEAF] = {"leaf", "leaf port", 20, 1, 1, false, "Other end of that NIC's link"},
	[RANKS_LAST_OP] = {"last_op", "last op", 10, 0, 2, false,
		"Time of its last operation that railtop saw, UTC unless a zone was set"},
	[RANKS_LAUNCHED] = {"launched", "ops", 6, 0, 2, true,
		"Operations launched, all functions together"},
	[RANKS_COUNTS] = {"counts", "launched", 20, 2, 3, false,
		"Operations launched of each function; ! behind a count: others launched more"},
	[RANKS_WHY] = {"why", "why", 20, 3, 2, false, "The finding about it, or its last error"},
	[RANKS_OP_END] = {"op_end", "op ended", 10, 0, 4, false,
		"Time when its last known operation ended, by the host's clock, UTC unless a zone "
		"was set"},
	[RANKS_PID] = {"pid", "pid", 8, 0, 4, true, "Process on the host"},
	[RANKS_SEEN] = {"seen", "source at", 10, 0, 4, false,
		"Time of the last report by its source, UTC unless a zone was set"},
};

/* ---- communicator ---- */

static const struct comm *scope_comm(const struct view_ctx *ctx, uint32_t *index)
{
	const struct job *j = ref_job(ctx->model, ctx->scope);

	*index = 0;
	if (ctx->scope.kind == REF_JOB)
		return j ? job_world(ctx->model->nccl, j, index) : NULL;
	if (ctx->scope.kind != REF_COMM)
		return NULL;
	*index = ctx->scope.comm;
	return ref_comm(ctx->model, ctx->scope);
}

static const struct rank *row_rank(
	const struct view_ctx *ctx, struct ref row, const struct comm **comm)
{
	*comm = row.kind == REF_RANK ? ref_comm(ctx->model, row) : NULL;
	return *comm ? ref_rank(ctx->model, row) : NULL;
}

/* ---- order: lagging first ---- */

static int state_badness(enum nccl_state s)
{
	static const int bad[NCCL_STATE_COUNT] = {[NCCL_DEAD] = 6,
		[NCCL_UNRESPONSIVE] = 5,
		[NCCL_TIMED_OUT] = 4,
		[NCCL_ASYNC_ERROR] = 4,
		[NCCL_ABORTED] = 3,
		[NCCL_INIT] = 1,
		[NCCL_FINALIZING] = 0};

	return (unsigned)s < NCCL_STATE_COUNT ? bad[s] : 0;
}

/* The largest lag in any function; -1: the rank reported none. */
static int64_t behind_of(const struct diag_rows *d, const struct comm *c, const struct rank *r)
{
	int64_t worst = -1;

	for (unsigned f = 0; f < c->nfuncs && f < NCCL_FUNCS; f++)
		if (r->count[f].launched >= 0 && d->most[f] - r->count[f].launched > worst)
			worst = d->most[f] - r->count[f].launched;
	return worst;
}

static void note_finding(
	struct diag_rows *d, struct ref at, uint32_t comm, uint64_t key, size_t order)
{
	if (at.kind != REF_RANK || at.comm != comm || at.rank < 0 ||
		(size_t)at.rank >= d->ranks.n || d->ranks.at[at.rank].finding)
		return;
	d->ranks.at[at.rank].finding = key;
	d->ranks.at[at.rank].order = (uint32_t)order;
}

/* Notes the first finding about each rank, in the engine's order by likelihood. */
static void note_findings(const struct view_ctx *ctx, struct diag_rows *d, uint32_t comm)
{
	const struct finding *const *all;
	size_t n = 0;

	all = ctx->diag ? diag_findings(ctx->diag, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		note_finding(d, all[i]->at, comm, all[i]->key, i);
		/* Ranks of one host have a finding together, at their host. */
		for (size_t k = 0; k < all[i]->evidence.n; k++)
			if (!all[i]->evidence.at[k].against)
				note_finding(d, all[i]->evidence.at[k].at, comm, all[i]->key, i);
	}
}

static void note_ranks(
	const struct view_ctx *ctx, struct diag_rows *d, const struct comm *c, uint32_t index)
{
	d->ranks_of = ctx->model;
	d->ranks_comm = index;
	d->ranks.n = 0;
	for (unsigned f = 0; f < NCCL_FUNCS; f++)
		d->most[f] = comm_launched(c, f);
	for (int32_t r = 0; r < c->nranks; r++)
		vec_push(&d->ranks,
			(struct rank_note){.rank = r,
				.state = state_badness((enum nccl_state)c->rank[r].state),
				.behind = behind_of(d, c, &c->rank[r]),
				.order = UINT32_MAX});
	note_findings(ctx, d, index);
}

static int lagging_first(const void *pa, const void *pb)
{
	const struct rank_note *a = pa, *b = pb;

	if (a->state != b->state)
		return a->state > b->state ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->behind != b->behind)
		return a->behind > b->behind ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void ranks_rows(const struct view_ctx *ctx, row_vec *out)
{
	struct diag_rows *d = diag_rows_of(ctx);
	VEC(struct rank_note) order = {0};
	const struct comm *c;
	uint32_t index;

	c = scope_comm(ctx, &index);
	if (!c || !d || c->nranks <= 0)
		return;
	note_ranks(ctx, d, c, index);
	if (!d->ranks.n)
		return;
	vec_reserve(&order, d->ranks.n);
	memcpy(order.at, d->ranks.at, d->ranks.n * sizeof(*order.at));
	order.n = d->ranks.n;
	qsort(order.at, order.n, sizeof(*order.at), lagging_first);
	for (size_t i = 0; i < order.n; i++)
		vec_push(out,
			(struct ref){.kind = REF_RANK, .comm = index, .rank = order.at[i].rank});
	vec_free(&order);
}

static const struct rank_note *note_of(const struct view_ctx *ctx, struct ref row)
{
	const struct diag_rows *d = diag_rows_of(ctx);

	if (!d || d->ranks_of != ctx->model || d->ranks_comm != row.comm || row.rank < 0 ||
		(size_t)row.rank >= d->ranks.n)
		return NULL;
	return &d->ranks.at[row.rank];
}

/* ---- cells ---- */

static void cell_int(int64_t v, struct view_cell *out)
{
	if (v < 0)
		return;
	cell_text(out, ROLE_NORMAL, "%lld", (long long)v);
	out->number = (double)v;
	out->has_number = true;
}

static bool is_late(const struct view_ctx *ctx, const struct rank_note *note)
{
	const struct finding *f =
		note && note->finding && ctx->diag ? diag_finding(ctx->diag, note->finding) : NULL;

	return f && f->id == FIND_NCCL_STRAGGLER && f->role == ROLE_CULPRIT;
}

static void cell_state(const struct view_ctx *ctx, const struct rank *r,
	const struct rank_note *note, struct view_cell *out)
{
	int bad = state_badness((enum nccl_state)r->state);
	enum nccl_state s = (enum nccl_state)r->state;

	if (bad >= 3)
		cell_text(out, ROLE_CRIT, "%s!", nccl_state_name(s));
	else if (is_late(ctx, note))
		cell_text(out, ROLE_CRIT, "late!");
	else if (note && note->behind > 1)
		cell_text(out, ROLE_WARN, "behind!");
	else if (s != NCCL_UNKNOWN)
		cell_text(out, s == NCCL_RUNNING ? ROLE_OK : ROLE_NORMAL, "%s", nccl_state_name(s));
	else if (note && note->behind >= 0)
		cell_text(out, ROLE_OK, "in step");
	out->number = bad;
	out->has_number = true;
}

/* A lag of one is normal when a poll comes between two launches. */
static void cell_behind(const struct rank_note *note, struct view_cell *out)
{
	if (!note || note->behind < 0)
		return;
	cell_text(out,
		note->behind > 1 ? ROLE_WARN
		: note->behind   ? ROLE_NORMAL
				 : ROLE_DIM,
		"%lld%s", (long long)note->behind, note->behind > 1 ? "!" : "");
	out->number = (double)note->behind;
	out->has_number = true;
}

static void cell_counts(const struct view_ctx *ctx, const struct comm *c, const struct rank *r,
	struct view_cell *out)
{
	const struct diag_rows *d = diag_rows_of(ctx);
	char text[TABLE_CELL_TEXT] = "", si[16];
	size_t len = 0;

	for (unsigned f = 0; f < c->nfuncs && f < NCCL_FUNCS; f++) {
		int64_t n = r->count[f].launched;

		if (n < 0)
			continue;
		(void)str_printf(si, sizeof(si), "%lld", (long long)n);
		if (n >= 100000)
			(void)str_si((double)n, si, sizeof(si));
		(void)str_printf(text + len, sizeof(text) - len, "%s%s %s%s", len ? "  " : "",
			c->func[f], si, d && d->most[f] > n + 1 ? "!" : "");
		len += strlen(text + len);
	}
	if (len)
		cell_text(out, ROLE_NORMAL, "%s", text);
}

static void cell_launched(const struct comm *c, const struct rank *r, struct view_cell *out)
{
	int64_t sum = -1;

	for (unsigned f = 0; f < c->nfuncs && f < NCCL_FUNCS; f++)
		if (r->count[f].launched >= 0)
			sum = (sum < 0 ? 0 : sum) + r->count[f].launched;
	if (sum >= 0)
		cell_rate(out, (double)sum);
}

static int64_t last_op_us(const struct comm *c, const struct rank *r)
{
	int64_t last = 0;

	for (unsigned f = 0; f < c->nfuncs && f < NCCL_FUNCS; f++)
		if (r->count[f].grew_us > last)
			last = r->count[f].grew_us;
	return last;
}

static void cell_why(const struct view_ctx *ctx, const struct rank *r, const struct rank_note *note,
	struct view_cell *out)
{
	const struct finding *f =
		ctx->diag && note && note->finding ? diag_finding(ctx->diag, note->finding) : NULL;

	if (f)
		cell_text(
			out, role_of_finding(ctx, f), "%s: %s", finding_info[f->id].name, f->title);
	else if (r->error[0])
		cell_text(out, ROLE_WARN, "%s", r->error);
	else
		cell_text(out, ROLE_DIM, "%s", "");
}

static void cell_path(
	const struct view_ctx *ctx, const struct rank *r, size_t col, struct view_cell *out)
{
	const struct model *m = ctx->model;
	const struct port *nic = model_port_at(m, r->nic);
	char leaf[2 * NAME_MAX_LEN] = "";

	if (col == RANKS_HOST && r->host < m->devices.n)
		cell_text(out, ROLE_NORMAL, "%s", m->devices.at[r->host]->name);
	else if (col == RANKS_HOST && r->host_text[0])
		cell_text(out, ROLE_DIM, "%s", r->host_text);
	else if (col == RANKS_NIC && nic)
		cell_text(out, ROLE_NORMAL, "%s", nic->name);
	else if (col == RANKS_LEAF && nic && peer_locator(m, nic, leaf, sizeof(leaf))[0])
		cell_text(out, ROLE_NORMAL, "%s", leaf);
}

static void ranks_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct comm *c;
	const struct rank *r = row_rank(ctx, row, &c);
	const struct rank_note *note = note_of(ctx, row);

	cell_unknown(out, VALID_UNKNOWN);
	if (!r)
		return;
	switch (col) {
	case RANKS_RANK:
		cell_int(row.rank, out);
		break;
	case RANKS_STATE:
		cell_state(ctx, r, note, out);
		break;
	case RANKS_BEHIND:
		cell_behind(note, out);
		break;
	case RANKS_GPU:
		cell_int(r->gpu, out);
		break;
	case RANKS_LAST_OP:
		cell_moment(ctx, last_op_us(c, r), out);
		break;
	case RANKS_LAUNCHED:
		cell_launched(c, r, out);
		break;
	case RANKS_COUNTS:
		cell_counts(ctx, c, r, out);
		break;
	case RANKS_WHY:
		cell_why(ctx, r, note, out);
		break;
	case RANKS_OP_END:
		cell_moment(ctx, r->op_end_us, out);
		break;
	case RANKS_PID:
		cell_int(r->pid, out);
		break;
	case RANKS_SEEN:
		cell_moment(ctx, r->seen_us, out);
		break;
	default:
		cell_path(ctx, r, col, out);
		break;
	}
}

static bool ranks_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	const struct comm *c;

	if (!row_rank(ctx, row, &c))
		return false;
	*view = "trace";
	*scope = row;
	return true;
}

/* The likeliest open finding about the job, its communicator or ranks; NULL: none. */
static const struct finding *finding_of_job(
	const struct view_ctx *ctx, const struct comm *c, uint32_t index)
{
	const struct finding *const *all;
	size_t n = 0;

	all = ctx->diag ? diag_findings(ctx->diag, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		struct ref at = all[i]->at;
		bool about = (at.kind == REF_JOB && c->job != JOB_NONE && at.job == c->job) ||
			     ((at.kind == REF_COMM || at.kind == REF_RANK) && at.comm == index);

		for (size_t k = 0; k < all[i]->evidence.n && !about; k++)
			about = all[i]->evidence.at[k].at.kind == REF_RANK &&
				all[i]->evidence.at[k].at.comm == index;
		if (about)
			return all[i];
	}
	return NULL;
}

/* ", likely data parallel (by its collectives)", by the newest operation; "": no hint. */
static void phase_words(const struct view_ctx *ctx, const struct comm *c, char *dst, size_t size)
{
	const struct op *op = comm_op(c, 0);
	const char *func = op && op->func < c->nfuncs ? c->func[op->func]
			   : c->nfuncs == 1           ? c->func[0]
						      : "";
	struct nccl_phase phase;

	dst[0] = '\0';
	if (nccl_phase(ctx->model->nccl, c, func, op ? op->bytes : 0, &phase))
		(void)str_printf(dst, size, ", likely %s (%s)", phase.words, phase.why);
}

static int ranks_panel(const struct view_ctx *ctx, struct region r)
{
	uint32_t index;
	const struct comm *c = scope_comm(ctx, &index);
	const struct finding *f;
	const struct job *of;
	unsigned bad = 0, behind = 0;
	struct panel_line lines[2];
	const char *job;
	char idle[32] = "", phase[80];
	enum severity severity;

	if (!c)
		return 0;
	phase_words(ctx, c, phase, sizeof(phase));
	for (int32_t i = 0; i < c->nranks; i++) {
		struct ref row = {.kind = REF_RANK, .comm = index, .rank = i};
		const struct rank_note *note = note_of(ctx, row);

		bad += state_badness((enum nccl_state)c->rank[i].state) >= 3;
		behind += note && note->behind > 1;
	}
	f = finding_of_job(ctx, c, index);
	of = model_job_at(ctx->model, c->job);
	job = of ? of->name : "-";
	/* As in the list of jobs: ranks that all wait are not behind one another. */
	if (!comm_last_us(c))
		(void)str_copy(idle, sizeof(idle), ", no operation seen");
	else if (ctx->now_us - comm_last_us(c) > comm_patience(c))
		(void)str_printf(idle, sizeof(idle), ", idle %llds",
			(long long)((ctx->now_us - comm_last_us(c)) / CLOCK_SEC));
	severity = bad || c->missing                           ? SEV_CRIT
		   : behind || f || (*idle && comm_last_us(c)) ? SEV_WARN
		   : *idle                                     ? SEV_UNKNOWN
							       : SEV_OK;
	panel_say(&lines[0], role_of_severity(severity), severity_word(severity),
		"job %s: %d rank%s, %u behind, %u failing, %u missing%s; communicator %s%s%s; "
		"source "
		"%s%s",
		job, c->nranks, str_plural((unsigned)c->nranks), behind, bad, c->missing, idle,
		c->name, c->name[0] ? " " : "", c->id,
		nccl_source_name((enum nccl_source)c->source), phase);
	/* All ranks can be healthy while none advances. */
	if (f)
		panel_say(&lines[1], role_of_finding(ctx, f), "finding", "%s", f->title);
	return panel_draw(r, lines, f ? 2 : 1);
}

static const char *ranks_empty(const struct view_ctx *ctx)
{
	if (ctx->scope.kind == REF_JOB)
		return "no rank of this job is known: only its scheduler has reported it";
	return "no communicator is chosen: open one from the jobs view";
}

const struct view_ops view_ranks = {
	.name = "ranks",
	.title = "ranks",
	.help = "The ranks of a job, lagging ones first: the state of the process, the operations "
		"behind the rank that is furthest, and the place: host, GPU, NIC, leaf port. A "
		"rank that waits is not the cause: why names the finding. Enter and t trace its "
		"path.",
	.scope = REF_JOB,
	.kinds = 1U << REF_COMM,
	.columns = columns,
	.ncolumns = RANKS_COLUMNS,
	.rows = ranks_rows,
	.cell = ranks_cell,
	.enter = ranks_enter,

	.panel = ranks_panel,
	.empty = ranks_empty,
};
