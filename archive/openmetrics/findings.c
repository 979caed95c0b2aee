/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "archive/openmetrics/metrics_private.h"
#include "base/str.h"

#define FINDINGS_MOST 512
#define ROLES         (ROLE_INFO + 1)
#define TEXT_MOST     256

/* The labels of a place: texts of the model, or "". */
struct place {
	const char *device, *port, *tier, *job;
	char rail[12], priority[12], rank[12], text[TEXT_MOST];
};

static void set_device(struct place *p, const struct device *d)
{
	if (!d)
		return;
	p->device = d->name;
	p->tier = tier_name(d->tier);
	if (d->rail >= 0)
		(void)str_printf(p->rail, sizeof(p->rail), "%d", d->rail);
}

static void set_port(struct place *p, const struct model *m, const struct port *q)
{
	if (!q)
		return;
	set_device(p, model_dev_of(m, q));
	p->port = q->name;
	if (q->rail >= 0)
		(void)str_printf(p->rail, sizeof(p->rail), "%d", q->rail);
}

static void set_job(struct place *p, const struct job *j)
{
	if (j)
		p->job = j->name;
}

static void set_comm(struct place *p, const struct model *m, struct ref at)
{
	const struct rank *r = ref_rank(m, at);

	set_job(p, ref_job(m, at));
	if (!r)
		return;
	(void)str_printf(p->rank, sizeof(p->rank), "%d", at.rank);
	set_device(p, model_device_at(m, r->host));
}

static void place_of(struct place *p, const struct model *m, struct ref at)
{
	memset(p, 0, sizeof(*p));
	(void)ref_format(m, at, p->text, sizeof(p->text));
	switch ((int)at.kind) {
	case REF_PRIORITY:
		(void)str_printf(p->priority, sizeof(p->priority), "%u", at.priority);
		set_port(p, m, ref_port(m, at));
		break;
	case REF_PORT:
	case REF_LINK:
	case REF_COUNTER:
		set_port(p, m, ref_port(m, at));
		break;
	case REF_DEVICE:
	case REF_BGP:
		set_device(p, ref_device(m, at));
		break;
	case REF_RAIL:
		(void)str_printf(p->rail, sizeof(p->rail), "%d", at.rail);
		break;
	case REF_TIER:
		p->tier = tier_name((enum tier)at.tier);
		break;
	case REF_JOB:
		set_job(p, ref_job(m, at));
		break;
	case REF_COMM:
	case REF_RANK:
		set_comm(p, m, at);
		break;
	default:
		break;
	}
}

/* The same words as in the JSON of findings. */
static const char *severity_word(enum severity s)
{
	static const char *const words[SEV_COUNT] = {"unknown", "info", "warning", "critical"};

	return words[(unsigned)s < SEV_COUNT ? s : SEV_UNKNOWN];
}

static void add_findings(
	struct metrics *x, const struct model *m, const struct finding *const *list, size_t n)
{
	struct metric_few f;
	struct place p;

	metric_few_begin(&f, x, METRIC_FINDING);
	for (size_t i = 0; i < n && i < FINDINGS_MOST; i++) {
		place_of(&p, m, list[i]->at);
		metric_few_add(&f, 1, "class", finding_info[list[i]->id].name, "severity",
			severity_word(list[i]->severity), "role", finding_role_name(list[i]->role),
			"place", p.text, "device", p.device, "port", p.port, "priority", p.priority,
			"rail", p.rail, "tier", p.tier, "job", p.job, "rank", p.rank, "runbook",
			finding_info[list[i]->id].runbook, NULL);
	}
	metric_few_end(&f);
	x->left_out += n > FINDINGS_MOST ? n - FINDINGS_MOST : 0;
	metric_few_begin(&f, x, METRIC_FINDING_GPUS);
	for (size_t i = 0; i < n && i < FINDINGS_MOST; i++) {
		place_of(&p, m, list[i]->at);
		if (list[i]->gpus_blocked)
			metric_few_add(&f, list[i]->gpus_blocked, "class",
				finding_info[list[i]->id].name, "place", p.text, "how", "blocked",
				NULL);
		if (list[i]->gpus_slow)
			metric_few_add(&f, list[i]->gpus_slow, "class",
				finding_info[list[i]->id].name, "place", p.text, "how", "slow",
				NULL);
	}
	metric_few_end(&f);
}

/* Exports all counts, zeros too: an alert on a sum needs a series that existed before. */
static void add_finding_counts(struct metrics *x, const struct finding *const *list, size_t n)
{
	unsigned count[SEV_COUNT][ROLES] = {{0}};
	struct metric_few f;

	for (size_t i = 0; i < n; i++)
		count[list[i]->severity][list[i]->role]++;
	metric_few_begin(&f, x, METRIC_FINDINGS);
	for (unsigned s = SEV_OK; s < SEV_COUNT; s++)
		for (unsigned r = 0; r < ROLES; r++)
			metric_few_add(&f, count[s][r], "severity", severity_word((enum severity)s),
				"role", finding_role_name((enum finding_role)r), NULL);
	metric_few_end(&f);
}

void metrics_take_findings(struct metrics *x, const struct model *m, const struct diag *d)
{
	const struct verdict_report *v = diag_verdict(d);
	const struct finding *const *list;
	struct metric_few f;
	size_t n = 0;

	list = diag_findings(d, &n);
	add_finding_counts(x, list, n);
	add_findings(x, m, list, n);
	metric_few_begin(&f, x, METRIC_FABRIC_STATE);
	for (int s = 0; s < FABRIC_STATES; s++)
		metric_few_add(&f, (int)v->state == s, "state",
			fabric_state_name((enum fabric_state)s), NULL);
	metric_few_end(&f);
	metric_few_begin(&f, x, METRIC_VERDICT);
	if (v->trouble)
		metric_few_add(&f, 1, "verdict", verdict_name(v->verdict), NULL);
	metric_few_end(&f);
	metric_few_begin(&f, x, METRIC_TROUBLE);
	metric_few_add(&f, v->trouble, NULL);
	metric_few_end(&f);
	metric_few_begin(&f, x, METRIC_FABRIC_CLEAN);
	metric_few_add(&f, v->fabric_clean, NULL);
	metric_few_end(&f);
}
