/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/syslog/syslog_sentence.h"

#include <ctype.h>
#include <string.h>

#include "backends/syslog/syslog_vocabulary.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
/* "to" and its state, "changed" and its "to": so many words may stand between them. */
#define TO_STATE 3
#define TO_VERB  8

/* A count of nothing: "0 errors", "errors: 0", "no errors". */
static bool is_of_none(const struct syslog_words *w, unsigned i)
{
	return (i && (syslog_word_is(w, i - 1, "0") || syslog_word_is(w, i - 1, "no") ||
			     syslog_word_is(w, i - 1, "zero") ||
			     syslog_word_is(w, i - 1, "without"))) ||
	       syslog_word_is(w, i + 1, "0") || syslog_word_is(w, i + 1, "none");
}

/* Not across a mark: "not found. Dropping the route". */
static bool is_negated(const struct syslog_words *w, unsigned i)
{
	for (unsigned back = 1; back <= 3 && back <= i && !w->begins[i - back + 1]; back++)
		if (syslog_word_in(w, i - back, &syslog_negations))
			return true;
	return i >= 2 && syslog_word_is(w, i - 1, "longer") && syslog_word_is(w, i - 2, "no");
}

/* "catch up", "up to 3", "back up the file": no state. */
static bool is_other_up(const struct syslog_words *w, unsigned i)
{
	return syslog_word_is(w, i, "up") &&
	       ((syslog_word_is(w, i + 1, "to") && i + 2 < w->n &&
			isdigit((unsigned char)*w->at[i + 2])) ||
		       (i && (syslog_word_is(w, i - 1, "bring") ||
				     syslog_word_is(w, i - 1, "set") ||
				     syslog_word_is(w, i - 1, "catch") ||
				     syslog_word_is(w, i - 1, "clean") ||
				     syslog_word_is(w, i - 1, "start") ||
				     syslog_word_is(w, i - 1, "look"))));
}

/* Where a name ends, as "errors.c" or "/error/": a path is no state. */
static bool is_name(const struct syslog_words *w, unsigned i)
{
	return memchr(w->at[i], '/', w->len[i]) || memchr(w->at[i], '.', w->len[i]) ||
	       (w->at[i][w->len[i]] == '(' && w->at[i][w->len[i] + 1] == ')');
}

/* A part of the switch stands just before this word: "Fan tray 5 has been removed". */
static bool has_unit_before(const struct syslog_words *w, unsigned i)
{
	for (unsigned back = 1; back <= 4 && back <= i; back++)
		if (syslog_noun_in(w, i - back, &syslog_units))
			return true;
	return false;
}

static bool begins_with(const struct syslog_words *w, unsigned i, const char *begin)
{
	return w->len[i] > strlen(begin) && !memcmp(w->at[i], begin, strlen(begin));
}

/* What the chip answers where it does not do what it was asked; "not-handled". */
static bool is_refusal(const struct syslog_words *w, unsigned i)
{
	return (begins_with(w, i, "sai_status_") && !syslog_word_is(w, i, "sai_status_success")) ||
	       begins_with(w, i, "not-");
}

/* "threshold_clear" */
static bool ends_trouble(const struct syslog_words *w, unsigned i)
{
	const char *end = w->at[i] + w->len[i], *last = end;

	while (last > w->at[i] && last[-1] != '_')
		last--;
	return last > w->at[i] && syslog_is_in(last, (size_t)(end - last), &syslog_over);
}

static enum syslog_said word_says(const struct syslog_words *w, unsigned i)
{
	bool is_bad = syslog_word_in(w, i, &syslog_bad) || is_refusal(w, i) ||
		      (!is_name(w, i) && syslog_part_in(w->at[i], w->len[i], &syslog_bad));

	if (syslog_word_in(w, i, &syslog_over) || ends_trouble(w, i) ||
		(syslog_word_in(w, i, &syslog_good) && !is_other_up(w, i)))
		return SAID_GOOD;
	if (syslog_word_in(w, i, &syslog_taken) && has_unit_before(w, i))
		return SAID_BAD;
	return is_bad ? SAID_BAD : SAID_NOTHING;
}

/* ---- "changed state from init to up" ---- */

