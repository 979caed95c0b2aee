/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/plan/plan.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"

#define PRIORITY_WHEN_UNSTATED 3

uint8_t lossless_priorities(const struct lossless *l)
{
	return l->priorities ? l->priorities : 1U << PRIORITY_WHEN_UNSTATED;
}

const char *poll_way_name(enum poll_way w)
{
	static const char *const names[POLL_WAY_COUNT] = {"full", "filtered"};

	return names[w];
}

void plan_init(struct plan *p)
{
	memset(p, 0, sizeof(*p));
	memset(p->lossless.dscp_prio, -1, sizeof(p->lossless.dscp_prio));
	p->lossless.cnp_dscp = -1;
	plan_notify_init(&p->notify);
}

void plan_actions_free(struct plan_actions *a)
{
	free(a->allow);
	free(a->devices);
	free(a->user);
	free(a->identity);
	free(a->credentials);
	free(a->ledger);
	free(a->kill_switch);
	for (size_t i = 0; i < a->commands.n; i++)
		free(a->commands.at[i].lines);
	vec_free(&a->commands);
	memset(a, 0, sizeof(*a));
}

void plan_engine_free(struct plan_engine *e)
{
	free(e->url);
	free(e->mapping);
	free(e->match);
	free(e->credentials);
	free(e->token);
	free(e->tenant);
	free(e->tls_ca);
	*e = (struct plan_engine){.url = NULL};
}

void plan_free(struct plan *p)
{
	for (size_t i = 0; i < p->devices.n; i++) {
		struct plan_device *d = &p->devices.at[i];

		free(d->dialect);
		free(d->transport);
		free(d->address);
		free(d->user);
		free(d->identity);
		free(d->credentials);
		free(d->ssh_config);
		free(d->jump);
		free(d->known_hosts);
		free(d->tls_ca);
	}
	for (size_t i = 0; i < p->jobs.n; i++) {
		free(p->jobs.at[i].path);
		free(p->jobs.at[i].hosts);
		free(p->jobs.at[i].url);
		free(p->jobs.at[i].token);
		free(p->jobs.at[i].tls_ca);
		free(p->jobs.at[i].name);
	}
	plan_actions_free(&p->actions);
	plan_engine_free(&p->engine);
	plan_notify_free(&p->notify);
	vec_free(&p->jobs);
	vec_free(&p->pins);
	vec_free(&p->devices);
	vec_free(&p->links);
	vec_free(&p->nics);
	vec_free(&p->nets);
	plan_init(p);
}

unsigned plan_hosts_out(const struct plan *p)
{
	unsigned hosts = 0;

	if (p->actions.hosts_out)
		return p->actions.hosts_out;
	for (size_t i = 0; i < p->devices.n; i++)
		hosts += p->devices.at[i].tier == TIER_HOST;
	return hosts > 10 ? hosts / 10 : 1;
}

