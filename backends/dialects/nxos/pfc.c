/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/nxos/nxos.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Decodes quality of service from the syntax of the configuration, which the show commands print as
 * well:
 *
 *   class-map type qos match-any roce          policy-map type queuing out
 *     match dscp 24-31                           class type queuing c-out-8q-q3
 *   policy-map type qos in                         random-detect minimum-threshold 950 kbytes ...
 *     class type qos roce                      policy-map type network-qos sys
 *       set qos-group 3                          class type network-qos c-8q-nq3
 *                                                  pause pfc-cos 3
 *
 * It is read as one policy for the whole switch. If policies differ about a class or a queue,
 * nothing is reported for it: these texts do not say which port has which policy.
 */

#define CLASSES_MAX 64u
#define WORDS_MAX   24u
#define UNSAID      (-1)
#define DIFFERENT   (-2)

enum policy { POLICY_NONE, POLICY_QOS, POLICY_QUEUING, POLICY_NETWORK };

struct qos_class {
	char name[64];
	uint64_t dscp; /* bit set */
	int group;     /* UNSAID, DIFFERENT or a qos-group */
};

struct qos_queue {
	bool has_wred, ecn, different;
	double min, max, probability;
	double xoff, xon;
	bool has_xoff;
};

struct nxos_qos {
	struct qos_class classes[CLASSES_MAX];
	unsigned nclasses;
	struct qos_queue queues[PRIORITIES];
	int pfc_cos[PRIORITIES];             /* by group */
	bool any_dscp, any_qos, any_queuing; /* present in the text */
	/* reading position */
	enum policy policy;
	bool is_default; /* a predefined policy, used only without any other */
	struct qos_class *map, *class;
	int group; /* of the class of a queuing or network-qos policy; UNSAID */
	bool is_in;
};

struct words {
	char text[512];
	const char *at[WORDS_MAX];
	unsigned n;
};

static void split_words(struct words *w, const char *line)
{
	char *p = w->text;

	w->n = 0;
	str_copy(w->text, sizeof(w->text), line);
	while (w->n < WORDS_MAX) {
		while (*p && isspace((unsigned char)*p))
			*p++ = '\0';
		if (!*p)
			return;
		w->at[w->n++] = p;
		while (*p && !isspace((unsigned char)*p))
			p++;
	}
}

static bool word_is(const struct words *w, unsigned i, const char *word)
{
	return i < w->n && str_eq(w->at[i], word);
}

/* Returns the word after this one; "" if there is none. */
static const char *word_after(const struct words *w, const char *word)
{
	for (unsigned i = 0; i + 1 < w->n; i++)
		if (str_eq(w->at[i], word))
			return w->at[i + 1];
	return "";
}

static const char *last_word(const struct words *w)
{
	return w->at[w->n - 1];
}

static struct qos_class *class_of(struct nxos_qos *q, const char *name)
{
	struct qos_class *c;

	for (unsigned i = 0; i < q->nclasses; i++)
		if (str_eq(q->classes[i].name, name))
			return &q->classes[i];
	if (q->nclasses == CLASSES_MAX || strlen(name) >= sizeof(c->name))
		return NULL;
	c = &q->classes[q->nclasses++];
	*c = (struct qos_class){.group = UNSAID};
	str_copy(c->name, sizeof(c->name), name);
	return c;
}

/* ---- DSCP: "26", "24-31", "26,48", "ef", "af31", "cs6", "default" ---- */

static int dscp_of(const char *text, size_t n)
{
	uint64_t v;

	if (n == 2 && strncmp(text, "ef", 2) == 0)
		return 46;
	if (n == 7 && strncmp(text, "default", 7) == 0)
		return 0;
	if (n == 3 && strncmp(text, "cs", 2) == 0 && text[2] >= '0' && text[2] <= '7')
		return (text[2] - '0') * 8;
	if (n == 4 && strncmp(text, "af", 2) == 0 && text[2] >= '1' && text[2] <= '4' &&
		text[3] >= '1' && text[3] <= '3')
		return (text[2] - '0') * 8 + (text[3] - '0') * 2;
	return n && strspn(text, "0123456789") >= n && parse_leading_u64(text, n, &v) && v < 64
		       ? (int)v
		       : -1;
}

static void add_dscp(struct qos_class *c, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ","), from = strcspn(list, "-,");
		int low = dscp_of(list, from);
		int high = from < n ? dscp_of(list + from + 1, n - from - 1) : low;

		for (int v = low; low >= 0 && v <= high; v++)
			c->dscp |= UINT64_C(1) << v;
		list += n + (list[n] == ',');
	}
}

static void match_line(struct nxos_qos *q, const struct words *w)
{
	if (!q->map || !word_is(w, 1, "dscp"))
		return;
	for (unsigned i = 2; i < w->n; i++)
		add_dscp(q->map, w->at[i]);
	q->any_dscp |= q->map->dscp != 0;
}