/* The state that a word leads to: "to (the) (state) up"; SAID_CHANGE: none that is known. */
static enum syslog_said target_of(const struct syslog_words *w, unsigned to)
{
	for (unsigned i = to + 1; i <= to + TO_STATE && i < w->n; i++) {
		if (syslog_word_in(w, i, &syslog_admin) || syslog_word_is(w, i, "admin"))
			return SAID_CHANGE;
		if (syslog_word_in(w, i, &syslog_negations) || syslog_word_is(w, i, "none") ||
			syslog_word_is(w, i, "idle"))
			return SAID_BAD;
		if (syslog_word_is(w, i, "full") || syslog_word_is(w, i, "ok"))
			return SAID_GOOD;
		if (syslog_word_is(w, i, "from") || syslog_word_is(w, i, "due"))
			break;
		if (word_says(w, i) != SAID_NOTHING)
			return word_says(w, i);
		/* "state changed from ok to high"; not "to high power mode" */
		if ((syslog_word_is(w, i, "high") || syslog_word_is(w, i, "low")) &&
			(i + 1 == w->n || w->begins[i + 1]))
			return SAID_BAD;
	}
	return SAID_CHANGE;
}

/* The state before "to": "from up (state) to", "up -> down"; SAID_NOTHING: unknown. */
static enum syslog_said source_of(const struct syslog_words *w, unsigned to)
{
	bool has_from = false;

	for (unsigned back = 2; back <= TO_STATE + 1 && back <= to; back++)
		has_from |= syslog_word_is(w, to - back, "from");
	for (unsigned back = 1; back <= (has_from ? TO_STATE : 1) && back <= to; back++) {
		if (syslog_word_is(w, to - back, "full"))
			return SAID_GOOD;
		if (word_says(w, to - back) != SAID_NOTHING)
			return word_says(w, to - back);
		if (syslog_word_is(w, to - back, "from"))
			break;
	}
	return SAID_NOTHING;
}

static bool is_change_verb(const struct syslog_words *w, unsigned i)
{
	static const char *const verbs_words[] = {"from", "changed", "change", "changes", "moved",
		"moving", "move", "transition", "transitioned", "transitioning", "state", "status",
		"set", "went", "gone", "switched", "returned", "back"};
	static const struct syslog_list verbs = {verbs_words, ARRAY_LEN(verbs_words)};

	return syslog_word_in(w, i, &verbs);
}

/* Whether this word leads from one state to another. */
static bool leads(const struct syslog_words *w, unsigned i)
{
	if (syslog_word_is(w, i, "->") || syslog_word_is(w, i, "=>"))
		return true;
	if (!syslog_word_is(w, i, "to"))
		return false;
	for (unsigned back = 1; back <= TO_VERB && back <= i; back++)
		if (is_change_verb(w, i - back))
			return true;
	return i && word_says(w, i - 1) != SAID_NOTHING && target_of(w, i) != SAID_CHANGE &&
	       word_says(w, i + 1) != SAID_NOTHING;
}

/* SAID_NOTHING: the sentence has no such change, or says that it was not made. */
static enum syslog_said by_transition(const struct syslog_words *w)
{
	enum syslog_said said = SAID_NOTHING;
	unsigned last = 0;

	for (unsigned i = 0; i < w->n; i++) {
		if (!leads(w, i))
			continue;
		said = target_of(w, i);
		last = i;
		/* From a state that works to one that nobody knows. */
		if (said == SAID_CHANGE && source_of(w, i) == SAID_GOOD &&
			!syslog_word_is(w, i + 1, "admin") &&
			!syslog_word_in(w, i + 1, &syslog_admin) && i + 1 < w->n &&
			!isdigit((unsigned char)*w->at[i + 1]))
			said = SAID_BAD;
	}
	for (unsigned i = last; said == SAID_GOOD && i < w->n; i++)
		if (is_refusal(w, i))
			return SAID_NOTHING;
	return said;
}

/* The state that was: "inactive" of "changed from inactive to primary". */
static bool is_left_behind(const struct syslog_words *w, unsigned i)
{
	bool has_from = false;

	for (unsigned back = 1; back <= TO_STATE && back <= i; back++)
		has_from |= syslog_word_is(w, i - back, "from");
	for (unsigned k = i + 1; k <= i + TO_STATE && k < w->n; k++)
		if (leads(w, k))
			return has_from || !syslog_word_is(w, k, "to");
	return false;
}