int plan_find(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->devices.n; i++)
		if (strcmp(p->devices.at[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* The expansion of one list. Brackets nest no deeper than the parts of one name. */
struct expansion {
	const char *list;
	size_t limit, made;
	void (*add)(void *ctx, const char *name);
	void *ctx;
	struct err *err;
	char name[NAME_MAX_LEN];
};

#define BRACKETS_MAX 8

static bool fail_at(struct expansion *x, const char *at, size_t n, const char *what)
{
	err_set(x->err, ERR_CONFIG, "", "\"%.*s\" at column %zu: %s", (int)(n > 40 ? 40 : n), at,
		(size_t)(at - x->list) + 1, what);
	return err_cure(x->err, "write ranges as name[000-499] or name[0,2,5-7]");
}

/* Reads digits; *width is their number. Nine digits exceed any fabric's number of devices. */
static bool read_number(const char **s, const char *end, unsigned long *value, size_t *width)
{
	const char *from = *s;

	*value = 0;
	while (*s < end && **s >= '0' && **s <= '9' && *s - from < 10)
		*value = *value * 10 + (unsigned long)(*(*s)++ - '0');
	*width = (size_t)(*s - from);
	return *width > 0 && *width < 10;
}

static bool expand_part(
	struct expansion *x, const char *s, const char *end, size_t len, unsigned depth);

static bool expand_number(struct expansion *x, unsigned long v, size_t width, const char *rest,
	const char *end, size_t len, unsigned depth)
{
	if (!str_printf(x->name + len, sizeof(x->name) - len, "%0*lu", (int)width, v))
		return fail_at(
			x, rest, (size_t)(end - rest), "the name becomes longer than 63 bytes");
	return expand_part(x, rest, end, strlen(x->name), depth + 1);
}

/* A letter that stands alone: before '-', ',' or the bracket's end. */
static bool is_letter(const char *s, const char *close)
{
	return s < close && isalpha((unsigned char)*s) &&
	       (s + 1 == close || s[1] == '-' || s[1] == ',');
}

/* "a-c": names that end with letters. */
static bool expand_letters(struct expansion *x, const char **s, const char *close, const char *end,
	size_t len, unsigned depth)
{
	const char *at = *s;
	char from = *at++, to = from;

	if (at < close && *at == '-') {
		if (!is_letter(++at, close) ||
			!isupper((unsigned char)*at) != !isupper((unsigned char)from) || *at < from)
			return fail_at(x, *s, (size_t)(close - *s), "the range has no end");
		to = *at++;
	}
	*s = at;
	for (char c = from; c <= to; c++) {
		if (len + 1 >= sizeof(x->name))
			return fail_at(
				x, at, (size_t)(end - at), "the name is longer than 63 bytes");
		x->name[len] = c;
		if (!expand_part(x, close + 1, end, len + 1, depth + 1))
			return false;
	}
	return true;
}

/* s is after '[', close points to ']'. */
static bool expand_bracket(struct expansion *x, const char *s, const char *close, const char *end,
	size_t len, unsigned depth)
{
	const char *open = s - 1;
	size_t shown = (size_t)(close - open) + 1;

	if (depth >= BRACKETS_MAX)
		return fail_at(x, open, shown, "more than 8 brackets in one name");
	for (;;) {
		unsigned long from, to;
		size_t width, width2;

		if (is_letter(s, close)) {
			if (!expand_letters(x, &s, close, end, len, depth))
				return false;
			if (s == close)
				return true;
			if (*s++ != ',')
				return fail_at(x, open, shown, "only letters, '-' and ','");
			continue;
		}
		if (!read_number(&s, close, &from, &width))
			return fail_at(x, open, shown, "a number of 1 to 9 digits is expected");
		to = from;
		if (s < close && *s == '-') {
			s++;
			if (!read_number(&s, close, &to, &width2))
				return fail_at(x, open, shown, "the range has no end");
			if (width2 < width)
				return fail_at(x, open, shown, "the range's ends differ in width");
			if (to < from)
				return fail_at(x, open, shown, "the range runs backwards");
		}
		for (unsigned long v = from; v <= to; v++)
			if (!expand_number(x, v, width, close + 1, end, len, depth))
				return false;
		if (s == close)
			return true;
		if (*s++ != ',')
			return fail_at(x, open, shown, "only digits, '-' and ',' go into brackets");
	}
}

static bool expand_part(
	struct expansion *x, const char *s, const char *end, size_t len, unsigned depth)
{
	for (; s < end; s++) {
		if (*s == '[') {
			const char *close = memchr(s, ']', (size_t)(end - s));

			if (!close)
				return fail_at(x, s, (size_t)(end - s), "'[' is never closed");
			return expand_bracket(x, s + 1, close, end, len, depth);
		}
		if (*s == ']')
			return fail_at(x, s, (size_t)(end - s), "']' without '['");
		if ((unsigned char)*s <= ' ' || *s == 0x7f)
			return fail_at(x, s, (size_t)(end - s), "a blank inside a name");
		if (len + 1 >= sizeof(x->name))
			return fail_at(x, s, (size_t)(end - s), "the name is longer than 63 bytes");
		x->name[len++] = *s;
	}
	x->name[len] = '\0';
	if (x->made++ >= x->limit) {
		err_set(x->err, ERR_LIMIT, "", "\"%.60s\" gives more than %zu names", x->list,
			x->limit);
		return err_cure(x->err, "split the list, or check its ranges");
	}
	x->add(x->ctx, x->name);
	return true;
}

/* The end of the entry that starts at s: a comma outside brackets, or the end of the list. */
static const char *entry_end(const char *s)
{
	bool inside = false;

	for (; *s && (*s != ',' || inside); s++) {
		if (*s == '[')
			inside = true;
		else if (*s == ']')
			inside = false;
	}
	return s;
}

bool hostlist_expand(const char *list, size_t limit, void (*add)(void *ctx, const char *name),
	void *ctx, struct err *err)
{
	struct expansion x = {
		.list = list, .limit = limit, .add = add, .ctx = ctx, .err = err, .name = ""};
	const char *s = list;

	for (;;) {
		const char *end = entry_end(s), *last = end;

		while (s < last && *s == ' ')
			s++;
		while (last > s && last[-1] == ' ')
			last--;
		if (s == last)
			return fail_at(&x, s, strlen(s), "a name is missing");
		if (!expand_part(&x, s, last, 0, 0))
			return false;
		if (!*end)
			return true;
		s = end + 1;
	}
}
