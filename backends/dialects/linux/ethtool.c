/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/parse/number.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/*
 * Decodes the text output of ethtool. `--json` does not help: -S, -i and --get-tunable never have
 * it, 6.1 prints every pause flag as true, 6.14 repeats keys of -m, 7.2 prints per-lane FEC that is
 * not JSON.
 */

/* A copy of a line that may be modified, and its position in the answer. */
struct copy {
	char text[LINE_TEXT];
	struct span source;
};

static bool copy_next(const struct section *s, size_t *at, struct copy *line)
{
	if (!line_span(s, at, &line->source))
		return false;
	str_copyn(line->text, sizeof(line->text), line->source.at, line->source.n);
	return true;
}

static void offer_line(struct host *h, struct host_port *p, const struct host_name *n, unsigned sub,
	const struct copy *line, const char *value)
{
	size_t len = strlen(value);
	uint64_t v;

	if (parse_u64(value, len, &v) && v <= UINT64_MAX / n->scale)
		host_offer(h, p, n, sub, v,
			(struct span){line->source.at + (value - line->text), len});
}

/* Splits "  label: value" at the colon; NULL if there is none. *label has no surrounding blanks. */
static char *split_line(char *line, char **label)
{
	char *colon = strchr(line, ':'), *end = colon;

	*label = line + strspn(line, " \t");
	if (!colon || colon <= *label)
		return NULL;
	*colon++ = '\0';
	while (end > *label && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return colon + strspn(colon, " \t");
}

/*
 * Reads "     rx_prio3_pause: 12". Names may contain ": ", so the last one separates. Most of a
 * host's answer are such lines, so they are read in place.
 */
static void stats_line(struct host *h, struct host_port *p, struct span line)
{
	const char *at = line.at, *stop = at + line.n, *colon = memrchr(at, ':', line.n);
	const struct host_name *known;
	struct span value;
	unsigned priority;
	uint64_t v;

	while (at < stop && (*at == ' ' || *at == '\t'))
		at++;
	if (!colon || colon <= at)
		return;
	known = host_ethtool_name(&h->names, at, (size_t)(colon - at), &priority);
	value = (struct span){colon + 1, (size_t)(stop - colon - 1)};
	if (!known)
		host_unused(h, value);
	/* One unknown number is enough to show that these are statistics. */
	if ((!known && p->has_stats) || !parse_u64(value.at, value.n, &v))
		return;
	p->has_stats = true;
	if (known && v <= UINT64_MAX / known->scale)
		host_offer(h, p, known, priority, v, value);
}

void host_stats_section(struct host *h, const struct section *s)
{
	struct host_port *p = host_of_section(h, s);
	struct span line;
	size_t at = 0;

	while (p && line_span(s, &at, &line))
		stats_line(h, p, line);
}

static void fec_encoding(struct host *h, const struct host_port *p, const char *words)
{
	char word[16];
	size_t n = strcspn(words, " \t,");

	str_copyn(word, sizeof(word), words, n < sizeof(word) ? n : sizeof(word) - 1);
	for (char *c = word; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (*word)
		obs_word(h->o, p->port, ATTR_FEC, 0, str_eq(word, "off") ? "none" : word);
}

/* "fec_symbols_err_3": codewords with three symbols corrected (ethtool 6.19, kernel 6.18). */
static void fec_bin(struct host *h, struct host_port *p, const struct copy *line, const char *label,
	const char *value)
{
	static const char prefix[] = "fec_symbols_err_";
	static const struct host_name bins = {"", CTR_FEC_BIN, 9, 1, 0};
	uint64_t bin;

	if (str_starts(label, prefix) && str_to_u64(label + strlen(prefix), &bin) &&
		bin < counter_dim_size(CTR_FEC_BIN))
		offer_line(h, p, &bins, (unsigned)bin, line, value);
}

void host_fec_section(struct host *h, const struct section *s)
{
	static const struct host_name names[] = {
		{"corrected_blocks", CTR_FEC_CORRECTED_CODEWORDS, 9, 1, 0},
		{"uncorrectable_blocks", CTR_FEC_UNCORRECTABLE_CODEWORDS, 9, 1, 0},
		{"corrected_bits", CTR_FEC_CORRECTED_BITS, 9, 1, 0},
	};
	struct host_port *p = host_of_section(h, s);
	struct copy line;
	char *label, *value;
	size_t at = 0;

	h->no_ethtool |= host_no_program(s->body, s->len);
	while (p && copy_next(s, &at, &line)) {
		value = split_line(line.text, &label);
		if (!value)
			continue;
		if (str_starts(label, "Active FEC encoding"))
			fec_encoding(h, p, value);
		/* ethtool 6.19 and later append "[ per_lane: ... ]". */
		value[strspn(value, "0123456789")] = '\0';
		fec_bin(h, p, &line, label, value);
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (str_eq(names[i].name, label))
				offer_line(h, p, &names[i], 0, &line, value);
	}
}

/* Reads "no (Bad signal integrity, Large number of physical errors)". */
static void link_reason(struct host_port *p, const char *value)
{
	const char *open = strchr(value, '('), *close = strrchr(value, ')');

	if (str_starts(value, "no") && open && close && close > open)
		str_copyn(p->reason, sizeof(p->reason), open + 1, (size_t)(close - open - 1));
}

void host_link_section(struct host *h, const struct section *s)
{
	static const struct host_name downs = {"", CTR_LINK_DOWN_EVENTS, 7, 1, 0};
	struct host_port *p = host_of_section(h, s);
	struct copy line;
	char *label, *value;
	size_t at = 0;

	while (p && copy_next(s, &at, &line)) {
		value = split_line(line.text, &label);
		if (!value)
			continue;
		if (str_eq(label, "Link detected"))
			link_reason(p, value);
		else if (str_eq(label, "Link Down Events"))
			offer_line(h, p, &downs, 0, &line, value);
	}
}

void host_pause_section(struct host *h, const struct section *s)
{
	static const struct host_name names[] = {
		{"rx_pause_frames", CTR_RX_PAUSE_FRAMES, 4, 1, 0},
		{"tx_pause_frames", CTR_TX_PAUSE_FRAMES, 4, 1, 0},
		{"tx_pause_storm_events", CTR_PAUSE_STORM_ERRORS, 4, 1, 0},
	};
	struct host_port *p = host_of_section(h, s);
	struct copy line;
	char *label, *value;
	size_t at = 0;

	while (p && copy_next(s, &at, &line)) {
		value = split_line(line.text, &label);
		for (size_t i = 0; value && i < sizeof(names) / sizeof(names[0]); i++)
			if (str_eq(names[i].name, label))
				offer_line(h, p, &names[i], 0, &line, value);
	}
}