/* ---- one state ---- */

static bool is_predicate(const struct syslog_words *w, unsigned i)
{
	return i && syslog_word_in(w, i - 1, &syslog_copulas);
}

/* "failed to recover", "unable to resume" */
static bool is_attempted(const struct syslog_words *w, unsigned i)
{
	for (unsigned back = 1; back <= 3 && back <= i && !w->begins[i - back + 1]; back++)
		if (syslog_word_is(w, i - back, "failed") ||
			syslog_word_is(w, i - back, "unable") ||
			syslog_word_is(w, i - back, "cannot") ||
			syslog_word_is(w, i - back, "failure"))
			return true;
	return false;
}

/* "(admin) down", "(admin) status (is, to) down" */
static bool is_shut(const struct syslog_words *w, unsigned i)
{
	if (syslog_word_is(w, i, "status") || syslog_word_is(w, i, "state"))
		i++;
	if (syslog_word_is(w, i, "to") || syslog_word_is(w, i, "is"))
		i++;
	return syslog_word_is(w, i, "down") || syslog_word_is(w, i, "shut") ||
	       syslog_word_is(w, i, "shutdown") || syslog_word_is(w, i, "disabled");
}

static bool is_by_hand(const struct syslog_words *w)
{
	bool by_hand = false;

	for (unsigned i = 0; i < w->n; i++) {
		/* "manual intervention is required" */
		by_hand |= syslog_word_in(w, i, &syslog_admin) &&
			   !syslog_word_is(w, i + 1, "intervention");
		by_hand |= syslog_word_is(w, i, "admin") && is_shut(w, i + 1);
		by_hand |= syslog_word_is(w, i, "no") && syslog_word_is(w, i + 1, "shutdown");
	}
	for (unsigned i = 0; by_hand && i < w->n; i++)
		if (word_says(w, i) == SAID_BAD && !syslog_word_in(w, i, &syslog_done_by_hand) &&
			!syslog_word_in(w, i, &syslog_admin))
			return false;
	return by_hand;
}

/* What is missing: "no carrier", "timed out", "not responding", "no longer dual connected". */
static bool says_lack(const struct syslog_words *w, unsigned i)
{
	if (syslog_word_is(w, i, "no") && syslog_word_is(w, i + 1, "more"))
		return syslog_word_in(w, i + 2, &syslog_nothing_of);
	if (syslog_word_is(w, i, "timed"))
		return syslog_word_is(w, i + 1, "out");
	if (syslog_word_is(w, i, "no"))
		return syslog_word_in(w, i + 1, &syslog_nothing_of) &&
		       !(syslog_word_is(w, i + 1, "longer") && word_says(w, i + 2) == SAID_BAD);
	/* "out of range"; not "3 out of 4" */
	if (syslog_word_is(w, i, "out") && syslog_word_is(w, i + 1, "of"))
		return !i || !isdigit((unsigned char)*w->at[i - 1]);
	if (!syslog_word_in(w, i, &syslog_negations) || i + 1 >= w->n)
		return false;
	for (unsigned k = i + 1; k <= i + 2 && k < w->n && !w->begins[k]; k++)
		if (word_says(w, k) == SAID_BAD)
			return false;
	return !syslog_word_is(w, i, "without");
}

/* Something that is there already was to be made once more. */
static bool is_made_twice(const char *text)
{
	return strstr(text, "already exist") || strstr(text, "already_exist") ||
	       strstr(text, "entry exists");
}

/* One of the words before this one is in the list, so many of them looked at. */
static bool has_before(
	const struct syslog_words *w, unsigned i, unsigned most, const struct syslog_list *list)
{
	for (unsigned back = 1; back <= most && back <= i; back++)
		if (syslog_word_in(w, i - back, list))
			return true;
	return false;
}

static bool has_behind(
	const struct syslog_words *w, unsigned i, unsigned most, const struct syslog_list *list)
{
	for (unsigned k = i + 1; k <= i + most && k < w->n; k++)
		if (syslog_word_in(w, k, list))
			return true;
	return false;
}

/* An end that was to come: "the restore timer expired", "terminated normally". */
static bool is_in_order(const struct syslog_words *w, unsigned i)
{
	bool is_expiry = begins_with(w, i, "expir") || syslog_word_is(w, i, "timeout");

	return syslog_word_in(w, i + 1, &syslog_in_order) ||
	       (is_expiry && has_before(w, i, 6, &syslog_waits));
}

