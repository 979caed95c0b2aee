/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/eos/eos_private.h"
#include "base/str.h"

/*
 * Decides which commands share one POST. eAPI stops a batch at its first bad command and answers
 * only after the slowest one. So only commands that this switch has answered before, each alone,
 * are combined. A command that fails within a batch is sent alone again. All are sent alone after a
 * batch timed out.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define FACT_KNOWN   "known"

/* JSON or text: the format applies to a whole call. */
static const char *const call_names[][2] = {
	[POLL_FAST] = {"fast", "fast_text"},
	[POLL_MEDIUM] = {"medium", "medium_text"},
	[POLL_SLOW] = {"slow", "slow_text"},
};

static const struct eos_command *command_of(const struct eos_ask *a)
{
	return &a->q->commands[a->choice];
}

/* ---- known commands ---- */

uint64_t eos_known(const struct facts *facts)
{
	const char *s = facts_get(facts, FACT_KNOWN);

	return *s ? strtoull(s, NULL, 16) : 0;
}

void eos_learn_known(const struct target *t, struct obs *o, uint64_t known)
{
	char text[20];

	if (known == eos_known(t->facts))
		return;
	str_printf(text, sizeof(text), "%llx", (unsigned long long)known);
	obs_fact(o, FACT_KNOWN, known ? text : "");
}

static bool is_unanswered(const struct target *t, const char *request)
{
	char key[32];

	str_printf(key, sizeof(key), FACT_UNANSWERED "%s", request);
	return *facts_get(t->facts, key) != '\0';
}

static void forget_unanswered(const struct target *t, struct obs *o, const char *request)
{
	char key[32];

	str_printf(key, sizeof(key), FACT_UNANSWERED "%s", request);
	if (is_unanswered(t, request))
		obs_fact(o, key, "");
}

bool eos_is_late(const struct eos_question *q, const struct target *t)
{
	return !q->is_vital && is_unanswered(t, q->request);
}

void eos_was_answered(const struct eos_question *q, const struct target *t, struct obs *o)
{
	if (!q->is_vital)
		forget_unanswered(t, o, q->request);
	/* The calls are combined again in each slow round. */
	if (!str_eq(q->request, "hostname"))
		return;
	for (size_t tier = 0; tier < ARRAY_LEN(call_names); tier++)
		for (size_t text = 0; text < 2; text++)
			forget_unanswered(t, o, call_names[tier][text]);
}

/* ---- calls ---- */

static bool is_joinable(const struct eos_question *q, const struct target *t, bool text)
{
	const struct eos_command *c = &q->commands[eos_asked(q, t->facts)];

	return (eos_known(t->facts) & eos_bit(q)) && !eos_is_late(q, t) && !c->is_privileged &&
	       (c->read != NULL) == text;
}

/* Returns false if fewer than two commands can be combined. */
static bool joint_call(
	const struct target *t, enum poll_tier tier, bool text, struct eos_call *call)
{
	const struct eos_question *q;

	*call = (struct eos_call){0};
	if ((size_t)tier >= ARRAY_LEN(call_names) || is_unanswered(t, call_names[tier][text]))
		return false;
	call->name = call_names[tier][text];
	for (size_t i = 0; (q = eos_question_at(i)) && call->n < EOS_ASKS; i++)
		if (eos_is_due(q, t, tier) && is_joinable(q, t, text))
			call->asks[call->n++] =
				(struct eos_ask){.q = q, .choice = eos_asked(q, t->facts)};
	/* Without the vital question the others are sent separately. */
	return call->n > 1 && (tier != POLL_FAST || text || call->asks[0].q->is_vital);
}

static bool has_question(const struct eos_call *call, const struct eos_question *q)
{
	for (size_t i = 0; i < call->n; i++)
		if (call->asks[i].q == q)
			return true;
	return false;
}

static void single_call(const struct target *t, const struct eos_question *q, struct eos_call *call)
{
	*call = (struct eos_call){
		.name = q->request, .asks[0] = {.q = q, .choice = eos_asked(q, t->facts)}, .n = 1};
}

void eos_each_call(const struct target *t, enum poll_tier tier,
	void (*each)(const struct eos_call *, struct request_list *), struct request_list *out)
{
	struct eos_call joint[2], one;
	const struct eos_question *q;

	for (int text = 0; text < 2; text++) {
		if (joint_call(t, tier, text, &joint[text]))
			each(&joint[text], out);
		else
			joint[text].n = 0;
	}
	for (size_t i = 0; (q = eos_question_at(i)); i++) {
		if (!eos_is_due(q, t, tier) || has_question(&joint[0], q) ||
			has_question(&joint[1], q))
			continue;
		single_call(t, q, &one);
		each(&one, out);
	}
}

/* ---- the call's id, which the answer repeats: so later learning does not affect decoding ---- */

#define ID_BEGIN "railtop-"

void eos_call_id(const struct eos_call *call, char *dst, size_t size)
{
	str_printf(dst, size, ID_BEGIN "%s", call->name);
	for (size_t i = 0; i < call->n; i++) {
		size_t n = strlen(dst);

		str_printf(dst + n, size - n, " %s.%zu", call->asks[i].q->request,
			call->asks[i].choice);
	}
}

/* Reads "pfc.1". */
static bool read_ask(const char *word, size_t n, struct eos_ask *a)
{
	char text[32], *dot;
	uint64_t choice;

	if (n >= sizeof(text))
		return false;
	str_copyn(text, sizeof(text), word, n);
	dot = strchr(text, '.');
	if (!dot || !str_to_u64(dot + 1, &choice))
		return false;
	*dot = '\0';
	*a = (struct eos_ask){.q = eos_question_find(text), .choice = (size_t)choice};
	return a->q && choice < eos_command_count(a->q);
}

static bool call_of_id(const char *id, const char *request, struct eos_call *call)
{
	size_t n;
	const char *w;

	*call = (struct eos_call){0};
	if (!id || !str_starts(id, ID_BEGIN))
		return false;
	id += strlen(ID_BEGIN);
	w = eos_word(&id, &n);
	if (!w || strlen(request) != n || memcmp(w, request, n) != 0)
		return false;
	while ((w = eos_word(&id, &n))) {
		if (call->n == EOS_ASKS || !read_ask(w, n, &call->asks[call->n]))
			return false;
		call->n++;
	}
	return call->n > 0;
}

bool eos_call_of(const struct target *t, const char *request, const struct json_value *id,
	struct eos_call *call)
{
	const struct eos_question *q = eos_question_find(request);

	if (call_of_id(json_value_text(id), request, call))
		return true;
	for (size_t tier = 0; tier < ARRAY_LEN(call_names); tier++)
		for (size_t text = 0; text < 2; text++)
			if (str_eq(call_names[tier][text], request) &&
				joint_call(t, (enum poll_tier)tier, text, call))
				return true;
	if (q)
		single_call(t, q, call);
	return q != NULL;
}

/* ---- requests ---- */

const char *eos_before(const struct eos_ask *a)
{
	if (command_of(a)->is_privileged)
		return "{\"cmd\":\"enable\"},";
	return str_eq(a->q->request, "fast") ? "{\"cmd\":\"show version\",\"revision\":1}," : "";
}

bool eos_call_is_text(const struct eos_call *call)
{
	return command_of(&call->asks[0])->read != NULL;
}
