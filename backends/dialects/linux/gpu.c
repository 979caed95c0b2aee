/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/needs.h"
#include "backends/dialects/linux/linux.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/gpu_link.h"

/*
 * Links between the GPUs of a host: `nvidia-smi nvlink -s` and `-e`, `amd-smi xgmi`. The answer is
 * reported by GPU, as fabric/vocabulary/gpu_link.h has it.
 *
 *   GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)
 *            Link 0: 26.562 GB/s
 *            Link 1: <inactive>
 *   GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-...)
 *   NVML: Unable to retrieve NVLink information as all links are inActive
 *   GPU 2: NVIDIA RTX A4000 (UUID: GPU-...)
 *   Device does not have or support Nvlink
 *
 * A tool that was killed has printed a part: fewer links, smaller counts. "@@told STATUS" follows
 * it, and what precedes a kill is discarded.
 */

#define LINKS_MOST 36 /* of one GPU: two numbers of NVLink 6 */

struct card {
	bool is_told, has_links, no_links, all_inactive;
	char name[48];
	unsigned listed, active;
	double gbs; /* of the slowest active link */
	char down[40];
	uint64_t errors[GPU_ERRORS]; /* UINT64_MAX: not listed */
	uint64_t by_link[LINKS_MOST];
};

struct cards {
	struct card at[HOST_GPUS_MOST];
	unsigned n;               /* one above the highest index */
	struct card *now;         /* that of the last header; NULL */
	bool has_errors;          /* the tool lists counts */
	char refusal[128];        /* first line that is none of the above */
	const char *kind;         /* "nvlink", "xgmi" */
	bool links_ok, errors_ok; /* the tool came to its end */
};

static struct card *card_at(struct cards *c, uint64_t index)
{
	struct card *k;

	if (index >= HOST_GPUS_MOST)
		return NULL;
	k = &c->at[index];
	if (!k->is_told) {
		k->is_told = true;
		k->gbs = NAN;
		for (unsigned e = 0; e < GPU_ERRORS; e++)
			k->errors[e] = UINT64_MAX;
	}
	if (index >= c->n)
		c->n = (unsigned)index + 1;
	return k;
}

/* "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)": the rest of the line behind it, NULL: another. */
static const char *header_line(struct cards *c, const char *line)
{
	const char *name, *end;
	char *after;
	unsigned long index;

	if (!str_starts(line, "GPU "))
		return NULL;
	index = strtoul(line + 4, &after, 10);
	if (after == line + 4 || *after != ':')
		return NULL;
	c->now = card_at(c, index);
	name = after + 1 + strspn(after + 1, " ");
	end = strstr(name, " (UUID");
	if (!end)
		end = name + strlen(name);
	if (!c->now)
		return "";
	(void)str_copyn(c->now->name, sizeof(c->now->name), name, (size_t)(end - name));
	for (char *p = c->now->name; *p; p++)
		if (*p == ' ' || *p == '=')
			*p = '-';
	end = strchr(end, ')');
	return end ? end + 1 : "";
}

/* "Link 3: REST": returns REST and the number; NULL: another line. */
static const char *link_line(const char *line, unsigned *link)
{
	char *after;
	unsigned long n;

	line += strspn(line, " \t");
	if (!str_starts(line, "Link "))
		return NULL;
	n = strtoul(line + 5, &after, 10);
	if (after == line + 5 || *after != ':' || n >= LINKS_MOST)
		return NULL;
	*link = (unsigned)n;
	after++;
	return after + strspn(after, " \t");
}

static void note_down(struct card *k, unsigned link)
{
	char number[12];
	size_t at = strlen(k->down);

	(void)str_printf(number, sizeof(number), "%s%u", at ? "," : "", link);
	if (at + strlen(number) < sizeof(k->down))
		(void)str_copy(k->down + at, sizeof(k->down) - at, number);
}

/* A link without a rate is no evidence of a working one. */
static void status_of_link(struct card *k, unsigned link, const char *text)
{
	char *after;
	double gbs = strtod(text, &after);

	k->has_links = true;
	k->listed++;
	if (after == text || !strstr(after, "GB/s")) {
		note_down(k, link);
		return;
	}
	k->active++;
	if (!(k->gbs <= gbs))
		k->gbs = gbs;
}