/* ---- sections ---- */

static void class_map_line(struct nxos_qos *q, const struct words *w)
{
	const char *type = word_after(w, "type");

	q->policy = POLICY_NONE;
	q->map = !*type || str_eq(type, "qos") ? class_of(q, last_word(w)) : NULL;
}

static void policy_map_line(struct nxos_qos *q, const struct words *w)
{
	const char *type = word_after(w, "type"), *name = last_word(w);

	q->policy = str_eq(type, "queuing")       ? POLICY_QUEUING
		    : str_eq(type, "network-qos") ? POLICY_NETWORK
						  : POLICY_QOS;
	q->map = q->class = NULL;
	q->group = UNSAID;
	q->is_default = str_starts(name, "default-");
	q->any_queuing |= q->policy == POLICY_QUEUING;
	q->any_qos |= q->policy == POLICY_QOS;
}

/* "c-out-8q-q3", "c-in-q3", "c-8q-nq3"; 0 for "...-default". */
static int group_of_class(const char *name)
{
	const char *q = strrchr(name, 'q');
	unsigned group;

	if (strstr(name, "default"))
		return 0;
	return q && parse_index(q, "q", PRIORITIES, &group) ? (int)group : UNSAID;
}

static void class_line(struct nxos_qos *q, const struct words *w)
{
	q->class = q->policy == POLICY_QOS ? class_of(q, last_word(w)) : NULL;
	q->group = q->policy == POLICY_QOS ? UNSAID : group_of_class(last_word(w));
	q->is_in = str_starts(last_word(w), "c-in-");
}

/* ---- settings of a class ---- */

static void set_line(struct nxos_qos *q, const struct words *w)
{
	uint64_t group;

	if (!q->class || q->is_default || !str_to_u64(word_after(w, "qos-group"), &group) ||
		group >= PRIORITIES)
		return;
	q->class->group =
		q->class->group == UNSAID || q->class->group == (int)group ? (int)group : DIFFERENT;
}

/* Reads the number after a word, times the unit after it; the CLI's kbytes are thousands. */
static bool bytes_behind(const struct words *w, const char *word, double *bytes)
{
	static const struct {
		const char *unit;
		double bytes;
	} units[] = {{"bytes", 1}, {"kbytes", 1e3}, {"mbytes", 1e6}};
	unsigned i = 0;
	uint64_t v;

	while (i < w->n && !str_eq(w->at[i], word))
		i++;
	if (i + 2 >= w->n || !str_to_u64(w->at[i + 1], &v))
		return false;
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++)
		if (str_eq(w->at[i + 2], units[u].unit)) {
			*bytes = (double)v * units[u].bytes;
			return true;
		}
	return false;
}

static bool is_equal(double a, double b)
{
	return !(a < b) && !(a > b);
}

static void wred_line(struct nxos_qos *q, const struct words *w)
{
	struct qos_queue new = {.has_wred = true}, *old;
	uint64_t percent;

	if (q->policy != POLICY_QUEUING || q->group < 0 || q->is_default)
		return;
	old = &q->queues[q->group];
	if (!bytes_behind(w, "minimum-threshold", &new.min) ||
		!bytes_behind(w, "maximum-threshold", &new.max))
		return;
	new.probability =
		str_to_u64(word_after(w, "drop-probability"), &percent) ? (double)percent : -1;
	for (unsigned i = 0; i < w->n; i++)
		new.ecn |= word_is(w, i, "ecn");
	if (old->has_wred &&
		(!is_equal(old->min, new.min) || !is_equal(old->max, new.max) ||
			!is_equal(old->probability, new.probability) || old->ecn != new.ecn))
		old->different = true;
	old->has_wred = true;
	old->ecn = new.ecn;
	old->min = new.min;
	old->max = new.max;
	old->probability = new.probability;
}

static void pause_line(struct nxos_qos *q, const struct words *w)
{
	uint64_t cos, xoff, xon;

	if (q->group < 0)
		return;
	if (q->policy == POLICY_NETWORK && str_to_u64(word_after(w, "pfc-cos"), &cos) &&
		cos < PRIORITIES)
		q->pfc_cos[q->group] = (int)cos;
	if (q->policy != POLICY_QUEUING || !q->is_in || q->is_default ||
		!str_to_u64(word_after(w, "pause-threshold"), &xoff) ||
		!str_to_u64(word_after(w, "resume-threshold"), &xon))
		return;
	q->queues[q->group].xoff = (double)xoff;
	q->queues[q->group].xon = (double)xon;
	q->queues[q->group].has_xoff = true;
}