/* What is bad by its limit: "reached the maximum", and of a warning "too fast". */
static bool is_beyond(const struct syslog_words *w, unsigned i, bool is_warning)
{
	if (syslog_word_in(w, i, &syslog_reaches))
		return has_before(w, i, 3, &syslog_limits) || has_behind(w, i, 3, &syslog_limits);
	return is_warning && syslog_word_is(w, i, "too") &&
	       syslog_word_in(w, i + 1, &syslog_excess);
}

/* "queue length is under the threshold", of which less is better. */
static bool is_back_within(const struct syslog_words *w, unsigned i)
{
	if (!syslog_word_is(w, i, "under") && !syslog_word_is(w, i, "below"))
		return false;
	for (unsigned k = 0; k < i; k++)
		if (syslog_word_is(w, k, "free") || syslog_word_is(w, k, "available"))
			return false;
	return has_behind(w, i, 3, &syslog_limits) && has_before(w, i, i, &syslog_burdens);
}

/* What the words of a sentence say together. */
struct sums {
	bool is_bad, is_over, is_good, is_done, is_down, is_change;
	bool is_in_state; /* good, but of a state in which something else happened */
};

static void add_trouble(const struct syslog_words *w, unsigned i, struct sums *s)
{
	if (is_of_none(w, i) || is_left_behind(w, i))
		return;
	if (is_in_order(w, i)) {
		s->is_over = true;
		return;
	}
	if (is_negated(w, i)) {
		s->is_over |= syslog_word_is(w, i - 1, "longer");
		return;
	}
	s->is_bad = true;
	s->is_down |= is_predicate(w, i);
}

static void add_good(const struct syslog_words *w, unsigned i, struct sums *s)
{
	if (is_negated(w, i) || is_left_behind(w, i))
		return;
	if (syslog_word_in(w, i, &syslog_over) || ends_trouble(w, i)) {
		/* "recovery errors" */
		bool fails = begins_with(w, i, "recover") && i + 1 < w->n && !w->begins[i + 1] &&
			     word_says(w, i + 1) == SAID_BAD;

		s->is_over |= !is_attempted(w, i) && !fails;
		return;
	}
	if (i >= 2 && syslog_word_is(w, i - 1, "state") && syslog_word_is(w, i - 2, "in"))
		s->is_in_state = true;
	else
		s->is_good |= is_predicate(w, i) ||
			      (syslog_word_in(w, i, &syslog_works) && i + 1 == w->n);
	s->is_done |= syslog_word_in(w, i, &syslog_done);
}

enum syslog_said syslog_sentence(const char *text, bool is_warning)
{
	struct syslog_words w;
	struct sums s = {0};
	enum syslog_said said;

	syslog_split(text, &w);
	if (is_made_twice(text))
		return SAID_WORKS;
	if (is_by_hand(&w))
		return SAID_BY_HAND;
	said = by_transition(&w);
	if (said == SAID_BAD || said == SAID_GOOD)
		return said;
	for (unsigned i = 0; i < w.n; i++) {
		enum syslog_said one = word_says(&w, i);

		s.is_change |= syslog_word_in(&w, i, &syslog_changes) ||
			       syslog_word_in(&w, i, &syslog_taken);
		s.is_good |= syslog_word_in(&w, i, &syslog_arrives) && has_unit_before(&w, i);
		s.is_over |= is_back_within(&w, i);
		s.is_bad |= says_lack(&w, i) || is_beyond(&w, i, is_warning) ||
			    (is_warning && syslog_word_in(&w, i, &syslog_high));
		if (one == SAID_BAD)
			add_trouble(&w, i, &s);
		else if (one == SAID_GOOD)
			add_good(&w, i, &s);
	}
	if (s.is_over)
		return SAID_GOOD;
	if (s.is_bad && ((!s.is_good && !s.is_done) || s.is_down))
		return SAID_BAD;
	if (s.is_good || s.is_in_state || strstr(text, " is now "))
		return SAID_WORKS;
	return s.is_change || s.is_done || said == SAID_CHANGE ? SAID_CHANGE : SAID_NOTHING;
}