static void keep_refusal(struct cards *c, const char *line)
{
	line += strspn(line, " \t");
	if (*line && !*c->refusal)
		(void)str_copy(c->refusal, sizeof(c->refusal), line);
}

static void status_line(struct cards *c, const char *line)
{
	const char *rest = header_line(c, line);
	unsigned link;

	if (rest)
		line = rest;
	rest = link_line(line, &link);
	if (rest && c->now)
		status_of_link(c->now, link, rest);
	else if (c->now && strcasestr(line, "all links are inactive"))
		c->now->all_inactive = true;
	else if (c->now && strcasestr(line, "not have or support"))
		c->now->no_links = true;
	else
		keep_refusal(c, line);
}

/* Names of counts, of NVLink up to 4 and from 5 on. */
static const struct {
	const char *name;
	enum gpu_error error;
} counts[] = {
	{"Replay Errors", GPU_REPLAY},
	{"Recovery Errors", GPU_RECOVERY},
	{"CRC Errors", GPU_CRC},
	{"Total link recovery events", GPU_RECOVERY},
	{"Link recovery failed events", GPU_FAILED},
	{"Malformed packet Errors", GPU_LOCAL},
	{"Buffer overrun Errors", GPU_LOCAL},
	{"Rx Errors", GPU_LOCAL},
	{"Rx General Errors", GPU_LOCAL},
	{"Local link integrity Errors", GPU_LOCAL},
	{"Effective Errors", GPU_LOCAL},
	{"Symbol Errors", GPU_LOCAL},
	{"Rx remote Errors", GPU_REMOTE},
};

static void error_line(struct cards *c, const char *line)
{
	const char *rest = header_line(c, line), *colon;
	unsigned link;
	uint64_t v;

	rest = link_line(rest ? rest : line, &link);
	colon = rest ? strchr(rest, ':') : NULL;
	if (!colon || !c->now)
		return;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		size_t n = strlen(counts[i].name);
		uint64_t *sum = &c->now->errors[counts[i].error];

		if ((size_t)(colon - rest) != n || strncmp(rest, counts[i].name, n) != 0 ||
			!str_to_u64(colon + 1 + strspn(colon + 1, " \t"), &v))
			continue;
		*sum = (*sum == UINT64_MAX ? 0 : *sum) + v;
		c->now->by_link[link] += v;
		c->has_errors = true;
	}
}

/* ---- the report ---- */

static int worst_link(const struct card *k)
{
	int worst = -1;

	for (int i = 0; i < LINKS_MOST; i++)
		if (k->by_link[i] && (worst < 0 || k->by_link[i] > k->by_link[worst]))
			worst = i;
	return worst;
}

static void report_card(struct host *h, const struct cards *c, unsigned index)
{
	const struct card *k = &c->at[index];
	int worst = worst_link(k);
	struct buf text;

	buf_init(&text, 1024);
	(void)buf_addf(&text, "kind=%s", k->no_links ? "none" : c->kind);
	if (*k->name)
		(void)buf_addf(&text, " name=%s", k->name);
	if (k->has_links || k->all_inactive)
		(void)buf_addf(&text, " links=%u active=%u", k->listed, k->active);
	if (!isnan(k->gbs))
		(void)buf_addf(&text, " gbs=%g", k->gbs);
	if (*k->down)
		(void)buf_addf(&text, " down=%s", k->down);
	if (c->errors_ok && worst >= 0)
		(void)buf_addf(&text, " worst=%d", worst);
	for (unsigned e = 0; c->errors_ok && e < GPU_ERRORS; e++)
		if (k->errors[e] != UINT64_MAX)
			(void)buf_addf(&text, " %s=%llu", gpu_error_name((enum gpu_error)e),
				(unsigned long long)k->errors[e]);
	obs_word(h->o, OBS_NO_PORT, ATTR_GPU_LINKS, index, text.data);
	buf_free(&text);
}