static void qos_line(void *ctx, const char *line)
{
	static const struct {
		const char *word;
		void (*read)(struct nxos_qos *q, const struct words *w);
	} readers[] = {
		{"class-map", class_map_line},
		{"match", match_line},
		{"policy-map", policy_map_line},
		{"class", class_line},
		{"set", set_line},
		{"random-detect", wred_line},
		{"pause", pause_line},
	};
	struct words w;

	split_words(&w, line);
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]) && w.n > 1; i++)
		if (word_is(&w, 0, readers[i].word))
			readers[i].read(ctx, &w);
}

void nxos_qos_text(struct nxos_job *j, const char *text, size_t len)
{
	if (!j->qos) {
		j->qos = mem_calloc(1, sizeof(*j->qos));
		for (unsigned i = 0; i < PRIORITIES; i++)
			j->qos->pfc_cos[i] = UNSAID;
	}
	j->qos->policy = POLICY_NONE;
	j->qos->map = j->qos->class = NULL;
	nxos_lines(text, len, qos_line, j->qos);
}

void nxos_qos_free(struct nxos_job *j)
{
	free(j->qos);
	j->qos = NULL;
}

/* ---- results ---- */

static void dscp_map(const struct nxos_qos *q, char map[65])
{
	memset(map, '0', 64);
	map[64] = '\0';
	for (unsigned i = 0; i < q->nclasses; i++)
		for (unsigned dscp = 0; dscp < 64; dscp++)
			if (q->classes[i].dscp >> dscp & 1 && q->classes[i].group != UNSAID)
				map[dscp] = q->classes[i].group == DIFFERENT
						    ? '-'
						    : (char)('0' + q->classes[i].group);
}

static unsigned group_priority(const struct nxos_qos *q, unsigned group)
{
	return q->pfc_cos[group] >= 0 ? (unsigned)q->pfc_cos[group] : group;
}

static void add_queue(
	struct nxos_job *j, uint32_t port, const struct qos_queue *one, unsigned p, unsigned *ecn)
{
	if (one->has_xoff) {
		obs_number(j->o, port, ATTR_XOFF_BYTES, p, one->xoff);
		obs_number(j->o, port, ATTR_XON_BYTES, p, one->xon);
	}
	if (!one->has_wred || one->different || !one->ecn)
		return;
	*ecn |= 1u << p;
	obs_number(j->o, port, ATTR_ECN_MIN_BYTES, p, one->min);
	obs_number(j->o, port, ATTR_ECN_MAX_BYTES, p, one->max);
	if (one->probability >= 0)
		obs_number(j->o, port, ATTR_ECN_PROBABILITY, p, one->probability);
}

static void add_port(struct nxos_job *j, uint32_t port, const char *dscp, const char *queues)
{
	const struct nxos_qos *q = j->qos;
	bool differs = false;
	unsigned ecn = 0;

	for (unsigned i = 0; i < PRIORITIES; i++) {
		add_queue(j, port, &q->queues[i], group_priority(q, i), &ecn);
		differs |= q->queues[i].different;
	}
	if (q->any_queuing && !differs)
		obs_number(j->o, port, ATTR_ECN_ENABLED, 0, ecn);
	if (*dscp) {
		obs_word(j->o, port, ATTR_DSCP_TO_TC, 0, dscp);
		obs_word(j->o, port, ATTR_TC_TO_QUEUE, 0, "01234567");
		if (q->any_dscp)
			obs_word(j->o, port, ATTR_TRUST, 0, "dscp");
	}
	if (*queues)
		obs_word(j->o, port, ATTR_PRIO_TO_QUEUE, 0, queues);
}

/* The queue that a PFC frame stops, and the priority of a queue's frames. */
static bool pfc_maps(const struct nxos_qos *q, char queues[9], char cos[9])
{
	bool any = false;

	str_copy(queues, 9, "--------");
	str_copy(cos, 9, "--------");
	for (unsigned i = 0; i < PRIORITIES; i++)
		if (q->pfc_cos[i] >= 0) {
			queues[q->pfc_cos[i]] = (char)('0' + i);
			cos[i] = (char)('0' + q->pfc_cos[i]);
			any = true;
		}
	return any;
}

void nxos_qos_end(struct nxos_job *j)
{
	const struct nxos_qos *q = j->qos;
	char dscp[65] = "", queues[9] = "", cos[9];

	if (!q)
		return;
	if (q->any_qos)
		dscp_map(q, dscp);
	if (pfc_maps(q, queues, cos))
		obs_fact(j->o, NXOS_FACT_COS, cos);
	else
		queues[0] = '\0';
	for (uint32_t port = 0; port < j->o->ports.n; port++)
		add_port(j, port, dscp, queues);
	if (!j->o->ports.n)
		return;
	/* Each has predefined policies: without any the command failed. */
	need_say(j->o, NEED_ECN_CONFIG, q->any_queuing ? VALID_OK : VALID_UNSUPPORTED, "");
	need_say(j->o, NEED_QOS_MAPS, q->any_qos ? VALID_OK : VALID_UNSUPPORTED, "");
}
