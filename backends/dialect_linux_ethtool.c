/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/dialect_linux.h"
#include "backends/parse_number.h"
#include "base/str.h"

/*
 * What ethtool prints as text. `--json` is no help: -S, -i and --get-tunable never have it, 6.1
 * prints every pause flag as true, 6.14 repeats keys of -m, 7.2 prints per-lane FEC as no JSON.
 */

static void offer_count(struct host_port *p, const struct host_name *n, unsigned sub, uint64_t v)
{
	if (n && v <= UINT64_MAX / n->scale)
		cells_offer(&p->cells, n->id, sub, v * n->scale, n->rank);
}

static void offer(struct host_port *p, const struct host_name *n, const char *value)
{
	uint64_t v;

	if (parse_u64(value, strlen(value), &v))
		offer_count(p, n, 0, v);
}

/* Splits "  label: value" at the colon; NULL when there is none. *label has no blanks around it. */
static char *split(char *line, char **label)
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
 * "     rx_prio3_pause: 12": names may hold ": " themselves, so the last one separates. This is
 * most of what a host answers, and read in place.
 */
static void stats_line(struct host *h, struct host_port *p, struct span line)
{
	const char *at = line.at, *stop = at + line.n, *colon = memrchr(at, ':', line.n);
	const struct host_name *known;
	unsigned priority;
	uint64_t v;

	while (at < stop && (*at == ' ' || *at == '\t'))
		at++;
	if (!colon || colon <= at)
		return;
	known = host_ethtool_name(&h->names, at, (size_t)(colon - at), &priority);
	/* Of what nobody asks for one number is enough: it shows that these are statistics. */
	if ((!known && p->has_stats) || !parse_u64(colon + 1, (size_t)(stop - colon - 1), &v))
		return;
	p->has_stats = true;
	offer_count(p, known, priority, v);
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
static void fec_bin(struct host_port *p, const char *label, const char *value)
{
	static const char prefix[] = "fec_symbols_err_";
	uint64_t bin, v;

	if (str_starts(label, prefix) && str_to_u64(label + strlen(prefix), &bin) &&
		bin < counter_dim_size(CTR_FEC_BIN) && parse_u64(value, strlen(value), &v))
		cells_offer(&p->cells, CTR_FEC_BIN, (unsigned)bin, v, 9);
}

void host_fec_section(struct host *h, const struct section *s)
{
	static const struct host_name names[] = {
		{"corrected_blocks", CTR_FEC_CORRECTED_CODEWORDS, 9, 1},
		{"uncorrectable_blocks", CTR_FEC_UNCORRECTABLE_CODEWORDS, 9, 1},
		{"corrected_bits", CTR_FEC_CORRECTED_BITS, 9, 1},
	};
	struct host_port *p = host_of_section(h, s);
	char line[LINE_TEXT], *label, *value;
	size_t at = 0;

	h->no_ethtool |= host_no_program(s->body, s->len);
	while (p && line_next(s, &at, line)) {
		value = split(line, &label);
		if (!value)
			continue;
		if (str_starts(label, "Active FEC encoding"))
			fec_encoding(h, p, value);
		/* ethtool 6.19 and later append "[ per_lane: ... ]". */
		value[strspn(value, "0123456789")] = '\0';
		fec_bin(p, label, value);
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (str_eq(names[i].name, label))
				offer(p, &names[i], value);
	}
}

/* "no (Bad signal integrity, Large number of physical errors)" */
static void link_reason(struct host_port *p, const char *value)
{
	const char *open = strchr(value, '('), *close = strrchr(value, ')');

	if (str_starts(value, "no") && open && close && close > open)
		str_copyn(p->reason, sizeof(p->reason), open + 1, (size_t)(close - open - 1));
}

void host_link_section(struct host *h, const struct section *s)
{
	static const struct host_name downs = {"", CTR_LINK_DOWN_EVENTS, 7, 1};
	struct host_port *p = host_of_section(h, s);
	char line[LINE_TEXT], *label, *value;
	size_t at = 0;

	while (p && line_next(s, &at, line)) {
		value = split(line, &label);
		if (!value)
			continue;
		if (str_eq(label, "Link detected"))
			link_reason(p, value);
		else if (str_eq(label, "Link Down Events"))
			offer(p, &downs, value);
	}
}

void host_pause_section(struct host *h, const struct section *s)
{
	static const struct host_name names[] = {
		{"rx_pause_frames", CTR_RX_PAUSE_FRAMES, 4, 1},
		{"tx_pause_frames", CTR_TX_PAUSE_FRAMES, 4, 1},
		{"tx_pause_storm_events", CTR_PAUSE_STORM_ERRORS, 4, 1},
	};
	struct host_port *p = host_of_section(h, s);
	char line[LINE_TEXT], *label, *value;
	size_t at = 0;

	while (p && line_next(s, &at, line)) {
		value = split(line, &label);
		for (size_t i = 0; value && i < sizeof(names) / sizeof(names[0]); i++)
			if (str_eq(names[i].name, label))
				offer(p, &names[i], value);
	}
}