/* What of the host's GPUs is known, with the cure where it is not. */
static void report_need(struct host *h, const struct cards *c, const char *tool)
{
	char cure[160];
	bool links = false, told = false;

	for (unsigned i = 0; i < c->n; i++) {
		told |= c->at[i].is_told;
		links |= c->at[i].has_links || c->at[i].all_inactive;
	}
	if (links && c->links_ok) {
		need_say(h->o, NEED_GPU_LINKS, VALID_OK, "");
		return;
	}
	if (told && c->links_ok) {
		need_say(h->o, NEED_GPU_LINKS, VALID_UNSUPPORTED,
			"its GPUs have no links to one another, or do not tell");
		return;
	}
	if (!c->links_ok)
		(void)str_printf(cure, sizeof(cure),
			"%s was killed after 15 s on the host: enable nvidia-persistenced", tool);
	else
		(void)str_printf(cure, sizeof(cure), "run it on the host: %s: %.90s", tool,
			*c->refusal ? c->refusal : "it prints nothing");
	need_say(h->o, NEED_GPU_LINKS, VALID_DISABLED, cure);
}

static void report(struct host *h, const struct cards *c, const char *tool)
{
	unsigned listed = 0;

	if (!h->begun || !h->ended)
		return;
	for (unsigned i = 0; i < c->n && c->links_ok; i++)
		if (c->at[i].is_told) {
			report_card(h, c, i);
			listed++;
		}
	if (listed)
		obs_number(h->o, OBS_NO_PORT, ATTR_GPU_COUNT, 0, listed);
	report_need(h, c, tool);
}

/* `timeout` ends with 124, and with 128 and the signal where it had to kill. */
static bool was_killed(const char *status)
{
	return str_eq(status, "124") || str_eq(status, "137") || str_eq(status, "143");
}

static void read_lines(
	struct cards *c, const struct section *s, void (*take)(struct cards *c, const char *line))
{
	char line[LINE_TEXT];
	size_t at = 0;

	c->now = NULL;
	while (line_next(s, &at, line))
		take(c, line);
}

bool linux_parse_nvlink(struct host *h, const char *bytes, size_t len)
{
	struct cards *c = mem_calloc(1, sizeof(*c));
	bool *ended = NULL;
	struct section s;
	size_t at = 0;

	c->kind = "nvlink";
	while (section_next(bytes, len, &at, &s)) {
		if (host_common_section(h, &s))
			continue;
		if (str_eq(s.name, "links")) {
			read_lines(c, &s, status_line);
			ended = &c->links_ok;
		} else if (str_eq(s.name, "errors")) {
			read_lines(c, &s, error_line);
			ended = &c->errors_ok;
		} else if (str_eq(s.name, "told") && ended) {
			*ended = !was_killed(s.arg);
		}
	}
	report(h, c, "nvidia-smi nvlink -s");
	free(c);
	return h->begun;
}

/* ---- AMD ---- */

/*
 * "GPU0   0000:05:00.0  U  U  U  U  U  U  U  U" below "GPU LINK PORT STATUS:": up, down, disabled,
 * or N/A. In a guest the driver hides the state, and older tools have no such table.
 */
static void port_status_line(struct cards *c, char *line)
{
	char *save = NULL, *word = strtok_r(line, " \t", &save);
	struct card *k;
	uint64_t index;
	unsigned link = 0;

	if (!word || !str_starts(word, "GPU") || !str_to_u64(word + 3, &index))
		return;
	k = card_at(c, index);
	word = strtok_r(NULL, " \t", &save);
	for (; k && word && (word = strtok_r(NULL, " \t", &save)); link++) {
		if (strlen(word) != 1 || !strchr("UD", *word))
			continue;
		k->has_links = true;
		k->listed++;
		if (*word == 'U')
			k->active++;
		else
			note_down(k, link);
	}
}

bool linux_parse_xgmi(struct host *h, const char *bytes, size_t len)
{
	struct cards *c = mem_calloc(1, sizeof(*c));
	char line[LINE_TEXT];
	struct section s;
	size_t at = 0, from = 0;
	bool inside = false;

	c->kind = "xgmi";
	while (section_next(bytes, len, &at, &s)) {
		if (host_common_section(h, &s))
			continue;
		if (str_eq(s.name, "told"))
			c->links_ok = !was_killed(s.arg);
		if (!str_eq(s.name, "xgmi"))
			continue;
		for (from = 0; line_next(&s, &from, line);) {
			if (strstr(line, "STATUS:") || strstr(line, "TABLE:"))
				inside = strstr(line, "PORT STATUS:") != NULL;
			else if (inside)
				port_status_line(c, line);
			else
				keep_refusal(c, line);
		}
	}
	report(h, c, "amd-smi xgmi");
	free(c);
	return h->begun;
}
