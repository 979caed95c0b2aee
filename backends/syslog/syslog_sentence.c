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

static bool is_negated(const struct syslog_words *w, unsigned i)
{
	for (unsigned back = 1; back <= 3 && back <= i; back++)
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

static enum syslog_said word_says(const struct syslog_words *w, unsigned i)
{
	bool is_bad = syslog_word_in(w, i, &syslog_bad) || is_refusal(w, i) ||
		      (!is_name(w, i) && syslog_part_in(w->at[i], w->len[i], &syslog_bad));

	if (syslog_word_in(w, i, &syslog_over) ||
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
	}
	return SAID_CHANGE;
}

/* The state before "to": "from up (state) to", "up -> down"; SAID_NOTHING: unknown. */
static enum syslog_said source_of(const struct syslog_words *w, unsigned to)
{
	for (unsigned back = 1; back <= TO_STATE && back <= to; back++) {
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

/* ---- one state ---- */

static bool is_predicate(const struct syslog_words *w, unsigned i)
{
	return i && syslog_word_in(w, i - 1, &syslog_copulas);
}

/* "failed to recover", "unable to resume" */
static bool is_attempted(const struct syslog_words *w, unsigned i)
{
	for (unsigned back = 1; back <= 3 && back <= i; back++)
		if (syslog_word_is(w, i - back, "failed") ||
			syslog_word_is(w, i - back, "unable") ||
			syslog_word_is(w, i - back, "cannot") ||
			syslog_word_is(w, i - back, "failure"))
			return true;
	return false;
}

static bool is_by_hand(const struct syslog_words *w)
{
	bool by_hand = false;

	for (unsigned i = 0; i < w->n; i++) {
		by_hand |= syslog_word_in(w, i, &syslog_admin);
		by_hand |= syslog_word_is(w, i, "admin") &&
			   (syslog_word_is(w, i + 1, "down") || syslog_word_is(w, i + 1, "shut") ||
				   syslog_word_is(w, i + 1, "shutdown") ||
				   syslog_word_is(w, i + 1, "disabled"));
		by_hand |= syslog_word_is(w, i, "no") && syslog_word_is(w, i + 1, "shutdown");
	}
	for (unsigned i = 0; by_hand && i < w->n; i++)
		if (word_says(w, i) == SAID_BAD && !syslog_word_in(w, i, &syslog_done_by_hand) &&
			!syslog_word_in(w, i, &syslog_admin))
			return false;
	return by_hand;
}

/* What is missing: "no carrier", "not responding", "no longer dual connected". */
static bool says_lack(const struct syslog_words *w, unsigned i)
{
	if (syslog_word_is(w, i, "no"))
		return syslog_word_in(w, i + 1, &syslog_nothing_of) &&
		       !(syslog_word_is(w, i + 1, "longer") && word_says(w, i + 2) == SAID_BAD);
	/* "out of range"; not "3 out of 4" */
	if (syslog_word_is(w, i, "out") && syslog_word_is(w, i + 1, "of"))
		return !i || !isdigit((unsigned char)*w->at[i - 1]);
	if (!syslog_word_in(w, i, &syslog_negations) || i + 1 >= w->n)
		return false;
	for (unsigned k = i + 1; k <= i + 2 && k < w->n; k++)
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

enum syslog_said syslog_sentence(const char *text, bool is_warning)
{
	struct syslog_words w;
	bool is_bad = false, is_over = false, is_good = false, is_down = false, is_change = false;
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

		is_change |= syslog_word_in(&w, i, &syslog_changes) ||
			     syslog_word_in(&w, i, &syslog_taken);
		is_good |= syslog_word_in(&w, i, &syslog_arrives) && has_unit_before(&w, i);
		is_bad |= says_lack(&w, i) || (is_warning && syslog_word_in(&w, i, &syslog_high));
		if (one == SAID_BAD && !is_of_none(&w, i)) {
			if (is_negated(&w, i)) {
				is_over |= syslog_word_is(&w, i - 1, "longer");
				continue;
			}
			is_bad = true;
			is_down |= is_predicate(&w, i);
		}
		if (one != SAID_GOOD || is_negated(&w, i))
			continue;
		if (syslog_word_in(&w, i, &syslog_over))
			is_over |= !is_attempted(&w, i);
		else
			is_good |= is_predicate(&w, i) ||
				   (syslog_word_in(&w, i, &syslog_works) && i + 1 == w.n);
	}
	if (is_over)
		return SAID_GOOD;
	if (is_bad && (!is_good || is_down))
		return SAID_BAD;
	if (is_good || strstr(text, " is now "))
		return SAID_WORKS;
	return is_change || said == SAID_CHANGE ? SAID_CHANGE : SAID_NOTHING;
}

enum syslog_said syslog_mnemonic(const char *name, size_t len)
{
	enum syslog_said said = SAID_NOTHING;
	bool is_unit = false;

	for (size_t from = 0; from < len;) {
		const char *part = name + from;
		size_t n = 0;

		while (from + n < len && part[n] != '_' && part[n] != '-')
			n++;
		if (syslog_is_in(part, n, &syslog_over) || syslog_is_in(part, n, &syslog_works) ||
			syslog_is_in(part, n, &syslog_ends_well))
			said = SAID_GOOD;
		else if (syslog_is_in(part, n, &syslog_bad) ||
			 syslog_is_in(part, n, &syslog_high) ||
			 (is_unit && syslog_is_in(part, n, &syslog_taken)))
			said = SAID_BAD;
		else if (said == SAID_NOTHING && syslog_is_in(part, n, &syslog_changes))
			said = SAID_CHANGE;
		is_unit |= syslog_is_in(part, n, &syslog_units);
		from += n + 1;
	}
	return said;
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