/* "not found", "timed out": not "not responding", "no longer", "no carrier". */
static bool is_wait_for(const struct syslog_words *w, unsigned i)
{
	return syslog_word_is(w, i, "timed") || (syslog_word_in(w, i, &syslog_negations) &&
							!has_behind(w, i, 2, &syslog_in_service));
}

bool syslog_is_attempt(const char *text)
{
	struct syslog_words w;

	syslog_split(text, &w);
	if (w.n && (syslog_word_is(&w, 0, "skipping") || syslog_word_is(&w, 0, "ignoring")))
		return true;
	if (by_transition(&w) == SAID_BAD)
		return false;
	for (unsigned i = 0; i < w.n; i++) {
		/* "failed with a timeout" */
		bool is_cause =
			begins_with(&w, i, "timeou") && has_before(&w, i, 12, &syslog_attempts);
		bool is_known = is_cause || syslog_word_in(&w, i, &syslog_attempts) ||
				syslog_part_in(w.at[i], w.len[i], &syslog_attempts);

		if (is_beyond(&w, i, false) || (says_lack(&w, i) && !is_wait_for(&w, i)))
			return false;
		if (word_says(&w, i) != SAID_BAD || is_of_none(&w, i) || is_negated(&w, i) ||
			is_refusal(&w, i))
			continue;
		if (!is_known || is_predicate(&w, i))
			return false;
	}
	return true;
}

bool syslog_is_unsupported(const char *text)
{
	return strstr(text, "not supported") || strstr(text, "not implemented") ||
	       strstr(text, "does not support") || strstr(text, "unsupported by") ||
	       strstr(text, "unsupported on");
}

enum syslog_said syslog_mnemonic(const char *name, size_t len)
{
	enum syslog_said said = SAID_NOTHING;
	bool is_unit = false, is_dual = false;

	for (size_t from = 0; from < len;) {
		const char *part = name + from;
		size_t n = 0;

		while (from + n < len && part[n] != '_' && part[n] != '-')
			n++;
		/* Both of a pair think so. */
		if (is_dual && (n == 6 || n == 7) &&
			(!memcmp(part, "active", n) || !memcmp(part, "primary", n)))
			said = SAID_BAD;
		else if (syslog_is_in(part, n, &syslog_over) ||
			 syslog_is_in(part, n, &syslog_works) ||
			 syslog_is_in(part, n, &syslog_ends_well))
			said = SAID_GOOD;
		else if (syslog_is_in(part, n, &syslog_bad) ||
			 syslog_is_in(part, n, &syslog_high) ||
			 (is_unit && syslog_is_in(part, n, &syslog_taken)))
			said = SAID_BAD;
		else if (said == SAID_NOTHING && syslog_is_in(part, n, &syslog_changes))
			said = SAID_CHANGE;
		is_unit |= syslog_is_in(part, n, &syslog_units);
		is_dual = n == 4 && !memcmp(part, "dual", n);
		from += n + 1;
	}
	return said;
}

bool syslog_mnemonic_ends(const char *name, size_t len)
{
	size_t n = 0;

	while (n < len && name[len - n - 1] != '_' && name[len - n - 1] != '-')
		n++;
	return syslog_is_in(name + len - n, n, &syslog_over);
}

static bool names_any(const char *text, const struct syslog_list *list, bool in_parts)
{
	struct syslog_words w;

	syslog_split(text, &w);
	for (unsigned i = 0; i < w.n; i++)
		if (syslog_noun_in(&w, i, list) ||
			(in_parts && syslog_part_in(w.at[i], w.len[i], list)))
			return true;
	return false;
}

bool syslog_tells_failure(const char *text)
{
	return names_any(text, &syslog_failures, true);
}

static bool names_port(const char *text)
{
	static const char *const ports[] = {"ethernet", "swp", "portchannel", "port-channel"};

	for (size_t i = 0; i < ARRAY_LEN(ports); i++) {
		const char *at = strstr(text, ports[i]);

		if (at && isdigit((unsigned char)at[strlen(ports[i])]))
			return true;
	}
	return false;
}

bool syslog_names_subject(const char *text, bool in_parts)
{
	return names_port(text) || names_any(text, &syslog_forwarding, in_parts) ||
	       names_any(text, &syslog_parts, in_parts) || names_any(text, &syslog_units, in_parts);
}
