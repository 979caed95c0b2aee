/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SYSLOG_SYSLOG_VOCABULARY_H
#define BACKENDS_SYSLOG_SYSLOG_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The words that logs of switches are made of, in lists by what they say, and how a sentence in
 * lower case is split into them. Private to backends/syslog.
 */
#define SYSLOG_WORDS_MOST 64

/* The words of a sentence; those behind the most are left out. They point into the sentence. */
struct syslog_words {
	const char *at[SYSLOG_WORDS_MOST];
	size_t len[SYSLOG_WORDS_MOST];
	bool begins[SYSLOG_WORDS_MOST]; /* a mark stands before the word: "not found. Dropping" */
	unsigned n;
};

struct syslog_list {
	const char *const *word;
	size_t n;
};

/* What each list is of stands with its words. */
extern const struct syslog_list syslog_bad, syslog_high, syslog_taken, syslog_units, syslog_arrives,
	syslog_failures, syslog_over, syslog_good, syslog_works, syslog_ends_well, syslog_changes,
	syslog_copulas, syslog_nothing_of, syslog_negations, syslog_admin, syslog_done_by_hand,
	syslog_forwarding, syslog_parts, syslog_done, syslog_attempts, syslog_waits,
	syslog_in_order, syslog_limits, syslog_reaches, syslog_burdens, syslog_in_service,
	syslog_excess;

/* Splits at what is neither a letter nor stands within a word; "->" is a word. */
void syslog_split(const char *s, struct syslog_words *out);

bool syslog_is_in(const char *word, size_t len, const struct syslog_list *list);

/* Whether word i is in the list; false behind the last one. */
bool syslog_word_in(const struct syslog_words *w, unsigned i, const struct syslog_list *list);
bool syslog_word_is(const struct syslog_words *w, unsigned i, const char *word);

/* The same for a noun, also with its number: "psu2", "vlan40". */
bool syslog_noun_in(const struct syslog_words *w, unsigned i, const struct syslog_list *list);

/* "sai_status_failure", "rx-timeout": whether one of the parts of a word is in the list. */
bool syslog_part_in(const char *word, size_t len, const struct syslog_list *list);

#endif
